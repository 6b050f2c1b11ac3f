"""One request of each kind, with its context, from a small rehearsal that was really played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from orchestrator.context import Context
from orchestrator.engines.claude.engine import ClaudeEngine
from orchestrator.engines.claude.settings import DEADLINES_S, Settings
from orchestrator.engines.claude.tasks import kind_of
from orchestrator.engines.protocol import (
    CandidateRequest,
    FocusBriefRequest,
    JudgementRequest,
    NotesRequest,
    ObservationRequest,
    PhrasesRequest,
    Request,
)
from orchestrator.exchange import Exchange, Turn
from orchestrator.session import Session
from tests.messages_server import MessagesServer, Taken

SECRET = "Ofelia counted 4711 turnstile tickets"
"""What the presenter answers in these requests; no message or log may hold a word of it."""
KINDS = ("focus_brief", "candidate_question", "judgement", "notes", "observation", "phrases")
AGENT = "skeptic"
PATIENT: Mapping[str, float] = dict.fromkeys(DEADLINES_S, 600.0)
"""Longer than any test waits: no call fails because the machine is slow."""

Asked = Mapping[str, tuple[Request[Any], Context]]


def exchange(answer: str | None = f"{SECRET} in May.", **changed: Any) -> Exchange:
    """An open exchange whose last turn has this answer."""
    turn = Turn("Which record shows it, and as of which date?", ("source", "date"), answer)
    one = Exchange(
        "x9", AGENT, "d2.2", 2, None, "94% of passengers would recommend us", True, "silent", 90.0, (turn,)
    )
    return replace(one, **changed)


def requests_of(session: Session) -> Asked:
    """A request of each kind, as the panel would make it now."""
    rehearsal = session.rehearsal
    seat, scene = rehearsal.seats[AGENT], rehearsal.scene()
    moderator = rehearsal.seats["moderator"]
    slots = {"presenter": "Ines", "minutes_left": "20"}
    open_ = exchange()
    made: tuple[Request[Any], ...] = (
        FocusBriefRequest(seat, scene),
        CandidateRequest(seat, scene, rehearsal.room.targets[AGENT], rehearsal.room.asked_claims),
        JudgementRequest(seat, scene, open_),
        NotesRequest(seat, scene, open_),
        ObservationRequest(seat, scene, open_),
        PhrasesRequest(moderator, scene, rehearsal.phrases, slots),
    )
    purposes = {"candidate_question": "candidate-question", "focus_brief": "focus-brief"}
    asked = {}
    for request in made:
        kind = kind_of(request)
        agent = "moderator" if kind == "phrases" else AGENT
        asked[kind] = (request, rehearsal.peek(agent, purpose=purposes.get(kind, kind)))
    return asked


@contextmanager
def engine_on(server: MessagesServer, **settings: Any) -> Iterator[ClaudeEngine]:
    """An engine that asks *server*, is patient with it, and does not wait long between two tries."""
    given = {
        "base_url": server.url,
        "api_key": server.key,
        "first_wait_s": 0.01,
        "deadlines_s": PATIENT,
        **settings,
    }
    with ClaudeEngine(Settings(**given)) as engine:
        yield engine


def by_agent(taken: Iterable[Taken]) -> dict[str, list[Taken]]:
    """Requests by whose persona they begin with. Those of one refresh go out at once, in no order."""
    found: dict[str, list[Taken]] = {}
    for one in taken:
        found.setdefault(one.body["system"][0]["text"].split("\n")[0], []).append(one)
    return found
