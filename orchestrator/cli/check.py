"""`greenroom check`: what a deck (and speech) says, and where it contradicts itself, without a session."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.claims.model import READ
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import check_address
from orchestrator.config import CHOICES, Config
from orchestrator.errors import GreenroomError, UsageError

if TYPE_CHECKING:
    from orchestrator.claims.model import Claim, Gap, Place, Tension
    from orchestrator.deck.model import Deck
    from orchestrator.engines.offline.kinds import Kind
    from orchestrator.engines.protocol import Engine
    from orchestrator.speech.model import Segment

WIDEST = 100
"""Columns beyond which lines are hard to read, however wide the terminal is."""


def register(app: typer.Typer) -> None:
    """Add this command to the application."""
    app.command()(check)


ENGINE_HELP = (
    "Who reads beside the arithmetic: offline (nobody), claude or model; else as greenroom.yaml says."
)
MODEL_HELP = "The model that the engine asks, by the name that its service knows."
KIND_HELP = "The kind of deck, where it is read wrongly."


@dataclass(frozen=True, slots=True)
class Read:
    """All that one check has understood."""

    deck: Deck
    kind: Kind
    claims: Sequence[Claim]
    found: Sequence[Tension]
    gaps: Sequence[Gap]

    @property
    def computed(self) -> list[Tension]:
        """The arithmetic fails: contradictions, and counted as such."""
        return [one for one in self.found if one.class_ != READ]

    @property
    def doubtful(self) -> list[Tension]:
        """No figure decides: both quotes stand, and the presenter is asked."""
        return [one for one in self.found if one.class_ == READ]


def check(
    deck: Annotated[Path, typer.Argument(metavar="DECK", help="The deck: .pptx, .pdf or .md.")],
    speech: Annotated[Path | None, typer.Option(metavar="FILE", help="The recorded speech.")] = None,
    engine: Annotated[str | None, typer.Option(metavar="NAME", help=ENGINE_HELP)] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help=MODEL_HELP)] = None,
    kind: Annotated[str | None, typer.Option(metavar="KIND", help=KIND_HELP)] = None,
) -> None:
    """Read a deck (and speech): what was understood, and where it contradicts itself.

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
    screen.result(_plain(understood), "" if screen.json else "\n".join(_page(understood)))


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
    from orchestrator.tensions import propose

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


# ---------------------------------------------------------------------- as JSON


def _plain(read: Read) -> dict[str, Any]:
    return {
        "kind": read.kind.name,
        "slides": [{"slide": slide.number, "title": slide.title} for slide in read.deck.slides],
        "claims": [_claim(claim) for claim in read.claims],
        "tensions": [_tension(one) for one in read.found],
        "gaps": [{"slide": gap.slide, "note": gap.note} for gap in read.gaps],
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "claim": claim.id,
        "slide": claim.slide,
        "said_at_s": claim.said_at_s,
        "text": claim.text,
        "kinds": list(claim.kinds),
        "quantities": [
            {
                "value": one.value,
                "unit": one.unit,
                "period": one.period,
                "subject": one.subject,
                "text": one.text,
            }
            for one in claim.quantities
        ],
    }


def _tension(tension: Tension) -> dict[str, Any]:
    return {
        "kind": tension.kind,
        "a": _place(tension.a),
        "b": _place(tension.b),
        "note": tension.note,
        "class": tension.class_,
        "by": tension.by,
        "subject": tension.subject,
        "sum": tension.sum,
    }


def _place(place: Place) -> dict[str, Any]:
    return {"slide": place.slide, "said_at_s": place.said_at_s, "quote": place.quote}


# ---------------------------------------------------------------------- for people


def _page(read: Read) -> Iterator[str]:
    from orchestrator.cli.summary import counted  # it imports the debrief, which `--help` can do without

    counts = (counted(len(read.deck.slides), "slide"), counted(len(read.claims), "claim"))
    title = read.deck.title or read.deck.name
    yield f"{title}: {', '.join(counts)}, {counted(len(read.computed), 'contradiction')}"
    yield f"{'read' if not read.kind.given else 'set'} as: {read.kind.name}"
    if read.computed:
        yield from ("", "Contradictions")
    for number, tension in enumerate(read.computed, start=1):
        yield from _found_page(number, tension.note, tension)
        if tension.sum and tension.sum not in tension.note:
            yield from _wrapped(tension.sum, indent="     ")
    if read.doubtful:
        yield from ("", "Can both be so? (no figure decides it, so these are not counted)")
    for number, tension in enumerate(read.doubtful, start=1):
        yield from _found_page(number, f"{tension.subject or 'Which is it'}? {tension.note}", tension)
    if read.gaps:
        yield from ("", "Gaps")
    for gap in read.gaps:
        about = f"slide {gap.slide}" if gap.slide is not None else "the deck"
        yield from _wrapped(f"{about}: {gap.note}", indent="     ", first="   ")
    if read.claims:
        yield from ("", "Claims")
    for claim in read.claims:
        where = _where(claim.slide, claim.said_at_s)
        yield from _wrapped(f"{where}, {', '.join(claim.kinds)}: {claim.text}", indent="     ", first="   ")


def _found_page(number: int, words: str, tension: Tension) -> Iterator[str]:
    """One finding: the sentence, and every quote with its place."""
    yield from _wrapped(f"{number}. {words}", indent="   ", first="")
    for place in dict.fromkeys(tension.places or (tension.a, tension.b)):
        yield from _wrapped(f'{_where(place.slide, place.said_at_s)}: "{place.quote}"', indent="     ")


def _wrapped(text: str, *, indent: str, first: str | None = None) -> list[str]:
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
    begin = indent if first is None else first
    return textwrap.wrap(
        text, max(width, 40), initial_indent=begin, subsequent_indent=indent, break_on_hyphens=False
    )


def _where(slide: int | None, said_at_s: float | None) -> str:
    if said_at_s is None:
        return f"slide {slide}"
    return f"at {int(said_at_s) // 60}:{int(said_at_s) % 60:02}"
