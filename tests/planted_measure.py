"""How well contradictions are found: planted pairs and those written by hand, counted alike.

A tension counts as *found* if one of its places is the planted contradiction's `a` and the other
its `b`. A place is a side if the words agree: its quote contains the side's words, or lies within
them (upper and lower case, Markdown's marks and white space apart). For generated pairs the slide,
or the time of the segment, must be the same, too, and a side may have several words: a total may be
set against any of its parts, a table's cell may be named by its row. Where the contradiction is a
sum, the tension must be one of a sum or of shares. In pairs written by hand a contradiction of
`ARITHMETIC` has three places and more, of which `a` and `b` are two: there a tension of such a kind
counts that has one of them among its places. A tension of a planted deck is *extra* if neither of
its places is on a side. Any tension of a clean twin is a false alarm.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from orchestrator.checks.find import tensions
from orchestrator.claims.extract import deck_claims, speech_claims
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Deck
from orchestrator.deck.read import read_deck_text
from orchestrator.speech.model import Segment
from tests.planted import Pair, Quote, deck_of

ARITHMETIC = frozenset({"sum", "growth", "share", "duration", "rate"})
"""Kinds in which figures do not follow from each other."""

Find = Callable[[Deck, Sequence[Segment]], Sequence[Tension]]


@dataclass(frozen=True, slots=True)
class Case:
    """A contradiction to be found, and its clean twin."""

    id: str
    kind: str
    planted: tuple[Deck, tuple[Segment, ...]]
    clean: tuple[Deck, tuple[Segment, ...]]
    a: tuple[Quote, ...]
    b: tuple[Quote, ...]
    by_hand: bool = False


@dataclass(slots=True)
class Score:
    """What was found in cases, and what was not there."""

    planted: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)
    alarmed: dict[str, int] = field(default_factory=dict)
    missed: list[tuple[Case, list[Tension]]] = field(default_factory=list)
    alarms: list[tuple[Case, list[Tension]]] = field(default_factory=list)
    extras: list[tuple[Case, Tension]] = field(default_factory=list)

    @property
    def cases(self) -> int:
        return sum(self.planted.values())

    @property
    def recall(self) -> float:
        """Share of the planted contradictions that were found."""
        return sum(self.found.values()) / self.cases

    @property
    def false_share(self) -> float:
        """Share of the clean twins with at least one alarm."""
        return len(self.alarms) / self.cases


def tensions_in(deck: Deck, speech: Sequence[Segment]) -> tuple[Tension, ...]:
    """The tensions that `greenroom check` finds."""
    said = [claim for at, segment in enumerate(speech, 1) for claim in speech_claims(segment, at)]
    return tensions(deck, deck_claims(deck), speech, said)


def measured(cases: Iterable[Case], find: Find = tensions_in) -> Score:
    """The score of *find* on *cases*."""
    score = Score()
    for case in cases:
        score.planted[case.kind] = score.planted.get(case.kind, 0) + 1
        tensions = list(find(*case.planted))
        if any(is_found(case, tension) for tension in tensions):
            score.found[case.kind] = score.found.get(case.kind, 0) + 1
        else:
            score.missed.append((case, tensions))
        score.extras += [(case, tension) for tension in tensions if not _touches(case, tension)]
        alarms = list(find(*case.clean))
        if alarms:
            score.alarmed[case.kind] = score.alarmed.get(case.kind, 0) + 1
            score.alarms.append((case, alarms))
    return score


def is_found(case: Case, tension: Tension) -> bool:
    """Whether *tension* is the planted contradiction."""
    if case.kind == "sum" and tension.kind not in ("sum", "share"):
        return False
    if case.by_hand and case.kind in ARITHMETIC:
        return tension.kind in ARITHMETIC and _touches(case, tension)
    ways = ((tension.a, tension.b), (tension.b, tension.a))
    return any(_is_on(case, one, case.a) and _is_on(case, other, case.b) for one, other in ways)


def _touches(case: Case, tension: Tension) -> bool:
    return any(_is_on(case, place, case.a + case.b) for place in (tension.a, tension.b))


def _is_on(case: Case, place: Place, side: tuple[Quote, ...]) -> bool:
    return any(_is(case, place, quote) for quote in side)


def _is(case: Case, place: Place, quote: Quote) -> bool:
    if quote.segment is not None:
        if place.said_at_s != case.planted[1][quote.segment].start_s:
            return False
    elif quote.slide is not None and (place.said_at_s is not None or place.slide != quote.slide):
        return False
    said = bare(place.quote)
    return bool(said) and any(said in words or words in said for words in map(bare, quote.texts))


def bare(text: str) -> str:
    """*text* as it is compared."""
    return " ".join(re.sub(r"[*_`|#>]|<[^>]*>", " ", text).casefold().split())


def generated(pairs: Iterable[Pair], folder: Path | None = None, through_files: int = 0) -> Iterator[Case]:
    """Cases of *pairs*; the first PowerPoint decks are read *through_files* in *folder*, as a user's are."""
    for pair in pairs:
        at = None
        if pair.form == "pptx" and through_files:
            at, through_files = folder, through_files - 1
        twins = [(deck_of(twin, pair.form, at), twin.speech) for twin in (pair.planted, pair.clean)]
        yield Case(pair.id, pair.kind, twins[0], twins[1], pair.a, pair.b)


def by_hand(path: Path) -> Iterator[Case]:
    """The cases of a file of pairs written by hand; what a clean twin does not give is as planted."""
    for row in yaml.safe_load(path.read_text(encoding="utf-8")):
        planted = read_deck_text(row["deck"]), _segments(row.get("speech"))
        clean = (
            read_deck_text(row.get("clean_deck") or row["deck"]),
            _segments(row["clean_speech"]) if row.get("clean_speech") else planted[1],
        )
        a, b = (Quote(None, None, (row[side],)) for side in "ab")
        yield Case(row["id"], row["kind"], planted, clean, (a,), (b,), by_hand=True)


def alarms_of(path: Path) -> Iterator[Sequence[Tension]]:
    """What is found in each deck and speech of a file in which there is nothing to find."""
    for row in yaml.safe_load(path.read_text(encoding="utf-8")):
        yield tensions_in(read_deck_text(row["deck"]), _segments(row["speech"]))


def _segments(rows: list[dict[str, Any]] | str | None) -> tuple[Segment, ...]:
    """Segments with their slides, or paragraphs of speech, of which nobody knows the slide."""
    if isinstance(rows, str):
        rows = [{"text": " ".join(part.split())} for part in re.split(r"\n\s*\n", rows) if part.strip()]
    found, start = [], 0.0
    for row in rows or []:
        end = start + len(row["text"].split()) * 0.4
        found.append(Segment(row["text"], round(start, 1), round(end, 1), "Presenter", row.get("slide")))
        start = end + 1
    return tuple(found)
