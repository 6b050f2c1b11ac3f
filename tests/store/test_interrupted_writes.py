"""An interrupt at any moment of a write."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from orchestrator.store import files, ledger
from orchestrator.store.history import History
from orchestrator.store.store import Store
from orchestrator.store.views import Views
from tests.helpers.stores import CANDIDATE, NOTES, TRANSCRIPT, contents, is_sound, views

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run


@pytest.mark.parametrize("call", range(3))
@pytest.mark.parametrize(
    ("place", "name"),
    [
        (ledger, "encode"),
        (files, "append_whole"),
        (files, "sync_file"),
        (History, "keep"),
        (History, "views"),
        (History, "tell"),
        (Views, "append"),
        (files, "replace_file"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_an_interrupt_at_any_moment_of_a_write_leaves_it_whole_or_undone(
    store: Store, monkeypatch: pytest.MonkeyPatch, place: Any, name: str, call: int
) -> None:
    """Ctrl-C right before a step of a transaction's end, or of a single append's."""
    before, seq = store.texts(TRANSCRIPT), store.seq
    real, calls = getattr(place, name), []

    def interrupted(*given: Any, **named: Any) -> Any:
        calls.append(name)
        if len(calls) == call + 1:
            raise KeyboardInterrupt
        return real(*given, **named)

    def write() -> None:
        with store.transaction():
            store.append(TRANSCRIPT, "one\n", by="transcript")
            store.write(CANDIDATE, "Which one?\n", by="skeptic")
            store.append(NOTES, "one\n", by="skeptic")
        store.append(TRANSCRIPT, "two\n", by="transcript")
        store.append(TRANSCRIPT, "three\n", by="transcript")

    with monkeypatch.context() as patched:
        patched.setattr(place, name, interrupted)
        with suppress(KeyboardInterrupt):
            write()
    store.append(TRANSCRIPT, "after\n", by="transcript")
    written = store.texts(TRANSCRIPT)[len(before) :]
    assert written[-1] == "after\n"
    assert written[:-1] == ["one\n", "two\n", "three\n"][: len(written) - 1]
    assert store.seq == seq + 1 + len(written) - 1 + 2 * ("one\n" in written)
    assert (store.content(CANDIDATE) == "Which one?\n") is ("one\n" in written)
    assert views(store.root, store) == contents(store)
    assert is_sound(store.root)
    fresh = Store(store.root)
    assert (contents(fresh), fresh.head) == (contents(store), store.head)
    fresh.close()
