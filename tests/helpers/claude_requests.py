"""One request of each kind, with its context, from a small rehearsal that was really played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from orchestrator.core.context.assemble import Context
from orchestrator.material.claim import Passage, Tension
from orchestrator.material.values import Reported
from orchestrator.panel.engines.model.engine import ModelEngine
from orchestrator.panel.engines.model.settings import DEADLINES_S, Settings
from orchestrator.panel.engines.model.tasks import kind_of
from orchestrator.panel.engines.protocol import (
    CandidateRequest,
    DebriefRequest,
    DossierRequest,
    DoubtRequest,
    FactsRequest,
    FocusBriefRequest,
    JudgementRequest,
    NewsRequest,
    Request,
    ScratchpadRequest,
    ScribeRequest,
    SeatRequest,
    TensionsRequest,
)
from orchestrator.panel.model.exchange import Candidate, Exchange, Turn
from orchestrator.panel.model.reply import BoardMember
from orchestrator.panel.model.reply import Passage as FactPassage
from orchestrator.rehearsal.session import Session
from tests.helpers.messages_server import MessagesServer, Taken

SECRET = "Ofelia counted 4711 turnstile tickets"
"""What the presenter answers in these requests; no message or log may hold a word of it."""
KINDS = ("focus_brief", "candidate_question", "judgement", "notes", "debrief")
AGENT = "skeptic"
PATIENT: Mapping[str, float] = dict.fromkeys(DEADLINES_S, 600.0)
"""Longer than any test waits: no call fails because the machine is slow."""

Asked = Mapping[str, tuple[SeatRequest[Any], Context]]


def exchange(answer: str | None = f"{SECRET} in May.", **changed: Any) -> Exchange:
    """An open exchange whose last turn has this answer."""
    turn = Turn("Which record shows it, and as of which date?", ("source", "date"), answer)
    one = Exchange(
        "x9", AGENT, "d2.2", 2, None, "94% of passengers would recommend us", True, "silent", 90.0, (turn,)
    )
    return replace(one, **changed)


def requests_of(session: Session) -> Asked:
    """A request of each kind that comes with an agent's context, as the panel would make it now."""
    rehearsal = session.rehearsal
    seat, scene = rehearsal.seats[AGENT], rehearsal.scene()
    made: tuple[SeatRequest[Any], ...] = (
        FocusBriefRequest(seat, scene),
        CandidateRequest(seat, scene, rehearsal.projection.targets[AGENT], rehearsal.projection.asked_claims),
        JudgementRequest(seat, scene, exchange()),
        ScratchpadRequest(seat, scene, "", "2026-11-22", 2_000),
        DebriefRequest(
            rehearsal.seats["moderator"],
            scene,
            TENSIONS,
            (replace(CANDIDATE, question="Who keeps the boats running?"), CANDIDATE),
            ("The ask is named",),
        ),
    )
    purposes = {"candidate_question": "candidate-question", "focus_brief": "focus-brief"}
    asked = {}
    for request in made:
        kind = kind_of(request)
        agent = "moderator" if kind == "debrief" else AGENT
        asked[kind] = (request, rehearsal.peek(agent, purpose=purposes.get(kind, kind)))
    return asked


CANDIDATE = Candidate(AGENT, "Which towns come next?", None, None, None, None, False, (), 0.4, "", "the plan")
PASSAGES = (
    Passage("d1.title", "Riverboats for 40 towns", 1, None, "title"),
    Passage("d1.l1", "We serve 42 towns", 1, None),
    Passage("d1.n1", "The bank said no", 1, None, "notes"),
    Passage("s1", "We want a second quay", None, 3.0, "speech"),
)
TENSIONS = (
    Tension("deck-vs-deck", PASSAGES[0].place, PASSAGES[1].place, "They differ.", subject="towns"),
    Tension("speech-vs-deck", PASSAGES[1].place, PASSAGES[3].place, "They differ too.", subject="quays"),
)
FACT_PASSAGES = (FactPassage(7, "speech", "We want a second quay by 2028.", "2026-11-22", "Ines"),)


def reading_requests(session: Session) -> Mapping[str, Request[Any]]:
    """A request of each kind that stands by itself."""
    deck, seats = session.rehearsal.scene().deck, session.rehearsal.seats
    return {
        "tensions": TensionsRequest(PASSAGES),
        "doubt": DoubtRequest(TENSIONS, PASSAGES),
        "dossier": DossierRequest(
            deck, (), PASSAGES, (seats[AGENT],), (BoardMember("Rosa Lindt", "harbour master"),)
        ),
        "news": NewsRequest((Reported("Towns on the river: 41"),), PASSAGES),
        "facts": FactsRequest(FACT_PASSAGES),
        "scribe": ScribeRequest(FACT_PASSAGES),
    }


@contextmanager
def engine_on(server: MessagesServer, **settings: Any) -> Iterator[ModelEngine]:
    """An engine that asks *server*, is patient with it, and does not wait long between two tries."""
    given = {
        "base_url": server.url,
        "api_key": server.key,
        "first_wait_s": 0.01,
        "deadlines_s": PATIENT,
        **settings,
    }
    with ModelEngine(Settings(**given)) as engine:
        yield engine


def by_agent(taken: Iterable[Taken]) -> dict[str, list[Taken]]:
    """Requests by whose persona they begin with. Those of one refresh go out at once, in no order."""
    found: dict[str, list[Taken]] = {}
    for one in taken:
        found.setdefault(one.body["system"][0]["text"].split("\n")[0], []).append(one)
    return found
