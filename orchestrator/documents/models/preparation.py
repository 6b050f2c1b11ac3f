"""Documents about a deck before a session begins with it: how it was read, and its dossier."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from orchestrator.documents.models.base import Document, Gap, Place, Tension
from orchestrator.documents.models.sessions import IntelItem


class Quantity(Document):
    """A number as it is asserted."""

    value: float = Field(description="In base units: 4.2 M is 4200000.")
    unit: str | None
    period: str | None
    subject: str | None
    text: str


class Claim(Document):
    """One assertion with its place."""

    claim: str = Field(description='"d3.2": the second claim of slide 3; "s17.1": of the 17th segment.')
    slide: int | None
    said_at_s: float | None
    text: str
    kinds: list[str]
    quantities: list[Quantity]


class SlideTitle(Document):
    """A slide by its title."""

    slide: int
    title: str


class Notice(Document):
    """What was not read."""

    note: str
    where: str | None = None


class CheckDocument(Document):
    """What a deck (and speech) says, and where it contradicts itself."""

    kind: str
    slides: list[SlideTitle]
    claims: list[Claim]
    tensions: list[Tension]
    gaps: list[Gap]
    notices: list[Notice | str] = Field(description="Over HTTP each is a text.")
    failed: str | None = Field(description="Why the engine did not read all of it.")


# ---------------------------------------------------------------------- decks


class DeckSlide(SlideTitle):
    """A slide as it was read."""

    lines: list[str]
    hidden: bool


class DeckClaim(Document):
    """A claim of a deck."""

    slide: int | None
    text: str


class DeckDocument(Document):
    """A deck as it was understood; `deck` names it when a session begins."""

    deck: str = Field(description="SHA-256 of the file.")
    name: str
    title: str
    kind: str
    kinds: list[str] = Field(description="Those that may be chosen in place of it.")
    slides: list[DeckSlide]
    claims: list[DeckClaim]
    tensions: list[Tension]
    gaps: list[Gap]
    notices: list[str]
    deck_kind: str = Field(description="pptx, pdf or md.")
    has_pictures: bool = Field(description="This machine can draw its slides.")


class EarlierOptions(Document):
    """What a session was begun with, by the names that beginning one takes."""

    engine: str
    layout: str
    intensity: str
    mode: str
    minutes: int | None = None
    exchanges: int | None = None
    kind: str | None
    remember: bool
    keep_source: bool
    presenter: str | None
    focus: list[str]
    panel: list[str]


class EarlierChoices(Document):
    """A session's deck and choices, to begin another one with."""

    deck: DeckDocument
    options: EarlierOptions


# ---------------------------------------------------------------------- dossier


class Attack(Document):
    """A question that the board is likely to ask, and how to prepare for it."""

    question: str
    asked_by: str
    why: str
    about: Place | None
    good_answer: str
    bring: list[str]
    have: list[Place] = Field(description="What the deck says already.")
    agent: str | None
    is_missing: bool = Field(description="It asks for what the deck does not say.")


class Profile(Document):
    """One person at the table."""

    kind: str
    name: str
    role: str
    asks: list[int] = Field(description="Which of the attacks, from 1.")
    agent: str | None


class DossierTension(Tension):
    """A contradiction of the deck."""

    id: str
    places: list[Place]


class Dossier(Document):
    """The likely attacks on a deck and how to prepare."""

    deck: str
    slides: int
    claims: int
    language: str
    attacks: list[Attack]
    profiles: list[Profile]
    tensions: list[DossierTension]
    gaps: list[Gap]
    intel: list[IntelItem]
    has_board: bool
    kind: str | None
    engine: str
    failed: str | None
    left_out: int


class DossierDocument(Dossier):
    """The same, and what should be said beside it."""

    notices: list[str] | None = None


class PreparedQuestion(Document):
    """How far the presenter is with an attack of the dossier."""

    is_prepared: bool
    answer: str
    missing: str = Field(description="What the question asks for and the deck lacks, in words.")


class AskedBefore(Document):
    """A question of earlier rehearsals of the deck, and what came of it the last time."""

    question: str
    point: str
    session: str
    exchange: str
    day: str
    outcome: str
    by: str
    is_open: bool


class DeckDossier(Document):
    """A deck's dossier as it stands."""

    state: Literal["none", "making", "failed", "ready"]
    engine: str | None = Field(description="Who makes it, or has.")
    seconds: int = Field(description="That it has taken so far.")
    asking: str | None = Field(description="What its model is asked, and for how long.")
    failed: str | None
    made_at: str | None
    notices: list[str]
    dossier: Dossier | None
    questions: list[PreparedQuestion] = Field(description="As the dossier's attacks.")
    asked: list[AskedBefore] = Field(description="In rehearsals of this deck, open ones first.")
