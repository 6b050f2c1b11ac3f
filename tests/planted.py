"""Pairs of decks, with speech or without: one with a planted contradiction, and its clean twin.

`pairs` is deterministic: the same seed gives the same pairs, byte for byte in Markdown and in
meaning in PowerPoint. Twins are the same but for the planted fault; both are full of what looks
like a contradiction and is none: the market's number, a target, last year, a part, a rounding.
The words were written without looking at the rules that are measured with them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from orchestrator.deck.limits import DEFAULT_LIMITS
from orchestrator.deck.model import Deck
from orchestrator.deck.read import read_deck, read_deck_text
from orchestrator.speech.model import Segment
from tests import (
    planted_charts,
    planted_faults,
    planted_noise,
    planted_rates,
    planted_sums,
    planted_times,
)
from tests.planted_files import Page, markdown, powerpoint
from tests.planted_world import MONTHS, Block, Metric, Piece, World, domains

FAULTS: dict[str, Callable[[World], list[Piece]]] = {
    "deck-vs-deck": planted_faults.levels,
    "speech-vs-deck": planted_faults.spoken_levels,
    "sum": planted_sums.sums,
    "growth": planted_faults.growth,
    "chart-vs-text": planted_charts.charts,
    "date": planted_times.dates,
    "duration": planted_times.durations,
    "rate": planted_rates.rates,
    "share": planted_rates.shares,
}
_CYCLE = (
    *("deck-vs-deck", "speech-vs-deck", "sum", "growth", "chart-vs-text", "date", "duration", "rate"),
    *("share", "deck-vs-deck", "speech-vs-deck", "sum", "growth", "chart-vs-text", "date", "share"),
    *("deck-vs-deck", "speech-vs-deck", "sum", "duration", "rate", "deck-vs-deck", "speech-vs-deck", "date"),
)

_TITLES = {
    "glance": ("At a glance", "Where we stand", "The year in short", "Key messages"),
    "operations": ("Operations", "How the work went", "Day to day"),
    "progress": ("What has changed", "Our progress", "Development"),
    "people": ("People", "Our team", "Staff and suppliers"),
    "finance": ("Finance", "Money", "The financial side"),
    "costs": ("Costs", "Cost items", "What it costs"),
    "chart": ("Development over time", "The trend", "In pictures"),
    "market": ("Market", "How others do", "Our surroundings"),
    "plan": ("Plan", "What comes next", "Roadmap"),
    "risk": ("Risks", "What could go wrong", "Risks and open points"),
    "ask": ("What we need", "The decision", "Our request"),
    "next": ("Next steps", "To do", "Outlook"),
    "appendix": ("Appendix", "Sources and contact"),
}


@dataclass(frozen=True, slots=True)
class Quote:
    """One side of a contradiction: on which slide or in which segment (0-based), and its words.

    The first text is the principal one; the others say the same thing (a table's cell and its
    row's label, another part of the same sum).
    """

    slide: int | None
    segment: int | None
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Twin:
    """A deck and what is said with it."""

    pages: tuple[Page, ...]
    speech: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """A planted deck and its clean twin; `a` and `b` stand in the planted one."""

    id: str
    kind: str
    domain: str
    form: str  # "pptx" or "md"
    planted: Twin
    clean: Twin
    a: tuple[Quote, ...]  # any of them
    b: tuple[Quote, ...]


def pairs(seed: int, count: int, among: Sequence[str] | None = None) -> Iterator[Pair]:
    """*count* pairs of all kinds and domains (or of those *among*) in turn, about half of them PowerPoint."""
    order = list(among or domains())
    Random(seed).shuffle(order)
    for index in range(count):
        kind = _CYCLE[index % len(_CYCLE)]
        yield _pair(f"{seed}-{index:03}", kind, order[index % len(order)], index)


def _pair(name: str, kind: str, domain: str, index: int) -> Pair:
    rng = Random(name)
    world = World(rng, domain)
    fault = FAULTS[kind](world)
    charted = any(piece.block.kind in ("pie", "column", "line") for piece in fault)
    form = "pptx" if charted or index % 5 in (1, 3) else "md"
    aloud = any(piece.block.kind == "said" for piece in fault) or rng.random() < 0.4
    around = _around(world, kind, _told(world, fault), form, aloud=aloud)
    return _assembled(name, kind, world, form, fault, around, aloud=aloud)


def _told(world: World, fault: list[Piece]) -> list[Metric]:
    """The metrics that the fault is about."""
    return [metric for name, metric in world.metrics.items() if name not in world.free]


def _around(world: World, kind: str, told: list[Metric], form: str, *, aloud: bool) -> list[Piece]:
    """All that stands in both twins: other numbers for the same thing, other things, and sound arithmetic."""
    pieces = [piece for metric in told for piece in planted_noise.about_metric(world, metric)]
    if aloud:
        pieces += [piece for metric in told for piece in planted_noise.said_about(world, metric)]
    pieces += planted_noise.ground(world)
    pieces += planted_noise.restated(world, aloud=aloud)
    sound = [one for one in FAULTS if one not in (kind, "deck-vs-deck", "speech-vs-deck")]
    for other in world.rng.sample(sound, 3):
        made = FAULTS[other](world)
        kinds = {piece.block.kind for piece in made}
        if (aloud or "said" not in kinds) and (form == "pptx" or not kinds & {"pie", "column", "line"}):
            pieces += [Piece(piece.theme, piece.block) for piece in made]
    if world.rng.random() < 0.5:
        pieces.append(planted_noise.moved_date(world))
    if world.rng.random() < 0.4:
        pieces.append(planted_noise.subtotals(world))
    return pieces


def _assembled(
    name: str, kind: str, world: World, form: str, fault: list[Piece], around: list[Piece], *, aloud: bool
) -> Pair:
    rng = world.rng
    slots = _slots(rng, fault, around)
    day = f"{rng.randint(2, 28)} {rng.choice(MONTHS)} {world.year + 1}"
    cover = (world.company, f"Report to the board, {day}")
    footer = rng.choice(
        ("", f"{world.company} · board meeting · {day} · page {{}}", "Confidential · page {}")
    )
    titles = {theme: rng.choice(texts) for theme, texts in _TITLES.items()}
    twins: list[Twin] = []
    places: dict[int, tuple[int | None, int | None]] = {}
    for planted in (True, False):
        pages = [Page(cover[0], (Block("box", cover[1]),))]
        speech: list[tuple[int, str]] = [(1, "Good morning, and thank you for having me.")]
        for theme, pieces in slots:
            number = len(pages) + 1
            title, blocks = titles[theme], []
            for piece in pieces:
                block = piece.wrong if planted and piece.wrong else piece.block
                if block.kind == "said":
                    speech.append((number, block.text))
                elif block.kind == "title":
                    title = block.text
                else:
                    blocks.append(block)
                if planted and block.kind == "said":
                    places[id(piece)] = (None, len(speech) - 1)
                elif planted:
                    places[id(piece)] = (number, None)
            pages.append(Page(title, tuple(blocks), footer.format(number)))
            if aloud:
                speech.append(
                    (
                        number,
                        f"{titles[theme]}. That was page {number}."
                        if number % 4 == 0
                        else "Next page, please.",
                    )
                )
        twins.append(Twin(tuple(pages), tuple(_segments(speech)) if aloud else ()))
    sides = [
        tuple(
            Quote(*places[id(piece)], texts)
            for piece in fault
            if (texts := piece.a if side == "a" else piece.b)
        )
        for side in "ab"
    ]
    return Pair(name, kind, world.domain, form, twins[0], twins[1], sides[0], sides[1])


def _slots(rng: Random, fault: list[Piece], around: list[Piece]) -> list[tuple[str, list[Piece]]]:
    """Pages, as theme and pieces: a title that is a piece begins a page, and each page holds only a few."""
    slots: list[tuple[str, list[Piece]]] = []
    for theme in _TITLES:
        mine = [piece for piece in fault if piece.theme == theme]
        others = [piece for piece in around if piece.theme == theme]
        pages: list[list[Piece]] = [[]]
        for piece in [*mine, *others] if rng.random() < 0.5 else [*others, *mine]:
            full = len(pages[-1]) >= 6 and piece not in mine
            has_title = any(one.block.kind == "title" for one in pages[-1])
            if full or (piece.block.kind == "title" and has_title):
                pages.append([])
            pages[-1].append(piece)
        slots += [(theme, page) for page in pages if page]
    return slots


def _segments(speech: list[tuple[int, str]]) -> Iterator[Segment]:
    start = 0.0
    for slide, text in speech:
        end = start + len(text.split()) * 0.4
        yield Segment(
            text=text, start_s=round(start, 1), end_s=round(end, 1), speaker="Presenter", slide=slide
        )
        start = end + 1


def deck_of(twin: Twin, form: str, folder: Path | None = None) -> Deck:
    """The twin's deck as Greenroom reads it; with *folder*, through a file and the reader's own process."""
    if form == "md":
        return read_deck_text(markdown(twin.pages))
    content = powerpoint(twin.pages)
    if folder is not None:
        path = folder / "deck.pptx"
        path.write_bytes(content)
        return read_deck(path)
    import io

    from orchestrator.deck.pptx import read_pptx

    return read_pptx(io.BytesIO(content), "deck.pptx", hashlib.sha256(content).hexdigest(), DEFAULT_LIMITS)
