"""Section 3 of the design, rule by rule: what each class allows, and what a breach gets.

Every refusal is one line that says which file, of which class, and what to do; it leaves
every byte on the disk and all that the store holds in memory as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.errors import (
    AlreadyWrittenError,
    AppendOnlyError,
    FileTooLargeError,
    GreenroomError,
    ImmutableFileError,
    InvalidTextError,
    RevisionLimitError,
    SessionDegradedError,
    SessionFrozenError,
    StoreError,
    StoreWriteError,
    TransactionOpenError,
    UnknownFileError,
    WriterNotAllowedError,
)
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store import files
from orchestrator.core.store import transaction as transaction_module
from orchestrator.core.store.ledger import Record, Unread
from orchestrator.core.store.store import Store, create_store
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import MAX_APPEND_BYTES, MIB, SessionFile
from orchestrator.panel.records.moderator import Frozen
from tests.helpers.stores import (
    CANDIDATE,
    DECK,
    INTEL,
    NOTES,
    TRANSCRIPT,
    bare,
    blueprints,
    fields_of,
    in_memory,
    is_sound,
    on_disk,
    receipt_note,
    records,
    refused,
    views,
)
from tests.project.test_layout import BAD_PATHS

CONFIG = "shared/session-config.md"
BRIEF = "skeptic/focus-brief.md"
STATE = "moderator/session-state.md"
PERSONA = "templates/skeptic/persona.md"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with_blueprints = bare(tmp_path / "s")
    blueprints(with_blueprints)
    yield with_blueprints
    with_blueprints.close()


def in_one(store: Store, *writes: Callable[[Draft], Any]) -> None:
    """Do several things in one transaction."""
    with store.transaction() as tx:
        for write in writes:
            write(tx)


def give_up(tx: Draft) -> None:
    raise ZeroDivisionError


def shrink(store: Store, path: str, *, max_bytes: int) -> None:
    """Give a file a small limit, so that a test needs no megabytes."""
    rows: dict[str, SessionFile] = dict(store.layout.files)
    rows[path] = replace(rows[path], max_bytes=max_bytes)
    store.history.layout = replace(store.layout, files=rows)


# ---------------------------------------------------------------------- 1. the name


@pytest.mark.parametrize("path", BAD_PATHS)
def test_a_name_outside_the_table_is_unknown_to_every_verb(store: Store, path: str) -> None:
    with refused(store, UnknownFileError, repr(path), "the names are", TRANSCRIPT):
        store.write(path, "x", by="start")
    with refused(store, UnknownFileError, repr(path)):
        store.append(path, "x", by="transcript")
    with refused(store, UnknownFileError, repr(path)):
        store.create(path, "x")
    with refused(store, UnknownFileError, repr(path)):
        store.content(path)
    with refused(store, UnknownFileError, repr(path)):
        store.state(path)


# ---------------------------------------------------------------------- 2. immutable


@pytest.mark.parametrize("by", ["start", "skeptic", "moderator", "transcript", "anybody"])
@pytest.mark.parametrize("path", [PERSONA, "templates/skeptic/new.md", "templates/nobody/persona.md"])
def test_nobody_writes_a_template(store: Store, path: str, by: str) -> None:
    words = (path, "immutable", "edit the template in the home")
    with refused(store, ImmutableFileError, *words):
        store.write(path, "x", by=by)
    with refused(store, ImmutableFileError, *words):
        store.append(path, "x", by=by)
    with refused(store, ImmutableFileError, *words):
        store.create(path, "x")


# ---------------------------------------------------------------------- 3. frozen


@pytest.mark.parametrize(
    ("path", "kind"),
    [(DECK, "write-once"), (INTEL, "write-few"), (TRANSCRIPT, "append-only"), (STATE, "overwrite")],
)
def test_an_ended_session_takes_no_write_of_any_class(store: Store, path: str, kind: str) -> None:
    store.freeze(Frozen({}))
    words = (path, kind, store.root.name, "has ended and is frozen", "start a new session")
    with refused(store, SessionFrozenError, *words):
        store.write(path, "x", by="start")
    with refused(store, SessionFrozenError, *words):
        store.append(path, "x", by="transcript")
    with refused(store, SessionFrozenError, *words):
        store.create(path, "x")
    other = Store(store.root)
    with refused(other, SessionFrozenError, *words):
        other.write(path, "x", by="start")
    other.close()


def test_an_ended_session_takes_nothing_else_either(store: Store) -> None:
    store.freeze(Frozen({}))
    with refused(store, SessionFrozenError, "has ended and is frozen"):
        store.note(Unread({"type": "x"}), by="moderator")
    with refused(store, SessionFrozenError, "has ended and is frozen"):
        store.freeze(Frozen({}))
    with refused(store, SessionFrozenError, "has ended and is frozen"), store.transaction():
        raise AssertionError("a frozen session was locked")


def test_the_end_is_seen_by_a_store_that_was_open_before(store: Store) -> None:
    late = Store(store.root)
    late.append(TRANSCRIPT, "in time", by="transcript")
    store.freeze(Frozen({}))
    with refused(late, SessionFrozenError):
        late.append(TRANSCRIPT, "too late", by="transcript")
    assert late.frozen
    late.close()


def test_nothing_follows_the_end_within_its_own_transaction(store: Store) -> None:
    disk = on_disk(store.root)
    late_ones: tuple[Callable[[Draft], Any], ...] = (
        lambda tx: tx.append(TRANSCRIPT, "too late", by="transcript"),
        lambda tx: tx.note(Unread({"type": "x"}), by="moderator"),
        lambda tx: tx.freeze(Frozen({})),
    )
    for late in late_ones:
        with pytest.raises(SessionFrozenError):
            in_one(store, lambda tx: tx.freeze(Frozen({})), late)
        assert on_disk(store.root) == disk
        assert not store.frozen
    with store.transaction() as tx:
        tx.freeze(Frozen({}))
        with pytest.raises(SessionFrozenError):
            tx.append(TRANSCRIPT, "too late", by="transcript")
        store.add_receipt(*receipt_note("r000000000000"))  # dropped, as any receipt of an ended session
    assert records(store.root)[-1]["op"] == "freeze"


def test_receipts_that_wait_when_another_ends_the_session_are_dropped(store: Store) -> None:
    other = Store(store.root)
    other.add_receipt(*receipt_note("r000000000000"))
    store.freeze(Frozen({}))
    disk = on_disk(store.root)
    other.flush()
    assert other.waiting_receipts == ()
    other.add_receipt(*receipt_note("r000000000001"))
    other.close()
    assert on_disk(store.root) == disk


# ---------------------------------------------------------------------- 4. the writer


def every_writer(store: Store) -> list[str]:
    names = {writer for row in store.layout.files.values() for writer in row.writers}
    return sorted(names | {"summariser", "contrarian", "", "Start", "start\n", "templates"})


def test_only_the_writers_of_its_row_write_a_file(store: Store) -> None:
    for path, row in store.layout.files.items():
        for by in every_writer(store):
            if by in row.writers:
                continue
            words = (path, repr(by), row.mutability.value, f"its writers are {', '.join(row.writers)}")
            with refused(store, WriterNotAllowedError, *words):
                store.write(path, "x", by=by)
            with refused(store, WriterNotAllowedError, *words):
                store.append(path, "x", by=by)


# ---------------------------------------------------------------------- 5. the class


def test_write_once(store: Store) -> None:
    assert store.write(BRIEF, "Growth.\n", by="skeptic") == store.seq
    assert store.content(BRIEF) == "Growth.\n"  # the bare blueprint was there before, and did not count
    for text in ("Growth.\n", "Other.\n", ""):
        with refused(store, AlreadyWrittenError, BRIEF, "write-once", "it stays as it is"):
            store.write(BRIEF, text, by="skeptic")
    with refused(store, AppendOnlyError, BRIEF, "write-once", "use write"):
        store.append(BRIEF, "x", by="skeptic")


def test_write_once_without_a_blueprint(store: Store) -> None:
    assert not (store.root / DECK).exists()
    with refused(store, AppendOnlyError, DECK, "write-once", "use write"):
        store.append(DECK, "x", by="start")
    store.write(DECK, "", by="start")  # an empty text is a text: it was the one write
    assert (store.root / DECK).read_bytes() == b""
    with refused(store, AlreadyWrittenError, DECK):
        store.write(DECK, "x", by="start")


def test_write_once_by_two_stores_of_one_session(store: Store) -> None:
    other = Store(store.root)
    store.write(BRIEF, "first\n", by="skeptic")
    with refused(other, AlreadyWrittenError, BRIEF):
        other.write(BRIEF, "second\n", by="skeptic")
    other.close()


def test_write_few_takes_five_revisions_and_keeps_them_all(store: Store) -> None:
    for number in range(1, 6):
        by = "start" if number == 1 else "intel"
        assert store.write(INTEL, f"revision {number}\n", by=by) == store.seq
        assert store.state(INTEL).revisions == number
    for _ in range(2):
        with refused(store, RevisionLimitError, INTEL, "write-few", "5 revisions", "start a new session"):
            store.write(INTEL, "revision 6\n", by="intel")
    with refused(store, AppendOnlyError, INTEL, "write-few", "use write"):
        store.append(INTEL, "x", by="intel")
    assert store.texts(INTEL) == [f"revision {number}\n" for number in range(1, 6)]
    assert store.content(INTEL) == "revision 5\n"


@pytest.mark.parametrize("limit", [1, 7])
def test_write_few_as_configured_for_the_session(tmp_path: Path, limit: int) -> None:
    store = bare(tmp_path / "s", max_revisions=limit)
    for number in range(1, limit + 1):
        assert store.write(INTEL, f"revision {number}\n", by="start") == store.seq
        assert store.state(INTEL).revisions == number
    with refused(store, RevisionLimitError, INTEL, f"its {limit} revisions: raise `max_revisions` in green"):
        store.write(INTEL, "one more\n", by="start")
    store.close()


def test_revisions_of_several_stores_count_together(store: Store) -> None:
    others = [Store(store.root) for _ in range(3)]
    for number in range(5):
        others[number % 3].write(INTEL, f"revision {number}\n", by="intel")
    for other in others:
        with refused(other, RevisionLimitError, INTEL):
            other.write(INTEL, "one more\n", by="intel")
        other.close()


def test_append_only(store: Store) -> None:
    before = store.content(TRANSCRIPT)
    for text in ("one\n", "two", "⟦three⟧\u2028\r", "\n"):
        assert store.append(TRANSCRIPT, text, by="transcript") == store.seq
        before += text if text.endswith("\n") else text + "\n"
        assert store.content(TRANSCRIPT) == before
        assert (store.root / TRANSCRIPT).read_bytes() == before.encode()
        assert store.state(TRANSCRIPT).size_bytes == len(before.encode())
    with refused(store, AppendOnlyError, TRANSCRIPT, "append-only", "use append"):
        store.write(TRANSCRIPT, before + "more\n", by="transcript")


def test_append_only_ends_every_text_with_a_newline_the_blueprint_too(tmp_path: Path) -> None:
    store = bare(tmp_path / "s")
    store.create(NOTES, "# Notes")  # as a template engine leaves it
    store.create(CANDIDATE, "none yet")
    store.append(NOTES, "first", by="skeptic")
    assert store.content(NOTES) == "# Notes\nfirst\n"
    assert store.content(CANDIDATE) == "none yet"
    store.close()


def test_overwrite(store: Store) -> None:
    for number in range(1, 12):
        assert store.write(CANDIDATE, f"question {number}", by="skeptic") == store.seq
        assert (store.root / CANDIDATE).read_text() == f"question {number}"
    assert store.content(CANDIDATE) == "question 11"
    with refused(store, AppendOnlyError, CANDIDATE, "overwrite", "use write"):
        store.append(CANDIDATE, "x", by="skeptic")
    versions = [store.content(CANDIDATE, at_seq=seq) for seq in store.state(CANDIDATE).seqs]
    assert versions == [f"# {CANDIDATE}\n", *(f"question {number}" for number in range(1, 12))]


def test_a_reader_of_an_overwritten_file_sees_the_old_or_the_new(store: Store) -> None:
    """The name points at a new file after each write; who reads the old one reads it to its end."""
    store.write(CANDIDATE, "old " * 1000, by="skeptic")
    with open(store.root / CANDIDATE, encoding="utf-8") as reading:
        start = reading.read(10)
        store.write(CANDIDATE, "new", by="skeptic")
        assert start + reading.read() == "old " * 1000
    assert (store.root / CANDIDATE).read_text() == "new"


def test_a_blueprint_is_put_in_place_once_and_before_any_write(store: Store) -> None:
    for path in (CONFIG, TRANSCRIPT, CANDIDATE, BRIEF):
        kind = store.layout.file(path).mutability.value
        with refused(store, AlreadyWrittenError, path, kind, "already there"):
            store.create(path, "again\n")
    store.write(DECK, "# Slide 1\n", by="start")
    with refused(store, AlreadyWrittenError, DECK):
        store.create(DECK, "again\n")


# ---------------------------------------------------------------------- 6. the content


def verbs(store: Store) -> list[tuple[str, str, Callable[[str], Any]]]:
    """One write of each class, and the file's class."""
    return [
        (BRIEF, "write-once", lambda text: store.write(BRIEF, text, by="skeptic")),
        (INTEL, "write-few", lambda text: store.write(INTEL, text, by="intel")),
        (TRANSCRIPT, "append-only", lambda text: store.append(TRANSCRIPT, text, by="transcript")),
        (CANDIDATE, "overwrite", lambda text: store.write(CANDIDATE, text, by="skeptic")),
        (DECK, "write-once", lambda text: store.create(DECK, text)),
    ]


