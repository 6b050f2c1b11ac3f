"""The parts of the debrief, as values; the forms of the page only lay them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.material.model.brought import BroughtQuestion
from orchestrator.material.model.claim import READ, Tension
from orchestrator.material.speech.delivery import Delivery
from orchestrator.material.speech.read_aloud import ReadAloud
from orchestrator.material.speech.repeated import Repeated
from orchestrator.panel.debrief.bill import Bill
from orchestrator.panel.debrief.shares import Shares
from orchestrator.panel.model.exchange import Exchange, Observation
from orchestrator.panel.records.about_contradictions import is_about


@dataclass(frozen=True, slots=True)
class Source:
    """Words of the deck or the presenter, verbatim, and where they stand."""

    quote: str
    slide: int | None = None
    said_at_s: float | None = None
    origin: str = "line"  # as Claim.origin, or "answer"
    exchange: str | None = None  # the exchange that an answer belongs to
    is_missing: bool = False  # the words only say which slide leaves something out
    under: str = ""  # of a table's cell its row and column


@dataclass(frozen=True, slots=True)
class Stronger:
    """A better answer, made only from what deck and presenter said, and what must be brought."""

    first: Source | None = None  # the presenter's own words that came too late
    text: str = ""  # as an engine words it
    rests_on: tuple[Source, ...] = ()  # the words that it is made of; at least one where there is a text
    bring: tuple[str, ...] = ()  # what was said nowhere


@dataclass(frozen=True, slots=True)
class Review:
    """One exchange as its presenter should look back on it."""

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
        """The follow-ups, as they were asked."""
        return tuple(turn.question for turn in self.exchange.turns[1:])

    @property
    def would_hold(self) -> bool:
        """Whether an answer that satisfied would do so before a board: no contradiction stands against it."""
        return self.exchange.outcome == "satisfied" and not self.is_contradicted

    @property
    def heard_as(self) -> tuple[str, ...]:
        """The answers as they were heard and judged that were corrected since."""
        return tuple(turn.misheard for turn in self.exchange.turns if turn.misheard is not None)

    @property
    def is_silent(self) -> bool:
        """Whether it got no answer at all."""
        return not any(turn.answer for turn in self.exchange.turns)

    @property
    def places(self) -> tuple[Source, ...]:
        """The words that the question is about, both sides of a contradiction; none where it is general."""
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
    """The last exchange whose quotes are two of the contradiction's; None: nobody asked."""
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
    """Homework: a question without a good answer, or what a good one left open."""

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
    budget_s: float = 0.0  # its share of the time; see `timing.shares`
    asked_s: float = 0.0  # how long it was shown beside that, under questions


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the rubric: what was looked at, what came out, and what that rests on."""

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

    @property
    def contradictions(self) -> tuple[Tension, ...]:
        """Those that fail as sums: counted."""
        return tuple(one for one in self.tensions or () if one.class_ != READ)

    @property
    def doubtful(self) -> tuple[Tension, ...]:
        """Those that no figure decides: asked, and not counted."""
        return tuple(one for one in self.tensions or () if one.class_ == READ)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(review.exchange for review in self.reviews)

    @property
    def was_answered(self) -> bool:
        """Whether the presenter answered anything."""
        return any(turn.answer for exchange in self.exchanges for turn in exchange.turns)

    @property
    def used_s(self) -> float:
        """Presenting and answering together."""
        return self.speech_s + self.answers_s
