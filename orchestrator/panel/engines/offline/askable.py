"""The questions that a deck calls for: each applicable entry of the bank, with the line that it is about.

`options` depends only on the deck and is cached; what is said later only removes some of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final

from orchestrator.material.claim import Claim
from orchestrator.material.values import Deck
from orchestrator.panel.bank.bank import (
    ANY,
    HEADING,
    PLACEHOLDER,
    SEATS,
    Condition,
    Entry,
    bank,
    holds,
    holds_all,
    plain,
)
from orchestrator.panel.bank.deck import Kind, Line, Page, Pages, kind_of, pages_of
from orchestrator.panel.engines.offline.wording import MAX_QUOTE, Wording, number_of, said, sentences
from orchestrator.panel.personas.persona import Seat

# ---------------------------------------------------------------------- subject
# How a question names the matter of a deck: the deck's own name for it, or the noun of its kind.


MIN_MENTIONS: Final = 3
"""Minimum number of mentions of a word of the title before it counts as a name: a common word comes twice by
chance.
"""

MIN_LETTERS: Final = 4
"""Minimum number of letters of a name; a shorter word in capitals is an abbreviation like many others."""

_WORD = re.compile(r"[^\W_]+")
_SPELT_AS_A_NAME = re.compile(r"[^\W\d_]\w*[A-Z]\w*")  # a capital that begins no word: PlantPal, ODFE
_END_OF_NAME = re.compile(r"[:;,|(–—]| - ")


def subject_of(deck: Deck, kind: Kind) -> str:
    """Return the name in the deck's title if decks of this kind are named after their subject, else a
    noun.
    """
    own = next((one for one in bank().kinds if one.id == kind.id), None)
    if own is None:
        return bank().noun
    return (own.is_named and (_spelt_out(deck) or _first_word(deck.title))) or own.noun


def _spelt_out(deck: Deck) -> str | None:
    """Return the title's first word that the lines spell as a name, in its most frequent spelling."""
    lines = (line for slide in deck.slides for line in slide.lines)
    found: Counter[str] = Counter(word for line in lines for word in _WORD.findall(line))
    for word in _WORD.findall(deck.title.replace("_", " ")):
        forms = [form for form, _ in found.most_common() if form.casefold() == word.casefold()]
        is_often = sum(found[form] for form in forms) >= MIN_MENTIONS
        if is_often and len(word) >= MIN_LETTERS and _SPELT_AS_A_NAME.fullmatch(forms[0]):
            return forms[0]
    return None


def _first_word(title: str) -> str | None:
    """Return the one word that is the title or precedes its colon, or None if the bank knows the word."""
    name = _END_OF_NAME.split(title)[0].strip()
    signs = (one for kind in bank().kinds for one in (*kind.cover, *kind.titles, *kind.texts))
    is_known = any(holds(plain(name), sign) for sign in signs)
    return name if _WORD.fullmatch(name) and name[0].isupper() and not is_known else None


# ---------------------------------------------------------------------- seats
# The seats of the bank that a panelist takes: those that its file names, else as its title and role say.
#
# Nothing here names a panelist. One whose words say nothing asks whatever is left.


MAX: Final = 3
"""Maximum number of seats that a panelist is assigned by its words: half of the table."""


def seats_of(seat: Seat) -> frozenset[str]:
    """Return the seats for which this panelist asks; if empty, it asks for all seats alike."""
    return frozenset(seat.persona.asks) or _by_words(plain(f"{seat.persona.title} {seat.persona.role}"))


def fits(words: str, seat: str) -> int:
    """Count how many of the seat's phrases are in a plain text."""
    return sum(1 for pattern in bank().phrases.seats[seat] if holds(words, pattern))


@lru_cache(maxsize=64)
def _by_words(words: str) -> frozenset[str]:
    scored = sorted((-fits(words, seat), number, seat) for number, seat in enumerate(SEATS))
    return frozenset(seat for score, _, seat in scored[:MAX] if score)


