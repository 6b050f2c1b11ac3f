"""`greenroom check`: what a deck (and speech) says, and where it contradicts itself, without a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.checked import Read, page, plain
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import check_address
from orchestrator.errors import GreenroomError, UsageError
from orchestrator.home.config import CHOICES, Config

if TYPE_CHECKING:
    from orchestrator.engines.protocol import Engine
    from orchestrator.model.claim import Tension
    from orchestrator.model.segment import Segment
    from orchestrator.model.slide import Deck


def register(app: typer.Typer) -> None:
    """Add this command to the application."""
    app.command()(check)


ENGINE_HELP = (
    "Who reads beside the arithmetic: offline (nobody), claude or model; else as greenroom.yaml says."
)
MODEL_HELP = "The model that the engine asks, by the name that its service knows."
KIND_HELP = "The kind of deck, where it is read wrongly."


def check(
    deck: Annotated[Path, typer.Argument(metavar="DECK", help="The deck: .pptx, .pdf or .md.")],
    speech: Annotated[Path | None, typer.Option(metavar="FILE", help="The recorded speech.")] = None,
    engine: Annotated[str | None, typer.Option(metavar="NAME", help=ENGINE_HELP)] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help=MODEL_HELP)] = None,
    kind: Annotated[str | None, typer.Option(metavar="KIND", help=KIND_HELP)] = None,
) -> None:
    """What a deck (and speech) says, and where it contradicts itself.

    Without a model: the arithmetic of tables, splits and single sentences. With one, it reads the
    whole, and what it finds is shown only after every quote and figure was found again.
    """
    from orchestrator.claims.extract import deck_claims, speech_claims
    from orchestrator.deck.content import find_gaps
    from orchestrator.deck.read import read_deck
    from orchestrator.engines.offline.kinds import kind_of

    screen = Screen.current
    asked = _engine(screen, engine, model)
    read = read_deck(deck)
    kind_of_deck = kind_of(read, kind)
    for notice in read.notices:
        screen.note(f"note: {notice}")
    segments = _segments(screen, speech, read) if speech is not None else ()
    claims = list(deck_claims(read))
    for number, segment in segments:
        claims += speech_claims(segment, number)
    found = _found(screen, asked, read, segments)
    understood = Read(read, kind_of_deck, claims, found, find_gaps(read))
    screen.result(plain(understood), "" if screen.json else "\n".join(page(understood)))


def _engine(screen: Screen, name: str | None, model: str | None) -> Engine | None:
    """The engine that reads; None where nobody does."""
    from orchestrator.engines.catalogue import check_engine, engine_named

    try:
        config = screen.open_home().config
    except GreenroomError as error:
        if name is None:
            screen.note(f"note: only arithmetic is checked: {error}")
            return None
        config = Config()
    if name is not None and name not in CHOICES["engine"]:
        raise UsageError(f"--engine {name!r}: use {' or '.join(CHOICES['engine'])}")
    if (name or config.engine) == "offline":
        return None
    check_address(name or config.engine)
    made = engine_named(name or config.engine, replace(config, model=model or config.model))
    check_engine(made)
    return made


def _segments(screen: Screen, speech: Path, deck: Deck) -> tuple[tuple[int, Segment], ...]:
    """What the presenter says, each with its number in the transcript."""
    from orchestrator.speech.presenter import presenter_of
    from orchestrator.speech.read import read_speech
    from orchestrator.speech.slides import estimate_slides

    recording = read_speech(speech)
    for notice in recording.notices:
        screen.note(f"note: {notice}")
    presenter = presenter_of(recording.segments).label
    numbered = enumerate(estimate_slides(recording.segments, deck), start=1)
    return tuple((number, segment) for number, segment in numbered if segment.speaker == presenter)


def _found(
    screen: Screen, engine: Engine | None, deck: Deck, segments: Sequence[tuple[int, Segment]]
) -> list[Tension]:
    """The arithmetic, always; and what the engine proposes and code verifies."""
    from orchestrator.checks.arithmetic import deck_tensions, speech_tensions

    found = [*deck_tensions(deck)]
    for _, segment in segments:
        found += speech_tensions(segment)
    if engine is None:
        return found
    from orchestrator.checks.passages import deck_passages, speech_passages
    from orchestrator.engines.catalogue import close_engine
    from orchestrator.loop.contradictions import propose

    passages = [*deck_passages(deck)]
    for number, segment in segments:
        passages += speech_passages([segment], number)
    try:
        looked = propose(engine, passages, known=tuple(found))
    finally:
        close_engine(engine)
    if looked.failed:
        screen.warn(f"warning: the {engine.name} engine did not read all of it: {looked.failed}")
    if refused := sum(looked.refused.values()):
        screen.note(f"note: {refused} of what the {engine.name} engine named did not hold and is left out")
    return [*found, *looked.tensions]
