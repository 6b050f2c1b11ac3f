"""What kind of claim a sentence makes, told by its quantities and by cue words. English rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from orchestrator.claims import cues
from orchestrator.claims.model import Quantity
from orchestrator.claims.nouns import is_business_noun
from orchestrator.claims.periods import Period
from orchestrator.claims.units import TIME_UNITS, is_currency

ORDER: Final = (
    "growth",
    "share",
    "money",
    "percent",
    "count",
    "superlative",
    "promise",
    "causal",
    "comparison",
    "duration",
    "future",
    "date",
)
"""Which kind tells most about a claim that is of several kinds."""

_AHEAD: Final = ("promise", "future", "date")
"""Work that is still to be done: somebody has said that it will be there."""

_WORDED: Final[tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]] = (
    (("growth",), cues.GROWTH),
    (("share",), cues.SHARE),
    (("comparison",), cues.COMPARED),
    (("superlative",), cues.SUPERLATIVE),
    (("promise",), cues.PROMISE),
    (("promise",), cues.PAYS_OFF),
    (("promise",), cues.ABSOLUTE),
    (("promise",), cues.UNSECURED),
    (("promise",), cues.STANDS),
    (_AHEAD, cues.UNFINISHED),
    (_AHEAD, cues.DELIVERABLE),
    (("future",), cues.FUTURE),
    (("causal",), cues.CAUSAL),
)
_SHARE_OF_ALL = re.compile(
    r"\s+(?:of|uptime|availability|coverage|retention|renewable|recycled|compliance|accuracy|accurate|success|"
    r"recovery|return|increase|growth|more|higher|capacity|utilis?z?ation)\b",
    re.IGNORECASE,
)
"""What makes "100%" a figure; elsewhere ("100% approved") it means "wholly"."""
_ADDRESSED_BEFORE = re.compile(r"\b(?:for|to|welcome|thank|and)\s+(?:the|our|you)\s+$", re.IGNORECASE)
_IN_THIS_ROOM = re.compile(
    r"\s+(?:of|on|in|at) (?:this|the|our) (?:board|panel|committee|room|table)\b",
    re.IGNORECASE,
)
"""People who are spoken to ("for the two new members of this board") are not counted."""
_AS_FACTS: Final = frozenset({"growth", "share", "percent", "count", "duration"})
"""What is still to come cannot be asked about as if it had been measured."""
_QUICK_UNITS: Final = frozenset({"milliseconds", "seconds", "minutes", "hours"})

_ASIDE = re.compile(r"\([^()]*\)")

_LARGE_AMOUNT: Final = 1000
"""From here a number without unit is money if its sentence is about money ("revenue was 196.4 million")."""


def kinds_of(
    text: str,
    quantities: Sequence[Quantity],
    periods: Sequence[Period] = (),
    *,
    english: bool = True,
    spoken: bool = False,
    planned: bool = False,
) -> tuple[str, ...]:
    """The kinds of claim, of `model.CLAIM_KINDS`, the most telling first; empty where nothing is claimed.

    Args:
        english: False leaves only the kinds that units alone decide.
        spoken: The words were said, so headlines and bullets are not expected in them.
        planned: The line stands under a heading such as "Next steps".
    """
    found = _measured_kinds(text, quantities)
    if english:
        found = _english_kinds(text, found, quantities, periods, spoken=spoken, planned=planned)
    if "growth" in found and sum(q.unit in ("%", "points") for q in quantities) == 1:
        found.discard("percent")  # the percentage is the change: "of how many" does not fit it
    if len(found) > 1 and all(q.unit not in TIME_UNITS or q.unit in _QUICK_UNITS for q in quantities):
        found.discard("duration")
    return tuple(kind for kind in ORDER if kind in found)


def _english_kinds(
    text: str,
    measured: set[str],
    quantities: Sequence[Quantity],
    periods: Sequence[Period],
    *,
    spoken: bool,
    planned: bool,
) -> set[str]:
    milestone = set(_AHEAD) if _is_dated(text, periods, spoken=spoken) else set()
    if not milestone and cues.RUNS_OUT.search(text) and any(p.kind == "calendar" for p in periods):
        milestone = {"date"}
    if cues.OBLIGATION.search(text) and not cues.FIRST_PERSON.search(text):
        return measured & {"money", "percent"} | milestone
    found = measured | _numbered_kinds(text, quantities) | _worded_kinds(text, spoken=spoken) | milestone
    if planned and not text.isupper() and cues.PLANNED.search(text):
        return found - _AS_FACTS | set(_AHEAD)
    if cues.PROMISE.search(text) or cues.FUTURE.search(text):
        return found - _AS_FACTS
    return found


def telling_words(text: str, kinds: Sequence[str]) -> str | None:
    """The words that make the sentence a claim of the first of *kinds* that words alone decide."""
    for kind in kinds:
        for cue_kinds, cue in _WORDED:
            if kind in cue_kinds and (match := cue.search(text)):
                return match[0].strip()
    return None


def _measured_kinds(text: str, quantities: Sequence[Quantity]) -> set[str]:
    return {kind for quantity in quantities if (kind := _measured_kind(text, quantity))}


def _measured_kind(text: str, quantity: Quantity) -> str | None:
    unit = quantity.unit
    if is_currency(unit):
        return "money"
    if unit == "points":
        return "growth"
    if unit == "%":
        wholly = quantity.value == 100 and not _SHARE_OF_ALL.match(text, _end_of(text, quantity))
        return None if wholly else "percent"
    if unit == "x":
        return "growth" if cues.GROWTH_OF_NUMBER.search(text) else "comparison"
    if unit in TIME_UNITS:
        is_period = quantity.period is not None and quantity.text in quantity.period
        return None if is_period or cues.SPAN_OF_DATA.search(text) else "duration"
    if unit is None:
        large = abs(quantity.value) >= _LARGE_AMOUNT
        return "money" if large and cues.MONEY.search(text) else "count"
    return "count" if is_business_noun(unit) and not _is_addressed(text, quantity) else None


def _is_addressed(text: str, quantity: Quantity) -> bool:
    before = text[: text.find(quantity.text)]
    return bool(_ADDRESSED_BEFORE.search(before) and _IN_THIS_ROOM.match(text, _end_of(text, quantity)))


def _numbered_kinds(text: str, quantities: Sequence[Quantity]) -> set[str]:
    kinds = set()
    changes = any(q.unit in ("%", "points", "x") or is_currency(q.unit) for q in quantities)
    if changes and cues.GROWTH_OF_NUMBER.search(cues.NO_DIRECTION.sub("", text)):
        kinds.add("growth")
    for quantity in quantities:
        if quantity.unit == "%" and cues.SHARE_OF.match(text, _end_of(text, quantity)):
            kinds.add("share")
    return kinds


def _end_of(text: str, quantity: Quantity) -> int:
    return text.find(quantity.text) + len(quantity.text)


def _worded_kinds(text: str, *, spoken: bool) -> set[str]:
    if spoken and cues.LOGISTICS.search(text):
        return set()
    main = _ASIDE.sub("", text)
    kinds = {kind for cue_kinds, cue in _WORDED if cue.search(main) for kind in cue_kinds}
    if not kinds and cues.UNFINISHED.search(text):
        kinds = {"promise"}  # done but for what stands in brackets
    elif main != text:
        kinds |= {
            kind
            for cue_kinds, cue in _WORDED
            if cue_kinds != _AHEAD and cue.search(text)
            for kind in cue_kinds
        }
    if not spoken and not kinds:
        long_enough = len(text.split()) >= 3
        benefit = cues.BENEFIT_FIRST.search(text) and long_enough
        if benefit or cues.COMPARATIVE_FIRST.search(text) or cues.SAVING.search(text):
            kinds.add("promise")
        elif cues.COMPARATIVE.search(text):
            kinds.add("comparison")
    if cues.BENEFIT_VERB.search(text) and not cues.BENEFIT_WANTED.search(text):
        kinds |= {"promise", "causal"}
    return kinds


def _is_dated(text: str, periods: Sequence[Period], *, spoken: bool) -> bool:
    """A milestone: a calendar date together with what is to happen then."""
    dated = [period for period in periods if period.kind == "calendar"]
    if not dated or cues.DONE.search(text) or (cues.GROWTH.search(text) and not cues.FUTURE.search(text)):
        return False
    words = len(text.split()) - sum(len(period.text.split()) for period in dated)
    if words < 3:
        return False
    if not spoken and any(period.start < 4 for period in dated) and cues.DATED_ENTRY.search(text):
        return True
    return bool(cues.MILESTONE.search(text)) and (not spoken or bool(cues.FUTURE.search(text)))
