"""The interface of an engine: one method, typed requests, typed results.

An engine holds no state of a session: everything it may use is in the request (and, for a model, in the
assembled context). Equal requests give equal results, as far as the engine is deterministic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

from orchestrator.material.claim import Claim, Proposal, Refusal, Tension
from orchestrator.material.claim import Passage as Passage
from orchestrator.material.values import Deck, IntelItem, Reported, Segment
from orchestrator.panel.model.carryover import OpenPoint
from orchestrator.panel.model.exchange import Candidate, Exchange, Judgement, Observation, Target
from orchestrator.panel.model.reply import Attack, Bearing, BoardMember, DebriefWords, FactDraft, Remembered
from orchestrator.panel.model.reply import Passage as FactPassage
from orchestrator.panel.personas.persona import Seat

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context
    from orchestrator.panel.engines.in_flight import Calls
    from orchestrator.panel.model.usage import CallUsage, Total


# ---------------------------------------------------------------------- protocol


R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Scene:
    """The rehearsal's current state, as typed values; sequences are live, so do not keep them."""

    deck: Deck
    deck_claims: Sequence[Claim]
    speech_claims: Sequence[Claim]  # of the presenter's words only, in the order spoken
    segments: Sequence[Segment]  # everything said, whoever said it
    exchanges: Sequence[Exchange]  # closed ones and, last, the open one if any
    slide: int | None  # the slide that is shown now
    clock_s: float  # session clock
    intensity: str  # friendly, moderate or adversarial
    focus: Sequence[str]  # what the presenter asked the panel to look at
    tensions: Sequence[Tension] = ()  # what contradicts what, in the deck and in what was said so far
    intel: Sequence[IntelItem] = ()  # what was brought in from outside, each with the claim it bears on
    presenter_labels: tuple[str | None, ...] = (None,)  # whose words are judged; None: those without one
    observed: Sequence[Observation] = ()  # what panelists have noted about the presenter so far
    left_open: Sequence[OpenPoint] = ()  # of earlier rehearsals, where the presenter wants to be remembered
    members: tuple[BoardMember, ...] = ()  # of the real board, where the presenter named them
    kind: str | None = None  # of deck, where the presenter said so
    board_is_filed: bool = False  # both stand in a file that every agent is given


@dataclass(frozen=True, slots=True)
class Request(Generic[R]):
    """One task. A request that is not a `SeatRequest` holds all that it is about.

    No context goes with such a request, and a model answers it in a separate schema.
    """


@dataclass(frozen=True, slots=True)
class TensionsRequest(Request[tuple[Proposal, ...]]):
    """What contradicts what in these passages? Proposals only: `checks.proposals.verify` decides.

    `refused` holds earlier proposals and why they were not accepted: each may be corrected once.
    """

    passages: tuple[Passage, ...]
    new: frozenset[str] = frozenset()  # ids of passages not looked at before; empty: all of them
    known: tuple[Tension, ...] = ()
    refused: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class DoubtRequest(Request[tuple[str | None, ...]]):
    """For each tension: under which reading do both places hold, in one sentence; None: under none?"""

    tensions: tuple[Tension, ...]
    passages: tuple[Passage, ...]  # those that they quote, and what stands around them


@dataclass(frozen=True, slots=True)
class DossierRequest(Request[tuple[Attack, ...]]):
    """What will this board ask about this deck? The likeliest first, at most `limit`."""

    deck: Deck
    claims: tuple[Claim, ...]
    passages: tuple[Passage, ...]
    seats: tuple[Seat, ...]  # the panelists
    members: tuple[BoardMember, ...] = ()  # of the real board, where the presenter named them
    intel: tuple[IntelItem, ...] = ()
    tensions: tuple[Tension, ...] = ()
    focus: tuple[str, ...] = ()
    kind: str | None = None  # of deck, where the presenter said so
    limit: int = 12


