"""Turns over HTTP: words by when they were begun, keys, an empty room, and the first slide."""

from __future__ import annotations

import re
import time
from threading import Thread
from typing import Any

import pytest
from fastapi.testclient import TestClient

from orchestrator.core.packaged import PACKAGE
from orchestrator.material.values import LiveSegment
from orchestrator.panel.loop import turns
from orchestrator.panel.records.moderator import NOBODY_THERE
from orchestrator.web import drives, presence
from orchestrator.web.site import Site
from tests.helpers.live_feeds import until


def room(api: TestClient, session: str) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"/api/v1/sessions/{session}/room").json()
    return found


def post(api: TestClient, session: str, what: str, **body: Any) -> dict[str, Any]:
    done = api.post(f"/api/v1/sessions/{session}/{what}", json=body)
    assert done.status_code < 300, done.text
    found: dict[str, Any] = done.json() if done.content else {}
    return found


@pytest.fixture
def asked(api: TestClient, session: str) -> dict[str, Any]:
    """The room of a session that is driven, with a question put to whom has spoken."""
    post(api, session, "drive")
    post(api, session, "segments", text="Revenue grew eighteen percent to 4.2 million euros.")
    until("a clock that moved", lambda: room(api, session)["now_s"] > 0.3)
    view = post(api, session, "ask")
    assert view["question"] is not None
    assert view["turn"]["phase"] == "asked"
    return view


def test_words_on_their_way_are_the_talks_and_the_question_stays(
    api: TestClient, session: str, asked: dict[str, Any]
) -> None:
    put_s = asked["question"]["at_s"]
    post(api, session, "segments", text="and that is what carried us through the year as a whole,")  # untimed
    post(api, session, "segments", text="as I said.", start_s=put_s - 0.2, end_s=put_s + 1)
    view = post(api, session, "answer", text="so much for revenue", start_s=max(0.0, put_s - 0.1))
    assert (view["turn"]["phase"], view["question"]["is_judged"]) == ("asked", True)
    assert api.post(f"/api/v1/sessions/{session}/answer/done").status_code == 409
    view = post(api, session, "answer", text="It is audited.", start_s=put_s + 0.1)
    closed, open_ = view["closed"], view["question"]
    assert closed or open_["turn"] == 2
    assert view["turn"]["back"] == asked["question"]["exchange"]


def test_done_and_back_over_http(api: TestClient, session: str, asked: dict[str, Any]) -> None:
    exchange = asked["question"]["exchange"]
    post(api, session, "segments", text="It is audited.", start_s=room(api, session)["now_s"])
    until("the answer", lambda: room(api, session)["turn"]["phase"] == "answering")
    post(api, session, "answer/done")
    view = post(api, session, "answer/back")
    assert (view["question"]["exchange"], view["question"]["turn"]) == (exchange, 1)
    assert view["turn"] | {"waits": None} == {
        "phase": "asked", "ends_in_s": None, "held": None, "back": None, "waits": None, "stopped": None
    }  # fmt: skip
    assert "It is audited." not in [one["text"] for one in view["captions"]]
    assert api.post(f"/api/v1/sessions/{session}/answer/back").status_code == 409


def test_that_was_my_talk_over_http(api: TestClient, session: str, site: Site, asked: dict[str, Any]) -> None:
    exchange = asked["question"]["exchange"]
    post(api, session, "segments", text="And so to the next year.", start_s=room(api, session)["now_s"])
    view = post(api, session, "answer/talk")
    assert (view["question"], view["turn"]["phase"], view["turn"]["back"]) == (None, "talk", None)
    assert view["captions"][-1]["text"] == "And so to the next year."
    until("what it waits for", lambda: room(api, session)["turn"]["waits"] == "pause")
    assert api.post(f"/api/v1/sessions/{session}/answer/talk").status_code == 409
    post(api, session, "segments", text="We plan for ten.", start_s=room(api, session)["now_s"])
    until("the question again", lambda: room(api, session)["question"])
    view = room(api, session)
    assert (view["question"]["exchange"], view["turn"]["phase"]) == (exchange, "asked")
    assert site.sessions.get(session).verify().valid


