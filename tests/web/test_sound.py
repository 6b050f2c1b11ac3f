"""The microphone on the pages: which one, whether it is heard, and why not, each cause in its own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

import pytest

from orchestrator.material.speech.recognition import Heard
from orchestrator.material.speech.voice import RATE_HZ, SAMPLE_BYTES
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.site import Site
from tests.helpers.live_feeds import until
from tests.helpers.recognisers import ToneRecogniser
from tests.helpers.rehearsals import write_rehearsal
from tests.helpers.served_here import served_here
from tests.web.browser import NO_BROWSER, PATIENCE_MS, UNFOLD, Web, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Page, Route, WebSocket, WebSocketRoute

sync_api = pytest.importorskip("playwright.sync_api", reason=NO_BROWSER)
expect = sync_api.expect
expect.set_options(timeout=PATIENCE_MS)
pytestmark = pytest.mark.slow  # a real browser and a real server

MICROPHONES = """
{
  window.contexts = [];
  window.nodes = [];
  const Context = window.AudioContext, Node = window.AudioWorkletNode;
  window.AudioContext = class extends Context { constructor(it) { super(it); contexts.push(this); } };
  window.AudioWorkletNode = class extends Node { constructor(...all) { super(...all); nodes.push(this); } };

  window.plugged = ["Desk microphone", "Headset"];
  window.opened = {};
  const ids = { "Desk microphone": "1", "Headset": "2", "Camera": "3" };
  const devices = navigator.mediaDevices;
  const changed = () => devices.dispatchEvent(new Event("devicechange"));
  const device = (label) => ({ kind: "audioinput", deviceId: ids[label], label });
  devices.enumerateDevices = async () => plugged.map(device);
  devices.getUserMedia = async ({ audio }) => {
    if (window.fails) throw new DOMException("", window.fails);
    if (window.hangs) return new Promise(() => {});
    const name = plugged.find((one) => !audio.deviceId || ids[one] === audio.deviceId.exact);
    if (!name) throw new DOMException("", "NotFoundError");
    if (window.busy === name) throw new DOMException("", "NotReadableError");
    const context = new Context();
    const [tone, gain] = [context.createOscillator(), context.createGain()];
    const out = context.createMediaStreamDestination();
    gain.gain.value = 0.5;
    tone.connect(gain).connect(out);
    tone.start();
    const [track] = out.stream.getTracks();
    Object.defineProperty(track, "label", { value: name });
    Object.defineProperty(track, "muted", { value: false, writable: true });
    track.getSettings = () => ({ deviceId: ids[name] });
    opened[name] = { track, level: (value) => { gain.gain.value = value; } };
    return out.stream;
  };
  window.unplug = (name) => {
    plugged.splice(plugged.indexOf(name), 1);
    opened[name]?.track.dispatchEvent(new Event("ended"));
    changed();
  };
  window.plug = (name) => { plugged.push(name); changed(); };
  window.permits = (state) => { navigator.permissions.query = async () => ({ state }); };
}
"""
"""A browser whose microphones are tones: plugged in, unplugged, loud and silent as a test says."""

QUICK = "const later = setTimeout; window.setTimeout = (act, ms, ...all) => later(act, ms / 30, ...all); 0"
"""What a page waits for comes thirty times as fast."""
ON = "Microphone on"
PAUSE_BYTES = 25_600
"""0.8 s of silence, which ends a sentence."""
NOT_CONNECTED = "No microphone is connected to this machine"


class AnySound(ToneRecogniser):
    """Hears any sound as its length."""

    def __init__(self) -> None:
        super().__init__({})

    def recognise(
        self, sound: bytes, names: Sequence[str] = (), *, is_partial: bool = False
    ) -> Future[Heard]:
        done: Future[Heard] = Future()
        done.set_result(Heard(f"A sound of {len(sound) / SAMPLE_BYTES / RATE_HZ:.0f} s.", 0.9))
        return done


@pytest.fixture(scope="module")
def _chromium() -> Iterator[Chromium]:
    """With microphones, in place of the browser without."""
    with chromium("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream") as browser:
        yield browser


@pytest.fixture
def served(home: Path, tmp_path: Path) -> Iterator[str]:
    """A server that recognises any sound, with one session."""
    opened = Home.open(home)
    Session.start(opened, write_rehearsal(tmp_path).deck, id="one").close()
    site = Site(opened, str(opened.archives), OpenSessions(opened), recogniser=AnySound())
    with served_here(site) as address:
        yield address
    site.close()


@pytest.fixture
def room(served: str, web: Web) -> Page:
    """The room with microphones of the test's own, begun, nobody speaking yet."""
    page = web.window().new_page()
    page.add_init_script(MICROPHONES)
    page.goto(f"{served}/room/one")
    page.wait_for_selector("[data-connected=yes]")
    page.wait_for_selector("#microphone:not([hidden])")
    page.keyboard.press("Space")
    page.wait_for_selector("#pause:not([hidden])")
    return page


