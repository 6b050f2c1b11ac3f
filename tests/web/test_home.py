"""The first page: what one gets, one way to begin, and the rehearsals before, with what can be done."""

from __future__ import annotations

import re
from pathlib import Path
from time import sleep

import pytest
from starlette.testclient import TestClient

from orchestrator.panel.home import Home
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.pages.new import RECENT
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.reviewed import begun, ended

API = "/api/v1/sessions"


def page(client: TestClient, address: str = "/") -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.text


def rows(text: str) -> list[tuple[str, list[str]]]:
    """Each rehearsal of the page: its name, and what can be done with it."""
    found = re.search(r'<ol class="rehearsed">(.*?)</ol>', text, re.DOTALL)
    return [
        (
            re.sub(r"<[^>]*>", "", re.findall(r"<h3>(.*?)</h3>", item)[0]),
            re.findall(r">([^<>]+)</(?:a|button)>", item),
        )
        for item in re.findall(r"<li>(.*?)</li>", found[1] if found else "", re.DOTALL)
    ]


DONE = ["Again with this deck", "Review", "Name it", "Delete"]


def test_a_home_without_a_rehearsal_offers_to_begin_one(api: TestClient) -> None:
    text = page(api)
    assert text.count('class="button big"') == 1
    assert "Begin a rehearsal" in text
    assert "Your rehearsals" not in text


def test_archives_alone_are_for_review(site: Site) -> None:
    with TestClient(
        application(Site(None, site.archives, OpenSessions(None))), base_url="http://127.0.0.1"
    ) as api:
        text = page(api)
    assert "Review the archived ones" in text
    assert "/new" not in text


def test_the_example_is_a_question_of_the_demo_with_its_slide_and_what_to_fix(api: TestClient) -> None:
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page(api, "/example")))
    assert text.index("What you get") < text.index("Asked") < text.index("Fix this first")
    assert "You said churn is about eight percent a year, and the slide shows six." in text
    assert "<mark>" in page(api, "/example")
    assert "with the recorded replies of a strong reader" in text


def test_an_unfinished_one_goes_on_and_a_finished_one_has_its_debrief(api: TestClient, site: Site) -> None:
    begun(site.own, "unfinished").close()
    ended(site.own, "finished", "unjudged")
    assert rows(page(api)) == [
        ("Where we stand", ["Debrief", *DONE]),
        ("Where we stand", ["Go on", *DONE]),
    ]
    assert [name for name, _ in rows(page(api, "/?show=unfinished"))] == ["Where we stand"]
    assert "None of your rehearsals is like that" in page(api, "/?q=nobody")


