"""A window of a real browser, whichever it is: what a rehearsal does in it, and waits for.

`Firefox` in firefox.py is one; `Chromium` is a page of Playwright's as one.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from tests.web.browser import PATIENCE_MS

if TYPE_CHECKING:
    from playwright.sync_api import Page

TIMEOUT_S: Final = PATIENCE_MS / 1000
LOOK_S: Final = 0.1
HAS_WORDS: Final = """(selector, words) => {
  const one = document.querySelector(selector);
  return one !== null && one.checkVisibility() && one.innerText.includes(words);
}"""


class Window(Protocol):
    """One window of a browser."""

    def open(self, url: str) -> None:
        """Go to an address, and wait until its page is loaded."""

    def address(self) -> str:
        """Return the page's address, also while another page is being loaded."""

    def evaluate(self, function: str, *arguments: Any) -> Any:
        """Call a function of the page and return what it returns, awaited; all of it is JSON."""

    def press(self, *names: str) -> None:
        """Press keys by their names (`KeyboardEvent.key`), one after the other, wherever the focus is."""


@dataclass
class Chromium:
    """A page of Chromium's as a window."""

    page: Page

    def open(self, url: str) -> None:
        self.page.goto(url)

    def address(self) -> str:
        self.page.wait_for_timeout(
            0
        )  # Playwright takes notice of a new page while it is called, and only then
        return self.page.url

    def evaluate(self, function: str, *arguments: Any) -> Any:
        return self.page.evaluate(call_of(function, *arguments))

    def press(self, *names: str) -> None:
        for name in names:
            self.page.keyboard.press(name)


def call_of(function: str, *arguments: Any) -> str:
    """Write a call of a function of the page, with its arguments."""
    return f"({function})({', '.join(map(json.dumps, arguments))})"


def until(window: Window, what: str, function: str, *arguments: Any, within_s: float = TIMEOUT_S) -> Any:
    """Wait until a function of the page gives something true, and return it."""
    end = time.monotonic() + within_s
    while not (found := window.evaluate(function, *arguments)):
        shown = "" if time.monotonic() < end else text_of(window, "body")
        assert not shown, f"never came: {what}; the page shows: {shown}"
        time.sleep(LOOK_S)
    return found


def shows(window: Window, selector: str, words: str = "", *, within_s: float = TIMEOUT_S) -> None:
    """Wait until an element is seen and its text has these words."""
    until(window, f"“{words}” in {selector}", HAS_WORDS, selector, words, within_s=within_s)


def is_seen(window: Window, selector: str) -> bool:
    found: bool = window.evaluate(HAS_WORDS, selector, "")
    return found


def text_of(window: Window, selector: str) -> str:
    """Return the text of an element as somebody reads it: what is hidden has none."""
    found: str = window.evaluate("(selector) => document.querySelector(selector).innerText", selector)
    return found
