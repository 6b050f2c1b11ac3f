"""A real Firefox, headless, driven by WebDriver BiDi: a complaint of its page fails the test.

Source: https://w3c.github.io/webdriver-bidi/
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.helpers.live_feeds import until
from tests.helpers.programs import running
from tests.web.window import TIMEOUT_S, call_of

PROGRAMS: Final = ("firefox-esr", "firefox")
"""As `scripts/setup.sh` looks for them."""
FIREFOX: Final = next(filter(None, map(shutil.which, PROGRAMS)), None)
NO_FIREFOX: Final = "NOT TESTED in Firefox: it is missing"
KEYS: Final = {
    "Tab": "\ue004",
    "Enter": "\ue006",
    "Escape": "\ue00c",
    "ArrowLeft": "\ue012",
    "ArrowRight": "\ue014",
}
"""Source: https://w3c.github.io/webdriver/#keyboard-actions"""
PREFERENCES: Final[Mapping[str, bool | int | str]] = {
    "media.navigator.permission.disabled": True,  # the microphone without a question
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    # Whatever Firefox itself asks for goes nowhere: the proxy's port is closed, and loopback needs none.
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
}


@dataclass
class Firefox:
    """The one window of a Firefox, and what went wrong in it."""

    socket: ClientConnection
    window: str = ""
    faults: list[str] = field(default_factory=list)
    _sent: int = 0

    def begin(self) -> None:
        """Open a tab, and listen to what its page complains of and asks for."""
        self._do("session.new", capabilities={})
        # A new one has the focus, which keys need to press a button; in the first the address has it.
        self.window = self._do("browsingContext.create", type="tab")["context"]
        self._do("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])

    def open(self, url: str) -> None:
        """Go to an address, and wait until its page is loaded."""
        self._do("browsingContext.navigate", context=self.window, url=url, wait="complete")

    def address(self) -> str:
        """Return the page's address, also while another page is being loaded."""
        found: str = self._do("browsingContext.getTree", root=self.window)["contexts"][0]["url"]
        return found

    def evaluate(self, function: str, *arguments: Any) -> Any:
        """What a function of the page returns, awaited; what goes in and out is JSON."""
        done = self._do(
            "script.callFunction",
            functionDeclaration=f"async () => JSON.stringify(await {call_of(function, *arguments)} ?? null)",
            target={"context": self.window},
            awaitPromise=True,
        )
        assert done["type"] == "success", done["exceptionDetails"]["text"]
        return json.loads(done["result"]["value"])

    def press(self, *names: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        keys = [KEYS.get(name, name) for name in names]
        acts = [{"type": type_, "value": key} for key in keys for type_ in ("keyDown", "keyUp")]
        source = {"type": "key", "id": "keys", "actions": acts}
        self._do("input.performActions", context=self.window, actions=[source])

    def finish(self) -> None:
        """Close the window; what went wrong fails the test."""
        self._do("browser.close")
        assert self.faults == [], self.faults

    def _do(self, method: str, **parameters: Any) -> Any:
        """Send a command and return what comes of it; what happened meanwhile is noted."""
        self._sent += 1
        self.socket.send(json.dumps({"id": self._sent, "method": method, "params": parameters}))
        while True:
            told = json.loads(self.socket.recv(timeout=TIMEOUT_S))
            if told["type"] == "event":
                self._note(told["method"], told["params"])
            elif told["id"] == self._sent:
                assert told["type"] == "success", f"{method}: {told}"
                return told["result"]

    def _note(self, event: str, told: dict[str, Any]) -> None:
        if event == "log.entryAdded" and told["level"] in ("error", "warn"):
            self.faults.append(f"console: {told['text']} at {told.get('stackTrace') or told['source']}")
        elif event == "network.beforeRequestSent":
            to = urlsplit(told["request"]["url"])
            if to.scheme in ("http", "https", "ws", "wss") and to.hostname != "127.0.0.1":
                self.faults.append(f"request to another host: {told['request']['url']}")


@contextmanager
def firefox(
    folder: Path, environment: Mapping[str, str], preferences: Mapping[str, bool | int | str] | None = None
) -> Iterator[Firefox]:
    """A Firefox with a new profile in *folder*; the test is skipped where there is none."""
    if FIREFOX is None:
        pytest.skip(NO_FIREFOX)
    profile, told = folder / "profile", folder / "told"
    profile.mkdir(parents=True)
    chosen = {**PREFERENCES, **(preferences or {})}
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in chosen.items()]
    (profile / "user.js").write_text("".join(lines), "utf-8")
    command = [FIREFOX, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(profile)]
    with running(command, {"HOME": str(folder), **environment}, told) as program:
        address = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
        until("Firefox", lambda: address.search(told.read_text("utf-8")) or program.poll() is not None)
        found = address.search(told.read_text("utf-8"))
        assert found, told.read_text("utf-8")
        with connect(f"{found[1]}/session", proxy=None, max_size=None) as socket:
            one = Firefox(socket)
            one.begin()
            yield one
            one.finish()