KEYS = ["answer/done", "answer", "park", "answer/back"]


@pytest.mark.parametrize("key", KEYS)
def test_a_sentence_under_way_at_a_key_is_of_the_answer_and_what_is_begun_later_is_not(
    api: TestClient, session: str, site: Site, asked: dict[str, Any], key: str
) -> None:
    found = site.sessions.get(session)
    begun_s = found.rehearsal.now_s()
    site.drives.hears(session)
    site.partials[session] = "Four"  # it is being spoken

    def goes_on() -> None:
        until("the key", lambda: key == "answer/back" or found.projection.ends_at_s is not None)
        time.sleep(0.3)
        later_s = found.rehearsal.now_s() - 0.1
        found.hear(LiveSegment("Now, the next slide.", later_s))  # by another microphone, or typed
        found.hear(LiveSegment("Four percent.", begun_s))
        site.partials[session] = ""

    speaking = Thread(target=goes_on)
    speaking.start()
    post(api, session, key, **({"text": "And it is audited."} if key == "answer" else {}))
    speaking.join()
    turn = found.projection.asked[0].turns[0]
    heard = [one.text for one in found.projection.heard]
    withdrawn = [found.projection.segments[number - 1].text for number in sorted(found.projection.withdrawn)]
    assert (turn.answer, heard, withdrawn) == {
        "answer/done": ("Four percent.", [], []),
        "answer": ("Four percent. And it is audited.", [], []),
        "park": ("Four percent.", [], []),
        "answer/back": (None, ["Now, the next slide."], ["Four percent."]),
    }[key]
    assert found.verify().valid


def test_silence_counts_down_and_any_word_stops_it(
    api: TestClient, session: str, asked: dict[str, Any]
) -> None:
    post(api, session, "segments", text="It is audited.", start_s=room(api, session)["now_s"])

    def left_s() -> Any:
        return room(api, session)["turn"]["ends_in_s"]

    assert left_s() is None
    until("the countdown", left_s)
    view = room(api, session)
    assert (view["turn"]["phase"], view["question"]["is_judged"]) == ("pausing", True)
    assert 0 < view["turn"]["ends_in_s"] <= 5
    post(api, session, "speaking")
    until("its end", lambda: left_s() is None)
    assert room(api, session)["turn"]["phase"] == "answering"
    until("the silence", lambda: (room(api, session)["turn"]["back"] and room(api, session)["closed"])
          or (room(api, session)["question"] or {}).get("turn") == 2)  # fmt: skip


def test_a_microphone_that_is_pulled_out_in_mid_sentence_does_not_speak_for_ever(
    api: TestClient, session: str, site: Site, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drives, "SPOKEN_S", 1.0)
    post(api, session, "segments", text="It is audited.", start_s=room(api, session)["now_s"])
    site.drives.hears(session)
    site.partials[session] = "And four"
    until("the countdown", lambda: room(api, session)["turn"]["ends_in_s"])
    post(api, session, "answer/done")
    assert site.sessions.get(session).projection.asked[0].turns[0].answer == "It is audited."