def state(page: Page, words: str) -> None:
    expect(page.locator("#microphone-state")).to_have_text(words)


def told(page: Page, words: str) -> None:
    expect(page.locator("#hearing")).to_contain_text(words)


def refused(page: Page, words: str) -> None:
    expect(page.locator("#refused")).to_contain_text(words)


def holds(page: Page, expression: str) -> None:
    until(expression, lambda: page.evaluate(expression))


def test_the_starting_page_lets_one_choose_a_microphone_and_says_that_it_hears(served: str, web: Web) -> None:
    page = web.window().new_page()
    page.add_init_script(MICROPHONES)
    page.goto(f"{served}/new")
    page.click("#sample")
    page.wait_for_selector("#understood:not([hidden])")
    page.evaluate(UNFOLD)
    page.click("#sound-try")
    expect(page.locator("#sound-words")).to_have_text("I hear you, by “Desk microphone”.")
    assert page.locator("#sound-choice option").all_inner_texts() == ["Desk microphone", "Headset"]
    page.evaluate("opened['Desk microphone'].level(0)")
    page.select_option("#sound-choice", label="Headset")
    expect(page.locator("#sound-words")).to_have_text("I hear you, by “Headset”.")
    assert page.evaluate("Number(document.getElementById('sound-level').value)") > 0.5
    page.evaluate("opened['Headset'].level(0)")
    page.click("#begin")
    page.wait_for_url("**/room/*")
    page.wait_for_selector("[data-connected=yes]")
    page.wait_for_selector("#microphone:not([hidden])")
    page.keyboard.press("m")
    state(page, "Microphone waits")  # until Begin; its level can be seen
    expect(page.locator("#microphone-choice")).to_have_value("2")
    holds(page, "document.getElementById('microphone-level').value > 0.5")


def test_chromiums_own_microphones_are_there_by_their_names(served: str, web: Web) -> None:
    page = web.open(f"{served}/new")
    page.click("#sample")
    page.wait_for_selector("#understood:not([hidden])")
    page.evaluate(UNFOLD)
    page.click("#sound-try")
    expect(page.locator("#sound-words")).to_contain_text("I hear you")
    names = page.locator("#sound-choice option").all_inner_texts()
    assert len(names) > 1
    assert all(names)
    page.select_option("#sound-choice", label=names[-1])
    expect(page.locator("#sound-words")).to_contain_text(f"“{names[-1]}”")


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("plugged.length = 0", NOT_CONNECTED),
        ("fails = 'NotFoundError'", NOT_CONNECTED),
        ("fails = 'NotReadableError'", "another program uses it"),
        ("fails = 'NotAllowedError'; permits('denied')", "you refused it, or this browser's settings do"),
        ("fails = 'NotAllowedError'; permits('prompt')", "got no answer"),
        ("fails = 'NotAllowedError'; permits('granted')", "This machine's settings keep the microphone"),
        ("fails = 'SecurityError'", "A policy of this browser"),
        ("fails = 'NotAllowedError'; document.featurePolicy.allowsFeature = () => false", "A policy of this"),
        ("fails = 'TypeError'", "(TypeError)"),
        (
            f"hangs = true; permits('prompt'); {QUICK}",
            "asked whether this page may use the microphone and got no answer",
        ),
        ("hangs = true; permits('granted')", "The browser has not opened the microphone"),
        (
            "navigator.mediaDevices.enumerateDevices = () => new Promise(() => {}); 0",
            "has not opened the micro",
        ),
    ],
)
def test_why_there_is_no_microphone_is_said(room: Page, setting: str, words: str) -> None:
    room.evaluate(setting)
    room.keyboard.press("m")
    refused(room, words)
    state(room, "Microphone off")


