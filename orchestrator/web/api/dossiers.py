"""/api/v1/decks/{deck}/dossier: a dossier to prepare with, stored on this machine beside its deck."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, File, Form, Path, UploadFile
from pydantic import Field
from starlette.exceptions import HTTPException

from orchestrator.core.errors import DeckError, EngineError, SessionStateError
from orchestrator.documents.check import asked_engine, check_json, reading_engine
from orchestrator.documents.check import check as checked_by
from orchestrator.documents.models.preparation import CheckDocument, DeckDossier, DossierDocument
from orchestrator.documents.preparation import dossier_of, seats_of
from orchestrator.material.deck.read import read_deck
from orchestrator.material.intel.findings import read_intel
from orchestrator.material.speech.read import read_speech
from orchestrator.memory.english import names_in
from orchestrator.panel.config.config import Config
from orchestrator.panel.dossier.brought import read_board
from orchestrator.panel.dossier.page import dossier_json, missing
from orchestrator.panel.dossier.prepared import (
    Preparation,
    Prepared,
    brought_of,
    deck_file,
    forget_prepared,
    keep_prepared,
    prepare,
    read_prepared,
)
from orchestrator.panel.engines.in_flight import Calls
from orchestrator.panel.loop.plan import Source
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.web.api.decks import kept
from orchestrator.web.api.starting import EngineName, Started, started_of
from orchestrator.web.description import Body, DeckId, Plain, sends
from orchestrator.web.site import Site, site_of
from orchestrator.web.uploads import aside

# ---------------------------------------------------------------------- check
# /api/v1/check and /api/v1/dossier: what a deck says and how it may be attacked, without a session.


router = APIRouter(tags=["decks"])
At = Annotated[Site, Depends(site_of)]
DeckFile = Annotated[UploadFile, File(description="The deck: .pptx, .pdf or .md.")]
Engine = Annotated[EngineName | None, Form(description="Who reads; without it as is set.")]
Kind = Annotated[str | None, Form(max_length=100, description="The kind of deck, where it is read wrongly.")]
Model = Annotated[str | None, Form(max_length=200, description="The model, of an engine that has one.")]


@router.post("/check", **sends(CheckDocument))
def check_deck(
    site: At,
    deck: DeckFile,
    speech: Annotated[UploadFile | None, File(description="Speech to hold against it.")] = None,
    engine: Engine = None,
    model: Model = None,
    kind: Kind = None,
) -> Plain:
    """Say what a deck (and speech) says, and where it contradicts itself. Nothing is kept."""
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


@router.post("/dossier", **sends(DossierDocument))
def build_deck_dossier(
    site: At,
    deck: DeckFile,
    board: Annotated[UploadFile | None, File(description="The members of the real board.")] = None,
    intel: Annotated[list[UploadFile], File(description="News.")] = [],  # noqa: B006  # FastAPI makes a new one for each request
    panel: Annotated[list[str] | None, Form(max_length=20, description="Who lends a hand.")] = None,
    focus: Annotated[list[str], Form(max_length=20, description="What it is to look at.")] = [],  # noqa: B006  # likewise
    engine: Engine = None,
    model: Model = None,
    kind: Kind = None,
) -> Plain:
    """Say the likely attacks on a deck and how to prepare. Nothing is kept."""
    home = site.own
    seats = seats_of(home, tuple(panel) if panel else None)
    with aside([deck, *intel, *([board] if board is not None else [])]) as paths:
        members = read_board(paths[-1]) if board is not None else ()
        reported = read_intel(paths[1 : 1 + len(intel)])
        with asked_engine(home.config, engine, model) as asked:
            found, notices = dossier_of(asked, paths[0], seats, members, reported, tuple(focus), kind)
    return {**dossier_json(found), "notices": notices}


# ---------------------------------------------------------------------- dossiers


class DossierWanted(Body):
    """Who makes a dossier."""

    engine: EngineName | None = None
    kind: str | None = Field(None, max_length=100, description="The kind of deck, where it is read wrongly.")


class QuestionPrepared(Body):
    """The presenter's progress with a question."""

    is_prepared: bool = False
    """It needs no rehearsal."""
    answer: str = Field("", max_length=4_000, description="In the presenter's own words.")


class Rehearsing(Body):
    """A rehearsal of the questions that are not prepared yet."""

    presenter: str | None = Field(None, max_length=80)
    minutes: int | None = Field(None, ge=1, le=24 * 60)
    intensity: Literal["friendly", "moderate", "adversarial"] | None = None
    mode: Literal["section-breaks", "hand-raise", "free-flow"] | None = None
    engine: EngineName | None = None


