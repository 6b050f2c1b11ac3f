"""What a page says of a server that is silent, gone or late is so, and nothing counts twice."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

import pytest

from tests.helpers.live_feeds import until
from tests.web.browser import NO_BROWSER, PATIENCE_MS, Web
from tests.web.conftest import Serve
from tests.web.test_rehearsal import in_room, say, started, view_of
from tests.web.test_room import settles

if TYPE_CHECKING:
    from playwright.sync_api import Request, Route

sync_api = pytest.importorskip("playwright.sync_api", reason=NO_BROWSER)
expect = sync_api.expect
expect.set_options(timeout=PATIENCE_MS)
pytestmark = pytest.mark.slow  # a real browser and a real server

QUICK = (
    "const timeout = AbortSignal.timeout; AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 30);"
)
"""A browser in which limits of time pass thirty times as fast."""
HEIGHTS = (
    "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.getElementById('state'))"
)
"""By how many pixels the line of the state is higher than its place."""


def test_a_server_that_stands_still_is_said_to_be_silent(serve: Serve, web: Web) -> None:
    served = serve()
    page = in_room(web.window().new_page(), served, started(served))
    page.keyboard.press("Space")
    state = page.locator("#state")
    expect(state).to_have_text("You have the floor.")
    served.process.send_signal(signal.SIGSTOP)
    try:
        expect(state).to_contain_text("No word from the server for 10 s. This page tries again by itself")
        assert page.get_attribute("#room", "data-connected") == "no"
        stands = page.inner_text("#used")
        page.wait_for_timeout(1500)
        assert page.inner_text("#used") == stands
        assert "floor" not in state.inner_text()
    finally:
        served.process.send_signal(signal.SIGCONT)
    expect(state).to_have_text("You have the floor.")


def test_a_server_that_is_gone_is_said_to_be_gone(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    watching = in_room(web.window().new_page(), served, session, "?watch")
    windows = [
        in_room(web.window().new_page(), served, session, f"/{name}") for name in ("audience", "presenter")
    ]
    page.keyboard.press("Space")
    expect(page.locator("#state")).to_have_text("You have the floor.")
    web.forgive(r"ERR_(CONNECTION|INCOMPLETE|EMPTY|SOCKET)")
    served.process.kill()
    lost = "The connection to the server is lost. This page tries again by itself"
    expect(page.locator("#state")).to_have_text(f"{lost}; what you say now is not heard.")
    assert page.evaluate(HEIGHTS) <= 1  # no word of it is cut off
    expect(watching.locator("#state")).to_have_text(f"{lost}.")
    for window in windows:
        expect(window.locator("#state")).to_have_text("The connection to the server is lost.")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#refused")).to_have_text(
        "The server cannot be reached. "
        "Whether it was done is not known: look at the page once it is connected again."
    )


def test_a_write_without_an_answer_is_sent_again_by_the_same_id(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = web.window().new_page()
    page.add_init_script(QUICK)
    in_room(page, served, session)
    ids: list[str | None] = []

    def take(route: Route) -> None:
        ids.append(route.request.headers.get("idempotency-key"))
        route.fetch()  # it counts, and the page gets no answer

    page.route("**/segments", lambda route: ids.append(route.request.headers.get("idempotency-key")))
    page.fill("#words", "Revenue grew.")
    page.press("#words", "Enter")
    refused = page.locator("#refused")
    expect(refused).to_contain_text("The server has not answered for 15 s. What you typed is still here")
    assert len(ids) == 2
    page.unroute("**/segments")
    page.route("**/segments", take)
    page.press("#words", "Enter")
    expect(page.locator("#words")).to_have_value("")  # its caption says that it was taken, as no answer does
    assert len(set(ids)) == 1
    assert [one["text"] for one in view_of(served, session)["captions"]] == ["Revenue grew."]


@pytest.mark.parametrize(
    ("sent", "typed", "stays"),
    [
        ("Revenue grew.", "Revenue grew. And costs fell.", "And costs fell."),
        ("Revenue  grew\nagain.", "Revenue  grew\nagain. And", "And"),
        ("Revenue grew.", "No, wait: it fell.", "No, wait: it fell."),
        ("Revenue", "Revenues grew.", "Revenues grew."),
        ("Revenue grew.", "", ""),
    ],
)
def test_what_is_typed_while_words_are_under_way_stays_whole(
    serve: Serve, web: Web, sent: str, typed: str, stays: str
) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    held: list[Route] = []
    page.route("**/segments", lambda route: held.append(route))
    page.fill("#words", sent)
    page.press("#words", "Enter")
    settles(page, "the words on their way", lambda: held)
    page.fill("#words", typed)
    held[0].continue_()
    expect(page.locator("#captions")).to_contain_text(" ".join(sent.split()))
    expect(page.locator("#words")).to_have_value(stays)
    page.reload()
    expect(page.locator("#words")).to_have_value(stays)


def test_what_is_sent_while_words_are_under_way_follows_them(serve: Serve, web: Web) -> None:
    """Who presses Enter sooner than the server answers need not press it again."""
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    held: list[Route] = []
    page.route("**/segments", lambda route: route.continue_() if held else held.append(route))
    page.fill("#words", "Revenue grew.")
    page.press("#words", "Enter")
    settles(page, "the words on their way", lambda: held)
    page.fill("#words", "Revenue grew. And costs fell.")
    page.press("#words", "Enter")
    page.press("#words", "Enter")  # twice counts once
    held[0].continue_()
    expect(page.locator("#captions li")).to_have_count(2)
    expect(page.locator("#words")).to_have_value("")
    assert [one["text"] for one in view_of(served, session)["captions"]] == [
        "Revenue grew.",
        "And costs fell.",
    ]


def test_words_whose_answer_a_reload_cut_off_count_once(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    ids: list[str | None] = []

    def note(sent: Request) -> None:
        if sent.url.endswith("/segments"):
            ids.append(sent.headers.get("idempotency-key"))

    page.on("request", note)
    page.route("**/segments", lambda route: None)
    page.fill("#words", "Revenue grew.")
    page.press("#words", "Enter")
    settles(page, "the words on their way", lambda: ids)
    page.reload()
    page.wait_for_selector("[data-connected=yes]")
    page.locator("#words").press_sequentially(" And costs fell.")
    page.unroute("**/segments")
    page.press("#words", "Enter")
    expect(page.locator("#words")).to_have_value("")
    assert [one["text"] for one in view_of(served, session)["captions"]] == [
        "Revenue grew.",
        "And costs fell.",
    ]
    assert [*dict.fromkeys(ids)] == [ids[0], ids[-1]]


def test_the_same_words_twice_are_not_taken_for_those_before(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    say(page, "Yes.")
    expect(page.locator("#captions li")).to_have_count(1)
    web.forgive("ERR_FAILED")
    page.route("**/segments", lambda route: route.abort())
    page.fill("#words", "Yes.")
    page.press("#words", "Enter")
    expect(page.locator("#refused")).to_contain_text("What you typed is still here")
    assert page.input_value("#words") == "Yes."
    page.unroute("**/segments")
    page.press("#words", "Enter")
    expect(page.locator("#captions li")).to_have_count(2)
    expect(page.locator("#words")).to_have_value("")


def test_what_answers_in_the_servers_place_is_taken_for_no_answer(serve: Serve, web: Web) -> None:
    served = serve()
    page = in_room(web.window().new_page(), served, started(served))
    page.route("**/segments", lambda route: route.fulfill(body="<h1>Sign in to the network</h1>"))
    page.fill("#words", "Revenue grew.")
    page.press("#words", "Enter")
    expect(page.locator("#refused")).to_contain_text("Something between here and the server answered")
    assert page.input_value("#words") == "Revenue grew."


def test_the_first_words_that_are_typed_begin_the_clock_and_it_is_said(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    say(page, "Good morning.")
    expect(page.locator("#notice")).to_have_text("Your words have begun the rehearsal: the clock runs.")
    until("a clock that runs", lambda: view_of(served, session)["now_s"] > 0)
    page.click("#pause")
    page.wait_for_selector("#go:not([hidden])")
    say(page, "And now a pause.")  # which stays one
    expect(page.locator("#captions")).to_contain_text("And now a pause.")
    expect(page.locator("#state")).to_have_text("Paused. The clock stands still.")


def test_words_before_the_beginning_are_no_pause(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    with served.client() as client:  # by a program: who types in the room begins
        client.post(f"/api/v1/sessions/{session}/segments", json={"text": "Can you hear me at the back?"})
    expect(page.locator("#captions")).to_contain_text("at the back")
    expect(page.locator("#state")).to_have_text(re.compile("^You have not begun yet"))
    expect(page.locator("#go")).to_have_text("Begin")
    page.click("#go")
    expect(page.locator("#state")).to_have_text("You have the floor.")
    until("a clock that runs", lambda: view_of(served, session)["now_s"] > 0)
    page.click("#pause")
    expect(page.locator("#state")).to_have_text("Paused. The clock stands still.")
    expect(page.locator("#go")).to_have_text("Go on")


def test_a_starting_page_whose_server_is_gone_says_so_and_keeps_what_was_chosen(
    serve: Serve, web: Web
) -> None:
    served = serve()
    page = web.open(f"{served.url}/new")
    page.click("#sample")
    page.fill("#presenter", "Ada Lind")
    web.forgive(r"ERR_(CONNECTION|INCOMPLETE|EMPTY)")
    served.process.kill()
    served.process.wait()
    page.click("#begin")
    expect(page.locator("#refused")).to_have_text(
        "The server cannot be reached. Start greenroom serve again where it has ended, then try once more."
    )
    expect(page.locator("#begin")).to_be_enabled()
    assert page.input_value("#presenter") == "Ada Lind"


def test_a_room_is_opened_once_where_the_first_answer_was_lost(serve: Serve, web: Web) -> None:
    served = serve()
    page = web.open(f"{served.url}/new")
    page.click("#sample")

    lost: list[Route] = []

    def lose(route: Route) -> None:
        if lost:
            return route.continue_()
        lost.append(route)  # and still routed: what is not would go on by itself
        route.fetch()
        route.abort()
        return None

    web.forgive("ERR_FAILED")
    page.route("**/api/v1/sessions", lose)
    page.click("#begin")
    page.wait_for_url("**/room/*")
    assert len(list((served.home / "sessions").iterdir())) == 1


def test_a_page_is_connected_once_it_has_the_room(serve: Serve, web: Web) -> None:
    """Of a busy server the heartbeat may come first: a key that is pressed then would be for nothing."""
    served = serve()
    page = web.window().new_page()
    page.add_init_script(
        """addEventListener("DOMContentLoaded", () => {
          const room = document.getElementById("room");
          window.were = [];
          new MutationObserver(() => were.push(room.dataset.connected)).observe(room, { attributes: true });
        });"""
    )
    asked: list[Route] = []

    def answer(route: Route) -> None:
        asked.append(route)
        if len(asked) > 1:
            return route.continue_()
        return route.fulfill(content_type="text/event-stream", body="event: heartbeat\ndata: 5\n\n")

    page.route("**/room/events", answer)
    page.goto(f"{served.url}/room/{started(served)}")
    page.wait_for_selector("#go:not([hidden])")
    page.wait_for_selector("[data-connected=yes]")
    assert page.evaluate("were.indexOf('yes') >= were.lastIndexOf('no')")
    assert len(asked) == 2
