"""The text files of a BagIt bag, written and read: declaration, manifests, bag-info, fetch.

Source: RFC 8493, sections 2.1 to 2.3; older bags (0.93 to 0.97) are read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from orchestrator.core.errors import ArchiveConflictError
from orchestrator.core.legible import one_line
from orchestrator.core.table import MIB

# RFC 8493, 2.1.1: these two lines and no byte more.
DECLARATION: Final = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"

MAX_TAG_BYTES: Final = 16 * MIB
"""Names and digests of 100,000 files; a session has some hundred. Each line takes many times its bytes."""

_LINE_ENDS: Final = re.compile(r"\r\n|\n|\r")
# Bags before 1.0 may have white space around the colon; 1.0 allows none.
_DECLARED: Final = re.compile(
    r"BagIt-Version\s*:\s*(\d+)\.(\d+)\s*\nTag-File-Character-Encoding\s*:\s*(\S+)\s*"
)
_DECLARED_1_0: Final = re.compile(r"BagIt-Version: (\d+)\.(\d+)\nTag-File-Character-Encoding: (\S+)\n?")
# The asterisk is md5sum's mark of a binary file; fewer than eight hex digits are no digest of any kind.
_ENTRY: Final = re.compile(r"([0-9a-fA-F]{8,})[ \t]+(\*?)(\S.*)")
# RFC 8493, 2.1.3: carriage return, line feed and the percent sign, and nothing else.
_ENCODED: Final = re.compile(r"%(0[aAdD]|25)")
# A home, a root of Unix or Windows, a drive, a step up, NUL: on some system each leaves the folder.
_UNSAFE: Final = re.compile(r"~|/|\\|[A-Za-z]:|(.*/)?\.\.(/|\Z)|.*\0", re.DOTALL)


_DESKTOP_FILES: Final = frozenset(
    {".ds_store", ".directory", ".localized", "thumbs.db", "ehthumbs.db", "desktop.ini"}
)
"""Names that desktops put into a folder when somebody looks at it, in small letters."""


class TagFileError(ValueError):
    """A tag file that cannot be read; stays within the archive package."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """The two lines of `bagit.txt`."""

    version: tuple[int, int]
    encoding: str


@dataclass(slots=True)
class Manifest:
    """The entries of one manifest, and what is wrong or only odd about its lines."""

    digests: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    oddities: list[str] = field(default_factory=list)


def encode_name(name: str) -> str:
    """A file name as it stands in a manifest: percent sign and line ends are encoded, nothing else."""
    return name.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def decode_name(name: str) -> str:
    """The file name that `encode_name` was given."""
    return _ENCODED.sub(lambda match: chr(int(match[1], 16)), name)


def is_safe_name(name: str) -> bool:
    """Whether *name* stays in the folder that it is taken relative to, on any system."""
    return bool(name) and _UNSAFE.match(name) is None


def is_desktop_file(name: str) -> bool:
    """Whether a desktop leaves files of this name in whatever folder it shows, as macOS does `._` twins."""
    base = name.rpartition("/")[2]
    return base.lower() in _DESKTOP_FILES or base.startswith("._")


def render_manifest(digests: Mapping[str, str]) -> bytes:
    """A manifest of these files, by name, sorted."""
    return b"".join(f"{digests[name]}  {encode_name(name)}\n".encode() for name in sorted(digests))


def render_info(values: Iterable[tuple[str, str]]) -> bytes:
    """A bag-info file: one line for each value that has one; a line end or control would end the value."""
    return "".join(f"{label}: {text}\n" for label, value in values if (text := one_line(value))).encode()


def lines_of(raw: bytes, encoding: str) -> list[str]:
    """The lines of a tag file.

    Raises:
        TagFileError: It is not in *encoding*, or longer than `MAX_TAG_BYTES`.
    """
    if len(raw) > MAX_TAG_BYTES:
        raise TagFileError(f"it has {len(raw)} bytes, and at most {MAX_TAG_BYTES} are read")
    try:
        text = raw.decode(encoding)
    except (UnicodeError, LookupError) as error:
        raise TagFileError(f"it is not text in {encoding}") from error
    lines = _LINE_ENDS.split(text.removeprefix("\ufeff"))  # not splitlines: U+2028 is a character of a name
    return lines[:-1] if lines and not lines[-1] else lines


def read_declaration(raw: bytes) -> Declaration:
    """The version and encoding that `bagit.txt` declares.

    Raises:
        TagFileError: It declares none, or not as its version asks.
    """
    if raw.startswith(b"\xef\xbb\xbf"):
        raise TagFileError("it begins with a byte-order mark")
    text = "\n".join(lines_of(raw, "utf-8"))
    match = _DECLARED.fullmatch(text)
    if match is None:
        raise TagFileError("it does not hold the two lines of a declaration")
    version = (int(match[1]), int(match[2]))
    if version >= (1, 0) and _DECLARED_1_0.fullmatch(text) is None:
        raise TagFileError("it has white space where version 1.0 allows none")
    if version > (1, 0):
        raise TagFileError(f"its version is {match[1]}.{match[2]}, and the last one known is 1.0")
    try:
        b"".decode(match[3])
    except (LookupError, UnicodeError) as error:
        raise TagFileError("its encoding is not known") from error
    return Declaration(version, match[3])


def read_manifest(raw: bytes, declared: Declaration) -> Manifest:
    """The entries of a manifest or tag manifest.

    Raises:
        TagFileError: It is not in the bag's encoding.
    """
    manifest = Manifest()
    for line in lines_of(raw, declared.encoding):
        match = _ENTRY.fullmatch(line)
        if match is None:
            manifest.faults.append("a line that is no digest and name")
            continue
        if match[2]:
            manifest.oddities.append("a name with an asterisk before it")
        name = decode_name(match[3])
        while name.startswith("./"):
            manifest.oddities.append("a name with ./ before it")
            name = name[2:]
        if not is_safe_name(name):
            manifest.faults.append(f"a name that leaves the bag: {name}")
            continue
        digest = match[1].lower()
        if name not in manifest.digests:
            manifest.digests[name] = digest
        elif declared.version >= (1, 0) or manifest.digests[name] != digest:
            manifest.faults.append(f"a name twice: {name}")
        else:
            manifest.oddities.append(f"a name twice: {name}")
    return manifest


def read_info(raw: bytes, encoding: str) -> list[tuple[str, str]]:
    """Labels and values of a bag-info file, in order; a label may occur more than once.

    Raises:
        TagFileError: It is not in *encoding*.
    """
    values: list[tuple[str, str]] = []
    for line in lines_of(raw, encoding):
        if line[:1] in (" ", "\t") and values:
            label, value = values[-1]
            values[-1] = (label, f"{value} {line.strip()}")
        else:
            label, _, value = line.partition(":")
            values.append((label.strip(), value.strip()))
    return values


def other_content(where: str) -> ArchiveConflictError:
    """The error for the object at *where*, with both ways on: it is damaged, or of another session."""
    return ArchiveConflictError(
        f"{where}: another content is there, and nothing is overwritten: if that object is damaged, remove "
        "it and archive again (the rest is kept); if it is of another session, archive elsewhere"
    )
