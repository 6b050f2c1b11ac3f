"""The debrief of a session, made from its records: its counts by code, its words as an engine said them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from enum import IntEnum

from orchestrator.material.checks.grounding import figures, material
from orchestrator.material.deck.texts import slide_texts
from orchestrator.material.model.claim import ARITHMETIC, READ, Tension
from orchestrator.material.model.slide import Deck
from orchestrator.material.speech.delivery import delivery_of
from orchestrator.material.speech.read_aloud import read_aloud
from orchestrator.material.speech.repeated import repeated_in
from orchestrator.panel import render
from orchestrator.panel.config.engine_names import is_bank
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.debrief.bill import bill_of
from orchestrator.panel.debrief.excerpts import LONGEST_LATE, deciding_words, short
from orchestrator.panel.debrief.first import first_of
from orchestrator.panel.debrief.parts import (
    Debrief,
    Fix,
    OpenPoint,
    Review,
    Source,
    Stronger,
    asked_about,
)
from orchestrator.panel.debrief.promises import promises_of
from orchestrator.panel.debrief.request import still_to_ask
from orchestrator.panel.debrief.rubric import (
    CHECKS,
    Record,
    rubric,
    talk_of,
)
from orchestrator.panel.debrief.shares import shares_of
from orchestrator.panel.debrief.timing import spans
from orchestrator.panel.debrief.verified import better_answers, read_checks
from orchestrator.panel.debrief.without_replies import why_without_replies
from orchestrator.panel.loop.question_text import bare_question
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.model.exchange import (
    PUT_AGAIN,
    YOURS,
    Candidate,
    Exchange,
    Observation,
    Persons,
    Turn,
    answer_quoted,
    answered_with,
    not_taken_up,
)
from orchestrator.panel.model.fact import key_of
from orchestrator.panel.model.reply import DebriefWords
from orchestrator.panel.records.projection import Projection
from orchestrator.panel.records.turns import with_persons

MOST_WANTED = 6
"""Questions that the panel still wanted to ask: a page shows no more."""
NO_ANSWER_TO_FOLLOW_UP = "the follow-up got no answer"


def debrief_of(
    rehearsal: Rehearsal,
    tensions: Sequence[Tension] | None = None,
    *,
    dismissed: Set[str] = frozenset(),
    persons: Persons | None = None,
) -> Debrief:
    """The debrief of a session as it stands.

    Args:
        tensions: All contradictions found in deck and speech, as they stand; None: nobody looked.
        dismissed: Digests of those that the presenter has dismissed since the session ended.
        persons: What people say of the answers.
    """
    projection, options, scene = rehearsal.projection, rehearsal.options, rehearsal.scene()
    heard = rehearsal.on_record(scene.segments, lambda one: [one.text])  # no page quotes the rest
    scene = replace(scene, segments=tuple(heard))
    said = projection.debrief_words or DebriefWords()
    reads = not is_bank(options.engine) and projection.took_over is None  # else what is worst is counted here
    passages = material(scene.deck, scene.segments)
    judged = (with_persons(one, persons or {}) for one in projection.exchanges)
    exchanges = tuple(map(rehearsal.exchange_on_record, judged))
    better = better_answers(said, exchanges, passages)
    names = {agent: rehearsal.name_of(agent) for agent in options.panel}
    later = {one.comes_back_to: one.id for one in projection.exchanges}
    before = None if rehearsal.drilled is None else rehearsal.drilled.before
    reviews = tuple(
        replace(
            _review(one, names.get(one.agent, one.agent), better.get(one.id), later.get(one.id)),
            is_dismissed=projection.is_about_dismissed(one, dismissed),
            about_answer=answer_quoted(one, exchanges),
            before=before if one.why_this_agent == PUT_AGAIN else None,
        )
        for one in exchanges
    )
    without = projection.dismissed | projection.unsaid_findings | dismissed
    found = None if tensions is None else _confirmed(tensions, said, without)
    found = found and tuple(rehearsal.on_record(found, lambda one: [side.quote for side in one.sides]))
    reviews = _with_contradicted(reviews, found or ())
    held = tuple(one for one in reviews if not one.is_dismissed)  # against the presenter
    fix = _fix(said if reads else DebriefWords(), reviews, found or ())
    clock_s, budget_s = rehearsal.now_s(), options.minutes * 60
    presenting_s, answering_s = projection.times(clock_s)
    under_questions = projection.under_questions(clock_s)
    record = Record(
        scene=scene,
        reviews=held,
        tensions=found,
        is_read=projection.is_deck_looked_at,
        read=read_checks(said, CHECKS, exchanges, passages),
        under_questions=under_questions,
        used_s=presenting_s + answering_s,
        budget_s=budget_s,
    )
    return Debrief(
        deck=scene.deck.title or scene.deck.name,
        presenter=options.presenter,
        speaker=projection.presenter,
        date=options.date,
        day=options.date or rehearsal.store.opened.at[:10],
        fix=fix,
        reviews=reviews,
        is_read=projection.is_deck_looked_at,
        withdrawn=projection.withdrawn_exchanges,
        tensions=found,
        homework=tuple(_homework(held, None if fix is None else fix.exchange)),
        promises=tuple(map(short, rehearsal.on_record(promises_of(rehearsal), lambda one: (one.quote,)))),
        slides=spans(projection.slides, scene.deck, clock_s, budget_s, under_questions),
        speech_s=presenting_s,
        answers_s=answering_s,
        budget_s=budget_s,
        delivery=delivery_of(
            projection.spoken,
            projection.presenter_labels,
            asked_at_s=[one.asked_at_s for one in projection.exchanges],
        ),
        repeated=repeated_in(
            [one for one in heard if one.speaker in projection.presenter_labels],
            [text for slide in scene.deck.slides for _, text in slide_texts(slide)],
        ),
        read_aloud=read_aloud(scene.deck, [(one.slide, one.quote) for one in talk_of(scene)]),
        rubric=rubric(record),
        engine=options.engine,
        language=options.language,
        bill=bill_of(projection.calls),
        shares=shares_of(rehearsal),
        observed=_observed(rehearsal.on_record(projection.observed, lambda one: (one.text, one.quote or ""))),
        still_wanted=_still_wanted(said, projection, without),
        not_put=tuple(one for _, one in projection.still_brought),
        took_over=projection.took_over,
        failed=projection.debrief_failed,
        without_replies=why_without_replies(rehearsal),
        unread=tuple(_unread(projection, scene.deck)),
    )


def _unread(projection: Projection, deck: Deck) -> Iterator[str]:
    """What was not read of deck and recording, and what slides lack: a line each, with its place."""
    yield from deck.notices
    yield from (gap.line for gap in projection.gaps)
    if projection.playback is not None:
        yield from projection.playback.notices


def _with_contradicted(reviews: Sequence[Review], tensions: Sequence[Tension]) -> tuple[Review, ...]:
    """Mark the answers that fail as a sum beside deck or speech, unless a later good answer settled that."""
    against = set[str | None]()
    for one in tensions:
        asked = asked_about(reviews, one)
        if one.class_ == READ or (asked is not None and asked.exchange.outcome == "satisfied"):
            continue
        exchanges = [review.exchange for review in reviews]
        against |= {answered_with(side.quote, exchanges) for side in one.sides if side.said_at_s is not None}
    return tuple(replace(one, is_contradicted=one.exchange.id in against) for one in reviews)


def _confirmed(tensions: Sequence[Tension], said: DebriefWords, without: Set[str]) -> tuple[Tension, ...]:
    """Without those that the presenter dismissed, and those that the engine took back at the end.

    Certain arithmetic is not the engine's to take back.
    """
    taken_back = frozenset(said.dismissed)
    stand = (one for place, one in enumerate(tensions) if place not in taken_back or one.by == ARITHMETIC)
    return tuple(one for one in stand if one.digest not in without)


def _review(exchange: Exchange, name: str, better: Stronger | None, came_back_as: str | None) -> Review:
    last = exchange.answered[-1] if exchange.answered else None
    return Review(
        exchange=exchange,
        name=name,
        asked=bare_question(exchange.turns[0], exchange.quote),
        said=None if last is None else deciding_words(last.answer or "", last.quote),
        verdict=phrasing.outcome(exchange),
        reason=None if last is None else _reason(exchange, last),
        stronger=None if came_back_as else _stronger(exchange, better),
        came_back_as=came_back_as,
        still_open=exchange.left_open,
    )


def _reason(exchange: Exchange, last: Turn) -> str | None:
    """Why the verdict is as it is; where a follow-up got no answer, that comes behind the last answer's."""
    if exchange.is_follow_up_silent and exchange.outcome == "unresolved":
        before = "" if last.reason in (None, YOURS) else f"{(last.reason or '').rstrip('.')}; "
        return f"{before}{NO_ANSWER_TO_FOLLOW_UP}"
    return None if exchange.turns[-1].reason == YOURS else exchange.turns[-1].reason


