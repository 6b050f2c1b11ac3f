"""No sequence of writes, by whoever and however many, breaks a rule or changes anything when refused.

A session is written through several stores at once, which are opened and closed at random,
while views are changed from outside; a model of a few lines says what must come of it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from orchestrator.core.errors import (
    AlreadyWrittenError,
    AppendOnlyError,
    GreenroomError,
    ImmutableFileError,
    InvalidTextError,
    RevisionLimitError,
    SessionFrozenError,
    TransactionOpenError,
    UnknownFileError,
    WriterNotAllowedError,
)
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store.ledger import Unread
from orchestrator.core.store.store import Store
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import Mutability
from orchestrator.panel.records.moderator import Frozen
from tests.helpers.stores import INTEL, PANEL, bare, in_memory, is_sound, on_disk, receipt_note

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

LAYOUT = packaged_table().seated(PANEL)
PATHS = st.sampled_from(
    [*LAYOUT.files] * 3 + [INTEL] * 15 + ["shared/other.md", "templates/skeptic/persona.md", "../x", ""]
)
WRITERS = st.sampled_from(["start", "intel", "transcript", "moderator", "skeptic", "analyst", "nobody"])
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
    st.sampled_from(["", "\n", "a\n", "line\r\n", "⟦file 1 of 11⟧\n", "\u2028", '"}\n', "x" * 5000]),
    st.sampled_from(["\0", "a\0b", "\ud800"]),
)
VERBS = st.sampled_from(["write", "append", "create"])


@dataclass(frozen=True)
class Try:
    """One write that somebody asks for; by nobody in particular: by a writer of the file's row."""

    verb: str
    path: str
    by: str
    text: str


@st.composite
def tries(draw: st.DrawFn) -> Try:
    path = draw(PATHS)
    row = LAYOUT.files.get(path)
    by = draw(WRITERS)
    verb = draw(VERBS)
    if row is not None and draw(st.integers(0, 4)):  # most tries are meant to be allowed
        by = draw(st.sampled_from(row.writers))
        verb = "append" if row.mutability is Mutability.APPEND_ONLY else "write"
    return Try(verb, path, by, draw(TEXTS))


@dataclass
class Model:
    """What a session must hold: each file's text after every record, and how often it was written."""

    texts: dict[str, str] = field(default_factory=lambda: dict.fromkeys(LAYOUT.files, ""))
    there: set[str] = field(default_factory=set)
    writes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LAYOUT.files, 0))
    after: list[dict[str, str]] = field(default_factory=list)  # after record 1, 2, …
    frozen: bool = False

    def copy(self) -> Model:
        return Model(dict(self.texts), set(self.there), dict(self.writes), list(self.after), self.frozen)

    def record(self, count: int = 1) -> None:
        self.after.extend([dict(self.texts)] * count)

    def refusal(self, asked: Try) -> type[GreenroomError] | None:
        """Section 3 of the design, in the order of its checks."""
        row = LAYOUT.files.get(asked.path)
        if row is None:
            return ImmutableFileError if asked.path.startswith("templates/") else UnknownFileError
        if self.frozen:
            return SessionFrozenError
        appends = row.mutability is Mutability.APPEND_ONLY
        if asked.verb == "create":
            if asked.path in self.there:
                return AlreadyWrittenError
        elif asked.by not in row.writers:
            return WriterNotAllowedError
        elif appends is not (asked.verb == "append"):
            return AppendOnlyError
        elif row.mutability is Mutability.WRITE_ONCE and self.writes[asked.path]:
            return AlreadyWrittenError
        elif row.mutability is Mutability.WRITE_FEW and self.writes[asked.path] == row.max_revisions:
            return RevisionLimitError
        if "\0" in asked.text or "\ud800" in asked.text or (asked.verb == "append" and not asked.text):
            return InvalidTextError
        return None

    def take(self, asked: Try) -> None:
        text = asked.text
        if LAYOUT.files[asked.path].mutability is Mutability.APPEND_ONLY:
            if text and not text.endswith("\n"):
                text += "\n"
            text = self.texts[asked.path] + text
        self.texts[asked.path] = text
        self.there.add(asked.path)
        if asked.verb == "write":
            self.writes[asked.path] += 1
        self.record()


