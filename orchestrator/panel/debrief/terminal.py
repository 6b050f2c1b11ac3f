"""The debrief for a terminal, on one screen if possible, and in colour if available."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from orchestrator.core import legible
from orchestrator.material.claim import Tension
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.debrief.parts import Debrief, Review

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

LABEL: Final = 16
"""Columns on the left for the label of each section."""
WIDEST: Final = 100  # a longer line is hard to follow, on a wide screen too
NARROWEST: Final = 50  # below it a label and its text have no room side by side
MAX_LINES: Final = 3
"""Maximum number of lines of a list other than the homework; the page has all of them."""

_STYLES: Final = {
    "answered": "bold green",
    "partly answered": "bold yellow",
    "not answered": "bold red",
    "no answer": "bold red",
    "parked": "bold yellow",
    phrasing.NOT_JUDGED: "bold yellow",
    "yes": "green",
    "partly": "yellow",
    "no": "red",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A label and the text beside it, which wraps under itself; with neither, an empty line."""

    label: str
    text: str
    label_style: str = "bold"
    style: str = ""
    indent: int = LABEL
    lead: int = 0  # so many characters of the text are in the label's style


def as_text(debrief: Debrief, *, width: int = WIDEST, colour: bool = False, reviews: bool = True) -> str:
    """Return the page as lines of at most *width* columns; with ANSI colours if *colour* is true.

    Args:
        reviews: Whether to show the exchanges. A person who has just answered them knows them.
    """
    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out,
        width=max(NARROWEST, min(width, WIDEST)),
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for row in rows(debrief, reviews=reviews):
        _print(console, row)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))  # rich fills lines up to the width


def rows(debrief: Debrief, *, reviews: bool = True) -> Iterator[Row]:
    """Yield the rows of everything on the page, from top to bottom."""
    if (over := phrasing.taken_over(debrief)) is not None:
        yield Row("No engine", over, "bold red", "bold")
        yield Row("", "")
    yield from _fix(debrief)
    if reviews:
        for review in debrief.reviews:
            yield from _review(review)
        yield Row("", "")
    yield Row("Asked", phrasing.asked(debrief))
    yield from _labelled("Contradiction", _noted(debrief, debrief.contradictions))
    yield from _labelled(phrasing.DO_THESE_AGREE, _noted(debrief, debrief.doubtful))
    if debrief.was_answered:
        yield from _labelled(phrasing.STILL_OPEN, _homework(debrief, is_above=reviews))
    yield from _few("Not put", [phrasing.brought(one) for one in debrief.not_put])
    yield from _few("Wanted", list(debrief.still_wanted))
    yield from _few("Promised", [phrasing.with_place(one) for one in debrief.promises])
    yield from _few("Noticed", [phrasing.noticed(one) for one in debrief.observed])
    yield Row("Time", phrasing.timing(debrief))
    yield from _labelled("Delivery", [phrasing.delivery(debrief), *phrasing.habits(debrief)])
    yield Row("", "")
    for (state, why), names in _checks(debrief).items():
        yield Row(state, f"{'; '.join(names)}: {why}", _STYLES.get(state, ""))
    yield from _few("Not read", list(debrief.unread))
    yield from (Row("", said, style="dim") for said in phrasing.engine(debrief))


def _checks(debrief: Debrief) -> dict[tuple[str, str], list[str]]:
    """Return the names of the rubric's checks, grouped by result and reason."""
    found: dict[tuple[str, str], list[str]] = {}
    for check in debrief.rubric:
        quote = f": {phrasing.with_place(check.source)}" if check.source is not None else ""
        found.setdefault((check.state, f"{check.why}{quote}"), []).append(check.name)
    return found


def _fix(debrief: Debrief) -> Iterator[Row]:
    fix = debrief.fix
    if fix is not None and (debrief.was_answered or fix.exchange is None):
        yield Row("Fix first", fix.what, "bold red", "bold")
        yield from (Row("", f"{label}: {text}") for label, text in phrasing.fix_lines(fix))
    elif debrief.was_answered:
        yield Row("Fix first", phrasing.nothing_to_fix(debrief))
    else:
        return
    yield Row("", "")


