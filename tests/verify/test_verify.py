"""What `verify_session` finds: every rule by every write, every file, and any damage without a traceback."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.archive.freeze import freeze, thaw
from orchestrator.core.context.assemble import Assembler, read_templates
from orchestrator.core.context.receipt import Receipt, WholeReceipt
from orchestrator.core.errors import FileTooLargeError, LedgerCorruptError, StoreError
from orchestrator.core.store import files, ledger
from orchestrator.core.store.ledger import FIRST_HASH, Held, Record, encode, ids_of
from orchestrator.core.store.store import Store
from orchestrator.core.table import MAX_APPEND_BYTES, MIB
from orchestrator.core.verify import Finding
from orchestrator.panel.records.exchanges import VerdictGiven
from orchestrator.panel.records.moderator import Frozen
from tests.helpers.board import verify_session
from tests.helpers.sessions import SOURCE, TRANSCRIPT, Sample, ended_session, live_session, start
from tests.helpers.stores import DECK, bare, fields_of

LEDGER = "ledger/ledger.jsonl"


@pytest.fixture
def live(tmp_path: Path) -> Sample:
    return live_session(tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Sample]]:
    """A live and an ended session to copy from."""
    folder = tmp_path_factory.mktemp("made")
    samples = {"live": live_session(folder / "a"), "ended": ended_session(folder / "b")}
    yield samples
    thaw(samples["ended"].root)


def kinds(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(finding.path, finding.kind) for finding in findings]


# ------------------------------------------------------------------ a ledger made by hand


@pytest.fixture
def records(live: Sample) -> list[Record]:
    """The records of a live session, to be changed and written again with right hashes."""
    store = Store(live.root)
    records = [store.record(entry.seq) for entry in store.entries()]
    store.close()
    return records


@pytest.fixture
def old_records(live: Sample, records: list[Record]) -> list[Record]:
    """The same records as a ledger of version 1 had them: whole receipts, and no table."""
    store = Store(live.root)
    assembler = Assembler(store, read_templates(store, store.layout))
    opened = {name: one for name, one in fields_of(records[0]).items() if name != "table"} | {
        "ledger_version": 1
    }
    old = [changed(records[0], value=opened)]
    for record in records[1:]:
        if record.op == "receipt":
            (receipt_id,) = ids_of(record)
            receipt = assembler.receipt(receipt_id)
            record = changed(record, value=WholeReceipt(receipt.id, receipt).plain())
        old.append(record)
    store.close()
    return old


def rewrite(root: Path, records: list[Record]) -> None:
    """Write a ledger whose every hash is right, whatever its records say."""
    head, lines = FIRST_HASH, []
    for record in records:
        line, head = encode(record, head)
        lines.append(line)
    (root / LEDGER).write_bytes(b"".join(lines))


def changed(record: Record, **values: Any) -> Record:
    if "value" in values:
        values["held"] = Held(values.pop("value"))
    return record._replace(**values)


def written(record: Record, text: str, before: str = "", **values: Any) -> Record:
    """*record* with another text, and the size and digest that belong to it."""
    whole = (before + text).encode()
    values = {"size_bytes": len(whole), "sha256": hashlib.sha256(whole).hexdigest(), **values}
    return changed(record, text=text, **values)


def numbered(records: list[Record]) -> list[Record]:
    return [changed(record, seq=number) for number, record in enumerate(records, start=1)]


def last_of(records: list[Record], file: str) -> int:
    return max(index for index, record in enumerate(records) if record.file == file)


# ------------------------------------------------------------------ right sessions


def test_a_live_and_an_ended_session_are_valid(made: dict[str, Sample]) -> None:
    for name, sample in made.items():
        result = verify_session(sample.root, home_templates=sample.home_templates)
        store = Store(sample.root)
        assert (result.valid, result.findings, result.notes) == (True, (), ())
        assert (result.head, result.seq, result.ended) == (store.head, store.seq, name == "ended")
        store.close()


def test_verifying_changes_nothing_and_waits_for_no_lock_of_a_reader(live: Sample) -> None:
    before = {path: path.stat().st_mtime_ns for path in live.root.rglob("*")}
    store = Store(live.root)
    assert verify_session(live.root).valid
    store.close()
    assert {path: path.stat().st_mtime_ns for path in live.root.rglob("*")} == before


def test_what_is_derived_or_put_aside_is_accounted_for_while_a_session_goes_on(live: Sample) -> None:
    for name in (
        "debrief.md",
        "debrief.json",
        "trace/session.json",
        "facts/index.json",
        "facts/2026-11-20.json",
        "ledger/torn/torn-9-abc",
        "ledger/rejected/9-x.md",
        "ledger/driver.lock",
    ):
        (live.root / name).parent.mkdir(exist_ok=True)
        (live.root / name).write_text("derived")
    (live.root / "ledger" / "rejected" / "link").symlink_to("/etc/hostname")
    assert verify_session(live.root).valid


def test_a_leftover_of_a_crash_and_a_degraded_disk_are_notes(live: Sample) -> None:
    (live.root / "skeptic" / ".candidate-question.md.123.tmp").write_text("half")
    (live.root / "ledger" / "degraded").touch()
    result = verify_session(live.root)
    assert result.valid
    assert len(result.notes) == 2


def test_ten_thousand_records(tmp_path: Path) -> None:
    sample, store = start(tmp_path)
    for _ in range(20):
        with store.transaction() as tx:
            for _ in range(500):
                tx.append(TRANSCRIPT, "We grew by forty percent.\n", by="transcript")
    store.close()
    result = verify_session(sample.root)
    assert result.valid
    assert result.seq > 10_000


# ------------------------------------------------------------------ files on disk


LEFT_ALONE = "no file of this session; it is left alone"


@pytest.mark.parametrize("which", ["live", "ended"])
def test_every_file_that_is_missing_changed_or_extra_is_named(
    which: str, made: dict[str, Sample], tmp_path: Path
) -> None:
    root = tmp_path / "copy"
    shutil.copytree(made[which].root, root)
    thaw(root)
    derived = {"debrief.md"} if which == "live" else set()
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        name = str(path.relative_to(root))
        if name in derived | {LEDGER}:
            continue
        content = path.read_bytes()
        path.unlink()
        assert kinds(verify_session(root).findings) == [(name, "missing")]
        path.write_bytes(content.swapcase())
        assert kinds(verify_session(root).findings) == [(name, "changed")]
        path.write_bytes(content + b"x")
        assert kinds(verify_session(root).findings) == [(name, "changed")]
        path.write_bytes(content)
        path.with_name("added.md").write_bytes(b"")
        added = str(path.with_name("added.md").relative_to(root))
        found = verify_session(root)
        if which == "live" and not added.startswith(("ledger/", "source/")):
            assert (found.findings, f"{added}: {LEFT_ALONE}" in found.notes) == ((), True)
        else:
            assert kinds(found.findings) == [(added, "extra")]
        path.with_name("added.md").unlink()
    assert verify_session(root).valid


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("shared/external-intel.md", b"None.\n"),  # an earlier revision
        ("shared/external-intel.md", b"Ne"),  # a part of the last one
        ("shared/external-intel.md", b"\0\0\0\0\0\0"),  # blocks that never reached the disk
        ("skeptic/candidate-question.md", b"Question 1?\n"),
        (TRANSCRIPT, None),  # without the last bytes
        (TRANSCRIPT, b""),
    ],
)
def test_a_view_that_a_crash_left_behind_is_behind(file: str, content: bytes | None, live: Sample) -> None:
    path = live.root / file
    path.write_bytes(path.read_bytes()[:-9] if content is None else content)
    assert kinds(verify_session(live.root).findings) == [(file, "behind")]
    store = Store(live.root)
    with store.transaction():
        pass
    store.close()
    assert verify_session(live.root).valid


def test_a_view_with_zeros_for_blocks_that_never_reached_the_disk_is_behind(
    live: Sample,
) -> None:
    candidate = "skeptic/candidate-question.md"
    store = Store(live.root)
    store.write(candidate, "A question that is longer than the next?\n", by="skeptic")
    store.write(candidate, "Why?\n", by="skeptic")
    said = (live.root / TRANSCRIPT).read_bytes()
    for file, content in (
        (candidate, b"A question" + bytes(20)),
        (TRANSCRIPT, said[:40] + bytes(100)),
        (TRANSCRIPT, bytes(40) + said[40:100] + bytes(20)),
    ):
        (live.root / file).write_bytes(content)
        assert kinds(verify_session(live.root).findings) == [(file, "behind")]
        store.mend()
        assert verify_session(live.root).valid
    # Moved on by one byte: no crash does that.
    (live.root / TRANSCRIPT).write_bytes(said[:40] + b"\0" + said[40:99])
    assert kinds(verify_session(live.root).findings) == [(TRANSCRIPT, "changed")]
    assert not (live.root / "ledger" / "rejected").exists()
    store.close()


def test_a_view_that_was_longer_before_the_crash_is_behind_too(live: Sample) -> None:
    store = Store(live.root)
    path = live.root / "skeptic" / "candidate-question.md"
    store.write("skeptic/candidate-question.md", "A question that is much longer?\n", by="skeptic")
    before = path.read_bytes()
    store.write("skeptic/candidate-question.md", "Why?\n", by="skeptic")
    store.close()
    path.write_bytes(before)
    assert kinds(verify_session(live.root).findings) == [("skeptic/candidate-question.md", "behind")]
    path.write_bytes(before + b"x")
    assert kinds(verify_session(live.root).findings) == [("skeptic/candidate-question.md", "changed")]


def test_a_view_that_a_crash_kept_from_being_made_is_behind_and_missing_once_it_was_there(
    tmp_path: Path,
) -> None:
    store = bare(tmp_path / "s")
    store.write(DECK, "# Slide 1\n", by="start")
    for kind in ("behind", "missing"):
        (store.root / DECK).unlink()
        assert kinds(verify_session(store.root).findings) == [(DECK, kind)]
        Store(store.root).mend()
        store.append(TRANSCRIPT, "we grew\n", by="transcript")
    store.close()


def test_an_earlier_state_of_an_ended_session_is_a_change(made: dict[str, Sample], tmp_path: Path) -> None:
    root = tmp_path / "copy"
    shutil.copytree(made["ended"].root, root)
    thaw(root)
    (root / "shared" / "external-intel.md").write_text("None.\n")
    (finding,) = verify_session(root).findings
    assert (finding.path, finding.kind) == ("shared/external-intel.md", "changed")
    assert finding.found.endswith(", an earlier state")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _link(path: Path) -> None:
    path.with_name("kept").write_bytes(b"x")
    path.symlink_to("kept")


def _second_name(path: Path) -> None:
    path.with_name("kept").write_bytes(b"x")
    os.link(path.with_name("kept"), path)


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "x").touch()


@pytest.mark.parametrize("make", [_pipe, _link, _second_name, _folder])
@pytest.mark.parametrize("file", [TRANSCRIPT, LEDGER, "ledger/templates/skeptic/persona.md"])
def test_what_is_no_plain_file_is_never_followed_nor_waited_for(
    file: str, make: Callable[[Path], None], live: Sample
) -> None:
    (live.root / file).unlink()
    make(live.root / file)
    assert (file, "not-plain") in kinds(verify_session(live.root).findings)


def test_a_folder_that_is_swapped_for_a_link_is_not_followed(live: Sample, tmp_path: Path) -> None:
    (live.root / "shared").rename(tmp_path / "elsewhere")
    (live.root / "shared").symlink_to(tmp_path / "elsewhere")
    found = kinds(verify_session(live.root).findings)
    assert (TRANSCRIPT, "missing") in found
    assert ("shared", "extra") in found


@pytest.mark.parametrize("name", ["new\nline", "bell\x07", "\udcff\udcfe", "x" * 255, "last"])
def test_names_that_no_one_expects_are_shown_on_one_line(name: str, live: Sample) -> None:
    (live.root / "shared" / name).touch()
    found = verify_session(live.root)
    assert (found.valid, len(found.notes), found.notes[0].isprintable()) == (True, 1, True)
    (live.root / "ledger" / name).touch()
    (finding,) = verify_session(live.root).findings
    assert finding.kind == "extra"
    assert finding.path.isprintable()


def test_a_file_under_a_name_of_the_table_that_no_record_wrote_is_a_fault(live: Sample) -> None:
    """Whoever looks into the folder would take it for the session's own."""
    unwritten = next(path for path in live.layout.files if not (live.root / path).exists())
    (live.root / unwritten).write_text("Nobody said so.\n")
    (live.root / "shared" / "board-notes.txt").write_text("Mine.\n")
    found = verify_session(live.root)
    assert kinds(found.findings) == [(unwritten, "extra")]
    assert found.notes == (f"shared/board-notes.txt: {LEFT_ALONE}",)


