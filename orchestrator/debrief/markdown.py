"""The debrief as Markdown: `debrief.md`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator import render
from orchestrator.debrief import words
from orchestrator.debrief.model import Debrief, Review, Source
from orchestrator.model.claim import Tension

_SPECIAL = re.compile(r"[\\`*\[\]<>]|(?<!\w)_|_(?!\w)")


def as_markdown(debrief: Debrief) -> str:
    """The page as Markdown. Words of deck and presenter cannot begin a line or a mark of ours."""
    parts = [
        [f"# Debrief: {plain(debrief.deck)}", "", *_head(debrief)],
        ["## Fix this first", "", *_fix(debrief)],
        ["## Questions", "", words.outcomes(debrief.exchanges), ""]
        + [line for one in debrief.reviews for line in _review(one)],
        *([_tensions("Contradictions", debrief, debrief.contradictions)] if debrief.contradictions else []),
        *([_tensions(words.DO_THESE_AGREE, debrief, debrief.doubtful)] if debrief.doubtful else []),
        [
            f"## {words.STILL_OPEN}",
            "",
            *([f"- [ ] {plain(words.homework(one))}" for one in debrief.homework] or ["Nothing."]),
        ],
        *(_listed("Still wanted to ask", [plain(one) for one in debrief.still_wanted])),
        *(_listed("You will be held to", [_source(one) for one in debrief.promises])),
        *(_listed("What the panel noticed", [plain(words.noticed(one)) for one in debrief.observed])),
        ["## Time and delivery", "", *_time(debrief)],
        ["## Checks", "", *_rubric(debrief)],
        [line for said in words.engine(debrief) for line in (said, "")],
    ]
    return "\n\n".join("\n".join(lines).rstrip("\n") for lines in parts) + "\n"


def plain(text: str) -> str:
    """Text from outside as one line of Markdown that shows it as it is."""
    return _SPECIAL.sub(lambda match: f"\\{match[0]}", render.one_line(text))


def _head(debrief: Debrief) -> list[str]:
    over = words.taken_over(debrief)
    return [*([plain(over), ""] if over is not None else []), plain(words.who(debrief))]


def _fix(debrief: Debrief) -> list[str]:
    if debrief.fix is None:
        return [words.nothing_to_fix(debrief)]
    lines = [f"**{plain(debrief.fix.what)}**"]
    for more in (debrief.fix.why, debrief.fix.do):
        lines += ["", plain(more)] if more else []
    return lines


def _review(review: Review) -> list[str]:
    lines = [f"### {review.exchange.id}. {plain(review.name)}: {words.came_of(review)}", ""]
    lines += [line for one in review.places for line in (f"> {_source(one)}", "")]
    lines.append(f"- Asked: {plain(review.asked)}")
    lines += [f"- Asked again: {plain(question)}" for question in review.asked_again]
    if review.said is not None:
        lines.append(f"- You said: {plain(words.quoted(review.said))}")
    if review.reason:
        lines.append(f"- Verdict: *{words.verdict(review)}*, {plain(review.reason)}")
    if review.stronger is not None:
        lines += [f"- Stronger: {plain(' '.join(words.stronger(review.stronger)))}"]
    lines += [f"- Left open: {plain(one)}" for one in review.still_open]
    return [*lines, ""]


def _source(source: Source) -> str:
    return plain(words.with_place(source))


def _tensions(heading: str, debrief: Debrief, found: Sequence[Tension]) -> list[str]:
    lines = [f"## {heading}", ""]
    for one in found:
        lines.append(f"- {plain(f'{words.noted(one)} {words.asked_in(debrief, one)}')}")
        lines += [f"  - {_source(side)}" for side in words.sides(one)]
    return lines


def _listed(heading: str, lines: Sequence[str]) -> list[list[str]]:
    """A section of bullets; none where there are no lines."""
    return [[f"## {heading}", "", *(f"- {line}" for line in lines)]] if lines else []


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
