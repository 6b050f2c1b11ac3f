"""The debrief as one HTML file: nothing is fetched, nothing runs, and it prints."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from orchestrator import render
from orchestrator.debrief import words
from orchestrator.debrief.model import Debrief

if TYPE_CHECKING:
    import jinja2

TEMPLATE = "page.html.j2"


def as_html(debrief: Debrief) -> str:
    """The page as HTML. Every word from outside is escaped by the template's autoescape."""
    longest_s = max((max(one.seconds, one.budget_s) for one in debrief.slides), default=1.0) or 1.0
    return _template().render(debrief=debrief, words=words, longest_s=longest_s)


@cache
def _template() -> jinja2.Template:
    """The page's template, which comes with the package: compiled once in a process."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        clock=render.clock,
        line=render.one_line,
        place=words.place,
        css=lambda state: state.replace(" ", "-"),
    )
    source = files("orchestrator.debrief").joinpath(TEMPLATE).read_text("utf-8")
    return environment.from_string(source)
