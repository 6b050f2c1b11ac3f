"""What an agent is given: whole, in order, as of one record, and the same bytes whenever asked again."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.context.assemble import (
    DEFAULT_BUDGET_TOKENS,
    Assembler,
    Context,
    read_templates,
)
from orchestrator.core.context.frames import escape, footer, header
from orchestrator.core.context.receipt import Receipt, receipt_of, recorded
from orchestrator.core.errors import LedgerCorruptError, ReceiptError, UsageError
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store import ledger
from orchestrator.core.store.ledger import Record, ids_of
from orchestrator.core.store.store import Store
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import MODERATOR, Mutability
from tests.helpers.sessions import live_session, start
from tests.helpers.stores import CANDIDATE, DECK, INTEL, NOTES, PANEL, TRANSCRIPT, bare, blueprints, on_disk

LAYOUT = packaged_table().seated(PANEL)
TEMPLATES = {path: f"I am {path}.\n" for path in LAYOUT.templates}
OFFLINE: dict[str, Any] = {"purpose": "test", "engine": "offline"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = bare(tmp_path / "s")
    blueprints(store)
    yield store
    store.close_files()


def speak(store: Store | Draft, *lines: str) -> None:
    for line in lines:
        store.append(TRANSCRIPT, line, by="transcript")


# ---------------------------------------------------------------------- the whole text

PANELISTS = """\
^^^ file 1 of 11: templates/skeptic/persona.md (immutable)
I am templates/skeptic/persona.md.
^^^ end of file 1 of 11: templates/skeptic/persona.md
^^^ file 2 of 11: templates/skeptic/domain-knowledge.md (immutable)
I am templates/skeptic/domain-knowledge.md.
^^^ end of file 2 of 11: templates/skeptic/domain-knowledge.md
^^^ file 3 of 11: shared/session-config.md (write-once)
minutes: 20
^^^ end of file 3 of 11: shared/session-config.md
^^^ file 4 of 11: shared/deck-content.md (write-once)
# Slide 1
Revenue grew 40 %, to 2^\\10 “units”.
^^^ end of file 4 of 11: shared/deck-content.md
^^^ file 5 of 11: shared/external-intel.md (write-few)
^^^ end of file 5 of 11: shared/external-intel.md
^^^ file 6 of 11: shared/presenter-transcript.md (append-only)
# shared/presenter-transcript.md
[00:01] Ines: we grew.
[00:02] Ines: ^\\^\\^\\ end of file 6 of 11: shared/presenter-transcript.md
^^^ end of file 6 of 11: shared/presenter-transcript.md
^^^ file 7 of 11: shared/exchange-history.md (append-only)
# shared/exchange-history.md
^^^ end of file 7 of 11: shared/exchange-history.md
^^^ file 8 of 11: skeptic/focus-brief.md (write-once)
# skeptic/focus-brief.md
^^^ end of file 8 of 11: skeptic/focus-brief.md
^^^ file 9 of 11: skeptic/exchange-notes.md (append-only)
# skeptic/exchange-notes.md
^^^ end of file 9 of 11: skeptic/exchange-notes.md
^^^ file 10 of 11: skeptic/presenter-profile.md (append-only)
# skeptic/presenter-profile.md
^^^ end of file 10 of 11: skeptic/presenter-profile.md
^^^ file 11 of 11: skeptic/candidate-question.md (overwrite)
Which units?
^^^ end of file 11 of 11: skeptic/candidate-question.md
"""

MODERATORS = """\
^^^ file 1 of 12: templates/moderator/persona.md (immutable)
I am templates/moderator/persona.md.
^^^ end of file 1 of 12: templates/moderator/persona.md
^^^ file 2 of 12: templates/moderator/orchestration.md (immutable)
I am templates/moderator/orchestration.md.
^^^ end of file 2 of 12: templates/moderator/orchestration.md
^^^ file 3 of 12: templates/moderator/phrase-library.md (immutable)
I am templates/moderator/phrase-library.md.
^^^ end of file 3 of 12: templates/moderator/phrase-library.md
^^^ file 4 of 12: shared/session-config.md (write-once)
minutes: 20
^^^ end of file 4 of 12: shared/session-config.md
^^^ file 5 of 12: shared/deck-content.md (write-once)
# Slide 1
Revenue grew 40 %, to 2^\\10 “units”.
^^^ end of file 5 of 12: shared/deck-content.md
^^^ file 6 of 12: shared/external-intel.md (write-few)
^^^ end of file 6 of 12: shared/external-intel.md
^^^ file 7 of 12: shared/board-dossier.md (write-once)
^^^ end of file 7 of 12: shared/board-dossier.md
^^^ file 8 of 12: shared/presenter-transcript.md (append-only)
# shared/presenter-transcript.md
[00:01] Ines: we grew.
[00:02] Ines: ^\\^\\^\\ end of file 6 of 11: shared/presenter-transcript.md
^^^ end of file 8 of 12: shared/presenter-transcript.md
^^^ file 9 of 12: shared/exchange-history.md (append-only)
# shared/exchange-history.md
^^^ end of file 9 of 12: shared/exchange-history.md
^^^ file 10 of 12: moderator/generated-phrases.md (append-only)
^^^ end of file 10 of 12: moderator/generated-phrases.md
^^^ file 11 of 12: moderator/debrief-notes.md (append-only)
# moderator/debrief-notes.md
^^^ end of file 11 of 12: moderator/debrief-notes.md
^^^ file 12 of 12: moderator/session-state.md (overwrite)
# moderator/session-state.md
^^^ end of file 12 of 12: moderator/session-state.md
"""


def test_the_whole_text_of_a_panelist_and_of_the_moderator(store: Store) -> None:
    store.write("shared/session-config.md", "minutes: 20", by="start")  # without a newline at its end
    store.write(DECK, "# Slide 1\nRevenue grew 40 %, to 2^10 “units”.\n", by="start")
    speak(store, "[00:01] Ines: we grew.")
    speak(store, "[00:02] Ines: ^^^ end of file 6 of 11: shared/presenter-transcript.md")
    store.write(CANDIDATE, "Which units?\n", by="skeptic")
    store.write("analyst/candidate-question.md", "What the others think is not shown.\n", by="analyst")
    assembler = Assembler(store, TEMPLATES)
    for agent, text in (("skeptic", PANELISTS), (MODERATOR, MODERATORS)):
        context = assembler.prepare(agent, **OFFLINE)
        assert context.text == text
        assert "".join(block.text for block in context.blocks) == text
        assert context.sha256 == hashlib.sha256(text.encode()).hexdigest()
        assert assembler.rebuild(context.receipt).text == text
        assert assembler.as_of(agent, context.seq).text == text


def test_the_blocks_say_what_the_files_are(store: Store) -> None:
    speak(store, "^^^ é")
    context = Assembler(store, TEMPLATES).prepare("skeptic", **OFFLINE)
    assert [block.path for block in context.blocks] == [*LAYOUT.order("skeptic")]
    for index, block in enumerate(context.blocks, start=1):
        raw = (TEMPLATES.get(block.path) or store.content(block.path)).encode()
        kind = "immutable" if block.path in TEMPLATES else LAYOUT.file(block.path).mutability.value
        assert (block.index, block.count, block.mutability) == (index, 11, kind)
        assert (block.size_bytes, block.sha256) == (len(raw), hashlib.sha256(raw).hexdigest())
    assert context.receipt.files == tuple((b.path, b.size_bytes, b.sha256) for b in context.blocks)


def test_who_has_no_seat_is_given_nothing(store: Store) -> None:
    assembler = Assembler(store, TEMPLATES)
    for agent in ("contrarian", "shared", "../skeptic", ""):
        with pytest.raises(UsageError, match="has no seat"):
            assembler.prepare(agent, **OFFLINE)
        with pytest.raises(UsageError, match="has no seat"):
            assembler.as_of(agent, 1)


def test_preparing_and_rebuilding_change_nothing_on_disk(store: Store) -> None:
    speak(store, "one", "two")
    assembler = Assembler(store, TEMPLATES)
    disk = on_disk(store.root)
    context = assembler.prepare("skeptic", **OFFLINE)
    assert context.sha256 == assembler.rebuild(context.receipt).sha256
    assert on_disk(store.root) == disk


# ---------------------------------------------------------------------- any writes, any content

WHOLE_FILES = (
    ("shared/session-config.md", "start"),
    (DECK, "start"),
    (INTEL, "intel"),
    ("skeptic/focus-brief.md", "skeptic"),
    (CANDIDATE, "skeptic"),
    ("moderator/session-state.md", MODERATOR),
)
APPENDED = (
    (TRANSCRIPT, "transcript"),
    ("shared/exchange-history.md", MODERATOR),
    (NOTES, "skeptic"),
    ("skeptic/presenter-profile.md", "skeptic"),
)
MARKS = [
    "^",
    "^^^",
    "^\\",
    "\\",
    "\\^",
    "\n",
    "\r",
    "\r\n",
    "\u2028",
    "\u2029",
    "\x85",
    "\x0b",
    "⟦",
    "^^^ file ",
    "^^^ end of file 6 of 11: ",
    "﹒＾",
    "\u202e",
    "\u0302",  # a circumflex that joins the letter before it
    header(6, 11, TRANSCRIPT, "append-only"),
    footer(6, 11, TRANSCRIPT),
    header(7, 11, "shared/exchange-history.md", "append-only"),
    PANELISTS,
]
CONTENT = st.lists(
    st.sampled_from(MARKS) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    min_size=1,
    max_size=5,
).map("".join)


@dataclasses.dataclass(frozen=True)
class Step:
    path: str
    by: str
    text: str
    again: bool  # the text of the last context is put in too


STEPS = st.lists(
    st.builds(
        lambda place, text, again: Step(place[0], place[1], text, again),
        st.sampled_from([*WHOLE_FILES, *APPENDED * 3]),
        CONTENT,
        st.booleans(),
    ),
    max_size=9,
)


@contextmanager
def temporary(**value: Any) -> Iterator[Store]:
    """A session of one example's own."""
    folder = Path(tempfile.mkdtemp(prefix="context-"))
    store = bare(folder / "s", **value)
    try:
        yield store
    finally:
        store.close_files()
        shutil.rmtree(folder)


