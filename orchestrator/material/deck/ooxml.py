"""The XML of Office files: names, and parsing that no part can turn against us."""

from __future__ import annotations

from xml.etree import ElementTree

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
"""Where the names of ISO/IEC 29500 Strict begin; PowerPoint offers it when saving."""
_TRANSITIONAL = b"http://schemas.openxmlformats.org/"


class BrokenXmlError(ValueError):
    """The XML is not well-formed, or in no encoding that an Office file may have."""


class HostileXmlError(ValueError):
    """The XML declares a document type, which no Office program writes."""


class _NoDocumentType(ElementTree.TreeBuilder):
    """Stops at a document type: what it declares (entities, files, hosts) is never looked at."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise HostileXmlError("a document type is declared")


def parse_xml(xml: bytes) -> Element:
    """The root of *xml*, its names in the transitional form.

    Raises:
        HostileXmlError: A document type is declared.
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
