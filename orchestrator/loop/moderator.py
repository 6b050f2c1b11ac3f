"""The moderator: the way of an exchange from question to outcome.

Every step is one transaction that begins from what the room shows, so it can be taken by any
process, and a rehearsal that was cut off anywhere goes on with the next step.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from orchestrator import render
from orchestrator.claims.extract import speech_claims
from orchestrator.engines import together
from orchestrator.engines.protocol import JudgementRequest
from orchestrator.errors import EngineError, SessionStateError
from orchestrator.layout import MODERATOR
from orchestrator.loop import panelist, phrases
from orchestrator.loop.choosing import Choice, choose, choose_at_pause, is_full, not_heard
from orchestrator.loop.new_figures import new_numbers
from orchestrator.loop.phrases import say
from orchestrator.loop.rehearsal import Rehearsal
from orchestrator.loop.state_page import show_state
from orchestrator.model.exchange import Candidate, Exchange, Judgement, Turn, still_to_come_back
from orchestrator.model.segment import WORDS_PER_MINUTE, Segment
from orchestrator.model.values import to_json
from orchestrator.speech.parking import wish_to_park
from orchestrator.templates.orchestration import FREE_FLOW

TRANSCRIPT = "shared/presenter-transcript.md"
WISHED = "the presenter asked to come back to it"


def open_session(rehearsal: Rehearsal) -> bool:
    """The first words, before anything was said; False if that is past."""
    room = rehearsal.room
    if room.said or room.segments or room.exchanges or room.open is not None or room.is_played_out:
        return False
    with rehearsal.store.transaction():
        return say(rehearsal, phrases.OPENING)


def ask_somebody(rehearsal: Rehearsal) -> Exchange | None:
    """At a break or at the end: call on whoever is next, or record that nobody has a question.

    At the end those not heard yet come first, then what was parked, then the others.
    """
    room = rehearsal.room
    choice = parked = None
    if not is_full(rehearsal):
        choice = choose(rehearsal, holds_back=not room.is_played_out)
        parked = _parked(rehearsal) if room.is_played_out else None
    is_first_heard = choice is not None and choice.agent in not_heard(rehearsal)
    if parked is not None and (choice is None or (_is_ripe(rehearsal, parked) and not is_first_heard)):
        return come_back(rehearsal, parked)
    if choice is not None:
        return open_exchange(rehearsal, choice)
    why = "the exchanges are used up" if is_full(rehearsal) else "nobody has a question"
    if not is_full(rehearsal) and choose(rehearsal) is not None:
        why = "the exchanges that are left are kept for panelists not heard yet"
    with rehearsal.store.transaction():
        if not is_full(rehearsal) and room.failed and not room.is_played_out:
            say(rehearsal, phrases.STALLING, slide=room.slide)
        elif room.said and room.said[-1].occasion == phrases.NO_QUESTION:
            say(rehearsal, phrases.TRANSITION, slide=room.slide)
        rehearsal.store.note({"type": "passed", "why": why}, by=MODERATOR)
    return None


def _parked(rehearsal: Rehearsal, agent: str | None = None) -> Exchange | None:
    """The parked question that comes back next: the oldest, of *agent* where one is named."""
    waiting = still_to_come_back(rehearsal.room.exchanges)
    return next((one for one in waiting if agent in (None, one.agent)), None)


def _is_ripe(rehearsal: Rehearsal, parked: Exchange) -> bool:
    """Something lies between the parking and now: the rest of the talk, or another question."""
    room = rehearsal.room
    return room.exchanges[-1].id != parked.id or len(room.exchanges) == room.asked_when_played_out


def come_back(rehearsal: Rehearsal, parked: Exchange) -> Exchange:
    """Put a parked question again, as an exchange of its own; what it still needs is what is judged.

    Its lead-in was said when it was first asked, and is not said twice.
    """
    first, last = parked.turns[0], parked.turns[-1]
    exchange = replace(
        parked,
        id=f"x{len(rehearsal.room.exchanges) + 1}",
        why_this_agent=f"the question that was parked as {parked.id} comes back",
        asked_at_s=rehearsal.now_s(),
        turns=(Turn(first.question.removeprefix(first.lead_in).lstrip(), last.needs),),
        outcome=None,
        spent_s=0.0,
        comes_back_to=parked.id,
    )
    return _put(rehearsal, exchange, phrases.COMING_BACK)


def come_back_to_parked(rehearsal: Rehearsal, agent: str | None = None) -> Exchange | None:
    """Put the oldest parked question again; only one of *agent*'s where one is named. None: there is none."""
    parked = _parked(rehearsal, agent)
    return None if parked is None else come_back(rehearsal, parked)


