"""Every page and state in a real browser: what it says, and that nothing on it is out of anybody's reach."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orchestrator.panel.home import Home
from orchestrator.panel.loop.driver_lock import driving
from orchestrator.rehearsal.session import Session
from tests.helpers.homes import new_home
from tests.helpers.live_feeds import quicken
from tests.web.browser import NO_BROWSER, PATIENCE_MS, UNFOLD, Web, faults_of_axe
from tests.web.conftest import Serve
from tests.web.test_rehearsal import asked, in_room, say, started, view_of
from tests.web.test_room import DROPPED, settles

if TYPE_CHECKING:
    from playwright.sync_api import Route

sync_api = pytest.importorskip("playwright.sync_api", reason=NO_BROWSER)
expect = sync_api.expect
expect.set_options(timeout=PATIENCE_MS)
pytestmark = pytest.mark.slow  # a real browser and a real server

MANY = "\n\n---\n".join(f"# Step {number}\n\n- Costs {number} million in 2027" for number in range(1, 61))
LONG = "A title that goes on for as long as its author had breath, " * 4
BOATS = "\n".join(f"| Boat {number} | {number},000 |" for number in range(1, 20))
TABLE = f"# Use of funds\n\n| Use | EUR |\n|---|---|\n{BOATS}\n"
DECKS = {"many": MANY, "long": f"# {LONG}\n\n- Revenue grew 18% in 2026\n", "table": TABLE}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(serve: Serve, web: Web, scheme: str) -> None:
    served = serve()
    page = web.open(served.url, color_scheme=scheme)
    found = {"/": faults_of_axe(page)}
    page.goto(f"{served.url}/new")
    found["/new"] = faults_of_axe(page)
    page.click("#sample")
    page.wait_for_selector("#understood:not([hidden])")
    found["/new with a deck"] = faults_of_axe(page)
    page.evaluate(UNFOLD)
    found["/new unfolded"] = faults_of_axe(page)
    in_room(page, served, started(served))
    found["room, not begun"] = faults_of_axe(page)
    page.keyboard.press("Space")
    page.wait_for_selector("#pause:not([hidden])")
    for words in ("Revenue grew eighteen percent.", "We are the leading operator.", "Now to the pilot."):
        say(page, words)
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    found["room, no question"] = faults_of_axe(page)
    page.keyboard.press("q")
    asked(page)
    found["room, question"] = faults_of_axe(page)
    page.click("#pause")
    page.wait_for_selector("#go:not([hidden])")
    found["room, paused"] = faults_of_axe(page)
    page.keyboard.press("?")
    found["keys"] = faults_of_axe(page)
    page.goto(page.url + "?watch")
    page.wait_for_selector("[data-connected=yes]")
    found["looking on"] = faults_of_axe(page)
    web.forgive("404")
    page.goto(f"{served.url}/nowhere")
    found["no such page"] = faults_of_axe(page)
    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("name", DECKS)
def test_nothing_runs_out_of_the_page(serve: Serve, web: Web, name: str, width: int) -> None:
    served, deck = serve(), DECKS[name]
    page = web.open(f"{served.url}/new", viewport={"width": width, "height": 844})
    page.set_input_files("#file", {"name": "deck.md", "mimeType": "text/markdown", "buffer": deck.encode()})
    page.wait_for_selector("#understood:not([hidden])")
    too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.evaluate(too_wide)
    page.evaluate(UNFOLD)
    assert not page.evaluate(too_wide)
    page.click("#begin")
    page.wait_for_url("**/room/*")
    page.wait_for_selector("[data-connected=yes]")
    assert not page.evaluate(too_wide)
    page.keyboard.press("Space")
    page.wait_for_selector("#pause:not([hidden])")
    say(page, "Revenue grew 18% in 2026.")
    page.click("#call")
    asked(page)
    assert not page.evaluate(too_wide)
    expect(page.locator("#question-text")).to_be_in_viewport()
    expect(page.locator("#captions li").last).to_be_in_viewport()
    expect(page.locator("#send")).to_be_in_viewport()


def test_what_is_wrong_is_said_where_the_eye_is(serve: Serve, web: Web) -> None:
    served = serve()
    page = web.open(f"{served.url}/new")
    web.forgive("422|502")
    page.set_input_files("#file", {"name": "plan.pptx", "mimeType": "", "buffer": b"PK broken"})
    expect(page.locator("#unread")).to_contain_text("plan.pptx")
    expect(page.locator("#unread")).to_be_in_viewport()
    assert "/tmp" not in page.inner_text("#unread")
    assert page.is_hidden("#choices")

    page.click("#sample")
    page.wait_for_selector("#choices:not([hidden])")
    if page.locator("#engine-claude").count():
        page.evaluate(UNFOLD)
        page.check("#engine-claude")
        page.click("#begin")
        expect(page.locator("#engine-refused")).to_contain_text("ANTHROPIC_API_KEY")
        expect(page.locator("#engine-refused")).to_be_in_viewport()
        expect(page.locator("#begin")).to_be_enabled()


@pytest.mark.parametrize(
    "path", ["new", "room/{}", "room/{}/audience", "room/{}/presenter", "review/{}", "debrief/{}"]
)
def test_nothing_can_be_pressed_before_the_script_listens(serve: Serve, web: Web, path: str) -> None:
    served = serve()
    page = web.open(served.url)
    session = started(served)
    held: list[Route] = []
    page.route("**/static/*.js", lambda route: held.append(route))
    page.goto(f"{served.url}/{path.format(session)}", wait_until="commit")
    settles(page, "the scripts asked for", lambda: len(held) > 1)
    waiting = page.locator("[data-waits]").count()
    assert page.locator("button:visible:enabled, input[type=file]:enabled").all_inner_texts() == []
    page.unroute("**/static/*.js")  # and what was held goes on
    expect(page.locator("[data-waits]:enabled")).to_have_count(waiting)
    page.evaluate(LEFT_AND_BACK)
    expect(page.locator("[data-waits]:enabled")).to_have_count(waiting)


LEFT_AND_BACK = """() => {
  for (const one of document.querySelectorAll("[data-waits]")) one.disabled = true;
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
}"""
"""A page whose buttons were pressed, and which Back shows as it was left."""


def test_choices_are_not_given_to_another_deck_than_their_own(serve: Serve, web: Web) -> None:
    served = serve()
    page = web.open(f"{served.url}/new")
    page.click("#sample")
    page.wait_for_selector("#understood:not([hidden])")
    page.evaluate(UNFOLD)
    page.uncheck("#seat-analyst")
    held: list[Route] = []
    page.route("**/api/v1/decks/sample", lambda route: held.append(route))
    page.reload()
    settles(page, "the deck before", lambda: held)
    page.evaluate(DROPPED, ["Second"])
    expect(page.locator("#counts")).to_contain_text("Second")
    held[0].continue_()
    page.wait_for_timeout(1000)
    assert page.is_checked("#seat-analyst")


def test_a_session_that_another_program_runs_is_shown_and_can_be_answered(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    with Session.open(Home.open(served.home), session) as other, driving(other.rehearsal, "feed"):
        page = in_room(web.window().new_page(), served, session)
        expect(page.locator("#state")).to_contain_text("Another program runs this session")
        assert page.is_hidden("#go")
        say(page, "We are the leading ferry operator.")
        page.click("#call")
        asked(page)
        page.click("#park")
    expect(page.locator("#state")).not_to_contain_text("Another program")


def test_a_raised_hand_is_called_on_by_its_name(serve: Serve, web: Web, tmp_path: Path) -> None:
    home = new_home(tmp_path / "home")
    quicken(home, refresh=1, hand_raise_pause=600)  # the moderator waits for a pause that never comes
    served = serve(home)
    session = started(served, mode="hand-raise")
    page = in_room(web.window().new_page(), served, session)
    page.click("#go")
    say(page, "We are the leading ferry operator on the estuary, with 212,000 passengers a year.")
    hand = page.locator(".panel-call:visible")
    hand.first.wait_for()
    name = (hand.first.get_attribute("aria-label") or "").removeprefix("Call on ")
    hand.first.click()
    asked(page)
    expect(page.locator("#question-name")).to_have_text(name)


def test_that_nobody_has_a_question_is_no_error(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    nobody = {**view_of(served, session), "question": None}
    page.route("**/ask", lambda route: route.fulfill(json=nobody))
    page.click("#call")
    expect(page.locator("#notice")).to_contain_text("Nobody has a question now")
    assert page.inner_text("#refused") == ""


def _tells(body: str, route: Route) -> None:
    route.fulfill(content_type="text/event-stream", body=body)


def test_time_that_runs_short_is_said_twice_and_then_that_it_is_over(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served, minutes=10)
    view = {**view_of(served, session), "is_running": False}
    page = web.window().new_page()
    shown = []
    for used_s in (300, 480, 540, 605):
        body = f"event: room\ndata: {json.dumps({**view, 'used_s': used_s})}\n\n"
        page.route("**/room/events", partial(_tells, body))
        page.goto(f"{served.url}/room/{session}")
        expect(page.locator("#used")).to_have_text(f"{used_s // 60}:{used_s % 60:02}")
        shown.append((page.get_attribute("#room", "data-time"), page.inner_text("#left")))
    assert shown == [("", ""), ("short", "2:00 left"), ("late", "1:00 left"), ("over", "0:05 over")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_persona_of_any_colour_can_be_seen(serve: Serve, web: Web, scheme: str, tmp_path: Path) -> None:
    home = new_home(tmp_path / "home")
    persona = home / "templates" / "analyst" / "persona.md"
    colour = "#000000" if scheme == "dark" else "#ffffff"
    persona.write_text(re.sub(r'color: "#\w+"', f'color: "{colour}"', persona.read_text("utf-8")), "utf-8")
    served = serve(home)
    page = in_room(web.window(color_scheme=scheme).new_page(), served, started(served))
    contrast = page.evaluate(
        """() => {
          const bytes = (colour) => {
            const canvas = new OffscreenCanvas(1, 1).getContext("2d");
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
          };
          const light = (colour) => bytes(colour).map((one) => one / 255)
            .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
            .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
          const paper = light(getComputedStyle(document.documentElement).backgroundColor);
          return [...document.querySelectorAll(".panel .dot")].map((dot) => {
            const own = light(getComputedStyle(dot).backgroundColor);
            return (Math.max(own, paper) + 0.05) / (Math.min(own, paper) + 0.05);
          });
        }"""
    )
    assert min(contrast) >= 3  # WCAG 2.2, 1.4.11: what is no text


def test_a_page_that_there_is_not_says_so_to_people_and_programs(serve: Serve, web: Web) -> None:
    served = serve()
    web.forgive("404")
    page = web.open(f"{served.url}/room/nothing")
    expect(page.locator("h1")).to_have_text("Not Found")
    expect(page.locator(".lead")).to_contain_text("There is no session 'nothing' here")
    with served.client() as client:
        assert client.get("/room/nothing").json()["code"] == "session_not_found"


def test_a_presenter_prepares_with_the_dossier_and_rehearses_what_is_left(serve: Serve, web: Web) -> None:
    page = web.open(f"{serve().url}/new")
    page.click("#sample")
    page.evaluate(UNFOLD)
    page.fill("#questions", "slide 2: Who pays?\nWhy you?")
    expect(page.locator("#questions-words")).to_have_text("2 questions of your own.")
    page.click("#prepare")
    page.click("text=Make the dossier")
    page.wait_for_selector("#rehearse:not([disabled])")
    faults = faults_of_axe(page)
    assert faults == []
    page.fill("#answer-1", "In March.")
    boxes = page.locator(".prepare input")
    count = boxes.count()
    for number in range(count - 1):
        boxes.nth(number).check()
    expect(page.locator("#left")).to_have_text(f"1 of {count} questions left.")
    last = page.locator(".prepare h2").nth(count - 1).inner_text()
    page.click("#rehearse")
    page.wait_for_url("**/room/*")
    page.keyboard.press("Space")
    page.click("#call")
    expect(page.locator("#question-text")).to_have_text(last)
    expect(page.locator("#question-quotes")).to_contain_text("From your dossier")
    page.go_back()
    page.wait_for_selector("#rehearse:not([disabled])")
    assert page.input_value("#answer-1") == "In March."
