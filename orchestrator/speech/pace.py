"""How long words take to say, where no clock told it."""

from __future__ import annotations

import re

from orchestrator.speech.model import WORDS_PER_MINUTE

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
"""Character ranges (for a regular expression's class) of scripts that are not split at spaces."""

_CJK = re.compile(f"[{CJK}]")
CJK_CHARACTERS_PER_WORD = 2.0
"""300 characters a minute is the pace that Japanese broadcasters aim at: two for each word of 150."""


def spoken_s(text: str) -> float:
    """The seconds that *text* takes at 150 words a minute; at least one word's worth."""
    spaced, characters = _CJK.subn(" ", text)
    words = len(spaced.split()) + characters / CJK_CHARACTERS_PER_WORD
    return round(max(words, 1.0) * 60 / WORDS_PER_MINUTE, 3)
