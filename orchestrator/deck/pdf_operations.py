"""The operators of a PDF content stream that have to do with text, with their operands.

Charts and drawings are mostly lines and curves: those are passed over at the speed of one
regular expression, so that a slide with a map on it is read as fast as one without. Broken
parts are passed over too. Source: ISO 32000-1, 7.2 (tokens), 7.3 (objects), 8.9.7 (inline images).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Operand = Any  # float, bytes (a string), str (a name with its "/"), list, dict

_TOKEN = re.compile(  # nothing is looked at twice: numbers before no operator would cost their square
    rb"(?:[\0\t\n\f\r ]+|%[^\r\n]*)*"
    rb"(?:(?P<drawing>(?:[-+.\d]{1,20}+[\0\t\n\f\r ]{1,4}+){0,6}"
    rb"(?:[mlcvyhnWfFSsBb]\*?|re|sh|gs|[wJjMdi]|[gGkK]|rg|RG)"
    rb"(?=[\0\t\n\f\r /(<\[]|\Z))"
    rb"|(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?=[\0\t\n\f\r \[\]()<>/%]|\Z))"
    rb"|(?P<string>\()"
    rb"|(?P<dictionary><<)|(?P<dictionary_end>>>)"
    rb"|(?P<hex><[0-9A-Fa-f\0\t\n\f\r ]*>)"
    rb"|/(?P<name>[^\0\t\n\f\r ()<>\[\]{}/%]*)"
    rb"|(?P<array>\[)|(?P<array_end>\])"
    rb"|(?P<word>[A-Za-z'\"][A-Za-z0-9*'\"]*)"
    rb"|(?P<broken>[^\0\t\n\f\r ]))"
)
_IN_STRING = re.compile(rb"[()]|\\(?:[0-7]{1,3}|\r\n|.)", re.DOTALL)
_IMAGE_END = re.compile(rb"[\0\t\n\f\r ]EI(?=[\0\t\n\f\r ]|\Z)")
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r": b""}
_LITERALS = {b"true": True, b"false": False, b"null": None}
_MOST_OPERANDS = 64
"""More before one operator are left from broken parts; no operator takes so many."""
_DEEPEST = 16


def operations(content: bytes) -> Iterator[tuple[bytes, list[Operand]]]:
    """Each operator of *content*, but those that draw lines or set colours, with its operands."""
    opened: list[tuple[str, list[Operand]]] = [("", [])]  # the operands, then arrays and dictionaries
    position = 0
    while (token := _TOKEN.match(content, position)) is not None:
        position, kind = token.end(), token.lastgroup or ""
        inside, items = len(opened) > 1, opened[-1][1]
        if kind in ("array", "dictionary"):
            opened += [(kind, [])] if len(opened) <= _DEEPEST else []
        elif kind in ("array_end", "dictionary_end"):
            if inside:
                opened[-2][1].append(_closed(*opened.pop()))
        elif kind == "drawing":
            items[:] = items if inside else []
        elif kind == "word" and not inside and token["word"] not in _LITERALS:
            if token["word"] == b"BI":
                end = _IMAGE_END.search(content, position)
                position = end.end() if end else len(content)
            else:
                yield token["word"], items
            opened = [("", [])]
        elif kind == "string":
            text, position = _string(content, position)
            items.append(text)
        elif kind != "broken":
            items.append(_operand(kind, token))
        if not inside:
            del items[:-_MOST_OPERANDS]


def _closed(kind: str, items: list[Operand]) -> Operand:
    if kind == "array":
        return items
    pairs = zip(items[::2], items[1::2], strict=False)
    return {key: value for key, value in pairs if isinstance(key, str)}


def _operand(kind: str, token: re.Match[bytes]) -> Operand:
    if kind == "number":
        return float(token["number"])
    if kind == "hex":
        digits = re.sub(rb"[^0-9A-Fa-f]", b"", token["hex"])
        return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
    return "/" + _name(token["name"]) if kind == "name" else _LITERALS.get(token["word"])


def _string(content: bytes, position: int) -> tuple[bytes, int]:
    parts: list[bytes] = []
    depth = 1
    for found in _IN_STRING.finditer(content, position):
        parts.append(content[position : found.start()])
        position = found.end()
        mark = found[0]
        if mark == b")":
            depth -= 1
            if not depth:
                return b"".join(parts), position
        depth += mark == b"("
        parts.append(_unescaped(mark[1:]) if mark[:1] == b"\\" else mark)
    return b"".join(parts), len(content)


def _unescaped(escape: bytes) -> bytes:
    if escape.isdigit():
        return bytes([int(escape, 8) & 0xFF])
    return _ESCAPES.get(escape, b"" if escape == b"\r\n" else escape)


def _name(raw: bytes) -> str:
    plain = re.sub(rb"#([0-9A-Fa-f]{2})", lambda match: bytes.fromhex(match[1].decode()), raw)
    try:
        return plain.decode()
    except UnicodeDecodeError:
        return plain.decode("latin-1")
