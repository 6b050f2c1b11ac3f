"""`greenroom check`: the claims of a deck (and speech) and where it contradicts itself; no session."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.options import SPEAKER_HELP, DeckFile, Speech, check_engine_name, option
from orchestrator.cli.screen import Screen, columns, wrapped
from orchestrator.cli.shared import asked_speaker, check_address, recorded_speech, refuse
from orchestrator.cli.waiting import waiting
from orchestrator.core import legible
from orchestrator.core.errors import EngineError, GreenroomError
from orchestrator.panel import render
from orchestrator.panel.config.config import Config
from orchestrator.panel.config.engine_names import listed

if TYPE_CHECKING:
    from orchestrator.documents.check import Checked
    from orchestrator.documents.without_session import Asked
    from orchestrator.material.model.claim import Tension
    from orchestrator.panel.engines.in_flight import Calls


ENGINE_HELP = (
    f"Who reads beside the arithmetic: {listed()}, or one that is installed (help engines); offline "
    "reads nothing. Default: as greenroom.yaml says."
)
MODEL_HELP = "The model that the engine asks, by the name that its service knows."
KIND_HELP = "The kind of deck, where it is read wrongly."


def check(
    deck: DeckFile,
    speech: Speech = None,
    engine: Annotated[str | None, option("NAME", ENGINE_HELP)] = None,
    model: Annotated[str | None, option("NAME", MODEL_HELP)] = None,
    kind: Annotated[str | None, option("KIND", KIND_HELP)] = None,
    speaker: Annotated[str | None, option("LABEL", SPEAKER_HELP)] = None,
) -> None:
    """The claims of a deck (and speech), and what contradicts itself.

    Without a model: the arithmetic within one table, chart or sentence. With one, it reads the
    whole, and what it finds is shown only after every quote and figure was found again.
    """
    from orchestrator.documents import check as document
    from orchestrator.material.deck.read import read_deck

    screen = Screen.current
    with waiting() as wait, _engine(screen, engine, model, wait.calls) as asked:
        recording = None
        if speech is not None:
            recording = recorded_speech(speech, _settings(screen), partial(read_deck, deck))
            speaker = asked_speaker(recording, speaker, notes=False)
        checked = document.check(deck, recording, asked, kind, speaker)
    if asked is not None and checked.refused:
        screen.note(
            f"note: {checked.refused} of what the {asked.wanted} engine named did not hold and is left out"
        )
    screen.result(document.check_json(checked), "" if screen.json else "\n".join(_page(checked)))
    if asked is not None and checked.failed:
        refuse(EngineError(f"warning: the {asked.wanted} engine did not read all of it: {checked.failed}"))


def _settings(screen: Screen) -> Config:
    try:
        return screen.open_home().config
    except GreenroomError:  # a deck and speech are checked without a home too
        return Config()


def _engine(
    screen: Screen, name: str | None, model: str | None, calls: Calls
) -> AbstractContextManager[Asked | None]:
    """The engine that reads; None where nobody does."""
    from orchestrator.documents.without_session import reading_engine

    try:
        config = screen.open_home().config
    except GreenroomError as error:
        if name is None:
            screen.note(f"note: only arithmetic is checked: {error}")
            return nullcontext()
        config = Config()
    check_engine_name(name)
    check_address(name or config.engine)
    return reading_engine(config, name, model, screen.warn, calls)


def _page(read: Checked) -> Iterator[str]:
    """The lines for people."""
    from orchestrator.panel.debrief.phrasing import DO_THESE_AGREE, UNREAD

    counts = (legible.counted(len(read.deck.slides), "slide"), legible.counted(len(read.claims), "claim"))
    found = f"{', '.join(counts)}, {legible.counted(len(read.computed), 'contradiction')}"
    yield render.headed(read.deck.title or read.deck.name, found)
    yield f"{'read' if not read.kind.given else 'set'} as: {read.kind.name}"
    if not read.has_read:
        yield "checked: the arithmetic within one table, chart or sentence"
    if read.computed:
        yield from ("", "Contradictions")
    for number, tension in enumerate(read.computed, start=1):
        yield from _found_page(number, tension.note, tension)
        if tension.sum and tension.sum not in tension.note:
            yield _line(f"     {tension.sum}", hang=0)
    if read.doubtful:
        yield from ("", f"{DO_THESE_AGREE} (no figure decides it, so these are not counted)")
    for number, tension in enumerate(read.doubtful, start=1):
        yield from _found_page(number, f"{tension.subject or 'Which is it'}? {tension.note}", tension)
    if unread := [*read.notices, *(gap.line for gap in read.gaps)]:
        yield from ("", UNREAD)
    yield from (_line(f"   {one}") for one in unread)
    if read.claims:
        yield from ("", "Claims")
    for claim in read.claims:
        where = _where(claim.slide, claim.said_at_s)
        yield _line(f"   {where}, {', '.join(claim.kinds)}: {claim.text}")


def _found_page(number: int, words: str, tension: Tension) -> Iterator[str]:
    """One finding: the sentence, and every quote with its place."""
    yield _line(f"{number}. {words}", hang=3)
    for place in dict.fromkeys(tension.sides):
        where = _where(place.slide, place.said_at_s) + (f", {place.under}" if place.under else "")
        yield _line(f'     {where}: "{place.quote}"', hang=0)


def _line(text: str, *, hang: int = 2) -> str:
    return wrapped(text, columns(sys.stdout), hang=hang)


def _where(slide: int | None, said_at_s: float | None) -> str:
    if said_at_s is None:
        return f"slide {slide}"
    return f"at {legible.clock(said_at_s)}"
