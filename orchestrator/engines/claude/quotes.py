"""Where a quote stands in a rehearsal: the same words in the same order, or it is no quote.

`checks.quotes` says which words are the same. Here is where they are looked for, and who may be
shown them: speaker notes and hidden slides inform a question and are never quoted to the board.
What is kept is always the source's own text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from orchestrator.checks.proposal import Passage
from orchestrator.checks.quotes import Broken, find_quote
from orchestrator.claims.model import Claim, Place
from orchestrator.deck.model import Slide
from orchestrator.engines.protocol import Scene
from orchestrator.exchange import Exchange

_WRAPPED: Final = re.compile(r'^[>\s]*["“„«‘]?(.*?)["”“»’]?[\s.,;:]*$', re.DOTALL)
_SHORTEST: Final = 4
"""Letters and digits; a shorter quote stands everywhere, and says nothing."""
_FIGURE: Final = re.compile(r"\d+(?:[.,]\d+)*")

IN_NOTES: Final = (
    "the quote stands in speaker notes or on a hidden slide, which are never quoted to the board"
)
IN_OTHERS: Final = "the quote was not said by the presenter but by somebody else"
NOT_VERBATIM: Final = "the quote does not stand, word for word, in the deck or the transcript"
_BROKEN: Final = {
    "long": "the quote is too long",
    "empty": "the quote holds no word",
    "order": "the parts of the quote stand in another order",
    "cut": "the quote is cut out of a longer word or number",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a reply: `reason` holds nothing of what was said, `told` is for the model alone."""

    reason: str
    told: str = ""

    @property
    def sent(self) -> str:
        """As it goes back to the model, which may repeat the model's own words."""
        return f"{self.reason}. {self.told}".rstrip(" .") if self.told else self.reason


@dataclass(frozen=True, slots=True)
class Run:
    """Pieces of text that stand one after the other, through which a quote may run."""

    pieces: tuple[str, ...]
    slide: int | None = None
    said_at_s: float | None = None
    is_row: bool = False
    is_private: bool = False  # notes, hidden slides: known to the panel, never quoted
    id: str = ""  # of speech, "s17": its claims begin with it


@dataclass(frozen=True, slots=True)
class Standing:
    """A quote's place. The claim is the one that it is about, if one was extracted there."""

    quote: str  # the source's own words; of several lines joined by " … ", of cells by " | "
    slide: int | None
    said_at_s: float | None
    claim: str | None = None

    @property
    def place(self) -> Place:
        """The same without the claim."""
        return Place(self.slide, self.said_at_s, self.quote)


def found_in(quote: str, text: str) -> str | None:
    """The stretch of *text* that *quote* gives, or None."""
    return _found(quote, Run((text,)))


def _found(quote: str, run: Run) -> str | None:
    for form in _forms(quote):
        found = find_quote(form, run.pieces)
        if not isinstance(found, Broken):
            return (" | " if run.is_row else " … ").join(part.text for part in found.parts)
    return None


def _forms(quote: str) -> Iterator[str]:
    """The quote as it came and without marks around it, our own files' backslashes aside."""
    plain = quote.replace("^\\", "^").replace("\\|", "|")
    letters = sum(letter.isalnum() for letter in plain)
    if letters >= _SHORTEST or any(letter.isdigit() for letter in plain):
        yield from dict.fromkeys((plain, _WRAPPED.sub(r"\1", plain)))


def figures_of(text: str) -> set[str]:
    """The figures of *text* as written, separators aside."""
    return {re.sub(r"[.,]", "", figure) for figure in _FIGURE.findall(text)}


# ---------------------------------------------------------------------- a rehearsal


def standing(quote: str, scene: Scene, slide: int | None = None) -> Standing | None:
    """Where *quote* stands for a board to see or hear; None: nowhere.

    Looked for on *slide* first, then in what the presenter said, the latest first, then on all slides.
    """
    on_slides = deck_runs(scene)
    named = [run for run in on_slides if run.slide == slide]
    return _first(quote, (*named, *spoken_runs(scene), *on_slides), scene)


def standing_on_slide(quote: str, scene: Scene, slide: int | None = None) -> Standing | None:
    """Where *quote* stands in the deck for a board to see; None: nowhere."""
    runs = deck_runs(scene)
    return _first(quote, (*(run for run in runs if run.slide == slide), *runs), scene)


def _first(quote: str, runs: Iterable[Run], scene: Scene) -> Standing | None:
    for run in runs:
        if not run.is_private and (words := _found(quote, run)) is not None:
            return Standing(words, run.slide, run.said_at_s, _claim(words, run, scene))
    return None


