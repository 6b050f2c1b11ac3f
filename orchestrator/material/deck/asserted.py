"""The lines of a slide that somebody asserts, each with the line that it stands under."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.material.model.slide import Slide


def asserted_lines(slide: Slide) -> Iterator[tuple[str, str, str | None]]:
    """Origin ("title" or "line"), text and parent line's text of each thing that *slide* asserts.

    In the order of the slide. Left out are lines and titles that are furniture, and the
    labels of diagrams; all texts are verbatim pieces of `slide_texts`.
    """
    if slide.title and not slide.title_is_furniture:
        yield "title", slide.title, None
    unsaid = {*slide.furniture, *slide.labels}
    for index, line in enumerate(slide.lines):
        if index not in unsaid:
            yield "line", line, parent_text(slide, index)


def parent_text(slide: Slide, index: int) -> str | None:
    """The line under which the line of this index stands; None: under none but the title."""
    parent = slide.parents[index] if index < len(slide.parents) else None
    return None if parent is None else slide.lines[parent]
