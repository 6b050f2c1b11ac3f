"""The record: one line of JSON for everything that happens to a session.

A line holds these keys, in this order; those that a record has no use for are left out.

=========  ==================================================================================
seq        1, 2, 3, … without gaps
op         open, create, write, revise, append, replace, note, receipt or freeze
file       path of the session file that was written (not for open, note, receipt, freeze)
by         the writer
clock_s    session clock, seconds; never decreases
at         wall clock, UTC, RFC 3339 with microseconds; informative only
withheld   true on what no agent is shown: it was said off the record, or quotes that (version 2)
receipt    the id of the receipt of the context that the write came from (version 2)
same       in place of a text: the number of the record whose text was written again (version 2)
text       what was written: the whole file, or what was appended
value      the typed value that the text was rendered from: an object with a `type` (`value.Value`)
more       true on every record of a transaction but its last; left out otherwise
bytes      the file's length after the write
sha256     the file's SHA-256 after the write, over its whole content, in hex
hash       this record's own hash, in hex
=========  ==================================================================================

The hash is the SHA-256 of the previous record's hash (64 ASCII hex digits; 64 zeros before
the first record) followed by the bytes of this line up to, not including, ``,"hash":"``.
Lines are UTF-8, end with one newline, and hold no other. So every line is JSON that `jq`
reads, and any torn, flipped, inserted or missing line shows. The loss of whole last records
shows only against a head that was kept elsewhere.

The records of one transaction are written with one write: they count all or none. The first
record (`open`) names the versions of this format and of frames and layouts.

Source: DESIGN.md, section 4.
"""

from __future__ import annotations

import builtins
import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from math import isfinite
from typing import Any, ClassVar, Final, NamedTuple, Self, TypeVar

from orchestrator.core.errors import FileTooLargeError, LedgerCorruptError, UsageError
from orchestrator.core.legible import mapping_argument
from orchestrator.core.table import MIB
from orchestrator.core.values import from_json, to_json

# ---------------------------------------------------------------------- value
# What a record carries beside its text: one frozen dataclass for each type, and JSON on the disk.
#
# On the disk a value is an object with a `type`, a version `v` where that is above 1, and the fields of
# its class; fields that equal their default are left out. A field that no class has is passed over, and a
# type or version without a class is `Unread`: a later release, or another program, wrote it, and it stays
# as it is.


V = TypeVar("V", bound="Value")


@dataclass(frozen=True, slots=True)
class Bearing:
    """How a record bears on what was said off the record, and who may read it."""

    exchange: str | None = None  # the one that it belongs to
    words: str | None = None  # what was said aloud, where the record's text holds more than that
    speaker: str | None = None
    opens: bool = False  # an exchange, with which what was said off the record before is over
    closes: bool = False  # the exchange
    moves_on: bool = False  # the talk does: nobody is off the record any more
    is_answer: bool | None = None  # it is about an exchange's answer; None: if it is appended somewhere


_NO_BEARING: Final = Bearing()


class Value:
    """The base class of all values of records: a frozen dataclass with the name and version of its type."""

    __slots__ = ()
    TYPE: ClassVar[str]
    VERSION: ClassVar[int] = 1

    @property
    def type(self) -> str:
        """The name of the value's type, as it is stored."""
        return self.TYPE

    @property
    def bearing(self) -> Bearing:
        """How the value bears on what was said off the record."""
        return _NO_BEARING

    def plain(self) -> dict[str, Any]:
        """Return the value as JSON: its type, its version if above 1, and its fields."""
        version = {"v": self.VERSION} if self.VERSION != 1 else {}
        return {"type": self.TYPE, **version, **to_json(self)}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        """Return the value from what `plain` wrote; keys that are not fields are skipped.

        Raises:
            ValueError: *plain* does not have the shape of the class.
        """
        return from_json(cls, plain)


@dataclass(frozen=True, slots=True)
class Unread(Value):
    """A program's own note, or a value whose type or version this release has no class for; stored
    unchanged."""

    fields: Mapping[str, Any]

    @property
    def type(self) -> str:
        return str(self.fields.get("type"))

    def plain(self) -> dict[str, Any]:
        return dict(self.fields)


