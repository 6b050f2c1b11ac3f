"""Sessions with something to summarise, and engines that find facts as told; for tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, TypeVar, cast

from orchestrator.core.errors import EngineError
from orchestrator.material.values import Segment
from orchestrator.memory.summariser import Schedule, Summariser
from orchestrator.panel.engines.offline import OfflineEngine
from orchestrator.panel.engines.protocol import (
    Engine,
    FactsRequest,
    Request,
    ScribeRequest,
)
from orchestrator.panel.model.reply import FactDraft, Passage, Remembered
from orchestrator.rehearsal.session import Session

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")

DAILY = Schedule()
WORDS = (
    "We decided to postpone the Lisbon opening to spring 2027.",
    "Good morning, everybody.",
    "Churn fell to 3% in the second quarter.",
    "We will send you the audit by Friday.",
)


class FactEngine:
    """The offline engine, but facts are what *finds* makes of the passages; it counts its calls."""

    name = "told"

    def __init__(
        self,
        finds: Callable[[FactsRequest], Sequence[FactDraft]],
        *,
        fails: int = 0,
        calls: Path | None = None,
        takes_s: float = 0.0,
        remembers: Callable[[ScribeRequest], Sequence[Remembered]] | None = None,
    ) -> None:
        self.requests: list[FactsRequest] = []
        self.scribe_requests: list[ScribeRequest] = []
        self._remembers = remembers
        self._finds = finds
        self._fails = fails
        self._calls = calls
        self._takes_s = takes_s
        self._offline = OfflineEngine()

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        if isinstance(request, ScribeRequest) and self._remembers is not None:
            self.scribe_requests.append(request)
            return cast(R, tuple(self._remembers(request)))
        if not isinstance(request, FactsRequest):
            return self._offline.reply(request, context)
        self.requests.append(request)
        if self._calls is not None:
            line = f"{os.getpid()} {','.join(str(passage.seq) for passage in request.passages)}\n"
            with open(self._calls, "a", encoding="utf-8") as file:
                file.write(line)
        sleep(self._takes_s)
        if self._fails:
            self._fails -= 1
            raise EngineError("out of order")
        return cast(R, tuple(self._finds(request)))


def each(request: FactsRequest) -> list[FactDraft]:
    """One fact a passage: all of it."""
    return [whole(passage) for passage in request.passages]


def whole(passage: Passage) -> FactDraft:
    return FactDraft("open_thread", passage.text, "high", passage.seq, passage.text)


def opened(root: Path, engine: Engine | None = None) -> Session:
    """The session at *root*, without its home."""
    return Session.open(None, root, engine=engine)


def summariser_of(session: Session, schedule: Schedule = DAILY) -> Summariser:
    return Summariser(session.rehearsal, schedule)


def say(session: Session, *texts: str, from_s: float = 0.0) -> None:
    """Put words into the transcript, two seconds each."""
    for number, text in enumerate(texts):
        start_s = from_s + 2.0 * number
        session.add_segment(Segment(text, start_s, start_s + 2.0, "Ines", 1))
