"""How a session of any crew is started, verified and archived, and how its notes are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from orchestrator.core import starting
from orchestrator.core.archive.freeze import is_sealed, seal
from orchestrator.core.archive.register import check_name, note_archive, note_begun, verify_at_home
from orchestrator.core.archive.stores import open_store
from orchestrator.core.archive.upload import Archived, archive_session
from orchestrator.core.context.frames import FRAMES_VERSION
from orchestrator.core.errors import ArchiveError, GreenroomError, UsageError
from orchestrator.core.home.folder import Home, digests
from orchestrator.core.home.unnamed import check_blueprints, unnamed_files
from orchestrator.core.owner import Owner, check_owner
from orchestrator.core.store.files import told
from orchestrator.core.store.ledger import LEDGER_VERSION, Unread
from orchestrator.core.store.store import Store, create_store
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import AGENT, Mutability, SeatedTable, Table, check_session_id
from orchestrator.core.values import to_json
from orchestrator.core.verify import Verification, verify_session


@dataclass(frozen=True, slots=True)
class Note:
    """A decision of a program, as the ledger records it."""

    seq: int  # the record's number
    type: str
    by: str
    at: str  # when it was recorded, RFC 3339, UTC
    fields: Mapping[str, Any]


OWN_FIELDS = ("session", "title", "date", "agents", "agent")
"""What a blueprint may name without being given it; `agent` only in an agent's own folder."""


def _layout(home: Home, agents: Iterable[str] | None) -> SeatedTable:
    """Return the home's table with *agents* in its seats. If None, with all that have a folder in the home.

    Raises:
        UsageError: There is no such agent, or there are too few or too many.
        TypeError: *agents* is not a list of names.
    """
    table = home.table
    known = home.panelists() if table.companions(AGENT) else None  # else a seat needs no folder
    everybody = known if known is not None and table.max_seats else ()
    named = everybody if agents is None else tuple(agents)
    if isinstance(agents, str) or not all(isinstance(name, str) for name in named):
        raise TypeError(f"agents is {agents!r}, not a list of names: give one, as in ['ann', 'bob']")
    for name in named:
        if known is not None and name not in (*known, *table.agents):
            raise UsageError(
                f"there is no agent {name!r} in {home.templates}: those that can take a seat are "
                f"{', '.join(known) or 'none'}",
                value=name,
            )
    if not table.min_seats <= len(named) <= table.max_seats:
        raise UsageError(_wrong_number(table, named, known))
    return table.seated(named)


def _wrong_number(table: Table, named: Sequence[str], known: Sequence[str] | None) -> str:
    """Return what is wrong with the number of those who are to take seats, and what to do."""
    own, given = ", ".join(table.agents), ", ".join(named)
    if not table.max_seats:
        return (
            f"the table {table.name} has no seats, since all its agents are fixed ({own}): leave `agents` out"
        )
    besides = f" besides its own ({own})" if own else ""
    number = f"not {len(named)}{f' ({given})' if given else ''}"
    do = "name them with `agents`"
    if known is not None and len(known) < table.min_seats:
        do = f"write templates/NAME/{table.companions(AGENT)[0]} for each"
    return (
        f"the table {table.name} seats {table.min_seats} to {table.max_seats} agents{besides}, {number}: {do}"
    )


def start_session(
    home: Home,
    session_id: str,
    files: Mapping[str, str],
    *,
    title: str,
    agents: Iterable[str] | None,
    date: str | None,
    fields: Mapping[str, Any],
    say: Callable[[str], None],
    owner: Owner | None = None,
) -> Path:
    """Make the folder of a session and return its path. The arguments are those of `Home.start`.

    Raises:
        UsageError, SessionExistsError, HomeError, ConfigurationError, StoreError, TypeError
    """
    check_session_id(session_id)
    if owner is not None:
        check_owner(owner)
    if date is not None:
        _check_date(date)
    taken = [name for name in OWN_FIELDS if name in fields]
    if taken:
        raise UsageError(f"fields names {', '.join(taken)}, which the start itself gives: use another name")
    layout = _layout(home, agents)
    check_blueprints(home, layout)
    templates = home.read_templates(layout)
    for unused in unnamed_files(home, layout):
        say(unused)
    first = {
        "crew": layout.table.name,
        "frames_version": FRAMES_VERSION,
        "ledger_version": LEDGER_VERSION,
        "id": session_id,
        "title": title,
        **({"date": date} if date is not None else {}),
        **({"owner": to_json(owner)} if owner is not None else {}),
        "templates": digests(templates),
        "template_bytes": {path: len(text.encode()) for path, text in templates.items()},
    }
    own = {"session": session_id, "title": title, "date": date or "", "agents": list(layout.agents)}
    names = {agent: agent for agent in layout.agents}
    rendered = starting.blueprints(home, layout, {**own, **fields}, names, given="`fields`")

    def make(aside: Path) -> None:
        store = create_store(aside, layout, Unread({"type": "session", **first}))
        try:
            for path, text in templates.items():
                starting.keep_copy(aside / "ledger" / path, text.encode())
            with store.transaction() as tx:
                for path, row in layout.files.items():
                    if row.has_blueprint and path not in files:
                        tx.create(path, rendered(path))
                for path, text in files.items():
                    _write(tx, layout, path, text)
        finally:
            store.close()
        for folder in (aside / "ledger", aside):
            starting.sync_folder(folder)

    return starting.make_session(home, session_id, make)


