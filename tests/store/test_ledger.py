"""A record's line gives the record back, and every change to a ledger's bytes is found."""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.store import ledger as ledger_module
from orchestrator.core.store.ledger import (
    FIRST_HASH,
    Held,
    Record,
    Scan,
    decode,
    encode,
    scan,
)
from tests.helpers.fuzzed_ledgers import fuzzed

BLOCK = 512
TRANSACTIONS = (1, 1, 1, 3, 1, 2, 1, 1, 5, 1, 1, 1, 2, 1, 1, 4, 1, 1, 2, 1, 1, 1, 3, 1, 1, 1)
"""How many records each transaction has: 40 in all, the last one alone in its own."""

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NASTY_TEXT = st.lists(
    st.sampled_from(
        ['"', "\\", "\n", "\r", "\0", "\u2028", ',"hash":"', '"}\n', ',"more":true', "{", "⟦", "é", "0" * 64]
    )
    | ANY_TEXT
).map("".join)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NASTY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NASTY_TEXT, inner, max_size=4),
    max_leaves=12,
)
ANY_VALUE = st.dictionaries(NASTY_TEXT, ANY_JSON, max_size=4).map(Held)
SHA256 = st.binary(max_size=8).map(lambda raw: hashlib.sha256(raw).hexdigest())


@st.composite
def any_record(draw: st.DrawFn, seq: int = 1) -> Record:
    writes = draw(st.booleans())
    return Record(
        seq=seq,
        op=draw(st.sampled_from(["append", "write", "replace"] if writes else ["note", "receipt", "freeze"])),
        by=draw(NASTY_TEXT),
        clock_s=draw(st.floats(0, 1e9) | st.integers(0, 10**9)),
        at="2026-11-22T10:00:00.000001Z",
        file=draw(st.sampled_from(["shared/deck-content.md", f"{'a' * 32}/presenter-profile.md"]))
        if writes
        else None,
        text=draw(NASTY_TEXT) if writes else None,
        held=draw(ANY_VALUE if not writes else st.none() | ANY_VALUE),
        size_bytes=draw(st.integers(0, 2**40)) if writes else None,
        sha256=draw(SHA256) if writes else None,
    )


@dataclass(frozen=True)
class Made:
    """A ledger's bytes, and where its records and transactions end."""

    content: bytes
    lines: tuple[bytes, ...]
    line_ends: tuple[int, ...]
    transaction_ends: tuple[int, ...]
    seqs: tuple[int, ...]  # the last record of each transaction

    def begun(self, offset: int) -> int:
        """Where the transaction that holds the byte at *offset* begins."""
        return max(end for end in (0, *self.transaction_ends) if end <= offset)


def ledger_of(transactions: Sequence[int] = TRANSACTIONS, text: str = "we grew by 40 % ⟦ – ") -> Made:
    lines: list[bytes] = []
    ends: list[int] = []
    seqs: list[int] = []
    head, size = FIRST_HASH, 0
    for count in transactions:
        for number in range(count):
            seq = len(lines) + 1
            op, file = ("note", None) if seq % 7 == 0 else ("append", "shared/presenter-transcript.md")
            record = Record(
                seq=seq,
                op="open" if seq == 1 else op,
                by="transcript",
                clock_s=seq / 8,
                at="2026-11-22T10:00:00.000001Z",
                file=None if seq == 1 else file,
                text=None if seq == 1 or file is None else f"{text}{seq} @\n",
                held=Held({"type": "segment", "n": seq, "more": True}) if file is None or seq % 3 else None,
                size_bytes=None if seq == 1 or file is None else seq * 10,
                sha256=None if seq == 1 or file is None else hashlib.sha256(bytes([seq])).hexdigest(),
            )
            line, head = encode(record, head, more=number < count - 1)
            lines.append(line)
            size += len(line)
        ends.append(size)
        seqs.append(len(lines))
    line_ends = [sum(map(len, lines[: n + 1])) for n in range(len(lines))]
    return Made(b"".join(lines), tuple(lines), tuple(line_ends), tuple(ends), tuple(seqs))


MADE = ledger_of()


# ---------------------------------------------------------------------- round trips


@given(any_record(), st.booleans())
def test_a_line_gives_its_record_back(record: Record, more: bool) -> None:
    line, digest = encode(record, FIRST_HASH, more=more)
    assert decode(line) == record
    assert line.count(b"\n") == 1
    assert line.endswith(b'"}\n')
    assert json.loads(line)["hash"] == digest
    plain = json.loads(line)
    order = ["seq", "op", "file", "by", "clock_s", "at", "text", "value", "more", "bytes", "sha256", "hash"]
    assert list(plain) == [key for key in order if key in plain]