MAX_NOTE_BYTES: Final = 1024 * 1024
"""Maximum size of a program's own note, as JSON: the maximum size of an append."""
_OWN = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9._-]+")


def own_note(type_: str, fields: Mapping[str, Any]) -> Unread:
    """Return a program's own note, which this package carries along unread.

    Args:
        type_: A name with a prefix of the program's own: "review.finding".
        fields: What it says, as JSON; not `type`, which is the first argument.

    Raises:
        UsageError: The name has no such prefix, or the fields have a `type`.
        TypeError: The fields are no mapping.
        FileTooLargeError: They are longer than `MAX_NOTE_BYTES`.
    """
    if not isinstance(type_, str) or not _OWN.fullmatch(type_):
        raise UsageError(
            f"{str(type_)[:40]!r} is no type for a note of your own: give it a prefix that is yours, as in "
            "review.finding; names without one are the core's and the board panel's",
            value=str(type_)[:40],
        )
    said = mapping_argument("fields", fields, '{"severity": "high"}')
    if "type" in said:
        raise UsageError(
            f"the fields of {type_} have a `type`, which is taken: the note's own type stands there: use "
            "another name, as in `kind`",
            value="type",
        )
    note = Unread({"type": type_, **said})
    size = _length(note)
    if size > MAX_NOTE_BYTES:
        raise FileTooLargeError(
            f"{type_}: {size} bytes are over the limit of {MAX_NOTE_BYTES} for one note; "
            "nothing was written: write the text to a file, and name that in the note"
        )
    return note


def _length(note: Unread) -> int:
    """Return the size of a note as JSON, in bytes; 0 if it is not JSON, which is refused when it is
    written."""
    try:
        return len(json.dumps(note.fields, ensure_ascii=False).encode())
    except (TypeError, ValueError, RecursionError):
        return 0


Kinds = Mapping[tuple[str, int], type[Value]]
"""The classes of values that a reader knows, by type and version."""


def kinds_of(*classes: type[Value]) -> Kinds:
    """Return *classes* by their types and versions."""
    return {(one.TYPE, one.VERSION): one for one in classes}


