"""How an answer is judged, and what follows from the verdict.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from orchestrator.core.errors import EngineError, SessionStateError, UsageError
from orchestrator.core.store.transaction import Draft
from orchestrator.panel.engines import together
from orchestrator.panel.engines.offline.judging import question_again
from orchestrator.panel.engines.protocol import JudgementRequest
from orchestrator.panel.loop import panelist, phrases
from orchestrator.panel.loop.answering import heard_words, still_open, write_heard
from orchestrator.panel.loop.phrases import say
from orchestrator.panel.loop.question_text import bare_of
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.loop.resolving import resolve
from orchestrator.panel.loop.state_page import show_state
from orchestrator.panel.model.exchange import (
    NO_JUDGEMENT,
    VERDICTS,
    Exchange,
    Judgement,
    Turn,
)
from orchestrator.panel.records.exchanges import FollowedUp, VerdictGiven
from orchestrator.panel.records.turns import with_question, with_verdict

AskPerson = Callable[[Exchange, Judgement, str | None], bool]
"""Asks a person of an answer that the panel did not judge; whether the question given with it is put next."""


def judge(
    rehearsal: Rehearsal, answered: Exchange | None = None, ask_person: AskPerson | None = None
) -> Judgement:
    """Judge the last answer; then ask the follow-up, or close the exchange.

    Words that are corrected meanwhile are judged anew.

    Args:
        answered: The exchange whose last answer it is; None: the one that is open now.
        ask_person: Asked before the verdict is written, where the panel has none; None: nobody is there.

    Raises:
        SessionStateError: Somebody else has judged, parked or closed it meanwhile.
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


def give_verdict(rehearsal: Rehearsal, judgement: Judgement) -> None:
    """As `Session.judge`: nothing is written of a verdict that is refused."""
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
    """An answer that its panelist is judging."""

    exchange: Exchange
    reply: Future[Judgement]


def begin_judging(rehearsal: Rehearsal) -> Judging:
    """Have the last answer judged, and do not wait for it."""
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


def verdict(rehearsal: Rehearsal, judging: Judging) -> Judgement:
    """What came of a judgement that is over. A failure is `unjudged`, and says why."""
    rehearsal.note_calls()
    got = together.outcome(judging.reply)
    if isinstance(got, EngineError):
        return Judgement("unjudged", f"{NO_JUDGEMENT}: {got}")
    return got


def _is_last(rehearsal: Rehearsal, exchange: Exchange) -> bool:
    """No follow-up is possible."""
    return len(exchange.turns) >= rehearsal.turn_limit


def conclude(rehearsal: Rehearsal, exchange: Exchange, judgement: Judgement) -> None:
    """Write a verdict down, with what was noted at it; then put the follow-up, or close the exchange.

    Raises:
        SessionStateError: Somebody else has judged, parked or closed it meanwhile; nothing is written.
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
    rehearsal: Rehearsal, tx: Draft, exchange: Exchange, judgement: Judgement, *, again: str | None = None
) -> None:
    """*again*: the question that a person wants put, whatever the verdict asks for."""
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
        occasion = phrases.FURTHER if judgement.is_new_question else phrases.FOLLOW_UP
        say(rehearsal, tx, occasion, exchange=exchange.id, agent=exchange.agent)
        show_state(rehearsal, tx, "follow_up", judged)
        show_state(rehearsal, tx, "answering", with_question(judged, follow_up))
    else:
        resolve(rehearsal, tx, judged, _outcome(judged))


def is_still(rehearsal: Rehearsal, exchange: Exchange) -> bool:
    """Whether the exchange stands where it stood, its last answer not judged."""
    now = rehearsal.projection.open
    return now is not None and (now.id, now.turns) == (exchange.id, exchange.turns)


def is_owed(rehearsal: Rehearsal, exchange: Exchange) -> bool:
    """Whether the last answer of the exchange waits for its verdict, in whatever words it stands now."""
    now = rehearsal.projection.open
    if now is None or (now.id, len(now.turns)) != (exchange.id, len(exchange.turns)):
        return False
    return now.turns[-1].answer is not None and now.turns[-1].verdict is None


def _outcome(judged: Exchange) -> str:
    """The outcome of an exchange that closes with its last verdict; failure never reads as success.

    Where a follow-up got no answer, the verdict that asked for it stands.
    """
    if judged.is_follow_up_silent:
        return "unresolved"
    return {"satisfied": "satisfied", "unjudged": "unjudged"}.get(
        judged.turns[-1].verdict or "", "unresolved"
    )
