"""Shares of one whole that are more than the whole, or plainly less: pies, splits, columns of shares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.grid import NUMBER, Cell, grid
from orchestrator.checks.passages import shown
from orchestrator.checks.rounding import rounding
from orchestrator.checks.table_sums import is_total
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Chart, Deck, Series, Slide, Table

_SPLIT = re.compile(
    r"\b(?:split|break(?:s|ing)? ?down|mix|allocation|distribution|composition|make-?up|"
    r"use of (?:the )?(?:funds?|proceeds)|"
    r"how .{1,30}? (?:will )?(?:spend|be spent|is spent|was spent|be used|is used|be split|is split)|where "
    r"(?:the|our) \w+ "
    r"(?:goes|comes from)|shares? of (?:the )?(?:\w+ )?(?:revenue|sales|cost|costs|income|market|budget|"
    r"spend|total|traffic|"
    r"volume|portfolio|orders|turnover)|(?:revenue|sales|costs?|income|budget|spend|customers?|turnover|"
    r"orders) (?:share )?by|by (?:area|region|segment|channel|product|"
    r"country|type|source|category|age|sector|department|use|unit|business|line|fuel|location|origin|"
    r"industry|activity|item|purpose)|"
    r"(?:^|\W)of (?:our|the|all|its) (?:\w+ )?"
    r"(?:costs?|revenues?|sales|budget|spending|income|turnover)(?=,)|"
    r"market shares?|% of (?:total|the|all|revenue|sales|budget|costs?|spend))\b",
    re.IGNORECASE,
)
_SPLIT_HEADER = re.compile(
    r"\b(?:share|split|mix|weight(?:ing)?|allocation|portion|proportion)\b|% of\b|of total", re.I
)
_NO_WHOLE = re.compile(
    r"\b(?:survey\w*|respondents?|multiple|answers?|answered|asked|said|say|says|agree\w*|satisf\w+|"
    r"(?:customers|users|companies|people|teams|clients|members) (?:who )?use|cite[ds]?|"
    r"mentioned|adoption|aware\w*|penetration|growth|grew|change|margin|rate|rates|increase|decrease|vs\.?|"
    r"versus|"
    r"target|uptime|utili[sz]ation|completion|completed?|progress|done|nps|recommend|per (?:site|team|"
    r"region|country|"
    r"segment|customer)|in each|within each|market share (?:in|per|by))\b",
    re.IGNORECASE,
)
_NOT_ALL = re.compile(
    r"\b(?:top|largest|biggest|main|major|including|among|selected|key|leading|examples?|others?|rest|"
    r"remaining|remainder|"
    r"of which|thereof|etc)\b|…|\.\.\.",
    re.IGNORECASE,
)
_BAD_PART = re.compile(
    r"\b(?:grew|growth|up|down|increase[ds]?|decrease[ds]?|rose|fell|margin|churn|target|from|than|"
    r"discount|of which|thereof|"
    r"of (?:them|these)|last year|previous|was|more|less|faster|confiden\w+|probab\w+|at least|average)\b|"
    r"[?]",
    re.IGNORECASE,
)
_SLASHED = re.compile(r"(?<![\d/.])\d{1,2}\s?%?(?:\s?[/–:|]\s?\d{1,2}\s?%?){2,}(?![\d/])\s?%?")
_PIE = re.compile(r"pie|doughnut|donut|sunburst|treemap|funnel_of", re.IGNORECASE)
_LEAST_SUM: Final = 80.0  # percent: what adds up to less was never meant as one whole
_MOST_SUM: Final = 130.0  # above it the shares are of different wholes
_LONGEST_LINE: Final = 12


def share_sums(deck: Deck) -> Iterator[Tension]:
    """Shares that claim to be the whole of something and are not 100 %, rounding aside."""
    for slide in shown(deck):
        for chart in slide.charts:
            yield from _chart(slide, chart)
        for table in slide.tables:
            yield from _table(slide, table)
        yield from _lines(slide)
        yield from _in_one_line(slide)


def _chart(slide: Slide, chart: Chart) -> Iterator[Tension]:
    if len(chart.series) != 1 or len(chart.series[0].values) < 2:
        return
    series = chart.series[0]
    context = f"{slide.title} {chart.title} {series.name}"
    drawn_whole = bool(_PIE.search(chart.kind))
    if not drawn_whole and (not _SPLIT.search(context) or _NO_WHOLE.search(context)):
        return
    if re.search(r"\bmultiple\b|\bsurvey|\brespondents", context, re.IGNORECASE):
        return
    values = _percents(chart, series)
    if values is None or not _is_wrong(values, _halves(values), below=drawn_whole, text=context):
        return
    names = [name for name in (chart.title, series.name, *chart.categories) if name.strip()]
    if not names:
        return
    b = next((name for name in reversed(chart.categories) if name.strip()), names[0])
    note = f"The chart's shares ({_joined(values)}) add up to {sum(values):.6g}%, not to 100%."
    yield Tension("sum", Place(slide.number, None, names[0]), Place(slide.number, None, b), note)


def _percents(chart: Chart, series: Series) -> list[float] | None:
    """The values as percentages, None where they are no percentages."""
    values = [value for value in series.values if value is not None]
    if len(values) != len(series.values) or any(value < 0 for value in values):
        return None
    if series.percent:
        return [round(100 * value, 6) for value in values]
    says = re.search(r"%|\bper ?cent\b|\bshares?\b|\bpct\b", f"{chart.title} {series.name}", re.IGNORECASE)
    return values if says and _LEAST_SUM <= sum(values) <= _MOST_SUM else None


def _halves(values: Sequence[float]) -> list[float]:
    return [0.5 if float(value).is_integer() else 0.05 for value in values]


def _table(slide: Slide, table: Table) -> Iterator[Tension]:
    if len(table.rows) < 3:
        return
    rows, header = grid(table), table.rows[0]
    if any(is_total(row[0].text) for row in rows) or _NO_WHOLE.search(slide.title):
        return  # with a total, table_sums has looked at it
    for column in range(1, len(header)):
        cells = [row[column] for row in rows]
        if not _SPLIT_HEADER.search(header[column]) or any(cell.sort != NUMBER for cell in cells):
            continue
        if len(cells) < 3 or not _are_percent(cells, header[column]) or _NO_WHOLE.search(header[column]):
            continue
        labels = " ".join(row[0].text for row in rows)
        values = [cell.value for cell in cells]
        if "market" in header[column].lower() or re.search(r"\byear|quarter|20\d\d|Q[1-4]", labels):
            continue  # a share in each market, or in each year
        if _is_wrong(values, [cell.half for cell in cells], below=True, text=f"{labels} {slide.title}"):
            note = f"The shares in this column ({_joined(values)}) add up to {sum(values):.6g}%, not to 100%."
            a = Place(slide.number, None, header[column])
            yield Tension("sum", a, Place(slide.number, None, cells[-1].text), note)


def _are_percent(cells: Sequence[Cell], head: str) -> bool:
    units = {cell.amount.unit for cell in cells if cell.amount is not None}
    return units == {"%"} or (units == {None} and "%" in head)


def _lines(slide: Slide) -> Iterator[Tension]:
    """Neighbouring lines with one share each, below a heading that speaks of a split."""
    run: list[tuple[str, Amount]] = []
    start = 0
    for index, line in enumerate((*slide.lines, "")):
        found = [a for a in amounts(line) if a.unit == "%"]
        if len(found) == 1 and len(line.split()) <= _LONGEST_LINE and not _BAD_PART.search(line):
            start = start if run else index
            run.append((line, found[0]))
            continue
        if len(run) > 1:
            before = slide.lines[start - 1] if start else ""
            yield from _run(slide, run, f"{slide.title} {before}")
        run = []


def _run(slide: Slide, run: list[tuple[str, Amount]], heading: str) -> Iterator[Tension]:
    text = " ".join(line for line, _ in run)
    if not _SPLIT.search(heading) or _NO_WHOLE.search(f"{heading} {text}") or any(a.vague for _, a in run):
        return
    values = [amount.value for _, amount in run]
    if _is_wrong(values, [amount.half for _, amount in run], below=True, text=f"{heading} {text}"):
        note = f"These shares ({_joined(values)}) add up to {sum(values):.6g}%, not to 100%."
        yield Tension(
            "sum", Place(slide.number, None, run[0][0]), Place(slide.number, None, run[-1][0]), note
        )


def _in_one_line(slide: Slide) -> Iterator[Tension]:
    """ "Split 60/30/20" and "60 % product, 30 % sales, 20 % operations"."""
    for line in (slide.title, *slide.lines):
        cue = _SPLIT.search(line) or _SPLIT.search(slide.title)
        if not cue or _NO_WHOLE.search(line):
            continue
        values = [float(n) for m in [_SLASHED.search(line)] if m for n in re.findall(r"\d+", m[0])]
        halves = [0.5] * len(values)
        if not values:
            found = amounts(line)
            if len(found) < 3 or any(a.unit != "%" or a.vague for a in found) or _BAD_PART.search(line):
                continue
            values, halves = [a.value for a in found], [a.half for a in found]
        if _is_wrong(values, halves, below=bool(_SPLIT.search(line)), text=line):
            note = f"These shares ({_joined(values)}) add up to {sum(values):.6g}%, not to 100%."
            yield Tension("sum", Place(slide.number, None, line), Place(slide.number, None, line), note)


def _is_wrong(values: Sequence[float], halves: Sequence[float], *, below: bool, text: str) -> bool:
    whole, slack = sum(values), rounding(halves)
    if whole > 100 + slack:
        return whole <= _MOST_SUM and max(values) < 100
    return below and _LEAST_SUM <= whole < 100 - slack and not _NOT_ALL.search(text)


def _joined(values: Sequence[float]) -> str:
    return " + ".join(f"{value:.6g}%" for value in values)
