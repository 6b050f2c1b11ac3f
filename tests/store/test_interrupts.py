"""Ctrl-C in a program that goes on afterwards, as a notebook or a loop of one's own does.

A process of its own is interrupted at random moments and writes on. What it was told is written is
there for everybody else, a block stands whole or not at all, and the session's lock is free afterwards.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import OrderedDict
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from orchestrator.store.lock import Lock
from orchestrator.store.store import Store
from tests.helpers.stores import TRANSCRIPT, bare, blueprints, is_sound

INTERRUPTS = 5000
APART_S = 0.001
"""Mean time from one to the next: a few writes, so that any moment of a write is hit."""

ONE_WRITE, A_BLOCK = "one write", "a block"


def write_until_stopped(root: Path, work: str) -> None:
    """Append numbers; after each Ctrl-C say "." and go on. SIGUSR1 ends it, with the acknowledged numbers."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of sh starts with it ignored
    store = Store(root)
    acknowledged: list[int] = []
    number = 0
    is_over = False

    def end(*_: object) -> None:
        nonlocal is_over
        is_over = True

    signal.signal(signal.SIGUSR1, end)
    while not is_over:
        try:
            os.write(1, b".")  # here, where the next one is caught
            while not is_over:
                number += 1
                if work == ONE_WRITE:
                    store.append(TRANSCRIPT, f"{number}", by="transcript")
                else:
                    with store.transaction():
                        store.append(TRANSCRIPT, f"{number}", by="transcript")
                        store.append(TRANSCRIPT, f"{number} again", by="transcript")
                acknowledged.append(number)
        except KeyboardInterrupt:
            continue
    sys.stdout.write(" ".join(map(str, acknowledged)))


@pytest.mark.slow
@pytest.mark.parametrize("work", [ONE_WRITE, A_BLOCK])
def test_what_was_acknowledged_between_interrupts_is_there(tmp_path: Path, work: str) -> None:
    root = tmp_path / "session"
    with_blueprints = bare(root)
    blueprints(with_blueprints)
    with_blueprints.close()
    chance = random.Random(1)
    code = f"from tests.store.test_interrupts import *; write_until_stopped(Path({str(root)!r}), {work!r})"
    writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for _ in range(INTERRUPTS):
        assert writer.stdout.read(1) == "."
        sleep(chance.expovariate(1 / APART_S))
        writer.send_signal(signal.SIGINT)
    assert writer.stdout.read(1) == "."
    writer.send_signal(signal.SIGUSR1)
    acknowledged = [int(word) for word in writer.communicate(timeout=60)[0].split()]
    assert writer.returncode == 0

    other = Store(root)
    lines = other.content(TRANSCRIPT).splitlines()[1:]
    numbers = [int(line) for line in lines if not line.endswith("again")]
    if work == A_BLOCK:
        assert lines == [line for one in numbers for line in (f"{one}", f"{one} again")]
    assert acknowledged
    assert set(acknowledged) <= set(numbers)
    assert numbers == sorted(set(numbers))
    other.append(TRANSCRIPT, "the lock is free", by="transcript")
    assert is_sound(root)


class _Pressed(OrderedDict[int, Any]):
    """What is kept in memory, with Ctrl-C at the moment in which it is dropped."""

    def clear(self) -> None:
        signal.raise_signal(signal.SIGINT)
        super().clear()


def test_a_second_interrupt_on_the_heels_of_the_first_waits_for_the_roll_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A roll-back that was left half done gave the next record the number 1 on disk."""
    root = tmp_path / "session"
    store = bare(root)
    blueprints(store)
    with monkeypatch.context() as patch:
        patch.setattr(Lock, "take", lambda *args, **kwargs: signal.raise_signal(signal.SIGINT))
        patch.setattr(store.history, "_cache", _Pressed())
        with pytest.raises(KeyboardInterrupt):
            store.append(TRANSCRIPT, "one", by="transcript")
    store.append(TRANSCRIPT, "two", by="transcript")
    store.close()
    assert Store(root).content(TRANSCRIPT).splitlines()[1:] == ["two"]
    assert is_sound(root)
