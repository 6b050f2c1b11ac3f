"""What one session keeps: every write with its number, every context with its receipt, all or none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core import Draft, GreenroomError, Home, Note, Session
from tests.core.crews import FINDINGS, MEETING, PULL_REQUEST, QUESTION, bytes_of, hold


def ledger_of(session: Session) -> list[dict[str, Any]]:
    lines = (session.path / "ledger" / "ledger.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_each_write_returns_the_records_number_which_a_context_takes(review: Session) -> None:
    said = review.append(MEETING, "Alice: one.", by="minutes")
    asked = review.write(QUESTION, "Why one?\n", by="tester")
    noted = review.note("review.finding", {"severity": "low"}, by="coordinator")
    with review.transaction() as tx:
        numbers = [
            tx.append(MEETING, "Alice: two.", by="minutes"),
            tx.write(QUESTION, "Why two?\n", by="tester"),
            tx.note("review.finding", {"severity": "high"}, by="coordinator"),
        ]
    assert [said, asked, noted, *numbers] == list(range(said, said + 6))
    assert [(record["op"], record.get("file")) for record in ledger_of(review)[said - 1 :]] == [
        ("append", MEETING), ("replace", QUESTION), ("note", None),
        ("append", MEETING), ("replace", QUESTION), ("note", None),
    ]  # fmt: skip
    held = {seq: review.context("tester", at=seq).text for seq in range(said - 1, numbers[-1] + 1)}
    assert [
        ("one." in text, "Why one?" in text, "two." in text, "Why two?" in text) for text in held.values()
    ] == [
        (False, False, False, False),
        (True, False, False, False),
        (True, True, False, False),
        (True, True, False, False),
        (True, True, True, False),
        (True, False, True, True),
        (True, False, True, True),
    ]


def test_what_a_write_came_from_and_what_was_asked_are_in_the_ledger_and_in_replay(review: Session) -> None:
    given = hold(review)
    review.append(MEETING, "Later.", by="minutes")
    records = ledger_of(review)
    (written,) = [record for record in records if record.get("file") == QUESTION]
    assert written["receipt"] == given.receipt.id
    (receipt,) = [record["value"] for record in records if record["op"] == "receipt"]
    assert (receipt["task"], receipt["engine"], receipt["ids"]) == (
        "Ask one question.", "my-model-1", {"tester": given.receipt.id},
    )  # fmt: skip
    for named in (given.receipt, given.receipt.id, review.receipts()[0]):
        again = review.replay(named)
        assert (again.text, again.receipt.purpose, again.receipt.engine) == (
            given.text, "Ask one question.", "my-model-1",
        )  # fmt: skip
    assert "Later." not in given.text
    assert "Later." in review.context("tester").text


def test_a_receipt_is_taken_by_itself_and_by_its_id_in_every_writer(review: Session) -> None:
    given = [review.context("tester", task=f"Ask {number}.") for number in range(4)]
    review.write(QUESTION, "0\n", by="tester", receipt=given[0].receipt)
    review.write(QUESTION, "1\n", by="tester", receipt=given[1].receipt.id)
    with review.transaction() as tx:
        tx.write(QUESTION, "2\n", by="tester", receipt=given[2].receipt)
        tx.append(MEETING, "3", by="minutes", receipt=given[3].receipt.id)
    named = [record["receipt"] for record in ledger_of(review) if "receipt" in record]
    assert named == [context.receipt.id for context in given]
    assert review.verify().valid


def test_the_notes_of_a_program_are_given_back_in_order(review: Session) -> None:
    first = review.note("review.finding", {"severity": "high", "at": [1, 2]}, by="coordinator")
    second = review.note("timer.bell", {}, by="the clock")
    notes = review.notes()
    assert [(note.seq, note.type, note.by, note.fields) for note in notes] == [
        (first, "review.finding", "coordinator", {"severity": "high", "at": [1, 2]}),
        (second, "timer.bell", "the clock", {}),
    ]
    assert notes[0].at == ledger_of(review)[first - 1]["at"]
    assert review.notes("timer.bell") == notes[1:]
    assert review.notes("timer") == []
    assert all(isinstance(note, Note) for note in notes)


def test_a_transaction_is_all_or_none(review: Session) -> None:
    before, head = bytes_of(review.path), review.ledger_head

    def write_and_fail(tx: Draft) -> None:
        tx.append(FINDINGS, "Never found.", by="coordinator")
        tx.note("review.finding", {}, by="coordinator")
        assert tx.read(FINDINGS) == review.read(FINDINGS) == "Never found.\n"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), review.transaction() as tx:
        write_and_fail(tx)
    assert (bytes_of(review.path), review.ledger_head, review.read(FINDINGS)) == (before, head, "")

    def write_and_be_refused(tx: Draft) -> None:
        tx.append(FINDINGS, "Never found.", by="coordinator")
        tx.append(MEETING, "Never said.", by="coordinator")

    with pytest.raises(GreenroomError, match="its writers are minutes"), review.transaction() as tx:
        write_and_be_refused(tx)
    assert bytes_of(review.path) == before
    with review.transaction() as tx:
        tx.append(FINDINGS, "Found.", by="coordinator")
    assert review.read(FINDINGS) == "Found.\n"


def test_what_is_inside_a_transaction_sees_its_own_records_and_nobody_else_does(review: Session) -> None:
    with Session.open(review.home, review.path) as other, review.transaction() as tx:
        tx.append(FINDINGS, "Found.", by="coordinator")
        noted = tx.note("review.finding", {}, by="coordinator")
        assert [note.seq for note in review.notes()] == [noted]
        assert "Found." in review.context("tester").text
        assert (other.notes(), other.read(FINDINGS)) == ([], "")
        assert "Found." not in other.context("tester").text
    assert [note.seq for note in review.notes()] == [noted]


def test_a_degraded_session_is_verified_and_written_again_when_it_was_repaired(review: Session) -> None:
    review.context("tester")
    (review.path / "ledger" / "degraded").touch()
    assert (review.state, review.verify().valid) == ("degraded", True)
    with pytest.raises(GreenroomError) as raised:
        review.append(MEETING, "x", by="minutes")
    assert str(raised.value) == (
        "pr-42: a sync failed here earlier, so the disk is not to be trusted: "
        "check it, then run `session.repair()`"
    )
    assert (review.repair(), review.state) == ((), "active")
    review.append(MEETING, "x", by="minutes")


def test_a_session_whose_folder_is_gone_is_verified_and_not_written(review: Session) -> None:
    review.context("tester")
    moved = review.path.rename(review.path.with_name("moved"))
    assert [(found.path, found.kind) for found in review.verify().findings] == [(".", "missing")]
    again = r"nothing was written: (open the session|ask) again$"  # the latter: another machine may have it
    with pytest.raises(GreenroomError, match=again):
        review.append(MEETING, "x", by="minutes")
    moved.rename(review.path)


def test_a_write_past_the_transaction_that_this_thread_holds_names_it(review: Session) -> None:
    with review.transaction() as tx:
        with pytest.raises(GreenroomError, match=r"nothing was written: use `tx\.append`"):
            review.append(MEETING, "Past it.", by="minutes")
        tx.append(MEETING, "Through it.", by="minutes")
    assert review.read(MEETING) == "# Meeting on PR 42\n\nThrough it.\n"
    with pytest.raises(GreenroomError, match=r"has ended already; nothing was written"):
        tx.append(MEETING, "After it.", by="minutes")


def test_a_line_of_a_crews_minutes_ends_what_is_off_the_record(crew: Path) -> None:
    table = crew / "table.yaml"
    text = table.read_text("utf-8").replace("by: [minutes],", "by: [minutes], withheld: true,")
    table.write_text(text, "utf-8")
    with Home(crew).start("s") as session:
        for line in ("Ann: off the record.", "Ann: Acme is broke", "10:04 ann: back on the record.", "Next."):
            session.append(MEETING, line, by="minutes")
        given = session.context("tester").text
        assert "[off the record]" in given
        assert "Acme" not in given
        assert "10:04 ann: back on the record.\nNext.\n" in given
        assert session.verify().valid


def test_one_revision_too_many_says_where_the_number_stands(crew: Path) -> None:
    table = crew / "table.yaml"
    few = "{class: write-few, revisions: 2, by: [tester]}"
    text = table.read_text("utf-8").replace("{class: overwrite,   by: [tester]}", few)
    table.write_text(text, "utf-8")
    with Home(crew).start("s") as session:
        for number in range(2):
            session.write(QUESTION, f"{number}?\n", by="tester")
        with pytest.raises(GreenroomError) as raised:
            session.write(QUESTION, "2?\n", by="tester")
    assert str(raised.value) == (
        "tester/question.md: is write-few and has had its 2 revisions: raise `revisions` of its row in "
        "table.yaml, then start a new session"
    )


Refused = tuple[Callable[[Session], object], str]
REFUSED: dict[str, Refused] = {
    "a writer that the row does not name": (
        lambda s: s.append(MEETING, "x", by="tester"),
        "shared/meeting.md: 'tester' may not write this append-only file; its writers are minutes",
    ),
    "a file that the table does not name": (
        lambda s: s.write("shared/no.md", "x", by="tester"),
        (
            "'shared/no.md' is no file of this session: the names are architect/question.md, "
            "security/question.md, shared/findings.md, shared/meeting.md, shared/pull-request.md, "
            "tester/question.md"
        ),
    ),
    "a template": (
        lambda s: s.write("templates/tester/role.md", "x", by="tester"),
        (
            "'templates/tester/role.md' is immutable: a template never changes in a session; "
            "edit the template in the home and start a new session"
        ),
    ),
    "a second write of what is written once": (
        lambda s: s.write(PULL_REQUEST, "x", by="start"),
        "shared/pull-request.md: is write-once and has been written: it stays as it is",
    ),
    "an append-only file written whole": (
        lambda s: s.write(MEETING, "x", by="minutes"),
        "shared/meeting.md: is append-only and cannot be written whole: use append",
    ),
    "nothing to append": (
        lambda s: s.append(MEETING, "", by="minutes"),
        "shared/meeting.md (append-only): there is nothing to append: give some text",
    ),
    "bytes": (
        lambda s: s.append(MEETING, b"x", by="minutes"),  # type: ignore[arg-type]
        "shared/meeting.md: the text is bytes, not str: give text, as in `data.decode()`",
    ),
    "a context as the text": (
        lambda s: s.write(QUESTION, s.context("tester"), by="tester"),  # type: ignore[arg-type]
        "tester/question.md: the text is Context, not str: give its `text`",
    ),
    "a path that is none": (
        lambda s: s.write(s.path, "x", by="tester"),  # type: ignore[arg-type]
        "path is PosixPath, not str: give a session file's path",
    ),
    "an agent without a seat": (
        lambda s: s.context("bob"),
        "'bob' has no seat in this session: its agents are coordinator, architect, security, tester",
    ),
    "a record that there is not": (
        lambda s: s.context("tester", at=99),
        "there is no record 99: this session has 1 to 3",
    ),
    "a record that is no number": (
        lambda s: s.context("tester", at=True),
        "at is bool, not int: give a whole number",
    ),
    "a task that is no text": (lambda s: s.context("tester", task=5), "task is int, not str: give text"),  # type: ignore[arg-type]
    "another's receipt": (
        lambda s: s.write(QUESTION, "x", by="tester", receipt=s.context("security").receipt),
        "",
    ),
    "a receipt that there is not": (
        lambda s: s.write(QUESTION, "x", by="tester", receipt="r0"),
        "there is no receipt 'r0' in pr-42: see `greenroom show pr-42`",
    ),
    "a receipt that is none": (
        lambda s: s.write(QUESTION, "x", by="tester", receipt=5),  # type: ignore[arg-type]
        "receipt is int, not str: give a context's `receipt`, or its id",
    ),
    "a context as its receipt": (
        lambda s: s.write(QUESTION, "x", by="tester", receipt=s.context("tester")),  # type: ignore[arg-type]
        "receipt is Context, not str: give its `receipt`, as in `receipt=context.receipt`",
    ),
    "a context to replay": (
        lambda s: s.replay(s.context("tester")),  # type: ignore[arg-type]
        "receipt is Context, not a receipt or its id: give its `receipt`",
    ),
    "a note without a prefix": (
        lambda s: s.note("verdict", {}, by="tester"),
        (
            "'verdict' is no type for a note of your own: give it a prefix that is yours, as in "
            "review.finding; names without one are the core's and the board panel's"
        ),
    ),
    "a note by nobody": (
        lambda s: s.note("review.x", {}, by=""),
        "by is '': name who decided in 1 to 64 printable characters, without quotation marks and backslashes",
    ),
    "a note by a number": (
        lambda s: s.note("review.x", {}, by=5),  # type: ignore[arg-type]
        "by is int, not str: give the name of who decided",
    ),
    "a note by two lines": (
        lambda s: s.note("review.x", {}, by="a\nb"),
        (
            "by is 'a\\nb': name who decided in 1 to 64 printable characters, "
            "without quotation marks and backslashes"
        ),
    ),
    "a note that is no object": (
        lambda s: s.note("review.x", [1], by="tester"),  # type: ignore[arg-type]
        'fields is list, not a mapping: give one, such as {"severity": "high"}',
    ),
    "a note of a text": (
        lambda s: s.note("review.x", "a", by="tester"),  # type: ignore[arg-type]
        'fields is str, not a mapping: give one, such as {"severity": "high"}',
    ),
    "a note with a type among its fields": (
        lambda s: s.note("review.x", {"type": "a"}, by="tester"),
        (
            "the fields of review.x have a `type`, which is taken: the note's own type stands there: "
            "use another name, as in `kind`"
        ),
    ),
    "a note that is no JSON": (
        lambda s: s.note("review.x", {"a": float("nan")}, by="tester"),
        (
            "note: a value cannot be written as JSON (Out of range float values are not JSON compliant); "
            "nothing was written: give valid Unicode and finite numbers"
        ),
    ),
    "an archive before the end": (
        lambda s: s.archive(),
        "pr-42 is active: end it first with `session.end()`",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_one_line_and_leaves_nothing_behind(review: Session, case: str) -> None:
    """Also inside a transaction, and no later write meets any of it."""
    ask, message = REFUSED[case]
    before, head = bytes_of(review.path), review.ledger_head
    with pytest.raises((GreenroomError, TypeError, ValueError)) as raised:
        ask(review)
    assert str(raised.value).splitlines() == [message or str(raised.value)]
    assert (bytes_of(review.path), review.ledger_head) == (before, head)
    hold(review)
    review.end()
    assert review.verify().valid


def test_the_end_is_one_and_nothing_is_written_after_it(review: Session) -> None:
    given = hold(review)
    head = review.end()
    assert (review.end(), review.ledger_head, review.state) == (head, head, "ended")
    writes: list[Callable[[], int]] = [
        lambda: review.append(MEETING, "x", by="minutes"),
        lambda: review.write(QUESTION, "x", by="tester"),
        lambda: review.note("review.x", {}, by="coordinator"),
    ]
    for write in writes:
        with pytest.raises(
            GreenroomError, match="pr-42 has ended and is frozen: nothing is written any more"
        ):
            write()
    assert review.context("tester").text != given.text  # with its own question now, and no receipt is kept
    assert [one.id for one in review.receipts()] == [given.receipt.id]
    assert review.replay(given.receipt.id).text == given.text
    assert review.ledger_head == head


def test_a_session_that_was_closed_says_so(review: Session) -> None:
    review.close()
    review.close()
    with pytest.raises(GreenroomError, match="pr-42 is closed here: open the session again"):
        review.append(MEETING, "x", by="minutes")
