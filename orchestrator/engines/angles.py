"""Why a panelist would go after a claim: its red flags, its benchmarks, its own patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from orchestrator.claims.cues import GROWTH_OF_NUMBER
from orchestrator.claims.model import Claim, Quantity
from orchestrator.claims.units import is_currency
from orchestrator.engines.matching import found, holds, normal
from orchestrator.engines.same import Same
from orchestrator.engines.sorts import is_of_others
from orchestrator.pattern import ANY, FINDINGS, Pattern
from orchestrator.persona import Benchmark, DomainKnowledge, Persona, Seat

RED_FLAG: Final = "red flag"
BENCHMARK: Final = "benchmark"
PATTERN: Final = "pattern"

_FLAG_WEIGHT: Final = 2.8
_BENCHMARK_WEIGHT: Final = 3.2
_KIND_WEIGHT: Final = 1.0
_KIND_ORDER_WEIGHT: Final = 1.2
_ANY_WEIGHT: Final = 0.3
_TRIGGER_WEIGHT: Final = 0.5
_FOCUS_WEIGHT: Final = 2.0
_OPEN_NUMBER_WEIGHT: Final = 0.4
_NO_PERIOD_WEIGHT: Final = 0.6
_NO_BASE_WEIGHT: Final = 0.4
"""For a rate of growth without its period or its starting point: no figure says less without them."""
_FAINT_WEIGHT: Final = -0.7

_NEAR: Final = 80
"""Characters between a metric's words and its number: farther apart, they belong to different clauses."""

_NO_ACTUAL = re.compile(
    r"\b(?:target|goal|aim|plan|expect|forecast|will|would|could|by 20\d\d|up to|at least|at most|between|"
    r"range|"
    r"budget|if|assum\w+|scenario|estimated|potential)\b",
    re.IGNORECASE,
)
_SAVES = re.compile(r"\b(?:sav(?:e|es|ed|ing|ings)|cuts?|off|discount)\b", re.IGNORECASE)
_OF_CHANGE = re.compile(
    r"\b(?:growth|grow|increase|uplift|overrun|reduction|change|churn|improve\w*)\b",
    re.IGNORECASE,
)
"""A metric that is itself a change, so that its words may stand beside "grew by"."""
_SOURCED = re.compile(
    r"\b(?:source|according to|audited|survey|report|study|measured by|as of)\b",
    re.IGNORECASE,
)
_FROM = re.compile(r"\b(?:from|compared|versus|vs)\b", re.IGNORECASE)
_SHARED_WORD = re.compile(r"[a-z]{4,}")


_KIND_WORDS: Final = {
    "money": "an amount of money, and what stands behind it",
    "percent": "a percentage, and what it is taken of",
    "growth": "growth, and where and when it began",
    "share": "a share, and the whole that it is part of",
    "duration": "a length of time, and how it was found",
    "date": "a date, and what hangs on it",
    "count": "a count, and who counted what",
    "comparison": "a comparison, and its other side",
    "superlative": "a first place, and among whom",
    "promise": "something promised, and who answers for it",
    "future": "something still to come, and how it will show",
    "causal": "a cause, and how that is known",
}
"""A claim's kind as a presenter reads it in the notes."""


@dataclass(frozen=True, slots=True)
class Angle:
    """One way to go after a claim."""

    kind: str  # RED_FLAG, BENCHMARK or PATTERN, a silence, or one of FINDINGS
    name: str  # the flag, the metric, the silence, or the claim's kind
    words: str  # the angle as notes and records say it
    patterns: tuple[Pattern, ...]  # that may ask it, the fittest first
    weight: float
    around: tuple[str, ...] = ()  # words of the claim that the question is about
    slots: tuple[tuple[str, str], ...] = ()  # what else its patterns may be filled with


KEPT: Final = 4096
"""Claims of which the angles, words and triggers are remembered, of all seats together: they change as
little as the claim and the persona, and a refresh looks at each of them again every 15 s."""


@lru_cache(maxsize=KEPT)
def angles(claim: Claim, seat: Seat) -> tuple[Angle, ...]:
    """All angles of one panelist on one claim, the most specific first; never empty-handed with "any"."""
    of_all_kinds = [*flag_angles(claim, seat), *_kind_angles(claim, seat.persona)]
    if seat.domain is not None:
        of_all_kinds += _benchmark_angles(claim, seat.domain)
    return tuple(sorted(of_all_kinds, key=lambda angle: -angle.weight))


