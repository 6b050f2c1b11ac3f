"""POST /api/v1/sessions: start a session, with the options of `greenroom start` under the same names."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Response
from pydantic import AfterValidator, Field

from orchestrator.core.errors import AccessError, EngineError, GreenroomError, SessionExistsError, UsageError
from orchestrator.core.legible import one_line
from orchestrator.core.store.requests import NO_REPLY, find, keep_reply, request_of
from orchestrator.documents.opening import check_is_of_board
from orchestrator.material.checks.arithmetic import deck_tensions
from orchestrator.material.intel.findings import read_intel
from orchestrator.material.speech.sound import allow_sound
from orchestrator.material.speech.speakers import presenter_of
from orchestrator.panel.config.engine_names import BUILT_IN, engine_names, is_engine_name, listed
from orchestrator.panel.dossier.brought import MAX_MEMBERS, read_board, read_sent
from orchestrator.panel.engines.recorded import Replies, read_recording, recorded_engine
from orchestrator.panel.loop.plan import Source, read_source
from orchestrator.panel.loop.recorded import Loading
from orchestrator.rehearsal.demo.rehearsals import ACTS, FOLDER, begin_act, memory_begun_anew
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.review.catalogue import Row
from orchestrator.web.api.decks import SAMPLE
from orchestrator.web.description import Body, Reply
from orchestrator.web.once import Key
from orchestrator.web.site import Site, site_of

# ---------------------------------------------------------------------- engine names
# The name of an engine in a request: one that can be chosen here.


def _known(name: str) -> str:
    if not is_engine_name(name):
        raise ValueError(f"there is no engine {name!r}: use {listed(engine_names())}")
    return name


EngineName = Annotated[
    str,
    AfterValidator(_known),
    Field(
        max_length=100,
        description=f"{listed()}, or an engine that is installed.",
        examples=[*BUILT_IN],
    ),
]


# ---------------------------------------------------------------------- starting


router = APIRouter(tags=["sessions"])


class Seated(Body):
    """A member of the real board."""

    name: str
    role: str = ""
    background: str = ""
    interests: list[str] = Field([], description="What this person looks at.")


class Brought(Body):
    """A question of the presenter's own, that the panel puts as it is."""

    text: str
    slide: int | None = Field(None, description="At which it is put; without one in between.")
    agent: str | None = Field(None, description="Who puts it; without one in turn.")


class SentQuestions(Body):
    """A file with questions."""

    name: str = Field(max_length=200, description="Its name: .yaml, .yml and .json hold a list.")
    text: str = Field(max_length=256 * 1024)


class ReadQuestions(Reply):
    """The questions of a file, in its order."""

    questions: list[Brought]


class Starting(Body):
    """What a session is to be. Whatever is left out is as greenroom.yaml says, or the default."""

    deck: str | None = Field(None, description="A deck that was sent to /api/v1/decks, by its SHA-256.")
    deck_text: str | None = Field(None, max_length=2_000_000, description="A deck as Markdown.")
    sample: bool = Field(False, description="The bundled deck.")
    id: str | None = Field(None, description="What the session is called; without one it gets one.")
    presenter: str | None = Field(None, max_length=80)
    speaker: str | None = Field(None, description="The presenter's label in the recorded talk.")
    panel: list[str] | None = Field(None, description="Who sits there.")
    date: str | None = Field(None, description="The day of the real meeting, YYYY-MM-DD.")
    kind: str | None = Field(None, description="The kind of deck, where it is read wrongly.")
    engine: EngineName | None = None
    layout: Literal["watermark", "strict"] | None = None
    intensity: Literal["friendly", "moderate", "adversarial"] | None = None
    mode: Literal["section-breaks", "hand-raise", "free-flow"] | None = None
    minutes: int | None = Field(None, ge=1, le=24 * 60)
    exchanges: int | None = Field(None, ge=0, le=100)
    focus: list[str] = Field([], description="What the panel is to look at.")
    questions: list[Brought | str] = Field(
        [], description="Questions of the presenter's own, each put once, before the panel's own."
    )
    remember: bool = Field(False, description="Keep what is learnt of the presenter, who agreed to it.")
    keep_source: bool = Field(True, description="Keep the deck's own file in the session.")
    speech: str | None = Field(None, description="A recorded talk that was sent to /api/v1/materials.")
    board: str | None = Field(None, description="A board that was sent there.")
    members: list[Seated] = Field([], max_length=MAX_MEMBERS, description="The board, in place of a file.")
    intel: list[str] = Field([], max_length=20, description="News that was sent there.")
    news: str = Field("", max_length=100_000, description="News as Markdown or text.")
    keep_sound: bool = Field(
        False,
        description="Keep the sound of answers on this machine, beside the session, to hear them again.",
    )
    dismissed: list[int] = Field([], description="Contradictions of the deck that are none: 1 is the first.")