def ask(store: Store | Draft, asked: Try) -> None:
    if asked.verb == "create":
        store.create(asked.path, asked.text)
    elif asked.verb == "append":
        store.append(asked.path, asked.text, by=asked.by)
    else:
        store.write(asked.path, asked.text, by=asked.by)


class GivenUpError(Exception):
    """Raised inside a transaction, to undo it."""


class SessionMachine(RuleBasedStateMachine):
    """Several stores of one session; `waiting` counts each one's receipts that are not on disk."""

    stores = Bundle("stores")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="machine-"))
        self.root = self.folder / "s"
        self.outside = self.folder / "outside"
        self.model = Model()
        self.waiting: dict[Store, int] = {}
        self.tampered = False
        self.seen = dict.fromkeys(LAYOUT.files, b"")
        self.receipts = 0

    # ------------------------------------------------------------------ opening and closing

    @initialize(target=stores)
    def start(self) -> Store:
        store = bare(self.root)
        self.model.record()
        self.waiting[store] = 0
        return store

    @rule(target=stores)
    def open(self) -> Any:
        if len(self.waiting) == 4:
            return multiple()
        store = Store(self.root)
        self.waiting[store] = 0
        return store

    @rule(target=stores, store=consumes(stores))
    def open_again(self, store: Store) -> Store:
        store.close()
        self.flushed(store)
        del self.waiting[store]
        store = Store(self.root)
        self.waiting[store] = 0
        return store

    def flushed(self, store: Store) -> None:
        """The store's waiting receipts went to disk, or were dropped since the session has ended."""
        if not self.model.frozen:
            self.model.record(self.waiting[store])
        self.waiting[store] = 0

    # ------------------------------------------------------------------ writing

    @rule(store=stores, asked=tries())
    def write(self, store: Store, asked: Try) -> None:
        error = self.model.refusal(asked)
        if error is not None:
            self.refused(store, error, lambda: ask(store, asked))
        else:
            ask(store, asked)
            self.flushed(store)
            self.model.take(asked)

    def refused(self, store: Store, error: type[GreenroomError], write: Callable[[], object]) -> None:
        if not self.model.frozen and self.tampered:
            self.mend()
        store.catch_up()
        disk, memory = on_disk(self.root), in_memory(store)
        with pytest.raises(error) as caught:
            write()
        assert caught.type is error
        assert "\n" not in str(caught.value)
        assert on_disk(self.root) == disk
        assert in_memory(store) == memory

    @rule(store=stores)
    def note(self, store: Store) -> None:
        if self.model.frozen:
            self.refused(store, SessionFrozenError, lambda: store.note(Unread({"type": "x"}), by="moderator"))
        else:
            seq = store.note(Unread({"type": "x"}), by="moderator")
            self.flushed(store)
            self.model.record()
            assert seq == len(self.model.after)

    @rule(store=stores)
    def prepare_a_receipt(self, store: Store) -> None:
        self.receipts += 1
        store.add_receipt(*receipt_note(f"r{self.receipts:012}"))
        self.waiting[store] += 1

    @rule(store=stores)
    def flush(self, store: Store) -> None:
        store.flush()
        self.flushed(store)

    @precondition(lambda self: not self.model.frozen)
    @rule(
        store=stores,
        several=st.lists(tries(), max_size=6),
        with_receipt=st.booleans(),
        given_up=st.booleans(),
        past=st.booleans(),
    )
    def transact(
        self, store: Store, several: list[Try], with_receipt: bool, given_up: bool, past: bool
    ) -> None:
        store.catch_up()
        kept, waiting, before = self.model.copy(), self.waiting[store], in_memory(store)
        try:
            with store.transaction() as tx:
                for asked in several:
                    error = self.model.refusal(asked)
                    if error is not None:
                        with pytest.raises(error):
                            ask(tx, asked)
                        continue
                    if past:
                        with pytest.raises(TransactionOpenError):
                            ask(store, asked)
                    ask(tx, asked)
                    self.flushed(store)
                    self.model.take(asked)
                    assert store.content(asked.path) == self.model.texts[asked.path]
                if with_receipt:
                    store.add_receipt(*receipt_note("r000000000000"))
                    self.flushed(store)
                    self.model.record()
                if given_up:
                    raise GivenUpError
        except GivenUpError:
            self.model, self.waiting[store] = kept, waiting
            assert in_memory(store) == before

    # ------------------------------------------------------------------ from outside

    @precondition(lambda self: not self.model.frozen)
    @rule(
        path=st.sampled_from([*LAYOUT.files]),
        how=st.sampled_from(["cut", "junk", "longer", "gone", "zeros", "folder", "link", "touched"]),
        size=st.integers(0, 40),
    )
    def tamper(self, path: str, how: str, size: int) -> None:
        view = self.root / path
        raw = view.read_bytes() if view.is_file() else b""
        if view.is_dir() and not view.is_symlink():
            shutil.rmtree(view)
        else:
            view.unlink(missing_ok=True)
        if how == "folder":
            (view / "x").mkdir(parents=True)
        elif how == "link":
            view.symlink_to(self.outside)
        elif how != "gone":
            changed = {
                "cut": raw[:size],
                "junk": b"junk" * size,
                "longer": raw + b"more\n",
                "zeros": raw[:size] + bytes(max(0, len(raw) - size)),
                "touched": raw,
            }
            view.write_bytes(changed[how])
        self.tampered = True

    @precondition(lambda self: self.tampered and not self.model.frozen)
    @rule()
    def mend(self) -> None:
        """What was changed from outside is found by the next store that is opened and locked."""
        opened = Store(self.root)
        with opened.transaction():
            pass
        opened.close()
        self.tampered = False
        self.the_files_are_the_model()

    # ------------------------------------------------------------------ the end

    @precondition(lambda self: not self.model.frozen and len(self.model.after) > 12)
    @rule(store=stores)
    def freeze(self, store: Store) -> None:
        if self.tampered:
            self.mend()
        store.freeze(Frozen({}))
        self.flushed(store)
        self.model.record()
        self.model.frozen = True

    # ------------------------------------------------------------------ what always holds

    @invariant()
    def the_files_are_the_model(self) -> None:
        assert not self.outside.exists()
        for store in list(self.waiting)[:1]:
            assert store.catch_up() == len(self.model.after)
            assert {path: store.content(path) for path in LAYOUT.files} == self.model.texts
            assert {path: store.state(path).revisions for path in LAYOUT.files} == self.model.writes
        if self.tampered:
            return
        for path, row in LAYOUT.files.items():
            view = self.root / path
            raw = view.read_bytes() if view.exists() else b""
            assert raw == self.model.texts[path].encode()
            assert view.exists() is (path in self.model.there)
            if row.mutability is Mutability.APPEND_ONLY:
                assert raw.startswith(self.seen[path])
                self.seen[path] = raw

    def teardown(self) -> None:
        if not self.model.frozen and self.waiting:
            self.mend()
        for store in self.waiting:
            store.close()
            self.flushed(store)
        if self.waiting:
            self.every_record_gives_the_files()
            for folder in {path.partition("/")[0] for path in LAYOUT.files}:
                shutil.rmtree(self.root / folder)
            self.every_record_gives_the_files()  # from the ledger alone
        shutil.rmtree(self.folder)

    def every_record_gives_the_files(self) -> None:
        disk = on_disk(self.root)
        store = Store(self.root)
        assert store.seq == len(self.model.after)
        for seq, expected in enumerate(self.model.after, start=1):
            assert {path: store.content(path, at_seq=seq) for path in LAYOUT.files} == expected, seq
        store.close_files()
        assert is_sound(self.root)
        assert on_disk(self.root) == disk  # reading changes nothing


TestSessions = SessionMachine.TestCase
TestSessions.settings = settings(max_examples=150, stateful_step_count=40)
