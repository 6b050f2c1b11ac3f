"""What a dossier holds, as typed values; the page, the terminal and the JSON are made from these alone."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.claims.model import Gap, Tension
from orchestrator.intel.model import IntelItem

BOARD = "board"
PANEL = "panel"


@dataclass(frozen=True, slots=True)
class BoardMember:
    """One person on the board, as the user describes them."""

    name: str
    role: str = ""
    background: str = ""
    interests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Weakness:
    """One thing that a claim leaves open, or that speaks against it."""

    kind: str  # "period", "base", "source", …; "red flag", "benchmark", "tension", "intel"
    note: str  # a few words, without a full stop
    needs: tuple[str, ...] = ()  # of claims.model.NEEDS: what an answer would have to give
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Challenger:
    """Somebody who is likely to ask about a claim, and why."""

    kind: str  # BOARD or PANEL
    name: str
    role: str
    why: str
    agent: str | None = None  # the panelist's id


@dataclass(frozen=True, slots=True)
class Support:
    """Something in the deck itself that an answer can stand on, or must square with."""

    slide: int
    origin: str  # line, title, table or notes
    quote: str  # verbatim


@dataclass(frozen=True, slots=True)
class Attack:
    """A claim that is likely to be challenged, and how to prepare for it."""

    claim: str  # Claim.id
    slide: int | None
    quote: str  # verbatim from the slide
    weight: float
    weaknesses: tuple[Weakness, ...]
    challengers: tuple[Challenger, ...]  # the likeliest first
    question: str  # as it may be put; "" where no pattern fits
    answer: tuple[str, ...]  # what a good answer contains
    bring: tuple[str, ...]  # what to have at hand
    have: tuple[Support, ...]  # what the deck holds already


@dataclass(frozen=True, slots=True)
class Aim:
    """A claim that one person goes after."""

    claim: str
    slide: int | None
    quote: str
    why: str
    open: str  # the claim's first weakness, in its own words; "" where none was found


@dataclass(frozen=True, slots=True)
class Profile:
    """One person at the table: what they will likely challenge, and what they will miss in the deck."""

    kind: str  # BOARD or PANEL
    name: str
    role: str
    aims: tuple[Aim, ...]
    missing: tuple[str, ...] = ()  # sentences
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class WeakSlide:
    """A slide with several things against it."""

    slide: int
    title: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dossier:
    """All that a presenter should know about the board's view of the deck before facing it."""

    deck: str  # its title, or its file's name
    slides: int
    claims: int
    language: str  # as claims.language says
    attacks: tuple[Attack, ...] = ()
    profiles: tuple[Profile, ...] = ()
    tensions: tuple[Tension, ...] = ()
    weak_slides: tuple[WeakSlide, ...] = ()
    gaps: tuple[Gap, ...] = ()  # of the whole deck
    intel: tuple[IntelItem, ...] = ()  # that bears on a claim
    has_board: bool = False
