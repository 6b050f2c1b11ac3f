"""A watch for changes below folders, by the system's own events (`watchdog`).

Source: inotify(7); https://python-watchdog.readthedocs.io
"""

from __future__ import annotations

import logging
import os
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from watchdog.events import FileSystemEventHandler
    from watchdog.observers.api import BaseObserver


class Changes:
    """The paths that were changed, made, moved or removed below some folders; plain reads do not count.

    Events help but are not guaranteed: a system limits the number of watches, a network file system sends no
    events, and a queue can overflow. A caller that relies on a change also has to check for it from time to
    time.
    """

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._observer: BaseObserver | None = None
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self._failure: str | None = None  # of the library, and not taken yet
        self._woken = threading.Event()

    def watch(self, folder: Path, *, recursive: bool = True, writes: bool = False) -> str | None:
        """Watch *folder* from now on; return why some events may not come, or None if all do.

        Args:
            writes: Wake at each write to a file, and not only when its writer has closed it.
        """
        try:
            from watchdog import events
            from watchdog.observers import Observer

            _hush()  # before its first thread
            kinds = [events.FileCreatedEvent, events.FileClosedEvent, events.FileDeletedEvent]
            kinds += [events.FileMovedEvent, events.DirCreatedEvent, events.DirDeletedEvent]
            kinds += [events.DirMovedEvent, *([events.FileModifiedEvent] if writes else [])]
            if self._observer is None:
                self._observer = Observer()
                self._observer.start()
                self._outlive_errors(self._observer)
            told: FileSystemEventHandler = cast(Any, _Told(self))  # its class is not imported with this file
            self._observer.schedule(told, str(folder), recursive=recursive, event_filter=kinds)
            # Of a folder further down that finds no watch left, the library says nothing: one more is tried.
            with tempfile.TemporaryDirectory() as spare:
                self._observer.unschedule(self._observer.schedule(told, spare))
        except OSError as error:
            return (error.strerror or str(error)).lower()
        return None

    def _outlive_errors(self, observer: BaseObserver) -> None:
        """Keep the library's thread alive when an event raises in it, since no other thread reads events.

        A folder that was moved or removed while the library read it raised KeyError in that thread, and after
        that no event of any other folder came.
        """
        reader = getattr(observer, "_inotify_fd", None)  # of inotify alone; others read in C
        take = getattr(reader, "handle_event", None)
        if take is None:
            return

        def outlive(event: Any) -> None:
            try:
                take(event)
            except Exception as error:  # noqa: BLE001  # whatever it is, the next event is another
                self._failure = type(error).__name__
                self.wake()

        setattr(reader, "handle_event", outlive)  # noqa: B010  # a method to mypy

    def take_failure(self) -> str | None:
        """Return the error with which the library failed over an event since the last call, or None."""
        failure, self._failure = self._failure, None
        return failure

    def wait(self, timeout_s: float) -> set[str]:
        """Wait for a change; return the paths that changed since the last call, or an empty set after
        *timeout_s*."""
        self._woken.wait(timeout_s)
        with self._lock:
            self._woken.clear()
            paths, self._paths = self._paths, set()
        return paths

    def wake(self, *paths: str | bytes) -> None:
        """End a wait as if *paths* had changed."""
        with self._lock:
            self._paths.update(os.fsdecode(path) for path in paths if path)
            self._woken.set()

    def close(self) -> None:
        """Stop watching all folders.

        A second call does nothing; a forked child leaves the watches to its parent.
        """
        observer, self._observer = self._observer, None
        if observer is not None and self._pid == os.getpid():
            observer.stop()
            observer.join()


def _hush() -> None:
    """Keep the library from warning users that it lost events or saw a folder twice; neither matters here."""
    logging.getLogger("watchdog").setLevel(logging.CRITICAL)
    try:
        from watchdog.observers import inotify_c
    except (ImportError, OSError):  # another system, whose part of the library does not warn
        return
    # Not by a filter: those are the whole process's, and any thread that leaves `catch_warnings` undoes it.
    setattr(inotify_c, "warnings", SimpleNamespace(warn=lambda *_, **__: None))  # noqa: B010


class _Told:
    """The handler that the observer calls, from a thread of its own."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    def dispatch(self, event: Any) -> None:
        """Pass the paths of an event on to `Changes`."""
        self._changes.wake(event.src_path, event.dest_path)
