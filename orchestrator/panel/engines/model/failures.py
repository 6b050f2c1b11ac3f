"""Errors of a call, each described in one plain line that never contains what was said.

A service's own message may repeat a part of the request, and a validation error repeats the reply. So neither
is shown, only the error's kind, place, numbers and status.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

from orchestrator.core.errors import EngineError, reduced
from orchestrator.panel.engines.model.settings import Settings

if TYPE_CHECKING:
    from pydantic import ValidationError

BUSY: Final = frozenset(
    {"overloaded_error", "rate_limit_error", "api_error", "timeout_error", "server_error"}
)
"""Kinds of error that may come after a stream has begun, and that may pass."""
_LENGTHS: Final = (("n_prompt_tokens", "n_ctx"), ("requested_tokens", "max_context_tokens"))
"""Fields of a refusal that give the length of the request and the maximum length, as llama.cpp names them."""
_SAID_LENGTHS: Final = re.compile(r"maximum context length is (\d+) tokens.*?(\d+) tokens", re.DOTALL)
"""Matches the same two lengths in the words of OpenAI's and vLLM's messages."""
_WORD: Final = re.compile(r"[a-z][a-z0-9_.-]{2,60}")


class PassingError(EngineError):
    """A failure that may pass, so that the same call may succeed when it is tried again."""

    def __init__(
        self,
        message: str,
        wait_s: float | None = None,
        *,
        is_busy: bool = False,
        stops: bool = False,
        status: int | None = None,
    ) -> None:
        super().__init__(message, stops=stops, status=status)
        self.is_busy = is_busy  # the service is there, and may well know key and model
        self.wait_s = wait_s  # what the service asks for


class UselessError(EngineError):
    """The service takes requests, but returned nothing usable this time."""


class NoApiError(EngineError):
    """The server responds, but lacks the API that was asked."""


class TooLongError(UselessError):
    """The request is longer than the model's context."""

    def __init__(self, message: str, needed: int | None = None, window: int | None = None) -> None:
        super().__init__(message)
        self.needed, self.window = needed, window  # tokens, as the service counts them


class UnusableError(Exception):
    """A reply came and cannot be used; the message says why and repeats nothing of the reply."""


class RefusedError(Exception):
    """A service's refusal, from any SDK; its words are examined but never shown."""

    def __init__(
        self,
        said: str,
        status: int = 0,
        kind: str = "",
        headers: Mapping[str, str] = MappingProxyType({}),
        body: Any = None,
    ) -> None:
        """Make a refusal.

        *said* contains the refusal's words in lower case, and *kind* the service's name for it.
        """
        super().__init__(said)
        self.status, self.said, self.kind = status, said, kind
        self.headers, self.body = dict(headers), body

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)

    @classmethod
    def of(cls, error: Any) -> Self:
        """Make a refusal from an SDK's `APIStatusError`, or its `APIError` of a stream that had begun."""
        body = error.body
        inner = body.get("error", body) if isinstance(body, Mapping) else body
        kinds = (
            getattr(error, "type", None),
            inner.get("type") if isinstance(inner, Mapping) else None,
            getattr(error, "code", None),
        )
        kind = next((one for one in kinds if isinstance(one, str) and one), "")
        response = getattr(error, "response", None)
        code = inner.get("code") if isinstance(inner, Mapping) else None  # many a server's is its status
        in_stream = code if isinstance(code, int) and 400 <= code < 600 else 200
        status = response.status_code if response is not None else in_stream
        headers = response.headers if response is not None else {}
        return cls(str(body or error.message).lower(), status, kind, headers, inner)

    @property
    def is_of_form(self) -> bool:
        """Return whether the request was refused for its form, so that a plainer request may be accepted."""
        is_form = self.status in (400, 422) and "credit balance" not in self.said
        return is_form and (not self.is_too_long or "max_tokens" in self.said)

    @property
    def is_too_long(self) -> bool:
        """Return whether the refusal is about the context's length, in the words of the known servers."""
        said = self.said
        return "too long" in said or ("context" in said and ("exceed" in said or "maximum" in said))

    @property
    def lengths(self) -> tuple[int | None, int | None]:
        """Return the request's tokens and the maximum number; each is None if the service does not say it."""
        if isinstance(self.body, Mapping):
            for needed, window in _LENGTHS:
                found = self.body.get(needed), self.body.get(window)
                if all(isinstance(one, int) for one in found):
                    return found
        said = _SAID_LENGTHS.search(self.said)
        return (int(said[2]), int(said[1])) if said else (None, None)

    @property
    def wait_s(self) -> float | None:
        """Return the seconds to wait that a `retry-after` header asks for, as a number or a date.

        Return None if the header is missing or invalid.
        """
        for name, seconds_of in (
            ("retry-after-ms", lambda text: float(text) / 1000),
            ("retry-after", float),
            ("retry-after", _seconds_until),
        ):
            with suppress(KeyError, ValueError, TypeError):  # the next form
                return max(0.0, seconds_of(self.headers[name]))
        return None


def error_of(refusal: RefusedError, settings: Settings, model: str, api: str) -> EngineError:
    """Turn a refusal by the service into an `EngineError`."""
    status, where, kind, said = refusal.status, settings.where, refusal.kind, refusal.said
    if status >= 500 or status in (408, 409, 429) or (kind in BUSY and status < 400):
        names = {429: "rate limit", 529: "overloaded"}
        name = names.get(status) or ("loading its model" if "loading" in said else "")
        name = name or kind.replace("_", " ") or "server error"
        shown = name if status < 400 else f"{status}, {name}"  # below, it came in a stream that had begun
        line = f"{where} is busy or broken ({shown})"
        if refusal.headers.get("x-should-retry") != "false":
            return PassingError(line, refusal.wait_s, is_busy=True, status=status)
        return EngineError(f"{line}: try again later", status=status)
    if status in (400, 413, 422) and refusal.is_too_long:
        return too_long(model, *refusal.lengths)
    if status == 405 or (status == 404 and "model" not in said):
        line = f"{where} has no {api} ({status}): check the address"
        return NoApiError(line, stops=True, status=status)
    lines = {
        401: f"{where} refused the key: check {settings.key_name}",
        402: f"{where} wants to be paid first: check the account's balance",
        403: f"{where} does not let this key use {model}: check the key's rights, or choose another model",
        404: f"{where} does not know the model {model}: choose another one",
        413: f"{where} refused the request as too large: lower budget_tokens",
    }
    if status == 400 and "credit balance" in said:
        return EngineError(lines[402], stops=True, status=status)
    # A kind is a name that the server gives; its message may repeat the request.
    named = f", {kind}" if _WORD.fullmatch(kind) else ""
    line = lines.get(status, f"{where} refused the request (status {status}{named})")
    return EngineError(line, stops=status in (401, 402, 403, 404), status=status)


def too_long(model: str, needed: int | None = None, window: int | None = None) -> TooLongError:
    """Make the error for a request that does not fit, with both numbers if they are known."""
    told = f"the context is too long for {model}"
    if needed is not None and window is not None:
        told += f" ({needed:,} tokens of at most {window:,})"
    return TooLongError(f"{told}: start it with a longer context, or lower budget_tokens", needed, window)


def _seconds_until(date: str) -> float:
    until = parsedate_to_datetime(date)
    return (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def shape_fault(error: ValidationError) -> str:
    """Describe what is wrong with a reply's shape, by the first place and the rule that it breaks.

    None of the reply's words are in the description: a place is made of field names and numbers, since no
    part of a reply is a mapping with keys of the model's own.
    """
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the object'}: {first['msg']}"
