"""Whether an answer gives another value than the slide or an earlier answer gave for the same thing.

Narrow on purpose: the same words for what is measured, the same unit, one value on each
side, and nothing that could make them two things. Silence is better than a false alarm.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from orchestrator.claims.model import Claim, Place, Quantity, Tension
from orchestrator.claims.quantities import find_quantities
from orchestrator.engines.reading import Answer, sort_of
from orchestrator.engines.topics import topic_of
from orchestrator.exchange import Exchange

_ROUNDING: Final = 0.03
_OTHER_THING = re.compile(
    r"\b(?:target|goal|plan(?:ned)?|budget(?:ed)?|forecast|expect(?:ed)?|will|would|could|should|from|to|"
    r"was|were|had|before|previously|until|then|used to|instead|gross|net|organic|adjusted|excluding|"
    r"including|average|median|only|each|every|per|about|around|over|under|more|less|at least|at most|up|"
    r"down|by|between|half|their|competitors?|peers?|market|industry|largest|smallest|alone|another|other|"
    r"new|if)\b|['’]ll\b|\d\s?[-–]\s?\d",
    re.IGNORECASE,
)
CORRECTS = re.compile(
    r"\b(?:slide|deck|sentence|claim|line|figure|number|word|title|chart) (?:\w+ ){0,3}?(?:is|was|are|were|"
    r"['’]s) (?:\w+ )?(?:wrong|incorrect|outdated|out of date|too (?:kind|strong|high|low|big|rosy|"
    r"optimistic)|not right|a (?:mistake|typo|slip)|misleading)\b|\b(?:i|we) (?:misspoke|made a mistake|"
    r"mixed up|got (?:that|it) wrong|stand corrected|have to correct|must correct|need to correct|(?:would|"
    r"will|['’]ll|should) correct)\b|\bshould (?:read|say|be|have (?:read|said|been))\b|"
    r"\bto correct (?:the slide|myself|that)\b|\bmy mistake\b|\b(?:slide|deck) is too\b|\byou(?:['’]re|"
    r" are) right\b",
    re.IGNORECASE,
)
"""The presenter says themselves that what was said or shown is not right."""


def contradiction(
    exchange: Exchange,
    claim: Claim | None,
    answer: Answer,
    earlier: Sequence[Answer],
    found: Sequence[Tension] = (),
) -> Tension | None:
    """The words of *answer* that cannot be right together with a slide or with earlier words.

    None where the presenter corrects the slide or themselves: that is candour.

    Args:
        earlier: The answers of this exchange before.
        found: What the cross-checks found in deck and speech, this answer among it.
    """
    if CORRECTS.search(answer.text):
        return None
    if tension := _among(found, exchange, answer.text):
        return tension
    known = [] if claim is None else [Place(claim.slide, claim.said_at_s, claim.text)]
    known += [Place(None, None, one.text) for other in earlier for one in other.sentences if one.numbers]
    for sentence in (one for one in answer.sentences if one.numbers):
        for place in known:
            if note := _note(place.quote, sentence.text):
                kind = "speech-vs-deck" if place.slide is not None else "speech-vs-speech"
                return Tension(kind, place, Place(None, None, sentence.text), note)
    return None


def _among(found: Sequence[Tension], exchange: Exchange, answer: str) -> Tension | None:
    """A tension of the cross-checks one side of which was said in this answer; that side comes second."""
    for tension in found:
        for here, there in ((tension.b, tension.a), (tension.a, tension.b)):
            late = here.said_at_s is not None and here.said_at_s >= exchange.asked_at_s
            if late and here.quote in answer and there.quote not in answer:
                return replace(tension, a=there, b=here)
    return None


def _note(before: str, now: str) -> str | None:
    """Why the two sentences cannot both be right; None where they can, or where that cannot be told."""
    if _OTHER_THING.search(now) or _OTHER_THING.search(before):
        return None
    one, other = _single(before), _single(now)
    if one is None or other is None or not _differ(one, other):
        return None
    measured = _measured(before, one)
    if not measured or measured != _measured(now, other):
        return None
    return f"{other.text} now and {one.text} before, for the same thing"


def _single(text: str) -> Quantity | None:
    """The only quantity of a sentence."""
    found = find_quantities(text)
    return found[0] if len(found) == 1 else None


def _measured(text: str, one: Quantity) -> frozenset[str]:
    """The telling words of what a quantity measures: its subject, and all that leads up to it."""
    return topic_of(f"{one.subject or ''} {text[: text.find(one.text)]}").words


def _differ(one: Quantity, other: Quantity) -> bool:
    if one.period is not None and other.period is not None and one.period != other.period:
        return False
    apart = abs(one.value - other.value) > _ROUNDING * max(abs(one.value), abs(other.value))
    return apart and sort_of(one.unit) == sort_of(other.unit)
