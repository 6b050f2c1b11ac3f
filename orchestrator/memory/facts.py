"""The facts of a session: a fold over the ledger's records, and the files made from it.

A run leaves two records. `fact-run` claims a window: everything after the last window that was read, up to a
given record. `facts` contains what the run found in its window; only with that record has the window been
read. So if a run is killed between the two records, the next run reads its window again. A `facts` record
counts only for the run that was claimed last: no window is read into the files twice, and none is lost.

Neither record contains a time: when a fact was said, and when it was stored, is known from the times of the
records themselves.

Text that was marked sensitive, or that quotes such text, never waits to be read, so no engine is asked about
it. In the text that waits, addresses and numbers of people are masked.

A record of another program that does not have the shape of its type is skipped whole, and counted. A run
whose facts are skipped has not read its window, so the next run reads the window again.

`facts/index.json` and `facts/YYYY-MM-DD.json` contain nothing that the records do not, so if any of them is
lost, torn or changed, it is made again whole. A file is replaced atomically, and only if its content differs;
the index comes last, so every file that the index names exists. A fact is listed in the file of the day on
which it was said.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Set
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

from orchestrator.core.errors import LedgerCorruptError, SessionDegradedError, SessionFrozenError, StoreError
from orchestrator.core.legible import clipped
from orchestrator.core.privacy.masking import masked
from orchestrator.core.privacy.off_record import is_clean
from orchestrator.core.store import files
from orchestrator.core.store.ledger import Record
from orchestrator.core.store.off_record import OffRecord
from orchestrator.core.store.store import Store
from orchestrator.core.values import to_json
from orchestrator.panel.model.reply import (
    CONFIDENCES,
    EXCHANGE,
    FACT_TYPES,
    MAX_CONTENT_CHARS,
    SPOKEN,
    Fact,
    FactDraft,
    Passage,
    key_of,
)
from orchestrator.panel.records.kinds import KINDS, known_value, passage_of
from orchestrator.panel.records.memory import FAILED, FactRun, FactsKept, GoalsKept
from orchestrator.panel.records.speech import Corrected, is_spoken
from orchestrator.panel.records.start import SessionStarted
from orchestrator.panel.records.taken_back import AnswerTakenBack

# ---------------------------------------------------------------------- derived
# Folders of files that are made from the ledger and can be made again at any time, and their lock.


log = logging.getLogger(__name__)

_POLL_S: Final = 0.02
"""Seconds between two attempts to get a lock: far less than the one engine call for which it is held, and no
load."""


@contextmanager
def derived_folder(root: Path, name: str, *, make: bool = True) -> Iterator[int]:
    """Open the folder *name* of the session at *root* without following a link; yield its descriptor.

    Args:
        make: Whether to create a missing folder. Pass True only while holding the session's lock, which rules
            out that the session has ended.

    Raises:
        OSError: The folder cannot be created or opened, or something else has its name.
    """
    root_fd = os.open(root, files.FOLDER)
    try:
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, files.FOLDER_MODE, dir_fd=root_fd)
        fd = os.open(name, files.FOLDER, dir_fd=root_fd)
    finally:
        os.close(root_fd)
    try:
        yield fd
    finally:
        os.close(fd)


class Made:
    """Files made from a session's ledger. A failure to make them is one warning, until it works again."""

    def __init__(self, store: Store, what: str, write: Callable[[], None]) -> None:
        self._store, self._what, self._write = store, what, write
        self._fails = False

    def write(self) -> bool:
        """Update the files; return False if the disk refused or the ledger holds an unexpected record.

        The files are written under the session's lock. Without it, another process could end the session
        meanwhile, and a file would appear that the record of the end does not list. A session that has ended,
        or whose ledger accepts nothing more, gets no files. That is not a failure, since the ledger has
        everything.
        """
        with suppress(SessionFrozenError, SessionDegradedError, StoreError), self._store.transaction():
            try:
                self._write()
                self._fails = False
            except (OSError, ValueError, TypeError, RecursionError) as error:
                why = files.reason(error) if isinstance(error, OSError) else type(error).__name__
                if not self._fails:
                    log.warning("%s: %s could not be written (%s)", self._store.root.name, self._what, why)
                self._fails = True
        return not self._fails