def test_an_answer_that_was_ended_and_not_judged_is_judged_where_the_key_is_sent_again(
    api: TestClient, session: str, site: Site, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    post(api, session, "segments", text="It is audited.", start_s=room(api, session)["now_s"])
    at, header = f"/api/v1/sessions/{session}/answer/done", {"Idempotency-Key": "done"}
    with monkeypatch.context() as patched:
        patched.setattr("orchestrator.panel.loop.answers.judge", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):  # the server is cut off
            api.post(at, headers=header)
    assert room(api, session)["turn"]["phase"] == "judging"
    again = api.post(at, headers=header)
    assert (again.status_code, again.json()["turn"]["phase"] == "judging") == (200, False)
    assert site.sessions.get(session).projection.asked[0].turns[0].verdict is not None


def test_refusals_say_which_question_in_a_field_and_in_no_words_of_the_room(
    api: TestClient, session: str, asked: dict[str, Any]
) -> None:
    verdict = {"verdict": "satisfied", "reason": "It is."}
    refused = {
        path: api.post(f"/api/v1/sessions/{session}/{path}", json=body).json()
        for path, body in (
            ("answer/done", None), ("verdict", verdict), ("ask", {}), ("questions", {})
        )
    }  # fmt: skip
    nothing = (
        "nothing was said to this question yet: what was begun before it was put is part of the talk; "
        "answer it, or come back to it later"
    )
    assert {path: (told["detail"], told["value"]) for path, told in refused.items()} == {
        "answer/done": (nothing, "x1"),
        "verdict": ("nothing was answered yet: take the answer first", "x1"),
        "ask": ("a question is still open: answer it or park it first", "x1"),
        "questions": ("a question is open: answer it first, or park it", "x1"),
    }


def test_words_in_doubt_hold_the_answer(
    api: TestClient, session: str, site: Site, asked: dict[str, Any]
) -> None:
    found = site.sessions.get(session)
    found.hear(LiveSegment("I can't believe that.", room(api, session)["now_s"], doubt="repetition"))
    view = room(api, session)
    assert "may not be what you said" in view["turn"]["held"]
    time.sleep(0.5)
    assert room(api, session)["turn"]["ends_in_s"] is None


def test_words_of_which_a_recogniser_elsewhere_is_not_sure_are_held(
    api: TestClient, session: str, site: Site, asked: dict[str, Any]
) -> None:
    for text, told in (
        ("The weather of the bean is in the house.", {"confidence": 0.3}),
        ("I can't believe that, I can't believe that, I can't believe that.", {"confidence": 0.9}),
        ("Yes.", {"confidence": 0.45}),
        ("No, no, no, no, no.", {}),
    ):
        post(api, session, "segments", text=text, **told)
    doubts = [one.doubt for one in site.sessions.get(session).projection.segments[1:]]
    assert doubts == ["confidence", "repetition", None, None]
    assert "may not be what you said" in room(api, session)["turn"]["held"]


def test_questions_now_wait_for_nothing(api: TestClient, session: str) -> None:
    post(api, session, "drive")
    post(api, session, "segments", text="Revenue grew eighteen percent to 4.2 million euros, and")
    post(api, session, "questions")
    until("a question", lambda: room(api, session)["question"])
    own = api.post(f"/api/v1/sessions/{session}/questions", json={"agent": "skeptic"})
    assert own.status_code == 422  # one's own needs its words as well


def test_the_first_slide_is_shown_from_the_beginning(api: TestClient, session: str, site: Site) -> None:
    post(api, session, "drive")
    assert room(api, session)["slide"] == 1
    assert site.sessions.get(session).projection.slides[0].at_s == 0.0


def test_the_clock_stops_in_an_empty_room_and_says_so(
    api: TestClient, session: str, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "WORDS_S", 0.3)
    monkeypatch.setattr(presence, "GRACE_S", 0.3)
    found = site.sessions.get(session)
    with site.presence.here(session):
        post(api, session, "drive")
        time.sleep(1.0)
        assert site.drives.is_driving(session)  # a page is open
    until("the stop", lambda: not site.drives.is_driving(session))
    assert found.projection.why_stopped == NOBODY_THERE
    stopped = room(api, session)["turn"]["stopped"]
    assert stopped.startswith("No page of this room was open, so the clock has stood since 0:0")
    with site.presence.here(session):  # whoever opens the page decides when it goes on
        api.put(f"/api/v1/sessions/{session}/slide", json={"slide": 2})
        assert not site.drives.is_driving(session)
        assert room(api, session)["turn"]["stopped"] == stopped
    post(api, session, "segments", text="A client without a page speaks on.")
    assert site.drives.is_driving(session)
    assert room(api, session)["turn"]["stopped"] is None
    post(api, session, "pause")
    post(api, session, "segments", text="And once more.")  # somebody stopped it: it stands
    assert not site.drives.is_driving(session)


def test_what_holds_an_answer_names_the_button_as_it_reads() -> None:
    page = (PACKAGE / "web" / "html" / "room.html").read_text("utf-8")
    (label,) = re.findall(r'id="done"[^>]*>([^<]+)<', page)
    assert turns.HELD.endswith(f"then press “{label}”.")
