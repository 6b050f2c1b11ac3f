"""The words of a piece of Markdown, without the marks that only set them.

Every step looks at each character a bounded number of times, whatever the text is.
"""

from __future__ import annotations

import html
import re

from orchestrator.material.deck.breaks import BREAK
from orchestrator.material.deck.formulas import power, subscript
from orchestrator.material.deck.raised import lowered, raised
from orchestrator.material.deck.shown import shown

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
# An address may hold one pair of brackets, as in "/wiki/Board_(governance)", and none within it.
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)?\)")
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^\[\]]*\])")
_ADDRESS = re.compile(r"<((?:https?://|mailto:)[^<>\s]+)>")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)[^<>]*>")
_PAIR = re.compile(r"<(sup|sub|del|s|strike)>([^<>]*)</\1>")
_SET_OFF = ("sup", "sub", "del", "s", "strike", "br")  # tags that change what the words between them say
# As in "[^1]"; in Pandoc's "10^6^", "CO~2~" and "^[a note in its place]".
_FOOTNOTE = re.compile(r"\[\^([^\[\]\s]{1,40})\]")
_RAISED = re.compile(r"\^([^\s^\[\]]{1,20})\^(?!\w)")
_LOWERED = re.compile(r"(?<=[^\W\d])~(\d{1,10})~")
_NOTE_IN_PLACE = re.compile(r"\^\[([^\[\]]*)\]")
_MATHS = re.compile(r"(?<!\\)\$(?=\S)([^$]{1,200})(?<=\S)\$(?!\d)")
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_SCRIPT = re.compile(r"([_^])(?:\{([^{}]*)\}|([^\s\\{}]))")
_CODE = re.compile(r"`+([^`]+)`+")
_DELIMITER = re.compile(r"(\*+|_+|~+)")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_KEPT = 0xE000
"""Escaped characters and code wait in the private use area, where no rule touches them."""
STRUCK = "\uf8ff"
"""Stands in what `typed` returns for words that are struck out; `shown` takes it for white space."""


def words(markdown: str) -> str:
    """*markdown*, one paragraph of it, as it is shown: on one line, without marks."""
    return shown(typed(markdown))


def typed(markdown: str) -> str:
    """As `words`, but with breaks, and a sign (`STRUCK`) for what is struck out and thus not said."""
    text = _MATHS.sub(_maths, _PRIVATE.sub(" ", markdown))
    text = _ESCAPED.sub(lambda match: chr(_KEPT + ord(match[1])), text)
    text = _CODE.sub(lambda match: _kept(match[1]), text)
    text = _IMAGE.sub("", text)
    text = _FOOTNOTE.sub(lambda match: raised(match[1]) if match[1].isdecimal() else "", text)
    text = _NOTE_IN_PLACE.sub(r" (\1)", text)
    text = _LINK.sub(r"\1", text)
    text = _ADDRESS.sub(r"\1", text)
    text = _TAG.sub(_bare_tag, text)
    text = _PAIR.sub(lambda match: _set_off(match[1], match[2]), text).replace("<br>", BREAK)
    text = _TAG.sub(" ", text)
    text = _RAISED.sub(lambda match: raised(match[1]), text)
    text = _LOWERED.sub(lambda match: lowered(match[1]), text)
    text = html.unescape(_without_emphasis(text))
    return "".join(_released(character) for character in text)


def _maths(match: re.Match[str]) -> str:
    """A formula of TeX between dollars with its fractions and powers; other commands stay as typed."""
    if not re.search(r"[\\^_{]", match[1]):
        return match[0]
    text = _FRACTION.sub(r"(\1)/(\2)", match[1])
    return _SCRIPT.sub(lambda mark: (power if mark[1] == "^" else subscript)(mark[2] or mark[3] or ""), text)


def _bare_tag(tag: re.Match[str]) -> str:
    """A tag that changes what is said, without its attributes; white space for any other."""
    name = tag[2].lower()
    return f"<{tag[1]}{name}>" if name in _SET_OFF else " "


def _set_off(tag: str, text: str) -> str:
    return raised(text) if tag == "sup" else lowered(text) if tag == "sub" else STRUCK


def alt_texts(markdown: str) -> list[str]:
    """The alternative texts of the images in *markdown*."""
    return [shown(match[1]) for match in _IMAGE.finditer(markdown)]


def _kept(code: str) -> str:
    return "".join(chr(_KEPT + ord(c)) if "!" <= c <= "~" and not c.isalnum() else c for c in code)


def _released(character: str) -> str:
    code = ord(character) - _KEPT
    return chr(code) if 0 < code < 0x80 else character


def _without_emphasis(text: str) -> str:
    """*text* without pairs of `*`, `**`, `_`, `__` around words, nor words between `~`s; single ones stay."""
    read = tuple(_DELIMITER.split(text))
    pieces = list(read)
    openers: dict[str, int] = {}
    for index in range(1, len(pieces), 2):
        mark = pieces[index]
        before, behind = (
            "".join(read[max(index - 2, 0) : index])[-1:],
            "".join(read[index + 1 : index + 3])[:1],
        )
        between_words = before.isalnum() and behind.isalnum()
        if between_words and (mark[0] == "_" or (before.isdigit() and behind.isdigit())):
            continue  # snake_case and 2*3*4
        # "~5 to ~6" and "(~5–~6)" are estimates.
        opens, closes = (True, True) if mark != "~" else (not before.isalnum(), not behind.isalnum())
        if mark in openers and before and not before.isspace() and closes:
            first = openers.pop(mark)
            pieces[first] = pieces[index] = ""
            if mark[0] == "~":
                pieces[first + 1 : index] = [STRUCK, *[""] * (index - first - 2)]
        elif behind and not behind.isspace() and opens:
            openers[mark] = index
    return "".join(pieces)