def test_there_is_no_session(tmp_path: Path) -> None:
    assert kinds(verify_session(tmp_path / "none").findings) == [(".", "missing")]
    assert kinds(verify_session(tmp_path).findings) == [(LEDGER, "missing")]
    (tmp_path / "file").touch()
    assert kinds(verify_session(tmp_path / "file").findings) == [(".", "missing")]


# ------------------------------------------------------------------ the ledger's bytes


def test_a_torn_last_record_is_torn_and_resume_mends_it(live: Sample) -> None:
    path = live.root / LEDGER
    whole = path.read_bytes()
    path.write_bytes(whole + whole.splitlines(keepends=True)[-1][:40])
    assert kinds(verify_session(live.root).findings) == [(LEDGER, "torn")]
    store = Store(live.root)
    with store.transaction():
        pass
    store.close()
    assert verify_session(live.root).valid


def test_an_unfinished_transaction_is_torn(live: Sample) -> None:
    store = Store(live.root)
    line, _ = encode(
        Record(
            store.seq + 1, "note", "moderator", 9.0, "2026-11-20T10:00:00.000000Z", held=Held({"type": "x"})
        ),
        store.head,
        more=True,
    )
    store.close()
    with (live.root / LEDGER).open("ab") as file:
        file.write(line)
    assert kinds(verify_session(live.root).findings) == [(LEDGER, "torn")]


