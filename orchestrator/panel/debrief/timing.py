"""Where the time went: how long each slide was presented, beside its share of the budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.material.deck.texts import slide_texts
from orchestrator.material.model.slide import Deck, Slide
from orchestrator.material.speech.pace import words_in
from orchestrator.panel.debrief.parts import SlideSpan
from orchestrator.panel.records.projection import SlideTime


def spans(
    shown: Sequence[SlideTime],
    deck: Deck,
    end_s: float,
    budget_s: float,
    questions: Sequence[tuple[float, float]] = (),
) -> tuple[SlideSpan, ...]:
    """The time of every slide that was shown, and its share of *budget_s*.

    Args:
        questions: From when to when each was open, on the session clock: no time of presenting.
    """
    titles = {slide.number: slide.title for slide in deck.slides}
    share_of = shares(deck, budget_s)
    seconds: dict[int, float] = {}
    asked_s: dict[int, float] = {}
    guessed: dict[int, bool] = {}
    ends = [one.at_s for one in shown[1:]] + [end_s]
    for one, until_s in zip(shown, ends, strict=False):
        under_s = sum(max(0.0, min(to_s, until_s) - max(from_s, one.at_s)) for from_s, to_s in questions)
        seconds[one.slide] = seconds.get(one.slide, 0.0) + until_s - one.at_s - under_s
        asked_s[one.slide] = asked_s.get(one.slide, 0.0) + under_s
        guessed[one.slide] = guessed.get(one.slide, False) or one.estimated
    return tuple(
        SlideSpan(
            slide,
            titles.get(slide, ""),
            round(spent_s, 3),
            guessed[slide],
            round(share_of.get(slide, 0.0), 3),
            round(asked_s[slide], 3),
        )
        for slide, spent_s in sorted(seconds.items())
    )


def shares(deck: Deck, budget_s: float) -> Mapping[int, float]:
    """Each slide's share: half of the time in equal parts, half by its words; nothing for hidden ones."""
    open_ = [slide for slide in deck.slides if not slide.hidden]
    words = {slide.number: _words(slide) for slide in open_}
    total = sum(words.values()) or 1.0  # a deck of pictures has no words
    return {
        number: budget_s * (0.5 / len(open_) + 0.5 * count / total)
        if any(words.values())
        else budget_s / len(open_)
        for number, count in words.items()
    }


def _words(slide: Slide) -> float:
    """The words that the audience reads: no notes, no alternative texts."""
    return sum(words_in(text) for origin, text in slide_texts(slide) if origin not in ("notes", "alt"))
