"""Planted decks as files: PowerPoint through python-pptx, and Markdown."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from pptx import Presentation
from pptx.chart import data as chart_data
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.planted_world import Block

_SHOWN = {
    "column": XL_CHART_TYPE.COLUMN_CLUSTERED,
    "line": XL_CHART_TYPE.LINE_MARKERS,
    "pie": XL_CHART_TYPE.PIE,
}


@dataclass(frozen=True, slots=True)
class Page:
    """A slide to be: its title and its blocks in reading order."""

    title: str
    blocks: tuple[Block, ...]
    footer: str = ""


def markdown(pages: tuple[Page, ...]) -> str:
    """The deck as Markdown; a chart, which Markdown lacks, must not be in it."""
    return "\n\n---\n\n".join(_markdown(page) for page in pages) + "\n"


def _markdown(page: Page) -> str:
    lines = [f"# {page.title}", ""]
    notes = []
    for block in page.blocks:
        if block.kind == "bullet":
            lines.append(f"- {block.text}")
        elif block.kind == "box":
            lines += ["", block.text, ""]
        elif block.kind == "notes":
            notes.append(block.text)
        elif block.kind == "table":
            rows = [f"| {' | '.join(row)} |" for row in block.rows]
            rule = "|" + " --- |" * len(block.rows[0])
            lines += ["", rows[0], rule, *rows[1:], ""]
        else:
            raise ValueError(f"Markdown holds no {block.kind}")
    lines += ["", page.footer] if page.footer else []
    lines += [f"<!-- notes: {text} -->" for text in notes]
    return "\n".join(lines)


def powerpoint(pages: tuple[Page, ...]) -> bytes:
    """The deck as a .pptx: bullets in the body, boxes, native tables and charts below it, notes."""
    presentation = Presentation()
    for page in pages:
        _slide(presentation, page)
    file = io.BytesIO()
    presentation.save(file)
    return file.getvalue()


def _slide(presentation: Any, page: Page) -> None:
    bullets = [block.text for block in page.blocks if block.kind == "bullet"]
    slide = presentation.slides.add_slide(presentation.slide_layouts[1 if bullets else 5])
    slide.shapes.title.text = page.title
    top = 1.4
    if bullets:
        body = slide.placeholders[1]
        body.left, body.top, body.width, body.height = (
            Inches(one) for one in (0.5, top, 9, 0.4 * len(bullets))
        )
        body.text_frame.text = bullets[0]
        for text in bullets[1:]:
            body.text_frame.add_paragraph().text = text
        top += 0.4 * len(bullets) + 0.1
    for block in page.blocks:
        top += _place(slide, block, top)
    if page.footer:
        _box(slide, page.footer, max(7.0, top))


def _place(slide: Any, block: Block, top: float) -> float:
    """Draw *block* at *top* inches; returns how much room it took."""
    if block.kind == "box":
        _box(slide, block.text, top)
        return 0.5
    if block.kind == "table":
        rows, columns = len(block.rows), len(block.rows[0])
        frame = slide.shapes.add_table(rows, columns, Inches(0.5), Inches(top), Inches(8), Inches(0.3 * rows))
        for row, cells in enumerate(block.rows):
            for column, text in enumerate(cells):
                frame.table.cell(row, column).text = text
        return 0.3 * rows + 0.1
    if block.kind in _SHOWN:
        data: Any = chart_data.CategoryChartData()  # type: ignore[no-untyped-call]  # python-pptx has no types
        data.categories = block.rows[0]
        data.add_series(block.rows[1][0], block.series)
        at = [Inches(one) for one in (0.5, top, 8, 2)]
        chart = slide.shapes.add_chart(_SHOWN[block.kind], *at, data).chart
        chart.has_title = True
        chart.chart_title.text_frame.text = block.rows[1][0]
        return 2.1
    if block.kind == "notes":
        frame = slide.notes_slide.notes_text_frame
        frame.text = f"{frame.text}\n{block.text}".strip()
    return 0.0


def _box(slide: Any, text: str, top: float) -> None:
    slide.shapes.add_textbox(Inches(0.5), Inches(top), Inches(9), Inches(0.4)).text_frame.text = text
