"""The presenter's control over what is remembered, over HTTP as at the terminal."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from orchestrator.memory.database import NAME, MemoryDatabase
from orchestrator.memory.model import Memory
from orchestrator.memory.presenter import set_consent
from orchestrator.web.site import Site
from tests.helpers.commands import Commands
from tests.helpers.memories import INES, NOW, keep


@pytest.fixture
def kept(site: Site) -> Memory:
    """Ines agreed, and one thing is remembered."""
    with MemoryDatabase.open(site.own.root) as db:
        set_consent(db, INES, True, NOW)
        return keep(db, "Churn is quoted per month.", source="s1/9", tags=("churn",))


def test_looking_makes_no_database(api: TestClient, site: Site) -> None:
    assert api.get("/api/v1/memories").json() == {"memories": []}
    assert api.get("/api/v1/goals").json() == {"goals": []}
    assert api.get("/api/v1/memories/m1").status_code == 404
    assert not (site.own.root / NAME).exists()


def test_an_address_answers_as_the_command_does(
    api: TestClient, site: Site, kept: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    greenroom = Commands(site.own.root, capsys)
    assert api.get("/api/v1/memories").json() == greenroom.json("memory", "list")
    assert api.get(f"/api/v1/memories/{kept.id}").json() == greenroom.json("memory", "show", kept.id)
    assert api.get("/api/v1/remembered").json() == greenroom.json("memory", "show")
    assert api.post("/api/v1/goals", json={"text": "Say the unit."}).json() == greenroom.json("goal", "list")


def test_a_memory_is_changed_and_forgotten(api: TestClient, kept: Memory) -> None:
    address = f"/api/v1/memories/{kept.id}"
    (changed,) = api.patch(address, json={"content": "Churn is quoted per quarter."}).json()["memories"]
    assert changed == api.get(address).json()["memories"][0]
    assert (changed["content"], changed["tags"]) == ("Churn is quoted per quarter.", ["churn"])
    assert api.delete(address).json()["forgotten"] == [kept.id]
    assert api.get(address).status_code == 404


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 422),
        ({"confidence": 0.1}, 422),
        ({"content": "x" * 201}, 422),
        ({"content": "Ask ines@example.org about it."}, 422),
        ({"id": "m2"}, 422),
    ],
)
def test_what_may_not_be_kept_is_refused(
    api: TestClient, kept: Memory, change: dict[str, object], status: int
) -> None:
    assert api.patch(f"/api/v1/memories/{kept.id}", json=change).status_code == status
    assert api.get(f"/api/v1/memories/{kept.id}").json()["memories"][0]["content"] == kept.content


def test_everything_about_a_presenter_goes_at_once(api: TestClient, kept: Memory) -> None:
    assert api.delete("/api/v1/memories").status_code == 422
    assert kept.id in api.delete("/api/v1/memories", params={"presenter": INES}).json()["forgotten"]
    assert api.get("/api/v1/remembered").json()["memories"] == []


def test_goals_are_added_reached_and_dropped(api: TestClient, kept: Memory) -> None:
    (added,) = api.post("/api/v1/goals", json={"text": "Say the unit.", "presenter": INES}).json()["goals"]
    (reached,) = api.post(f"/api/v1/goals/{added['id']}/done").json()["goals"]
    assert (added["state"], reached["state"]) == ("open", "done")
    assert api.delete(f"/api/v1/goals/{added['id']}").json() == {"goals": []}
    assert api.delete(f"/api/v1/goals/{added['id']}").status_code == 404


def test_a_page_is_written_anew_and_consent_withdrawn(api: TestClient, kept: Memory) -> None:
    (page,) = api.put("/api/v1/scratchpads/skeptic", json={"content": "Ask for units."}).json()["scratchpads"]
    assert (page["presenter"], page["content"]) == (INES, "Ask for units.")
    assert api.put("/api/v1/scratchpads/nobody", json={"content": "x"}).status_code == 422
    said = api.put("/api/v1/consent", json={"presenter": INES, "consented": False}).json()
    assert said == {"presenter": INES, "consented": False, "kept": 1}


def test_a_briefing_tells_only_of_somebody_who_agreed(api: TestClient, kept: Memory) -> None:
    api.post("/api/v1/goals", json={"text": "Say the unit."})
    told = api.get("/api/v1/briefing/skeptic", params={"presenter": INES}).json()
    assert "Say the unit." in told["text"]
    assert api.get("/api/v1/briefing/skeptic", params={"presenter": "Omar"}).json()["text"] == ""
    assert api.get("/api/v1/briefing/skeptic").status_code == 422
    assert api.get("/api/v1/briefing/nobody", params={"presenter": INES}).status_code == 422


@pytest.mark.own_memory
def test_over_http_start_and_end_say_it(site: Site, api: TestClient) -> None:
    (site.own.root / NAME).mkdir()
    begun = api.post(
        "/api/v1/sessions", json={"sample": True, "id": "s1", "presenter": INES, "remember": True}
    ).json()
    assert [one for one in begun["notices"] if one.startswith("memory: ")] == [
        f"memory: {site.own.root / NAME}: is no file: move it aside, and a new one is made"
    ]
    ended = api.post("/api/v1/sessions/s1/end", json={}).json()
    assert ended["state"] == "ended"
    assert all(f"{site.own.root / NAME}: is no file" in one for one in ended["warnings"])
    assert ended["warnings"]
    refused = api.get("/api/v1/memories")
    assert (refused.status_code, refused.json()["code"]) == (500, "memory_database")
