"""Shares and ratios against the part and the whole that stand on other lines, in whatever words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.dimensions import COUNT, SHARE
from orchestrator.checks.hedged import interval
from orchestrator.checks.ratio_words import part_words, without_name
from orchestrator.checks.roots import roots
from orchestrator.checks.said import Said, clause
from orchestrator.claims.model import Tension
from orchestrator.claims.units import is_currency

_OF = re.compile(
    r"\s*(?:of|among|in)\s+(?:(?:all|the|our|their|its|these|those|them|total|every|who|which|that|have|"
    r"has|are|"
    r"were)\s+)*",
    re.IGNORECASE,
)
_END = re.compile(
    r"\b(?:are|were|is|was|have|has|had|would|do|did|can|who|which|that|in|on|at|by|for|from|to|with|said|"
    r"say|"
    r"want|go|goes|eat|use|live|work|come|came)\b|[,;:()]|$",
    re.IGNORECASE,
)
_EACH_COIN = re.compile(
    r"\b(?:each|every|a|per|one)\s+(?P<coin>euro|pound|dollar|franc|krona|krone)\s+(?:of\s+|in\s+|"
    r"that\s+(?:we|is)\s+)?"
    r"(?P<whole>(?:[a-z]+\s?){1,3}?)(?=,|\s(?:we|goes|go|is|are|was|were|it|the|about|nearly|almost|some|"
    r"\d)|\s*$)",
    re.IGNORECASE,
)
_INNER = re.compile(r"\w+\s+(?P<noun>(?!out\b)[a-z]+)\s+(?:out of|in)\s.*", re.IGNORECASE)
_COINS = re.compile(r"\s*(?:cents?|pence|p|rappen)\b", re.IGNORECASE)
_SIMILAR: Final = 0.5
_CHANGE = re.compile(
    r"\b(?:grew|growth|grow\w*|rose|fell|rise|increase[ds]?|decrease[ds]?|higher|lower|(?<!-)(?<!make "
    r")(?<!makes )(?<!made )up|down|discount|"
    r"interest|margin|more than (?:in|last)|points)\b(?! and running)",
    re.IGNORECASE,
)
_ALL: Final = roots("entitled eligible registered invited asked questioned contacted surveyed")
"""What makes those counted a whole, whatever else is said of them."""
_PLAIN: Final = roots("costs expenses amount")
_SLACK: Final = 1.0
_NOT_MANY: Final = 3


@dataclass(frozen=True, slots=True)
class _Share:
    said: Said
    low: float
    high: float
    of: frozenset[str]  # roots of the whole's words; empty: not named
    how: frozenset[str]  # roots of what is said of the part
    named: frozenset[str]  # roots of what the ratio's name measures
    money: bool
    extra: frozenset[str] = (
        frozenset()
    )  # roots of words before the number that the ratio's name does not hold


def ratio_tensions(pages: Sequence[Sequence[Said]]) -> Iterator[Tension]:
    """Shares that are not part ÷ whole, where words tie the three, on one slide or on two.

    Args:
        pages: The quantities of each slide. Silent where any whole and part that the words
            allow give the share.
    """
    said = [one for page in pages for one in page]
    for page in pages:
        shares = [share for one in page if (share := _share(one)) is not None]
        for share in shares:
            if tension := _against(share, said):
                yield tension


def _share(said: Said) -> _Share | None:
    text, amount = said.passage.text, said.amount
    if not said.usable:
        return None
    if (coin := _EACH_COIN.search(text)) and said.what == COUNT:
        behind = amount.end - len("cents") - 1 if said.head == "cent" else amount.end
        if not _COINS.match(text, behind) and not (amount.noun or "").startswith("cent"):
            return None
        first = amount.start > coin.end()
        low, high = interval(text, amount)
        whole = roots(coin["whole"])
        rest = text[coin.end() : amount.start] + " " + text[amount.end :] if first else text[: coin.start()]
        how = roots(re.split(r"[;.]|,\s(?!we)", rest.lstrip(", "))[0]) - roots("cents pence go")
        return _Share(said, low - 0.5, high + 0.5, whole, how, frozenset(), money=True)
    start, end = clause(text, amount)
    if said.what != SHARE or _CHANGE.search(text[start:end]):
        return None
    of: frozenset[str] = frozenset()
    how = roots(text[start : amount.start])
    if inner := _INNER.fullmatch(amount.text):
        of, how = roots(inner["noun"]), how | roots(text[amount.end : end])
    elif match := _OF.match(text, amount.end):
        stop = _END.search(text, match.end() + 3)
        at = stop.start() if stop else end
        of, how = roots(text[match.end() : at]), how | roots(text[at:end])
        if not of:
            return None
    named = part_words(text[start:end])
    extra = roots(without_name(text[start : amount.start]))
    return _Share(said, said.low, said.high, of, how - of, named, False, extra)


def _against(share: _Share, said: Sequence[Said]) -> Tension | None:
    if share.named and not share.of and share.extra:
        return None  # "online return rate": of some of them only
    wholes = [s for s in said if _may_be_whole(share, s)]
    parts = [s for s in said if s is not share.said and _is_part(share, s)]
    pairs = [(p, w) for w in wholes for p in parts if _pair(p, w)]
    if not pairs or len(pairs) > _NOT_MANY:
        return None
    alternatives = [
        (p, w)
        for w in {w for _, w in pairs}
        for p in said
        if _pair(p, w)
        and p.passage.slide in {w.passage.slide, parts[0].passage.slide, share.said.passage.slide}
    ]
    if any(_gives(share, p, w) for p, w in (*pairs, *alternatives)):
        return None
    if any(not p.usable or not w.usable for p, w in pairs):
        return None
    part, whole = pairs[0]
    ratio = 100 * part.value / whole.value
    note = f"{part.amount.text} of {whole.amount.text} is {ratio:.3g}%, not {share.said.amount.text}."
    if share.money:
        note = f"{part.amount.text} is {ratio:.3g}% of {whole.amount.text}, not {share.said.amount.text}."
    a = part.passage if part.passage.place != share.said.passage.place else whole.passage
    return Tension("share", a.place, share.said.passage.place, note)


def _may_be_whole(share: _Share, said: Said) -> bool:
    if share.money != is_currency(said.what) or (not share.money and said.what != COUNT) or said.per:
        return False
    label = said.words | said.nouns
    if share.of:
        return share.of <= label and len(label - share.of) <= 3
    if not share.named or said.passage.slide != share.said.passage.slide:
        return False
    return bool(label & _ALL) or not label & share.named


def _is_part(share: _Share, said: Said) -> bool:
    if share.money != is_currency(said.what) or (not share.money and said.what != COUNT) or said.per:
        return False
    label = (said.words | said.nouns) - share.of
    if share.named:
        near = bool(share.of) or said.passage.slide == share.said.passage.slide
        return near and bool(label & share.named) and not label & _ALL
    common = label & share.how
    if len(common) < max(1.0, (0.3 if share.money else 0.66) * min(len(share.how), 3)):
        return False
    if said.head is None and label - _PLAIN:
        return label - _PLAIN <= share.how
    return len(common) >= _SIMILAR * len(label)


def _pair(part: Said, whole: Said) -> bool:
    """The part can be one of the whole: fewer of the same things."""
    if part is whole or part.what != whole.what or part.value >= whole.value or part.per or whole.per:
        return False
    if part.head and whole.head and part.head != whole.head and is_currency(part.what) is False:
        return False
    return part.amount.scaled == whole.amount.scaled or not is_currency(part.what)


def _gives(share: _Share, part: Said, whole: Said) -> bool:
    low, high = 100 * part.low / whole.high, 100 * part.high / whole.low
    if share.low - _SLACK <= high and low <= share.high + _SLACK:
        return True
    return share.low - _SLACK <= 100 - low and 100 - high <= share.high + _SLACK