class Held:
    """A record's value: the fields that the ledger stores, and the value in the class that a reader asked
    for."""

    __slots__ = ("_as", "fields")

    def __init__(self, fields: Mapping[str, Any], value: Value | None = None) -> None:
        self.fields: Final = fields
        self._as = value

    @property
    def written(self) -> Value | None:
        """The value that a program passed in; a value read from the ledger only once it was converted,
        else None."""
        return self._as

    @property
    def is_sensitive(self) -> bool:
        """Whether a program noted (`"sensitive": true`) that the value is to stay in the session."""
        return bool(self.fields.get("sensitive"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and self.fields == other.fields

    __hash__ = None  # type: ignore[assignment]  # what it holds has none either

    def __repr__(self) -> str:
        return f"Held({self.fields!r})"

    @property
    def type(self) -> str:
        """The name of the value's type, or "" if it has none."""
        found = self.fields.get("type")
        return found if isinstance(found, str) else ""

    def among(self, kinds: Kinds) -> Value:
        """Return the value as one of *kinds*, or as `Unread` if none fits.

        Raises:
            ValueError: The value does not have the shape of its class.
        """
        version = self.fields.get("v", 1)
        kind = kinds.get((self.type, version)) if isinstance(version, int) else None
        return self.read(kind) if kind is not None else Unread(self.fields)

    def read(self, kind: builtins.type[V]) -> V:
        """Return the value as a *kind*.

        Raises:
            ValueError: The value does not have the shape of *kind*.
        """
        if not isinstance(self._as, kind):
            self._as = kind.read(self.fields)
        return self._as


def held(value: Value | None) -> Held | None:
    """Return a value in the form that a record carries, or None.

    Raises:
        TypeError: *value* is a mapping or anything else that is not a `Value`.
    """
    if value is None:
        return None
    if not isinstance(value, Value):
        raise TypeError(
            f"a record's value is a {type(value).__name__}: give a value of a class of its own; "
            "for a note of your own its type and its fields"
        )
    return Held(value.plain(), value)


# ---------------------------------------------------------------------- ledger


# Raised where an older ledger could not be read as it is; archives of earlier releases are kept as tests.
LEDGER_VERSION: Final = 2
WITHOUT_TABLE: Final = 1
"""The version of the ledgers of release 0.1.0, whose first record contains no table of files."""
READ_VERSIONS: Final = (WITHOUT_TABLE, LEDGER_VERSION)

# The first record follows no other; zeros keep every line of one form.
FIRST_HASH: Final = "0" * 64
_HASH_KEY: Final = b',"hash":"'
_TAIL_BYTES: Final = len(_HASH_KEY) + 64 + len(b'"}')
# Each part is bounded, so that a line of garbage costs no more than one look at its beginning.
_NAMES: Final = re.compile(rb'"op":"([a-z]{1,16})"(?:,"file":"([a-z0-9./-]{1,128})")?')
_HEAD: Final = re.compile(rb'\{"seq":(\d{1,15}),%b,"by":' % _NAMES.pattern)
_WITHHELD: Final = re.compile(
    rb'"by":"[^"\\]{1,64}","clock_s":-?[0-9][0-9.e+-]{0,30},"at":"[^"]{1,32}","withheld":true'
)
_BY_KEY: Final = b',"by":'
_NAMES_BYTES: Final = 256
"""Upper bound on the bytes that `_HEAD` matches between the record's number and its writer."""
_WITHHELD_KEY: Final = b',"withheld":true'
_MORE_KEY: Final = b',"more":true'
# Possessive, which takes half the time: nothing in it can be given back.
_MORE: Final = re.compile(rb',"more":true(?:,"bytes":\d++,"sha256":"[0-9a-f]{64}+")?+\Z')
_MORE_BYTES: Final = 128
"""Upper bound on the length of a match of `_MORE`, with a file of 10^15 bytes."""
_HASH: Final = re.compile(rb',"hash":"([0-9a-f]{64})"\}')
_ZEROS: Final = re.compile(rb"\0+")
_BLOCK_BYTES: Final = 512
"""The smallest piece that a disk writes or loses: its logical sector, which is the same on disks with
larger physical ones."""

_SIZE: Final = re.compile(rb',"bytes":(\d{1,15}),"sha256":"([0-9a-f]{64})","hash":"[0-9a-f]{64}"\}\n?\Z')
_SIZE_BYTES: Final = 256
"""Upper bound on the length of a match of `_SIZE`."""
_CLOCK: Final = re.compile(rb',"clock_s":(-?\d[0-9.e+-]{0,30}),"at":"')
"""The record's own session clock. Inside a JSON string the quotes would be escaped, so the first match is
the record's own."""

_FEW_BYTES: Final = 16 * 1024
_MANY_BYTES: Final = 64 * MIB
"""Maximum size of a piece of a ledger whose lines are read all at once: few enough to have every line
twice in memory."""

FILE_OPS: Final = frozenset({"create", "write", "revise", "append", "replace"})
OTHER_OPS: Final = frozenset({"open", "note", "receipt", "freeze"})


class Record(NamedTuple):
    """One record without its hash, which belongs to its line.

    A tuple, as `Entry` is, since a record is made for every write and every line that is read:
    a frozen dataclass takes three times as long to make.
    """

    seq: int
    op: str
    by: str
    clock_s: float
    at: str
    file: str | None = None
    text: str | None = None
    held: Held | None = None
    size_bytes: int | None = None
    sha256: str | None = None
    withheld: bool = False
    receipt: str | None = None
    same: int | None = None

    @property
    def type(self) -> str:
        """The name of the type of the record's value, or "" if it has no value."""
        return self.held.type if self.held is not None else ""


class Entry(NamedTuple):
    """The position of a record in the ledger, and the few fields that scanning reads."""

    seq: int
    op: str
    file: str | None
    offset: int
    size: int  # bytes of the line, with its newline
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class Scan:
    """The result of scanning a piece of a ledger.

    `entries` are the whole records of whole transactions; `end` is the offset behind the last of them and
    `head` its hash. `rest` contains the bytes after it: none, or a torn end as a crash may leave it (`damage`
    is None), or damage that no crash explains (`damage` says what it is). `last_seq` is the number of the
    last whole record, even if its transaction is not whole.
    """

    entries: tuple[Entry, ...]
    end: int
    head: str
    rest: bytes
    damage: str | None
    last_seq: int


def encode(record: Record, previous_hash: str, *, more: bool = False) -> tuple[bytes, str]:
    """Return the record's line, with its newline, and its hash.

    *more* says that further records of the same transaction follow.

    Raises:
        UnicodeEncodeError: A string in the record is not valid Unicode (a lone surrogate).
        ValueError: A number in the record is not finite.
    """
    # Put together by hand: the keys' order is part of the format, and the hash is over the bytes.
    quoted = _ENCODER.encode
    if not isfinite(record.clock_s):
        raise ValueError(f"the clock says {record.clock_s!r}")
    parts = [f'{{"seq":{record.seq},"op":"{record.op}"']
    if record.file is not None:
        parts.append(f',"file":"{record.file}"')
    parts.append(f',"by":{quoted(record.by)},"clock_s":{record.clock_s!r},"at":"{record.at}"')
    if record.withheld:
        parts.append(',"withheld":true')
    if record.receipt is not None:
        parts.append(f',"receipt":{quoted(record.receipt)}')
    if record.same is not None:
        parts.append(f',"same":{record.same}')
    if record.text is not None:
        parts.append(f',"text":{quoted(record.text)}')
    if record.held is not None:
        parts.append(f',"value":{quoted(record.held.fields)}')
    if more:
        parts.append(',"more":true')
    if record.sha256 is not None:
        parts.append(f',"bytes":{record.size_bytes},"sha256":"{record.sha256}"')
    body = "".join(parts).encode()
    digest = hashlib.sha256(previous_hash.encode() + body).hexdigest()
    return b"%b%b%b" % (body, _HASH_KEY, digest.encode()) + b'"}\n', digest


# Made once, since every record is written with it. NaN is refused: it is no JSON, and `jq` takes none.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decode(line: bytes) -> Record:
    """Return the record of a line that `scan` found whole.

    Raises:
        LedgerCorruptError: The line's hash is right, but the line is not a record of this format.
    """
    read, refused = _reader()
    try:
        found = read(line)
    except (refused, UnicodeDecodeError, RecursionError) as error:
        raise LedgerCorruptError(_ANOTHER_FORMAT) from error
    return Record(
        found.seq,
        found.op,
        found.by,
        found.clock_s,
        found.at,
        found.file,
        found.text,
        Held(found.value) if found.value is not None else None,
        found.bytes,
        found.sha256,
        found.withheld or False,
        found.receipt,
        found.same,
    )


@cache  # made once: 5 us a line of a rehearsal, where json.loads and a look at each key took 17
def _reader() -> tuple[Callable[[bytes], Any], type[Exception]]:
    """Return what reads a line's keys, in the types that a record's values may have, and what it raises."""
    import msgspec  # 0.03 s to import: only where a ledger is read

    class Line(msgspec.Struct):
        seq: int
        op: str
        by: str
        clock_s: int | float
        at: str
        file: str | None = None
        text: str | None = None
        value: dict[str, Any] | None = None
        bytes: int | None = None
        sha256: str | None = None
        withheld: bool | None = None
        receipt: str | None = None
        same: int | None = None

    return msgspec.json.Decoder(Line).decode, msgspec.DecodeError


_ANOTHER_FORMAT: Final = (
    "a ledger record is hashed right but is not in this format: was it written by a later release?"
)


def size_and_digest(line: bytes) -> tuple[int, str] | None:
    """Return the file's length and SHA-256 after the write, read from the line's end; None if the line has
    none."""
    found = _SIZE.search(line[-_SIZE_BYTES:])
    return (int(found[1]), found[2].decode()) if found is not None else None


def clock_s(line: bytes) -> float:
    """Return the record's session clock, read from the line's beginning.

    Raises:
        LedgerCorruptError: The line has no session clock at that place.
    """
    found = _CLOCK.search(line)
    if found is None:
        raise LedgerCorruptError(_ANOTHER_FORMAT)
    return float(found[1])


def scan(content: bytes, *, offset: int = 0, seq: int = 0, head: str = FIRST_HASH) -> Scan:
    """Scan the records in *content*, which is at *offset* in the ledger, after record *seq* with the hash
    *head*.

    This never raises, whatever the bytes are.
    """
    if _FEW_BYTES <= len(content) <= _MANY_BYTES:
        found = _scan_whole(content, offset, seq, head)
        if found is not None:
            return found
    entries: list[Entry] = []
    # Opening a session waits for this loop. So what few lines hold is looked for in all of them at once, and
    # the names at a line's beginning are matched once each.
    sha256, find, starts_with, new = hashlib.sha256, content.find, content.startswith, tuple.__new__
    names: dict[bytes, tuple[str, str | None]] = {}
    more_at, withheld_at = find(_MORE_KEY), find(_WITHHELD_KEY)  # the next ones; -1: there is none
    start, last = 0, head.encode()
    whole = start, 0, last  # end within content, entries, head: behind the last whole transaction
    while (newline := find(b"\n", start)) >= 0:
        end = newline - _TAIL_BYTES
        digest = sha256(last + content[start:end]).hexdigest().encode()
        if end < start or not starts_with(b'%b%b"}' % (_HASH_KEY, digest), end):
            break
        numbered = b'{"seq":%d,"op":"' % (seq + 1)
        at = start + len(numbered)
        named = names.get(content[at : find(_BY_KEY, at, at + _NAMES_BYTES)])
        if named is None or not starts_with(numbered, start):
            match = _HEAD.match(content, start, end)
            # Hashed right, but doubled or left out by whoever rewrote the file.
            if match is None or int(match[1]) != seq + 1:
                break
            named = match[2].decode(), match[3].decode() if match[3] else None
            names[content[match.start(2) : match.end() - len(_BY_KEY)]] = named
        seq += 1
        last = digest
        is_more = is_withheld = False
        if 0 <= more_at < end:
            is_more = bool(_MORE.match(content, more_at, end) or _MORE.search(content, more_at + 1, end))
            more_at = find(_MORE_KEY, newline)
        if 0 <= withheld_at < end:
            is_withheld = _is_withheld(content[start:end])
            withheld_at = find(_WITHHELD_KEY, newline)
        # Without the constructor's own step, as it is one of few that every record needs.
        entries.append(new(Entry, (seq, *named, offset + start, newline + 1 - start, is_withheld)))
        start = newline + 1
        if not is_more:
            whole = start, len(entries), last
    end, count, last_whole = whole
    rest = content[end:]
    damage = _damage(content[start:], offset + start, last.decode())
    return Scan(tuple(entries[:count]), offset + end, last_whole.decode(), rest, damage, seq)


def _scan_whole(content: bytes, offset: int, seq: int, head: str) -> Scan | None:
    """Scan records if all are whole and in whole transactions.

    If not, return None, so that `scan` says what is wrong.

    Nearly always all are, when a session is opened and waits for the scan. Each step is done for all lines at
    once, which takes three fifths of the time.
    """
    lines, sha256 = content.split(b"\n"), hashlib.sha256
    if lines.pop() or not lines or _MORE.search(lines[-1][-_TAIL_BYTES - _MORE_BYTES : -_TAIL_BYTES]):
        return None
    tails = [line[-_TAIL_BYTES:] for line in lines]
    before = [b'%b%b"}' % (_HASH_KEY, head.encode()), *tails]
    # Each with the hash that the line before claims, and then all claims with what was found.
    found = [
        sha256(tail[len(_HASH_KEY) : -2] + line[:-_TAIL_BYTES]).hexdigest().encode()
        for tail, line in zip(before, lines, strict=False)
    ]
    if b"".join(tails) != b'%b%b"}' % (_HASH_KEY, (b'"}' + _HASH_KEY).join(found)):
        return None
    heads = [line.partition(_BY_KEY)[0].partition(b",") for line in lines]
    numbers = range(seq + 1, seq + 1 + len(lines))
    if [number for number, _, _ in heads] != [b'{"seq":%d' % number for number in numbers]:
        return None
    names: dict[bytes, tuple[str, str | None]] = {}
    for name in {name for _, _, name in heads}:
        match = _NAMES.fullmatch(name)
        if match is None:
            return None
        names[name] = match[1].decode(), match[2].decode() if match[2] else None
    sizes = [len(line) + 1 for line in lines]
    starts = list(accumulate(sizes, initial=offset))
    withheld = [False] * len(lines)
    at = content.find(_WITHHELD_KEY)
    while at >= 0:
        place = bisect_right(starts, offset + at) - 1
        withheld[place] = _is_withheld(lines[place][:-_TAIL_BYTES])
        at = content.find(_WITHHELD_KEY, starts[place + 1] - offset)
    new = tuple.__new__
    entries = [
        new(Entry, (number, *names[name], start, size, is_withheld))
        for number, (_, _, name), start, size, is_withheld in zip(
            numbers, heads, starts, sizes, withheld, strict=False
        )
    ]
    return Scan(tuple(entries), starts[-1], found[-1].decode(), b"", None, numbers[-1])


def _is_withheld(body: bytes) -> bool:
    """Return whether a line says that its record is withheld from all agents."""
    match = _HEAD.match(body)
    return match is not None and _WITHHELD.match(body, match.end() - len(b'"by":')) is not None


def _damage(rest: bytes, offset: int, head: str) -> str | None:
    """Return what damages *rest*, or None if it is undamaged or a crash explains it.

    *rest* is at *offset* in the ledger, after a record with the hash *head*.

    A crash leaves either the beginning of a write, which has no newline after a broken record, or the right
    length with zeros where blocks never reached the disk. Good records may follow such zeros if they end the
    same write: one transaction, up to the end of the file.
    """
    if not rest:
        return None
    lines = rest.split(b"\n")
    good = [number for number in range(1, len(lines)) if _follows(lines[number], lines[number - 1])]
    if _has_hole(rest, offset, len(lines[0])) and _end_one_write(lines, good):
        return None
    if good:
        return "a damaged record stands before good ones"
    # A crash leaves the beginning of a write and so no newline behind it: with one, somebody changed it.
    if len(lines) > 1:
        return "a record is whole, but not what its hash says"
    if _holds_record(rest, head) or _is_whole(rest[:-1]):
        return "a whole record is followed by something that is no newline"
    return None


def _has_hole(rest: bytes, offset: int, size: int) -> bool:
    """Return whether zeros that a crash can have left begin within the first *size* bytes of *rest*.

    A block that never reached the disk is zero from its first byte, or from where the write
    began, to its last byte, or to the file's end.
    """
    for zeros in _ZEROS.finditer(rest):
        if zeros.start() >= size:
            return False
        # Zeros that begin or end in the middle of a block are no block that was lost: somebody wrote them.
        begins = zeros.start() == 0 or (offset + zeros.start()) % _BLOCK_BYTES == 0
        ends = (offset + zeros.end()) % _BLOCK_BYTES == 0
        if zeros.end() == len(rest) or (begins and ends):
            return True
    return False


def _end_one_write(lines: list[bytes], good: list[int]) -> bool:
    """Return whether the *good* lines are the end of one transaction, as far as that can be seen."""
    if not all(says_more(lines[number - 1]) for number in good):
        return False
    return not good or says_more(lines[good[-1]]) or lines[good[-1] + 1 :] == [b""]


def _follows(line: bytes, before: bytes) -> bool:
    """Return whether *line* has the hash that follows from its bytes and the hash that the line before it
    claims."""
    claimed, body = before[-66:-2], line[:-_TAIL_BYTES]
    return len(claimed) == 64 and line[-66:-2] == hashlib.sha256(claimed + body).hexdigest().encode()


def says_more(line: bytes) -> bool:
    """Return whether more records of the transaction follow *line*, or zeros cover the place that would
    say so."""
    body = line[:-_TAIL_BYTES]
    return _MORE.search(body) is not None or b"\0" in body[-_MORE_BYTES:]


def _holds_record(rest: bytes, head: str) -> bool:
    """Return whether *rest* begins with a whole record, including its hash, and has more bytes after it."""
    digest = hashlib.sha256(head.encode())
    done = 0
    for match in _HASH.finditer(rest):
        digest.update(rest[done : match.start()])
        done = match.start()
        if digest.hexdigest().encode() == match[1]:
            return match.end() < len(rest)
    return False


def _is_whole(line: bytes) -> bool:
    """Return whether *line* looks like a whole record, including its hash."""
    return _HEAD.match(line) is not None and re.search(rb',"hash":"[0-9a-f]{64}"\}\Z', line) is not None


# ---------------------------------------------------------------------- receipt
# Receipts as they stand in the ledger since version 2: what was asked, of whom, and as of which record.
#
# The files that an agent was given follow from the table and the records up to that one, so they are not
# said again; a receipt's id is the digest of all of it, files and digests included. A text that an earlier
# receipt holds is named by that one's number, and agents who were asked the same of the same moment share
# a record.


MIN_SHARED: Final = 40
"""Minimum characters of a text that is replaced by a reference; a reference takes some 25."""


@dataclass(frozen=True, slots=True)
class Extra:
    """The text of a block that is not a file, or a reference to the record that contains the text."""

    text: str = ""
    like: int | None = None  # the number of the receipt's record that holds it
    at: int = 0  # its place among that one's texts, from 0


@dataclass(frozen=True, slots=True)
class ReceiptNote(Value):
    """The receipts of agents who were asked the same, without what follows from the ledger before them."""

    TYPE: ClassVar[str] = "receipt"
    VERSION: ClassVar[int] = 2

    ids: Mapping[str, str]  # by agent, the id of its receipt
    task: str
    seq: int  # the context is as of this record
    engine: str
    left_out: int = 0  # oldest segments that the token budget left no room for
    layout: str | None = None  # of the messages that were sent; None: none were
    ends: tuple[int, ...] | None = None  # bytes of the transcript at which each of their pieces ended
    extra: tuple[Extra, ...] = ()
    frames_version: int = 1
    tools: bool = False  # their definitions were sent as well
    kept: Mapping[str, tuple[int, ...]] | None = None  # as `context.receipt.Kept`; None: all of every file

    def joined(self, other: Value | None) -> ReceiptNote | None:
        """Return this note joined to *other*, whose agents come first; None if the two cannot be joined."""
        if not isinstance(other, ReceiptNote) or self.ids.keys() & other.ids.keys():
            return None
        both = replace(other, ids={**other.ids, **self.ids})
        return both if replace(self, ids=both.ids) == both else None

    def sharing(self, known: Mapping[str, tuple[int, int]]) -> ReceiptNote:
        """Return the note with a reference to record and place instead of each text whose digest is in
        *known*."""
        shared = []
        for one in self.extra:
            place = known.get(digest_of(one.text)) if len(one.text) >= MIN_SHARED else None
            shared.append(Extra(like=place[0], at=place[1]) if place is not None else one)
        return replace(self, extra=tuple(shared))

    def texts(self, seq: int) -> dict[str, tuple[int, int]]:
        """Return the record and place of each text that this note itself contains, by the text's digest.

        *seq* is the number of the note's record.
        """
        own = ((place, one) for place, one in enumerate(self.extra) if one.like is None)
        return {digest_of(one.text): (seq, place) for place, one in own}


def agents_of(value: Held | None) -> dict[str, str]:
    """Return the agents of the receipts that a record's value contains, by receipt id; empty for another
    shape."""
    fields = value.fields if value is not None else {}
    several, one = fields.get("ids"), (fields.get("agent"), fields.get("id"))
    pairs = several.items() if isinstance(several, Mapping) else (one,)
    return {id_: agent for agent, id_ in pairs if isinstance(id_, str) and isinstance(agent, str)}


def ids_of(record: Record) -> tuple[str, ...]:
    """Return the ids of the receipts that a record of any version contains, in order; empty for another
    shape."""
    return tuple(agents_of(record.held))


def digest_of(text: str) -> str:
    """Return the digest by which a text is referred to: 128 bits of its SHA-256, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
