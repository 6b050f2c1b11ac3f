"""Pairing: a short code, typed or scanned on another device, that opens one window of one session on it.

The device does not get the token but a pass, which allows only what `MAY` lists for its window. After a
restart the server knows neither codes nor passes of before.
"""

from __future__ import annotations

import hmac
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from threading import Lock
from typing import Final, Protocol, TypeVar

from orchestrator.web.addresses import PREFIX

T = TypeVar("T")

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


@dataclass(frozen=True, slots=True)
class Offer:
    """A code that was offered for a window."""

    opened: Opened
    code: str  # its digest: where offers are stored, no code can be read
    until: float  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Offers:
    """The codes that were offered, and how often since then a wrong one was tried."""

    all: tuple[Offer, ...] = ()
    wrong: int = 0


class Codes(Protocol):
    """Where offers are stored: in this process, or where all that serve the same home find them."""

    def change(self, work: Callable[[Offers], tuple[Offers, T]]) -> T:
        """Store what *work* makes of the offers, of two at once one after the other; return its result.

        Args:
            work: Without effects: it may be called again.
        """


class OwnCodes:
    """Offers in this process's memory. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._offers = Offers()

    def change(self, work: Callable[[Offers], tuple[Offers, T]]) -> T:
        """Store what *work* makes of the offers, and return its result."""
        with self._lock:
            self._offers, result = work(self._offers)
        return result


class Pairings:
    """The codes that were offered and the passes that they are exchanged for.

    A pass is signed and stored nowhere, so every process that has the key knows it. Safe to use from many
    threads.
    """

    def __init__(
        self, now: Callable[[], float] = time.time, codes: Codes | None = None, key: bytes | None = None
    ) -> None:
        """Prepare to pair.

        Args:
            codes: Where offers are stored; None: in this process.
            key: The secret that signs passes, the same in all processes; None: one of this process's own.
        """
        self._now = now
        self._codes = codes if codes is not None else OwnCodes()
        self._key = key if key is not None else secrets.token_bytes(PASS_BYTES)

    def offer(self, opened: Opened) -> str:
        """Return a new code, valid once and for `CODE_VALID_S`; an earlier code for the same window
        becomes invalid."""
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LETTERS))
        now = self._now()
        made = Offer(opened, self._sign(f"code {code}"), now + CODE_VALID_S)

        def add(offers: Offers) -> tuple[Offers, None]:
            others = (one for one in offers.all if one.opened != opened and now < one.until)
            return replace(offers, all=(*others, made)), None

        self._codes.change(add)
        return code

    def redeem(self, code: str) -> tuple[str, Opened] | None:
        """Exchange a code for its pass; return the pass and the window that it opens, or None if the code
        is invalid."""
        digest, now = self._sign(f"code {code.upper()}"), self._now()

        def take(offers: Offers) -> tuple[Offers, Opened | None]:
            for one in offers.all:
                if now < one.until and secrets.compare_digest(digest, one.code):
                    return replace(
                        offers, all=tuple(left for left in offers.all if left is not one)
                    ), one.opened
            if offers.wrong + 1 == MAX_WRONG:
                return Offers(), None
            return replace(offers, wrong=offers.wrong + 1), None

        opened = self._codes.change(take)
        return (self._pass(opened), opened) if opened is not None else None

    def may(self, shown: str, method: str, path: str) -> bool:
        """Return whether *shown* is a pass that allows this request."""
        window, _, rest = shown.partition(".")
        opened = Opened(rest.partition(".")[0], window)
        if window not in MAY or not secrets.compare_digest(shown.encode(), self._pass(opened).encode()):
            return False
        return opened.may(method, path)

    def _pass(self, opened: Opened) -> str:
        return f"{opened.window}.{opened.session}.{self._sign(f'pass {opened.window} {opened.session}')}"

    def _sign(self, text: str) -> str:
        return hmac.new(self._key, text.encode("utf-8", "surrogatepass"), sha256).hexdigest()
