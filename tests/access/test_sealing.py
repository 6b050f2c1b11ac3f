"""The key that signs cookies: made once, readable by its owner alone, or given to several machines."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from orchestrator.access.sealing import KEY, KEY_FILE, Seal, seal_of
from orchestrator.core.errors import ConfigurationError, HomeError


def test_the_key_is_made_at_first_use_and_is_the_same_from_then_on(tmp_path: Path) -> None:
    first = seal_of(tmp_path, {})
    path = tmp_path / KEY_FILE
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(first.key) == 32
    assert seal_of(tmp_path, {}).key == first.key
    assert [one.name for one in tmp_path.iterdir()] == [KEY_FILE]


def _made(root: Path) -> bytes:
    return seal_of(root, {}).key


def test_processes_that_begin_at_once_agree_on_one_key(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert len(set(pool.map(_made, [tmp_path] * 8))) == 1


def test_the_environments_key_is_taken_and_no_file_is_made(tmp_path: Path) -> None:
    given = {KEY: "x" * 32}
    assert seal_of(tmp_path, given).key == seal_of(tmp_path / "nowhere", given).key
    assert list(tmp_path.iterdir()) == []


def test_a_short_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="GREENROOM_ACCESS_KEY: must have at least 32"):
        seal_of(tmp_path, {KEY: "x" * 31})


@pytest.mark.parametrize("text", ["", "no hex", "ab" * 31])
def test_a_file_without_a_key_is_refused_and_not_made_anew(tmp_path: Path, text: str) -> None:
    path = tmp_path / KEY_FILE
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(HomeError, match="holds no key"):
        seal_of(tmp_path, {})
    assert path.read_text() == text


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    seal_of(tmp_path, {})
    (tmp_path / KEY_FILE).chmod(0o640)
    with pytest.raises(HomeError, match="may be read by others: run `chmod 600"):
        seal_of(tmp_path, {})


def test_a_value_is_over_when_its_time_is() -> None:
    now = 1_000.0
    seal = Seal(b"k" * 32, lambda: now)
    text = seal.close("login", {"a": "é"}, 60)
    assert seal.open("login", text) == {"a": "é", "until": 1_060}
    now = 1_060.0
    assert seal.open("login", text) is None
