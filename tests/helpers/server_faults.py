"""What can be wrong with a call to the test server, whichever API is spoken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FAULTS: Final = (
    "slow",  # answers after `seconds`
    "hang",  # accepts, and answers nothing until the server closes, or lets go of it
    "key",  # 401
    "forbidden",  # 403
    "model",  # 404
    "rate_limit",  # 429 with `retry-after: seconds`
    "overloaded",  # 529; in Chat Completions 503
    "broken",  # 500
    "loading",  # 503, as of a server that is still loading its model
    "reset",  # closes the connection without a word
    "cut",  # breaks the body or the stream off in the middle
    "stalled",  # begins the body or the stream, and goes on with it only after `seconds`
    "stream_error",  # an error event after the stream has begun; "overloaded" where nothing is streamed
    "no_json",  # a reply whose text is no JSON
    "half_json",  # a reply whose text is the first half of the JSON
    "contradiction",  # a reply that breaks the schema
    "other_kind",  # a whole reply to another task
    "false_quote",  # a whole reply whose quotes nobody said
    "half_character",  # a whole reply with NUL and half a character in its texts
    "refusal",  # stop_reason refusal
    "truncated",  # stop_reason max_tokens
    "empty",  # no content
    "search_error",  # the search tool's own error in place of results
    "no_message",  # 200 with JSON that is no message
    "page",  # 200 with HTML
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a call."""

    kind: str
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in FAULTS:
            raise ValueError(f"there is no fault {self.kind!r}: use one of {', '.join(FAULTS)}")


@dataclass(frozen=True, slots=True)
class Refused:
    """An error as a service sends it."""

    status: int
    kind: str
    message: str
    code: str | int | None = None  # Chat Completions has one beside the kind
