"""What a panelist says before its question, at the session's intensity."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.engines.protocol import Scene
from orchestrator.engines.wording import rotated
from orchestrator.persona import Seat

_OF_NUMBERS = re.compile(r"\b(?:figures?|numbers?|arithmetic|sums?)\b", re.IGNORECASE)
_OF_MONEY = re.compile(r"\b(?:money|cash|cost)\b", re.IGNORECASE)
_OF_A_SENTENCE = re.compile(r"\b(?:sentence|headline|statement|line)\b", re.IGNORECASE)
_SENTENCE_WORDS: Final = 6
"""Fewer words are a heading or a bullet, and no sentence."""


def lead_in(seat: Seat, scene: Scene, claim: Claim, quote: str) -> str:
    """One of the persona's lead-ins that it has not used in this session.

    One that speaks of a number, of money or of a sentence is kept for claims that are one or
    hold one. "" where none is left: better asked straight away than introduced twice alike.
    """
    used = [one.turns[0].question for one in scene.exchanges if one.agent == seat.persona.id]
    options = [
        option
        for option in seat.persona.lead_ins.get(scene.intensity, ())
        if (claim.quantities or not _OF_NUMBERS.search(option))
        and ("money" in claim.kinds or not _OF_MONEY.search(option))
        and (len(quote.split()) >= _SENTENCE_WORDS or not _OF_A_SENTENCE.search(option))
        and not any(question.startswith(option) for question in used)
    ]
    return rotated(f"{seat.persona.id}:{quote}", options)[0] if options else ""
