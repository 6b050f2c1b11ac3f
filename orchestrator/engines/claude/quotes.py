"""Where a quote stands: a model's quote counts only if the deck or the presenter said it, verbatim.

White space, and the shapes of quotation marks and dashes, are taken as equal, since a model
writes them its own way; what is kept is always the source's own stretch of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.deck.model import Slide
from orchestrator.engines.protocol import Scene
from orchestrator.exchange import Exchange
from orchestrator.speech.model import Segment

_ALIKE: Final = ("'’‘`", '"“”„«»', "-‐‑–—")
_WRAPPED = re.compile(r'^[>\s]*["“„«]?(.*?)["”“»]?\s*$', re.DOTALL)
_TELLING = re.compile(r"\w")
_SHORTEST: Final = 4
"""Letters and digits; a shorter quote stands everywhere, and says nothing."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A quote's place. The claim is the one that it is about, if rules found one there."""

    quote: str  # the source's own words
    slide: int | None
    said_at_s: float | None
    claim: str | None


def found_in(quote: str, text: str) -> str | None:
    """The stretch of *text* that *quote* gives, or None."""
    bare = _WRAPPED.sub(r"\1", quote.replace("^\\", "^").replace("\\|", "|"))
    if len(_TELLING.findall(bare)) < _SHORTEST and not any(letter.isdigit() for letter in bare):
        return None
    match = re.search(_pattern(bare), text)
    return match[0] if match else None


def _pattern(quote: str) -> str:
    """Whole words: "40 %" does not stand in "140 %"."""
    words = [r"".join(map(_character, word)) for word in quote.split()]
    body = r"\s+".join(words)
    before = r"(?<!\w)" if quote[:1].isalnum() else ""
    after = r"(?!\w)" if quote[-1:].isalnum() else ""
    return f"{before}{body}{after}"


def _character(letter: str) -> str:
    alike = next((group for group in _ALIKE if letter in group), None)
    return f"[{re.escape(alike)}]" if alike else re.escape(letter)


def standing(quote: str, scene: Scene, slide: int | None) -> Standing | None:
    """Where *quote* stands; None: nowhere.

    Looked for on *slide* first, then in what the presenter said, the latest first, then on all slides.

    Args:
        slide: The slide that the model names; None: speech.
    """
    slides = scene.deck.slides
    named = [one for one in slides if one.number == slide]
    return _on_slides(quote, named, scene) or _in_speech(quote, scene) or _on_slides(quote, slides, scene)


def standing_on_slide(quote: str, scene: Scene) -> Standing | None:
    """Where *quote* stands in the deck; None: nowhere."""
    return _on_slides(quote, scene.deck.slides, scene)


def _on_slides(quote: str, slides: Sequence[Slide], scene: Scene) -> Standing | None:
    for slide in slides:
        claims = [claim for claim in scene.deck_claims if claim.slide == slide.number]
        for text in (*_texts(slide), *(claim.text for claim in claims)):
            if words := found_in(quote, text):
                return Standing(words, slide.number, None, _claim(words, claims))
    return None


def _texts(slide: Slide) -> Iterator[str]:
    """What a slide says, each text as one that a quote may lie in (deck/model.py)."""
    yield slide.title
    yield from slide.lines
    for table in slide.tables:
        for row in table.rows:
            yield from row
    for chart in slide.charts:
        yield from (chart.title, *chart.categories, *(series.name for series in chart.series))
    yield slide.notes
    yield from slide.alt_texts


def _in_speech(quote: str, scene: Scene) -> Standing | None:
    presenter = getattr(scene, "presenter", None)  # a scene may not name one yet
    for index in range(len(scene.segments), 0, -1):
        segment: Segment = scene.segments[index - 1]
        if presenter is not None and segment.speaker != presenter:
            continue
        if words := found_in(quote, segment.text):
            claims = [claim for claim in scene.speech_claims if claim.id.startswith(f"s{index}.")]
            return Standing(words, segment.slide, segment.start_s, _claim(words, claims))
    return None


def _claim(quote: str, claims: Sequence[Claim]) -> str | None:
    """The claim that shares most with *quote*: it holds the quote, or the quote holds it."""
    sharing = [claim for claim in claims if quote in claim.text or claim.text in quote]
    best = min(sharing, key=lambda claim: abs(len(claim.text) - len(quote)), default=None)
    return best.id if best is not None else None


def in_answers(quote: str, exchange: Exchange) -> str | None:
    """The presenter's own words in an answer of this exchange, the last first; None: never said."""
    for turn in reversed(exchange.turns):
        if turn.answer and (words := found_in(quote, turn.answer)):
            return words
    return None
