"""/api/v1/decks: a dropped deck, and how it was understood, before a session is started on it."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, Depends, File, HTTPException, UploadFile
from starlette.responses import FileResponse

from orchestrator.core.errors import DeckError
from orchestrator.documents.models.preparation import DeckDocument, EarlierChoices
from orchestrator.material.checks.arithmetic import deck_tensions
from orchestrator.material.claims.extract import deck_claims
from orchestrator.material.deck.content import find_gaps
from orchestrator.panel.bank.deck import kind_names, kind_of
from orchestrator.panel.debrief.exchange_json import picked, tension_json
from orchestrator.panel.loop.plan import source_of
from orchestrator.panel.records.setup import UNNAMED
from orchestrator.web.description import PICTURE, DeckId, Plain, SessionId, SlideNumber, sends
from orchestrator.web.open_sessions import reads
from orchestrator.web.pictures import can_draw
from orchestrator.web.site import Site, site_of
from orchestrator.web.uploads import Upload

router = APIRouter(tags=["decks"])
At = Annotated[Site, Depends(site_of)]
SAMPLE: Final = Path(__file__).resolve().parents[2] / "rehearsal" / "demo" / "deck.md"


@router.post("/decks", **sends(DeckDocument, HTTPStatus.CREATED))
def read_deck(deck: Annotated[UploadFile, File(description="The file itself.")], site: At) -> Plain:
    """Read a deck: .pptx, .pdf or .md. Nothing of it is kept beyond this server's life."""
    return understood(site.uploads.take(deck.filename or "deck", deck.file.read()))


@router.get("/decks/sample", **sends(DeckDocument))
def read_sample_deck(site: At) -> Plain:
    """Read the bundled deck."""
    return understood(site.uploads.take(SAMPLE.name, SAMPLE.read_bytes()))


@router.get("/decks/{deck}", **sends(DeckDocument))
def get_deck(deck: DeckId, site: At) -> Plain:
    """Give a deck that was sent once more."""
    return understood(kept(deck, site))


@router.get("/decks/{deck}/slides/{number}.png", response_class=FileResponse, **PICTURE)
def get_deck_slide_picture(deck: DeckId, number: SlideNumber, site: At) -> FileResponse:
    """Draw a slide as it looks; 404 where this machine cannot draw it."""
    found = kept(deck, site)
    drawn = site.pictures.of(found.deck, found.file, number) if found.file is not None else None
    if drawn is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"slide {number} has no picture here")
    return FileResponse(drawn, media_type="image/png", headers={"cache-control": "private, max-age=3600"})


@router.get("/sessions/{session}/again", **sends(EarlierChoices))
@reads
def get_earlier_choices(session: SessionId, site: At) -> Plain:
    """Give what the session was begun with; its board and news stand in it alone, and are given anew."""
    rehearsal = site.sessions.get(session).rehearsal
    options = rehearsal.options
    here = site.own.panelists()
    known = [name for name in options.panel if name in here]
    length = () if rehearsal.drilled is not None else ("minutes", "exchanges")  # a drill's are no rehearsal's
    return {
        "deck": understood(site.uploads.take_again(source_of(rehearsal))),
        "options": {
            **picked(options, ("engine", "layout", "intensity", "mode", *length, "kind")),
            **picked(options, ("remember", "keep_source")),
            "presenter": None if options.presenter == UNNAMED else options.presenter,
            "focus": list(options.focus),
            "panel": known,
        },
    }


def kept(deck: str, site: Site) -> Upload:
    """Return the uploaded deck with this id, or raise 404."""
    try:
        return site.uploads.get(deck)
    except DeckError as error:
        raise HTTPException(HTTPStatus.NOT_FOUND, str(error)) from error


def understood(upload: Upload) -> Plain:
    """Return a dropped deck as `greenroom check` understands it, without a model."""
    deck = upload.deck
    return {
        "deck": deck.sha256,
        "name": deck.name,
        "title": deck.title,
        "kind": kind_of(deck).name,
        "kinds": list(kind_names()),
        "slides": [
            {"slide": one.number, "title": one.title, "lines": list(one.lines), "hidden": one.hidden}
            for one in deck.slides
        ],
        "claims": [picked(one, ("slide", "text")) for one in deck_claims(deck)],
        "tensions": [tension_json(one) for one in deck_tensions(deck)],
        "gaps": [picked(one, ("slide", "note")) for one in find_gaps(deck)],
        "notices": list(deck.notices),
        "deck_kind": deck.kind,
        "has_pictures": upload.file is not None and can_draw(deck.kind),
    }
