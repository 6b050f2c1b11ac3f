"""What a panelist does: its focus brief, its candidate question's file, its notes and observations."""

from __future__ import annotations

from typing import Final

from orchestrator.core.errors import EngineError
from orchestrator.core.store.transaction import Draft
from orchestrator.panel import render
from orchestrator.panel.engines.by_name import stand_in
from orchestrator.panel.engines.protocol import FocusBriefRequest
from orchestrator.panel.engines.together import ask
from orchestrator.panel.loop.candidate_requests import candidate_path
from orchestrator.panel.loop.digests import digest
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.model.exchange import (
    Candidate,
    Exchange,
    Judgement,
    Target,
)
from orchestrator.panel.records.candidates import CandidateWritten
from orchestrator.panel.records.exchanges import LeftOut, NoteAdded, Observed
from orchestrator.panel.records.projection import Waiting
from orchestrator.panel.records.start import FocusBriefWritten
from orchestrator.panel.records.turns import with_verdict

NO_ANSWER_CAME: Final = "- No answer was given."


def write_focus_briefs(rehearsal: Rehearsal, tx: Draft) -> None:
    """Each panelist's targets, in the order of the seats; no line twice.

    Where the engine fails, the question bank chooses in its place, and the record says so.
    """
    taken: set[str] = set()
    panel = rehearsal.options.panel
    for number, agent in enumerate(panel, start=1):
        others = tuple(rehearsal.seats[one] for one in panel[number:])
        scene = rehearsal.scene()
        request = FocusBriefRequest(
            rehearsal.seats[agent], scene, frozenset(taken), others, rehearsal.projection.likely
        )
        context = rehearsal.context(agent, purpose="focus-brief", request=request)
        failed, by = None, None
        try:
            targets: tuple[Target, ...] = ask(rehearsal.engine, request, context)
        except EngineError as error:
            bank = stand_in()
            targets = bank.reply(request, context)
            failed, by = str(error), bank.name
        rehearsal.note_calls(tx)
        path = f"{agent}/focus-brief.md"
        heading = tx.read(path)
        tx.write(
            path,
            render.focus_brief(heading, targets) + render.findings(scene.tensions),
            by=agent,
            value=FocusBriefWritten(targets, failed, by),
        )
        taken.update(target.claim for target in targets if target.claim is not None)
        taken.update(target.quote for target in targets if not target.is_missing)


def no_question(agent: str) -> Candidate:
    """What stands for a question where there is none."""
    return Candidate(agent, "", None, None, None, None, False, (), 0.0, "", "nothing left to ask")


def write_candidate(rehearsal: Rehearsal, tx: Draft, agent: str, waiting: Waiting) -> None:
    """Put a candidate question into its file."""
    heading = f"# Candidate question of {rehearsal.name_of(agent)}"
    question = None if waiting.status == "empty" else waiting.candidate
    tx.write(
        candidate_path(agent),
        render.candidate(
            heading,
            question,
            waiting.status,
            waiting.made_at_s,
            waiting.input_sha256,
            confirmed_at_s=waiting.confirmed_at_s,
        ),
        by=agent,
        value=CandidateWritten(waiting),
    )


def empty_candidate(rehearsal: Rehearsal, agent: str) -> Waiting:
    """What stands in the file once its question is being asked."""
    nothing = digest(())
    return Waiting(no_question(agent), "empty", rehearsal.now_s(), nothing, nothing)


def add_noted(rehearsal: Rehearsal, tx: Draft, exchange: Exchange, judgement: Judgement) -> None:
    """Put what a judgement notes, and what it noticed of the presenter, into the panelist's files.

    Where it notes nothing (silence, a verdict of a loop of one's own, a call that failed), what came of the
    turn is the note.
    """
    agent, now_s = exchange.agent, rehearsal.now_s()
    note = judgement.note
    if not note.strip():
        turn = with_verdict(exchange, judgement).turns[-1]
        note = f"- {_capital(render.verdict(turn, is_last=False))}" if turn.answer else NO_ANSWER_CAME
    add_note(rehearsal, tx, exchange, note)
    if judgement.noticed is not None:
        tx.append(
            f"{agent}/presenter-profile.md",
            render.observation(exchange.id, now_s, judgement.noticed),
            by=agent,
            value=Observed(judgement.noticed),
        )


def add_note(rehearsal: Rehearsal, tx: Draft, exchange: Exchange, note: str) -> None:
    """Put a note on the exchange's last turn into its panelist's file."""
    tx.append(
        f"{exchange.agent}/exchange-notes.md",
        render.note(exchange.id, len(exchange.turns), rehearsal.now_s(), note),
        by=exchange.agent,
        value=NoteAdded(exchange.id),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def left_out(rehearsal: Rehearsal, exchange: Exchange, why: str) -> None:
    """Record that a judgement was wanted and did not come."""
    rehearsal.store.note(LeftOut("judgement", exchange.id, why), by=exchange.agent)
