"""`greenroom check`: arithmetic without a model; with one, two classes of what it names and code verifies."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.errors import EngineError
from orchestrator.material.claim import Operand, Proposal
from orchestrator.panel.debrief.phrasing import UNREAD
from orchestrator.panel.engines import by_name
from orchestrator.panel.engines.protocol import TensionsRequest
from tests.helpers.commands import Commands

ARITHMETIC_ALONE = "checked: the arithmetic within one table, chart or sentence"
DECK = """# Depot plan

- Turnover came to EUR 4.2M in 2025
- The depot will not be sold

---

# Money

| Line | 2024 | 2025 |
| --- | --- | --- |
| Vans | 412 | 433 |
| Cars | 188 | 207 |
| Total | 600 | 740 |

Last year we sold for EUR 3.9M
"""
SPEECH = [
    {
        "start_s": 4,
        "end_s": 9,
        "text": "The depot goes to the highest bidder, from March to May 2026, two years.",
    }
]
READ = Proposal(
    "speech-vs-deck",
    "not both",
    (Operand("d1.l2", "will not be sold"), Operand("s1", "The depot goes to the highest bidder")),
    "the depot",
    "It cannot be kept and sold.",
)
SUM = Proposal(
    "deck-vs-deck",
    "v0 == v1",
    (
        Operand("d1.l1", "EUR 4.2M", "EUR 4.2M", 4.2, "EUR"),
        Operand("d2.l1", "EUR 3.9M", "EUR 3.9M", 3.9, "EUR"),
    ),
    "turnover",
    "Two figures for one year.",
)
INVENTED = Proposal(
    "deck-vs-deck", "v0 == v1", (SUM.operands[0], Operand("d2.l1", "EUR 9M", "EUR 9M", 9, "EUR")), "", "No."
)


class Reader:
    """An engine that names three contradictions, one of which stands nowhere, and doubts none."""

    name = "model"

    def __init__(self, failing: bool = False) -> None:
        self.failing = failing

    def reply(self, request: Any, context: object) -> Any:
        if self.failing:
            raise EngineError("nobody answers")
        if isinstance(request, TensionsRequest):
            return () if request.refused else (READ, SUM, INVENTED)
        return tuple(None for _ in request.tensions)


@pytest.fixture
def commands(home: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(home, capsys)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    """The arguments that name deck and speech."""
    (tmp_path / "deck.md").write_text(DECK)
    (tmp_path / "talk.json").write_text(json.dumps(SPEECH))
    return str(tmp_path / "deck.md"), "--speech", str(tmp_path / "talk.json")


def with_engine(monkeypatch: pytest.MonkeyPatch, *, failing: bool = False) -> None:
    made = by_name.engine_named

    def named(name: str, *given: Any, **more: Any) -> Any:
        return Reader(failing) if name == Reader.name else made(name, *given, **more)

    monkeypatch.setattr(by_name, "engine_named", named)


def test_without_a_model_only_arithmetic_is_found(commands: Commands, files: tuple[str, ...]) -> None:
    found = commands.json("check", *files, "--engine", "offline")
    assert set(found) == {"kind", "slides", "claims", "tensions", "gaps", "notices", "failed"}
    assert found["failed"] is None
    assert [(one["kind"], one["class"], one["by"], one["sum"]) for one in found["tensions"]] == [
        ("sum", "computed", "offline", "433 + 207 = 640, not 740"),
        ("duration", "computed", "offline", "March to May 2026 is 3 months, not two years"),
    ]
    assert found["tensions"][0]["a"] == {
        "slide": 2,
        "said_at_s": None,
        "quote": "740",
        "under": "Total / 2025",
    }
    assert found["tensions"][1]["b"]["said_at_s"] == 4.0
    page = commands("check", *files, "--engine", "offline").stdout
    assert ARITHMETIC_ALONE in page.splitlines()
    assert 'slide 2, Total / 2025: "740"' in page


def test_what_was_not_read_stands_on_the_page_and_in_its_document(commands: Commands, tmp_path: Path) -> None:
    deck, talk = tmp_path / "deck.md", tmp_path / "talk.srt"
    deck.write_text("# Plan\n\nWe ask for TBD euros.\n\n<!-- no end\n\nof it")
    talk.write_text("1\n00:00:01,000 --> 00:00:02,000\nHello.\n\n2\n00:00:03,000 --> soon\nLost.\n")
    found = commands.json("check", str(deck), "--speech", str(talk), "--engine", "offline")
    lines = [
        *(one["note"] for one in found["notices"]),
        *(f"slide {gap['slide']}: {gap['note']}" for gap in found["gaps"]),
    ]
    assert (len(found["notices"]), len(found["gaps"])) == (2, 1)
    done = commands("check", str(deck), "--speech", str(talk), "--engine", "offline")
    page = done.stdout.splitlines()
    first = page.index(UNREAD) + 1
    assert [line.strip() for line in page[first : first + 3]] == lines
    assert done.stderr == ""


def test_what_a_model_names_is_shown_in_two_classes_and_what_stands_nowhere_not_at_all(
    commands: Commands, files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_engine(monkeypatch)
    found = commands.json("check", *files, "--engine", "model")["tensions"]
    assert [(one["class"], one["by"], one["subject"]) for one in found] == [
        ("computed", "offline", ""),
        ("computed", "offline", ""),
        ("read", "model", "the depot"),
        ("computed", "model", "turnover"),
    ]
    page = commands("check", *files, "--engine", "model")
    assert page.stdout.splitlines()[0].endswith("3 contradictions")
    assert ARITHMETIC_ALONE not in page.stdout
    assert "EUR 4.2M, not EUR 3.9M" in page.stdout
    asked = page.stdout.split("Do these agree?")[1]
    assert '"will not be sold"' in asked
    assert '"The depot goes to the highest bidder"' in asked
    assert "EUR 3.9M" not in asked.split("\n\n")[0]
    assert "1 of what the model engine named did not hold" in page.stderr


def test_where_the_model_fails_arithmetic_is_left_and_it_is_said(
    commands: Commands, files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_engine(monkeypatch, failing=True)
    page = commands("check", *files, "--engine", "model", check=False)
    assert page.returncode == 1
    assert page.stdout == commands("check", *files, "--engine", "offline").stdout
    assert page.stderr == "greenroom: warning: the model engine did not read all of it: nobody answers\n"


def test_an_unknown_engine_or_kind_is_refused_in_one_line(commands: Commands, files: tuple[str, ...]) -> None:
    for wrong in (("--engine", "oracle"), ("--kind", "poem")):
        done = commands("check", *files, *wrong, check=False)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert wrong[1] in done.stderr


def test_a_long_deck_with_half_an_hour_of_speech_takes_less_than_three_seconds(
    commands: Commands, tmp_path: Path
) -> None:
    line = "We expect {} sites and EUR {}.4M of costs in 2026, up {} % on the year before, from March on."
    table = "| | A | B |\n| --- | --- | --- |\n" + "\n".join(
        f"| L{n} | {n * 37} | {n * 91} |" for n in range(1, 9)
    )
    pages = [
        f"# Page {at}\n\n"
        + "\n".join(f"- {line.format(at * n, n, at)}" for n in range(1, 9))
        + f"\n\n{table}"
        for at in range(25)
    ]
    speech = [
        {"start_s": 6 * at, "end_s": 6 * at + 5, "text": line.format(at, at % 9, at % 50)}
        for at in range(300)
    ]
    (tmp_path / "deck.md").write_text("\n\n---\n\n".join(pages))
    (tmp_path / "talk.json").write_text(json.dumps(speech))
    began = time.process_time()
    commands(
        "check", str(tmp_path / "deck.md"), "--speech", str(tmp_path / "talk.json"), "--engine", "offline"
    )
    assert time.process_time() - began < 60  # of the processor: what hangs takes hours
