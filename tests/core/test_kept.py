"""A session and its archive outlive their home: the table is held by the first record, for ever."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.core import GreenroomError, Home, Session, restore, verify_archive, verify_session
from tests.core.crews import CODE_REVIEW, MEETING, PULL_REQUEST, QUESTION, bytes_of, hold

TABLE = (CODE_REVIEW / "table.yaml").read_text("utf-8")
ANOTHER = """\
table: code-review
version: 2
agents: [tester]
seats: {least: 1, most: 4}
files:
  shared/other.md: {class: append-only, by: [tester]}
order:
  tester: [shared/other.md]
  <agent>: [templates/<agent>/role.md]
"""
EDITS: dict[str, Callable[[str], str]] = {
    "rows swapped": lambda text: "\n".join(
        [*text.split("\n")[:6], *reversed(text.split("\n")[6:12]), *text.split("\n")[12:]]
    ),
    "an order turned": lambda text: text.replace(
        "shared/meeting.md, shared/findings.md", "shared/findings.md, shared/meeting.md"
    ),
    "a file renamed": lambda text: text.replace("tester/question.md", "tester/doubt.md"),
    "a writer more": lambda text: text.replace("by: [minutes]", "by: [minutes, coordinator]"),
    "another class": lambda text: text.replace(
        "{class: overwrite,   by: [tester]}", "{class: write-once, by: [tester]}"
    ),
    "a smaller size": lambda text: text.replace("by: [minutes],", "by: [minutes], max: 1 KiB,"),
    "seats for others": lambda text: text.replace("most: 0", "most: 3").replace(
        "order:\n", "order:\n  <agent>: [shared/meeting.md]\n"
    ),
    "all of it": lambda text: ANOTHER,
    "no YAML any more": lambda text: "files: [",
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_no_edit_of_the_table_makes_an_old_session_or_its_archive_invalid(
    crew: Path, tmp_path: Path, edit: str
) -> None:
    with Home(crew).start("live", {PULL_REQUEST: "+\n"}) as live, Home(crew).start("old") as old:
        hold(live)
        given = hold(old)
        head = old.end()
        old.archive()
        before = bytes_of(old.path)
    changed = EDITS[edit](TABLE)
    assert changed != TABLE
    (crew / "table.yaml").write_text(changed, "utf-8")

    with Home(crew).session("old") as old:
        proof = old.verify()
        assert (proof.valid, proof.findings, proof.head) == (True, (), head)
        assert proof.table == verify_session(old.path).table
        assert old.replay(given.receipt.id).text == given.text
        assert old.archive().sent == 0
    assert verify_archive(str(crew / "archives"), "old").valid
    assert bytes_of(restore("old", str(crew / "archives"), tmp_path / "back")) == before

    with Home(crew).session("live") as live:  # goes on by its own table
        live.append(MEETING, "Alice: still here.", by="minutes")
        live.write(QUESTION, "Still?\n", by="tester", receipt=live.context("tester").receipt)
        live.end()
        assert live.verify().valid


def test_a_folder_may_be_named_as_text_or_as_a_path(crew: Path, tmp_path: Path) -> None:
    home = Home(crew)
    with home.start("s") as session:
        given = hold(session)
        session.end()
        session.archive()
    bags = str(crew / "archives")
    roots = [restore("s", bags, str(tmp_path / "text")), restore("s", bags, tmp_path / "path")]
    assert roots == [tmp_path / "text" / "s", tmp_path / "path" / "s"]
    assert verify_session(str(roots[0])) == verify_session(roots[1])
    for place in (roots[0], str(roots[0]), crew / "archives" / "s"):  # restored, or an archive's folder
        with home.session(place) as again:
            assert again.replay(given.receipt.id).text == given.text


def test_an_archive_is_asked_for_in_text(crew: Path, tmp_path: Path) -> None:
    for call in (
        lambda: restore("s", tmp_path, tmp_path),  # type: ignore[arg-type]
        lambda: verify_archive(tmp_path, "s"),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError) as raised:
            call()
        assert str(raised.value) == (
            "url is PosixPath, not str: give the name of a folder, or s3://bucket/prefix"
        )


def test_verify_notes_where_the_homes_table_is_another_and_blames_nobody(crew: Path) -> None:
    with Home(crew).start("s") as session:
        (crew / "table.yaml").write_text(EDITS["a writer more"](TABLE), "utf-8")
        proof = session.verify()
    assert (proof.valid, proof.notes) == (
        True,
        (
            (
                "the session's table is not code-review 1 of the home: shared/meeting.md: `by` is minutes "
                "here, and minutes, coordinator there"
            ),
        ),
    )


def test_an_ended_session_needs_nothing_of_its_home(crew: Path, tmp_path: Path) -> None:
    with Home(crew).start("s") as session:
        given = hold(session)
        session.end()
    alone = Path(shutil.copytree(crew / "sessions" / "s", tmp_path / "alone" / "s"))
    shutil.rmtree(crew / "templates")
    (crew / "table.yaml").unlink()
    for opened in (Home(crew).session("s"), Session.open(None, alone)):
        with opened as session:
            assert session.replay(given.receipt.id).text == given.text
            assert session.verify().valid
            assert session.context("tester").text.startswith("^^^ file 1 of 5: templates/tester/role.md")


def test_a_session_is_its_homes_by_whatever_name_it_was_opened(
    crew: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then its home's register keeps where it is archived, and `verify` knows it."""
    Home(crew).start("s").close()
    monkeypatch.chdir(crew.parent)
    with Home("crew/../crew").session("crew/../crew/sessions/s") as session:
        session.end()
        session.archive()
    assert (crew / "sessions" / ".records" / "s").is_dir()


# ---------------------------------------------------------------------- sessions of another program


def test_a_ledger_of_version_1_is_said_to_be_what_it_is(archives: Path) -> None:
    root = archives / "0.1.0" / "demo" / "data" / "demo"
    what = (
        "version 1, which holds no table of files: a rehearsal of release 0.1.0, which `greenroom` and "
        "`orchestrator.Session` read"
    )
    with pytest.raises(GreenroomError) as raised:
        Session.open(None, root)
    assert str(raised.value) == f"{root / 'ledger' / 'ledger.jsonl'}: has {what}: use those"
    for proof in (verify_session(root), verify_archive(str(archives / "0.1.0"), "demo")):
        (finding,) = proof.findings
        assert (finding.kind, finding.found, proof.valid, proof.table) == ("version", what, False, None)


def test_a_rehearsal_is_read_proven_and_restored_by_the_core_alone_and_not_archived(
    archives: Path, tmp_path: Path
) -> None:
    bags = str(archives / "0.2.0")
    proof = verify_archive(bags, "demo")
    assert (proof.valid, proof.notes) == (
        True,
        ("bag-info.txt: Greenroom-Exchanges (8) can be counted by the session's own program alone",),
    )
    root = restore("demo", bags, tmp_path)
    with Session.open(None, root) as session:
        assert (session.state, session.agents) == ("ended", ("moderator", "analyst", "contrarian", "skeptic"))
        first = session.receipts()[0]
        assert session.replay(first).receipt == first
        assert session.verify().valid
        with pytest.raises(GreenroomError, match="archive it with `greenroom archive`"):
            session.archive(str(tmp_path / "bags"))
    assert not (tmp_path / "bags").exists()


@pytest.fixture
def archives() -> Path:
    """The archives that were kept of each release."""
    return Path(__file__).resolve().parents[1] / "archives"
