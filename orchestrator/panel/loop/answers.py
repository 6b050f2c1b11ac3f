"""Taking the presenter's answers, judging them, and acting on the verdict.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final

from orchestrator.core.errors import EngineError, SessionStateError, UsageError
from orchestrator.core.legible import one_line
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import MODERATOR
from orchestrator.material.claims.extract import speech_claims
from orchestrator.material.values import WORDS_PER_MINUTE, Segment
from orchestrator.panel import render
from orchestrator.panel.answers import wish_to_park
from orchestrator.panel.engines import together
from orchestrator.panel.engines.offline.judging import question_again
from orchestrator.panel.engines.protocol import JudgementRequest
from orchestrator.panel.loop import moderator, panelist, turns
from orchestrator.panel.loop.moderator import bare_of, say
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.loop.resolving import resolve
from orchestrator.panel.loop.state_page import show_state
from orchestrator.panel.model.exchange import NO_JUDGEMENT, VERDICTS, Exchange, Judgement, Turn
from orchestrator.panel.records.exchanges import AnswerJudged, FollowedUp, VerdictGiven
from orchestrator.panel.records.projection import (
    TRANSCRIPT,
    with_answer,
    with_question,
    with_verdict,
    with_wish,
)
from orchestrator.panel.records.speech import AnswerEnds, AnswerGiven, AnswerHeard, AnswerUsed, NoAnswer

# ---------------------------------------------------------------------- answering
# What becomes of the presenter's words while a question is open: an answer, silence, or a wish to park it.
#
# Each is one transaction that begins from the projection.
#
# Source: DESIGN.md, section 7.


WISHED: Final = "the presenter asked to come back to it"


def take_answer(
    rehearsal: OpenRehearsal,
    text: str | None,
    *,
    used: int | None = None,
    parks: bool = False,
    verdict: str | None = None,
) -> Exchange:
    """Add the answer to the transcript, stamped with the session clock, and return its exchange.

    Where the session clock does not run, the words count at 150 a minute. Speech of the answer that was
    recognised before these words is part of it. If *text* is None, that speech alone is the answer; without
    any, the answer is empty. If the words ask to come back to the question, or *parks* is set, the exchange
    is parked and not judged. *verdict* is the presenter's own verdict on the answer.
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


def _unanswered(rehearsal: OpenRehearsal) -> Exchange:
    """Return the exchange whose last question waits for its answer.

    Call this inside a transaction, since other processes may answer too.

    Raises:
        SessionStateError: No question is open, or it was answered already.
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
    rehearsal: OpenRehearsal, tx: Draft, exchange: Exchange, words: str, used: int | None
) -> Exchange:
    """Write an answer to the files, and return the exchange with it."""
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


def heard_words(rehearsal: OpenRehearsal) -> str:
    """Return the words recognised so far of the answer to the open question."""
    return " ".join(segment.text for segment in rehearsal.projection.heard if segment.text)


def end_answer(rehearsal: OpenRehearsal) -> None:
    """End the answer: words begun from now on are talk; words begun before still belong to the answer."""
    with rehearsal.store.transaction() as tx:
        if turns.is_waiting(rehearsal.projection):
            exchange = still_open(rehearsal)
            tx.note(AnswerEnds(exchange.id, rehearsal.now_s()), by="transcript")


def take_heard(rehearsal: OpenRehearsal) -> Exchange:
    """Take the presenter's words since the question as the answer, and return its exchange.

    The words are already in the transcript. If they ask to come back to the question, the exchange is parked
    and not judged.

    Raises:
        SessionStateError: No question is open, it was answered already, or the presenter said nothing since
            it was asked.
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


def write_heard(rehearsal: OpenRehearsal, tx: Draft, exchange: Exchange) -> Exchange:
    """Do the work of `take_heard` within a transaction; return the exchange with its answer."""
    answered = note_heard(rehearsal, tx, exchange)
    wish = wish_to_park(answered.turns[-1].answer or "")
    if wish is not None:
        return _park(rehearsal, tx, answered, wish)
    show_state(rehearsal, tx, "judging", exchange)
    return answered


def note_heard(rehearsal: OpenRehearsal, tx: Draft, exchange: Exchange) -> Exchange:
    """Record that the recognised words are the answer, and return the exchange with this answer."""
    text = heard_words(rehearsal)
    tx.note(AnswerHeard(exchange.id, text), by="transcript")
    return with_answer(exchange, text)


