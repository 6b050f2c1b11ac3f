"""Closing an exchange, and the last words of a session.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from orchestrator.core import legible
from orchestrator.core.clock import utc_now
from orchestrator.core.errors import InputError, SessionFrozenError, SessionStateError, UsageError
from orchestrator.core.legible import one_line
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import HISTORY, MODERATOR
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.panel import render
from orchestrator.panel.comments import MAX_NAME, Verdicts
from orchestrator.panel.loop import moderator
from orchestrator.panel.loop.moderator import say
from orchestrator.panel.loop.new_figures import new_numbers
from orchestrator.panel.loop.panelist import NO_ANSWER_CAME, add_note
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.loop.state_page import show_state
from orchestrator.panel.model.exchange import (
    NO_ANSWER,
    PERSON_VERDICTS,
    Exchange,
    Persons,
    PersonVerdict,
    Turn,
)
from orchestrator.panel.records.exchanges import AnswerJudged, ExchangeClosed, ProfileAdded, VerdictNoted
from orchestrator.panel.records.projection import that_stand, with_persons

# ---------------------------------------------------------------------- profiling
# The presenter's profile after an exchange: the question, and how it was answered.
#
# No answer, or so many words with the figures that they name, and the verdict's reason where there is a
# verdict. All else that a panelist makes of an answer is in its own words (`panelist.add_noted`).
#
# Source: DESIGN.md, section 7.


MAX_READ: Final = 4000
"""Characters of an answer that are searched for figures: five minutes of speech. The first figures are
named.
"""
MAX_FIGURES: Final = 6
"""Maximum number of figures of one answer that are named: more figures are a table read aloud."""


def add_profile(rehearsal: OpenRehearsal, tx: Draft, done: Exchange) -> None:
    """Write into its panelist's file how a closed exchange was answered."""
    lines = [
        f'{number}. "{one_line(turn.question)}": {answered(turn)}.'
        for number, turn in enumerate(done.turns, start=1)
    ]
    if done.outcome == "parked":
        lines.append("\nThe presenter asked to come back to it.")
    text = f"\n## {done.id}, at {legible.clock(rehearsal.now_s())}: how it was answered\n\n"
    tx.append(
        f"{done.agent}/presenter-profile.md",
        text + "\n".join(lines) + "\n",
        by=done.agent,
        value=ProfileAdded(done.id),
    )


def answered(turn: Turn) -> str:
    """Describe how a question was answered: `an answer of 14 words, with "31.2 million"; gives a source`."""
    answer = one_line(turn.answer or "")
    if not answer:
        return NO_ANSWER
    said = f"an answer of {legible.counted(len(answer.split()), 'word')}"
    figures = dict.fromkeys(
        f"{one.text} {one.noun}" if one.noun else one.text for one in numbers_in(answer[:MAX_READ])
    )
    named = [f'"{one}"' for one in figures][:MAX_FIGURES]
    more = f" and {len(figures) - len(named)} more" if len(figures) > len(named) else ""
    said += f", with {', '.join(named)}{more}" if named else ", without a figure"
    is_judged = turn.reason and turn.verdict not in (None, "unjudged")
    return f"{said}; {(turn.reason or '').rstrip('.')}" if is_judged else said


# ---------------------------------------------------------------------- person judging
# What a person says of an answer: it was given, partly or not. The panel's verdict stays beside it.
#
# While the session goes on it is a record; after the end it is kept beside the session, as comments are.


MAX_NOTE: Final = 1_000
"""Maximum number of characters of a note, a few sentences; a longer text is a comment."""


def judge_as_person(
    rehearsal: OpenRehearsal,
    kept: Verdicts | None,
    exchange: str,
    verdict: str | None,
    *,
    turn: int | None = None,
    note: str = "",
    by: str | None = None,
) -> PersonVerdict:
    """Record a person's verdict, as `Session.judge_as_person` does.

    Args:
        kept: Where the verdict is stored after the session's end. If None, it is not stored, since the
            session is not in a home.
    """
    if verdict is not None and verdict not in PERSON_VERDICTS:
        raise UsageError(f"verdict {verdict[:40]!r}: use {', '.join(PERSON_VERDICTS)}")
    number = _turn(rehearsal, exchange, turn)
    name = one_line(by or "") or one_line(rehearsal.options.presenter)
    words = one_line(note) if verdict is not None else ""
    if len(name) > MAX_NAME or len(words) > MAX_NOTE:
        raise UsageError(f"a name has up to {MAX_NAME} characters, and a note up to {MAX_NOTE}")
    said = _note(rehearsal, AnswerJudged(exchange, number, verdict, name, words))
    if said is None:
        if kept is None:
            raise SessionStateError(
                f"{rehearsal.options.id} has ended and lies outside of a home: judge it where it was held"
            )
        said = PersonVerdict(exchange, number, verdict, name, utc_now(), words)
        kept.add(rehearsal.store.root.name, said)
    return said


