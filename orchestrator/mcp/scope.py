"""The scope of one MCP server (a home, or one presenter's part of it), and the target of a call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orchestrator.access.needs import Need
from orchestrator.access.people import Person, Verdict, judged
from orchestrator.core.errors import AccessError, GreenroomError, SessionNotFoundError, UsageError
from orchestrator.core.home.plain_yaml import hint
from orchestrator.core.store.application import Opening, opening_of
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.table import MODERATOR, SESSION_ID
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.embedding import Embedder
from orchestrator.memory.past_sessions import first_record
from orchestrator.memory.presenter import consented, presenters, same_name
from orchestrator.memory.validation import shown
from orchestrator.panel.home import Home
from orchestrator.panel.records.setup import UNNAMED

LIST: Final = "greenroom://sessions"
"""The resource that lists the sessions."""


@dataclass(frozen=True)
class Scope:
    """The home, and the presenter if only one presenter is served.

    Args:
        presenter: Only this one's memory and sessions are served. If None, those of whoever a call names.
        person: Where people sign in (the setting `access`), who asks; `presenter` is that identity then.
    """

    home: Home
    presenter: str | None = None
    embed: Embedder | None = None
    person: Person | None = None

    def check(self, need: Need | None, what: str) -> None:
        """Refuse a call that who asks may not make, where people sign in; `session` looks at sessions.

        Raises:
            AccessError: The call is not in the table of needs, or needs another role.
        """
        if self.home.config.access is None:
            return
        if need is None:
            raise AccessError(f"{what}: is in no table of what people may do, so nobody may use it")
        is_seen = need in (Need.SEEN, Need.OWN) and self.person is not None
        sessions = [self.person.owner] if self.person is not None and is_seen else []
        if judged(need, self.person, sessions) is not Verdict.YES:
            raise AccessError(f"{what}: who asks may not use it: start the server with --presenter IDENTITY")

    def sessions(self) -> Iterator[tuple[Path, Opening]]:
        """Yield every session that is served, newest first, with its first record."""
        for session_id in reversed(self.home.session_ids()):
            root = self.home.sessions / session_id
            try:
                opening = opening_of(first_record(root))
            except GreenroomError:
                continue  # damaged: `greenroom list` says so
            if self._serves(opening):
                yield root, opening

    def session(self, name: str) -> Path:
        """Return the folder of the session that a call names: by its id, a unique prefix of it, or `last`.

        Raises:
            SessionNotFoundError: There is no such session, or it is not served here. A path is never
                accepted.
        """
        if name != "last" and not SESSION_ID.fullmatch(name):
            raise SessionNotFoundError(
                f"session {shown(name)}: is no session's id: name one as {LIST} does, or last"
            )
        root = self.home.sessions / name
        if (root / LEDGER_NAME).is_file() and self._serves_first(root):
            return root
        fitting = [one for one, _ in self.sessions() if name == "last" or one.name.startswith(name)]
        if not fitting:
            raise SessionNotFoundError(f"there is no session {name!r} here: {LIST} has those that there are")
        if len(fitting) > 1 and name != "last":
            newest = ", ".join(one.name for one in fitting[:5])
            raise SessionNotFoundError(
                f"{name!r} is the beginning of {len(fitting)} sessions: {newest}, …: name one whole"
            )
        return fitting[0]

    def agent(self, name: str) -> str:
        """Return *name* if this home has such an agent; a misspelt name would get separate memories.

        Raises:
            UsageError: The home has no such agent.
        """
        known = (MODERATOR, *self.home.panelists())
        if name not in known:
            do = hint(name, known, f"this home has {', '.join(known)}")
            raise UsageError(f"there is no agent {shown(name)}: {do}")
        return name

    def whose(self, db: MemoryDatabase | None, given: str | None) -> str:
        """Return the presenter whom a call without a session is about.

        That is the presenter whom the call or the server names, or else the only one who agreed to be
        remembered.

        Raises:
            UsageError: Another presenter's memory is not served here, or several could be meant.
        """
        if self.presenter is not None:
            if given is not None and not same_name(given, self.presenter):
                raise UsageError(f"this server keeps to {self.presenter}: leave `presenter` out")
            return self.presenter
        if given is not None:
            return given
        agreed = [] if db is None else [one for one in presenters(db) if consented(db, one)]
        if len(agreed) > 1:
            raise UsageError(
                f"several presenters are remembered: name one as `presenter`: {', '.join(agreed)}"
            )
        return agreed[0] if agreed else UNNAMED

    def _serves_first(self, root: Path) -> bool:
        try:
            return self._serves(opening_of(first_record(root)))
        except GreenroomError:
            if self.home.config.access is None:
                raise
            return False  # whose it is cannot be read

    def _serves(self, opening: Opening) -> bool:
        if self.home.config.access is not None:
            return self.person is not None and self.person.sees(opening.owner, opening.groups)
        return self.presenter is None or same_name(opening.presenter, self.presenter)