def test_without_a_secure_origin_the_page_says_so(served: str, web: Web) -> None:
    page = web.window().new_page()
    page.add_init_script("delete Navigator.prototype.mediaDevices; delete window.webkitSpeechRecognition")
    page.add_init_script("Object.defineProperty(window, 'isSecureContext', { value: false })")
    page.goto(f"{served}/room/one")
    told(page, "browsers give the microphone only to this machine's own pages, or over https")
    assert page.is_hidden("#microphone")


def test_what_the_browser_asks_is_said_and_m_gives_up_waiting(room: Page) -> None:
    room.evaluate("hangs = true; permits('prompt')")
    room.keyboard.press("m")
    told(room, "The browser asks whether this page may use the microphone")
    room.keyboard.press("m")
    state(room, "Microphone off")
    room.evaluate("hangs = false")
    room.keyboard.press("m")
    state(room, ON)


def test_one_in_use_by_another_program_is_passed_over(room: Page) -> None:
    room.evaluate("busy = 'Desk microphone'")
    room.keyboard.press("m")
    state(room, ON)
    expect(room.locator("#microphone-choice")).to_have_value("2")


def test_an_unplugged_one_is_named_and_the_next_is_taken_until_it_is_back(room: Page) -> None:
    room.keyboard.press("m")
    state(room, ON)
    room.select_option("#microphone-choice", label="Headset")
    expect(room.locator("#microphone-choice")).to_have_value("2")
    holds(room, "'Headset' in opened")
    room.evaluate("unplug('Headset')")
    told(room, "“Headset” was unplugged. “Desk microphone” is used now.")
    state(room, ON)
    room.evaluate("unplug('Desk microphone')")
    told(room, "“Desk microphone” was unplugged, and there is no other microphone")
    state(room, "No sound")
    room.evaluate("plug('Headset')")
    told(room, "“Headset” is used now")
    state(room, ON)
    room.evaluate("plug('Desk microphone')")  # nobody chose it
    room.evaluate("unplug('Headset')")
    told(room, "“Headset” was unplugged. “Desk microphone” is used now.")
    room.evaluate("plug('Headset')")
    told(room, "“Headset” is back, and used again.")
    state(room, ON)


def test_one_that_nobody_chose_is_used_again_when_it_is_back(room: Page) -> None:
    room.keyboard.press("m")
    state(room, ON)
    room.evaluate("unplug('Desk microphone')")
    told(room, "“Desk microphone” was unplugged. “Headset” is used now.")
    room.evaluate("plug('Desk microphone')")
    told(room, "“Desk microphone” is back, and used again.")
    state(room, ON)


def test_one_that_is_gone_without_a_word_of_the_browser_is_noticed(room: Page) -> None:
    room.keyboard.press("m")
    state(room, ON)
    room.evaluate("plugged.splice(plugged.indexOf('Desk microphone'), 1)")
    told(room, "“Desk microphone” was unplugged. “Headset” is used now.")
    room.evaluate("plugged.push('Desk microphone')")
    told(room, "“Desk microphone” is back, and used again.")
    state(room, ON)


def test_a_microphone_that_gives_no_sound_is_never_on(room: Page) -> None:
    room.keyboard.press("m")
    state(room, ON)
    steps = [
        (
            "opened['Desk microphone'].track.muted = true",
            "is muted, by its own switch",
            "opened['Desk microphone'].track.muted = false",
        ),
        ("contexts.at(-1).suspend()", "until you press a key or click", None),
        ("nodes.at(-1).port.close()", "No sound comes from “Desk microphone” any more", None),
    ]
    for setting, words, mended in steps:
        room.evaluate(setting)
        told(room, words)
        state(room, "No sound")
        if mended:
            room.evaluate(mended)
        room.keyboard.press("Shift")  # a gesture, upon which the browser lets sound through
        if "port" not in setting:
            state(room, ON)


