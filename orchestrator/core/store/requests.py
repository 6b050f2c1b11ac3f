"""A client's own id for what it asks: whoever asks again after a lost reply is not counted twice.

The id stands in a note of the very transaction that did what was asked, so one is on the disk if the other
is; it is looked up within the lock, so of two that come at once, in whatever processes, one counts. A ledger
in which no id was asked about pays nothing for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol, TypeVar

from orchestrator.core.errors import RequestIdReusedError, UsageError
from orchestrator.core.store.ledger import Record, Value
from orchestrator.core.table import MODERATOR

T = TypeVar("T")

MAX_ID_CHARS: Final = 200
"""A UUID has 36; with the name of a program and a number there is room left."""
NO_REPLY: Final = object()
"""The reply is not known: what was asked is done, and whoever did it was cut off before it could say so."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks, by its own id."""

    id: str
    sha256: str  # of all that was asked


@dataclass(frozen=True, slots=True)
class Counted(Value):
    """Note: what a client asked was done in this transaction."""

    TYPE: ClassVar = "request"

    id: str
    sha256: str  # as Request.sha256
    reply: Any = NO_REPLY  # JSON, where it was known by then


@dataclass(frozen=True, slots=True)
class Replied(Value):
    """Note: the reply to what counted before."""

    TYPE: ClassVar = "reply"

    id: str
    reply: Any


@dataclass(frozen=True, slots=True)
class Done:
    """A request that counted."""

    sha256: str
    seq: int  # of its note, in the transaction that did what was asked
    reply: Any = NO_REPLY


class Draft(Protocol):
    """What a request needs of a transaction."""

    records: list[Record]

    def note(self, value: Value, *, by: str) -> int: ...


class Store(Protocol):
    """What a request needs of a store."""

    @property
    def requests(self) -> Mapping[str, Done]: ...

    def catch_up(self) -> int: ...

    def transaction(self, timeout_s: float | None = None) -> AbstractContextManager[Draft]: ...


def request_of(id: str, *content: Any) -> Request:
    """Return the request with this id and content, which must be JSON.

    Raises:
        UsageError: The id is empty, too long or holds what nobody can print.
    """
    if not id.isprintable() or not 1 <= len(id) <= MAX_ID_CHARS:
        raise UsageError(
            f"the id of a request has 1 to {MAX_ID_CHARS} characters that print: give such a one"
        )
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return Request(id, hashlib.sha256(text.encode()).hexdigest())


def part_of(request: Request, number: int) -> Request:
    """Return the request for one piece of a list that was sent under one id; 0 is the first."""
    return Request(f"{request.id}\n{number}", request.sha256) if number else request  # no id has a line break


def take(done: dict[str, Done], record: Record) -> None:
    """Fold a record into the requests that counted."""
    if record.op != "note" or record.held is None:
        return
    if record.type == Counted.TYPE:
        counted = record.held.read(Counted)
        done.setdefault(counted.id, Done(counted.sha256, record.seq, counted.reply))
    elif record.type == Replied.TYPE:
        replied = record.held.read(Replied)
        before = done.get(replied.id)
        if before is not None and before.reply is NO_REPLY:
            done[replied.id] = Done(before.sha256, before.seq, replied.reply)


class AlreadyDone(Exception):  # no error: the request counted before
    """Leaves a transaction whose request was done meanwhile, by another thread or process."""

    @property
    def done(self) -> Done:
        """How the request counted."""
        found: Done = self.args[0]
        return found


@dataclass
class Pending:
    """A request whose work is under way in this thread."""

    store: Store
    request: Request
    is_effect: Callable[[Record], bool]
    reply: Callable[[Any], Any] | None
    is_written: bool = False

    def mark(self, draft: Draft) -> bool:
        """Put the request into the transaction that does what was asked; return whether this is that one.

        Call it within the lock, at the end of the transaction.

        Raises:
            AlreadyDone, RequestIdReusedError
        """
        if self.is_written or not any(map(self.is_effect, draft.records)):
            return False
        if (done := find(self.store, self.request)) is not None:
            raise AlreadyDone(done)
        reply = NO_REPLY if self.reply is None else self.reply(draft)
        draft.note(Counted(self.request.id, self.request.sha256, reply), by=MODERATOR)
        return True


_PENDING: ContextVar[Pending | None] = ContextVar("pending", default=None)


def pending(store: object) -> Pending | None:
    """Return the request whose work is under way in this thread for *store*."""
    found = _PENDING.get()
    return found if found is not None and found.store is store else None


def find(store: Store, request: Request) -> Done | None:
    """Return what is known of *request* as of the last look at the ledger; None: it never counted.

    Raises:
        RequestIdReusedError: Something else was asked by this id.
    """
    done = store.requests.get(request.id)
    if done is not None and done.sha256 != request.sha256:
        shown = request.id.partition("\n")[0]
        raise RequestIdReusedError(
            f"{shown!r}: this id was used for another request; nothing was written: give each its own",
            value=shown,
        )
    return done


def do_once(
    store: Store,
    request: Request | None,
    work: Callable[[], T],
    *,
    is_effect: Callable[[Record], bool],
    again: Callable[[Done], T],
    reply: Callable[[Any], Any] | None = None,
) -> T:
    """Do *work* unless *request* counted before; then return what *again* makes of it.

    Args:
        request: None: the client gave no id, so the work is done.
        is_effect: Whether a record is what was asked for: the request is written with the first such one.
        reply: Gives the reply, as JSON, where it is known as the effect is written; else `keep_reply`.

    Raises:
        RequestIdReusedError: Something else was asked by this id.
    """
    if request is None:
        return work()
    store.catch_up()
    if (done := find(store, request)) is None:
        try:
            with _asked(Pending(store, request, is_effect, reply)):
                return work()
        except AlreadyDone as error:
            done = error.done
    return again(done)


@contextmanager
def _asked(one: Pending) -> Iterator[None]:
    before = _PENDING.set(one)
    try:
        yield
    finally:
        _PENDING.reset(before)


def keep_reply(store: Store, request: Request, reply: Any) -> None:
    """Keep the reply to a request; where it had no effect on the ledger, that it was asked as well."""
    with store.transaction() as tx:
        done = find(store, request)
        if done is None:
            tx.note(Counted(request.id, request.sha256, reply), by=MODERATOR)
        elif done.reply is NO_REPLY:
            tx.note(Replied(request.id, reply), by=MODERATOR)
