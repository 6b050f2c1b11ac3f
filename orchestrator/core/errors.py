"""Every error that Greenroom raises on purpose.

::

    GreenroomError
    ├── UsageError                  an option or argument that cannot be meant
    │   └── ConfigurationError      greenroom.yaml, GREENROOM_* or an option has a bad value
    ├── NotInstalledError           an extra of the package is missing
    ├── OutputError                 nowhere is left to show a result
    ├── HomeError                   the home folder lacks what it must hold
    ├── PersonaError                a persona or domain-knowledge file breaks its format
    ├── InputError                  something that a user gave cannot be read
    │   ├── DeckError               the deck: encrypted, empty, broken, of another kind
    │   ├── SpeechError             the recording: broken, of another kind
    │   └── AnswersError            the list of answers
    ├── SessionNotFoundError
    ├── SessionExistsError
    ├── SessionStateError           the session is in a state that forbids this
    │   ├── SessionFrozenError      it has ended
    │   ├── SessionDegradedError    a sync failed: the disk is not to be trusted
    │   ├── DriverBusyError         another process drives it
    │   └── OtherCrewError          it is of a crew that this program does not know, and lacks this
    ├── StoreError                  a write was refused; nothing has changed
    │   ├── UnknownFileError        a name outside the table
    │   ├── ImmutableFileError      a template
    │   ├── WriterNotAllowedError   a writer that is not in the file's row
    │   ├── AlreadyWrittenError     the second write to a write-once file
    │   ├── RevisionLimitError      one revision too many
    │   ├── AppendOnlyError         the wrong verb for the file's class
    │   ├── InvalidTextError        not UTF-8 text, or NUL in it
    │   ├── FileTooLargeError       over the row's size limit
    │   ├── StoreWriteError         the disk refused (full, read-only, out of descriptors)
    │   ├── RequestIdReusedError    a client's id of a request, with another content than before
    │   ├── SessionBusyError        another writer held the session for too long
    │   ├── SupersededError         another worker of the cluster has the session
    │   ├── ReplicaAwayError        the cluster's log does not answer
    │   ├── ReplicaBehindError      the cluster's log lacks what was acknowledged
    │   └── TransactionOpenError    a write past the transaction that this thread holds
    ├── LedgerCorruptError          damage that is not a torn last record
    ├── ReceiptError                a context cannot be rebuilt as its receipt says
    ├── EngineError                 an engine failed or gave no usable reply
    ├── OutboundError               another server may not be asked, or its reply not be taken
    ├── InstallationError           a file that comes with the package is missing or broken
    ├── AccessError                 who is signed in may not do this, or could not sign in
    ├── PrintError                  no browser prints here, or it failed
    └── ArchiveError                an archive is missing, incomplete or wrong
        ├── ArchiveMissingError     nothing of this session is archived there
        ├── ArchiveConflictError    another content is already stored under this name
        └── ArchiveUnavailableError the store refuses or does not answer now: no word on what lies there

Every message names the file or value, says what is wrong and what to do.
For programs, `code` is the class's name in words, and `file` or `value` is what the message is about.
Wrong argument types stay `TypeError` and `ValueError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def reduced(error: BaseException) -> tuple[Any, ...]:
    """Return what `pickle` and `copy` need to make *error* again: its message and attributes as they are.

    Python's default calls the class with the message alone, and some of our error classes take other
    arguments.
    """
    return _made_again, (type(error), error.args, dict(error.__dict__))


def _made_again(kind: type[BaseException], args: tuple[Any, ...], state: dict[str, Any]) -> BaseException:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class GreenroomError(Exception):
    """The base of all errors that a caller may want to show as one line.

    For programs, the attributes `file` and `value` name what the error is about, where there is such a thing.
    """

    def __init__(self, message: str, *, file: Path | str | None = None, value: str | None = None) -> None:
        super().__init__(message)
        self.file = None if file is None else str(file)
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)

    @property
    def code(self) -> str:
        """The error's name for programs: `SessionNotFoundError` is `session_not_found`."""
        words = re.findall(r"[A-Z][a-z0-9]*", type(self).__name__.strip("_").removesuffix("Error"))
        return "_".join(words).lower()


