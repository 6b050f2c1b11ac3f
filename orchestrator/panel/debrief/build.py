"""Making a session's debrief from its records: code computes the counts, and an engine writes the words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final

from orchestrator.core.legible import one_line
from orchestrator.material.checks.grounding import figures, material
from orchestrator.material.claim import ARITHMETIC, OF_TWO_PLACES, READ, Tension
from orchestrator.material.deck.lines import slide_texts
from orchestrator.material.speech.delivery import delivery_of, repeated_in
from orchestrator.material.speech.slides import read_aloud
from orchestrator.material.values import Deck
from orchestrator.panel import render
from orchestrator.panel.config.engine_names import RECORDED, has_stand_in, is_bank
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.debrief.excerpts import MAX_LATE, deciding_words, short
from orchestrator.panel.debrief.parts import (
    Debrief,
    Fix,
    OpenPoint,
    Review,
    Source,
    Stronger,
    asked_about,
    bill_of,
    shares_of,
    spans,
)
from orchestrator.panel.debrief.request import better_answers, promises_of, read_checks, still_to_ask
from orchestrator.panel.debrief.rubric import CHECKS, Record, rubric, talk_of
from orchestrator.panel.engines.in_flight import failures_told
from orchestrator.panel.engines.offline.judging import has_figure
from orchestrator.panel.loop.moderator import bare_question
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.model.exchange import (
    NO_JUDGEMENT,
    PARTLY,
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
from orchestrator.panel.model.reply import DebriefWords, key_of
from orchestrator.panel.records.exchanges import CallTaken, Looked, RoundMade, VerdictGiven
from orchestrator.panel.records.kinds import value_of
from orchestrator.panel.records.memory import FAILED, FactRun, FactsKept, ScratchpadsAsked
from orchestrator.panel.records.moderator import DebriefAnswered
from orchestrator.panel.records.projection import Projection, with_persons
from orchestrator.panel.records.start import DossierWritten, FocusBriefWritten

# ---------------------------------------------------------------------- without replies
# An engine of which no call brought anything: how many there were, and why each failed.
#
# Read from the ledger. Engines that have a stand-in are told of by it, and the bank does not fail.


def why_without_replies(rehearsal: OpenRehearsal) -> str | None:
    """Return in one line how many calls to the engine failed, if all of them did.

    Return None if any call succeeded, or if there were no calls.
    """
    name, store = rehearsal.options.engine, rehearsal.store
    if is_bank(name) or name == RECORDED or has_stand_in(name):
        return None
    calls = _Calls(name)
    for entry in store.entries():
        if entry.op in ("note", "write"):
            calls.take(value_of(store.record(entry.seq)))
    if calls.brought or not calls.failed:
        return None
    return f"the engine `{name}` gave no usable reply to {failures_told(calls.failed)}"


@dataclass(slots=True)
class _Calls:
    engine: str
    brought: int = 0  # something usable, though it be that nothing is left to ask
    failed: Counter[str] = field(default_factory=Counter)  # by the reason

    def take(self, value: object) -> None:
        match value:
            case FocusBriefWritten(failed=failed) | Looked(failed=failed) | DebriefAnswered(failed=failed):
                self._count(failed)
            case DossierWritten(dossier=dossier) if dossier.failed or dossier.engine == self.engine:
                self._count(dossier.failed)  # else it was brought along
            case RoundMade(inputs=inputs, failed=failed) | CallTaken(inputs=inputs, failed=failed):
                self.brought += len(inputs or ())
                for why in (failed or {}).values():
                    self._count(why)
            case VerdictGiven(judgement=judgement):
                if judgement.verdict != "unjudged":
                    self.brought += 1
                elif judgement.reason.startswith(f"{NO_JUDGEMENT}: "):
                    self._count(judgement.reason.removeprefix(f"{NO_JUDGEMENT}: "))
            case ScratchpadsAsked(failed=failed):
                self.brought += not failed
                for why in (failed or {}).values():
                    self._count(why)
            case FactRun(state=state, reason=reason) if state == FAILED:
                self._count(reason or FAILED)
            case FactsKept():
                self.brought += 1

    def _count(self, why: str | None) -> None:
        if why is None:
            self.brought += 1
        else:
            self.failed[one_line(why)] += 1


# ---------------------------------------------------------------------- first
# The one thing to fix first, as far as code can tell it: where an engine that reads has not said it.


_COUNTED: Final = {"number": "figure", "date": "date"}
"""Maps those of NEEDS whose lack in an answer code can detect to the words for them."""
_SAY: Final = "The answer first, in one sentence; then what it rests on."
_BRING: Final = "What answers it, or the day on which you bring it."


def first_of(reviews: Sequence[Review], tensions: Sequence[Tension]) -> Fix | None:
    """Return the worst finding as the one thing to fix first, or None if there is none.

    From the worst, the findings are: an open contradiction, first one that the panel asked about; an answer
    that a person judged as not given; an answer without the figure or date that was asked for; any other
    answer that certainly did not answer; the first question without an answer; the first parked question; an
    answer that a person judged as given in part; a contradiction that was answered but is still in the deck;
    and the question that had to be asked most often before it was answered. An answer that nobody judged is
    never a fault.

    Args:
        tensions: The contradictions that fail as sums, and no others.
    """
    asked = [(tension, asked_about(reviews, tension)) for tension in tensions]
    open_ = [pair for pair in asked if pair[1] is None or pair[1].exchange.result != "satisfied"]
    if open_:
        return _contradiction(reviews, *min(open_, key=lambda pair: pair[1] is None))
    return (
        _left([one for one in reviews if not _is_partly(one)])
        or _unanswered(reviews)
        or _left([one for one in reviews if _is_partly(one)])
        or next((_contradiction(reviews, *one) for one in asked), None)
        or _late(reviews)
    )


def _contradiction(reviews: Sequence[Review], tension: Tension, review: Review | None) -> Fix:
    exchanges = [one.exchange for one in reviews]
    why = "Nobody has to ask: whoever sees both places sees it."
    if review is not None and review.exchange.result == "satisfied":
        why = f"You settled it in {review.exchange.id}, and it still stands there."
    elif review is not None:
        why = f"{review.exchange.id} asked about it and {_came_of(review.exchange)}."
    heading = f"{tension.note[:1].upper()}{tension.note[1:]}"  # elsewhere it stands within a sentence
    slides = dict.fromkeys(f"slide {one.slide}" for one in tension.sides if one.slide is not None)
    where = phrasing.listed(list(slides))
    if tension.kind in OF_TWO_PLACES:
        sides = " or ".join(map(phrasing.with_place, phrasing.sides(tension, exchanges)))
        say = f"Which holds: {sides}; and where the other comes from."
        bring = f"{where[:1].upper()}{where[1:]}, corrected where it is wrong." if where else _BRING
    else:
        on = f" on {where}" if where else ""
        say, bring = f"Which figure{on} is wrong, and what is right.", f"The arithmetic{on}, done again."
    if review is None:
        return Fix(heading, why, say, bring)
    return Fix(heading, why, say, bring, review.exchange.id, review.stronger)


def _came_of(exchange: Exchange) -> str:
    if exchange.result == "parked":
        return "was parked"
    if not exchange.answered:
        return "got no answer"
    return "nobody has judged the answer" if exchange.result == "unjudged" else "got no good answer"


def _left(reviews: Sequence[Review]) -> Fix | None:
    """Return the worst of the answers that certainly do not answer, first among those judged by a person."""

    def rank(one: Review) -> tuple[bool, bool, int]:
        return one.exchange.person is None, not _lacked(one.exchange), -len(one.exchange.turns)

    left = [one for one in reviews if one.exchange.result == "unresolved" or _lacked(one.exchange)]
    if not left:
        return None
    review = min(left, key=rank)
    exchange, lacked = review.exchange, _lacked(review.exchange)
    if exchange.person is not None:
        return _question(review, phrasing.stopped(f"Your answer {render.said_by(exchange.person)}"))
    if lacked and exchange.result != "unresolved":
        return _question(review, f"It asks for a {lacked}, and no answer holds one.")
    often = phrasing.times_asked(exchange)
    why = f"{often[:1].upper()}{often[1:]}, it got no good answer" if often else "It got no good answer"
    return _question(review, phrasing.stopped(f"{why}: {review.reason}" if review.reason else why))


def _is_partly(review: Review) -> bool:
    said = review.exchange.person
    return said is not None and said.verdict == PARTLY


def _lacked(exchange: Exchange) -> str:
    """Return "figure" or "date" if the question asked for one and no answer contains any, else ""."""
    if (
        exchange.result not in ("unresolved", "unjudged")
        or exchange.person is not None
        or not exchange.answered
    ):
        return ""
    if any(has_figure(turn.answer or "") for turn in exchange.answered):
        return ""
    return next((_COUNTED[need] for need in exchange.turns[0].needs if need in _COUNTED), "")


def _unanswered(reviews: Sequence[Review]) -> Fix | None:
    silent = [one for one in reviews if one.is_silent and one.exchange.result != "parked"]
    home = {one.id for one in not_taken_up([review.exchange for review in reviews])}
    parked = [one for one in reviews if one.exchange.id in home]
    if silent:
        return _question(silent[0], "It was the first question to get no answer.")
    return _question(parked[0], "You put it off, so it will come back.") if parked else None


def _late(reviews: Sequence[Review]) -> Fix | None:
    late = [
        one for one in reviews if one.exchange.result == "satisfied" and phrasing.times_asked(one.exchange)
    ]
    if not late:
        return None
    worst = max(late, key=lambda one: len(one.exchange.turns))
    often = phrasing.times_asked(worst.exchange)
    return _question(worst, f"No answer was found wanting, but this one had to be {often}.")


def _question(review: Review, why: str) -> Fix:
    """Return the fix for a question: the question as first asked, and what would answer it.

    A follow-up may leave out what the first question says.
    """
    exchange = review.exchange
    question = bare_question(exchange.turns[0], exchange.quote)
    about = next(iter(review.places), None)
    say = exchange.good_answer or _SAY
    return Fix(
        phrasing.question_about(exchange.id, question, about, phrasing.origin(exchange)),
        why,
        phrasing.stopped(f"{say[:1].upper()}{say[1:]}"),
        _BRING,
        exchange.id,
        review.stronger,
    )


# ---------------------------------------------------------------------- build


MAX_WANTED = 6
"""Maximum number of questions shown that the panel still wanted to ask."""
NO_ANSWER_TO_FOLLOW_UP = "the follow-up got no answer"


def debrief_of(
    rehearsal: OpenRehearsal,
    tensions: Sequence[Tension] | None = None,
    *,
    dismissed: Set[str] = frozenset(),
    persons: Persons | None = None,
) -> Debrief:
    """Make the debrief of a session in its current state.

    Args:
        tensions: All current contradictions in deck and speech, or None if nobody looked for any.
        dismissed: Digests of the contradictions that the presenter has dismissed since the session ended.
        persons: People's verdicts on the answers.
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
        workers=tuple(projection.workers),
    )


