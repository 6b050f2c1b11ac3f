"""PowerPoint files: slides with everything that can be quoted from them.

The parts are read straight from the package (`Package`), one slide at a time: pictures and
films are never unpacked, shapes inside `mc:AlternateContent` are seen, and a part that is
broken costs a notice, not the deck. python-pptx would not do: `greenroom help measured`.

Source of names and defaults: ECMA-376 part 1 (PresentationML, DrawingML); [MS-PPTX] for
sections (2.2.7).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import BinaryIO

from orchestrator.core.errors import DeckError
from orchestrator.material.deck.limits import SHORTER, DeckLimits
from orchestrator.material.deck.ooxml import (
    P14,
    Element,
    P,
    R,
)
from orchestrator.material.deck.package import HostileDeckError, Package
from orchestrator.material.deck.pptx_placeholders import Layouts, placeholder_type
from orchestrator.material.deck.pptx_shapes import read_shapes
from orchestrator.material.deck.pptx_text import paragraphs
from orchestrator.material.deck.reading_order import Box
from orchestrator.material.deck.shown import shown
from orchestrator.material.model.slide import Deck, Slide

_ELSE = {
    "word/": "is a Word document, not a presentation; give the .pptx, a .pdf or a .md file",
    "xl/": "is an Excel workbook, not a presentation; give the .pptx, a .pdf or a .md file",
    "visio/": "is a Visio drawing, not a presentation; save it as .pdf",
}


def read_pptx(file: BinaryIO, name: str, sha256: str, limits: DeckLimits) -> Deck:
    """The deck in *file*, slides numbered as the slide sorter shows them, hidden ones counted.

    Raises:
        DeckError: The file is no presentation, is broken or too large, or has no slide.
            The message lacks the file's name: it is a predicate ("is …", "holds …").
    """
    package = Package(file, limits)
    main = package.related("", "officeDocument")
    if main is None:
        raise DeckError("is a zip file, but not a presentation; give a .pptx, .pdf or .md file")
    for folder, message in _ELSE.items():
        if main.lower().startswith(folder):
            raise DeckError(message)
    presentation = package.xml(main)
    if presentation.tag != f"{P}presentation":
        raise DeckError("is an Office file, but not a presentation; give a .pptx, .pdf or .md file")
    slides, notices = _slides(package, main, presentation, limits)
    return Deck(
        kind="pptx",
        name=name,
        sha256=sha256,
        title=next((slide.title for slide in slides if slide.title), PurePath(name).stem),
        slides=tuple(slides),
        notices=tuple(notices),
    )


def _slides(
    package: Package, main: str, presentation: Element, limits: DeckLimits
) -> tuple[list[Slide], list[str]]:
    listed = presentation.findall(f"{P}sldIdLst/{P}sldId")
    if not listed:
        raise DeckError("has no slides; add one, or give another file")
    if len(listed) > limits.slides:
        raise DeckError(f"has {len(listed):,} slides; at most {limits.slides:,} are read; {SHORTER}")
    relationships = package.relationships(main)
    sections = _sections(presentation)
    layouts = Layouts(package)
    page = _page(presentation)
    slides: list[Slide] = []
    notices: list[str] = []
    broken: list[int] = []
    for number, entry in enumerate(listed, 1):
        relationship = relationships.get(entry.get(f"{R}id", ""))
        section = sections.get(entry.get("id", ""))
        try:
            if relationship is None:
                raise DeckError(f"is damaged: it lacks slide {number}; save the presentation again")
            slides.append(_slide(package, layouts, relationship.target, number, section, page, notices))
        except HostileDeckError:
            raise
        except DeckError as error:
            if len(listed) == number and number == len(broken) + 1:
                raise  # none can be read
            broken.append(number)
            slides.append(Slide(number, "", section=section))
            notices.append(f"slide {number} was left out: the file {error}")
    return slides, notices


def _page(presentation: Element) -> Box:
    """What of the drawing area is shown; a deck that does not say is of PowerPoint's own 4:3."""
    stated = presentation.find(f"{P}sldSz")
    size = [stated.get(side, "") if stated is not None else "" for side in ("cx", "cy")]
    width, height = map(float, size if all(map(str.isdecimal, size)) else ("9144000", "6858000"))
    return Box(0, 0, width, height)


def _slide(
    package: Package,
    layouts: Layouts,
    part: str,
    number: int,
    section: str | None,
    page: Box,
    notices: list[str],
) -> Slide:
    root = package.xml(part)
    slide, troubles = read_shapes(package, layouts, part, root, number, page)
    if _has_comments(package, part):
        troubles.append("comments on it are not read")
    notices += [f"slide {number}: {trouble}" for trouble in troubles]
    notes = _notes(package, part, number, notices)
    return replace(slide, notes=notes, hidden=root.get("show") in ("0", "false"), section=section)


def _has_comments(package: Package, slide_part: str) -> bool:
    part = package.related(slide_part, "comments")
    try:
        return part is not None and bool(shown("".join(package.xml(part).itertext())))
    except HostileDeckError:
        raise
    except DeckError:
        return True


def _notes(package: Package, slide_part: str, number: int, notices: list[str]) -> str:
    """The speaker's notes: what stands in the body of the notes page, one paragraph a line."""
    part = package.related(slide_part, "notesSlide")
    if part is None:
        return ""
    try:
        shapes = package.xml(part).iter(f"{P}sp")
    except HostileDeckError:
        raise
    except DeckError as error:
        notices.append(f"slide {number}: its notes were left out: the file {error}")
        return ""
    bodies = [shape for shape in shapes if placeholder_type(shape) == "body"]
    return "\n".join(line for shape in bodies for line in paragraphs(shape.find(f"{P}txBody")))


def _sections(presentation: Element) -> dict[str, str]:
    """Slide id → name of the section that the deck puts it in."""
    return {
        entry.get("id", ""): shown(section.get("name", ""))
        for section in presentation.iter(f"{P14}section")
        for entry in section.iter(f"{P14}sldId")
        if shown(section.get("name", ""))
    }
