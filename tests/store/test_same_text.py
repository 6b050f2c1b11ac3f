"""Whoever writes what an overwritten file holds already writes no text: the record names the first one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.store import Store
from tests.helpers.board import verify_session
from tests.helpers.sessions import start
from tests.helpers.stores import CANDIDATE, on_disk

QUESTIONS = ("How?\n", "Why?\n", "What if?\n")


def lines(root: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (root / LEDGER_NAME).read_bytes().splitlines()]


def of_candidate(root: Path) -> list[tuple[object, object]]:
    return [(one.get("text"), one.get("same")) for one in lines(root) if one.get("file") == CANDIDATE][1:]


def test_the_second_of_two_alike_names_the_first(tmp_path: Path) -> None:
    sample, store = start(tmp_path)
    first = store.seq + 1
    for text in ("How?\n", "How?\n", "How?\n", "Why?\n", "How?\n"):
        store.write(CANDIDATE, text, by="skeptic")
    with store.transaction() as tx:
        tx.write(CANDIDATE, "Once?\n", by="skeptic")
        tx.write(CANDIDATE, "Once?\n", by="skeptic")
    store.close()
    assert of_candidate(sample.root) == [
        ("How?\n", None), (None, first), (None, first), ("Why?\n", None), ("How?\n", None),
        ("Once?\n", None), (None, first + 5),
    ]  # fmt: skip
    assert verify_session(sample.root).findings == ()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=12))
def test_every_text_is_there_as_of_every_record(
    tmp_path_factory: pytest.TempPathFactory, written: list[str]
) -> None:
    sample, store = start(tmp_path_factory.mktemp("same"))
    begun = store.seq
    for text in written:
        store.write(CANDIDATE, text, by="skeptic")
    for number, text in enumerate(written, start=begun + 1):
        assert store.content(CANDIDATE, at_seq=number) == text
    assert store.state(CANDIDATE).revisions == len(written)
    store.close()
    later = Store(sample.root)
    assert [later.content(CANDIDATE, at_seq=begun + 1 + at) for at in range(len(written))] == written
    (sample.root / CANDIDATE).write_text("changed by hand")
    later.mend()
    assert (sample.root / CANDIDATE).read_text() == written[-1]
    later.close()
    assert verify_session(sample.root).findings == ()


@pytest.mark.parametrize("changed", [None, b"changed by hand\n"])
def test_a_view_that_was_changed_comes_back_with_the_next_write_of_the_same(
    tmp_path: Path, changed: bytes | None
) -> None:
    sample, store = start(tmp_path)
    store.write(CANDIDATE, "How?\n", by="skeptic")
    (sample.root / CANDIDATE).unlink()
    if changed is not None:
        (sample.root / CANDIDATE).write_bytes(changed)
    store.write(CANDIDATE, "How?\n", by="skeptic")
    assert on_disk(sample.root)[CANDIDATE] == b"How?\n"
    kept = [raw for path, raw in on_disk(sample.root).items() if path.startswith("ledger/rejected/")]
    assert kept == ([changed] if changed is not None else [])
    store.close()