def test_text_that_is_not_unicode_or_holds_nul_is_invalid(store: Store) -> None:
    for path, kind, write in verbs(store):
        with refused(store, InvalidTextError, path, kind, "position 2", "clean it"):
            write("ab\ud800c")
        with refused(store, InvalidTextError, path, kind, "NUL", "position 3", "remove it"):
            write("abc\0d")


def test_an_append_of_nothing_is_invalid(store: Store) -> None:
    with refused(store, InvalidTextError, TRANSCRIPT, "append-only", "nothing to append"):
        store.append(TRANSCRIPT, "", by="transcript")


@pytest.mark.parametrize("wrong", [b"bytes", None, 7, ["x"]])
def test_what_is_no_text_is_a_type_error(store: Store, wrong: Any) -> None:
    disk = on_disk(store.root)
    for _, _, write in verbs(store):
        with pytest.raises(TypeError):
            write(wrong)
    assert on_disk(store.root) == disk


def test_text_over_the_rows_limit_is_too_large(store: Store) -> None:
    for path, kind, write in verbs(store):
        held = store.state(path).size_bytes if kind == "append-only" else 0
        shrink(store, path, max_bytes=held + 8)
        with refused(store, FileTooLargeError, path, kind, f"{held + 9} bytes", "shorten the text"):
            write("éééé\n")  # nine bytes, five characters
        write("ééé.\n")  # eight: the limit itself is allowed
        assert store.state(path).size_bytes == held + 8