@dataclass(frozen=True, slots=True)
class NewsRequest(Request[tuple[Bearing, ...]]):
    """Which of these findings from outside bears on which words of the deck, and how?"""

    reported: tuple[Reported, ...]
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class ScribeRequest(Request[tuple[Remembered, ...]]):
    """Which goals, decisions and blockers do these passages state explicitly that are new?"""

    passages: tuple[FactPassage, ...]
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactsRequest(Request[tuple[FactDraft, ...]]):
    """Which facts do these passages state that are not known yet? Only what was said.

    What comes back is checked against the passages, so an invention costs a call and no more.
    """

    passages: tuple[FactPassage, ...]
    known: tuple[str, ...] = ()  # contents of the facts there are, the latest last
    presenter_labels: tuple[str | None, ...] = (None,)  # whose words are judged; None: those without one


@dataclass(frozen=True, slots=True)
class SeatRequest(Request[R]):
    """One task for one agent, asked with the agent's assembled context."""

    seat: Seat
    scene: Scene


@dataclass(frozen=True, slots=True)
class FocusBriefRequest(SeatRequest[tuple[Target, ...]]):
    """Which claims of the deck will this panelist attack? Asked once, at the start.

    `taken` holds what other panelists have already chosen: ids of claims, and quotes of lines that are no
    claims. `others` are the panelists still to be asked; a line that suits one of them better may be left to
    that one.
    """

    taken: frozenset[str] = frozenset()
    others: tuple[Seat, ...] = ()
    likely: tuple[Attack, ...] = ()  # what the board as a whole is likely to ask, from the dossier


@dataclass(frozen=True, slots=True)
class CandidateRequest(SeatRequest[Candidate | None]):
    """What would this panelist ask now? `taken` holds the claims asked about, by anyone.

    The reply None means that nothing is left to ask.
    """

    targets: tuple[Target, ...] = ()
    taken: frozenset[str] = frozenset()
    standing: tuple[Candidate, ...] = ()  # the other panelists' questions that may be asked now
    asked: tuple[str, ...] = ()  # every question that was put, by anyone, in order
    taken_lines: frozenset[str] = frozenset()  # quotes asked about by anyone, or standing with another
    occasion: str = ""  # break, pause or end: it may be put right now; refresh: at any moment
    exchanges_left: int = 0
    minutes_left: float = 0.0
    may_look_ahead: bool = False  # lines of slides that were not shown yet may be asked about
    current: Candidate | None = None  # its own question that was not put yet, to be kept or replaced
    whose: tuple[str, ...] = ()  # of each of the scene's tensions: the exchange that asked, or who is to


@dataclass(frozen=True, slots=True)
class JudgementRequest(SeatRequest[Judgement]):
    """Does the last turn's answer give what was asked? `is_last`: no follow-up is possible."""

    exchange: Exchange
    is_last: bool = False
    angle: str = ""  # why it was asked, as the candidate had it
    good_answer: str = ""  # what a good answer would contain, as the candidate had it


@dataclass(frozen=True, slots=True)
class ScratchpadRequest(SeatRequest[str]):
    """How should the agent's own page, kept across sessions, read now? Asked once, at the end."""

    before: str  # the page as it stands; "" where there is none
    day: str  # of this rehearsal, YYYY-MM-DD
    limit: int  # characters that the page may have


@dataclass(frozen=True, slots=True)
class DebriefRequest(SeatRequest[DebriefWords]):
    """What should the presenter take home? Asked once, at the end, with the moderator's context."""

    tensions: tuple[Tension, ...] = ()
    never_asked: tuple[Candidate, ...] = ()  # candidate questions that were never put
    checks: tuple[str, ...] = ()  # names of the rubric's checks that only reading can decide


class Engine(Protocol):
    """An engine: the source of the agents' words."""

    @property
    def name(self) -> str:
        """Return the command line's and receipts' name: "offline", "claude", "recorded", "scripted"."""

    def reply(self, request: Request[R], context: Context | None) -> R:
        """Return the result that this kind of request asks for.

        Raises:
            EngineError: The engine failed or gave no usable reply.
        """


