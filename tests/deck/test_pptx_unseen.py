"""What of a slide nobody sees, or no code reads: it claims nothing, and a notice names its slide."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.errors import DeckError
from orchestrator.material.deck.limits import DEFAULT_LIMITS
from orchestrator.material.deck.lines import asserted_lines
from orchestrator.material.deck.pptx import read_pptx
from orchestrator.material.values import Slide
from tests.helpers.slides_by_hand import box, deck_of, frame, paragraph

ASK = box(paragraph("We ask for 4 million.") + paragraph("It pays back in two years."))
SEEN = Slide(1, "", ("We ask for 4 million.", "It pays back in two years."))
OLD = paragraph("The old plan asked for 9 million.")
HIDDEN = "slide 1: words of a hidden shape were left out: the audience does not see them"
BESIDE = "slide 1: words beside the slide were left out: the audience does not see them"


def group(inside: str, left: int = 0, hidden: str = "") -> str:
    """A group, whose own units are slide units, shown *left* inches to the right of them."""
    return (
        f'<p:grpSp><p:nvGrpSpPr><p:cNvPr id="7" name="Group" {hidden}/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>'
        f'<p:grpSpPr><a:xfrm><a:off x="{left * 914400}" y="0"/><a:ext cx="9144000" cy="6858000"/>'
        '<a:chOff x="0" y="0"/><a:chExt cx="9144000" cy="6858000"/></a:xfrm></p:grpSpPr>'
        f"{inside}</p:grpSp>"
    )


@pytest.mark.parametrize(
    ("unseen", "notice"),
    [
        (box(OLD, hidden=True), HIDDEN),
        (group(box(OLD), hidden='hidden="1"'), HIDDEN),
        (group(box(OLD, hidden=True)), HIDDEN),
        (box(OLD, left=-4), BESIDE),
        (box(OLD, left=12), BESIDE),
        (group(box(OLD, left=3), left=-9), BESIDE),
        (box(OLD, left=-4) * 2, BESIDE),
    ],
)
def test_shapes_that_nobody_sees_say_nothing_and_are_named(tmp_path: Path, unseen: str, notice: str) -> None:
    deck = deck_of(tmp_path, ASK + unseen)
    assert (deck.slides, deck.notices) == ((SEEN,), (notice,))


@pytest.mark.parametrize(
    "empty",
    [
        box(paragraph(" "), hidden=True),  # as programs keep data of their own on a slide
        box(paragraph(""), left=-4),
        group("", left=-30),
    ],
)
def test_shapes_without_words_are_not_named(tmp_path: Path, empty: str) -> None:
    deck = deck_of(tmp_path, ASK + empty)
    assert (deck.slides, deck.notices) == ((SEEN,), ())


def test_what_reaches_into_the_slide_is_seen(tmp_path: Path) -> None:
    deck = deck_of(tmp_path, box(OLD, left=-1) + group(box(OLD, left=12), left=-9))
    assert (len(deck.slides[0].lines), deck.notices) == (2, ())


@pytest.mark.parametrize(("left", "hidden"), [(-4, False), (1, True)])
def test_a_title_for_screen_readers_names_its_slide_and_claims_nothing(
    tmp_path: Path, left: int, hidden: bool
) -> None:
    title = box(paragraph("Our ask: 9 million"), kind="title", left=left, hidden=hidden)
    deck = deck_of(tmp_path, title + ASK)
    (slide,) = deck.slides
    assert (slide.title, deck.notices) == ("Our ask: 9 million", ())
    assert [origin for origin, _, _ in asserted_lines(slide)] == ["line", "line"]


OLE = '<p:oleObj name="Object" r:id="rId9" {program}><p:embed/></p:oleObj>'


@pytest.mark.parametrize(
    ("shapes", "notice"),
    [
        (
            frame(OLE.format(program='progId="Excel.Sheet.12"')),
            "slide 1: an embedded object (Excel.Sheet.12) is not read; put what it says on the slide",
        ),
        (
            frame(
                "<mc:AlternateContent>"
                f'<mc:Choice Requires="v">{OLE.format(program="")}</mc:Choice>'
                f"<mc:Fallback>{OLE.format(program='')}</mc:Fallback></mc:AlternateContent>"
            ),
            "slide 1: an embedded object is not read; put what it says on the slide",
        ),
        (
            (
                '<mc:AlternateContent><mc:Choice Requires="p14"><p:contentPart r:id="rId9"/></mc:Choice>'
                "</mc:AlternateContent>"
            ),
            "slide 1: handwriting (ink) is not read; type what it says",
        ),
        (
            '<p:pic><p:nvPicPr><p:nvPr><a:videoFile r:link="rId9"/></p:nvPr></p:nvPicPr></p:pic>',
            "slide 1: a film is not read; say in the notes what it says",
        ),
        (
            frame('<c:chart r:id="rId9"/>'),
            "slide 1: a chart is missing from the file and was left out",
        ),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, shapes: str, notice: str) -> None:
    deck = deck_of(tmp_path, ASK + shapes)
    assert (deck.slides, deck.notices) == ((SEEN,), (notice,))


def test_groups_that_are_nested_too_deep_are_named(tmp_path: Path) -> None:
    deep, shallow = box(OLD), ASK
    for _ in range(34):
        deep = group(deep)
    for _ in range(32):
        shallow = group(shallow)
    deck = deck_of(tmp_path, deep + shallow)
    notice = "slide 1: words in groups nested deeper than 32 were left out; take the groups apart"
    assert (deck.slides, deck.notices) == ((SEEN,), (notice,))


@pytest.mark.parametrize(("text", "named"), [("Is this 9 million?", True), (" ", False)])
def test_comments_are_named_where_there_are_any(tmp_path: Path, text: str, named: bool) -> None:
    deck = deck_of(tmp_path, ASK, {"rId9": ("comments", f"<cmLst><cm><text>{text}</text></cm></cmLst>")})
    assert (deck.slides, deck.notices) == (
        (SEEN,),
        ("slide 1: comments on it are not read",) if named else (),
    )


DGM = 'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
DSP = 'xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
DRAWN = paragraph("Hire 12 people") + paragraph("And two more")
DRAWING = f"<dsp:drawing {DSP} {A}><dsp:txBody>{DRAWN}</dsp:txBody></dsp:drawing>"


@pytest.mark.parametrize(
    ("model", "lines"),
    [
        ("", ("Hire 12 people", "And two more")),
        (f'<dgm:pt modelId="1"><dgm:t>{paragraph("Hire nine") * 2}</dgm:t></dgm:pt>', ("Hire nine",) * 2),
    ],
)
def test_a_diagram_without_words_in_its_model_is_read_from_its_drawing(
    tmp_path: Path, model: str, lines: tuple[str, ...]
) -> None:
    data = (
        f'<dgm:dataModel {DGM} {DSP} {A}><dgm:ptLst>{model}</dgm:ptLst><dsp:dataModelExt relId="rId8"/>'
        "</dgm:dataModel>"
    )
    parts = {"rId9": ("diagramData", data), "rId8": ("diagramDrawing", DRAWING)}
    deck = deck_of(tmp_path, frame('<dgm:relIds r:dm="rId9"/>'), parts)
    assert (deck.slides, deck.notices) == ((Slide(1, "", lines),), ())


def test_only_what_is_there_is_named_in_real_files(shared: Path) -> None:
    def notices(path: Path) -> tuple[str, ...]:
        with path.open("rb") as file:
            try:
                return read_pptx(file, path.name, "", DEFAULT_LIMITS).notices
            except DeckError:
                return ()

    folders = ("decks", "hostile", "boards", "dossiers")
    files = [path for folder in folders for path in sorted((shared / folder).rglob("*.pptx"))]
    assert len(files) > 30
    assert {path.name: found for path in files if (found := notices(path))} == {
        "poi_45545_Comment.pptx": (
            "slide 1: an embedded object is not read; put what it says on the slide",
            "slide 1: comments on it are not read",
            "slide 2: comments on it are not read",
            "slide 8: an embedded object (PowerPoint.Slide.8) is not read; put what it says on the slide",
            "slide 11: an embedded object is not read; put what it says on the slide",
        ),
        "pptx_shp-access-ole-object.pptx": (
            "slide 1: an embedded object (Excel.Sheet.12) is not read; put what it says on the slide",
        ),
        "pptx_shp-movie-props.pptx": ("slide 1: a film is not read; say in the notes what it says",),
        "tika_testPPT_EmbeddedPDF.pptx": (
            "slide 1: an embedded object (AcroExch.Document.11) is not read; put what it says on the slide",
        ),
        "tika_testPPT_comment.pptx": ("slide 1: comments on it are not read",),
        "tika_test_embedded_zip.pptx": (
            "slide 2: an embedded object (Package) is not read; put what it says on the slide",
        ),
    }
