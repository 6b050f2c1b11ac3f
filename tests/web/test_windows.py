"""What a room's windows ask the server for: a dark screen, and how the words were said."""

from __future__ import annotations

from starlette.testclient import TestClient


def test_a_dark_screen_is_shown_and_not_recorded(api: TestClient, session: str) -> None:
    before = api.get(f"/api/v1/sessions/{session}/room").json()
    assert not before["is_blank"]
    assert api.put(f"/api/v1/sessions/{session}/blank", json={"is_blank": True}).json() == {"is_blank": True}
    dark = api.get(f"/api/v1/sessions/{session}/room").json()
    assert dark == {**before, "is_blank": True}
    api.put(f"/api/v1/sessions/{session}/blank", json={"is_blank": False})
    assert api.get(f"/api/v1/sessions/{session}/room").json() == before
    assert api.put("/api/v1/sessions/nobody/blank", json={"is_blank": True}).status_code == 404


def test_fillers_are_counted_while_one_speaks(api: TestClient, session: str) -> None:
    address = f"/api/v1/sessions/{session}/delivery"
    assert api.get(address).json() == {
        "words": 0,
        "words_per_minute": None,
        "fillers": {},
        "is_recognised": False,
    }
    words = "Um, we carried more people, and, um, we will carry more again, you know, in the spring."
    api.post(f"/api/v1/sessions/{session}/segments", json={"text": words})
    told = api.get(address).json()
    assert told["words"] == 17
    assert told["fillers"] == {"um": 2, "you know": 1}
    for at_s in range(0, 60, 10):  # typed: only their beginning is known
        api.post(f"/api/v1/sessions/{session}/segments", json={"text": words, "start_s": at_s})
    assert api.get(address).json()["words_per_minute"] is None
    api.post(f"/api/v1/sessions/{session}/segments", json={"text": words, "start_s": 60, "end_s": 94})
    assert api.get(address).json()["words_per_minute"] == 30


def test_the_plan_shares_the_minutes_among_the_slides(api: TestClient, session: str) -> None:
    view = api.get(f"/api/v1/sessions/{session}/room").json()
    assert len(view["plan"]) == len(view["slides"])
    assert abs(sum(view["plan"]) - view["minutes"] * 60) < 0.1
    assert min(view["plan"]) > 0


def test_a_windows_page_of_an_ended_session_is_its_debrief(api: TestClient, session: str) -> None:
    for window in ("audience", "presenter"):
        assert api.get(f"/room/{session}/{window}").status_code == 200
        assert api.get(f"/room/nobody/{window}").status_code == 404
    api.post(f"/api/v1/sessions/{session}/end", json={"without_debrief": True})
    for window in ("audience", "presenter"):
        answer = api.get(f"/room/{session}/{window}", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/debrief/{session}")