def test_every_cut_of_a_ledger_is_found_but_for_whole_records(tmp_path: Path) -> None:
    """A cut between transactions, with the files of that moment, shows only against a head kept elsewhere."""
    sample, store = start(tmp_path)
    store.append(TRANSCRIPT, "We grew.\n", by="transcript")
    head = store.head
    store.close()
    path = sample.root / LEDGER
    whole = path.read_bytes()
    for size in range(0, len(whole), 13):
        path.write_bytes(whole[:size])
        found = verify_session(sample.root).findings
        assert LEDGER in {finding.path for finding in found} or whole[size - 1 : size] == b"\n"
        assert (LEDGER, "head") in kinds(verify_session(sample.root, head=head).findings)
    path.write_bytes(whole)
    assert verify_session(sample.root, head=head).valid


def test_damage_is_placed_and_the_files_are_still_checked(live: Sample) -> None:
    path = live.root / LEDGER
    lines = path.read_bytes().splitlines(keepends=True)
    store = Store(live.root)
    damaged = next(
        entry.seq for entry in store.entries() if entry.file == TRANSCRIPT and entry.op == "append"
    )
    store.close()
    lines[damaged - 1] = lines[damaged - 1].replace(b"forty", b"fifty")
    path.write_bytes(b"".join(lines))
    (live.root / "shared" / "board-dossier.md").write_text("Changed.\n")
    result = verify_session(live.root)
    assert kinds(result.findings) == [(LEDGER, "damaged"), ("shared/board-dossier.md", "changed")]
    assert result.findings[0].expected.startswith(f"line {damaged}, from byte ")
    assert result.seq == len(lines)


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("flip", "damaged"),
        ("delete", "damaged"),
        ("double", "damaged"),
        ("swap", "damaged"),
        ("insert", "damaged"),
    ],
)
def test_one_spoiled_line_leaves_the_others_readable(what: str, kind: str, live: Sample) -> None:
    path = live.root / LEDGER
    lines = path.read_bytes().splitlines(keepends=True)
    at = len(lines) // 2
    if what == "flip":
        lines[at] = lines[at].replace(b'"clock_s":0', b'"clock_s":1')
    elif what == "delete":
        del lines[at]
    elif what == "double":
        lines.insert(at, lines[at])
    elif what == "swap":
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    else:
        lines.insert(at, b'{"seq":1}\n')
    path.write_bytes(b"".join(lines))
    result = verify_session(live.root)
    assert (LEDGER, kind) in kinds(result.findings)
    assert {finding.path for finding in result.findings} == {LEDGER}
    assert result.seq >= len(lines) - 1