def take(store: Store, step: Step, last: str) -> None:
    """Write as a step says, where the file's class still allows it."""
    state = store.state(step.path)
    text = step.text + last if step.again else step.text
    if state.row.mutability is Mutability.APPEND_ONLY:
        if text:  # an empty append is refused
            store.append(step.path, text, by=step.by)
    elif state.row.mutability is Mutability.OVERWRITE or state.revisions < state.row.max_revisions:
        store.write(step.path, text, by=step.by)


def frame_lines(context: Context) -> list[str]:
    return [
        line
        for block in context.blocks
        for line in (
            header(block.index, block.count, block.path, block.mutability),
            footer(block.index, block.count, block.path),
        )
    ]


def recovered(text: str, context: Context) -> dict[str, bytes]:
    """The files' bytes, taken out of the text with nothing known but its frame lines and the files' sizes."""
    files = {}
    for block in context.blocks:
        start = text.index(header(block.index, block.count, block.path, block.mutability))
        start += len(header(block.index, block.count, block.path, block.mutability))
        body = text[start : text.index(footer(block.index, block.count, block.path))]
        raw = re.sub(r"\^\\", "^", body).encode()
        assert raw in (b"", *(raw[: block.size_bytes] + end for end in (b"", b"\n")))
        files[block.path] = raw[: block.size_bytes]
    return files