def test_a_silent_one_is_said_after_seconds(room: Page) -> None:
    room.evaluate(
        "const devices = navigator.mediaDevices, open = devices.getUserMedia; devices.getUserMedia = "
        "async (it) => { const got = await open(it); opened['Desk microphone'].level(0); return got; }; 0"
    )
    room.keyboard.press("m")
    told(room, "I hear nothing from “Desk microphone”")
    state(room, "No sound")
    room.evaluate("opened['Desk microphone'].level(0.5)")
    state(room, ON)
    told(room, "recognised on this machine")


def test_who_thinks_is_asked_and_not_alarmed(room: Page) -> None:
    room.keyboard.press("m")
    state(room, ON)
    room.wait_for_timeout(1000)  # it has been heard
    room.evaluate(
        "opened['Desk microphone'].level(0); const now = performance.now.bind(performance), from = now(); "
        "performance.now = () => from + (now() - from) * 3; 0"
    )
    expect(room.locator("#hearing")).to_have_text("I hear nothing: still thinking?", timeout=15_000)
    state(room, ON)
    expect(room.locator("#hearing")).not_to_have_class("refused")


@pytest.mark.parametrize("state_of", ["granted", "prompt"])
def test_a_microphone_that_was_on_is_on_again_after_a_reload_or_the_page_says_so(
    room: Page, web: Web, state_of: str
) -> None:
    web.forgive("AudioContext was not allowed to start")  # until the page may capture
    room.keyboard.press("m")
    state(room, ON)
    room.add_init_script(f"permits('{state_of}')")
    room.reload()
    room.wait_for_selector("[data-connected=yes]")
    room.wait_for_selector("#microphone:not([hidden])")
    if state_of == "prompt":
        told(room, "The microphone is off, since the page was loaded anew. Its button, or M, turns it on.")
        room.keyboard.press("m")
    state(room, ON)
    told(room, "recognised on this machine")
    room.keyboard.press("m")
    state(room, "Microphone off")
    room.reload()
    room.wait_for_selector("[data-connected=yes]")
    room.wait_for_selector("#microphone:not([hidden])")
    told(room, "recognised on this machine")
    state(room, "Microphone off")


def test_the_microphone_is_open_until_the_server_has_ended_the_session(room: Page, home: Path) -> None:
    frames: list[bytes | str] = []
    held: list[Route] = []
    closed: list[WebSocket] = []

    def watch(opened: WebSocket) -> None:
        opened.on("framesent", lambda frame: frames.append(frame))
        opened.on("close", lambda one: closed.append(one))

    room.on("websocket", watch)
    room.route("**/sessions/one/end", lambda route: held.append(route))
    room.keyboard.press("m")
    state(room, ON)
    while len(frames) < 5:
        room.wait_for_timeout(50)
    room.keyboard.press("e")
    room.click("#ending-yes")
    expect(room.locator("#state")).to_contain_text("What you said last is taken in")
    state(room, "Microphone ends")
    while not held:
        room.wait_for_timeout(50)
    assert len(frames[-1]) == PAUSE_BYTES  # so that the server knows the sentence to be over
    assert closed == []
    held[0].continue_()
    room.wait_for_url("**/debrief/one")
    with Session.open(Home.open(home), "one") as ended:
        assert ended.state == "ended"


def test_words_that_were_under_way_as_the_connection_broke_are_said(room: Page) -> None:
    def breaks(socket: WebSocketRoute) -> None:
        socket.send('{"partial": "Our revenue grew"}')
        socket.close(code=1011)

    room.route_web_socket("**/microphone", breaks)
    room.keyboard.press("m")
    refused(room, "this may be lost: “Our revenue grew”. Say it again")
    told(room, "The connection is lost, and what you say is not heard")
    state(room, "Not heard")


def test_a_clicker_does_not_change_the_microphone(room: Page) -> None:
    room.keyboard.press("m")
    state(room, ON)
    room.focus("#microphone-choice")
    room.keyboard.press("PageDown")
    expect(room.locator("#slide-name")).to_contain_text("2 of")
    assert room.input_value("#microphone-choice") == "1"
    room.select_option("#microphone-choice", "2")
    assert not room.evaluate("document.activeElement.id")


