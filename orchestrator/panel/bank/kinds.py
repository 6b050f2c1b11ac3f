"""Which kind of deck it is: a score over first slide, titles and words; the presenter may set it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.core.errors import UsageError
from orchestrator.material.model.claim import Claim
from orchestrator.material.model.slide import Deck
from orchestrator.panel.bank.bank import ANY, DeckKind, bank
from orchestrator.panel.bank.quotable import Pages, pages_of
from orchestrator.panel.bank.words import holds, holds_all

COVER_WEIGHT: Final = 8
"""As four titles: the first slide says what the deck is, once for each kind: "Proposal to the board"."""

TITLE_WEIGHT: Final = 2
"""A word in a title says more of a deck than one in its text; with 1 long texts would outvote headings."""

LEAST_SCORE: Final = 3
"""Below it a deck is of no kind in particular: a title and a word, or three words.

It was 5, and decks that fell below it were asked what suits any deck: a strict reader of 15 new decks
judged 26 of 44 such questions wrong, and of the others 19 of 136. The nearest kind asks better.
"""

LEAST_LEAD: Final = 1.15
"""Times the second kind's score: with less the signs are mixed, and boards of either kind ask in turn.

The lower, the more decks hear one kind alone, which may be the wrong one; the higher, the more hear two.
"""

FEWEST_OF_COUNCIL: Final = 3
"""Signs of a technical council in a deck for one: a single one stands in many others too."""

TOO_SHORT_TO_TELL: Final = 40  # words, in which the share below is less than one; taken for English
LEAST_ENGLISH: Final = 0.02
"""Share of the commonest words: the tersest of 61 English decks had 0.03, those in other languages none."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind that a deck is read as."""

    id: str
    name: str
    score: int
    given: bool = False  # set by the presenter
    beside: str | None = None  # the second kind, where it scores nearly as much: the signs are mixed

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
    kinds = bank().kinds
    weight = int(_is_for_council(pages))
    scored = sorted((-_score(one, pages, weight), number) for number, one in enumerate(kinds))
    (best, first), (next_best, second) = scored[0], scored[1]
    if -best < LEAST_SCORE or not _is_english(pages):
        return NO_KIND
    is_mixed = -best < LEAST_LEAD * -next_best
    return Kind(kinds[first].id, kinds[first].name, -best, beside=kinds[second].id if is_mixed else None)


def _is_for_council(pages: Pages) -> bool:
    """Many weak signs, one at least of those that hardly stand elsewhere."""
    sure, weak = (sum(holds(pages.words, one) for one in signs) for signs in bank().phrases.council)
    return sure > 0 and sure + weak >= FEWEST_OF_COUNCIL


def _is_english(pages: Pages) -> bool:
    words = pages.words.split()
    known = sum(word in bank().phrases.english for word in words)
    return len(words) < TOO_SHORT_TO_TELL or known >= LEAST_ENGLISH * len(words)


def _score(kind: DeckKind, pages: Pages, council: int) -> int:
    if kind.needs and not any(holds_all(pages.words, one) for one in kind.needs):
        return 0
    on_cover = COVER_WEIGHT * any(holds(pages.cover, pattern) for pattern in kind.cover)
    in_titles = sum(TITLE_WEIGHT for pattern in kind.titles if holds(pages.titles, pattern))
    in_texts = sum(1 for pattern in kind.texts if holds(pages.words, pattern))
    return on_cover + in_titles + in_texts + council * kind.council


def _given(given: str) -> Kind:
    kinds: tuple[DeckKind | Kind, ...] = (*bank().kinds, NO_KIND)
    for kind in kinds:
        if given.strip().casefold() in (kind.id, kind.name):
            return Kind(kind.id, kind.name, 0, given=True)
    known = ", ".join(kind.id for kind in kinds)
    raise UsageError(f"there is no kind of deck {given!r}: use one of {known}")


def kind_names() -> tuple[str, ...]:
    """The names of all kinds that a presenter can set."""
    return (*(kind.name for kind in bank().kinds), NO_KIND.name)
