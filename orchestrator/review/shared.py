"""What the workers of a cluster tell each other of their sessions, so that each lists the sessions of all.

A server on its own has no shelf; then its home and its archives are all there is.

Source: cluster.md, "Parts".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, Final, Protocol

from orchestrator.review.reading import Entry, Passage

VERSION: Final = 1
"""Version of a row as it is sent. A row of another version is not shown."""


class Place(Enum):
    """Where a session is read."""

    HERE = "here"
    """In the folder on this disk."""
    ARCHIVE = "archive"
    """In its archive: there is no folder of it here, or a stale one."""
    ELSEWHERE = "elsewhere"
    """On another worker's disk alone; here its row can be shown, and nothing else."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of verifying one session at one place."""

    head: str  # that it was held against
    is_valid: bool
    at: str  # RFC 3339


@dataclass(frozen=True, slots=True)
class SharedRow:
    """What lists and the catalogue show of one session. Its only words are the catalogue's entry."""

    session: str
    worker: str  # that wrote this row
    epoch: int  # in which that worker had the session (`cluster.log.Kept.epoch`); 0: it was in no log
    entry: Entry
    listed: Mapping[
        str, Any
    ]  # its row of the list; a given title and the archive are added where it is shown
    is_driven: bool = False
    archive: str = ""  # its address, once it has ended and lies there whole

    def to_bytes(self) -> bytes:
        """Return the row as it is sent."""
        plain = {**asdict(self), "listed": dict(self.listed), "version": VERSION}
        return json.dumps(plain, ensure_ascii=False).encode()

    @classmethod
    def of(cls, content: bytes) -> SharedRow | None:
        """Return the row that was sent, or None if this release cannot read it."""
        try:
            told = json.loads(content)
            if told.pop("version") != VERSION:
                return None
            entry = Entry.of(json.dumps(told.pop("entry")))
            made = cls(entry=entry, **told)
            is_right = made.entry.session == made.session == made.listed["session"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        return made if is_right and isinstance(made.epoch, int) else None

    @property
    def passages(self) -> list[Passage]:
        """What a search finds of a session before it is archived: what the row shows, and none of its
        words."""
        return [about(self.entry)]

    @property
    def started(self) -> tuple[str, str]:
        """The order of lists: when the session was begun, and its name to break ties."""
        return self.entry.started_at, self.session


def about(entry: Entry) -> Passage:
    """Return the passage by which a session is found from its deck, presenter, day and name."""
    parts = (entry.deck, entry.presenter or entry.crew, entry.date, entry.session)
    return Passage("about", "", None, " ".join(part for part in parts if part))


def goes_first(new: SharedRow, before: SharedRow | None) -> bool:
    """Return whether *new* replaces the row that is there.

    A later owner's row goes first. Within one epoch that of the worker who wrote the row does, and that of
    the archive stays: what is archived changes no more.
    """
    if before is None:
        return True
    if new.epoch != before.epoch:
        return new.epoch > before.epoch
    if bool(new.archive) != bool(before.archive):
        return bool(new.archive)
    return new.worker == before.worker or bool(new.archive)


def place_of(
    row: SharedRow | None, worker: str, epoch: int | None, head_here: Callable[[], str | None]
) -> Place:
    """Return where this *worker* reads a session.

    Args:
        row: What is known of the session; None: nobody else has told of it.
        epoch: In which this worker has the session now; None: it does not.
        head_here: Returns the head of the ledger in the folder on this disk, or None if there is none.
    """
    if row is None or (epoch is not None and epoch >= row.epoch):
        return Place.HERE
    if row.archive:
        return Place.HERE if head_here() == row.entry.head else Place.ARCHIVE
    if row.worker == worker and head_here() is not None:
        return Place.HERE
    return Place.ELSEWHERE


class Shared(Protocol):
    """The sessions of all workers, as one of them knows them. Safe to use from many threads."""

    on_erased: list[Callable[[str], object]]
    """Called with a session that is erased: here, before the others are told; or elsewhere, before its folder
    here is removed."""

    @property
    def rows(self) -> Mapping[str, SharedRow]:
        """The row of every session that was told of, by session; the mapping does not change."""

    @property
    def why_old(self) -> str | None:
        """Why what is known of other workers may be old; None: it is not."""

    def place(self, session: str) -> Place:
        """Return where this worker reads a session."""

    def share(self, session: str) -> None:
        """Tell the others now what is new beside a session here: comments, verdicts, title, archives.

        If the servers do not answer, they are told once they do.
        """

    def tell_verified(self, session: str, place: str, found: Verified) -> None:
        """Tell the others that a session was verified in its archive; lost if the servers do not answer.

        Args:
            place: As for `Catalogue.note_verified`.
        """

    def erase(self, session: str) -> None:
        """Tell the others that a session was erased, and remove what the servers have of it.

        Raises:
            ReplicaAwayError: They do not answer, so others still show the session: erase it again.
        """
