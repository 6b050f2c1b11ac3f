"""A live feed in a thread, from a file that a test writes, watched as another process would."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrator.panel.engines.protocol import Engine
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.helpers.rehearsals import write_rehearsal

TIMEOUT_S = 300.0
"""How long a test waits for what must come; it says what did not."""
TIMERS = {"refresh": 0.3, "answer_pause": 0.3, "stale": 30, "hand_raise_pause": 0.2, "free_flow_gap": 0.2}


def quicken(home: Path, **timers: float) -> None:
    """Short timers, as a home's own orchestration.md may set them."""
    path = home / "templates" / "moderator" / "orchestration.md"
    text = path.read_text("utf-8")
    for name, seconds in {**TIMERS, **timers}.items():
        text = re.sub(rf"\b{name}: [\d.]+", f"{name}: {seconds}", text, count=1)
    path.write_text(text, "utf-8")


def until(what: str, is_so: Callable[[], Any]) -> Any:
    """Wait until *is_so* gives something true, and return it."""
    end = time.monotonic() + TIMEOUT_S
    while not (found := is_so()):
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(0.02)
    return found


@dataclass
class Feed:
    """A session that is being fed."""

    session: Session  # a second view of it, as another process has one
    speech: Path
    told: list[str] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    said: int = 0

    def say(self, text: str, slide: int | None = None) -> None:
        """Append one segment to the file that is followed: it is begun now, on the session's clock."""
        self.said += 1
        piece = {"text": text, "start_s": self.session.rehearsal.now_s(), "slide": slide}
        with self.speech.open("a", encoding="utf-8") as file:
            file.write(json.dumps({name: value for name, value in piece.items() if value is not None}) + "\n")

    def heard(self) -> None:
        """Wait until everything said is in the transcript."""
        until("the transcript", lambda: len(self.session.projection.segments) >= self.said)

    def values(self, kind: str) -> list[dict[str, Any]]:
        """The values of this type in the ledger, in order."""
        lines = (self.session.path / "ledger" / "ledger.jsonl").read_text("utf-8").splitlines()
        values = (json.loads(line).get("value") or {} for line in lines)
        return [value for value in values if value.get("type") == kind]

    def status(self, agent: str) -> str | None:
        """Of its candidate question."""
        waiting = self.session.projection.waiting.get(agent)
        return waiting.status if waiting is not None else None

    def state(self) -> str:
        """What session-state.md shows."""
        return (self.session.path / "moderator" / "session-state.md").read_text("utf-8")


@contextmanager
def fed(home: Path, tmp_path: Path, engine: Engine, **options: Any) -> Iterator[Feed]:
    """A session with *engine* whose feed follows a file; stopped at the end, with nothing left behind."""
    before = set(threading.enumerate())
    files = write_rehearsal(tmp_path)
    driven = Session.start(Home.open(home), files.deck, engine=engine, **options)
    feed = Feed(Session.open(None, driven.path, engine=engine), tmp_path / "speech.jsonl")
    feed.speech.touch()
    failed: list[BaseException] = []

    def drive() -> None:
        try:
            driven.listen(str(feed.speech), stop=feed.stopped.is_set, say=feed.told.append)
        except BaseException as error:
            failed.append(error)
            raise

    thread = threading.Thread(target=drive, name="feed")
    thread.start()
    try:
        until("the drive", lambda: feed.values("driver") or failed)
        yield feed
    finally:
        feed.stopped.set()
        thread.join(TIMEOUT_S)
        feed.session.close()
        driven.close()
    assert not thread.is_alive()
    assert failed == []
    until(  # on a busy machine a reader needs longer to notice than `Lines.close` waits for it
        "the reader's end",
        lambda: not any(one.name == "speech" for one in set(threading.enumerate()) - before),
    )
