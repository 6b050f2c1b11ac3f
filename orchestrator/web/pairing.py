"""Pairing: a short code, typed or scanned on another device, that opens one window of one session on it.

The device does not get the token but a pass, which allows only what `MAY` lists for its window. Codes and
passes are only in memory: after a restart the server knows none of them.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from orchestrator.web.addresses import PREFIX

ALPHABET: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""The characters of a code, without I, L, O, 0 and 1, which look alike."""
CODE_LETTERS: Final = 8
"""Length of a code: among 8.5e11 codes nobody finds a valid one by chance in `MAX_WRONG` guesses."""
CODE_VALID_S: Final = 600.0
MAX_WRONG: Final = 10
"""Maximum number of wrong codes; after that, no code that was offered before opens anything."""
PASS_BYTES: Final = 32

_OWN: Final = f"{PREFIX}/sessions/{{session}}"
_SLIDE: Final = (
    "GET {page}",
    f"GET {_OWN}/room/events",
    f"GET {_OWN}/slides/[0-9]+[.]png",
    f"PUT {_OWN}/slide",
    f"PUT {_OWN}/blank",
)
MAY: Final = {
    "audience": _SLIDE,
    "presenter": (
        *_SLIDE,
        "GET /debrief/{session}",
        f"GET {_OWN}/delivery",
        f"POST {_OWN}/(?:drive|pause|answer/done|park)",
    ),
    "room": (".*",),
}
"""By window, the requests that its page makes, as regular expressions of method and path. For the room
they are all that the token allows, for the browser that shows the token at this machine's other address."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The window of a session that a code opens."""

    session: str
    window: str  # of `MAY`

    @property
    def path(self) -> str:
        """The path of the window's page."""
        return f"/room/{self.session}" + ("" if self.window == "room" else f"/{self.window}")

    def may(self, method: str, path: str) -> bool:
        """Return whether this window's page may make such a request."""
        here = {"session": re.escape(self.session), "page": re.escape(self.path)}
        # `[0-9]` has no braces, so the patterns can be filled in as texts are.
        return any(re.fullmatch(one.format(**here), f"{method} {path}") for one in MAY[self.window])


class Pairings:
    """The codes that were offered and the passes that they were exchanged for.

    Safe to use from many threads.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._codes: dict[Opened, tuple[str, float]] = {}  # with the moment up to which it is valid
        self._passes: dict[str, Opened] = {}
        self._wrong = 0

    def offer(self, opened: Opened) -> str:
        """Return a new code, valid once and for `CODE_VALID_S`; an earlier code for the same window
        becomes invalid."""
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LETTERS))
        with self._lock:
            self._codes[opened] = code, self._now() + CODE_VALID_S
        return code

    def redeem(self, code: str) -> tuple[str, Opened] | None:
        """Exchange a code for its pass; return the pass and the window that it opens, or None if the code
        is invalid."""
        with self._lock:
            for opened, (offered, until) in self._codes.items():
                if self._now() < until and secrets.compare_digest(code.upper().encode(), offered.encode()):
                    del self._codes[opened]
                    made = secrets.token_urlsafe(PASS_BYTES)
                    self._passes[made] = opened
                    return made, opened
            self._wrong += 1
            if self._wrong == MAX_WRONG:
                self._codes.clear()
                self._wrong = 0
            return None

    def may(self, shown: str, method: str, path: str) -> bool:
        """Return whether *shown* is a pass that allows this request."""
        opened = self._passes.get(shown)  # 32 random bytes: no time that a look-up takes tells them
        return opened is not None and opened.may(method, path)
