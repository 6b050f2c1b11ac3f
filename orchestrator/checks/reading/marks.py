# ruff: noqa: E501 - a pattern lists its wordings
"""What a number is counted by and set apart by: its time, its rate, what it is for one of, its names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from orchestrator.checks.figures import DeckWords
from orchestrator.checks.model import When
from orchestrator.checks.reading.model import (
    COUNT,
    SHARE,
    TIME,
    Amount,
)
from orchestrator.checks.reading.terms import Term, plain, terms_of
from orchestrator.checks.vocabulary import PLACES
from orchestrator.checks.when import whens
from orchestrator.claims.periods import Period, find_periods

RATE: Final = re.compile(
    r"\b(?:per|a|an|each|every|by the|any|one)\s+(?:(?:single|typical|working|school|average|normal|calendar|given|full|whole|ordinary|trading|opening|busy|good)\s){0,2}(?P<unit>second|minute|hour|day|night|evening|shift|week|month|quarter|year)\b(?!\s+(?:ago|earlier|before|later|on year|and a))"
    r"|\b(?P<adverb>hourly|daily|nightly|weekly|monthly|quarterly|annual(?:ly)?|yearly)\b|/\s?(?P<slash>s|h|d|day|week|wk|month|mo|year|yr|a)\b|\bp\.?a\.?(?=\W|$)",
    re.I,
)
ADVERBS: Final = {"hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "annual": "year", "annually": "year", "yearly": "year",
                   "s": "second", "h": "hour", "d": "day", "wk": "week", "mo": "month", "yr": "year", "a": "year", "night": "day", "evening": "day"}  # fmt: skip
_NARROWS = re.compile(
    r"\b(?:in(?! (?:front|turn|place|fact|case|total|all|hand|line|addition|order|force|use|operation|action|time|full|short))|at(?! (?:last|least|once|all|present|year))|for|among)\s+(?:(?:the|our|its|their|this|that|these|those|all|every|each|both|an?)\s+)*"
    r"(?P<what>[A-Za-z][\w’'-]*(?:\s+(?!in\b|at\b|for\b|from\b|on\b|of\b|to\b|by\b|is\b|are\b|was\b|were\b|and\b|or\b)[a-z][\w’'-]*){0,2})"
)
_RECURRING = re.compile(r"\b(?:MRR|ARR|monthly recurring|annual recurring)\b", re.I)
_PER = re.compile(
    r"^[^,;.]{0,14}?(?<![a-z])(?<! at )(?<! in )(?<! on )(?<! to )(?<! of )(?<!from )(?<!with )(?<!into )(?:for each|for every|per|for a|to the|to each|to every|in each|in every|on each|each|every|an?|/)(?:(?<=/)|\s)(?:of the |of our )?(?P<what>[a-z][\w-]+(?:\s[a-z]+)?)",
    re.I,
)
_ONE_FOR = re.compile(
    r"\b(?:one|1|an?)\s+(?P<what>[a-z-]+(?: [a-z-]+)?)\s+(?:for|to|per)\s+(?:every |each )?(?:about |around |some )?$",
    re.I,
)
_EACH = re.compile(r"\b(?:each|apiece|every one|every single one|a piece|the lot of them)\b", re.I)
_TIMES: Final = frozenset(
    [
        "second",
        "minute",
        "hour",
        "day",
        "night",
        "evening",
        "week",
        "month",
        "quarter",
        "year",
        "annum",
        "time",
        "total",
        "good",
        "bit",
        "lot",
        "half",
        "third",
        "quarter",
        "fifth",
        "few",
        "little",
        "further",
    ]
)
_CALENDAR_NAME = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|Q[1-4]|H[12]|FY\d*|(?:mon|tues|wednes|thurs|fri|satur|sun)day|I|[A-Z]{2,5}",
    re.I,
)


def only_time(text: str) -> tuple[When, ...]:
    found = [p for p in find_periods(text) if p.kind != "recurring"]
    return whens(found) if len(found) == 1 else ()


def noun_of(noun: str) -> frozenset[str]:
    found = terms_of(noun)
    return found[-1].features if found else frozenset()


def times_of(
    periods: Sequence[Period],
    found: Sequence[Amount],
    brackets: Sequence[tuple[int, int]],
    own: tuple[int, int] | None,
) -> list[Period]:
    """The times that may hold for an amount: those in brackets belong to the number in these brackets."""
    foreign = [span for span in brackets if span != own and any(span[0] < a.start < span[1] for a in found)]
    return [p for p in periods if not any(start < p.start < end for start, end in foreign)]


def when_of(
    periods: Sequence[Period], left: int, right: int, amount: Amount, found: Sequence[Amount]
) -> tuple[When, ...]:
    usable = [
        p for p in periods if p.kind != "recurring" and not (p.start < amount.end and amount.start < p.end)
    ]
    inside = [p for p in usable if left <= p.start < right]
    if inside:
        return whens(inside)
    leading = [p for p in usable if p.start < found[0].start]
    return whens(leading) if leading and len(usable) == len(leading) else ()


def rate_of(text: str, amount: Amount, left: int, right: int, head: str) -> str:
    if amount.kind == TIME:
        match = RATE.match(text[amount.end :].lstrip())
        word = (match["unit"] or "").lower() if match else ""
        return ADVERBS.get(word, word)
    behind = re.split(r"[,;(]", text[amount.end : right])[0]
    for stretch in (text[amount.start : amount.end] + behind[:48], head, text[left : amount.start]):
        if match := RATE.search(stretch):
            word = (match["unit"] or match["adverb"] or match["slash"] or "year").lower()
            return ADVERBS.get(word, word)
    if match := _RECURRING.search(f"{head} {text[left:right]}"):
        return "month" if match[0].lower().startswith("m") else "year"
    return ""


def per_of(text: str, amount: Amount, right: int, found: Sequence[Amount], head: str) -> frozenset[str]:
    if amount.kind == SHARE:
        return frozenset()
    if (ratio := _ONE_FOR.search(text[: amount.start])) and (words := terms_of(ratio["what"])):
        return words[-1].features
    label = re.search(r"\bper (?P<what>[a-z]+)", head)
    if label and label["what"] not in _TIMES and (words := terms_of(label["what"])):
        return words[0].features
    following = next((a.start for a in found if a.start >= amount.end), len(text))
    match = _PER.match(text[amount.end : max(right, min(following, amount.end + 28))])
    if match and not _TIMES & set(match["what"].lower().split()):
        words = terms_of(match["what"])
        if words:
            return words[0].features
    if _EACH.search(text[max(0, amount.start - 24) : amount.end + 24]):
        nouns = [noun_of(a.noun) for a in found if a is not amount and a.kind == COUNT]
        return nouns[0] if nouns else frozenset({"each"})
    return frozenset()


def names_of(text: str, left: int, right: int, head: str, words: DeckWords) -> frozenset[str]:
    """Places and proper names: a figure with one is not the figure without."""
    found = set()
    for stretch, opens in ((head, True), (text[left:right], left == 0)):
        for match in re.finditer(r"[A-Za-z][\w&’-]*", stretch):
            low = plain(match[0])
            if any(f[0] in "#±" for t in terms_of(match[0]) for f in t.features):
                continue  # "abroad" is a side of a whole, "RevPAR" a figure
            if (low in PLACES and match[0] != "us") or (
                match[0][0].isupper()
                and not _CALENDAR_NAME.fullmatch(match[0])
                and len(match[0]) > 2
                and (
                    match[0].lower() in words.names
                    or (
                        (match.start() > 0 or not opens)
                        and match[0].lower() not in words.names
                        and _is_inside(stretch, match.start())
                    )
                )
            ):
                found.add(low)
    return frozenset(found - {plain(name) for name in words.own_names})


def parts_of(text: str) -> tuple[tuple[Term, ...], ...]:
    found = (terms_of(match["what"]) for match in _NARROWS.finditer(text))
    return tuple(terms for terms in found if terms)


def _is_inside(text: str, start: int) -> bool:
    before = text[:start].rstrip("\"'“‘( ")
    return bool(before) and before[-1] not in ".!?:;•|–—"
