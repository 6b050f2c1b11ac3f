"""The debrief for a terminal: one screen where it can be, in colour where there is colour."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from orchestrator import render
from orchestrator.debrief import words
from orchestrator.debrief.linking import asked_about
from orchestrator.debrief.model import Debrief, OpenPoint, Review
from orchestrator.model.claim import Tension

if TYPE_CHECKING:
    from rich.console import Console

LABEL: Final = 12
"""Columns on the left that hold what a section is."""
WIDEST: Final = 100
NARROWEST: Final = 50
MOST_FOLLOW_UPS: Final = 2

_STYLES: Final = {
    "answered": "bold green",
    "not answered": "bold red",
    "no answer": "bold red",
    "parked": "bold yellow",
    words.YOURS: "bold yellow",
    "yes": "green",
    "partly": "yellow",
    "no": "red",
}
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Controls, and signs that turn the direction of writing: a deck must not steer a terminal."""


def shown(text: str) -> str:
    """Text from outside as one line that a terminal shows, and does not obey; its margin is kept."""
    margin = text[: len(text) - len(text.lstrip(" "))]
    return margin + _UNSHOWN.sub("�", render.one_line(text))


@dataclass(frozen=True, slots=True)
class Row:
    """A label and the text beside it, which goes on under itself."""

    label: str
    text: str
    label_style: str = "bold"
    style: str = ""
    is_cut: bool = False  # to one line, with an ellipsis
    indent: int = LABEL
    lead: int = 0  # so many characters of the text are in the label's style


def as_text(debrief: Debrief, *, width: int = WIDEST, colour: bool = False, reviews: bool = True) -> str:
    """The page as lines of at most *width* columns; with ANSI colours where *colour* is true.

    Args:
        reviews: Whether the exchanges are shown; who has just had them knows them.
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
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def rows(debrief: Debrief, *, reviews: bool = True) -> Iterator[Row]:
    """Everything on the page, top to bottom; an empty row is an empty line."""
    fix = debrief.fix
    if (over := words.taken_over(debrief)) is not None:
        yield Row("No engine", over, "bold red", "bold")
        yield Row("", "")
    if fix is not None and (debrief.was_answered or fix.exchange is None):
        yield Row("Fix first", fix.what, "bold red", "bold")
        yield Row("", " ".join(part for part in (fix.why, fix.do) if part))
        yield Row("", "")
    elif debrief.was_answered:
        yield Row("Fix first", words.nothing_to_fix(debrief))
        yield Row("", "")
    conflicts = [asked_about(debrief.reviews, one) for one in debrief.tensions or ()]
    if reviews:
        for review in debrief.reviews:
            yield from _review(review, is_cut=review not in conflicts)
        yield Row("", "") if debrief.reviews else Row("Questions", "Nobody asked anything.")
    yield from _labelled("Conflicts", _noted(debrief, debrief.contradictions), is_cut=False)
    yield from _labelled("Agree?", _noted(debrief, debrief.doubtful), is_cut=False)
    yield from _labelled("Homework", list(_homework(debrief, brief=reviews)))
    yield from _few("Wanted", list(debrief.still_wanted))
    yield from _few("Promised", [words.with_place(one) for one in debrief.promises])
    yield from _few("Noticed", [words.noticed(one) for one in debrief.observed])
    yield Row("Time", words.timing(debrief))
    yield Row("Delivery", words.delivery(debrief))
    yield Row("", "")
    for check in debrief.rubric:
        quote = f": {words.with_place(check.source)}" if check.source is not None else ""
        style = _STYLES.get(check.state, "")
        yield Row(check.state, f"{check.name}: {check.why}{quote}", style, is_cut=True)
    yield from (Row("", said, style="dim") for said in words.engine(debrief))


def _review(review: Review, *, is_cut: bool) -> Iterator[Row]:
    """An exchange in a few lines; *is_cut*: a question that was answered may be cut to one line."""
    exchange = review.exchange
    is_answered = exchange.outcome == "satisfied"
    style = _STYLES.get(review.verdict, "bold")
    often = words.times_asked(exchange)
    about = f"{words.verdict(review)}{f', {often}' if often else ''}"
    if review.place is not None:
        about += f" · {words.placed(review.place)}"
    yield Row(exchange.id, about, style, is_cut=True, indent=5, lead=len(words.verdict(review)))
    yield Row("", f"{review.name}: {review.asked}", indent=5, is_cut=is_cut and is_answered)
    for question in review.asked_again[-MOST_FOLLOW_UPS:]:
        yield Row("", f"Then: {question}", indent=5, is_cut=True)
    if review.said is not None and not _holds_words(review.reason):
        yield Row("", f"You: {words.quoted(review.said)}", indent=5)
    if review.reason:
        yield Row("", f"Why: {review.reason}", indent=5, is_cut=is_answered)
    if review.stronger is not None:
        yield Row("", f"→ {' '.join(words.stronger(review.stronger))}", indent=5, style="cyan")
    for point in review.still_open:
        yield Row("", f"Left open: {point}", indent=5)


def _noted(debrief: Debrief, found: Sequence[Tension]) -> list[str]:
    return [f"{words.noted(one)} {words.asked_in(debrief, one)}".rstrip() for one in found]


def _few(label: str, texts: list[str]) -> Iterator[Row]:
    """A line each, as many as fit a screen."""
    shown = len(texts) if len(texts) <= words.SHOWN else words.SHOWN - 1
    return _labelled(label, texts[:shown], more=len(texts) - shown)


def _holds_words(reason: str | None) -> bool:
    """Whether the reason quotes the presenter, so that their words need no line of their own."""
    return reason is not None and '("' in reason


def _homework(debrief: Debrief, *, brief: bool) -> Iterator[str]:
    """The open points; *brief* where what each needs stands with its question above."""
    if not debrief.was_answered:
        return
    if brief and debrief.homework:
        marks = dict.fromkeys(_in_brief(point) for point in debrief.homework)
        yield f"{words.listed(list(marks))}: see above"
        return
    for point in debrief.homework:
        about = "the deck as a whole" if point.about is None else words.with_place(point.about)
        needed = " ".join(words.stronger(point.stronger)) if point.stronger is not None else point.why
        yield f"{point.exchange} {about}: {needed}"


def _in_brief(point: OpenPoint) -> str:
    marks = [words.place(point.about)] if point.about is not None else []
    marks += ["parked"] if point.why == "parked" else []
    return f"{point.exchange} ({', '.join(marks)})" if marks else point.exchange


def _labelled(label: str, texts: list[str], *, is_cut: bool = True, more: int = 0) -> Iterator[Row]:
    for number, text in enumerate(texts):
        yield Row("" if number else label, text, is_cut=is_cut)
    if more > 0:
        yield Row("", f"and {more} more, all in debrief.md")


def _print(console: Console, row: Row) -> None:
    from rich.text import Text

    if not row.text:
        console.print()
        return
    text = Text(shown(row.text), style=row.style)
    text.stylize(row.label_style, 0, row.lead)
    label = Text(row.label.ljust(row.indent), style=row.label_style)
    room = console.width - row.indent
    if row.is_cut:
        text.truncate(room, overflow="ellipsis")
    margin = Text(" " * row.indent)
    for number, line in enumerate(text.wrap(console, room) or [Text()]):
        line.rstrip()
        console.print(Text.assemble(margin if number else label, line), soft_wrap=True)
