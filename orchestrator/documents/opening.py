"""Any session, as all interfaces open it: a rehearsal, or a session of a crew that this program does not
know.

What only a rehearsal has (a deck, speech, questions) is refused for the other kind by `OtherCrewError`, which
says what there is instead. What both have is handled here in one way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from orchestrator.core import session as core
from orchestrator.core.archive.freeze import seal
from orchestrator.core.archive.register import archives_of
from orchestrator.core.context.assemble import Context
from orchestrator.core.crew import not_archived
from orchestrator.core.errors import GreenroomError, OtherCrewError, ReceiptError, UsageError
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.legible import one_line
from orchestrator.core.owner import Owner
from orchestrator.core.store.store import Repair, Store
from orchestrator.panel.home import Home
from orchestrator.panel.loop.rehearsal import other_crew
from orchestrator.panel.records.setup import lacking
from orchestrator.rehearsal.rehearsal import Rehearsal

AnySession: TypeAlias = core.Session
"""A rehearsal, or a session of another crew."""


def open_any(
    home: Home | None,
    name: str | Path,
    *,
    on_repair: Callable[[Repair], None] | None = None,
    **options: Any,
) -> AnySession:
    """Open the session of any crew that *name* names: an id, a unique prefix, `last`, or a path.

    Args:
        on_repair: Called with each repair.
        **options: For a rehearsal, the arguments of `Rehearsal.open`.

    Raises:
        SessionNotFoundError, LedgerCorruptError
    """
    root = core.find_session(home, name)
    try:
        return Rehearsal.open(home, root, on_repair=on_repair, **options)
    except OtherCrewError:
        return core.Session.open(_plain(home), root, on_repair=on_repair)


def _plain(home: Home | None) -> core.Home | None:
    """Return the home without what the board panel knows, which does not apply to another crew's sessions."""
    return None if home is None else core.Home(home.root)


def is_of_board(home: Home) -> bool:
    """Return whether a home's sessions are rehearsals: its table is a board panel's, by name or by its rows.

    If a board panel's table lacks something, the start of a rehearsal reports that, row by row.
    """
    return home.table.name == packaged_table().name or next(lacking(home.table), None) is None


def check_is_of_board(home: Home) -> None:
    """Refuse a rehearsal in a home of another crew, before anything that a panel needs is looked for.

    Raises:
        OtherCrewError: The home belongs to another crew, which the message names.
    """
    if not is_of_board(home):
        raise OtherCrewError(
            f"the crew of this home is {one_line(home.table.name)}, which holds no rehearsals: start its "
            "sessions with `greenroom session start`, or open a home of a board panel"
        )


def check_has_panel(home: Home, what: str) -> None:
    """Refuse in a home of another crew what only a board panel has.

    Args:
        what: What that is, in words that follow "so".

    Raises:
        OtherCrewError: Says whose home it is.
    """
    if not is_of_board(home):
        raise OtherCrewError(
            f"this home is of the crew {one_line(home.table.name)} and has no panel, so {what}"
        )


def start_crew(
    home: Home,
    session_id: str | None,
    files: Mapping[str, str],
    *,
    title: str = "",
    agents: Sequence[str] | None = None,
    date: str | None = None,
    fields: Mapping[str, Any] | None = None,
    say: Callable[[str], None] | None = None,
    owner: Owner | None = None,
) -> core.Session:
    """Start a session of the home's crew, as `core.Home.start` does.

    Raises:
        UsageError: The home is a board panel's, whose sessions are rehearsals; or as `core.Home.start`.
        SessionExistsError, HomeError, ConfigurationError, StoreError: As `core.Home.start`.
    """
    if is_of_board(home):
        raise UsageError(
            "the crew of this home is a board panel, whose sessions are rehearsals and begin with a deck: "
            "use `greenroom start DECK`, or a home with a table.yaml of another crew"
        )
    return core.Home(home.root).start(
        session_id, files, title=title, agents=agents, date=date, fields=fields, say=say, owner=owner
    )


def is_rehearsal(session: AnySession) -> TypeGuard[Rehearsal]:
    """Whether a session is the board panel's."""
    return isinstance(session, Rehearsal)


