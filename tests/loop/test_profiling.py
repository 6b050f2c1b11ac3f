"""The presenter's profile: a line after each exchange, of what can be counted and what was judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.panel.loop.resolving import answered
from orchestrator.panel.model.exchange import Turn
from tests.helpers.steady import DECK, SteadyEngine


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "no answer was given"),
        ("  ", "no answer was given"),
        ("Yes.", "an answer of 1 word, without a figure"),
        ("We are on a good way there.", "an answer of 7 words, without a figure"),
        (
            "It is 3.1 million over nine weeks, from 12 ports.",
            'an answer of 10 words, with "3.1 million", "nine weeks", "12 ports"',
        ),
        (
            "1 boat, 2 piers, 3 ports, 4 lines, 5 crews, 6 yards, 7 docks.",
            (
                'an answer of 14 words, with "1 boat", "2 piers", "3 ports", "4 lines", "5 crews", "6 yards" '
                "and 1 more"
            ),
        ),
    ],
)
def test_an_answer_is_told_by_its_words_and_figures(answer: str | None, said: str) -> None:
    assert answered(Turn("Why?", answer=answer)) == said
    assert answered(Turn("Why?", answer=answer, verdict="unjudged", reason="yours to judge")) == said


def test_where_it_was_judged_the_reason_of_the_verdict_stands_behind() -> None:
    judged = Turn("Why?", answer="I do not know.", verdict="follow_up", reason="It is not known to her.")
    assert answered(judged) == "an answer of 4 words, without a figure; It is not known to her"


def profile(session: Session, agent: str) -> str:
    """What was added to the page that the session began with."""
    page = session.read(f"{agent}/presenter-profile.md")
    return page[page.find("\n## ") :] if "\n## " in page else ""


@pytest.mark.parametrize(("engine", "judged"), [("offline", ""), (SteadyEngine(), "; as told")])
def test_after_every_exchange_there_is_one_also_where_nothing_was_answered(
    home: Path, engine: str | SteadyEngine, judged: str
) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=engine) as session:
        for said in (None, "We shall see how it goes.", "It is 12 ports."):
            asked = session.ask()
            assert asked is not None
            session.answer(said)
            question = asked.turns[0].question
            assert f'## {asked.id}, at 0:00: how it was answered\n\n1. "{question}": ' in profile(
                session, asked.agent
            )
        pages = "".join(profile(session, agent) for agent in session.rehearsal.options.panel)
        assert pages.count("how it was answered") == 3
        assert "no answer was given." in pages
        assert f"an answer of 6 words, without a figure{judged}." in pages
        assert f'an answer of 4 words, with "12 ports"{judged}.' in pages
        assert all(word not in pages for word in ("evasive", "evaded", "well"))


def test_it_has_every_asking_and_the_wish_to_come_back(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine()) as session:
        first = session.ask("skeptic")
        assert first is not None
        session.answer("No.")
        session.park()
        page = profile(session, "skeptic")
    assert '\n1. "' in page
    assert '\n2. "Question x1 again?": no answer was given.\n' in page
    assert page.endswith("The presenter asked to come back to it.\n")
