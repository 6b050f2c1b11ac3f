"""Sessions that a server keeps open, so that a request need not fold a whole ledger again."""

from __future__ import annotations

import asyncio
import os
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from functools import partial, wraps
from pathlib import Path
from threading import Lock
from typing import Any, Final, ParamSpec, TypeVar

import anyio
import anyio.to_thread

from orchestrator.core.errors import GreenroomError, SessionBusyError, SessionNotFoundError
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.store import Store
from orchestrator.core.store.waiting import TIMEOUT_S
from orchestrator.core.table import SESSION_ID
from orchestrator.documents.opening import AnySession, open_any, rehearsal_of, store_of
from orchestrator.panel.home import Home
from orchestrator.rehearsal.rehearsal import Rehearsal

# ---------------------------------------------------------------------- threads
# Threads in which a session is worked on: a few for each, so that a session that is stuck takes no
# other's.
#
# A write waits for the session's lock, a reader for its disk, a question for a model. The server's own
# threads are as many as 40, and requests for one session would take all of them. Here each session has
# some of its own, and whoever finds them taken waits in the event loop.


P = ParamSpec("P")
T = TypeVar("T")


class Work(Enum):
    """A kind of work on a session; each kind has its own threads, so that none keeps another waiting."""

    READ = "read"
    """Work that needs no lock."""
    WRITE = "write"
    """Work that takes milliseconds, once the lock is free."""
    LONG = "long"
    """Work that waits for a model or an archive."""
    DRAW = "draw"
    """Work that waits for a program that draws or prints."""


PLACES: Final = {Work.READ: 4, Work.WRITE: 4, Work.LONG: 3, Work.DRAW: 2}
"""Number of threads of one session, by kind of work. More would write no faster; there are several because
one may wait for the disk."""
_WITHOUT_LIMIT: Final = frozenset({Work.READ, Work.DRAW})
"""Kinds of work that change nothing and end by themselves, and so have no time-out."""


class Lane:
    """The threads of one session for one kind of work. Used only in the event loop."""

    def __init__(self, session: str, kind: Work) -> None:
        self._session = session
        self._timeout_s = None if kind in _WITHOUT_LIMIT else TIMEOUT_S
        self._free = PLACES[kind]
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.users = 0

    async def run(self, work: Callable[[], T]) -> T:
        """Do *work* in a thread.

        Raises:
            SessionBusyError: No thread became free in time. Or an earlier write waited for the lock until its
                time-out, so that this one does not wait as long again.
        """
        await self._enter()
        try:
            # A limiter of its own: the server's threads for everything else stay as many as they are.
            return await anyio.to_thread.run_sync(work, limiter=anyio.CapacityLimiter(1))
        except SessionBusyError as error:
            while self._waiting:
                if not (place := self._waiting.popleft()).done():
                    place.set_exception(SessionBusyError(str(error)))
            raise
        finally:
            self._leave()

    async def _enter(self) -> None:
        if self._free:
            self._free -= 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            async with asyncio.timeout(self._timeout_s):
                await place
        except BaseException as error:
            if place.done() and not place.cancelled() and place.exception() is None:
                self._leave()  # it came at this very moment, and nobody takes it
            if isinstance(error, TimeoutError):
                raise SessionBusyError(
                    f"{self._session}: others have worked on this session for {self._timeout_s:g} s; nothing "
                    "was written: try again"
                ) from None
            raise

    def _leave(self) -> None:
        while self._waiting:
            if not (place := self._waiting.popleft()).done():
                place.set_result(None)
                return
        self._free += 1


class SessionThreads:
    """The lanes that are in use. Used only in the event loop."""

    def __init__(self) -> None:
        self._lanes: dict[tuple[str, Work], Lane] = {}

    async def run(self, session: str, kind: Work, work: Callable[[], T]) -> T:
        """Do *work* on *session* in a thread, as `Lane.run` does."""
        lane = self._lanes.setdefault((session, kind), Lane(session, kind))
        lane.users += 1
        try:
            return await lane.run(work)
        finally:
            lane.users -= 1
            if not lane.users:
                del self._lanes[session, kind]


_SHARED: Final = frozenset({Work.WRITE, Work.LONG})
"""Kinds of work after which other workers of a cluster are told of what is new beside the session."""


def _then_share(work: Callable[[], T], site: Any, session: str) -> T:
    """Do *work*, and tell the other workers before it is answered."""
    done = work()
    site.shelf.share(session)
    return done