def interest(claim: Claim, seat: Seat, best: Angle, focus: Sequence[str]) -> float:
    """How much this panelist wants to ask about the claim: the angle's weight, and what adds to it."""
    weight = best.weight
    if any(_unplaced(claim, quantity) for quantity in claim.quantities):
        weight += _OPEN_NUMBER_WEIGHT
    if "growth" in claim.kinds:
        weight += _bareness(claim)
    if touches(claim, focus):
        weight += _FOCUS_WEIGHT
    if _triggers(claim, seat):
        weight += _TRIGGER_WEIGHT
    if claim.origin in ("table", "chart") or len(claim.text.split()) < 3:
        weight += _FAINT_WEIGHT
    return weight


@lru_cache(maxsize=KEPT)
def _triggers(claim: Claim, seat: Seat) -> bool:
    text = normal(claim.text)
    return any(
        word in text and holds(text, word) for trigger in seat.persona.triggers for word in trigger.words
    )


def touches(claim: Claim, focus: Sequence[str]) -> bool:
    """The claim shares a word of some length with what the presenter asked the panel to look at."""
    if not focus:
        return False
    return not _shared_words(*focus).isdisjoint(_shared_words(claim.text))


@lru_cache(maxsize=KEPT)
def _shared_words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in _SHARED_WORD.findall(text.lower()))


@lru_cache(maxsize=KEPT)
def flag_angles(claim: Claim, seat: Seat) -> tuple[Angle, ...]:
    """One angle for each red flag whose words stand in the claim."""
    text = normal(claim.text)
    flags = seat.domain.red_flags if seat.domain is not None and not is_of_others(claim.text) else ()
    return tuple(
        Angle(
            kind=RED_FLAG,
            name=flag.flag,
            words=f"red flag: {_small_initial(flag.flag)} ({_small_initial(flag.why).rstrip('.')})",
            patterns=(flag.question,),
            weight=_FLAG_WEIGHT + 0.05 * (len(phrases) - 1),
            around=phrases,
        )
        for flag in flags
        if (phrases := found(text, flag.words))
    )


def _benchmark_angles(claim: Claim, domain: DomainKnowledge) -> Iterator[Angle]:
    """A figure outside the usual range of its metric; silent where it is a target, a range or a change."""
    if not claim.quantities or _NO_ACTUAL.search(claim.text):
        return
    text = normal(claim.text)
    changes = GROWTH_OF_NUMBER.search(text) is not None or _SAVES.search(text) is not None
    for benchmark in domain.benchmarks:
        if changes and not _OF_CHANGE.search(benchmark.metric):
            continue
        phrases = found(text, benchmark.words)
        quantity = phrases and _measure_of(claim, benchmark, phrases)
        if not quantity:
            continue
        side, metric = _side(quantity.value, benchmark), _small_initial(benchmark.metric)
        if side:
            yield Angle(
                kind=BENCHMARK,
                name=benchmark.metric,
                words=f"benchmark: {metric}, usually {_range(benchmark)} ({benchmark.source})",
                patterns=(_benchmark_question(benchmark, side),),
                weight=_BENCHMARK_WEIGHT,
                around=(quantity.text,),
            )


def _measure_of(claim: Claim, benchmark: Benchmark, phrases: Sequence[str]) -> Quantity | None:
    """The one quantity of the claim in the benchmark's unit, near the metric's words; None if unclear."""
    fitting = [q for q in claim.quantities if _same_unit(q.unit, benchmark.unit)]
    if len(fitting) != 1 or re.search(r"\d\s?[-–]\s?\d", fitting[0].text):
        return None
    text = normal(claim.text)
    number = text.find(normal(fitting[0].text))
    words = max(text.find(phrase) for phrase in phrases)
    return fitting[0] if number >= 0 and abs(number - words) <= _NEAR else None


def _same_unit(unit: str | None, wanted: str) -> bool:
    if unit is None:
        return False
    return unit == wanted or (unit.lower() == wanted.lower() and not is_currency(unit))


def _side(value: float, benchmark: Benchmark) -> str | None:
    """On which side of the usual range the value lies; None where it is inside."""
    if benchmark.low is not None and value < benchmark.low:
        return "below"
    if benchmark.high is not None and value > benchmark.high:
        return "above"
    return None


