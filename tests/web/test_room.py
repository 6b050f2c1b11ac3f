"""The room as on the day: the slide first, all in sight, nothing moves, and every key does one thing."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.web.browser import NO_BROWSER, PATIENCE_MS, UNFOLD, Web, faults_of_axe
from tests.web.conftest import Serve
from tests.web.test_rehearsal import asked, in_room, say, shows_slide, started, view_of

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

sync_api = pytest.importorskip("playwright.sync_api", reason=NO_BROWSER)
expect = sync_api.expect
expect.set_options(timeout=PATIENCE_MS)
pytestmark = pytest.mark.slow  # a real browser and a real server

BOXES = """() => {
  const box = (one) => {
    const { left, top, right, bottom } = document.querySelector(one).getBoundingClientRect();
    return [left, top, right, bottom].map(Math.round);
  };
  const parts = { slide: ".slide-frame", clock: "#used", seats: "#panel", asking: ".asking", field: "#words",
                  send: "#send", actions: ".room-actions", captions: ".captions" };
  return Object.fromEntries(Object.entries(parts).map(([name, one]) => [name, box(one)]));
}"""
IS_SCROLLED = """() =>
  document.documentElement.scrollHeight > innerHeight || document.querySelector("main").scrollTop > 0"""
IS_QUESTION_FIRST = """() => {
  const [question, quotes] = ["question-text", "question-quotes"].map((id) => document.getElementById(id));
  return question.getBoundingClientRect().bottom <= quotes.getBoundingClientRect().top;
}"""
PARTS = """(parts) => parts.map((part) => {
  const { left, top, right, bottom } = document.querySelector(part).getBoundingClientRect();
  return [left, top, right, bottom].map(Math.round);
})"""
PRESSED = """([key, code]) =>
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code, bubbles: true }))"""
DROPPED = """(names) => {
  const transfer = new DataTransfer();
  const deck = (name) => new File([`# ${name}\\n\\n- Costs 3 million\\n`], `${name}.md`);
  for (const name of names) transfer.items.add(deck(name));
  const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
  const beside = document.querySelector("h1");
  return ["dragover", "drop"].map((type) => !beside.dispatchEvent(new DragEvent(type, options)));
}"""
"""Drop decks of these names beside every zone; whether the browser was kept from opening them."""
TELLS = """((data) => {
  window.EventSource = class extends EventTarget {
    constructor() {
      super();
      const tell = (name, data) => this.dispatchEvent(new MessageEvent(name, { data }));
      window.tells = (view) => tell("room", JSON.stringify(view));
      window.breaks = () => { clearInterval(beats); this.dispatchEvent(new Event("error")); };
      const beats = setInterval(tell, 1000, "heartbeat");
      setTimeout(tell, 0, "room", data);
    }
    close() {}
  };
})"""
"""A stream that tells one view, then those of `tells`, and beats until it `breaks`."""
LISTENED = """() => {
  window.told = [];
  const note = (records) => {
    for (const one of records) for (const node of one.addedNodes) told.push(node.textContent);
  };
  for (const id of ["said", "told"]) {
    new MutationObserver(note).observe(document.getElementById(id), { childList: true });
  }
}"""
"""Keep what a reader of screens would be told."""
SIZES = {
    "laptop": ((1280, 800), 100),
    "full screen": ((1920, 1080), 100),
    "large type": ((1280, 800), 200),
    "zoom": ((640, 400), 100),  # 200 % of that laptop
    "phone": ((390, 844), 100),
    "phone on its side": ((844, 390), 100),
}
TOPS = "['.stage-box', '.side', '.dock'].map(one => document.querySelector(one).getBoundingClientRect().top)"
COVERED = """[...document.querySelectorAll("#room :is(button, textarea), .turn, .panel")].filter(one => {
  const [a, b] = [one, document.getElementById("notice")].map(each => each.getBoundingClientRect());
  const isSeen = a.width > 0 && !one.closest("dialog, .stage-box");
  return isSeen && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}).map(one => one.id || one.className)"""
PASTED_AS_IT_COMES = """words => new MutationObserver((_, all) => {
  if (document.getElementById("question").hidden) return;
  all.disconnect();
  const field = document.getElementById("words");
  field.value = words;
  field.dispatchEvent(new InputEvent("input"));
}).observe(document.getElementById("question"), { attributes: true })"""


def area(box: list[int]) -> int:
    left, top, right, bottom = box
    return (right - left) * (bottom - top)


def overlap(one: list[int], other: list[int]) -> bool:
    """Whether two boxes (left, top, right, bottom) have a place in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def begun(page: Page) -> None:
    page.keyboard.press("Space")
    page.wait_for_selector("#pause:not([hidden])")


