"""Everything that deck and presenter said, sentence by sentence, each with its place."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.claims.sentences import sentences
from orchestrator.debrief.model import Source
from orchestrator.deck.texts import slide_texts
from orchestrator.engines.protocol import Scene
from orchestrator.speech.delivery import is_presenters


def material(scene: Scene) -> list[Source]:
    """What a better answer may be made of: answers, then the deck, then the speech; nothing twice."""
    found: dict[str, Source] = {}
    for source in (*answers(scene), *_deck(scene), *_speech(scene)):
        found.setdefault(source.quote.casefold(), source)
    return list(found.values())


def answers(scene: Scene) -> Iterator[Source]:
    """The sentences of every answer."""
    for exchange in scene.exchanges:
        for turn in exchange.turns:
            for quote in _sentences(turn.answer or ""):
                yield Source(quote, origin="answer", exchange=exchange.id)


def _deck(scene: Scene) -> Iterator[Source]:
    for slide in scene.deck.slides:
        for origin, text in slide_texts(slide):
            if origin in ("line", "notes"):
                for quote in _sentences(text):
                    yield Source(quote, slide.number, origin=origin)
    for claim in scene.deck_claims:
        if claim.origin in ("table", "chart"):
            yield Source(claim.text, claim.slide, origin=claim.origin)


def _speech(scene: Scene) -> Iterator[Source]:
    """The presenter's own speech without the answers, which stand in the transcript as well."""
    answered = " ".join(turn.answer or "" for exchange in scene.exchanges for turn in exchange.turns)
    for segment in scene.segments:
        if is_presenters(segment, scene.presenter) and segment.text not in answered:
            for quote in _sentences(segment.text):
                yield Source(quote, segment.slide, segment.start_s, "speech")


def _sentences(text: str) -> Iterator[str]:
    for start, end in sentences(" ".join(text.split())):
        yield " ".join(text.split())[start:end]
