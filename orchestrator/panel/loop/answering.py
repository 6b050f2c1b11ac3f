"""What becomes of the presenter's words while a question is open: an answer, silence, or a wish to park it.

Each is one transaction that begins from the projection.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from typing import Final

from orchestrator.core.errors import SessionStateError
from orchestrator.core.legible import one_line
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import MODERATOR
from orchestrator.material.claims.extract import speech_claims
from orchestrator.material.model.segment import WORDS_PER_MINUTE, Segment
from orchestrator.material.speech.parking import wish_to_park
from orchestrator.panel import render
from orchestrator.panel.loop import turns
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.loop.resolving import resolve
from orchestrator.panel.loop.state_page import show_state
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.records.exchanges import AnswerJudged
from orchestrator.panel.records.projection import TRANSCRIPT
from orchestrator.panel.records.speech import (
    AnswerEnds,
    AnswerGiven,
    AnswerHeard,
    AnswerUsed,
    NoAnswer,
)
from orchestrator.panel.records.turns import with_answer, with_wish

WISHED: Final = "the presenter asked to come back to it"


def take_answer(
    rehearsal: Rehearsal,
    text: str | None,
    *,
    used: int | None = None,
    parks: bool = False,
    verdict: str | None = None,
) -> Exchange:
    """Put the answer into the transcript, stamped with the moment of the session clock; returns its exchange.

    Its words count at 150 a minute for the exchange where the session clock does not run, and what was heard
    of the answer before them is part of it. None: nothing is added to what was heard; without that there was
    no answer. Where the words ask to come back to the question, or *parks* says so, the exchange is parked
    and not judged. *verdict* is what the presenter says of the answer.
    """
    words = one_line(text or "")
    wish = wish_to_park(words)
    is_parked = parks or wish is not None
    with rehearsal.store.transaction() as tx:
        answered = exchange = _unanswered(rehearsal)
        if not words and not is_parked and rehearsal.projection.has_words:
            return write_heard(rehearsal, tx, exchange)
        if words:
            answered = _add_answer(rehearsal, tx, exchange, words, used)
            if verdict is not None and not is_parked:
                said = AnswerJudged(
                    exchange.id, len(exchange.turns), verdict, one_line(rehearsal.options.presenter)
                )
                tx.note(said, by=MODERATOR)
        elif not is_parked:
            tx.note(NoAnswer(exchange.id), by="transcript")
            answered = with_answer(exchange, "")
        elif used is not None:
            tx.note(AnswerUsed(used), by="transcript")
        if is_parked:
            return _park(rehearsal, tx, answered, wish)
        show_state(rehearsal, tx, "judging", exchange)
    return answered


def _unanswered(rehearsal: Rehearsal) -> Exchange:
    """The exchange whose last question waits for its answer. Call inside a transaction: others answer too.

    Raises:
        SessionStateError: None is open, or it was answered already.
    """
    exchange = still_open(rehearsal)
    if exchange.turns[-1].answer is not None:
        raise SessionStateError(
            "this question has been answered, in words that were not judged yet: "
            f"`greenroom answer {rehearsal.options.id} ''` asks for the verdict on them",
            value=exchange.id,
        )
    return exchange


def _add_answer(
    rehearsal: Rehearsal, tx: Draft, exchange: Exchange, words: str, used: int | None
) -> Exchange:
    """Write an answer down; returns the exchange with it."""
    now_s = rehearsal.now_s()
    lasts_s = round(len(words.split()) * 60 / WORDS_PER_MINUTE, 3)
    segment = Segment(
        words,
        now_s,
        round(now_s + lasts_s, 3),
        rehearsal.projection.presenter or rehearsal.options.presenter,
        rehearsal.projection.slide,
        times_estimated=True,
    )
    index = len(rehearsal.projection.segments) + 1
    joins = bool(rehearsal.projection.heard)
    heard = heard_words(rehearsal)
    claims = speech_claims(segment, index)
    value = AnswerGiven(exchange.id, len(exchange.turns), segment, claims, used, joins)
    line = render.answer_line(segment, exchange.id, rehearsal.name_of(exchange.agent))
    tx.append(TRANSCRIPT, line, by="transcript", value=value)
    return with_answer(exchange, f"{heard} {words}".strip(), rehearsal.projection.spent_on(segment))


def heard_words(rehearsal: Rehearsal) -> str:
    """What was said of the answer to the open question so far."""
    return " ".join(segment.text for segment in rehearsal.projection.heard if segment.text)


def end_answer(rehearsal: Rehearsal) -> None:
    """Have what is begun from now on be part of the talk, while words of the answer are on their way."""
    with rehearsal.store.transaction() as tx:
        if turns.is_waiting(rehearsal.projection):
            exchange = still_open(rehearsal)
            tx.note(AnswerEnds(exchange.id, rehearsal.now_s()), by="transcript")


def take_heard(rehearsal: Rehearsal) -> Exchange:
    """What the presenter said since the question, already in the transcript, is the answer; its exchange.

    Where it asks to come back to the question, the exchange is parked and not judged.

    Raises:
        SessionStateError: No question is open, it was answered already, or nothing was said to it.
    """
    with rehearsal.store.transaction() as tx:
        exchange = _unanswered(rehearsal)
        if rehearsal.projection.has_words:
            return write_heard(rehearsal, tx, exchange)
        if rehearsal.projection.ends_at_s is not None:
            tx.note(AnswerEnds(exchange.id, None), by="transcript")
    raise SessionStateError(
        "nothing was said to this question yet: what was begun before it was put is part of the talk; "
        "answer it, or come back to it later",
        value=exchange.id,
    )


def write_heard(rehearsal: Rehearsal, tx: Draft, exchange: Exchange) -> Exchange:
    """As `take_heard`, within a transaction; returns the exchange with the answer, parked or not."""
    answered = note_heard(rehearsal, tx, exchange)
    wish = wish_to_park(answered.turns[-1].answer or "")
    if wish is not None:
        return _park(rehearsal, tx, answered, wish)
    show_state(rehearsal, tx, "judging", exchange)
    return answered


def note_heard(rehearsal: Rehearsal, tx: Draft, exchange: Exchange) -> Exchange:
    """Record that what was heard is the answer; returns the exchange with it."""
    text = heard_words(rehearsal)
    tx.note(AnswerHeard(exchange.id, text), by="transcript")
    return with_answer(exchange, text)


def park(rehearsal: Rehearsal) -> Exchange:
    """Close the open exchange at the presenter's wish to come back to it; what was said stays its answer."""
    with rehearsal.store.transaction() as tx:
        exchange = still_open(rehearsal)
        if exchange.turns[-1].answer is None and rehearsal.projection.has_words:
            exchange = note_heard(rehearsal, tx, exchange)
        return _park(rehearsal, tx, exchange, None)


def _park(rehearsal: Rehearsal, tx: Draft, exchange: Exchange, wish: str | None) -> Exchange:
    """The wish stands with the question it was about, and no verdict: parking is no failing."""
    return resolve(rehearsal, tx, with_wish(exchange, WISHED, wish), "parked")


def still_open(rehearsal: Rehearsal) -> Exchange:
    """The exchange that is open, and whose question did not give way to the talk.

    Raises:
        SessionStateError: None is.
    """
    if rehearsal.projection.asking is None:
        raise SessionStateError("no question is open: call on somebody with `greenroom ask`")
    return rehearsal.projection.asking
