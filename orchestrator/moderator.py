"""The moderator: who speaks next, and the way of an exchange from question to outcome.

Every step is one transaction that begins from what the room shows, so it can be taken by any
process, and a rehearsal that was cut off anywhere goes on with the next step.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from orchestrator import panelist, render
from orchestrator.claims.extract import speech_claims
from orchestrator.engines.protocol import JudgementRequest, PhrasesRequest
from orchestrator.errors import EngineError, SessionStateError
from orchestrator.exchange import Candidate, Exchange, Judgement, Observation, Turn
from orchestrator.layout import MODERATOR
from orchestrator.rehearsal import Rehearsal
from orchestrator.speech.model import WORDS_PER_MINUTE, Segment
from orchestrator.values import to_json

TRANSCRIPT = "shared/presenter-transcript.md"
FOCUS_WEIGHT = 0.5
SILENCE_WEIGHT = 0.5
"""Against a relevance of 0 to 1: who has not spoken for long comes before a slightly better question."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Whom the moderator calls on, with which question, and why."""

    agent: str
    candidate: Candidate
    why: str


def write_phrases(rehearsal: Rehearsal) -> None:
    """Fill the phrase library in for this session."""
    options = rehearsal.options
    slots = {"presenter": options.presenter, "minutes_left": str(options.minutes)}
    request = PhrasesRequest(rehearsal.seats[MODERATOR], rehearsal.scene(), rehearsal.phrases, slots)
    context = rehearsal.context(MODERATOR, purpose="phrases", request=request)
    try:
        chosen = rehearsal.engine.reply(request, context)
    except EngineError:
        chosen = ()
    rehearsal.note_calls()
    rehearsal.store.append(
        "moderator/generated-phrases.md",
        render.phrases(chosen),
        by=MODERATOR,
        value={"type": "phrases", "phrases": list(chosen)},
    )


# ---------------------------------------------------------------------- choosing


def choose(rehearsal: Rehearsal, agent: str | None = None) -> Choice | None:
    """The panelist to call on now; only *agent* where one is named. None: nobody has a question."""
    ready = []
    for seat in rehearsal.options.panel:
        waiting = rehearsal.room.waiting.get(seat)
        if waiting is not None and agent in (None, seat) and panelist.why_stale(rehearsal, waiting) is None:
            ready.append((seat, waiting.candidate))
    if not ready:
        return None
    spoken = [exchange.agent for exchange in rehearsal.room.exchanges]
    silent = [seat for seat, _ in ready if seat not in spoken]
    left = rehearsal.options.exchanges - len(spoken)
    must = silent and left <= len([seat for seat in rehearsal.options.panel if seat not in spoken])
    if must:
        ready = [pair for pair in ready if pair[0] in silent]
    seat, candidate = max(ready, key=lambda pair: _score(rehearsal, *pair))
    return Choice(seat, candidate, _why(rehearsal, seat, candidate, named=agent is not None))


def _score(rehearsal: Rehearsal, agent: str, candidate: Candidate) -> tuple[bool, float]:
    focus = FOCUS_WEIGHT if _in_focus(rehearsal, candidate) else 0.0
    return candidate.grounded, candidate.relevance + focus + SILENCE_WEIGHT * _silence(rehearsal, agent)


def _silence(rehearsal: Rehearsal, agent: str) -> float:
    """0 for who spoke last, 1 for who has not spoken yet."""
    spoken = [exchange.agent for exchange in rehearsal.room.exchanges]
    if agent not in spoken:
        return 1.0
    since = spoken[::-1].index(agent)
    return min(since / len(rehearsal.options.panel), 1.0)


def _in_focus(rehearsal: Rehearsal, candidate: Candidate) -> bool:
    words = {word for text in rehearsal.options.focus for word in text.lower().split() if len(word) > 3}
    about = f"{candidate.quote or ''} {candidate.question}".lower()
    return any(word in about for word in words)


def _why(rehearsal: Rehearsal, agent: str, candidate: Candidate, *, named: bool) -> str:
    spoken = [exchange.agent for exchange in rehearsal.room.exchanges]
    reasons = ["was asked for by name"] if named else []
    if agent not in spoken:
        reasons.append("has not spoken yet")
    elif _silence(rehearsal, agent) > 0:
        reasons.append(f"last spoke {spoken[::-1].index(agent)} exchanges ago")
    if _in_focus(rehearsal, candidate):
        reasons.append("the presenter's focus")
    reasons.append(f"relevance {candidate.relevance:.2f} ({render.one_line(candidate.angle)})")
    return "; ".join(reasons)


# ---------------------------------------------------------------------- an exchange, step by step


