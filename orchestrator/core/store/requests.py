"""A client's own id for its request, so that a request repeated after a lost reply is not done twice.

The id is recorded in a note of the same transaction that does the work, so both are on the disk or neither
is. It is looked up under the lock, so of two simultaneous requests, in any processes, only one is done. A
ledger that contains no such id pays nothing for this.
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
"""Maximum characters of a request's id. A UUID has 36, which leaves room for a program's name and a
number."""
NO_REPLY: Final = object()
"""The reply is not known: the work was done, but its process was cut off before it could record the reply."""


@dataclass(frozen=True, slots=True)
class Request:
    """A client's request, with the id that the client gave it."""

    id: str
    sha256: str  # of all that was asked


@dataclass(frozen=True, slots=True)
class Counted(Value):
    """Note: the work of a client's request was done in this transaction."""

    TYPE: ClassVar = "request"

    id: str
    sha256: str  # as Request.sha256
    reply: Any = NO_REPLY  # JSON, where it was known by then


@dataclass(frozen=True, slots=True)
class Replied(Value):
    """Note: the reply to a request whose work was recorded earlier."""

    TYPE: ClassVar = "reply"

    id: str
    reply: Any


@dataclass(frozen=True, slots=True)
class Done:
    """A request whose work was done."""

    sha256: str
    seq: int  # of its note, in the transaction that did what was asked
    reply: Any = NO_REPLY


class Draft(Protocol):
    """What a request needs from a transaction."""

    records: list[Record]

    def note(self, value: Value, *, by: str) -> int: ...


class Store(Protocol):
    """What a request needs from a store."""

    @property
    def requests(self) -> Mapping[str, Done]: ...

    def catch_up(self) -> int: ...

    def transaction(self, timeout_s: float | None = None) -> AbstractContextManager[Draft]: ...


def request_of(id: str, *content: Any) -> Request:
    """Return the request with this id and content, which must be JSON.

    Raises:
        UsageError: The id is empty, is too long, or contains a character that cannot be printed.
    """
    if not id.isprintable() or not 1 <= len(id) <= MAX_ID_CHARS:
        raise UsageError(
            f"the id of a request has 1 to {MAX_ID_CHARS} characters that print: give such a one"
        )
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return Request(id, hashlib.sha256(text.encode()).hexdigest())


def part_of(request: Request, number: int) -> Request:
    """Return the request for one piece of a list that was sent under one id; the first *number* is 0."""
    return Request(f"{request.id}\n{number}", request.sha256) if number else request  # no id has a line break


def take(done: dict[str, Done], record: Record) -> None:
    """Fold a record into the requests whose work was done."""
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
    """The request was already done by another thread or process; raised to leave the transaction."""

    @property
    def done(self) -> Done:
        """The request as it was done before."""
        found: Done = self.args[0]
        return found


@dataclass
class Pending:
    """A request on which this thread is working."""

    store: Store
    request: Request
    is_effect: Callable[[Record], bool]
    reply: Callable[[Any], Any] | None
    is_written: bool = False

    def mark(self, draft: Draft) -> bool:
        """Record the request in the transaction that does its work; return whether *draft* is that
        transaction.

        Call this under the lock, at the end of the transaction.

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
    """Return the request for *store* on which this thread is working, or None."""
    found = _PENDING.get()
    return found if found is not None and found.store is store else None


def find(store: Store, request: Request) -> Done | None:
    """Return what the ledger, as last read, says about *request*, or None if it was never done.

    Raises:
        RequestIdReusedError: The id was used for another request.
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
    """Do *work*, unless *request* was done before; in that case return what *again* makes of it.

    Args:
        request: If None, the client gave no id, so the work is always done.
        is_effect: Returns whether a record is the work that was asked for; the request is recorded with the
            first such record.
        reply: Returns the reply, as JSON, if it is known when the work is recorded; if not, use `keep_reply`.

    Raises:
        RequestIdReusedError: The id was used for another request.
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
    """Record the reply to a request; if the request had no effect on the ledger, record the request as
    well."""
    with store.transaction() as tx:
        done = find(store, request)
        if done is None:
            tx.note(Counted(request.id, request.sha256, reply), by=MODERATOR)
        elif done.reply is NO_REPLY:
            tx.note(Replied(request.id, reply), by=MODERATOR)
