"""A session is judged, assembled and restored by the table that it was started with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.core.archive.download import list_archives
from orchestrator.core.errors import LedgerCorruptError, WriterNotAllowedError
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store import ledger
from orchestrator.core.store.ledger import Held
from orchestrator.core.store.store import Store
from orchestrator.documents.verification import verification_json
from orchestrator.panel.application import table_of_version_1
from tests.helpers.board import archive_session, fetch, restore, verify_archive, verify_session
from tests.helpers.homes import ROOT

TABLE = (ROOT / "agents" / "table.yaml").read_text("utf-8")
KEPT = ROOT / "tests" / "archives" / "0.1.0"
TRANSCRIPT = "shared/presenter-transcript.md"
SEATS = ("skeptic", "analyst", "contrarian", "lawyer", "auditor", "founder")


def edited() -> str:
    """The board's table with rows of the order swapped, a twelfth file, another writer and six seats."""
    text = TABLE.replace("table: board-panel", "table: crew").replace("most: 5", "most: 6")
    deck, intel = "    - shared/deck-content.md\n", "    - shared/external-intel.md\n"
    text = text.replace(deck + intel, intel + deck)
    text = text.replace("by: [transcript]", "by: [transcript, interpreter]")
    text = text.replace(
        "files:\n", "files:\n  <agent>/scratch.md: {class: overwrite, by: [<agent>], max: 4 KiB}\n"
    )
    return text.replace(
        "    - <agent>/candidate-question.md\n",
        "    - <agent>/candidate-question.md\n    - <agent>/scratch.md\n    - templates/<agent>/voice.md\n",
    )


def set_table(home: Path, text: str) -> None:
    (home / "table.yaml").write_text(text, "utf-8")


def crew(home: Path) -> None:
    """A home of six seats with the edited table."""
    for name in SEATS:
        folder = home / "templates" / name
        folder.mkdir(exist_ok=True)
        for file in ("persona.md", "domain-knowledge.md"):
            text = (ROOT / "agents" / "templates" / "skeptic" / file).read_text("utf-8")
            if not (folder / file).exists():
                (folder / file).write_text(text.replace("id: skeptic", f"id: {name}"), "utf-8")
        (folder / "voice.md").write_text(f"# {name}\n\nSpeaks slowly.\n", "utf-8")
    set_table(home, edited())


def rehearse(session: Session) -> dict[str, str]:
    """Write to every file that is new or changed; returns the text of each receipt's context."""
    for number in range(3):
        session.append(TRANSCRIPT, f"We grew by {number} %.\n", by="interpreter")
        for agent in SEATS:
            session.write(f"{agent}/scratch.md", f"{agent} {number}\n", by=agent)
            context = session.context(agent, purpose="test")
            for layout in ("strict", "watermark"):
                assert context.messages(layout)
            session.write(f"{agent}/candidate-question.md", f"Why {number}?\n", by=agent)
        session.context("moderator", purpose="test")
    return texts(session)


def texts(session: Session) -> dict[str, str]:
    return {one.id: session.context_at(one.id).text for one in session.receipts()}


def test_a_session_keeps_the_table_that_it_was_started_with(home: Path, tmp_path: Path) -> None:
    crew(home)
    with Session.start(Home.open(home), deck_text="# Plan\n\nWe grew.\n", id="s", panel=SEATS) as session:
        assert [line for line in session.notices if "table.yaml" in line] == []
        context = session.context("lawyer", purpose="test")
        assert [block.path for block in context.blocks][2:5] == [
            "shared/session-config.md",
            "shared/external-intel.md",
            "shared/deck-content.md",
        ]
        assert [block.path for block in context.blocks][-2:] == [
            "lawyer/scratch.md",
            "templates/lawyer/voice.md",
        ]
        before = rehearse(session)
    set_table(home, TABLE.replace("version: 2", "version: 9"))
    with Session.open(Home.open(home), "s") as session:  # goes on by its own table
        session.append(TRANSCRIPT, "And more.\n", by="interpreter")
        assert texts(session).items() >= before.items()  # the last receipt waited for a record
        session.end()
        found = session.verify()
        assert (found.findings, found.table and found.table.name) == ((), "crew")
    (home / "table.yaml").unlink()
    url = str(tmp_path / "archives")
    archive_session(home / "sessions" / "s", url)
    assert verify_archive(url, "s").findings == ()
    with Session.open(None, restore("s", url, tmp_path / "restored")) as session:
        assert texts(session).items() >= before.items()
        assert session.verify().valid
    with Session.start(Home.open(home), deck_text="# Plan\n", panel=SEATS[:2]) as new:
        assert len(new.context("skeptic").blocks) == 11
        with pytest.raises(WriterNotAllowedError):
            new.append(TRANSCRIPT, "Hello.\n", by="interpreter")


@pytest.mark.parametrize("text", [edited(), "no table at all\n", TABLE.replace("least: 2", "least: 4")])
def test_a_kept_archive_of_0_1_0_is_judged_by_the_table_of_its_time(
    home: Path, tmp_path: Path, text: str
) -> None:
    set_table(home, text)
    (kept,) = list_archives(str(KEPT))
    folder = fetch(kept.session, str(KEPT), home / "sessions")
    found = verify_session(folder, home_templates=home / "templates")
    table = table_of_version_1()
    assert (found.findings, found.table and found.table.sha256) == ((), table.sha256)
    assert verification_json(found)["table"] == {"name": "board-panel", "version": 1, "sha256": table.sha256}
    expected = json.loads((KEPT / "contexts.json").read_text("utf-8"))
    with Session.open(None, folder) as session:
        assert {one.id: session.context_at(one.id).sha256 for one in session.receipts()} == expected
        assert len(expected) == 159


