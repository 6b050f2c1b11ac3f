"""On which slide each segment was said."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from orchestrator.core.errors import SpeechError
from orchestrator.core.home.user_list import shown_name
from orchestrator.core.legible import clock
from orchestrator.material.deck.texts import slide_texts
from orchestrator.material.model.segment import Segment
from orchestrator.material.model.slide import Deck, Slide
from orchestrator.material.speech.pace import spoken_s
from orchestrator.material.speech.terms import terms

# The weights below are our own, tuned on speech made from the words of real decks; twice or half of any of
# them finds the same slides for all but one in a hundred segments.
_WEIGHTS = {"title": 3.0, "alt": 0.5}  # by origin: a word of the title counts as three of the text
_FROM_SLIDE = 0.35  # the share of the spoken content words that a presenter takes from the slide
_SKIP_COST = 1.5  # for each slide that is passed over
_BACK_COST = 6.0  # for each slide that the presenter goes back
_MOST_BACK = 2  # farther back is a question's doing, not the talk's; and it bounds the search
_SPREAD = 2.0  # how strongly speech is held to an even pace, against its words; per slide of the deck
_MOST_EVIDENCE = 4.0  # what one word can say for a slide, so that a chance match moves nothing


def estimate_slides(segments: Sequence[Segment], deck: Deck) -> tuple[Segment, ...]:
    """The segments, each with its slide.

    Where any segment names its slide, those stay and the ones between go on from the slide named
    last; what comes before the first is taken to be on the deck's first slide, as estimated.
    Where none does, the slides are found by comparing words (titles and rare words tell most),
    in the order of the deck, and held to an even pace where words say little; all of these are
    marked as estimated. Hidden slides are not spoken to, unless a segment names one.

    Raises:
        SpeechError: A segment names a slide that the deck does not have.
    """
    spoken_to = [slide for slide in deck.slides if not slide.hidden] or list(deck.slides)
    if not spoken_to or not segments:
        return tuple(segments)
    _check(segments, deck)
    if any(segment.slide is not None for segment in segments):
        return _carried(segments, spoken_to[0].number)
    path = _aligned(segments, spoken_to)
    return tuple(
        replace(segment, slide=spoken_to[index].number, slide_estimated=True)
        for segment, index in zip(segments, path, strict=True)
    )


def _check(segments: Sequence[Segment], deck: Deck) -> None:
    numbers = {slide.number for slide in deck.slides}
    for position, segment in enumerate(segments, start=1):
        if segment.slide is not None and segment.slide not in numbers:
            raise SpeechError(
                f"segment {position} (at {clock(segment.start_s)}) is on slide {segment.slide}, "
                f"but the deck {shown_name(deck.name)} has {len(deck.slides)} slides: "
                "give this deck's recording"
            )


def _carried(segments: Sequence[Segment], first: int) -> tuple[Segment, ...]:
    carried: list[Segment] = []
    slide, estimated = first, True
    for segment in segments:
        if segment.slide is not None:
            slide, estimated = segment.slide, segment.slide_estimated
        carried.append(replace(segment, slide=slide, slide_estimated=estimated))
    return tuple(carried)


def _aligned(segments: Sequence[Segment], slides: Sequence[Slide]) -> list[int]:
    """The index of each segment's slide: the best path through evidence, pace and order."""
    middles = _middles([spoken_s(segment.text) for segment in segments])
    evidence = _evidence([frozenset(terms(segment.text)) for segment in segments], slides)
    even = [min(int(middle * len(slides)), len(slides) - 1) for middle in middles]
    if evidence is None:
        return even
    for row, middle in zip(evidence, middles, strict=True):
        for index in range(len(slides)):
            row[index] -= _SPREAD * len(slides) * ((index + 0.5) / len(slides) - middle) ** 2
    return _best_path(evidence)


def _middles(lengths_s: Sequence[float]) -> list[float]:
    """For each segment, the share of all speech that is over at its middle: 0 to 1."""
    total_s, before_s = sum(lengths_s), accumulate(lengths_s, initial=0.0)
    return [(over_s + length_s / 2) / total_s for over_s, length_s in zip(before_s, lengths_s, strict=False)]


def _evidence(spoken: Sequence[frozenset[str]], slides: Sequence[Slide]) -> list[list[float]] | None:
    """For each segment and slide, how much likelier its words are there than anywhere in the deck.

    None where no spoken word is on any slide.
    """
    weights = [_weights(slide) for slide in slides]
    totals = [sum(weight.values()) for weight in weights]
    deck_weight: defaultdict[str, float] = defaultdict(float)
    for weight in weights:
        for term, share in weight.items():
            deck_weight[term] += share
    total = sum(totals)
    said = {term for words in spoken for term in words}
    missing = math.log(1 - _FROM_SLIDE)
    gains = {
        term: [
            (index, min(math.log(1 + _FROM_SLIDE * (share / base - 1)), _MOST_EVIDENCE) - missing)
            for index, weight in enumerate(weights)
            if (share := weight[term] / totals[index] if term in weight else 0.0)
        ]
        for term, base in ((term, deck_weight[term] / total) for term in deck_weight.keys() & said)
    }
    if not gains:
        return None
    rows = []
    for words in spoken:
        row = [0.0] * len(slides)
        for term in sorted(words & gains.keys()):
            for index, gain in gains[term]:
                row[index] += gain
        rows.append(row)
    return rows


def _weights(slide: Slide) -> dict[str, float]:
    weights: defaultdict[str, float] = defaultdict(float)
    for origin, text in slide_texts(slide):
        for term in terms(text):
            weights[term] += _WEIGHTS.get(origin, 1.0)
    return dict(weights)


def _best_path(rows: Sequence[Sequence[float]]) -> list[int]:
    """The path of the highest sum; to stay or go one on is free, to skip or go back costs."""
    best = list(rows[0])
    came: list[list[int]] = []
    for row in rows[1:]:
        origins: list[int] = []
        scores: list[float] = []
        ahead, ahead_from = -math.inf, 0  # the best from an earlier slide, skips paid for
        for index, gain in enumerate(row):
            ahead -= _SKIP_COST
            if index and best[index - 1] >= ahead:
                ahead, ahead_from = best[index - 1], index - 1
            score, origin = max((best[index], index), (ahead, ahead_from), key=lambda pair: pair[0])
            for back in range(index + 1, min(index + _MOST_BACK, len(row) - 1) + 1):
                if best[back] - _BACK_COST * (back - index) > score:
                    score, origin = best[back] - _BACK_COST * (back - index), back
            scores.append(score + gain)
            origins.append(origin)
        best = scores
        came.append(origins)
    index = max(range(len(best)), key=best.__getitem__)
    path = [index]
    for origins in reversed(came):
        path.append(origins[path[-1]])
    return path[::-1]
