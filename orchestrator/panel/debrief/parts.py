"""The parts of the debrief, as values, which the formats only arrange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from orchestrator.core.legible import counted
from orchestrator.material.claim import READ, Tension
from orchestrator.material.deck.lines import slide_texts
from orchestrator.material.speech.delivery import Delivery, Repeated
from orchestrator.material.speech.slides import ReadAloud
from orchestrator.material.speech.times import words_in
from orchestrator.material.values import PANEL, BroughtQuestion, Deck, Slide
from orchestrator.panel.config.engine_names import has_stand_in, is_bank
from orchestrator.panel.engines.prices import prices_read_at
from orchestrator.panel.model.exchange import PUT_AGAIN, Exchange, Observation, each_once
from orchestrator.panel.model.usage import CallUsage, Total, total
from orchestrator.panel.records.exchanges import CallTaken, ExchangeOpened, RoundMade, VerdictGiven
from orchestrator.panel.records.kinds import value_of
from orchestrator.panel.records.moderator import Called
from orchestrator.panel.records.projection import DrivenBy, SlideTime, is_about

if TYPE_CHECKING:
    from orchestrator.panel.loop.rehearsal import OpenRehearsal


# ---------------------------------------------------------------------- bill
# The bill of a session's calls to a model, for the footer of the debrief and for `show`.


@dataclass(frozen=True, slots=True)
class Bill:
    """The bill of a session: the sum of its calls."""

    total: Total
    models: tuple[str, ...] = ()
    answered_by: tuple[str, ...] = ()  # other models, that the server says answered in their place
    answered_otherwise: int = 0  # calls on which it says so
    unpriced: tuple[str, ...] = ()  # models without a known price
    unreported: int = 0  # calls on which the server said nothing about its cache
    repairs: int = 0  # replies that were sent back
    budget_share: float | None = None  # of the session's budget that is used up; None: no budget
    prices_read_at: str | None = None  # YYYY-MM-DD; None: no call, so no price was needed

    @property
    def is_used_up(self) -> bool:
        """Return whether the session's budget was used up."""
        return self.budget_share is not None and self.budget_share >= 1.0


def bill_of(calls: Sequence[CallUsage]) -> Bill:
    """Return the bill of these calls, in the order in which they were made."""
    if not calls:
        return Bill(Total())
    return Bill(
        total=total(calls),
        models=tuple(sorted({one.model for one in calls})),
        answered_by=tuple(sorted({one.answered for one in calls if one.answered})),
        answered_otherwise=sum(bool(one.answered) for one in calls),
        unpriced=tuple(sorted({one.model for one in calls if one.cost_usd is None})),
        unreported=sum(not one.reported for one in calls),
        repairs=sum(one.repair for one in calls),
        budget_share=calls[-1].budget_share,
        prices_read_at=prices_read_at(),
    )


def bill_json(bill: Bill) -> dict[str, Any]:
    """Return the bill as plain JSON."""
    used = bill.total
    # Only where there are any, so that what was written of older sessions stays as it is.
    others = {"answered_by": list(bill.answered_by)} if bill.answered_by else {}
    return {
        "models": list(bill.models),
        **others,
        "calls": used.calls,
        "input_tokens": used.input,
        "read_tokens": used.read,
        "written_tokens": used.written,
        "new_tokens": used.new,
        "output_tokens": used.output,
        "searches": used.searches,
        "cost_usd": used.cost_usd if used.cost_usd is None else round(used.cost_usd, 6),
        "prices_read_at": bill.prices_read_at,
        "alarms": used.alarms,
        "unreported": bill.unreported,
        "repairs": bill.repairs,
        "budget_share": bill.budget_share,
    }


def bill_lines(bill: Bill, *, is_taken_over: bool = False) -> list[str]:
    """Return the bill in sentences, or none if no call was made.

    Args:
        is_taken_over: Whether the offline panel replaced the model, so that the bill needs an explanation.
    """
    used = bill.total
    if not used.calls:
        return []
    calls = f"{counted(used.calls, 'call')} to {', '.join(bill.models)}"
    if used.searches:
        calls += f" with {counted(used.searches, 'web search', 'web searches')}"
    tokens = f"{used.read:,} tokens read from the cache, {used.written:,} written to it, {used.new:,} new"
    lines = [f"{calls}: {tokens}, {used.output:,} output; {_cost(bill)}."]
    if is_taken_over:
        lines.append("Each reply that came is a call here, also one that could not be used.")
    if bill.answered_by:
        by = ", ".join(bill.answered_by)
        lines.append(f"On {counted(bill.answered_otherwise, 'call')} another model answered: {by}.")
    if used.alarms:
        lines.append(f"{counted(used.alarms, 'call')} read less from the cache than the layout promises.")
    if bill.unreported:
        lines.append(f"On {counted(bill.unreported, 'call')} the server said nothing about its cache.")
    if bill.is_used_up:
        lines.append("The session's budget was used up: from then on the panel worked offline.")
    elif bill.budget_share is not None:
        lines.append(f"{bill.budget_share:.0%} of the session's budget was used.")
    return lines


