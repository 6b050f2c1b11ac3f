"""A chart's data against what its slide's words, or the speech at that slide, say about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.checks.chart_claims import contradiction
from orchestrator.checks.chart_match import series_meant
from orchestrator.checks.model import Figure
from orchestrator.checks.passages import Passage, hypothetical, shown, slide_passages, speech_passages
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Chart, Deck, Slide
from orchestrator.speech.model import Segment


def chart_tensions(
    deck: Deck, figures: Sequence[Figure] = (), speech: Sequence[Segment] = ()
) -> Iterator[Tension]:
    """Every sentence on a chart's slide, or said while it is up, that the chart's data contradict.

    Only where it is plain which series is meant. A growth is right if any pair of points that
    a reader may mean gives it: the whole chart, a step, the same month a year before, a yearly mean.
    """
    said = speech_passages(speech)
    for slide in shown(deck):
        passages = [*slide_passages(slide), *(p for p in said if p.slide == slide.number)]
        for passage in passages:
            if not hypothetical(passage.text) and (found := _against_charts(slide, passage)):
                chart, note = found
                yield Tension("chart-vs-text", passage.place, Place(slide.number, None, _name(chart)), note)


def _against_charts(slide: Slide, passage: Passage) -> tuple[Chart, str] | None:
    """The one chart that the sentence is about, and why the two cannot both be right."""
    meant = [
        (chart, line)
        for chart in slide.charts
        if _name(chart)
        for line in series_meant(slide, chart, passage)
    ]
    notes = [(chart, contradiction(line, passage.text)) for chart, line in meant]
    wrong = [(chart, note) for chart, note in notes if note]
    return wrong[0] if wrong and len(wrong) == len(meant) else None


def _name(chart: Chart) -> str:
    """Words of the chart that can be quoted."""
    names = (chart.title, *(series.name for series in chart.series), *chart.categories)
    return next((name for name in names if name.strip()), "")
