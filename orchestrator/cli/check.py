"""`greenroom check`: what a deck (and speech) says, and where it contradicts itself, without a session."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from orchestrator.cli.options import DeckFile, Speech, check_engine_name, option
from orchestrator.cli.screen import Screen, columns, wrapped
from orchestrator.cli.shared import check_address, recorded_speech
from orchestrator.errors import GreenroomError
from orchestrator.home.config import Config

if TYPE_CHECKING:
    from orchestrator.engines.offline.kinds import Kind
    from orchestrator.engines.protocol import Engine
    from orchestrator.model.claim import Claim, Gap, Tension
    from orchestrator.model.segment import Segment
    from orchestrator.model.slide import Deck


ENGINE_HELP = (
    "Who reads beside the arithmetic: offline (nobody), claude or model; else as greenroom.yaml says."
)
MODEL_HELP = "The model that the engine asks, by the name that its service knows."
KIND_HELP = "The kind of deck, where it is read wrongly."


def check(
    deck: DeckFile,
    speech: Speech = None,
    engine: Annotated[str | None, option("NAME", ENGINE_HELP)] = None,
    model: Annotated[str | None, option("NAME", MODEL_HELP)] = None,
    kind: Annotated[str | None, option("KIND", KIND_HELP)] = None,
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
    understood = _Read(read, kind_of_deck, claims, found, find_gaps(read))
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
    check_engine_name(name)
    if (name or config.engine) == "offline":
        return None
    check_address(name or config.engine)
    made = engine_named(name or config.engine, replace(config, model=model or config.model))
    check_engine(made)
    return made


def _segments(screen: Screen, speech: Path, deck: Deck) -> tuple[tuple[int, Segment], ...]:
    """What the presenter says, each with its number in the transcript."""
    from orchestrator.speech.presenter import presenter_of
    from orchestrator.speech.slides import estimate_slides

    try:
        config = screen.open_home().config
    except GreenroomError:  # a deck and speech are checked without a home too
        config = Config()
    recording = recorded_speech(speech, config)
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


@dataclass(frozen=True, slots=True)
class _Read:
    """All that one check has understood."""

    deck: Deck
    kind: Kind
    claims: Sequence[Claim]
    found: Sequence[Tension]
    gaps: Sequence[Gap]

    @property
    def computed(self) -> list[Tension]:
        """The arithmetic fails: contradictions, and counted as such."""
        from orchestrator.model.claim import READ

        return [one for one in self.found if one.class_ != READ]

    @property
    def doubtful(self) -> list[Tension]:
        """No figure decides: both quotes stand, and the presenter is asked."""
        from orchestrator.model.claim import READ

        return [one for one in self.found if one.class_ == READ]


def _plain(read: _Read) -> dict[str, Any]:
    """The JSON document."""
    from orchestrator.debrief.exchange_json import picked, tension_json

    quantity = ("value", "unit", "period", "subject", "text")
    return {
        "kind": read.kind.name,
        "slides": [{"slide": slide.number, "title": slide.title} for slide in read.deck.slides],
        "claims": [
            {
                "claim": claim.id,
                **picked(claim, ("slide", "said_at_s", "text", "kinds")),
                "quantities": [picked(one, quantity) for one in claim.quantities],
            }
            for claim in read.claims
        ],
        "tensions": [tension_json(one) for one in read.found],
        "gaps": [picked(gap, ("slide", "note")) for gap in read.gaps],
    }


def _page(read: _Read) -> Iterator[str]:
    """The lines for people."""
    from orchestrator.debrief.phrasing import DO_THESE_AGREE, counted

    counts = (counted(len(read.deck.slides), "slide"), counted(len(read.claims), "claim"))
    title = read.deck.title or read.deck.name
    yield f"{title}: {', '.join(counts)}, {counted(len(read.computed), 'contradiction')}"
    yield f"{'read' if not read.kind.given else 'set'} as: {read.kind.name}"
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
    if read.gaps:
        yield from ("", "Gaps")
    for gap in read.gaps:
        about = f"slide {gap.slide}" if gap.slide is not None else "the deck"
        yield _line(f"   {about}: {gap.note}")
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
    return f"at {int(said_at_s) // 60}:{int(said_at_s) % 60:02}"