def replace_text(folder_fd: int, name: str, text: str) -> None:
    """Replace the content of *name* with *text* atomically, without a sync.

    Raises:
        OSError: The disk refused; the file *name* is unchanged.
    """
    files.replace_file(folder_fd, name, text.encode())


def replace_if_different(folder_fd: int, name: str, text: str) -> bool:
    """Replace the content of *name* if it differs from *text*; return whether it was replaced."""
    if files.read_plain(folder_fd, name, most=len(text.encode())) == text.encode():
        return False
    replace_text(folder_fd, name, text)
    return True


@contextmanager
def locked(root: Path, folder: str, *, wait_s: float = 0.0) -> Iterator[bool]:
    """Lock *folder* of the session at *root*; yield False if another process keeps it locked.

    *wait_s* is how long to wait for the lock, in seconds. The lock is `flock` on the folder itself, so
    nothing is left behind, and the system releases it the moment its holder dies. The folder is never
    created. If there is no folder, or the file system supports no locks, True is yielded all the same: the
    ledger's records alone prevent that a window is counted twice; the lock only prevents that an engine is
    paid twice for it.
    """
    with ExitStack() as stack:
        try:
            fd = stack.enter_context(derived_folder(root, folder, make=False))
        except OSError:
            yield True
            return
        yield _is_locked(fd, monotonic() + wait_s)