def open_exchange(rehearsal: Rehearsal, choice: Choice) -> Exchange:
    """Put the question: from here on the presenter's words are the answer."""
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
        turns=(Turn(_spoken(candidate), candidate.needs),),
    )
    with rehearsal.store.transaction():
        if rehearsal.room.open is not None:
            raise SessionStateError(f"{rehearsal.room.open.id} is still open: answer it or park it first")
        show_state(rehearsal, "question", exchange)
        rehearsal.store.note(tagged_exchange("exchange_opened", exchange), by=MODERATOR)
        panelist.write_candidate(rehearsal, choice.agent, panelist.empty_candidate(rehearsal, choice.agent))
        show_state(rehearsal, "answering", exchange)
    return exchange


def _spoken(candidate: Candidate) -> str:
    """Lead-in and question as they are said, in one piece."""
    return f"{candidate.lead_in} {candidate.question}".strip()


def take_answer(rehearsal: Rehearsal, text: str | None, *, used: int | None = None) -> None:
    """Put the answer into the transcript, stamped with the moment of the session clock.

    Its words count at 150 a minute for the exchange. None: there was no answer.
    """
    exchange = still_open(rehearsal)
    if exchange.turns[-1].answer is not None:
        raise SessionStateError(
            f"{exchange.id}: this question has been answered; `greenroom resume` judges it"
        )
    if text is None or not text.strip():
        with rehearsal.store.transaction():
            rehearsal.store.note({"type": "silence", "exchange": exchange.id}, by="transcript")
            show_state(rehearsal, "judging", exchange)
        return
    words = " ".join(text.split())
    now_s = rehearsal.now_s()
    lasts_s = round(len(words.split()) * 60 / WORDS_PER_MINUTE, 3)
    segment = Segment(words, now_s, round(now_s + lasts_s, 3), _presenter(rehearsal), rehearsal.room.slide)
    segment = replace(segment, times_estimated=True)
    index = len(rehearsal.room.segments) + 1
    value = {
        "type": "answer",
        "exchange": exchange.id,
        "turn": len(exchange.turns),
        "segment": to_json(segment),
        "claims": to_json(speech_claims(segment, index)),
        **({"used": used} if used is not None else {}),
    }
    line = render.answer_line(segment, exchange.id, rehearsal.name_of(exchange.agent))
    with rehearsal.store.transaction():
        rehearsal.store.append(TRANSCRIPT, line, by="transcript", value=value)
        show_state(rehearsal, "judging", exchange)


def take_heard(rehearsal: Rehearsal) -> None:
    """What the presenter said since the question, already in the transcript, is the answer."""
    exchange = still_open(rehearsal)
    text = " ".join(segment.text for segment in rehearsal.room.heard)
    with rehearsal.store.transaction():
        rehearsal.store.note({"type": "answered", "exchange": exchange.id, "text": text}, by="transcript")
        show_state(rehearsal, "judging", exchange)


def _presenter(rehearsal: Rehearsal) -> str | None:
    return rehearsal.room.presenter or rehearsal.options.presenter


def judge(rehearsal: Rehearsal) -> Judgement:
    """Judge the last answer; then ask the follow-up, or close the exchange."""
    exchange = still_open(rehearsal)
    is_last = len(exchange.turns) >= rehearsal.turn_limit
    judgement = _judgement(rehearsal, exchange, is_last)
    asks_on = judgement.verdict in ("follow_up", "escalate") and judgement.follow_up and not is_last
    turn = replace(
        exchange.turns[-1], verdict=judgement.verdict, reason=judgement.reason, quote=judgement.quote
    )
    judged = replace(exchange, turns=(*exchange.turns[:-1], turn))
    note = panelist.take_note(rehearsal, judged)
    closes = not (asks_on and judgement.follow_up is not None)
    seen = panelist.observation(rehearsal, judged) if closes and _was_answered(judged) else None
    with rehearsal.store.transaction():
        rehearsal.store.note(
            {"type": "verdict", "exchange": exchange.id, "judgement": to_json(judgement)}, by=exchange.agent
        )
        if note is not None:
            rehearsal.store.append(
                note[0], note[1], by=exchange.agent, value={"type": "notes", "exchange": exchange.id}
            )
        if asks_on and judgement.follow_up is not None:
            follow_up = Turn(judgement.follow_up, judgement.missing or exchange.turns[-1].needs)
            rehearsal.store.note(
                {"type": "follow_up", "exchange": exchange.id, "turn": to_json(follow_up)}, by=exchange.agent
            )
            show_state(rehearsal, "follow_up", judged)
            show_state(rehearsal, "answering", replace(judged, turns=(*judged.turns, follow_up)))
        else:
            resolve(rehearsal, judged, _outcome(judgement), seen)
    return judgement