def _range(benchmark: Benchmark) -> str:
    """The range as it is read out: "12 to 18 months", "at most 10%"."""
    sign = "%" if benchmark.unit == "%" else f" {benchmark.unit}"
    low, high = benchmark.low, benchmark.high
    if high is not None and (low is None or low == 0):
        return f"at most {high:g}{sign}"
    return f"at least {low:g}{sign}" if high is None else f"{low:g} to {high:g}{sign}"


@lru_cache(maxsize=512)
def _benchmark_question(benchmark: Benchmark, side: str) -> Pattern:
    """The one question that no persona can write: it names the range, which stands in the table."""
    text = (
        f'{{place}} you say "{{quote}}". The published range for {_small_initial(benchmark.metric)} is '
        f"{_range(benchmark)}. What puts you {side} it?"
    )
    return Pattern((ANY,), ("cause",), text, frozenset({"place", "quote"}))


def _kind_angles(claim: Claim, persona: Persona) -> Iterator[Angle]:
    """One angle of the patterns that fit the claim's kinds, and one of those that fit any claim.

    The weight is that of the claim's kind which the persona goes after first.
    """
    fitting = _fitting(claim.kinds, Same(persona))
    if fitting:
        asked = {head for pattern in fitting for head in pattern.heads}
        order, kind = min((_order(kind, persona.kinds), kind) for kind in claim.kinds if kind in asked)
        weight = _KIND_WEIGHT + _KIND_ORDER_WEIGHT / (1 + order)
        yield Angle(PATTERN, kind, _KIND_WORDS[kind], fitting, weight)
    anything = tuple(pattern for pattern in persona.initial if ANY in pattern.heads and not pattern.only)
    if anything:
        yield Angle(PATTERN, ANY, "the claim itself, and what it rests on", anything, _ANY_WEIGHT)


@lru_cache(maxsize=512)
def _fitting(kinds: tuple[str, ...], persona: Same[Persona]) -> tuple[Pattern, ...]:
    """The patterns for claims of these kinds, the fittest first."""
    patterns, order = persona.value.initial, persona.value.kinds
    fitting = [pattern for pattern in patterns if set(pattern.heads) & set(kinds) and not pattern.only]
    return tuple(sorted(fitting, key=lambda pattern: _fit(pattern, kinds, order)))


def _order(kind: str, order: tuple[str, ...]) -> int:
    """How soon the persona goes after this kind; kinds that it does not name come late."""
    return order.index(kind) if kind in order else len(order) + 2


def fit(pattern: Pattern, claim: Claim, persona: Persona) -> tuple[float, int, int]:
    """How well a pattern fits a claim, as a key that sorts the fittest first.

    A pattern fits as well as its kinds are the claim's: one for "money, growth, future" asks
    about an amount, and a plan without one is better met by a pattern for "future" alone.
    Of two that fit alike, the one for the more telling kind comes first, then the one for the
    kind that the persona goes after sooner.
    """
    return _fit(pattern, claim.kinds, persona.kinds)


def _fit(pattern: Pattern, kinds: tuple[str, ...], order: tuple[str, ...]) -> tuple[float, int, int]:
    shared = [head for head in pattern.heads if head in kinds]
    if not shared:
        return 0.0, len(kinds), 0
    share = len(shared) / len(pattern.heads)
    telling = min(kinds.index(head) for head in shared)
    return -(share + 0.1 * len(shared)), telling, min(_order(head, order) for head in shared)


def fits_half(pattern: Pattern, claim: Claim) -> bool:
    """At least half of the pattern's kinds are the claim's; one made for a finding fits it wholly."""
    return 2 * len(set(pattern.heads) & {*claim.kinds, ANY, *FINDINGS}) >= len(pattern.heads)


def _bareness(claim: Claim) -> float:
    """The weight of what a rate of growth comes without: its period, and the figure that it began at."""
    rates = [quantity for quantity in claim.quantities if quantity.unit in ("%", "x")]
    if not rates:
        return 0.0
    based = len(claim.quantities) > len(rates) or _FROM.search(claim.text) is not None
    undated = all(quantity.period is None for quantity in rates)
    return _NO_PERIOD_WEIGHT * undated + _NO_BASE_WEIGHT * (not based)


def _unplaced(claim: Claim, quantity: Quantity) -> bool:
    """The number has no period, and the sentence names no source for it."""
    return quantity.period is None and not _SOURCED.search(claim.text)


def _small_initial(text: str) -> str:
    """The text as it stands inside a sentence: "A survey" → "a survey", but "EBITDA" as it is."""
    if len(text) > 1 and text[1].isupper():
        return text
    return text[:1].lower() + text[1:]