def rehearsal_of(session: AnySession) -> Rehearsal:
    """Return the session as a rehearsal.

    Raises:
        OtherCrewError: The session is not a rehearsal; the message says what it is.
    """
    if is_rehearsal(session):
        return session
    raise other_crew(session.path.name, crew_of(session))


def crew_of(session: AnySession) -> str:
    """Return the name of the table with which a crew's session was started; "" for a rehearsal."""
    return store_of(session).opening.crew


def store_of(session: AnySession) -> Store:
    """Return the store of a session's ledger and files, as of its last record."""
    return core.store_of(session)


def peek(session: AnySession, agent: str, *, task: str) -> Context:
    """Return what *agent* would be given now, without recording a receipt.

    Raises:
        UsageError: *agent* has no seat.
    """
    if is_rehearsal(session):
        return session.rehearsal.peek(agent, purpose=task)
    return core.peek(session, agent, task)


def keep(session: AnySession, context: Context) -> None:
    """Record the receipt of a context that was used. If the session has ended, record nothing."""
    if is_rehearsal(session):
        session.rehearsal.keep(context)
    else:
        core.keep(session, context)


def keep_at_once(session: AnySession, context: Context) -> bool:
    """Record the receipt of a context that goes to another program; return whether its id may be named.

    A receipt waits for the next write of its session. Where the session may go on in another process before
    that, it is written now: a program that names it later would be refused.
    """
    keep(session, context)
    store = store_of(session)
    if store.frozen:
        return False
    if store.replica is not None:
        try:
            store.flush()
        except GreenroomError:  # the disk or the log: the context can be read all the same
            return False
    return True


def panel_home(session: AnySession) -> Home | None:
    """Return the home in which a session was opened, or None if it was opened without one."""
    return None if session.home is None else Home(session.home.root)


def context_then(session: AnySession, at: str, agent: str) -> Context:
    """Return the earlier context of *agent*, by a receipt's id or a record's number.

    Raises:
        ReceiptError: There is no such receipt or record, or a file differs from what the receipt says.
    """
    if at.isdecimal():
        return session.context(agent, at=int(at))
    found = session.receipt(at)
    if found.agent != agent:
        raise ReceiptError(f"receipt {at} is of {found.agent}, not of {agent}")
    return session.replay(found)


def archived_at(session: AnySession) -> str | None:
    """Return the address at which the session was last archived in its current state, or None if its home
    knows none."""
    if is_rehearsal(session):
        return session.archived_at
    if session.home is None:
        return None
    return next(reversed(archives_of(session.home, session.name, head=session.ledger_head).values()), None)


def end_any(
    session: AnySession,
    *,
    without_debrief: bool = False,
    archive: str | None = None,
    endpoint_url: str | None = None,
) -> str:
    """End a session and archive it; a rehearsal also gets its debrief. Return the ledger's head.

    Args:
        archive: Where to archive it. None: where the setting `archive` says, else in `<home>/archives`;
            outside of a home, nowhere.

    Raises:
        StoreError: A file is not what the ledger says; the session has not ended.
        ArchiveError: It could not be archived; it has ended and is safe.
    """
    if is_rehearsal(session):
        return session.end(without_debrief=without_debrief, archive=archive)
    home = panel_home(session)
    to = archive
    if to is None and home is not None and session.path.parent == home.sessions:
        to = home.config.archive or str(home.archives)
    if archive is not None:  # a bad address is refused before anything ends
        _check_address(session, archive, endpoint_url)
    head = session.end()
    if home is not None and home.config.immutable:
        seal(session.path, immutable=True)
    if to is None or archived_at(session) is not None:
        return head
    try:
        session.archive(to, endpoint_url=endpoint_url)
    except (GreenroomError, OSError) as error:
        raise not_archived(session.path, session.id, error) from error
    return head


def _check_address(session: core.Session, url: str, endpoint_url: str | None) -> None:
    from orchestrator.core.archive.places import check_takes_archives
    from orchestrator.core.archive.stores import open_store

    check_takes_archives(open_store(url, endpoint_url=endpoint_url), session.id)
