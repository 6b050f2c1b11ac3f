"""The whole rehearsal, as the README tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import (
    AlreadyWrittenError,
    AppendOnlyError,
    ImmutableFileError,
    SessionFrozenError,
)
from orchestrator.material.speech.read import read_speech
from orchestrator.panel.answers import read_answers
from tests.helpers.board import archive_session, restore
from tests.helpers.rehearsals import contents, write_rehearsal


def test_a_rehearsal_from_deck_to_restored_archive(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    personas = {path: path.read_bytes() for path in home.glob("templates/*/*.md")}

    with Session.start(Home.open(home), files.deck, id="ferries", presenter="Ines") as session:
        session.load(read_speech(files.speech), kind="run", answers=read_answers(files.answers))
        assert session.play()

        exchanges = session.projection.exchanges
        assert 3 <= len(exchanges) <= 8
        assert {exchange.agent for exchange in exchanges} == {"skeptic", "analyst", "contrarian"}
        assert all(exchange.outcome for exchange in exchanges)

        for receipt in session.receipts():
            assert session.context_at(receipt).receipt.id == receipt.id

        head = session.end()
        assert session.state == "ended"
        assert session.verify().valid

        archived = archive_session(session.path, str(tmp_path / "archive"))
        back = restore("ferries", str(tmp_path / "archive"), tmp_path / "restored")
        assert archived.session == "ferries"
        assert contents(back) == contents(session.path)
        with Session.open(None, back) as again:
            assert again.ledger_head == head
            for receipt in session.receipts():
                assert again.context_at(receipt.id).text == session.context_at(receipt.id).text

    assert {path: path.read_bytes() for path in home.glob("templates/*/*.md")} == personas


def test_the_loop_of_somebody_else(home: Path) -> None:
    """interfaces.md, "Python": plain appends, writes and contexts, with the rules in force."""
    with Session.start(Home.open(home), deck_text="# Plan\n\nRevenue grew 18% in 2026.\n") as session:
        session.append("shared/presenter-transcript.md", "Good morning.", by="transcript")
        session.write("skeptic/candidate-question.md", "Grew from what?\n", by="skeptic")
        context = session.context("skeptic", purpose="candidate-question")
        assert len(context.blocks) == 11
        assert "Good morning." in context.text
        assert "Grew from what?" in context.text

        session.append("shared/presenter-transcript.md", "And more.", by="transcript")
        assert session.context_at(context.receipt).text == context.text
        assert session.context_at(context.receipt.id).sha256 == context.sha256

        with pytest.raises(AppendOnlyError):
            session.write("shared/presenter-transcript.md", "Nothing was said.\n", by="transcript")
        with pytest.raises(AlreadyWrittenError):
            session.write("skeptic/focus-brief.md", "Another brief.\n", by="skeptic")
        with pytest.raises(ImmutableFileError):
            session.write("templates/skeptic/persona.md", "Be kind.\n", by="skeptic")
        session.end()
        with pytest.raises(SessionFrozenError):
            session.append("shared/presenter-transcript.md", "One last word.", by="transcript")
        assert session.verify().valid


def test_a_transaction_counts_whole_or_not_at_all(home: Path) -> None:
    with Session.start(Home.open(home), deck_text="# Plan\n") as session:
        before = contents(session.path)
        with pytest.raises(RuntimeError), session.transaction() as tx:  # noqa: PT012 (the block is what is tested)
            tx.append("shared/presenter-transcript.md", "Never said.", by="transcript")
            tx.write("skeptic/candidate-question.md", "Never asked.\n", by="skeptic")
            raise RuntimeError
        assert contents(session.path) == before
        with session.transaction() as tx:
            heard = session.read("shared/presenter-transcript.md").count("\n")
            tx.append("shared/presenter-transcript.md", f"Line {heard}.", by="transcript")
            assert session.read("shared/presenter-transcript.md").endswith(f"Line {heard}.\n")
        assert session.read("shared/presenter-transcript.md").endswith(f"Line {heard}.\n")


def test_nothing_is_left_of_a_start_that_fails(home: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pptx"
    broken.write_bytes(b"PK\x03\x04 no deck")
    with pytest.raises(Exception, match=r"broken\.pptx"):
        Session.start(Home.open(home), broken)
    template = home / "session-templates" / "shared" / "session-config.md"
    template.write_text("{{ nobody_knows_this }}", "utf-8")
    with pytest.raises(Exception, match="nobody_knows_this"):
        Session.start(Home.open(home), deck_text="# Plan\n")
    assert [path for path in home.glob("sessions/*") if path.name != ".records"] == []