def _stronger(exchange: Exchange, better: Stronger | None) -> Stronger | None:
    """The engine's better answer; else the presenter's own words, where they came only when asked again.

    A follow-up that asked something new could not have been answered at the first asking.
    """
    if better is not None:
        return better
    last = exchange.turns[-1]
    is_late = exchange.result == "satisfied" and len(exchange.turns) > 1
    if (
        not is_late
        or any(turn.is_new_question for turn in exchange.turns)
        or not (last.answer and last.quote)
    ):
        return None
    quote = deciding_words(last.answer, last.quote, LONGEST_LATE)
    return Stronger(first=Source(quote, origin="answer", exchange=exchange.id))


def _homework(reviews: Sequence[Review], first: str | None = None) -> Iterator[OpenPoint]:
    """One point a question, the most pressing first; what several leave open stands with the first of them.

    What is to be fixed first, then questions without a good answer, the most pressed before the others,
    then those without any, then parked ones, then what good answers left open. An answer that nobody
    judged is the presenter's to judge, and no homework.

    Args:
        first: The exchange that is to be fixed first.
    """
    named: set[str] = set()
    home = not_taken_up([one.exchange for one in reviews])
    pressing = sorted(((_urgency(one, home, first), one) for one in reviews), key=lambda pair: pair[0])
    for (_, rank, _), one in pressing:
        points = {key_of(point): point for point in one.still_open}
        fresh = [point for key, point in points.items() if key not in named]
        named |= points.keys()
        match rank:
            case _Rank.NONE:
                continue
            case _Rank.PARKED:
                yield _point(one, "parked")
            case _Rank.LEFT_OPEN:
                if fresh:
                    yield _point(one, "; ".join(fresh))
            case _:
                said = one.exchange.person
                # Without a model a point left open is the answer itself, which says nothing of what lacks.
                told = [point for point in fresh if answered_with(point, [one.exchange]) is None]
                left = "" if said is not None and said.note else "; ".join(told)
                yield _point(one, left or (render.said_by(said) if said else one.reason or one.verdict))


