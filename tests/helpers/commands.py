"""The command line in the test's own process: a program's start takes longer than most commands do."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.app import run


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


class Commands:
    """The command line, in this process: exit code and output are those of a real one."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._home = home
        self._capsys = capsys

    def __call__(self, *arguments: str, check: bool = True) -> Done:
        self._capsys.readouterr()
        code = run(["--home", str(self._home), *arguments])
        out, err = self._capsys.readouterr()
        assert not check or code == 0, (arguments, out, err)
        return Done(code, out, err)

    def json(self, *arguments: str) -> Any:
        return json.loads(self("--json", *arguments).stdout)
