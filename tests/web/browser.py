"""A real Chromium, headless: a complaint of a page, or a request to another host, fails the test."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request

PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")
"""As `scripts/setup.sh` looks for them."""
CHROMIUM: Final = next(filter(None, map(shutil.which, PROGRAMS)), None)
FLAGS: Final = (
    "--no-sandbox",  # tests run as root in a container
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
NO_BROWSER: Final = "no browser: Playwright for Python or Chromium is missing"
NO_PICTURE: Final = re.compile(r"/slides/\d+\.png$")
"""The one address that may answer 404: where a slide cannot be drawn, its page shows the words."""
UNFOLD: Final = "() => { for (const one of document.querySelectorAll('details')) one.open = true; }"
"""Opens every folded part of a page."""
PATIENCE_MS: Final = 30_000
"""A page that has not come to what it is to show by then never will; on a busy machine most take a second."""


@dataclass
class Web:
    """Windows of one Chromium, and what went wrong in them."""

    chromium: Chromium
    faults: list[str] = field(default_factory=list)
    forgiven: list[str] = field(default_factory=list)  # regular expressions of complaints that a test means
    contexts: list[BrowserContext] = field(default_factory=list)
    hosts: frozenset[str] = frozenset({"127.0.0.1"})

    def window(self, **options: Any) -> BrowserContext:
        """A new profile with nothing in it; its tabs share storage."""
        context = self.chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(PATIENCE_MS)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.faults.append(f"page error: {error.error}"))
        context.on("request", self._request)
        self.contexts.append(context)
        return context

    def open(self, url: str, **options: Any) -> Page:
        """A tab in a new window, at this address."""
        page = self.window(**options).new_page()
        page.goto(url)
        return page

    def forgive(self, pattern: str) -> None:
        """From here on what the console says is no fault where it matches."""
        self.forgiven.append(pattern)

    def _console(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "")
        told = f"console: {message.text} at {where}"
        is_meant = NO_PICTURE.search(urlsplit(where).path) and "404" in message.text
        if not is_meant and not any(re.search(one, told) for one in self.forgiven):
            self.faults.append(told)

    def _request(self, request: Request) -> None:
        to = urlsplit(request.url)
        if to.scheme in ("http", "https", "ws", "wss") and to.hostname not in self.hosts:
            self.faults.append(f"request to another host: {request.url}")

    def finish(self) -> None:
        """Close everything; what went wrong fails the test."""
        for context in self.contexts:
            context.close()
        assert self.faults == [], self.faults


@contextmanager
def chromium(*flags: str, environment: Mapping[str, str] | None = None) -> Iterator[Chromium]:
    """The browser, with *flags* and variables of a test's own; the test is skipped where there is none."""
    if importlib.util.find_spec("playwright") is None or CHROMIUM is None:
        pytest.skip(NO_BROWSER)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=[*FLAGS, *flags], env={**os.environ, **(environment or {})}
        )
        yield browser
        browser.close()


def faults_of_axe(page: Page) -> list[str]:
    """What axe-core calls serious or critical on a page as it is now, a line each."""
    return [told for impact, told in _found_by_axe(page) if impact in ("serious", "critical")]


def violations_of_axe(page: Page) -> list[str]:
    """All that axe-core has to say of it, down to the minor."""
    return [told for _, told in _found_by_axe(page)]


def _found_by_axe(page: Page) -> list[tuple[str, str]]:
    if importlib.util.find_spec("axe_playwright_python") is None:
        pytest.skip("no axe-core: the package axe-playwright-python is missing")
    from axe_playwright_python.sync_playwright import Axe

    return [
        (
            one["impact"],
            f"{one['id']} ({one['impact']}): {json.dumps([node['html'][:160] for node in one['nodes']])}",
        )
        for one in Axe().run(page).response["violations"]
    ]
