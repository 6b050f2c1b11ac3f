"""What a board would look for in a deck and not find; only what the deck's text shows for certain."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.claims.model import Gap
from orchestrator.currencies import CODE_BESIDE_FIGURE
from orchestrator.deck.model import Deck, Slide
from orchestrator.deck.texts import slide_texts

_UNFILLED = re.compile(
    r"\blorem ipsum\b|\bclick to (?:add|edit)\b|\binsert (?:your |text|title|logo|image|date)[^.]{0,30}"
    r"|\b(?:remove|delete) (?:this )?slide\b|\byour (?:company|text|logo|name|title) here\b"
    r"|\bto be (?:determined|confirmed|announced|filled in)\b|\bplaceholder text\b|\bx{2,}\s?%"
    r"|(?-i:\b(?:TBD|TBC|TBA|TODO|FIXME|XXX+|(?:PROJECT|COMPANY|PRODUCT|CLIENT|CUSTOMER|YOUR) NAME)\b)",
    re.IGNORECASE,
)
"""Words of templates, as the makers of slide programs and of templates print them."""

_YEAR = re.compile(r"\b(?:19|20)\d\d\b|\b(?:Q[1-4]|H[12]|FY)\s?'?’?\d\d\b|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d年")
_MONEY = re.compile(
    r"[$€£¥₹₩₴]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|dollars?|euros?|pounds?|yen)\b|\d\s?(?:円|万円|億円)",
    re.IGNORECASE,
)
_SHARE = re.compile(r"\d\s?[%％]")
_SOURCE = re.compile(
    r"\bsources?\s?[:=]|\bsource of\b|\baccording to\b|\bdata from\b|\bsurvey\b|\bhttps?://|\bwww\.|\bQuellen?\b|出典|出所",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:approv\w*|decid\w*|decisions?|ask(?:s|ing)?|requests?|requesting|requested|votes?|voting|endors\w*"
    r"|propos\w*|recommend\w*|authori[sz]\w*|seek(?:s|ing)?|sign[- ]off|next steps?)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(r"\b(?:the|of|and|to|for|with|is|are)\b", re.IGNORECASE)
_ENOUGH_ENGLISH = 0.08
"""Share of words that must be among the commonest ones for a deck to count as English."""
_FEWEST_SLIDES = 4
"""Shorter decks are hand-outs or excerpts: that something is missing from them says nothing."""
_FEWEST_FIGURES = 3
_LONGEST_HEADING = 80  # characters; a longer title is a statement


def find_gaps(deck: Deck) -> tuple[Gap, ...]:
    """The gaps of each slide in order, then those of the whole deck (`Gap.slide` is None)."""
    gaps = [Gap(slide.number, note) for slide in deck.slides for note in _of_slide(deck, slide)]
    return (*gaps, *(Gap(None, note) for note in _of_deck(deck)))


def _of_slide(deck: Deck, slide: Slide) -> Iterator[str]:
    if slide.hidden:
        yield "This slide is hidden: the audience does not see it."
    if not slide.title and not _body(slide):
        yield "This slide shows no text: what it says is in its pictures or in the presenter's words."
    elif _is_bare(slide) and _beside_a_bare_one(deck, slide):
        yield "This slide holds only a title, and so does the one beside it."
    unfilled = [match[0].strip() for _, text in slide_texts(slide) for match in _UNFILLED.finditer(text)]
    for words in dict.fromkeys(unfilled):
        yield f'"{words}" stands here: still to be filled in.'
    for chart in slide.charts:
        if not chart.title and not slide.title:
            yield "A chart here has no title, and neither has the slide: what its numbers are is not said."
        if any(not series.name for series in chart.series) and len(chart.series) > 1:
            yield "A chart here has series without a name: which line or bar is which is not said."
        if not chart.categories:
            yield "A chart here has no categories: what its values stand for, or when, is not said."


def _body(slide: Slide) -> bool:
    return bool(slide.lines or slide.tables or slide.charts)


def _is_bare(slide: Slide) -> bool:
    """Whether it holds nothing but a heading; the deck's own title slide is meant to be so."""
    return slide.number > 1 and 0 < len(slide.title) <= _LONGEST_HEADING and not _body(slide)


def _beside_a_bare_one(deck: Deck, slide: Slide) -> bool:
    """One bare slide opens a section; two in a row say nothing."""
    return any(_is_bare(other) for other in deck.slides if abs(other.number - slide.number) == 1)


def _of_deck(deck: Deck) -> Iterator[str]:
    shown = [slide for slide in deck.slides if not slide.hidden]
    texts = [text for slide in shown for origin, text in slide_texts(slide) if origin not in ("notes", "alt")]
    if len(shown) < _FEWEST_SLIDES or not texts:
        return
    if not any(map(_YEAR.search, texts)):
        yield "No slide names a year, quarter or date."
    if not any(_MONEY.search(text) or CODE_BESIDE_FIGURE.search(text) for text in texts):
        yield "No slide names an amount of money: neither cost nor return is given in figures."
    if _is_english(texts) and not any(map(_REQUEST.search, texts)):
        yield "No slide asks for anything: no decision, approval, recommendation or next step is named."
    figures = sum(len(pattern.findall(text)) for text in texts for pattern in (_SHARE, _MONEY))
    figures += sum(len(CODE_BESIDE_FIGURE.findall(text)) for text in texts if not _MONEY.search(text))
    figures += sum(len(series.values) for slide in shown for chart in slide.charts for series in chart.series)
    if figures >= _FEWEST_FIGURES and not any(map(_SOURCE.search, texts)):
        yield f"The deck shows {figures} shares, amounts or chart values and names no source."


def _is_english(texts: list[str]) -> bool:
    words = sum(len(text.split()) for text in texts)
    return sum(len(_ENGLISH.findall(text)) for text in texts) >= _ENOUGH_ENGLISH * words
