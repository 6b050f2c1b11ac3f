"""The list of sessions, of a home or of an archive."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from orchestrator.core.archive.register import archived_heads, archives_of, check_name, replaced_heads
from orchestrator.core.errors import ArchiveUnavailableError, GreenroomError, HomeError, LaterReleaseError
from orchestrator.core.home.folder import LIST_CACHE
from orchestrator.core.legible import one_line
from orchestrator.core.store import files
from orchestrator.core.store.application import Opening, opening_of
from orchestrator.core.store.store import DEGRADED_NAME, LEDGER_NAME
from orchestrator.core.verify import verify_session
from orchestrator.documents.opening import AnySession, is_rehearsal, open_any, store_of
from orchestrator.memory.past_sessions import first_record
from orchestrator.panel.application import BOARD
from orchestrator.panel.home import Home
from orchestrator.panel.loop.driver_lock import is_driven
from orchestrator.panel.model.exchange import each_once
from orchestrator.panel.records.setup import RECORDED, Options
from orchestrator.panel.records.start import started_of
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.review.progress import Progress, Run
from orchestrator.review.reading import day_of
from orchestrator.review.shared import Place, Shared, SharedRow
from orchestrator.review.titles import titles_of

if TYPE_CHECKING:
    from orchestrator.core.archive.download import ArchivedSession

# ---------------------------------------------------------------------- glance
# What a list shows of a session and only its whole ledger tells, kept in the home's cache between two
# lists.
#
# To open a session takes milliseconds, and a home may hold thousands that nobody has ended. The cache
# holds numbers and no words. It counts for a ledger that stands as it did when it was read: the same file,
# of the same size, untouched since. One that is damaged, or cannot be written, costs time alone.


MIN_NEW: Final = 20
"""Minimum number of ledgers that were read anew for the cache to be written; reading fewer takes less than
a tenth of a second."""
SETTLED_NS: Final = 50_000_000
"""Minimum age, in nanoseconds, of a ledger's last change: a younger ledger may change again within one
tick of the file system's clock."""
_VERSION: Final = 2

Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Glance:
    """A short description of a session, from its ledger."""

    exchanges: int
    has_deck: bool
    has_driver: bool  # the last record of a driver says that it began
    is_closing: bool
    is_ended: bool
    head: str

    def state(self, root: Path) -> str | None:
        """Return the session's state, as `state_of` does, or None if a drive has just ended and it must be
        read again."""
        if self.is_ended:
            return "ended"
        if os.access(root / DEGRADED_NAME, os.F_OK):
            return "degraded"
        if self.is_closing:
            return "closing"
        return None if self.has_driver and not is_driven(root) else "active"


class Glances:
    """Short descriptions of the sessions of one home, with a cache that `keep` writes."""

    def __init__(self, home: Home) -> None:
        """Load the cache."""
        self._home = home
        self._path = home.root / LIST_CACHE
        self._kept = _read(self._path)
        self._seen: dict[str, tuple[Stamp, Glance]] = {}
        self._read_anew = 0

    def of(self, root: Path) -> tuple[Glance, str]:
        """Return the description of the session at *root*, and its state.

        Raises:
            GreenroomError, OSError: As `Rehearsal.open`.
        """
        stamp = _stamp(root)
        kept = self._kept.get(root.name)
        if kept is not None and kept[0] == stamp:
            state = kept[1].state(root)
            if state is None and _stamp(root) == stamp:  # a drive that died left no record of its end
                state = "interrupted"
            if state is not None:
                self._seen[root.name] = kept
                return kept[1], state
        # Without the home: a list needs no setting, and a wrong one keeps none from being listed.
        with open_any(None, root) as session:
            glance = _glance(session)
            state = session.state
        if stamp is not None and stamp == _stamp(root):
            self._read_anew += 1
            self._seen[root.name] = stamp, glance
        return glance, state

    def keep(self) -> None:
        """Write the cache again if enough sessions were read that it did not have."""
        if self._read_anew < MIN_NEW:
            return
        there = {
            name: one for name, one in self._seen.items() if _stamp(self._home.sessions / name) == one[0]
        }
        plain = {name: [*stamp, *astuple(glance)] for name, (stamp, glance) in there.items()}
        aside = self._path.with_name(f".{self._path.name}-{os.getpid()}")
        with suppress(OSError):  # a full disk, or a home that may only be read
            self._path.parent.mkdir(files.FOLDER_MODE, exist_ok=True)
            aside.write_text(json.dumps({"version": _VERSION, "sessions": plain}), "utf-8")
            os.replace(aside, self._path)