def persons_of(rehearsal: OpenRehearsal, kept: Verdicts | None) -> Persons:
    """Return people's verdicts on the answers: those given after the end precede those in the ledger."""
    if kept is None or not rehearsal.projection.ended:
        return rehearsal.projection.judged
    return that_stand(rehearsal.projection.persons, kept.of(rehearsal.store.root.name))


def _note(rehearsal: OpenRehearsal, value: AnswerJudged) -> PersonVerdict | None:
    """Write the verdict into a running session and return it, or return None if the session has ended."""
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


def shown_in_files(rehearsal: OpenRehearsal, said: PersonVerdict) -> PersonVerdict:
    """Return the verdict, without its note if the note quotes what was said off the record."""
    return replace(said, note="") if said.note and rehearsal.is_off_record(said.note) else said


def _turn(rehearsal: OpenRehearsal, exchange: str, turn: int | None) -> int:
    """Return the number of the turn whose answer is to be judged."""
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
    """Return the numbers, from 1, of the turns that got an answer.

    The words that parked a question are not an answer.
    """
    turns = exchange.turns[:-1] if exchange.outcome == "parked" else exchange.turns
    return [number for number, turn in enumerate(turns, start=1) if turn.answer]


# ---------------------------------------------------------------------- resolving


def resolve(
    rehearsal: OpenRehearsal, tx: Draft, exchange: Exchange, outcome: str, *, is_ending: bool = False
) -> Exchange:
    """Write a closed exchange to the files, and return the floor to the presenter.

    If *is_ending*, the session ends with this exchange, and the floor is not returned.
    """
    done = replace(exchange, outcome=outcome)  # without what a person says of it, which is laid over
    judged = {place: shown_in_files(rehearsal, one) for place, one in rehearsal.projection.judged.items()}
    told = with_persons(done, judged)
    surfaced = new_numbers(done, rehearsal.scene(), rehearsal.known_numbers)
    show_state(rehearsal, tx, "resolving", done)
    tx.append(
        "shared/exchange-history.md",
        render.exchange(told, rehearsal.name_of(done.agent), surfaced),
        by=MODERATOR,
        value=ExchangeClosed(done, tuple(surfaced)),
    )
    tx.append("moderator/debrief-notes.md", _debrief_note(rehearsal, told), by=MODERATOR)
    add_profile(rehearsal, tx, done)
    if (unjudged := _note_without_verdict(done)) is not None:
        add_note(rehearsal, tx, done, unjudged)
    if not is_ending:
        _round_off(rehearsal, tx, done)
    show_state(rehearsal, tx, "presenting")
    return done


def _note_without_verdict(done: Exchange) -> str | None:
    """Return a panelist's note on a last turn that nobody judged, or None if a verdict has already made a
    note.
    """
    last = done.turns[-1]
    if last.verdict is not None:
        return None
    if done.outcome == "parked":
        return "- Parked: the presenter asked to come back to it."
    return "- The session ended before the answer was judged." if last.answer else NO_ANSWER_CAME


def _round_off(rehearsal: OpenRehearsal, tx: Draft, done: Exchange) -> None:
    """Say one phrase after an exchange: it is parked, the talk goes on, or the answer is noted."""
    projection = rehearsal.projection
    if done.outcome == "parked":
        occasion = moderator.PARKING
    elif projection.segments and not projection.is_played_out:
        occasion = moderator.TRANSITION
    elif any(turn.answer for turn in done.turns):
        occasion = moderator.ACKNOWLEDGING
    else:
        return
    say(rehearsal, tx, occasion, exchange=done.id, agent=done.agent, slide=projection.slide)


def close(rehearsal: OpenRehearsal, tx: Draft) -> None:
    """Say the closing words, unless they were already said."""
    projection = rehearsal.projection
    if all(said.occasion != moderator.CLOSING for said in projection.said):
        say(rehearsal, tx, moderator.CLOSING)
    show_state(rehearsal, tx, "closing")


def _debrief_note(rehearsal: OpenRehearsal, done: Exchange) -> str:
    last = done.turns[-1]
    about = f"on {render.place(done.slide, done.said_at_s)}" if done.grounded else "on the whole"
    why = f": {one_line(last.reason)}" if last.reason else ""
    if done.person is not None:
        why += f"; {render.said_by(done.person)}"
    left = f". Still open: {one_line('; '.join(done.left_open))}" if done.left_open else ""
    if done.was_left_open:
        left += f". Left open on the way: {one_line('; '.join(done.was_left_open))}"
    return f"- {done.id}, {rehearsal.name_of(done.agent)}, {about}: {done.outcome}{why}{left}\n"
