"""Driving of sessions by this server: the clock runs, and the panel asks and judges without being told to.

Each session has one thread. All of a session's state is in its ledger, so after the server was killed the
session goes on when somebody opens the room again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event, Lock, Thread
from time import monotonic, sleep
from typing import Final

from orchestrator.core.errors import GreenroomError, SessionFrozenError, SessionStateError
from orchestrator.core.store.waiting import waits_until
from orchestrator.material.speech.voice import MAX_WINDOWS, WINDOW_S
from orchestrator.panel.loop import answers
from orchestrator.panel.loop.driver_lock import driving, is_driven
from orchestrator.panel.loop.live import STOPPED, Panel
from orchestrator.panel.loop.recorded import step
from orchestrator.panel.loop.state import Live
from orchestrator.panel.loop.steps import End, Listen, is_run
from orchestrator.panel.loop.transcript import set_clock, show_first
from orchestrator.panel.loop.turns import Floor, floor_of
from orchestrator.panel.records.moderator import NOBODY_THERE
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.presence import Microphones, Presence

LOOK_S: Final = 0.25
"""Seconds between two checks of a drive of its timers and of a model's answers: an eighth of the shortest
pause that means anything (2 s). A hundred drives that checked ten times a second took a tenth of a core for
nothing.

A check that took longer is followed by a wait of the same length, and a trace by a wait of `REST` times its
duration. So on a machine that does not keep up, drives leave the time to those who speak.

A look that took longer is followed by a wait of the same length, and a trace by none for `REST` times what it
took: where a machine does not keep up, drives leave it to those who speak.
"""
MAX_LENGTH_S: Final = 2.0
"""Maximum seconds of a wait, however long a lock was held before: the shortest pause that means anything."""
TRACE_EVERY_S: Final = 1.0
"""Seconds between two updates of the facts and the trace by a drive. Updating after each piece of speech
took as long as writing the words."""
REST: Final = 20
"""Factor from a trace's duration to the wait after it, so that traces take at most a twentieth of a
drive's time."""
HEARD_OUT_S: Final = 6.0
"""Seconds that "That was it" waits for the last sentence after it has been spoken: the pause that ends it,
and its recognition, which takes some tenths of its length (`help measured`)."""
SENTENCE_S: Final = MAX_WINDOWS * WINDOW_S
"""Maximum seconds for which the last sentence may still go on after "That was it"."""
VOICE_S: Final = 0.6
"""Seconds for which somebody counts as speaking after the microphone reported speech. It reports each
tenth of a second of speech, and recognises the first words of a sentence later than that."""
SPOKEN_S: Final = 15.0
"""Seconds for which words count as being spoken after the last sound of them: as long as four sentences
take that wait for a slow machine. A microphone that is unplugged in mid-sentence reports no end."""
BEGINS_WITHIN_S: Final = 10.0
"""Maximum seconds until a drive begins. Taking the lock and setting the clock are two writes, so a disk
that needs longer is stuck."""