def test_a_voice_that_was_sent_as_the_connection_broke_may_be_lost(room: Page) -> None:
    def breaks(socket: WebSocketRoute) -> None:
        socket.on_message(lambda _: socket.close(code=1011))  # at the first sound

    room.route_web_socket("**/microphone", breaks)
    room.keyboard.press("m")
    lost = "The connection broke while you spoke, and what you said last may be lost. Say it again"
    refused(room, lost)
    room.unroute_all()
    room.keyboard.press("PageDown")
    expect(room.locator("#slide-name")).to_contain_text("2 of")
    refused(room, lost)  # which a write that went well does not take away


def test_a_silent_server_is_no_slow_machine(room: Page) -> None:
    room.evaluate("Object.defineProperty(WebSocket.prototype, 'bufferedAmount', { value: 1e6 }); 0")
    room.keyboard.press("m")
    told(room, "This machine cannot keep up")
    room.evaluate("const now = performance.now.bind(performance); performance.now = () => now() * 4; 0")
    told(room, "No word from the server")


def test_the_chosen_microphone_is_taken_once_its_name_is_known(room: Page) -> None:
    room.evaluate(
        """const devices = navigator.mediaDevices, named = devices.enumerateDevices;
        devices.enumerateDevices = async () => (await named()).map((one) =>
          Object.keys(opened).length ? one : { ...one, label: "", deviceId: "" });
        localStorage.setItem("greenroom.microphone", JSON.stringify({ id: "2", name: "Headset" }));"""
    )
    room.keyboard.press("m")
    state(room, ON)
    expect(room.locator("#microphone-choice")).to_have_value("2")
    told(room, "recognised on this machine")


def test_a_proxy_without_its_server_does_not_choose_the_browsers_recognition(served: str, web: Web) -> None:
    answers = [502, 503]
    page = web.window().new_page()
    web.forgive("status of 50")

    def answer(route: Route) -> None:
        if answers:
            route.fulfill(status=answers.pop(), body="<h1>Bad gateway</h1>")
        else:
            route.continue_()

    page.route("**/api/v1/speech", answer)
    page.goto(f"{served}/room/one")
    told(page, "recognised on this machine")


def test_sound_that_nobody_took_is_counted_and_said(room: Page) -> None:
    sockets: list[WebSocketRoute] = []

    def opens(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        if len(sockets) == 1:
            socket.send('{"final": "Revenue grew.", "doubt": "language", "segment": 3}')
        elif len(sockets) == 2:
            socket.close(code=1011)
        else:
            socket.connect_to_server()

    room.evaluate(
        "window.dispatched = []; for (const name of ['heard', 'microphone']) "
        "document.addEventListener(name, ({ detail }) => dispatched.push([name, detail]))"
    )
    room.route_web_socket("**/microphone", opens)
    room.keyboard.press("m")
    state(room, ON)
    sockets[0].close(code=1011)
    state(room, "Not heard")
    state(room, ON)
    refused(room, "s of what you said were not heard: say that again.")
    dispatched = room.evaluate("dispatched")
    assert ["heard", {"text": "Revenue grew.", "doubt": "language", "segment": 3}] in dispatched
    states = [detail["state"] for name, detail in dispatched if name == "microphone"]
    assert states == ["opening", "on", "unheard", "on"]


def test_a_draft_is_asked_about_at_the_end(room: Page, home: Path) -> None:
    room.fill("#words", "And we open in May.")
    room.click("#finish")
    expect(room.locator("#ending-words")).to_have_text("And we open in May.")
    expect(room.locator("#ending-yes")).to_have_text("End without it")
    room.keyboard.press("Enter")  # a key that nobody meant goes on with the rehearsal
    expect(room.locator("#ending")).to_be_hidden()
    room.click("#finish")
    room.click("#ending-send")
    room.wait_for_url("**/debrief/one")
    with Session.open(Home.open(home), "one") as ended:
        assert [one.text for one in ended.projection.segments] == ["And we open in May."]


def test_what_the_end_could_not_keep_is_read_before_the_debrief(room: Page) -> None:
    warning = "microphone: the last words could not be recognised within 30 seconds"

    def warn(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "warnings": [warning]})

    room.route("**/sessions/one/end", warn)
    room.click("#finish")
    room.click("#ending-yes")
    expect(room.locator("#ended")).to_contain_text("the last words could not be recognised")
    expect(room.locator("#state")).to_have_text("The rehearsal has ended.")
    room.click("#ended a")
    room.wait_for_url("**/debrief/one")