def test_every_spoiled_first_record_still_lets_the_files_be_checked(live: Sample) -> None:
    path = live.root / LEDGER
    path.write_bytes(path.read_bytes().replace(b'"panel"', b'"ponel"', 1))
    (live.root / TRANSCRIPT).write_text("Changed.\n")
    found = kinds(verify_session(live.root).findings)
    assert (LEDGER, "damaged") in found
    assert (TRANSCRIPT, "changed") in found


@given(st.binary(max_size=300))
def test_no_bytes_make_it_raise(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "ledger").mkdir()
        (root / LEDGER).write_bytes(content)
        assert not verify_session(root).valid


@given(st.data())
def test_no_change_of_a_ledger_makes_it_raise_or_pass(made: dict[str, Sample], data: st.DataObject) -> None:
    whole = (made["ended"].root / LEDGER).read_bytes()
    start_at = data.draw(st.integers(0, len(whole) - 1))
    length = data.draw(st.integers(0, 200))
    new = data.draw(st.binary(max_size=200))
    content = whole[:start_at] + new + whole[start_at + length :]
    if content == whole:
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "copy"
        shutil.copytree(made["ended"].root, root)
        thaw(root)
        (root / LEDGER).write_bytes(content)
        result = verify_session(root, head=ledger.scan(whole).head)
        assert LEDGER in {finding.path for finding in result.findings}


KEYS = [
    "seq",
    "op",
    "file",
    "by",
    "clock_s",
    "at",
    "text",
    "value",
    "more",
    "bytes",
    "sha256",
    "panel",
    "templates",
]
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(KEYS, values),
    ),
    st.sampled_from(
        [{}, {"op": "open"}, {"op": "receipt"}, {"op": "freeze"}, {"op": "append", "file": TRANSCRIPT}]
    ),
)
def test_no_record_that_is_hashed_right_makes_it_raise(plain: dict[str, Any], base: dict[str, Any]) -> None:
    value = {"type": "session", "ledger_version": 1, **plain}
    whole = {"seq": 1, "op": "open", "by": "start", "clock_s": 0.0, "at": "2026-11-20T10:00:00.000000Z"}
    lines, head = [], FIRST_HASH
    for record in ({**whole, "value": value}, {**whole, "seq": 2, **base, **plain}):
        body = json.dumps(record, separators=(",", ":")).encode()[:-1]
        head = hashlib.sha256(head.encode() + body).hexdigest()
        lines.append(body + b',"hash":"' + head.encode() + b'"}\n')
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "ledger").mkdir()
        (Path(folder) / LEDGER).write_bytes(b"".join(lines))
        assert not verify_session(Path(folder)).valid


# ------------------------------------------------------------------ rules, by records that are hashed right


BREACHES: dict[str, Callable[[list[Record]], list[Record]]] = {}
OF_VERSION_1: set[str] = set()


def breach(
    path: str, kind: str, part: str, *, version: int = 2
) -> Callable[[Callable[[list[Record]], list[Record]]], Any]:
    """A change to a right ledger, and what must then be found at *path*; *part* stands in the finding."""

    def keep(change: Callable[[list[Record]], list[Record]]) -> Any:
        BREACHES[f"{path} {kind} {part}"] = change
        if version == 1:
            OF_VERSION_1.add(f"{path} {kind} {part}")
        return change

    return keep


def _with(records: list[Record], file: str, **values: Any) -> list[Record]:
    at = last_of(records, file)
    return [*records[:at], changed(records[at], **values), *records[at + 1 :]]


@breach(TRANSCRIPT, "rule", "writers are transcript")
def _another_writer(records: list[Record]) -> list[Record]:
    return _with(records, TRANSCRIPT, by="skeptic")