# ---------------------------------------------------------------------- askable


ADMISSION, LEFT_OUT, FIGURE, WHOLE = range(1, 5)
"""The sorts of questions, in their order; contradictions come before all of them."""

FOUND: Final = 3.0
"""Places by which a question moves up in its file if its words were found in the deck.

The number is larger than SPREAD, by which a question can move back.
"""

SPREAD: Final = 3
"""Maximum places by which a question moves back from deck to deck, so that two decks get the questions in
another order.

A larger number gives more variety but less order: plain questions that a file puts first may not be asked at
all.
"""

BORROWED: Final = 6
"""Places by which questions borrowed from another kind move back, behind the kind's own plain questions."""

LINES_OF_AN_ENTRY: Final = 4
"""Maximum number of lines that one entry may choose from; after the best was asked about, the next one is
used.
"""

Tell = Callable[..., Wording]
"""Returns the wording (`said`) of an entry, perhaps with a line, for this deck and board."""


@dataclass(frozen=True, slots=True)
class Option:
    """One question that could be asked."""

    entry: Entry
    wording: Wording
    tier: int
    order: float  # within its tier: the lowest first
    line: Line | None = None  # whose words it quotes
    page: Page | None = None  # the slide from which something is missing
    angle: str = ""  # why it is asked, where the bank's words do not say it
    agent: str | None = None  # the panelist that it belongs to; None: whoever's seat it is

    @property
    def question(self) -> str:
        return self.wording.question

    @property
    def claim(self) -> str | None:
        """Return the claim in the option's line, if any."""
        return None if self.line is None else self.line.claim

    def is_for(self, agent: str, seats: frozenset[str]) -> bool:
        """Return whether this panelist, who has these seats, may ask the question.

        Without seats it may ask all.
        """
        return self.agent == agent if self.agent is not None else not seats or self.entry.seat in seats

    @property
    def slide(self) -> int | None:
        """Return the slide that the question is about, or None for the whole deck or what was said."""
        if self.line is not None:
            return self.line.slide
        return None if self.page is None else self.page.number

    @property
    def quote(self) -> str | None:
        """Return the words that the question is about, verbatim, or None."""
        if self.line is not None:
            return self.line.text
        return None if self.page is None else self.page.title


def options(deck: Deck, claims: Sequence[Claim], kind: str | None, intensity: str) -> tuple[Option, ...]:
    """Return all questions of the bank that this deck calls for, in the order of asking."""
    pages = pages_of(deck, claims)

    def made() -> tuple[Option, ...]:
        read_as = kind_of(deck, kind, claims)
        return _options(pages, read_as, deck.sha256, intensity, subject_of(deck, read_as))

    return pages.once((options, kind, intensity), made)  # a session asks for its own at every refresh


def _options(pages: Pages, kind: Kind, key: str, intensity: str, subject: str) -> tuple[Option, ...]:
    tell = partial(said, key=key, intensity=intensity, subject=subject)
    found: list[Option] = []
    for entry in bank().entries:
        is_answered = any(holds_all(pages.words, one) for one in entry.unless) or _is_told(entry, pages)
        if _is_of(entry, kind) and not is_answered:
            is_borrowed = entry.kind not in (ANY, kind.id, kind.beside)
            order = entry.place + number_of(key, entry.id) % SPREAD + BORROWED * is_borrowed
            found += (_of_lines if entry.has_quote else _of_deck)(entry, order, pages, tell)
    return tuple(sorted(found, key=lambda one: (one.tier, one.order, one.entry.id)))


def _is_of(entry: Entry, kind: Kind) -> bool:
    """Return whether the entry suits the deck's kind.

    If the signs are mixed, either of the deck's two kinds will do.

    Asking only what suits both kinds left little except what suits any deck: a strict reader called 9 of the
    24 questions that were then asked about two such decks empty.
    """
    kinds = {*entry.kinds} | ({entry.kind} - {ANY})
    return not kinds or kind.id in kinds or kind.beside in kinds


