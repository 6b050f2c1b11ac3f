"""A drill: one question of an earlier session is put again, in a session of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import InputError, UsageError
from orchestrator.material.claim import Place
from orchestrator.material.values import Segment
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.debrief.json_form import as_json
from orchestrator.panel.debrief.page import as_markdown
from orchestrator.panel.engines.protocol import JudgementRequest
from orchestrator.panel.loop.plan import MINUTES, put_again
from orchestrator.panel.model.carryover import Drilled
from orchestrator.panel.model.exchange import Judgement
from tests.helpers.ferries import DECK, QUESTION, QUOTE
from tests.helpers.steady import SteadyEngine


@pytest.fixture
def ended(home: Path, tmp_path: Path) -> Iterator[Session]:
    """A session that has ended, with a question about a slide and one about what was said."""
    deck = tmp_path / "ferries.md"
    deck.write_text(DECK)
    with Session.start(
        Home.open(home), deck, id="s1", presenter="Ines", intensity="adversarial", minutes=30
    ) as session:
        session.add_segment(Segment("We carried twelve people more.", 0, 4, "Ines"))
        session.ask("analyst", question=QUESTION, quote=QUOTE)
        session.answer("I will tell you later.")
        while session.projection.open is not None:
            session.answer("From six, in March.")
        session.ask("skeptic", question="Who counted them?", quote="twelve people")
        session.answer("The harbour master.")
        while session.projection.open is not None:
            session.answer("The harbour master.")
        session.end()
        yield session


def test_the_same_question_is_open_on_the_same_deck(ended: Session) -> None:
    with ended.drill("x1") as drill:
        now, before = drill.projection.open, ended.projection.exchanges[0]
        assert now is not None
        assert (now.agent, now.quote, now.slide, now.grounded) == ("analyst", QUOTE, 1, True)
        assert (now.turns[0].question, now.turns[0].needs) == (QUESTION, before.turns[0].needs)
        assert drill.projection.slide == 1
        assert drill.projection.deck == ended.projection.deck
        assert drill.path.parent == ended.path.parent
        (kept,) = (drill.path / "source").iterdir()
        assert kept.read_bytes() == DECK.encode()


def test_it_keeps_of_which_question_it_is_a_drill(ended: Session) -> None:
    assert ended.rehearsal.drilled is None
    with ended.drill("x2") as drill:
        drill.answer("The harbour master.")
        while drill.projection.open is not None:
            drill.answer("The harbour master.")
        drill.end()
        (drilled,) = drill.projection.exchanges
    with Session.open(ended.home, drill.id) as again:
        assert again.rehearsal.drilled == Drilled("s1", "x2", ended.projection.exchanges[1])
        assert again.verify().valid
        with again.drill("x1") as third:  # of a drill: the question as it was put there
            assert third.rehearsal.drilled == Drilled(drill.id, "x1", drilled)


def test_it_is_the_only_question_and_nothing_is_remembered(ended: Session) -> None:
    with ended.drill("x1") as drill:
        mine, theirs = drill.rehearsal.options, ended.rehearsal.options
        assert (mine.exchanges, mine.minutes, mine.remember) == (1, MINUTES, False)
        assert (mine.panel, mine.presenter, mine.engine) == (theirs.panel, "Ines", "offline")
        assert (mine.intensity, mine.mode, mine.layout) == ("adversarial", theirs.mode, theirs.layout)
        while drill.projection.open is not None:
            drill.answer("It fell from six to four.")
        assert drill.rehearsal.state().is_full
        drill.end()
        assert drill.verify().valid
        assert len(drill.debrief().reviews) == 1
    assert ended.verify().valid


def test_words_that_were_said_are_said_with_the_question(ended: Session) -> None:
    with ended.drill("x2") as drill:
        now = drill.projection.open
        assert now is not None
        assert now.turns[0].question == "You said “twelve people”. Who counted them?"
        assert (now.quote, now.slide, now.said_at_s, now.grounded) == (None, None, None, False)


def test_of_a_contradiction_with_a_slide_the_slide_stands_above(ended: Session, home: Path) -> None:
    said = Place(1, 2.0, "twelve people")
    earlier = replace(ended.projection.exchanges[0], beside=said)
    with Session.start(Home.open(home), deck_text=DECK, id="s2") as drill:
        now = put_again(drill.rehearsal, earlier)
        assert (now.quote, now.beside) == (QUOTE, None)
        assert now.turns[0].question == f"You said “twelve people”. {QUESTION}"
    swapped = replace(
        earlier, quote=said.quote, said_at_s=2.0, beside=Place(1, None, QUOTE), claim="not of this deck"
    )
    with Session.start(Home.open(home), deck_text=DECK, id="s3") as drill:
        now = put_again(drill.rehearsal, swapped)
        assert (now.quote, now.slide, now.claim) == (QUOTE, 1, None)


def test_without_a_kept_file_the_deck_is_as_it_was_read(home: Path) -> None:
    at = Home.open(home)
    with Session.start(at, deck_text=DECK, id="s1") as session:
        session.ask("analyst", question=QUESTION, quote=QUOTE)
        with session.drill("x1") as drill:  # also while its session goes on
            assert drill.projection.deck == session.projection.deck
            assert not (drill.path / "source").exists()
            assert drill.rehearsal.options.presenter == session.rehearsal.options.presenter


def test_what_was_dismissed_stays_dismissed(ended: Session) -> None:
    with ended.drill("x1") as drill:
        assert [one.id for one in drill.contradictions] == ["c1"]
    ended.dismiss("c1")
    with ended.drill("x1") as drill:
        assert drill.contradictions == ()


def test_a_question_that_there_is_not_is_refused_and_nothing_is_begun(ended: Session) -> None:
    with pytest.raises(InputError, match=r"^there is no question 'x9': there are x1, x2$"):
        ended.drill("x9")
    assert [one.name for one in ended.path.parent.iterdir() if one.is_dir() and one.name[0] != "."] == ["s1"]


def test_outside_of_a_home_there_is_no_drill(ended: Session) -> None:
    with Session.open(None, ended.path) as alone, pytest.raises(UsageError, match="held in a home"):
        alone.drill("x1")


CLOSED: Final = "nothing is left open; before it was since when"


class Strict(SteadyEngine):
    """A good answer is one that names a month; a satisfied panelist leaves open what was not said."""

    def _reply(self, request: Any) -> Any:
        if isinstance(request, JudgementRequest):
            answer = request.exchange.turns[-1].answer or ""
            open_ = () if "July" in answer else ("since when",)
            verdict = "satisfied" if "2" in answer else "follow_up"
            return Judgement(
                verdict, "as told", "2" if "2" in answer else None, still_open=open_, follow_up="And?"
            )
        return super()._reply(request)


@pytest.mark.parametrize(
    ("before", "now", "better"),
    [
        (["Many."] * 3, ["12, since July."], ("answered, where it was not answered before", CLOSED)),
        (["Many.", "12."], ["12."], ("answered at the first asking, where it was asked twice before",)),
        (["12."], ["12, since July."], (CLOSED,)),
        (["12."], ["12."], ()),
        (["12, since July."], ["Many."] * 3, ()),  # nothing is better
    ],
)
def test_the_debrief_of_a_drill_shows_the_answer_of_before_and_what_became_better(
    home: Path, before: list[str], now: list[str], better: tuple[str, ...]
) -> None:
    options: dict[str, Any] = {"deck_text": DECK, "engine": Strict(), "presenter": "Ines"}
    with (
        Session.start(Home.open(home), **options) as first,
        Session.start(Home.open(home), **options) as drill,
    ):
        first.ask("skeptic", question="How many boats?")
        for answer in before:
            first.answer(answer)
        (done,) = first.projection.exchanges
        drill.rehearsal.drilled = Drilled(first.id, done.id, done)
        put_again(drill.rehearsal, done)
        for answer in now:
            drill.answer(answer)
        page = drill.debrief()
    (one,) = page.reviews
    came = phrasing.outcome(done) + (f", {often}" if (often := phrasing.times_asked(done)) else "")
    assert (one.before, phrasing.before(one)) == (done, f'"{before[-1]}" ({came})')
    assert phrasing.better_than_before(one) == better
    lines = [line for line in as_markdown(page).splitlines() if line.startswith(("- Before", "- Better"))]
    assert lines == [f'- Before: "{before[-1]}" ({came})', *(f"- Better now: {one}" for one in better)]
    (told,) = as_json(page)["reviews"]
    assert (told["before"]["turns"][-1]["answer"], told["better_than_before"]) == (before[-1], list(better))


def test_what_was_off_the_record_comes_into_no_drill(ended: Session, home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, presenter="Ines") as session:
        session.ask("analyst", question=QUESTION)
        session.answer("Off the record, the boats are sold.")
        while session.projection.open is not None:
            session.answer(None)
        with session.drill("x1") as drill:
            drilled = drill.rehearsal.drilled
            assert drilled is not None
            assert drilled.before is not None
            assert drilled.before.turns[0].answer == "[off the record]"
            assert "sold" not in (drill.path / "ledger" / "ledger.jsonl").read_text("utf-8")
