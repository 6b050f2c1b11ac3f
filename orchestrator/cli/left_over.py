"""The places where words that `erase` or `memory forget` took away still stand, and how they go there too."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.cli.screen import Screen

if TYPE_CHECKING:
    from orchestrator.memory.model import Forgotten


def left_over(done: Forgotten, plain: dict[str, Any]) -> list[str]:
    """*plain* as lines for people: sessions, archives, scratchpads, and what stays on its own."""
    command = Screen.current.command
    lines = []
    if not done.is_wiped:
        lines.append("another process reads the database: its log is wiped when that has ended")
    lines += [
        f"still in the session: {one} (`{command} erase {Path(one).name}` removes it)"
        for one in plain["sessions"]
    ]
    lines += [f"still archived: {one}" for one in plain["archives"]]
    for name, keeper in done.pages:
        way = f"{command} memory edit --scratchpad {keeper} --content - --presenter {shlex.quote(name)}"
        lines.append(f"still on {keeper}'s scratchpad (write it anew without: `{way}`)")
    lines += [
        f"still remembered, since it was said elsewhere too or edited: {one} "
        f"(`{command} memory forget {one}` removes it)"
        for one in done.memories
    ]
    lines += [
        f"still a goal, since it was taken up: {one} (`{command} goal drop {one}` removes it)"
        for one in done.goals
    ]
    return lines
