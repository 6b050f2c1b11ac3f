"""The quantities of a slide with their dimension: what they count, per what, and over what time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.dimensions import ANY, COUNT, SHARE, TIME, TIMES, dimension, per_one_of
from orchestrator.checks.hedged import interval, shares
from orchestrator.checks.limits import is_limited, is_supposed
from orchestrator.checks.moments import moments
from orchestrator.checks.passages import Passage, slide_passages
from orchestrator.checks.roots import root, roots
from orchestrator.deck.model import Slide

_LY: Final = {"hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "monthly": "month",
              "quarterly": "quarter", "yearly": "year", "annual": "year", "annually": "year"}  # fmt: skip
_TIME_WORD: Final = "|".join(sorted(TIMES, key=len, reverse=True))
_PER_TIME = re.compile(
    rf"[\s,]*(?:(?:on|in)\s+)?(?:per|an?|each|every|in an?|for each|/)\s?(?:working |business |calendar |"
    rf"school |"
    rf"opening |operating )?(?P<time>{_TIME_WORD})\b",
    re.IGNORECASE,
)
_PER_THING = re.compile(
    r"[\s,]*(?:per|for each|for every|to each|to every|to the|/|each|every)\s?"
    r"(?P<thing>[a-z][a-z’'-]*(?: [a-z]+)?)",
    re.IGNORECASE,
)
_A_THING = re.compile(r"\s+an? (?P<thing>[a-z][a-z-]+)\b", re.IGNORECASE)
_EACH = re.compile(r"[\s,]*(?:each|apiece|a piece|on average)\b(?!\s+[a-z])", re.IGNORECASE)
_EACH_THING = re.compile(r"\b(?:each|every)\s+(?!of\b)(?P<thing>[a-z-]+)", re.IGNORECASE)
_EACH_OF = re.compile(r"\beach(?: one)? of (?:them|these)\b", re.IGNORECASE)
_LABEL_PER = re.compile(r"\bper\s+(?P<thing>[a-z-]+)\b", re.IGNORECASE)
_OF_WHAT = re.compile(r"\s+(?:times\b|of [a-z]+(?=\s+(?:per|an?|each|every)\b))", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:average|avg\.?|mean|typical(?:ly)?|median)\b", re.IGNORECASE)
_OF_LENGTH = re.compile(r"\b(?P<thing>[a-z]+)\s+(?:of|lasting)\s+(?:about |around )?$", re.IGNORECASE)
_LONG = re.compile(r"\s?(?P<thing>shifts?|days?|visits?|sessions?|lessons?|flights?|weeks?)\b", re.IGNORECASE)
_ALONE = re.compile(r"\b(?:a|an|one|single)\s+(?:[a-z]+\s+)?(?:of\s+)?$", re.IGNORECASE)
_LASTING = re.compile(r"\b(?:for|over|during|lasts?|lasted|after|in)\s+(?:the |all |about )*$", re.IGNORECASE)
_IN_PERIOD = re.compile(
    rf"\b(?:this|the|a|per|each|every|in|in a|over the|whole|full|entire|all)\s+(?P<time>{_TIME_WORD})\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;()|]|,\s|\s[–—-]\s|\b(?:and|but|while|whereas|so|which|of which|including|plus)\b", re.I
)
MOST: Final = 24
"""Quantities of one slide; a page with more is a list of figures, and links nothing."""


@dataclass(frozen=True, slots=True)
class Said:
    """One quantity: `low` to `high` in base units, counted `what`, divided by each of `per`."""

    passage: Passage
    amount: Amount
    low: float
    high: float
    what: str  # COUNT, TIME (in minutes), SHARE (in percent), a currency or a measure's base unit
    nouns: frozenset[str]  # roots of the things that are counted; of a label or clause where none is named
    words: frozenset[str]  # roots of its clause
    per: tuple[str, ...]  # units of time, roots of nouns, ANY
    over: str | None  # the stretch of time that it is a total for: "week", "year"
    usable: bool  # not a target, a limit, another year's or another's
    mean: bool = False
    head: str | None = None  # the root of the noun right behind the number

    @property
    def value(self) -> float:
        return (self.low + self.high) / 2


def said_of(slide: Slide) -> tuple[Said, ...]:
    """The quantities of title and lines, in order; none where the slide has more than can be linked."""
    found = [
        said
        for passage in slide_passages(slide)
        if not is_supposed(passage.text)
        for said in said_in(passage)
    ]
    return tuple(found) if len(found) <= MOST else ()


def said_in(passage: Passage) -> Iterator[Said]:
    """The quantities of one sentence."""
    text = passage.text
    fractions = shares(text)
    for amount in sorted((*_plain(text, fractions), *fractions), key=lambda a: a.start):
        if amount.value > 0:
            yield _said(passage, amount)


def _plain(text: str, fractions: Sequence[Amount]) -> Iterator[Amount]:
    for amount in amounts(text):
        if not any(amount.start < f.end and f.start < amount.end for f in fractions):
            yield amount


def clause(text: str, amount: Amount) -> tuple[int, int]:
    """Where the clause of *amount* begins and ends."""
    start = max((m.end() for m in _CLAUSE.finditer(text, 0, amount.start)), default=0)
    after = _CLAUSE.search(text, amount.end)
    return start, after.start() if after else len(text)


def _said(passage: Passage, amount: Amount) -> Said:
    text = passage.text
    start, end = clause(text, amount)
    around = text[start:end]
    low, high = interval(text, amount)
    what, factor = dimension(amount)
    per = _per(text, amount, what)
    mean = bool(_MEAN.search(around))
    if what not in (COUNT, SHARE) and not mean and not amount.vague and (what == TIME or per):
        low = high = amount.value  # a shift, a price: as it is written
    noun = _noun(text, amount, what)
    words = roots(f"{_label(text, amount)} {text[start : amount.start]} {text[amount.end : end]}")
    period = _IN_PERIOD.search(around) if not per else None
    return Said(
        passage,
        amount,
        low * factor,
        high * factor,
        what,
        roots(noun) if noun else words,
        words | (roots(noun) if noun else frozenset()),
        per,
        TIMES[period["time"].lower()] if period else None,
        not is_limited(text, amount, start, end),
        mean,
        root(noun.split()[-1]) if noun else None,
    )


def _label(text: str, amount: Amount) -> str:
    """The words before a colon that this number, the first behind it, belongs to."""
    head, colon, rest = text[: amount.start].rpartition(":")
    return head if colon and not re.search(r"\d", rest) and not re.search(r"[.;]", head) else ""


def _noun(text: str, amount: Amount, what: str) -> str | None:
    if what != COUNT:
        return None
    if amount.noun:
        return amount.noun
    times = re.match(r"\s+(times)\b", text[amount.end :])
    return "times" if times else None


def _per(text: str, amount: Amount, what: str) -> tuple[str, ...]:
    """What one is had for: "four hours a week" per week, "each of them gives …" per one of them."""
    end = _behind(text, amount)
    found: list[str] = []
    while len(found) < 2:
        if match := _PER_TIME.match(text, end):
            found.append(TIMES[match["time"].lower()])
        elif match := _PER_THING.match(text, end) or (_A_THING.match(text, end) if what != COUNT else None):
            if what == COUNT and match[0].startswith(","):
                break  # "18 lorries, each spreading …"
            found.append(per_one_of(match["thing"]))
        else:
            break
        end = match.end()
    if len(found) < 2 and _EACH.match(text, end) and "average" not in text[end : end + 12]:
        found.append(ANY)
    if what == TIME:
        long = _length_of(text, amount) if not found else []
        if long or _LASTING.search(text[: amount.start]):
            return tuple(found or long)
    found += [one for one in _per_before(text, amount, what) if one not in found]
    return tuple(found[:2])


def _length_of(text: str, amount: Amount) -> list[str]:
    """ "Two shifts of 8 hours", "an 8-hour shift": per shift."""
    if amount.unit not in ("hours", "minutes"):
        return []
    match = _OF_LENGTH.search(text[: amount.start]) or _LONG.match(text, amount.end)
    if match and re.match(r"shift", match["thing"], re.I) and _ALONE.search(text[: amount.start]):
        return ["day"]
    return [per_one_of(match["thing"])] if match else []


def _behind(text: str, amount: Amount) -> int:
    """Where the noun that is counted ends."""
    if amount.noun and (at := text.find(amount.noun, amount.end)) in (amount.end, amount.end + 1):
        return at + len(amount.noun)
    match = _OF_WHAT.match(text, amount.end)
    return match.end() if match else amount.end


def _per_before(text: str, amount: Amount, what: str) -> Iterator[str]:
    """The words in front of the number: "daily", "every ticket costs", "average stay", "yield per "
    "hectare"."""
    before = text[: amount.start]
    before = re.split(r"[;.]|,\s", before)[-1]
    for word, unit in _LY.items():
        if re.search(rf"\b{word}\b", before + text[amount.end : amount.end + 12], re.IGNORECASE):
            yield unit
            return
    if _EACH_OF.search(before):
        yield ANY
        return
    if match := _EACH_THING.search(before) or _LABEL_PER.search(before):
        yield per_one_of(match["thing"])
        return
    if what != SHARE and _MEAN.search(before) and not re.search(r"\bon average\b", before, re.IGNORECASE):
        yield ANY


def without_other_years(found: Sequence[Said], year: int | None) -> tuple[Said, ...]:
    """Those that do not say that they are of another year than *year*."""
    return tuple(said for said in found if year is None or year in (years := _years(said)) or not years)


def _years(said: Said) -> set[int]:
    return {moment.last.year for moment in moments(said.passage.text) if not moment.yearless}