def ask_at_pause(rehearsal: Rehearsal) -> Exchange | None:
    """At a pause of the presenter: whoever may come in now. In free flow nobody is called, they cut in."""
    choice = choose_at_pause(rehearsal)
    if choice is None:
        return None
    return open_exchange(rehearsal, choice, calls=rehearsal.options.mode != FREE_FLOW)


def open_exchange(rehearsal: Rehearsal, choice: Choice, *, calls: bool = True) -> Exchange:
    """Put the question: from here on the presenter's words are the answer.

    *calls*: the moderator gives the panelist the floor, in words.
    """
    candidate = choice.candidate
    exchange = Exchange(
        id=f"x{len(rehearsal.room.exchanges) + 1}",
        agent=choice.agent,
        claim=candidate.claim,
        slide=candidate.slide,
        said_at_s=candidate.said_at_s,
        quote=candidate.quote,
        grounded=candidate.grounded,
        why_this_agent=choice.why,
        asked_at_s=rehearsal.now_s(),
        turns=(Turn(_spoken(candidate), candidate.needs, lead_in=candidate.lead_in.strip()),),
        angle=candidate.angle,
        beside=candidate.beside,
        under=candidate.under,
        good_answer=candidate.good_answer,
        is_missing=candidate.is_missing,
    )
    return _put(rehearsal, exchange, phrases.CALLING if calls else None)


def _put(rehearsal: Rehearsal, exchange: Exchange, occasion: str | None) -> Exchange:
    with rehearsal.store.transaction():
        if rehearsal.room.open is not None:
            raise SessionStateError(f"{rehearsal.room.open.id} is still open: answer it or park it first")
        exchange = replace(exchange, id=f"x{len(rehearsal.room.exchanges) + 1}")  # others may have asked
        hands = tuple(agent for agent in rehearsal.room.hands if agent != exchange.agent)
        if occasion is not None:
            say(rehearsal, occasion, exchange=exchange.id, agent=exchange.agent, slide=exchange.slide)
        show_state(rehearsal, "question", exchange, hands=hands)
        rehearsal.store.note(tagged_exchange("exchange_opened", exchange), by=MODERATOR)
        if exchange.comes_back_to is None:
            empty = panelist.empty_candidate(rehearsal, exchange.agent)
            panelist.write_candidate(rehearsal, exchange.agent, empty)
        show_state(rehearsal, "answering", exchange, hands=hands)
    return exchange


def _spoken(candidate: Candidate) -> str:
    """Lead-in and question as they are said, in one piece."""
    return f"{candidate.lead_in} {candidate.question}".strip()


def take_answer(
    rehearsal: Rehearsal, text: str | None, *, used: int | None = None, parks: bool = False
) -> None:
    """Put the answer into the transcript, stamped with the moment of the session clock.

    Its words count at 150 a minute for the exchange. None: there was no answer. Where they ask
    to come back to the question, or *parks* says so, the exchange is parked and not judged.
    """
    exchange = still_open(rehearsal)
    if exchange.turns[-1].answer is not None:
        raise SessionStateError(
            f"{exchange.id}: this question has been answered; `greenroom resume` judges it"
        )
    words = " ".join((text or "").split())
    if not words and not parks:
        with rehearsal.store.transaction():
            rehearsal.store.note({"type": "silence", "exchange": exchange.id}, by="transcript")
            show_state(rehearsal, "judging", exchange)
        return
    wish = wish_to_park(words)
    is_parked = parks or wish is not None
    answered = exchange
    with rehearsal.store.transaction():
        if words:
            answered = _add_answer(rehearsal, exchange, words, used)
        elif used is not None:
            rehearsal.store.note({"type": "answer_used", "used": used}, by="transcript")
        if is_parked:
            _park(rehearsal, answered, wish)
        else:
            show_state(rehearsal, "judging", exchange)


def _add_answer(rehearsal: Rehearsal, exchange: Exchange, words: str, used: int | None) -> Exchange:
    """Write an answer down; returns the exchange with it."""
    now_s = rehearsal.now_s()
    lasts_s = round(len(words.split()) * 60 / WORDS_PER_MINUTE, 3)
    segment = Segment(words, now_s, round(now_s + lasts_s, 3), _presenter(rehearsal), rehearsal.room.slide)
    segment = replace(segment, times_estimated=True)
    index = len(rehearsal.room.segments) + 1
    value: dict[str, Any] = {
        "type": "answer",
        "exchange": exchange.id,
        "turn": len(exchange.turns),
        "segment": to_json(segment),
        "claims": to_json(speech_claims(segment, index)),
        **({"used": used} if used is not None else {}),
    }
    line = render.answer_line(segment, exchange.id, rehearsal.name_of(exchange.agent))
    rehearsal.store.append(TRANSCRIPT, line, by="transcript", value=value)
    return _answered(exchange, words, round(segment.end_s - segment.start_s, 3))


