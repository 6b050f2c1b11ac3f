"""The words that a text is about, for comparing speech with slides."""

from __future__ import annotations

import re
import unicodedata

from orchestrator.material.speech.pace import CJK
from orchestrator.material.speech.word_lists import word_list

# Runs of a script without spaces, or words of letters and digits with an apostrophe inside.
_TERM = re.compile(f"[{CJK}]+|[^\\W_{CJK}]+(?:['’][^\\W_{CJK}]+)*")
_IS_CJK = re.compile(f"[{CJK}]")


def terms(text: str) -> list[str]:
    """The content words of *text*, folded; two characters at a time where no spaces divide words.

    English function words are left out and a plural is taken as its singular; words of other
    languages stay as they are.
    """
    found: list[str] = []
    stop_words = word_list("stop words")
    for match in _TERM.finditer(unicodedata.normalize("NFKC", text)):
        word = match[0]
        if _IS_CJK.match(word):
            found += [word[i : i + 2] for i in range(len(word) - 1)] or [word]
            continue
        word = word.casefold().replace("’", "'")
        if word not in stop_words:
            found.append(_singular(word.removesuffix("'s")))
    return found


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
