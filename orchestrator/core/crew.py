"""What a session of any crew is started with, told, verified and archived by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from orchestrator.core import starting
from orchestrator.core.archive.freeze import is_sealed, seal
from orchestrator.core.archive.places import check_takes_archives
from orchestrator.core.archive.register import check_name, note_archive, note_begun, verify_at_home
from orchestrator.core.archive.stores import open_store
from orchestrator.core.archive.upload import Archived, archive_session
from orchestrator.core.context.frames import FRAMES_VERSION
from orchestrator.core.errors import SessionBusyError, UsageError
from orchestrator.core.home.folder import Home, digests
from orchestrator.core.home.unnamed import check_blueprints, unnamed_files
from orchestrator.core.store.ledger import LEDGER_VERSION
from orchestrator.core.store.store import Store, create_store
from orchestrator.core.store.transaction import Draft
from orchestrator.core.store.value import Unread
from orchestrator.core.table import Layout, Mutability, check_session_id
from orchestrator.core.verify import Verification, verify_session


@dataclass(frozen=True, slots=True)
class Note:
    """A decision of a program, as the ledger has it."""

    seq: int  # the record's number
    type: str
    by: str
    at: str  # when it was recorded, RFC 3339, UTC
    fields: Mapping[str, Any]


_OWN_FIELDS = ("session", "title", "date", "agents", "agent")


def unused_files(home: Home, agents: Sequence[str] | None) -> Iterator[str]:
    """Yield a line on each file of the home that no row and no order of its table names."""
    return iter(unnamed_files(home, _layout(home, agents)))


def _layout(home: Home, agents: Sequence[str] | None) -> Layout:
    if agents is None and not home.table.max_seats:
        return home.table.seated(())
    return home.layout(None if agents is None else tuple(agents))


def start_session(
    home: Home,
    session_id: str,
    files: Mapping[str, str],
    *,
    title: str,
    agents: Sequence[str] | None,
    date: str | None,
    fields: Mapping[str, Any],
) -> Path:
    """Make the folder of a session and return it; arguments as at `Home.start`.

    Raises:
        UsageError, SessionExistsError, HomeError, ConfigurationError, StoreError
    """
    from datetime import date as day

    check_session_id(session_id)
    if date is not None:
        try:
            day.fromisoformat(date)
        except (TypeError, ValueError) as error:
            raise UsageError(f"date is {date!r}: write it as YYYY-MM-DD") from error
    taken = [name for name in _OWN_FIELDS if name in fields]
    if taken:
        raise UsageError(f"fields names {', '.join(taken)}, which the start itself gives: use another name")
    layout = _layout(home, agents)
    check_blueprints(home, layout)
    templates = home.read_templates(layout)
    first = {
        "crew": layout.table.name,
        "frames_version": FRAMES_VERSION,
        "ledger_version": LEDGER_VERSION,
        "id": session_id,
        "title": title,
        **({"date": date} if date is not None else {}),
        "templates": digests(templates),
        "template_bytes": {path: len(text.encode()) for path, text in templates.items()},
    }
    own = {"session": session_id, "title": title, "date": date or "", "agents": list(layout.agents)}
    names = {agent: agent for agent in layout.agents}
    rendered = starting.blueprints(home, layout, {**own, **fields}, names)

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


def _write(tx: Draft, layout: Layout, path: str, text: str) -> None:
    if layout.file(path).mutability is Mutability.APPEND_ONLY:
        tx.append(path, text, by="start")
    else:
        tx.write(path, text, by="start")


def notes_of(store: Store, type_: str | None) -> list[Note]:
    """Return the notes of programs, whose types have a prefix of their own."""
    found = []
    for seq in store.notes():
        record = store.record(seq)
        value = record.held.among({}) if record.held is not None else None
        if isinstance(value, Unread) and "." in value.type and type_ in (None, value.type):
            fields = {key: one for key, one in value.fields.items() if key != "type"}
            found.append(Note(seq, value.type, record.by, record.at, fields))
    return found


def verify(store: Store, home: Home | None, *, is_at_home: bool) -> Verification:
    """Verify a session; where it lies in its home, also against what the home knows of its archives."""
    if not store.frozen:
        with suppress(SessionBusyError):  # receipts can wait for the next record; a look waits for nobody
            store.flush(timeout_s=0)
    if home is not None and is_at_home:
        return verify_at_home(home, store.root, store.application)
    templates = home.templates if home is not None else None
    return verify_session(store.root, home_templates=templates, application=store.application)


def archive(store: Store, home: Home | None, url: str, endpoint_url: str | None) -> Archived:
    """Archive an ended session, and note in its home where; *home* is None where it lies in none."""
    session = store.opening.id
    place = open_store(url, endpoint_url=endpoint_url)
    check_takes_archives(place, session)
    if home is not None:
        check_name(store.root, session)
        if not is_sealed(store.root):  # its end was cut short
            seal(store.root)

    def note(to_register: Any, archive: str) -> None:
        if home is not None:
            to_register(home, session, place.url, archive, endpoint=place.endpoint)

    done = archive_session(
        store.root,
        url,
        endpoint_url=endpoint_url,
        application=store.application,
        before_sending=partial(note, note_begun),  # so that an archive which is cut short is found again
    )
    note(partial(note_archive, head=store.head), done.archive)
    return done
