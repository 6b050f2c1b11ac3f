"""Contradictions: proposed by an engine, verified by code, mended once, doubted once, and noted by all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pytest

from orchestrator.core.errors import EngineError
from orchestrator.material.checks.grounding import deck_passages
from orchestrator.material.claim import NOT_BOTH, Operand, Place, Proposal, Tension
from orchestrator.material.deck.read import read_deck_text
from orchestrator.material.values import Segment
from orchestrator.panel.engines.protocol import (
    DoubtRequest,
    JudgementRequest,
    Request,
    TensionsRequest,
)
from orchestrator.panel.home import Home
from orchestrator.panel.loop.contradictions import Looked, propose
from orchestrator.panel.model.exchange import Candidate, Judgement
from orchestrator.panel.records import exchanges
from orchestrator.rehearsal.session import Session
from tests.helpers.steady import SteadyEngine
from tests.helpers.stores import values_of

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")

DECK = """# Where we stand

- We serve 212 schools today
- Every school pays for itself

---
# In one line

- A service for 180 schools
- Small schools are paid for by the county
"""
PASSAGES = deck_passages(read_deck_text(DECK))
IDS = {one.text: one.id for one in PASSAGES}


def operand(text: str, number: str | None = None, value: float | None = None) -> Operand:
    return Operand(IDS[text], text, number, value, "count" if number else None)


COMPUTED = Proposal(
    "deck-vs-deck",
    "v0 == v1",
    (operand("We serve 212 schools today", "212", 212), operand("A service for 180 schools", "180", 180)),
    "schools served",
    "The same count is given twice.",
)
READ = Proposal(
    "deck-vs-deck",
    NOT_BOTH,
    (operand("Every school pays for itself"), operand("Small schools are paid for by the county")),
    "who pays",
    "Either every school pays, or some do not.",
)
MISREAD = Proposal(
    "deck-vs-deck",
    "v0 == v1",
    (operand("We serve 212 schools today", "212", 221), operand("A service for 180 schools", "180", 180)),
    "schools served",
    "The same count is given twice.",
)


class Reader(SteadyEngine):
    """Proposes what it is given, round by round, and finds the readings that it is given."""

    name = "reader"

    def __init__(
        self, *rounds: tuple[Proposal, ...] | str, doubts: tuple[str | None, ...] | str = ()
    ) -> None:
        super().__init__(())
        self.rounds = list(rounds)
        self.doubts = doubts
        self.asked: list[TensionsRequest | DoubtRequest] = []

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        if not isinstance(request, TensionsRequest | DoubtRequest):
            return super().reply(request, context)
        self.asked.append(request)
        said = self.doubts if isinstance(request, DoubtRequest) else self.rounds.pop(0) if self.rounds else ()
        if isinstance(said, str):
            raise EngineError(said)
        return cast(R, said)


def test_a_verified_proposal_that_nobody_can_reconcile_is_a_contradiction() -> None:
    reader = Reader((COMPUTED, READ), doubts=(None, None))
    looked = propose(reader, PASSAGES)
    assert [(one.class_, one.by, one.a.quote, one.b.quote) for one in looked.tensions] == [
        ("computed", "reader", "We serve 212 schools today", "A service for 180 schools"),
        ("read", "reader", "Every school pays for itself", "Small schools are paid for by the county"),
    ]
    assert (looked.proposed, looked.refused, looked.failed) == (2, {}, None)


def test_what_is_misread_goes_back_once_with_the_reason() -> None:
    reader = Reader((MISREAD,), (COMPUTED,), doubts=(None,))
    looked = propose(reader, PASSAGES)
    assert [one.a.quote for one in looked.tensions] == ["We serve 212 schools today"]
    assert (looked.proposed, looked.refused) == (1, {})
    first, second, _ = reader.asked
    assert isinstance(first, TensionsRequest)
    assert isinstance(second, TensionsRequest)
    assert first.refused == ()
    assert [(one.reason, one.proposal) for one in second.refused] == [("value", MISREAD)]


@pytest.mark.parametrize("again", [(), (MISREAD,), (MISREAD, COMPUTED), "no reply"])
def test_what_is_not_mended_is_dropped_and_counted_by_reason(again: tuple[Proposal, ...] | str) -> None:
    """No more can come of a repair than was refused: it mends, and proposes nothing new."""
    looked = propose(Reader((MISREAD,), again), PASSAGES)
    failed = again if isinstance(again, str) else None
    assert looked == Looked((), 1, {"value": 1}, failed)


@pytest.mark.parametrize(
    ("doubts", "kept", "failed"),
    [
        (("212 are served, 180 were planned", None), ["read"], None),
        ((None, "the county pays what schools pay back"), ["computed"], None),
        (("one", "two"), [], None),
        ((None,), ["computed"], None),  # nobody looked at the second
        ("no reply", [], "no reply"),
    ],
)
def test_a_reading_under_which_both_hold_drops_a_finding(
    doubts: tuple[str | None, ...] | str, kept: list[str], failed: str | None
) -> None:
    looked = propose(Reader((COMPUTED, READ), doubts=doubts), PASSAGES)
    assert [one.class_ for one in looked.tensions] == kept
    assert looked.refused == {"reading": 2 - len(kept)}
    assert looked.failed == failed


def test_what_is_known_is_not_found_again_and_not_asked_back() -> None:
    (known,) = propose(Reader((COMPUTED,), doubts=(None,)), PASSAGES).tensions
    reader = Reader((COMPUTED,), (READ,))
    assert propose(reader, PASSAGES, known=(known,)) == Looked((), 1, {"known": 1})
    assert len(reader.asked) == 1


def test_an_engine_that_fails_finds_nothing_and_it_is_said() -> None:
    assert propose(Reader("no reply"), PASSAGES) == Looked(failed="no reply")


# ---------------------------------------------------------------------- in a session


def started(home: Path, engine: SteadyEngine) -> Session:
    return Session.start(Home.open(home), deck_text=DECK, engine=engine)


def looks(session: Session) -> list[Mapping[str, Any]]:
    return values_of(session.rehearsal.store, exchanges.Looked.TYPE)


def say(session: Session, text: str, at_s: float = 1.0) -> None:
    session.add_segment(Segment(text, at_s, at_s + 5, "Ines", 1))


def look(session: Session) -> bool:
    from orchestrator.panel.loop.contradiction_looks import look_if_due

    return look_if_due(session.rehearsal)


def test_the_decks_own_are_found_before_the_focus_briefs_which_show_them(home: Path) -> None:
    with started(home, Reader((COMPUTED, READ), doubts=(None, None))) as session:
        (record,) = looks(session)
        assert (record["asked"], record["by"], record["proposed"], record["upto"]) == (
            "start",
            "reader",
            2,
            0,
        )
        assert [one.class_ for one in session.projection.tensions] == ["computed", "read"]
        brief = session.read("skeptic/focus-brief.md")
        assert '## Where the deck contradicts itself\n\n- slide 1, "We serve 212 schools today"' in brief
        assert "## To ask about: both places stand, and no figure decides between them\n\n- slide 1" in brief
        with Session.open(None, session.path) as again:
            assert again.projection.tensions == session.projection.tensions


def test_what_is_found_in_words_that_are_corrected_meanwhile_is_looked_for_anew(home: Path) -> None:
    from orchestrator.panel.loop import contradiction_looks

    with started(home, Reader()) as session:
        say(session, "We serve 190 schools at the moment.")
        session.slide(2)
        begun = contradiction_looks.due(session.rehearsal)
        assert begun is not None
        session.correct(1, "We serve 212 schools at the moment.")
        contradiction_looks.take(session.rehearsal, begun, Looked())
        assert [one["asked"] for one in looks(session)] == ["start"]
        assert look(session)
        assert [one["asked"] for one in looks(session)] == ["start", "slide"]


def test_speech_is_looked_through_at_the_next_slide_and_all_panelists_note_it(home: Path) -> None:
    reader = Reader()
    with started(home, reader) as session:
        say(session, "We serve 190 schools at the moment.")
        assert not look(session)  # not in the middle of a slide
        session.slide(2)
        said = Operand("s1", "We serve 190 schools", "190", 190, "count")
        reader.rounds = [
            (Proposal("speech-vs-deck", "v0 == v1", (COMPUTED.operands[0], said), "schools", "-"),)
        ]
        reader.doubts = (None,)
        assert look(session)
        request = cast(TensionsRequest, reader.asked[-2])
        assert request.new == {"s1"}
        assert {one.id for one in request.passages} == {*IDS.values(), "s1"}
        assert [value["asked"] for value in looks(session)] == ["start", "slide"]
        for agent in session.rehearsal.options.panel:
            assert '"We serve 190 schools' in session.read(f"{agent}/exchange-notes.md")
        assert not look(session)
        session.slide(1)
        assert not look(session)  # nothing new was said


def test_a_look_that_failed_is_made_up_for_by_the_next(home: Path) -> None:
    reader = Reader("no reply")
    with started(home, reader) as session:
        say(session, "We serve 190 schools at the moment.")
        session.slide(2)
        assert look(session)
        request = cast(TensionsRequest, reader.asked[-1])
        assert request.new == frozenset()  # all of it: the deck was not looked at either
        assert [value.get("failed") for value in looks(session)] == ["no reply", None]


def test_what_is_said_off_the_record_or_by_others_goes_to_nobody(home: Path) -> None:
    reader = Reader()
    with started(home, reader) as session:
        say(session, "We serve 190 schools at the moment, and that is growing.")
        say(session, "Off the record: the county leaves us in May.", 10.0)
        say(session, "Nobody knows.", 20.0)
        say(session, "Back on the record: it is a good year.", 30.0)
        session.add_segment(Segment("How many pupils is that?", 40.0, 42.0, "Host", 1))
        session.slide(2)
        assert look(session)
        request = cast(TensionsRequest, reader.asked[-1])
        assert request.new == {"s1", "s4"}
        assert not any("county leaves" in one.text or "Nobody" in one.text for one in request.passages)


def test_without_a_model_nobody_is_asked(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK) as session:
        say(session, "We serve 190 schools at the moment.")
        session.slide(2)
        assert not look(session)
        assert looks(session) == []


class Suspicious(Reader):
    """Every answer contradicts the first line of the deck, in words that stand there, or do not."""

    quote = "We serve 212 schools today"

    def _reply(self, request: Any) -> Any:
        if isinstance(request, JudgementRequest):
            said = request.scene.segments[-1]
            other = Place(None, said.start_s, "only 100 schools")
            return Judgement(
                "satisfied",
                "-",
                contradicts=Tension("speech-vs-deck", Place(1, None, self.quote), other, "-"),
            )
        return super()._reply(request)


@pytest.mark.parametrize(
    ("quote", "found"), [("We serve 212 schools today", ["read"]), ("We serve 500 schools today", [])]
)
def test_what_a_verdict_suspects_is_verified_before_it_counts(
    home: Path, quote: str, found: list[str]
) -> None:
    engine = Suspicious(doubts=(None,))
    engine.quote, engine.ready = quote, ("skeptic",)
    with started(home, engine) as session:
        assert session.ask() is not None
        session.answer("It is only 100 schools.")
        assert session.projection.tensions == []
        assert look(session)
        assert [one.class_ for one in session.projection.tensions] == found
        assert session.projection.suspected == []


def test_a_contradiction_is_asked_about_before_every_other_question(home: Path) -> None:
    class Both(SteadyEngine):
        def _candidate(self, request: Any) -> Candidate:
            agent = request.seat.persona.id
            beside = Place(2, None, "A service for 180 schools") if agent == "contrarian" else None
            weight = 0.1 if beside else 0.9
            quote = "We serve 212 schools today"
            return Candidate(agent, f"{agent}?", None, 1, None, quote, True, (), weight, "", "", beside)

    with started(home, Both()) as session:
        exchange = session.ask()
        assert exchange is not None
        assert (exchange.agent, exchange.beside) == (
            "contrarian",
            Place(2, None, "A service for 180 schools"),
        )
        told = session.read("moderator/session-state.md")
        assert (
            '- About: slide 1: "We serve 212 schools today"\n- About: slide 2: "A service for 180 schools"'
            in told
        )
