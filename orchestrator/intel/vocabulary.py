"""The deck's own words, and how much it tells that a text shares one of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from orchestrator.claims.words import word_set
from orchestrator.deck.model import Deck

_WORD = re.compile(r"[^\W\d_][\w’'-]*[^\W_]")
_SHORTEST: Final = 4
_COMMON: Final = word_set(
    "about above across after again against all almost along already also although always among and "
    "another any are around as available back based be because been before being below best better "
    "between both but by can case come could current currently data day deck did different do does doing "
    "done down during each either enough even ever every expect expected few first following for from "
    "full further get give given go going good great had has have having here high higher how however if "
    "in include including into is it its itself just keep kind know large last late later least less let "
    "like likely long look lot low lower made main make making many may might million billion month more "
    "most much must near nearly need never new next no not now number of off often on once one only open "
    "or order other our out over own part past people per percent perhaps place plan point possible "
    "quarter rate rather real really report reported result right said same say second see seem set "
    "several share should show since small so some still such sure take than that the their them then "
    "there these they thing think third this those three through thus time today together too total "
    "toward two under until up upon use used using very want was way we week well were what when where "
    "which while who whole whose why will with within without work working would year years yet you your "
    "slide board according announced company companies says told near between already growth grow grew "
    "increase decrease rise fall level figure figures average annual yearly financial fiscal business "
    "market different area"
)
"""Words that any two texts of business share."""

NAME: Final = 2.0
RARE: Final = 1.0
SOME: Final = 0.6
OFTEN: Final = 0.3
_RARE_SLIDES: Final = 3
_SOME_SLIDES: Final = 6


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Each word of the slides that are shown, with what sharing it tells."""

    weights: dict[str, float]

    def shared(self, text: str, other: Iterable[str]) -> dict[str, float]:
        """The stems of *text* that are also in *other*, with their weights."""
        own = stems(text)
        return {stem: self.weights.get(stem, RARE) for stem in own & set(other)}

    def touches(self, text: str) -> bool:
        """The text speaks of something that the deck speaks of: two of its words, or a name of it."""
        found = [self.weights[stem] for stem in stems(text) if stem in self.weights]
        return any(weight == NAME for weight in found) or sum(weight >= SOME for weight in found) >= 2


def vocabulary_of(deck: Deck) -> Vocabulary:
    """The words of the deck's titles, lines and cells."""
    slides: Counter[str] = Counter()
    names: Counter[str] = Counter()
    plain: Counter[str] = Counter()
    for slide in deck.slides:
        if slide.hidden:
            continue
        texts = [
            slide.title,
            *slide.lines,
            *(cell for table in slide.tables for row in table.rows for cell in row),
        ]
        texts += [chart.title for chart in slide.charts]
        slides.update({stem for text in texts for stem in stems(text)})
        for text in texts:
            for match in _WORD.finditer(text):
                inside = match.start() > 0 and text[match.start() - 2 : match.start()] not in (
                    ". ",
                    ": ",
                    "? ",
                    "! ",
                )
                stem = stem_of(match[0])
                if match[0][0].isupper() and inside:
                    names[stem] += 1
                elif match[0][0].islower():
                    plain[stem] += 1
    weights = {}
    for stem, count in slides.items():
        weight = RARE if count <= _RARE_SLIDES else SOME if count <= _SOME_SLIDES else OFTEN
        # A heading in Title Case makes no names: a name is never written small, and stands inside a sentence.
        weights[stem] = NAME if names[stem] >= 2 and not plain[stem] and count <= _SOME_SLIDES else weight
    return Vocabulary(weights)


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The telling words of *text* in one form: small, singular, no common ones."""
    return (
        frozenset(
            stem
            for match in _WORD.finditer(text)
            if len(stem := stem_of(match[0])) >= _SHORTEST and not any(map(str.isdigit, stem))
        )
        - _COMMON
    )


def stem_of(word: str) -> str:
    """A word in small letters and the singular."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return (
        word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word
    )
