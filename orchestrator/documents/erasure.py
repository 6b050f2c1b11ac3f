"""The result of erasing or forgetting: what was removed, and where the same words still are."""

from __future__ import annotations

import os
from typing import Any

from orchestrator.core.archive.download import list_archives
from orchestrator.core.archive.register import uploads_of
from orchestrator.core.table import SESSION_ID
from orchestrator.memory.database import existing
from orchestrator.memory.memories import resting_on
from orchestrator.memory.model import Forgotten
from orchestrator.panel.home import Home
from orchestrator.rehearsal.erasing import Erased, all_archives


def only_archived(home: Home, session: str) -> tuple[str, ...]:
    """Return the archives of a session that is no longer in the home; empty if it is there or unknown."""
    if session == "last" or not SESSION_ID.fullmatch(session) or os.path.lexists(home.sessions / session):
        return ()
    return tuple(dict.fromkeys(one.archive for one in all_archives(home, session)))


def erasure_json(home: Home, session: str, comments: int) -> dict[str, Any]:
    """Return what erasing a session would remove from the home or an archive, and where its words would
    remain.

    Copies that somebody made (restored, exported, downloaded, printed) are not known here.
    """
    sizes = [
        os.lstat(os.path.join(folder, name)).st_size
        for folder, _, names in os.walk(home.sessions / session)
        for name in names
    ]
    with existing(home.root) as db:
        going, staying = resting_on(db, session) if db is not None else (0, 0)
    known = all_archives(home, session)
    return {
        "session": session,
        "files": len(sizes),
        "bytes": sum(sizes),
        "comments": comments,
        "memories": going,
        "memories_that_stay": staying,
        "archives": list(dict.fromkeys(one.archive for one in known)),
        # Those that go with the home as its sessions do; of another place people expect that it stays.
        "archives_here": [one.archive for one in known if one.url == str(home.archives)],
    }


def erased_json(done: Erased, left: dict[str, Any]) -> dict[str, Any]:
    """Return the document of `erase`; *left* comes from `left_over_json`."""
    stays = {name: left[name] for name in ("sessions", "scratchpads", "memories", "goals") if left[name]}
    return {"removed": list(done.removed), "archives": list(done.archives), "stays": stays}


def forgotten_json(done: Forgotten, left: dict[str, Any]) -> dict[str, Any]:
    """Return the document of `memory forget`; *left* is as for `erased_json`."""
    names = ("wiped", "sessions", "archives", "scratchpads")
    return {"forgotten": list(done.ids), **{name: left[name] for name in names}}


def left_over_json(home: Home, done: Forgotten) -> dict[str, Any]:
    """Return where erased words still are: sessions, archives, scratchpads, and memories and goals that
    stay."""
    sessions = [str(home.sessions / one) for one in done.sessions if (home.sessions / one).is_dir()]
    archives = [kept.archive for one in done.sessions for kept in uploads_of(home, one)]
    if done.sessions and home.archives.is_dir():
        here = [one.archive for one in list_archives(str(home.archives)) if one.session in done.sessions]
        archives += [address for address in here if address not in archives]
    return {
        "wiped": done.is_wiped,
        "sessions": sessions,
        "archives": archives,
        "scratchpads": [{"presenter": name, "agent": keeper} for name, keeper in done.pages],
        "memories": list(done.memories),
        "goals": list(done.goals),
    }