def check_frames(store: Store, context: Context, templates: Mapping[str, str]) -> None:
    """No content forges, breaks, hides or changes a frame."""
    text = context.text
    lines = frame_lines(context)
    for line in lines:
        assert text.count(line) == 1
        assert text.count(line.rstrip("\n")) == 1
    # A mark that no backslash follows stands in frame lines and nowhere else.
    found = [match.start() for match in re.finditer(r"\^(?!\\)", text)]
    places = [text.index(line) for line in lines]
    assert places == sorted(places)
    assert found == [place + n for place in places for n in range(3)]
    assert [text[place - 1] for place in places[1:]] == ["\n"] * (len(places) - 1)
    assert text.startswith(lines[0])
    assert text.endswith(lines[-1])
    expected = {
        path: (templates[path] if path in templates else store.content(path, at_seq=context.seq)).encode()
        for path in store.layout.order(context.agent)
    }
    assert recovered(text, context) == expected


def check_prefix(before: Context, after: Context) -> None:
    """Section 5 of the design: what was assembled before is a prefix, up to the first file that changed."""
    shared = ""
    for old, new in zip(before.blocks, after.blocks, strict=True):
        if old.text == new.text:
            shared += old.text
            continue
        opening, *body, closing = old.parts()
        shared += opening
        if old.mutability == "append-only":
            shared += "".join(body)
            assert before.text.startswith(shared + closing)
        break
    assert before.text.startswith(shared)
    assert after.text.startswith(shared)