def _unread(projection: Projection, deck: Deck) -> Iterator[str]:
    """Yield a line, with its place, for each unread part of deck and recording and for what slides lack."""
    yield from deck.notices
    yield from (gap.line for gap in projection.gaps)
    if projection.playback is not None:
        yield from projection.playback.notices


def _with_contradicted(reviews: Sequence[Review], tensions: Sequence[Tension]) -> tuple[Review, ...]:
    """Mark the answers whose figures contradict deck or speech, unless a later good answer settled that."""
    against = set[str | None]()
    for one in tensions:
        asked = asked_about(reviews, one)
        if one.class_ == READ or (asked is not None and asked.exchange.outcome == "satisfied"):
            continue
        exchanges = [review.exchange for review in reviews]
        against |= {answered_with(side.quote, exchanges) for side in one.sides if side.said_at_s is not None}
    return tuple(replace(one, is_contradicted=one.exchange.id in against) for one in reviews)


def _confirmed(tensions: Sequence[Tension], said: DebriefWords, without: Set[str]) -> tuple[Tension, ...]:
    """Return the contradictions that neither the presenter dismissed nor the engine took back at the end.

    The engine cannot take back certain arithmetic.
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
    """Return the verdict's reason; if a follow-up got no answer, append that to the last answer's reason."""
    if exchange.is_follow_up_silent and exchange.outcome == "unresolved":
        before = "" if last.reason in (None, YOURS) else f"{(last.reason or '').rstrip('.')}; "
        return f"{before}{NO_ANSWER_TO_FOLLOW_UP}"
    return None if exchange.turns[-1].reason == YOURS else exchange.turns[-1].reason


def _stronger(exchange: Exchange, better: Stronger | None) -> Stronger | None:
    """Return the engine's better answer, else the presenter's own words if they came only when asked again.

    An answer to a follow-up that asked something new does not count, since it could not have come sooner.
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
    quote = deciding_words(last.answer, last.quote, MAX_LATE)
    return Stronger(first=Source(quote, origin="answer", exchange=exchange.id))


