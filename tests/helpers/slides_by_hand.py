"""Slides of PowerPoint written as XML: what python-pptx cannot make."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pptx import Presentation

from orchestrator.material.deck.read import read_deck
from orchestrator.material.values import Deck
from tests.helpers.deck_files import SLIDE, changed, saved

_OFFICE = "http://schemas.openxmlformats.org"
_NAMES = " ".join(
    f'xmlns:{prefix}="{address}"'
    for prefix, address in {
        "m": f"{_OFFICE}/officeDocument/2006/math",
        "mc": f"{_OFFICE}/markup-compatibility/2006",
        "c": f"{_OFFICE}/drawingml/2006/chart",
        "dgm": f"{_OFFICE}/drawingml/2006/diagram",
        "a14": "http://schemas.microsoft.com/office/drawing/2010/main",
    }.items()
)
_RELATIONSHIPS = "ppt/slides/_rels/slide1.xml.rels"


@cache
def _blank() -> bytes:
    presentation = Presentation()
    presentation.slides.add_slide(presentation.slide_layouts[6])
    return saved(presentation)


def slide_file(shapes: str, parts: Mapping[str, tuple[str, str]] | None = None) -> bytes:
    """A presentation whose one slide holds *shapes*.

    *parts*: id → last word of its kind, and its XML; the slide and each of them refers to all of them.
    """
    links = "".join(
        f'<Relationship Id="{id_}" Type="{_OFFICE}/officeDocument/2006/relationships/{kind}" '
        f'Target="/ppt/more/{id_}.xml"/>'
        for id_, (kind, _) in (parts or {}).items()
    )
    listing = f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">{links}</Relationships>'
    return changed(
        _blank(),
        {
            SLIDE: lambda xml: xml.replace(b"<p:sld ", f"<p:sld {_NAMES} ".encode(), 1).replace(
                b"</p:spTree>", f"{shapes}</p:spTree>".encode()
            ),
            _RELATIONSHIPS: lambda xml: xml.replace(b"</Rel", f"{links}</Rel".encode()),
        },
        {f"ppt/more/{id_}.xml": xml.encode() for id_, (_, xml) in (parts or {}).items()}
        | {f"ppt/more/_rels/{id_}.xml.rels": listing.encode() for id_ in parts or {}},
    )


def deck_of(folder: Path, shapes: str, parts: Mapping[str, tuple[str, str]] | None = None) -> Deck:
    """The deck of `slide_file`, as it is read."""
    path = folder / "deck.pptx"
    path.write_bytes(slide_file(shapes, parts))
    return read_deck(path)


def box(paragraphs: str, *, left: int = 1, hidden: bool = False, kind: str = "") -> str:
    """A text box of *paragraphs*, *left* inches from the left edge; *kind*: of its placeholder."""
    hide = ' hidden="1"' if hidden else ""
    placeholder = f'<p:ph type="{kind}"/>' if kind else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="9" name="Box"{hide}/><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr>'
        f'<p:spPr><a:xfrm><a:off x="{left * 914400}" y="914400"/><a:ext cx="914400" cy="914400"/></a:xfrm>'
        f"</p:spPr><p:txBody><a:bodyPr/>{paragraphs}</p:txBody></p:sp>"
    )


def paragraph(*runs: str) -> str:
    """A paragraph; a run that is no XML is plain words."""
    return f"<a:p>{''.join(one if one.startswith('<') else run(one) for one in runs)}</a:p>"


def run(words: str, properties: str = "", inside: str = "") -> str:
    """A run of text with *properties*, such as `baseline="30000"`, and elements *inside* them."""
    return f"<a:r><a:rPr {properties}>{inside}</a:rPr><a:t>{words}</a:t></a:r>"


def frame(graphic: str) -> str:
    """A graphic frame (a table, chart, diagram or object) that holds *graphic*."""
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="8" name="Frame"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm><a:off x="914400" y="914400"/><a:ext cx="914400" cy="914400"/></p:xfrm>'
        f"<a:graphic><a:graphicData>{graphic}</a:graphicData></a:graphic></p:graphicFrame>"
    )
