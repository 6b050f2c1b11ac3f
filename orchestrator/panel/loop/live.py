"""Live speech: each segment is durable in the transcript before the panel looks at it.

A reader thread reads the lines. While a question is open, what the presenter says is also its answer. Each
step of the loop is begun here, and its result is collected later, so a slow, hanging or dead model delays no
transcript, no slide and no other panelist. An engine that answers at once is asked and answered within one
step. Where another process drives the session, this one only appends.

Source: DESIGN.md, sections 6 and 7.
"""

from __future__ import annotations

import hashlib
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from orchestrator.core import legible
from orchestrator.core.errors import (
    DriverBusyError,
    RequestIdReusedError,
    SessionFrozenError,
    SessionStateError,
    SpeechError,
    UsageError,
)
from orchestrator.core.store.waiting import waits_until
from orchestrator.material.speech.stream import STDIN, Lines, LiveReader, LiveSegment
from orchestrator.panel import render
from orchestrator.panel.loop import (
    answers,
    asking,
    contradiction_looks,
    moderator,
    panelist,
    refreshing,
    transcript,
)
from orchestrator.panel.loop.answers import Judging
from orchestrator.panel.loop.contradictions import Looked
from orchestrator.panel.loop.driver_lock import driving
from orchestrator.panel.loop.moderator import Teller, question_lines
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.loop.state import Live, State
from orchestrator.panel.loop.state_page import show_state_again
from orchestrator.panel.loop.steps import (
    Ask,
    End,
    Judge,
    Listen,
    Look,
    Refresh,
    ShowState,
    Speak,
    Step,
    TakeAnswer,
    next_step,
)
from orchestrator.panel.loop.transcript import add_segment, follow_slide, set_clock, settled, take_up_clock
from orchestrator.panel.loop.turns import BREATH_S
from orchestrator.panel.model.exchange import Exchange, Judgement
from orchestrator.panel.records.projection import Line

# ---------------------------------------------------------------------- live panel
# The panel at live speech: what is under way for it, and how each step is begun and taken later.
#
# Nothing here waits for an engine. Whatever counts is in the ledger.
#
# Source: DESIGN.md, sections 6 and 7.


ELSEWHERE: Final = "it was judged, parked or closed elsewhere meanwhile"
CORRECTED: Final = "the words of the answer were corrected meanwhile, and are judged anew"
ENDING: Final = "the session is being ended"


