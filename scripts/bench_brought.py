"""What is made of sentences, transcripts and tables of PDFs that no writer of the readers had seen.

    scripts/bench brought            the table
    scripts/bench brought --show     with the name of each that is blamed, missed, asked or wrong

`bench_data/brought/` was written on 2026-11-27 from the programs' own documents and from how people in twelve
countries write figures, and has been looked at since: what it showed is mended, so it is a guard and no
measure any more.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from orchestrator.material.checks.arithmetic import deck_tensions, speech_tensions
from orchestrator.material.claim import Tension
from orchestrator.material.deck.read import read_deck, read_deck_text
from orchestrator.material.speech.read import read_speech
from orchestrator.material.speech.speakers import UNCLEAR, presenter_of
from orchestrator.material.values import Segment

BROUGHT: Final = Path(__file__).resolve().parent / "bench_data" / "brought"
Result = tuple[str, str]
"""What came out, and of which item."""


def sentences() -> Iterator[Result]:
    """Each sentence or table as a slide, and said aloud: right ones blamed, wrong ones found."""
    for kind in ("clean", "wrong"):
        for file in sorted((BROUGHT / "sentences" / kind).glob("*.yaml")):
            for item in _read(file):
                is_blamed = any(_of_text(item["text"].strip()))
                yield f"{kind}: {'contradiction' if is_blamed else 'silent'}", item["id"]


def transcripts() -> Iterator[Result]:
    """Who presents: right by what only they say and what others say; asked; or wrong."""
    for item in _read(BROUGHT / "transcripts" / "answers.yaml"):
        segments = read_speech(BROUGHT / "transcripts" / item["file"]).segments
        found = presenter_of(segments)
        own = _plain(" ".join(one.text for one in segments if one.speaker == found.label))
        holds = all(_plain(said) in own for said in item["presenter_says"])
        holds &= not any(_plain(said) in own for said in item["others_say"])
        told = "right" if holds and item["presenter"] else "wrong"
        wanted = "one presents" if item["presenter"] else "nobody can tell"
        yield f"{wanted}: {'asked' if found.how == UNCLEAR else told}", item["file"]


def tables() -> Iterator[Result]:
    """The tables of PDFs: a wrong figure is found where a contradiction quotes it."""
    for item in _read(BROUGHT / "tables" / "answers.yaml"):
        found = [*deck_tensions(read_deck(BROUGHT / "tables" / item["file"]))]
        if item["wrong"] is None:
            yield f"{item['ruled']} rules, right: {'blamed' if found else 'silent'}", item["file"]
        else:
            quotes = [side.quote for one in found for side in one.sides]
            is_found = any(item["wrong"]["shown"] in quote for quote in quotes)
            told = "found" if is_found else "other figure named" if found else "silent"
            yield f"{item['ruled']} rules, wrong: {told}", item["file"]
    for file in sorted((BROUGHT / "tables").glob("clean_*.pdf")):
        yield f"no table: {'blamed' if any(deck_tensions(read_deck(file))) else 'silent'}", file.name


def _of_text(text: str) -> tuple[Tension, ...]:
    if "|" in text:
        return tuple(deck_tensions(read_deck_text(f"# Plan\n\n{text}\n")))
    lines = text.replace("\n", "\n- ")
    shown = tuple(deck_tensions(read_deck_text(f"# Plan\n\n- {lines}\n")))
    return shown or tuple(speech_tensions(Segment(text, 0.0, 10.0, "A", 1)))


def _plain(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in text.casefold()).split())


def _read(file: Path) -> list[Any]:
    return list(yaml.safe_load(file.read_text("utf-8")))


def main(arguments: list[str]) -> int:
    for of in (sentences, transcripts, tables):
        results = [*of()]
        for told, count in sorted(Counter(told for told, _ in results).items()):
            print(f"{of.__name__:12} {told:40} {count:4}")
        if "--show" in arguments:
            for told, name in results:
                if not told.endswith((": right", "clean: silent")):
                    print(f"    {told}: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
