"""The figures of a sentence with what decides whether two of them may be compared, and who is spoken of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from orchestrator.checks.figures import DeckWords, figures_of, words_of
from orchestrator.checks.model import Figure
from orchestrator.claims.cues import GROWTH_OF_NUMBER
from orchestrator.claims.model import Claim, Quantity
from orchestrator.claims.periods import Period, find_periods
from orchestrator.claims.quantities import Measured, measure
from orchestrator.claims.units import TIME_UNITS, is_currency
from orchestrator.claims.words import word_set
from orchestrator.deck.model import Deck
from orchestrator.intel.vocabulary import stem_of, stems

_ABOUT: Final = 0.05
"""What "about" allows on either side."""
_REACH: Final = 60
_REMEMBERED: Final = 2048
"""Sentences whose reading is kept: each is held beside every claim of the deck."""

_WORD = re.compile(r"[A-Za-z][\w’'-]*")
_ABOUT_BEFORE = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|nearly|almost|some|circa|ca\.?)|~|≈)\s*$", re.I
)
_OVER_BEFORE = re.compile(
    r"(?:\b(?:over|more than|at least|above|exceed\w*|in excess of|no less than)|>|≥)\s*$", re.I
)
_UNDER_BEFORE = re.compile(
    r"(?:\b(?:under|less than|fewer than|below|at most|up to|no more than)|<|≤)\s*$", re.I
)
_RANGE = re.compile(r"(\d[\d.,]*)\s*(?:[-–]|\bto\b|\band\b)\s*(\d[\d.,]*)")
_DIGITS = re.compile(r"\d[\d,’']*(?:\.(\d+))?")
_DOWN = re.compile(
    r"\b(?:fell|fall(?:s|en|ing)?|declin\w+|decreas\w+|dropp?\w*|shrank|shrunk|shrink\w*|contract(?:ed|ing|s)|down|"
    r"reduc\w+|lower|cut|lost|slump\w*)\b",
    re.I,
)
_AHEAD = re.compile(
    r"\b(?:will|would|could|may|might|should|forecast\w*|expect\w*|project(?:ed|s|ion|ions)|predict\w*|plan(?:s|ned)?|"
    r"target\w*|goal|aim\w*|estimat\w+|by 20\d\d|if|scenario|potential|guarantee\w*|outlook)\b",
    re.I,
)
_OF_MARKET = re.compile(
    r"\b(?:market|industry|sector|peers?|competitors?|rivals?|average|typical(?:ly)?|usual(?:ly)?|median|benchmark|"
    r"nationwide|national|european|worldwide|global(?:ly)?|others?|elsewhere|survey(?:ed)?|respondents)\b",
    re.I,
)
_ATTRIBUTED = re.compile(
    r"\b(?:according to|as reported (?:by|in)|reported by|published by|source[:,]?|data (?:of|from|by)|"
    r"figures (?:of|from|by)|register of|report (?:of|by|from)|says|said|told|writes|in its|on its|"
    r"accounts filed (?:with|at))\s+"
    r"(?:the\s+)?(?:[A-Z][\w&.’'-]*(?:\s+(?:of|for|and|the)\s+(?=[A-Z])|\s*))+",
)
_SAYING = re.compile(
    r"^(?:the\s+)?(?:[A-Z][\w&.’'-]*\s+)+(?:(?:\w+\s+){0,3})?(?:says|said|reports?|reported|finds|found|shows?|showed|"
    r"writes|wrote|lists?|counts?|counted|puts|notes|noted|states|stated)\b"
)
_NAME = re.compile(r"(?<=[a-z,;:)’'\d] )[A-Z][\w&’'-]+")
_NAME_FIRST = re.compile(
    r"([A-Z][\w&-]+)(?:['’]s\b|\s+(?:has|had|have|is|was|were|are|grew|fell|rose|lost|won|r[au]n|reach\w*|serv\w+|"
    r"carr\w+|report\w*|post\w*|employ\w*|us(?:es|ed)|s[eo]l[ls]\w*|achiev\w*|cut|delivers?|delivered|made)\b)"
)
"""A sentence that opens with a bare noun: if the claim does not know it, it is somebody's name."""
_QUALIFIERS: Final = word_set(
    "gross net adjusted organic average mean median cumulative recurring monthly weekly daily quarterly "
    "annualised annualized pro-forma like-for-like underlying operating pre-tax after-tax excluding "
    "including pilot paid free active registered new former potential minimum maximum peak"
)
PLAIN: Final = word_set(
    "customer client company group annual yearly total overall number year rate figure figures user "
    "member level reported current"
)
"""Words of a subject whose presence makes it no other subject."""
_OF_A_PART = re.compile(
    r"\b(?:in|for|among|at|from|of|with|on|across|within|outside)\s+(?:the\s+|its\s+|our\s+|their\s+|all\s+)?"
    r"((?:[A-Za-z][\w’'-]*\s*){1,3})"
)


