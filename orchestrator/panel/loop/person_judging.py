"""What a person says of an answer: it was given, partly or not. The panel's verdict stays beside it.

While the session goes on it is a record; after the end it is kept beside the session, as comments are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from orchestrator.core import legible
from orchestrator.core.clock import utc_now
from orchestrator.core.errors import (
    InputError,
    SessionFrozenError,
    SessionStateError,
    UsageError,
)
from orchestrator.core.legible import one_line
from orchestrator.core.table import HISTORY, MODERATOR
from orchestrator.panel import render
from orchestrator.panel.comments import LONGEST_NAME, Verdicts
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.model.exchange import (
    PERSON_VERDICTS,
    Exchange,
    Persons,
    PersonVerdict,
)
from orchestrator.panel.records.exchanges import AnswerJudged, VerdictNoted
from orchestrator.panel.records.turns import that_stand

LONGEST_NOTE: Final = 1_000
"""Characters of a note: a few sentences; what is longer is a comment."""


def judge_as_person(
    rehearsal: Rehearsal,
    kept: Verdicts | None,
    exchange: str,
    verdict: str | None,
    *,
    turn: int | None = None,
    note: str = "",
    by: str | None = None,
) -> PersonVerdict:
    """As `Session.judge_as_person`.

    Args:
        kept: Where it is kept after the end; None: nowhere, the session is no home's.
    """
    if verdict is not None and verdict not in PERSON_VERDICTS:
        raise UsageError(f"verdict {verdict[:40]!r}: use {', '.join(PERSON_VERDICTS)}")
    number = _turn(rehearsal, exchange, turn)
    name = one_line(by or "") or one_line(rehearsal.options.presenter)
    words = one_line(note) if verdict is not None else ""
    if len(name) > LONGEST_NAME or len(words) > LONGEST_NOTE:
        raise UsageError(f"a name has up to {LONGEST_NAME} characters, and a note up to {LONGEST_NOTE}")
    said = _note(rehearsal, AnswerJudged(exchange, number, verdict, name, words))
    if said is None:
        if kept is None:
            raise SessionStateError(
                f"{rehearsal.options.id} has ended and lies outside of a home: judge it where it was held"
            )
        said = PersonVerdict(exchange, number, verdict, name, utc_now(), words)
        kept.add(rehearsal.store.root.name, said)
    return said


def persons_of(rehearsal: Rehearsal, kept: Verdicts | None) -> Persons:
    """What people say of the answers: what was said after the end before what stands in the ledger."""
    if kept is None or not rehearsal.projection.ended:
        return rehearsal.projection.judged
    return that_stand(rehearsal.projection.persons, kept.of(rehearsal.store.root.name))


def _note(rehearsal: Rehearsal, value: AnswerJudged) -> PersonVerdict | None:
    """Write it into a session that goes on; None: the session has ended."""
    if rehearsal.projection.ended:
        return None
    try:
        with rehearsal.store.transaction() as tx:
            tx.note(value, by=MODERATOR)
            said = rehearsal.projection.persons[value.exchange, value.turn]
            if any(one.id == value.exchange for one in rehearsal.projection.exchanges):
                # It stands in the history already, which every agent is given.
                line = render.judged_note(legible.clock(rehearsal.now_s()), shown_in_files(rehearsal, said))
                tx.append(HISTORY, line, by=MODERATOR, value=VerdictNoted(value.exchange, value.turn))
            return said
    except SessionFrozenError:  # it has ended in this very moment
        return None


def shown_in_files(rehearsal: Rehearsal, said: PersonVerdict) -> PersonVerdict:
    """The verdict without a note that quotes what was said off the record."""
    return replace(said, note="") if said.note and rehearsal.is_off_record(said.note) else said


def _turn(rehearsal: Rehearsal, exchange: str, turn: int | None) -> int:
    """The number of the turn whose answer is meant."""
    asked = {one.id: one for one in rehearsal.projection.asked}
    if exchange not in asked:
        there = f"there are {', '.join(asked)}" if asked else "none was asked"
        raise InputError(f"there is no exchange {exchange[:40]!r}: {there}", value=exchange[:40])
    answered = _answered(asked[exchange])
    if not answered and asked[exchange].outcome == "parked":
        again = next((one.id for one in asked.values() if one.comes_back_to == exchange), None)
        what = f"it was put again as {again}: judge that" if again else "nobody has answered it yet"
        raise InputError(f"{exchange} was parked, so there is nothing to judge: {what}", value=exchange)
    if not answered:
        raise InputError(f"{exchange} got no answer: there is nothing to judge", value=exchange)
    if turn is not None and turn not in answered:
        which = " and ".join(map(str, answered))
        raise InputError(f"{exchange} has no answer {turn}: there is one to turn {which}", value=str(turn))
    return turn or answered[-1]


def _answered(exchange: Exchange) -> list[int]:
    """The turns, from 1, that got an answer; what was said when a question was parked is none."""
    turns = exchange.turns[:-1] if exchange.outcome == "parked" else exchange.turns
    return [number for number, turn in enumerate(turns, start=1) if turn.answer]
