"""Finding the kind of a deck: a score over first slide, titles and words, unless the presenter sets it."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar
from weakref import ref

from orchestrator.core.errors import UsageError
from orchestrator.material.claim import Claim
from orchestrator.material.deck.lines import asserted_lines
from orchestrator.material.values import Deck, Segment, Slide
from orchestrator.panel.bank.bank import ANY, HEADING, PLACEHOLDER, DeckKind, bank, holds, holds_all, plain

# ---------------------------------------------------------------------- quotable
# A deck as the bank looks at it: lines that may be quoted, and all words that it holds.
#
# Worked out once a deck and kept. A line may be quoted where somebody asserts it on a slide that is shown;
# notes and cells are searched, never quoted.


MIN_WORDS: Final = 4
"""Minimum number of words of a line: a shorter line is a name or a heading ("Go to market"), unless it
contains a figure or an admission.
"""

MAX_HEADING: Final = 6
"""Maximum number of words of a title that names a subject; a longer title makes a statement."""

MIN_POINTS: Final = 2
"""Minimum number of points under a heading before a question may ask which of its points is meant."""

MIN_COUNT: Final = 3
"""Minimum for a number to count something: a smaller one orders a talk more often ("one of them", "two
parts").
"""

ALL_OR_NONE: Final = frozenset({0.0, 100.0})
"""Percentages that mean "all" and "none", which nobody counted."""

COVER_WORDS: Final = 30
"""Maximum number of words of a first slide that is a cover; of a longer one only the title counts, as on
other slides.
"""

_NAME_IN_CODE = re.compile(r"[^\W\d_]{2,}(?:\.|::|_)[^\W\d_]{2,}|\w\(\)")

T = TypeVar("T")

# By the deck's id, for as long as it lives: a number of decks that are kept would be too small for a server
# with one session more, which then worked out each deck anew at every refresh.
_kept: dict[int, tuple[ref[Deck], int, Pages]] = {}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the deck or the speech that may be quoted."""

    text: str  # verbatim
    words: str  # plain, with its tags: "#money", "#date", "#question", "#placeholder", …
    parent: str | None  # the line under which it stands
    slide: int | None
    said_at_s: float | None = None
    claim: str | None = None  # of the first claim in it
    size: float = 0.0  # the largest figure of its first kind: the bold ones come first
    is_title: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """One slide, with its lines that may be quoted."""

    number: int
    title: str
    words: str  # plain: title, lines, cells and notes, with the tags of its lines
    asserted: str  # plain: its title and what may be quoted, with the tags
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Pages:
    """A deck's pages.

    They are compared by identity, so that results cached for them are found without comparing their content.
    """

    pages: tuple[Page, ...]
    words: str  # of all of it, hidden slides too
    cover: str  # plain: the deck's title, and the first slide where it is a short one
    titles: str  # plain, of the deck's title and all slides'
    last: int  # the last slide's number
    kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)  # see `once`

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result of *make*, cached by *key* and dropped with the pages."""
        if key not in self.kept:
            self.kept[key] = make()
        made: T = self.kept[key]
        return made


def pages_of(deck: Deck, claims: Sequence[Claim]) -> Pages:
    """Return the deck's pages, computed once for the same deck and claims."""
    key = id(deck)
    known, count, pages = _kept.get(key, (None, 0, None))
    if pages is None or known is None or known() is not deck or count != len(claims):
        pages = _pages(deck, claims)
        _kept[key] = (ref(deck, lambda gone: _let_go(key, gone)), len(claims), pages)
    return pages


def _let_go(key: int, gone: ref[Deck]) -> None:
    if _kept.get(key, (None,))[0] is gone:  # else another deck has its place already
        del _kept[key]


def _pages(deck: Deck, claims: Sequence[Claim]) -> Pages:
    of_slide: dict[int | None, list[Claim]] = {}
    for claim in claims:
        if claim.said_at_s is None:
            of_slide.setdefault(claim.slide, []).append(claim)
    first = next((slide for slide in deck.slides if not slide.hidden), None)
    made = [(slide, _page(slide, of_slide.get(slide.number, []), slide is first)) for slide in deck.slides]
    pages = tuple(page for slide, page in made if not slide.hidden)
    titles = " ".join([plain(deck.title), *(plain(page.title) for page in pages)])
    last = pages[-1].number if pages else 0
    return Pages(pages, " ".join(page.words for _, page in made), _cover(deck, first), titles, last)


