"""Pages from `html/`: text from a session is escaped, and Markdown is sanitised."""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, Final

import nh3
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.responses import HTMLResponse

from orchestrator import __version__
from orchestrator.access.people import Person
from orchestrator.panel import debrief
from orchestrator.panel.debrief.page import equip
from orchestrator.panel.render import said_by

HTML: Final = Path(__file__).parent / "html"
TAGS: Final = frozenset((
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong",
    "del", "hr", "br", "table", "thead", "tbody", "tr", "th", "td",
))  # fmt: skip
"""The tags that Markdown from a session may produce. Links, pictures and frames are not among them, since
a page loads nothing."""

SIGNED_IN: Final[ContextVar[Person | None]] = ContextVar("signed_in", default=None)
"""Who is signed in at the request that is answered now, for what a page shows and offers. What may be done is
decided elsewhere (`access.people.judged`)."""


def may(role: str) -> bool:
    """Return whether a page should offer what only *role*, "keeper" or "presenter", may do."""
    person = SIGNED_IN.get()
    if person is None or person.is_keeper:
        return True
    return role == "presenter" and person.is_presenter


@cache
def environment() -> Environment:
    """Return the environment of the templates, in which a name that a route forgot is an error and not
    empty."""
    made = Environment(
        loader=FileSystemLoader([HTML, *debrief.__path__]),  # whose parts the page of a debrief lays out
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    equip(made)
    made.filters["markdown"] = markdown
    made.globals.update(version=__version__, said_by=said_by, signed_in=SIGNED_IN.get, may=may)
    return made


def page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render the template *name* of `html/` as an answer."""
    return HTMLResponse(environment().get_template(name).render(values), status)


def markdown(text: str) -> Markup:
    """Render Markdown as HTML without scripts, links, pictures or raw tags."""
    made = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    return Markup(nh3.clean(made, tags=set(TAGS), attributes={}))  # noqa: S704  # sanitised one call before