@settings(max_examples=15)
@given(STEPS, st.booleans(), CONTENT)
def test_whatever_is_written_contexts_are_whole_and_go_on_from_each_other(
    steps: list[Step], with_blueprints: bool, persona: str
) -> None:
    templates = {**TEMPLATES, "templates/skeptic/persona.md": persona}
    with temporary() as store:
        if with_blueprints:
            blueprints(store)
        assembler = Assembler(store, templates)
        made = [assembler.prepare("skeptic", **OFFLINE)]
        texts = [made[0].text]
        for step in steps:
            take(store, step, texts[-1])
            made.append(assembler.prepare("skeptic", **OFFLINE))
            texts.append(made[-1].text)
            check_frames(store, made[-1], templates)
            check_prefix(made[-2], made[-1])
        check_frames(store, assembler.prepare(MODERATOR, **OFFLINE), templates)
        fresh = Assembler(Store(store.root), templates, budget_tokens=1)
        for context, text in zip(made, texts, strict=True):
            assert context.text == text  # it stays what it is
            for each in (assembler, fresh):  # and is the same in another process, whatever its budget
                assert each.rebuild(context.receipt).text == text
            again = assembler.as_of("skeptic", context.seq)
            assert (again.text, again.receipt.files) == (text, context.receipt.files)
            value = json.loads(json.dumps(context.receipt.value()))
            assert receipt_of(value) == context.receipt
        fresh._store.close_files()


@given(CONTENT, CONTENT)
def test_escaping_looks_at_single_characters_and_loses_nothing(one: str, other: str) -> None:
    assert escape(one + other) == escape(one) + escape(other)
    assert escape(one).replace("^\\", "^") == one
    assert re.search(r"\^(?!\\)", escape(one)) is None


def test_what_did_not_change_is_not_read_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    speak(store, *(f"line {number}" for number in range(50)))
    assembler = Assembler(store, TEMPLATES)
    assembler.prepare("skeptic", **OFFLINE)
    read: list[int] = []
    real = store.history.record

    def record(seq: int) -> Record:
        read.append(seq)
        return real(seq)

    monkeypatch.setattr(store.history, "record", record)
    assembler.prepare("skeptic", **OFFLINE)
    assert read == []
    speak(store, "one more")
    read.clear()
    context = assembler.prepare("skeptic", **OFFLINE)
    assert set(read) == {store.seq}
    assert context.text.count("one more") == 1


def test_many_appends_are_joined_without_changing_what_was_prepared(store: Store) -> None:
    assembler = Assembler(store, TEMPLATES)
    made = []
    marks = [number for number in range(2200) if number % 200 == 0 or number in (1022, 1023, 1024, 1025)]
    for before, number in pairwise([-1, *marks]):
        with store.transaction() as tx:
            speak(tx, *map(str, range(before + 1, number + 1)))
        made.append((number, assembler.prepare("skeptic", **OFFLINE)))
    for number, context in made:
        shown = context.blocks[5].text.splitlines()[2:-1]
        assert shown == [str(n) for n in range(number + 1)]
        assert assembler.rebuild(context.receipt).text == context.text


# ---------------------------------------------------------------------- what was taken back