def settles(page: Page, what: str, is_so: Callable[[], object]) -> None:
    """Wait until it is so, while the page goes on: what a test hears of its requests comes in between."""
    for _ in range(PATIENCE_MS // 50):
        if is_so():
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came: {what}")


def has_focus(page: Page, name: str) -> bool:
    return bool(page.evaluate("document.activeElement.id") == name)


def puts(page: Page, path: str) -> list[Any]:
    """The bodies of all requests that change something at addresses that end so, from here on.

    What is sent again by its id, as no answer came, is the same request.
    """
    sent: list[Any] = []
    ids: set[str] = set()

    def note(request: Any) -> None:
        if request.method not in ("PUT", "POST") or not request.url.endswith(path):
            return
        known = request.headers.get("idempotency-key", f"{len(sent)}")
        if known not in ids:
            ids.add(known)
            sent.append(json.loads(request.post_data or "{}"))

    page.on("request", note)
    return sent


def told(page: Page, view: dict[str, Any]) -> None:
    """The room's page shows this view, as if the server had sent it."""

    page.add_init_script(f"{TELLS}({json.dumps(json.dumps(view))})")
    page.reload()
    page.wait_for_selector("#room")
    expect(page.locator("#slide-name")).to_contain_text(" of ")


@pytest.mark.parametrize("size", SIZES)
def test_all_is_in_sight_the_slide_is_largest_and_a_question_moves_nothing(
    serve: Serve, web: Web, size: str
) -> None:
    (width, height), percent = SIZES[size]
    served = serve()
    page = in_room(
        web.window(viewport={"width": width, "height": height}).new_page(), served, started(served)
    )
    page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")
    begun(page)
    for words in ("Revenue grew eighteen percent to 4.2 million euros in 2026.", "We are the leading one."):
        say(page, words)
    page.locator("#words").blur()
    before = page.evaluate(BOXES)
    page.focus("#words")
    assert page.evaluate(BOXES) == before
    page.locator("#words").blur()
    page.keyboard.press("q")
    asked(page)
    after = page.evaluate(BOXES)
    assert after == before
    assert not overlap(after["field"], after["captions"])
    assert not page.evaluate(IS_SCROLLED)
    for name in ("slide", "clock", "seats", "asking", "field", "send", "captions"):
        left, top, right, bottom = after[name]
        assert 0 <= left < right <= width, (name, after[name])
        assert 0 <= top < bottom <= height, (name, after[name])
        assert name == "slide" or area(after[name]) < area(after["slide"]), name
    expect(page.locator("#question-text")).to_be_in_viewport()
    assert page.evaluate(IS_QUESTION_FIRST)
    for button in ("done", "park", "pause", "call", "finish", "more", "next"):
        expect(page.locator(f"#{button}")).to_be_in_viewport(ratio=0.99)
    assert faults_of_axe(page) == []


def test_in_the_smallest_window_the_question_is_seen_and_no_button_is_cut(serve: Serve, web: Web) -> None:
    served = serve()
    page = web.window(viewport={"width": 195, "height": 422}).new_page()  # a telephone at a zoom of 200 %
    in_room(page, served, started(served))
    begun(page)
    page.keyboard.press("q")
    asked(page)
    expect(page.locator("#question-text")).to_be_in_viewport()
    for button in ("done", "park", "pause", "call", "finish", "more", "next"):
        ((left, _, right, _),) = page.evaluate(PARTS, [f"#{button}"])
        assert 0 <= left < right <= 195, button


LINES_OF_A_QUESTION = 2
LINE_OF = "(selector) => parseFloat(getComputedStyle(document.querySelector(selector)).lineHeight)"


@pytest.mark.parametrize("size", [(1280, 800), (640, 400), (390, 844), (195, 422), (312, 531), (844, 390)])
def test_in_the_presenters_window_no_part_lies_over_another(
    serve: Serve, web: Web, size: tuple[int, int]
) -> None:
    served = serve()
    session = started(served)
    begun(in_room(web.window().new_page(), served, session))
    page = web.window(viewport={"width": size[0], "height": size[1]}).new_page()
    in_room(page, served, session, "/presenter")
    apart(page, [".now .slide-frame", ".coming", "#pace", "#plan", "#fillers-on", ".notes", "#next"], size)
    with served.client() as client:
        client.post(f"/api/v1/sessions/{session}/ask", json={}).raise_for_status()
    page.wait_for_selector("#question:not([hidden])")
    apart(page, [".now .slide-frame", ".asking-in", "#done", "#park", "#next"], size)
    (box,) = page.evaluate(PARTS, [".asking-in"])
    assert box[3] - box[1] >= LINES_OF_A_QUESTION * page.evaluate(LINE_OF, "#question-text")


def apart(page: Page, names: list[str], size: tuple[int, int]) -> None:
    """Check that no part lies over another or is cut at a side, and that the slide is the widest."""
    parts = page.evaluate(PARTS, names)
    assert [
        (name, other)
        for at, (name, box) in enumerate(zip(names, parts, strict=True))
        for other, beside in zip(names[:at], parts[:at], strict=True)
        if overlap(box, beside)
    ] == []
    assert all(0 <= left < right <= size[0] and top < bottom for left, top, right, bottom in parts)
    left, _, right, _ = parts[0]
    assert (right - left) / size[0] > 0.4


def test_the_last_caption_is_seen_from_its_beginning(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    caption = {"at_s": 1.0, "speaker": None, "slide": 1, "doubt": None, "misheard": None}
    long = "We carry chilled food and medicines for many customers. " * 8
    captions = [
        {**caption, "number": 1, "text": "We sail to Saltmere."},
        {**caption, "number": 2, "text": long, "misheard": long},
    ]
    told(page, {**view_of(served, session), "is_running": True, "captions": captions})
    strip, last = page.evaluate(PARTS, [".captions", "#captions li:last-child .caption-words"])
    assert strip[1] <= last[1] < strip[3]


def test_the_windows_follow_the_room_and_a_dark_screen_is_dark_everywhere(serve: Serve, web: Web) -> None:
    served = serve()
    page = in_room(web.window().new_page(), served, started(served))
    begun(page)
    windows = []
    for number, name in enumerate(("audience", "presenter")):
        page.keyboard.press("?")
        with page.expect_popup() as opened:
            page.locator("a[data-window]").nth(number).click()
        page.keyboard.press("Escape")
        assert urlsplit(opened.value.url).path.endswith(f"/{name}")
        windows.append(opened.value)
    audience, presenter = windows
    for window in windows:
        window.wait_for_selector("[data-connected=yes]")
    page.keyboard.press("PageDown")
    shows_slide(page, 2)
    shown = "#stage-slide .slide-card:visible .sheet-title"
    title = page.locator(shown).inner_text()
    for window in windows:
        expect(window.locator(shown)).to_have_text(title)
    expect(presenter.locator("#next-slide .slide-card:visible .sheet-title")).not_to_have_text(title)
    expect(presenter.locator("#pace")).to_contain_text("plan")
    assert audience.locator("#used, #question, textarea").count() == 0
    audience.bring_to_front()
    audience.keyboard.press("b")
    for window in (page, audience):
        expect(window.locator("#stage-slide .slide-dark")).to_be_visible()
    expect(presenter.locator("#state")).to_have_text("The audience sees a dark screen.")
    assert [presenter.inner_text("#blank"), presenter.inner_text(shown)] == ["Show the slide", title]
    presenter.keyboard.press(".")
    for window in (page, *windows):
        expect(window.locator("#stage-slide .slide-dark")).to_be_hidden()
    audience.keyboard.press("PageDown")
    shows_slide(page, 3)
    assert faults_of_axe(audience) == []
    assert faults_of_axe(presenter) == []


def test_the_presenters_window_counts_fillers_for_whoever_wants_them(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = web.window().new_page()
    page.goto(f"{served.url}/room/{session}/presenter")
    page.wait_for_selector("[data-connected=yes]")
    with served.client() as client:
        words = "Um, we carried more people, and, you know, we will carry more again, I think, in the spring."
        client.post(f"/api/v1/sessions/{session}/segments", json={"text": words})
    assert page.inner_text("#fillers") == ""
    page.click("#fillers-on")
    expect(page.locator("#fillers")).to_contain_text("“um” 1")
    page.reload()
    expect(page.locator("#fillers")).to_contain_text("“um” 1")  # this browser wants them
    counts: list[Route] = []
    page.route("**/delivery", lambda route: route.continue_() if counts else counts.append(route))
    asking: list[str] = []
    page.on("request", lambda one: asking.append(one.url) if one.url.endswith("/delivery") else None)
    with served.client() as client:
        for number in range(5):
            client.put(f"/api/v1/sessions/{session}/slide", json={"slide": 2 - number % 2})
            shows_slide(page, 2 - number % 2)
    counts[0].continue_()
    settles(page, "one more count", lambda: len(asking) == 2)
    page.wait_for_timeout(500)
    assert len(asking) == 2  # what came while one was counted is counted by one more


def test_the_time_is_held_against_the_plan(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served, minutes=10)
    view = {**view_of(served, session), "is_running": False}
    assert sum(view["plan"]) == pytest.approx(600)
    first = view["plan"][0]
    page = web.window().new_page()
    page.goto(f"{served.url}/room/{session}/presenter")
    shown = {}
    for used_s, slide in ((first - 10, 1), (first + 65, 1), (first - 30, 2)):
        told(page, {**view, "used_s": used_s, "slide": slide})
        shown[used_s, slide] = (page.get_attribute("#pace", "data-is"), page.inner_text("#pace"))
    assert list(shown.values()) == [
        ("even", "On the plan"),
        ("late", "1:05 behind the plan"),
        ("early", "0:30 ahead of the plan"),
    ]


def test_a_slide_is_reached_by_its_number_an_overview_and_a_quote(serve: Serve, web: Web) -> None:
    served = serve()
    page = in_room(web.window().new_page(), served, started(served))
    begun(page)
    page.keyboard.type("3")
    expect(page.locator("#slide-name")).to_have_text("Slide 3, then Enter")
    page.keyboard.press("Enter")
    shows_slide(page, 3)
    page.keyboard.type("99")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("There is no slide 99: the deck has 4.")
    page.keyboard.type("2")
    page.keyboard.press("Escape")  # thought better of it
    page.keyboard.press("Enter")
    shows_slide(page, 3)
    page.keyboard.press("o")
    page.wait_for_selector("#overview[open]")
    assert faults_of_axe(page) == []
    assert page.evaluate("document.activeElement.dataset.number") == "3"
    page.keyboard.press("PageUp")
    page.keyboard.press("Enter")
    shows_slide(page, 2)
    page.keyboard.press("o")
    page.locator("#overview .slide-button").nth(3).click()
    shows_slide(page, 4)
    view = view_of(served, urlsplit(page.url).path.rpartition("/")[2])
    question = {
        "exchange": "x1",
        "agent": view["panel"][1]["agent"],
        "name": "Ines",
        "color": "#336699",
        "text": "Why?",
        "quotes": ['slide 1: "Revenue grew"', 'said at 0:12: "it did"'],
        "slides": [1, None],
        "turn": 1,
        "is_judged": True,
        "remark": "",
        "at_s": 1.0,
        "put_at_s": 1.0,
    }
    moved = puts(page, "/slide")
    told(page, {**view, "question": question})
    assert page.locator("#question-quotes button").count() == 1
    page.locator("#question-quotes button").click()
    settles(page, "the slide", lambda: moved == [{"slide": 1}])


def test_a_press_counts_from_the_slide_that_was_asked_for_before_it_is_shown(serve: Serve, web: Web) -> None:
    served = serve()
    page = in_room(web.window().new_page(), served, started(served))
    page.keyboard.press("Space")
    page.wait_for_selector("#pause:not([hidden])")
    web.forgive("409")
    asked: list[int] = []

    def answer(route: Route) -> None:
        asked.append(json.loads(route.request.post_data or "")["slide"])
        if len(asked) < 3:
            route.fulfill(json={"slide": asked[-1]})
        else:
            route.fulfill(status=409, json={"detail": "not now"})

    page.route("**/slide", answer)
    for _ in range(3):
        with page.expect_response("**/slide"):
            page.keyboard.press("ArrowRight")
    expect(page.locator("#refused")).to_have_text("Not now.")
    with page.expect_response("**/slide"):
        page.keyboard.press("ArrowRight")
    assert asked == [2, 3, 4, 2]  # what was refused is not asked for any more


def test_a_key_that_is_held_counts_once(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    drives, pauses, slides = puts(page, "/drive"), puts(page, "/pause"), puts(page, "/slide")
    for _ in range(25):
        page.keyboard.down("Space")  # again without an end: the browser marks it as a repetition
    page.keyboard.up("Space")
    page.wait_for_selector("#pause:not([hidden])")
    for key in ("PageDown", "ArrowRight"):
        for _ in range(5):
            page.keyboard.down(key)
        page.keyboard.up(key)
    shows_slide(page, 3)
    page.focus("#next")
    for _ in range(5):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    shows_slide(page, 4)
    assert (len(drives), len(pauses)) == (1, 0)
    assert [one["slide"] for one in slides] == [2, 3, 4]


def test_a_clickers_keys_work_in_the_field_and_words_stay_words(serve: Serve, web: Web) -> None:
    served = serve()
    page = in_room(web.window().new_page(), served, started(served))
    begun(page)
    page.click("#words")
    page.keyboard.press("PageDown")
    shows_slide(page, 2)
    page.keyboard.press("ArrowRight")  # the field is empty: no caret wants it
    shows_slide(page, 3)
    page.keyboard.press(".")
    expect(page.locator(".slide-dark")).to_be_visible()
    page.keyboard.press("b")  # alone in an empty field
    expect(page.locator(".slide-dark")).to_be_hidden()
    assert page.input_value("#words") == ""
    page.keyboard.type("but 3.5 boats")
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(1000)
    assert page.input_value("#words") == "but 3.5 boats"
    expect(page.locator(".slide-dark")).to_be_hidden()
    page.keyboard.press("PageUp")
    shows_slide(page, 2)
    assert page.input_value("#words") == "but 3.5 boats"
    page.keyboard.press("F5")
    settles(page, "a full screen", lambda: page.evaluate("document.fullscreenElement !== null"))
    assert page.input_value("#words") == "but 3.5 boats"  # it was no reload
    page.evaluate("document.exitFullscreen()")
    page.click("#send")
    expect(page.locator("#words")).to_have_value("")
    page.keyboard.press("PageDown")
    shows_slide(page, 3)


@pytest.mark.parametrize(("key", "code"), [("й", "KeyQ"), (";", "KeyQ"), ("q", "KeyQ"), ("q", "")])
def test_letters_count_by_their_place(serve: Serve, web: Web, key: str, code: str) -> None:
    served = serve()
    page = in_room(web.window().new_page(), served, started(served))
    begun(page)
    say(page, "We are the leading ferry operator on the estuary.")
    page.locator("#words").blur()
    page.evaluate(PRESSED, [key, code])
    asked(page)


def test_a_rehearsal_needs_a_clicker_alone(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    page.keyboard.press("F5")
    page.wait_for_selector("#pause:not([hidden])")
    for number in (2, 3, 4):
        with served.client() as client:  # what is said, as a microphone brings it
            client.post(
                f"/api/v1/sessions/{session}/segments", json={"text": f"We carry {number}00 people a day."}
            )
        page.keyboard.press("PageDown")
        shows_slide(page, number)
    page.keyboard.press("b")
    expect(page.locator(".slide-dark")).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator(".slide-dark")).to_be_hidden()
    page.keyboard.press("PageDown")  # behind the last slide
    page.wait_for_selector("#ending[open]")
    page.keyboard.press("PageUp")  # no, not yet
    page.wait_for_selector("#ending:not([open])", state="attached")
    page.keyboard.press("PageDown")
    page.wait_for_selector("#ending[open]")
    page.keyboard.press("PageDown")
    page.keyboard.press(".")
    page.wait_for_url(f"**/debrief/{session}")


def test_many_pages_of_a_room_share_one_stream_which_outlives_each(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    window = web.window()
    streams: list[str] = []
    window.on("request", lambda one: streams.append(one.url) if one.url.endswith("/events") else None)
    pages = [in_room(window.new_page(), served, session) for _ in range(8)]
    assert len(streams) == 1
    begun(pages[-1])  # six streams would have left no connection for it
    for number in (2, 3):
        pages[-1].keyboard.press("PageDown")
        for page in pages:
            shows_slide(page, number)
        pages.pop(0).close()  # the one that had the stream
    late = in_room(window.new_page(), served, session)
    expect(late.locator("#pause")).to_be_visible()
    shows_slide(late, 3)
    late.keyboard.press("Space")  # while the clock runs, each page shows its own last quarter of a second
    for page in (late, pages[0]):
        expect(page.locator("#go")).to_be_visible()
    assert late.inner_text("#used") == pages[0].inner_text("#used")


def test_back_is_no_trap_and_leaves_nothing_dead(serve: Serve, web: Web) -> None:
    served = serve()
    page = web.open(f"{served.url}/new")
    page.click("#sample")
    page.wait_for_selector("#understood:not([hidden])")
    page.fill("#presenter", "Dana")
    page.fill("#minutes", "7")
    page.evaluate(UNFOLD)
    page.uncheck("#seat-analyst")
    page.reload()
    page.wait_for_selector("#understood:not([hidden])")
    chosen = (page.input_value("#presenter"), page.input_value("#minutes"), page.is_checked("#seat-analyst"))
    assert chosen == ("Dana", "7", False)
    page.click("#begin")
    page.wait_for_url("**/room/*")
    page.wait_for_selector("[data-connected=yes]")
    page.go_back()
    page.wait_for_selector("#understood:not([hidden])")
    expect(page.locator("#begin")).to_be_enabled()
    page.click("#begin")
    page.wait_for_url("**/room/*")
    page.wait_for_selector("[data-connected=yes]")
    page.keyboard.press("e")
    page.click("#ending-yes")
    page.wait_for_url("**/debrief/*")
    page.go_back()
    page.wait_for_url("**/new")


def test_a_file_beside_the_zone_is_read_the_newer_wins_and_the_second_is_told(serve: Serve, web: Web) -> None:
    served = serve()
    page = web.open(f"{served.url}/new")
    slow: list[Route] = []

    def hold(route: Route) -> None:
        if slow:
            route.continue_()
        else:
            slow.append(route)

    page.route("**/api/v1/decks", hold)
    assert page.evaluate(DROPPED, ["First"]) == [True, True]  # the browser is kept from opening it
    settles(page, "the first upload", lambda: slow)
    page.evaluate(DROPPED, ["Second", "Third"])
    expect(page.locator("#counts")).to_contain_text("Second")
    expect(page.locator("#passed-over")).to_contain_text("Second.md is read, Third.md not")
    slow[0].continue_()
    page.wait_for_timeout(1000)
    assert "Second" in page.inner_text("#counts")
    page.goto(f"{served.url}/review")
    assert page.evaluate(DROPPED, ["First"]) == [True, True]


def test_what_is_said_is_read_out_once_and_no_button_loses_the_focus(serve: Serve, web: Web) -> None:
    served = serve()
    page = in_room(web.window().new_page(), served, started(served))
    page.evaluate(LISTENED)
    for button, then in (("#go", "pause"), ("#pause", "go"), ("#go", "pause")):
        page.focus(button)
        page.keyboard.press("Enter")
        settles(page, f"the focus on {then}", partial(has_focus, page, then))
    say(page, "We are the leading ferry operator on the estuary, with 212,000 passengers a year.")
    page.focus("#send")
    page.fill("#words", "Revenue grew eighteen percent.")
    page.focus("#send")
    page.keyboard.press("Enter")
    expect(page.locator("#words")).to_have_value("")
    assert page.evaluate("document.activeElement.id") == "send"
    page.focus("#call")
    page.keyboard.press("Enter")
    question = asked(page)
    assert page.evaluate("document.activeElement.id") == "call"
    page.focus("#park")
    page.keyboard.press("Enter")
    page.wait_for_selector("#question", state="hidden")
    assert page.evaluate("document.activeElement.id") == "pause"
    said = page.evaluate("window.told")
    assert len(said) == len(set(said)), said
    assert sum(question in one for one in said) == 1


def test_doubt_and_correction_are_shown_and_a_click_corrects(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    caption = {"at_s": 1.0, "speaker": None, "slide": 1, "doubt": None, "misheard": None}
    view = {
        **view_of(served, session),
        "is_running": True,
        "captions": [
            {**caption, "number": 1, "text": "We sail to Fenmark.", "doubt": "confidence"},
            {
                **caption,
                "number": 2,
                "text": "To Saltmere.",
                "misheard": "Too salt mirror.",
                "is_judged": True,
            },
        ],
    }
    told(page, view)
    first, second = page.locator("#captions li").all()
    expect(first).to_contain_text("Heard with doubt.")
    expect(second.locator("del")).to_have_text("Too salt mirror.")
    expect(second).to_contain_text("To Saltmere.")
    sent = puts(page, "/segments/1")
    speaking = puts(page, "/speaking")
    page.route("**/segments/1", lambda route: route.fulfill(json={}))
    first.locator("button").click()
    settles(page, "that nobody is silent", lambda: speaking)
    expect(page.locator("#correcting-heard")).to_have_text("We sail to Fenmark.")
    assert faults_of_axe(page) == []
    counts = page.locator("#correcting-counts")
    expect(counts).to_have_text("The panel goes by your text; what was heard stays beside it.")
    page.fill("#correcting-words", "We sail to Fennmark.")
    page.keyboard.press("Shift+Enter")
    assert page.input_value("#correcting-words") == "We sail to Fennmark.\n"
    page.keyboard.press("Enter")
    settles(page, "the correction", lambda: sent == [{"text": "We sail to Fennmark."}])
    expect(page.locator("#correcting")).not_to_be_visible()
    second.locator("button").click()
    expect(counts).to_have_text(
        "This answer is judged: its verdict stays on what was heard. All that comes after goes by your text."
    )


def test_a_correction_stays_until_it_is_taken_and_is_asked_about_at_the_end(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    say(page, "We sail to Fenmark.")
    page.locator("#captions button").click()
    page.fill("#correcting-words", "We sail to Fennmark.")
    web.forgive("status of 5|status of 4")
    busy = {"status": 503, "json": {"detail": "another program holds the session"}}
    answers = [busy, {"status": 400, "json": {"detail": "the disk is full"}}]
    page.route("**/segments/1", lambda route: route.fulfill(**answers.pop(0)))
    page.click("#correcting-yes")
    expect(page.locator("#correcting-refused")).to_have_text("The disk is full.")
    assert answers == []  # what another program held back was sent again
    assert page.input_value("#correcting-words") == "We sail to Fennmark."
    with served.client() as client:
        client.post(f"/api/v1/sessions/{session}/end", json={})
    expect(page.locator("#ended")).to_contain_text("what you typed here was not sent: copy it")
    assert page.input_value("#correcting-words") == "We sail to Fennmark."


def test_words_begun_before_a_question_are_the_talks_unless_they_are_said_to_be_the_answer(
    serve: Serve, web: Web
) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    begun(page)
    say(page, "We are the leading ferry operator on the estuary.")
    settles(page, "a clock that runs", lambda: view_of(served, session)["now_s"] > 0.5)
    page.fill("#words", "It is audited.")
    page.locator("#words").blur()
    page.wait_for_timeout(300)
    page.keyboard.press("q")
    asked(page)
    controls = [page.locator(one) for one in ("#words-label", "#send", "#mine")]
    assert [one.inner_text() for one in controls] == [
        "Begun before the question",
        "Say it",
        "It is my answer",
    ]
    page.click("#mine")
    name = page.inner_text("#question-name")
    expect(controls[0]).to_have_text(f"Your answer to {name}")
    expect(controls[1]).to_have_text("Answer")
    expect(controls[2]).to_be_hidden()
    page.press("#words", "Enter")
    expect(page.locator("#words")).to_have_value("")
    view = view_of(served, session)
    assert view["closed"] or view["question"]["turn"] == 2


def test_words_begun_as_a_question_comes_into_sight_are_the_talks_after_a_reload_too(
    serve: Serve, web: Web
) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    say(page, "We are the leading ferry operator on the estuary.")
    settles(page, "a clock that runs", lambda: view_of(served, session)["now_s"] > 0.5)
    pasted = "It is the operator that carries most."
    page.evaluate(PASTED_AS_IT_COMES, pasted)
    page.click("#call")
    controls = [page.locator(one) for one in ("#words-label", "#send")]
    name = asked(page) and page.inner_text("#question-name")
    for _ in "now", "reloaded":
        assert page.input_value("#words") == pasted
        assert [one.inner_text() for one in controls] == ["Begun before the question", "Say it"]
        page.reload()
        page.wait_for_selector("[data-connected=yes]")
    page.press("#words", "Enter")
    expect(page.locator("#words")).to_have_value("")
    expect(page.locator("#captions")).to_contain_text(pasted)
    view = view_of(served, session)
    assert (view["turn"]["phase"], view["closed"]) == ("asked", [])
    expect(controls[0]).to_have_text(f"Your answer to {name}")
    page.fill("#words", "By passengers")
    page.click("#pause")
    page.reload()
    page.wait_for_selector("[data-connected=yes]")
    expect(controls[0]).to_have_text(f"Your answer to {name}")
    say(page, "By passengers, in 2025.")
    settles(page, "the answer", lambda: view_of(served, session)["turn"]["back"] is not None)


def test_a_question_that_is_taken_back_is_read_out_again(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    view = view_of(served, session)
    begun(page)
    say(page, "We are the leading ferry operator on the estuary.")
    page.locator("#words").blur()
    page.keyboard.press("q")
    question = asked(page)
    asking = view_of(served, session)
    told(page, asking)
    page.evaluate(LISTENED)
    page.evaluate("tells", view)
    page.evaluate("tells", asking)
    assert [question in one for one in page.evaluate("window.told")].count(True) == 1


def test_hidden_slides_are_shown_to_nobody_before_the_beginning(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    window = web.window()
    window.add_init_script(
        """document.addEventListener("readystatechange", () => {
          const first = document.querySelectorAll('.slide-card[data-slide="1"]');
          for (const card of first) card.dataset.isHidden = "";
        });"""
    )
    page = in_room(window.new_page(), served, session)
    audience = in_room(window.new_page(), served, session, "/audience")
    shows_slide(page, 2)
    expect(audience.locator(".slide-card:visible")).to_have_attribute("data-slide", "2")


@pytest.mark.parametrize("window", ["", "/audience", "/presenter"])
def test_slides_change_in_the_order_of_the_keys(serve: Serve, web: Web, window: str) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session, window)
    held: list[Route] = []
    web.forgive("ERR_FAILED")
    page.route("**/slide", lambda route: route.continue_() if held else held.append(route))
    page.keyboard.press("PageDown")
    settles(page, "the first slide on its way", lambda: held)
    page.keyboard.press("PageDown")
    page.wait_for_timeout(500)
    held[0].abort()  # it is sent again
    settles(page, "the third slide", lambda: view_of(served, session)["slide"] == 3)
    page.wait_for_timeout(1000)
    assert view_of(served, session)["slide"] == 3


def test_once_it_has_ended_nothing_is_offered_but_the_debrief(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    presenter = web.open(f"{served.url}/room/{session}/presenter")
    begun(page)
    page.fill("#words", "And we open in May.")
    page.locator("#words").blur()
    expect(presenter.locator("#pause")).to_be_visible()
    with served.client() as client:
        client.post(f"/api/v1/sessions/{session}/end", json={})
    expect(page.locator("#ended a")).to_be_visible()
    expect(presenter.locator("#state")).to_have_text("The rehearsal has ended.")
    left = presenter.locator(".room-actions :is(a, button):visible").all_inner_texts()
    assert left == ["Go to the debrief", "Full screen"]
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.url))
    for key in ("PageDown", "b", "q", "Space", "e", "2", "Enter"):
        page.keyboard.press(key)
    page.wait_for_timeout(500)
    assert sent == []
    assert page.locator("button:visible:enabled, dialog[open]").count() == 0
    page.click("#ended a")
    page.wait_for_url(f"**/debrief/{session}")


def test_a_stream_that_dies_without_a_word_is_opened_anew_by_whoever_hears_nothing(
    serve: Serve, web: Web
) -> None:
    served = serve()
    session = started(served)
    window = web.window()
    leader = in_room(window.new_page(), served, session)
    follower = window.new_page()
    follower.add_init_script(
        "const now = performance.now.bind(performance); performance.now = () => now() * 5"
    )
    in_room(follower, served, session)
    leader.evaluate("BroadcastChannel.prototype.postMessage = () => {}")  # as if it slept
    with follower.expect_request("**/events"):
        pass
    with follower.expect_request("**/events"):  # heartbeats come too rarely for a page whose time flies
        pass
    leader.keyboard.press("PageDown")
    shows_slide(follower, 2)


def test_whose_turn_it_is_stands_beside_the_question(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    view = {**view_of(served, session), "is_running": True}
    nothing = {"phase": "talk", "ends_in_s": None, "held": None, "back": None, "waits": None, "stopped": None}
    words = page.locator("#turn-words")

    told(page, {**view, "turn": {**nothing, "phase": "pausing", "ends_in_s": 4.6}})
    expect(words).to_have_text("Your answer ends in 0 s, unless you go on.")  # it has counted by itself
    page.evaluate("breaks()")  # a server that is gone counts down no more
    expect(words).to_have_text("")
    done = puts(page, "/answer/done")
    page.route("**/answer/*", lambda route: route.fulfill(json={}))
    page.keyboard.press("d")
    settles(page, "the end of the answer", lambda: done)

    told(page, {**view, "turn": {**nothing, "phase": "answering", "held": "Two words are in doubt"}})
    expect(words).to_have_text("Two words are in doubt.")
    page.unroute("**/answer/*")
    page.route("**/park", lambda route: None)  # the last words are being recognised
    page.evaluate("document.querySelector('#park').click()")
    expect(page.locator("#notice")).to_have_text("It is set aside as soon as your last words are in.")
    page.route("**/answer/*", lambda route: route.fulfill(json={}))
    told(page, {**view, "turn": {**nothing, "back": "x1"}})
    expect(page.locator("#done")).to_be_hidden()
    told(page, {**view, "turn": {**nothing, "phase": "asked", "back": "x1"}})
    expect(page.locator("#done")).to_be_visible()  # one sentence may be all of it, and on its way
    expect(page.locator("#back")).to_have_text("Take back the last answer")  # not of what is asked now
    expect(page.locator("#talk")).to_have_text("The last answer was my talk")
    told(page, {**view, "turn": {**nothing, "phase": "answering", "back": "x1"}})
    expect(page.locator("#back")).to_have_text("Take it back")
    expect(page.locator("#talk")).to_have_text("That was my talk")
    page.route("**/answer/*", lambda route: route.fulfill(json=view))
    back, talk = puts(page, "/answer/back"), puts(page, "/answer/talk")
    page.keyboard.press("t")
    settles(page, "the way back", lambda: back)
    expect(page.locator("#notice")).to_contain_text("is taken back: the question is open again.")
    page.keyboard.press("g")
    settles(page, "the talk", lambda: talk)
    expect(page.locator("#notice")).to_have_text(
        "It counts as your talk. The question comes again once you have gone on and paused."
    )
    told(page, {**view, "turn": {**nothing, "waits": "slide"}})
    expect(words).to_have_text("A question is ready: it waits until you have begun this slide and paused.")
    told(page, {**view, "turn": {**nothing, "waits": "pause"}})
    expect(words).to_have_text("A question is ready: it waits for your next pause.")
    now = puts(page, "/questions")
    page.route("**/questions", lambda route: route.fulfill(json={}))
    expect(page.locator("#call")).to_have_text("Questions now")
    page.click("#call")
    settles(page, "the questions", lambda: now)
    told(page, {**view, "turn": {**nothing, "stopped": "The clock stood: nobody had the room open"}})
    expect(words).to_contain_text("nobody had the room open")


def test_the_screen_is_kept_awake_while_the_clock_runs(serve: Serve, web: Web) -> None:
    served = serve()
    window = web.window()
    window.add_init_script(
        """if (navigator.wakeLock) navigator.wakeLock.request = async () => {
          const lock = new EventTarget();
          window.awake = true;
          lock.release = async () => { window.awake = false; lock.dispatchEvent(new Event("release")); };
          return lock;
        };"""
    )
    page = in_room(window.new_page(), served, started(served))
    assert not page.evaluate("window.awake")
    begun(page)
    settles(page, "a lock on the screen", lambda: page.evaluate("window.awake"))
    page.keyboard.press("Space")
    settles(page, "its end", lambda: not page.evaluate("window.awake"))


def test_a_chart_is_the_same_in_preview_room_and_debrief(serve: Serve, web: Web) -> None:
    table = "# Use of funds\n\n| Use | EUR |\n|---|---|\n| Boats | 3,000 |\n| Piers | 1,000 |\n"
    served = serve()
    page = web.open(f"{served.url}/new")
    page.set_input_files("#file", {"name": "deck.md", "mimeType": "text/markdown", "buffer": table.encode()})
    page.wait_for_selector("#understood:not([hidden])")
    page.evaluate(UNFOLD)
    expect(page.locator("#drawn")).to_have_text(
        "The room draws each slide from the deck’s own text, tables and charts."
    )
    shown = [page.locator("#slides .sheet").inner_html()]
    page.click("#begin")
    page.wait_for_url("**/room/*")
    page.wait_for_selector("[data-connected=yes]")
    shown.append(page.locator("#stage-slide .sheet").inner_html())
    assert "Piers" in shown[0]
    assert shown[0] == shown[1]


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_a_notice_covers_no_control_and_to_begin_moves_nothing(
    serve: Serve, web: Web, width: int, height: int
) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window(viewport={"width": width, "height": height}).new_page(), served, session)
    before = page.evaluate(TOPS)
    say(page, "We are the leading ferry operator on the estuary.")
    expect(page.locator("#notice")).to_contain_text("Your words have begun the rehearsal")
    assert page.evaluate(TOPS) == before
    assert page.evaluate(COVERED) == []


def test_a_long_sentence_is_corrected_from_its_end_and_seen_whole(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    words = " ".join(f"word{number}" for number in range(60))
    say(page, words)
    page.wait_for_selector("#pause:not([hidden])")
    page.click("#captions button")
    field = "document.getElementById('correcting-words')"
    assert page.evaluate(f"[{field}.selectionStart, {field}.selectionEnd]") == [len(words)] * 2
    assert page.evaluate(f"{field}.scrollHeight <= {field}.clientHeight")
    assert page.inner_text("#correcting-clock") == "The clock runs on meanwhile."


def test_the_field_shows_whom_its_words_go_to_and_the_end_what_becomes_of_the_question(
    serve: Serve, web: Web
) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    expect(page.locator("#words")).to_have_attribute("placeholder", "A line of your talk")
    say(page, "We are the leading ferry operator on the estuary, with 212,000 passengers a year.")
    page.wait_for_selector("#pause:not([hidden])")
    page.click("#call")
    asked(page)
    name = page.inner_text("#question-name")
    expect(page.locator("#words")).to_have_attribute("placeholder", f"Answer {name} here")
    expect(page.locator("#composer")).to_have_class("composer is-answer")
    expect(page.locator("#send")).to_have_text("Answer")
    page.click("#finish")
    expect(page.locator("#ending-question")).to_have_text(
        f"{name}’s question is open: it stays without an answer."
    )
    page.click("#ending-no")
    question = page.inner_text("#question-text")
    page.click("#park")
    expect(page.locator("#question")).to_be_hidden()
    page.click("#finish")
    expect(page.locator("#ending-parked-words")).to_have_text(
        "You asked to come back to this question: it goes home with you as open."
    )
    expect(page.locator("#ending-parked-list")).to_contain_text(f"{name}: ")
    page.click("#ending-take")
    expect(page.locator("#question")).to_be_visible()  # its words stood there before, hidden
    expect(page.locator("#question-text")).to_have_text(question)
    page.click("#finish")
    expect(page.locator("#ending-parked")).to_be_hidden()
    page.click("#ending-no")


def test_who_types_goes_on_typing_whatever_is_pressed_with_the_pointer(serve: Serve, web: Web) -> None:
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    say(page, "We are the leading ferry operator on the estuary, with 212,000 passengers a year.")
    page.wait_for_selector("#pause:not([hidden])")
    page.click("#words")
    page.click("#call")
    asked(page)
    page.keyboard.type("About 212,000 till last May.")  # letters of which many are keys elsewhere
    expect(page.locator("#words")).to_have_value("About 212,000 till last May.")
    page.click("#done")
    expect(page.locator("#words")).to_have_value("")
    expect(page.locator("#refused")).to_be_empty()
    expect(page.locator("#captions")).to_contain_text("About 212,000 till last May.")
    page.keyboard.type("til")
    expect(page.locator("#words")).to_have_value("til")
    expect(page.locator("dialog[open]")).to_have_count(0)