def _is_locked(fd: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if monotonic() >= deadline:
                return False
            sleep(_POLL_S)
        except OSError:
            return True


# ---------------------------------------------------------------------- facts


WRITER: Final = "summariser"
MAX_WINDOW_CHARS: Final = 60_000
"""Maximum number of characters that one engine call reads: over an hour of speech (150 words a minute, 6
characters a word)."""
FOLDER: Final = "facts"
INDEX: Final = "index.json"
VERSION: Final = 1
MAX_INDEXED_CHARS: Final = 160
"""Maximum number of characters of a fact in the index, which is for looking up; the day's file has the whole
fact."""

_INDEXED: Final = ("id", "type", "content", "confidence", "source_date", "settled_by")
_OURS = re.compile(r"\d{4}-\d\d-\d\d\.json")


@dataclass(frozen=True, slots=True)
class Claim:
    """A window that a run has claimed."""

    run: int
    from_seq: int  # the first record of the window
    to_seq: int  # the last
    passages: tuple[Passage, ...] = ()


@dataclass(slots=True)
class FactLog:
    """The fold of a session's facts; pass each record to `take` once, in order."""

    facts: list[Fact] = field(default_factory=list)
    numbered: int = 0  # facts so far: one that was withdrawn keeps its number
    spoken: list[int] = field(default_factory=list)  # by segment: the record that holds its words now
    keys: set[str] = field(default_factory=set)  # `key_of` every fact's content
    waiting: dict[int, Passage] = field(default_factory=dict)  # behind the last window that was read
    read_seq: int = 0  # the last window that was read ends here
    run: int = 0  # runs that were claimed
    open: Claim | None = None  # claimed, and neither read nor failed
    ran_at_s: float = 0.0  # session clock of the last claim
    exchanges: int = 0  # closed since the last claim
    failed: str | None = None  # why the last run came to nothing
    date: str | None = None  # of the rehearsal, where one was given
    remembered: list[str] = field(default_factory=list)  # goals, decisions and blockers that a model read
    passed_over: list[int] = field(default_factory=list)  # records that are in no shape of this release
    _off_record: OffRecord = field(default_factory=partial(OffRecord, kinds=KINDS))

    def take(self, record: Record) -> None:
        """Fold in the next record whole, or skip it and note its number if it is not as expected."""
        try:
            self._take(record)
        except (LedgerCorruptError, ValueError):
            self.passed_over.append(record.seq)

    def _take(self, record: Record) -> None:
        value = known_value(record)
        if is_spoken(record):
            self.spoken.append(record.seq)
        elif isinstance(value, Corrected) and value.was != value.segment.text:
            if not 1 <= value.number <= len(self.spoken):
                raise ValueError(f"there is no segment {value.number}")
            self._let_go({self.spoken[value.number - 1]})  # words that were not said
            self.spoken[value.number - 1] = record.seq
        match value:
            case SessionStarted(date=date):
                self.date = date
            case FactRun() as run:
                self._run(run, record)
            case FactsKept() as found:
                self._facts(found, record)
            case GoalsKept(items=items):
                self.remembered += [kept.text for kept in items]
            case value:
                passage = passage_of(record, self.date)
                is_hidden = self._off_record.take(record, passage.text if passage is not None else None)
                if passage is not None and passage.kind == EXCHANGE:  # its questions, no answers
                    is_sensitive = record.held is not None and record.held.is_sensitive
                    is_hidden = is_sensitive or self._off_record.stays(passage.text)
                    self._closed(passage)
                if passage is not None and not is_hidden:
                    self.waiting[passage.seq] = replace(passage, text=masked(passage.text))
                if isinstance(value, AnswerTakenBack):
                    self._withdraw(value)

    @property
    def has_speech(self) -> bool:
        """Whether any passage that waits to be read is something other than a question."""
        return any(passage.kind in SPOKEN for passage in self.waiting.values())

    def stays(self, text: str) -> bool:
        """Return whether *text* holds or quotes words that must stay in the session's transcript."""
        return not is_clean(text) or self._off_record.touches(text)

    def window(self, upto: int) -> Claim | None:
        """Return the next window, or None if nothing waits to be read.

        It ends at record *upto*, or where it has reached the size of one engine call.
        """
        taken: list[Passage] = []
        chars = 0
        for seq, passage in self.waiting.items():
            if seq > upto:
                break
            chars += len(passage.text)
            if taken and chars > MAX_WINDOW_CHARS:
                upto = taken[-1].seq
                break
            taken.append(passage)
        return Claim(self.run + 1, self.read_seq + 1, upto, tuple(taken)) if taken else None

    def _run(self, run: FactRun, record: Record) -> None:
        if run.state == FAILED:
            if run.reason is None:
                raise ValueError("no reason")
            if self.open is not None and run.run == self.open.run:
                self.open, self.failed = None, run.reason
            return
        if run.from_seq is None or run.to_seq is None:
            raise ValueError("no window")
        _check_before(run.to_seq, record)
        self.open, self.run = Claim(run.run, run.from_seq, run.to_seq), run.run
        self.ran_at_s, self.exchanges, self.failed = record.clock_s, 0, None

    def _facts(self, found: FactsKept, record: Record) -> None:
        if self.open is None or found.run != self.open.run:
            return  # of a run that was taken over
        _check_before(found.to_seq, record)
        if not all(map(is_sound, found.facts)):
            raise ValueError("no fact")
        for draft in found.facts:
            passage = self.waiting.get(draft.source)
            if passage is not None and not self.stays(f"{draft.content}\n{draft.quote}"):
                self.numbered += 1
                self.facts.append(self._fact(draft, passage, record))
                self.keys.add(key_of(draft.content))
        self.read_seq, self.open = found.to_seq, None
        self.waiting = {seq: one for seq, one in self.waiting.items() if seq > found.to_seq}

    def _withdraw(self, taken_back: AnswerTakenBack) -> None:
        """Drop what was said in a withdrawn answer, and whatever followed from that answer."""
        self._let_go(set(taken_back.withdraws))
        for index, fact in enumerate(self.facts):
            if fact.settled_by == taken_back.exchange:
                self.facts[index] = replace(fact, settled_by=None)

    def _let_go(self, fallen: Set[int]) -> None:
        """Stop reading the records *fallen* for facts, and drop the facts that were found in them."""
        self.waiting = {seq: one for seq, one in self.waiting.items() if seq not in fallen}
        gone = {key_of(one.content) for one in self.facts if one.source in fallen}
        self.facts = [one for one in self.facts if one.source not in fallen]
        self.keys -= gone - {key_of(one.content) for one in self.facts}

    def _fact(self, draft: FactDraft, passage: Passage, record: Record) -> Fact:
        return Fact(
            id=f"f{self.numbered}",
            **asdict(draft),
            source_date=passage.day,
            extracted_at=record.at,
            speaker=passage.speaker,
            said_at_s=passage.said_at_s,
            slide=passage.slide,
            exchange=passage.exchange,
        )

    def _closed(self, exchange: Passage) -> None:
        """Mark a parked question as settled once it was asked again and answered."""
        self.exchanges += 1
        if exchange.comes_back_to is None or exchange.outcome != "satisfied":
            return
        for index, fact in enumerate(self.facts):
            if fact.type == "open_thread" and fact.exchange == exchange.comes_back_to:
                self.facts[index] = replace(fact, settled_by=exchange.exchange)


def _check_before(seq: int, record: Record) -> None:
    """Raise ValueError unless *seq* is the number of a record before *record*.

    Every record of a window comes before the record that claims the window.
    """
    if not 0 <= seq < record.seq:
        raise ValueError(f"{seq} is no earlier record")


def is_sound(draft: FactDraft) -> bool:
    """Return whether *draft* is of a known kind, has text within the limit, and can be stored in a file."""
    try:
        f"{draft.content}{draft.quote}".encode()  # half a character is no text
    except UnicodeEncodeError:
        return False
    is_known = draft.type in FACT_TYPES and draft.confidence in CONFIDENCES
    return is_known and 0 < len(draft.content) <= MAX_CONTENT_CHARS and "\0" not in draft.content


# ---------------------------------------------------------------------- the files


def fact_files(log: FactLog) -> dict[str, str]:
    """Return the name and the text of every file of the folder, the index last."""
    days: dict[str, list[Fact]] = {}
    for fact in log.facts:
        days.setdefault(fact.source_date, []).append(fact)
    days = dict(sorted(days.items()))
    made = {
        f"{day}.json": _text({"version": VERSION, "source_date": day, "facts": list(map(asdict, facts))})
        for day, facts in days.items()
    }
    return {**made, INDEX: _text(_index(log, days))}


def write_fact_files(root: Path, log: FactLog) -> None:
    """Bring the files in the session's `facts/` up to date with the ledger.

    Call it while holding `locked`, so that no other process replaces newer files by older ones.

    Raises:
        OSError: The disk refused. Every file in the folder is whole, with its old or its new content.
    """
    made = fact_files(log)
    with derived_folder(root, FOLDER) as fd:
        for name, text in made.items():
            replace_if_different(fd, name, text)
        for name in os.listdir(fd):
            if _OURS.fullmatch(name) and name not in made:
                files.unlink_if_there(fd, name)


def _index(log: FactLog, days: dict[str, list[Fact]]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "facts": len(log.facts),
        "read_to": log.read_seq,  # record of the ledger
        "types": dict(sorted(Counter(fact.type for fact in log.facts).items())),
        "files": [{"path": f"{FOLDER}/{day}.json", "facts": len(facts)} for day, facts in days.items()],
        "entries": [_entry(fact) for fact in log.facts],
    }


def _entry(fact: Fact) -> dict[str, Any]:
    plain = {**to_json(fact), "content": clipped(fact.content, MAX_INDEXED_CHARS)}
    return {name: plain[name] for name in _INDEXED if name in plain}


def _text(plain: dict[str, Any]) -> str:
    return json.dumps(plain, ensure_ascii=False, indent=1) + "\n"
