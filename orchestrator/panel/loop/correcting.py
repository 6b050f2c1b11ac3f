"""What was misheard is corrected: a record beside the first, and every reader goes by the new words.

What an engine was asked before stays as it was, as does a verdict, which says beside it what had been heard;
an answer that nobody has judged yet is judged as corrected.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from orchestrator.core import legible
from orchestrator.core.errors import SessionStateError, UsageError
from orchestrator.core.legible import one_line
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import HISTORY, MODERATOR
from orchestrator.material.claims.extract import speech_claims
from orchestrator.material.model.segment import Segment
from orchestrator.panel import render
from orchestrator.panel.loop import contradiction_looks
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.records.corrections import AnswerCorrected, Corrected
from orchestrator.panel.records.projection import TRANSCRIPT
from orchestrator.panel.records.turns import words_of

PRESENTER: Final = "the presenter"


def correct(rehearsal: Rehearsal, number: int, text: str, *, who: str = PRESENTER) -> Segment:
    """As `Session.correct`; *who* corrects it stands in the transcript."""
    words = one_line(text)
    with rehearsal.store.transaction() as tx:
        segments = rehearsal.projection.segments
        if not 1 <= number <= len(segments):
            there = f"there are 1 to {len(segments)}" if segments else "nothing was said yet"
            raise UsageError(f"there is no segment {number}: {there}")
        if number in rehearsal.projection.withdrawn:
            raise SessionStateError(f"segment {number} was taken back as an answer: its words count nowhere")
        before = segments[number - 1]
        if before.text == words and before.doubt is None:
            return before
        heard = before.text if before.misheard is None else before.misheard
        now = replace(
            before, text=words, confidence=None, doubt=None, misheard=heard if heard != words else None
        )
        is_judged_alone = number in rehearsal.projection.answers_given  # its claims are nobody's to ask about
        claims = () if is_judged_alone else speech_claims(now, number)
        found = () if is_judged_alone else contradiction_looks.tensions_in(rehearsal, now)
        exchange, turn, pieces = rehearsal.projection.answer_of(before)
        value = Corrected(
            number=number,
            segment=now,
            was=before.text,
            who=who,
            claims=claims,
            tensions=found,
            exchange=exchange,
            turn=turn,
            answer=words_of(now if one is before else one for one in pieces),
            # Whoever may not hear the first words is not to be told them by what puts them right.
            sensitive=rehearsal.is_off_record(before.text),
        )
        stood = rehearsal.projection.tensions
        line = render.correction_line(now, number, before.text, who)
        tx.append(TRANSCRIPT, line, by="transcript", value=value)
        if exchange is not None and before.text != words:
            _note_in_history(rehearsal, tx, exchange, turn)
        stand = rehearsal.projection.tensions
        contradiction_looks.note_tensions(rehearsal, tx, [one for one in stand if one not in stood])
        contradiction_looks.note_none(
            rehearsal, tx, [one for one in stood if one not in stand], "its words were misheard"
        )
        return now


def _note_in_history(rehearsal: Rehearsal, tx: Draft, exchange: str, number: int) -> None:
    """Say below an exchange that is closed, and so stands there, what its answer really was."""
    closed = next((one for one in rehearsal.projection.exchanges if one.id == exchange), None)
    if closed is not None:
        at = legible.clock(rehearsal.now_s())
        line = render.corrected_note(at, exchange, number, closed.turns[number - 1].answer or "")
        tx.append(HISTORY, line, by=MODERATOR, value=AnswerCorrected(exchange))
