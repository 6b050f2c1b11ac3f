"""What a panelist does: its focus brief, its candidate question, its notes and observations.

An engine that fails costs one refresh or one note, never the session: the last good
candidate stays as stale, a note is left out, and the reason stands in the ledger.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from orchestrator import render
from orchestrator.context import Context
from orchestrator.engines import aiming, together
from orchestrator.engines.protocol import (
    CandidateRequest,
    FocusBriefRequest,
    NotesRequest,
    ObservationRequest,
)
from orchestrator.engines.repeats import gist, same
from orchestrator.errors import EngineError
from orchestrator.exchange import Candidate, Exchange, Observation, Target
from orchestrator.orchestration import HAND_RAISE
from orchestrator.rehearsal import Rehearsal
from orchestrator.room import Room, Waiting
from orchestrator.session_state import show_state
from orchestrator.values import tagged, to_json

SPOKEN_TO_SHARE = 0.6
"""A claim counts as spoken to when later speech holds this share of its quote's telling words."""
INPUT_FILES = slice(4, 10)
"""Files 5 to 10: what can change between two refreshes of one panelist's candidate."""
INTEL = 4


def write_focus_briefs(rehearsal: Rehearsal) -> None:
    """Each panelist's targets, in the order of the seats; no claim twice."""
    taken: set[str] = set()
    panel = rehearsal.options.panel
    for number, agent in enumerate(panel, start=1):
        others = tuple(rehearsal.seats[one] for one in panel[number:])
        request = FocusBriefRequest(rehearsal.seats[agent], rehearsal.scene(), frozenset(taken), others)
        context = rehearsal.context(agent, purpose="focus-brief", request=request)
        failed = {}
        try:
            targets: tuple[Target, ...] = rehearsal.engine.reply(request, context)
        except EngineError as error:  # the rules choose in its place, and the record says so
            targets = aiming.targets(request)
            failed = {"failed": str(error)}
        rehearsal.note_calls()
        path = f"{agent}/focus-brief.md"
        heading = rehearsal.store.content(path)
        rehearsal.store.write(
            path,
            render.focus_brief(heading, targets),
            by=agent,
            value={"type": "focus_brief", "targets": to_json(targets), **failed},
        )
        taken.update(target.claim for target in targets)


def refresh(rehearsal: Rehearsal, why: str) -> None:
    """Look at every panelist's candidate question again; one record says when and why.

    By the timer, a panelist whose files 5 to 10 are what they were last time is not asked again.
    """
    made: list[tuple[str, Waiting]] = []
    failed: dict[str, str] = {}
    inputs: dict[str, str] = {}
    asked: list[tuple[str, CandidateRequest, Context]] = []
    for agent in rehearsal.options.panel:
        context = rehearsal.peek(agent, purpose="candidate-question")
        inputs[agent] = _digest([sha256 for _, _, sha256 in context.receipt.files[INPUT_FILES]])
        if why == "timer" and rehearsal.room.inputs.get(agent) == inputs[agent]:
            continue
        request = _request(rehearsal, agent)
        context = rehearsal.addressed(request, context)
        rehearsal.keep(context)
        asked.append((agent, request, context))
    got = together.replies(rehearsal.engine, [(request, context) for _, request, context in asked])
    rehearsal.note_calls()
    for (agent, _, context), question in zip(asked, got, strict=True):
        waiting: Waiting | None
        if isinstance(question, EngineError):
            failed[agent] = str(question)
            waiting = _as_stale(rehearsal, agent)
        else:
            waiting = _made(rehearsal, agent, context, question)
        if waiting is not None and _differs(waiting, rehearsal.room.waiting.get(agent)):
            made.append((agent, waiting))
    value = {
        "type": "refresh",
        "at_s": rehearsal.now_s(),
        "why": why,
        "made": [agent for agent, _ in made],
        "inputs": inputs,
        **({"failed": failed} if failed else {}),
    }
    with rehearsal.store.transaction():
        for agent, waiting in made:
            write_candidate(rehearsal, agent, waiting)
        hands = _hands_up(rehearsal, dict(made))
        rehearsal.store.note({**value, **({"hands": hands} if hands else {})}, by="moderator")
        if tuple(hands) != rehearsal.room.hands and rehearsal.room.open is None:
            show_state(rehearsal, "presenting", hands=hands)