def _cost(bill: Bill) -> str:
    if bill.total.cost_usd is None:
        return f"the cost is not known, since no price is known for {', '.join(bill.unpriced)}"
    return f"${bill.total.cost_usd:,.4f} by the prices of {bill.prices_read_at}"


# ---------------------------------------------------------------------- shares
# Who asked and who judged: the model, or the offline panel that stands in for it.
#
# Read from the ledger: what the model made has a `call` record of its own before it.


@dataclass(frozen=True, slots=True)
class Shares:
    """The model's share of the questions and of the judged answers."""

    asked: int
    questions: int
    judged: int
    answers: int  # that were judged, by whomever

    @property
    def is_whole(self) -> bool:
        """Return whether the model asked all questions and judged all answers."""
        return self.asked == self.questions and self.judged == self.answers


def shares_of(rehearsal: OpenRehearsal) -> Shares | None:
    """Return the model's shares of a session's work, or None if its engine does not fall back on another."""
    if not has_stand_in(rehearsal.options.engine):
        return None
    count = _counted(rehearsal)
    asked = [count.asked[one.id] for one in each_once(rehearsal.projection.asked) if one.id in count.asked]
    return Shares(sum(asked), len(asked), sum(count.judged), len(count.judged))


def is_of_bank(rehearsal: OpenRehearsal, exchange: str) -> bool:
    """Return whether the offline panel asked this question, without a model."""
    if not has_stand_in(rehearsal.options.engine):
        return is_bank(rehearsal.options.engine)
    return not _counted(rehearsal).asked.get(exchange, True)


def _counted(rehearsal: OpenRehearsal) -> _Count:
    store, count = rehearsal.store, _Count()
    withdrawn = rehearsal.projection.withdrawn_records
    for entry in store.entries():
        if entry.op != "receipt" and entry.seq not in withdrawn:
            record = store.record(entry.seq)
            count.take(record.by, value_of(record))
    return count


@dataclass(slots=True)
class _Count:
    called: set[tuple[str, str]] = field(default_factory=set)  # task and agent, until it is made use of
    waiting: set[str] = field(default_factory=set)  # whose waiting question is a model's
    asked: dict[str, bool] = field(default_factory=dict)  # by exchange: whether a model's
    judged: list[bool] = field(default_factory=list)

    def take(self, by: str, value: object) -> None:
        match value:
            case Called(usage):
                self.called.add((usage.kind, usage.agent))
            case RoundMade(made=made, inputs=inputs, failed=failed):
                for agent in made:
                    self._made(agent)
                # A call counts for the refresh that it was made for; one that came too late counts for none.
                for agent in (*inputs, *(failed or ())):
                    self.called.discard(("candidate_question", agent))
            case CallTaken(agent, made=made):
                if made:
                    self._made(agent)
                self.called.discard(("candidate_question", agent))
            case ExchangeOpened(exchange):
                self._opened(exchange)
            case VerdictGiven(judgement=judgement):
                if judgement.verdict != "unjudged":
                    self.judged.append(("judgement", by) in self.called)
                self.called.discard(("judgement", by))

    def _made(self, agent: str) -> None:
        if ("candidate_question", agent) in self.called:
            self.waiting.add(agent)
        else:
            self.waiting.discard(agent)

    def _opened(self, exchange: Exchange) -> None:
        before = exchange.comes_back_to
        if exchange.written_by != PANEL:  # neither asked it of its own
            return
        if exchange.why_this_agent == PUT_AGAIN:  # of a drill: no stand-in made it
            self.asked[exchange.id] = True
            return
        self.asked[exchange.id] = self.asked.get(before, False) if before else exchange.agent in self.waiting


# ---------------------------------------------------------------------- parts


@dataclass(frozen=True, slots=True)
class Source:
    """Words of the deck or the presenter, verbatim, with their place."""

    quote: str
    slide: int | None = None
    said_at_s: float | None = None
    origin: str = "line"  # as Claim.origin, or "answer"
    exchange: str | None = None  # the exchange that an answer belongs to
    is_missing: bool = False  # the words only say which slide leaves something out
    under: str = ""  # of a table's cell its row and column