@breach("shared/deck-content.md", "rule", "at most 1 of them")
def _written_twice(records: list[Record]) -> list[Record]:
    at = last_of(records, "shared/deck-content.md")
    return numbered([*records[: at + 1], records[at], *records[at + 1 :]])


@breach("shared/external-intel.md", "rule", "at most 5 of them")
def _revised_too_often(records: list[Record]) -> list[Record]:
    at = last_of(records, "shared/external-intel.md")
    return numbered([*records[: at + 1], *[records[at]] * 4, *records[at + 1 :]])


@breach(TRANSCRIPT, "rule", "append-only: `append`")
def _replaced(records: list[Record]) -> list[Record]:
    at = last_of(records, TRANSCRIPT)
    record = written(records[at], "Other.\n", op="replace")
    return [*records[:at], record, *records[at + 1 :]]


@breach("shared/deck-content.md", "rule", "write-once: `write`")
def _appended_to(records: list[Record]) -> list[Record]:
    at = last_of(records, "shared/deck-content.md")
    record = written(records[at], "More.\n", records[at].text or "", op="append")
    return numbered([*records[: at + 1], record, *records[at + 1 :]])


@breach(TRANSCRIPT, "rule", "bytes, SHA-256")
def _wrong_digest(records: list[Record]) -> list[Record]:
    return _with(records, TRANSCRIPT, sha256="0" * 64)


@breach(TRANSCRIPT, "rule", "bytes, SHA-256")
def _wrong_size(records: list[Record]) -> list[Record]:
    return _with(records, TRANSCRIPT, size_bytes=1)


@breach("shared/board-dossier.md", "rule", "NUL")
def _nul(records: list[Record]) -> list[Record]:
    at = last_of(records, "shared/board-dossier.md")
    return [*records[:at], written(records[at], "a\0b"), *records[at + 1 :]]


@breach("shared/session-config.md", "rule", "at most 262144 bytes")
def _too_large(records: list[Record]) -> list[Record]:
    at = last_of(records, "shared/session-config.md")
    return [*records[:at], written(records[at], "x" * 300_000), *records[at + 1 :]]


@breach("moderator/debrief-notes.md", "rule", f"at most {MAX_APPEND_BYTES} bytes in one append")
def _append_too_large(records: list[Record]) -> list[Record]:
    path = "moderator/debrief-notes.md"
    before = records[last_of(records, path)]
    record = written(before, "x" * (MAX_APPEND_BYTES + 1), before.text or "", op="append", by="moderator")
    return numbered([*records, changed(record, clock_s=records[-1].clock_s)])


@breach(TRANSCRIPT, "rule", "an append that adds something")
def _nothing_appended(records: list[Record]) -> list[Record]:
    last = records[last_of(records, TRANSCRIPT)]
    return numbered([*records, changed(last, text="")])


@breach(TRANSCRIPT, "rule", "before any write")
def _created_late(records: list[Record]) -> list[Record]:
    last = records[last_of(records, TRANSCRIPT)]
    return numbered([*records, written(last, "New.\n", op="create", by="start")])


@breach(TRANSCRIPT, "rule", "put in place by start")
def _created_by_another(records: list[Record]) -> list[Record]:
    at = min(index for index, record in enumerate(records) if record.file == TRANSCRIPT)
    return [*records[:at], changed(records[at], by="skeptic"), *records[at + 1 :]]


@breach("shared/other.md", "rule", "a file of this session's table")
def _unknown_file(records: list[Record]) -> list[Record]:
    return numbered([*records, written(records[last_of(records, TRANSCRIPT)], "x\n", file="shared/other.md")])


@breach("templates/skeptic/persona.md", "rule", "a file of this session's table")
def _template_written(records: list[Record]) -> list[Record]:
    file = "templates/skeptic/persona.md"
    return numbered([*records, written(records[last_of(records, TRANSCRIPT)], "x\n", file=file)])


@breach(LEDGER, "rule", "nothing after the end")
def _after_the_end(records: list[Record]) -> list[Record]:
    end = changed(records[-1], op="freeze", file=None, text=None, size_bytes=None, sha256=None)
    end = changed(end, by="start", value=Frozen({}).plain())
    note = changed(end, op="note", value={"type": "late"})
    return numbered([*records, end, note])


@breach(LEDGER, "rule", "opened by its first record")
def _opened_twice(records: list[Record]) -> list[Record]:
    return numbered([*records, changed(records[0], clock_s=records[-1].clock_s)])


@breach(LEDGER, "rule", "a first record that opens the session")
def _never_opened(records: list[Record]) -> list[Record]:
    return numbered(records[1:])


@breach(LEDGER, "clock", "s or later")
def _clock_set_back(records: list[Record]) -> list[Record]:
    return [*(changed(record, clock_s=5.0) for record in records[:-1]), changed(records[-1], clock_s=4.0)]


@breach(LEDGER, "sequence", "record 7")
def _number_left_out(records: list[Record]) -> list[Record]:
    return [*records[:6], *(changed(record, seq=record.seq + 1) for record in records[6:])]


