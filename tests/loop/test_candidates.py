"""What a panelist is told when it is asked for its question, and what becomes of one that it keeps."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from orchestrator.core.errors import EngineError, UsageError
from orchestrator.material.claim import Place, Tension
from orchestrator.material.deck.read import read_deck_text
from orchestrator.panel.answers import Answer
from orchestrator.panel.engines.model.situation import candidate
from orchestrator.panel.engines.model.tasks import task_text
from orchestrator.panel.engines.protocol import (
    CandidateRequest,
    FocusBriefRequest,
    Request,
    Scene,
)
from orchestrator.panel.home import Home
from orchestrator.panel.loop import asking
from orchestrator.panel.loop.answers import give_verdict
from orchestrator.panel.loop.calling_on import Choice
from orchestrator.panel.loop.panelist import whose
from orchestrator.panel.loop.recorded import Loading
from orchestrator.panel.loop.refreshing import (
    ASKED,
    UNSAID,
    Asked,
    begin,
    refresh,
    take,
)
from orchestrator.panel.loop.rehearsal import read_seats
from orchestrator.panel.model.exchange import (
    Candidate,
    Exchange,
    Judgement,
    Target,
    Turn,
)
from orchestrator.panel.records.start import FocusBriefWritten
from orchestrator.rehearsal.session import Session
from tests.helpers.steady import SteadyEngine, recording
from tests.helpers.stores import fields_of, values_of

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")

DECK = """# Where we stand

- Revenue grew 18% to EUR 4.2M in 2026
- Nobody else runs ferries here

---
# The ask