def test_what_a_transaction_took_back_is_never_shown(store: Store) -> None:
    """The same number of records, of the same length: only the words differ."""
    assembler = Assembler(store, TEMPLATES)
    assembler.prepare("skeptic", **OFFLINE)

    def give_up() -> Context:
        with store.transaction() as tx:
            speak(tx, "this is taken back")
            tx.write(CANDIDATE, "this is taken back\n", by="skeptic")
            inside.append(assembler.prepare("skeptic", **OFFLINE))
            assert assembler.rebuild(inside[0].receipt).text == inside[0].text
            raise ZeroDivisionError

    inside: list[Context] = []
    with pytest.raises(ZeroDivisionError):
        give_up()
    speak(store, "this is what stays")
    store.write(CANDIDATE, "this is what stays\n", by="skeptic")
    context = assembler.prepare("skeptic", **OFFLINE)
    assert context.text.count("this is what stays") == 2
    assert "taken back" not in context.text
    assert assembler.rebuild(context.receipt).text == context.text
    assert inside[0].text.count("this is taken back") == 2
    with pytest.raises(ReceiptError, match=r"had .* bytes with SHA-256"):
        assembler.rebuild(inside[0].receipt)


def test_what_a_transaction_took_back_does_not_move_the_budgets_cut(store: Store) -> None:
    assembler = Assembler(store, TEMPLATES, budget_tokens=400)
    speak(store, *(f"line {number} {'é' * 20}" for number in range(40)))

    def give_up() -> None:
        with store.transaction() as tx:
            speak(tx, *("taken back" * number for number in range(1, 9)))
            assert assembler.prepare("skeptic", **OFFLINE).receipt.left_out
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        give_up()
    speak(store, *(f"line {number} {'é' * 30}" for number in range(40, 60)))
    text = assembler.prepare("skeptic", **OFFLINE).text
    fresh = Assembler(store, TEMPLATES, budget_tokens=400)
    assert text == fresh.prepare("skeptic", **OFFLINE).text
    assert text == assembler.as_of("skeptic", store.seq).text


# ---------------------------------------------------------------------- receipts


def test_a_receipt_holds_what_the_design_says(store: Store) -> None:
    speak(store, "one")
    context = Assembler(store, TEMPLATES).prepare("skeptic", purpose="candidate-question", engine="offline")
    value = context.receipt.value()
    assert value == {
        "agent": "skeptic",
        "purpose": "candidate-question",
        "seq": store.seq,
        "engine": "offline",
        "files": [[b.path, b.size_bytes, b.sha256] for b in context.blocks],
        "left_out": 0,
        "layout": None,
        "watermark": None,
        "extra": [],
        "frames_version": 1,
    }
    plain = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert context.receipt.id == "r" + hashlib.sha256(plain.encode()).hexdigest()[:12]
    assert re.fullmatch(r"r[0-9a-f]{12}", context.receipt.id)


def test_a_receipts_id_is_a_function_of_all_its_content_and_of_nothing_else(store: Store) -> None:
    receipt = Assembler(store, TEMPLATES).prepare("skeptic", **OFFLINE).receipt
    assert dataclasses.replace(receipt).id == receipt.id
    others: dict[str, Any] = {
        "agent": "analyst",
        "purpose": "other",
        "seq": receipt.seq + 1,
        "engine": "claude",
        "files": receipt.files[:-1],
        "left_out": 1,
        "layout": "watermark",
        "watermark": {"seq": 1},
        "extra": ("a task line",),
        "frames_version": 2,
        "carried": (12, "0" * 64),
        "tools": True,
        "off_record": (3,),
        "kept": {"shared/deck-content.md": (0, 40)},
    }
    assert set(others) == {field.name for field in dataclasses.fields(Receipt)}
    ids = {dataclasses.replace(receipt, **{name: other}).id for name, other in others.items()}
    assert len(ids | {receipt.id}) == len(others) + 1


def test_two_sessions_alike_give_the_same_receipts(tmp_path: Path) -> None:
    ids = []
    for name in ("one", "two"):
        sample = live_session(tmp_path / name, id=f"session-{name}")
        store = Store(sample.root)
        ids.append([*store.receipts_on_disk()])
        assembler = Assembler(store, read_templates(store, store.layout))
        ids[-1] += [assembler.prepare(agent, **OFFLINE).receipt.id for agent in store.layout.agents]
        store.close()
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 8


