"""What a loop of one's own asked, who answered, and which context a write came from, stand in the ledger."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from orchestrator.core.context.receipt import OWN
from orchestrator.core.errors import FileTooLargeError, ReceiptError
from orchestrator.core.session import MAX_TASK_CHARS
from orchestrator.core.store import ledger
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.ledger import FIRST_HASH, MAX_NOTE_BYTES
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session

DECK = "# Plan\n\nRevenue grows by 40 % to 2 million euros.\n"
TRANSCRIPT = "shared/presenter-transcript.md"
HISTORY = "shared/exchange-history.md"
NOTES = "skeptic/exchange-notes.md"
CANDIDATE = "skeptic/candidate-question.md"


@pytest.fixture
def session(home: Path) -> Session:
    return Session.start(Home.open(home), deck_text=DECK, id="s1", presenter="Ines")


def records(session: Session) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (session.path / LEDGER_NAME).read_bytes().splitlines()]


def test_a_receipt_says_what_was_asked_and_who_answers(session: Session) -> None:
    with session:
        asked = session.context("skeptic", task="Ask one\nquestion.", engine="my-model-1").receipt
        unnamed = session.context("analyst").receipt
        assert (asked.purpose, asked.engine) == ("Ask one\nquestion.", "my-model-1")
        assert (unnamed.purpose, unnamed.engine) == ("context", OWN)
        assert session.receipt(asked.id) == asked
        session.append(NOTES, "Asked.", by="skeptic")
        assert session.receipts()[-2:] == [asked, unnamed]
        assert [session.context_at(one.id).receipt for one in (asked, unnamed)] == [asked, unnamed]


def test_a_write_says_which_context_it_came_from(session: Session) -> None:
    with session:
        context = session.context("skeptic", task="Ask one question.")
        session.write(CANDIDATE, "How?", by="skeptic", receipt=context.receipt.id)
        with session.transaction() as tx:
            tx.append(NOTES, "Asked how.", by="skeptic", receipt=context.receipt.id)
        written = [one.get("receipt") for one in records(session) if one.get("file") in (CANDIDATE, NOTES)]
        assert written[-2:] == [context.receipt.id] * 2
        assert session.context_at(context.receipt.id).text == context.text
        assert session.verify().valid


def test_a_write_from_a_context_that_nobody_was_given_is_refused(session: Session) -> None:
    with session:
        before = records(session)
        with pytest.raises(ReceiptError, match="'r000000000000' in s1"):
            session.write(CANDIDATE, "How?", by="skeptic", receipt="r000000000000")
        assert records(session) == before
        with pytest.raises(ValueError, match="task has 20,001 characters"):
            session.context("skeptic", task="?" * (MAX_TASK_CHARS + 1))


def test_a_receipt_that_comes_while_a_transaction_is_open_stands_before_the_write(session: Session) -> None:
    given: list[str] = []
    with session:
        with session.transaction() as tx:
            tx.append(TRANSCRIPT, "We grew.", by="transcript")
            other = Thread(target=lambda: given.append(session.context("skeptic").receipt.id))
            other.start()
            other.join()
            tx.write(CANDIDATE, "How?", by="skeptic", receipt=given[0])
        assert session.verify().findings == ()
        assert session.receipts()[-1].id == given[0]


def test_a_receipt_is_of_what_was_given_and_of_nothing_that_was_changed_since(session: Session) -> None:
    with session:
        session.append(TRANSCRIPT, "We lose money.", by="transcript")
        receipt = session.context("skeptic").receipt
        session.append(NOTES, "Asked.", by="skeptic")
        root = session.path
    head, lines = FIRST_HASH, []
    for line in (root / LEDGER_NAME).read_bytes().splitlines(keepends=True):
        record = ledger.decode(line)
        if record.file == TRANSCRIPT and record.op == "append":
            text = "We make money.\n"
            whole = (root / TRANSCRIPT).read_text().removesuffix("We lose money.\n") + text
            sha256 = hashlib.sha256(whole.encode()).hexdigest()
            record = record._replace(text=text, sha256=sha256)
        changed, head = ledger.encode(record, head, more=ledger.says_more(line))
        lines.append(changed)
    (root / LEDGER_NAME).write_bytes(b"".join(lines))
    with (
        Session.open(session.home, "s1") as opened,
        pytest.raises(ReceiptError, match="is not what the ledger"),
    ):
        opened.context_at(receipt.id)


def test_a_write_from_anothers_context_is_refused_and_found(session: Session) -> None:
    with session:
        receipt = session.context("analyst").receipt
        with pytest.raises(ReceiptError, match="is of a context of analyst"):
            session.write(CANDIDATE, "How?", by="skeptic", receipt=receipt)
        session.append(HISTORY, "x1 is opened.", by="moderator", receipt=session.context("moderator").receipt)
        assert session.verify().valid


def test_a_note_is_no_way_round_the_limits(session: Session) -> None:
    with session, pytest.raises(FileTooLargeError, match="for one note; nothing was written"):
        session.note("mine.x", {"a": "x" * MAX_NOTE_BYTES}, by="skeptic")


def test_a_text_that_an_earlier_receipt_holds_is_written_once(session: Session) -> None:
    from dataclasses import replace

    from orchestrator.core.context.receipt import recorded

    guide = "Ask what a careful board member would ask, in one sentence."
    with session:
        store = session.rehearsal.store
        kept = []
        for number in range(4):
            context = session.rehearsal.peek("skeptic", purpose=f"task {number}")
            receipt = replace(
                context.receipt, layout="strict", extra=(guide, f"Task: {number}, as told.\n" * 3)
            )
            store.add_receipt(receipt.id, recorded(receipt, store.history.version))
            kept.append(receipt)
            if number % 2:
                session.append(NOTES, f"note {number}", by="skeptic")
        assert (session.path / LEDGER_NAME).read_text().count(guide) == 1
        assert session.receipts()[-4:] == kept
        assert session.verify().valid
    with Session.open(session.home, "s1") as later:
        assert [later.receipt(one.id) for one in kept] == kept


def test_who_is_asked_the_same_of_the_same_moment_shares_a_record(session: Session) -> None:
    with session:
        before = len(records(session))
        asked = [session.context(agent, task="Ask.").receipt for agent in ("skeptic", "analyst")]
        again = session.context("skeptic", task="Ask.").receipt
        other = session.context("contrarian", task="Judge.").receipt
        session.append(NOTES, "Asked.", by="skeptic")
        ids = [value["ids"] for one in records(session)[before:] if (value := one.get("value"))]
        assert ids == [
            {"skeptic": asked[0].id, "analyst": asked[1].id},
            {"skeptic": again.id},
            {"contrarian": other.id},
        ]
        assert again == asked[0]
        assert {one.id for one in session.receipts()} >= {one.id for one in (*asked, other)}
        assert session.verify().valid