def _hands_up(rehearsal: Rehearsal, made: dict[str, Waiting]) -> list[str]:
    """In hand raise, whose candidate may be asked, given the candidates that this refresh made."""
    if rehearsal.options.mode != HAND_RAISE:
        return []
    waiting = {**rehearsal.room.waiting, **made}
    now_s = rehearsal.now_s()
    return [
        agent
        for agent in rehearsal.options.panel
        if agent in waiting and why_stale(rehearsal, waiting[agent], confirmed_at_s=now_s) is None
    ]


def _request(rehearsal: Rehearsal, agent: str) -> CandidateRequest:
    return CandidateRequest(
        rehearsal.seats[agent],
        rehearsal.scene(),
        targets=rehearsal.room.targets.get(agent, ()),
        taken=rehearsal.room.asked_claims,
    )


def _made(rehearsal: Rehearsal, agent: str, context: Context, question: Candidate | None) -> Waiting:
    return Waiting(
        candidate=question if question is not None else _nothing(agent),
        status="ready" if question is not None else "empty",
        made_at_s=rehearsal.now_s(),
        input_sha256=_digest([sha256 for _, _, sha256 in context.receipt.files[:10]]),
        intel_sha256=context.receipt.files[INTEL][2],
    )


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def _nothing(agent: str) -> Candidate:
    return Candidate(agent, "", None, None, None, None, False, (), 0.0, "", "nothing left to ask")


def _as_stale(rehearsal: Rehearsal, agent: str) -> Waiting | None:
    last = rehearsal.room.waiting.get(agent)
    if last is None or last.status != "ready":
        return None
    return Waiting(last.candidate, "stale", last.made_at_s, last.input_sha256, last.intel_sha256)


def _differs(new: Waiting, old: Waiting | None) -> bool:
    """Whether the file must be written; the same question again only confirms it."""
    return old is None or (new.candidate, new.status) != (old.candidate, old.status)


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
    now_s = rehearsal.now_s()
    return Waiting(_nothing(agent), "empty", now_s, _digest([]), _digest([]))


def why_stale(rehearsal: Rehearsal, waiting: Waiting, *, confirmed_at_s: float | None = None) -> str | None:
    """Why this candidate must not be asked any more; None: it may.

    *confirmed_at_s*: when it was last looked at; None: at the room's last refresh.
    """
    room = rehearsal.room
    question = waiting.candidate
    if waiting.status != "ready":
        return f"its status is {waiting.status}"
    if question.claim is not None and _was_asked_about(room, question.claim):
        return "its claim has been asked about"
    if waiting.intel_sha256 != rehearsal.store.state("shared/external-intel.md").sha256:
        return "the intel has changed"
    confirmed_s = room.refreshed_at_s if confirmed_at_s is None else confirmed_at_s
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
    request = NotesRequest(rehearsal.seats[exchange.agent], rehearsal.scene(), exchange)
    context = rehearsal.context(exchange.agent, purpose="notes", request=request)
    try:
        text = rehearsal.engine.reply(request, context)
    except EngineError:
        return None
    finally:
        rehearsal.note_calls()
    if not text.strip():
        return None
    note = render.note(exchange.id, len(exchange.turns), rehearsal.now_s(), text)
    return f"{exchange.agent}/exchange-notes.md", note


def observation(rehearsal: Rehearsal, exchange: Exchange) -> Observation | None:
    """What the panelist noticed about the presenter, if anything. Outside a transaction: it may take long."""
    request = ObservationRequest(rehearsal.seats[exchange.agent], rehearsal.scene(), exchange)
    context = rehearsal.context(exchange.agent, purpose="observation", request=request)
    try:
        return rehearsal.engine.reply(request, context)
    except EngineError:
        return None
    finally:
        rehearsal.note_calls()


def add_observation(rehearsal: Rehearsal, exchange: Exchange, seen: Observation | None) -> None:
    """Put it into the panelist's profile of the presenter."""
    if seen is not None:
        rehearsal.store.append(
            f"{exchange.agent}/presenter-profile.md",
            render.observation(exchange.id, rehearsal.now_s(), seen),
            by=exchange.agent,
            value=tagged("observation", seen),
        )
