"""The facts of a session: a fold over the ledger's records, and the files made from it.

A run leaves two records. `fact-run` claims a window: everything behind the last window that was
read, up to a record. `facts` holds what was found in it, and only then has the window been read.
So a run that was killed between them is made up by the next one, and a `facts` record counts only
for the run that was claimed last: no window is read into the files twice, and none is lost.

Neither holds a time: when a fact was said and kept is told by the records' own.

What was marked sensitive, and what quotes it, is never waiting, so nobody is asked about it;
addresses and numbers of people are masked in what is.

A record of another program that is not in the shape of its type is passed over whole, and counted:
a run whose facts are passed over has not read its window, so the next run reads it again.

`facts/index.json` and `facts/YYYY-MM-DD.json` hold nothing that the records do not, so any of them may be
lost, torn or changed and is made again whole. A file is replaced at once, and only where it differs, the
index last: so what the index names is there. A fact stands in the file of the day on which it was said.
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
"""Between two looks at a lock: far below one engine call, for which it is held, and no load."""


@contextmanager
def derived_folder(root: Path, name: str, *, make: bool = True) -> Iterator[int]:
    """Open a folder of the session at *root*, never through a link.

    Args:
        make: Where it is missing; only while holding the session's lock, so that it has not ended.

    Raises:
        OSError: It cannot be made or opened, or something else has its name.
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
    """Files made from a session's ledger; failing to make them is one warning until it works again."""

    def __init__(self, store: Store, what: str, write: Callable[[], None]) -> None:
        self._store, self._what, self._write = store, what, write
        self._fails = False

    def write(self) -> bool:
        """Update the files; return False if the disk refused or the ledger holds an unexpected record.

        It is done under the session's lock: behind the back of an end elsewhere, there would be a file
        that the record of the end does not know. A session that has ended, or whose ledger takes
        nothing more, gets none, and that is no failure: the ledger has it all.
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
        OSError: The disk refused; *name* is as it was.
    """
    files.replace_file(folder_fd, name, text.encode())


def replace_if_different(folder_fd: int, name: str, text: str) -> bool:
    """Replace the content of *name* if it differs from *text*; return whether it did."""
    if files.read_plain(folder_fd, name, most=len(text.encode())) == text.encode():
        return False
    replace_text(folder_fd, name, text)
    return True


@contextmanager
def locked(root: Path, folder: str, *, wait_s: float = 0.0) -> Iterator[bool]:
    """Lock *folder* of the session at *root*; False: another process holds it, even after *wait_s* seconds.

    The lock is `flock` on the folder itself, so nothing is left behind, and the system gives it back
    the moment its holder dies. It makes no folder. Where it cannot be had (there is no folder, or the
    file system locks none), the answer is True: the ledger's records alone keep a window from being
    counted twice; the lock keeps it from being paid for twice.
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
"""What one engine call reads: over an hour of speech (150 words a minute, 6 characters a word)."""
FOLDER: Final = "facts"
INDEX: Final = "index.json"
VERSION: Final = 1
MAX_INDEXED_CHARS: Final = 160
"""Of a fact's content in the index, which is for looking up; the day's file has it whole."""

_INDEXED: Final = ("id", "type", "content", "confidence", "source_date", "settled_by")
_OURS = re.compile(r"\d{4}-\d\d-\d\d\.json")


@dataclass(frozen=True, slots=True)
class Claim:
    """A window claimed by a run."""

    run: int
    from_seq: int  # the first record of the window
    to_seq: int  # the last
    passages: tuple[Passage, ...] = ()


@dataclass(slots=True)
class FactLog:
    """The fold of facts; pass `take` every record once, in order."""

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
        """Fold in the next record, whole or not at all."""
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
        """Whether anything but questions waits to be read."""
        return any(passage.kind in SPOKEN for passage in self.waiting.values())

    def stays(self, text: str) -> bool:
        """Return whether *text* holds or quotes words that must stay in the session's transcript."""
        return not is_clean(text) or self._off_record.touches(text)

    def window(self, upto: int) -> Claim | None:
        """Return the next window, up to record *upto* or the size of one call, or None if nothing waits."""
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
        """Drop what was said in a withdrawn answer, and what resulted from it."""
        self._let_go(set(taken_back.withdraws))
        for index, fact in enumerate(self.facts):
            if fact.settled_by == taken_back.exchange:
                self.facts[index] = replace(fact, settled_by=None)

    def _let_go(self, fallen: Set[int]) -> None:
        """Skip these records when looking for facts, and drop facts found in them."""
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
        """Drop a parked question from the open threads once it was put again and answered."""
        self.exchanges += 1
        if exchange.comes_back_to is None or exchange.outcome != "satisfied":
            return
        for index, fact in enumerate(self.facts):
            if fact.type == "open_thread" and fact.exchange == exchange.comes_back_to:
                self.facts[index] = replace(fact, settled_by=exchange.exchange)


def _check_before(seq: int, record: Record) -> None:
    """Raise ValueError unless *seq* is the number of an earlier record, as those that a run read are."""
    if not 0 <= seq < record.seq:
        raise ValueError(f"{seq} is no earlier record")


def is_sound(draft: FactDraft) -> bool:
    """Return whether a fact is of a known kind, has text within the limit, and can stand in a file."""
    try:
        f"{draft.content}{draft.quote}".encode()  # half a character is no text
    except UnicodeEncodeError:
        return False
    is_known = draft.type in FACT_TYPES and draft.confidence in CONFIDENCES
    return is_known and 0 < len(draft.content) <= MAX_CONTENT_CHARS and "\0" not in draft.content


# ---------------------------------------------------------------------- the files


def fact_files(log: FactLog) -> dict[str, str]:
    """Return every file of the folder with its text, the index last."""
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
    """Update the session's `facts/` from the ledger.

    Call it while holding `locked`, so that nobody's older files replace newer ones.

    Raises:
        OSError: The disk refused; every file there is whole, as it was or as it should be.
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
