"""Whether a sentence from outside speaks for or against a claim: by its figures, and only where they compare.

Silence is better than a wrong stance. Two figures are compared when they are of one unit and
one subject, both levels or both changes, both ahead or both behind, of the same holder (ours,
or the market's), of periods that do not differ, and neither is of a part. Everything else is
neutral.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from orchestrator.checks.compare import meet, plausible, same_thing
from orchestrator.checks.figures import DeckWords, figures_of_segment
from orchestrator.checks.model import Figure
from orchestrator.claims.language import reads_as_english
from orchestrator.claims.model import Claim
from orchestrator.claims.units import is_currency
from orchestrator.intel.model import CONTRADICTS, NEUTRAL, SUPPORTS
from orchestrator.intel.told import MEASURED_UNITS, PLAIN, Ours, Told, figures_told, names_another
from orchestrator.intel.vocabulary import stem_of, stems
from orchestrator.speech.model import Segment

_FARTHEST: Final = 20.0
"""Two figures that differ by more than this factor measure different things."""


@dataclass(frozen=True, slots=True)
class Stance:
    """What the figures say, and the two of them as written."""

    stance: str = NEUTRAL
    why: str = ""


def stance_of(sentence: str, claim: Claim, ours: Ours, *, topic: str = "") -> Stance:
    """How *sentence* stands to the claim; neutral where their figures cannot be compared."""
    text = claim.text
    if not claim.quantities or claim.origin in ("table", "chart"):
        return Stance()
    if not (_is_english(sentence) and _is_english(text)) or names_another(sentence, text, ours):
        return Stance()
    outside, own = figures_told(sentence, topic, ours.names), figures_told(text, "", ours.names)
    about_sentence, about_claim = stems(sentence) | ours.names, stems(text) | ours.names
    found = [
        (one, other)
        for one in outside
        for other in own
        if _compare(one, other, ours) and one.parts <= about_claim and other.parts <= about_sentence
    ]
    if not found:
        return _by_metric(sentence, claim, ours, outside, own)
    return _verdict(
        [(one.text, other.text, one.low <= other.high and other.low <= one.high) for one, other in found]
    )


@lru_cache(maxsize=2048)
def _is_english(text: str) -> bool:
    return reads_as_english(text)


@lru_cache(maxsize=256)
def _by_lexicon(sentence: str, words: DeckWords) -> tuple[Figure, ...]:
    return figures_of_segment(Segment(sentence, 0.0, 0.0), (), words=words)


def _verdict(pairs: Sequence[tuple[str, str, bool]]) -> Stance:
    """Pairs of figures and whether each agrees; neutral where some do and some do not."""
    if len({agree for _, _, agree in pairs}) != 1:
        return Stance()
    one, other, agree = pairs[0]
    return (
        Stance(SUPPORTS, f'"{one}" and "{other}"')
        if agree
        else Stance(CONTRADICTS, f'"{one}" against "{other}"')
    )


def _by_metric(
    sentence: str, claim: Claim, ours: Ours, outside: Sequence[Told], own: Sequence[Told]
) -> Stance:
    """The same by the lexicon of metrics, which knows other words for one thing: "staff" and "employees"."""
    if not outside or not own:
        return Stance()
    beside = {figure.text: figure for figure in outside}
    of_claim = {figure.text: figure for figure in own}
    pairs = []
    for one in _by_lexicon(sentence, ours.words):
        for other in ours.figures.get(claim.id, ()):
            mine, theirs = beside.get(one.text), of_claim.get(other.text)
            if mine is None or theirs is None or not _may_compare(mine, theirs, claim, ours):
                continue
            if same_thing(one, other) and plausible(one, other):
                pairs.append((one.text, other.text, meet(one, other)))
    return _verdict(pairs)


def _may_compare(one: Told, other: Told, claim: Claim, ours: Ours) -> bool:
    """Nothing in the words forbids it: no part, no qualifier, no other holder or time on one side only."""
    if (one.is_ahead, one.is_of_market, one.qualifiers) != (
        other.is_ahead,
        other.is_of_market,
        other.qualifiers,
    ):
        return False
    if not _same_time(one, other, ours) or not one.parts <= stems(claim.text) | ours.names:
        return False
    words = stems(claim.text)
    narrowed = bool(one.subject & words) and bool(one.subject - words - ours.names - PLAIN)
    return not narrowed and not other.parts - one.clause - other.subject


def _compare(one: Told, other: Told, ours: Ours) -> bool:
    """The two figures (from outside, and of the deck) measure the same thing of the same holder and time."""
    if not _same_unit(one.unit, other.unit) or not _same_subject(one, other):
        return False
    if (one.is_change, one.is_ahead, one.is_of_market) != (
        other.is_change,
        other.is_ahead,
        other.is_of_market,
    ):
        return False
    if one.qualifiers != other.qualifiers or not _same_time(one, other, ours):
        return False
    if is_currency(one.unit) and one.recurs != other.recurs:
        return False
    small, large = sorted((abs(one.value), abs(other.value)))
    return one.is_change or small == large or (small > 0 and large / small <= _FARTHEST)


def _same_time(one: Told, other: Told, ours: Ours) -> bool:
    if one.recurs and other.recurs and one.recurs != other.recurs:
        return False
    if one.dates and other.dates:
        years = [{date for date in figure.dates if date.isdecimal()} for figure in (one, other)]
        quarters = [figure.dates - known for figure, known in zip((one, other), years, strict=True)]
        return years[0] == years[1] and quarters[0] == quarters[1]
    if one.dates:  # the deck's figure is undated: it is of the deck's year, where there is one
        return ours.year is not None and one.dates == {ours.year}
    return not other.dates or other.counts is False


def _same_unit(one: str | None, other: str | None) -> bool:
    if one == other:
        return True
    if one is None or other is None or is_currency(one) or is_currency(other):
        return False
    fixed = MEASURED_UNITS
    return not ({one, other} & fixed) and stem_of(one.split()[-1]) == stem_of(other.split()[-1])


def _same_subject(one: Told, other: Told) -> bool:
    """Not only the same noun: where things are counted, what is said of them too."""
    if not one.subject & other.subject or (one.subject ^ other.subject) - PLAIN:
        return False
    if not (one.counts or other.counts):
        return True
    beyond = one.clause & other.clause
    for unit in (one.unit, other.unit):
        beyond -= stems(unit or "")
    return bool(beyond - one.subject if one.unit == "%" else beyond)
