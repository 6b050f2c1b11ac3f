"""Putting words into a pattern's slots: places, quotes, numbers, and the choice between patterns.

Every choice is made from a CRC-32 of what is being worded, so that two runs of one
recording say the same (`hash()` differs from process to process).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, TypeVar

from orchestrator.claims.model import Claim, Quantity
from orchestrator.claims.periods import find_periods
from orchestrator.claims.sentences import without_final_stop
from orchestrator.claims.units import TIME_UNITS, is_currency
from orchestrator.pattern import VERBATIM_SLOTS, Pattern

T = TypeVar("T")

_ALIKE: Final = 0.6
"""Share of the words of two questions that both hold, from which on they sound like one."""
_END_OF_QUOTE: Final = '". '
_ASKING_WORD = re.compile(r"[a-z]{3,}")

LONGEST_QUOTE: Final = 25
"""Words that are read out before a question; more cannot be held in mind."""
_SPARED: Final = 3
"""A sentence that is longer by so few words is read out whole: a cut would cost more than it saves."""
LONGEST_ANSWER_QUOTE: Final = 12
"""Words of an answer that a follow-up repeats."""

_SLOT = re.compile(r"\{(\w+)\}")
_WORD = re.compile(r"\S+")
_CLAUSE_STARTS = re.compile(
    r"(?<=[,;:–—)])\s+|\s+(?=[(–—])|\s+(?=(?:while|which|because|so that|although|whereas)\s)|"
    r"\s+(?=(?:and|but)\s+(?:we|it|they|then|is|are|was|were|will|has|have)\b)|"
    r"\s+(?=to [a-z]+ (?:the|a|an|our|its|their|more)\s)"
)
_SHORT_ITEM: Final = 3
"""A comma with fewer words before the next stands in a list, and is no place to cut."""
_OPENING = re.compile(
    r"(?:(?:yes|no)(?=,)|in fact|moreover|however|also|furthermore|additionally|finally|by contrast|"
    r"in addition|so|"
    r"and|but|well|now|then|again|of course|as you can see|therefore|consequently)\b,?\s+(?=\S+\s+\S+\s+\S+)",
    re.IGNORECASE,
)
"""What leads up to a statement and is not part of it."""
_GAINING_TIME = re.compile(
    r"^\W*(?:(?:well|so|yes|no|okay|ok|right|um+|uh+|er+|look|thanks?(?: you)?)\b[\s,.]*)+", re.IGNORECASE
)
_LOOSE_END = re.compile(
    r"(?:[\s,;:–—(-]|(?<=\s)(?:and|or|but|the|a|an|of|to|in|on|for|with|by|from|at|as|that|which|is|are|was|"
    r"were|our|its|their))+$",
    re.IGNORECASE,
)


def rotated(key: str, options: Iterable[T]) -> list[T]:
    """All *options*, in an order that starts at a place chosen by *key*."""
    items = list(options)
    if not items:
        return items
    start = zlib.crc32(key.encode()) % len(items)
    return items[start:] + items[:start]


def place_of(claim: Claim) -> str:
    """Where the words stand, as a panelist says it: "On slide 4", "At 3:20"."""
    if claim.said_at_s is not None:
        return f"At {clock(claim.said_at_s)}"
    place = f"On slide {claim.slide}"
    if claim.origin == "table" and claim.quantities and claim.quantities[0].subject:
        return f'{place}, in the row "{claim.quantities[0].subject}",'
    return f"{place}, in the chart," if claim.origin == "chart" else place


def clock(time_s: float) -> str:
    """Minutes and seconds of a recording, with hours where there are any: "3:20", "1:02:05"."""
    seconds = max(0, int(time_s))
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


def quote_of(claim: Claim, around: Sequence[str] = ()) -> str:
    """The claim's words, or a verbatim part of at most `LONGEST_QUOTE` words that holds *around*.

    Args:
        around: Words that the question is about; the first that occurs decides where to cut.
    """
    for words in around:
        found = re.search(re.escape(words), claim.text, re.IGNORECASE)
        if words and found:
            return cut(claim.text, found.start(), found.end(), LONGEST_QUOTE)
    return cut(claim.text, 0, 0, LONGEST_QUOTE)


def cut(text: str, start: int, end: int, most_words: int) -> str:
    """A verbatim part of *text* around start..end: whole clauses where they fit, else whole words."""
    text = without_final_stop(text)
    opening = _OPENING.match(text)
    if opening and (opening.end() <= start or end == 0):
        shift = opening.end()
        return cut_at_clauses(text[shift:], start - shift, end - shift, most_words)
    return cut_at_clauses(text, start, end, most_words)


def cut_at_clauses(text: str, start: int, end: int, most_words: int) -> str:
    """As `cut`, with the words at the beginning kept whatever they are."""
    if len(text.split()) <= most_words + _SPARED:
        return text
    start, end = max(0, start), max(0, end)
    edges = _clause_edges(text)
    clauses = [(a, b) for a, b in pairwise(edges) if a < b]
    first = next((i for i, (_, b) in enumerate(clauses) if b > start), len(clauses) - 1)
    last = next((i for i, (_, b) in enumerate(clauses) if b >= end), first)
    if len(text[clauses[first][0] : clauses[last][1]].split()) > most_words:
        return _words_around(text, start, end, most_words)
    while last + 1 < len(clauses) and _fits(text, clauses[first][0], clauses[last + 1][1], most_words):
        last += 1
    while first > 0 and _fits(text, clauses[first - 1][0], clauses[last][1], most_words):
        first -= 1
    return _trimmed(text[clauses[first][0] : clauses[last][1]])


def _clause_edges(text: str) -> list[int]:
    edges = [0]
    in_list = False
    for match in _CLAUSE_STARTS.finditer(text):
        following = _CLAUSE_STARTS.search(text, match.end())
        item = text[match.end() : following.start() if following else len(text)]
        short = text[match.start() - 1 : match.start()] == "," and len(item.split()) < _SHORT_ITEM
        if not short and not in_list:
            edges.append(match.end())
        in_list = short
    return [*edges, len(text)]


def fill(pattern: Pattern, claim: Claim, quote: str, more: Iterable[tuple[str, str]] = ()) -> str | None:
    """The pattern with its slots filled from the claim and *more*, or None where one of them cannot be."""
    quantity = _quantity_for(pattern, claim, quote)
    period = quantity.period if quantity else next((p.text for p in find_periods(claim.text)), None)
    values = {
        "place": place_of(claim),
        "quote": quote,
        "number": quantity.text if quantity else None,
        "subject": quantity.subject if quantity else None,
        "period": period,
        **dict(more),
    }
    if not all(values.get(slot) for slot in pattern.slots):
        return None
    return _filled(pattern.text, {name: value or "" for name, value in values.items()})


def fill_follow_up(pattern: Pattern, answer: str | None, quote: str | None) -> str | None:
    """A follow-up or escalation with a few words of the answer, or None where a slot cannot be filled."""
    values = {"answer": answer_words(answer or ""), "quote": quote or ""}
    if not all(values.get(slot) for slot in pattern.slots):
        return None
    return _filled(pattern.text, values)


def answer_words(answer: str) -> str:
    """A few verbatim words of an answer, without what is said to gain time at its start."""
    words = _GAINING_TIME.sub("", answer.strip())
    sentence = re.split(r"(?<=[.!?])\s", words or answer.strip(), maxsplit=1)[0]
    return _trimmed(cut(sentence, 0, 0, LONGEST_ANSWER_QUOTE)).rstrip(".!?")


def was_asked(question: str, asked: Iterable[str]) -> bool:
    """The question was put before, with or without a lead-in in front of it."""
    return any(text.endswith(question) for text in asked)


def was_used(pattern: Pattern, asked: Iterable[str]) -> bool:
    """A question made from this pattern was put before, whatever it was about."""
    tail = _SLOT.split(pattern.text)[-1]
    return any(text.endswith(tail) and _made_from(pattern.text).search(text) for text in asked)


def sounds_like(pattern: Pattern, asked: Iterable[str]) -> bool:
    """The pattern asks in nearly the same words as a question that was put before."""
    own = _words_after_quote(pattern.text)
    return any(
        len(own & other) >= _ALIKE * len(own | other) for text in asked if (other := _words_after_quote(text))
    )


@lru_cache(maxsize=2048)
def _words_after_quote(text: str) -> frozenset[str]:
    """The words that a question asks in, without what it quotes."""
    return frozenset(_ASKING_WORD.findall(text.rpartition(_END_OF_QUOTE)[2].lower()))


@cache
def _made_from(pattern_text: str) -> re.Pattern[str]:
    """What every question that was made from this pattern ends in."""
    parts = _SLOT.split(pattern_text)
    literals = [re.escape(part) if index % 2 == 0 else ".+" for index, part in enumerate(parts)]
    return re.compile("".join(literals) + r"\Z", re.DOTALL)


def _filled(text: str, values: dict[str, str]) -> str:
    """Slots replaced once: braces inside a value stay as they are."""

    def value(slot: re.Match[str]) -> str:
        words = values[slot[1]]
        opens = slot.start() == 0 or text[: slot.start()].rstrip('" ').endswith((".", "?", "!"))
        return words[:1].upper() + words[1:] if opens and slot[1] not in VERBATIM_SLOTS else words

    return _SLOT.sub(value, text)


def _quantity_for(pattern: Pattern, claim: Claim, quote: str) -> Quantity | None:
    """The quantity that the pattern's kinds mean, among those that stand in the quote."""
    quoted = [q for q in claim.quantities if q.text in quote]
    for head in pattern.heads:
        for quantity in quoted:
            if _is_kind(quantity, head):
                return quantity
    return quoted[0] if quoted and not _MEASURED.issuperset(pattern.heads) else None