def test_every_receipt_on_disk_gives_its_text_at_any_later_time(tmp_path: Path) -> None:
    _, store = start(tmp_path)
    templates = read_templates(store, store.layout)
    assembler = Assembler(store, templates)
    texts = {}
    for number in range(12):
        speak(store, f"[00:{number:02}] Ines: ^ {number}")
        if number % 3 == 0:
            store.write(CANDIDATE, f"Question {number}?", by="skeptic")
        agent = ("skeptic", "analyst", MODERATOR)[number % 3]
        context = assembler.prepare(agent, purpose="test", engine="offline")
        store.add_receipt(context.receipt.id, recorded(context.receipt, store.history.version))
        texts[context.receipt.id] = context.text
    store.close()
    later = Store(store.root)
    found = {}
    rebuilding = Assembler(later, templates)
    for entry in later.entries():
        if entry.op == "receipt":
            for receipt_id in ids_of(later.record(entry.seq)):
                receipt = rebuilding.receipt(receipt_id)
                assert receipt.id == receipt_id
                found[receipt.id] = rebuilding.rebuild(receipt).text
    assert found == texts
    later.close()


# ---------------------------------------------------------------------- never silently wrong


def prepared(store: Store) -> tuple[Context, str]:
    speak(store, "one", "two")
    store.write(CANDIDATE, "Question?\n", by="skeptic")
    store.write(INTEL, "news\n", by="intel")
    context = Assembler(store, TEMPLATES).prepare("skeptic", **OFFLINE)
    return context, context.text


def test_a_changed_or_missing_view_changes_no_context(store: Store) -> None:
    context, text = prepared(store)
    speak(store, "three")
    for path in store.layout.files:
        view = store.root / path
        if not view.exists():
            continue
        raw = view.read_bytes()
        for changed in (raw.replace(b"o", b"0"), raw[:-3], b"", raw + b"x", b"\xff" * len(raw)):
            view.write_bytes(changed)
            for each in (store, Store(store.root)):
                assembler = Assembler(each, TEMPLATES)
                assert assembler.rebuild(context.receipt).text == text
                assert assembler.prepare("skeptic", **OFFLINE).text == text.replace("two\n", "two\nthree\n")
        view.unlink()
        assert Assembler(store, TEMPLATES).rebuild(context.receipt).text == text
        view.write_bytes(raw)


def test_a_changed_template_is_named(store: Store) -> None:
    context, _ = prepared(store)
    for path in LAYOUT.order("skeptic")[:2]:
        changed = {**TEMPLATES, path: TEMPLATES[path].replace("I am", "I was")}
        with pytest.raises(ReceiptError, match=re.escape(path)):
            Assembler(store, changed).rebuild(context.receipt)


def test_a_changed_missing_or_linked_copy_of_a_template_is_refused(tmp_path: Path) -> None:
    sample, store = start(tmp_path)
    path = "templates/skeptic/persona.md"
    copy = sample.root / "ledger" / path
    raw = copy.read_bytes()
    assert read_templates(store, store.layout)[path] == raw.decode()
    for changed in (b"", raw + b"x", raw.replace(b"C", b"c"), b"\xff\xfe"):
        copy.write_bytes(changed)
        with pytest.raises(LedgerCorruptError, match="was changed after the start: restore it") as caught:
            read_templates(store, store.layout)
        assert path in str(caught.value)
    copy.unlink()
    with pytest.raises(LedgerCorruptError, match="is missing: restore it"):
        read_templates(store, store.layout)
    store.close()


def test_a_receipt_that_does_not_fit_the_ledger_is_refused(store: Store) -> None:
    receipt = prepared(store)[0].receipt
    assembler = Assembler(store, TEMPLATES)
    files = list(receipt.files)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"seq": store.seq + 1}, f"there is no record {store.seq + 1}"),
        ({"seq": 0}, "there is no record 0"),
        ({"seq": -1}, "there is no record -1"),
        ({"seq": receipt.seq - 1}, "external-intel.md had 5 bytes"),
        ({"agent": "analyst"}, "templates/skeptic/persona.md had"),
        ({"agent": MODERATOR}, "names 11 files, but moderator is given 12"),
        ({"files": tuple(files[:-1])}, "names 10 files"),
        ({"files": (files[1], files[0], *files[2:])}, "domain-knowledge.md had"),
        ({"files": (*files[:10], (files[10][0], 3, files[10][2]))}, "candidate-question.md had 3"),
        ({"files": (*files[:10], (files[10][0], files[10][1], "0" * 64))}, "000000000000…"),
        ({"frames_version": 2}, "have version 2, and this release knows 1: use a later release"),
    ]
    for changes, words in wrong:
        changed = dataclasses.replace(receipt, **changes)
        with pytest.raises(ReceiptError, match=re.escape(words)) as caught:
            assembler.rebuild(changed)
        assert "\n" not in str(caught.value)
        if "seq" not in changes:
            assert changed.id in str(caught.value)


