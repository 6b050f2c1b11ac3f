"""What a person says of an answer: it counts before the panel's verdict, and says whose it is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.core.archive.freeze import thaw
from orchestrator.core.errors import (
    HomeError,
    InputError,
    SessionStateError,
    UsageError,
)
from orchestrator.material.speech.read import Recording
from orchestrator.panel.answers import Answer
from orchestrator.panel.debrief.json_form import as_json
from orchestrator.panel.debrief.page import as_markdown
from orchestrator.panel.debrief.terminal import as_text
from orchestrator.panel.loop.answers import AskPerson
from orchestrator.panel.model.exchange import Exchange, Judgement
from orchestrator.rehearsal.erasing import erase_session
from tests.helpers.commands import Commands
from tests.helpers.reviewed import DECK, LEADING, begun


def answered(home: Path) -> Session:
    """A session with one answer that the panel did not judge, and one parked question."""
    session = begun(Home.open(home), "s1")
    session.ask("analyst", question="Leading by which measure?", quote=LEADING)
    session.take_answer("By passengers.")
    session.judge("unjudged", reason="yours to judge")
    session.ask("skeptic", question="Who says so?")
    session.park()
    return session


@pytest.fixture
def session(home: Path) -> Iterator[Session]:
    with answered(home) as made:
        yield made
    if made.path.exists():
        thaw(made.path)


def beside(session: Session) -> list[dict[str, object]]:
    assert session.home is not None
    lines = (session.home.records / "s1" / "verdicts.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_what_a_person_says_counts_before_and_after_the_end(session: Session) -> None:
    ledger = session.path / "ledger/ledger.jsonl"
    for is_ended in (False, True):
        if is_ended:
            session.end()
        before = ledger.read_bytes()
        _counts(session, "partly", "partly answered", "gave it in part")
        _counts(session, "not", "not answered", "did not give it")
        _counts(session, "given", "answered", "gave it")
        assert (ledger.read_bytes() == before) is is_ended
    assert session.verify().valid


def _counts(session: Session, verdict: str, word: str, said: str) -> None:
    judged = session.judge_as_person("x1", verdict, note="It names the count.", by="Ola")
    told = session.debrief()
    plain = as_json(told)["exchanges"][0]
    result = "satisfied" if verdict == "given" else "unresolved"
    assert (plain["outcome"], plain["result"]) == ("unjudged", result)
    assert plain["turns"][0]["verdict"] == "unjudged"  # the panel's own stands beside it
    assert plain["turns"][0]["person"] == {
        "exchange": "x1",
        "turn": 1,
        "verdict": verdict,
        "by": "Ola",
        "at": judged.at,
        "note": "It names the count.",
    }
    for page in (as_markdown(told), as_text(told)):
        assert f"2 questions: 1 {word}, 1 parked. Judged by Ola: 1." in page
        assert f"{word}, says Ola" in page
        assert f"Judged: {said}, says Ola: It names the count." in page
    in_order = {"not": ["x1", "x2"], "partly": ["x2", "x1"], "given": ["x2"]}  # x2 got no answer at all
    assert [point.exchange for point in told.homework] == in_order[verdict]


def test_the_panels_verdict_stays_beside_a_persons(home: Path) -> None:
    with begun(Home.open(home), "s1") as session:
        session.ask("analyst", question="Leading by which measure?", quote=LEADING)
        session.take_answer("By passengers.")
        session.judge("satisfied", reason="it names the measure")
        session.judge_as_person("x1", "not")
        told = as_markdown(session.debrief())
    assert "### x1. " in told
    assert "not answered, says Ines Kroll; the panel: answered" in told
    assert "1 question: 1 not answered. Judged by Ines Kroll: 1." in told


def test_the_last_one_said_counts_and_can_be_taken_back(session: Session) -> None:
    before = as_json(session.debrief())["exchanges"]
    session.judge_as_person("x1", "given")
    session.end()
    session.judge_as_person("x1", "not", by="Ola")
    assert session.person_verdicts["x1", 1].by == "Ola"
    taken = session.judge_as_person("x1", None, by="Ola")
    assert taken.verdict is None
    assert session.person_verdicts == {}
    assert as_json(session.debrief())["exchanges"] == before
    first, second = beside(session)
    about = {"version": 1, "exchange": "x1", "turn": 1, "by": "Ola"}
    assert first == {**about, "verdict": "not", "at": first["at"]}
    assert second == {**about, "verdict": None, "at": second["at"]}


def test_an_answer_that_is_taken_back_takes_what_was_said_of_it_along(session: Session) -> None:
    session.ask("analyst", question="By how much?", quote=LEADING)
    session.take_answer("By a lot.")
    session.judge("follow_up", reason="no figure", follow_up="By how many passengers?")
    session.judge_as_person("x3", "partly")
    session.take_answer("By 9,000.")
    session.judge_as_person("x3", "given")
    session.judge_as_person("x1", "given")
    assert {place: one.verdict for place, one in session.person_verdicts.items()} == {
        ("x1", 1): "given",
        ("x3", 1): "partly",
        ("x3", 2): "given",
    }
    session.answer_back()
    assert sorted(session.person_verdicts) == [("x1", 1), ("x3", 1)]


def test_what_cannot_be_judged_is_refused_by_name(session: Session, tmp_path: Path) -> None:
    refused = [
        ("x9", "given", None, "there is no exchange 'x9': there are x1, x2"),
        ("x2", "given", None, "x2 was parked, so there is nothing to judge: nobody has answered it yet"),
        ("x1", "given", 2, "x1 has no answer 2: there is one to turn 1"),
        ("x1", "good", None, "verdict 'good': use given, partly, not"),
    ]
    for exchange, verdict, turn, words in refused:
        with pytest.raises((InputError, UsageError)) as caught:
            session.judge_as_person(exchange, verdict, turn=turn)
        assert str(caught.value) == words
    with pytest.raises(UsageError, match="a note up to 1000"):
        session.judge_as_person("x1", "given", note="n" * 1001)
    session.end()
    shutil.copytree(session.path, tmp_path / "elsewhere" / "s1")
    with (
        Session.open(None, tmp_path / "elsewhere" / "s1") as copy,
        pytest.raises(SessionStateError, match="has ended and lies outside of a home"),
    ):
        copy.judge_as_person("x1", "given")
    thaw(tmp_path / "elsewhere" / "s1")


@pytest.mark.own_memory  # what is erased is erased from memory as well
def test_it_goes_with_the_session_and_a_line_that_is_none_is_named(session: Session) -> None:
    session.end()
    session.judge_as_person("x1", "given")
    assert session.home is not None
    file = session.home.records / "s1" / "verdicts.jsonl"
    file.write_text(file.read_text() + '{"version": 2, "exchange": "x1"}\n')
    with pytest.raises(HomeError, match="verdicts of s1, line 2: this is no verdict: remove it"):
        session.debrief()
    erase_session(session.home, session.path, archives=True)
    assert not file.exists()


@pytest.mark.own_memory  # where memory fails, the command says so and exits otherwise
def test_the_command_says_it(session: Session, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = Commands(home, capsys)
    session.end()
    said = commands.json("judge", "s1", "x1", "partly", "--note", "No date.")
    assert said == {
        "exchange": "x1",
        "turn": 1,
        "verdict": "partly",
        "by": "Ines Kroll",
        "at": said["at"],
        "note": "No date.",
    }
    file = (session.path / "debrief.md").read_bytes()
    made_anew = (
        "debrief.md in the session's folder is of its end and stays so; the debrief as it stands now: "
        "`greenroom debrief s1 --format md`\n"
    )
    given = commands("judge", "s1", "x1", "given").stdout
    assert given == f"x1, answer 1: gave it, says Ines Kroll\n{made_anew}"
    assert "answered, says Ines Kroll" in commands("debrief", "s1", "--format", "md").stdout
    assert (session.path / "debrief.md").read_bytes() == file
    gone = commands("judge", "s1", "x1", "none").stdout
    assert gone == f"x1, answer 1: Ines Kroll takes back what was said of it\n{made_anew}"
    refused = commands("judge", "s1", "x1", "maybe", check=False)
    assert (refused.returncode, refused.stderr) == (2, "greenroom: 'maybe': use given, partly, not or none\n")


def test_prepared_answers_bring_their_verdicts(home: Path) -> None:
    answers = (Answer("Two.", verdict="given"), Answer("", park=True, verdict="not"), Answer("Three."))
    with Session.start(Home.open(home), deck_text=DECK, id="s2", presenter="Ines", exchanges=3) as session:
        session.load(Recording.silent(), kind="run", answers=answers)
        session.play()
        said = [(one.turns[0].answer, one.person and one.person.verdict) for one in session.asked]
        assert said == [("Two.", "given"), (None, None), ("Three.", None)]
        assert [one.result for one in session.asked] == ["satisfied", "parked", "unjudged"]


def play_judged(home: Path, texts: Sequence[str], *, intensity: str, ask: AskPerson) -> list[Exchange]:
    """The exchanges of a played rehearsal whose answers a person is asked about."""
    with Session.start(
        Home.open(home), deck_text=DECK, id="s2", presenter="Ines", exchanges=1, intensity=intensity
    ) as session:
        session.load(Recording.silent(), kind="run", answers=tuple(map(Answer, texts)))

        def ask_person(exchange: Exchange, judgement: Judgement, again: str | None) -> bool:
            session.judge_as_person(exchange.id, "not", turn=len(exchange.turns))
            return ask(exchange, judgement, again)

        session.play(ask_person=ask_person)
        return list(session.asked)


@pytest.mark.parametrize(("intensity", "turns"), [("friendly", 2), ("moderate", 3), ("adversarial", 4)])
def test_what_a_person_calls_no_answer_can_be_asked_again_up_to_the_limit(
    home: Path, intensity: str, turns: int
) -> None:
    offered: list[str | None] = []

    def take_up(_exchange: Exchange, judgement: Judgement, again: str | None) -> bool:
        assert judgement.verdict == "unjudged"
        offered.append(again)
        return True

    (one,) = play_judged(home, ["It is 5, as Ola says."] * 9, intensity=intensity, ask=take_up)
    assert [turn.question for turn in one.turns[1:]] == offered[:-1]
    assert (len(one.turns), offered[-1]) == (turns, None)
    assert len(set(offered)) == turns  # never the same words twice
    assert [turn.verdict for turn in one.turns] == ["unjudged"] * turns  # the panel's stays its own
    assert (one.outcome, one.result) == ("unjudged", "unresolved")


def test_and_can_be_passed(home: Path) -> None:
    (one,) = play_judged(home, ["It is 5."] * 9, intensity="moderate", ask=lambda *_: False)
    assert (len(one.turns), one.result) == (1, "unresolved")


def test_a_verdict_that_was_interrupted_is_asked_for_again(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, id="s2", presenter="Ines", exchanges=1) as session:
        session.load(Recording.silent(), kind="run", answers=(Answer("It is 5, as Ola says."),))

        def interrupted(*_: object) -> bool:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            session.play(ask_person=interrupted)
        assert session.projection.open is not None
        asked: list[str] = []

        def note(exchange: Exchange, *_: object) -> bool:
            asked.append(exchange.id)
            return False

        assert session.play(ask_person=note)
        assert asked == ["x1"]


def test_a_parked_question_that_nobody_answered_is_not_judged_and_counts_once(
    session: Session, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="x2 was parked, so there is nothing to judge: nobody has answered"):
        session.judge_as_person("x2", "given")
    session.ask(parked=True)
    session.take_answer("Ola says so.")
    session.judge("unjudged", reason="yours to judge")
    with pytest.raises(InputError, match="nothing to judge: it was put again as x3: judge that"):
        session.judge_as_person("x2", "given")
    session.judge_as_person("x3", "given")
    session.end()
    commands = Commands(home, capsys)
    assert [one["exchanges"] for one in commands.json("list")["sessions"]] == [2]
    assert "2 questions: 1 answered, 1 not judged." in as_text(session.debrief())


def test_words_with_which_a_question_is_parked_are_no_answer_to_judge(home: Path) -> None:
    answers = (Answer("Let us come back to that.", verdict="given"),)
    with Session.start(Home.open(home), deck_text=DECK, id="s2", presenter="Ines", exchanges=1) as session:
        session.load(Recording.silent(), kind="run", answers=answers)
        session.play()
        assert [(one.outcome, one.result) for one in session.asked] == [("parked", "parked")]
        with pytest.raises(InputError, match="x1 was parked"):
            session.judge_as_person("x1", "given")