class Drive:
    """The driving of one session, from `start` until `stop`, the session's end, or a failure of the disk."""

    def __init__(
        self,
        session: Rehearsal,
        over: Callable[[Drive], None],
        is_attended: Callable[[], bool] = lambda: True,
        is_spoken: Callable[[], bool] = lambda: False,
        worker: str | None = None,
    ) -> None:
        """Prepare to drive *session*, for as long as somebody is in the room.

        Args:
            over: Called with the drive when it is over.
            is_attended: Returns whether a page of the room is open, or words come in.
            is_spoken: Returns whether words are being spoken or recognised that are not in the transcript
                yet.
            worker: The name of this worker of a cluster, for the record; None: there is no cluster.
        """
        self.session = session
        self._is_attended = is_attended
        self._is_spoken = is_spoken
        self._worker = worker
        self.voice_at = 0.0  # monotonic clock: when somebody was heard last; 0: nobody was
        self._why: str | None = None  # it stopped by itself
        self.failure: GreenroomError | OSError | None = None  # why it never began, or why it broke off
        self._over = over
        self._stop = Event()
        self._voice = Event()  # somebody speaks, and no segment shows it yet
        self._has_begun = False
        self._is_known = Event()  # whether it began
        self._facts: Thread | None = None  # a model looks for facts
        self.live: Live | None = None  # what only this drive knows, as of its last look; None: there was none
        self.floor: Floor | None = None  # whose turn it was then
        self._thread = Thread(target=self._run, name=f"drive-{session.id}", daemon=True)

    def start(self) -> None:
        """Start the drive in its own thread."""
        self._thread.start()

    def wait_for_its_begin(self) -> None:
        """Wait until the drive holds the driver's lock and the clock runs.

        Raises:
            DriverBusyError: Another process drives the session.
            SessionFrozenError: The session has ended.
            StoreError, OSError: The disk refused.
        """
        if not self._is_known.wait(BEGINS_WITHIN_S):
            raise SessionStateError(
                f"{self.session.id}: the disk has not answered for {BEGINS_WITHIN_S:g} seconds: look at it, "
                "then try again"
            )
        if self.failure is not None and not self._has_begun:
            raise self.failure

    @property
    def is_stopping(self) -> bool:
        """Whether the drive was told to stop."""
        return self._stop.is_set()

    def tell_to_stop(self) -> None:
        """Tell the drive to stop the clock and release the session soon; calls to a model for the panel
        are cancelled."""
        self._stop.set()

    def hears(self) -> None:
        """Note that somebody is speaking, so that no silence ends an answer or lets the panel come in."""
        self.voice_at = monotonic()
        self._voice.set()

    def stop(self) -> None:
        """Stop the drive as `tell_to_stop` does, and wait until it has stopped."""
        self.tell_to_stop()
        self._thread.join()

    def _run(self) -> None:
        rehearsal = self.session.rehearsal
        try:
            # In this order, so that the trace has the record that the driver has stopped.
            with (
                self.session.watch.left_to_driver(),
                driving(rehearsal, "serve", self._worker),
            ):
                is_recorded = is_run(self.session.projection.playback)
                if not is_recorded:
                    set_clock(rehearsal, runs=True)
                    show_first(rehearsal)
                self._has_begun = True
                self._is_known.set()
                with waits_until(self._stop.is_set):
                    if is_recorded:
                        self._play()
                        return
                    try:
                        self._go_on()
                    finally:
                        if not self.session.projection.ended:
                            set_clock(rehearsal, runs=False, why=self._why)
        except (GreenroomError, OSError) as error:
            self.failure = error
        finally:
            self._over(self)  # first: whoever is told that it did not begin may try again
            self._is_known.set()

    def _go_on(self) -> None:
        """Do what is due, in a loop; speech and typed answers come in through other threads and processes."""
        panel = Panel(self.session.rehearsal, lambda line: None)  # a page shows the records themselves
        traced_at, trace_s = monotonic(), 0.0
        try:
            while not self._stop.is_set():
                began = monotonic()
                if self._voice.is_set() or self._is_spoken():
                    self._voice.clear()
                    panel.heard()
                due = panel.next_step()
                if panel.state is not None:
                    self.live, self.floor = panel.state.live, floor_of(panel.state)
                if isinstance(due, End):
                    return
                if not self._is_attended():
                    self._why = NOBODY_THERE
                    return
                if self._voice.is_set():
                    continue
                if isinstance(due, Listen):
                    if (now := monotonic()) - traced_at >= max(TRACE_EVERY_S, REST * trace_s):
                        self._watch()
                        traced_at = monotonic()
                        trace_s = traced_at - now
                    self._stop.wait(min(max(LOOK_S, monotonic() - began), MAX_LENGTH_S))
                else:
                    panel.carry_out(due)
        finally:
            panel.leave(STOPPED)

    def _play(self) -> None:
        """Play the loaded recording, at full speed and on the recording's own clock, up to the next question.

        At the question, wait: the answer comes from another thread or process, which also judges it, as with
        `feed` beside a driver. An answer that a killed server has left without a verdict is judged here.
        """
        rehearsal = self.session.rehearsal
        asking = self.session.projection.asking
        traced_at = monotonic()
        try:
            if asking is not None and asking.turns[-1].answer is not None:
                answers.judge(rehearsal)
            while not self._stop.is_set():
                seen = rehearsal.store.catch_up()
                if rehearsal.projection.ended or rehearsal.projection.state == "closing":
                    return
                if rehearsal.projection.asking is not None:
                    if not self._is_attended():
                        return
                    self._stop.wait(LOOK_S)
                    continue
                try:
                    if not step(rehearsal):
                        self._watch()
                        return
                except (SessionStateError, SessionFrozenError):
                    # Somebody else put a question, answered or ended it in this very moment, and that stands.
                    if rehearsal.store.catch_up() == seen:
                        raise
                if monotonic() - traced_at >= TRACE_EVERY_S:
                    self._watch()
                    traced_at = monotonic()
        finally:
            rehearsal.playing_s = None

    def _watch(self) -> None:
        """Update the facts that are due and the trace; if a model makes the facts, the panel goes on
        meanwhile."""
        watch = self.session.watch
        if not self.session.rehearsal.has_model:
            watch.after_step()
            return
        if watch.has_facts_due and (self._facts is None or not self._facts.is_alive()):
            self._facts = Thread(target=watch.find_facts, name=f"facts-{self.session.id}", daemon=True)
            self._facts.start()
        watch.trace()


