"""The tag files of a BagIt bag in Greenroom's form, written and read: declaration, manifests, bag-info.

A bag may have its tag files in other forms (older versions, other digests and encodings, `fetch.txt`).
Greenroom neither writes nor reads those forms.

Source: RFC 8493, sections 2.1 to 2.3.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Final

from orchestrator.core.errors import ArchiveConflictError
from orchestrator.core.legible import one_line
from orchestrator.core.table import MIB

# RFC 8493, 2.1.1: these two lines and no byte more.
DECLARATION: Final = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"

MAX_TAG_BYTES: Final = 16 * MIB
"""Maximum size of a tag file: enough for the names and digests of 100,000 files, where a session has some
hundred. The bound is there because a parsed line takes many times its bytes in memory."""

_ENTRY: Final = re.compile(r"([0-9a-f]{64})  (.+)")
# RFC 8493, 2.1.3: carriage return, line feed and the percent sign, and nothing else.
_ENCODED: Final = re.compile(r"%(0[aAdD]|25)")
# A home, a root of Unix or Windows, a drive, a step up, NUL: on some system each leaves the folder.
_UNSAFE: Final = re.compile(r"~|/|\\|[A-Za-z]:|(.*/)?\.\.(/|\Z)|.*\0", re.DOTALL)


_DESKTOP_FILES: Final = frozenset(
    {".ds_store", ".directory", ".localized", "thumbs.db", "ehthumbs.db", "desktop.ini"}
)
"""Names of files that desktops put into a folder when somebody opens it, in lower case."""


class TagFileError(ValueError):
    """A tag file cannot be read. The error does not leave the archive package."""


def encode_name(name: str) -> str:
    """Encode a file name for a manifest: only the percent sign and line ends are escaped."""
    return name.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def decode_name(name: str) -> str:
    """Decode a file name that `encode_name` encoded."""
    return _ENCODED.sub(lambda match: chr(int(match[1], 16)), name)


def is_safe_name(name: str) -> bool:
    """Return whether *name* stays in the folder that it is relative to, on any system."""
    return bool(name) and _UNSAFE.match(name) is None


def is_desktop_file(name: str) -> bool:
    """Return whether *name* is one that desktops leave in folders that they show, such as macOS's `._`
    twins."""
    base = name.rpartition("/")[2]
    return base.lower() in _DESKTOP_FILES or base.startswith("._")


def render_manifest(digests: Mapping[str, str]) -> bytes:
    """Render a manifest with these files and digests, sorted by name."""
    return b"".join(f"{digests[name]}  {encode_name(name)}\n".encode() for name in sorted(digests))


def render_info(values: Iterable[tuple[str, str]]) -> bytes:
    """Render a bag-info file: one line for each non-empty value, without line ends or control characters
    in it."""
    return "".join(f"{label}: {text}\n" for label, value in values if (text := one_line(value))).encode()


def read_manifest(raw: bytes) -> dict[str, str]:
    """Return the SHA-256 of each file that a manifest or tag manifest lists, by name.

    Raises:
        TagFileError: The manifest is not in the exact form of `render_manifest`, or a name leads out of the
            bag.
    """
    digests: dict[str, str] = {}
    for line in _lines(raw):
        match = _ENTRY.fullmatch(line)
        if match is None:
            raise TagFileError("a line that is no SHA-256 and name")
        name = decode_name(match[2])
        if not is_safe_name(name) or posixpath.normpath(name) != name:
            raise TagFileError(f"a name that leaves the bag, or is not in its shortest form: {name!r}")
        digests[name] = match[1]
    if render_manifest(digests) != raw:
        raise TagFileError("lines not in the expected order or form, or a name twice")
    return digests


def read_info(raw: bytes) -> dict[str, str]:
    """Return the values of a bag-info file, by label.

    Raises:
        TagFileError: The file is not UTF-8, or is longer than `MAX_TAG_BYTES`.
    """
    pairs = (line.partition(":") for line in _lines(raw))
    return {label.strip(): value.strip() for label, _, value in pairs}


def _lines(raw: bytes) -> list[str]:
    if len(raw) > MAX_TAG_BYTES:
        raise TagFileError(f"{len(raw)} bytes, and at most {MAX_TAG_BYTES} are read")
    try:
        return raw.decode().removesuffix("\n").split("\n") if raw else []
    except UnicodeDecodeError as error:
        raise TagFileError("bytes that are not UTF-8 text") from error


def other_content(where: str) -> ArchiveConflictError:
    """Make the error for an object at *where* with other content; its message says what to do.

    The object is either damaged or belongs to another session.
    """
    return ArchiveConflictError(
        f"{where}: another content is there, and nothing is overwritten: if that object is damaged, remove "
        "it and archive again (the rest is kept); if it is of another session, archive elsewhere"
    )
