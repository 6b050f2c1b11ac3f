"""The rehearsal by its present names; and `Session`, which keeps those of release 0.2 and says so once."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Rehearsal, Segment, Session, core
from orchestrator.core.errors import ReceiptError, UsageError
from orchestrator.material.speech.read import read_speech
from orchestrator.panel.answers import read_answers
from orchestrator.rehearsal import session as earlier
from tests.helpers.homes import new_home
from tests.helpers.rehearsals import write_rehearsal

DECK = "# Plan\n\nRevenue grows by 40 % to 2 million euros.\n"
TRANSCRIPT = "shared/presenter-transcript.md"
CANDIDATE = "skeptic/candidate-question.md"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(new_home(tmp_path / "home"))


def begun(home: Home, **options: Any) -> Rehearsal:
    return Rehearsal.start(home, deck_text=DECK, id="s1", **options)


def test_a_rehearsal_is_a_session_of_the_core_whose_writes_return_their_records(home: Home) -> None:
    with begun(home) as rehearsal:
        assert isinstance(rehearsal, core.Session)
        number = rehearsal.append(TRANSCRIPT, "We grow.", by="transcript")
        assert rehearsal.rehearsal.store.record(number).text == "We grow.\n"
        context = rehearsal.context("skeptic", task="Ask one question.", engine="mine-1")
        written = rehearsal.write(CANDIDATE, "Why?", by="skeptic", receipt=context.receipt)
        assert rehearsal.rehearsal.store.record(written).receipt == context.receipt.id
        assert (context.receipt.purpose, context.receipt.engine) == ("Ask one question.", "mine-1")
        assert rehearsal.replay(context.receipt).text == context.text
        assert "We grow." not in rehearsal.context("skeptic", at=number - 1).text


def test_one_puts_a_question_takes_the_answer_and_judges_it_oneself(home: Home) -> None:
    with begun(home) as rehearsal:
        context = rehearsal.context("skeptic")
        asked = rehearsal.put("skeptic", "Which market?", quote="2 million euros", receipt=context.receipt)
        assert (asked.agent, asked.turns[0].question, asked.grounded) == ("skeptic", "Which market?", True)
        with pytest.raises(UsageError, match="give that as well"):
            rehearsal.judge(reason="It was vague.")
        taken = rehearsal.answer("Norway alone.")
        assert (taken.turns[0].answer, taken.turns[0].verdict) == ("Norway alone.", None)
        judged = rehearsal.judge("satisfied", reason="It names the market.", quote="Norway")
        assert (judged.turns[0].verdict, judged.outcome) == ("satisfied", "satisfied")
        with pytest.raises(ReceiptError, match="is of a context of skeptic, and analyst puts the question"):
            rehearsal.put("analyst", "And the cost?", receipt=context.receipt)


def test_the_panel_puts_a_question_and_judges_what_was_heard(home: Home) -> None:
    with begun(home, panel=["skeptic", "analyst"]) as rehearsal:
        heard = rehearsal.hear(Segment("Revenue grows by 40 %.", 0.0, 5.0))
        assert (heard, rehearsal.rehearsal.now_s()) == (1, 5.0)
        asked = rehearsal.call_on("skeptic")
        assert asked is not None
        rehearsal.answer("By selling to Norway.")
        judged = rehearsal.judge()
        assert judged.id == asked.id
        assert judged.turns[0].verdict is not None


def test_a_question_that_a_loop_wrote_is_the_one_that_its_agent_puts(home: Home) -> None:
    with begun(home) as rehearsal:
        context = rehearsal.context("skeptic")
        rehearsal.write(CANDIDATE, "Which customers?\n", by="skeptic", receipt=context.receipt)
        asked = rehearsal.call_on("skeptic")
        assert asked is not None
        assert asked.turns[0].question == "Which customers?"
        rehearsal.answer("Two banks.")
        rehearsal.judge("satisfied", reason="It names them.")
        again = rehearsal.call_on("skeptic")
        assert again is None or again.turns[0].question != "Which customers?"  # it was put once


def test_a_recording_is_played_in_one_call(home: Home, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    with Rehearsal.start(home, files.deck, id="s1") as rehearsal:
        assert rehearsal.play(read_speech(files.speech), answers=read_answers(files.answers))
        rehearsal.end()
        assert rehearsal.verify().valid


def test_earlier_names_do_what_they_did_and_say_once_what_they_are_called_now(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(earlier, "_said", set())
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with Session.start(home, deck_text=DECK, id="s1") as session:
            for text in ("We grow.", "By 40 %."):
                length = session.append(TRANSCRIPT, text, by="transcript")
            assert length == len(session.read(TRANSCRIPT).encode())
            assert session.write(CANDIDATE, "Why?", by="skeptic") == 1
            context = session.context("skeptic", purpose="candidate-question")
            assert context.receipt.purpose == "candidate-question"
            assert session.context_at(context.receipt.id).text == context.text
            session.ask("skeptic", question="Which market?")
            assert session.answer("Norway alone.").verdict is not None
    names = ("append", "write", "context", "context_at", "ask", "answer")
    assert [str(one.message) for one in said] == [f"an earlier name: {earlier.NOW[name]}" for name in names]
    assert {one.category for one in said} == {DeprecationWarning}
    assert {one.filename for one in said} == {__file__}  # where the name stands, and not within the package
