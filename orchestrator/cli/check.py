"""`greenroom check`: what a deck (and speech) says, and where it contradicts itself, without a session."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.screen import Screen
from orchestrator.errors import GreenroomError

if TYPE_CHECKING:
    from orchestrator.claims.model import Claim, Gap, Place, Tension
    from orchestrator.deck.model import Deck

WIDEST = 100
"""Columns beyond which lines are hard to read, however wide the terminal is."""


def register(app: typer.Typer) -> None:
    """Add this command to the application."""
    app.command()(check)


@dataclass(frozen=True, slots=True)
class Flag:
    """A claim that one panelist's red flags or benchmarks speak against."""

    agent: str
    kind: str  # "red flag" or "benchmark"
    claim: Claim
    why: str


def check(
    deck: Annotated[Path, typer.Argument(metavar="DECK", help="The deck: .pptx, .pdf or .md.")],
    speech: Annotated[Path | None, typer.Option(metavar="FILE", help="The recorded speech.")] = None,
) -> None:
    """Read a deck (and speech): what was understood, and where it contradicts itself."""
    from orchestrator.checks.find import tensions
    from orchestrator.claims.extract import deck_claims, speech_claims
    from orchestrator.claims.language import language_of
    from orchestrator.deck.content import find_gaps
    from orchestrator.deck.read import read_deck

    screen = Screen.current
    read = read_deck(deck)
    claims = list(deck_claims(read))
    said: list[Claim] = []
    segments = []
    notices = list(read.notices)
    if speech is not None:
        from orchestrator.speech.presenter import presenter_of
        from orchestrator.speech.read import read_speech
        from orchestrator.speech.slides import estimate_slides

        recording = read_speech(speech)
        notices += recording.notices
        presenter = presenter_of(recording.segments).label
        for number, segment in enumerate(estimate_slides(recording.segments, read), start=1):
            if segment.speaker == presenter:
                segments.append(segment)
                said += speech_claims(segment, number)
    for notice in notices:
        screen.note(f"note: {notice}")
    text = " ".join(line for slide in read.slides for line in (slide.title, *slide.lines))
    if (language := language_of(text)) != "en":
        screen.note(f"note: the deck's language was taken to be {language!r}: the rules are English,")
        screen.note("note: so only its figures are read")
    found = tensions(read, claims, segments, said)
    everything = [*claims, *said]
    flags = list(_flags(screen, everything))
    gaps = find_gaps(read)
    plain = {
        "slides": [{"slide": slide.number, "title": slide.title} for slide in read.slides],
        "claims": [_claim(claim) for claim in everything],
        "tensions": [_tension(one) for one in found],
        "flags": [_flag(one) for one in flags],
        "gaps": [{"slide": gap.slide, "note": gap.note} for gap in gaps],
    }
    screen.result(plain, "" if screen.json else "\n".join(_page(read, everything, found, flags, gaps)))


def _flags(screen: Screen, claims: Iterable[Claim]) -> Iterator[Flag]:
    """What the panelists' tables of red flags and benchmarks say; nothing where the home has no panel."""
    from orchestrator.engines.angles import BENCHMARK, RED_FLAG, angles
    from orchestrator.layout import MODERATOR
    from orchestrator.rehearsal import read_seats

    home = screen.open_home()
    try:
        layout = home.layout(None)
        seats = read_seats(home.read_templates(layout), layout.agents)
    except GreenroomError as error:
        screen.note(f"note: red flags and benchmarks are left out: {error}")
        return
    for claim in claims:
        for agent, seat in seats.items():
            if agent == MODERATOR:
                continue
            for angle in angles(claim, seat):
                if angle.kind in (RED_FLAG, BENCHMARK):
                    yield Flag(agent, angle.kind, claim, angle.words)


# ---------------------------------------------------------------------- as JSON


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
    }


def _place(place: Place) -> dict[str, Any]:
    return {"slide": place.slide, "said_at_s": place.said_at_s, "quote": place.quote}


def _flag(flag: Flag) -> dict[str, Any]:
    return {
        "kind": flag.kind.replace(" ", "-"),
        "agent": flag.agent,
        "claim": flag.claim.id,
        "slide": flag.claim.slide,
        "said_at_s": flag.claim.said_at_s,
        "quote": flag.claim.text,
        "note": flag.why,
    }


# ---------------------------------------------------------------------- for people


def _page(
    deck: Deck,
    claims: Sequence[Claim],
    found: Sequence[Tension],
    flags: Sequence[Flag],
    gaps: Sequence[Gap],
) -> Iterator[str]:
    from orchestrator.cli.summary import counted  # it imports the debrief, which `--help` can do without

    counts = (counted(len(deck.slides), "slide"), counted(len(claims), "claim"))
    yield f"{deck.title or deck.name}: {', '.join(counts)}, {counted(len(found), 'contradiction')}"
    if found:
        yield from ("", "Contradictions")
    for number, tension in enumerate(found, start=1):
        yield from _wrapped(f"{number}. {tension.note}", indent="   ", first="")
        for place in dict.fromkeys((tension.a, tension.b)):
            yield from _wrapped(f'{_where(place.slide, place.said_at_s)}: "{place.quote}"', indent="     ")
    if flags:
        yield from ("", "What a panelist would stop at")
    for flag in flags:
        where = _where(flag.claim.slide, flag.claim.said_at_s)
        yield from _wrapped(f'{where}: "{flag.claim.text}"', indent="     ", first="   ")
        yield from _wrapped(f"{flag.agent}, {flag.why}", indent="       ", first="     ")
    if gaps:
        yield from ("", "Gaps")
    for gap in gaps:
        about = f"slide {gap.slide}" if gap.slide is not None else "the deck"
        yield from _wrapped(f"{about}: {gap.note}", indent="     ", first="   ")
    if claims:
        yield from ("", "Claims")
    for claim in claims:
        where = _where(claim.slide, claim.said_at_s)
        yield from _wrapped(f"{where}, {', '.join(claim.kinds)}: {claim.text}", indent="     ", first="   ")


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
