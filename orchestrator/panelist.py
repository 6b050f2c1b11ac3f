"""What a panelist does: its focus brief, its candidate question's file, its notes and observations.

An engine that fails costs one note, never the session: it is left out.
"""

from __future__ import annotations

import hashlib
import re
from concurrent.futures import Future
from typing import Any, TypeVar

from orchestrator import render
from orchestrator.engines import aiming, together
from orchestrator.engines.protocol import (
    FocusBriefRequest,
    NotesRequest,
    ObservationRequest,
)
from orchestrator.engines.repeats import gist, same
from orchestrator.errors import EngineError
from orchestrator.exchange import Candidate, Exchange, Observation, Target
from orchestrator.rehearsal import Rehearsal
from orchestrator.room import Room, Waiting
from orchestrator.values import tagged, to_json

R = TypeVar("R")

SPOKEN_TO_SHARE = 0.6
"""A claim counts as spoken to when later speech holds this share of its quote's telling words."""


def write_focus_briefs(rehearsal: Rehearsal) -> None:
    """Each panelist's targets, in the order of the seats; no claim twice."""
    taken: set[str] = set()
    panel = rehearsal.options.panel
    for number, agent in enumerate(panel, start=1):
        others = tuple(rehearsal.seats[one] for one in panel[number:])
        request = FocusBriefRequest(rehearsal.seats[agent], rehearsal.scene(), frozenset(taken), others)
        context = rehearsal.context(agent, purpose="focus-brief", request=request)
        more: dict[str, Any] = {}
        evidence = ""
        try:
            targets: tuple[Target, ...] = rehearsal.engine.reply(request, context)
            if isinstance(rehearsal.engine, together.Beginning):  # a model, which may not have used it
                found = aiming.targets(request)
                more = {"found": to_json(found)}
                evidence = render.evidence(found, request.scene.tensions)
        except EngineError as error:  # the rules choose in its place, and the record says so
            targets = aiming.targets(request)
            more = {"failed": str(error)}
        rehearsal.note_calls()
        path = f"{agent}/focus-brief.md"
        heading = rehearsal.store.content(path)
        rehearsal.store.write(
            path,
            render.focus_brief(heading, targets) + evidence,
            by=agent,
            value={"type": "focus_brief", "targets": to_json(targets), **more},
        )
        taken.update(target.claim for target in targets)


def no_question(agent: str) -> Candidate:
    """What stands for a question where there is none."""
    return Candidate(agent, "", None, None, None, None, False, (), 0.0, "", "nothing left to ask")


def write_candidate(rehearsal: Rehearsal, agent: str, waiting: Waiting) -> None:
    """Put a candidate question into its file."""
    heading = f"# Candidate question of {rehearsal.name_of(agent)}"
    question = None if waiting.status == "empty" else waiting.candidate
    rehearsal.store.write(
        f"{agent}/candidate-question.md",
        render.candidate(heading, question, waiting.status, waiting.made_at_s, waiting.input_sha256),
        by=agent,
        value={"type": "candidate", "waiting": to_json(waiting)},
    )


def empty_candidate(rehearsal: Rehearsal, agent: str) -> Waiting:
    """What stands in the file once its question is being asked."""
    nothing = hashlib.sha256(b"").hexdigest()
    return Waiting(no_question(agent), "empty", rehearsal.now_s(), nothing, nothing)


def why_stale(rehearsal: Rehearsal, waiting: Waiting, *, confirmed_at_s: float | None = None) -> str | None:
    """Why this candidate must not be asked any more; None: it may.

    *confirmed_at_s*: when it was last confirmed; None: as the room has it.
    """
    room = rehearsal.room
    question = waiting.candidate
    if waiting.status != "ready":
        return f"its status is {waiting.status}"
    if question.claim is not None and _was_asked_about(room, question.claim):
        return "its claim has been asked about"
    if waiting.intel_sha256 != rehearsal.store.state("shared/external-intel.md").sha256:
        return "the intel has changed"
    confirmed_s = room.confirmed_s.get(question.agent, 0.0) if confirmed_at_s is None else confirmed_at_s
    if rehearsal.now_s() - max(waiting.made_at_s, confirmed_s) > rehearsal.rules.timers_s.stale:
        return f"it is older than {rehearsal.rules.timers_s.stale:g} s"
    if question.quote is not None and _spoken_to(rehearsal, question, waiting.made_at_s):
        return "the presenter has spoken to it since"
    return None


