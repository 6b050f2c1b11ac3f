"""GET /new: drop a deck, see how it was understood, choose, begin; and its slides, as the page shows them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse

from orchestrator.home.config import Config
from orchestrator.home.folder import Home
from orchestrator.home.regular import read_regular
from orchestrator.layout import MODERATOR
from orchestrator.loop.plan import RULES
from orchestrator.templates.orchestration import read_orchestration
from orchestrator.templates.persona import Persona, read_persona
from orchestrator.web.api.decks import kept
from orchestrator.web.pages.front import ANEW, under_way
from orchestrator.web.sheets import sheets
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

router = APIRouter()

MODES = {
    "section-breaks": "At breaks: when a section ends",
    "hand-raise": "By raised hand: the chair calls on them",
    "free-flow": "At any pause: they may cut in",
}
PRESSED = (
    "Without a model nobody weighs an answer. What is asked again, up to these turns, is a refusal (“I do "
    "not know”, “next question”) and a contradiction of which you name no figure; once, an answer without "
    "any figure, date or name where one belongs."
)
"""What an intensity means without a model."""
INTENSITIES = {
    "friendly": "Friendly: one question, one follow-up",
    "moderate": "Moderate: up to three turns each",
    "adversarial": "Adversarial: up to four turns each",
}


@router.get("/new", response_class=HTMLResponse)
def new(site: Annotated[Site, Depends(site_of)]) -> HTMLResponse:
    """The starting page."""
    home = site.own
    config = home.config
    rules = read_orchestration(read_regular(home.root / RULES).decode(), RULES)
    answer = page(
        "new.html",
        has_home=True,
        base=site.base,
        config=config,
        rules=rules,
        modes=MODES,
        pressed=PRESSED,
        intensities=INTENSITIES,
        members=_members(home),
        engines=engines(config),
        under_way=under_way(site),
    )
    answer.headers.update(ANEW)
    return answer


@router.get("/new/slides/{deck}", response_class=HTMLResponse)
def slides(deck: str, site: Annotated[Site, Depends(site_of)]) -> HTMLResponse:
    """The slides of a deck that was dropped, as a list to put into the page."""
    return page("new_slides.html", slides=sheets(kept(deck, site).deck))


def _members(home: Home) -> list[Persona]:
    agents = [name for name in home.panelists() if name not in home.drafts()]
    files = [home.templates / name / "persona.md" for name in (MODERATOR, *agents)]
    return [read_persona(read_regular(file).decode(), str(file.relative_to(home.root))) for file in files]


def engines(config: Config) -> dict[str, str]:
    """The engines that can be chosen, each said in one plain line."""
    told = {
        "offline": "Without a model: arithmetic is checked, and questions come from a bank. Works at once.",
        "claude": "Claude reads the deck and judges your answers. Needs a key, and sends the deck to it.",
    }
    if config.model_url is not None:
        told["model"] = f"Your own server at {config.model_url} reads the deck and judges your answers."
    if find_spec("anthropic") is None:
        del told["claude"]
    return told
