"""What went wrong with a call, in one plain line that never holds what was said.

A service's own message may repeat a part of the request, and a validation error repeats the
reply; so neither is shown, and only its kind, its place and its status are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

from orchestrator.engines.model.settings import SHORT_MAX_TOKENS, Settings
from orchestrator.errors import EngineError

if TYPE_CHECKING:
    from anthropic import APIStatusError
    from pydantic import ValidationError

BUSY: Final = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})
"""Kinds of error that a stream may bring after it has begun, and that pass."""


class PassingError(EngineError):
    """What may go well when it is tried again."""

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


class UnusableError(Exception):
    """A reply that came, and cannot be used; the message says why and repeats nothing of it."""


def is_refused(error: APIStatusError) -> bool:
    """Whether the service refused the request for its form, so that a plainer one may be taken."""
    said = said_by(error)
    is_form = error.status_code in (400, 422) and "credit balance" not in said
    return is_form and (not is_too_long(said) or "max_tokens" in said)


def is_too_long(said: str) -> bool:
    """Whether a refusal is about the length of the context, in the words of the servers that are known."""
    return "too long" in said or ("context" in said and ("exceed" in said or "maximum" in said))


def lacking(error: APIStatusError, request: Mapping[str, Any]) -> str | None:
    """The feature, of those in *request*, that the refusal names; None: it names none of them.

    A server that does not know output schemas or tools refuses them by name; so does the public
    service where a schema is too large for it. `effort` is a setting that not every model has.
    """
    said, config = said_by(error), request.get("output_config", {})
    if "effort" in config and "effort" in said:
        return "effort"
    if config and re.search(r"output_config|output_format|json_schema|\bschema\b", said):
        return "schemas" if "format" in config else "effort"
    if "cache_control" in said and "cache_control" in str(request):
        return "cache"
    if "max_tokens" in said and request["max_tokens"] > SHORT_MAX_TOKENS:
        return "length"
    return "tools" if "tools" in request and re.search(r"\btools?\b", said) else None


def said_by(error: APIStatusError) -> str:
    """The service's own words, in small letters: to be looked into, never shown."""
    return str(error.body or error.message).lower()


def status_error(error: APIStatusError, settings: Settings, model: str) -> EngineError:
    """A refusal by the service, as an error of ours."""
    status, where, kind = error.status_code, settings.where, error.type or ""
    if status >= 500 or status in (408, 409, 429) or kind in BUSY:
        name = {429: "rate limit", 529: "overloaded"}.get(status, kind.replace("_", " ") or "server error")
        shown = name if status < 400 else f"{status}, {name}"  # below, it came in a stream that had begun
        if error.response.headers.get("x-should-retry") != "false":
            line = f"{where} is busy or broken ({shown})"
            return PassingError(line, _wait_s(error), is_busy=True, status=status)
        return EngineError(f"{where} is busy or broken ({shown}): try again later", status=status)
    said = said_by(error)
    lines = {
        401: f"{where} refused the key: check {settings.key_name}",
        402: f"{where} wants to be paid first: check the account's balance",
        403: f"{where} does not let this key use {model}: check the key's rights, or choose another model",
        404: f"{where} does not know the model {model}: choose another one"
        if "model" in said or kind == "not_found_error"
        else f"{where} has no Messages API (404): check the address",
        413: f"{where} refused the request as too large: lower budget_tokens",
    }
    if status in (400, 413, 422) and is_too_long(said):
        return EngineError(f"the context is too long for {model}: lower budget_tokens")
    if status == 400 and "credit balance" in said:
        return EngineError(lines[402], stops=True, status=status)
    line = lines.get(status, f"{where} refused the request (status {status})")
    return EngineError(line, stops=status in (401, 402, 403, 404), status=status)


def _wait_s(error: APIStatusError) -> float | None:
    """The seconds that a `retry-after` asks for, also as a date; None where it is missing or neither."""
    headers = error.response.headers
    for name, seconds_of in (
        ("retry-after-ms", lambda text: float(text) / 1000),
        ("retry-after", float),
        ("retry-after", _seconds_until),
    ):
        with suppress(KeyError, ValueError, TypeError):  # the next form
            return max(0.0, seconds_of(headers[name]))
    return None


def _seconds_until(date: str) -> float:
    until = parsedate_to_datetime(date)
    return (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def shape_fault(error: ValidationError) -> str:
    """What is wrong with a reply's shape: the first place, and the rule; none of its words.

    A place is of field names and numbers, since no part of a reply is a mapping of the model's own keys.
    """
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the object'}: {first['msg']}"