def _homework(reviews: Sequence[Review], first: str | None = None) -> Iterator[OpenPoint]:
    """Yield one open point for each question, the most urgent first.

    A point that several questions share is listed with its first question.

    The order is: the one thing to fix first; questions without a good answer, those pressed most before the
    others; questions without any answer; parked questions; and points that good answers left open. An answer
    that nobody judged is left to the presenter to judge, and is not homework.

    Args:
        first: The id of the exchange of the one thing to fix first.
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
    """The urgency of an open point; the most urgent rank comes first."""

    UNRESOLVED, SILENT, PARKED, LEFT_OPEN, NONE = range(5)


def _urgency(one: Review, home: Sequence[Exchange], first: str | None) -> tuple[bool, _Rank, int]:
    """Return the sort key of an open point; points with equal keys stay in the order of asking.

    Args:
        home: The parked questions that were not asked again.
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
    """Return the one thing to fix first: the engine's choice, or code's if the engine's was dismissed or is
    missing.
    """
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
    """Return each observation once, in the order in which it was noticed."""
    return tuple({(one.text, one.quote): one for one in observed}.values())


def _is_one_point(one: Candidate | Exchange, other: Candidate | Exchange) -> bool:
    """Return whether two questions are about the same figures of a slide, shown or said.

    Words are not compared: "grew 38%" and "we grew by thirty-eight percent" share only the figure.
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
    """Return the questions still wanted: the engine's choice, else each panelist's latest never asked
    question.
    """
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
        return tuple(text for text in said.still_wanted if text not in gone)[:MAX_WANTED]
    never = projection.never_asked
    latest = {one.agent: one.question for one in never if one.question not in gone}
    others = (one.question for one in left if one not in never)
    return tuple(dict.fromkeys((*latest.values(), *others)))[:MAX_WANTED]
