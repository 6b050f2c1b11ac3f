"""A ledger of 40 records, cut, flipped, zeroed and fuzzed in every way: all is found, and nothing raises.

The scanner that every reader and writer goes through sees each case. `verify` of the whole session, and
opening it, cost twenty times as much: they see a sample, spread evenly over all cases, and so does the
ledger's part of `verify`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.core.errors import GreenroomError
from orchestrator.core.store import ledger
from orchestrator.core.store.store import LEDGER_NAME, Store
from orchestrator.core.verify.account import Account
from orchestrator.core.verify.finding import Report
from tests.helpers.board import verify_session
from tests.helpers.figures import SHARE, note, share
from tests.helpers.fuzzed_ledgers import fuzzed, rewritten
from tests.helpers.sessions import TRANSCRIPT, rehearse, start
from tests.helpers.stores import contents

RECORDS = 40
FUZZED = share(100_000)
READ_EVERY, VERIFY_EVERY = 5, 25
"""Which of the fuzzed ledgers are read as `verify` reads one, and whose sessions are verified and opened."""


@dataclass(frozen=True)
class Made:
    """A session of 40 records, and where each transaction begins: byte, records before, their head."""

    root: Path
    content: bytes
    head: str
    begins: tuple[tuple[int, int, str], ...]

    def begun(self, offset: int) -> tuple[int, int, str]:
        """Where the transaction begins that holds the byte at *offset*."""
        return max(begin for begin in self.begins if begin[0] <= offset)

    def verified(self, content: bytes) -> bool:
        """Whether `verify` finds something in a ledger of this content, and says that it is the ledger."""
        (self.root / LEDGER_NAME).write_bytes(content)
        found = verify_session(self.root, head=self.head).findings
        return any(finding.path == LEDGER_NAME for finding in found)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    sample, store = start(tmp_path_factory.mktemp("torn"))
    rehearse(store, segments=1)
    while store.seq < RECORDS:
        store.append(TRANSCRIPT, f"[{store.seq}] Presenter: we grew – in the north.\n", by="transcript")
    store.close()
    content = (sample.root / LEDGER_NAME).read_bytes()
    begins = {(0, 0, ledger.FIRST_HASH)}
    for end in range(1, len(content) + 1):
        if content[end - 1 : end] == b"\n":
            found = ledger.scan(content[:end])
            begins.add((found.end, len(found.entries), found.head))
    assert content.count(b"\n") == RECORDS
    return Made(sample.root, content, ledger.scan(content).head, tuple(begins))


# ---------------------------------------------------------------------- one change, at every place


def flips(content: bytes) -> Iterator[tuple[int, bytes]]:
    for offset in range(len(content)):
        for bit in range(8):
            if (offset + bit) % SHARE:
                continue
            flipped = bytearray(content)
            flipped[offset] ^= 1 << bit
            yield offset, bytes(flipped)


def test_every_flipped_bit_is_found_as_damage(made: Made) -> None:
    tried = missed = verified = 0
    for offset, flipped in flips(made.content):
        begun, seq, head = made.begun(offset)
        found = ledger.scan(flipped[begun:], offset=begun, seq=seq, head=head)
        tried += 1
        missed += found.end != begun or found.damage is None
        if tried % 97 == 0:
            verified += 1
            missed += not made.verified(flipped)
    note("torn and flipped", "flipped bits", count=tried, wrong=missed, told=f"{verified} by verify as well")
    assert missed == 0
    assert tried >= len(made.content) * 8 // SHARE


def test_every_cut_and_every_zeroed_tail_is_found(made: Made) -> None:
    """A cut behind a whole record shows against the head that was kept; all else is torn, and is cut off."""
    size = len(made.content)
    ends = {begin[0]: begin for begin in made.begins}
    missed = verified = 0
    for length in range(size):
        begun, seq, head = made.begun(length)
        cut = ledger.scan(made.content[begun:length], offset=begun, seq=seq, head=head)
        missed += cut.head == made.head or cut.damage is not None or (not cut.rest) != (length in ends)
        zeroed = made.content[:length] + bytes(size - length)
        tail = ledger.scan(zeroed[begun:], offset=begun, seq=seq, head=head)
        missed += tail.end != begun or tail.damage is not None or not tail.rest
        if length % (13 * SHARE) == 0 or length in ends:
            verified += 1
            missed += not made.verified(made.content[:length])
            missed += not made.verified(zeroed)
    told = f"{2 * verified} by verify as well"
    note("torn and flipped", "cuts and zeroed tails, at every byte", count=2 * size, wrong=missed, told=told)
    assert missed == 0


# ---------------------------------------------------------------------- any change


@pytest.mark.parametrize(
    ("change", "what"),
    [(fuzzed, "ledgers with changed bytes"), (rewritten, "ledgers with changed records, hashed right")],
)
def test_no_fuzzed_ledger_raises(
    change: Callable[[bytes, random.Random], bytes], what: str, made: Made
) -> None:
    chance = random.Random(20261123)
    raised: list[str] = []
    for number in range(FUZZED // 2):
        content = change(made.content, chance)
        try:
            found = ledger.scan(content)
            assert content[found.end :] == found.rest
            if number % READ_EVERY == 0:
                Account(content, Report()).read()
            if number % VERIFY_EVERY == 0:
                (made.root / LEDGER_NAME).write_bytes(content)
                verify_session(made.root)
                opened(made.root)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is the fault that is looked for
            raised.append(f"{number}: {type(error).__name__}: {error}")
    count = FUZZED // 2
    told = f"each scanned, {count // READ_EVERY} read by verify, {count // VERIFY_EVERY} verified and opened"
    note("torn and flipped", what, count=count, wrong=len(raised), told=told)
    assert raised == []


def opened(root: Path) -> None:
    """Open a session, and read all its files; what is refused is refused with an error of our own."""
    try:
        store = Store(root)
    except GreenroomError:
        return
    try:
        contents(store)
    except GreenroomError:
        return
    finally:
        store.close_files()
