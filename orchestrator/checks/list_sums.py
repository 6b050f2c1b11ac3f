"""Parts that are listed under or behind a stated total, and do not add up to it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.asks import ASK, ASKED, USES
from orchestrator.checks.passages import Passage, hypothetical, shown, slide_passages
from orchestrator.checks.rounding import rounding
from orchestrator.checks.table_sums import is_total
from orchestrator.claims.model import Place, Tension
from orchestrator.claims.nouns import is_business_noun
from orchestrator.claims.sentences import without_final_stop
from orchestrator.deck.model import Deck, Slide, Table

_NOT_ALL = re.compile(
    r"\b(?:including|includes?|included|incl\.?|among(?:st)?|mainly|mostly|largely|primarily|chiefly|such "
    r"as|e\.g|"
    r"for example|for instance|notably|especially|led by|top|largest|biggest|etc|others?|the rest|"
    r"remaining|remainder|"
    r"in particular|at least|overlap\w*|parallel|simultaneous\w*|some of|respectively|both|either|up from|"
    r"down from|"
    r"compared|versus|vs|than|instead of|excluding|except|before|after|net of|less|minus|plus an?other|on "
    r"top|"
    r"in addition|additional(?:ly)?|matching|already)\b|…|\.\.\.",
    re.IGNORECASE,
)
_OTHER_METRICS = re.compile(
    r"\b(?:ebitda|profits?|margins?|loss(?:es)?|cash|debt|grew|growth|grow|rose|fell|increase[ds]?|"
    r"decrease[ds]?|churn|"
    r"per|each|a month|a year|annually|monthly|target|forecast|plan(?:ned)?|last year|previous|savings?|"
    r"return|average|"
    r"valuation|worth|payback)\b",
    re.IGNORECASE,
)
_OPENS_LIST = re.compile(
    r"(?::|\s[–—-]\s|=|\b(?:consist(?:s|ing) of|made up of|composed of|compris(?:es|ing|ed of)|split "
    r"(?:into|between|"
    r"across|as)|divided (?:into|between)|broken down (?:into|as)|breaks down (?:into|as)|of which|of whom|"
    r"namely|that is|"
    r"going to|goes to|in (?:two|three|four|five|six) (?:tranches|parts|steps|stages|phases|"
    r"instalments)[:,]?))",
    re.IGNORECASE,
)
_CLOSES_LIST = re.compile(
    r"(?:=|\b(?:(?:which |that |together |to )*(?:makes?|make up|add(?:s|ing)? up to|sum(?:s|ming)? (?:up "
    r")?to|"
    r"total(?:s|ling|ing)?|come(?:s)? to|amount(?:s|ing)? to)|for a total of|(?:a|in) total(?: of)?|"
    r"altogether|"
    r"(?:gives?|giving)(?: us)?(?: a total of)?))\s*(?:together\s+|up to\s+|a total of\s+|of\s+)*$",
    re.IGNORECASE,
)
_BETWEEN_PARTS = re.compile(r"[,;/+•|]|\band\b|\bplus\b|&|\s[–—]\s", re.IGNORECASE)
_TOTAL_LABEL = re.compile(
    r"^\W*(?:(?:grand |overall )?total|sum|in (?:total|all)|altogether|gesamt|summe)(?: (?:ask|request|"
    r"budget|costs?|investment|spend|"
    r"funding|amount|duration|time|length|of))?\W*(?=[€$£¥\d]|[A-Z]{3}\b|\w+ (?:days|weeks|months|years)\b|"
    r"$)",
    re.IGNORECASE,
)
_OF_ALL = re.compile(r"^\W*of (?:the |our |all |these |its )*$", re.IGNORECASE)
_MANY = re.compile(
    r"[^,;]*\b(?:use|have|has|had|want|say|said|buy|bought|offer|support|include|need|like|know|speak|own|"
    r"ask|asked|take|took|also)\b",
    re.I,
)
"""What a thing can be among others: of 48 customers, 30 may use one product and 25 another."""
_OF_WHICH = re.compile(r"^\W*(?:of which|thereof|including|incl\.?)\b", re.IGNORECASE)
_LONGEST_LINE: Final = 14  # words of a line that is one part of a list
_LARGEST_GAP: Final = 0.5  # of the total: what is further off is no list of its parts
_TOTAL_LINE = re.compile(
    r"\btotal\b|\bsum\b|\btogether\b|\boverall\b|\bin all\b|\baltogether\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Part:
    """A line of a slide that holds one amount."""

    line: str
    amount: Amount


def sentence_sums(passages: Sequence[Passage]) -> Iterator[Tension]:
    """ "We raise 5 M: 2 M product, 1.5 M sales, 1 M ops", and the same with the total at the end."""
    for passage in passages:
        text = passage.text
        if hypothetical(text):
            continue
        found = _of_one_sort(amounts(text))
        if len(found) < 3 or any(a.vague for a in found):
            continue
        for total, parts in _lists(text, found):
            if _contradicts(total, parts, text, exact=bool(ASK.search(text))):
                yield _tension(passage.place, total, passage.place, parts)
                break


def _of_one_sort(found: Sequence[Amount]) -> Sequence[Amount]:
    """The money among the numbers ("two new sites for €360k"), or all of them."""
    money = [a for a in found if a.is_money]
    return money if len(money) > 2 and all(a.is_money or a.is_count for a in found) else found


def _lists(text: str, found: Sequence[Amount]) -> Iterator[tuple[Amount, Sequence[Amount]]]:
    first, rest = found[0], found[1:]
    opening = _OPENS_LIST.search(text[first.end : rest[0].start])
    if opening and not _NOT_ALL.search(text[first.start :]) and _is_list(text, rest):
        yield first, rest
    if _OF_ALL.match(text[: first.start]) and len(rest) > 1 and not _NOT_ALL.search(text[first.end :]):
        stated = not any(_MANY.match(text, part.end) for part in rest)
        more = sum(part.value for part in rest) > first.value
        whole = len(rest) > 2 and re.search(r"\band\s*$", text[: rest[-1].start])
        if stated and (more or whole) and _is_list(text, rest):
            yield first, rest
    last, rest = found[-1], found[:-1]
    if (
        _CLOSES_LIST.search(text[rest[-1].end : last.start])
        and not _NOT_ALL.search(text[: last.start])
        and _is_list(text, rest)
    ):
        yield last, rest


def _is_list(text: str, parts: Sequence[Amount]) -> bool:
    """Between every two parts stands a comma, an "and" or the like, and no word of another metric."""
    if len(parts) < 2 or _OTHER_METRICS.search(text[parts[0].start :]):
        return False
    between = [text[a.end : b.start] for a, b in itertools.pairwise(parts)]
    return all(_BETWEEN_PARTS.search(words) and len(words.split()) < 10 for words in between)


def slide_sums(deck: Deck) -> Iterator[Tension]:
    """Lines with one amount each under, above or below the line or title that names their total."""
    asked = [found for slide in shown(deck) for found in _asked(slide)]
    for slide in shown(deck):
        for start, run in _runs(slide):
            total = _total_of(slide, start, run, asked)
            if total is None:
                continue
            place, amount, parts = total
            text = " ".join(part.line for part in parts)
            exact = bool(ASK.search(place.quote) or USES.search(slide.title) or ASK.search(slide.title))
            if _contradicts(amount, [part.amount for part in parts], text, exact=exact):
                yield _tension(
                    place, amount, Place(slide.number, None, parts[-1].line), [p.amount for p in parts]
                )


def table_uses(deck: Deck) -> Iterator[Tension]:
    """A table of uses without a total of its own, against the one ask on its slide or in the deck."""
    everywhere = [found for slide in shown(deck) for found in _asked(slide)]
    for slide in shown(deck):
        here = [(place, amount) for place, amount in _asked(slide) if place.quote]
        titled = [
            (Place(slide.number, None, line), a)
            for line in (slide.title, *slide.lines)
            if ASK.search(line) or _TOTAL_LINE.search(line) or USES.search(line)
            for a in amounts(line)
            if a.is_money and not a.vague
        ]
        asked = here or titled or everywhere
        for table in slide.tables:
            heads = " ".join((slide.title, *table.rows[0])) if table.rows else ""
            parts = _uses(table)
            if not parts or not (
                USES.search(heads) or (here and ASK.search(heads)) or (titled and USES.search(slide.title))
            ):
                continue
            totals = [(place, amount) for place, amount in asked if amount.unit == parts[0].amount.unit]
            if len({amount.value for _, amount in totals}) != 1:
                continue
            place, amount = totals[0]
            text = " ".join(part.line for part in parts)
            if _contradicts(amount, [part.amount for part in parts], text, exact=True):
                b = Place(slide.number, None, parts[-1].line)
                yield _tension(place, amount, b, [part.amount for part in parts])


def _uses(table: Table) -> list[_Part]:
    """The one amount of each row; none where a row is a total, or has no amount or several."""
    parts: list[_Part] = []
    for row in table.rows[1:]:
        money = [(cell, a) for cell in row[1:] for a in amounts(cell) if a.is_money]
        if len(money) != 1 or is_total(row[0]) or _OF_WHICH.match(row[0]):
            return []
        parts.append(_Part(money[0][0], money[0][1]))
    return parts if len({part.amount.unit for part in parts}) == 1 and len(parts) > 1 else []


def _runs(slide: Slide) -> Iterator[tuple[int, list[_Part]]]:
    """Stretches of two and more neighbouring lines that hold one amount of one unit each."""
    run: list[_Part] = []
    for index, whole_line in enumerate((*slide.lines, "")):
        line = without_final_stop(whole_line)
        found = [a for a in amounts(line) if not a.is_count]
        fits = (
            len(found) == 1 and len(line.split()) <= _LONGEST_LINE and (found[0].is_money or found[0].is_time)
        )
        if fits and (not run or run[-1].amount.unit == found[0].unit):
            run.append(_Part(line, found[0]))
            continue
        if len(run) > 1:
            yield index - len(run), run
        run = [_Part(line, found[0])] if fits else []


def _total_of(
    slide: Slide, start: int, run: list[_Part], asked: list[tuple[Place, Amount]]
) -> tuple[Place, Amount, list[_Part]] | None:
    """The total of a run of lines: its last or first line, the line before it, the title, or the ask."""
    for index in (len(run) - 1, 0):
        if _TOTAL_LABEL.match(run[index].line):
            return (
                Place(slide.number, None, run[index].line),
                run[index].amount,
                run[:index] + run[index + 1 :],
            )
    if run[0].amount.is_time:
        return None  # phases may run side by side
    if len(run) > 2 and slide.lines[start].rstrip().endswith(":"):
        return Place(slide.number, None, run[0].line), run[0].amount, run[1:]
    asks = [index for index, part in enumerate(run) if ASKED.search(part.line)]
    if len(run) > 2 and asks in ([0], [len(run) - 1]):
        index = asks[0]
        return Place(slide.number, None, run[index].line), run[index].amount, run[:index] + run[index + 1 :]
    if asks:
        return None
    before = slide.lines[start - 1] if start else ""
    for line, heads in (
        (before, before.rstrip().endswith(":")),
        (slide.title, bool(ASK.search(slide.title))),
    ):
        found = [a for a in amounts(line) if a.unit == run[0].amount.unit]
        if len(found) == 1 and (heads or ASK.search(line) or _TOTAL_LINE.search(line)):
            return Place(slide.number, None, line), found[0], run
    totals = {amount.value for _, amount in asked if amount.unit == run[0].amount.unit}
    if USES.search(slide.title) and len(totals) == 1:
        place, amount = next(pair for pair in asked if pair[1].unit == run[0].amount.unit)
        if place.quote not in [part.line for part in run]:
            return place, amount, run
    return None


def _asked(slide: Slide) -> Iterator[tuple[Place, Amount]]:
    for passage in slide_passages(slide):
        found = [a for a in amounts(passage.text) if a.is_money]
        if len(found) == 1 and not found[0].vague and ASKED.search(passage.text):
            yield passage.place, found[0]


def _contradicts(total: Amount, parts: Sequence[Amount], text: str, *, exact: bool) -> bool:
    if total.vague or any(part.vague for part in parts) or len(parts) < 2 or _NOT_ALL.search(text):
        return False
    if not _alike(total, parts) or any(part.value >= total.value or part.value <= 0 for part in parts):
        return False
    whole = sum(part.value for part in parts)
    counts = total.is_count and not total.scaled
    slack = (
        1e-6 * total.value
        if exact or counts or total.is_time
        else rounding([total.half, *(p.half for p in parts)])
    )
    return slack < abs(whole - total.value) <= _LARGEST_GAP * total.value


def _alike(total: Amount, parts: Sequence[Amount]) -> bool:
    """All in the total's currency or unit of time; a count's parts may be bare or name what they count."""
    if total.is_money or total.is_time:
        return all(
            part.unit in (total.unit, None) and (part.unit or part.scaled or part.value < 1e3)
            for part in parts
        )
    if not total.is_count or total.noun is None or total.scaled:
        return False
    return (is_business_noun(total.noun) or len(parts) > 2) and all(
        part.is_count and part.half == 0.5 for part in parts
    )


def _tension(a: Place, total: Amount, b: Place, parts: Sequence[Amount]) -> Tension:
    written = " + ".join(part.text for part in parts)
    whole = sum(part.value for part in parts)
    kind = "duration" if total.is_time else "sum"
    added = f"{whole / _scale(total):,.6g}"
    note = f"The total is given as {total.text}, but its parts ({written}) add up to {added}"
    return Tension(kind, a, b, note + f"{_scale_words(total)}.")


def _scale(total: Amount) -> float:
    for size in (1e9, 1e6, 1e3):
        if total.scaled and abs(total.value) >= size:
            return size
    return 1.0


def _scale_words(total: Amount) -> str:
    names = {1e9: " billion", 1e6: " million", 1e3: " thousand", 1.0: ""}
    return names[_scale(total)]
