"""Totals that are not the sum of their parts: tables, lists, splits, pies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.checks.list_sums import sentence_sums, slide_sums, table_uses
from orchestrator.checks.model import Figure
from orchestrator.checks.passages import deck_passages, shown, speech_passages
from orchestrator.checks.single_choice import single_choice_sums
from orchestrator.checks.stated_totals import stated_totals
from orchestrator.checks.table_sums import table_sums
from orchestrator.checks.wholes import share_sums
from orchestrator.claims.model import Tension
from orchestrator.deck.model import Deck
from orchestrator.speech.model import Segment


def sum_tensions(
    deck: Deck, figures: Sequence[Figure] = (), speech: Sequence[Segment] = ()
) -> Iterator[Tension]:
    """Every stated total of the deck, and of single sentences of the speech, that its parts contradict.

    Measured numbers may be rounded, each by half a unit of its last digit; counts and the uses
    of an ask must add up exactly. Silent where a part is missing, vague, of another unit, or
    where the words say that the list is not the whole.
    """
    for slide in shown(deck):
        yield from table_sums(slide)
    yield from sentence_sums(deck_passages(deck))
    yield from slide_sums(deck)
    yield from table_uses(deck)
    yield from share_sums(deck)
    yield from single_choice_sums(deck)
    yield from stated_totals(deck)
    yield from sentence_sums(speech_passages(speech))
