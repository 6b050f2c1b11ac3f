"""The debrief as a page, made from the package's templates: as Markdown, and as one HTML file."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from orchestrator.core import legible
from orchestrator.core.legible import one_line
from orchestrator.material.speech.delivery import FILLER, HEDGE
from orchestrator.panel.debrief import phrasing, plots
from orchestrator.panel.debrief.paper import css_string, on_paper
from orchestrator.panel.debrief.parts import Debrief

if TYPE_CHECKING:
    import jinja2

# An underscore within a word begins no emphasis, and names of files have them.
_SPECIAL = re.compile(r"[\\`*\[\]<>]|(?<!\w)_|_(?!\w)")


def as_markdown(debrief: Debrief) -> str:
    """Render the debrief as Markdown.

    Words of the deck and the presenter are escaped, so they cannot begin a line or a mark of the page.
    """
    return _template("page.md.j2").render(debrief=debrief)


def as_html(debrief: Debrief) -> str:
    """Render the debrief as HTML that fetches nothing and runs nothing.

    Autoescape escapes every word from outside.
    """
    return _template("page.html.j2").render(debrief=debrief)


def as_paper(debrief: Debrief) -> str:
    """Render the debrief for print, with the essence on its first page for somebody who was not there."""
    return _template("paper.html.j2").render(
        debrief=on_paper(debrief),
        rehearsed_by=phrasing.rehearsed_by(debrief),
        most=phrasing.MAX_BRIEF,
    )


def plain(text: str) -> str:
    """Escape text from outside as one line of Markdown that shows it unchanged."""
    return _SPECIAL.sub(lambda match: f"\\{match[0]}", one_line(text))


@cache
def _template(name: str) -> jinja2.Template:
    """Return a template of the package, which is compiled once in a process."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("orchestrator", "panel/debrief"),
        autoescape=jinja2.select_autoescape(("html.j2",)),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    equip(environment)
    return environment.get_template(name)


def equip(environment: jinja2.Environment) -> None:
    """Add to *environment* what the templates of this folder call.

    `parts.html.j2` is used by other pages too.
    """
    environment.globals.update(
        phrasing=phrasing,
        filler=FILLER,
        hedge=HEDGE,
        by_fives=phrasing.by_fives,
        ended_at_s=phrasing.ended_at_s,
        longest_s=phrasing.longest_s,
        pace=plots.pace,
        slide_bar=plots.slide_bar,
        marks=plots.marks,
        talk=plots.talk,
    )
    environment.filters.update(
        brought=phrasing.brought,
        cell=lambda text: plain(text).replace("|", "\\|"),
        clock=legible.clock,
        css_string=css_string,
        css=lambda state: state.replace(" ", "-"),
        line=one_line,
        noticed=phrasing.noticed,
        place=phrasing.place,
        plain=plain,
        with_place=phrasing.with_place,
    )
