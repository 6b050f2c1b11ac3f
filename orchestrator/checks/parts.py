"""A part, its whole and their ratio, where the three do not fit; a part that is larger than its whole."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.checks.amounts import Amount, amounts, fractions
from orchestrator.checks.margins import margin_tensions
from orchestrator.checks.model import Figure
from orchestrator.checks.passages import Passage, deck_passages, hypothetical, speech_passages
from orchestrator.checks.slide_shares import slide_shares
from orchestrator.checks.table_shares import table_shares
from orchestrator.claims.model import Tension
from orchestrator.deck.model import Deck
from orchestrator.speech.model import Segment

_OF = re.compile(
    r"\s*(?:[A-Za-z’'-]+\s+){0,3}?(?:out of|of)\s+(?:(?:the|our|its|all|these|those|a|total|their|your|"
    r"currently|surveyed)\s+)*"
    r"|\s*/\s*",
    re.IGNORECASE,
)
_NO_SHARE = re.compile(
    r"\b(?:grew|growth|grow|rose|fell|up|down|increase[ds]?|increasing|decrease[ds]?|more|less|fewer|"
    r"higher|lower|faster|than|from|"
    r"margin|discount|target|goal|plan|forecast|benchmark|last|previous|prior|against|versus|vs|compared|"
    r"average|industry|"
    r"confiden\w+|probab\w+|year[- ]on[- ]year|yoy|interest|price|the (?:rest|others?|remaining)|remaining|"
    r"other|another|"
    r"while|whereas|but|and)\b|[;]",
    re.IGNORECASE,
)
_BEFORE_SHARE = re.compile(
    r"\b(?:grew|growth|grow|rose|fell|up|down|increase[ds]?|decrease[ds]?|more|less|higher|lower|faster|"
    r"than|from|margin|discount|"
    r"target|goal|plan|last|previous|against|versus|vs|compared|average|while|whereas|but|and)\b|[;:]",
    re.IGNORECASE,
)
_OF_WHICH = re.compile(
    r"^(?:\s?[\w’'-]+){0,5}?[\s,(–—-]*(?:and\s+)?(?:of which|of whom|of them|of these|thereof|among "
    r"them)\s+(?:(?:only|just|already|today|currently|now|the)\s+)*$",
    re.IGNORECASE,
)
_COUNTABLE: Final = (
    r"customers?|clients?|users?|members?|employees|staff|people|patients|students|schools|hospitals|sites|"
    r"stores|shops|projects?|"
    r"deliveries|orders|trucks|machines|subscribers|respondents|households|passengers|tenants|suppliers|"
    r"teams?|participants|"
    r"applicants|volunteers|visitors|invoices|tickets|requests|flights|plants|farms|devices|branches|"
    r"accounts|contracts"
)
_OVER_ALL = re.compile(
    rf"\s+of\s+(?:(?:our|the|all|its|their|all our|all the|paying|active|new|"
    rf"existing)\s+)*(?:{_COUNTABLE})\b",
    re.IGNORECASE,
)
_COMPARED_WITH = re.compile(
    r"\b(?:last|previous|prior|year|expected|planned|target|plan|budget|capacity|baseline|compared|same|"
    r"before|20\d\d|number of)\b",
    re.IGNORECASE,
)
_LONGEST_BETWEEN: Final = 12  # words between the pair and its percentage
_VAGUE_SLACK: Final = 4.0  # points that "about", "nearly" and the like may hide


def part_tensions(
    deck: Deck, figures: Sequence[Figure] = (), speech: Sequence[Segment] = ()
) -> Iterator[Tension]:
    """Sentences whose part, whole and percentage do not fit, whose part exceeds its whole, or that
    give more than 100 % of things that can be counted.

    A percentage may be cut off or rounded at its last digit; the share of the others is
    recognised. Silent where the percentage may be a growth, a target or another year's.
    """
    for passage in (*deck_passages(deck), *speech_passages(speech)):
        if not hypothetical(passage.text):
            yield from _of_passage(passage)
    yield from slide_shares(deck)
    yield from table_shares(deck)
    yield from margin_tensions(deck)


def _of_passage(passage: Passage) -> Iterator[Tension]:
    text, found = passage.text, amounts(passage.text)
    for index, (part, whole) in enumerate(itertools.pairwise(found)):
        if _is_pair(text, part, whole):
            others = [*(a for a in found if a.unit == "%"), *fractions(text)]
            share = _share_of(text, part, whole, others)
            if share is not None and not _fits(part, whole, share, others=not _apposed(text, whole, share)):
                ratio = 100 * part.value / whole.value
                yield _tension(passage, f"{part.text} of {whole.text} is {ratio:.3g}%, not {share.text}.")
                return
        if larger := _larger(text, part, whole, found[:index]):
            yield _tension(passage, larger)
            return
        if triple := _percent_of(text, found, index):
            yield _tension(passage, triple)
            return
    for amount in found:
        if _more_than_all(text, amount):
            yield _tension(passage, f"{amount.text} is more than all of them.")
            return


def _is_pair(text: str, part: Amount, whole: Amount) -> bool:
    """ "9 of 12 customers", "€2 M of the €5 M"."""
    if not _OF.fullmatch(text[part.end : whole.start]):
        return False
    if part.vague or whole.vague or part.value <= 0 or whole.value <= 0:
        return False
    if "/" in text[part.end : whole.start] and whole.noun is None:
        return False
    if whole.is_money:
        return part.unit in (whole.unit, None) and (part.is_money or part.scaled == whole.scaled)
    return part.is_count and whole.is_count


def _share_of(text: str, part: Amount, whole: Amount, percents: Sequence[Amount]) -> Amount | None:
    """The one percentage beside a pair that can only be the pair's."""
    if len(percents) != 1:
        return None
    share = percents[0]
    if share.start >= whole.end:
        between = text[whole.end : share.start]
        if _NO_SHARE.search(re.sub(r"^\s*[A-Za-z’'-]+", "", between)) or re.search(r"[.]", between):
            return None
        return share if len(between.split()) <= _LONGEST_BETWEEN else None
    between = text[share.end : part.start]
    after = text[whole.end : whole.end + 3].strip()
    if _BEFORE_SHARE.search(re.sub(r":", "", between)) or len(between.split()) > _LONGEST_BETWEEN:
        return None
    marked = re.search(r"[(,:–—-]\s*(?:that is |i\.e\. |or )?$", between)
    return share if marked or after[:1] == ")" else None