@breach(LEDGER, "version", "2")
def _later_version(records: list[Record]) -> list[Record]:
    return [changed(records[0], value={**fields_of(records[0]), "ledger_version": 3}), *records[1:]]


@breach(LEDGER, "shape", "`op`")
def _unknown_op(records: list[Record]) -> list[Record]:
    return _with(records, TRANSCRIPT, op="erase")


@breach(LEDGER, "shape", "`value` is no object with a `type`")
def _untyped_value(records: list[Record]) -> list[Record]:
    return _with(records, TRANSCRIPT, value={"text": "x"})


@breach(LEDGER, "shape", "`at`")
def _no_time(records: list[Record]) -> list[Record]:
    return _with(records, TRANSCRIPT, at="yesterday")


@breach(LEDGER, "shape", "`clock_s`")
def _no_clock(records: list[Record]) -> list[Record]:
    return _with(records, TRANSCRIPT, clock_s=-1.0)


@breach(LEDGER, "shape", "`bytes` or `sha256`")
def _no_digest(records: list[Record]) -> list[Record]:
    return _with(records, TRANSCRIPT, size_bytes=None, sha256=None)


def _receipt(records: list[Record]) -> int:
    return max(index for index, record in enumerate(records) if record.op == "receipt")


def _with_receipt(records: list[Record], *, rehash: bool, **values: Any) -> list[Record]:
    at = _receipt(records)
    value = {**fields_of(records[at]), **values}
    if rehash:
        fields = {name: value[name] for name in Receipt.__slots__ if name in value}
        files = tuple(tuple(file) for file in value["files"])
        value["id"] = Receipt(**{**fields, "files": files, "extra": tuple(value["extra"])}).id
    return [*records[:at], changed(records[at], value=value), *records[at + 1 :]]


@breach(LEDGER, "receipt", ": r")
def _receipt_of_another_id(records: list[Record]) -> list[Record]:
    return _with_receipt(records, rehash=False, ids={"skeptic": "r000000000000"})


@breach(LEDGER, "receipt", "shared/presenter-transcript.md with", version=1)
def _receipt_of_another_file(records: list[Record]) -> list[Record]:
    files = [list(file) for file in fields_of(records[_receipt(records)])["files"]]
    files[5][2] = "0" * 64
    return _with_receipt(records, rehash=True, files=files)


@breach(LEDGER, "receipt", "templates/skeptic/persona.md with", version=1)
def _receipt_of_another_template_size(records: list[Record]) -> list[Record]:
    files = [list(file) for file in fields_of(records[_receipt(records)])["files"]]
    files[0][1] += 1
    return _with_receipt(records, rehash=True, files=files)


@breach(LEDGER, "receipt", "templates/skeptic/persona.md as at the start", version=1)
def _receipt_of_another_template(records: list[Record]) -> list[Record]:
    files = [list(file) for file in fields_of(records[_receipt(records)])["files"]]
    files[0][2] = "0" * 64
    return _with_receipt(records, rehash=True, files=files)


@breach(LEDGER, "receipt", "what skeptic carries by the first record", version=1)
def _receipt_of_something_carried(records: list[Record]) -> list[Record]:
    return _with_receipt(records, rehash=True, carried=(12, "0" * 64))


@breach(LEDGER, "receipt", "the files of skeptic, in order", version=1)
def _receipt_in_another_order(records: list[Record]) -> list[Record]:
    files = fields_of(records[_receipt(records)])["files"]
    return _with_receipt(records, rehash=True, files=[files[1], files[0], *files[2:]])


@breach(LEDGER, "receipt", "it is as of record")
def _receipt_of_the_future(records: list[Record]) -> list[Record]:
    return _with_receipt(records, rehash=False, seq=9999)


@breach(LEDGER, "receipt", " r")
def _receipt_as_of_another_record(records: list[Record]) -> list[Record]:
    return _with_receipt(records, rehash=False, seq=4)


@breach(LEDGER, "receipt", "an agent that has a seat")
def _receipt_of_nobody(records: list[Record]) -> list[Record]:
    return _with_receipt(records, rehash=False, ids={"notary": "r000000000000"})


@breach(LEDGER, "receipt", "texts that an earlier receipt holds")
def _receipt_with_a_text_of_nowhere(records: list[Record]) -> list[Record]:
    return _with_receipt(records, rehash=False, extra=[{"like": 3}])


@breach(LEDGER, "receipt", "the receipt of a context of analyst")
def _write_from_anothers_context(records: list[Record]) -> list[Record]:
    (receipt_id,) = ids_of(records[_receipt(records)])
    last = records[-1]
    path, text = "analyst/candidate-question.md", "Why?\n"
    extra = last._replace(
        seq=last.seq + 1, op="replace", by="analyst", file=path, receipt=receipt_id, held=None, same=None
    )
    return [*records, written(extra, text)]


@breach(LEDGER, "receipt", "the receipt of a context before it")
def _write_from_no_context(records: list[Record]) -> list[Record]:
    return _with(records, TRANSCRIPT, receipt="r000000000000")