def test_the_limits_of_the_table_hold(tmp_path: Path) -> None:
    store = bare(tmp_path / "s")
    limit = store.layout.file(CONFIG).max_bytes
    with refused(store, FileTooLargeError, CONFIG, f"{limit + 1} bytes", f"limit of {limit}"):
        store.write(CONFIG, "x" * (limit + 1), by="start")
    store.write(CONFIG, "x" * limit, by="start")
    with refused(store, FileTooLargeError, TRANSCRIPT, "append-only", "one append", "split the text"):
        store.append(TRANSCRIPT, "x" * MAX_APPEND_BYTES, by="transcript")  # with its newline one too many
    with refused(store, FileTooLargeError, TRANSCRIPT):
        store.append(TRANSCRIPT, "x" * 10 * 1024 * 1024, by="transcript")
    store.append(TRANSCRIPT, "x" * (MAX_APPEND_BYTES - 1), by="transcript")
    assert store.state(TRANSCRIPT).size_bytes == MAX_APPEND_BYTES
    store.close()


@pytest.mark.parametrize(
    "text",
    [
        "\r",
        "a\r\nb\rc",
        "\u2028\u2029\x85\x0b\x0c",
        "\u202e\u200b\ufeff\U000e0041",
        '{"seq":1,"op":"note"}\n',
        '","hash":"' + "0" * 64 + '"}\n',
        ',"more":true',
        "⟦end of file 6 of 11: shared/presenter-transcript.md⟧\n",
        "{{7*7}}{% for x in y %}${HOME}$(id)`id`%s",
        "\x7f\x1b[31m",
        "x" * 100_000,
    ],
)
def test_any_other_text_is_plain_data(store: Store, text: str) -> None:
    expected = store.content(TRANSCRIPT) + text + ("" if text.endswith("\n") else "\n")
    store.append(TRANSCRIPT, text, by="transcript", value=Unread({"type": "segment", "text": text}))
    store.write(CANDIDATE, text, by="skeptic")
    again = Store(store.root)
    for each in (store, again):
        assert each.content(TRANSCRIPT) == expected
        assert each.content(CANDIDATE) == text
        assert fields_of(each.record(each.state(TRANSCRIPT).seqs[-1]))["text"] == text
    assert (store.root / TRANSCRIPT).read_bytes() == expected.encode()
    assert (store.root / CANDIDATE).read_bytes() == text.encode()
    assert is_sound(store.root)
    again.close()


