"""What a person says of an answer counts in memory as the panel's verdict would, whenever it was said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.core.archive.freeze import thaw
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.memories import forget, forget_agent, forget_presenter, memories
from orchestrator.memory.notebook import scratchpads
from orchestrator.memory.presenter import set_consent
from orchestrator.memory.scribe import previously_on
from tests.helpers.homes import new_home
from tests.helpers.memories import NOW
from tests.helpers.reviewed import ASK, DECK, LEADING

INES = "Ines Kroll"
PANEL = {"satisfied": "it names the count", "follow_up": "no figure was given", "unjudged": "yours to judge"}


@pytest.fixture
def started(home: Path) -> Iterator[Callable[..., Session]]:
    """A function that starts a remembered session on the deck, and gives it back."""
    made: list[Session] = []

    def start(id: str, presenter: str = INES, root: Path = home) -> Session:
        session = Session.start(
            Home.open(root), deck_text=DECK, id=id, presenter=presenter, engine="offline", remember=True
        )
        made.append(session)
        return session

    yield start
    for session in made:
        session.close()
        if session.path.exists():
            thaw(session.path)


def asked(
    session: Session, verdict: str = "unjudged", agent: str = "analyst", quote: str = LEADING
) -> Session:
    session.ask(agent, question="Leading by which measure?", quote=quote)
    session.take_answer("By passengers.")
    session.judge(verdict, reason=PANEL[verdict])
    return session


Kept = tuple[list[tuple[str, str, str | None]], dict[str, str]]


def kept(home: Path) -> Kept:
    """The presenter's memories that stand, and the agents' pages; without ids and times."""
    with MemoryDatabase.open(home) as db:
        found = memories(db, presenter=INES)
        pages = {one.agent: one.content for one in scratchpads(db, INES)}
        return sorted((one.agent, one.content, one.source) for one in found), pages


WAYS = ("before", "after", "before and after")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("panel", "verdict"),
    [("unjudged", "given"), ("unjudged", "not"), ("satisfied", "partly"), ("follow_up", "given")],
)
def test_it_is_kept_alike_before_the_end_after_it_and_both(
    started: Callable[..., Session], tmp_path: Path, panel: str, verdict: str
) -> None:
    ways = []
    for way in WAYS:
        root = new_home(tmp_path / way.replace(" ", "-"))
        asked(started("s0", root=root), "follow_up").end()  # the same question was open before
        session = asked(started("s1", root=root), panel)
        if way == "before and after":
            session.judge_as_person("x1", "not" if verdict == "given" else "given")
        if way == "before":
            session.judge_as_person("x1", verdict)
        session.end()
        if way != "before":
            session.judge_as_person("x1", verdict)
            session.judge_as_person("x1", verdict)  # twice is once
        texts = started("s2", root=root).rehearsal.carried.texts
        ways.append((kept(root), {agent: _without_times(text) for agent, text in texts.items()}))
    assert ways[0] == ways[1] == ways[2]
    ((_, content, source),) = ways[0][0][0]
    is_given = verdict == "given"
    assert content == f'{"Answered" if is_given else "Left open"}: "{LEADING}"'
    assert source == "s1/x1"


def _without_times(text: str) -> str:
    """The block without how fast this machine is, and without how well each memory was found."""
    lines = (line for line in text.splitlines() if "confidence" not in line)
    return re.sub(r"\d+:\d\d", "0:00", "\n".join(lines))


def test_the_next_rehearsal_is_told_whose_verdict_it_is_and_the_panels(
    started: Callable[..., Session],
) -> None:
    session = asked(started("s1"), "satisfied")
    asked(session, "unjudged", "skeptic", ASK)
    session.end()
    session.judge_as_person("x1", "partly")
    session.judge_as_person("x2", "given")
    told = started("s2")
    (point,) = told.rehearsal.carried.open_points
    assert (point.outcome, point.says) == ("unresolved", "Ines Kroll; the panel: satisfied")
    text = told.rehearsal.carried.texts["analyst"]
    assert f'analyst, unresolved, says Ines Kroll; the panel: satisfied: "{LEADING}"' in text
    assert "2 questions: 1 answered, 1 partly answered. Judged by Ines Kroll: 2." in text  # previously on
    assert "2 questions (1 answered, 1 partly answered)" in text  # the briefing
    assert f'- Settled, says Ines Kroll: "{ASK}".' in told.rehearsal.carried.texts["skeptic"]
    assert "not judged" not in text


def test_the_session_that_is_running_is_told_at_once(started: Callable[..., Session]) -> None:
    session = asked(started("s1"))
    session.judge_as_person("x1", "partly", note="It names the count.")
    said = "The answer to question 1 above: gave it in part, says Ines Kroll: It names the count."
    for agent in ("analyst", "skeptic", "moderator"):
        assert said in session.context(agent, purpose="judgement").text
    assert (
        previously_on(session.recap())
        .splitlines()[0]
        .endswith("1 question: 1 partly answered. Judged by Ines Kroll: 1.")
    )
    assert [(one.text, one.exchange) for one in session.recap().open_questions] == [(LEADING, "x1")]
    (exchange,) = session.rehearsal.scene().exchanges
    assert (exchange.outcome, exchange.result) == ("unjudged", "unresolved")
    receipt = session.context("analyst", purpose="judgement").receipt
    session.judge_as_person("x1", None)
    assert said in session.context_at(receipt).text  # what it was given then
    assert "The panel's own verdict counts again." in session.context("analyst", purpose="judgement").text
    session.end()
    assert session.verify().valid


@pytest.mark.parametrize("forgets", [forget_presenter, forget_agent, forget])
def test_nothing_comes_back_that_was_forgotten(
    started: Callable[..., Session], home: Path, forgets: Callable[..., object]
) -> None:
    session = asked(started("s1"), "follow_up")
    session.end()
    with MemoryDatabase.open(home) as db:
        (memory,) = memories(db, presenter=INES)
        if forgets is forget:
            forget(db, memory.id, now=NOW)
        elif forgets is forget_agent:
            forget_agent(db, INES, "analyst", now=NOW)
        else:
            forget_presenter(db, INES)
            set_consent(db, INES, True, NOW)
    for verdict in ("given", "not", "partly"):
        session.judge_as_person("x1", verdict)
    assert kept(home)[0] == []


def test_nothing_is_kept_of_who_has_no_name_or_does_not_agree(
    started: Callable[..., Session], home: Path
) -> None:
    with Session.start(Home.open(home), deck_text=DECK, id="s1", engine="offline", presenter=INES) as session:
        asked(session).end()
        session.judge_as_person("x1", "not")
        assert not MemoryDatabase.exists(home)
    thaw(session.path)


def test_a_later_rehearsal_knows_better(started: Callable[..., Session], home: Path) -> None:
    first = asked(started("s1"), "follow_up")
    first.end()
    asked(started("s2"), "satisfied").end()
    before = kept(home)
    for verdict in ("not", "given", "not"):
        first.judge_as_person("x1", verdict)
    assert kept(home) == before
