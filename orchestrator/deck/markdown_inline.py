"""The words of a piece of Markdown, without the marks that only set them.

Every step looks at each character a bounded number of times, whatever the text is.
"""

from __future__ import annotations

import html
import re

from orchestrator.deck.shown import shown

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
# An address may hold one pair of brackets, as in "/wiki/Board_(governance)", and none within it.
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)?\)")
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^\[\]]*\])")
_ADDRESS = re.compile(r"<((?:https?://|mailto:)[^<>\s]+)>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_CODE = re.compile(r"`+([^`]+)`+")
_DELIMITER = re.compile(r"(\*+|_+|~~+)")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_KEPT = 0xE000
"""Escaped characters and code wait in the private use area, where no rule touches them."""


def words(markdown: str) -> str:
    """*markdown*, one paragraph of it, as it is shown: on one line, without marks."""
    text = _PRIVATE.sub(" ", markdown)
    text = _ESCAPED.sub(lambda match: chr(_KEPT + ord(match[1])), text)
    text = _CODE.sub(lambda match: _kept(match[1]), text)
    text = _IMAGE.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _ADDRESS.sub(r"\1", text)
    text = _TAG.sub(" ", text)
    text = html.unescape(_without_emphasis(text))
    return shown("".join(_released(character) for character in text))


def alt_texts(markdown: str) -> list[str]:
    """The alternative texts of the images in *markdown*."""
    return [shown(match[1]) for match in _IMAGE.finditer(markdown)]


def _kept(code: str) -> str:
    return "".join(chr(_KEPT + ord(c)) if "!" <= c <= "~" and not c.isalnum() else c for c in code)


def _released(character: str) -> str:
    code = ord(character) - _KEPT
    return chr(code) if 0 < code < 0x80 else character


def _without_emphasis(text: str) -> str:
    """*text* without pairs of `*`, `**`, `_`, `__` and `~~` around words; single ones stay."""
    pieces = _DELIMITER.split(text)
    openers: dict[str, int] = {}
    for index in range(1, len(pieces), 2):
        mark, before, behind = pieces[index], pieces[index - 1][-1:], pieces[index + 1][:1]
        between_words = before.isalnum() and behind.isalnum()
        if between_words and (mark[0] == "_" or (before.isdigit() and behind.isdigit())):
            continue  # snake_case and 2*3*4
        if mark in openers and before and not before.isspace():
            pieces[openers.pop(mark)] = pieces[index] = ""
        elif behind and not behind.isspace():
            openers[mark] = index
    return "".join(pieces)