def names_its_file(read: Callable[Concatenate[Path, P], T]) -> Callable[Concatenate[Path, P], T]:
    """Wrap *read*, whose first argument is a file, so that its errors name the file in their attribute
    `file`."""

    @wraps(read)
    def reading(path: Path, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return read(path, *args, **kwargs)
        except GreenroomError as error:
            error.file = error.file or str(path)
            raise

    return reading


class AccessError(GreenroomError):
    """Who is signed in may not do this, or could not sign in."""


class UsageError(GreenroomError):
    """An option or argument that cannot be meant; the command line exits with 2."""


class ConfigurationError(UsageError):
    """A configuration file, environment variable or option holds a bad value."""


class NotInstalledError(GreenroomError):
    """An extra of the package that the operation needs is not installed."""


class OutputError(GreenroomError):
    """A result cannot be shown: stdout is closed."""


class HomeError(GreenroomError):
    """The home lacks something that every session needs."""


class PersonaError(GreenroomError):
    """A persona or domain-knowledge file breaks its format."""


class InputError(GreenroomError):
    """Something that a user gave cannot be read."""


class DeckError(InputError):
    """The deck cannot be read."""


class SpeechError(InputError):
    """The recording cannot be read."""


class AnswersError(InputError):
    """The list of answers cannot be read."""


class SessionNotFoundError(GreenroomError):
    """No session, or more than one, has this name."""


class SessionExistsError(GreenroomError):
    """A session with this id already exists."""


class SessionStateError(GreenroomError):
    """The session is in a state that forbids this."""


class SessionFrozenError(SessionStateError):
    """The session has ended; its files are read-only for ever."""


class SessionDegradedError(SessionStateError):
    """A sync failed earlier, so nothing more is written until `resume` has checked the disk."""


class DriverBusyError(SessionStateError):
    """Another process drives this session."""


class OtherCrewError(SessionStateError):
    """The session belongs to a crew that this program does not know, and lacks what was asked for."""


class StoreError(GreenroomError):
    """A write was refused, and nothing has changed."""


class UnknownFileError(StoreError):
    """The name is in no row of the table of files."""


class ImmutableFileError(StoreError):
    """The file is a template: never written at run time."""


class WriterNotAllowedError(StoreError):
    """The writer is not among those that the file's row names."""


class AlreadyWrittenError(StoreError):
    """A write-once file has already been written."""


class RevisionLimitError(StoreError):
    """A write-few file has already been revised as often as it may be."""


class AppendOnlyError(StoreError):
    """An append to a file of another class, or a write to an append-only file."""


class InvalidTextError(StoreError):
    """The text is not valid UTF-8 or contains NUL, or there is no text to append."""


class FileTooLargeError(StoreError):
    """The text, or the file after the append, is over the row's size limit."""


class StoreWriteError(StoreError):
    """The operating system refused the write; the session is as it was before."""


class SessionBusyError(StoreError):
    """Another writer held the session's lock for longer than the caller waits; the same write may be tried
    again."""


class SupersededError(StoreError):
    """Another worker of the cluster has taken the session over; this one writes it no more."""


class ReplicaAwayError(StoreError):
    """The log that keeps the second copy of each write did not answer in time; nothing was acknowledged."""


class ReplicaBehindError(StoreError):
    """The log lacks writes that it had acknowledged, so nothing is written over the gap."""


class RequestIdReusedError(StoreError):
    """A client used the id of its request before, for another request."""


class TransactionOpenError(StoreError):
    """The thread holds a transaction but writes without it; its writes must go through the transaction."""


class LedgerCorruptError(GreenroomError):
    """The ledger is damaged in a way that no crash explains. It is refused and not repaired."""


class LaterReleaseError(LedgerCorruptError):
    """A later release wrote the ledger, and this release cannot read it.

    That does not mean that it is damaged.
    """


class ReceiptError(GreenroomError):
    """A context cannot be rebuilt as its receipt says, or there is no such receipt."""


class EngineError(GreenroomError):
    """An engine failed or gave no usable reply.

    *stops* is true for a fault that whoever set the engine up can fix at once: no key, a refused key, an
    unknown model, or a service that cannot be reached. At the check before a session only such a fault stops
    the start. *status* is the HTTP status of the service's answer, if the answer was what failed.
    """

    def __init__(self, message: str, *, stops: bool = False, status: int | None = None) -> None:
        super().__init__(message)
        self.stops = stops
        self.status = status


class OutboundError(GreenroomError):
    """The environment's settings forbid sending a request, or the reply may not be used."""


class InstallationError(GreenroomError):
    """A file that comes with the package is missing or differs from the one that was shipped."""


class PrintError(GreenroomError):
    """A page could not be printed as PDF: this machine has no browser for it, or the browser failed."""


class ArchiveError(GreenroomError):
    """An archive is missing, incomplete or wrong."""


class ArchiveMissingError(ArchiveError):
    """Nothing of this session is archived at the address."""


class ArchiveConflictError(ArchiveError):
    """Another content is already stored under this name; nothing is overwritten."""


class ArchiveUnavailableError(ArchiveError):
    """The store refuses or does not answer now, which says nothing about the objects in it.

    *status* is the HTTP status of a server's answer, where there was one.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
