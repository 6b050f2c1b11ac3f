"""POST /api/sessions: a session begins, with the options of `greenroom start` by the same names."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from orchestrator.errors import UsageError
from orchestrator.session import Session
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["sessions"])
SAMPLE = Path(__file__).resolve().parents[2] / "demo" / "deck.md"


class Starting(BaseModel):
    """What a session is to be. Whatever is left out is as greenroom.yaml says, or the default."""

    model_config = ConfigDict(extra="forbid")

    deck: str | None = Field(None, description="A deck that was sent to /api/decks, by its SHA-256.")
    deck_text: str | None = Field(None, max_length=2_000_000, description="A deck as Markdown.")
    sample: bool = Field(False, description="The bundled deck.")
    id: str | None = None
    presenter: str | None = Field(None, max_length=80)
    speaker: str | None = None
    panel: list[str] | None = None
    date: str | None = None
    kind: str | None = None
    engine: Literal["offline", "claude", "model"] | None = None
    layout: Literal["watermark", "strict"] | None = None
    intensity: Literal["friendly", "moderate", "adversarial"] | None = None
    mode: Literal["section-breaks", "hand-raise", "free-flow"] | None = None
    minutes: int | None = Field(None, ge=1, le=24 * 60)
    exchanges: int | None = Field(None, ge=0, le=100)
    focus: list[str] = []
    remember: bool = False
    keep_source: bool = True
    dismissed: list[int] = Field([], description="Contradictions of the deck that are none: 1 is the first.")


class Started(BaseModel):
    """A session that has begun."""

    session: str
    state: str
    slides: int
    claims: int
    focus: dict[str, int]
    notices: list[str]


@router.post("/sessions", status_code=HTTPStatus.CREATED)
def start(starting: Starting, site: Annotated[Site, Depends(site_of)]) -> Started:
    """Begin a session; nothing runs before it is driven."""
    options: dict[str, Any] = starting.model_dump(exclude={"deck", "deck_text", "sample", "dismissed"})
    options["focus"] = tuple(starting.focus)
    options["panel"] = tuple(starting.panel) if starting.panel else None
    sources = [starting.deck is not None, starting.deck_text is not None, starting.sample]
    if sum(sources) != 1:
        raise UsageError("give one deck: deck (its SHA-256), deck_text (Markdown) or sample (true)")
    file = site.uploads.get(starting.deck).file if starting.deck is not None else None
    file = SAMPLE if starting.sample else file
    session = Session.start(site.own, file, deck_text=starting.deck_text, **options)
    for number in starting.dismissed:
        session.dismiss(f"c{number}")
    site.sessions.add(session)
    room = session.room
    return Started(
        session=session.id,
        state=session.state,
        slides=len(session.rehearsal.scene().deck.slides),
        claims=len(room.deck_claims),
        focus={agent: len(room.targets.get(agent, ())) for agent in session.rehearsal.options.panel},
        notices=session.notices,
    )