def _is_told(entry: Entry, pages: Pages) -> bool:
    """Return whether a slide's title already covers the entry's topic.

    If so, only a question about that slide goes further.
    """
    patterns = () if entry.has_quote else bank().phrases.told.get(entry.topic, ())
    if not patterns:
        return False
    # In one text: two spaces part the titles, so that no pattern reaches from one into the next.
    titles = " ".join(plain(page.title) for page in pages.pages[1:])
    return any(holds(titles, one) for one in patterns)


def tier_of(entry: Entry) -> int:
    """Return the sort of an entry's question: ADMISSION, LEFT_OUT, FIGURE or WHOLE."""
    if entry.has_quote:
        return ADMISSION if entry.about == "admission" else FIGURE
    return LEFT_OUT if entry.kind != ANY or entry.kinds else WHOLE


def _of_deck(entry: Entry, order: float, pages: Pages, tell: Tell) -> list[Option]:
    """Return the entry's question about the whole deck, or about the one slide whose title fits it.

    Return an empty list if the deck does not call for the entry.
    """
    found = [page for page in pages.pages if any(holds_all(page.asserted, one) for one in entry.when)]
    if entry.when and not found:
        return []
    titles = {one[0] for one in entry.when if entry.about == "missing"}
    titled = (page for page in found if any(holds(plain(page.title), title) for title in titles))
    shown = next((page for page in titled if page is not pages.pages[0]), None)
    return [Option(entry, tell(entry), tier_of(entry), order - FOUND * bool(found), None, shown)]


def _of_lines(entry: Entry, order: float, pages: Pages, tell: Tell) -> list[Option]:
    """Return the entry's question about each line that calls for it, the line with the largest figure
    first.
    """
    called = (called_for(entry, line, page) for page in pages.pages for line in page.lines)
    found = sorted((line for line in called if line is not None), key=lambda line: -line.size)
    return [
        # A tenth of a place: an entry's other lines stand behind its best one, and before the next entry.
        Option(entry, tell(entry, line=line), tier_of(entry), order + 0.1 * number, line)
        for number, line in enumerate(found[:LINES_OF_AN_ENTRY])
    ]


def called_for(entry: Entry, line: Line, page: Page | None = None) -> Line | None:
    """Return the sentence of the line that the entry asks about, or None if none calls for it.

    The condition's first word must be in the sentence or its tags. Its other words must be there too, in the
    line above the sentence, or in the slide's title.
    """
    title = plain("" if page is None else page.title)
    around = f"{line.words}{plain(line.parent or '')}{title}"
    is_heading = holds(line.words, HEADING)
    for when in entry.when:
        tags, words = _parted(when)
        # The words first, and what bars a line last: of most lines the first test is the only one.
        if (
            holds_all(around, words)
            and holds_all(line.words, tags)
            and (HEADING in tags) == is_heading
            and (sentence := _sentence_with(line.text, words[:1], PLACEHOLDER in tags)) is not None
        ):
            return None if _is_barred(entry, line, page, title) else replace(line, text=sentence)
    return None


@lru_cache(maxsize=8192)
def _parted(when: Condition) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split the condition into its tags and its words."""
    tags = tuple(one for one in when if one.startswith("#"))
    return tags, tuple(one for one in when if not one.startswith("#"))


def _sentence_with(text: str, first: tuple[str, ...], is_placeholder: bool) -> str | None:
    for sentence in sentences(text):
        is_whole = len(sentence) <= MAX_QUOTE  # else what it is about could be what is cut off
        is_there = not is_placeholder or bank().phrases.placeholders.search(sentence) is not None
        if is_whole and is_there and holds_all(plain(sentence), first):
            return sentence
    return None


def _is_barred(entry: Entry, line: Line, page: Page | None, title: str) -> bool:
    if entry.on and not any(holds_all(title, one) for one in entry.on):
        return True
    whole = page.words if page is not None and line.is_title else line.words
    return any(holds(whole, one) for one in entry.but)
