"""Why a claim is vulnerable: what its words leave open, and what is known against it. English rules.

Only what the claim, its slide and the personas' tables show is said; a claim of another
language is judged by its figures alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from orchestrator.claims import cues
from orchestrator.claims.kinds import telling_words
from orchestrator.claims.model import Claim, Place, Tension
from orchestrator.claims.periods import find_periods
from orchestrator.claims.units import TIME_UNITS, is_currency
from orchestrator.deck.model import Slide
from orchestrator.deck.texts import slide_texts
from orchestrator.dossier.model import Weakness
from orchestrator.engines.angles import BENCHMARK, RED_FLAG, Angle, angles
from orchestrator.engines.fitting import is_ratio
from orchestrator.intel.model import CONTRADICTS, IntelItem
from orchestrator.persona import Seat

_I: Final = re.IGNORECASE
_SOURCED: Final = re.compile(
    r"\bsources?\s?[:=]|\bsource of\b|\baccording to\b|\bdata from\b|\bsurvey\b|\baudited\b|"
    r"\bmeasured (?:by|in|with)\b|\bstudy\b|\breport(?:ed)? (?:by|in|of)\b|https?://|\bwww\.",
    _I,
)
_FROM: Final = re.compile(r"\b(?:from|compared|versus|vs|against|up on|than)\b", _I)
_THAN: Final = re.compile(r"\b(?:than|compared|versus|vs|relative to|unlike|contrast)\b", _I)
_OF_HOW_MANY: Final = re.compile(r"\b(?:of|out of) (?:the |our |all )?\d|\bn\s?=\s?\d|\d+ of \d+", _I)
_MADE_OF: Final = re.compile(
    r"\b(?:if|assum\w+|provided|based on|because|scenario|depending|contracted|signed|booked)\b", _I
)
_NAMED: Final = re.compile(
    r"\b(?:led by|owned by|owner|responsible|accountable|run by|headed by|in charge)\b|"
    r"\([A-Z][a-z]+ [A-Z][a-z]+\)"
)
_GAINS: Final = re.compile(
    r"\b(?:sav(?:e|es|ing|ings)\b|reduc|increas|improv|accelerat|fewer|less|more|faster|better|lower|higher|"
    r"easier|grow|eliminat|avoid|prevent|minimi|cut|simplif|streamlin|boost|doubl|tripl|benefit|covers?\b|spend)",
    _I,
)
"""What is promised is a change, which has a size."""
_PART_OF_ALL: Final = re.compile(r"\b(?:most|majority|few|several|many|some)\b", _I)
_ASKS: Final = re.compile(
    r"\b(?:we ask|asks? for|asking for|we request|request for|seek(?:ing)?|approv(?:e|al)|tranches?|"
    r"(?:investment|funding|budget) of|to raise)\b",
    _I,
)
_MILD: Final = frozenset({"source", "period", "whole", "owner"})
"""What most lines of any deck leave open; it makes a claim weak only beside something else."""


def weaknesses(
    claim: Claim,
    slide: Slide | None,
    seats: Iterable[Seat],
    *,
    tensions: Sequence[Tension] = (),
    intel: Sequence[IntelItem] = (),
    english: bool = True,
) -> tuple[Weakness, ...]:
    """Everything that can be held against the claim, the heaviest first."""
    found = [*_contradicted(claim, tensions, intel)]
    if english:
        found += [*_tables(claim, seats), *_words(claim), *_figures(claim, slide)]
    else:
        found += [one for one in _figures(claim, slide) if one.kind != "period"]
    return tuple(sorted(_once(found), key=lambda weakness: -weakness.weight))


def strength(found: Sequence[Weakness]) -> float:
    """How vulnerable a claim with these weaknesses is: the first counts whole, the others less and less."""
    return sum(weakness.weight * 0.6**number for number, weakness in enumerate(found))


def is_telling(found: Sequence[Weakness]) -> bool:
    """There is more against the claim than what most lines of any deck leave open."""
    return any(weakness.kind not in _MILD for weakness in found)


def _once(found: Iterable[Weakness]) -> list[Weakness]:
    """Each note once; that there is no figure is not said beside a red flag that asks for it."""
    kept: dict[tuple[str, str], Weakness] = {}
    for weakness in found:
        kept.setdefault((weakness.kind, weakness.note), weakness)
    flagged = any(weakness.kind == "red flag" and "number" in weakness.needs for weakness in kept.values())
    return [weakness for weakness in kept.values() if not (flagged and weakness.kind == "number")]


def _contradicted(
    claim: Claim, tensions: Sequence[Tension], intel: Sequence[IntelItem]
) -> Iterator[Weakness]:
    for tension in tensions:
        for place, other in ((tension.a, tension.b), (tension.b, tension.a)):
            if holds(place, claim):
                note = f"contradicted {where(other, claim)}: {tension.note.rstrip('.')}"
                yield Weakness("tension", note, ("source", "cause"), 4.0)
                break
    for item in intel:
        if item.claim == claim.id and item.stance == CONTRADICTS:
            dated = f", {item.date}" if item.date else ""
            note = f'contradicted from outside: "{item.finding}" ({item.source}{dated})'
            yield Weakness("intel", note, ("source", "cause"), 3.6)


def where(other: Place, claim: Claim) -> str:
    """Where the other side of a contradiction stands, from the claim's own slide."""
    if other.said_at_s is not None:
        return "in the speech"
    return "on the same slide" if other.slide == claim.slide else f"on slide {other.slide}"


def holds(place: Place, claim: Claim) -> bool:
    """The place is the claim's: same slide, and one text holds the other."""
    if place.said_at_s is not None or place.slide != claim.slide:
        return False
    return place.quote in claim.text or claim.text in place.quote


