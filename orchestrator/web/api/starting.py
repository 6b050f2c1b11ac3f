"""POST /api/v1/sessions: a session begins, with the options of `greenroom start` by the same names."""

from __future__ import annotations

from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from orchestrator.checks.arithmetic import deck_tensions
from orchestrator.dossier.brought import read_sent
from orchestrator.errors import SessionExistsError, UsageError
from orchestrator.loop.plan import read_source
from orchestrator.session import Session
from orchestrator.speech.kept_sound import allow_sound
from orchestrator.store.requests import NO_REPLY, find, keep_reply, request_of
from orchestrator.web.api.decks import SAMPLE
from orchestrator.web.once import Key
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["sessions"])


class Brought(BaseModel):
    """A question of the presenter's own, that the panel puts as it is."""

    model_config = ConfigDict(extra="forbid")

    text: str
    slide: int | None = Field(None, description="At which it is put; without one in between.")
    agent: str | None = Field(None, description="Who puts it; without one in turn.")


class SentQuestions(BaseModel):
    """A file with questions."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=200, description="Its name: .yaml, .yml and .json hold a list.")
    text: str = Field(max_length=256 * 1024)


class ReadQuestions(BaseModel):
    """The questions of a file, in its order."""

    questions: list[Brought]


class Starting(BaseModel):
    """What a session is to be. Whatever is left out is as greenroom.yaml says, or the default."""

    model_config = ConfigDict(extra="forbid")

    deck: str | None = Field(None, description="A deck that was sent to /api/v1/decks, by its SHA-256.")
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
    questions: list[Brought | str] = Field(
        [], description="Questions of the presenter's own, each put once, before the panel's own."
    )
    remember: bool = False
    keep_source: bool = True
    keep_sound: bool = Field(
        False,
        description="Keep the sound of answers on this machine, beside the session, to hear them again.",
    )
    dismissed: list[int] = Field([], description="Contradictions of the deck that are none: 1 is the first.")


class Started(BaseModel):
    """A session that has begun."""

    session: str
    state: str
    slides: int
    claims: int
    focus: dict[str, int]
    notices: list[str]


@router.post("/questions")
def read_file(sent: SentQuestions) -> ReadQuestions:
    """Read a file with questions of the presenter's own; nothing is kept."""
    found = read_sent(sent.name, sent.text)
    return ReadQuestions(
        questions=[Brought(text=one.text, slide=one.slide, agent=one.agent) for one in found]
    )


@router.post("/sessions", status_code=HTTPStatus.CREATED)
def start(starting: Starting, site: Annotated[Site, Depends(site_of)], key: Key = None) -> Started:
    """Begin a session; nothing runs before it is driven.

    By an id of the request's own the session has a name that comes of it, where none is given: so it is found
    again by whoever asks again.
    """
    if key is None:
        return _start(starting, site)
    asked = starting.model_dump(mode="json")
    request = request_of(key, "start", asked)
    if starting.id is None:
        starting = starting.model_copy(update={"id": f"r-{sha256(key.encode()).hexdigest()[:16]}"})
    name = str(starting.id)
    with site.keys.alone("", key):
        try:
            reply = _start(starting, site)
        except SessionExistsError:
            with site.sessions.using(name) as found:
                done = find(found.rehearsal.store, request)
            if done is None or done.reply is NO_REPLY:
                raise  # begun by another request
            return Started.model_validate(done.reply)
        with site.sessions.using(name) as found:
            keep_reply(found.rehearsal.store, request, reply.model_dump(mode="json"))
        return reply


def _start(starting: Starting, site: Site) -> Started:
    left = {"deck", "deck_text", "sample", "dismissed", "keep_sound"}
    options: dict[str, Any] = starting.model_dump(exclude=left)
    options["focus"] = tuple(starting.focus)
    options["panel"] = tuple(starting.panel) if starting.panel else None
    sources = [starting.deck is not None, starting.deck_text is not None, starting.sample]
    if sum(sources) != 1:
        raise UsageError("give one deck: deck (its SHA-256), deck_text (Markdown) or sample (true)")
    file = site.uploads.get(starting.deck).file if starting.deck is not None else None
    file = SAMPLE if starting.sample else file
    dismissed = _dismissed(file, starting) if starting.dismissed else frozenset()
    session = Session.start(site.own, file, deck_text=starting.deck_text, **options)
    for one in session.contradictions:
        if one.digest in dismissed:
            session.dismiss(one.id)
    if starting.keep_sound:
        allow_sound(site.own.sessions, session.name)
    return started_of(session, site)


def started_of(session: Session, site: Site) -> Started:
    """A session that was begun just now, which is this site's to open and close from here on."""
    site.sessions.add(session)
    projection = session.projection
    return Started(
        session=session.id,
        state=session.state,
        slides=len(session.rehearsal.scene().deck.slides),
        claims=len(projection.deck_claims),
        focus={agent: len(projection.targets.get(agent, ())) for agent in session.rehearsal.options.panel},
        notices=[*session.notices, *(f"{part}: {reason}" for part, reason in session.failures)],
    )


def _dismissed(file: Path | None, starting: Starting) -> frozenset[str]:
    """Digests of the contradictions that are none, looked up before anything is made.

    Not their ids in the session: it counts on without those that an earlier rehearsal dismissed.

    Raises:
        DeckError: The deck cannot be read.
        UsageError: The deck has no contradiction of such a number.
    """
    found = deck_tensions(read_source(file, starting.deck_text).deck)
    for number in starting.dismissed:
        if not 1 <= number <= len(found):
            there = f"it has {len(found)}, and 1 is the first" if found else "it has none"
            raise UsageError(f"dismissed: {number} is no contradiction of this deck: {there}")
    return frozenset(found[number - 1].digest for number in starting.dismissed)