def _judgement(rehearsal: Rehearsal, exchange: Exchange, is_last: bool) -> Judgement:
    if not exchange.turns[-1].answer:
        return Judgement("unjudged", "no answer was given")
    request = JudgementRequest(rehearsal.seats[exchange.agent], rehearsal.scene(), exchange, is_last)
    context = rehearsal.context(exchange.agent, purpose="judgement", request=request)
    try:
        return rehearsal.engine.reply(request, context)
    except EngineError as error:
        return Judgement("unjudged", f"the engine gave no judgement: {error}")
    finally:
        rehearsal.note_calls()


def _outcome(judgement: Judgement) -> str:
    """What an exchange comes to when *judgement* is its last; failure never reads as success."""
    return {"satisfied": "satisfied", "unjudged": "unjudged"}.get(judgement.verdict, "unresolved")


def park(rehearsal: Rehearsal) -> Exchange:
    """Close the open exchange at the presenter's wish to come back to it."""
    exchange = still_open(rehearsal)
    seen = panelist.observation(rehearsal, exchange) if _was_answered(exchange) else None
    with rehearsal.store.transaction():
        return resolve(rehearsal, still_open(rehearsal), "parked", seen)


def _was_answered(exchange: Exchange) -> bool:
    return any(turn.answer for turn in exchange.turns)


def resolve(
    rehearsal: Rehearsal, exchange: Exchange, outcome: str, seen: Observation | None = None
) -> Exchange:
    """Write an exchange down and give the floor back. Call inside a transaction."""
    done = replace(exchange, outcome=outcome)
    show_state(rehearsal, "resolving", done)
    rehearsal.store.append(
        "shared/exchange-history.md",
        render.exchange(done, rehearsal.name_of(done.agent)),
        by=MODERATOR,
        value=tagged_exchange("exchange_closed", done),
    )
    panelist.add_observation(rehearsal, done, seen)
    rehearsal.store.append("moderator/debrief-notes.md", _debrief_note(rehearsal, done), by=MODERATOR)
    show_state(rehearsal, "presenting", None, done=len(rehearsal.room.exchanges) + 1)
    return done


def _debrief_note(rehearsal: Rehearsal, done: Exchange) -> str:
    last = done.turns[-1]
    about = f"on {render.place(done.slide, done.said_at_s)}" if done.grounded else "on the whole"
    why = f": {render.one_line(last.reason)}" if last.reason else ""
    return f"- {done.id}, {rehearsal.name_of(done.agent)}, {about}: {done.outcome}{why}\n"


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


# ---------------------------------------------------------------------- state and time


def show_state(
    rehearsal: Rehearsal, state: str, exchange: Exchange | None = None, *, done: int | None = None
) -> None:
    """Write session-state.md."""
    options, room = rehearsal.options, rehearsal.room
    now_s = rehearsal.now_s()
    used_s = now_s + room.spent_s
    count = len(room.exchanges) if done is None else done
    times = f"{render.clock(now_s)} presenting, {render.clock(room.spent_s)} answering"
    lines = [
        "# Session state",
        "",
        f"- State: {state}",
        f"- Slide: {room.slide if room.slide is not None else 'none yet'}",
        f"- Time: {render.clock(used_s)} of {options.minutes}:00 ({times})",
        f"- Exchanges: {count} of {options.exchanges}",
    ]
    if exchange is not None:
        lines += [
            f"- Exchange: {exchange.id}, turn {len(exchange.turns)} of {rehearsal.turn_limit}",
            f"- Asking: {rehearsal.name_of(exchange.agent)} ({exchange.agent})",
            f"- Question: {render.one_line(exchange.turns[-1].question)}",
        ]
    rehearsal.store.write(
        "moderator/session-state.md",
        "\n".join(lines) + "\n",
        by=MODERATOR,
        value={"type": "state", "state": state},
    )


def warn_of_time(rehearsal: Rehearsal) -> None:
    """Say once when a share of the time budget is used up."""
    budget_s = rehearsal.options.minutes * 60
    used_s = rehearsal.now_s() + rehearsal.room.spent_s
    for share in rehearsal.rules.time_warnings:
        if share not in rehearsal.room.warned and used_s >= share * budget_s:
            rehearsal.store.append(
                "moderator/debrief-notes.md",
                f"- {share:.0%} of the time ({rehearsal.options.minutes} min) was used up.\n",
                by=MODERATOR,
                value={"type": "time_warning", "share": share},
            )