def _apposed(text: str, whole: Amount, share: Amount) -> bool:
    """The share stands right behind its pair, as the same thing in other words: "or a third"."""
    between = text[whole.end : share.start]
    if re.search(r"\(\s*$", between) and text[share.end :].startswith(")"):
        return True
    return bool(
        re.match(r"[\s\w’'-]*[,(:–—]\s*(?:or|that is|i\.e\.|which is|in other words|equal to)\s+$", between)
        and re.match(r"\s*(?:$|[),.;:–—])", text[share.end :])
    )


def _fits(part: Amount, whole: Amount, share: Amount, *, others: bool = True) -> bool:
    low = 100 * max(0.0, part.value - _soft(part)) / (whole.value + _soft(whole))
    high = 100 * (part.value + _soft(part)) / max(1e-9, whole.value - _soft(whole))
    slack = 2 * share.half + 1e-9 + (_VAGUE_SLACK if share.vague else 0.0)
    if low - slack <= share.value <= high + slack:
        return True
    return others and 100 - high - slack <= share.value <= 100 - low + slack  # the share of the others


def _soft(amount: Amount) -> float:
    """What rounding leaves open: nothing for things that are counted."""
    return amount.half if amount.is_money or amount.scaled else 0.0


def _larger(text: str, first: Amount, second: Amount, before: Sequence[Amount]) -> str | None:
    """ "48 customers, of which 61 pay", "61 of our 48 customers"."""
    if (
        first.vague
        or second.vague
        or first.unit != second.unit
        or first.unit in ("%", "x", "points")
        or first.is_time
    ):
        return None
    between = text[first.end : second.start]
    if _OF_WHICH.match(between) and second.value > first.value + _soft(first) + _soft(second):
        return f"{second.text} is more than the {first.text} that it is a part of."
    pair = _is_pair(text, first, second) and first.is_count and second.noun is not None
    plain = re.fullmatch(r"\s(?:out )?of\s(?:the |our |its |all |these )?", between)
    if pair and plain and first.noun is None and first.value > second.value:
        return f"{first.text} cannot be a part of {second.text}."
    return None


def _percent_of(text: str, found: Sequence[Amount], index: int) -> str | None:
    """ "40 % of our 200 customers (60)": the percentage, the whole, then the part."""
    if index + 2 >= len(found):
        return None
    share, whole, part = found[index : index + 3]
    if share.unit != "%" or whole.unit != part.unit or whole.unit == "%" or whole.is_time or share.vague:
        return None
    if not re.fullmatch(r"\s+of\s+(?:(?:the|our|its|all|these|total)\s+)*", text[share.end : whole.start]):
        return None
    tied = re.fullmatch(
        r"\s*[\w\s]{0,30}(?:\(|[,–—:=]\s?(?:that is|i\.e\.|or|namely|so|which is)?|\b(?:that is|is|are|"
        r"equals|or))\s*",
        text[whole.end : part.start],
    )
    if not tied or whole.vague or part.vague or _NO_SHARE.search(text[whole.end : part.start]):
        return None
    if part.noun and whole.noun and part.noun.split()[-1].lower() != whole.noun.split()[-1].lower():
        return None
    if _fits(part, whole, share) or part.value > whole.value:
        return None
    return f"{share.text} of {whole.text} is {share.value * whole.value / 100:,.6g}, not {part.text}."


def _more_than_all(text: str, amount: Amount) -> bool:
    if amount.unit != "%" or amount.value <= 100 or not _OVER_ALL.match(text, amount.end):
        return False
    return not _COMPARED_WITH.search(text)


def _tension(passage: Passage, note: str) -> Tension:
    return Tension("share", passage.place, passage.place, note)