def test_one_that_was_begun_just_now_is_listed_at_once(
    api: TestClient, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(site.own, "first").close()
    assert len(rows(page(api))) == 1
    begun(site.own, "second").close()  # within the time in which a catalogue counts as fresh
    assert len(rows(page(api))) == 2
    begun(site.own, "third").close()
    monkeypatch.setattr("orchestrator.web.reviewing.LONG_TIMEOUT_S", 0.0)
    monkeypatch.setattr("orchestrator.web.reviewing.update", lambda *_: sleep(0.3))
    assert "Your rehearsals are still being read" in page(api)


def test_only_what_is_driven_now_is_under_way(api: TestClient, session: str, site: Site) -> None:
    assert "Under way" not in page(api)
    assert api.post(f"{API}/{session}/drive").status_code == 200
    assert page(api).count("Under way: ") == page(api, "/new").count("Under way: ") == 1
    api.post(f"{API}/{session}/pause")
    api.post(f"{API}/{session}/end", json={"without_debrief": True})
    site.sessions.forget(session)
    assert "Under way" not in page(api) + page(api, "/new")
    assert site.sessions._open == {}  # no page opens a session that has ended


HOSTILE = "<script>alert(1)</script>"


def test_a_name_of_ones_own_is_shown_wherever_the_session_is(api: TestClient, site: Site) -> None:
    ended(site.own, "s1", "unjudged")
    named = api.put(f"{API}/s1/title", json={"title": f"  {HOSTILE}\n\u202e "})
    assert (named.status_code, named.json()) == (200, {"title": HOSTILE})
    shown = "&lt;script&gt;alert(1)&lt;/script&gt;"
    for address in ("/", "/review", "/review/s1"):
        assert shown in page(api, address)
        assert HOSTILE not in page(api, address)
    assert [name for name, _ in rows(page(api, "/?q=SCRIPT alert"))] == [shown]
    assert api.get(API).json()["sessions"][0]["title"] == HOSTILE
    assert api.get(f"{API}/s1/verify").json()["valid"] is True
    too_long = api.put(f"{API}/s1/title", json={"title": "x" * 1000})
    assert (too_long.status_code, too_long.json()["detail"][:30]) == (422, "the title has 1,000 characters")
    assert api.put(f"{API}/s1/title", json={"title": "x" * 10_000}).status_code == 422
    assert api.put(f"{API}/s1/title", json={"title": ""}).json() == {"title": ""}
    assert [name for name, _ in rows(page(api))] == ["Where we stand"]
    assert api.put(f"{API}/nobody/title", json={"title": "x"}).status_code == 404
    assert api.put(f"{API}/..%2f..%2fetc/title", json={"title": "x"}).status_code in (404, 422)


def test_another_site_neither_names_nor_deletes(api: TestClient, session: str) -> None:
    foreign = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
    assert api.put(f"{API}/{session}/title", json={"title": "x"}, headers=foreign).status_code == 403
    assert api.delete(f"{API}/{session}", headers=foreign).status_code == 403
    assert api.get(f"{API}/{session}/erasure", headers=foreign).status_code == 403


def test_what_deleting_takes_is_told_before(api: TestClient, site: Site) -> None:
    folder = ended(site.own, "s1", "unjudged")
    api.post(f"{API}/s1/comments", json={"author": "Ines", "text": "Good."})
    files = [one for one in folder.rglob("*") if one.is_file()]
    assert api.get(f"{API}/s1/erasure").json() == {
        "session": "s1",
        "files": len(files),
        "bytes": sum(one.stat().st_size for one in files),
        "comments": 1,
        "memories": 0,
        "memories_that_stay": 0,
        "archives": [f"{site.archives}/s1"],
        "archives_here": [f"{site.archives}/s1"],
    }
    assert folder.is_dir()
    gone = api.delete(f"{API}/s1", params={"archives": "true"}).json()
    assert str(folder) in gone["removed"]
    assert "Your rehearsals" not in page(api)
    assert not (Path(site.archives) / "s1").exists()


def test_an_archive_that_was_left_says_so_and_is_deleted_from_its_page(api: TestClient, site: Site) -> None:
    ended(site.own, "s1", "unjudged")
    assert api.delete(f"{API}/s1").json()["archives"] == [f"{site.archives}/s1"]
    text = page(api, "/review/s1")
    assert f"What you see is its archive, at {site.archives}/s1." in text
    assert "Delete the archive</button>" in text
    assert "data-verdict" not in text
    told = api.get(f"{API}/s1/erasure").json()
    assert (told["files"], told["archives_here"]) == (0, [f"{site.archives}/s1"])
    assert api.delete(f"{API}/s1", params={"archives": "true"}).status_code == 200
    assert api.get("/review/s1").status_code == api.get(f"{API}/s1/erasure").status_code == 404
    assert "Where we stand" not in page(api, "/review") + page(api, "/review/progress")


def test_what_is_remembered_is_counted_as_it_will_go(api: TestClient) -> None:
    first = {"deck_text": "# A\n\n- Revenue is 3 million", "presenter": "Dana Whitfield", "remember": True}
    for name in ("s1", "s2"):
        api.post(API, json={**first, "id": name})
        assert api.post(f"{API}/{name}/ask", json={}).json()["question"] is not None
        api.post(f"{API}/{name}/answer", json={"text": "I do not know."})
        api.post(f"{API}/{name}/end", json={})
    for name in ("s2", "s1"):  # what both have said goes with the one that is left
        told = api.get(f"{API}/{name}/erasure").json()
        done = api.delete(f"{API}/{name}").json()
        stays = done["stays"].get("memories", []) + done["stays"].get("goals", [])
        gone = [one for one in done["removed"] if one.startswith("memory ")]
        assert (told["memories"], told["memories_that_stay"]) == (len(gone), len(stays))
    assert gone


def test_again_takes_the_deck_and_the_choices_of_a_session(api: TestClient, site: Site) -> None:
    first = {
        "sample": True,
        "id": "s1",
        "presenter": "Dana Whitfield",
        "panel": ["skeptic", "analyst"],
        "minutes": 12,
        "exchanges": 3,
        "intensity": "adversarial",
        "mode": "hand-raise",
        "focus": ["costs"],
    }
    assert api.post(API, json=first).status_code == 201
    again = api.get(f"{API}/s1/again").json()
    assert again["options"] == {
        **{key: value for key, value in first.items() if key not in ("sample", "id")},
        "engine": "offline",
        "layout": "watermark",
        "kind": None,
        "remember": False,
        "keep_source": True,
    }
    assert again["deck"]["title"] == api.get("/api/v1/decks/sample").json()["title"]
    site.sessions.forget("s1")
    second = api.post(API, json={**again["options"], "deck": again["deck"]["deck"], "id": "s2"})
    assert second.status_code == 201, second.text
    options = [api.get(f"{API}/{name}/files/shared/session-config.md").text for name in ("s1", "s2")]
    assert options[0] == options[1]


def test_again_after_a_drill_is_a_rehearsal_of_the_usual_length(api: TestClient) -> None:
    assert api.post(API, json={"sample": True, "id": "s1", "minutes": 12}).status_code == 201
    assert api.post(f"{API}/s1/ask", json={}).json()["question"] is not None
    api.post(f"{API}/s1/answer", json={"text": "I do not know."})
    api.post(f"{API}/s1/end", json={"without_debrief": True})
    drill = api.post(f"{API}/s1/drill", json={"exchange": "x1"}).json()["session"]
    options = api.get(f"{API}/{drill}/again").json()["options"]
    assert not {"minutes", "exchanges"} & options.keys()


def test_again_works_where_no_copy_of_the_deck_was_kept(api: TestClient) -> None:
    begun = {"deck_text": "# Plan\n\n- Revenue is 3 million", "id": "s1", "keep_source": False}
    assert api.post(API, json=begun).status_code == 201
    again = api.get(f"{API}/s1/again").json()
    assert (again["deck"]["title"], again["deck"]["has_pictures"]) == ("Plan", False)
    assert api.get(f"/api/v1/decks/{again['deck']['deck']}/slides/1.png").status_code == 404
    assert api.post(API, json={"deck": again["deck"]["deck"], "id": "s2"}).status_code == 201


def test_filters_come_with_many(api: TestClient, site: Site) -> None:
    for number in range(RECENT + 1):
        begun(site.own, f"s{number}", presenter=f"Presenter {number}").close()
    text = page(api)
    assert len(rows(text)) == RECENT
    assert 'name="q"' in text
    assert len(rows(page(api, "/?q=presenter+3"))) == 1
    assert len(rows(page(api, "/?show=unfinished"))) == RECENT + 1
    assert api.get("/?show=else").status_code == 422


@pytest.mark.parametrize("name", ["damaged"])
def test_one_that_cannot_be_read_can_still_be_deleted(api: TestClient, site: Site, name: str) -> None:
    home: Home = site.own
    begun(home, name).close()
    (home.sessions / name / "ledger" / "ledger.jsonl").write_bytes(b"{}\n")
    [(shown, can)] = rows(page(api))
    assert (shown, can) == (name, ["Name it", "Delete"])
    assert api.delete(f"{API}/{name}").status_code == 200