class Looking:
    """One look for contradictions in a separate thread, whose findings are collected when it is over."""

    def __init__(self, rehearsal: OpenRehearsal, look: contradiction_looks.Look) -> None:
        self.look = look
        self.looked: Looked | None = None
        self._rehearsal = rehearsal
        self._thread = threading.Thread(target=self._run, name="tensions", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.looked = contradiction_looks.made(self._rehearsal, self.look)

    @property
    def is_over(self) -> bool:
        """Return whether the look has ended, with a result or, after an unexpected error, without one."""
        return not self._thread.is_alive()


class Panel:
    """The calls and looks under way for one live feed."""

    def __init__(self, rehearsal: OpenRehearsal, say: Callable[[str], None]) -> None:
        self.rehearsal = rehearsal
        self.is_over = False  # no more speech comes
        self.state: State | None = None  # as of the last look
        self._say = say
        self._teller = Teller(rehearsal)
        self._running: dict[str, refreshing.Asked] = {}  # by panelist
        self._judging: Judging | None = None
        self._judged_at_s: float | None = None  # since when a verdict waits for the end of a sentence
        self._looking: Looking | None = None
        self._words_seq = rehearsal.projection.words_seq  # the last words that were noticed
        self._heard_at_s = rehearsal.clock.there_s()  # when somebody last spoke
        self._break_since_s: float | None = None  # session clock: since when a break waits for questions
        open_ = rehearsal.projection.open  # an earlier drive may have left an answer that was not judged
        self._owes_verdict = open_ is not None and open_.turns[-1].answer is not None

    def heard(self) -> None:
        """Note that somebody is speaking.

        New or corrected words in the transcript are noticed without this.
        """
        self._heard_at_s = self.rehearsal.clock.there_s()

    def next_step(self) -> Step:
        """Write the results that have come, cancel outdated calls, and return the step that is due."""
        self.rehearsal.store.catch_up()
        take_up_clock(self.rehearsal)
        if (words_seq := self.rehearsal.projection.words_seq) != self._words_seq:
            self._words_seq = words_seq
            self.heard()
        self._take()
        self._let_go_of_the_overtaken()
        self._tell()
        self.state = self.rehearsal.state(self._live())
        return next_step(self.state)

    def look(self) -> None:
        """Write the results that have come, and carry out every step that is due now."""
        while not isinstance(step := self.next_step(), (Listen, End)):
            self.carry_out(step)

    def carry_out(self, step: Step) -> None:
        """Begin a step, and write its result if it is available at once.

        What another process has changed meanwhile stays as it is.
        """
        rehearsal = self.rehearsal
        with suppress(SessionStateError):
            match step:
                case Look():
                    self._look()
                case Refresh():
                    refreshing.begin(rehearsal, step.why, self._running, leave_out=step.leave_out)
                case Ask():
                    self._tell_question(asking.ask(rehearsal, at_pause=step.at_pause))
                case TakeAnswer():
                    taken = answers.take_heard(rehearsal)
                    self._owes_verdict = taken.outcome is None  # else it asked to be parked
                case Judge():
                    self._judge()
                case ShowState():
                    show_state_again(rehearsal)
                case Speak():
                    moderator.speak(rehearsal, step.occasion)
        self._tell()

    def leave(self, why: str) -> None:
        """Cancel everything that is under way, and record the cancelled calls in the ledger."""
        judged, self._judging = self._judging, None
        self._judged_at_s = None
        self._looking = None  # what was said since is looked through by the next feed
        if judged is not None:
            judged.reply.cancel()
        refreshing.give_up(self.rehearsal, self._running, why)
        with suppress(SessionFrozenError):
            if judged is not None:
                panelist.left_out(self.rehearsal, judged.exchange, why)

    # ------------------------------------------------------------------ what is under way

    def _live(self) -> Live:
        projection, now_s = self.rehearsal.projection, self.rehearsal.now_s()
        if not (projection.break_due and self._running):
            self._break_since_s = None
        elif self._break_since_s is None:
            self._break_since_s = now_s
        return Live(
            silent_s=self.rehearsal.clock.there_s() - self._heard_at_s,
            is_asking=bool(self._running),
            is_looking=self._looking is not None,
            is_judging=self._judging is not None,
            owes_verdict=self._owes_verdict,
            waited_s=now_s - self._break_since_s if self._break_since_s is not None else 0.0,
            is_over=self.is_over,
        )

    def _take(self) -> None:
        """Write the results of calls that are over, if they still fit."""
        for agent in [agent for agent, one in self._running.items() if one.reply.done()]:
            refreshing.take(self.rehearsal, self._running.pop(agent))
        if self._looking is not None and self._looking.is_over:
            look, looked = self._looking.look, self._looking.looked
            self._looking = None
            if self.rehearsal.projection.state != "closing":
                contradiction_looks.take(self.rehearsal, look, looked or Looked(failed="the look broke off"))
        judged = self._judging
        if judged is not None and judged.reply.done() and not self._would_interrupt():
            self._judging = self._judged_at_s = None
            self._conclude(judged)

    def _would_interrupt(self) -> bool:
        """Return whether asking a follow-up now would interrupt a sentence.

        The follow-up then waits, at most for the interval of a refresh.
        """
        there_s = self.rehearsal.clock.there_s()
        if self._judged_at_s is None:
            self._judged_at_s = there_s
        is_speaking = there_s - self._heard_at_s < BREATH_S
        return is_speaking and there_s - self._judged_at_s < self.rehearsal.rules.timers_s.refresh

    def _let_go_of_the_overtaken(self) -> None:
        """Cancel calls begun before a question was asked, or for an exchange that has changed since."""
        projection = self.rehearsal.projection
        if projection.ended or projection.state == "closing":
            self.leave(ENDING)
        elif projection.open is None or projection.open.turns[-1].answer is None:
            self._owes_verdict = False
        if projection.open is not None and any(
            one.opened != projection.opened for one in self._running.values()
        ):
            refreshing.give_up(self.rehearsal, self._running, refreshing.ASKED)
        judged = self._judging
        if judged is not None and not answers.is_still(self.rehearsal, judged.exchange):
            self._judging = self._judged_at_s = None
            judged.reply.cancel()
            self._leave_out(judged.exchange)

    def _leave_out(self, exchange: Exchange) -> None:
        """Record that a verdict came too late.

        If the words were corrected meanwhile, the answer is to be judged again.
        """
        self._owes_verdict = answers.is_owed(self.rehearsal, exchange)
        panelist.left_out(self.rehearsal, exchange, CORRECTED if self._owes_verdict else ELSEWHERE)

    # ------------------------------------------------------------------ steps

    def _look(self) -> None:
        """Look for contradictions: at once if the engine has no model, else in a separate thread."""
        if not self.rehearsal.has_model:
            contradiction_looks.look_if_due(self.rehearsal)
        elif (look := contradiction_looks.due(self.rehearsal)) is not None:
            self._looking = Looking(self.rehearsal, look)

    def _judge(self) -> None:
        self._owes_verdict = False
        if self.rehearsal.has_model:
            self._judging = answers.begin_judging(self.rehearsal)
            return
        exchange = answers.still_open(self.rehearsal)
        self._tell_verdict(exchange, answers.judge(self.rehearsal))

    def _conclude(self, judged: Judging) -> None:
        rehearsal = self.rehearsal
        judgement = answers.verdict(rehearsal, judged)
        if rehearsal.projection.state == "closing":
            panelist.left_out(rehearsal, judged.exchange, ENDING)
            return
        try:
            answers.conclude(rehearsal, judged.exchange, judgement)
        except SessionFrozenError:  # in this very moment
            return
        except SessionStateError:
            self._leave_out(judged.exchange)
            return
        self._tell_verdict(judged.exchange, judgement)

    # ------------------------------------------------------------------ what a terminal shows

    def _tell(self) -> None:
        """Show what is new since the last call: the moderator's lines, and failures that began or ended."""
        for line in self._teller.lines():
            self._say(line)

    def _tell_verdict(self, exchange: Exchange, judgement: Judgement) -> None:
        name = self.rehearsal.name_of(exchange.agent)
        came = f"{render.VERDICT_WORDS[judgement.verdict]}: {judgement.reason}"
        self._say(f"{exchange.id}: taken as the answer to {name}; {came}")
        if judgement.remark:
            self._say(f"{name}: {judgement.remark}")
        self._tell_question(self.rehearsal.projection.open)

    def _tell_question(self, exchange: Exchange | None) -> None:
        """Show the question that is being asked, if any, after the moderator's words."""
        self._tell()
        for line in question_lines(self.rehearsal, exchange) if exchange is not None else ():
            self._say(line)


# ---------------------------------------------------------------------- live


POLL_S: Final = 0.1
"""How often a live feed checks its timers; far less than the shortest pause that means anything (2 s)."""
KINDS: Final = {".txt": "txt", ".vtt": "vtt", ".srt": "srt"}
"""The format of a followed file by its suffix; any other suffix, and standard input, means JSON lines."""
STOPPED: Final = "the feed was stopped"


def feed_live(
    rehearsal: OpenRehearsal,
    source: str,
    *,
    stop: Callable[[], bool],
    say: Callable[[str], None],
    on_step: Callable[[], None] = lambda: None,
) -> None:
    """Read live speech from stdin (`-`) or a growing file, until it ends or *stop* returns True.

    In a followed file, lines that were already added are skipped. Each is recognised by everything that
    precedes it, so another file of the same name is read from its beginning. When the speech is over, this
    waits for the calls under way; if *stop* returns True, it cancels them.

    Args:
        say: Called with each line that a terminal shows.
        on_step: Called whenever nothing is due.

    Raises:
        SpeechError: Some lines were not segments. Each was reported when it came, and the other lines were
            added.
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
    """Drive the session, or only append the speech if another process drives the session."""
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
    """Carry out due steps, then read the next line, until the speech is over and no call is under way."""
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
    """Append the speech to the transcript until it ends, and do nothing else."""
    lines = Lines(source, poll_s=POLL_S, stop=stop)
    try:
        while not (stop() or feed.is_over or feed.has_ended()):
            if not feed.take_next(lines):
                on_step()
    finally:
        lines.close()


@dataclass
class Feed:
    """The speech of one live feed, line by line; all other state is in the ledger."""

    rehearsal: OpenRehearsal
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
        """Return whether the session has ended."""
        self.rehearsal.store.catch_up()
        return self.rehearsal.projection.ended

    def take_next(self, lines: Lines) -> bool:
        """Add the segments that the next line completes to the transcript; return False if no line came."""
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
        """Add a piece of speech, unless its id shows that it was already added."""
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