class Started(Reply):
    """A session that has begun."""

    session: str
    """Its id."""
    state: str
    slides: int
    claims: int
    focus: dict[str, int]
    """How many points each panelist means to go after."""
    notices: list[str]
    """What was not read, and which part failed."""


class Asking(Reply):
    """The question that is waited for."""

    asking: str | None = Field(description="Who is asked what, and for how long; null: nobody is.")


@router.get("/asking")
def get_asking(site: Annotated[Site, Depends(site_of)]) -> Asking:
    """Say what a model is asked for a session that is being started: a slow one takes minutes."""
    return Asking(asking=site.starts.line(site.whose))


@router.post("/questions")
def read_questions(sent: SentQuestions) -> ReadQuestions:
    """Read a file with questions of the presenter's own; nothing is kept."""
    found = read_sent(sent.name, sent.text)
    return ReadQuestions(
        questions=[Brought(text=one.text, slide=one.slide, agent=one.agent) for one in found]
    )


@router.post("/sessions", status_code=HTTPStatus.CREATED)
def start_session(starting: Starting, site: Annotated[Site, Depends(site_of)], key: Key = None) -> Started:
    """Begin a session; nothing runs before it is driven.

    Without a given name, the session's name is made from the request's id, so that a repeated request finds
    it.
    """
    starting = starting.model_copy(update={"presenter": site.presenter(starting.presenter)})
    if starting.id is not None and not site.is_keeper:  # or it would tell which ids there are
        raise AccessError("id: a session gets its id here: leave `id` out")
    if key is None:
        return _start(starting, site)
    asked = starting.model_dump(mode="json")
    request = request_of(key, "start", asked)
    if starting.id is None:
        starting = starting.model_copy(update={"id": name_by(key, site.whose)})
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


def name_by(key: str, whose: str) -> str:
    """Return the name of the session that a request by this id starts, of one person or, where nobody signs
    in, of anybody."""
    told = f"{whose}\n{key}" if whose else key
    return f"r-{sha256(told.encode()).hexdigest()[:16]}"


def _start(starting: Starting, site: Site) -> Started:
    apart = {
        *("deck", "deck_text", "sample", "dismissed", "keep_sound"),
        *("speech", "board", "members", "intel", "news"),
    }
    check_is_of_board(site.own)
    options: dict[str, Any] = starting.model_dump(exclude=apart)
    options["focus"] = tuple(starting.focus)
    options["panel"] = tuple(starting.panel) if starting.panel else None
    sources = [starting.deck is not None, starting.deck_text is not None, starting.sample]
    if sum(sources) != 1:
        raise UsageError("give one deck: deck (its SHA-256), deck_text (Markdown) or sample (true)")
    source: Source | Path | None = SAMPLE if starting.sample else None
    if starting.deck is not None:
        with about("deck"):
            upload = site.uploads.get(starting.deck)
        source = Source(upload.deck, upload.file)
    with about("dismissed"):
        dismissed = _dismissed(source, starting) if starting.dismissed else frozenset()
    loading = _loading(starting, site)
    with about(None), _brought(starting, site) as brought, site.starts.one(site.whose) as calls:
        session = Rehearsal.start(
            site.own,
            source,
            deck_text=starting.deck_text,
            loading=loading,
            calls=calls,
            **site.started_as,
            **options,
            **brought,
        )
    for one in session.contradictions:
        if one.digest in dismissed:
            session.dismiss(one.id)
    if starting.keep_sound:
        allow_sound(site.own.sessions, session.name)
    return started_of(session, site)


def started_of(session: Rehearsal, site: Site) -> Started:
    """Hand a session that was just started to this site, which closes it later, and return its
    description."""
    site.sessions.begin(session)
    projection = session.projection
    return Started(
        session=session.id,
        state=session.state,
        slides=len(session.rehearsal.scene().deck.slides),
        claims=len(projection.deck_claims),
        focus={agent: len(projection.targets.get(agent, ())) for agent in session.rehearsal.options.panel},
        notices=[*session.notices, *(f"{part}: {reason}" for part, reason in session.failures)],
    )


@contextmanager
def about(field: str | None) -> Iterator[None]:
    """Make errors in the block name their field; if *field* is None, the option with which the message
    begins."""
    try:
        yield
    except GreenroomError as error:
        option = re.match(r"--([a-z]+)", str(error))
        named = field or (option[1] if option else "engine" if isinstance(error, EngineError) else None)
        error.value = error.value or named
        raise


def _loading(starting: Starting, site: Site) -> Loading | None:
    """Return the recorded talk for a session whose questions are answered in the room, or None."""
    if starting.speech is None:
        return None
    with about("speech"):
        recording = site.materials.recording(starting.speech)
    with about("speaker"):
        presenter_of(recording.segments, starting.speaker)
    return Loading(recording, "run", typed=True)