def _cover(deck: Deck, first: Slide | None) -> str:
    words = "" if first is None else plain(" ".join([first.title, *first.lines]))
    is_long = words.count(" ") > COVER_WORDS
    return f"{plain(deck.title)}{plain(first.title) if first is not None and is_long else words}"


def _page(slide: Slide, claims: Sequence[Claim], is_first: bool) -> Page:
    lines = []
    seen: set[str] = set()
    is_agenda = any(holds(plain(slide.title), one) for one in bank().phrases.agendas)
    asserted = [] if is_agenda else list(asserted_lines(slide))
    for index, (origin, text, parent) in enumerate(asserted):
        _, after, next_parent = asserted[index + 1] if index + 1 < len(asserted) else ("", "?", None)
        line = _line(slide.number, text, parent, claims, is_title=origin == "title")
        if _is_open_question(text, after, slide.title) and not line.is_title:
            line = replace(line, words=f"{line.words}#question ")
        is_cut = parent == next_parent and _goes_on(text, after)
        if text not in seen and not (is_first and line.is_title) and not is_cut and _can_be_quoted(line):
            lines.append(line)
        seen.add(text)
    cells = " ".join(cell for table in slide.tables for row in table.rows for cell in row)
    charts = " ".join(chart.title for chart in slide.charts)
    whole = plain(" ".join([slide.title, *slide.lines, cells, charts, *slide.alt_texts, slide.notes]))
    tags = " ".join(dict.fromkeys(tag for line in lines for tag in line.words.split() if tag[0] == "#"))
    said = plain(" ".join([slide.title, *(text for _, text, _ in asserted if text.rstrip()[-1:] != "?")]))
    if not is_first and not is_agenda and _is_heading(slide):
        words = f"{whole}{tags} {HEADING} "
        lines.append(Line(slide.title.strip(), words, None, slide.number, is_title=True))
    return Page(slide.number, slide.title.strip(), f"{whole}{tags} ", f"{said}{tags} ", tuple(lines))


def _is_heading(slide: Slide) -> bool:
    """Return whether a short title is above at least two points, so that it names what they have in
    common.
    """
    words = plain(slide.title).count(" ") - 1
    points = len(slide.lines) - len(slide.furniture) + sum(len(table.rows) for table in slide.tables)
    if slide.title_is_furniture or _NAME_IN_CODE.search(slide.title):  # "energy.problem" tells of no problem
        return False
    return 0 < words <= MAX_HEADING and points >= MIN_POINTS


def _line(slide: int, text: str, parent: str | None, claims: Sequence[Claim], *, is_title: bool) -> Line:
    within = [claim for claim in claims if claim.origin in ("line", "title") and claim.text in text]
    sizes = [abs(one.value) for claim in within for one in claim.quantities]
    kinds = list(dict.fromkeys(kind for claim in within for kind in claim.kinds))
    is_bound = any(holds(plain(text), one) for one in bank().phrases.bounds)
    if is_bound or max(sizes, default=0.0) < MIN_COUNT:
        kinds = [kind for kind in kinds if kind != "count"]
    if set(sizes) <= ALL_OR_NONE:
        kinds = [kind for kind in kinds if kind != "percent"]
    first = within[0].id if within else None
    return Line(text, _tagged(text, kinds), parent, slide, None, first, max(sizes, default=0.0), is_title)


def _tagged(text: str, kinds: Sequence[str]) -> str:
    tags = [f"#{kind}" for kind in kinds]
    if bank().phrases.placeholders.search(text):
        tags.append(PLACEHOLDER)
    if bank().phrases.estimates.search(text):
        tags.append("#estimate")
    return f"{plain(text)}{' '.join(tags)} "


def _goes_on(text: str, after: str) -> bool:
    """Return whether *after*, the line after *text*, continues its sentence, as in a broken-up paragraph."""
    return text[:1].isupper() and after[:1].islower() and text.rstrip()[-1:] not in ".!?…"


def _is_open_question(text: str, after: str, title: str) -> bool:
    """Return whether a question is open.

    A form's question is not, because the line after it is its answer.
    """
    if not text.rstrip().endswith("?") or not after.rstrip().endswith("?"):
        return False
    around = plain(f"{title} {text}")
    is_courtesy = any(holds(around, one) for one in bank().phrases.courtesies)
    return around.count(" ") > MIN_WORDS and not is_courtesy


