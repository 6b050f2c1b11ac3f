"""A session of any crew of agents, and the home in which it is started.

A crew is a folder: `templates/` says what its agents are, `session-templates/` with what a session begins,
and `table.yaml` which files a session has, who writes each, and in which order each agent reads them. The
core knows nothing else about a crew; a board panel's rehearsal is one class on top of it
(`orchestrator.rehearsal`).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from orchestrator.core.errors import (
    GreenroomError,
    HomeError,
    SessionExistsError,
    SessionStateError,
    UsageError,
)
from orchestrator.core.home import folder
from orchestrator.core.home.folder import session_folder
from orchestrator.core.home.table_file import TABLE_NAME
from orchestrator.core.legible import ADDRESS_FORMS, mapping_argument, one_line, text_argument, whole_argument
from orchestrator.core.legible import receipt_id as receipt_id

if TYPE_CHECKING:
    from orchestrator.core.archive.upload import Archived
    from orchestrator.core.context.assemble import Assembler, Context
    from orchestrator.core.context.receipt import Receipt
    from orchestrator.core.crew import Note
    from orchestrator.core.owner import Owner
    from orchestrator.core.store.application import Application
    from orchestrator.core.store.store import Repair, Store
    from orchestrator.core.store.transaction import Draft
    from orchestrator.core.verify import Verification

MAX_TASK_CHARS: Final = 20_000
"""Maximum characters of a task, ten pages; our own limit. A task is recorded in the ledger with every
context."""
MAX_NAME_CHARS: Final = 200
"""Maximum characters of an engine's name and of a session's title; our own limit."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, init=False)
class Home(folder.Home):
    """One home folder: a crew's templates, blueprints and table, and its sessions.

    Creating the object reads nothing; each part is read when it is used.
    """

    def __init__(self, root: str | Path) -> None:
        super().__init__(Path(root).absolute())

    @property
    def application(self) -> Application:
        """What the program to which this home belongs knows about its sessions."""
        from orchestrator.core.store.application import PLAIN

        return PLAIN

    def start(
        self,
        session_id: str | None = None,
        files: Mapping[str, str] | None = None,
        *,
        title: str = "",
        agents: Iterable[str] | None = None,
        date: str | None = None,
        fields: Mapping[str, Any] | None = None,
        say: Callable[[str], None] | None = None,
        owner: Owner | None = None,
    ) -> Session:
        """Start a session of this home's crew and return it, open.

        The session keeps the table and the templates as they are now, whatever the home says later. A home
        without a `table.yaml` has the one that Greenroom brings, a board panel's.

        Args:
            session_id: None: one that sorts by time.
            files: What it begins with, by the file's path: written by `start`, which each row must name.
            title: What it is about, on one line.
            agents: Who takes the seats that the table has besides its own agents; None: all in this home's
                templates who can. A table without seats takes none.
            date: The day that it is about, YYYY-MM-DD.
            fields: What blueprints may name besides `session`, `title`, `date`, `agents` and, in an agent's
                own folder, `agent`.
            say: Called with each file of the home that no row and no order names; None: a warning in Python's
                log.
            owner: Whose it is, where people sign in; it stands in the first record.

        Raises:
            UsageError: The id, the date or a seat cannot be meant, or the home has no such agent.
            SessionExistsError: The home has a session of this id already.
            HomeError, ConfigurationError: A template, a blueprint or the table is missing or cannot be read.
            StoreError: A file in *files* is not in the table, not written by `start`, or no text.
            TypeError, ValueError: An argument is of another type, or *title* is too long.
        """
        from orchestrator.core import crew

        now = Home(self.root)  # which has read no table yet: this one may have, before somebody edited it
        try:
            root = crew.start_session(
                now,
                self.new_id()
                if session_id is None
                else text_argument("session_id", session_id, do="an id, or None"),
                mapping_argument("files", files, '{"shared/brief.md": "A brief."}'),
                title=one_line(text_argument("title", title, max_chars=MAX_NAME_CHARS)),
                agents=agents,
                date=date,
                fields=mapping_argument("fields", fields, '{"service": "db"}'),
                say=say or log.warning,
                owner=owner,
            )
        except GreenroomError as error:
            own = now.root / TABLE_NAME
            if now.has_own_table or isinstance(error, SessionExistsError):
                raise
            raise HomeError(
                f"{error}; {own} is not there, so the table that Greenroom brings was used: write the crew's "
                "own, as `greenroom help core` shows it",
                file=own,
            ) from error
        return self.session(root)

    def session(self, name: str | Path, *, on_repair: Callable[[Repair], None] | None = None) -> Session:
        """Open a session by id, unique prefix, `last`, or path: also of a restored folder or an archive's.

        Reads only; what an unclean end left is mended at the first write.

        Args:
            on_repair: Called with each repair; None: a warning in Python's log.

        Raises:
            SessionNotFoundError, LedgerCorruptError
        """
        return Session.open(self, name, on_repair=on_repair)


