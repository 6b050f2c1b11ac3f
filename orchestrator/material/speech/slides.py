"""Match speech to slides, and find slides that were read aloud in their own words and order."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Final

from orchestrator.core.errors import SpeechError
from orchestrator.core.home.plain_yaml import shown_name
from orchestrator.core.legible import clock
from orchestrator.material.deck.lines import slide_texts
from orchestrator.material.speech.delivery import WORD
from orchestrator.material.speech.text import word_list
from orchestrator.material.speech.times import CJK, spoken_s
from orchestrator.material.values import Deck, Segment, Slide

# ---------------------------------------------------------------------- terms
# The words that a text is about, for comparing speech with slides.


# Runs of a script without spaces, or words of letters and digits with an apostrophe inside.
_TERM = re.compile(f"[{CJK}]+|[^\\W_{CJK}]+(?:['’][^\\W_{CJK}]+)*")
_IS_CJK = re.compile(f"[{CJK}]")


def terms(text: str) -> list[str]:
    """Return the content words of *text*, folded; in scripts without spaces, each two characters.

    English function words are left out, and a plural becomes its singular. Words of other languages stay as
    they are.
    """
    found: list[str] = []
    stop_words = word_list("stop words")
    for match in _TERM.finditer(unicodedata.normalize("NFKC", text)):
        word = match[0]
        if _IS_CJK.match(word):
            found += [word[i : i + 2] for i in range(len(word) - 1)] or [word]
            continue
        word = word.casefold().replace("’", "'")
        if word not in stop_words:
            found.append(_singular(word.removesuffix("'s")))
    return found


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


# ---------------------------------------------------------------------- slide times
# On which slide each segment was said.


# The weights below are our own, tuned on speech made from the words of real decks; twice or half of any of
# them finds the same slides for all but one in a hundred segments.
_WEIGHTS = {"title": 3.0, "alt": 0.5}  # by origin: a word of the title counts as three of the text
_FROM_SLIDE = 0.35  # the share of the spoken content words that a presenter takes from the slide
_SKIP_COST = 1.5  # for each slide that is passed over
_BACK_COST = 6.0  # for each slide that the presenter goes back
_MAX_BACK = 2  # farther back is a question's doing, not the talk's; and it bounds the search
_SPREAD = 2.0  # how strongly speech is held to an even pace, against its words; per slide of the deck
_MAX_EVIDENCE = 4.0  # what one word can say for a slide, so that a chance match moves nothing


def estimate_slides(segments: Sequence[Segment], deck: Deck) -> tuple[Segment, ...]:
    """Return the segments, each with the number of its slide.

    If any segment names its slide, named slides stay, and the segments between continue on the slide named
    last. Segments before the first named slide get the deck's first slide, marked as estimated. If no segment
    names a slide, slides are found by comparing words (titles and rare words say most), in the order of the
    deck, and at an even pace where words say little. All of these are marked as estimated. Hidden slides are
    not spoken to, unless a segment names one.

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
    """Return the index of each segment's slide, by the best path in view of evidence, pace and order."""
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
    """Return, for each segment, the share of all speech (0 to 1) that is over at the segment's middle."""
    total_s, before_s = sum(lengths_s), accumulate(lengths_s, initial=0.0)
    return [(over_s + length_s / 2) / total_s for over_s, length_s in zip(before_s, lengths_s, strict=False)]


def _evidence(spoken: Sequence[frozenset[str]], slides: Sequence[Slide]) -> list[list[float]] | None:
    """Return, for each segment and slide, how much likelier the words are there than in the whole deck.

    Return None if no spoken word is on any slide.
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
            (index, min(math.log(1 + _FROM_SLIDE * (share / base - 1)), _MAX_EVIDENCE) - missing)
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
    """Return the path of the highest sum; only a skip or a step back costs.

    Staying on a slide, or going on by one, is free.
    """
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
            for back in range(index + 1, min(index + _MAX_BACK, len(row) - 1) + 1):
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


# ---------------------------------------------------------------------- read aloud


MIN_RUN: Final = 3
"""Minimum number of words in a row that count as read: one or two of a slide's words are said by anybody who
speaks to it."""
MIN_WORDS: Final = 12
"""Minimum number of words of a slide that can be read aloud: a title and a line or two are said anyway."""
READ_SHARE: Final = 0.75
"""Share of a slide's words from which it was read aloud. Our own measure, on the demo's talk and the three
written for `tests/debrief/test_five_talks.py`: of slides that are spoken to freely at most .44 is said in
this way, of slides gone through line by line .60 to 1. Three quarters are well within the second range."""


@dataclass(frozen=True, slots=True)
class ReadAloud:
    """A slide that was read aloud."""

    slide: int
    share: float  # of its words
    words: int  # that it has


def read_aloud(deck: Deck, talk: Iterable[tuple[int | None, str]]) -> tuple[ReadAloud, ...]:
    """Return the slides of which at least the share READ_SHARE was read aloud, in deck order.

    Args:
        talk: The words presented, piece by piece, each with the number of the slide that was shown.
    """
    said: dict[int | None, list[str]] = {}
    for slide, text in talk:
        said.setdefault(slide, []).extend(_words(text))
    shown = {one.number: _shown(one) for one in deck.slides}
    shares = ((number, words, read_share(words, said.get(number, []))) for number, words in shown.items())
    return tuple(
        ReadAloud(number, round(share, 2), len(words))
        for number, words, share in shares
        if share >= READ_SHARE and len(words) >= MIN_WORDS
    )


def read_share(shown: list[str], said: list[str]) -> float:
    """Return the share of *shown* words that were *said* in order, in runs of at least MIN_RUN."""
    if not shown:
        return 0.0
    blocks = SequenceMatcher(None, shown, said, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= MIN_RUN) / len(shown)


def _shown(slide: Slide) -> list[str]:
    """Return the words that the audience reads, without notes and alternative texts."""
    return [
        word for origin, text in slide_texts(slide) if origin not in ("notes", "alt") for word in _words(text)
    ]


def _words(text: str) -> list[str]:
    return [match[0].lower().replace("’", "'") for match in WORD.finditer(text)]
