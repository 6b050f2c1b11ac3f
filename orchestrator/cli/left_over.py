"""What `erase` and `memory forget` name: where words that went still stand, and how they go from there."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from orchestrator.cli.screen import Screen

if TYPE_CHECKING:
    from orchestrator.memory.model import Forgotten


def left_over(done: Forgotten) -> tuple[dict[str, Any], list[str]]:
    """As JSON, and as lines for people: sessions, archives, scratchpads, and what stays on its own."""
    command = Screen.current.command
    sessions, archives = _still_there(done)
    lines = []
    if not done.is_wiped:
        lines.append("another process reads the database: its log is wiped when that has ended")
    lines += [f"still in the session: {one} (remove it with `{command} erase`)" for one in sessions]
    lines += [f"still archived: {one}" for one in archives]
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
    plain = {
        "wiped": done.is_wiped,
        "sessions": sessions,
        "archives": archives,
        "scratchpads": [{"presenter": name, "agent": keeper} for name, keeper in done.pages],
        "memories": list(done.memories),
        "goals": list(done.goals),
    }
    return plain, lines


def _still_there(done: Forgotten) -> tuple[list[str], list[str]]:
    """Where what was forgotten is still quoted: session folders, and archives."""
    from orchestrator.archive.download import list_archives
    from orchestrator.archive.register import archives_of

    home = Screen.current.open_home()
    sessions = [str(home.sessions / one) for one in done.sessions if (home.sessions / one).is_dir()]
    archives = [address for one in done.sessions for address in archives_of(home, one).values()]
    if done.sessions and home.archives.is_dir():
        here = [
            found.archive for found in list_archives(str(home.archives)) if found.session in done.sessions
        ]
        archives += [address for address in here if address not in archives]
    return sessions, archives