@pytest.mark.parametrize(
    "value", [{"type": "x", "n": float("nan")}, {"type": "\ud800"}, {"type": "x", "deep": None}]
)
def test_a_value_that_is_no_json_is_refused(store: Store, value: dict[str, Any]) -> None:
    if "deep" in value:
        deep: Any = []
        for _ in range(100_000):
            deep = [deep]
        value["deep"] = deep
    with refused(store, InvalidTextError, TRANSCRIPT, "cannot be written as JSON"):
        store.append(TRANSCRIPT, "text", by="transcript", value=Unread(value))
    with refused(store, InvalidTextError, "note"):
        store.note(Unread(value), by="moderator")
    while value.get("deep"):  # taken apart by hand: freeing it at once would recurse
        value["deep"] = value["deep"].pop()


def test_a_note_by_any_name_is_one_line_of_json(store: Store) -> None:
    for by in ('"', "a\nb", "\\", '","op":"freeze', "é\u2028"):
        seq = store.note(Unread({"type": "x"}), by=by)
        assert Store(store.root).record(seq).by == by
    assert is_sound(store.root)


# ---------------------------------------------------------------------- the order of the checks


def breaches() -> list[tuple[str, list[tuple[str, bool, str, str, str]], type[GreenroomError]]]:
    """Writes that break several rules at once, by the rule that is looked at first."""
    bad_text = "\0" * 30
    unknown = [
        (path, frozen, by, verb, bad_text)
        for path in ("shared/x.md", "ledger/ledger.jsonl")
        for frozen in (True, False)
        for by in ("nobody", "start")
        for verb in ("write", "append")
    ]
    immutable = [
        (PERSONA, frozen, by, verb, bad_text)
        for frozen in (True, False)
        for by in ("nobody", "start")
        for verb in ("write", "append")
    ]
    frozen = [
        (path, True, by, verb, bad_text)
        for path in (BRIEF, TRANSCRIPT, CANDIDATE, INTEL)
        for by in ("nobody", "skeptic")
        for verb in ("write", "append")
    ]
    writer = [
        (path, False, "nobody", verb, bad_text)
        for path in (BRIEF, TRANSCRIPT, CANDIDATE, INTEL)
        for verb in ("write", "append")
    ]
    return [
        ("name", unknown, UnknownFileError),
        ("immutable", immutable, ImmutableFileError),
        ("frozen", frozen, SessionFrozenError),
        ("writer", writer, WriterNotAllowedError),
        ("class", [(TRANSCRIPT, False, "transcript", "write", bad_text)], AppendOnlyError),
        ("class ", [(CANDIDATE, False, "skeptic", "append", bad_text)], AppendOnlyError),
        ("once", [(BRIEF, False, "skeptic", "write", bad_text)], AlreadyWrittenError),
        ("few", [(INTEL, False, "intel", "write", bad_text)], RevisionLimitError),
        ("content", [(CANDIDATE, False, "skeptic", "write", bad_text)], InvalidTextError),
        ("size", [(CANDIDATE, False, "skeptic", "write", "x" * 30)], FileTooLargeError),
    ]


