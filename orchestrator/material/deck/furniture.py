"""Lines of a deck that nobody asserts: what repeats, contact lines, icons, figures without a name.

Told by structure alone (repetition, addresses, digits), so in any language. "Same", at a constant: the range
in which the 132 pages and slides of sixteen real decks and PDFs are marked alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from orchestrator.material.model.slide import Deck, Slide

_FEWEST_SLIDES = 4
_REPEATED_ON = 1 / 3
"""A line is furniture if it stands on more than this share of at least so many slides.

Same from 0.22 to 0.5; at a sixth, titles that a few slides share are gone; at two thirds, a running head
that the cover has not stays. Of fewer than four slides a third is a single one, and everything would repeat.
"""
_FEWEST_REPEATS = 3
"""Twice is emphasis. Same up to 5."""

_CONTACT = re.compile(  # tried at the beginning of words and bounded, so that no line takes long
    r"(?<!\S)\W{0,2}(?:(?:https?://|www\.)\S+|(?:[a-z0-9-]{1,60}\.){1,6}[a-z]{2,20}/\S*)"  # of pages
    r"|(?<!\S)[^\s@]{1,80}@[\w-]{1,60}\.\S+"  # of mailboxes
    r"|\+\d[\d\s().,#*/-]{6,60}[\d#]|\(\d{3}\) ?\d{3}-\d{4}|\b\d{3}-\d{3}-\d{4}\b"  # telephone numbers
    r"|\b\d{3} \d{4} \d{4}\b|\b\d{3} \d{3} \d{4}\b",  # meetings, as the makers of meeting programs set them
    re.IGNORECASE,
)
_CODE = re.compile(r"\w+(?: \w+){0,2}: ?\S*\d{4}\S*")  # "Passcode: 765432", beside contact lines only
_COPYRIGHT = re.compile(r"(?:copyright\s*)?(?:©|\(c\)\s)|copyright\s.{0,20}\b(?:19|20)\d\d\b", re.IGNORECASE)
_POSTAL = re.compile(
    r"\d{1,5} [^,]+,(?: [^,]+,)* [A-Z]{2} \d{5}\b.*"  # 1 Letterman Drive, San Francisco, CA 94129
    r"|[^\d,]{3,40} \d{1,4}[a-z]?, (?:[A-Z]{1,2}-)?(?!19|20)\d{4,5} [A-Z][^\d,.]{1,30}(?:, [A-Z]\w+)?"
)  # the second: Hauptplatz 1, 8010 Graz
_FEW_WORDS = 4
"""A line with an address and no more words than this only tells where something is found; same up to 5."""
_MOSTLY_ADDRESS = 0.4
"""Share of a longer line's characters that its address takes, if it does no more than that.

Same from 0.38 to 0.42, and no value parts them cleanly: at 0.36 "For all questions … please contact
https://…" is furniture too, at 0.44 "The specification can be found at https://…" is none any more.
"""
# "Web: example.org" has a name before its colon, so what follows is not lone.
_NAMED = re.compile(r"\W*[^\W\d_]+\s*[:：]\s*\S")
_MOST_LETTERS_OF_A_FIGURE = 3
"""As in "USD", "Mio" or "bn". With five, "April 3, 2024" is a lone figure; with six, "Python 3.12"."""

_MOST_WORDS_OF_A_LABEL = 4
_LONGEST_LABEL = 30  # letters
"""With three words ("Tracking and lens data") or 29 letters (a box in Japanese), boxes of real diagrams are
no labels; with five words, "* = OpenSSF Member Company" is one."""
_ENDS = tuple(".,;:!?。、：！？…")
FEWEST_LABELS = 3
"""So many short texts that stand alone on a slide are the labels of a diagram; fewer may say something.

With two, two people's offices on a slide are a diagram; with four, a diagram of three boxes is quoted.
"""


def marked(deck: Deck) -> Deck:
    """*deck* with the lines and titles marked that nobody asserts, beside those marked already."""
    titles = _repeated((slide.number, [slide.title]) for slide in deck.slides)
    lines = _repeated((slide.number, slide.lines) for slide in deck.slides)
    return replace(deck, slides=tuple(_marked(slide, titles, lines) for slide in deck.slides))


def is_lone_figure(text: str) -> bool:
    """Whether *text* is a number with at most its unit: "4.2 M", "12", "< 5 %"; "IRR: 18%" has a name."""
    if _NAMED.match(text):
        return False
    letters = sum(character.isalpha() for character in text)
    return letters <= _MOST_LETTERS_OF_A_FIGURE and any(character.isdigit() for character in text)


def is_fragment(text: str) -> bool:
    """Whether *text* may be a name in a diagram: a few words, no figure, no end of a sentence."""
    letters = sum(2 if character >= "\u2e80" else 1 for character in text)  # an ideograph is as wide as two
    few = len(text.split()) <= _MOST_WORDS_OF_A_LABEL and letters <= _LONGEST_LABEL
    return few and text[-1:] not in _ENDS and not any(map(str.isdigit, text))


def _repeated(texts: Iterable[tuple[int, Iterable[str]]]) -> frozenset[str]:
    slides = [{_key(text, number) for text in on_it if text} for number, on_it in texts]
    counts = Counter(key for keys in slides for key in keys)
    enough = max(_FEWEST_REPEATS, int(len(slides) * _REPEATED_ON) + 1)
    if len(slides) < _FEWEST_SLIDES:
        return frozenset()
    return frozenset(key for key, count in counts.items() if count >= enough)


def _key(text: str, number: int) -> str:
    """Equal for lines that differ only in capitals and in the number of their slide."""
    return re.sub(rf"\b0?{number}\b", "#", text.casefold(), count=1)


def _marked(slide: Slide, titles: frozenset[str], lines: frozenset[str]) -> Slide:
    furniture = {*slide.furniture, *_contact_block(slide)}
    for index, line in enumerate(slide.lines):
        if _key(line, slide.number) in lines or not any(map(str.isalnum, line)):
            furniture.add(index)
    labels = {*slide.labels, *_nameless(slide)} - furniture
    return replace(
        slide,
        furniture=tuple(sorted(furniture)),
        labels=tuple(sorted(labels)),
        title_is_furniture=slide.title_is_furniture
        or (bool(slide.title) and (_key(slide.title, slide.number) in titles or _is_contact(slide.title))),
    )


def _nameless(slide: Slide) -> Iterator[int]:
    """Figures that stand by themselves: nothing says of what they are."""
    for index, line in enumerate(slide.lines):
        has_parent = bool(slide.parents) and slide.parents[index] is not None
        if is_lone_figure(line) and not has_parent and len(slide.lines) > 1:
            yield index


def _contact_block(slide: Slide) -> set[int]:
    """Contact lines, and the short lines between them or that hold a code beside them."""
    found = {index for index, line in enumerate(slide.lines) if _is_contact(line)}
    for index, line in enumerate(slide.lines):
        beside = (index - 1 in found) + (index + 1 in found)
        between = beside == 2 and len(line.split()) <= _FEW_WORDS
        if between or (beside and _CODE.fullmatch(line)):
            found.add(index)
    return found


def _is_contact(text: str) -> bool:
    if _COPYRIGHT.match(text) or _POSTAL.fullmatch(text):
        return True
    rest = _CONTACT.sub(" ", text)
    if rest == text or any(map(str.isdigit, rest)):
        return False
    words = [word for word in rest.split() if any(map(str.isalpha, word))]
    return len(words) <= _FEW_WORDS or len(text) - len(rest) >= _MOSTLY_ADDRESS * len(text)
