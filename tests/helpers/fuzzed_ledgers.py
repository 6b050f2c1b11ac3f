"""Ledgers after changes of any kind: to their bytes, or to their records, with every hash right again."""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any, Final

from orchestrator.core.store.ledger import FIRST_HASH

NASTY: Final[tuple[Any, ...]] = (
    None, True, 0, -1, 10**30, 1e308, 0.5, "", "\n", "\0", "⟦", "\u2028", "\ud800", "../x", "append",
    "freeze", "open", "templates/skeptic/persona.md",
    "shared/deck-content.md", "0" * 64, "x" * 3000, [], ["skeptic"],
    [[[]]], {}, {"type": {}},
)  # fmt: skip
"""What no record has where it comes to stand, or what another record has there."""
_DEEP: Final = b"[" * 20_000 + b"]" * 20_000


def fuzzed(whole: bytes, chance: random.Random) -> bytes:
    """A ledger's bytes after one to four changes of any kind."""
    content = bytearray(whole)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(content) + 1)
        size = chance.choice((1, 1, 2, 75, 200, 512, 2000))
        what = chance.randrange(7)
        if what == 0:
            content[at : at + size] = b""
        elif what == 1:
            content[at : at + size] = bytes(min(size, len(content) - at))
        elif what == 2:
            content[at:at] = chance.randbytes(size)
        elif what == 3:
            content[at : at + size] = chance.randbytes(min(size, len(content) - at))
        elif what == 4:
            content[at:at] = content[chance.randrange(len(content) + 1) :][:size]
        elif what == 5:
            content[at:at] = chance.choice((b"\n", b'"}\n', b',"hash":"', b"{", b"\0", b"\xff"))
        else:
            del content[at:]
    return bytes(content)


def rewritten(whole: bytes, chance: random.Random) -> bytes:
    """A ledger after one to three changes to its records, by a program that knows the format."""
    bodies = [line.rpartition(b',"hash":"')[0] for line in whole.splitlines()]
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(bodies))
        what = chance.randrange(8)
        if what == 0:
            del bodies[at]
        elif what == 1:
            bodies.insert(at, chance.choice(bodies))
        elif what == 2:
            other = chance.randrange(len(bodies))
            bodies[at], bodies[other] = bodies[other], bodies[at]
        elif what == 3:
            bodies[at] = chance.choice((b"{}", b"", b"\xff", b"[]", b'{"seq":1', b'{"seq":%d' % (at + 1)))
        elif what == 4:
            bodies[at] += b',"value":' + _DEEP
        else:
            bodies[at] = _with_another_value(bodies[at], chance)
        if not bodies:
            break
    if chance.randrange(2):  # as if the numbers were right all the same
        bodies = [_numbered(body, number) for number, body in enumerate(bodies, start=1)]
    lines, head = [], FIRST_HASH
    for body in bodies:
        head = hashlib.sha256(head.encode() + body).hexdigest()
        lines.append(b'%b,"hash":"%b"}\n' % (body, head.encode()))
    return b"".join(lines)


def _with_another_value(body: bytes, chance: random.Random) -> bytes:
    """One value anywhere in the record becomes another, or goes."""
    try:
        plain = json.loads(body + b"}")
    except (ValueError, RecursionError):  # changed before
        return body
    where = plain
    while isinstance(where, dict) and where:
        key = chance.choice(list(where))
        if isinstance(where[key], dict) and where[key] and chance.randrange(3):
            where = where[key]
        elif chance.randrange(6):
            where[key] = chance.choice(NASTY)
            break
        else:
            del where[key]
            break
    return json.dumps(plain, separators=(",", ":")).encode()[:-1]


def _numbered(body: bytes, number: int) -> bytes:
    head, comma, rest = body.partition(b",")
    return b'{"seq":%d%b%b' % (number, comma, rest) if head.startswith(b'{"seq":') else body