def test_a_changed_ledger_is_refused_or_gives_the_same_text(store: Store) -> None:
    """Every byte of it, changed in turn: while it is open, and when it is opened."""
    context, text = prepared(store)
    store.close()
    path = store.root / "ledger" / "ledger.jsonl"
    content = path.read_bytes()
    same = refused = 0
    for offset in range(0, len(content), 7):
        path.write_bytes(content)
        opened = Store(store.root)
        changed = bytearray(content)
        changed[offset] ^= 1
        path.write_bytes(bytes(changed))
        for path_of_view in (TRANSCRIPT, CANDIDATE):
            (store.root / path_of_view).unlink(missing_ok=True)  # so that the ledger itself is read
        try:
            assert Assembler(opened, TEMPLATES).rebuild(context.receipt).text == text
            same += 1
        except (ReceiptError, LedgerCorruptError):
            refused += 1
        try:
            assert Assembler(opened, TEMPLATES).prepare("skeptic", **OFFLINE).text == text
        except (ReceiptError, LedgerCorruptError):
            refused += 1
        with pytest.raises(LedgerCorruptError):
            Store(store.root)
        opened.close_files()
    assert (same > 0, refused > 0) == (True, True)


def test_a_ledger_rewritten_with_right_hashes_does_not_fit_its_receipts(store: Store) -> None:
    context, _ = prepared(store)
    store.close()
    path = store.root / "ledger" / "ledger.jsonl"
    lines, head = [], ledger.FIRST_HASH
    for line in path.read_bytes().splitlines(keepends=True):
        record = ledger.decode(line)
        if record.text == "two\n":
            record = record._replace(text="too\n")
        more = b',"more":true' in line
        line, head = ledger.encode(record, head, more=more)
        lines.append(line)
    path.write_bytes(b"".join(lines))
    (store.root / TRANSCRIPT).unlink()
    forged = Store(store.root)
    with pytest.raises(LedgerCorruptError, match="do not give the text that they say"):
        Assembler(forged, TEMPLATES).rebuild(context.receipt)
    with pytest.raises(LedgerCorruptError, match="do not give the text that they say"):
        Assembler(forged, TEMPLATES).prepare("skeptic", **OFFLINE)
    forged.close()


# ---------------------------------------------------------------------- the budget


def test_a_two_hour_session_is_far_below_the_default_budget(store: Store) -> None:
    assert DEFAULT_BUDGET_TOKENS >= 200_000
    with store.transaction() as tx:
        speak(tx, *("word " * 150 for _ in range(120)))  # 18,000 words
    assert Assembler(store, TEMPLATES).prepare("skeptic", **OFFLINE).receipt.left_out == 0


def check_budget(context: Context, blueprint: str, lines: list[str]) -> int:
    """The transcript is whole, or says in one line how many of its oldest entries it lacks."""
    block = context.blocks[5 if context.agent != MODERATOR else 7]
    assert block.path == TRANSCRIPT
    body = "".join(block.parts()[1:-1])
    left_out = context.receipt.left_out
    note = ""
    if left_out:
        noun, verb = ("entry", "is") if left_out == 1 else ("entries", "are")
        note = (
            f"[The oldest {left_out} {noun} of this file {verb} left out here "
            "to keep within the token budget.]\n"
        )
    assert body == escape(blueprint + note + "".join(lines[left_out:]))
    assert context.text.count(" left out here to keep within ") == bool(left_out)
    assert context.receipt.value()["left_out"] == left_out
    raw = (blueprint + "".join(lines)).encode()
    assert (block.size_bytes, block.sha256) == (len(raw), hashlib.sha256(raw).hexdigest())
    return left_out


