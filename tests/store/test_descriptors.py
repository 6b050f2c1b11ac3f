"""However many sessions one process has open, it may have as many files open as any program may."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.core.errors import StoreWriteError
from orchestrator.core.store.store import Store
from tests.helpers.stores import CANDIDATE, NOTES, TRANSCRIPT, on_disk
from tests.store.test_failing_disks import failing

ROOT = Path(__file__).resolve().parents[2]
MANY = """
import os, resource, sys
from dataclasses import replace
from pathlib import Path
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store.store import Store, create_store
from orchestrator.core.store.ledger import Unread

resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
plain = packaged_table().plain()
plain["seats"]["most"] = 20
crew = [f"agent-{number:02}" for number in range(20)]
layout = type(packaged_table()).read(plain, str).seated(crew)
before = len(os.listdir("/proc/self/fd"))
stores = []
for number in range(200):
    store = create_store(Path(sys.argv[1], f"s{number}"), layout, Unread({"templates": {}}))
    stores.append(store)
    with store.transaction() as tx:
        for agent in crew:
            tx.write(f"{agent}/candidate-question.md", f"Why {number}?\\n", by=agent)
    store.append("shared/presenter-transcript.md", "One.\\n", by="transcript")
for store in stores:  # the first ones too, which have been idle for longest
    store.append("shared/presenter-transcript.md", "Two.\\n", by="transcript")
assert all(store.content("shared/presenter-transcript.md") == "One.\\nTwo.\\n" for store in stores)
assert len(os.listdir("/proc/self/fd")) - before <= len(stores)
for store in stores:
    store.close()
assert len(os.listdir("/proc/self/fd")) == before
"""


def descriptors_below(folder: Path) -> list[str]:
    """Return what of *folder* this process has open."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{name}"))
        except FileNotFoundError:  # the one that lists the folder
            continue
    return [path for path in found if path.startswith(f"{folder}/")]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="lists a process's descriptors by /proc")
def test_one_process_writes_two_hundred_sessions_of_twenty_agents(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", MANY, str(tmp_path)], cwd=ROOT, check=True)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="lists a process's descriptors by /proc")
def test_between_two_writes_a_session_has_one_file_open(store: Store) -> None:
    ledger = [f"{store.root}/ledger/ledger.jsonl"]
    assert descriptors_below(store.root) == ledger
    store.append(NOTES, "Noted.\n", by="skeptic")
    store.write(CANDIDATE, "Why 41 %?\n", by="skeptic")
    store.content(TRANSCRIPT)
    store.mend()
    assert descriptors_below(store.root) == ledger
    store.close()
    assert descriptors_below(store.root) == []


@pytest.mark.parametrize(
    ("code", "whose"), [(errno.EMFILE, "this process"), (errno.ENFILE, "this machine")], ids=["own", "all"]
)
def test_a_write_without_a_descriptor_says_what_to_do_and_blames_no_file(
    store: Store, monkeypatch: pytest.MonkeyPatch, code: int, whose: str
) -> None:
    store.append(TRANSCRIPT, "before\n", by="transcript")
    before = on_disk(store.root)
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", failing(code))
        with pytest.raises(StoreWriteError) as told:
            store.append(TRANSCRIPT, "x\n", by="transcript")
        assert str(told.value) == (
            f"s: too many open files: {whose} has as many as it may; nothing was written: "
            "close sessions that nobody uses, or raise the limit (`ulimit -n`), then try again"
        )
    assert on_disk(store.root) == before
    store.append(TRANSCRIPT, "x\n", by="transcript")


def test_a_session_is_read_without_a_descriptor_to_spare(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {path: store.content(path) for path in store.layout.files}
    monkeypatch.setattr(os, "open", failing(errno.EMFILE))
    assert {path: store.content(path) for path in store.layout.files} == whole
