"""Questions that the deck alone does not give: from speech, and from those an earlier rehearsal left open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from orchestrator.material.model.segment import Segment
from orchestrator.panel.bank.bank import ANY, Entry, bank
from orchestrator.panel.bank.quotable import Line, pages_of, spoken_line
from orchestrator.panel.bank.words import holds_all, plain
from orchestrator.panel.engines.offline.askable import (
    ADMISSION,
    Option,
    called_for,
    options,
)
from orchestrator.panel.engines.offline.wording import Wording, entry_of, said
from orchestrator.panel.engines.protocol import Scene
from orchestrator.panel.model.carryover import OpenPoint

LEFT_OPEN = "left open before"
BEFORE_ALL = -100.0
"""The place of a question of an earlier rehearsal among admissions, first of all: it had no answer once."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What was said up to now, looked through once."""

    segments: tuple[Segment, ...] = ()
    words: str = ""  # of all segments, plain, without the last space
    admissions: tuple[tuple[Segment, Entry, Line], ...] = ()


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
    return _heard(scene).words + _plain_words(answers) + " "


def _plain_words(texts: Iterable[str | None]) -> str:
    return "".join(plain(text)[:-1] for text in texts if text)


def _heard(scene: Scene) -> Heard:
    """All segments; only those that have come since the last look are looked through.

    Kept with the session's deck, and not by a number of segments: with a hundred sessions each would be
    pushed out by others' before it is looked for again.
    """
    kept, segments = pages_of(scene.deck, scene.deck_claims).kept, tuple(scene.segments)
    before: Heard = kept.get(Heard, Heard())
    if segments[: len(before.segments)] != before.segments:  # some were taken back
        before = Heard()
    new = segments[len(before.segments) :]
    if not new:
        return before
    admitted = ((one, entry, line) for one in new for entry, line in _admissions(one))
    words = before.words + _plain_words(one.text for one in new)
    heard = kept[Heard] = Heard(segments, words, (*before.admissions, *admitted))
    return heard


def _admitted(scene: Scene) -> Iterator[Option]:
    for segment, entry, line in _heard(scene).admissions:
        if segment.speaker in scene.presenter_labels:
            wording = said(entry, scene.deck.sha256, scene.intensity, bank().noun, line)
            yield Option(entry, wording, ADMISSION, entry.place, line)


def _admissions(segment: Segment) -> tuple[tuple[Entry, Line], ...]:
    line = spoken_line(segment)
    if line is None:
        return ()
    entries = (entry for entry in bank().entries if entry.about == "admission")
    found = ((entry, called_for(entry, line)) for entry in entries)
    return tuple((entry, called) for entry, called in found if called is not None)


def _left_open(scene: Scene) -> Iterator[Option]:
    """A question that got no answer in an earlier rehearsal, where the deck still holds its words, if any."""
    for point in scene.left_open:
        line = _line_of(point, scene)
        if (line is not None or not point.quote) and point.outcome != "unjudged":
            entry = entry_of(point.question) or _as_entry(point)
            says = f", says {point.says}" if point.says else ""
            angle = f'{LEFT_OPEN} ({point.outcome}{says}, {point.asked_on}): "{point.question}"'
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