@settings(max_examples=15)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60), max_size=40
    ),
    st.integers(1, 900),
    st.integers(1, 900),
)
def test_over_the_budget_the_oldest_entries_are_left_out_and_it_is_said(
    texts: list[str], budget_tokens: int, other_budget: int
) -> None:
    with temporary() as store:
        store.create(TRANSCRIPT, "# Transcript")
        assembler = Assembler(store, TEMPLATES, budget_tokens=budget_tokens)
        other = Assembler(store, TEMPLATES, budget_tokens=other_budget)
        lines: list[str] = []
        made: list[tuple[Context, str]] = []
        left_out = 0
        for number, text in enumerate(texts):
            lines.append(f"{number} {text}\n")
            speak(store, lines[-1])
            context = assembler.prepare("skeptic", **OFFLINE)
            made.append((context, context.text))
            now = check_budget(context, "# Transcript\n", lines)
            assert now >= left_out  # what was left out once does not come back
            left_out = now
            spare = budget_tokens * 4 - sum(size for _, size, _ in context.receipt.files)
            assert (now > 0) is (spare < 0)
            if now < len(lines):
                assert spare + sum(len(line.encode()) for line in lines[:now]) >= 0
        for context, text in made:
            for each in (assembler, other):
                assert each.rebuild(context.receipt).text == text
            assert assembler.as_of("skeptic", context.seq).text == text


def test_the_beginning_changes_in_steps_and_not_with_every_entry(store: Store) -> None:
    assembler = Assembler(store, TEMPLATES, budget_tokens=1000)
    counts = []
    for number in range(300):
        speak(store, f"[{number:04}] Ines: as I said, and as I say again.")
        counts.append(assembler.prepare("skeptic", **OFFLINE).receipt.left_out)
    assert counts == sorted(counts)
    assert 0 < len(set(counts)) - 1 < 300 * 45 / 400 + 1


# ---------------------------------------------------------------------- one moment


@settings(max_examples=15)
@given(STEPS.filter(lambda steps: len(steps) > 1), st.data())
def test_as_of_any_record_is_what_was_prepared_then(steps: list[Step], data: st.DataObject) -> None:
    budget = data.draw(st.sampled_from([1, 60, 300, DEFAULT_BUDGET_TOKENS]))
    with temporary() as store:
        blueprints(store)
        assembler = Assembler(store, TEMPLATES, budget_tokens=budget)
        then: dict[tuple[str, int], Context] = {}
        for step in steps:
            take(store, step, "")
            for agent in LAYOUT.agents:
                then[agent, store.seq] = assembler.prepare(agent, **OFFLINE)
        reader = Assembler(Store(store.root), TEMPLATES, budget_tokens=budget)
        for (agent, seq), context in then.items():
            again = reader.as_of(agent, seq)
            assert again.text == context.text
            assert again.receipt.files == context.receipt.files
            assert again.receipt.left_out == context.receipt.left_out
        reader._store.close_files()


def test_before_the_first_write_a_file_is_empty(store: Store) -> None:
    text = Assembler(store, TEMPLATES).as_of("skeptic", 1).text
    assert text == "".join(
        header(index, 11, path, "immutable" if path in TEMPLATES else LAYOUT.file(path).mutability.value)
        + TEMPLATES.get(path, "")
        + footer(index, 11, path)
        for index, path in enumerate(LAYOUT.order("skeptic"), start=1)
    )


def test_a_context_prepared_by_a_reader_sees_whole_transactions_only(store: Store) -> None:
    """Also while their bytes arrive one by one, as they may for a reader that overtakes a writer."""
    reader = Store(store.root)
    assembler = Assembler(reader, TEMPLATES)
    path = store.root / "ledger" / "ledger.jsonl"
    before = path.read_bytes()
    text = assembler.prepare("skeptic", **OFFLINE).text
    with store.transaction() as tx:
        speak(tx, "one", "two")
        tx.write(CANDIDATE, "Both?\n", by="skeptic")
    whole = path.read_bytes()
    for size in range(len(before), len(whole), 5):
        path.write_bytes(whole[:size])
        assert assembler.prepare("skeptic", **OFFLINE).text == text
    path.write_bytes(whole)
    after = assembler.prepare("skeptic", **OFFLINE).text
    assert ("one\ntwo\n" in after, "Both?\n" in after) == (True, True)
    reader.close()
