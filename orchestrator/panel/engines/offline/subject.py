"""How a question names the matter of a deck: the deck's own name for it, or the noun of its kind."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from orchestrator.material.model.slide import Deck
from orchestrator.panel.bank.bank import bank
from orchestrator.panel.bank.kinds import Kind
from orchestrator.panel.bank.words import holds, plain

FEWEST_MENTIONS: Final = 3
"""Of a word of the title, before it counts as a name: twice a common word comes back by chance."""

FEWEST_LETTERS: Final = 4
"""A shorter word in capitals is an abbreviation like many others."""

_WORD = re.compile(r"[^\W_]+")
_SPELT_AS_A_NAME = re.compile(r"[^\W\d_]\w*[A-Z]\w*")  # a capital that begins no word: PlantPal, ODFE
_END_OF_NAME = re.compile(r"[:;,|(–—]| - ")


def subject_of(deck: Deck, kind: Kind) -> str:
    """The name in the deck's title, where decks of this kind bear the name of their matter."""
    own = next((one for one in bank().kinds if one.id == kind.id), None)
    if own is None:
        return bank().noun
    return (own.is_named and (_spelt_out(deck) or _first_word(deck.title))) or own.noun


def _spelt_out(deck: Deck) -> str | None:
    """The title's first word that the lines spell as a name, as they spell it most often."""
    lines = (line for slide in deck.slides for line in slide.lines)
    found: Counter[str] = Counter(word for line in lines for word in _WORD.findall(line))
    for word in _WORD.findall(deck.title.replace("_", " ")):
        forms = [form for form, _ in found.most_common() if form.casefold() == word.casefold()]
        is_often = sum(found[form] for form in forms) >= FEWEST_MENTIONS
        if is_often and len(word) >= FEWEST_LETTERS and _SPELT_AS_A_NAME.fullmatch(forms[0]):
            return forms[0]
    return None


def _first_word(title: str) -> str | None:
    """The one word that the title consists of, or begins with before a colon; none that the bank knows."""
    name = _END_OF_NAME.split(title)[0].strip()
    signs = (one for kind in bank().kinds for one in (*kind.cover, *kind.titles, *kind.texts))
    is_known = any(holds(plain(name), sign) for sign in signs)
    return name if _WORD.fullmatch(name) and name[0].isupper() and not is_known else None
