"""The log of who did what: JSON lines with the route's template and the session's id, and no words at all.

Neither a query, a body nor a header is written, nor a path as it was asked: what stands in a place of the
template is not written, but for a session that the home has.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final

from orchestrator.core.clock import utc_now
from orchestrator.core.store.files import reason

log = logging.getLogger(__name__)

FOLDER: Final = "log"
NAME: Final = "access.jsonl"
MAX_BYTES: Final = 10_000_000
"""Size of the file at which it is set aside: some 50,000 requests."""
FILES: Final = 5
"""Number of files, with the newest: 50 MB at most. The oldest is removed."""


class Audit:
    """The log of one home. Safe to use from many threads and processes.

    A line is one write to a file that is opened for appending, so lines never mix. A disk that refuses costs
    the line and not the request, and that is said on stderr once, until it takes lines again.
    """

    def __init__(self, root: Path, *, max_bytes: int = MAX_BYTES) -> None:
        """Remember the home's folder *root*; nothing is created before the first line."""
        self.path = root / FOLDER / NAME
        self._is_failing = False
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._fd: int | None = None

    def note(self, **what: Any) -> None:
        """Append a line with the time and *what*."""
        line = json.dumps({"at": utc_now(), **what}, ensure_ascii=False).encode(errors="replace") + b"\n"
        with self._lock:
            try:
                fd = self._opened()
                if os.fstat(fd).st_size + len(line) > self._max_bytes:
                    self._turn(fd)
                    fd = self._opened()
                os.write(fd, line)
                self._is_failing = False
            except OSError as error:
                if not self._is_failing:
                    log.warning("%s: %s: who did what is not logged now", self.path, reason(error))
                self._is_failing = True
                self._close()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()

    def _opened(self) -> int:
        """Return the file that has the log's name now: another process may have set ours aside."""
        if self._fd is not None and not self._is_current(self._fd):
            self._close()
        if self._fd is None:
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            self._fd = os.open(self.path, flags, 0o600)
        return self._fd

    def _is_current(self, fd: int) -> bool:
        try:
            return os.path.samestat(os.fstat(fd), os.stat(self.path))
        except OSError:
            return False

    def _turn(self, fd: int) -> None:
        """Set the full file aside, unless another process has just done so."""
        fcntl.flock(fd, fcntl.LOCK_EX)  # goes with the descriptor
        if self._is_current(fd):
            for number in range(FILES - 1, 0, -1):
                older = self.path.with_name(f"{NAME}.{number}")
                newer = self.path if number == 1 else self.path.with_name(f"{NAME}.{number - 1}")
                with suppress(FileNotFoundError):
                    os.replace(newer, older)
        self._close()

    def _close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
