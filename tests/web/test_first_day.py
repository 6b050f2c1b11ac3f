"""A newcomer's first day in the browser: what is set stands on top, and nothing that was typed is lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.helpers.live_feeds import until
from tests.web.browser import NO_BROWSER, PATIENCE_MS, UNFOLD, Web, faults_of_axe
from tests.web.conftest import Serve, Served

if TYPE_CHECKING:
    from playwright.sync_api import Page

sync_api = pytest.importorskip("playwright.sync_api", reason=NO_BROWSER)
expect = sync_api.expect
expect.set_options(timeout=PATIENCE_MS)

pytestmark = pytest.mark.slow  # a real browser and a real server

FIRST, SECOND = "# First\n\n- Revenue is 3 million", "# Second\n\n- Costs are 2 million"


def bring(page: Page, deck: str) -> None:
    page.set_input_files("#file", {"name": "deck.md", "mimeType": "text/markdown", "buffer": deck.encode()})
    expect(page.locator("#counts")).to_contain_text(deck.split("\n")[0].removeprefix("# "))


def says(page: Page, part: str) -> str:
    return str(page.inner_text(f"[data-says={part}]"))


def test_what_is_needed_at_once_is_seen_at_once_and_the_rest_says_what_is_set(
    server: Served, web: Web
) -> None:
    page = web.open(f"{server.url}/new", viewport={"width": 1280, "height": 800})
    bring(page, FIRST)
    for name in ("#counts", "#presenter", "#minutes", "#mode", "#begin"):
        expect(page.locator(name)).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollHeight") < 1600
    assert (says(page, "engine"), says(page, "talk"), says(page, "own")) == (
        "Without a model",
        "given now",
        "none",
    )
    page.evaluate(UNFOLD)
    page.uncheck("#seat-analyst")
    page.fill("#questions", "Who pays?")
    page.fill("#exchanges", "3")
    page.evaluate("() => { for (const one of document.querySelectorAll('details')) one.open = false; }")
    assert says(page, "own") == "1 question"
    assert says(page, "asked").startswith("up to 3 questions, ")
    page.fill("#presenter", "Dana")
    page.click("#begin")
    page.wait_for_url("**/room/*")
    page.go_back()
    expect(page.locator("#begin")).to_be_enabled()
    expect(page.locator("h1")).to_be_in_viewport()


def test_feared_questions_stay_with_their_deck_and_outlive_f5(
    server: Served, web: Web, tmp_path: Path
) -> None:
    feared = tmp_path / "feared.txt"
    feared.write_text("Who pays?\nWho sails?\n")
    page = web.open(f"{server.url}/new")
    bring(page, FIRST)
    page.evaluate(UNFOLD)
    page.fill("#questions", "slide 1: Who pays if the harbour freezes?")
    page.set_input_files("#questions-file", feared)
    expect(page.locator("#questions-words")).to_have_text("3 questions of your own.")
    bring(page, SECOND)
    assert page.input_value("#questions") == ""
    expect(page.locator("#questions-read li")).to_have_count(0)
    expect(page.locator("#questions-elsewhere")).to_have_text(
        "What you brought for “First” waits with that deck: choose it again in this tab, and it stands here."
    )
    bring(page, FIRST)
    page.reload()
    expect(page.locator("#counts")).to_contain_text("First")
    assert page.input_value("#questions") == "slide 1: Who pays if the harbour freezes?"
    expect(page.locator("#questions-words")).to_have_text("3 questions of your own.")


def test_an_answer_in_the_dossier_outlives_f5_at_once(server: Served, web: Web) -> None:
    with server.client() as client:
        deck = client.get("/api/v1/decks/sample").json()["deck"]
        client.post(f"/api/v1/decks/{deck}/dossier", json={"engine": "offline"})
    page = web.open(f"{server.url}/dossier/{deck}")
    page.wait_for_selector("#rehearse:not([disabled])")
    page.type("#answer-1", "In March, by the letter.")
    page.reload()  # before anything was sent
    expect(page.locator("#answer-1")).to_have_value("In March, by the letter.")
    expect(page.locator("[data-question='1'] [data-kept]")).to_have_text("Kept.")
    with server.client() as client:
        kept = client.get(f"/api/v1/decks/{deck}/dossier").json()["questions"][0]["answer"]
    assert kept == "In March, by the letter."
    assert page.evaluate("Object.keys(localStorage).filter((one) => one.includes('dossier'))") == []


def test_a_verdict_in_the_review_is_the_presenters_and_takes_a_note(server: Served, web: Web) -> None:
    with server.client() as client:
        begun = {"sample": True, "id": "judged", "presenter": "Alex Rivera"}
        client.post("/api/v1/sessions", json=begun)
        client.post("/api/v1/sessions/judged/ask", json={})
        client.post("/api/v1/sessions/judged/answer", json={"text": "In March, by the letter of 2026."})
        client.post("/api/v1/sessions/judged/end", json={})
    page = web.open(f"{server.url}/review/judged")
    page.fill(".judging-note >> nth=0", "no sum")
    page.click("[data-verdict=partly] >> nth=0")
    expect(page.locator(".asked-verdict").last).to_contain_text("gave it in part, you say: no sum")
    expect(page.locator(".review-head")).to_contain_text("1 partly answered")
    page.click("[data-verdict=partly] >> nth=0")
    expect(page.locator("main")).not_to_contain_text("you say")


def test_a_recorded_panel_is_watched_step_by_step_and_played_once(serve: Serve, web: Web) -> None:
    page = web.open(serve().url)
    page.click("text=Watch a recorded panel first")
    page.wait_for_url("**/watch/*")
    first = page.url
    expect(page.locator("#went [data-step]").first).to_be_visible()
    expect(page.locator("#over")).to_be_hidden()
    page.click("#hold")
    shown = page.locator("[data-step]:visible").count()
    expect(page.locator("#slides figure:visible")).to_have_count(1)
    assert faults_of_axe(page) == []
    page.wait_for_timeout(1500)
    assert page.locator("[data-step]:visible").count() == shown
    page.click("#hold")
    page.click("#all")
    expect(page.locator("[data-step]:visible")).to_have_count(page.locator("[data-step]").count())
    expect(page.locator("#over a").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/debrief/*")
    expect(page.locator("main")).to_contain_text("A week later the same presenter rehearsed once more")
    page.goto(f"{page.url.split('/debrief')[0]}/new")
    page.click("#watch")
    page.wait_for_url("**/watch/*")
    assert page.url == first


def test_progress_and_comparison_fit_a_phone(server: Served, web: Web) -> None:
    with server.client() as client:
        for name in ("on-a-phone", "once-more"):
            begun = {"sample": True, "id": name, "presenter": "Ola Berg"}
            client.post("/api/v1/sessions", json=begun)
            client.post(f"/api/v1/sessions/{name}/ask", json={})
            client.post(f"/api/v1/sessions/{name}/answer", json={"text": "In March, by the letter of 2026."})
            client.post(f"/api/v1/sessions/{name}/end", json={})
        # What was looked at just now is not looked at again for two seconds.
        progress = "/review/progress?presenter=Ola+Berg"
        until("both of them", lambda: "2 ended sessions" in client.get(progress).text)
    for path, holds in (
        ("progress?presenter=Ola+Berg", "of 20:00"),
        ("compare?a=on-a-phone&b=once-more", "Contradictions"),
    ):
        page = web.open(f"{server.url}/review/{path}", viewport={"width": 390, "height": 844})
        expect(page.locator(".runs-table").last).to_contain_text(holds)
        for one in ("document.documentElement", "document.querySelector('.wide')"):
            assert page.evaluate(f"{one}.scrollWidth <= {one}.clientWidth")
        assert faults_of_axe(page) == []