def forge(root: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Write the ledger again with another first record, every hash right."""
    path, head, lines = root / "ledger" / "ledger.jsonl", ledger.FIRST_HASH, []
    content = path.read_bytes()
    for line in content.splitlines():
        record = ledger.decode(line)
        if record.seq == 1:
            value = json.loads(json.dumps(record.held.fields if record.held is not None else {}))
            change(value)
            record = record._replace(held=Held(value))
        new, head = ledger.encode(record, head, more=ledger.says_more(line))
        lines.append(new)
    path.chmod(0o600)
    path.write_bytes(b"".join(lines))


@pytest.fixture
def root(home: Path) -> Path:
    with Session.start(Home.open(home), deck_text="# Plan\n\nWe grew.\n", id="s") as session:
        session.append(TRANSCRIPT, "We grew.\n", by="transcript")
        return session.path


@pytest.mark.parametrize("version", [2, 3])
def test_lax_rules_in_a_forged_first_record_are_named(root: Path, version: int) -> None:
    assert verify_session(root).notes == ()

    def lax(value: dict[str, Any]) -> None:
        value["table"]["files"][TRANSCRIPT]["by"].append("start")
        value["table"]["files"]["shared/deck-content.md"]["class"] = "overwrite"
        del value["table"]["files"][TRANSCRIPT]["withheld"]
        value["table"]["files"]["shared/external-intel.md"]["revisions"] = 1000
        value["table"]["seats"]["most"] = 9
        value["max_revisions"] = 2000
        value["table"]["version"] = version  # a table of another version is held against this release's too

    forge(root, lax)
    found = verify_session(root)
    other = " (version 2)" if version != 2 else ""
    told = f"the session's table is not board-panel {version} of this release{other}: "
    none = "the session's table is none for the board panel: "
    assert [note.removeprefix(told) for note in found.notes] == [
        "shared/deck-content.md: `class` is overwrite here, and write-once there",
        "shared/external-intel.md: `revisions` is 1000 here, and 5 there",
        f"{TRANSCRIPT}: `by` is transcript, start here, and transcript there",
        f"{TRANSCRIPT}: `withheld` is not set here, and true there",
        "agents and seats: are moderator and 2 to 9 seats here, and moderator and 2 to 5 seats there",
        f"{none}shared/deck-content.md is overwrite, and the panel needs it write-once",
        f"{none}{TRANSCRIPT} is not `withheld: true`",
        "shared/external-intel.md: the first record allows 2000 revisions, and its table 1000",
    ]
    assert found.table is not None
    assert found.table.sha256 != packaged_table().sha256
    with pytest.raises(LedgerCorruptError, match="is not `withheld: true`"):
        Session.open(None, root)


def test_the_table_of_the_home_is_compared_too(home: Path) -> None:
    crew(home)
    with Session.start(Home.open(home), deck_text="# Plan\n", id="t", panel=SEATS) as session:
        assert session.verify().notes == ()
        set_table(home, edited().replace("max: 4 KiB", "max: 8 KiB"))
        (note,) = session.verify().notes
    assert note.endswith("crew 2 of the home: <agent>/scratch.md: `max` is 4096 here, and 8192 there")


ODD: dict[str, Callable[[dict[str, Any]], object]] = {
    "no table": lambda value: value.pop("table"),
    "no mapping": lambda value: value.update(table=[1, 2]),
    "a path that leads outside": lambda value: value["table"]["files"].update(
        {"../../x.md": {"class": "overwrite", "by": ["start"]}}
    ),
    "a template that leads outside": lambda value: value["table"]["order"]["moderator"].append(
        "templates/../../../etc/passwd"
    ),
    "the ledger itself": lambda value: value["table"]["files"].update(
        {"ledger/ledger.jsonl": {"class": "overwrite", "by": ["start"]}}
    ),
    "a control character": lambda value: value["table"]["files"].update({"shared/\x1b[2J.md": {}}),
    "a size without end": lambda value: value["table"]["files"][TRANSCRIPT].update(max=10**18),
    "a list as a class": lambda value: value["table"]["files"][TRANSCRIPT].update({"class": []}),
}


@pytest.mark.parametrize("change", ODD.values(), ids=ODD)
def test_an_odd_table_in_a_first_record_is_a_finding_and_one_clear_error(
    root: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    forge(root, change)
    found = verify_session(root)
    (shape,) = [one for one in found.findings if one.kind == "shape"]
    assert shape.found.startswith("the table in the first record")
    assert shape.found.isprintable()
    with pytest.raises(LedgerCorruptError, match="the table in the first record") as caught:
        Store(root)
    assert str(caught.value).isprintable()


def test_a_ledger_of_a_later_version_is_refused_in_words(root: Path) -> None:
    forge(root, lambda value: value.update(ledger_version=3))
    with pytest.raises(LedgerCorruptError, match=r"this release reads \(1 and 2\): use a later release"):
        Store(root)
    assert [one.kind for one in verify_session(root).findings] == ["version"]