@breach(LEDGER, "receipt", "a receipt of a record before it", version=1)
def _receipt_without_files(records: list[Record]) -> list[Record]:
    return _with_receipt(records, rehash=False, files=None)


@pytest.mark.parametrize("name", BREACHES)
def test_a_breach_is_found_though_every_hash_is_right(
    name: str, live: Sample, records: list[Record], old_records: list[Record]
) -> None:
    path, kind, part = name.split(" ", 2)
    rewrite(live.root, BREACHES[name](old_records if name in OF_VERSION_1 else records))
    found = verify_session(live.root).findings
    fitting = [one for one in found if (one.path, one.kind) == (path, kind)]
    assert [one for one in fitting if part in one.expected or part in one.found], found


def test_the_same_records_written_again_are_valid(live: Sample, records: list[Record]) -> None:
    rewrite(live.root, records)
    assert verify_session(live.root).valid


def test_the_same_records_in_a_ledger_of_version_1_are_valid(live: Sample, old_records: list[Record]) -> None:
    rewrite(live.root, old_records)
    assert verify_session(live.root).findings == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"op":"note"', b'"op": "note"'),
        (b'"by":"skeptic"', b'"by":"skeptic","by":"skeptic"'),
        (b'"by":"skeptic"', b'"by":"skeptic","also":1'),
        (b'"clock_s":0.0', b'"clock_s":0e0'),
        (b'"clock_s":0.0', b'"clock_s":NaN'),
        (b'"type":"verdict"', b'"type":"\\ud800"'),
    ],
)
def test_a_line_that_only_reads_alike_is_no_record(
    old: bytes, new: bytes, live: Sample, records: list[Record]
) -> None:
    at = next(index for index, record in enumerate(records) if record.op == "note")
    head, lines = FIRST_HASH, []
    for index, record in enumerate(records):
        line, hashed = encode(record, head)
        if index == at:
            assert old in line
            body = line.replace(old, new, 1)[:-76]
            hashed = hashlib.sha256(head.encode() + body).hexdigest()
            line = body + b',"hash":"' + hashed.encode() + b'"}\n'
        lines.append(line)
        head = hashed
    (live.root / LEDGER).write_bytes(b"".join(lines))
    assert kinds(verify_session(live.root).findings) == [(LEDGER, "shape")]


def test_more_revisions_are_right_where_the_session_allows_them(live: Sample, records: list[Record]) -> None:
    rewrite(
        live.root,
        [
            changed(records[0], value={**fields_of(records[0]), "max_revisions": 9}),
            *_revised_too_often(records)[1:],
        ],
    )
    assert verify_session(live.root).valid


# ------------------------------------------------------------------ templates and the end


def test_a_template_that_changed_is_told_and_is_no_fault_of_the_session(tmp_path: Path) -> None:
    sample, store = start(tmp_path)
    (sample.home_templates / "skeptic" / "persona.md").write_text("Another.\n")
    going_on = verify_session(sample.root, home_templates=sample.home_templates)
    assert (going_on.findings, going_on.notes) == (
        (),
        ("templates/skeptic/persona.md: in the home it has changed since this session was started",),
    )
    (sample.home_templates / "analyst" / "persona.md").unlink()
    freeze(store, sample.home_templates)
    store.close()
    during = "in the home it changed during this session, which kept its own copy"
    for home_templates in (None, sample.home_templates):
        ended = verify_session(sample.root, home_templates=home_templates)
        assert (ended.valid, ended.findings) == (True, ())
        assert sorted(ended.notes) == [
            f"templates/{agent}/persona.md: {during}" for agent in ("analyst", "skeptic")
        ]
    thaw(sample.root)
    (sample.root / "ledger/templates/skeptic/persona.md").write_text("Another.\n")  # its own copy is held
    assert kinds(verify_session(sample.root).findings) == [
        ("ledger/templates/skeptic/persona.md", "changed"),
    ]


def test_a_template_that_changed_after_the_end_is_a_note(tmp_path: Path) -> None:
    sample = ended_session(tmp_path)
    (sample.home_templates / "skeptic" / "persona.md").write_text("Another.\n")
    result = verify_session(sample.root, home_templates=sample.home_templates)
    assert result.valid
    assert result.notes == ("templates/skeptic/persona.md: in the home it has changed since this session",)
    thaw(sample.root)


@pytest.mark.parametrize("which", ["live", "ended"])
def test_the_deck_as_it_was_given_is_held_against_the_first_record(
    made: dict[str, Sample], which: str, tmp_path: Path
) -> None:
    root = shutil.copytree(made[which].root, tmp_path / "copy")
    if which == "ended":
        thaw(root)
    (root / SOURCE).write_bytes(b"# Another deck\n")
    assert kinds(verify_session(root).findings) == [(SOURCE, "changed")]
    (root / SOURCE).unlink()
    assert kinds(verify_session(root).findings) == [(SOURCE, "missing")]
    (root / "source" / "other.pptx").touch()
    assert (("source/other.pptx", "extra")) in kinds(verify_session(root).findings)