class _Rank(IntEnum):
    """How much an open point presses, the most first."""

    UNRESOLVED, SILENT, PARKED, LEFT_OPEN, NONE = range(5)


def _urgency(one: Review, home: Sequence[Exchange], first: str | None) -> tuple[bool, _Rank, int]:
    """By what the open points are ordered: a key for `sorted`, which keeps the order of asking.

    Args:
        home: The parked questions that were not put again.
    """
    exchange = one.exchange
    match exchange.result:
        case "unresolved":
            rank = _Rank.UNRESOLVED
        case "unjudged" if one.is_silent:
            rank = _Rank.SILENT
        case "parked" if exchange in home:
            rank = _Rank.PARKED
        case "satisfied" if exchange.outcome == "satisfied" and one.still_open:
            rank = _Rank.LEFT_OPEN
        case _:
            rank = _Rank.NONE
    return exchange.id != first, rank, -len(exchange.turns)


def _point(one: Review, why: str) -> OpenPoint:
    is_done = one.exchange.result == "satisfied"
    return OpenPoint(
        one.exchange.id,
        next(iter(one.places), None),
        one.asked,
        why.rstrip("."),
        None if is_done else one.stronger,
        phrasing.origin(one.exchange),
    )


def _fix(said: DebriefWords, reviews: Sequence[Review], tensions: Sequence[Tension]) -> Fix | None:
    """As the engine says it, unless it is about what was dismissed; else the worst that code can tell."""
    gone = [one.exchange.id for one in reviews if one.is_dismissed]
    if not said.fix or said.fix_exchange in gone:
        held = [one for one in reviews if not one.is_dismissed]
        return first_of(held, [one for one in tensions if one.class_ != READ])
    about: Mapping[str, Review] = {one.exchange.id: one for one in reviews}
    review = about.get(said.fix_exchange or "")
    if review is None:
        return Fix(said.fix, said.why)
    return Fix(said.fix, said.why, exchange=review.exchange.id, better=review.stronger)


def _observed(observed: Sequence[Observation]) -> tuple[Observation, ...]:
    """Each once, in the order of noticing."""
    return tuple({(one.text, one.quote): one for one in observed}.values())


def _is_one_point(one: Candidate | Exchange, other: Candidate | Exchange) -> bool:
    """Whether two questions are about the same figures of a slide, shown or said.

    Words are not compared: "grew 38%" and "we grew by thirty-eight percent" share the figure alone.
    """
    if not one.quote or not other.quote or one.is_missing or other.is_missing:
        return False
    # A year alone is what many figures of a slide are of.
    found, others = (
        {each for each in figures(text) if isinstance(each, float)} for text in (one.quote, other.quote)
    )
    if one.slide == other.slide:
        return bool(found and others) and (found <= others or others <= found)
    is_said = one.said_at_s is not None or other.said_at_s is not None
    return is_said and bool(found) and found == others


def _still_wanted(said: DebriefWords, projection: Projection, without: Set[str]) -> tuple[str, ...]:
    """As the engine says it; else the panel's own questions that were never put, each panelist's latest."""
    gone = {
        text
        for text, one in projection.wanted.items()
        if projection.puts_dismissed(one, without) or projection.quotes_misheard(one)
    }
    known = still_to_ask(projection)
    left = still_to_ask(projection, without) if without else known
    gone |= {one.question for one in known} - {one.question for one in left}
    asked: list[Candidate | Exchange] = list(projection.asked)
    for one in known:  # in order: of two about one point the first is wanted
        if one.question not in gone and any(_is_one_point(one, other) for other in asked):
            gone.add(one.question)
        asked.append(one)
    left = tuple(one for one in left if one.question not in gone)
    if said.still_wanted:
        return tuple(text for text in said.still_wanted if text not in gone)[:MOST_WANTED]
    never = projection.never_asked
    latest = {one.agent: one.question for one in never if one.question not in gone}
    others = (one.question for one in left if one not in never)
    return tuple(dict.fromkeys((*latest.values(), *others)))[:MOST_WANTED]
