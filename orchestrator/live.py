"""Live speech: segments as they come, refreshes by a timer of their own, questions at breaks.

A reader thread takes lines in. Each segment is in the transcript, durably, before the panel
looks at it; while a question is open, what the presenter says is also its answer. Where
another process drives the session, this one only appends.
"""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic

from orchestrator import moderator, panelist, playback, timekeeping
from orchestrator.driver import driving
from orchestrator.errors import DriverBusyError, SpeechError, UsageError
from orchestrator.exchange import Exchange
from orchestrator.orchestration import SECTION_BREAKS
from orchestrator.pauses import ends_sentence
from orchestrator.render_moderator import spoken
from orchestrator.session import Session
from orchestrator.speech.follow import follow
from orchestrator.speech.stream import LiveReader, LiveSegment, timed

POLL_S = 0.1
"""How often a live feed looks at its timers; far under the shortest pause that means anything (2 s)."""
KINDS = {".txt": "txt", ".vtt": "vtt", ".srt": "srt"}


@dataclass
class LiveFeed:
    """What one live feed needs to know of itself; the rest is in the ledger."""

    session: Session
    drives: bool
    say: Callable[[str], None]
    reader: LiveReader
    source: str  # "-" or the file's name
    line: int = 0
    refused: int = 0
    heard_at: float = field(default_factory=monotonic)
    told: int = 0  # lines of the moderator's that were shown

    def tell(self) -> None:
        """Show what the moderator has said since last time."""
        said = self.session.room.said
        for line in said[self.told :]:
            if words := spoken(self.session.rehearsal, line):
                self.say(words)
        self.told = len(said)


def feed_live(session: Session, source: str, *, stop: Callable[[], bool], say: Callable[[str], None]) -> None:
    """Take speech in as it comes, from stdin (`-`) or a file that grows, until it ends or *stop* says so.

    A followed file goes on behind the last line that was taken from it.

    Raises:
        SpeechError: Lines were no segments; each was named when it came, and the others were taken.
    """
    kind = "jsonl" if source == "-" else KINDS.get(Path(source).suffix.lower(), "jsonl")
    name = source if source == "-" else Path(source).name
    feed = LiveFeed(session, True, say, LiveReader(kind), name, told=len(session.room.said))
    try:
        with driving(session.rehearsal, "feed"):
            session.run_clock()
            try:
                moderator.open_session(session.rehearsal)
                feed.tell()
                _listen(feed, source, stop)
            finally:
                if not session.room.ended:
                    session.pause()
    except DriverBusyError as busy:
        say(f"note: {busy}; this feed only appends")
        feed.drives = False
        _listen(feed, source, stop)
    if feed.refused:
        raise SpeechError(
            f"{source}: {feed.refused} lines were no speech and were left out; the others were taken"
        )


def _listen(feed: LiveFeed, source: str, stop: Callable[[], bool]) -> None:
    lines: queue.Queue[str | SpeechError | None] = queue.Queue()
    threading.Thread(target=_read, args=(source, lines, stop), daemon=True).start()
    taken = 0 if source == "-" else feed.session.room.lines_taken.get(feed.source, 0)
    while not stop():
        if feed.session.room.ended:
            return
        try:
            line = lines.get(timeout=POLL_S)
        except queue.Empty:
            _look(feed)
            feed.session.watch.after_step()
            continue
        if isinstance(line, SpeechError):
            raise line
        if line is None:
            _take(feed, feed.reader.close)
            _finish_answer(feed)
            return
        feed.line += 1
        _take(feed, partial(feed.reader.line, line), keep=feed.line > taken)


def _read(source: str, lines: queue.Queue[str | SpeechError | None], stop: Callable[[], bool]) -> None:
    """Runs in a thread: puts lines, then None; an error is put, never lost."""
    try:
        for line in _lines(source, stop):
            lines.put(line)
        lines.put(None)
    except SpeechError as error:
        lines.put(error)


def _lines(source: str, stop: Callable[[], bool]) -> Iterator[str]:
    if source == "-":
        yield from sys.stdin
    else:
        yield from follow(Path(source), poll_s=POLL_S, stop=stop)


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
        feed.heard_at = monotonic()
        previous = session.room.segments[-1] if session.room.segments else None
        segment = timed(piece, session.rehearsal.now_s(), previous)
        if segment.slide is not None and segment.slide != session.room.slide:
            try:
                session.slide(segment.slide)
            except UsageError as error:  # the words are kept, on the slide that is shown
                feed.say(f"greenroom: {error}")
                segment = replace(segment, slide=session.room.slide)
        at = None if feed.source == "-" else (feed.source, feed.line)
        playback.add_segment(session.rehearsal, segment, source=at)
    _look(feed)


def _look(feed: LiveFeed) -> None:
    """What the moderator does between two lines."""
    if not feed.drives:
        return
    rehearsal = feed.session.rehearsal
    room = feed.session.room
    timers = rehearsal.rules.timers_s
    if room.open is not None:
        silent_s = monotonic() - feed.heard_at
        if room.heard and (silent_s >= timers.answer_pause or room.heard_s >= timers.answer_limit):
            _finish_answer(feed)
        return
    if room.refresh_due or rehearsal.now_s() - room.refreshed_at_s >= timers.refresh:
        panelist.refresh(rehearsal, "slide" if room.refresh_due else "timer")
    if room.break_due:
        _put(feed, moderator.ask_somebody(rehearsal))
    elif timekeeping.speak_if_due(rehearsal, presides=True, is_at_a_stop=_is_at_a_stop(feed)):
        feed.tell()
    elif _is_pausing(feed):
        _put(feed, moderator.ask_at_pause(rehearsal))


def _is_at_a_stop(feed: LiveFeed) -> bool:
    """What was heard last ends a sentence, or some silence has followed."""
    segments = feed.session.room.segments
    pause_s = feed.session.rehearsal.rules.timers_s.hand_raise_pause
    return not segments or ends_sentence(segments[-1]) or monotonic() - feed.heard_at >= pause_s


def _is_pausing(feed: LiveFeed) -> bool:
    """The presenter has been silent for long enough to come in, in the modes that wait for that."""
    rehearsal = feed.session.rehearsal
    silent_s = monotonic() - feed.heard_at
    return (
        rehearsal.options.mode != SECTION_BREAKS
        and bool(rehearsal.room.segments)
        and silent_s >= rehearsal.rules.timers_s.hand_raise_pause
    )


def _put(feed: LiveFeed, exchange: Exchange | None) -> None:
    """Show the question that is being put, if one is, behind the moderator's words."""
    feed.tell()
    if exchange is not None:
        _tell_question(feed, exchange)


def _tell_question(feed: LiveFeed, exchange: Exchange) -> None:
    feed.say(f"{feed.session.rehearsal.name_of(exchange.agent)}: {exchange.turns[-1].question}")


def _finish_answer(feed: LiveFeed) -> None:
    """Judge what was said since the question."""
    room = feed.session.room
    if not feed.drives or room.open is None or not room.heard:
        return
    exchange = room.open
    rehearsal = feed.session.rehearsal
    moderator.take_heard(rehearsal)
    if feed.session.room.open is None:  # the answer asked to come back to it
        feed.tell()
        return
    judgement = moderator.judge(rehearsal)
    asked = f"{exchange.id}: taken as the answer to {rehearsal.name_of(exchange.agent)}"
    feed.say(f"{asked}; {judgement.verdict}: {judgement.reason}")
    feed.tell()
    open_ = feed.session.room.open
    if open_ is not None:
        _tell_question(feed, open_)
