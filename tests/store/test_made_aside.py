"""A folder that is made aside goes, wherever the making is interrupted."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from orchestrator.core.store import files
from orchestrator.core.store.files import made_aside, sweep

MAX_LINES = 40


def make(parent: Path) -> None:
    with made_aside(parent, ".new-") as folder:
        (folder / "r1").mkdir()


def interrupted(parent: Path, at: int) -> bool:
    """Make one, with a Ctrl-C at the line of this number; whether there is such a line."""
    left = at

    def look(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename != files.__file__ or frame.f_code.co_name == "_remove":
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        make(parent)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_a_ctrl_c_at_any_line_leaves_nothing_that_the_next_command_does_not_remove(tmp_path: Path) -> None:
    lines = 1
    while interrupted(tmp_path, lines):
        sweep(tmp_path, ".new-")
        assert list(tmp_path.iterdir()) == []
        lines += 1
    assert 10 < lines < MAX_LINES


def test_a_ctrl_c_right_behind_the_making_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    mkdir = Path.mkdir

    def pressed(path: Path, *given: Any) -> None:
        mkdir(path, *given)
        made.append(path)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", pressed)
    with pytest.raises(KeyboardInterrupt):
        make(tmp_path)
    assert len(made) == 1
    assert list(tmp_path.iterdir()) == []