- We ask for EUR 1.8M
"""
LINES = {
    "skeptic": (1, "Revenue grew 18% to EUR 4.2M in 2026"),
    "analyst": (1, "Nobody else runs ferries here"),
    "contrarian": (2, "We ask for EUR 1.8M"),
}


class Model(SteadyEngine):
    """An engine that is asked as a model is: each panelist asks about its line, and keeps what it has."""

    name = "model"

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[CandidateRequest] = []
        self.fails_at: type[Any] | None = None

    def begin(self, request: Request[R], context: Context | None, on_text: Any = None) -> Future[R]:
        future: Future[R] = Future()
        try:
            future.set_result(self.reply(request, context))
        except EngineError as error:
            future.set_exception(error)
        return future

    def _reply(self, request: Any) -> Any:
        if self.fails_at is not None and isinstance(request, self.fails_at):
            raise EngineError("out of order")
        return super()._reply(request)

    def _candidate(self, request: CandidateRequest) -> Candidate | None:
        self.asked.append(request)
        if request.current is not None:
            return request.current
        slide, quote = LINES[request.seat.persona.id]
        if quote in request.taken_lines:
            return None
        question = f"Why {quote}?"
        return Candidate(
            request.seat.persona.id,
            question,
            None,
            slide,
            None,
            quote,
            True,
            (),
            0.5,
            "",
            "",
            good_answer="a",
        )


@pytest.fixture
def engine() -> Model:
    return Model()


def started(home: Path, engine: Model, **options: Any) -> Session:
    return Session.start(Home.open(home), deck_text=DECK, engine=engine, **options)


def last_of(engine: Model, agent: str) -> CandidateRequest:
    return [one for one in engine.asked if one.seat.persona.id == agent][-1]


def soon_forgotten(session: Session) -> None:
    """So much time passes that everybody is asked again at the next round, whatever stands."""
    later_s = session.rehearsal.elapsed_s() + 250.0
    session.rehearsal.elapsed_s = lambda: later_s


def test_it_is_told_what_stands_what_was_asked_and_how_much_is_left(home: Path, engine: Model) -> None:
    with started(home, engine, exchanges=4, minutes=10) as session:
        session.slide(1)
        session.rehearsal.playing_s = 60.0
        assert session.ask("skeptic") is not None
        session.answer("It is audited.")
        session.rehearsal.playing_s = 90.0
        refresh(session.rehearsal, "break")
        first, last = engine.asked[0], last_of(engine, "analyst")
        assert (first.standing, first.asked, first.taken_lines, first.occasion) == (
            (),
            (),
            frozenset(),
            "pause",
        )
        assert (first.exchanges_left, first.minutes_left, first.may_look_ahead) == (4, 9.0, False)
        assert last.occasion == "break"
        assert last.asked == ("Why Revenue grew 18% to EUR 4.2M in 2026?",)
        assert [one.agent for one in last.standing] == ["contrarian"]
        assert last.taken_lines == {LINES["skeptic"][1], LINES["contrarian"][1]}
        assert last.current is not None
        assert last.current.quote == LINES["analyst"][1]
        assert (last.exchanges_left, last.minutes_left) == (3, 8.5)
        assert last_of(engine, "skeptic").current is None  # what it asked is no question of its own any more


TWICE = Tension(
    "deck-vs-deck", Place(1, None, "Revenue grew 18%"), Place(2, None, "We ask for EUR 1.8M"), "Not both."
)


def test_a_contradiction_is_one_panelists_to_ask_and_then_asked(home: Path, engine: Model) -> None:
    with started(home, engine) as session:
        projection, panel = session.projection, session.rehearsal.options.panel
        projection.found.append(TWICE)
        projection.targets.clear()
        refresh(session.rehearsal, "break")
        assert {one.whose for one in engine.asked} == {(panel[0],)}  # nobody has asked: who is seated first
        told = {one.seat.persona.id: candidate(one)["tensions"] for one in engine.asked}
        assert {agent: [one["whose"] for one in seen] for agent, seen in told.items()} == {
            agent: ["yours" if agent == panel[0] else "another's"] for agent in panel
        }
        slide, quote = LINES["contrarian"]
        projection.targets["contrarian"] = (Target(None, slide, None, quote, "a", "b"),)
        assert whose(projection, panel, [TWICE]) == ["contrarian"]  # its focus brief has a line of the slide
        kept = projection.waiting["analyst"]
        pair = replace(kept.candidate, slide=1, quote=TWICE.a.quote, beside=TWICE.b)
        projection.waiting["analyst"] = replace(kept, candidate=pair)
        assert whose(projection, panel, [TWICE, TWICE]) == ["analyst", "analyst"]  # its question stands
        assert session.ask("analyst") is not None
        assert whose(projection, panel, [TWICE]) == ["x1"]
        asked = candidate(last_request(session, "skeptic"))["tensions"]
        assert asked == [{"note": "Not both.", "whose": "asked in x1"}]


def test_a_contradiction_that_a_verdict_named_and_pressed_is_nobody_elses(home: Path, engine: Model) -> None:
    with started(home, engine) as session:
        projection, panel = session.projection, session.rehearsal.options.panel
        projection.found.append(TWICE)
        session.ask("skeptic", question="Who says so?", quote=LINES["skeptic"][1])
        session.take_answer("Our ledger.")
        named = replace(TWICE, class_="read", by="model")
        judgement = Judgement("follow_up", "It cannot be.", follow_up="Which of the two?", contradicts=named)
        give_verdict(session.rehearsal, judgement)
        assert whose(projection, panel, [TWICE]) == ["x1"]
        elsewhere = replace(TWICE, b=Place(1, None, "Churn is 4%"))
        assert whose(projection, panel, [elsewhere])[0] in panel


def test_a_contradiction_with_a_slide_to_come_is_nobodys_to_ask_yet(home: Path, engine: Model) -> None:
    with started(home, engine) as session:
        session.projection.found.append(TWICE)
        refresh(session.rehearsal, "break")
        request = engine.asked[0]
        scene = replace(request.scene, slide=1, segments=())
        shown = replace(request, scene=scene, may_look_ahead=False)
        assert "tensions" not in candidate(shown)
        (told,) = candidate(replace(shown, may_look_ahead=True))["tensions"]
        assert told["places"] == [
            {"slide": 1, "quote": "Revenue grew 18%"},
            {"slide": 2, "quote": "We ask for EUR 1.8M"},
        ]


def last_request(session: Session, agent: str) -> CandidateRequest:
    """What the panelist would be asked now."""
    session.answer("It is audited.")
    refresh(session.rehearsal, "break")
    engine = session.rehearsal.engine
    assert isinstance(engine, Model)
    return last_of(engine, agent)


def test_the_line_of_speech_that_was_asked_about_is_taken(home: Path) -> None:
    asked = Exchange("x1", "analyst", None, 1, 4.0, "It grew", True, "", 5.0, (Turn("Why?"),))
    shown = replace(asked, id="x2", said_at_s=None, quote="Revenue grew 18%")
    lines = frozenset({"It grew", "Revenue grew 18%"})
    scene = Scene(read_deck_text(DECK), (), (), (), (asked, shown), 1, 9.0, "moderate", ())
    seats = read_seats(Home.open(home).read_templates(Home.open(home).layout(None)), ("skeptic",))
    assert candidate(CandidateRequest(seats["skeptic"], scene, taken_lines=lines))["taken_lines"] == [
        "It grew"
    ]


def test_a_question_that_is_kept_stays_alive_and_the_round_says_since_when(home: Path, engine: Model) -> None:
    with started(home, engine) as session:
        store, written = session.rehearsal.store, []
        for at_s in (10.0, 95.0, 130.0):
            session.rehearsal.playing_s = at_s
            refresh(session.rehearsal, "break")
            written.append(store.state("analyst/candidate-question.md").revisions)
        assert len(engine.asked) == 3  # once each: nothing has come that bears on what they have
        told = session.read("analyst/candidate-question.md")
        assert told.startswith("# Candidate question of Priya Sharma\n\nStatus: ready\nMade at: 0:10, ")
        assert written == [1, 1, 1]
        assert session.projection.waiting["analyst"].confirmed_at_s == 130.0
        session.rehearsal.playing_s = 185.0
        exchange = session.ask("analyst")
        assert exchange is not None
        assert (exchange.quote, exchange.good_answer) == (LINES["analyst"][1], "a")


def test_who_has_a_question_is_not_asked_again_before_something_bears_on_it(
    home: Path, engine: Model
) -> None:
    def asked_now() -> list[str]:
        before = len(engine.asked)
        refresh(session.rehearsal, "break")
        return [one.seat.persona.id for one in engine.asked[before:]]

    with started(home, engine) as session:
        everybody = list(session.rehearsal.options.panel)
        assert asked_now() == everybody
        assert asked_now() == []
        session.slide(2)
        session.rehearsal.playing_s = 500.0  # older than any question may grow that no round looks at
        assert asked_now() == []
        assert session.ask("skeptic") is not None
        session.answer("")  # nobody has learnt anything from this exchange
        assert asked_now() == ["skeptic"]  # who has nothing left to ask, and may think of something
        assert session.ask("skeptic", question="When is it?", quote=LINES["contrarian"][1]) is not None
        session.answer("In May.")  # an answer on the slide that the contrarian asks about, on its line
        assert asked_now() == ["contrarian", "skeptic"]
        assert asked_now() == ["contrarian", "skeptic"]
        session.projection.found.append(TWICE)
        assert asked_now() == ["analyst", "contrarian", "skeptic"]  # it is the analyst's to ask
        assert whose(session.projection, everybody, [TWICE]) == ["analyst"]


def test_a_question_that_stands_is_looked_at_again_before_the_cache_forgets_what_it_rests_on(
    home: Path, engine: Model
) -> None:
    def asked_at(now_s: float) -> list[str]:
        before = len(engine.asked)
        session.rehearsal.elapsed_s = lambda: now_s
        refresh(session.rehearsal, "break")
        return [one.seat.persona.id for one in engine.asked[before:]]

    with started(home, engine) as session:
        everybody = list(session.rehearsal.options.panel)
        assert asked_at(1000.0) == everybody
        assert asked_at(1100.0) == []
        assert asked_at(1200.0) == everybody  # a round as far off as the last one comes too late
        assert asked_at(1415.0) == everybody  # also one after the shortest gap: 300 s are over then
        assert asked_at(1720.0) == []  # they are over already, so that there is nothing to keep


def test_a_question_that_comes_again_when_it_was_put_meanwhile_is_dropped(
    home: Path, engine: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    with started(home, engine) as session:
        refresh(session.rehearsal, "break")
        soon_forgotten(session)
        calls: dict[str, Future[Candidate]] = {}

        def call(request: CandidateRequest, context: Context, on_text: Any = None) -> Future[Candidate]:
            return calls.setdefault(request.seat.persona.id, Future())

        monkeypatch.setattr(engine, "begin", call)
        running: dict[str, Asked] = {}
        begin(session.rehearsal, "slide", running)
        assert running.keys() == set(session.rehearsal.options.panel)
        put = session.projection.waiting["skeptic"].candidate
        assert asking.open_exchange(session.rehearsal, Choice("skeptic", put, "in the meantime")).id == "x1"
        calls["skeptic"].set_result(put)
        take(session.rehearsal, running["skeptic"])
        store = session.rehearsal.store
        assert fields_of(store.record(store.seq))["dropped"] == ASKED
        assert "\nStatus: empty\n" in session.read("skeptic/candidate-question.md")


@pytest.mark.parametrize("how", ["corrected", "taken back"])
def test_a_question_made_of_words_that_were_not_said_is_dropped(
    home: Path, engine: Model, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    with started(home, engine) as session:
        session.ask("skeptic", question="How much is it?")
        session.answer("Four million.")
        calls: dict[str, Future[Candidate | None]] = {}

        def call(
            request: CandidateRequest, context: Context, on_text: Any = None
        ) -> Future[Candidate | None]:
            return calls.setdefault(request.seat.persona.id, Future())

        monkeypatch.setattr(engine, "begin", call)
        running: dict[str, Asked] = {}
        begin(session.rehearsal, "slide", running)
        if how == "corrected":
            session.correct(1, "Five million.")
        else:
            session.answer_back()
            session.park()
        calls["analyst"].set_result(None)
        take(session.rehearsal, running["analyst"])
        store = session.rehearsal.store
        assert fields_of(store.record(store.seq))["dropped"] == UNSAID


def test_no_file_says_ready_of_what_may_not_be_asked_when_a_model_reads_it(home: Path, engine: Model) -> None:
    with started(home, engine) as session:
        refresh(session.rehearsal, "break")
        session.rehearsal.playing_s = 100.0
        soon_forgotten(session)
        engine.fails_at = CandidateRequest
        refresh(session.rehearsal, "break")
        assert "Status: stale" in session.read("analyst/candidate-question.md")
        engine.fails_at = None
        shown: list[str] = []
        reply = engine.reply

        def watched(request: Request[R], context: Context | None = None) -> R:
            shown.append(session.read("analyst/candidate-question.md").splitlines()[2])
            return reply(request, context)

        engine.reply = watched  # type: ignore[method-assign]
        refresh(session.rehearsal, "break")
        assert set(shown) == {"Status: stale"}
        assert "Status: ready" in session.read("analyst/candidate-question.md")


def test_of_two_on_one_line_only_the_one_seated_later_is_told_of_the_other(
    home: Path, engine: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    for agent in LINES:
        monkeypatch.setitem(LINES, agent, LINES["skeptic"])
    with started(home, engine) as session:
        refresh(session.rehearsal, "break")
        soon_forgotten(session)
        refresh(session.rehearsal, "break")
        told = {one.seat.persona.id: [other.agent for other in one.standing] for one in engine.asked[3:]}
        assert told == {"analyst": [], "contrarian": ["analyst"], "skeptic": ["analyst", "contrarian"]}


def test_at_the_end_later_slides_may_be_asked_about(home: Path, engine: Model) -> None:
    talk = recording((0, 20, None, 1), (20, 40, None, 1))
    loading = Loading(talk, "run", (Answer("Yes."),) * 3)
    with started(home, engine, loading=loading, exchanges=3) as session:
        assert session.play()
        assert {one.occasion for one in engine.asked} == {"end"}
        assert all(one.may_look_ahead for one in engine.asked)
        assert [one.agent for one in session.projection.exchanges] == ["analyst", "contrarian", "skeptic"]


def test_where_the_engine_fails_the_offline_one_writes_the_focus_briefs(home: Path, engine: Model) -> None:
    engine.fails_at = FocusBriefRequest
    with started(home, engine) as session:
        briefs = values_of(session.rehearsal.store, FocusBriefWritten.TYPE)
        assert [(one["failed"], one["by"]) for one in briefs] == [("out of order", "offline")] * 3
        assert any(session.projection.targets.values())


def test_no_line_is_two_panelists_target(home: Path) -> None:
    class Aiming(Model):
        taken: list[frozenset[str]] = []  # noqa: RUF012 (of this one test)

        def _reply(self, request: Any) -> Any:
            if isinstance(request, FocusBriefRequest):
                self.taken.append(request.taken)
                slide, quote = LINES[request.seat.persona.id]
                return (Target(None, slide, None, quote, "-", "-"),)
            return super()._reply(request)

    engine = Aiming()
    with started(home, engine) as session:
        assert [len(one) for one in engine.taken] == [0, 1, 2]
        assert "## 1. Slide 1\n\n> " in session.read("analyst/focus-brief.md")


def test_the_board_and_the_kind_of_deck_reach_every_request(
    home: Path, engine: Model, tmp_path: Path
) -> None:
    board = tmp_path / "board.yaml"
    board.write_text("- name: Ruth Alvarez\n  role: treasurer\n", "utf-8")
    with started(home, engine, board=board, kind="request") as session:
        scene = session.rehearsal.scene()
        assert [one.name for one in scene.members] == ["Ruth Alvarez"]
        assert scene.board_is_filed
        assert session.read("shared/session-config.md").endswith(
            """
## The board

The real board, as the presenter describes it (data): [{"name": "Ruth Alvarez", "role": "treasurer"}]

Kind of deck, as the presenter says: "request for money".
"""
        )
        assert scene.kind == "request for money"
        with Session.open(None, session.path, engine=engine) as again:
            refresh(again.rehearsal, "break")
            assert engine.asked[-1].scene.members == scene.members
            assert engine.asked[-1].scene.kind == "request for money"
    with pytest.raises(UsageError, match="there is no kind of deck 'opera': use one of "):
        started(home, engine, kind="opera")


def test_a_task_names_the_board_where_the_sessions_configuration_does_not(home: Path, engine: Model) -> None:
    with started(home, engine, id="new") as session:
        refresh(session.rehearsal, "break")
    blueprint = home / "session-templates" / "shared" / "session-config.md"
    own = blueprint.read_text("utf-8").replace("{{ board }}", "Ask the treasurer.")
    blueprint.write_text(own, "utf-8")
    with started(home, engine, id="own") as session:
        refresh(session.rehearsal, "break")
    told = [task_text(engine.asked[place]).splitlines()[1] for place in (0, -1)]
    assert told == [
        "All 2 slides have been shown.",
        "Nobody has named the real board: think of the one that this deck is for.",
    ]
