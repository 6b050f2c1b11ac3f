"""Rehearsals in a real Firefox, with microphones of a real sound server: by keys alone, and by voice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.site import Site
from tests.helpers.live_feeds import until
from tests.helpers.rehearsals import greenroom, write_rehearsal
from tests.helpers.served_here import served_here
from tests.web.conftest import Serve
from tests.web.firefox import Firefox, firefox
from tests.web.pulse import Pulse, pulse
from tests.web.spoken import CHOOSE, DESK, EXCHANGES, HEADSET, NO_VOICE, Rehearsal, Voice
from tests.web.test_rehearsal import view_of
from tests.web.test_sound import AnySound
from tests.web.window import is_seen, shows, text_of

pytestmark = pytest.mark.slow  # a real browser and a real server

ON = "Microphone on"
REFUSES = {"media.navigator.permission.disabled": False, "permissions.default.microphone": 2}
"""Somebody has blocked the microphone: by settings, since WebDriver BiDi has no word for it in Firefox."""


@pytest.fixture
def sound(tmp_path: Path) -> Iterator[Pulse]:
    """A sound server with two microphones."""
    with pulse(tmp_path / "pulse") as server:
        server.plug(HEADSET)
        server.plug(DESK)
        yield server


@pytest.fixture
def address(home: Path, tmp_path: Path) -> Iterator[str]:
    """The room's, at a server that recognises any sound."""
    opened = Home.open(home)
    Session.start(opened, write_rehearsal(tmp_path).deck, id="one").close()
    site = Site(opened, str(opened.archives), OpenSessions(opened), recogniser=AnySound())
    with served_here(site) as server:
        yield f"{server}/room/one"
    site.close()


@pytest.fixture
def room(address: str, tmp_path: Path, sound: Pulse) -> Iterator[Firefox]:
    """The room in Firefox, begun, with the microphone on the desk."""
    with firefox(tmp_path / "firefox", sound.environment) as window:
        begin(window, address)
        window.press("m")
        until("the microphone's name", lambda: window.evaluate(CHOOSE, DESK))
        shows(window, "#microphone-state", ON)
        yield window


def begin(window: Firefox, address: str) -> None:
    window.open(address)
    shows(window, "[data-connected=yes]")
    window.press(" ")
    shows(window, "#pause")


def test_a_rehearsal_needs_the_keyboard_alone(serve: Serve, tmp_path: Path) -> None:
    served = serve()
    with firefox(tmp_path / "firefox", {}) as window:
        window.open(f"{served.url}/new")

        def tab_to(name: str) -> None:
            for _ in range(60):
                window.press("Tab")
                if window.evaluate("() => document.activeElement.id") == name:
                    return
            raise AssertionError(f"Tab never comes to {name}")

        tab_to("sample")
        window.press("Enter")
        shows(window, "#understood")
        tab_to("presenter")
        window.press(*"Dana")
        tab_to("begin")
        window.press("Enter")
        until("the room", lambda: "/room/" in window.address())
        session = window.address().rpartition("/")[2]
        shows(window, "[data-connected=yes]")
        window.press(" ")
        shows(window, "#pause")
        window.press("ArrowRight")
        shows(window, "#slide-name", "2 of")
        window.press("a", *"We carry chilled food and medicine for 164 customers.", "Enter")
        shows(window, "#captions", "164 customers")
        window.press("Escape", "q")
        shows(window, "#question")
        asked = text_of(window, "#question-text")
        until("the answer's field", lambda: text_of(window, "#words-label") != "What you say")
        window.press("a", *"We do not know that yet.", "Enter")
        until(
            "a verdict",
            lambda: not is_seen(window, "#question") or text_of(window, "#question-text") != asked,
        )
        window.press("Escape")
        if is_seen(window, "#question"):
            window.press("l")
            until("the floor", lambda: not is_seen(window, "#question"))
        window.press("e")
        shows(window, "#ending")
        window.press("Tab", "Enter")
        until("the debrief", lambda: window.address() == f"{served.url}/debrief/{session}")
        shows(window, "main", "We do not know that yet.")
    assert view_of(served, session)["state"] == "ended"
    assert greenroom(served.home, "verify", session).returncode == 0


@pytest.mark.skipif(bool(NO_VOICE), reason=NO_VOICE)
@pytest.mark.skipif(
    find_spec("faster_whisper") is None, reason="NOT TESTED with real speech: the extra stt is missing"
)
def test_every_word_of_a_rehearsal_stands_in_the_turn_in_which_it_was_spoken(
    serve: Serve, sound: Pulse, tmp_path: Path
) -> None:
    served = serve()
    with served.client() as client:
        session = client.post("/api/v1/sessions", json={"sample": True}).json()["session"]
    with firefox(tmp_path / "firefox", sound.environment) as window:
        one = Rehearsal(window, sound, served, session, Voice("en-us", 150, tmp_path))
        one.begin()
        for exchange in EXCHANGES:
            exchange(one)
    found = one.outcomes()
    assert [outcome.exchange for outcome in found if not outcome.is_good] == [], (found, one.transcript())
    assert len(found) == len(EXCHANGES)
    assert greenroom(served.home, "verify", session).returncode == 0


def test_a_microphone_that_is_unplugged_is_said_and_the_next_is_used(room: Firefox, sound: Pulse) -> None:
    sound.unplug(DESK)
    shows(room, "#hearing", f"“{DESK}” was unplugged. “{HEADSET}” is used now.")
    shows(room, "#microphone-state", ON)
    sound.plug(DESK)
    shows(room, "#hearing", f"“{DESK}” is back, and used again.")
    shows(room, "#microphone-state", ON)


def test_the_only_microphone_is_used_again_when_it_is_back(address: str, tmp_path: Path) -> None:
    with pulse(tmp_path / "pulse") as sound:
        sound.plug(DESK)
        with firefox(tmp_path / "firefox", sound.environment) as window:
            begin(window, address)
            window.press("m")
            shows(window, "#microphone-state", ON)
            sound.unplug(
                DESK
            )  # what is left is what a loudspeaker plays, which Firefox takes for a microphone
            shows(window, "#hearing", f"“{DESK}” was unplugged.")
            sound.plug(DESK)
            shows(window, "#hearing", f"“{DESK}” is back, and used again.")
            shows(window, "#microphone-state", ON)


@pytest.mark.parametrize("act", [Pulse.mute, Pulse.suspend])
def test_a_microphone_without_sound_is_said_until_sound_comes(
    room: Firefox, sound: Pulse, act: Callable[..., None]
) -> None:
    with sound.humming(DESK):
        time.sleep(6)  # longer than one that has just been opened may be silent
        assert text_of(room, "#microphone-state") == ON
        act(sound, DESK, is_on=True)
        shows(room, "#hearing", "I hear nothing: still thinking?")  # sound was heard, so it may be a pause
        act(sound, DESK, is_on=False)
        shows(room, "#microphone-state", ON)


def test_a_microphone_that_is_refused_is_said(address: str, tmp_path: Path, sound: Pulse) -> None:
    with firefox(tmp_path / "firefox", sound.environment, REFUSES) as window:
        begin(window, address)
        window.press("m")
        shows(window, "#refused", "The microphone is not allowed for this page: you refused it")
        shows(window, "#microphone-state", "Microphone off")
