"""Promises that a later slide or a later session leaves out or replaces."""

from __future__ import annotations

from orchestrator.checks.promises import left_out, promise_tensions, replaced_promises
from orchestrator.claims.extract import deck_claims
from orchestrator.claims.model import Claim
from orchestrator.deck.model import Deck, Slide

PROMISES = (
    "We will open the depot at Saltmere by March 2027",
    "We will certify the warehouse by June 2027",
    "We will replace the trailers by September 2027",
)
NEXT = ("Depot at Saltmere opens: March 2027", "Warehouse certified: June 2027")


def deck(*slides: tuple[str, tuple[str, ...]]) -> Deck:
    pages = tuple(Slide(number, title, lines) for number, (title, lines) in enumerate(slides, 1))
    return Deck("md", "d.md", "0" * 64, "A deck", pages)


def claims(*lines: str) -> tuple[Claim, ...]:
    return deck_claims(deck(("The plan", lines)))


def test_a_list_of_promises_that_comes_back_with_one_missing() -> None:
    found = list(promise_tensions(deck(("What we promise", PROMISES), ("Next steps", NEXT))))
    assert [(t.kind, t.a.quote, t.b.slide) for t in found] == [("dropped-promise", PROMISES[2], 2)]


def test_silence_unless_the_evidence_is_strong() -> None:
    other = (*NEXT, "Hiring of drivers")
    trailers = ("Trailers", ("The trailers are ordered",))
    for slides in (
        (("What we promise", PROMISES), ("Next steps", (*NEXT, "Trailers replaced: September 2027"))),
        (("What we promise", PROMISES), ("Next steps", NEXT[:1])),  # no repetition of the list
        (("What we promise", PROMISES), ("Next steps", other)),  # a list of its own
        (("What we promise", PROMISES), ("Our market", NEXT)),  # no summary
        (("What we promise", PROMISES), trailers, ("Next steps", NEXT)),  # taken up elsewhere
        (("Ideas", ("Open a depot", "Certify the warehouse", "Replace trailers")), ("Next steps", NEXT)),
    ):
        assert list(promise_tensions(deck(*slides))) == []


def test_a_promise_of_an_earlier_session_with_another_date() -> None:
    earlier, later = claims(PROMISES[0]), claims("We will open the depot at Saltmere by November 2027")
    found = list(replaced_promises(earlier, later))
    assert [(t.a.quote, t.b.quote) for t in found] == [(earlier[0].text, later[0].text)]
    assert list(replaced_promises(earlier, earlier)) == []


def test_a_promise_of_which_the_later_session_says_nothing() -> None:
    assert [c.text for c in left_out(claims(*PROMISES), claims(*PROMISES[:2]))] == [PROMISES[2]]
    assert left_out(claims(*PROMISES), claims(*PROMISES)) == ()