@pytest.mark.parametrize(("rule", "tries", "error"), breaches(), ids=[each[0] for each in breaches()])
def test_the_checks_come_in_the_order_of_the_design(
    store: Store, rule: str, tries: list[tuple[str, bool, str, str, str]], error: type[GreenroomError]
) -> None:
    store.write(BRIEF, "written\n", by="skeptic")
    for number in range(5):
        store.write(INTEL, f"{number}\n", by="intel")
    shrink(store, CANDIDATE, max_bytes=20)
    for path, frozen, by, verb, text in sorted(tries, key=lambda each: each[1]):
        if frozen and not store.frozen:
            store.freeze(Frozen({}))
        with refused(store, error):
            getattr(store, verb)(path, text, by=by)


def test_a_degraded_session_says_so_before_it_looks_at_the_writer(store: Store) -> None:
    (store.root / "ledger" / "degraded").touch()
    with refused(store, SessionDegradedError, store.root.name, "run `greenroom resume`"):
        store.append(TRANSCRIPT, "x", by="nobody")
    (store.root / "ledger" / "degraded").unlink()
    store.append(TRANSCRIPT, "x", by="transcript")


# ---------------------------------------------------------------------- transactions


def test_the_writes_of_a_transaction_count_all_or_none(store: Store) -> None:
    disk, memory = on_disk(store.root), in_memory(store)

    def write_and_give_up() -> None:
        with store.transaction() as tx:
            tx.write(BRIEF, "Growth.\n", by="skeptic")
            tx.append(TRANSCRIPT, "spoken\n", by="transcript")
            tx.write(INTEL, "news\n", by="intel")
            tx.write(CANDIDATE, "question\n", by="skeptic")
            tx.note(Unread({"type": "x"}), by="moderator")
            store.add_receipt(*receipt_note("r000000000000"))
            assert store.content(TRANSCRIPT).endswith("spoken\n")  # it reads its own writes
            assert store.record(store.seq + 2).text == "spoken\n"
            assert on_disk(store.root) == disk
            give_up(tx)

    with pytest.raises(ZeroDivisionError):
        write_and_give_up()
    assert on_disk(store.root) == disk
    assert in_memory(store) == memory
    assert store.write(BRIEF, "Growth.\n", by="skeptic") == store.seq


