"""A panelist's page across sessions: newest deck first, whole lines and sections, never over the limit."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.material.deck.read import read_deck_text
from orchestrator.panel.engines.offline import OfflineEngine
from orchestrator.panel.engines.protocol import Scene, ScratchpadRequest
from orchestrator.panel.model.exchange import Exchange, Observation, Turn
from orchestrator.panel.personas.persona import DomainKnowledge, Persona, Seat

SEAT = Seat(Persona(id="critic", name="C", title="", role="", color="#000000", voice=""), DomainKnowledge())

DECK = read_deck_text("# Harbour ferries\n\n- Passengers grew 12 %\n")
OPEN = Exchange(
    "x1", SEAT.persona.id, "d1.1", 1, None, "Passengers grew 12 %", True, "", 10.0,
    (Turn("From which base?", ("base", "period"), "I cannot say.", "escalate"),), "unresolved",
)  # fmt: skip
SETTLED = replace(
    OPEN, id="x2", quote="We lead", outcome="satisfied",
    turns=(Turn("By what?", ("source",), "By the census.", "satisfied", quote="By the census"),),
)  # fmt: skip
OTHERS = replace(OPEN, id="x3", agent="somebody-else")


MODERATOR = Seat(replace(SEAT.persona, id="moderator"), None)


def request(*exchanges: Exchange, before: str = "", limit: int = 2000) -> ScratchpadRequest:
    observed = (Observation("hedges: 'maybe', twice", "maybe"),)
    scene = Scene(DECK, (), (), (), exchanges, None, 0.0, "moderate", (), observed=observed)
    return ScratchpadRequest(SEAT, scene, before, "2026-11-22", limit)


def test_the_page_of_a_first_rehearsal() -> None:
    assert OfflineEngine().reply(request(SETTLED, OPEN, OTHERS)) == (
        "## Harbour ferries (2026-11-22)\n\n"
        '- Open (unresolved): "Passengers grew 12 %". Asked for: base, period.\n'
        '- Settled: "We lead"; the answer was "By the census".\n'
        "- The presenter hedges: 'maybe', twice.\n"
    )


def test_the_moderators_page_tells_how_the_whole_panels_questions_went() -> None:
    silent = replace(OTHERS, id="x4", outcome="unjudged", turns=(Turn("From which base?"),))
    asked = replace(request(OPEN, SETTLED, OTHERS, silent), seat=MODERATOR)
    assert OfflineEngine().reply(asked) == (
        "## Harbour ferries (2026-11-22)\n\n"
        "- 4 questions: 1 answered, 2 not answered, 1 no answer.\n"
        "- Asked by critic: 2, somebody-else: 2.\n"
        '- critic: Open (unresolved): "Passengers grew 12 %". Asked for: base, period.\n'
        '- somebody-else: Open (unresolved): "Passengers grew 12 %". Asked for: base, period.\n'
        '- somebody-else: Asked about "Passengers grew 12 %"; no answer was given.\n'
        "- The presenter hedges: 'maybe', twice.\n"
    )
    assert (
        OfflineEngine().reply(replace(request(), seat=MODERATOR)).splitlines()[2] == "- No question was put."
    )


def test_silence_is_not_called_an_answer_that_nobody_judged() -> None:
    silent = replace(OPEN, outcome="unjudged", turns=(Turn("From which base?"),))
    answered = replace(silent, id="x4", turns=(Turn("From which base?", (), "From that of June."),))
    lines = OfflineEngine().reply(request(silent, answered)).splitlines()
    assert lines[2:4] == [
        '- Asked about "Passengers grew 12 %"; no answer was given.',
        '- Asked about "Passengers grew 12 %"; the answer was not judged.',
    ]


def test_another_deck_stands_below_and_the_same_deck_is_replaced() -> None:
    before = "## Harbour ferries (2026-11-01)\n\n- old\n\n## A bridge (2026-10-01)\n\n- Open: the toll.\n"
    page = OfflineEngine().reply(request(SETTLED, before=before))
    assert page.startswith("## Harbour ferries (2026-11-22)")
    assert "- old" not in page
    assert page.endswith("\n\n## A bridge (2026-10-01)\n\n- Open: the toll.\n")


@given(
    decks=st.lists(st.integers(1, 60), max_size=8),
    exchanges=st.integers(0, 30),
    limit=st.integers(120, 2000),
)
def test_it_never_exceeds_the_limit_and_keeps_whole_lines(
    decks: list[int], exchanges: int, limit: int
) -> None:
    before = "\n\n".join(
        f"## Deck {at} (2026-01-01)\n\n" + "\n".join(f"- line {n} of {at}." for n in range(count))
        for at, count in enumerate(decks)
    )
    own = [replace(OPEN, id=f"x{n}") for n in range(exchanges)]
    page = OfflineEngine().reply(request(*own, before=before, limit=limit))
    assert len(page) <= limit
    lines = {*before.splitlines(), *OfflineEngine().reply(request(*own, limit=10**6)).splitlines()}
    assert set(page.splitlines()) <= lines