def _was_asked_about(room: Room, claim_id: str) -> bool:
    """Somebody has asked about this claim, or about another that says the same elsewhere."""
    asked = room.asked_claims
    if claim_id in asked or claim_id not in room.claims_by_id:
        return claim_id in asked
    own = gist(room.claims_by_id[claim_id])
    known = (room.claims_by_id[one] for one in sorted(asked) if one in room.claims_by_id)
    return any(same(own, gist(claim)) for claim in known)


def _spoken_to(rehearsal: Rehearsal, question: Candidate, since_s: float) -> bool:
    wanted = _telling(question.quote or "")
    if not wanted:
        return False
    said: set[str] = set()
    for segment in reversed(rehearsal.room.segments):
        if segment.end_s <= since_s:
            break
        if segment.speaker == rehearsal.room.presenter and segment.start_s != question.said_at_s:
            said |= _telling(segment.text)
    return len(wanted & said) >= SPOKEN_TO_SHARE * len(wanted)


def _telling(text: str) -> set[str]:
    return {
        word for word in re.findall(r"\w[\w.,%]*\w|\w", text.lower()) if len(word) > 3 or word[0].isdigit()
    }


def take_note(rehearsal: Rehearsal, exchange: Exchange) -> tuple[str, str] | None:
    """What the asking panelist notes after the last turn: path and text; None where the engine fails."""
    got = _waited(rehearsal, begin_note(rehearsal, exchange))
    return note_of(rehearsal, exchange, got)


def begin_note(rehearsal: Rehearsal, exchange: Exchange) -> Future[str]:
    """Ask for that note, and do not wait for it."""
    request = NotesRequest(rehearsal.seats[exchange.agent], rehearsal.kept_scene(), exchange)
    context = rehearsal.context(exchange.agent, purpose="notes", request=request)
    return together.begun(rehearsal.engine, request, context)


def note_of(rehearsal: Rehearsal, exchange: Exchange, got: str | EngineError) -> tuple[str, str] | None:
    """Path and text of a note that came; None: nothing did, and the ledger says why."""
    if isinstance(got, EngineError):
        left_out(rehearsal, exchange, "notes", str(got))
        return None
    if not got.strip():
        return None
    note = render.note(exchange.id, len(exchange.turns), rehearsal.now_s(), got)
    return f"{exchange.agent}/exchange-notes.md", note


def add_note(rehearsal: Rehearsal, exchange: Exchange, note: tuple[str, str]) -> None:
    """Put a note into the panelist's file."""
    path, text = note
    rehearsal.store.append(path, text, by=exchange.agent, value={"type": "notes", "exchange": exchange.id})


def observation(rehearsal: Rehearsal, exchange: Exchange) -> Observation | None:
    """What the panelist noticed about the presenter, if anything. Outside a transaction: it may take long."""
    got = _waited(rehearsal, begin_observation(rehearsal, exchange))
    return seen_of(rehearsal, exchange, got)


def begin_observation(rehearsal: Rehearsal, exchange: Exchange) -> Future[Observation | None]:
    """Ask what the panelist noticed, and do not wait for it."""
    request = ObservationRequest(rehearsal.seats[exchange.agent], rehearsal.kept_scene(), exchange)
    context = rehearsal.context(exchange.agent, purpose="observation", request=request)
    return together.begun(rehearsal.engine, request, context)


def seen_of(
    rehearsal: Rehearsal, exchange: Exchange, got: Observation | EngineError | None
) -> Observation | None:
    """An observation that came; None: there is none, and where the engine failed, the ledger says why."""
    if isinstance(got, EngineError):
        left_out(rehearsal, exchange, "observation", str(got))
        return None
    return got


def _waited(rehearsal: Rehearsal, reply: Future[R]) -> R | EngineError:
    together.wait([reply])
    rehearsal.note_calls()
    return together.outcome(reply)


def left_out(rehearsal: Rehearsal, exchange: Exchange, what: str, why: str) -> None:
    """Record that a note, an observation or a judgement was wanted and did not come."""
    value = {"type": "left_out", "what": what, "exchange": exchange.id, "why": why}
    rehearsal.store.note(value, by=exchange.agent)


def add_observation(rehearsal: Rehearsal, exchange: Exchange, seen: Observation | None) -> None:
    """Put it into the panelist's profile of the presenter."""
    if seen is not None:
        rehearsal.store.append(
            f"{exchange.agent}/presenter-profile.md",
            render.observation(exchange.id, rehearsal.now_s(), seen),
            by=exchange.agent,
            value=tagged("observation", seen),
        )
