"""The seats of the bank that a panelist takes: those that its file names, else as its title and role say.

Nothing here names a panelist. One whose words say nothing asks whatever is left.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from orchestrator.panel.bank.bank import SEATS, bank
from orchestrator.panel.bank.words import holds, plain
from orchestrator.panel.personas.persona import Seat

MOST: Final = 3
"""Seats that one panelist takes by its words: half of the table."""


def seats_of(seat: Seat) -> frozenset[str]:
    """The seats that this panelist asks for; empty: all alike."""
    return frozenset(seat.persona.asks) or _by_words(plain(f"{seat.persona.title} {seat.persona.role}"))


def fits(words: str, seat: str) -> int:
    """How many of the seat's words stand in a plain text."""
    return sum(1 for pattern in bank().phrases.seats[seat] if holds(words, pattern))


@lru_cache(maxsize=64)
def _by_words(words: str) -> frozenset[str]:
    scored = sorted((-fits(words, seat), number, seat) for number, seat in enumerate(SEATS))
    return frozenset(seat for score, _, seat in scored[:MOST] if score)
