"""Decks with and without contradictions, and what a reader proposed who saw no labels.

`scripts/bench_data/*.yaml` holds three kinds of corpora: pairs (a deck with one planted
contradiction, and its clean twin), dense decks with speech in which there is nothing to find, and
dense decks of which a script has changed one figure in half (`changed.py`, `change` in the file).
`scripts/bench_data/recorded/NAME.json` holds the proposals of a reader, by a hash of the text that
it was given: so a label can be corrected and the reading still be found, and the reader, who is
dealt texts by that hash (`sheets`), can tell nothing from a name.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import yaml

from orchestrator.material.checks.grounding import deck_passages, speech_passages
from orchestrator.material.claim import Operand, Passage, Place, Proposal, Tension
from orchestrator.material.deck.read import read_deck_text
from orchestrator.material.values import Deck, Segment

DATA: Final = Path(__file__).resolve().parent / "bench_data"
PAIRS: Final = ("blind", "open", "opened", "written_1", "written_2", "written_3")
DENSE: Final = ("dense_1", "dense_2")
CHANGED: Final = ("dense_3",)
CORPORA: Final = (*PAIRS, *DENSE, *CHANGED)

SECONDS_A_WORD: Final = 0.4
"""150 words a minute, as everywhere."""


@dataclass(frozen=True)
class Text:
    """One deck with its speech; `sides` are the words of what contradicts each other, if anything does."""

    corpus: str
    id: str
    deck: Deck
    speech: tuple[Segment, ...]
    sides: tuple[str, ...] = ()  # two of a pair; the one changed line of a changed deck; none if clean

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        return (*deck_passages(self.deck), *speech_passages(self.speech))

    @cached_property
    def key(self) -> str:
        """Names the text and nothing else."""
        words = [self.deck.sha256, *(segment.text for segment in self.speech)]
        return hashlib.sha256("\n".join(words).encode()).hexdigest()[:12]

    def is_found(self, tension: Tension) -> bool:
        """Whether *tension* is what was planted: one of its quotes is on each side."""
        places = tension.sides
        return bool(self.sides) and all(any(_is_on(place, side) for place in places) for side in self.sides)

    def touches(self, tension: Tension) -> bool:
        """Whether any quote of it is on a side: of a sum, `sides` are only two of several places."""
        places = tension.sides
        return any(_is_on(place, side) for place in places for side in self.sides)


def _is_on(place: Place, side: str) -> bool:
    said, words = _bare(place.quote), _bare(side)
    return bool(said) and (said in words or words in said)


def _bare(text: str) -> str:
    return " ".join(re.sub(r"[*_`|#>]|<[^>]*>", " ", text).casefold().split())


def texts(corpus: str) -> Iterator[Text]:
    """Every text of a corpus: of a pair the planted one, then its clean twin."""
    for row in yaml.safe_load((DATA / f"{corpus}.yaml").read_text("utf-8")):
        speech = _segments(row.get("speech"))
        if corpus in PAIRS:
            yield Text(corpus, row["id"], read_deck_text(row["deck"]), speech, (row["a"], row["b"]))
            clean = row.get("clean_deck") or row["deck"]
            said = _segments(row["clean_speech"]) if row.get("clean_speech") else speech
            yield Text(corpus, row["id"], read_deck_text(clean), said)
        elif corpus in CHANGED:
            change = row.get("change")
            sides = (change["line"],) if change else ()
            yield Text(corpus, row["id"], read_deck_text(row["deck"]), speech, sides)
        else:
            yield Text(corpus, row["id"], read_deck_text(row["deck"]), speech)


def _segments(rows: list[dict[str, Any]] | str | None) -> tuple[Segment, ...]:
    """Segments with their slides, or paragraphs of speech, of which nobody knows the slide."""
    if isinstance(rows, str):
        rows = [{"text": " ".join(part.split())} for part in re.split(r"\n\s*\n", rows) if part.strip()]
    found, start_s = [], 0.0
    for row in rows or []:
        end_s = start_s + len(row["text"].split()) * SECONDS_A_WORD
        found.append(Segment(row["text"], round(start_s, 1), round(end_s, 1), "Presenter", row.get("slide")))
        start_s = end_s + 1
    return tuple(found)


# ---------------------------------------------------------------------- what was read


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of one text."""

    proposals: tuple[Proposal, ...]
    repaired: tuple[Proposal, ...] = ()  # of those that were sent back, once
    doubts: Mapping[tuple[str, ...], str | None] | None = None  # by quotes: how both may hold


@dataclass(frozen=True, slots=True)
class Recorded:
    """A corpus as one reader read it."""

    reader: str
    read_at: str
    readings: Mapping[str, Reading]


def recorded(corpus: str) -> Recorded | None:
    """The reading of *corpus*; None: nobody has read it."""
    path = DATA / "recorded" / f"{corpus}.json"
    if not path.is_file():
        return None
    plain = json.loads(path.read_text("utf-8"))
    readings = {key: _reading(one) for key, one in plain["texts"].items()}
    return Recorded(plain["reader"], plain["read_at"], readings)


def _reading(plain: Mapping[str, Any]) -> Reading:
    return Reading(
        tuple(map(proposal_of, plain["proposals"])),
        tuple(map(proposal_of, plain.get("repaired", ()))),
        {tuple(one["quotes"]): one["reading"] for one in plain.get("doubts", ())},
    )


def proposal_of(plain: Mapping[str, Any]) -> Proposal:
    """A proposal as the reader wrote it down."""
    operands = tuple(Operand(**operand) for operand in plain["operands"])
    return Proposal(plain["kind"], plain["relation"], operands, plain["subject"], plain["why"])


def quotes_of(tension: Tension) -> tuple[str, ...]:
    """Names a finding within its text."""
    return tuple(place.quote for place in tension.sides)


def sheet_of(text: Text) -> dict[str, Any]:
    """What a reader is dealt: passages, and no label."""
    passages: Sequence[Passage] = text.passages
    return {
        "text": text.key,
        "passages": [
            {"id": one.id, "text": one.text, **({"under": one.under} if one.under else {})}
            for one in passages
        ],
    }
