"""A dossier as typed values; the page, the terminal and the JSON are made from these alone."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.material.model.claim import Gap, Tension
from orchestrator.material.model.intel import IntelItem
from orchestrator.panel.model.reply import Attack

BOARD = "board"
PANEL = "panel"


@dataclass(frozen=True, slots=True)
class BoardMember:
    """One person on the board, as the user describes them, with what holds for the whole body."""

    name: str
    role: str = ""
    background: str = ""
    interests: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()  # what this person's house makes and uses
    rules: tuple[str, ...] = ()  # the body's own rules and stages: the same for every member


@dataclass(frozen=True, slots=True)
class Profile:
    """One person at the table, and which of the dossier's questions are theirs."""

    kind: str  # BOARD or PANEL
    name: str
    role: str
    asks: tuple[int, ...] = ()  # places in `Dossier.attacks`, counted from 1 as on the page
    agent: str | None = None  # the panelist's id


@dataclass(frozen=True, slots=True)
class Dossier:
    """All that a presenter should know about the board's view of the deck before facing it."""

    deck: str  # its title, or its file's name
    slides: int
    claims: int
    language: str  # as claims.language says
    attacks: tuple[Attack, ...] = ()  # the likeliest first; every quote stands in the deck
    profiles: tuple[Profile, ...] = ()
    tensions: tuple[Tension, ...] = ()
    gaps: tuple[Gap, ...] = ()  # of the whole deck
    intel: tuple[IntelItem, ...] = ()  # that bears on words of the deck
    has_board: bool = False
    kind: str | None = None  # of deck, where the presenter said so
    engine: str = "offline"  # which engine wrote it
    failed: str | None = None  # why the engine that was asked first did not
    left_out: int = 0  # questions whose quotes stand nowhere in the deck
