"""The log of who did what: whole lines, bounded, whoever writes and however many at once."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import pytest

from orchestrator.access.audit import FILES, NAME, Audit


def test_a_full_file_is_set_aside_and_the_oldest_goes(tmp_path: Path) -> None:
    audit = Audit(tmp_path, max_bytes=500)
    for number in range(100):
        audit.note(number=number)
    audit.close()
    names = {one.name for one in (tmp_path / "log").iterdir()}
    assert names == {NAME, *(f"{NAME}.{number}" for number in range(1, FILES))}
    assert all(one.stat().st_size <= 500 for one in (tmp_path / "log").iterdir())
    assert all(one.stat().st_mode & 0o777 == 0o600 for one in (tmp_path / "log").iterdir())
    order = [NAME, *(f"{NAME}.{number}" for number in range(1, FILES))]
    numbers = [_numbers(tmp_path / "log" / one) for one in reversed(order)]
    kept = [number for part in numbers for number in part]
    assert kept == list(range(kept[0], 100))


def _numbers(path: Path) -> list[int]:
    return [json.loads(line)["number"] for line in path.read_text().splitlines()]


def _write(root: Path, first: int) -> None:
    audit = Audit(root, max_bytes=20_000)
    for number in range(first, first + 200):
        audit.note(number=number)
    audit.close()


def test_several_processes_lose_no_line_and_mix_none(tmp_path: Path) -> None:
    """Also while files are set aside under the others."""
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.starmap(_write, [(tmp_path, first) for first in (0, 1_000, 2_000, 3_000)])
    written = [number for one in (tmp_path / "log").iterdir() for number in _numbers(one)]
    assert len(list((tmp_path / "log").iterdir())) > 1
    assert sorted(written) == [first + one for first in (0, 1_000, 2_000, 3_000) for one in range(200)]


def test_a_disk_that_refuses_costs_the_line_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "log").write_text("a file in its place")
    audit = Audit(tmp_path)
    audit.note(number=1)
    audit.note(number=2)
    assert len(caplog.records) == 1
    assert "is not logged now" in caplog.text
    (tmp_path / "log").unlink()
    audit.note(number=3)
    audit.close()
    assert _numbers(audit.path) == [3]


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / NAME).symlink_to(tmp_path / "elsewhere")
    audit = Audit(tmp_path)
    audit.note(number=1)
    assert not (tmp_path / "elsewhere").exists()