_SHARE_OF = re.compile(r"\s+of\b")
_CLAUSE = re.compile(r"[,;:()!?•|]|\.(?=\s|$)|\s(?:and|but|while|whereas|including)\s")


@dataclass(frozen=True, slots=True)
class Ours:
    """What the deck is about, for telling our own figures from those of others."""

    names: frozenset[str]  # stems of the deck's title
    year: str | None  # that an undated figure of the deck holds for
    words: DeckWords
    figures: Mapping[str, Sequence[Figure]]  # the deck's figures by the claim that they stand in


@dataclass(frozen=True, slots=True)
class Told:
    """One figure in its sentence, with what decides whether it may be compared."""

    text: str
    low: float
    high: float
    value: float
    unit: str | None
    subject: frozenset[str]
    clause: frozenset[str]  # the telling words beside it
    counts: bool  # a number of heads or things, or a share of them: the noun alone says too little
    is_change: bool
    is_ahead: bool
    is_of_market: bool
    qualifiers: frozenset[str]
    dates: frozenset[str]
    recurs: frozenset[str]
    parts: frozenset[str]


def ours_of(deck: Deck, claims: Sequence[Claim]) -> Ours:
    """The deck's own names, and the one year that most of its figures of what has been are of."""
    years = Counter(
        date
        for claim in claims
        if _AHEAD.search(claim.text) is None
        for quantity in claim.quantities
        for date in _dates(quantity.period or "")
        if date.isdecimal()
    )
    ranked = years.most_common(2)
    clear = ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1])
    title = deck.title if deck.title != deck.name else ""
    figures: dict[str, list[Figure]] = {}
    for figure in figures_of(deck, claims):
        if figure.claim is not None:
            figures.setdefault(figure.claim, []).append(figure)
    return Ours(stems(title), ranked[0][0] if clear else None, words_of(deck), figures)


def without_speaker(sentence: str) -> str:
    """The sentence without who says it: "according to the Port Authority", "The Register reports"."""
    return _SAYING.sub("", _ATTRIBUTED.sub(" ", sentence))


def names_another(sentence: str, claim_text: str, ours: Ours) -> bool:
    """A name that neither claim nor deck title knows: another company or place."""
    return not _names_in(sentence) <= _words_of(claim_text) | ours.names


@lru_cache(maxsize=_REMEMBERED)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(stem_of(word) for word in _WORD.findall(text))


@lru_cache(maxsize=_REMEMBERED)
def _names_in(sentence: str) -> frozenset[str]:
    text = without_speaker(sentence)
    for period in find_periods(text):
        text = text.replace(period.text, " ")
    names = {stem_of(match[0]) for match in _NAME.finditer(text) if not match[0].isupper()}
    opening = _NAME_FIRST.match(text.strip())
    return frozenset(names | ({stem_of(opening[1])} if opening else set()))


@lru_cache(maxsize=_REMEMBERED)
def figures_told(text: str, topic: str, names: frozenset[str]) -> tuple[Told, ...]:
    """The figures of a sentence; *names* are those of the deck itself, which tell no subject apart."""
    periods = find_periods(text)
    return tuple(_figure(text, topic, found, periods, names) for found in measure(text, periods=periods))


