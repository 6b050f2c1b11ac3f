"""An engine that replays a reader's recorded replies: for the demonstration, without a key or a network.

This is the engine that asks a model, with a recording in place of the service. Requests, validation, quote
checks and repairs are the same; only the words come from a file::

    {"recording": 1, "by": "…", "on": "2026-11-26", "replies": [
      {"agent": "skeptic", "kind": "focus_brief", "request": "<SHA-256>", "repair": false, "reply": {…}}, …]}

A reply is found by the digest of its request. If an edited prompt or persona has changed a request, the
agent's next reply of that kind is played and counted as stale. Its content is verified against what was
really said.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, Final

from orchestrator.core.errors import EngineError, InstallationError
from orchestrator.core.packaged import PACKAGE
from orchestrator.panel.engines.model.engine import FallbackEngine, ModelEngine
from orchestrator.panel.engines.model.settings import Settings
from orchestrator.panel.engines.model.tasks import Task
from orchestrator.panel.model.usage import Budget
from orchestrator.panel.records.setup import RECORDED

VERSION: Final = 1
FILE: Final = PACKAGE / "rehearsal" / "demo" / "replies.json"


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """The reply to one request."""

    agent: str
    kind: str
    request: str  # SHA-256 of what was asked, as `request_digest` gives it
    reply: Mapping[str, Any]
    repair: bool = False  # asked since the reply before it was refused


@dataclass(frozen=True, slots=True)
class Recording:
    """Recorded replies in the order in which they were given, and the name of whoever gave them."""

    by: str
    on: str  # YYYY-MM-DD
    replies: tuple[RecordedReply, ...] = ()


def read_recording(path: Path = FILE) -> Recording:
    """Read the recording in *path*.

    Raises:
        InstallationError: The file is missing, or is not the one that was shipped.
    """
    try:
        plain = json.loads(path.read_text("utf-8"))
        if plain["recording"] != VERSION:
            raise ValueError(f"version {plain['recording']}")
        replies = tuple(RecordedReply(**one) for one in plain["replies"])
        return Recording(plain["by"], plain["on"], replies)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InstallationError(
            f"{path}: the demonstration's replies cannot be read ({error}): install Greenroom again",
            file=path,
        ) from error


def request_digest(request: Mapping[str, Any]) -> str:
    """Return the SHA-256 of all words of a request, roles included.

    Cache marks, schema and settings are left out, since they change no word. Names of sessions, and the day
    on which something was remembered, are left out because they differ each time that the demonstration is
    played.
    """
    said = [["system", *_texts(request["system"])]]
    said += [[turn["role"], *_texts(turn["content"])] for turn in request["messages"]]
    text = _SESSION.sub("<session>", json.dumps(said, ensure_ascii=False))
    return hashlib.sha256(text.encode()).hexdigest()


_SESSION: Final = re.compile(
    r"(\d{4}-\d\d-\d\d, )?\b\d{8}-\d{6}-[0-9a-f]{6}\b|\d{4}-\d\d-\d\d(?=, confidence )"
)
"""Matches a session's name as `Home.new_id` makes it, with the day before it in lists of memories, and the
day of a recalled memory.
"""


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    else:
        yield from (block["text"] for block in content if block["type"] == "text")


Ask = Callable[[Task, Mapping[str, Any], bool], Mapping[str, Any]]
"""Returns the reply to a task's request that has no recorded reply.

The last argument is whether it is a repair.
"""


class Replies:
    """The replies of a recording, found by request; safe to use from several threads."""

    def __init__(self, recorded: Sequence[RecordedReply], ask: Ask | None = None) -> None:
        self._by_request = {one.request: one for one in recorded}
        self._left = list(recorded)
        self._ask = ask
        self._lock = Lock()
        self.played: list[RecordedReply] = []
        self.stale: list[RecordedReply] = []  # of those: given to another request than the one of now

    def __call__(self, task: Task, request: Mapping[str, Any], is_repair: bool) -> dict[str, Any]:
        """Return a message of the Messages API that answers *request*.

        Raises:
            EngineError: No recorded reply fits.
        """
        digest = request_digest(request)
        reply = self._take(task, digest, is_repair)
        if reply is None and self._ask is not None:
            reply = RecordedReply(
                task.agent, task.kind, digest, self._ask(task, request, is_repair), is_repair
            )
            self._note(reply)
        if reply is None:
            raise EngineError(f"no reply to such a request was recorded ({task.kind} of {task.agent})")
        text = json.dumps(reply.reply, ensure_ascii=False)
        return {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": {}}

    def _take(self, task: Task, digest: str, is_repair: bool) -> RecordedReply | None:
        with self._lock:
            found = self._by_request.get(digest)
            if found is None and self._ask is None:
                found = next((one for one in self._left if _fits(one, task, is_repair)), None)
                if found is not None:
                    self.stale.append(found)
            if found is not None:
                self.played.append(found)
                if found in self._left:
                    self._left.remove(found)
            return found

    def _note(self, reply: RecordedReply) -> None:
        with self._lock:
            self._by_request[reply.request] = reply
            self.played.append(reply)


def _fits(one: RecordedReply, task: Task, is_repair: bool) -> bool:
    return (one.agent, one.kind, one.repair) == (task.agent, task.kind, is_repair)


def recorded_engine(replies: Replies, *, deadline_s: float | None = None) -> FallbackEngine:
    """Make the engine that plays *replies*; if there are none at all, the offline panel answers instead.

    Args:
        deadline_s: Seconds for each task. If None, the same as for a model.
    """
    settings = Settings(model=RECORDED, engine=RECORDED, effort=None)
    if deadline_s is not None:
        settings = replace(settings, deadlines_s=dict.fromkeys(settings.deadlines_s, deadline_s))
    return FallbackEngine(ModelEngine(settings, replies), Budget())
