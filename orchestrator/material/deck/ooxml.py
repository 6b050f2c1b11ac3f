"""The XML of Office files: names, and a parser that is safe with hostile parts."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from typing import BinaryIO
from xml.etree import ElementTree

from orchestrator.core.errors import DeckError
from orchestrator.material.deck.limits import LIGHTER, MIB, DeckLimits
from orchestrator.material.deck.shown import shown

# ---------------------------------------------------------------------- ooxml


Element = ElementTree.Element

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
C15 = "{http://schemas.microsoft.com/office/drawing/2012/chart}"
CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
DECORATIVE = "{http://schemas.microsoft.com/office/drawing/2017/decorative}"
DSP = "{http://schemas.microsoft.com/office/drawing/2008/diagram}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
P14 = "{http://schemas.microsoft.com/office/powerpoint/2010/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
RELATIONSHIPS = "{http://schemas.openxmlformats.org/package/2006/relationships}"

_STRICT = b"http://purl.oclc.org/ooxml/"
"""The beginning of the names of ISO/IEC 29500 Strict, a format that PowerPoint offers when saving."""
_TRANSITIONAL = b"http://schemas.openxmlformats.org/"


class BrokenXmlError(ValueError):
    """The XML is not well-formed, or is in an encoding that no Office file may have."""


class HostileXmlError(ValueError):
    """The XML declares a document type, which no Office program writes."""


class _NoDocumentType(ElementTree.TreeBuilder):
    """An event handler that stops at a document type, so its entities, files and hosts are never read."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise HostileXmlError("a document type is declared")


def parse_xml(xml: bytes) -> Element:
    """Parse *xml* and return its root, with names in the transitional form.

    Raises:
        HostileXmlError: The XML declares a document type.
        BrokenXmlError: The XML is not well-formed.
    """
    if _STRICT in xml[:4096]:
        for kind in (b"drawingml/", b"officeDocument/", b"presentationml/"):
            xml = xml.replace(_STRICT + kind, _TRANSITIONAL + kind + b"2006/")
    parser = ElementTree.XMLParser(target=_NoDocumentType())  # noqa: S314 - see _NoDocumentType
    try:
        parser.feed(xml)
        root: Element = parser.close()
    except HostileXmlError:
        raise
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # the last two: encodings
        raise BrokenXmlError(str(error)) from error
    return root


# ---------------------------------------------------------------------- package
# The parts of an Office file that hold text, read out of its zip with care.
#
# Pictures, films, fonts and embedded files are never unpacked; nothing is written to disk.


_ENCRYPTED_FLAG = 0x1  # APPNOTE.TXT 4.4.4, bit 0
_READABLE = (".xml", ".rels")


class HostileDeckError(DeckError):
    """The deck was made to do harm. Unlike a deck with a broken part, it is not read at all."""


@dataclass(frozen=True, slots=True)
class Relationship:
    """A reference from one part to another: the last word of its type, and the other part's name."""

    kind: str  # "slide", "slideLayout", "chart", …
    target: str  # name of the part in the package, without a leading slash


class Package:
    """An Office Open XML file that passed its checks; its parts are read on demand."""

    def __init__(self, file: BinaryIO, limits: DeckLimits) -> None:
        """Check the directory of the zip file against *limits*.

        Raises:
            DeckError: The zip file is broken, encrypted, oversized or ambiguous.
        """
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise DeckError("is a broken zip file; save the presentation again") from error
        self._parts = _checked_members(self._zip.infolist(), limits)
        self._relationships: dict[str, dict[str, Relationship]] = {}

    def __contains__(self, part: str) -> bool:
        return part.lower() in self._parts

    def xml(self, part: str) -> Element:
        """Return the root element of *part*.

        Raises:
            HostileDeckError: The part declares a document type.
            DeckError: The part is missing or damaged.
        """
        try:
            return parse_xml(self._zip.read(self._parts[part.lower()]))
        except KeyError:
            raise _damaged(part, "is missing") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise _damaged(part, "cannot be unpacked") from error
        except BrokenXmlError as error:
            raise _damaged(part, f"is not XML ({error})") from error
        except HostileXmlError as error:
            raise HostileDeckError(
                f"is refused: its part {_named(part)} declares a document type, as no presentation "
                "does; save it anew with the program that made it"
            ) from error

    def relationships(self, part: str) -> dict[str, Relationship]:
        """Return, by id, the references of *part* to other parts; "" stands for the package itself.

        References to addresses outside of the package are left out: nothing is ever fetched.

        Raises:
            HostileDeckError: The list of references declares a document type.
            DeckError: The list is damaged.
        """
        if part not in self._relationships:
            folder, name = posixpath.split(part)
            listing = posixpath.join(folder, "_rels", f"{name}.rels")
            found = {}
            if listing in self:
                for item in self.xml(listing).iter(f"{RELATIONSHIPS}Relationship"):
                    if item.get("TargetMode") != "External":
                        target = posixpath.normpath(posixpath.join("/", folder, item.get("Target", "")))
                        kind = item.get("Type", "").rsplit("/", 1)[-1]
                        found[item.get("Id", "")] = Relationship(kind, target.lstrip("/"))
            self._relationships[part] = found
        return self._relationships[part]

    def related(self, part: str, kind: str) -> str | None:
        """Return the first existing part of *kind* to which *part* refers, or None if there is none."""
        for relationship in self.relationships(part).values():
            if relationship.kind == kind and relationship.target in self:
                return relationship.target
        return None


def _damaged(part: str, how: str) -> DeckError:
    return DeckError(f"is damaged: its part {_named(part)} {how}; save the presentation again")


def _named(part: str) -> str:
    """Return a part's name for a message, cut to one line because the file's author chose the name."""
    return shown(part)[:80]


def _checked_members(members: list[zipfile.ZipInfo], limits: DeckLimits) -> dict[str, zipfile.ZipInfo]:
    if len(members) > limits.members:
        raise DeckError(f"holds {len(members):,} files; at most {limits.members:,} are read; {LIGHTER}")
    parts: dict[str, zipfile.ZipInfo] = {}
    unpacked = 0
    for member in members:
        name = member.filename
        if ".." in name.replace("\\", "/").split("/"):
            raise DeckError(f"holds a file that leads out of it ({name[:80]!r}); save the presentation again")
        if not name.lower().endswith(_READABLE):
            continue
        if member.flag_bits & _ENCRYPTED_FLAG:
            raise DeckError("is an encrypted zip file; save the presentation without a password")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DeckError("is packed in a way that no presentation is; save it again")
        key = name.lstrip("/").lower()  # names of parts are compared without case: ECMA-376 part 2, 6.2.2
        if key in parts:
            raise DeckError(f"holds two parts of the name {key[:80]!r}; save the presentation again")
        parts[key] = member
        unpacked += member.file_size
    if unpacked > limits.unpacked_bytes:
        most = limits.unpacked_bytes // MIB
        raise DeckError(
            f"unpacks to {unpacked // MIB:,} MiB of XML; at most {most:,} MiB are read; {LIGHTER}"
        )
    return parts
