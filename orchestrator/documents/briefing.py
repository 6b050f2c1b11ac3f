"""The situation as an agent would be told it now."""

from __future__ import annotations

from typing import Any

from orchestrator.core.clock import utc_now
from orchestrator.core.errors import UsageError
from orchestrator.core.table import MODERATOR
from orchestrator.memory.briefing import Briefing, briefing
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.past_sessions import begun
from orchestrator.panel.home import Home


def briefing_json(home: Home, agent: str, presenter: str | None) -> dict[str, Any]:
    """The briefing of *agent*; its text is empty where the presenter is not remembered.

    Args:
        presenter: None: of the newest session that is to be remembered.

    Raises:
        UsageError: There is no such agent, or no presenter who could be meant.
    """
    known = (MODERATOR, *home.panelists())
    if agent not in known:
        raise UsageError(f"there is no agent {agent!r} here: this home has {', '.join(known)}")
    name = presenter or _newest_presenter(home)
    found = Briefing("", utc_now())
    if MemoryDatabase.exists(home.root):
        with MemoryDatabase.open(home.root) as db:
            found = briefing(db, home.root, agent=agent, presenter=name, now=found.built_at)
    return {
        "text": found.text,
        "built_at": found.built_at,
        "cached": found.cached,
        "agent": agent,
        "presenter": name,
    }


def _newest_presenter(home: Home) -> str:
    """The presenter of the newest session that is to be remembered.

    Raises:
        UsageError: There is none.
    """
    for session_id in reversed(home.session_ids()):
        found = begun(home.sessions / session_id)
        if found is not None:
            return found.presenter
    raise UsageError("no session here is to be remembered: name whose briefing you want with --presenter")