def why_not(quote: str, scene: Scene, slide: int | None = None) -> Fault:
    """Which rule a quote breaks that stands nowhere."""
    on_slides = deck_runs(scene)
    if any(_found(quote, run) for run in on_slides if run.is_private):
        return Fault(IN_NOTES)
    if any(found_in(quote, segment.text) for segment in scene.segments):
        return Fault(IN_OTHERS)
    named = [run for run in on_slides if run.slide == slide and not run.is_private]
    pieces = [piece for run in named or spoken_runs(scene) for piece in run.pieces]
    broken = find_quote(quote, pieces)
    if not isinstance(broken, Broken):
        return Fault(f"{NOT_VERBATIM}: it runs over texts that do not adjoin")
    return Fault(_BROKEN.get(broken.rule, NOT_VERBATIM), broken.told)


def deck_runs(scene: Scene) -> list[Run]:
    """What the deck says, slide by slide."""
    return [run for slide in scene.deck.slides for run in _slide_runs(slide, scene.deck_claims)]


def _slide_runs(slide: Slide, claims: Sequence[Claim]) -> Iterator[Run]:
    """A slide's lines as one run, each row as one, all else by itself."""
    number, hidden = slide.number, slide.hidden
    yield Run((slide.title,), number, is_private=hidden)
    yield Run(slide.lines, number, is_private=hidden)
    for table in slide.tables:
        for row in table.rows:
            yield Run(row, number, is_row=True, is_private=hidden)
    alone = [*slide.alt_texts]
    for chart in slide.charts:
        alone += [chart.title, *chart.categories, *(series.name for series in chart.series)]
    # Of a chart's value the words are the claim's: they stand in no piece of the slide.
    alone += [claim.text for claim in claims if claim.slide == number and claim.origin == "chart"]
    for text in alone:
        yield Run((text,), number, is_private=hidden)
    yield Run(tuple(slide.notes.split("\n")), number, is_private=True)


def spoken_runs(scene: Scene) -> Iterator[Run]:
    """What the presenter said, the latest first."""
    for index in range(len(scene.segments), 0, -1):
        segment = scene.segments[index - 1]
        if scene.presenter is None or segment.speaker == scene.presenter:
            yield Run((segment.text,), segment.slide, segment.start_s, id=f"s{index}")


def _claim(quote: str, run: Run, scene: Scene) -> str | None:
    """The claim that shares most with *quote*: it holds the quote, or the quote holds it."""
    spoken = run.said_at_s is not None
    claims = scene.speech_claims if spoken else scene.deck_claims
    sharing = [
        claim
        for claim in claims
        if (claim.id.startswith(f"{run.id}.") if spoken else claim.slide == run.slide)
        and (quote in claim.text or claim.text in quote)
    ]
    best = min(sharing, key=lambda claim: abs(len(claim.text) - len(quote)), default=None)
    return best.id if best is not None else None


def in_answers(quote: str, exchange: Exchange) -> str | None:
    """The presenter's own words in an answer of this exchange, the last first; None: never said."""
    for turn in reversed(exchange.turns):
        if turn.answer and (words := found_in(quote, turn.answer)):
            return words
    return None


def run_place(quote: str, runs: Iterable[Run]) -> Place | None:
    """Where *quote* stands in any of *runs*, private ones too; None: nowhere."""
    for run in runs:
        if (words := _found(quote, run)) is not None:
            return Place(run.slide, run.said_at_s, words)
    return None


# ---------------------------------------------------------------------- passages


def place_in(quote: str, passages: Iterable[Passage], *, notes: bool = False) -> Place | None:
    """Where *quote* stands among passages; None: nowhere. *notes*: speaker notes count as well."""
    known = [one for one in passages if notes or one.origin != "notes"]
    for _, group in groupby(known, key=_run_of):
        run = list(group)
        pieces = tuple(one.text for one in run)
        words = _found(quote, Run(pieces, is_row=run[0].origin == "table"))
        if words is not None:
            return Place(run[0].slide, run[0].said_at_s, words)
    return None


def _run_of(passage: Passage) -> tuple[object, ...]:
    """What passages of one run have in common: lines of a slide, cells of a row; all else stands alone."""
    if passage.origin == "line":
        return (passage.slide, "line")
    if passage.origin == "table":
        return (passage.slide, passage.id.rpartition(".")[0])
    return (passage.id,)
