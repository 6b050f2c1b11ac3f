"""Taking an answer back, or counting it as talk.

One record names what is withdrawn. Files are append-only, so each file that contains something of the answer
gets a line which says that this does not count. Candidate questions made from the answer are replaced by the
earlier ones.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Final

from orchestrator.core import legible
from orchestrator.core.errors import SessionStateError, UsageError
from orchestrator.core.legible import one_line
from orchestrator.core.store.ledger import Record
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import HISTORY, MODERATOR
from orchestrator.material.claims.extract import speech_claims
from orchestrator.material.values import Segment
from orchestrator.panel import render
from orchestrator.panel.loop import contradiction_looks, panelist, transcript, turns
from orchestrator.panel.loop.contradiction_looks import note_none
from orchestrator.panel.loop.moderator import NOTES
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.loop.state_page import show_state
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.model.reply import ANSWER
from orchestrator.panel.records.exchanges import (
    AnswerJudged,
    CallTaken,
    CandidateWritten,
    ExchangeClosed,
    ExchangeOpened,
    FindingNoted,
    FollowedUp,
    LeftOut,
    Looked,
    NoteAdded,
    Observed,
    ProfileAdded,
    RoundMade,
    VerdictGiven,
    VerdictNoted,
)
from orchestrator.panel.records.memory import MemoryProposed, ScratchpadProposed
from orchestrator.panel.records.moderator import LineSaid
from orchestrator.panel.records.projection import TRANSCRIPT, Mark, Projection, words_of
from orchestrator.panel.records.speech import (
    AnswerCorrected,
    AnswerEnds,
    AnswerGiven,
    AnswerHeard,
    AnswerUsed,
    Corrected,
    NoAnswer,
    SpeechHeard,
    is_spoken,
)
from orchestrator.panel.records.taken_back import AnswerTakenBack, ExchangeReopened

# ---------------------------------------------------------------------- correcting
# What was misheard is corrected: a record beside the first, and every reader goes by the new words.
#
# What an engine was asked before stays as it was, as does a verdict, which says beside it what had been
# heard; an answer that nobody has judged yet is judged as corrected.


PRESENTER: Final = "the presenter"


def correct(rehearsal: OpenRehearsal, number: int, text: str, *, who: str = PRESENTER) -> Segment:
    """Correct a segment as `Session.correct` does; the transcript names *who* corrects it."""
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


def _note_in_history(rehearsal: OpenRehearsal, tx: Draft, exchange: str, number: int) -> None:
    """Write into the history, below a closed exchange, what its answer really was."""
    closed = next((one for one in rehearsal.projection.exchanges if one.id == exchange), None)
    if closed is not None:
        at = legible.clock(rehearsal.now_s())
        line = render.corrected_note(at, exchange, number, closed.turns[number - 1].answer or "")
        tx.append(HISTORY, line, by=MODERATOR, value=AnswerCorrected(exchange))


# ---------------------------------------------------------------------- taking back


_COME_OF_IT = (
    RoundMade,
    CandidateWritten,
    CallTaken,
    Looked,
    FindingNoted,
    Observed,
    AnswerUsed,
    MemoryProposed,
    ScratchpadProposed,
)
"""Types of records that name no exchange: any of them written after an answer began may result from it."""
_OF_EXCHANGE = (
    AnswerEnds,
    AnswerHeard,
    NoAnswer,
    VerdictGiven,
    FollowedUp,
    ProfileAdded,
    NoteAdded,
    LeftOut,
)


def take_back(rehearsal: OpenRehearsal, at_s: float | None = None) -> Exchange:
    """Take the last answer back, and return its exchange, whose question is open again.

    The answer's verdict and follow-up are withdrawn too, and so is a question that was asked since and not
    answered.

    Args:
        at_s: The session clock when the presenter took the answer back. If None, now. Words begun before this
            time belong to the withdrawn answer, even if they are recognised later; words begun after it
            answer the question again.

    Raises:
        SessionStateError: No answer can be taken back: none was given, the next question is being answered
            already, or a recording with its answers is being played.
    """
    with rehearsal.store.transaction() as tx:
        projection = rehearsal.projection
        mark = _mark(projection)
        put_s = rehearsal.now_s() if at_s is None else at_s
        fallen = {record.seq: value for value, record, _ in _fallen(projection, mark, put_s)}
        exchange = _exchange(projection, mark)
        _write_lines(rehearsal, tx, exchange, fallen)
        at = legible.clock(rehearsal.now_s())
        line = render.taken_back_line(at, exchange.id, rehearsal.name_of(exchange.agent))
        value = AnswerTakenBack(mark.exchange, mark.turn, tuple(sorted(fallen)), put_s)
        tx.append(TRANSCRIPT, line, by="transcript", value=value)
        _restore_candidates(rehearsal, tx, fallen)
        exchange = _exchange(rehearsal.projection, mark)
        show_state(rehearsal, tx, "answering", exchange)
    return exchange


def give_to_talk(rehearsal: OpenRehearsal, at_s: float | None = None) -> Exchange:
    """Count the last answer's words as talk, and return its exchange, whose question waits again.

    Speech keeps its place. A typed answer, and a correction that names the answer, are withdrawn and written
    again as talk. Everything else that resulted from the answer is withdrawn except contradictions, since the
    words were said.

    Args:
        at_s: The session clock when the presenter said that it was talk. If None, now.

    Raises:
        SessionStateError: As for `take_back`, or the presenter said nothing to the question.
    """
    with rehearsal.store.transaction() as tx:
        projection = rehearsal.projection
        mark = _mark(projection)
        since_s = rehearsal.now_s() if at_s is None else at_s
        found = list(_fallen(projection, mark, inf))
        talk = [record.seq for value, record, _ in found if value is None or isinstance(value, SpeechHeard)]
        typed = [  # without the label of an answer, as what is typed of the talk
            replace(projection.segments[number - 1], speaker=None)
            for value, _, number in found
            if isinstance(value, AnswerGiven)
        ]
        if not talk and not typed:
            raise SessionStateError("nothing was said to this question", value=mark.exchange)
        fallen = {record.seq: value for value, record, _ in found if not _stays(value)}
        corrected = [
            value
            for value in fallen.values()
            if isinstance(value, Corrected) and value.number not in projection.answers_given
        ]
        exchange = _exchange(projection, mark)
        _write_lines(rehearsal, tx, exchange, fallen)
        at = legible.clock(rehearsal.now_s())
        line = render.talk_line(at, exchange.id, rehearsal.name_of(exchange.agent))
        value = AnswerTakenBack(mark.exchange, mark.turn, tuple(sorted(fallen)), since_s, tuple(talk))
        tx.append(TRANSCRIPT, line, by="transcript", value=value)
        for segment in typed:
            transcript.add_segment(rehearsal, segment, tx=tx)
        for one in corrected:
            line = render.correction_line(one.segment, one.number, one.was, one.who)
            of_talk = replace(one, exchange=None, turn=0, answer="")
            tx.append(TRANSCRIPT, line, by="transcript", value=of_talk)
        _restore_candidates(rehearsal, tx, fallen)
        exchange = _exchange(rehearsal.projection, mark)
        show_state(rehearsal, tx, "presenting")
    return exchange


def _mark(projection: Projection) -> Mark:
    """Return the question whose answer can be taken back.

    Raises:
        SessionStateError: No answer can be taken back.
    """
    playback = projection.playback
    if playback is not None and playback.kind == "run":
        raise SessionStateError("the answers of a recording that is played stand: none is taken back")
    mark = turns.withdrawable(projection)
    if mark is None or projection.state == "closing":
        raise SessionStateError(
            "there is no answer to take back: none was given, or the next question is being answered"
        )
    return mark


def _exchange(projection: Projection, mark: Mark) -> Exchange:
    return next(one for one in projection.asked if one.id == mark.exchange)


def _stays(value: object) -> bool:
    """Return whether a record stays valid when the words that were taken for an answer count as talk."""
    if isinstance(value, Corrected):
        return value.exchange is None
    return value is None or isinstance(value, SpeechHeard | Looked | FindingNoted)


def _fallen(projection: Projection, mark: Mark, put_s: float) -> Iterator[tuple[object, Record, int]]:
    """Yield the records since the question that are withdrawn with its answer, each with its number of
    segments.
    """
    journal = projection.journal[mark.at :]
    opened = [value.exchange.id for value, _ in journal if isinstance(value, ExchangeOpened)]
    exchanges, has_begun, is_waiting = {mark.exchange, *opened}, False, True
    number, numbers = len(mark.before.segments), set[int]()  # of segments: the last, and those that fall
    for value, record in journal:
        number += is_spoken(record)
        if record.seq in projection.withdrawn_records:
            continue
        falls = False
        match value:
            case SpeechHeard() if not projection.may_answer(value.segment.speaker):
                falls = False  # another's words are no answer
            case SpeechHeard(part=None):  # of an earlier release: all that was said while the question waited
                falls = is_waiting
            case SpeechHeard():
                is_new = record.clock_s > put_s and value.is_begun_since(put_s)
                falls = value.part == ANSWER and not is_new
            case None:  # text that another program added to the transcript
                falls = is_waiting and record.file == TRANSCRIPT
            case AnswerGiven():
                falls = value.exchange in exchanges
            case Corrected():
                falls = value.number in numbers
            case ExchangeOpened() | ExchangeClosed():
                falls = value.exchange.id in exchanges
            case LineSaid():
                falls = value.said.exchange in exchanges
            case AnswerJudged() | VerdictNoted():  # of an earlier answer it stands, whenever it was said
                is_earlier = value.exchange == mark.exchange and value.turn < mark.turn
                falls = value.exchange in exchanges and not is_earlier
            case _ if isinstance(value, _OF_EXCHANGE):
                falls = value.exchange in exchanges
            case _ if isinstance(value, _COME_OF_IT):
                falls = has_begun
        if isinstance(value, AnswerGiven | AnswerHeard | NoAnswer | ExchangeClosed):
            is_waiting = False
        has_begun = has_begun or falls
        if falls and is_spoken(record):
            numbers.add(number)
        if falls:
            yield value, record, number


def _write_lines(rehearsal: OpenRehearsal, tx: Draft, exchange: Exchange, fallen: dict[int, object]) -> None:
    """Write into each file that contains something of the answer that it does not count."""
    at = legible.clock(rehearsal.now_s())
    values = list(fallen.values())
    note = render.taken_back_note(at, exchange.id)
    for value in values:
        match value:
            case ExchangeClosed(exchange=closed):
                line = render.taken_back_note(at, closed.id)
                tx.append(HISTORY, line, by=MODERATOR, value=ExchangeReopened(closed.id))
                tx.append(NOTES, line, by=MODERATOR)
    found = dict.fromkeys(one.tension for one in values if isinstance(one, FindingNoted))
    note_none(rehearsal, tx, list(found), "its words were taken back")
    if any(isinstance(one, NoteAdded | VerdictGiven) for one in values):
        tx.append(f"{exchange.agent}/exchange-notes.md", note, by=exchange.agent)
    if any(isinstance(one, ProfileAdded | Observed) for one in values):
        tx.append(f"{exchange.agent}/presenter-profile.md", note, by=exchange.agent)


def _restore_candidates(rehearsal: OpenRehearsal, tx: Draft, fallen: dict[int, object]) -> None:
    """Write again the candidate questions that preceded the withdrawn ones."""
    written = [one.waiting.candidate.agent for one in fallen.values() if isinstance(one, CandidateWritten)]
    for agent in dict.fromkeys(written):
        waiting = rehearsal.projection.waiting.get(agent) or panelist.empty_candidate(rehearsal, agent)
        panelist.write_candidate(rehearsal, tx, agent, waiting)
