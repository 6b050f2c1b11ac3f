"""Live speech: whatever the model does, the transcript goes on, and what it failed to do is shown.

Only the order of things is asserted, never how long they took.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import EngineError
from orchestrator.panel.engines.by_name import engine_named
from orchestrator.panel.engines.model.engine import ModelEngine
from orchestrator.panel.loop import live
from tests.helpers.claude_requests import engine_on
from tests.helpers.live_feeds import fed, quicken, until
from tests.helpers.messages_server import MessagesServer
from tests.helpers.server_faults import Fault

HANGS = Fault("hang")


@pytest.fixture
def quick(home: Path) -> Path:
    quicken(home)
    return home


def asked(server: MessagesServer, task: str = "candidate_question") -> Counter[str]:
    """How often each panelist was asked for this."""
    return Counter(taken.agent for taken in server.requests if taken.task == task)


def is_asked_again(server: MessagesServer, before: int) -> bool:
    """Whether the analyst was asked for a question more often than *before*."""
    return asked(server)["analyst"] > before


def engine_threads() -> set[threading.Thread]:
    """The threads in which engines make their calls."""
    return {thread for thread in threading.enumerate() if thread.name == "model"}


def hangs_on(server: MessagesServer, agent: str, words: str) -> bool:
    """Whether a call of *agent* hangs that has heard these words, so that no newer one takes its place."""
    return any(
        taken.fault == HANGS and taken.agent == agent and words in json.dumps(taken.body)
        for taken in server.requests
    )


def test_while_one_call_hangs_everything_else_goes_on(quick: Path, tmp_path: Path) -> None:
    before = engine_threads()
    hanging = {("skeptic", "candidate_question"): HANGS}  # from the first one on
    with MessagesServer(by_both=hanging) as server, engine_on(server) as engine:
        with fed(quick, tmp_path, engine) as feed:
            for number in range(1, 5):
                others, slide = asked(server)["analyst"], min(number, 2)
                feed.say(f"Point {number}: revenue grew eighteen percent.", slide=slide)
                feed.heard()
                assert feed.session.projection.slide == slide
                if number == 1:
                    until("the others' calls", partial(is_asked_again, server, others))
            until(
                "the others' questions",
                lambda: {feed.status("analyst"), feed.status("contrarian")} == {"ready"},
            )
            assert feed.status("skeptic") is None
            until(
                "a newer call",
                lambda: any("skeptic" in one.get("given_up", ()) for one in feed.values("refresh")),
            )
            assert not any("skeptic" in one.get("given_up", ()) for one in feed.values("refresh")[:1])
        assert len(engine_threads() - before) == 1  # it is the engine's, not the feed's
        dropped = [one["dropped"] for one in feed.values("refreshed") if "dropped" in one]
        assert dropped[-1] == "the feed was stopped"
    assert engine_threads() == before


def test_a_followed_file_goes_on_and_another_of_its_name_is_taken_from_its_beginning(
    home: Path, tmp_path: Path
) -> None:
    one, other = tmp_path / "one" / "talk.txt", tmp_path / "other" / "talk.txt"
    told: list[str] = []
    with Session.start(Home.open(home), deck_text="# Plan\n\n- Revenue grew 18%\n") as session:

        def follow(path: Path, *words: str) -> None:
            path.parent.mkdir(exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in words)
            session.listen(str(path), stop=lambda: said()[-1:] == [words[-1]], say=told.append)

        def said() -> list[str]:
            return [segment.text for segment in session.projection.segments]

        follow(one, "Good morning.", "We grew.")
        follow(one, "By much.")
        assert said() == ["Good morning.", "We grew.", "By much."]
        follow(other, "Another talk.", "About boats.")
        follow(one, "That is all.")
        assert said()[3:] == ["Another talk.", "About boats.", "That is all."]


def test_a_dead_model_is_shown_everywhere_and_so_is_its_return(quick: Path, tmp_path: Path) -> None:
    with (
        MessagesServer() as server,
        engine_on(server, retries=0) as engine,
        fed(quick, tmp_path, engine) as feed,
    ):
        feed.say("Revenue grew eighteen percent to 4.2 million euros.", slide=1)
        panel = feed.session.rehearsal.options.panel
        until("questions", lambda: {feed.status(agent) for agent in panel} == {"ready"})
        server.always = Fault("overloaded")
        feed.say("We are the leading ferry operator on the estuary.")
        until("stale questions", lambda: {feed.status(agent) for agent in panel} == {"stale"})
        why = "is busy or broken (529, overloaded); tried 1 times"
        until("the state", lambda: feed.state().count(why) == len(panel))
        assert all(why in one for one in feed.session.projection.failed.values())
        with pytest.raises(EngineError, match=r"nobody has a question that may be asked: .*529, overloaded"):
            feed.session.ask()
        tries = len(server.requests)
        until("further tries", lambda: len(server.requests) > tries + 6)  # though nothing new was said
        server.always = None
        until("questions again", lambda: {feed.status(agent) for agent in panel} == {"ready"})
        until("the state", lambda: "Not refreshed" not in feed.state())
        feed.heard()
    notes = [line for line in feed.told if line.startswith("note: ")]
    assert len([line for line in notes if "has no new question, and the last one is stale" in line]) == len(
        panel
    )
    assert len([line for line in notes if line.endswith("has questions again")]) == len(panel)


def test_what_comes_when_a_question_is_open_is_not_written(quick: Path, tmp_path: Path) -> None:
    with (
        MessagesServer() as server,
        engine_on(server) as engine,
        fed(quick, tmp_path, engine) as feed,
    ):
        feed.say("Revenue grew eighteen percent to 4.2 million euros.", slide=1)
        feed.heard()  # before a question is put, or it would be the answer
        until("questions", lambda: feed.status("analyst") == "ready")
        server.by_agent = {"skeptic": Fault("hang")}
        feed.say("The pilot has three routes.")
        feed.heard()
        until("a call that hangs", lambda: hangs_on(server, "skeptic", "The pilot has three routes."))
        server.by_agent = {}
        assert feed.session.ask("analyst") is not None
        until(  # on a busy machine others' calls were under way as well
            "the hanging call's end",
            lambda: "skeptic" in [one["agent"] for one in feed.values("refreshed") if one.get("dropped")],
        )
        feed.say("It is audited revenue for 2026, against EUR 3.6M in 2025.")
        until("the verdict", lambda: feed.session.projection.exchanges)
        assert feed.session.projection.exchanges[0].outcome == "satisfied"


def test_a_verdict_that_hangs_holds_up_nobody_and_is_no_praise(quick: Path, tmp_path: Path) -> None:
    with (
        MessagesServer(by_task={"judgement": HANGS}) as server,
        engine_on(server, retries=0) as engine,
        fed(quick, tmp_path, engine) as feed,
    ):
        feed.say("Revenue grew eighteen percent to 4.2 million euros.", slide=1)
        feed.heard()
        until("questions", lambda: feed.status("analyst") == "ready")
        assert feed.session.ask("analyst") is not None
        feed.say("It is audited revenue for 2026.")
        until("the judgement's call", lambda: asked(server, "judgement")["analyst"])
        others = asked(server)
        feed.say("And the pilot has three routes.", slide=1)  # where the others' questions stand
        feed.heard()
        until("the others' refresh", lambda: asked(server)["skeptic"] > others["skeptic"])
        assert feed.session.projection.open is not None
        server.let_go()
        (done,) = until("the end of it", lambda: feed.session.projection.exchanges)
        assert (done.outcome, done.turns[-1].verdict) == ("unjudged", "unjudged")
        assert "broke the connection off" in (done.turns[-1].reason or "")
        until("the state", lambda: "- Unjudged: x1: the engine gave no judgement" in feed.state())
        why = "; not judged: the engine gave no judgement"
        until("the word", lambda: any(why in line for line in feed.told))
        assert "- Not judged: the engine gave no judgement" in feed.session.read("analyst/exchange-notes.md")


def test_while_an_answer_lasts_the_state_moves_and_no_model_is_asked(quick: Path, tmp_path: Path) -> None:
    quicken(quick, answer_pause=200)
    with MessagesServer() as server, engine_on(server) as engine, fed(quick, tmp_path, engine) as feed:
        feed.say("Revenue grew eighteen percent to 4.2 million euros.", slide=1)
        feed.heard()
        until("questions", lambda: feed.status("analyst") == "ready")
        assert feed.session.ask("analyst") is not None
        until("the page of the question", lambda: "- State: answering" in feed.state())
        before = asked(server)
        feed.say("It is audited revenue", slide=2)
        feed.heard()
        shown = len(feed.values("state"))
        until("pages of the state", lambda: len(feed.values("state")) > shown + 3)
        assert "- State: answering\n- Slide: 2\n" in feed.state()
        assert asked(server) == before


def test_while_an_answer_lasts_candidates_that_cost_nothing_are_made_anew(
    quick: Path, tmp_path: Path
) -> None:
    quicken(quick, answer_pause=200)
    with fed(quick, tmp_path, engine_named("offline")) as feed:
        feed.say("Revenue grew eighteen percent to 4.2 million euros.", slide=1)
        feed.heard()
        until("questions", lambda: feed.status("analyst") == "ready")
        assert feed.session.ask("analyst") is not None
        rounds = len(feed.values("refresh"))
        feed.say("It is audited revenue", slide=2)
        until("rounds", lambda: len(feed.values("refresh")) > rounds + 3)
        until("the next question of who has asked", lambda: feed.status("analyst") == "ready")
        assert feed.session.projection.asking is not None


def test_a_look_for_contradictions_that_hangs_holds_up_nobody(quick: Path, tmp_path: Path) -> None:
    with (
        MessagesServer() as server,
        engine_on(server, retries=0) as engine,
        fed(quick, tmp_path, engine, exchanges=0) as feed,
    ):
        looks = len(feed.values("tensions"))  # that of the deck, at the start
        server.by_task = {"tensions": HANGS}
        feed.say("Revenue grew eighteen percent to 4.2 million euros.", slide=1)
        feed.say("The pilot has three routes.", slide=2)
        feed.heard()
        until("the look", lambda: [one for one in server.requests if one.fault == HANGS])
        feed.say("And the risks.", slide=3)
        feed.heard()
        assert feed.session.projection.slide == 3
        assert len(feed.values("tensions")) == looks
        server.by_task = {}
        server.let_go()
        found, *_ = until("its end", lambda: feed.values("tensions")[looks:])  # the next look follows at once
        assert "broke the connection off" in found["failed"]
        feed.say("The ask is next.", slide=4)
        feed.say("And that is all.", slide=1)
        until(  # all that was said since the start
            "the next look",
            lambda: [one for one in feed.values("tensions") if one["upto"] >= 4 and "failed" not in one],
        )


def test_an_end_elsewhere_ends_the_feed_while_calls_hang(quick: Path, tmp_path: Path) -> None:
    before = engine_threads()
    with (
        MessagesServer() as server,
        engine_on(server) as engine,
        fed(quick, tmp_path, engine) as feed,
    ):
        server.always = HANGS
        feed.say("Revenue grew eighteen percent.", slide=1)
        until("calls", lambda: len(asked(server)) == 3)
        feed.session.end(without_debrief=True)  # which would wait for the model's words
        feed.say("Nobody hears this.")
    with Session.open(None, feed.session.path) as ended:
        assert ended.state == "ended"
        assert ended.verify().valid
    assert engine_threads() == before


def test_a_question_parked_elsewhere_is_not_judged_here(quick: Path, tmp_path: Path) -> None:
    with (
        MessagesServer(by_task={"judgement": HANGS}) as server,
        engine_on(server) as engine,
        fed(quick, tmp_path, engine) as feed,
    ):
        feed.say("Revenue grew eighteen percent.", slide=1)
        feed.heard()
        until("questions", lambda: feed.status("analyst") == "ready")
        feed.session.ask("analyst")
        feed.say("It is audited.")
        until("the judgement's call", lambda: asked(server, "judgement")["analyst"])
        feed.session.park()
        (left_out,) = until("the record", lambda: feed.values("left_out"))
        assert (left_out["what"], left_out["exchange"]) == ("judgement", "x1")
        assert [one.outcome for one in feed.session.projection.exchanges] == ["parked"]


def test_an_answer_that_is_corrected_while_a_model_judges_it_is_judged_anew(
    quick: Path, tmp_path: Path
) -> None:
    with (
        MessagesServer(by_task={"judgement": HANGS}) as server,
        engine_on(server) as engine,
        fed(quick, tmp_path, engine) as feed,
    ):
        feed.say("Revenue grew eighteen percent.", slide=1)
        feed.heard()
        until("questions", lambda: feed.status("analyst") == "ready")
        feed.session.ask("analyst")
        feed.say("It is edited, EUR 4.2M for 2026.")
        until("the judgement's call", lambda: asked(server, "judgement")["analyst"])
        server.by_task = {}
        feed.session.correct(2, "It is audited, EUR 4.2M for 2026.")
        (done,) = until("the verdict", lambda: feed.session.projection.exchanges)
        assert (done.outcome, done.turns[0].answer) == ("satisfied", "It is audited, EUR 4.2M for 2026.")
        (left_out,) = feed.values("left_out")
        assert left_out["why"] == live.CORRECTED


def test_an_answer_that_a_stopped_feed_left_is_judged_by_the_next(quick: Path, tmp_path: Path) -> None:
    with MessagesServer() as server, engine_on(server) as engine:
        with fed(quick, tmp_path, engine) as feed:
            feed.say("Revenue grew eighteen percent.", slide=1)
            feed.heard()
            until("questions", lambda: feed.status("analyst") == "ready")
            server.by_task = {"judgement": HANGS}
            feed.session.ask("analyst")
            feed.say("It is audited, EUR 4.2M for 2026.")
            until("the judgement's call", lambda: asked(server, "judgement")["analyst"])
        assert feed.values("left_out")[-1]["why"] == "the feed was stopped"
        server.by_task = {}
        with Session.open(None, feed.session.path, engine=engine) as again:
            assert again.projection.open is not None
            told: list[str] = []
            again.listen(str(feed.speech), stop=lambda: bool(again.projection.exchanges), say=told.append)
            assert [one.outcome for one in again.projection.exchanges] == ["satisfied"]
            assert [line for line in told if line.startswith("x1: taken as the answer to ")]


def test_a_hand_that_nobody_can_vouch_for_goes_down(quick: Path, tmp_path: Path) -> None:
    quicken(quick, hand_raise_pause=600)  # nobody is called on
    with (
        MessagesServer() as server,
        engine_on(server, retries=0) as engine,
        fed(quick, tmp_path, engine, mode="hand-raise") as feed,
    ):
        feed.say("Revenue grew eighteen percent.", slide=1)
        panel = feed.session.rehearsal.options.panel
        until("hands", lambda: set(feed.session.projection.hands) == set(panel))
        server.by_agent = {"skeptic": Fault("refusal")}
        feed.say("The pilot has three routes.")
        until("one hand less", lambda: "skeptic" not in feed.session.projection.hands)
        until("the state", lambda: "- Not refreshed: " in feed.state())


def test_an_engine_can_be_told_not_to_wait(home: Path) -> None:
    """The engine that asks a model is one that can be asked without waiting; rules answer at once."""
    from orchestrator.panel.engines.model.engine import FallbackEngine
    from orchestrator.panel.engines.offline import OfflineEngine
    from orchestrator.panel.engines.protocol import SupportsFutures

    assert issubclass(ModelEngine, SupportsFutures)
    assert issubclass(FallbackEngine, SupportsFutures)
    assert not issubclass(OfflineEngine, SupportsFutures)