def park(rehearsal: OpenRehearsal) -> Exchange:
    """Park the open exchange because the presenter wants to come back to it.

    Words said so far stay its answer.
    """
    with rehearsal.store.transaction() as tx:
        exchange = still_open(rehearsal)
        if exchange.turns[-1].answer is None and rehearsal.projection.has_words:
            exchange = note_heard(rehearsal, tx, exchange)
        return _park(rehearsal, tx, exchange, None)


def _park(rehearsal: OpenRehearsal, tx: Draft, exchange: Exchange, wish: str | None) -> Exchange:
    """Close the exchange as parked, with the presenter's wish and without a verdict.

    Parking does not count as a failure.
    """
    return resolve(rehearsal, tx, with_wish(exchange, WISHED, wish), "parked")


def still_open(rehearsal: OpenRehearsal) -> Exchange:
    """Return the open exchange, unless its question gave way to the talk.

    Raises:
        SessionStateError: No question is open, or the open one gave way.
    """
    if rehearsal.projection.asking is None:
        raise SessionStateError("no question is open: call on somebody with `greenroom ask`")
    return rehearsal.projection.asking


# ---------------------------------------------------------------------- judging


AskPerson = Callable[[Exchange, Judgement, str | None], bool]
"""Asks a person about an answer that the panel did not judge, and returns whether the question passed with it
is asked next.
"""


def judge(
    rehearsal: OpenRehearsal, answered: Exchange | None = None, ask_person: AskPerson | None = None
) -> Judgement:
    """Judge the last answer; then ask the follow-up, or close the exchange.

    If the words are corrected meanwhile, they are judged again.

    Args:
        answered: The exchange whose last answer to judge. If None, the exchange that is open now.
        ask_person: Called before the verdict is written, if the panel has no verdict. If None, nobody is
            asked.

    Raises:
        SessionStateError: Somebody else has judged, parked or closed the exchange meanwhile.
    """
    exchange = answered if answered is not None else still_open(rehearsal)
    while is_owed(rehearsal, exchange):
        judging = begin_judging(rehearsal)
        together.wait([judging.reply])
        judgement = verdict(rehearsal, judging)
        again = None
        if ask_person is not None and judgement.verdict == "unjudged" and judging.exchange.turns[-1].answer:
            left = None if _is_last(rehearsal, judging.exchange) else question_again(judging.exchange)
            again = left if ask_person(judging.exchange, judgement, left) else None
        with rehearsal.store.transaction() as tx:
            if is_still(rehearsal, judging.exchange):
                _conclude(rehearsal, tx, judging.exchange, judgement, again=again)
                return judgement
    raise _is_judged(exchange)


def give_verdict(rehearsal: OpenRehearsal, judgement: Judgement) -> None:
    """Write a verdict as `Session.judge` does; if the verdict is refused, write nothing."""
    if judgement.verdict not in VERDICTS:
        raise UsageError(f"verdict {judgement.verdict!r}: use {', '.join(VERDICTS)}")
    with rehearsal.store.transaction() as tx:  # one, so that no answer stands whose verdict is refused
        exchange = still_open(rehearsal)
        answer = exchange.turns[-1].answer
        if answer is None and not rehearsal.projection.has_words:
            raise SessionStateError("nothing was answered yet: take the answer first", value=exchange.id)
        words = answer if answer is not None else heard_words(rehearsal)
        if judgement.quote is not None and judgement.quote not in words:
            raise UsageError(f"{judgement.quote!r} does not stand in the answer: quote word for word")
        if answer is None:
            exchange = write_heard(rehearsal, tx, exchange)
        if exchange.outcome is None:  # else it asked to come back to the question
            _conclude(rehearsal, tx, exchange, judgement)


@dataclass(frozen=True, slots=True)
class Judging:
    """An answer that is being judged, with the reply to come."""

    exchange: Exchange
    reply: Future[Judgement]