@router.get("/decks/{deck}/dossier", **sends(DeckDossier))
def get_deck_dossier(deck: DeckId, site: At) -> Plain:
    """Say how a deck's dossier stands: none, making (with a model that takes minutes), failed or ready."""
    making = site.dossiers.of(deck, site.whose)
    if making is not None and making.failed is None:
        asking = making.calls.line()
        return _standing("making", engine=making.engine, seconds=making.seconds, asking=asking)
    made = read_prepared(site.own, deck, site.whose)
    if making is not None and made is None:
        return _standing("failed", engine=making.engine, failed=making.failed)
    asked = [asdict(one) for one in site.review.asked_before(deck, site.catalogue)]
    if made is None:
        return _standing("none", asked=asked)
    ready = _ready(made, making.failed if making is not None else None)
    return {**ready, "asked": asked}


@router.post("/decks/{deck}/dossier", **sends(DeckDossier, HTTPStatus.ACCEPTED))
def make_deck_dossier(deck: DeckId, wanted: DossierWanted, site: At) -> Plain:
    """Have a deck's dossier made, in the background; answers to questions that it asks again stay."""
    home = site.own
    file = deck_file(home, deck, site.whose) or kept(deck, site).file
    if file is None:
        raise DeckError(
            "this rehearsal kept no copy of its deck: drop the deck once more, and prepare from there"
        )
    engine = wanted.engine or home.config.engine
    if not site.dossiers.make(
        deck, site.whose, engine, lambda calls: make_dossier(site, file, engine, wanted.kind, calls)
    ):
        raise SessionStateError("four dossiers are being made already: wait until one is ready")
    return get_deck_dossier(deck, site)


def make_dossier(
    site: Site, file: FilePath, engine: str, kind: str | None, calls: Calls | None = None
) -> None:
    """Make a deck's dossier, and store it with the deck's file.

    Raises:
        EngineError: The engine failed, and the deck already has a dossier, which may be better than one made
            without the engine.
    """
    home = site.own
    with asked_engine(home.config, engine, None, calls=calls) as asked:
        made, notices = dossier_of(asked, file, seats_of(home, None), (), (), (), kind)
    deck = read_deck(file)
    if made.failed is not None and read_prepared(home, deck.sha256, site.whose) is not None:
        raise EngineError(made.failed)
    keep_prepared(home, Prepared(deck, made, notices=tuple(notices)), file, site.whose)


@router.put("/decks/{deck}/dossier/questions/{number}", **sends(DeckDossier))
def prepare_question(
    deck: DeckId,
    number: Annotated[int, Path(description="Which question of the dossier, from 1.")],
    question: QuestionPrepared,
    site: At,
) -> Plain:
    """Keep whether question *number*, from 1, is prepared, and the presenter's own answer to it."""
    now = Preparation(question.is_prepared, question.answer)
    return _ready(prepare(site.own, deck, number, now, site.whose))


@router.delete("/decks/{deck}/dossier", status_code=HTTPStatus.NO_CONTENT)
def delete_deck_dossier(deck: DeckId, site: At) -> None:
    """Remove a deck's dossier with all answers, and the copy of the deck beside it."""
    forget_prepared(site.own, deck, site.whose)


@router.post("/decks/{deck}/dossier/rehearse", status_code=HTTPStatus.CREATED)
def rehearse_deck_dossier(deck: DeckId, asked: Rehearsing, site: At) -> Started:
    """Begin a session whose questions are those that are not prepared yet."""
    home, made = site.own, read_prepared(site.own, deck, site.whose)
    if made is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, "there is no dossier of this deck: have one made first")
    if not made.unticked:
        raise SessionStateError("every question is ticked: untick those that you want to rehearse")
    panel = home.layout(None).panel
    file = deck_file(home, deck, site.whose)
    options = asked.model_dump() | {"presenter": site.presenter(asked.presenter)}
    with site.starts.one(site.whose) as calls:
        session = Rehearsal.start(
            home,
            Source(made.deck, file),
            questions=[brought_of(one, panel) for one in made.unticked],
            exchanges=len(made.unticked),
            kind=made.dossier.kind,
            calls=calls,
            **site.started_as,
            **options,
        )
    return started_of(session, site)


def _standing(state: str, **known: Any) -> Plain:
    return {
        "state": state,
        "engine": None,
        "seconds": 0,
        "asking": None,
        "failed": None,
        "made_at": None,
        "notices": [],
        "dossier": None,
        "questions": [],
        "asked": [],
        **known,
    }


def _ready(made: Prepared, failed: str | None = None) -> Plain:
    preparations = [made.of(one) for one in made.dossier.attacks]
    return _standing(
        "ready",
        engine=made.dossier.engine,
        failed=failed,
        made_at=made.made_at,
        notices=list(made.notices),
        dossier=dossier_json(made.dossier),
        questions=[
            {"is_prepared": one.is_prepared, "answer": one.answer, "missing": missing(attack)}
            for one, attack in zip(preparations, made.dossier.attacks, strict=True)
        ],
    )
