"""A rehearsal that is spoken, behind two workers: sound passes the front in, and captions out."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from tests.cluster.front.processes import driver, send
from tests.web.browser import NO_BROWSER, Web
from tests.web.conftest import Serve
from tests.web.test_rehearsal import expect, in_room, started
from tests.web.test_spoken import (
    RECOGNISED_WITHIN_MS,
    _chromium,
    _played,
    microphone,
    recognises,
    speaker,
    test_a_rehearsal_is_spoken_from_the_deck_to_the_debrief,
)

__all__ = ["_chromium", "_played", "speaker", "test_a_rehearsal_is_spoken_from_the_deck_to_the_debrief"]

pytest.importorskip("playwright.sync_api", reason=NO_BROWSER)
pytestmark = pytest.mark.slow


@recognises
def test_who_speaks_while_the_worker_dies_is_told_and_heard_on_by_the_next(
    serve: Serve, web: Web, speaker: Callable[[str], None]
) -> None:
    """The page says what may be lost, and the microphone is on again without a press."""
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    page.keyboard.press("Space")
    page.wait_for_selector("#pause:not([hidden])")
    speaker("sense_and_sensibility_0870")
    microphone(page, "on")
    expect(page.locator("#partial")).not_to_be_empty(timeout=RECOGNISED_WITHIN_MS)
    web.forgive(r"ERR_(CONNECTION|INCOMPLETE|EMPTY)|503|WebSocket")
    send(driver(served.home, session), signal.SIGKILL)
    expect(page.locator("#refused")).to_contain_text("The connection broke while you spoke")
    page.wait_for_selector("[data-connected=yes]")
    expect(page.locator("#microphone-state")).to_have_text("Microphone on")
    expect(page.locator("#captions")).not_to_be_empty(timeout=RECOGNISED_WITHIN_MS)