def test_a_refusal_that_leaves_a_transaction_undoes_it(store: Store) -> None:
    with refused(store, WriterNotAllowedError), store.transaction() as tx:
        tx.append(TRANSCRIPT, "spoken\n", by="transcript")
        tx.append(TRANSCRIPT, "spoken\n", by="skeptic")


def test_a_refusal_that_is_caught_inside_leaves_the_other_writes(store: Store) -> None:
    with store.transaction() as tx:
        tx.append(TRANSCRIPT, "one\n", by="transcript")
        with pytest.raises(InvalidTextError):
            tx.append(TRANSCRIPT, "\0", by="transcript")
        tx.append(TRANSCRIPT, "two\n", by="transcript")
    assert store.texts(TRANSCRIPT)[1:] == ["one\n", "two\n"]
    assert [line.get("more", False) for line in records(store.root)][-2:] == [True, False]
    assert views(store.root, store) == in_memory(store)["contents"]


def test_a_write_once_file_is_written_once_within_a_transaction_too(store: Store) -> None:
    with store.transaction() as tx:
        tx.write(BRIEF, "first\n", by="skeptic")
        with pytest.raises(AlreadyWrittenError):
            tx.write(BRIEF, "second\n", by="skeptic")
        for number in range(5):
            tx.write(INTEL, f"{number}\n", by="intel")
        with pytest.raises(RevisionLimitError):
            tx.write(INTEL, "5\n", by="intel")
    assert (store.content(BRIEF), store.content(INTEL)) == ("first\n", "4\n")


def test_who_holds_a_transaction_writes_through_it_or_is_refused_at_once(store: Store) -> None:
    before = store.seq
    past: dict[str, Callable[[], object]] = {
        "hand it on, as `tx`": lambda: store.transaction().__enter__(),
        "use `tx.append`": lambda: store.append(TRANSCRIPT, "past\n", by="transcript"),
        "use `tx.write`": lambda: store.write(BRIEF, "past\n", by="skeptic"),
        "use `tx.note`": lambda: store.note(Unread({"type": "past"}), by="moderator"),
    }
    with store.transaction() as tx:
        tx.append(TRANSCRIPT, "one\n", by="transcript")
        for told, write in past.items():
            with pytest.raises(TransactionOpenError) as refused_:
                write()
            assert str(refused_.value) == (
                f"{store.root.name}: this thread holds a transaction (`with session.transaction() as tx:`); "
                f"nothing was written: {told}"
            )
        with store.joined(tx) as same:
            same.append(TRANSCRIPT, "two\n", by="transcript")
        assert store.seq == before
    assert store.texts(TRANSCRIPT)[1:] == ["one\n", "two\n"]
    with pytest.raises(StoreError, match="this transaction has ended already"):
        tx.append(TRANSCRIPT, "late\n", by="transcript")
    assert store.seq == before + 2


def test_a_transaction_without_writes_leaves_no_trace(store: Store) -> None:
    disk = on_disk(store.root)
    with store.transaction():
        pass
    assert on_disk(store.root) == disk


def test_an_interrupt_undoes_a_transaction_as_any_exception_does(store: Store) -> None:
    def interrupt(tx: Draft) -> None:
        raise KeyboardInterrupt

    disk = on_disk(store.root)
    with pytest.raises(KeyboardInterrupt):
        in_one(store, lambda tx: tx.append(TRANSCRIPT, "spoken\n", by="transcript"), interrupt)
    assert on_disk(store.root) == disk
    store.append(TRANSCRIPT, "spoken\n", by="transcript")
    assert store.texts(TRANSCRIPT)[1:] == ["spoken\n"]


