"""The file that a recording comes from."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

from orchestrator.core.errors import SpeechError
from orchestrator.core.home.user_list import shown_name

_NO_FILE = "is not a file: give a recording's file"


def open_recording(
    path: Path, *, missing: str, no_file: str = _NO_FILE, folder: str = _NO_FILE
) -> BufferedReader:
    """The file, open to be read; a pipe or device is refused, never waited for.

    Args:
        missing: The message's advice where there is no file.
        no_file, folder: The message's words for anything but a file.

    Raises:
        SpeechError: It cannot be opened, or is no file.
    """
    name = shown_name(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise SpeechError(f"{name} does not exist: {missing}") from None
    except (OSError, ValueError) as error:  # ValueError: NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "no path that can be"
        raise SpeechError(f"{name} cannot be read: {reason}") from None
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise SpeechError(f"{name} {folder if stat.S_ISDIR(mode) else no_file}")
    return os.fdopen(descriptor, "rb")
