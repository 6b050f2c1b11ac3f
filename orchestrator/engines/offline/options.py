"""What could be asked of a deck: each entry of the bank that applies, with the line that it is about.

`options` depends on the deck alone and is kept; what was said since then only takes away.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.deck.model import Deck
from orchestrator.engines.offline.bank import ANY, Condition, Entry, bank
from orchestrator.engines.offline.kinds import Kind, kind_of
from orchestrator.engines.offline.pages import Line, Page, Pages, pages_of
from orchestrator.engines.offline.wording import said
from orchestrator.engines.offline.words import holds, holds_all, plain

ADMISSION, LEFT_OUT, FIGURE, WHOLE, REST = range(1, 6)
"""The order in which a board's questions are put; contradictions come before them all."""

MOST: Final = {ADMISSION: 3, LEFT_OUT: 6, FIGURE: 4}
"""Questions of one sort before the next sort's turn comes: a board does not dwell on one."""

KEPT: Final = 8
LINES_OF_AN_ENTRY: Final = 4
"""Lines that one entry may choose from: where the best was asked about, the next one serves."""

_kept: OrderedDict[tuple[int, int, str, str], tuple[Pages, tuple[Option, ...]]] = OrderedDict()


@dataclass(frozen=True, slots=True)
class Option:
    """One question that could be asked."""

    entry: Entry
    question: str
    tier: int
    order: float  # within its tier: the lowest first
    line: Line | None = None  # whose words it quotes
    page: Page | None = None  # the slide from which something is missing

    @property
    def slide(self) -> int | None:
        """The slide that it is about; None: the whole, or what was said."""
        if self.line is not None:
            return self.line.slide
        return None if self.page is None else self.page.number

    @property
    def quote(self) -> str | None:
        """The words that it is about, verbatim."""
        if self.line is not None:
            return self.line.text
        return None if self.page is None else self.page.title


def options(deck: Deck, claims: Sequence[Claim], kind: str | None, intensity: str) -> tuple[Option, ...]:
    """All questions of the bank that this deck calls for, in the order of asking."""
    pages = pages_of(deck, claims)
    key = (id(pages), len(claims), kind or "", intensity)
    known = _kept.get(key)
    if known is not None and known[0] is pages:
        return known[1]
    made = _options(pages, kind_of(deck, kind, claims), intensity, deck.sha256)
    _kept[key] = (pages, made)
    while len(_kept) > KEPT:
        _kept.popitem(last=False)
    return made


def _options(pages: Pages, kind: Kind, intensity: str, key: str) -> tuple[Option, ...]:
    found: list[Option] = []
    for entry in bank().entries:
        if _suits(entry, intensity) and (entry.kind in (kind.id, ANY) or entry.kind == kind.beside):
            if not any(holds_all(pages.words, one) for one in entry.unless):
                found += _of_entry(entry, pages, kind, key)
    found.sort(key=lambda one: (one.tier, one.order, one.entry.id))
    return _with_turns(found)


def _suits(entry: Entry, intensity: str) -> bool:
    """Firm questions are not for a friendly board, and soft ones for no hard one."""
    return (entry.mood, intensity) not in (("firm", "friendly"), ("soft", "adversarial"))


def _with_turns(found: list[Option]) -> tuple[Option, ...]:
    """Each sort as long as it has its turn; what is over comes after all others."""
    left = dict(MOST)
    topics: set[str] = set()
    first, rest = [], []
    for option in found:
        is_new = option.entry.topic not in topics
        topics.add(option.entry.topic)
        if is_new and option.tier in left:
            left[option.tier] -= 1
        (rest if left.get(option.tier, 0) < 0 else first).append(option)
    return (*first, *(_over(option) for option in rest))


def _over(option: Option) -> Option:
    return Option(option.entry, option.question, REST, option.order, option.line, option.page)


def _of_entry(entry: Entry, pages: Pages, kind: Kind, key: str) -> list[Option]:
    if entry.has_quote:
        return _of_lines(entry, pages, key)
    tier = LEFT_OUT if entry.kind != ANY else WHOLE
    order = entry.place + 4.0 * (entry.kind == kind.beside)
    order += {"firm": -6.0, "soft": -3.0}.get(entry.mood or "", 0.0)
    if not entry.when:
        return [Option(entry, said(entry, key), tier, order)]
    page = next((page for page in pages.pages if _any_holds(page.words, entry.when)), None)
    if page is None:
        return []
    shown = page if entry.about == "missing" and page.title else None
    return [Option(entry, said(entry, key, None, page.number), tier, order - 8.0, None, shown)]


def _any_holds(words: str, when: Sequence[Condition]) -> bool:
    return any(holds_all(words, one) for one in when)


def _of_lines(entry: Entry, pages: Pages, key: str) -> list[Option]:
    """The entry asked of each line that calls for it, the one with the largest figure first."""
    lines = [line for page in pages.pages for line in page.lines if calls_for(entry, line, page)]
    lines.sort(key=lambda line: -line.size)
    tier = ADMISSION if entry.about == "admission" else FIGURE
    order = float(entry.place) if tier == ADMISSION else entry.place + 4.0 * (entry.kind == ANY)
    return [
        Option(entry, said(entry, key, line), tier, order + 0.1 * number, line)
        for number, line in enumerate(lines[:LINES_OF_AN_ENTRY])
    ]


def calls_for(entry: Entry, line: Line, page: Page | None = None) -> bool:
    """A word stands in the line; its partner there too, in the line above it, or in the slide's title."""
    title = "" if page is None else page.title
    around = f"{line.words}{plain(line.parent or '')}{plain(title)}"
    return any(
        holds(line.words, when[0])
        and all(holds(line.words if one.startswith("#") else around, one) for one in when[1:])
        for when in entry.when
    )
