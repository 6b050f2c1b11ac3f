"""Questions that the deck alone does not give: from speech, and from those an earlier rehearsal left open."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from orchestrator.engines.offline.askable import ADMISSION, Option, called_for, options
from orchestrator.engines.offline.bank import ANY, Entry, bank
from orchestrator.engines.offline.quotable import Line, pages_of, spoken_line
from orchestrator.engines.offline.wording import Wording, entry_of, said
from orchestrator.engines.offline.words import holds_all, plain
from orchestrator.engines.protocol import Scene
from orchestrator.model.carryover import OpenPoint
from orchestrator.model.segment import Segment

LEFT_OPEN = "left open before"
BEFORE_ALL = -100.0
"""The place of a question of an earlier rehearsal among admissions, first of all: it had no answer once."""


def all_options(scene: Scene) -> tuple[Option, ...]:
    """The deck's options, and before them what was left open before and what is admitted aloud."""
    of_deck = options(scene.deck, scene.deck_claims, scene.kind, scene.intensity)
    return (*_left_open(scene), *_admitted(scene), *of_deck)


def is_answered(option: Option, speech: str) -> bool:
    """Whether what was said shows that the presenter has answered it."""
    return any(holds_all(speech, one) for one in option.entry.unless)


def speech_of(scene: Scene) -> str:
    """All that was said, answers too, as plain words. Each text is read once, however long the talk."""
    answers = (turn.answer for exchange in scene.exchanges for turn in exchange.turns)
    texts = (*(segment.text for segment in scene.segments), *answers)
    return "".join(plain(text)[:-1] for text in texts if text) + " "


def _admitted(scene: Scene) -> Iterator[Option]:
    for segment in scene.segments:
        if scene.presenter is None or segment.speaker in (scene.presenter, None):
            for entry, line in _admissions(segment):
                wording = said(entry, scene.deck.sha256, scene.intensity, bank().noun, line)
                yield Option(entry, wording, ADMISSION, entry.place, line)


@lru_cache(maxsize=4096)
def _admissions(segment: Segment) -> tuple[tuple[Entry, Line], ...]:
    line = spoken_line(segment)
    if line is None:
        return ()
    entries = (entry for entry in bank().entries if entry.about == "admission")
    found = ((entry, called_for(entry, line)) for entry in entries)
    return tuple((entry, called) for entry, called in found if called is not None)


def _left_open(scene: Scene) -> Iterator[Option]:
    """A question that got no answer in an earlier rehearsal, where the deck still holds its words."""
    for point in scene.left_open:
        line = _line_of(point, scene)
        if line is not None and point.outcome != "unjudged":
            entry = entry_of(point.question) or _as_entry(point)
            angle = f'{LEFT_OPEN} ({point.outcome}, {point.asked_on}): "{point.question}"'
            asked = Wording(point.question, None)  # in an earlier rehearsal, which told its words alone
            yield Option(entry, asked, ADMISSION, BEFORE_ALL, line, angle=angle, agent=point.agent)


def _line_of(point: OpenPoint, scene: Scene) -> Line | None:
    quote = " ".join(point.quote.split())
    pages = pages_of(scene.deck, scene.deck_claims).pages
    lines = (line for page in pages for line in page.lines)
    return next((line for line in lines if quote and quote in " ".join(line.text.split())), None)


def _as_entry(point: OpenPoint) -> Entry:
    """A question that is none of the bank's, as one."""
    good = "an answer to what was asked the last time"
    return Entry(point.question, ANY, (point.question,), "", "admission", good, topic=point.question)
