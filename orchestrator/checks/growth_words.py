"""A change in words, or a mean growth per year, that the deck's own levels do not give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from orchestrator.checks.change_words import Change, change_of
from orchestrator.checks.passages import Passage, deck_passages, hypothetical, speech_passages
from orchestrator.checks.spoken_days import years_in_digits
from orchestrator.checks.timed_rows import Point, Row, roots, years_of
from orchestrator.claims.model import Tension
from orchestrator.deck.model import Deck
from orchestrator.speech.model import Segment

_NOT_OURS: Final = re.compile(
    r"\b(?:market|competitors?|rivals?|industry|sector|national|neighbou?r\w*|peers?|world|global|"
    r"target\w*|goals?|"
    r"plan(?:ned|s)?|forecast\w*|budget\w*|will|expect\w*|want|aim\w*|should|by 20\d\d|next year|inflation|"
    r"benchmark|until 20\d\d|to be|once|instead|per (?:head|capita|customer|employee|visit|unit))\b",
    re.I,
)
_OTHER_TIME: Final = re.compile(
    r"\b(?:quarter|month|week|half[- ]year|first half|second half|H[12]|Q[1-4]|decade|summer|winter|"
    r"spring|autumn|"
    r"January|February|March|April|June|July|August|September|October|November|December|day|night|"
    r"times?)\b(?! (?:fewer|less|more|higher|lower))",
)
_COMPARED = re.compile(
    r"\b(?:since|from|compared (?:with|to)|against|than(?: in)?|as in|on|over|above|below|relative to|"
    r"versus|vs\.?)\s*$",
    re.I,
)
_YEAR_BEFORE = re.compile(
    r"\b(?:last year|(?:on|than|compared (?:with|to)) (?:the )?(?:year before|previous year|a year (?:ago|"
    r"earlier|before))|"
    r"year[- ]on[- ]year|in (?:the|a|one) (?:past )?year|within a year|the year before|a year earlier)\b",
    re.I,
)


def growth_in_words(deck: Deck, rows: Sequence[Row]) -> Iterator[Tension]:
    """Every sentence of the deck whose change its own *rows* of years, `timed_rows(deck)`, contradict."""
    if rows:
        for passage in deck_passages(deck):
            yield from _against(rows, passage)


def spoken_growth_in_words(rows: Sequence[Row], segment: Segment) -> Iterator[Tension]:
    """The same for one piece of speech; *rows* are `timed_rows` of the deck, made once."""
    for passage in speech_passages([segment]) if rows else ():
        yield from _against(rows, passage)


def _against(rows: Sequence[Row], passage: Passage) -> Iterator[Tension]:
    text = years_in_digits(passage.text) if passage.origin == "speech" else passage.text
    change = change_of(text)
    if change is None or hypothetical(text) or _NOT_OURS.search(text) or _denied(text, change):
        return
    if change.always == 0 and not change.yearly and _OTHER_TIME.search(text.replace(change.text, " ")):
        return
    row = _meant(rows, passage, text, change)
    if row is None:
        return
    if change.always:
        yield from _not_always(row, passage, change, text)
        return
    pairs = _ends(row, text)
    if not pairs or any(_fits(change, a, b) for a, b in pairs):
        return
    start, end = pairs[0]
    ratio = end.value / start.value
    if not 0.1 < ratio < 10:
        return
    mean = f", {100 * (ratio ** (1 / (end.year - start.year)) - 1):+.1f}% a year" if change.yearly else ""
    note = (
        f'"{change.text.strip()}" does not fit: from {start.text} ({start.year}) to {end.text} '
        f"({end.year}) it is "
        f"{100 * (ratio - 1):+.1f}%{mean}."
    )
    yield Tension("growth", passage.place, end.place, note)


def _denied(text: str, change: Change) -> bool:
    lead = text[max(0, change.start - 24) : change.start]
    return re.search(r"\b(?:not(?! quite| only)|n['’]t|never|without|far from|no)\b", lead, re.I) is not None


def _meant(rows: Sequence[Row], passage: Passage, text: str, change: Change) -> Row | None:
    """The one row that the sentence can be about."""
    said = roots(text)
    scored: list[tuple[int, Row]] = []
    for row in rows:
        if any(point.place == passage.place for point in row.points) or (
            row.unit == "%" and not change.always
        ):
            continue
        own, near = said & row.label, said & row.around
        here = passage.slide == row.slide
        if (
            row.label
            and own
            and (row.label <= said | row.around or len(own) > 1 or (here and len(row.label) == 1))
        ):
            scored.append((3 * len(own) + len(near) + here, row))
        elif not row.label and near:
            scored.append((2 * len(near) + here, row))
        elif here and len([r for r in rows if r.slide == row.slide]) == 1 and near:
            scored.append((len(near), row))
    if not scored:
        return None
    best = max(score for score, _ in scored)
    chosen = [row for score, row in scored if score == best]
    if len(chosen) != 1 or _narrower(text, change, chosen[0], said):
        return None
    return chosen[0]


def _narrower(text: str, change: Change, row: Row, said: frozenset[str]) -> bool:
    """ "Service revenue" is not "revenue": a word that the row does not have stands right in front."""
    known = row.label | row.around
    words = re.findall(r"[^\W\d_][\w’'-]*", text)
    for first, second in pairwise(words):
        one, two = roots(first), roots(second)
        if one and two and two <= known and not one <= known and first.lower() not in _FREE:
            return True
    return False


_FREE: Final = frozenset(
    [
        "missed",
        "all",
        "since",
        "have",
        "has",
        "doubled",
        "tripled",
        "halved",
        "cut",
        "reduced",
        "grew",
        "rose",
        "fell",
        "increased",
        "dropped",
        "down",
        "up",
        "gone",
        "disappeared",
        "more",
        "fewer",
        "less",
        "higher",
        "lower",
        "doubling",
        "halving",
        "raised",
        "lowered",
        "compared",
        "with",
        "our",
        "these",
        "those",
        "their",
        "the",
        "successfully",
        "overall",
        "false",
        "many",
        "much",
        "again",
        "almost",
        "nearly",
        "half",
        "third",
        "quarter",
        "fifth",
        "lifted",
        "highlights",
        "message",
        "annual",
        "yearly",
        "average",
        "ok",
        "so",
        "well",
        "er",
        "um",
        "now",
        "today",
    ]
)


def _ends(row: Row, text: str) -> list[tuple[Point, Point]]:
    """Start and end that the sentence names; without a name every pair that it may mean."""
    years = [year for year in dict.fromkeys(years_of(text)) if row.at(year)]
    if len(years) < len(set(years_of(text))):
        short = re.search(r"\b((?:19|20)\d\d)\s?[-–/]\s?(\d\d)\b", text)
        if short is None:
            return []
    points = row.points
    last = points[-1]
    if len(years) >= 2:
        start, end = row.at(min(years)), row.at(max(years))
        return [(start, end)] if start and end else []
    if len(years) == 1:
        named = row.at(years[0])
        at = re.search(str(years[0]), text)
        since = at is not None and _COMPARED.search(text[: at.start()])
        if named is None:
            return []
        if since:
            return [(named, last)] if named is not last else []
        before = [(p, named) for p in points if p.year < named.year]
        return before[::-1] or ([(named, last)] if named is not last else [])
    if _YEAR_BEFORE.search(text):
        pairs = [(a, b) for a, b in pairwise(points) if b.year - a.year == 1]
        return pairs[::-1]
    return [(points[0], last)] + [(a, b) for i, a in enumerate(points) for b in points[i + 1 :]]


def _fits(change: Change, start: Point, end: Point) -> bool:
    low = (end.value - end.half) / (start.value + start.half)
    high = (end.value + end.half) / max(1e-9, start.value - start.half)
    ranges = [(low, high)]
    if change.yearly:
        years = end.year - start.year
        spans = {years, years + 1} if years > 1 else {years}  # both ends may be counted
        ranges = [(low ** (1 / n), high ** (1 / n)) for n in spans]
        if not change.compound:
            ranges.append((1 + (low - 1) / years, 1 + (high - 1) / years))  # a plain mean
    return any(a <= change.high and change.low <= b for a, b in ranges)


def _not_always(row: Row, passage: Passage, change: Change, text: str) -> Iterator[Tension]:
    years = years_of(text)
    points = [p for p in row.points if not years or p.year >= min(years)]
    if len(points) < 3:
        return
    for a, b in pairwise(points):
        if change.always * (b.value - a.value) < -(a.half + b.half):
            way = "falls" if change.always > 0 else "rises"
            note = f'"{change.text}" does not fit: it {way} from {a.text} ({a.year}) to {b.text} ({b.year}).'
            yield Tension("growth", passage.place, b.place, note)
            return
