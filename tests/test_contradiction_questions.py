"""Findings of the cross-checks as questions: both places are quoted, one panelist asks, and asks first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from orchestrator.claims.model import Place, Tension
from orchestrator.engines.contradictions import angle_words
from orchestrator.engines.offline import OfflineEngine
from orchestrator.engines.protocol import CandidateRequest, FocusBriefRequest, Scene
from orchestrator.exchange import Candidate, Exchange, Turn
from orchestrator.pattern import Pattern
from orchestrator.persona import Seat
from orchestrator.speech.model import Segment
from tests.test_offline_engine import DOMAIN, PERSONA, _panel, deck_of, scene_of

ENGINE = OfflineEngine()
DECK = deck_of(
    ["Revenue grew 18% in 2026", "We serve 40 towns"],
    ["Revenue grew 12% in 2026", "Runway of 9 months"],
    ["Cost of EUR 300k per boat", "Three boats cost EUR 1.2M"],
)
GROWTH = Tension(
    "deck-vs-deck",
    Place(1, None, "Revenue grew 18% in 2026"),
    Place(2, None, "Revenue grew 12% in 2026"),
    "Revenue grew by 18% on slide 1 and by 12% on slide 2.",
)
SUM = Tension(
    "sum",
    Place(3, None, "Cost of EUR 300k per boat"),
    Place(3, None, "Three boats cost EUR 1.2M"),
    "Three times EUR 300k is EUR 0.9M, not EUR 1.2M.",
)


def finding(head: str, text: str) -> Pattern:
    slots = frozenset(
        s for s in ("place", "quote", "other_place", "other_quote", "note") if f"{{{s}}}" in text
    )
    return Pattern((head,), ("number",), text, slots)


SEAT = Seat(
    replace(
        PERSONA,
        initial=(
            *PERSONA.initial,
            finding(
                "contradiction",
                '{place} you say "{quote}". {other_place} it is "{other_quote}". Which holds?',
            ),
            finding("arithmetic", '{place} you say "{quote}". {note} Which figure is wrong?'),
        ),
    ),
    DOMAIN,
)
OTHER = Seat(replace(SEAT.persona, id="other", name="Ulf Brandt"), DOMAIN)


def scene(*tensions: Tension, exchanges: Sequence[Exchange] = ()) -> Scene:
    return scene_of(DECK, tensions=tensions, exchanges=exchanges)


def ask(where: Scene, seat: Seat = SEAT, taken: frozenset[str] = frozenset()) -> Candidate:
    found = ENGINE.reply(CandidateRequest(seat, where, taken=taken))
    assert found is not None
    return found


def asked(candidate: Candidate) -> Exchange:
    spoken = f"{candidate.lead_in} {candidate.question}".strip()
    return Exchange(
        "x1", candidate.agent, candidate.claim, candidate.slide, candidate.said_at_s, candidate.quote, True,
        "", 0.0, (Turn(spoken, candidate.needs),), "satisfied", angle=candidate.angle,
    )  # fmt: skip


def test_a_contradiction_is_asked_first_and_quotes_both_places() -> None:
    found = ask(scene(GROWTH))
    assert found.question == (
        'On slide 1 you say "Revenue grew 18% in 2026". '
        'On slide 2 it is "Revenue grew 12% in 2026". Which holds?'
    )
    assert (found.claim, found.grounded, found.needs, found.angle) == (
        "d1.1",
        True,
        ("number",),
        "contradiction (deck-vs-deck): Revenue grew by 18% on slide 1 and by 12% on slide 2.",
    )
    assert found.relevance >= 0.95
    assert ask(scene()).claim != "d1.1" or "contradiction" not in ask(scene()).angle


def test_figures_that_do_not_follow_from_each_other_are_asked_with_the_reason() -> None:
    assert ask(scene(SUM)).question == (
        'On slide 3 you say "Cost of EUR 300k per boat". Three times EUR 300k is EUR 0.9M, not EUR 1.2M. '
        "Which figure is wrong?"
    )


def test_it_is_asked_once_and_by_one_panelist() -> None:
    first = ask(scene(GROWTH))
    exchanges = [asked(first)]
    taken = frozenset({str(first.claim)})
    for seat in (SEAT, OTHER):
        later = ask(scene(GROWTH, exchanges=exchanges), seat, taken)
        assert not later.angle.startswith("contradiction")
        assert "Revenue grew 12%" not in later.question or "18%" not in later.question


def test_in_the_focus_briefs_it_stands_first_and_at_one_panelist_only() -> None:
    own = ENGINE.reply(FocusBriefRequest(SEAT, scene(GROWTH), others=(OTHER,)))
    assert (own[0].claim, own[0].angle) == ("d1.1", angle_words(GROWTH))
    assert own[0].good_answer == (
        "which of them holds and why the other one stands there: these words, or "
        '"Revenue grew 12% in 2026" on slide 2; the figure itself, with its unit'
    )
    assert [target.angle for target in own].count(angle_words(GROWTH)) == 1
    taken = frozenset(target.claim for target in own)
    theirs = ENGINE.reply(FocusBriefRequest(OTHER, scene(GROWTH), taken))
    assert all(target.angle != angle_words(GROWTH) for target in theirs)


def test_a_side_on_a_slide_that_was_not_shown_waits() -> None:
    said = [Segment("Good morning to all of you.", 1.0, 3.0)]
    early = scene_of(DECK, said, tensions=(GROWTH,), slide=1, clock_s=5.0)
    late = scene_of(DECK, said, tensions=(GROWTH,), slide=2, clock_s=5.0)
    assert not ask(early).angle.startswith("contradiction")
    assert ask(late).angle == angle_words(GROWTH)


def test_what_was_said_against_a_slide_is_asked_with_its_time() -> None:
    words = "Our revenue grew by twenty-five percent in 2026, I am told."
    said = [Segment(words, 200.0, 206.0)]
    tension = Tension(
        "speech-vs-deck",
        Place(None, 200.0, "Our revenue grew by twenty-five percent in 2026"),
        Place(1, None, "Revenue grew 18% in 2026"),
        "Twenty-five percent were said, and the slide has 18%.",
    )
    found = ask(scene_of(DECK, said, tensions=(tension,), slide=3, clock_s=210.0))
    assert found.angle == angle_words(tension)
    assert '"Revenue grew 18% in 2026"' in found.question
    assert "at 3:20" in found.question.lower()


def panel() -> Sequence[Seat]:
    return [seat for seat in _panel() if seat.persona.id in ("analyst", "contrarian", "skeptic")]


@pytest.mark.parametrize("tension", [GROWTH, SUM])
def test_every_panelist_of_this_project_has_words_for_it(tension: Tension) -> None:
    for seat in panel():
        found = ask(scene(tension), seat)
        assert found.angle == angle_words(tension)
        assert f'"{tension.a.quote}"' in found.question or f'"{tension.b.quote}"' in found.question
        assert found.question.count("?") == 1
        if tension is GROWTH:
            assert f'"{tension.a.quote}"' in found.question
            assert f'"{tension.b.quote}"' in found.question
        else:
            assert tension.note in found.question