# ---------------------------------------------------------------------- what a record says


def test_a_record_holds_what_was_written_and_not_what_the_caller_does_with_it_later(store: Store) -> None:
    value: dict[Any, Any] = {"type": "segment", "words": ["a"], "pair": (1, 2), 3: "three"}
    store.append(TRANSCRIPT, "a\n", by="transcript", value=Unread(value))
    value["words"].append("b")
    value["type"] = "other"
    expected = {"type": "segment", "words": ["a"], "pair": [1, 2], "3": "three"}
    again = Store(store.root)
    assert fields_of(store.record(store.seq)) == fields_of(again.record(store.seq)) == expected
    again.close()


def test_a_mapping_is_no_value(store: Store) -> None:
    value: Any = {"type": "review.finding"}
    disk = on_disk(store.root)
    for write in (
        lambda: store.note(value, by="moderator"),
        lambda: store.append(TRANSCRIPT, "a\n", by="transcript", value=value),
        lambda: store.freeze(value),
    ):
        with pytest.raises(TypeError, match="a record's value is a dict: give a value of a class"):
            write()
    assert on_disk(store.root) == disk


def test_listeners_hear_every_record_once_in_order_whoever_wrote_it(store: Store) -> None:
    heard: list[int] = []
    other = Store(store.root)
    store.fold(lambda: heard, lambda heard, record: heard.append(record.seq))
    for number in range(6):
        (store, other)[number % 2].append(TRANSCRIPT, f"{number}\n", by="transcript")
    with store.transaction() as tx:
        tx.note(Unread({"type": "x"}), by="moderator")
        tx.note(Unread({"type": "y"}), by="moderator")
    other.note(Unread({"type": "z"}), by="moderator")
    store.catch_up()
    assert heard == list(range(1, store.seq + 1))
    other.close()


def test_a_listener_that_fails_misses_no_record_but_that_one(store: Store) -> None:
    def listen(heard: list[int], record: Record) -> None:
        if record.seq == failing:
            raise ZeroDivisionError
        heard.append(record.seq)

    failing = store.seq + 2
    fold = store.fold(list[int], listen)
    with pytest.raises(ZeroDivisionError):
        in_one(store, *[lambda tx: tx.append(TRANSCRIPT, "spoken\n", by="transcript")] * 4)
    store.catch_up()
    store.note(Unread({"type": "x"}), by="moderator")
    assert fold.now() == [seq for seq in range(1, store.seq + 1) if seq != failing]


def test_the_session_clock_never_goes_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([5.0, 3.0, 1.0, 8.0, 0.0])
    store.clock = lambda: next(times)
    monkeypatch.setattr(transaction_module, "utc_now", lambda: "1970-01-01T00:00:00.000000Z")  # set back
    for _ in range(5):
        store.note(Unread({"type": "x"}), by="moderator")
    other = Store(store.root)
    other.clock = lambda: 2.0
    other.note(Unread({"type": "x"}), by="moderator")
    assert [line["clock_s"] for line in records(store.root)][-6:] == [5.0, 5.0, 5.0, 8.0, 8.0, 8.0]
    other.close()


def test_a_receipt_goes_to_disk_with_the_next_record_in_the_same_write(store: Store) -> None:
    disk = on_disk(store.root)
    store.add_receipt(*receipt_note("r000000000001"))
    store.add_receipt(*receipt_note("r000000000002", "analyst"))
    assert on_disk(store.root) == disk
    with refused(store, WriterNotAllowedError):  # a refused write takes none with it
        store.append(TRANSCRIPT, "x", by="skeptic")
    store.append(TRANSCRIPT, "spoken\n", by="transcript")
    last = records(store.root)[-2:]
    assert [(line["op"], line.get("more", False)) for line in last] == [("receipt", True), ("append", False)]
    assert last[0]["value"]["ids"] == {"skeptic": "r000000000001", "analyst": "r000000000002"}
    assert store.waiting_receipts == ()