def _can_be_quoted(line: Line) -> bool:
    """Return whether a line can be quoted; a title, or a short line, only if it contains a figure.

    A title without a figure is a heading, and a short line without one is a name. A question is quoted only
    if it is open, since in a form it is somebody else's. A line that ends in a colon is completed by the
    lines after it.
    """
    if line.text.rstrip().endswith((":", "：")):
        return False
    words = line.words.split()
    tags = {word for word in words if word[0] == "#"}
    count = len(words) - len(tags)
    if line.text.rstrip().endswith("?") and "#question" not in tags:
        return False
    if line.is_title:
        return count >= MIN_WORDS and bool(tags & {"#money", "#percent", "#count"})
    return count >= MIN_WORDS or (bool(tags) and count > 1)


def spoken_line(segment: Segment, claims: Sequence[Claim] = ()) -> Line | None:
    """Return a segment of one or more whole sentences as a line; None for a fragment or halting speech."""
    text = segment.text.strip()
    if not text[:1].isupper() or text[-1:] not in ".!?":
        return None
    words = plain(text)
    if any(holds(words, one) for one in bank().phrases.hesitations):
        return None
    return Line(text, words, None, None, segment.start_s) if words.count(" ") > MIN_WORDS else None


# ---------------------------------------------------------------------- kinds


COVER_WEIGHT: Final = 8
"""The score of a kind's sign on the cover, as for four titles, counted once for each kind.

The first slide says what the deck is: "Proposal to the board".
"""

TITLE_WEIGHT: Final = 2
"""The score of a word in a title, which says more about a deck than one in a text.

With 1, long texts would outvote headings.
"""

MIN_SCORE: Final = 3
"""Minimum score of a kind: a title and a word, or three words. Below it, a deck is of no particular kind.

It was 5, and decks below it were asked what suits any deck. A strict reader of 15 new decks judged 26 of 44
such questions wrong, and of the others 19 of 136. The nearest kind asks better questions.
"""

MIN_LEAD: Final = 1.15
"""Minimum ratio of the first kind's score to the second's.

Below it, boards of both kinds ask in turn, as the signs are mixed.

The lower it is, the more decks are asked by one kind alone, which may be the wrong one; the higher it is, the
more are asked by two.
"""

MIN_OF_COUNCIL: Final = 3
"""Minimum number of a technical council's signs in a deck for one: a single sign is in many other decks
too.
"""

TOO_SHORT_TO_TELL: Final = 40  # words, in which the share below is less than one; taken for English
MIN_ENGLISH: Final = 0.02
"""Minimum share of the commonest English words: the tersest of 61 English decks had 0.03, those in other
languages none.
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of a deck, as detected or as the presenter set it."""

    id: str
    name: str
    score: int
    given: bool = False  # set by the presenter
    beside: str | None = None  # the second kind, where it scores nearly as much: the signs are mixed

    @property
    def shown(self) -> str:
        """Return the kind in the form that a page shows."""
        return f"{'set to' if self.given else 'read as'}: {self.name}"


NO_KIND: Final = Kind(ANY, "any deck", 0)


def kind_of(deck: Deck, given: str | None = None, claims: Sequence[Claim] = ()) -> Kind:
    """Return the kind of this deck.

    Raises:
        UsageError: There is no kind *given*; the message lists the kinds.
    """
    if given is not None:
        return _given(given)
    return read_as(pages_of(deck, claims))


def read_as(pages: Pages) -> Kind:
    """Return the kind with the highest score; if two are equal, the first in the bank's list."""
    kinds = bank().kinds
    weight = int(_is_for_council(pages))
    scored = sorted((-_score(one, pages, weight), number) for number, one in enumerate(kinds))
    (best, first), (next_best, second) = scored[0], scored[1]
    if -best < MIN_SCORE or not _is_english(pages):
        return NO_KIND
    is_mixed = -best < MIN_LEAD * -next_best
    return Kind(kinds[first].id, kinds[first].name, -best, beside=kinds[second].id if is_mixed else None)


def _is_for_council(pages: Pages) -> bool:
    """Return whether the deck is for a council: it has enough signs of one, and at least one is strong."""
    sure, weak = (sum(holds(pages.words, one) for one in signs) for signs in bank().phrases.council)
    return sure > 0 and sure + weak >= MIN_OF_COUNCIL


def _is_english(pages: Pages) -> bool:
    words = pages.words.split()
    known = sum(word in bank().phrases.english for word in words)
    return len(words) < TOO_SHORT_TO_TELL or known >= MIN_ENGLISH * len(words)


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
    """Return the names of all kinds that a presenter can set."""
    return (*(kind.name for kind in bank().kinds), NO_KIND.name)
