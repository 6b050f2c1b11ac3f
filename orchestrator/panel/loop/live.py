"""Live speech: segments as they come, each in the transcript, durably, before the panel looks at it.

A reader thread takes lines in; while a question is open, what the presenter says is also its answer.
Each step of the loop is begun here, and what comes of it is taken at a later look, so a slow, hanging
or dead model delays no transcript, no slide and no other panelist. An engine that answers at once is
asked and answered within one step. Where another process drives the session, this one only appends.

Source: DESIGN.md, sections 6 and 7.
"""

from __future__ import annotations

import hashlib
import queue
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from orchestrator.core import legible
from orchestrator.core.errors import (
    DriverBusyError,
    RequestIdReusedError,
    SpeechError,
    UsageError,
)
from orchestrator.core.store.waiting import waits_until
from orchestrator.material.speech.line_reader import STDIN, Lines
from orchestrator.material.speech.stream import LiveReader, LiveSegment
from orchestrator.panel.loop import transcript
from orchestrator.panel.loop.driver_lock import driving
from orchestrator.panel.loop.live_panel import Panel
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.loop.steps import End, Listen
from orchestrator.panel.loop.transcript import (
    add_segment,
    follow_slide,
    set_clock,
    settled,
)
from orchestrator.panel.records.projection import Line

POLL_S: Final = 0.1
"""How often a live feed looks at its timers; far under the shortest pause that means anything (2 s)."""
KINDS: Final = {".txt": "txt", ".vtt": "vtt", ".srt": "srt"}
"""What a followed file is read as, by its ending; any other, and standard input, as JSON lines."""
STOPPED: Final = "the feed was stopped"


def feed_live(
    rehearsal: Rehearsal,
    source: str,
    *,
    stop: Callable[[], bool],
    say: Callable[[str], None],
    on_step: Callable[[], None] = lambda: None,
) -> None:
    """Take speech in as it comes, from stdin (`-`) or a file that grows, until it ends or *stop* says so.

    Of a followed file, what was taken before is passed over: it is known by all that stands before it, so
    another file of the same name is taken from its beginning. When the speech is over, calls that are
    under way are waited for; at a stop they are given up.

    Args:
        say: Told each line that a terminal shows.
        on_step: Called whenever nothing is due.

    Raises:
        SpeechError: Lines were no segments; each was named when it came, and the others were taken.
    """
    kind = "jsonl" if source == STDIN else KINDS.get(Path(source).suffix.lower(), "jsonl")
    name = source if source == STDIN else Path(source).name
    feed = Feed(rehearsal, say, LiveReader(kind), name, rehearsal.now_s())
    with waits_until(stop):
        _feed(feed, source, stop, on_step)
    if feed.refused:
        where = "stdin" if source == STDIN else source
        lines = legible.counted(feed.refused, "line")
        how = '; write each as {"text": "…"}' if kind == "jsonl" else ""
        raise SpeechError(f"{where}: left out as no speech: {lines}; any others were taken{how}")


def _feed(feed: Feed, source: str, stop: Callable[[], bool], on_step: Callable[[], None]) -> None:
    """Drive the session, or only append where another process drives it."""
    rehearsal = feed.rehearsal
    try:
        with driving(rehearsal, "feed"):
            set_clock(rehearsal, runs=True)
            try:
                _drive(feed, Panel(rehearsal, feed.say), source, stop, on_step)
            finally:
                if not feed.has_ended():
                    set_clock(rehearsal, runs=False)
    except DriverBusyError as busy:
        feed.say(f"note: {busy}; this feed only appends")
        _append(feed, source, stop, on_step)


def _drive(
    feed: Feed, panel: Panel, source: str, stop: Callable[[], bool], on_step: Callable[[], None]
) -> None:
    """Do what is due, then take the next line in, until the speech is over and nothing is under way."""
    lines = Lines(source, poll_s=POLL_S, stop=stop)
    try:
        while not stop():
            step = panel.next_step()
            if isinstance(step, End):
                return
            if not isinstance(step, Listen):
                panel.carry_out(step)
            elif panel.is_over:
                time.sleep(POLL_S)
            elif feed.is_over:  # and what its last words made due is done
                panel.is_over = True
            elif not feed.take_next(lines):
                on_step()
    finally:
        lines.close()
        panel.leave(STOPPED)


def _append(feed: Feed, source: str, stop: Callable[[], bool], on_step: Callable[[], None]) -> None:
    """Take speech in and do nothing else."""
    lines = Lines(source, poll_s=POLL_S, stop=stop)
    try:
        while not (stop() or feed.is_over or feed.has_ended()):
            if not feed.take_next(lines):
                on_step()
    finally:
        lines.close()


@dataclass
class Feed:
    """The speech of one live feed, line by line; the rest is in the ledger."""

    rehearsal: Rehearsal
    say: Callable[[str], None]
    reader: LiveReader
    source: str  # "-" or the file's name
    from_s: float  # session clock at which the feed began
    line: int = 0
    digest: Any = field(default_factory=hashlib.sha256)  # of all lines up to this one
    refused: int = 0
    is_over: bool = False
    went_back: bool = False  # and that was said

    def has_ended(self) -> bool:
        """Whether the session has."""
        self.rehearsal.store.catch_up()
        return self.rehearsal.projection.ended

    def take_next(self, lines: Lines) -> bool:
        """The segments that the next line completes: into the transcript; False: none came."""
        try:
            line = lines.next(POLL_S)
        except queue.Empty:
            return False
        if line is None:
            self.is_over = True
            return self._take(self.reader.close)
        self.line += 1
        self.digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
        return self._take(partial(self.reader.line, line))

    def _take(self, read: Callable[[], tuple[LiveSegment, ...]]) -> bool:
        try:
            heard = read()
        except SpeechError as error:
            self.refused += 1
            self.say(f"greenroom: {error}")
            return False
        source = None if self.source == STDIN else Line(self.source, self.line, self.digest.hexdigest()[:16])
        if source in self.rehearsal.projection.lines_taken:
            return False
        for piece in heard:
            self._add_once(piece, source)
        return bool(heard)

    def _add_once(self, piece: LiveSegment, source: Line | None) -> None:
        """Add it, unless its own id shows that it was added before."""
        try:
            transcript.hear_once(self.rehearsal, piece, partial(self._add, piece, source))
        except (RequestIdReusedError, UsageError) as error:
            self.refused += 1
            self.say(f"greenroom: line {self.line}: {error}")

    def _add(self, piece: LiveSegment, source: Line | None) -> None:
        rehearsal = self.rehearsal
        rehearsal.store.catch_up()
        segment, begun_s = settled(rehearsal, piece, from_s=self.from_s)
        if segment.slide is not None:
            try:
                follow_slide(rehearsal, segment.slide, begun_s)
            except UsageError as error:  # the words are kept, on the slide that is shown
                self.say(f"greenroom: {error}")
                segment = replace(segment, slide=rehearsal.projection.slide)
        else:
            segment = replace(segment, slide=rehearsal.projection.slide_at(begun_s))
        if piece.start_s is not None and piece.start_s < segment.start_s and not self.went_back:
            self.went_back = True
            told, moved = f"{piece.start_s:g} s", f"{segment.start_s:g} s"
            self.say(
                f"note: a time goes back to {told}: these words are set at {moved}, as those before them; "
                "so is whatever goes back from here on"
            )
        add_segment(rehearsal, segment, begun_s=begun_s, source=source)
