"""The programs that tests run beside them: browsers and a sound server."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from tests.helpers.live_feeds import until
from tests.helpers.programs import running


def test_a_program_and_its_children_end_with_the_block_whatever_raises(tmp_path: Path) -> None:
    told = tmp_path / "told"

    def break_off() -> NoReturn:
        with running(["sh", "-c", "sleep 1000 & echo $!; wait"], {}, told):
            child = until("a child", lambda: told.read_text("utf-8").strip())
            until("its command line", lambda: is_there(child))  # for a moment a new program has none
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        break_off()
    until("the child's end", lambda: not is_there(told.read_text("utf-8").strip()))


def is_there(process: str) -> bool:
    """Whether a process runs: one that has ended has no command line any more."""
    try:
        return bool(Path(f"/proc/{process}/cmdline").read_bytes())
    except (FileNotFoundError, ProcessLookupError):
        return False
