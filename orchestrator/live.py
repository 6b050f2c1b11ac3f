"""Live speech: segments as they come, each in the transcript, durably, before the panel looks at it.

A reader thread takes lines in. While a question is open, what the presenter says is also its
answer. What the panel does meanwhile is in `presiding`; nothing here waits for it. Where another
process drives the session, this one only appends.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic

from orchestrator.errors import DriverBusyError, SpeechError, UsageError
from orchestrator.loop import live_panel, moderator, recorded
from orchestrator.loop.driver import driving
from orchestrator.loop.live_panel import Presiding
from orchestrator.session import Session
from orchestrator.speech.lines import STDIN, Lines
from orchestrator.speech.stream import LiveReader, LiveSegment, timed

POLL_S = 0.1
"""How often a live feed looks at its timers; far under the shortest pause that means anything (2 s)."""
KINDS = {".txt": "txt", ".vtt": "vtt", ".srt": "srt"}
STOPPED = "the feed was stopped"


@dataclass
class LiveFeed:
    """What one live feed needs to know of itself; the rest is in the ledger."""

    session: Session
    panel: Presiding | None  # None: another process drives the session
    say: Callable[[str], None]
    reader: LiveReader
    source: str  # "-" or the file's name
    line: int = 0
    refused: int = 0
    went_back: bool = False  # and that was said


def feed_live(session: Session, source: str, *, stop: Callable[[], bool], say: Callable[[str], None]) -> None:
    """Take speech in as it comes, from stdin (`-`) or a file that grows, until it ends or *stop* says so.

    A followed file goes on behind the last line that was taken from it. When the speech is over,
    calls that are under way are waited for; at a stop they are given up.

    Raises:
        SpeechError: Lines were no segments; each was named when it came, and the others were taken.
    """
    kind = "jsonl" if source == STDIN else KINDS.get(Path(source).suffix.lower(), "jsonl")
    name = source if source == STDIN else Path(source).name
    panel = Presiding(session.rehearsal, say)
    feed = LiveFeed(session, panel, say, LiveReader(kind), name)
    try:
        with driving(session.rehearsal, "feed"):
            session.run_clock()
            try:
                _drive(feed, panel, source, stop)
            finally:
                if not session.room.ended:
                    session.pause()
    except DriverBusyError as busy:
        say(f"note: {busy}; this feed only appends")
        feed.panel = None
        _listen(feed, source, stop)
    if feed.refused:
        raise SpeechError(
            f"{source}: {feed.refused} lines were no speech and were left out; the others were taken"
        )


def _drive(feed: LiveFeed, panel: Presiding, source: str, stop: Callable[[], bool]) -> None:
    try:
        moderator.open_session(panel.rehearsal)
        panel.tell()
        live_panel.begin(panel)
        _listen(feed, source, stop)
        while panel.is_waiting and not stop():
            time.sleep(POLL_S)
            live_panel.look_back(panel)
    finally:
        live_panel.leave(panel, STOPPED)


def _listen(feed: LiveFeed, source: str, stop: Callable[[], bool]) -> None:
    taken = 0 if source == STDIN else feed.session.room.lines_taken.get(feed.source, 0)
    lines = Lines(source, poll_s=POLL_S, stop=stop)
    try:
        while not stop():
            if feed.session.room.ended:
                return
            try:
                line = lines.next(POLL_S)
            except queue.Empty:
                _look(feed)
                feed.session.watch.after_step()
                continue
            if line is None:
                _take(feed, feed.reader.close)
                if feed.panel is not None:
                    live_panel.finish_answer(feed.panel)
                return
            feed.line += 1
            _take(feed, partial(feed.reader.line, line), keep=feed.line > taken)
    finally:
        lines.close()


def _look(feed: LiveFeed) -> None:
    if feed.panel is not None:
        live_panel.look(feed.panel)


def _take(feed: LiveFeed, read: Callable[[], tuple[LiveSegment, ...]], *, keep: bool = True) -> None:
    """The segments that a line completes: into the transcript, each with its slide."""
    try:
        heard = read()
    except SpeechError as error:
        feed.refused += 1
        feed.say(f"greenroom: {error}")
        return
    if not keep:
        return
    session = feed.session
    for piece in heard:
        if feed.panel is not None:
            feed.panel.heard_at = monotonic()
        previous = session.room.segments[-1] if session.room.segments else None
        segment = timed(piece, session.rehearsal.now_s(), previous)
        if segment.slide is not None and segment.slide != session.room.slide:
            try:
                session.slide(segment.slide)
            except UsageError as error:  # the words are kept, on the slide that is shown
                feed.say(f"greenroom: {error}")
                segment = replace(segment, slide=session.room.slide)
        if piece.start_s is not None and piece.start_s < segment.start_s and not feed.went_back:
            feed.went_back = True
            told, moved = f"{piece.start_s:g} s", f"{segment.start_s:g} s"
            feed.say(
                f"note: a time goes back to {told}: these words are set at {moved}, as those before them; "
                "so is whatever goes back from here on"
            )
        at = None if feed.source == STDIN else (feed.source, feed.line)
        recorded.add_segment(session.rehearsal, segment, source=at)
    _look(feed)
