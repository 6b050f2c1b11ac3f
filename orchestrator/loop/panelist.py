"""What a panelist does: its focus brief, its candidate question's file, its notes and observations."""

from __future__ import annotations

import hashlib
from typing import Any

from orchestrator import render
from orchestrator.engines.catalogue import engine_named
from orchestrator.engines.protocol import FocusBriefRequest
from orchestrator.errors import EngineError
from orchestrator.loop.rehearsal import OFFLINE, Rehearsal
from orchestrator.loop.state import Room, Waiting
from orchestrator.model.exchange import Candidate, Exchange, Judgement, Target
from orchestrator.model.values import tagged, to_json

Side = tuple[int | None, float | None, str]
"""One quote: its slide, when it was said, and its words."""


def write_focus_briefs(rehearsal: Rehearsal) -> None:
    """Each panelist's targets, in the order of the seats; no line twice.

    Where the engine fails, the offline one chooses in its place, and the record says so.
    """
    taken: set[str] = set()
    panel = rehearsal.options.panel
    for number, agent in enumerate(panel, start=1):
        others = tuple(rehearsal.seats[one] for one in panel[number:])
        scene = rehearsal.scene()
        request = FocusBriefRequest(
            rehearsal.seats[agent], scene, frozenset(taken), others, members=scene.members
        )
        context = rehearsal.context(agent, purpose="focus-brief", request=request)
        more: dict[str, Any] = {}
        try:
            targets: tuple[Target, ...] = rehearsal.engine.reply(request, context)
        except EngineError as error:
            targets = engine_named(OFFLINE).reply(request, context)
            more = {"failed": str(error), "by": OFFLINE}
        rehearsal.note_calls()
        path = f"{agent}/focus-brief.md"
        heading = rehearsal.store.content(path)
        rehearsal.store.write(
            path,
            render.focus_brief(heading, targets) + render.findings(scene.tensions),
            by=agent,
            value={"type": "focus_brief", "targets": to_json(targets), **more},
        )
        taken.update(target.claim for target in targets if target.claim is not None)
        taken.update(target.quote for target in targets if not target.is_missing)


def no_question(agent: str) -> Candidate:
    """What stands for a question where there is none."""
    return Candidate(agent, "", None, None, None, None, False, (), 0.0, "", "nothing left to ask")


def write_candidate(rehearsal: Rehearsal, agent: str, waiting: Waiting) -> None:
    """Put a candidate question into its file."""
    heading = f"# Candidate question of {rehearsal.name_of(agent)}"
    question = None if waiting.status == "empty" else waiting.candidate
    rehearsal.store.write(
        f"{agent}/candidate-question.md",
        render.candidate(
            heading,
            question,
            waiting.status,
            waiting.made_at_s,
            waiting.input_sha256,
            confirmed_at_s=waiting.confirmed_at_s,
        ),
        by=agent,
        value={"type": "candidate", "waiting": to_json(waiting)},
    )


def empty_candidate(rehearsal: Rehearsal, agent: str) -> Waiting:
    """What stands in the file once its question is being asked."""
    nothing = hashlib.sha256(b"").hexdigest()
    return Waiting(no_question(agent), "empty", rehearsal.now_s(), nothing, nothing)


def why_stale(rehearsal: Rehearsal, waiting: Waiting, *, confirmed_at_s: float | None = None) -> str | None:
    """Why this candidate must not be asked any more; None: it may.

    Whether the presenter has spoken to it since is not for code to read: who made the question
    says so when it is next asked for one.

    *confirmed_at_s*: when it was last confirmed; None: as the room has it.
    """
    room = rehearsal.room
    question = waiting.candidate
    if waiting.status != "ready":
        return f"its status is {waiting.status}"
    if (asked := was_asked(room, question)) is not None:
        return asked
    if waiting.intel_sha256 != rehearsal.store.state("shared/external-intel.md").sha256:
        return "the intel has changed"
    confirmed_s = room.confirmed_s.get(question.agent, 0.0) if confirmed_at_s is None else confirmed_at_s
    if rehearsal.now_s() - max(waiting.made_at_s, confirmed_s) > rehearsal.rules.timers_s.stale:
        return f"it is older than {rehearsal.rules.timers_s.stale:g} s"
    return None


def was_asked(room: Room, question: Candidate) -> str | None:
    """Why somebody has asked this already: its claim or quote, or both its quotes; without one, its words."""
    if question.beside is not None:
        pair = _sides(question)
        return "its two quotes have been asked about" if pair in map(_sides, room.asked) else None
    if question.claim is not None and question.claim in room.asked_claims:
        return "its claim has been asked about"
    if question.quote is None or question.is_missing:
        return "it has been asked" if question.question in room.asked_questions else None
    return "its words have been asked about" if _sides(question) & _asked_sides(room) else None


def _asked_sides(room: Room) -> frozenset[Side]:
    """All that was quoted above a question; the title of a slide that leaves something out is not."""
    return frozenset(side for one in room.asked if not one.is_missing for side in _sides(one))


def _sides(asked: Candidate | Exchange) -> frozenset[Side]:
    """What is quoted: on which slide, when it was said, and the words, whatever their spacing and case."""
    sides = [(asked.slide, asked.said_at_s, asked.quote or "")]
    if asked.beside is not None:
        sides.append((asked.beside.slide, asked.beside.said_at_s, asked.beside.quote))
    return frozenset((slide, at_s, " ".join(quote.casefold().split())) for slide, at_s, quote in sides)


def add_noted(rehearsal: Rehearsal, exchange: Exchange, judgement: Judgement) -> None:
    """Put what a judgement notes, and what it noticed of the presenter, into the panelist's files."""
    agent, now_s = exchange.agent, rehearsal.now_s()
    if judgement.note.strip():
        rehearsal.store.append(
            f"{agent}/exchange-notes.md",
            render.note(exchange.id, len(exchange.turns), now_s, judgement.note),
            by=agent,
            value={"type": "notes", "exchange": exchange.id},
        )
    if judgement.noticed is not None:
        rehearsal.store.append(
            f"{agent}/presenter-profile.md",
            render.observation(exchange.id, now_s, judgement.noticed),
            by=agent,
            value=tagged("observation", judgement.noticed),
        )


def left_out(rehearsal: Rehearsal, exchange: Exchange, why: str) -> None:
    """Record that a judgement was wanted and did not come."""
    value = {"type": "left_out", "what": "judgement", "exchange": exchange.id, "why": why}
    rehearsal.store.note(value, by=exchange.agent)