def _working(kind: Work) -> Callable[[Callable[P, T]], Callable[P, Awaitable[T]]]:
    def decorate(route: Callable[P, T]) -> Callable[P, Awaitable[T]]:
        @wraps(route)
        async def working(*args: P.args, **kwargs: P.kwargs) -> T:
            given: dict[str, Any] = kwargs  # the framework gives all by name
            site, session = given["site"], given["session"]
            work = partial(route, *args, **kwargs)
            if site.shelf is not None and kind in _SHARED:
                work = partial(_then_share, work, site, session)
            threads: SessionThreads = site.threads
            return await threads.run(session, kind, work)

        return working

    return decorate


reads: Final = _working(Work.READ)
"""Decorator that makes a route, a plain function with the arguments `session` and `site`, read in the
session's threads."""
writes: Final = _working(Work.WRITE)
"""Decorator that makes a route run as with `reads`, but write to the session."""
takes_long: Final = _working(Work.LONG)
"""Decorator that makes a route run as with `reads`, but wait for a model or an archive."""
draws: Final = _working(Work.DRAW)
"""Decorator that makes a route run as with `reads`, but wait for a program that draws."""


# ---------------------------------------------------------------------- keys
# Ids of requests that are under way: of two at once, the second waits for the first one's reply.


class Keys:
    """The request ids on which this server is working; a repeated request waits for the first one's reply."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: dict[tuple[str, str], tuple[Lock, int]] = {}  # with how many hold it or wait for it

    @contextmanager
    def alone(self, session: str, key: str) -> Iterator[None]:
        """Let one request at a time with this id into the block.

        Raises:
            SessionBusyError: Another request was in the block until the time-out.
        """
        with self._lock:
            lock, users = self._held.get((session, key), (Lock(), 0))
            self._held[session, key] = lock, users + 1
        try:
            if not lock.acquire(timeout=TIMEOUT_S):
                raise SessionBusyError(
                    f"{session}: this very request is still under way: ask again in a moment"
                )
            try:
                yield
            finally:
                lock.release()
        finally:
            with self._lock:
                lock, users = self._held.pop((session, key))
                if users > 1:
                    self._held[session, key] = lock, users - 1


# ---------------------------------------------------------------------- open sessions


MAX_IDLE: Final = 128
"""Maximum number of sessions that are kept open besides those that this server drives; each takes 3 to 8
MB and 9 to 20 descriptors."""
OPENING_AT_ONCE: Final = 16
"""Number of locks for opening sessions. Folding a ledger can take seconds, during which requests for the
same session wait, and those for one in sixteen of the others. With a lock for each session, locks would
have to be removed again while somebody may be waiting for them."""


class OpenSessions:
    """The sessions of one home, opened when they are first asked for. Safe to use from many threads.

    A session is itself safe to use from many threads, so all requests for it share one object. Sessions are
    looked up by the name of their folder, and never by the id in the ledger, which a copy of the folder has
    too.
    """

    def __init__(self, home: Home | None) -> None:
        self._home = home
        self._lock = Lock()
        self._open: OrderedDict[str, tuple[AnySession, int]] = OrderedDict()  # with its ledger's inode
        self._opening = tuple(Lock() for _ in range(OPENING_AT_ONCE))
        self._held: Counter[str] = Counter()  # by how many: it is not closed behind their backs
        self.on_begun: list[Callable[[str], None]] = []
        """Called with the name of a session that was begun here, before whoever began it is told."""
        self.on_opened: list[Callable[[Store], None]] = []
        """Called with the store of a session that was just opened, before anybody uses it."""
        self.on_erased: list[Callable[[str], None]] = []
        """Called with the name of a session that is to be erased, before anything of it is removed."""
        self.elsewhere: Callable[[str], AnySession | None] = lambda _: None
        """Returns a session that is read, and only read, in another place than this home; None: in this
        home."""

    def get(self, session_id: str) -> Rehearsal:
        """Return the rehearsal in the folder with exactly this name, which is its id unless the folder is a
        copy.

        Raises:
            SessionNotFoundError: There is no such folder; prefixes, `last` and paths are for the command
                line.
            OtherCrewError: The session belongs to another crew.
            LedgerCorruptError
        """
        return rehearsal_of(self.get_any(session_id))

    def get_any(self, session_id: str) -> AnySession:
        """Return the session of any crew in the folder with exactly this name.

        Raises:
            SessionNotFoundError, LedgerCorruptError: As `get`.
        """
        if (there := self.elsewhere(session_id)) is not None:
            return there
        if (found := self._known(session_id)) is not None:
            return found
        root = self._root(session_id)
        with self._opening[hash(session_id) % OPENING_AT_ONCE]:
            if (found := self._known(session_id)) is not None:
                return found
            opened = open_any(self._home, root)
            self.add(opened)
            return opened

    def add(self, session: AnySession) -> None:
        """Store a session that was just opened."""
        inode = os.stat(session.path / LEDGER_NAME).st_ino
        for told in self.on_opened:
            told(store_of(session))
        with self._lock:
            before = self._open.pop(session.path.name, None)
            self._open[session.path.name] = (session, inode)
            surplus = self._surplus()
        if before is not None:
            _close(before[0])
        for idle in surplus:
            self._close_idle(*idle)

    def begin(self, session: AnySession) -> None:
        """Store a session that was begun here, and tell those who must know before anybody asks for it."""
        self.add(session)
        for told in self.on_begun:
            told(session.path.name)

    def hold(self, session_id: str) -> None:
        """Keep a session open, for a drive or a request, until `let_go` has been called as often as this."""
        with self._lock:
            self._held[session_id] += 1

    def let_go(self, session_id: str) -> None:
        """Undo one `hold`; a session that nobody uses may be closed when others are opened."""
        with self._lock:
            self._held[session_id] -= 1
            if not self._held[session_id]:
                del self._held[session_id]

    @contextmanager
    def using(self, session_id: str) -> Iterator[Rehearsal]:
        """Yield the session as `get` returns it, and keep it open for the whole block, which may wait for
        a model."""
        self.hold(session_id)
        try:
            yield self.get(session_id)
        finally:
            self.let_go(session_id)

    @contextmanager
    def using_any(self, session_id: str) -> Iterator[AnySession]:
        """Yield a session of any crew as `using` does."""
        self.hold(session_id)
        try:
            yield self.get_any(session_id)
        finally:
            self.let_go(session_id)

    def forget(self, session_id: str) -> None:
        """Close a session, before its folder is removed."""
        with self._lock:
            found = self._open.pop(session_id, None)
        if found is not None:
            found[0].close()

    @property
    def count(self) -> int:
        """How many sessions are open."""
        with self._lock:
            return len(self._open)

    def erase(self, session_id: str) -> None:
        """Close a session and tell those who keep something of it elsewhere, before its folder is removed.

        Raises:
            StoreError: Somebody could not remove what is kept there; nothing was erased.
        """
        for told in self.on_erased:
            told(session_id)
        self.forget(session_id)

    def close(self) -> None:
        """Close all sessions."""
        with self._lock:
            closed, self._open = [one for one, _ in self._open.values()], OrderedDict()
        for one in closed:
            _close(one)

    def _close_idle(self, session: AnySession, inode: int) -> None:
        """Close the session, unless its receipts wait for a lock that another process holds; then keep it
        open."""
        try:
            store_of(session).flush(timeout_s=0)
        except SessionBusyError:
            with self._lock:
                if session.path.name not in self._open:
                    self._open[session.path.name] = (session, inode)
                    self._open.move_to_end(session.path.name, last=False)
                    return
        except (GreenroomError, OSError):  # its disk refuses, which is told to whoever writes there
            pass
        _close(session)

    def _known(self, session_id: str) -> AnySession | None:
        """Return the session if it is open and its folder is still the same one; it may have been erased."""
        with self._lock:
            session, inode = self._open.get(session_id, (None, 0))
        if session is None:
            return None
        # Not within the lock: whoever looks at a disk lets others run, and with the lock held all
        # of them would wait here, a fifth of the time at fifty live sessions.
        try:
            is_same = os.stat(session.path / LEDGER_NAME).st_ino == inode
        except OSError:
            is_same = False
        with self._lock:
            if self._open.get(session_id, (None, 0))[0] is not session:
                return None  # closed, or erased and begun anew, in this very moment
            if is_same:
                self._open.move_to_end(session_id)
                return session
            del self._open[session_id]
        _close(session)
        return None

    def _root(self, name: str) -> Path:
        is_id = SESSION_ID.fullmatch(name) is not None  # before it becomes a path
        if self._home is None or not is_id or not os.path.isdir(self._home.sessions / name / "ledger"):
            raise SessionNotFoundError(f"there is no session {name[:64]!r} here", value=name[:64])
        return self._home.sessions / name

    def _surplus(self) -> list[tuple[AnySession, int]]:
        idle = [name for name in self._open if name not in self._held]
        return [self._open.pop(name) for name in idle[: max(0, len(idle) - MAX_IDLE)]]


def _close(session: AnySession) -> None:
    """Close a session that others pushed out or replaced, without raising its errors in their requests."""
    with suppress(GreenroomError, OSError):  # what waited to be written has no folder any more, say
        session.close()