@dataclass(frozen=True, slots=True)
class Stronger:
    """A better answer, made only from what deck and presenter said, with what the presenter must bring."""

    first: Source | None = None  # the presenter's own words that came too late
    text: str = ""  # as an engine words it
    rests_on: tuple[Source, ...] = ()  # the words that it is made of; at least one where there is a text
    bring: tuple[str, ...] = ()  # what was said nowhere


@dataclass(frozen=True, slots=True)
class Review:
    """One exchange, as the presenter should review it."""

    exchange: Exchange
    name: str  # of the panelist
    asked: str  # the question without lead-in and quote
    said: str | None  # the presenter's deciding words, verbatim; None: there was no answer
    verdict: str  # in words
    reason: str | None
    stronger: Stronger | None  # None: there is nothing to add
    came_back_as: str | None = None  # the exchange that put the question again, if it was parked
    still_open: tuple[str, ...] = ()  # what its answers left open, also where the panelist was satisfied
    is_dismissed: bool = False  # it was about a contradiction that is none, as the presenter says
    about_answer: str | None = None  # the exchange to which the words that it is about were an answer
    is_contradicted: bool = False  # one of its answers cannot be right beside deck or speech, and that stands
    before: Exchange | None = None  # of a drill: the exchange of the earlier session

    @property
    def asked_again(self) -> tuple[str, ...]:
        """Return the follow-ups of the exchange, as they were asked."""
        return tuple(turn.question for turn in self.exchange.turns[1:])

    @property
    def would_hold(self) -> bool:
        """Return whether an answer that satisfied the panel contradicts nothing, so that it would satisfy a
        board.
        """
        return self.exchange.outcome == "satisfied" and not self.is_contradicted

    @property
    def heard_as(self) -> tuple[str, ...]:
        """Return the misheard words of answers that were corrected later, as they were judged."""
        return tuple(turn.misheard for turn in self.exchange.turns if turn.misheard is not None)

    @property
    def is_silent(self) -> bool:
        """Return whether the question got no answer at all."""
        return not any(turn.answer for turn in self.exchange.turns)

    @property
    def places(self) -> tuple[Source, ...]:
        """Return the words that the question is about: both sides of a contradiction, none if general."""
        one = self.exchange
        if one.quote is None:
            return (Source("", one.slide, is_missing=True),) if one.is_missing else ()
        own = Source(one.quote, one.slide, one.said_at_s, is_missing=one.is_missing, under=one.under)
        if self.about_answer is not None:
            own = Source(one.quote, origin="answer", exchange=self.about_answer)
        if (beside := one.beside) is None:
            return (own,)
        return own, Source(beside.quote, beside.slide, beside.said_at_s, under=beside.under)


def asked_about(reviews: Sequence[Review], tension: Tension) -> Review | None:
    """Return the last exchange that quotes two places of the contradiction, or None if nobody asked."""
    return next((one for one in reversed(reviews) if is_about(one.exchange, tension)), None)


@dataclass(frozen=True, slots=True)
class Fix:
    """The one thing to fix first."""

    what: str
    why: str  # why it is this one
    say: str | None = None  # what a good answer holds
    bring: str | None = None
    exchange: str | None = None
    better: Stronger | None = None  # an answer made from what was said; it goes before `say` and `bring`


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """Homework: a question without a good answer, or a point that a good answer left open."""

    exchange: str
    about: Source | None
    question: str  # without lead-in and quote
    why: str
    stronger: Stronger | None
    origin: str = ""  # as `render.origin`


