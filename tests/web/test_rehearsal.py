"""Whole rehearsals in a real browser: nothing is lost, whatever happens to the page or to the server."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from orchestrator.panel.home import Home
from orchestrator.panel.loop.driver_lock import driving
from orchestrator.rehearsal.session import Session
from tests.helpers.homes import new_home
from tests.helpers.live_feeds import until
from tests.helpers.rehearsals import DECK, contents, greenroom
from tests.web.browser import NO_BROWSER, PATIENCE_MS, UNFOLD, Web
from tests.web.conftest import Serve, Served

if TYPE_CHECKING:
    from playwright.sync_api import Page

sync_api = pytest.importorskip("playwright.sync_api", reason=NO_BROWSER)
expect = sync_api.expect
expect.set_options(timeout=PATIENCE_MS)
pytestmark = pytest.mark.slow  # a real browser and a real server

DROPPED = """([name, bytes]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([Uint8Array.from(bytes)], name));
  const drop = document.getElementById("drop");
  for (const type of ["dragover", "drop"]) {
    drop.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""


def started(served: Served, **options: Any) -> str:
    """The id of a session that was begun without a page; its deck is a small one of our own."""
    with served.client() as client:
        answer = client.post("/api/v1/sessions", json={"deck_text": DECK, **options})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["session"])


def view_of(served: Served, session: str) -> dict[str, Any]:
    with served.client() as client:
        view: dict[str, Any] = client.get(f"/api/v1/sessions/{session}/room").json()
        return view


def in_room(page: Page, served: Served, session: str, query: str = "") -> Page:
    """The room's page, connected."""
    page.goto(f"{served.url}/room/{session}{query}")
    page.wait_for_selector("[data-connected=yes]")
    return page


def say(page: Page, words: str) -> None:
    """Type and send, and wait until it is taken."""
    page.fill("#words", words)
    page.press("#words", "Enter")
    expect(page.locator("#words")).to_have_value("")


def shows_slide(page: Page, number: int) -> None:
    expect(page.locator("#slide-name")).to_have_text(re.compile(f"^{number} of"))


def put(served: Served, session: str) -> tuple[str, int] | None:
    """The question that is open: its exchange, and how often it was asked."""
    question = view_of(served, session)["question"]
    return question and (question["exchange"], question["turn"])


def judged(page: Page, served: Served, session: str, answered: tuple[str, int] | None) -> None:
    """Wait until the page shows what came of the answer: a follow-up, or no question any more."""
    until("a verdict", lambda: put(served, session) != answered)
    question = view_of(served, session)["question"]
    if question is None:
        expect(page.locator("#question")).to_be_hidden()
    else:
        expect(page.locator("#question-text")).to_have_text(question["text"])


def asked(page: Page) -> str:
    """The question, once it has been in sight for long enough that words begun now answer it."""
    page.wait_for_selector("#question:not([hidden])")
    if page.locator("#composer").count():  # who looks on has no field
        expect(page.locator("#words-label")).not_to_have_text("What you say")
    return page.inner_text("#question-text")


def test_a_real_deck_is_dropped_and_rehearsed_to_the_end(serve: Serve, web: Web, shared: Path) -> None:
    deck = shared / "decks" / "aswf_opentrackio_2025.pdf"
    served = serve()
    page = web.open(f"{served.url}/new")
    page.evaluate(DROPPED, [deck.name, list(deck.read_bytes())])
    page.wait_for_selector("#understood:not([hidden])")
    page.evaluate(UNFOLD)
    page.wait_for_selector("#slides img")
    page.fill("#presenter", "Ada Lind")
    page.click("#begin")
    page.wait_for_url("**/room/*")
    session = urlsplit(page.url).path.rpartition("/")[2]
    page.wait_for_selector("[data-connected=yes]")
    page.click("#go")
    page.wait_for_selector("#pause:not([hidden])")
    page.click("#next")
    page.wait_for_selector("#slide-picture:not([hidden])")
    say(page, "OpenTrackIO lets cameras and render engines speak of lens and position in one format.")
    page.click("#call")
    asked(page)
    question = put(served, session)
    say(page, "We measured it with four partners in May, on three stages.")
    judged(page, served, session, question)
    if page.is_visible("#question"):
        page.click("#park")
        page.wait_for_selector("#question", state="hidden")
    assert view_of(served, session)["closed"]
    page.click("#finish")
    page.click("#ending-yes")
    page.wait_for_url(f"**/debrief/{session}")
    assert greenroom(served.home, "verify", session).returncode == 0


