"""The sentences that the audience reads or hears, each with its place: what structural checks read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrator.claims.boilerplate import NO_WORD, claims_nothing, is_boilerplate, lists_criteria
from orchestrator.claims.model import Place
from orchestrator.claims.sentences import LONGEST_SENTENCE, sentences, without_final_stop
from orchestrator.deck.model import Deck, Slide
from orchestrator.speech.model import Segment

_HYPOTHETICAL = re.compile(
    r"\b(?:if|unless|would|could|might|suppose|imagine|assum(?:e|es|ing|ed)|for example|for instance|"
    r"e\.g\.|such as|"
    r"say,|hypothetical(?:ly)?|scenario|worst case|best case|what if|illustrative)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Passage:
    """One sentence, verbatim within one title, line, cell or segment."""

    text: str
    slide: int | None
    said_at_s: float | None
    origin: str  # title, line, notes or speech
    line: int = -1  # which of Slide.lines; -1 elsewhere

    @property
    def place(self) -> Place:
        return Place(self.slide, self.said_at_s, self.text)


def shown(deck: Deck) -> Iterator[Slide]:
    """The slides that the audience sees and that assert something."""
    for slide in deck.slides:
        if not slide.hidden and not claims_nothing(slide.title):
            yield slide


def slide_passages(slide: Slide) -> Iterator[Passage]:
    """Sentences of title and lines, without questions, footers and legal lines."""
    criteria = lists_criteria(slide.title)
    yield from _passages(slide.title, slide.number, None, "title", -1)
    for index, line in enumerate(slide.lines):
        if not criteria:
            yield from _passages(line, slide.number, None, "line", index)


def deck_passages(deck: Deck) -> tuple[Passage, ...]:
    """All sentences of the slides that are shown, in order, and of their notes."""
    return tuple(
        passage for slide in shown(deck) for passage in (*slide_passages(slide), *note_passages(slide))
    )


def note_passages(slide: Slide) -> Iterator[Passage]:
    """What the presenter means to say: it will be heard, so it is checked."""
    for paragraph in slide.notes.split("\n"):
        yield from _passages(paragraph, slide.number, None, "notes", -1)


def speech_passages(speech: Sequence[Segment]) -> tuple[Passage, ...]:
    """All sentences of the transcript, in order."""
    return tuple(
        passage
        for segment in speech
        for passage in _passages(segment.text, segment.slide, segment.start_s, "speech", -1)
    )


def hypothetical(text: str) -> bool:
    """The sentence says what would be, or gives an example."""
    return _HYPOTHETICAL.search(text) is not None


def _passages(
    text: str, slide: int | None, said_at_s: float | None, origin: str, line: int
) -> Iterator[Passage]:
    if NO_WORD.search(text) or (origin != "speech" and is_boilerplate(text)):
        return
    for start, end in sentences(text):
        sentence = text[start:end]
        if end - start > LONGEST_SENTENCE or sentence.rstrip("\"'”’)").endswith("?"):
            continue
        if sentence := without_final_stop(sentence):
            yield Passage(sentence, slide, said_at_s, origin, line)
