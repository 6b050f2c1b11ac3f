"""Bodies have bounds, an answer stands or is refused, and an end can be asked again."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from orchestrator.core.errors import SessionBusyError
from orchestrator.material.speech.stream import LiveSegment
from orchestrator.panel.debrief.request import ask_for_debrief
from orchestrator.panel.home import Home
from orchestrator.panel.loop import answers
from orchestrator.panel.model.exchange import Judgement
from orchestrator.rehearsal.session import Session
from orchestrator.web.api.room import MAX_PIECES
from orchestrator.web.security import MAX_BODY_BYTES, MAX_BYTES, MAX_TEXT_BYTES, max_bytes
from orchestrator.web.site import Site
from tests.helpers.rehearsals import DECK, greenroom_json

JSON = {"content-type": "application/json"}


def test_a_body_over_the_bound_of_its_address_is_refused_with_or_without_its_length(
    api: TestClient, session: str
) -> None:
    for path, most in (("segments", MAX_BYTES), ("answer", MAX_BYTES), ("files/x.md", MAX_TEXT_BYTES)):
        at, body = f"/api/v1/sessions/{session}/{path}", b"[" * (most + 1)
        for content in (body, iter([body[: most // 2], body[most // 2 :]])):
            answer = api.post(at, content=content, headers=JSON)
            told = f"the body is larger than this address takes ({most:,} bytes): send it in parts"
            assert (answer.status_code, answer.json()["detail"]) == (413, told)


def test_only_files_may_be_large(api: TestClient) -> None:
    paths = api.get("/api/v1/openapi.json").json()["paths"]
    large = {path for path, one in paths.items() if max_bytes(path) == MAX_BODY_BYTES and "post" in one}
    assert large == {
        path
        for path, one in paths.items()
        if "multipart/form-data" in one.get("post", {}).get("requestBody", {}).get("content", {})
    }


def test_a_list_of_speech_has_a_bound_and_is_looked_at_before_any_of_it_is_taken(
    api: TestClient, session: str
) -> None:
    at = f"/api/v1/sessions/{session}/segments"
    for pieces in (
        [{"text": "One."}] * (MAX_PIECES + 1),
        [{"text": "One."}, {"text": "Two.", "slide": 99}],
        [{"text": "One."}, {"text": ""}],
    ):
        assert api.post(at, json=pieces).status_code == 422
    assert api.get(f"/api/v1/sessions/{session}/room").json()["captions"] == []


def test_a_list_of_speech_stops_when_its_client_has_left(
    api: TestClient, site: Site, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []

    async def has_left(request: object) -> bool:
        looks.append(1)
        return len(looks) == 2

    monkeypatch.setattr("starlette.requests.Request.is_disconnected", has_left)
    api.post(f"/api/v1/sessions/{session}/segments", json=[{"text": f"{one}."} for one in range(9)])
    assert [one.text for one in site.sessions.get(session).projection.segments] == ["0.", "1."]


def elsewhere(home: Path, how: str) -> None:
    """What another process does to the open question while an answer to it is judged."""
    with Session.open(Home.open(home), "s1") as other:
        match how:
            case "judged":
                other.judge("satisfied", reason="it is plain")
            case "asked on":
                other.judge("follow_up", reason="it is half", follow_up="And the rest?")
            case "parked":
                other.park()
            case "put anew":
                other.park()
                other.ask("analyst", question="And the cost?")
            case "ended":
                other.end()


@pytest.mark.parametrize("moment", ["before it is judged", "while it is judged"])
@pytest.mark.parametrize("how", ["judged", "asked on", "parked", "put anew", "ended"])
def test_an_answer_that_stands_in_the_transcript_is_not_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch, how: str, moment: str
) -> None:
    with Session.start(Home.open(home), deck_text=DECK, id="s1") as session:
        session.ask("skeptic", question="What is it made of?")
        name = "begin_judging" if moment == "while it is judged" else "judge"
        own = getattr(answers, name)

        def overtaken(*given: Any) -> Any:
            if name == "judge":
                elsewhere(home, how)
                return own(*given)
            begun = own(*given)
            elsewhere(home, how)
            return begun

        monkeypatch.setattr(answers, name, overtaken)
        came = session.answer("Of freight and of rent.")
        monkeypatch.undo()
        verdicts = {"judged": "satisfied", "asked on": "follow_up"}
        assert came.verdict == verdicts.get(how, "unjudged")
        projection = session.projection
        assert [one.text for one in projection.segments] == ["Of freight and of rent."]
        last = projection.asked[-1].turns[-1]
        if how in ("asked on", "put anew"):  # the question that came meanwhile waits for its own answer
            assert (last.answer, last.verdict) == (None, None)
        assert session.verify().valid


def test_a_verdict_that_is_refused_leaves_no_answer(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Session.start(Home.open(home), deck_text=DECK, id="s1") as session:
        session.ask("skeptic", question="What is it made of?")
        session.hear(LiveSegment("Of freight and of rent."))
        before = session.rehearsal.store.catch_up()
        with monkeypatch.context() as patched:
            patched.setattr("orchestrator.panel.loop.panelist.add_noted", lambda *given: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                session.judge("satisfied", reason="it is plain")
        assert session.rehearsal.store.catch_up() == before
        assert session.judge("satisfied", reason="it is plain").outcome == "satisfied"


def test_an_end_that_is_asked_again_gives_what_the_first_gave(
    api: TestClient, site: Site, session: str
) -> None:
    at = f"/api/v1/sessions/{session}/end"
    first = api.post(at, json={})
    assert first.status_code == 200
    assert first.json()["archive"] is not None
    assert api.post(at, json={}).json() == first.json()
    assert api.post(at, json={"without_debrief": True}).json() == first.json()
    site.sessions.forget(session)  # as after a restart
    assert api.post(at, json={}).json() == first.json()
    with Session.open(site.own, session) as found:
        assert found.end() == first.json()["ledger_head"]
    told = greenroom_json(site.own.root, "end", session)
    assert {key: told[key] for key in first.json()} == first.json()


@pytest.mark.parametrize("where", ["ask_for_debrief", "freeze", "seal", "archive_as_set"])
def test_an_end_that_was_cut_short_goes_on_when_it_is_asked_again(
    api: TestClient, site: Site, session: str, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    at = f"/api/v1/sessions/{session}/end"
    module = "orchestrator.core.archive.freeze" if where == "seal" else "orchestrator.rehearsal.ending"
    with monkeypatch.context() as patched:
        patched.setattr(f"{module}.{where}", lambda *given, **named: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            api.post(at, json={})
    first = api.post(at, json={})
    assert (first.status_code, first.json()["state"]) == (200, "ended")
    assert first.json()["archive"] is not None
    assert api.post(at, json={}).json() == first.json()
    assert api.get(f"/api/v1/sessions/{session}/verify").json()["valid"]


def test_of_ends_that_come_at_once_all_get_the_same_and_one_that_waits_too_long_is_told_so(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_ending, may_end = threading.Event(), threading.Event()

    def slow(*given: Any) -> None:
        is_ending.set()
        may_end.wait()
        ask_for_debrief(*given)

    monkeypatch.setattr("orchestrator.rehearsal.ending.ask_for_debrief", slow)
    with Session.start(Home.open(home), deck_text=DECK, id="s1") as session, ThreadPoolExecutor(3) as pool:
        first = pool.submit(session.end)
        is_ending.wait()
        with Session.open(Home.open(home), "s1") as other:
            other.rehearsal.store.timeout_s = 0.0
            with pytest.raises(SessionBusyError, match="it is being ended by another"):
                other.end()
            other.rehearsal.store.timeout_s = 300.0
            rest = [pool.submit(other.end), pool.submit(session.end)]
            may_end.set()
            assert {one.result() for one in [first, *rest]} == {session.ledger_head}
        assert session.verify().valid


def test_what_became_of_an_answer_is_a_judgement(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, id="s1") as session:
        session.ask("skeptic", question="What is it made of?")
        parked = session.answer("Let us come back to that question later.")
        assert isinstance(parked, Judgement)
        assert parked.verdict == "unjudged"