def _glance(session: AnySession) -> Glance:
    if not is_rehearsal(session):
        is_ended = session.state == "ended"
        return Glance(0, False, False, False, is_ended, session.ledger_head)
    projection = session.projection
    return Glance(
        exchanges=len(each_once(projection.exchanges)),
        has_deck=projection.deck is not None,
        has_driver=projection.driver is not None,
        is_closing=projection.state == "closing",
        is_ended=projection.ended,
        head=session.ledger_head,
    )


def _stamp(root: Path) -> Stamp | None:
    """Return a stamp that changes with the ledger, or None if the ledger is changing right now."""
    try:
        status = os.lstat(root / LEDGER_NAME)
    except OSError:
        return None
    if abs(time.time_ns() - status.st_ctime_ns) < SETTLED_NS:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _read(path: Path) -> dict[str, tuple[Stamp, Glance]]:
    try:
        plain: Any = json.loads(path.read_text("utf-8"))
        if plain["version"] != _VERSION:
            return {}
        return {name: _entry(*one) for name, one in plain["sessions"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _entry(
    inode: int,
    size: int,
    mtime_ns: int,
    ctime_ns: int,
    exchanges: int,
    has_deck: bool,
    has_driver: bool,
    is_closing: bool,
    is_ended: bool,
    head: str,
) -> tuple[Stamp, Glance]:
    if type(exchanges) is not int:
        raise TypeError(f"{exchanges!r} is no count")
    glance = Glance(exchanges, has_deck, has_driver, is_closing, is_ended, head)
    return (inode, size, mtime_ns, ctime_ns), glance


# ---------------------------------------------------------------------- listing


def row_of(session: AnySession, home: Home | None, warn: Callable[[str], None]) -> dict[str, Any]:
    """Return the row of one session in the list."""
    if not is_rehearsal(session):
        store = store_of(session)
        return _crew_row(
            home, session.name, session.state, store.opening, store.opened.at, session.ledger_head, warn
        )
    options = session.rehearsal.options
    deck = session.projection.deck
    return {
        "session": session.name,
        "title": titles_of(home).of(session.name) if home is not None else "",
        "state": session.state,
        "deck": None if deck is None else deck.title or deck.name,
        "date": options.date,
        **_day(options, session.rehearsal.store.opened.at),
        "presenter": options.presenter,
        "exchanges": len(each_once(session.projection.exchanges)),
        "archive": None if home is None else _archive_of(home, session.id, session.ledger_head, warn),
    }


def _crew_row(
    home: Home | None,
    name: str,
    state: str,
    opening: Opening,
    started_at: str,
    head: str,
    warn: Callable[[str], None],
) -> dict[str, Any]:
    """Return the row of another crew's session; values that it does not have are null."""
    return {
        "session": name,
        "title": (titles_of(home).of(name) if home is not None else "") or one_line(opening.title),
        "crew": one_line(opening.crew),
        "state": state,
        "deck": None,
        "date": opening.date or None,
        "day": opening.date or started_at[:10],
        "presenter": None,
        "exchanges": 0,
        "archive": None if home is None else _archive_of(home, opening.id, head, warn),
    }


def _day(options: Options, started_at: str) -> dict[str, Any]:
    """Return the day of a rehearsal, as `Entry.day` defines it, and whether it is a demonstration."""
    recorded = {"recorded": True} if options.engine == RECORDED else {}
    return {"day": day_of(options.engine, options.date, started_at), **recorded}


def _by_day(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort rows by day; a row without a known day stays behind the row before it."""
    placed: list[tuple[str, dict[str, Any]]] = []
    for row in rows:
        placed.append((row.get("day") or (placed[-1][0] if placed else ""), row))
    return [row for _, row in sorted(placed, key=lambda one: one[0])]


UNSEARCHED: Final = ("damaged", "unreadable")
"""States of a session that cannot be searched."""


def listed(rows: Sequence[dict[str, Any]], search: str | None) -> dict[str, Any]:
    """Return the document of `list`; after a search, with the sessions that could not be searched, if any."""
    blind = [row["session"] for row in rows if search is not None and row["state"] in UNSEARCHED]
    return {"sessions": list(rows), **({"not_searched": blind} if blind else {})}


def of_all(
    home: Home,
    search: str | None,
    warn: Callable[[str], None],
    shelf: Shared,
    read: Callable[[str], AnySession],
    seen: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda rows: rows,
) -> dict[str, Any]:
    """Return the document of `list` for the sessions of all workers of a cluster, the same on each of them.

    A search looks into the sessions that are archived. Of the others it sees what their rows show, and they
    are named as not searched.

    Args:
        read: Opens a session that is archived, wherever it lies.
        seen: Returns those of the rows that whoever asks may see.
    """
    rows = shelf.rows
    shown, begun, blind = [], {}, []
    own = local(home, None, warn, without={name for name in rows if _is_told(shelf, name)})
    for row in seen([*own, *(_told(home, row, warn) for name, row in rows.items() if _is_told(shelf, name))]):
        name = row["session"]
        entry = rows[name].entry if name in rows else None
        begun[name] = entry.started_at if entry is not None else _begun(home, name)
        if search is not None and not _shows(row, search):
            if name not in rows or not rows[name].archive:
                blind.append(name)
                continue
            try:
                if not _holds(read(name), search):
                    continue
            except (GreenroomError, OSError) as error:
                warn(f"{name}: {error}")
                blind.append(name)
                continue
        shown.append(row)
    shown.sort(key=lambda row: (begun[row["session"]], row["session"]))
    made: dict[str, Any] = {"sessions": _by_day(shown)}
    if blind:
        made["not_searched"] = sorted(blind)
    if shelf.why_old is not None:
        made["may_be_old"] = shelf.why_old
    return made


def _is_told(shelf: Shared, session: str) -> bool:
    """Return whether a session is listed by its row: it is not here, or has ended, so that the row is the
    same for all."""
    return shelf.rows[session].archive != "" or shelf.place(session) is not Place.HERE


def _told(home: Home, row: SharedRow, warn: Callable[[str], None]) -> dict[str, Any]:
    """Return a session's row of the list from what another worker told of it."""
    listed = dict(row.listed)
    listed["title"] = titles_of(home).of(row.session) or listed["title"]
    listed["archive"] = _archive_of(home, row.session, row.entry.head, warn)
    return listed


def _shows(row: Mapping[str, Any], text: str) -> bool:
    """Return whether a row itself holds the text that is looked for."""
    shown = " ".join(
        str(row[name]) for name in ("session", "title", "deck", "date", "presenter") if row[name]
    )
    return text.casefold() in shown.casefold()


def _begun(home: Home, session: str) -> str:
    """Return when a session of this home was begun; "" if that cannot be read, so that it comes first."""
    try:
        return first_record(home.sessions / session).at
    except (GreenroomError, OSError):
        return ""


def local(
    home: Home, search: str | None, warn: Callable[[str], None], *, without: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Return the sessions of a home, by the days of the rehearsals.

    A session that cannot be read is `damaged`, and *warn* is called with the reason. A session that a later
    release wrote is `unreadable`, which does not mean that it is damaged.

    Entries that have a session's name but are not sessions come first. Sessions are opened without the home:
    a row needs no setting, and so a wrong setting does not keep any from being listed.

    Args:
        without: Sessions that are left out.
    """
    rows: list[dict[str, Any]] = []
    glances = Glances(home)

    def add_unread(session_id: str, why: str, state: str = "damaged") -> None:
        warn(f"{session_id}: {why}")
        unknown = dict.fromkeys(("deck", "date", "presenter", "archive"))
        title = titles_of(home).of(session_id)
        rows.append({"session": session_id, "title": title, "state": state, **unknown, "exchanges": 0})

    for name in home.other_names():
        if name in without:
            continue
        add_unread(name, _why_none(home.sessions / name))
    for session_id in home.session_ids():
        if session_id in without:
            continue
        root = home.sessions / session_id
        try:
            if search is None:
                rows.append(_row(glances, home, root, warn))
                continue
            with open_any(None, root) as session:
                check_name(session.path, session.id)
                if _holds(session, search):
                    rows.append(row_of(session, home, warn))
        except LaterReleaseError as error:
            add_unread(session_id, str(error), "unreadable")
        except (GreenroomError, OSError) as error:
            add_unread(session_id, str(error))
    glances.keep()
    return _by_day(rows)


def _row(glances: Glances, home: Home, root: Path, warn: Callable[[str], None]) -> dict[str, Any]:
    """Return a row as `row_of` does; the session's ledger is only read if the cache does not have it."""
    glance, state = glances.of(root)
    first = first_record(root)
    opening = opening_of(first)
    if not BOARD.owns(opening):
        check_name(root, opening.id)
        return _crew_row(home, root.name, state, opening, first.at, glance.head, warn)
    started = started_of(first)
    options, deck = started.options, started.deck
    check_name(root, options.id)
    if not deck.name:  # no release of ours wrote it
        with Rehearsal.open(None, root) as session:
            return row_of(session, home, warn)
    return {
        "session": root.name,
        "title": titles_of(home).of(root.name),
        "state": state,
        "deck": deck.title or deck.name if glance.has_deck else None,
        "date": options.date,
        **_day(options, first.at),
        "presenter": options.presenter,
        "exchanges": glance.exchanges,
        "archive": _archive_of(home, root.name, glance.head, warn),
    }


def _why_none(root: Path) -> str:
    """Return what is in the place of a session, and what to do about it."""
    first = next(iter(verify_session(root, application=BOARD).findings), None)
    if root.is_symlink() and not root.exists():
        what = f"is a link to {os.readlink(root)}, which is not there"
    elif not root.is_dir():
        what = "is no folder"
    else:
        what = f"is no session: {first.path} is {first.kind} ({first.found})" if first else "is no session"
    return f"{what}: see `greenroom verify {root.name}`; `greenroom erase {root.name}` removes it"


def archived(
    url: str,
    search: str | None,
    s3: dict[str, str | None],
    warn: Callable[[str], None],
    known: Home | None = None,
) -> list[dict[str, Any]]:
    """Return the sessions of an archive; a search reads each of them completely.

    If a session is damaged, cannot be read now, or is not the one that the home *known* archived there, its
    row says so, and *warn* is called with the reason.
    """
    from orchestrator.core.archive.download import list_archives  # the list of a home goes to no archive
    from orchestrator.core.archive.stores import open_store

    rows = []
    whys: dict[str, str] = {}
    store = open_store(url, endpoint_url=s3["endpoint_url"])
    for one in list_archives(url, endpoint_url=s3["endpoint_url"], say=whys.__setitem__):
        row = _archived_row(one)
        if known is not None and one.head and one.session not in whys:
            try:
                if others := replaced_heads(known, store, one.session, one.head):
                    row["state"] = "replaced"
                    whys[one.session] = f"is replaced: ledger head {one.head}, and {others[-1]} was archived"
            except HomeError as error:
                warn(str(error))
        if search is not None and row["state"] not in UNSEARCHED:
            try:
                with fetched(url, one.session, s3) as session:
                    if not _holds(session, search):
                        continue
            except (GreenroomError, OSError) as error:
                row["state"] = "unreadable" if isinstance(error, ArchiveUnavailableError) else "damaged"
                whys[one.session] = str(error)
        rows.append(row)
    for session_id, why in whys.items():
        warn(f"{session_id}: {why}")
    return rows


def _archived_row(one: ArchivedSession) -> dict[str, Any]:
    row = asdict(one)
    del row["head"]
    if not one.crew:
        del row["title"], row["crew"]
        return row
    return {**row, "deck": None, "date": one.date or None, "presenter": None}


@contextmanager
def fetched(
    url: str, session_id: str, s3: dict[str, str | None], known: Home | None = None
) -> Iterator[AnySession]:
    """Fetch an archived session for reading; its copy is removed after the block.

    *known* is a home with whose register the archive is compared.
    """
    import tempfile  # it loads random

    from orchestrator.core.archive.download import fetch

    with tempfile.TemporaryDirectory(prefix="greenroom-") as folder:
        root = fetch(
            session_id, url, Path(folder), endpoint_url=s3["endpoint_url"], known=known, application=BOARD
        )
        with open_any(None, root) as session:
            yield session


def _archive_of(home: Home, session: str, head: str, warn: Callable[[str], None]) -> str | None:
    """Return where this session was last archived in its current state, or None if that is unknown."""
    try:
        found = archives_of(home, session, head=head)
        if any(other != head for other in archived_heads(home, session)):
            warn(f"{session}: is not as it was archived: see `greenroom verify {session}`")
    except HomeError as error:
        warn(str(error))
        return None
    return next(reversed(found.values()), None)


def _holds(session: AnySession, text: str) -> bool:
    wanted = text.casefold()
    store = store_of(session)
    return any(wanted in store.content(path).casefold() for path in store.layout.files)


def progress_json(presenter: str, found: Sequence[Progress]) -> dict[str, Any]:
    """Return a presenter's progress, by deck; answers that nobody judged are not counted."""
    return {
        "presenter": presenter,
        "decks": [
            {
                "deck": one.deck,
                "sentence": one.sentence,
                "runs": [_run(run) for run in one.runs],
                "open": list(one.open),
            }
            for one in found
        ],
    }


def _run(run: Run) -> dict[str, Any]:
    entry = run.entry
    return {
        "session": entry.session,
        "started_at": entry.started_at,
        "day": entry.day,
        "questions": run.questions,
        "answered": run.answered,
        "judged": run.judged,
        "gave_it": run.held if run.judged else None,
        "judged_by": dict(run.judges),
        "closed": list(run.closed),
        "used_s": entry.used_s,
        "minutes": entry.minutes,
        "words_per_minute": entry.words_per_minute,
    }