_MEASURED: Final = frozenset({"money", "percent", "share", "growth", "duration", "count"})


def _is_kind(quantity: Quantity, kind: str) -> bool:
    unit = quantity.unit
    if kind == "money":
        return is_currency(unit)
    if kind in ("percent", "share"):
        return unit == "%"
    if kind == "growth":
        return unit in ("%", "points", "x")
    if kind == "duration":
        return unit in TIME_UNITS
    return kind == "count" and unit not in ("%", "points", "x") and not is_currency(unit)


def _fits(text: str, start: int, end: int, most_words: int) -> bool:
    return len(text[start:end].split()) <= most_words


def _words_around(text: str, start: int, end: int, most_words: int) -> str:
    places = [(match.start(), match.end()) for match in _WORD.finditer(text)]
    middle = next((i for i, (_, b) in enumerate(places) if b > start), 0)
    held = sum(1 for a, b in places if b > start and a < end)
    first = max(0, min(middle - (most_words - held) // 2, len(places) - most_words))
    last = min(len(places), first + most_words) - 1
    return _trimmed(text[places[first][0] : places[last][1]])


def _trimmed(part: str) -> str:
    """Without loose ends: no trailing comma, article or preposition, and no unmatched bracket in front."""
    part = part.strip()
    shorter = _LOOSE_END.sub("", part)
    part = shorter if len(shorter) > len(part) // 2 else part
    if "(" in part and ")" not in part and part.rindex("(") > len(part) // 2:
        part = part[: part.rindex("(")].rstrip()
    return part.lstrip(",;:–— ")