class Drives:
    """The drives of this server's sessions, by folder name. Safe to use from many threads.

    The lock is only held for a look-up in the table, so no session waits for another's disk or model.
    """

    def __init__(
        self,
        sessions: OpenSessions,
        presence: Presence | None = None,
        microphones: Microphones | None = None,
        worker: str | None = None,
    ) -> None:
        """Prepare to drive *sessions*; *presence*, *microphones* and the name of a *worker* are the
        site's."""
        self._worker = worker
        self._sessions = sessions
        self._microphones = microphones if microphones is not None else Microphones()
        self.presence = presence if presence is not None else Presence()
        self._lock = Lock()
        self._drives: dict[str, Drive] = {}
        self._broke_off: dict[str, str] = {}
        self._checked: set[str] = set()  # whose engine was there when this server began to drive them

    def begin(self, session_id: str) -> None:
        """Drive a session, unless this server already does; if its drive is being stopped, wait for that
        first.

        Raises:
            SessionNotFoundError, DriverBusyError, SessionFrozenError
            EngineError: The session's engine cannot work; the message says what to do.
        """
        with self._sessions.using(session_id) as session:
            if session_id not in self._checked:  # once: going on after a pause must not wait for a model
                session.check_engine()
                self._checked.add(session_id)
            while (drive := self._drive_of(session)).is_stopping:
                drive.stop()
            drive.wait_for_its_begin()

    @property
    def driven(self) -> list[str]:
        """The names of the sessions that this server drives now."""
        with self._lock:
            return sorted(self._drives)

    def stop(self, session_id: str) -> bool:
        """Stop driving the session, which stops its clock; return False if this server did not drive it."""
        with self._lock:
            drive = self._drives.get(session_id)
        if drive is not None:
            drive.stop()
        return drive is not None

    def hears(self, session_id: str) -> None:
        """Note that somebody is speaking in the session; do nothing if this server does not drive it."""
        drive = self._drives.get(session_id)
        if drive is not None:
            drive.hears()

    def hear_out(self, session_id: str) -> None:
        """Wait until the sentence that is being spoken in the session is in the transcript.

        For words from elsewhere, such as a browser's own recognition, the wait is short.

        Raises:
            SessionStateError: The sentence took too long.
        """
        owing = self._microphones.owing(session_id)
        if owing is None:
            _wait(HEARD_OUT_S, lambda: self._is_voice(session_id))
        elif not _wait(SENTENCE_S + HEARD_OUT_S, lambda: self._is_fresh(session_id) and owing()):
            raise SessionStateError(
                "what you said last is not recognised yet: press again once it stands in the captions"
            )

    def end_answer(self, session: Rehearsal) -> None:
        """Note that the answer ends now, and wait for the rest of it that is being spoken; if nothing is, do
        nothing.

        Raises:
            SessionStateError: As `hear_out`.
        """
        if self._is_voice(session.name) or self._is_spoken(session.name):
            session.end_answer()
            self.hear_out(session.name)

    def _is_voice(self, session_id: str) -> bool:
        drive = self._drives.get(session_id)
        return drive is not None and monotonic() - drive.voice_at < VOICE_S

    def _is_spoken(self, session_id: str) -> bool:
        return self._is_fresh(session_id) and self._microphones.is_owing(session_id)

    def _is_fresh(self, session_id: str) -> bool:
        drive = self._drives.get(session_id)
        return drive is None or monotonic() - drive.voice_at < SPOKEN_S

    def go_on(self, session: Rehearsal) -> None:
        """Start a drive again that stopped since no page was open, because a client without a page does
        something.

        Raises:
            As `begin`.
        """
        self.presence.seen(session.name)
        if self.presence.has_page(session.name):
            return  # whoever has one sees that it stands, and says when to go on
        projection = session.projection
        is_left = projection.why_stopped == NOBODY_THERE and not projection.ended
        if is_left and not self.is_driving(session.name) and not is_driven(session.path):
            self.begin(session.name)

    def live(self, session_id: str) -> Live | None:
        """Return what only the drive of this session knows, or None if this server does not drive the
        session."""
        drive = self._drives.get(session_id)
        return drive.live if drive is not None else None

    def is_driving(self, session_id: str) -> bool:
        """Return whether this server drives the session now."""
        return session_id in self._drives

    def floor(self, session_id: str) -> Floor | None:
        """Return whose turn it was at the drive's last check, or None if this server does not drive the
        session."""
        drive = self._drives.get(session_id)
        return drive.floor if drive is not None else None

    def broke_off(self, session_id: str) -> str | None:
        """Return the reason, in one line, why the last drive of this session failed, or None if it did
        not."""
        return self._broke_off.get(session_id)

    def stop_all(self) -> None:
        """Stop every drive, when the server ends."""
        with self._lock:
            drives = list(self._drives.values())
        for drive in drives:  # all at once, so that a hundred take no longer than the slowest
            drive.tell_to_stop()
        for drive in drives:
            drive.stop()

    def _drive_of(self, session: Rehearsal) -> Drive:
        """Return the drive of this session, after starting it if there is none."""
        with self._lock:
            drive = self._drives.get(session.name)
            if drive is None:
                attended = partial(self.presence.is_attended, session.name)
                spoken = partial(self._is_spoken, session.name)
                self.presence.seen(session.name)
                drive = self._drives[session.name] = Drive(
                    session, self._over, attended, spoken, self._worker
                )
                self._sessions.hold(session.name)
                self._broke_off.pop(session.name, None)
                drive.start()
            return drive

    def _over(self, drive: Drive) -> None:
        with self._lock:
            del self._drives[drive.session.name]
            if drive.failure is not None:
                self._broke_off[drive.session.name] = str(drive.failure)
            self._sessions.let_go(drive.session.name)  # within the lock: the next drive holds it anew


def _wait(within_s: float, is_left: Callable[[], bool]) -> bool:
    """Wait while *is_left* returns True, but at most *within_s*; return whether it returned False in time."""
    until = monotonic() + within_s
    while is_left():
        if monotonic() > until:
            return False
        sleep(LOOK_S / 5)
    return True
