"""The log: JSON lines with ids, sizes and times, never with spoken words. Off unless `GREENROOM_LOG` names a
place.

Only this program's own loggers write to it, since those of libraries log whole requests.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import Final, TextIO

from orchestrator.cli.screen import Screen
from orchestrator.core.clock import utc_now
from orchestrator.core.errors import UsageError
from orchestrator.core.store.files import FILE_MODE, reason

VARIABLE: Final = "GREENROOM_LOG"
TOLD: Final = "told"
"""The key under which a call of the log passes data besides its message: ids, names of files and numbers."""


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {"at": utc_now(), "level": record.levelname.lower(), "by": record.name, "pid": record.process}
        # No traceback: a frame's line may quote a text.
        return json.dumps({**line, "message": record.getMessage(), **getattr(record, TOLD, {})})


class _Lines(logging.StreamHandler[TextIO]):
    """A handler that writes lines to a stream; at its first failure it reports that once, and stops."""

    def __init__(self, stream: TextIO, name: str) -> None:
        super().__init__(stream)
        self._name = name

    def handleError(self, record: logging.LogRecord) -> None:  # as logging has it
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        logging.getLogger("orchestrator").removeHandler(self)
        with open(os.devnull, "w", encoding="utf-8") as nothing:
            os.dup2(nothing.fileno(), self.stream.fileno())  # what it holds is not tried again at the exit
        if self.stream is not sys.stderr:
            self.stream.close()
        Screen.current.warn(f"{VARIABLE}: {self._name}: {reason(error)}: nothing more is logged")


def begin(command: str) -> None:
    """Start to log, if the variable says so: `-` means stderr, anything else a file to append to.

    Raises:
        UsageError: The file cannot be written.
    """
    where = os.environ.get(VARIABLE)
    logger = logging.getLogger("orchestrator")
    if not where or logger.handlers:
        return
    if where == "-":
        stream = sys.stderr
    else:
        try:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
            stream = os.fdopen(os.open(where, flags, FILE_MODE), "a", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{VARIABLE}: {where}: {reason(error)}: name a file, or - for stderr") from error
        warnings = logging.StreamHandler()  # stays where it is without a log
        warnings.setLevel(logging.WARNING)
        logger.addHandler(warnings)
    lines = _Lines(stream, "stderr" if where == "-" else where)
    lines.setFormatter(_Line())
    logger.addHandler(lines)
    logger.setLevel(logging.DEBUG)
    logger.info("began", extra={TOLD: {"command": command}})