def _answered(exchange: Exchange, words: str, lasts_s: float = 0.0) -> Exchange:
    last = replace(exchange.turns[-1], answer=words)
    return replace(exchange, turns=(*exchange.turns[:-1], last), spent_s=round(exchange.spent_s + lasts_s, 3))


def take_heard(rehearsal: Rehearsal) -> None:
    """What the presenter said since the question, already in the transcript, is the answer.

    Where it asks to come back to the question, the exchange is parked and not judged.
    """
    exchange = still_open(rehearsal)
    text = " ".join(segment.text for segment in rehearsal.room.heard)
    wish = wish_to_park(text)
    with rehearsal.store.transaction():
        rehearsal.store.note({"type": "answered", "exchange": exchange.id, "text": text}, by="transcript")
        if wish is not None:
            _park(rehearsal, _answered(exchange, text), wish)
        else:
            show_state(rehearsal, "judging", exchange)


def _presenter(rehearsal: Rehearsal) -> str | None:
    return rehearsal.room.presenter or rehearsal.options.presenter


def judge(rehearsal: Rehearsal) -> Judgement:
    """Judge the last answer; then ask the follow-up, or close the exchange.

    Raises:
        SessionStateError: Somebody else has judged, parked or closed it meanwhile.
    """
    judging = begin_judging(rehearsal)
    together.wait([judging.reply])
    judgement = verdict(rehearsal, judging)
    conclude(rehearsal, judging, judgement)
    return judgement


@dataclass(frozen=True, slots=True)
class Judging:
    """An answer that its panelist is judging."""

    exchange: Exchange
    is_last: bool  # no follow-up is possible
    reply: Future[Judgement]


def begin_judging(rehearsal: Rehearsal, on_text: Callable[[str], None] | None = None) -> Judging:
    """Have the last answer judged, and do not wait for it.

    *on_text* is told the follow-up question as far as it has come, where the engine streams.
    """
    exchange = still_open(rehearsal)
    is_last = len(exchange.turns) >= rehearsal.turn_limit
    reply: Future[Judgement]
    if not exchange.turns[-1].answer:
        reply = Future()
        reply.set_result(Judgement("unjudged", "no answer was given"))
        return Judging(exchange, is_last, reply)
    seat = rehearsal.seats[exchange.agent]
    request = JudgementRequest(
        seat,
        rehearsal.kept_scene(),
        exchange,
        is_last,
        angle=exchange.angle or "",
        good_answer=exchange.good_answer,
    )
    context = rehearsal.context(exchange.agent, purpose="judgement", request=request)
    reply = together.begun(rehearsal.engine, request, context, on_text)
    return Judging(exchange, is_last, reply)


def verdict(rehearsal: Rehearsal, judging: Judging) -> Judgement:
    """What came of a judgement that is over. A failure is `unjudged`, and says why."""
    rehearsal.note_calls()
    got = together.outcome(judging.reply)
    if isinstance(got, EngineError):
        return Judgement("unjudged", f"the engine gave no judgement: {got}")
    return got


def with_verdict(exchange: Exchange, judgement: Judgement) -> Exchange:
    """The exchange with the verdict on its last answer."""
    turn = replace(
        exchange.turns[-1],
        verdict=judgement.verdict,
        reason=judgement.reason,
        quote=judgement.quote,
        still_open=judgement.still_open,
        remark=judgement.remark,
    )
    return replace(exchange, turns=(*exchange.turns[:-1], turn))


def _asks_on(judging: Judging, judgement: Judgement) -> bool:
    wants_more = judgement.verdict in ("follow_up", "escalate") and bool(judgement.follow_up)
    return wants_more and not judging.is_last


def conclude(rehearsal: Rehearsal, judging: Judging, judgement: Judgement) -> None:
    """Write a verdict down, with what was noted at it; then put the follow-up, or close the exchange.

    Raises:
        SessionStateError: Somebody else has judged, parked or closed it meanwhile; nothing is written.
    """
    exchange = judging.exchange
    judged = with_verdict(exchange, judgement)
    with rehearsal.store.transaction():
        if not is_still(rehearsal, exchange):
            raise SessionStateError(
                f"{exchange.id}: it was judged, parked or closed elsewhere while this answer was judged, "
                "and that stands: see `greenroom show`"
            )
        rehearsal.store.note(
            {"type": "verdict", "exchange": exchange.id, "judgement": to_json(judgement)}, by=exchange.agent
        )
        panelist.add_noted(rehearsal, exchange, judgement)
        if _asks_on(judging, judgement) and judgement.follow_up is not None:
            follow_up = Turn(
                judgement.follow_up,
                judgement.missing or exchange.turns[-1].needs,
                is_new_question=judgement.is_new_question,
            )
            rehearsal.store.note(
                {"type": "follow_up", "exchange": exchange.id, "turn": to_json(follow_up)}, by=exchange.agent
            )
            occasion = phrases.FURTHER if judgement.is_new_question else phrases.FOLLOW_UP
            say(rehearsal, occasion, exchange=exchange.id, agent=exchange.agent)
            show_state(rehearsal, "follow_up", judged)
            show_state(rehearsal, "answering", replace(judged, turns=(*judged.turns, follow_up)))
        else:
            resolve(rehearsal, judged, _outcome(judgement))