def begin_judging(rehearsal: OpenRehearsal) -> Judging:
    """Start judging the last answer, without waiting for the verdict."""
    exchange = still_open(rehearsal)
    if not exchange.turns[-1].answer:
        nothing: Future[Judgement] = Future()
        nothing.set_result(Judgement("unjudged", "no answer was given"))
        return Judging(exchange, nothing)
    request = JudgementRequest(
        rehearsal.seats[exchange.agent],
        rehearsal.scene(),
        exchange,
        _is_last(rehearsal, exchange),
        angle=exchange.angle or "",
        good_answer=exchange.good_answer,
    )
    context = rehearsal.context(exchange.agent, purpose="judgement", request=request)
    return Judging(exchange, together.begun(rehearsal.engine, request, context))


def verdict(rehearsal: OpenRehearsal, judging: Judging) -> Judgement:
    """Return the result of a judgement whose call is over.

    If it failed, return `unjudged` with the reason.
    """
    rehearsal.note_calls()
    got = together.outcome(judging.reply)
    if isinstance(got, EngineError):
        return Judgement("unjudged", f"{NO_JUDGEMENT}: {got}")
    return got


def _is_last(rehearsal: OpenRehearsal, exchange: Exchange) -> bool:
    """Return whether the exchange has no turn left for a follow-up."""
    return len(exchange.turns) >= rehearsal.turn_limit


def conclude(rehearsal: OpenRehearsal, exchange: Exchange, judgement: Judgement) -> None:
    """Write a verdict with its notes; then ask the follow-up, or close the exchange.

    Raises:
        SessionStateError: Somebody else has judged, parked or closed the exchange meanwhile; nothing is
            written.
    """
    with rehearsal.store.transaction() as tx:
        if not is_still(rehearsal, exchange):
            raise _is_judged(exchange)
        _conclude(rehearsal, tx, exchange, judgement)


def _is_judged(exchange: Exchange) -> SessionStateError:
    return SessionStateError(
        "the question was judged, parked or closed elsewhere while this answer was judged, and that stands: "
        "see `greenroom show`",
        value=exchange.id,
    )


def _conclude(
    rehearsal: OpenRehearsal, tx: Draft, exchange: Exchange, judgement: Judgement, *, again: str | None = None
) -> None:
    """Do the work of `conclude` within *tx*.

    *again* is a question that a person wants asked next, whatever the verdict.
    """
    judged = with_verdict(exchange, judgement)
    asks_on = judgement.verdict in ("follow_up", "escalate") and not _is_last(rehearsal, exchange)
    tx.note(VerdictGiven(exchange.id, judgement), by=exchange.agent)
    panelist.add_noted(rehearsal, tx, exchange, judgement)
    question = again or (judgement.follow_up if asks_on else None)
    if question:
        follow_up = Turn(
            question,
            judgement.missing or exchange.turns[-1].needs,
            bare=bare_of(question, exchange.quote),
            is_new_question=judgement.is_new_question,
        )
        tx.note(FollowedUp(exchange.id, follow_up), by=exchange.agent)
        occasion = moderator.FURTHER if judgement.is_new_question else moderator.FOLLOW_UP
        say(rehearsal, tx, occasion, exchange=exchange.id, agent=exchange.agent)
        show_state(rehearsal, tx, "follow_up", judged)
        show_state(rehearsal, tx, "answering", with_question(judged, follow_up))
    else:
        resolve(rehearsal, tx, judged, _outcome(judged))


def is_still(rehearsal: OpenRehearsal, exchange: Exchange) -> bool:
    """Return whether the exchange is unchanged and its last answer is not yet judged."""
    now = rehearsal.projection.open
    return now is not None and (now.id, now.turns) == (exchange.id, exchange.turns)


def is_owed(rehearsal: OpenRehearsal, exchange: Exchange) -> bool:
    """Return whether the exchange's last answer waits for its verdict, even if its words were corrected."""
    now = rehearsal.projection.open
    if now is None or (now.id, len(now.turns)) != (exchange.id, len(exchange.turns)):
        return False
    return now.turns[-1].answer is not None and now.turns[-1].verdict is None


def _outcome(judged: Exchange) -> str:
    """Return the outcome of an exchange that closes with its last verdict.

    A failure never counts as a success.

    If a follow-up got no answer, the verdict that asked for it counts.
    """
    if judged.is_follow_up_silent:
        return "unresolved"
    return {"satisfied": "satisfied", "unjudged": "unjudged"}.get(
        judged.turns[-1].verdict or "", "unresolved"
    )
