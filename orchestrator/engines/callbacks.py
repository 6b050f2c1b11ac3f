"""Coming back to what the presenter has answered: their own words, put before the next question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from orchestrator.claims.kinds import kinds_of
from orchestrator.claims.model import Claim
from orchestrator.claims.periods import find_periods
from orchestrator.claims.quantities import measure
from orchestrator.claims.sentences import sentences, without_final_stop
from orchestrator.claims.words import word_set
from orchestrator.engines.protocol import Scene
from orchestrator.engines.repeats import telling

_LATEST: Final = 8
"""Exchanges that are looked back at: what lies further back, nobody has in mind."""
_FEWEST_SHARED: Final = 2
_FEWEST_WORDS: Final = 5
_MOST_WORDS: Final = 18
_TIE_NOTHING: Final = word_set(
    "able available better case different during each every first give given good great high however "
    "include including just keep know large like made make making many might much need needed needs number "
    "other others part people possible provide really required require second several some such support "
    "take thing time use used user using want way week month without work working"
)
"""Words that stand in sentences on anything."""
_MOST_WORDS_IN_ALL: Final = 34
"""Of both quotes together: the question has to be spoken in a breath."""


def callback(claim: Claim, quote: str, scene: Scene) -> str:
    """`Earlier you said "…".` with words of an earlier answer that are about the same thing; "" if none is.

    Only a sentence that states something, a figure, a date or a promise, and that shares telling
    words with the claim which are not on every slide; each sentence is brought back once.
    """
    if not any(exchange.turns[-1].answer for exchange in scene.exchanges[-_LATEST:]):
        return ""
    about = telling(claim.text) - _on_many_slides(scene) - _TIE_NOTHING
    if len(about) < _FEWEST_SHARED:
        return ""
    asked = [turn.question for exchange in scene.exchanges for turn in exchange.turns]
    best: tuple[int, str] = (0, "")
    for exchange in scene.exchanges[-_LATEST:]:
        if exchange.claim == claim.id:
            continue
        for said in _statements(exchange.turns[-1].answer or ""):
            shared = len(about & telling(said))
            words = len(said.split()) + len(quote.split())
            is_new = said not in quote and quote not in said and not any(f'"{said}"' in one for one in asked)
            if shared >= _FEWEST_SHARED and shared > best[0] and is_new and words <= _MOST_WORDS_IN_ALL:
                best = shared, said
    return f'Earlier you said "{best[1]}".' if best[0] else ""


def _statements(answer: str) -> Iterator[str]:
    """The sentences of an answer that a presenter can be held to."""
    for start, end in sentences(answer):
        text = without_final_stop(answer[start:end])
        if (
            not _FEWEST_WORDS <= len(text.split()) <= _MOST_WORDS
            or answer[start:end].endswith("?")
            or '"' in text
        ):
            continue
        periods = find_periods(text)
        quantities = tuple(found.quantity for found in measure(text, english=True, periods=periods))
        if quantities or kinds_of(text, quantities, periods, spoken=True):
            yield text


def _on_many_slides(scene: Scene) -> set[str]:
    """Words of the subject that everything here is about: they tie nothing to anything."""
    counts: dict[str, set[int | None]] = {}
    for claim in scene.deck_claims:
        for word in telling(claim.text):
            counts.setdefault(word, set()).add(claim.slide)
    return {word for word, slides in counts.items() if len(slides) > 3}