def test_a_rehearsal_needs_the_keyboard_alone(serve: Serve, web: Web) -> None:
    served = serve()
    page = web.open(f"{served.url}/new")

    def tab_to(name: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == name:
                return
        raise AssertionError(f"Tab never comes to {name}")

    tab_to("sample")
    page.keyboard.press("Enter")
    page.wait_for_selector("#understood:not([hidden])")
    tab_to("presenter")
    page.keyboard.type("Dana")
    tab_to("begin")
    page.keyboard.press("Enter")
    page.wait_for_url("**/room/*")
    session = urlsplit(page.url).path.rpartition("/")[2]
    page.wait_for_selector("[data-connected=yes]")
    page.keyboard.press("Space")
    page.wait_for_selector("#pause:not([hidden])")
    for number in (2, 3, 4):
        page.keyboard.press("ArrowRight")
        shows_slide(page, number)
    page.keyboard.press("ArrowLeft")
    shows_slide(page, 3)
    page.keyboard.press("a")
    page.keyboard.type("We carry chilled food and medicine for 164 customers.")
    page.keyboard.press("Enter")
    expect(page.locator("#captions")).to_contain_text("164 customers")
    page.keyboard.press("Escape")
    page.keyboard.press("q")
    asked(page)
    question = put(served, session)
    page.keyboard.press("a")
    page.keyboard.type("We do not know that yet.")
    page.keyboard.press("Enter")
    judged(page, served, session, question)
    page.keyboard.press("Escape")
    if page.is_hidden("#question"):
        page.keyboard.press("q")
        asked(page)
    page.keyboard.press("l")
    page.wait_for_selector("#question", state="hidden")
    page.keyboard.press("Space")
    page.wait_for_selector("#go:not([hidden])")
    assert not view_of(served, session)["is_running"]
    page.keyboard.press("Space")
    page.wait_for_selector("#pause:not([hidden])")
    page.keyboard.press("?")
    page.wait_for_selector("#keys[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("#keys:not([open])", state="attached")
    page.keyboard.press("e")
    page.wait_for_selector("#ending[open]")
    debriefs = []
    page.on("request", lambda request: debriefs.append(request) if "/debrief/" in request.url else None)
    page.keyboard.press("Enter")  # one key too many ends nothing
    page.wait_for_selector("#ending:not([open])", state="attached")
    assert view_of(served, session)["state"] == "active"
    page.keyboard.press("e")
    page.wait_for_selector("#ending[open]")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/debrief/{session}")
    assert view_of(served, session)["state"] == "ended"
    assert len([one for one in debriefs if one.is_navigation_request()]) == 1


def test_a_key_right_behind_a_closed_dialog_counts(serve: Serve, web: Web) -> None:
    served = serve()
    page = in_room(web.window().new_page(), served, started(served))
    # In one step, so before the page is drawn again: until then the focus is still in the dialog.
    is_asked = """() => {
      const keys = document.getElementById("keys");
      keys.showModal();
      const focused = document.activeElement;
      keys.close();
      focused.dispatchEvent(new KeyboardEvent("keydown", { key: "e", bubbles: true, cancelable: true }));
      return [keys.contains(focused), document.getElementById("ending").open];
    }"""
    assert page.evaluate(is_asked) == [True, True]


def test_a_reload_in_the_middle_of_a_question_loses_nothing(serve: Serve, web: Web) -> None:
    served = serve()
    page = in_room(web.window().new_page(), served, started(served))
    page.keyboard.press("Space")
    say(page, "Revenue grew eighteen percent to 4.2 million euros in 2026.")
    page.keyboard.press("Escape")
    page.keyboard.press("q")
    question = asked(page)
    page.fill("#words", "It is audited rev")
    page.reload()
    assert asked(page) == question
    assert page.input_value("#words") == "It is audited rev"
    assert "eighteen percent" in page.inner_text("#captions")
    say(page, "It is audited revenue against EUR 3.6M in 2025.")
    page.reload()
    page.wait_for_selector("[data-connected=yes]")
    assert page.input_value("#words") == ""


def test_a_server_that_is_killed_in_the_middle_of_an_answer_goes_on_by_itself(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    page.keyboard.press("Space")
    say(page, "We are the leading ferry operator on the estuary.")
    page.keyboard.press("Escape")
    page.keyboard.press("q")
    question = asked(page)
    before = view_of(served, session)
    with served.client() as client:  # the answer's first words, as a microphone brings them
        client.post(f"/api/v1/sessions/{session}/segments", json={"text": "By passengers, and"})
    expect(page.locator("#captions")).to_contain_text("By passengers")
    page.fill("#words", "in the harbour authority's count")
    web.forgive(r"ERR_(CONNECTION|INCOMPLETE|EMPTY)")
    served.process.send_signal(signal.SIGKILL)
    served.process.wait()
    page.wait_for_selector("[data-connected=no]")
    page.press("#words", "Enter")
    expect(page.locator("#refused")).to_contain_text("cannot be reached")
    again = serve(served.home, "--port", str(urlsplit(served.url).port))
    page.wait_for_selector("[data-connected=yes]")
    page.wait_for_selector("#pause:not([hidden])")  # the clock runs again, and nobody pressed anything
    after = view_of(again, session)
    assert after["is_driven_here"]
    assert [one["text"] for one in after["captions"]][: len(before["captions"])] == [
        one["text"] for one in before["captions"]
    ]
    assert any(one["text"] == "By passengers, and" for one in after["captions"])
    shown = [after["question"]["text"]] if after["question"] else [one["question"] for one in after["closed"]]
    assert after["question"] is None or shown == [question] or after["question"]["turn"] > 1
    assert page.input_value("#words") == "in the harbour authority's count"
    say(page, "in the harbour authority's count")
    assert greenroom(served.home, "verify", session).returncode == 0


def test_every_open_page_shows_the_same_moment(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    window = web.window()
    first = in_room(window.new_page(), served, session)
    second = in_room(window.new_page(), served, session)
    watching = in_room(web.window().new_page(), served, session, "?watch")
    first.keyboard.press("Space")
    first.keyboard.press("ArrowRight")
    say(first, "Good morning. Revenue grew eighteen percent.")
    first.keyboard.press("Escape")
    first.keyboard.press("q")
    question = asked(first)
    for page in (second, watching):
        assert asked(page) == question
        assert "Revenue grew eighteen percent" in page.inner_text("#captions")
        assert page.inner_text("#slide-name").startswith("2 of 4")
    assert watching.locator("#composer, #go, #call, #finish, .panel-call").count() == 0
    watching.keyboard.press("l")  # who looks on changes nothing
    second.click("#park")
    for page in (first, watching):
        page.wait_for_selector("#question", state="hidden")


def test_the_page_and_the_command_line_leave_the_same_files(serve: Serve, web: Web, tmp_path: Path) -> None:
    """Under a clock that stands, so that all that differs is who said it: nothing else may."""
    spoken = [
        "Good morning. Revenue grew eighteen percent to 4.2 million euros in 2026.",
        "We are the leading ferry operator.",
    ]
    answers = ["We do not know that yet.", "Anna owns it, and the board hears by March 2027."]
    options: dict[str, Any] = {
        "id": "same",
        "presenter": "Ines",
        "date": "2026-11-23",
        "panel": ["analyst", "contrarian", "skeptic"],
    }

    served = serve()
    id = started(served, **options)
    # Somebody else drives, so that nothing begins with the first words and the clock goes on to stand.
    path = served.home / "sessions" / id
    with Session.open(None, path) as held, driving(held.rehearsal, "feed"):
        page = in_room(web.window().new_page(), served, id)
        say(page, spoken[0])
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowRight")
        shows_slide(page, 2)
        say(page, spoken[1])
        turns = 0
        page.click("#call")
        while page.is_visible("#question") or not turns:
            asked(page)
            question = put(served, "same")
            say(page, answers[min(turns, 1)])
            turns += 1
            judged(page, served, "same", question)
        page.click("#call")
        asked(page)
        page.click("#park")
        page.wait_for_selector("#question", state="hidden")
    page.click("#finish")
    page.click("#ending-yes")
    page.wait_for_url("**/debrief/same")

    home = new_home(tmp_path / "other")
    with Session.start(Home.open(home), deck_text=DECK, **options) as held, driving(held.rehearsal, "feed"):
        greenroom(home, "feed", "same", "-", stdin=json.dumps({"text": spoken[0]}) + "\n")
        greenroom(home, "slide", "same", "2")
        greenroom(home, "feed", "same", "-", stdin=json.dumps({"text": spoken[1]}) + "\n")
        greenroom(home, "ask", "same")
        for turn in range(turns):
            greenroom(home, "answer", "same", answers[min(turn, 1)])
        greenroom(home, "ask", "same")
        greenroom(home, "park", "same")
    greenroom(home, "end", "same")

    by_page, by_hand = contents(served.home / "sessions" / "same"), contents(home / "sessions" / "same")
    assert sorted(by_page) == sorted(by_hand)
    assert [path for path in by_page if by_page[path] != by_hand[path]] == []
