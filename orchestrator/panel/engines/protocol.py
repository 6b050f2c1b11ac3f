"""The interface of an engine: one method, typed requests and typed results.

An engine stores no state of a session: everything that it may use is in the request (and, for a model, in the
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
    """The rehearsal's current state as typed values; the sequences in it are live, so do not store them."""

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
    """One task for an engine; a request that is not a `SeatRequest` contains everything that it is about.

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
    """A request to doubt contradictions.

    For each, the reply contains in one sentence a reading under which both places are true, or None if there
    is none.
    """

    tensions: tuple[Tension, ...]
    passages: tuple[Passage, ...]  # those that they quote, and what stands around them


@dataclass(frozen=True, slots=True)
class DossierRequest(Request[tuple[Attack, ...]]):
    """A request for what this board will ask about this deck, the likeliest first, up to `limit`."""

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
    """A request to say which findings from outside concern which words of the deck, and how."""

    reported: tuple[Reported, ...]
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class ScribeRequest(Request[tuple[Remembered, ...]]):
    """A request for the new goals, decisions and blockers that these passages state explicitly."""

    passages: tuple[FactPassage, ...]
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactsRequest(Request[tuple[FactDraft, ...]]):
    """A request for the facts that these passages state and that are not known yet: only what was said.

    The reply is checked against the passages, so an invented fact costs a call and nothing more.
    """

    passages: tuple[FactPassage, ...]
    known: tuple[str, ...] = ()  # contents of the facts there are, the latest last
    presenter_labels: tuple[str | None, ...] = (None,)  # whose words are judged; None: those without one


@dataclass(frozen=True, slots=True)
class SeatRequest(Request[R]):
    """A request to one agent, asked with the agent's assembled context."""

    seat: Seat
    scene: Scene


@dataclass(frozen=True, slots=True)
class FocusBriefRequest(SeatRequest[tuple[Target, ...]]):
    """A request for the claims of the deck that this panelist will attack, asked once, at the start.

    `taken` contains what other panelists have already chosen: ids of claims, and quotes of lines that are not
    claims. `others` are the panelists still to be asked; a line that suits one of them better may be left to
    that panelist.
    """

    taken: frozenset[str] = frozenset()
    others: tuple[Seat, ...] = ()
    likely: tuple[Attack, ...] = ()  # what the board as a whole is likely to ask, from the dossier


@dataclass(frozen=True, slots=True)
class CandidateRequest(SeatRequest[Candidate | None]):
    """A request for what this panelist would ask now; `taken` contains the claims that anyone asked about.

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
    """A request to judge whether the last turn's answer gives what was asked.

    If `is_last`, no follow-up is possible.
    """

    exchange: Exchange
    is_last: bool = False
    angle: str = ""  # why it was asked, as the candidate had it
    good_answer: str = ""  # what a good answer would contain, as the candidate had it


@dataclass(frozen=True, slots=True)
class ScratchpadRequest(SeatRequest[str]):
    """A request for the new text of the agent's own page, stored across sessions; asked once, at the end."""

    before: str  # the page as it stands; "" where there is none
    day: str  # of this rehearsal, YYYY-MM-DD
    limit: int  # characters that the page may have


@dataclass(frozen=True, slots=True)
class DebriefRequest(SeatRequest[DebriefWords]):
    """A request for what the presenter should take home; asked once, at the end, of the moderator."""

    tensions: tuple[Tension, ...] = ()
    never_asked: tuple[Candidate, ...] = ()  # candidate questions that were never put
    checks: tuple[str, ...] = ()  # names of the rubric's checks that only reading can decide


class Engine(Protocol):
    """An engine: the source of the agents' words."""

    @property
    def name(self) -> str:
        """Return the engine's name on the command line and in receipts, such as "offline" or "claude"."""

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
    """Return whether the engine can find contradictions and judge the bearing of news, at the cost of calls.

    Every engine is assumed to, unless it offers `ByRules`.
    """
    return not (isinstance(engine, ByRules) and engine.is_by_rules)


@runtime_checkable
class SupportsFutures(Protocol):
    """An engine that can be asked without waiting: a call takes time and may cost money."""

    def begin(self, request: Request[R], context: Context | None, on_text: OnText | None = None) -> Future[R]:
        """Start a call; cancelling the future cancels the call; *on_text* is called with the text so far."""


@runtime_checkable
class Addressing(Protocol):
    """An engine that sends messages, and records in a context's receipt what it will send."""

    def addressed(self, request: Request[Any], context: Context, layout: str | None = None) -> Context:
        """Return the context with a receipt of what will be sent.

        *layout* is the layout of the messages. If None, the engine's own.
        """


@runtime_checkable
class Bounded(Protocol):
    """An engine that may have little room for the files that it is sent."""

    def room_bytes(self, request: SeatRequest[Any]) -> int | None:
        """Return the maximum size in bytes of a context's files together, or None if there is no limit."""


@runtime_checkable
class Accounting(Protocol):
    """An engine that counts the usage of its calls."""

    def take_usage(self) -> list[CallUsage]:
        """Return the usage of the calls since the last time this was called, in the order of the replies."""


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
    """An engine that is told for which session it is made."""

    def join(self, *, spent: Total | None, say: Callable[[str], None], calls: Calls | None) -> None:
        """Join a session.

        *spent* is the usage of other processes, *say* is called with a line for the user, and *calls* records
        the calls.
        """


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
    """An engine that runs something in the background, such as a thread or calls in flight."""

    def close(self) -> None:
        """Cancel the calls in flight and stop the threads."""


@runtime_checkable
class Advising(Protocol):
    """An engine that has notices about its setup."""

    @property
    def notices(self) -> list[str]:
        """Return what a user should know about the engine's setup, one line for each notice."""


@dataclass(frozen=True, slots=True)
class Found:
    """A source's own words, as a web search cites them."""

    query: int  # its place among the queries
    cited: str
    title: str
    url: str
    age: str | None  # when the page was last changed, as the service says it


@dataclass(frozen=True, slots=True)
class Searched:
    """The findings of all queries of a web search."""

    found: tuple[Found, ...]
    usage: tuple[CallUsage, ...]
    failed: tuple[str, ...] = ()  # why a query brought nothing, a line each


@runtime_checkable
class Searching(Protocol):
    """An engine that can search the web."""

    def search(self, queries: Sequence[str]) -> Searched:
        """Search for each of *queries*; the result contains the cost.

        Raises:
            EngineError: None of the queries could be searched for; the message is one line.
        """