def test_a_receipt_still_waiting_goes_to_disk_at_close(store: Store) -> None:
    store.add_receipt(*receipt_note("r000000000001"))
    store.close()
    store.close()
    assert records(store.root)[-1]["value"] == {
        "type": "receipt",
        "v": 2,
        "ids": {"skeptic": "r000000000001"},
        "task": "test",
        "seq": 1,
        "engine": "offline",
    }


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    for use in (
        store.catch_up,
        lambda: store.append(TRANSCRIPT, "x", by="transcript"),
        lambda: store.note(Unread({"type": "x"}), by="moderator"),
    ):
        with pytest.raises(StoreError, match="is closed here: open the session again"):
            use()


def test_there_are_no_records_outside_the_ledger(store: Store) -> None:
    for seq in (0, -1, store.seq + 1):
        with pytest.raises(StoreError, match=f"there is no record {seq}"):
            store.record(seq)


# ---------------------------------------------------------------------- the start


def test_a_session_is_made_only_where_nothing_is(tmp_path: Path) -> None:
    layout = packaged_table().seated(["skeptic", "analyst"])
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    store = bare(tmp_path / "session")
    store.append(TRANSCRIPT, "spoken\n", by="transcript")
    disk = on_disk(tmp_path)
    for name in ("folder", "file", "session"):
        with pytest.raises(StoreWriteError, match="no session was made"):
            create_store(tmp_path / name, layout, Unread({}))
        assert on_disk(tmp_path) == disk
    store.close()


def test_a_new_session_holds_one_record_and_no_file(tmp_path: Path) -> None:
    store = bare(tmp_path / "s")
    assert list(on_disk(tmp_path / "s")) == ["ledger/ledger.jsonl"]
    assert [(line["seq"], line["op"], line["value"]["panel"]) for line in records(tmp_path / "s")] == [
        (1, "open", ["skeptic", "analyst"])
    ]
    assert (store.seq, store.frozen, store.is_degraded) == (1, False, False)
    store.close()


@pytest.mark.parametrize("path", [TRANSCRIPT, CANDIDATE])
def test_what_somebody_put_in_a_files_place_is_kept_by_the_write_that_takes_it(
    store: Store, path: str
) -> None:
    def write(text: str) -> None:
        if path == TRANSCRIPT:
            store.append(path, text, by="transcript")
        else:
            store.write(path, text, by="skeptic")

    write("One.\n")
    write("Two.\n")
    assert store.repairs == []
    (store.root / path).write_bytes(b"What I would rather have said, at some length.\n")
    write("Three.\n")
    (repair,) = store.repairs
    why, _, kept = repair.what.rpartition(": what stood there is kept in ")
    assert (repair.path, why) == (path, "was changed from outside and has been put back from the ledger")
    assert (store.root / kept).read_bytes() == b"What I would rather have said, at some length.\n"
    assert (store.root / path).read_bytes() == store.content(path).encode()
    (store.root / path).write_bytes(b"Two.\n" if path == CANDIDATE else b"# ")  # which the ledger has
    write("Four.\n")
    assert store.repairs == [repair]


def test_what_is_kept_aside_can_be_read_whatever_rights_it_had(store: Store) -> None:
    (store.root / CANDIDATE).write_bytes(b"What I would rather have asked.\n")
    (store.root / CANDIDATE).chmod(0)
    store.mend()
    (repair,) = store.repairs
    kept = store.root / repair.what.rpartition(" kept in ")[2]
    assert kept.stat().st_mode & 0o777 == 0o400
    assert kept.read_bytes() == b"What I would rather have asked.\n"
    assert (store.root / CANDIDATE).stat().st_mode & 0o600 == 0o600


def test_what_is_mended_is_logged_where_nobody_asked_to_be_told(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    (store.root / CANDIDATE).unlink()
    store.note(Unread({"type": "x"}), by="moderator")
    store.mend()
    assert caplog.messages == [f"s: {CANDIDATE}: was missing and has been put back from the ledger"]


def test_whoever_passes_half_of_the_largest_ledger_is_warned_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = bare(tmp_path / "s")
    blueprints(store)
    half = store.history.end + 3000
    monkeypatch.setattr(transaction_module, "LARGE_BYTES", half)
    monkeypatch.setattr(files, "MAX_BYTES", 40 * MIB)
    other = Store(store.root)
    warned = []
    for number in range(20):
        writer = (store, other)[number % 2]
        writer.append(TRANSCRIPT, "x" * 200, by="transcript")
        warned += [(writer.history.end > half, one.getMessage()) for one in caplog.records]
        caplog.clear()
    other.close()
    store.close()
    message = "s: its ledger has 0 MiB of the 40 that it may have: end this session before it is full, and go"
    assert warned == [(True, f"{message} on in another")]