def _review(review: Review) -> Iterator[Row]:
    """Yield an exchange in a few lines."""
    came = [part] if (part := phrasing.came_of(review)) else []
    head = " · ".join([*came, *map(phrasing.placed, review.places)])
    first, *again = phrasing.turns(review)
    last = next((said for *_, said in (*again[::-1], first) if said is not None), None)
    in_reason = last if _holds_words(review.reason) else None
    texts = []
    if (before := phrasing.before(review)) is not None:
        texts.append(f"Before: {before}")
    for how, asked, said in [(review.name, *first[1:]), *again]:
        texts.append(f"{how}: {asked}")
        if said not in (None, in_reason):
            texts.append(f"You: {phrasing.quoted(said)}")
    texts += [f"Heard as: {phrasing.quoted(heard)}" for heard in review.heard_as]
    texts += [f"Judged: {said}" for said in phrasing.persons(review)]
    if review.reason:
        texts.append(f"Why: {review.reason}")
    texts += [f"Better now: {one}" for one in phrasing.better_than_before(review)]
    style = _STYLES.get(phrasing.tone(review), "bold")
    lead = len(phrasing.verdict(review)) if head.startswith(phrasing.verdict(review)) else 0
    yield Row(review.exchange.id, head, style, indent=5, lead=lead)
    yield from (Row("", text, indent=5) for text in texts)
    if review.stronger is not None:
        yield Row("", f"→ {' '.join(phrasing.stronger(review.stronger))}", indent=5, style="cyan")
    yield from (Row("", f"Left open: {point}", indent=5) for point in review.still_open)


def _noted(debrief: Debrief, found: Sequence[Tension]) -> list[str]:
    return [f"{phrasing.numbered(one)} {phrasing.asked_in(debrief, one)}".rstrip() for one in found]


def _homework(debrief: Debrief, *, is_above: bool) -> list[str]:
    """Return the open points, or only their questions if the rest is shown above with each question."""
    told = [
        f"{point.exchange}: {point.question}" if is_above else phrasing.homework(point, is_above=False)
        for point in debrief.homework
    ]
    more = [f"{phrasing.more_open(debrief)}, all in debrief.md"] if told[phrasing.MAX_OPEN :] else []
    return [*told[: phrasing.MAX_OPEN], *more]


def _holds_words(reason: str | None) -> bool:
    """Return whether the reason quotes the presenter, so that the quoted words need no separate line."""
    return reason is not None and '("' in reason


def _few(label: str, texts: list[str]) -> Iterator[Row]:
    """Yield a row for each text, as many as fit on a screen, and a row that counts the others."""
    few = len(texts) if len(texts) <= MAX_LINES else MAX_LINES - 1
    yield from _labelled(label, texts[:few])
    if few < len(texts):
        yield Row("", f"and {len(texts) - few} more, all in debrief.md")


def _labelled(label: str, texts: list[str]) -> Iterator[Row]:
    return (Row("" if number else label, text) for number, text in enumerate(texts))


def _print(console: Console, row: Row) -> None:
    from rich.text import Text

    if not row.text:
        console.print()
        return
    text = Text(legible.shown(row.text), style=row.style)
    text.stylize(row.label_style, 0, row.lead)
    label = Text(row.label.ljust(row.indent), style=row.label_style)
    margin = Text(" " * row.indent)
    for number, line in enumerate(_lines(text, console, console.width - row.indent)):
        line.rstrip()
        console.print(Text.assemble(margin if number else label, line), soft_wrap=True)


def _lines(text: Text, console: Console, width: int) -> Iterable[Text]:
    """Break *text* into lines only at spaces, since an address that is broken cannot be copied.

    In scripts without spaces, break a line where it is full.
    """
    from rich.cells import cell_len

    plain = text.plain
    if cell_len(plain) > len(plain):
        return text.wrap(console, width)
    begins = [0]
    for word in re.finditer(r"\S+", plain):
        if word.end() - begins[-1] > width and word.start() > begins[-1]:
            begins.append(word.start())
    return text.divide(begins[1:])