def test_the_end_that_comes_from_elsewhere_switches_the_microphone_off(room: Page) -> None:
    def ends(socket: WebSocketRoute) -> None:
        socket.send('{"closed": "The session is being ended"}')
        socket.close(code=1000)

    room.route_web_socket("**/microphone", ends)
    room.keyboard.press("m")
    refused(room, "The session is being ended")
    state(room, "Microphone off")


def test_a_draft_of_a_session_that_was_ended_elsewhere_stays_to_be_read(
    room: Page, served: str, web: Web
) -> None:
    room.fill("#words", "And we open in May.")
    room.request.post(f"{served}/api/v1/sessions/one/end", data={})
    expect(room.locator("#ended")).to_contain_text("what you typed here was not sent")
    assert room.input_value("#words") == "And we open in May."
    room.click("#ended a")
    room.wait_for_url("**/debrief/one")


def test_a_voice_that_never_ends_mutes_for_a_while_only(served: str, web: Web) -> None:
    page = web.window().new_page()
    page.add_init_script(MICROPHONES)
    page.add_init_script(ENDLESS_VOICE)
    page.goto(f"{served}/room/one")
    page.wait_for_selector("[data-connected=yes]")
    page.wait_for_selector("#microphone:not([hidden])")
    page.click("#go")
    page.click("#voices")
    page.locator("#voices").blur()
    page.keyboard.press("m")
    state(page, ON)
    page.evaluate("opened['Desk microphone'].level(0.001)")
    page.keyboard.press("q")
    state(page, "Microphone muted")
    state(page, ON)
    assert page.evaluate("speechSynthesis.speaking")


ENDLESS_VOICE = """
window.SpeechSynthesisUtterance = class extends EventTarget {};
Object.defineProperty(window, "speechSynthesis", { value: Object.assign(new EventTarget(), {
  speaking: false,
  getVoices: () => [{ localService: true, lang: "en-GB" }],
  cancel() {},
  speak() { this.speaking = true; },
})});
"""
"""Speech that is given, and neither begins nor ends, as where no sound device is there."""


class LateSound(AnySound):
    """Hears any sound, three seconds late."""

    def recognise(
        self, sound: bytes, names: Sequence[str] = (), *, is_partial: bool = False
    ) -> Future[Heard]:
        late: Future[Heard] = Future()
        Timer(3.0, late.set_result, [super().recognise(sound).result()]).start()
        return late


@pytest.mark.parametrize("by", ["button", "switched off before", "api"])
def test_end_while_somebody_speaks_takes_in_all(home: Path, tmp_path: Path, web: Web, by: str) -> None:
    opened = Home.open(home)
    Session.start(opened, write_rehearsal(tmp_path).deck, id="one").close()
    site = Site(opened, str(opened.archives), OpenSessions(opened), recogniser=LateSound())
    with served_here(site) as address:
        page = web.window().new_page()
        page.add_init_script(MICROPHONES)
        page.goto(f"{address}/room/one")
        page.wait_for_selector("[data-connected=yes]")
        page.wait_for_selector("#microphone:not([hidden])")
        page.keyboard.press("Space")
        page.wait_for_selector("#pause:not([hidden])")
        page.keyboard.press("m")
        state(page, ON)
        page.wait_for_timeout(9000)
        if by == "api":
            page.request.post(f"{address}/api/v1/sessions/one/end", data={})
        else:
            if by == "switched off before":
                page.keyboard.press("m")
            page.keyboard.press("e")
            page.click("#ending-yes")
        page.wait_for_url("**/debrief/one")
        page.close()
    site.close()
    with Session.open(Home.open(home), "one") as ended:
        assert sum(one.end_s - one.start_s for one in ended.projection.segments) > 8
