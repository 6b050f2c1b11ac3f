"""Small decks about dates, growth in words and sums, each with one contradiction and a clean twin."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.deck.read import read_deck_text
from orchestrator.speech.model import Segment
from tests.planted import Quote
from tests.planted_measure import Case, is_found, tensions_in

ROWS: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "contradictions" / "events.yaml").read_text(encoding="utf-8")
)
OURS = ("date", "growth", "sum")


def twin(text: str, side: int) -> str:
    return re.sub(r"\[\[(.*?) \|\| (.*?)\]\]", lambda match: match[side], text)


def case(row: dict[str, Any]) -> Case:
    def told(side: int) -> tuple[Segment, ...]:
        return tuple(
            Segment(twin(said["text"], side), 10.0 * at, 10.0 * at + 8, "Presenter", said["slide"])
            for at, said in enumerate(row.get("speech", ()))
        )

    planted, clean = ((read_deck_text(twin(row["deck"], side)), told(side)) for side in (1, 2))
    a, b = (Quote(None, None, (row[side],)) for side in "ab")
    return Case(row["id"], row["kind"], planted, clean, (a,), (b,), by_hand=True)


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_the_contradiction_is_found_and_its_twin_is_clean(row: dict[str, Any]) -> None:
    one = case(row)
    assert any(is_found(one, tension) for tension in tensions_in(*one.planted))
    assert [tension for tension in tensions_in(*one.clean) if tension.kind in OURS] == []
