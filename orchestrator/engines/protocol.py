"""What an engine is asked, and what it answers: one method, typed requests, typed results.

An engine holds no state of a session: everything it may use is in the request (and, for a
model, in the assembled context). Asking twice the same gives the same, as far as the engine
is deterministic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from orchestrator.carried import OpenPoint
from orchestrator.claims.model import Claim, Tension
from orchestrator.deck.model import Deck
from orchestrator.exchange import Candidate, Exchange, Judgement, Observation, Target
from orchestrator.intel.model import IntelItem
from orchestrator.memory.facts import FactDraft, Passage
from orchestrator.orchestration import Phrases
from orchestrator.persona import Seat
from orchestrator.speech.model import Segment

if TYPE_CHECKING:
    from orchestrator.context import Context

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Scene:
    """The rehearsal as it stands, as typed values; sequences are live, so do not keep them."""

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
    presenter: str | None = None  # the label of the speaker whose words are judged; None: no labels
    observed: Sequence[Observation] = ()  # what panelists have noted about the presenter so far
    left_open: Sequence[OpenPoint] = ()  # of earlier rehearsals, where the presenter wants to be remembered


@dataclass(frozen=True, slots=True)
class Request(Generic[R]):
    """One task for one agent."""

    seat: Seat
    scene: Scene


@dataclass(frozen=True, slots=True)
class FocusBriefRequest(Request[tuple[Target, ...]]):
    """Which claims of the deck will this panelist go after? Asked once, at the start.

    `taken` holds the claims that other panelists have already made their own; `others` are
    the panelists still to be asked, to whom a claim may be left that is more theirs.
    """

    taken: frozenset[str] = frozenset()
    others: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidateRequest(Request[Candidate | None]):
    """What would this panelist ask now? `taken` holds the claims asked about, by anyone.

    None: nothing is left to ask.
    """

    targets: tuple[Target, ...] = ()
    taken: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class JudgementRequest(Request[Judgement]):
    """Does the last turn's answer give what was asked? `is_last`: no follow-up is possible."""

    exchange: Exchange
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class NotesRequest(Request[str]):
    """What the panelist notes for itself after a turn: one or two lines, Markdown."""

    exchange: Exchange


@dataclass(frozen=True, slots=True)
class ObservationRequest(Request[Observation | None]):
    """What the panelist noticed about the presenter in this exchange, with a quote behind it."""

    exchange: Exchange


@dataclass(frozen=True, slots=True)
class PhrasesRequest(Request[tuple[str, ...]]):
    """The moderator's phrases for this session, filled in from its library."""

    library: Phrases
    slots: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ScratchpadRequest(Request[str]):
    """The panelist's own page, kept across sessions, as it should stand now. Asked once, at the end."""

    before: str  # the page as it stands; "" where there is none
    day: str  # of this rehearsal, YYYY-MM-DD
    limit: int  # characters that the page may have


@dataclass(frozen=True, slots=True)
class FactsRequest(Request[tuple[FactDraft, ...]]):
    """Which facts do these passages state that are not known yet? Nothing that was not said.

    What comes back is checked against the passages, so an invention costs a call and no more.
    """

    passages: tuple[Passage, ...]
    known: tuple[str, ...] = ()  # contents of the facts there are, the latest last


class Engine(Protocol):
    """Where an agent's words come from."""

    @property
    def name(self) -> str:
        """As on the command line and in receipts: "offline", "claude", "scripted"."""

    def reply(self, request: Request[R], context: Context | None) -> R:
        """The result that this kind of request asks for.

        Raises:
            EngineError: The engine failed or gave no usable reply.
        """