@given(st.data())
def test_a_scan_finds_the_records_of_whole_transactions(data: st.DataObject) -> None:
    head, content, ends = FIRST_HASH, b"", [(0, 0, FIRST_HASH)]
    seq = 0
    for count in data.draw(st.lists(st.integers(1, 3), max_size=5)):
        for number in range(count):
            seq += 1
            line, head = encode(data.draw(any_record(seq)), head, more=number < count - 1)
            content += line
        ends.append((len(content), seq, head))
    whole = scan(content)
    assert (whole.end, len(whole.entries), whole.head) == ends[-1]
    assert (whole.rest, whole.damage) == (b"", None)
    for entry in whole.entries:
        record = decode(content[entry.offset : entry.offset + entry.size])
        assert (record.seq, record.op, record.file) == (entry.seq, entry.op, entry.file)
    end, seq, head = data.draw(st.sampled_from(ends))  # and it goes on from wherever one stopped
    later = scan(content[end:], offset=end, seq=seq, head=head)
    assert later.entries == whole.entries[seq:]
    assert (later.end, later.head, later.damage) == (whole.end, whole.head, None)


def test_the_format_is_the_one_that_is_written_down() -> None:
    record = Record(
        seq=2,
        op="append",
        by="transcript",
        clock_s=1.5,
        at="2026-11-22T10:00:00.000001Z",
        file="shared/presenter-transcript.md",
        text="“é”\n",
        held=Held({"type": "x"}),
        size_bytes=9,
        sha256="ab" * 32,
    )
    body = (
        '{"seq":2,"op":"append","file":"shared/presenter-transcript.md","by":"transcript","clock_s":1.5,'
        '"at":"2026-11-22T10:00:00.000001Z","text":"“é”\\n","value":{"type":"x"},"more":true,'
        f'"bytes":9,"sha256":"{"ab" * 32}"'
    )
    previous = hashlib.sha256(b"before").hexdigest()
    digest = hashlib.sha256(previous.encode() + body.encode()).hexdigest()
    assert encode(record, previous, more=True) == (f'{body},"hash":"{digest}"}}\n'.encode(), digest)


NOTE = Record(
    seq=1, op="note", by="x", clock_s=0.0, at="2026-11-22T10:00:00.000001Z", held=Held({"type": "x"})
)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused(number: float) -> None:
    for record in (NOTE._replace(clock_s=number), NOTE._replace(held=Held({"n": [number]}))):
        with pytest.raises(ValueError):
            encode(record, FIRST_HASH)


@pytest.mark.parametrize("record", [NOTE._replace(by="\ud800"), NOTE._replace(held=Held({"\udfff": 1}))])
def test_a_lone_surrogate_is_refused(record: Record) -> None:
    with pytest.raises(UnicodeEncodeError):
        encode(record, FIRST_HASH)


@pytest.mark.parametrize(
    "body",
    [
        b'{"seq":1,"op":"note","by":"x"',
        b'{"seq":1,"op":"note","by":nonsense',
        b'{"seq":1,"op":"note","by":' + b"[" * 100_000,
        b'{"seq":1,"op":"note","by":"\xff"',
        b'{"seq":1,"op":"note","by":"x","clock_s":0,"at":"","value":' + b"9" * 5000,
        *(
            b'{"seq":1,"op":"note","by":"x","clock_s":0,"at":"",' + wrong
            for wrong in (
                b'"text":[]',
                b'"value":""',
                b'"bytes":"1"',
                b'"sha256":{}',
                b'"at":0',
                b'"clock_s":true',
            )
        ),
    ],
)
def test_a_line_that_is_hashed_right_and_is_no_record_is_refused(body: bytes) -> None:
    digest = hashlib.sha256(FIRST_HASH.encode() + body).hexdigest()
    line = body + b',"hash":"' + digest.encode() + b'"}\n'
    assert len(scan(line).entries) == 1
    with pytest.raises(LedgerCorruptError):
        decode(line)


# ---------------------------------------------------------------------- torn


def test_cut_at_any_byte_it_ends_at_the_last_whole_transaction() -> None:
    for size in range(len(MADE.content) + 1):
        found = scan(MADE.content[:size])
        whole = sum(end <= size for end in MADE.transaction_ends)
        assert found.end == (0, *MADE.transaction_ends)[whole], size
        assert len(found.entries) == (0, *MADE.seqs)[whole], size
        assert found.rest == MADE.content[found.end : size], size
        assert found.damage is None, size