def test_no_session_ends_on_another_deck_than_it_was_started_with(live: Sample) -> None:
    (live.root / SOURCE).write_bytes(b"# Another deck\n")
    store = Store(live.root)
    with pytest.raises(StoreError, match=r"is not the deck that this session was started with; .* remove"):
        freeze(store, None)
    (live.root / SOURCE).unlink()
    freeze(store, None)
    store.close()
    ended = verify_session(live.root)
    assert (ended.valid, ended.findings) == (True, ())
    assert f"{SOURCE}: the deck as it was given was removed before the session ended" in ended.notes
    thaw(live.root)


def test_a_file_of_somebody_else_that_was_sealed_with_a_session_is_told(live: Sample) -> None:
    (live.root / "my-notes.md").write_text("Mine.\n")
    noted = verify_session(live.root)
    assert (noted.valid, noted.notes) == (True, (f"my-notes.md: {LEFT_ALONE}",))
    store = Store(live.root)
    freeze(store, live.home_templates)
    store.close()
    ended = verify_session(live.root)
    assert (ended.valid, ended.notes) == (
        True,
        ("my-notes.md: no file of a session; it lay there when this one ended",),
    )
    thaw(live.root)


def test_a_deck_that_was_sealed_changed_is_found(tmp_path: Path) -> None:
    sample = ended_session(tmp_path)
    thaw(sample.root)
    (sample.root / SOURCE).write_bytes(b"# Another deck\n")
    store = Store(sample.root)
    records = [store.record(entry.seq) for entry in store.entries()]
    store.close()
    end = fields_of(records[-1])
    sealed = {**end["files"], SOURCE: hashlib.sha256(b"# Another deck\n").hexdigest()}
    rewrite(sample.root, [*records[:-1], changed(records[-1], value={**end, "files": sealed})])
    assert sorted(kinds(verify_session(sample.root).findings)) == [(SOURCE, "changed"), (SOURCE, "freeze")]


def test_a_record_of_the_end_that_contradicts_the_ledger_is_found(tmp_path: Path) -> None:
    sample = ended_session(tmp_path)
    thaw(sample.root)
    store = Store(sample.root)
    records = [store.record(entry.seq) for entry in store.entries()]
    store.close()
    end = fields_of(records[-1])
    files = {**end["files"], TRANSCRIPT: "0" * 64}
    del files["shared/board-dossier.md"]
    rewrite(sample.root, [*records[:-1], changed(records[-1], value={**end, "files": files})])
    assert sorted(kinds(verify_session(sample.root).findings)) == [
        ("shared/board-dossier.md", "freeze"),
        (TRANSCRIPT, "freeze"),
    ]


def test_a_session_that_was_rolled_back_is_found_against_the_head_that_was_kept(tmp_path: Path) -> None:
    sample = ended_session(tmp_path)
    thaw(sample.root)
    head = verify_session(sample.root).head
    path = sample.root / LEDGER
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    assert verify_session(sample.root).valid  # it looks like a session that goes on
    assert kinds(verify_session(sample.root, head=head).findings) == [(LEDGER, "head")]


def test_no_finding_holds_what_was_said(live: Sample) -> None:
    for path in live.root.rglob("*.md"):
        path.write_bytes(path.read_bytes().upper() + b"SECRET")
    path = live.root / LEDGER
    path.write_bytes(path.read_bytes().replace(b"revenue", b"SECRETS"))
    text = str(verify_session(live.root))
    for word in ("SECRET", "revenue", "forty", "grew"):
        assert word not in text


@pytest.mark.parametrize("path", [LEDGER, "debrief.md", TRANSCRIPT, SOURCE])
def test_a_sparse_file_of_any_size_is_told_by_its_size_alone(tmp_path: Path, path: str) -> None:
    ended = ended_session(tmp_path)
    thaw(ended.root)
    size = 20 * 1024**3
    (ended.root / path).touch()
    os.truncate(ended.root / path, size)
    begin = process_time()
    findings = verify_session(ended.root).findings
    assert any(one.path == path and str(size) in one.found for one in findings)
    assert process_time() - begin < 60  # to read it takes longer on any machine
    if path == LEDGER:
        with pytest.raises(LedgerCorruptError, match=f"{size} bytes, and no file of a session has more than"):
            Store(ended.root)


def test_a_ledger_grows_no_larger_than_can_be_read_and_can_then_be_ended(
    live: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(live.root)
    monkeypatch.setattr(files, "MAX_BYTES", (live.root / LEDGER).stat().st_size + 16 * MIB)
    with pytest.raises(FileTooLargeError, match="end this session and start another"):
        store.append(TRANSCRIPT, "one more\n", by="transcript")
    store.freeze(Frozen({}))
    store.close()
    assert Store(live.root).frozen


@pytest.mark.parametrize(("by", "word"), [("transcript", "satisfied"), ("skeptic", "splendid")])
def test_a_verdict_is_a_panelists_own_and_one_of_four_words(
    live: Sample, records: list[Record], by: str, word: str
) -> None:
    index = next(at for at, one in enumerate(records) if one.type == VerdictGiven.TYPE)
    value = {"type": "verdict", "judgement": {"verdict": word}}
    records[index] = changed(records[index], by=by, value=value)
    rewrite(live.root, records)
    assert kinds(verify_session(live.root).findings) == [(LEDGER, "rule")]