class Session:
    """One session. Safe to use from several threads and processes; a context manager.

    When a write returns, it is on the disk, and other processes that have opened the session see it.
    """

    _context_task: ClassVar[str] = "context"

    def __init__(self, store: Store, assembler: Assembler, home: Home | None) -> None:
        self._store = store
        self._assembler = assembler
        self.home = home

    @classmethod
    def open(
        cls, home: Any, session: str | Path, *, on_repair: Callable[[Repair], None] | None = None
    ) -> Self:
        """Open a session of *home* by id, unique prefix, `last`, or path. If *home* is None, by path only.

        Raises:
            UsageError: *session* is a name, and *home* is None.
            SessionNotFoundError, LedgerCorruptError
        """
        from orchestrator.core.context.assemble import Assembler, read_templates
        from orchestrator.core.store.application import PLAIN
        from orchestrator.core.store.store import Store

        root = find_session(home, session)
        application = PLAIN if home is None else home.application
        store = Store(root, application=application, on_repair=on_repair)
        try:
            assembler = Assembler(
                store, read_templates(store, store.layout), **store.opening.context_settings
            )
        except BaseException:
            store.close_files()
            raise
        return cls(store, assembler, home)

    # ------------------------------------------------------------------ what it is

    @property
    def id(self) -> str:
        """The session's id, as its first record states it."""
        return self._store.opening.id

    @property
    def name(self) -> str:
        """The session's name in its home, which is its folder's name and so differs for a copy; elsewhere
        its id."""
        return self.path.name if self._is_at_home else self.id

    @property
    def title(self) -> str:
        """What the session is about, or "" if nobody said."""
        opening = self._store.opening
        return opening.title or opening.deck_title or opening.deck_name

    @property
    def path(self) -> Path:
        """The session's folder."""
        return self._store.root

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that are given contexts in this session."""
        return self._store.layout.agents

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the session's files, in the order of its table."""
        return tuple(self._store.layout.files)

    @property
    def state(self) -> str:
        """active, ended or degraded."""
        self._store.catch_up()
        if self._store.frozen:
            return "ended"
        return "degraded" if self._store.is_degraded else "active"

    @property
    def ledger_head(self) -> str:
        """The hash of the last record.

        Stored elsewhere, it shows later whether the session was rolled back.
        """
        self._store.catch_up()
        return self._store.head

    @property
    def _is_at_home(self) -> bool:
        # Without a look at the disk; `..` in either name is no other place.
        return self.home is not None and os.path.dirname(os.path.abspath(self.path)) == os.path.abspath(
            self.home.sessions
        )

    # ------------------------------------------------------------------ files

    def append(self, path: str, text: str, *, by: str, receipt: str | Receipt | None = None) -> int:
        """Add *text* to the end of an append-only file and return the record's number.

        The text is on the disk when this returns. Earlier bytes are never changed; a missing final newline is
        added.

        Args:
            by: The writer, as the file's row names it.
            receipt: The receipt, or its id, of the context that the text came from.

        Raises:
            UnknownFileError, ImmutableFileError, SessionFrozenError, WriterNotAllowedError, AppendOnlyError,
            InvalidTextError, FileTooLargeError, ReceiptError, SessionBusyError, StoreWriteError
        """
        return self._store.append(path, text, by=by, receipt=receipt)

    def write(self, path: str, text: str, *, by: str, receipt: str | Receipt | None = None) -> int:
        """Write a whole file and return the record's number.

        The file's class says how often that is possible.

        Args:
            by, receipt: As at `append`.

        Raises:
            AlreadyWrittenError, RevisionLimitError: The file's class allows no further write.
            StoreError: As at `append`.
        """
        return self._store.write(path, text, by=by, receipt=receipt)

    def read(self, path: str) -> str:
        """Return a session file's text as the ledger records it, or "" if it has not been written.

        Raises:
            UnknownFileError: The table has no such file.
        """
        self._store.catch_up()
        return self._store.content(path)

    def note(self, type: str, fields: Mapping[str, Any], *, by: str) -> int:
        """Record a decision of the caller's own program and return the record's number.

        Args:
            type: Its name, with a prefix of the program's own: "review.finding".
            fields: What it says, as JSON.
            by: Who decided: any name on one line, of at most 64 characters.

        Raises:
            UsageError: The name has no prefix of its own; names without one are the core's and the board
                panel's. Or the fields have a `type`, or *by* is no such name.
            TypeError: The fields are no mapping.
            SessionFrozenError, InvalidTextError, FileTooLargeError, StoreWriteError
        """
        text_argument("type", type, do="a name with a prefix, as in review.finding")
        return self._store.note(type, fields, by=by)

    def notes(self, type: str | None = None) -> list[Note]:
        """Return the notes of programs, in order. If *type* is given, only the notes of that type."""
        from orchestrator.core import crew

        if type is not None:
            text_argument("type", type)
        self._store.catch_up()
        return crew.notes_of(self._store, type)

    def transaction(self, timeout_s: float | None = None) -> AbstractContextManager[Draft]:
        """Lock the session for several reads and writes, which are all kept or all undone.

        In the block, write through the draft that it is given: `with session.transaction() as tx:`, then
        `tx.append`, `tx.write`, `tx.note` and `tx.read`, which do what the session's own methods do. The
        writes are on the disk when the block ends; an exception that leaves the block undoes them.

        Args:
            timeout_s: Seconds to wait for the lock; if None, 5.

        Raises:
            SessionBusyError: Another writer held the lock all that time; the call may be tried again.
            TransactionOpenError: This thread is already in a transaction: pass that one on.
        """
        return self._store.transaction(timeout_s)

    def guard(self, say: Callable[[str], None] | None = None) -> AbstractContextManager[object]:
        """Undo changes that are made by hand in the session's folder, within a second, while the block lasts.

        The changed bytes are stored in `ledger/rejected/`; contexts never contain them.

        Args:
            say: Called with a line for each change, from a separate thread. If None, the line is a warning in
                Python's log.
        """
        from orchestrator.core.guard import Guard

        templates = self.home.templates if self.home is not None else None
        return Guard(session=self.path, templates=templates, say=say, application=self._store.application)

    # ------------------------------------------------------------------ contexts

    def context(
        self, agent: str, *, task: str | None = None, engine: str | None = None, at: int | None = None
    ) -> Context:
        """Return what *agent* is given now, with a receipt that the ledger keeps.

        The text holds the agent's files and nothing else: send the task behind it.

        Args:
            task: What is asked of it, for the receipt alone; at most `MAX_TASK_CHARS` characters.
            engine: Who answers, for the receipt: the name of a model, say. None: nobody said ("own").
            at: A record's number: what *agent* would have been given when it was the last. No receipt is kept
                of that, nor once the session has ended.

        Raises:
            UsageError: *agent* has no seat.
            ReceiptError: There is no record *at*.
            TypeError, ValueError, InvalidTextError: *task* or *engine* is no text of this length.
        """
        text_argument("agent", agent)
        if at is not None:
            return self._assembler.as_of(agent, whole_argument("at", at))
        asked = self._context_task
        if task is not None:
            asked = text_argument("task", task, max_chars=MAX_TASK_CHARS)
        by = None if engine is None else text_argument("engine", engine, max_chars=MAX_NAME_CHARS)
        return self._given(agent, asked, by)

    def _given(self, agent: str, task: str, engine: str | None) -> Context:
        from orchestrator.core.context.receipt import OWN

        context = self._assembler.prepare(agent, purpose=task, engine=engine or OWN)
        keep(self, context)
        return context

    def replay(self, receipt: str | Receipt) -> Context:
        """Return the context of *receipt*, or of the receipt with this id, byte for byte.

        Raises:
            ReceiptError: There is no such receipt, or a file differs from what the receipt says; the message
                names the file.
        """
        if isinstance(receipt, str):
            return self._assembler.rebuild(self.receipt(receipt))
        if not hasattr(receipt, "files"):
            do = "its `receipt`" if hasattr(receipt, "receipt") else "`context.receipt`"
            raise TypeError(f"receipt is {type(receipt).__name__}, not a receipt or its id: give {do}")
        return self._assembler.rebuild(receipt)

    def receipt(self, receipt_id: str) -> Receipt:
        """Return a receipt by its id.

        Raises:
            ReceiptError: There is no such receipt.
        """
        return self._assembler.receipt(text_argument("receipt_id", receipt_id))

    def receipts(self) -> list[Receipt]:
        """Return every receipt on the disk, in order."""
        return self._assembler.receipts()

    # ------------------------------------------------------------------ the end

    def end(self) -> str:
        """End the session: make its files read-only for ever.

        Return the ledger's head, to be stored elsewhere.

        A second call does nothing and returns the same head.

        Raises:
            StoreError: A file differs from what the ledger says; nothing was recorded.
            SessionBusyError: Another writer holds the session's lock.
        """
        from orchestrator.core.archive.freeze import end_session

        end_session(self._store, self.home.templates if self.home is not None else None)
        return self._store.head

    def archive(self, url: str | None = None, *, endpoint_url: str | None = None) -> Archived:
        """Archive the ended session as a BagIt bag, then read the archive back and compare it.

        Args:
            url: A folder, `file://…` or `s3://bucket/prefix`. If None, the home's `archives/`.
            endpoint_url: The address of an S3-compatible server. If None, that in `GREENROOM_S3_ENDPOINT`.

        Raises:
            SessionStateError: The session has not ended.
            UsageError: The session is in no home and *url* is None, or *url* is not an address of a store.
            ArchiveError: The archive could not be completed; a second call sends the rest.
        """
        from orchestrator.core import crew

        if self.state != "ended":
            raise SessionStateError(f"{self.id} is {self.state}: end it first with `session.end()`")
        if url is None and self.home is None:
            raise UsageError("a session outside a home is archived where you say: give an address")
        to = (
            text_argument("url", url, do=ADDRESS_FORMS)
            if url is not None
            else str(self.home.archives)
            if self.home
            else ""
        )
        server = endpoint_url or os.environ.get("GREENROOM_S3_ENDPOINT") or None
        return crew.archive(self._store, self.home if self._is_at_home else None, to, server)

    def verify(self) -> Verification:
        """Verify that every write kept every rule, and that every file is what the ledger says.

        Raises:
            HomeError: The home's register of the session's archives cannot be read.
        """
        from orchestrator.core import crew

        return crew.verify(self._store, self.home, is_at_home=self._is_at_home)

    def repair(self) -> tuple[Repair, ...]:
        """Repair what an unclean end left, such as a torn last record or files that are behind; return the
        repairs.

        A degraded session may be written again, if the disk accepts a new file.

        Raises:
            SessionFrozenError: The session has ended and cannot be changed.
            StoreWriteError: The disk still refuses.
        """
        store = self._store
        store.undegrade()
        with store.transaction():
            pass
        return tuple(store.repairs)

    def close(self) -> None:
        """Write the waiting receipts, and close the files. A second call does nothing."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def store_of(session: Session) -> Store:
    """Return the store of a session, brought up to date; for the package's interfaces, which need more
    than `Session`."""
    store = session._store
    store.catch_up()
    return store


def peek(session: Session, agent: str, task: str) -> Context:
    """Return what *agent* would be given now, without recording a receipt.

    Raises:
        UsageError: *agent* has no seat.
    """
    from orchestrator.core.context.receipt import OWN

    return session._assembler.prepare(agent, purpose=task, engine=OWN)


def keep(session: Session, context: Context) -> None:
    """Record the receipt of a context that `peek` returned. If the session has ended, record nothing."""
    from orchestrator.core.context.receipt import recorded

    store = session._store
    if not store.frozen:
        store.add_receipt(context.receipt.id, recorded(context.receipt, store.history.version))


def find_session(home: folder.Home | None, session: str | Path) -> Path:
    """Return the folder of the session that *session* names: an id, a unique prefix, `last`, or a path.

    Raises:
        UsageError: *session* is a name, and *home* is None.
        SessionNotFoundError: No session or several sessions fit.
    """
    if isinstance(session, Path):
        return session_folder(session)
    text_argument("session", session, do="an id, or a Path")
    if home is None:
        raise UsageError("a session is found by its id in a home: give the home, or a path")
    return home.find(session)
