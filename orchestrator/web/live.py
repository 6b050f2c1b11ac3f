"""Sessions that this server drives: the clock runs, and the panel asks and judges by itself.

One thread for each. All of a session's state is in its ledger, so a server that was killed goes on
from there when somebody opens the room again.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread

from orchestrator.errors import DriverBusyError, SessionFrozenError, SessionStateError
from orchestrator.loop.driver import driving
from orchestrator.loop.live import POLL_S, STOPPED
from orchestrator.loop.live_panel import Panel
from orchestrator.loop.steps import End, Listen
from orchestrator.loop.transcript import set_clock
from orchestrator.session import Session
from orchestrator.web.open_sessions import OpenSessions

BEGINS_WITHIN_S = 10.0
"""Taking the driver's lock and setting the clock are two writes; a disk that needs this long is stuck."""


class Drive:
    """One session under way, from `begin` to `stop` or to the session's end."""

    def __init__(self, session: Session, over: Callable[[Drive], None]) -> None:
        self.session = session
        self._over = over
        self._stop = Event()
        self._began = Event()
        self._voice = Event()  # somebody speaks, and no segment shows it yet
        self._refused: SessionStateError | None = None
        self._thread = Thread(target=self._run, name=f"drive-{session.id}", daemon=True)

    def begin(self) -> None:
        """Drive in a thread of its own; returns once the driver's lock is held and the clock runs.

        Raises:
            DriverBusyError: Another process drives the session.
            SessionFrozenError: It has ended.
        """
        self._thread.start()
        self._began.wait(BEGINS_WITHIN_S)
        if self._refused is not None:
            raise self._refused

    def hears(self) -> None:
        """Somebody is speaking, so it is no silence that ends an answer or lets the panel come in."""
        self._voice.set()

    def stop(self) -> None:
        """Stop the clock and let go; what was under way for the panel is given up."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        rehearsal = self.session.rehearsal
        try:
            with driving(rehearsal, "serve"):
                set_clock(rehearsal, runs=True)
                self._began.set()
                try:
                    self._go_on()
                finally:
                    if not self.session.room.ended:
                        set_clock(rehearsal, runs=False)
        except (DriverBusyError, SessionFrozenError) as error:
            self._refused = error
        finally:
            self._began.set()
            self._over(self)

    def _go_on(self) -> None:
        """Carry out what is due; speech and typed answers come in by other threads and processes."""
        panel = Panel(self.session.rehearsal, lambda line: None)  # a page shows the records themselves
        heard = len(self.session.rehearsal.room.segments)
        try:
            while not self._stop.is_set():
                step = panel.next_step()
                if isinstance(step, End):
                    return
                if self._voice.is_set() or len(self.session.rehearsal.room.segments) > heard:
                    self._voice.clear()
                    heard = len(self.session.rehearsal.room.segments)
                    panel.heard()
                elif isinstance(step, Listen):
                    self.session.watch.after_step()
                    self._stop.wait(POLL_S)
                else:
                    panel.carry_out(step)
        finally:
            panel.leave(STOPPED)


class Drives:
    """Every session that this server drives, by id. Safe to use from many threads."""

    def __init__(self, sessions: OpenSessions) -> None:
        self._sessions = sessions
        self._lock = Lock()
        self._drives: dict[str, Drive] = {}

    def begin(self, session_id: str) -> None:
        """Drive this session, unless this server does so already.

        Raises:
            SessionNotFoundError, DriverBusyError, SessionFrozenError
            EngineError: Its engine cannot work; the message says what to do.
        """
        session = self._sessions.get(session_id)
        with self._lock:
            if session_id in self._drives:
                return
            session.check_engine()
            drive = Drive(session, self._over)
            self._drives[session_id] = drive
            self._sessions.hold(session_id)
            try:
                drive.begin()
            except SessionStateError:
                self._forget(drive)
                raise

    def stop(self, session_id: str) -> bool:
        """Stop driving it, and its clock with it; False: this server did not drive it."""
        with self._lock:
            drive = self._drives.get(session_id)
        if drive is not None:
            drive.stop()
        return drive is not None

    def hears(self, session_id: str) -> None:
        """Somebody is speaking there; where this server does not drive it, that changes nothing."""
        drive = self._drives.get(session_id)
        if drive is not None:
            drive.hears()

    def is_driving(self, session_id: str) -> bool:
        """Whether this server drives the session now."""
        return session_id in self._drives

    def stop_all(self) -> None:
        """Stop every one, as the server ends."""
        for session_id in list(self._drives):
            self.stop(session_id)

    def _over(self, drive: Drive) -> None:
        self._forget(drive)

    def _forget(self, drive: Drive) -> None:
        if self._drives.get(drive.session.id) is drive:
            del self._drives[drive.session.id]
            self._sessions.let_go(drive.session.id)
