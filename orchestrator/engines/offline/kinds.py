"""Which kind of deck it is: a small score over titles and words, shown, and set by the presenter at will."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.deck.model import Deck
from orchestrator.engines.offline.bank import ANY, bank
from orchestrator.engines.offline.pages import Pages, pages_of
from orchestrator.engines.offline.words import holds
from orchestrator.errors import UsageError

TITLE_WEIGHT: Final = 3
"""A word in a title says more of a deck than one in its text."""

LEAST_SCORE: Final = 5
"""Below it a deck is of no kind in particular: one title and two words, or five words."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind that a deck is read as."""

    id: str
    name: str
    score: int
    given: bool = False  # set by the presenter
    beside: str | None = None  # the second kind, where it scores nearly as much

    @property
    def shown(self) -> str:
        """As a page shows it."""
        return f"{'set to' if self.given else 'read as'}: {self.name}"


NO_KIND: Final = Kind(ANY, "any deck", 0)


def kind_of(deck: Deck, given: str | None = None, claims: Sequence[Claim] = ()) -> Kind:
    """The kind of this deck.

    Raises:
        UsageError: *given* is no kind; the message lists them.
    """
    if given is not None:
        return _given(given)
    return read_as(pages_of(deck, claims))


def read_as(pages: Pages) -> Kind:
    """The kind with the highest score; the first of the list where two are equal."""
    scored = sorted(
        ((-_score(kind.titles, kind.texts, pages), number) for number, kind in enumerate(bank().kinds)),
    )
    (best, first), (next_best, second) = scored[0], scored[1]
    if -best < LEAST_SCORE:
        return NO_KIND
    is_close = next_best != 0 and -next_best >= max(LEAST_SCORE, 0.6 * -best)
    kinds = bank().kinds
    return Kind(kinds[first].id, kinds[first].name, -best, beside=kinds[second].id if is_close else None)


def _score(titles: Sequence[str], texts: Sequence[str], pages: Pages) -> int:
    in_titles = sum(TITLE_WEIGHT for pattern in titles if holds(pages.titles, pattern))
    return in_titles + sum(1 for pattern in texts if holds(pages.words, pattern))


def _given(given: str) -> Kind:
    wanted = given.strip().casefold()
    if wanted == ANY:
        return Kind(ANY, NO_KIND.name, 0, given=True)
    for kind in bank().kinds:
        if wanted in (kind.id, kind.name):
            return Kind(kind.id, kind.name, 0, given=True)
    known = ", ".join([*(kind.id for kind in bank().kinds), ANY])
    raise UsageError(f"there is no kind of deck {given!r}: use one of {known}")
