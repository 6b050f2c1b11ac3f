"""/api/v1/check and /api/v1/dossier: what a deck says and how it may be attacked, without a session."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, UploadFile

from orchestrator.documents.check import check as checked_by
from orchestrator.documents.check import check_json
from orchestrator.documents.dossier import dossier_of, seats_of
from orchestrator.documents.without_session import asked_engine, reading_engine
from orchestrator.material.deck.read import read_deck
from orchestrator.material.intel.read import read_intel
from orchestrator.material.speech.read import read_speech
from orchestrator.memory.deck_names import names_in
from orchestrator.panel.config.config import Config
from orchestrator.panel.dossier.board import read_board
from orchestrator.panel.dossier.page import dossier_json
from orchestrator.web.api.engine_names import EngineName
from orchestrator.web.site import Site, site_of
from orchestrator.web.uploads import aside

router = APIRouter(tags=["decks"])
At = Annotated[Site, Depends(site_of)]
Engine = Annotated[EngineName | None, Form()]
Kind = Annotated[str | None, Form(max_length=100, description="The kind of deck, where it is read wrongly.")]
Model = Annotated[str | None, Form(max_length=200, description="The model, of an engine that has one.")]


@router.post("/check")
def check(
    site: At,
    deck: UploadFile,
    speech: UploadFile | None = None,
    engine: Engine = None,
    model: Model = None,
    kind: Kind = None,
) -> dict[str, Any]:
    """What a deck (and speech) says, and where it contradicts itself. Nothing is kept."""
    config = site.home.config if site.home is not None else Config()
    files = [deck] if speech is None else [deck, speech]
    with reading_engine(config, engine, model) as asked, aside(files) as paths:
        recording = (
            read_speech(
                paths[1],
                stt_model=config.stt_model,
                stt_language=config.stt_language,
                names=lambda: names_in(read_deck(paths[0])),
            )
            if speech is not None
            else None
        )
        found = checked_by(paths[0], recording, asked, kind)
    failed = [] if found.failed is None else [f"the engine did not read all of it: {found.failed}"]
    return {**check_json(found), "notices": [*found.notices, *failed]}


@router.post("/dossier")
def dossier(
    site: At,
    deck: UploadFile,
    board: UploadFile | None = None,
    intel: list[UploadFile] = [],  # noqa: B006  # FastAPI makes a new one for each request
    panel: Annotated[list[str] | None, Form(max_length=20)] = None,
    focus: Annotated[list[str], Form(max_length=20)] = [],  # noqa: B006  # likewise
    engine: Engine = None,
    model: Model = None,
    kind: Kind = None,
) -> dict[str, Any]:
    """The likely attacks on a deck and how to prepare. Nothing is kept."""
    home = site.own
    seats = seats_of(home, tuple(panel) if panel else None)
    with aside([deck, *intel, *([board] if board is not None else [])]) as paths:
        members = read_board(paths[-1]) if board is not None else ()
        reported = read_intel(paths[1 : 1 + len(intel)])
        with asked_engine(home.config, engine, model) as asked:
            found, notices = dossier_of(asked, paths[0], seats, members, reported, tuple(focus), kind)
    return {**dossier_json(found), "notices": notices}