# ---------------------------------------------------------------------- offers
# What an engine may offer beside `reply`: one small protocol each, asked for with `isinstance`.
#
# An engine offers whatever it has the methods of. One that answers at once, from rules or a list, needs
# none of them.


OnText = Callable[[str], None]


@runtime_checkable
class ByRules(Protocol):
    """An engine that follows rules: its calls cost nothing, and it does not understand what is said."""

    @property
    def is_by_rules(self) -> bool:
        """Return whether the engine follows rules."""


def understands(engine: Engine) -> bool:
    """Return whether the engine can find contradictions and judge what news bears on; each call may cost
    money.

    Every engine is assumed to, unless it offers `ByRules`.
    """
    return not (isinstance(engine, ByRules) and engine.is_by_rules)


@runtime_checkable
class SupportsFutures(Protocol):
    """An engine that can be asked without waiting: a call takes time and may cost money."""

    def begin(self, request: Request[R], context: Context | None, on_text: OnText | None = None) -> Future[R]:
        """Start a call; cancelling the future cancels it. *on_text*: called with the text so far."""


@runtime_checkable
class Addressing(Protocol):
    """An engine that sends messages, and records in a context's receipt what it will send."""

    def addressed(self, request: Request[Any], context: Context, layout: str | None = None) -> Context:
        """Return the context with a receipt of what will be sent; *layout*: of messages, None for its own."""


@runtime_checkable
class Bounded(Protocol):
    """An engine that may have little room for what it is sent."""

    def room_bytes(self, request: SeatRequest[Any]) -> int | None:
        """Return the maximum size in bytes of a context's files together, or None if there is no limit."""


@runtime_checkable
class Accounting(Protocol):
    """An engine that counts what its calls use."""

    def take_usage(self) -> list[CallUsage]:
        """Return the calls since the last time this was asked, in the order in which replies came."""


@runtime_checkable
class HasFallback(Protocol):
    """An engine that the offline panel may replace if it never answers."""

    @property
    def took_over(self) -> str | None:
        """Return in one line why the offline panel answers instead, or None if it does not."""


@runtime_checkable
class Watched(Protocol):
    """An engine whose calls can be watched by whoever waits for it."""

    @property
    def calls(self) -> Calls:
        """Return the engine's calls, under way and over."""


@runtime_checkable
class Joining(Protocol):
    """An engine that wants to know the session that it is made for."""

    def join(self, *, spent: Total | None, say: Callable[[str], None], calls: Calls | None) -> None:
        """Join a session: *spent* by other processes, *say* a line to the user, *calls* to record in."""


@runtime_checkable
class Checking(Protocol):
    """An engine that depends on something outside, and can check whether that is available."""

    def check(self) -> None:
        """Check now that the engine can work.

        Raises:
            EngineError: The engine cannot work; one line says what to do.
        """


@runtime_checkable
class Closing(Protocol):
    """An engine that runs something in the background: a thread, calls in flight."""

    def close(self) -> None:
        """Cancel the calls in flight and stop the threads."""


@runtime_checkable
class Advising(Protocol):
    """An engine that has notices about its setup."""

    @property
    def notices(self) -> list[str]:
        """Return what a user should know about the engine's setup, a line each."""


@dataclass(frozen=True, slots=True)
class Found:
    """A source's own words, as a search of the web cites them."""

    query: int  # its place among the queries
    cited: str
    title: str
    url: str
    age: str | None  # when the page was last changed, as the service says it


@dataclass(frozen=True, slots=True)
class Searched:
    """The findings of all queries."""

    found: tuple[Found, ...]
    usage: tuple[CallUsage, ...]
    failed: tuple[str, ...] = ()  # why a query brought nothing, a line each


@runtime_checkable
class Searching(Protocol):
    """An engine that can search the web."""

    def search(self, queries: Sequence[str]) -> Searched:
        """Search for each of *queries*; what it costs is in the result.

        Raises:
            EngineError: None of them could be searched for; one line.
        """
