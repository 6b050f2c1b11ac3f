"""Whose words are judged: typed or spoken, words without a name are the presenter's, and so are answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.material.values import Segment
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.debrief.build import debrief_of
from orchestrator.panel.debrief.rubric import talk_of
from orchestrator.panel.engines.offline.memory import facts
from orchestrator.panel.engines.protocol import FactsRequest
from orchestrator.panel.model.reply import ANSWER, SPEECH, Passage
from tests.helpers.steady import DECK, SteadyEngine

TALK = "Good morning. Churn fell to 4% in May."
ANSWERED = "The fund holds 19 million, which our auditors counted in May, and it holds them in cash."


@pytest.fixture(params=[1.0, 60.0], ids=["mostly answers", "mostly talk"])
def session(home: Path, request: pytest.FixtureRequest) -> Iterator[Session]:
    """One in which the presenter typed a talk and an answer."""
    with Session.start(
        Home.open(home), deck_text=DECK, engine=SteadyEngine(), presenter="Mira", date="2026-11-27"
    ) as made:
        made.slide(1)
        made.add_segment(Segment(TALK, 0.0, request.param))
        made.ask("skeptic")
        made.answer(ANSWERED)
        yield made


def test_a_typed_talk_is_the_presenters_beside_answers_under_a_name(session: Session) -> None:
    debrief, scene = debrief_of(session.rehearsal), session.rehearsal.scene()
    told = debrief.delivery
    assert [one.quote for one in talk_of(scene)] == [TALK]
    assert (told.words, told.others_s, told.talk_share) == (25, 0.0, 1.0)
    assert [claim.text for claim in scene.speech_claims] == ["Churn fell to 4% in May"]
    assert phrasing.who(debrief) == "Presenter: Mira. The speech names no speakers. Date: 2026-11-27."


def test_another_voice_is_one_that_has_a_name(session: Session) -> None:
    session.add_segment(Segment("We have heard that before.", 60.0, 60.5, "Ines"))
    told = debrief_of(session.rehearsal).delivery
    assert (told.words, told.others_s) == (25, 0.5)


def test_who_speaks_at_length_under_a_question_is_not_the_presenter_for_that(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine()) as made:
        made.slide(1)
        made.add_segment(Segment(TALK, 0.0, 9.0, "Mira"))
        made.ask("skeptic")
        made.add_segment(Segment("May I say something to that at some length.", 9.0, 90.0, "Tom"))
        made.answer(ANSWERED)
        debrief = debrief_of(made.rehearsal)
    assert (debrief.speaker, debrief.delivery.words, debrief.delivery.others_s) == ("Mira", 25, 81.0)


def test_a_label_that_is_the_presenters_name_is_the_presenter_however_long_others_speak(home: Path) -> None:
    with Session.start(
        Home.open(home), deck_text=DECK, engine=SteadyEngine(), presenter="Mira  Falk"
    ) as made:
        made.slide(1)
        made.add_segment(Segment("Let me introduce our speaker of today.", 0.0, 90.0, "Tom"))
        made.add_segment(Segment(TALK, 90.0, 99.0, "mira falk"))
        debrief = debrief_of(made.rehearsal)
    assert (debrief.speaker, debrief.delivery.words, debrief.delivery.others_s) == ("mira falk", 8, 90.0)


def test_claims_under_a_name_and_without_one_stand_in_the_order_spoken(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, engine=SteadyEngine(), speaker="Mira") as made:
        made.slide(1)
        for number, speaker in enumerate((None, "Mira", "Ines", None)):
            words = f"Churn fell to 4{number}% in May."
            made.add_segment(Segment(words, number * 9.0, number * 9.0 + 9, speaker))
        claims = [claim.text for claim in made.rehearsal.scene().speech_claims]
    assert claims == [f"Churn fell to {percent}% in May" for percent in (40, 41, 43)]


def test_facts_are_taken_from_the_presenters_words_whatever_name_an_answer_has() -> None:
    def passage(seq: int, kind: str, speaker: str | None) -> Passage:
        return Passage(seq, kind, f"We carry {seq}0 percent of them.", "2026-11-26", speaker=speaker)

    passages = (passage(1, SPEECH, None), passage(2, SPEECH, "Ines"), passage(3, ANSWER, "Mira"))
    drafts = facts(FactsRequest(passages))
    assert [one.content for one in drafts] == ["We carry 10 percent of them.", "We carry 30 percent of them."]