def test_zeros_at_the_end_are_what_a_crash_leaves() -> None:
    for count in (1, 2, 75, 511, 512, 513, 4096):
        found = scan(MADE.content + bytes(count))
        assert (found.end, found.damage) == (len(MADE.content), None), count
    for count in range(1, 1500):
        found = scan(MADE.content[:-count] + bytes(count))
        assert (found.end, found.damage) == (MADE.begun(len(MADE.content) - count), None), count


def test_blocks_that_never_reached_the_disk_are_torn_only_in_the_last_write() -> None:
    """Zeros that fill whole blocks of one transaction are a crash's, what follows in it or not."""
    made = ledger_of((1, 1, 6, 1, 6), text="long " * 150)
    started = made.transaction_ends[3]
    first = -(-started // BLOCK) * BLOCK
    holes = [(started, first), *((n, n + BLOCK) for n in range(first, len(made.content) - BLOCK, BLOCK))]
    assert len(holes) > 8
    for start, stop in holes:
        zeroed = made.content[:start] + bytes(stop - start) + made.content[stop:]
        found = scan(zeroed)
        assert (found.end, found.damage) == (started, None), start
        line, _ = encode(NOTE._replace(seq=len(made.lines) + 1), scan(made.content).head)
        assert scan(zeroed + line).damage is not None, start
        off = made.content[: start + 1] + bytes(stop - start) + made.content[stop + 1 :]
        assert scan(off).damage is not None, start  # no block begins there


# ---------------------------------------------------------------------- damaged


def flips() -> Iterator[tuple[int, int]]:
    """Every byte, in one of its bits; in the first two, some middle and the last records in all of them."""
    ends = MADE.line_ends
    whole = [range(ends[1]), range(ends[12], ends[17]), range(ends[-4], ends[-1])]
    for offset in range(len(MADE.content)):
        bits = range(8) if any(offset in part for part in whole) else [offset * 5 % 8]
        for bit in bits:
            yield offset, bit


def test_any_flipped_bit_is_found_and_named_as_damage() -> None:
    before = {0: (0, FIRST_HASH)} | {
        end: (seq, json.loads(MADE.lines[seq - 1])["hash"])
        for end, seq in zip(MADE.transaction_ends, MADE.seqs, strict=True)
    }
    tried = 0
    for offset, bit in flips():
        begun = MADE.begun(offset)
        seq, head = before[begun]
        flipped = bytearray(MADE.content[begun:])
        flipped[offset - begun] ^= 1 << bit
        found = scan(bytes(flipped), offset=begun, seq=seq, head=head)
        assert found.end == begun, (offset, bit)
        assert found.damage is not None, (offset, bit)
        tried += 1
    assert tried > 20_000


def test_a_flipped_bit_is_found_behind_a_torn_record_too() -> None:
    """Of two faults the torn one must not hide the other."""
    last = MADE.transaction_ends[-2]
    torn = MADE.content[: last + 40]
    for offset in range(MADE.transaction_ends[-3], last):
        for bit in range(8):
            flipped = bytearray(torn)
            flipped[offset] ^= 1 << bit
            found = scan(bytes(flipped))
            assert found.end == MADE.transaction_ends[-3], (offset, bit)
            assert found.damage is not None, (offset, bit)


def changed_lines() -> Iterator[bytes]:
    """The ledger with a line inserted, doubled, taken out, or in the place of another."""
    lines = list(MADE.lines)
    for n in range(len(lines)):
        for inserted in (b"\n", b"x\n", b"{}\n", b'{"seq":1}\n', lines[0], lines[n]):
            yield b"".join([*lines[:n], inserted, *lines[n:]])
        if n < len(lines) - 1:
            yield b"".join([*lines[:n], *lines[n + 1 :]])
        for further in (n + 1, *range(n + 2, len(lines), 5)):
            swapped = lines[:]
            if further < len(lines):
                swapped[n], swapped[further] = swapped[further], swapped[n]
                yield b"".join(swapped)
    for inserted in (b"\n", b"x\n", b"{}\n", lines[0], lines[-1]):
        yield MADE.content + inserted


def first_difference(content: bytes) -> int:
    pairs = zip(content, MADE.content, strict=False)
    return next(
        (n for n, (one, other) in enumerate(pairs) if one != other), min(len(content), len(MADE.content))
    )


def test_inserted_deleted_doubled_and_swapped_lines_are_found() -> None:
    tried = list(changed_lines())
    for content in tried:
        found = scan(content)
        assert found.end == MADE.begun(first_difference(content))
        assert found.damage is not None
    assert len(tried) > 400


def test_the_loss_of_the_last_records_shows_only_against_a_head_that_was_kept() -> None:
    head = scan(MADE.content).head
    for end in MADE.transaction_ends[:-1]:
        found = scan(MADE.content[:end])
        assert found.damage is None
        assert found.head != head


def test_a_record_that_is_rewritten_with_its_own_hash_breaks_the_next() -> None:
    for n in range(len(MADE.lines) - 1):
        before = json.loads(MADE.lines[n - 1])["hash"] if n else FIRST_HASH
        record = decode(MADE.lines[n])._replace(clock_s=999.0)
        line, _ = encode(record, before, more=json.loads(MADE.lines[n]).get("more", False))
        found = scan(b"".join([*MADE.lines[:n], line, *MADE.lines[n + 1 :]]))
        assert found.damage is not None
        assert found.end <= MADE.line_ends[n] - len(MADE.lines[n]) + len(line)


# ---------------------------------------------------------------------- never raises


@given(st.binary(max_size=400))
def test_random_bytes_hold_no_record(content: bytes) -> None:
    found = scan(content)
    assert (found.entries, found.end, found.head) == ((), 0, FIRST_HASH)
    assert found.rest == content


@settings(max_examples=300)
@given(st.binary(max_size=60), st.integers(0, 3000), st.integers(0, 3000))
def test_random_bytes_between_records_are_where_reading_ends(noise: bytes, start: int, length: int) -> None:
    content = MADE.content[:start] + noise + MADE.content[start + length :]
    found = scan(content)
    if content != MADE.content:
        assert found.end <= start + len(noise)
    assert content[: found.end] == MADE.content[: found.end]
    assert found.end in (0, *MADE.transaction_ends)


def test_twenty_thousand_fuzzed_ledgers_end_before_what_was_changed() -> None:
    chance = random.Random(20261122)
    whole = {0: 0, **dict(zip(MADE.transaction_ends, MADE.seqs, strict=True))}
    for number in range(20_000):
        content = fuzzed(MADE.content, chance)
        found = scan(content)
        assert content[: found.end] == MADE.content[: found.end], number
        assert len(found.entries) == whole[found.end], number
        assert found.rest == content[found.end :], number


def decoded(line: bytes) -> Any:
    try:
        return decode(line)
    except LedgerCorruptError:
        return None


@given(st.binary(max_size=200) | ANY_JSON.map(lambda plain: json.dumps(plain).encode()))
def test_decoding_anything_gives_a_record_or_the_one_error(line: bytes) -> None:
    assert decoded(line) is None or isinstance(decoded(line), Record)


# ---------------------------------------------------------------------- at once


def scanned_both_ways(content: bytes) -> Scan:
    """Return what is found line by line, which is what is found in all lines at once."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ledger_module, "_FEW_BYTES", len(content) + 1)
        by_line = scan(content)
        patched.setattr(ledger_module, "_FEW_BYTES", 0)
        assert scan(content) == by_line
    return by_line


def test_all_lines_at_once_give_what_each_gives_whatever_was_changed() -> None:
    assert len(scanned_both_ways(MADE.content).entries) == 40
    for size in range(0, len(MADE.content), 7):
        scanned_both_ways(MADE.content[:size])
    for content in changed_lines():
        scanned_both_ways(content)
    for offset, bit in [*flips()][::31]:
        flipped = bytearray(MADE.content)
        flipped[offset] ^= 1 << bit
        scanned_both_ways(bytes(flipped))


@given(
    st.lists(
        st.tuples(any_record(), st.sampled_from([0] * 9 + [1, -1]), st.booleans(), st.booleans()), max_size=12
    )
)
def test_all_lines_at_once_give_what_each_gives_for_any_records(records: list[Any]) -> None:
    """Also where lines are hashed right and numbered wrong, and where the last transaction is not whole."""
    lines, head = [], FIRST_HASH
    for seq, (record, off, more, withheld) in enumerate(records, start=1):
        line, head = encode(record._replace(seq=seq + off, withheld=withheld), head, more=more)
        lines.append(line)
    scanned_both_ways(b"".join(lines))


@pytest.mark.parametrize(
    "body", [b"{}", b'{"seq":2}', b'{"seq":02,"op":"note","by":"x"}', b'{"seq":2,"op":"NO","by":"x"}']
)
def test_a_line_of_another_format_that_is_hashed_right_ends_what_is_read(body: bytes) -> None:
    first = MADE.lines[0]
    body = body[:-1]
    digest = hashlib.sha256(first[-67:-3] + body).hexdigest()
    found = scanned_both_ways(first + body + f',"hash":"{digest}"}}\n'.encode())
    assert (found.last_seq, found.damage is None) == ((2, True) if b"02" in body else (1, False))