@contextmanager
def _brought(starting: Starting, site: Site) -> Iterator[dict[str, Any]]:
    """Yield board and news as files, as `Rehearsal.start` takes them; typed words become files for the
    block."""
    with tempfile.TemporaryDirectory(prefix="greenroom-typed-") as folder:
        found: dict[str, Any] = {}
        with about("board"):
            if starting.board is not None and starting.members:
                raise UsageError("the board is given twice: as a file and by its members: leave one out")
            if starting.board is not None:
                found["board"] = site.materials.file("board", starting.board)
        with about("intel"):
            files = [site.materials.file("intel", one) for one in starting.intel]
        with about("members"):
            for number, one in enumerate(starting.members, start=1):
                if not one_line(one.name):
                    raise UsageError(f"member {number} has no name: give one, or leave the member out")
            if starting.members:
                found["board"] = Path(folder) / "board.json"
                told = [one.model_dump(exclude_defaults=True) for one in starting.members]
                found["board"].write_text(json.dumps(told), "utf-8")
                _read_typed(partial(read_board, found["board"]), folder)
        with about("news"):
            if starting.news.strip():
                files.append(Path(folder) / "news.md")
                files[-1].write_bytes(starting.news.encode(errors="replace"))
                _read_typed(partial(read_intel, files), folder)
        yield {**found, "intel": tuple(files)}


def _read_typed(read: Callable[[], Any], folder: str) -> None:
    """Report what is wrong with typed words before anything is created; the folder's name is not in the
    message."""
    try:
        read()
    except GreenroomError as error:
        error.args = (str(error).replace(f"{folder}/", "").replace("board.json: item", "member"),)
        raise


def _dismissed(source: Source | Path | None, starting: Starting) -> frozenset[str]:
    """Return the digests of the dismissed contradictions, looked up before anything is created.

    They are not looked up by their ids, which differ in the session: it does not count those that an earlier
    rehearsal dismissed.

    Raises:
        DeckError: The deck cannot be read.
        UsageError: The deck has no contradiction of this number.
    """
    found = deck_tensions(read_source(source, starting.deck_text).deck)
    for number in starting.dismissed:
        if not 1 <= number <= len(found):
            there = f"it has {len(found)}, and 1 is the first" if found else "it has none"
            raise UsageError(f"dismissed: {number} is no contradiction of this deck: {there}")
    return frozenset(found[number - 1].digest for number in starting.dismissed)


# ---------------------------------------------------------------------- demonstrations
# The two rehearsals of the demonstration in a home: played once, and looked at again from there.


def played(site: Site) -> tuple[str, ...]:
    """Return the sessions of the last run of both acts, in order, or none unless both are complete."""
    site.review.refresh(is_needed=True)
    found = [_last_of(site, site.review.catalogue.runs_of(_digest(act.deck))) for act in ACTS]
    return tuple(one for one in found if one) if all(found) else ()


def a_week_later(site: Site, session: str) -> str:
    """Return the id of the second rehearsal if *session* is the first of the two, else ""."""
    both = played(site)
    return both[1] if both and both[0] == session else ""


def _last_of(site: Site, rows: Sequence[Row]) -> str:
    """Return the id of the newest demonstration among *rows* that has ended and is in this home, or ""."""
    entries = (row.entry for row in rows if site.review.is_ours(row))
    return next((one.session for one in entries if one.is_recorded and one.is_ended), "")


def _digest(deck: str) -> str:
    return hashlib.sha256((FOLDER / deck).read_bytes()).hexdigest()


# ---------------------------------------------------------------------- demo
# POST /api/v1/demo: the two recorded rehearsals of `greenroom demo`, played here once.


class Demonstrated(Reply):
    """The two sessions, which have ended."""

    sessions: list[str]
    by: str
    """Who gave the replies that were played."""


@router.post(
    "/demo",
    status_code=HTTPStatus.CREATED,
    responses={200: {"model": Demonstrated, "description": "Both lay here already."}},
)
def play_demo(site: Annotated[Site, Depends(site_of)], answer: Response) -> Demonstrated:
    """Play both rehearsals to their debriefs, a week apart, from recorded replies: no key, no network.

    Existing ones are returned again, with the status 200.
    """
    recording, done = read_recording(), list(played(site))
    if done:
        answer.status_code = HTTPStatus.OK
        return Demonstrated(sessions=done, by=recording.by)
    replies = Replies(recording.replies)
    with memory_begun_anew(site.own), closing(recorded_engine(replies)) as engine:
        for act in ACTS:
            with begin_act(site.own, act, engine) as session:
                if session.play(
                    stop=site.closing.is_set
                ):  # else the server is stopped, and it stays unfinished
                    session.end()
                done.append(session.id)
    return Demonstrated(sessions=done, by=recording.by)
