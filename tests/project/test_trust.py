"""The table of `scripts/trust` says what was counted, and never more."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

import pytest

from scripts import trust
from tests.helpers.figures import VARIABLE, Promise, not_run, note


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where figures are kept, as `scripts/trust` asks for it."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "figures"))
    return tmp_path / "figures"


def test_a_promise_is_kept_only_where_enough_was_tried_and_nothing_broke(
    kept: Path,
) -> None:
    note("kill -9", "kills while appending", count=150)
    note("kill -9", "kills while appending", count=50)
    note("races", "rounds of eight writers", count=1_000)
    note("tampering", "changes", count=1_000, wrong=1, told="one was not found")
    not_run("power cut", "cuts", "no mounts here")
    assert "\n".join(list(trust.lines(trust.rows_of(kept)[:7], ["page"]))[1:]) == (
        "kill -9           kept     200 cases (at least 200)\n"
        "          200  kills while appending\n"
        "power cut         NOT RUN  0 cases (at least 100)\n"
        "            0  cuts: NOT RUN: no mounts here\n"
        "torn and flipped  MISSING  0 cases (at least 100,000)\n"
        "disk faults       MISSING  0 cases\n"
        "many writers      MISSING  0 cases (at least 16,000)\n"
        "races             SHORT    1,000 cases (at least 2,000)\n"
        "        1,000  rounds of eight writers\n"
        "tampering         BROKEN   1,000 cases (at least 1,000)\n"
        "        1,000, 1 WRONG  changes: one was not found\n"
        "peers             NOT RUN  installs other packages: scripts/bench peers\n"
        "step page: FAILED, see above"
    )


def test_a_step_that_tries_a_few_of_a_promises_cases_beside_its_own_is_not_short_of_them(
    kept: Path,
) -> None:
    note("page", "foreign hosts", count=20)
    verdicts = [
        row.verdict
        for steps in [("attack",), ("attack", "page")]
        for row in trust.rows_of(kept, steps)
        if row.figures
    ]
    assert verdicts == ["PART", "SHORT"]


def test_a_share_of_the_cases_is_told_as_part(kept: Path) -> None:
    note("races", "rounds of eight writers", count=1_000)
    note("bags", "bags", count=54)
    rows = [row for row in trust.rows_of(kept, share=4) if row.figures]
    assert [(row.promise, row.verdict) for row in rows] == [("races", "PART"), ("bags", "kept")]


def test_nothing_is_kept_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    note("kill -9", "kills", count=1)
    assert list(tmp_path.iterdir()) == []
    assert [row.promise for row in trust.rows_of(tmp_path / "figures")] == list(get_args(Promise))


@pytest.mark.parametrize(
    ("counted", "status"),
    [
        ("note('bags', 'bags', count=54)", 0),
        ("note('bags', 'bags', count=53)", 1),
        ("raise SystemExit(2)", 1),
    ],
)
def test_what_is_broken_or_short_or_failed_is_exit_1(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], counted: str, status: int
) -> None:
    program = f"from tests.helpers.figures import note; {counted}"
    monkeypatch.setattr(trust, "STEPS", {"bags": (sys.executable, "-c", program)})
    assert trust.main(["bags"]) == status
    assert ("== bags: exit 0" in capfd.readouterr().out) == ("note" in counted)