def _check_date(date: str) -> None:
    """Refuse *date* if it is not a day, written as YYYY-MM-DD.

    Raises:
        UsageError: It is not such a day.
    """
    from datetime import date as day

    with suppress(TypeError, ValueError):
        if day.fromisoformat(date).isoformat() == date:  # it takes other forms, too
            return
    raise UsageError(f"date is {date!r}: write it as YYYY-MM-DD")


def _write(tx: Draft, layout: SeatedTable, path: str, text: str) -> None:
    if layout.file(path).mutability is Mutability.APPEND_ONLY:
        tx.append(path, text, by="start")
    else:
        tx.write(path, text, by="start")


def notes_of(store: Store, type_: str | None) -> list[Note]:
    """Return the notes of programs, of type *type_* if it is given.

    A note is a program's if its type has a prefix.
    """
    found = []
    for seq in store.notes():
        record = store.record(seq)
        value = record.held.among({}) if record.held is not None else None
        if isinstance(value, Unread) and "." in value.type and type_ in (None, value.type):
            fields = {key: one for key, one in value.fields.items() if key != "type"}
            found.append(Note(seq, value.type, record.by, record.at, fields))
    return found


def verify(store: Store, home: Home | None, *, is_at_home: bool) -> Verification:
    """Verify a session; if it lies in its home, also against the home's register of its archives."""
    if not store.frozen:
        # Receipts can wait for the next record: a look waits for nobody, and what keeps them from the disk (a
        # lock, a failed sync, a moved folder) is no reason not to look.
        with suppress(GreenroomError):
            store.flush(timeout_s=0)
    if home is not None and is_at_home:
        return verify_at_home(home, store.root, store.application)
    templates = home.templates if home is not None else None
    return verify_session(store.root, home_templates=templates, application=store.application)


def archive(
    store: Store,
    home: Home | None,
    url: str,
    endpoint_url: str | None,
    *,
    checksums: bool = True,
    immutable: bool = False,
) -> Archived:
    """Archive an ended session, and record the place in the register of *home*; None if the session is in
    no home.

    Args:
        checksums: As at `open_store`.
        immutable: If the end was cut short before the folder was made read-only, also set the immutable flag.
    """
    session = store.opening.id
    if not store.application.owns(store.opening):
        raise UsageError(
            f"{session}: is another program's session, whose archive names what only that one can count: "
            "archive it with `greenroom archive`"
        )
    place = open_store(url, endpoint_url=endpoint_url)
    if home is not None:
        check_name(store.root, session)
        if not is_sealed(store.root):  # its end was cut short
            seal(store.root, immutable=immutable)

    def note(to_register: Any, archive: str) -> None:
        if home is not None:
            to_register(home, session, place.url, archive, endpoint=place.endpoint)

    done = archive_session(
        store.root,
        url,
        endpoint_url=endpoint_url,
        checksums=checksums,
        application=store.application,
        before_sending=partial(note, note_begun),  # so that `erase` finds what was cut short
    )
    note(partial(note_archive, head=store.head), done.archive)
    return done


def not_archived(root: Path, session_id: str, error: GreenroomError | OSError) -> ArchiveError:
    """Return the error for a session that has ended and could not be archived: it is safe, and where."""
    why = told(error) if isinstance(error, OSError) else error
    return ArchiveError(
        f"not archived: {why}; the session has ended and is kept at {root}: "
        f"archive it with `greenroom archive {session_id} --to URL`"
    )