def _tables(claim: Claim, seats: Iterable[Seat]) -> Iterator[Weakness]:
    """Red flags and benchmarks of the panel, each table row once."""
    for seat in seats:
        for angle in angles(claim, seat):
            if angle.kind == RED_FLAG:
                yield Weakness("red flag", _flag_note(angle), angle.patterns[0].needs, 2.2)
            elif angle.kind == BENCHMARK:
                yield Weakness("benchmark", angle.words.removeprefix("benchmark: "), ("cause",), 2.6)


def _flag_note(angle: Angle) -> str:
    """ "hoped-for money shown as income: what is not signed can be withdrawn …"."""
    words = angle.words.removeprefix("red flag: ")
    name, _, why = words.partition(" (")
    return f"{name}: {why.rstrip(')')}" if why else name


def _words(claim: Claim) -> Iterator[Weakness]:
    kinds = set(claim.kinds)
    if _ASKS.search(claim.text) and any(is_currency(quantity.unit) for quantity in claim.quantities):
        yield Weakness("ask", "the sum that is asked for: what a smaller one would buy is not said", (), 2.0)
    if "superlative" in kinds and (telling := telling_words(claim.text, ("superlative",))):
        yield Weakness(
            "superlative",
            f'ranks itself ("{telling}") and names no list, measure or rival',
            ("comparison", "source"),
            1.8,
        )
    if absolute := cues.ABSOLUTE.search(claim.text):
        yield Weakness("absolute", f'a promise without a limit ("{absolute[0]}")', ("owner", "number"), 1.9)
    if unsecured := cues.UNSECURED.search(claim.text):
        yield Weakness("unsigned", f'nothing signed ("{unsecured[0]}")', ("number", "date"), 1.7)
    if "comparison" in kinds and "superlative" not in kinds:
        if _THAN.search(claim.text):
            yield Weakness(
                "comparison", "compares, and does not say how it was measured", ("source", "base"), 1.1
            )
        else:
            yield Weakness("comparison", "compares with nothing that is named", ("comparison", "number"), 1.3)
    if "causal" in kinds and "promise" not in kinds:
        yield Weakness(
            "cause", "names one cause, and nothing that rules out the others", ("cause", "comparison"), 1.2
        )
    if {"promise", "future", "date"} & kinds:
        yield from _ahead(claim)


def _ahead(claim: Claim) -> Iterator[Weakness]:
    """What is promised or forecast: how much, by when, by whom, on what assumption."""
    kinds, dated = set(claim.kinds), any(p.kind != "recurring" for p in find_periods(claim.text))
    unfinished = cues.UNFINISHED.search(claim.text)
    committed = cues.PROMISE.search(claim.text) or cues.DELIVERABLE.search(claim.text) or "date" in kinds
    if unfinished:
        yield Weakness(
            "unfinished", "not done yet" if dated else "not done, and no date for it", ("date",), 1.4
        )
    elif "date" in kinds and dated:
        yield Weakness("deadline", "a date with nothing said of what it hangs on", ("owner", "cause"), 0.9)
    elif claim.quantities and "future" in kinds and not _MADE_OF.search(claim.text):
        yield Weakness("assumption", "a forecast without the assumption under it", ("cause", "base"), 1.5)
    elif not claim.quantities and _GAINS.search(claim.text):
        yield Weakness("number", "no figure: from what to what is not said", ("number", "base"), 1.3)
    if committed and not dated and not unfinished:
        yield Weakness("date", "no date", ("date",), 0.8)
    if committed and not _NAMED.search(claim.text):
        yield Weakness("owner", "no owner", ("owner",), 0.5)


def _figures(claim: Claim, slide: Slide | None) -> Iterator[Weakness]:
    """What a figure comes without."""
    measured = [quantity for quantity in claim.quantities if quantity.unit not in TIME_UNITS]
    kinds = set(claim.kinds)
    if "share" in kinds and not claim.quantities and (words := _PART_OF_ALL.search(claim.text)):
        yield Weakness("number", f'"{words[0].lower()}" without the figure', ("number", "base"), 1.3)
    if not measured:
        return
    first = measured[0]
    rates = [quantity for quantity in measured if quantity.unit in ("%", "x", "points")]
    if "growth" in kinds and rates and len(measured) == len(rates) == 1 and not _FROM.search(claim.text):
        yield Weakness("base", "no starting figure", ("base",), 1.3)
    heads = rates and first.unit == "%" and "growth" not in kinds and not is_ratio(claim.text)
    if heads and not _OF_HOW_MANY.search(claim.text):
        yield Weakness("whole", f"{first.text.strip()} of how many", ("base",), 0.8)
    ahead = {"future", "promise"} & kinds or _ASKS.search(claim.text)
    if not ahead and claim.origin not in ("table", "chart") and not _is_dated(claim, slide):
        flows = "growth" in kinds or any(is_currency(quantity.unit) for quantity in measured)
        yield Weakness("period", "no period", ("period",), 1.0 if flows else 0.5)
    if not ahead and slide is not None and not _has_source(slide):
        yield Weakness("source", "no source on the slide", ("source",), 0.5)


def _is_dated(claim: Claim, slide: Slide | None) -> bool:
    """The claim's own words or its slide's title say when."""
    title = slide.title if slide is not None else ""
    return any(quantity.period for quantity in claim.quantities) or any(
        period.kind != "recurring" for text in (claim.text, title) for period in find_periods(text)
    )


def _has_source(slide: Slide) -> bool:
    return any(_SOURCED.search(text) for origin, text in slide_texts(slide) if origin not in ("notes", "alt"))