@dataclass(frozen=True, slots=True)
class SlideSpan:
    """How long one slide was presented, summed over its appearances, in seconds of the session clock."""

    slide: int
    title: str
    seconds: float
    estimated: bool
    budget_s: float = 0.0  # its share of the time; see `shares`
    asked_s: float = 0.0  # how long it was shown beside that, under questions


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the rubric: what was checked, the result, and the words on which the result rests."""

    name: str
    state: str  # of STATES
    why: str
    source: Source | None = None


# "not judged" is never a fault: failure to tell must not read as success either.
STATES = ("yes", "partly", "no", "not judged")


@dataclass(frozen=True, slots=True)
class Debrief:
    """Everything that the page shows."""

    deck: str
    presenter: str
    speaker: str | None
    date: str | None
    fix: Fix | None
    reviews: tuple[Review, ...]
    tensions: tuple[Tension, ...] | None  # None: they were not looked for
    homework: tuple[OpenPoint, ...]
    promises: tuple[Source, ...]
    slides: tuple[SlideSpan, ...]
    speech_s: float
    answers_s: float
    budget_s: float
    delivery: Delivery
    rubric: tuple[Check, ...]
    engine: str
    language: str
    bill: Bill
    shares: Shares | None = None  # what the model asked and judged; None: there is no stand-in for it
    observed: tuple[Observation, ...] = ()  # what panelists noticed about the presenter
    still_wanted: tuple[str, ...] = ()  # what the panel still wanted to ask
    took_over: str | None = None  # why the offline panel sat in the place of the engine that was asked for
    failed: str | None = None  # why the engine gave no words for this page
    without_replies: str | None = None  # that the engine gave nothing usable at all, and why
    repeated: tuple[Repeated, ...] = ()  # strings of words that were said again and again
    read_aloud: tuple[ReadAloud, ...] = ()  # slides
    not_put: tuple[BroughtQuestion, ...] = ()  # of those that the presenter brought
    day: str = ""  # of the rehearsal, YYYY-MM-DD: the one that was given, else that of its beginning, in UTC
    is_read: bool = False  # an engine that reads has looked for contradictions; else sums alone were checked
    withdrawn: tuple[str, ...] = ()  # questions that fell with an answer that was taken back
    unread: tuple[str, ...] = ()  # of deck and recording, and what slides lack: a line each
    workers: tuple[DrivenBy, ...] = ()  # of a cluster, one after the other

    @property
    def contradictions(self) -> tuple[Tension, ...]:
        """Return the contradictions that fail as sums; only these are counted."""
        return tuple(one for one in self.tensions or () if one.class_ != READ)

    @property
    def doubtful(self) -> tuple[Tension, ...]:
        """Return the contradictions that numbers cannot decide: they are shown as questions and not
        counted.
        """
        return tuple(one for one in self.tensions or () if one.class_ == READ)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(review.exchange for review in self.reviews)

    @property
    def was_answered(self) -> bool:
        """Return whether the presenter answered anything."""
        return any(turn.answer for exchange in self.exchanges for turn in exchange.turns)

    @property
    def used_s(self) -> float:
        """Return the seconds of presenting and answering together."""
        return self.speech_s + self.answers_s


# ---------------------------------------------------------------------- timing
# Where the time went: how long each slide was presented, beside its share of the budget.


def spans(
    shown: Sequence[SlideTime],
    deck: Deck,
    end_s: float,
    budget_s: float,
    questions: Sequence[tuple[float, float]] = (),
) -> tuple[SlideSpan, ...]:
    """Return the time of every slide that was shown, and its share of *budget_s*.

    Args:
        questions: The start and end of each open question, on the session clock. This time does not count as
            presenting.
    """
    titles = {slide.number: slide.title for slide in deck.slides}
    share_of = shares(deck, budget_s)
    seconds: dict[int, float] = {}
    asked_s: dict[int, float] = {}
    guessed: dict[int, bool] = {}
    ends = [one.at_s for one in shown[1:]] + [end_s]
    for one, until_s in zip(shown, ends, strict=False):
        under_s = sum(max(0.0, min(to_s, until_s) - max(from_s, one.at_s)) for from_s, to_s in questions)
        seconds[one.slide] = seconds.get(one.slide, 0.0) + until_s - one.at_s - under_s
        asked_s[one.slide] = asked_s.get(one.slide, 0.0) + under_s
        guessed[one.slide] = guessed.get(one.slide, False) or one.estimated
    return tuple(
        SlideSpan(
            slide,
            titles.get(slide, ""),
            round(spent_s, 3),
            guessed[slide],
            round(share_of.get(slide, 0.0), 3),
            round(asked_s[slide], 3),
        )
        for slide, spent_s in sorted(seconds.items())
    )


def shares(deck: Deck, budget_s: float) -> Mapping[int, float]:
    """Return each slide's share of *budget_s*: half of it equally, half by its words, and none if it is
    hidden.
    """
    open_ = [slide for slide in deck.slides if not slide.hidden]
    words = {slide.number: _words(slide) for slide in open_}
    total = sum(words.values()) or 1.0  # a deck of pictures has no words
    return {
        number: budget_s * (0.5 / len(open_) + 0.5 * count / total)
        if any(words.values())
        else budget_s / len(open_)
        for number, count in words.items()
    }


def _words(slide: Slide) -> float:
    """Return the number of words that the audience reads, without notes and alternative texts."""
    return sum(words_in(text) for origin, text in slide_texts(slide) if origin not in ("notes", "alt"))
