"""The debrief as Markdown: `debrief.md`."""

from __future__ import annotations

import re

from orchestrator import render
from orchestrator.debrief import words
from orchestrator.debrief.model import Debrief, Review, Source

_SPECIAL = re.compile(r"[\\`*\[\]<>]|(?<!\w)_|_(?!\w)")


def as_markdown(debrief: Debrief) -> str:
    """The page as Markdown. Words of deck and presenter cannot begin a line or a mark of ours."""
    parts = [
        [f"# Debrief: {plain(debrief.deck)}", "", plain(words.who(debrief))],
        ["## Fix this first", "", *_fix(debrief)],
        ["## Questions", ""] + [line for one in debrief.reviews for line in _review(one)],
        *([_tensions(debrief)] if debrief.tensions else []),
        ["## Still open", "", *_homework(debrief)],
        *([_promises(debrief)] if debrief.promises else []),
        ["## Time and delivery", "", *_time(debrief)],
        ["## Checks", "", *_rubric(debrief)],
        [line for said in words.engine(debrief) for line in (said, "")],
    ]
    if not debrief.reviews:
        parts[2] += ["No question was asked."]
    return "\n\n".join("\n".join(lines).rstrip("\n") for lines in parts) + "\n"


def plain(text: str) -> str:
    """Text from outside as one line of Markdown that shows it as it is."""
    return _SPECIAL.sub(lambda match: f"\\{match[0]}", render.one_line(text))


def _fix(debrief: Debrief) -> list[str]:
    if debrief.fix is None:
        return [words.nothing_to_fix(debrief)]
    lines = [f"**{plain(debrief.fix.what)}**", "", plain(debrief.fix.why)]
    return [*lines, "", plain(debrief.fix.do)] if debrief.fix.do else lines


def _review(review: Review) -> list[str]:
    exchange = review.exchange
    often = words.times_asked(exchange)
    came_of_it = f"{words.verdict(review)}{f', {often}' if often else ''}"
    lines = [f"### {exchange.id}. {plain(review.name)}: {came_of_it}", ""]
    if review.place is not None:
        lines += [f"> {_source(review.place)}", ""]
    lines.append(f"- Asked: {plain(review.asked)}")
    lines += [f"- Asked again: {plain(question)}" for question in review.asked_again]
    if review.said is not None:
        lines.append(f"- You said: {plain(words.quoted(review.said))}")
    if review.reason:
        lines.append(f"- Verdict: *{words.verdict(review)}*, {plain(review.reason)}")
    if review.stronger is not None:
        lines += [f"- Stronger: {plain(' '.join(words.stronger(review.stronger)))}"]
    return [*lines, ""]


def _source(source: Source) -> str:
    return plain(words.with_place(source))


def _tensions(debrief: Debrief) -> list[str]:
    lines = ["## Contradictions", ""]
    for one in debrief.tensions or ():
        lines.append(f"- {plain(f'{one.note} {words.asked_in(debrief, one)}')}")
        sides = dict.fromkeys(_source(words.of_place(side)) for side in (one.a, one.b))
        lines += [f"  - {side}" for side in sides]
    return lines


def _homework(debrief: Debrief) -> list[str]:
    lines = []
    for point in debrief.homework:
        about = "the deck as a whole" if point.about is None else words.with_place(point.about)
        needed = f". {' '.join(words.stronger(point.stronger))}" if point.stronger is not None else ""
        lines.append(f"- [ ] {point.exchange}, {plain(about)}: {plain(point.why + needed)}")
    return lines or ["Nothing."]


def _promises(debrief: Debrief) -> list[str]:
    return ["## You will be held to", "", *(f"- {_source(one)}" for one in debrief.promises)]


def _time(debrief: Debrief) -> list[str]:
    lines = [words.timing(debrief), "", plain(words.delivery(debrief))]
    if not debrief.slides:
        return lines
    guessed = " (changes estimated from the words)" if any(one.estimated for one in debrief.slides) else ""
    lines += ["", f"| Slide | Title | Time{guessed} | Its share |", "|---|---|---|---|"]
    lines += [
        f"| {one.slide} | {_cell(one.title)} | {render.clock(one.seconds)} | {render.clock(one.budget_s)} |"
        for one in debrief.slides
    ]
    return [*lines, "", words.SHARES]


def _rubric(debrief: Debrief) -> list[str]:
    lines = ["| Check | | Rests on |", "|---|---|---|"]
    for one in debrief.rubric:
        shown = f": {_cell(words.with_place(one.source))}" if one.source is not None else ""
        lines.append(f"| {one.name} | {one.state} | {_cell(one.why)}{shown} |")
    return lines


def _cell(text: str) -> str:
    return plain(text).replace("|", "\\|")
