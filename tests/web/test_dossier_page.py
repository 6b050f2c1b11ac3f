"""The dossier to prepare with: made in the background, ticked and answered, and what is left is rehearsed."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from typing import Any

import pytest
from starlette.testclient import TestClient

from orchestrator.core.errors import HomeError
from orchestrator.panel.dossier.prepared import (
    Preparation,
    keep_prepared,
    prepare,
    read_prepared,
)
from orchestrator.web.site import Site


def ready(api: TestClient, address: str) -> dict[str, Any]:
    """The dossier once it is ready; without a model that takes well under a second."""
    for _ in range(200):
        standing: dict[str, Any] = api.get(address).json()
        if standing["state"] != "making":
            return standing
        sleep(0.05)
    raise AssertionError("the dossier is still being made")


@pytest.fixture
def address(api: TestClient) -> str:
    return f"/api/v1/decks/{api.get('/api/v1/decks/sample').json()['deck']}/dossier"


def test_it_is_made_ticked_answered_and_only_the_rest_is_rehearsed(
    api: TestClient, site: Site, address: str
) -> None:
    deck = address.split("/")[4]
    assert api.get(address).json()["state"] == "none"
    assert "Make the dossier" in api.get(f"/dossier/{deck}").text
    assert api.post(address, json={"engine": "offline"}).status_code == 202
    made = ready(api, address)
    attacks = made["dossier"]["attacks"]
    assert (made["state"], made["engine"], len(attacks) > 3) == ("ready", "offline", True)

    answer = "We <b>asked</b> the harbour master.\nHe agreed."
    for number in range(1, len(attacks) - 1):
        body = {"is_prepared": True, "answer": answer if number == 1 else ""}
        assert api.put(f"{address}/questions/{number}", json=body).status_code == 200
    again = api.get(address).json()
    assert again["questions"][0] == {"is_prepared": True, "answer": answer, "missing": ""}
    page = api.get(f"/dossier/{deck}").text
    assert "We &lt;b&gt;asked&lt;/b&gt; the harbour master.\nHe agreed.</textarea>" in page
    assert page.count(' checked> <label for="ready-') == len(attacks) - 2

    begun = api.post(f"{address}/rehearse", json={"presenter": "Ines", "minutes": 10})
    assert begun.status_code == 201
    session = site.sessions.get(begun.json()["session"])
    left = attacks[-2:]
    assert [one.text for one in session.projection.brought] == [one["question"] for one in left]
    assert [one.agent for one in session.projection.brought] == [one["agent"] for one in left]
    assert session.rehearsal.options.exchanges == 2
    asked = [session.call_on(), None]
    session.park()
    asked[1] = session.call_on()
    assert {one.turns[0].question for one in asked if one} == {one["question"] for one in left}
    assert {one.written_by for one in asked if one} == {"dossier"}
    assert {one.quote for one in asked if one} == {
        (one["about"] and not one["is_missing"] and one["about"]["quote"]) or None for one in left
    }


def test_two_that_are_ticked_at_one_time_are_both_kept(api: TestClient, site: Site, address: str) -> None:
    api.post(address, json={"engine": "offline"})
    count = len(ready(api, address)["questions"])
    deck = address.split("/")[4]
    with ThreadPoolExecutor(count) as pool:
        numbers = range(1, count + 1)
        list(pool.map(lambda number: prepare(site.own, deck, number, Preparation(True)), numbers))
    assert all(one["is_prepared"] for one in api.get(address).json()["questions"])


def test_made_anew_it_keeps_the_answers_and_deleted_it_is_gone(
    api: TestClient, site: Site, address: str
) -> None:
    deck = address.split("/")[4]
    for _ in range(2):
        api.post(address, json={"engine": "offline"})
        standing = ready(api, address)
        if not standing["questions"][0]["answer"]:
            api.put(f"{address}/questions/1", json={"answer": "In March.", "is_prepared": False})
    assert standing["questions"][0]["answer"] == "In March."
    folder = site.own.root / "dossiers" / deck
    assert sorted(one.name for one in folder.iterdir()) == ["deck.md", "dossier.json"]
    assert json.loads((folder / "dossier.json").read_text())["version"] == 1
    assert api.delete(address).status_code == 204
    assert not folder.exists()
    assert api.get(address).json()["state"] == "none"


def test_a_rehearsals_dossier_opens_on_the_same_page(api: TestClient, session: str, site: Site) -> None:
    page = api.get(f"/dossier/of/{session}")
    found = site.sessions.get(session).projection
    assert found.dossier is not None
    assert page.url.path.startswith("/dossier/")
    assert all(f'id="q{number}"' in page.text for number in range(1, len(found.dossier.attacks) + 1))
    assert f'href="/dossier/of/{session}"' in api.get(f"/debrief/{session}").text


def test_what_is_refused_says_what_to_do(api: TestClient, address: str, site: Site) -> None:
    assert api.post(f"{address}/rehearse", json={}).status_code == 404
    api.post(address, json={"engine": "offline"})
    standing = ready(api, address)
    none = api.put(f"{address}/questions/99", json={})
    assert none.status_code == 422
    assert none.json()["detail"].startswith("there is no question 99: the dossier has ")
    for number in range(1, len(standing["questions"]) + 1):
        api.put(f"{address}/questions/{number}", json={"is_prepared": True})
    all_done = api.post(f"{address}/rehearse", json={})
    assert all_done.status_code == 409
    assert all_done.json()["detail"].startswith("every question is ticked: untick")
    assert api.get("/api/v1/decks/..%2f..%2fetc/dossier").status_code in (404, 422)


def test_a_file_of_a_later_release_is_refused_and_stays(api: TestClient, address: str, site: Site) -> None:
    api.post(address, json={"engine": "offline"})
    ready(api, address)
    deck = address.split("/")[4]
    made = read_prepared(site.own, deck)
    assert made is not None
    file = site.own.root / "dossiers" / deck / "dossier.json"
    later = json.dumps({"version": 2, "words": "of another release"})
    file.write_text(later)
    with pytest.raises(HomeError, match="a later release wrote it"):
        keep_prepared(site.own, made)
    assert file.read_text() == later


def test_what_was_asked_and_came_of_it_stands_there_with_the_open_ones_first(
    api: TestClient, session: str
) -> None:
    questions = []
    for words in ("I do not know.", "In March, says the harbour master's letter of 2026."):
        questions.append(api.post(f"/api/v1/sessions/{session}/ask", json={}).json()["question"])
        api.post(f"/api/v1/sessions/{session}/answer", json={"text": words})
        if api.get(f"/api/v1/sessions/{session}/room").json()["question"]:
            api.post(f"/api/v1/sessions/{session}/park", json={})
    api.post(f"/api/v1/sessions/{session}/end", json={})
    judge = {"exchange": "x2", "verdict": "given"}
    assert api.post(f"/api/v1/sessions/{session}/judge", json=judge).status_code == 200
    page = api.get(f"/dossier/of/{session}")
    asked = api.get(f"/api/v1/decks/{page.url.path.rsplit('/', 1)[1]}/dossier").json()["asked"]
    assert [(one["exchange"], one["is_open"], one["by"]) for one in asked] == [
        ("x1", True, ""),
        ("x2", False, "Dana Whitfield"),
    ]
    assert "Asked in your rehearsals of this deck: 2, of which 1 still open" in page.text
    assert f'<a href="/review/{session}#x2">Asked on' in page.text
    assert "<strong>answered</strong>, judged by Dana Whitfield" in page.text


def test_a_reason_that_many_questions_share_is_said_once(api: TestClient, session: str) -> None:
    page = api.get(f"/dossier/of/{session}").text
    assert page.count("boards ask it of any case of this kind") == 1