def is_still(rehearsal: Rehearsal, exchange: Exchange) -> bool:
    """Whether the exchange stands where it stood, its last answer not judged."""
    now = rehearsal.room.open
    return now is not None and (now.id, now.turns) == (exchange.id, exchange.turns)


def _outcome(judgement: Judgement) -> str:
    """What an exchange comes to when *judgement* is its last; failure never reads as success."""
    return {"satisfied": "satisfied", "unjudged": "unjudged"}.get(judgement.verdict, "unresolved")


def park(rehearsal: Rehearsal) -> Exchange:
    """Close the open exchange at the presenter's wish to come back to it."""
    with rehearsal.store.transaction():
        return _park(rehearsal, still_open(rehearsal), None)


def _park(rehearsal: Rehearsal, exchange: Exchange, wish: str | None) -> Exchange:
    """The wish stands with the question it was about, and no verdict: parking is no failing."""
    last = replace(exchange.turns[-1], reason=WISHED, quote=wish)
    return resolve(rehearsal, replace(exchange, turns=(*exchange.turns[:-1], last)), "parked")


def resolve(rehearsal: Rehearsal, exchange: Exchange, outcome: str, *, is_ending: bool = False) -> Exchange:
    """Write an exchange down and give the floor back. Call inside a transaction.

    *is_ending*: the session ends with it, so there is no floor to give back.
    """
    done = replace(exchange, outcome=outcome)
    surfaced = new_numbers(done, rehearsal.scene())
    show_state(rehearsal, "resolving", done)
    rehearsal.store.append(
        "shared/exchange-history.md",
        render.exchange(done, rehearsal.name_of(done.agent), surfaced),
        by=MODERATOR,
        value={**tagged_exchange("exchange_closed", done), "new_numbers": list(surfaced)},
    )
    rehearsal.store.append("moderator/debrief-notes.md", _debrief_note(rehearsal, done), by=MODERATOR)
    if not is_ending:
        _round_off(rehearsal, done)
    show_state(rehearsal, "presenting", None, done=len(rehearsal.room.exchanges) + 1, last=done)
    return done


def _round_off(rehearsal: Rehearsal, done: Exchange) -> None:
    """One phrase behind an exchange: parked, back to the presentation, or the answer is noted."""
    room = rehearsal.room
    if done.outcome == "parked":
        occasion = phrases.PARKING
    elif room.segments and not room.is_played_out:
        occasion = phrases.TRANSITION
    elif any(turn.answer for turn in done.turns):
        occasion = phrases.ACKNOWLEDGING
    else:
        return
    say(rehearsal, occasion, exchange=done.id, agent=done.agent, slide=room.slide)


def close(rehearsal: Rehearsal) -> None:
    """The last words, said once. Call inside a transaction."""
    if all(said.occasion != phrases.CLOSING for said in rehearsal.room.said):
        say(rehearsal, phrases.CLOSING)
    show_state(rehearsal, "closing")


def _debrief_note(rehearsal: Rehearsal, done: Exchange) -> str:
    last = done.turns[-1]
    about = f"on {render.place(done.slide, done.said_at_s)}" if done.grounded else "on the whole"
    why = f": {render.one_line(last.reason)}" if last.reason else ""
    left = f". Still open: {render.one_line('; '.join(last.still_open))}" if last.still_open else ""
    return f"- {done.id}, {rehearsal.name_of(done.agent)}, {about}: {done.outcome}{why}{left}\n"


def still_open(rehearsal: Rehearsal) -> Exchange:
    """The exchange that is open.

    Raises:
        SessionStateError: None is.
    """
    if rehearsal.room.open is None:
        raise SessionStateError("no question is open: call on somebody with `greenroom ask`")
    return rehearsal.room.open


def tagged_exchange(kind: str, exchange: Exchange) -> dict[str, object]:
    """A record's value for an exchange."""
    return {"type": kind, "exchange": to_json(exchange)}
