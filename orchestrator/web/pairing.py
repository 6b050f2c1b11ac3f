"""Pairing: a short code, typed or scanned on another device, that opens one window of one session there.

That device gets no token but a pass, which opens what `MAY` lists for its window and nothing else. Codes and
passes are kept in memory alone: a server that starts anew knows none.
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
"""The letters of a code, without I, L, O, 0 and 1, which look like one another."""
CODE_LETTERS: Final = 8
"""Length of a code: of 8.5e11 codes nobody finds one by chance with `MAX_WRONG` guesses."""
CODE_VALID_S: Final = 600.0
MAX_WRONG: Final = 10
"""Maximum wrong codes, after which none that was offered opens anything."""
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
"""By window, the requests that its page makes, as regular expressions of method and path; the room's are all
that the token opens, for the browser that shows the token at this machine's other address."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What a code opens: a window of a session."""

    session: str
    window: str  # of `MAY`

    @property
    def path(self) -> str:
        """The window's page."""
        return f"/room/{self.session}" + ("" if self.window == "room" else f"/{self.window}")

    def may(self, method: str, path: str) -> bool:
        """Return whether this window's page makes such a request."""
        here = {"session": re.escape(self.session), "page": re.escape(self.path)}
        # `[0-9]` has no braces, so the patterns can be filled in as texts are.
        return any(re.fullmatch(one.format(**here), f"{method} {path}") for one in MAY[self.window])


class Pairings:
    """The codes that were offered and the passes that they became; for many threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._codes: dict[Opened, tuple[str, float]] = {}  # with the moment up to which it is valid
        self._passes: dict[str, Opened] = {}
        self._wrong = 0

    def offer(self, opened: Opened) -> str:
        """Return a new code, valid for `CODE_VALID_S` and once; the one before for the same window ends."""
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LETTERS))
        with self._lock:
            self._codes[opened] = code, self._now() + CODE_VALID_S
        return code

    def redeem(self, code: str) -> tuple[str, Opened] | None:
        """Use a code up and return the pass for it, and what that opens, or None if it opens nothing."""
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
        """Return whether *shown* is a pass with which this may be asked."""
        opened = self._passes.get(shown)  # 32 random bytes: no time that a look-up takes tells them
        return opened is not None and opened.may(method, path)