def _figure(
    text: str, topic: str, measured: Measured, periods: tuple[Period, ...], names: frozenset[str]
) -> Told:
    quantity = measured.quantity
    before, clause = text[max(0, measured.start - _REACH) : measured.start], _clause(text, measured)
    is_change = quantity.unit in ("%", "points", "x") and GROWTH_OF_NUMBER.search(clause) is not None
    sign = -1.0 if is_change and _DOWN.search(clause) else 1.0
    low, high = sorted(sign * end for end in _bounds(before, quantity.text, quantity.value))
    subject = stems(quantity.subject or "") - names
    if not subject or is_change:
        subject |= stems(_SUBJECT_END.split(before)[-1]) - names
    subject = subject or stems(topic)
    noun = quantity.unit is None or not (is_currency(quantity.unit) or quantity.unit in MEASURED_UNITS)
    beside = [period for period in periods if period.text in clause]
    return Told(
        text=quantity.text,
        low=low,
        high=high,
        value=sign * quantity.value,
        unit=quantity.unit,
        subject=subject - _CHANGES,
        clause=stems(without_speaker(clause)) - _CHANGES - PLAIN,
        counts=noun or (quantity.unit == "%" and _SHARE_OF.match(text, measured.end) is not None),
        is_change=is_change,
        is_ahead=_AHEAD.search(clause) is not None,
        is_of_market=_OF_MARKET.search(text) is not None,
        qualifiers=frozenset(word.lower() for word in _WORD.findall(clause)) & _QUALIFIERS,
        dates=_times(beside) or _times(periods),
        recurs=frozenset(_recurring(period.text) for period in beside if period.kind == "recurring"),
        parts=_parts_of(clause, quantity, beside),
    )


def _times(periods: Sequence[Period]) -> frozenset[str]:
    return frozenset(date for period in periods if period.kind == "calendar" for date in _dates(period.text))


def _clause(text: str, measured: Measured) -> str:
    """The words around the figure up to the next comma, "and" or stop on either side."""
    start = max((m.end() for m in _CLAUSE.finditer(text, 0, measured.start)), default=0)
    end = next((m.start() for m in _CLAUSE.finditer(text, measured.end)), len(text))
    return text[start:end]


MEASURED_UNITS: Final = TIME_UNITS | {"%", "points", "x"}
_SUBJECT_END = re.compile(r"[.;:!?•|()]")
_CHANGES: Final = word_set(
    "grew grown growing rose risen fell fallen climbed jumped declined declining dropped increased "
    "increasing decreased shrank reached stood came higher lower improved expanded contracted"
)


def _bounds(before: str, words: str, value: float) -> tuple[float, float]:
    """What the words can mean: the precision as written, "about", "over", a range."""
    if ends := _RANGE.search(words):
        low, high = (float(re.sub(r"[,’']", "", end).rstrip(".")) for end in ends.groups())
        scale = value / low if low else 1.0
        return (low * scale, high * scale) if low < high else (value, value)
    lead = before + (words if words[:1] in "~≈<>≤≥" else "")
    if _OVER_BEFORE.search(before) or words.rstrip().endswith("+") or words[:1] in ">≥":
        return value, float("inf")
    if _UNDER_BEFORE.search(before) or words[:1] in "<≤":
        return float("-inf"), value
    half = _half_step(words, value)
    if _ABOUT_BEFORE.search(lead) or words[:1] in "~≈":
        half = max(half, _ABOUT * abs(value))
    return value - half, value + half


def _half_step(words: str, value: float) -> float:
    """Half of the last digit that is written, in the value's own scale; none for plain counts."""
    digits = _DIGITS.search(words)
    if digits is None:
        return 0.0
    written = float(re.sub(r"[,’']", "", digits[0]))
    scale = abs(value) / written if written else 1.0
    decimals = len(digits[1]) if digits[1] else 0
    return 0.5 * scale * 10.0**-decimals if decimals or scale > 1 or "%" in words else 0.0


def _dates(words: str) -> Iterator[str]:
    """Years and quarters in one form; fiscal and calendar years are not told apart."""
    yield from re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", words)
    yield from (f"20{short}" for short in re.findall(r"(?:FY|['’])\s?(\d\d)\b(?!\d)", words))
    yield from (f"q{number}" for number in re.findall(r"\b[Qq]([1-4])\b", words))


def _recurring(words: str) -> str:
    match = re.search(r"day|dai|week|month|quarter|year|annu|yearly|hour|minute|sec", words.lower())
    return {"annu": "year", "dai": "day"}.get(match[0], match[0]) if match else words.lower()


def _parts_of(clause: str, quantity: Quantity, periods: Sequence[Period]) -> frozenset[str]:
    """Stems of what stands behind "in", "for", "among" …: a region, a product, a group."""
    for period in periods:
        clause = clause.replace(period.text, "." * len(period.text))
    clause = _ATTRIBUTED.sub(" . ", clause)
    own = stems(quantity.subject or "")
    return frozenset(stem for match in _OF_A_PART.finditer(clause) for stem in stems(match[1])) - own - PLAIN
