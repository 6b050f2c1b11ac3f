"""A trace as one JSON text under a hard bound, whatever the sizes of what is in it.

Where everything fits, everything is in it. Else the last five steps are, behind one stub with the
true number of those before them; then outputs are cut, the longest first, each with the number of
characters left out; and where even that is not enough, errors and summaries keep their last five,
and everything is cut the same way.

Source: the seed of the trace (003), "Truncation Policy"; DESIGN.md, section 9.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

T = TypeVar("T")

MAX_CHARS: Final = 16_000
"""Some 4,000 tokens. Counted in bytes of UTF-8, of which there are never fewer than characters."""
LAST: Final = 5
"""Steps that stay whole in number, and errors and summaries where room is short."""
_FLOOR: Final = 400
"""Outputs are not cut below this as long as anything else could be cut instead."""
_MOST_KEYS: Final = 20
_MOST_KEY_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the loop: what was done, and what came of it."""

    step: int  # from 1
    action: Mapping[str, Any]
    output: Any
    record: int | None = None  # of the ledger
    at_s: float | None = None  # session clock
    took_s: float | None = None  # wall clock
    waited: bool = False  # `took_s` holds waiting for what the presenter says next: it took at most that


class Tail(deque[T]):
    """The last of something, and how many came before them."""

    def __init__(self, items: Iterable[T] = (), earlier: int = 0) -> None:
        super().__init__(items)
        self.earlier = earlier

    def keep(self, last: int) -> None:
        """Let go of all but so many."""
        while len(self) > last:
            self.popleft()
            self.earlier += 1

    def last(self) -> Tail[T]:
        """A short one, for a page that has no room for more."""
        short = Tail(self, self.earlier)
        short.keep(LAST)
        return short


def snapshot(
    steps: Tail[Step], errors: Tail[Mapping[str, Any]], summaries: Tail[str], state: Mapping[str, Any]
) -> str:
    """The JSON text: an object with `steps`, `errors`, `summaries` and `state`, at most `MAX_CHARS`."""
    page = _page(steps, errors, summaries, state)
    if _size(page) > MAX_CHARS:
        page = _page(steps.last(), errors, summaries, state)
    if _size(page) > MAX_CHARS:
        _cut(page, (part for part in page if isinstance(part, _Value) and part.is_output), at_least=_FLOOR)
    if _size(page) > MAX_CHARS:
        short = {str(key)[:_MOST_KEY_CHARS]: state[key] for key in list(state)[:_MOST_KEYS]}
        page = _page(steps.last(), errors.last(), summaries.last(), short)
        _cut(page, (part for part in page if isinstance(part, _Value)), at_least=0)
    return _text(page)


def size_of(step: Step) -> int:
    """Bytes that a step takes in a snapshot, whole."""
    return _size(_step(step))


class _Value:
    """Something in a page, as JSON text; it may be cut."""

    def __init__(self, value: Any, *, is_output: bool = False) -> None:
        self.value, self.json, self.is_output = value, _json(value), is_output

    def cut(self, most: int) -> None:
        """Keep its beginning, as a string of at most *most* bytes that counts what is left out."""
        text = self.value if isinstance(self.value, str) else self.json

        def marked(kept: int) -> str:
            return _json(f"{text[:kept]}… [{len(text) - kept} characters left out]")

        kept = bisect_left(
            range(1, min(len(text), most) + 1), True, key=lambda n: len(marked(n).encode()) > most
        )
        self.json = marked(kept) if len(marked(kept).encode()) <= most else '""'


Page = list[str | _Value]
"""A text in pieces, some of which may be cut."""


def _page(
    steps: Tail[Step], errors: Tail[Mapping[str, Any]], summaries: Tail[str], state: Mapping[str, Any]
) -> Page:
    """The whole, one item a line; a stub says how much is left out before the first of a list."""
    note = {"index": "summary", "note": f"Summarized {steps.earlier} earlier steps", "earlier": steps.earlier}
    error = {"message": f"Left out {errors.earlier} earlier errors", "step": None}
    page: Page = ["{"]
    for name, listed, stub, items in (
        ("steps", steps, note, map(_step, steps)),
        ("errors", errors, error, ([_Value(dict(one))] for one in errors)),
        ("summaries", summaries, f"Left out {summaries.earlier} earlier summaries", map(_alone, summaries)),
    ):
        stubs: list[Page] = [[_json(stub)]] if listed.earlier else []
        page += [f'"{name}": [', *_joined([*stubs, *items], ",\n "), "],\n"]
    parts: list[Page] = [[f"{_json(str(key))}: ", _Value(value)] for key, value in state.items()]
    return [*page, '"state": {', *_joined(parts, ", "), "}}\n"]


def _alone(text: str) -> Page:
    return [_Value(text)]


def _step(step: Step) -> Page:
    known = {"record": step.record, "at_s": step.at_s, "took_s": step.took_s, "waited": step.waited or None}
    head = {"step": step.step, **{name: one for name, one in known.items() if one is not None}}
    action, output = _Value(dict(step.action)), _Value(step.output, is_output=True)
    return [f'{_json(head)[:-1]}, "action": ', action, ', "output": ', output, "}"]


def _joined(items: Iterable[Page], by: str) -> Page:
    return [part for number, item in enumerate(items) for part in ([by, *item] if number else item)]


def _text(page: Page) -> str:
    return "".join(part if isinstance(part, str) else part.json for part in page)


def _size(page: Page) -> int:
    return len(_text(page).encode())


def _cut(page: Page, some: Iterable[_Value], *, at_least: int) -> None:
    """Cut some of its values, the longest first, so that it fits if it can."""
    sizes = [(one, len(one.json.encode())) for one in some]
    left = MAX_CHARS - _size(page) + sum(size for _, size in sizes)
    most = 0
    for done, size in enumerate(sorted(size for _, size in sizes)):
        most = left // (len(sizes) - done)  # each of those that are left may take
        if size > most:
            break
        left -= size
    for one, size in sizes:
        if size > max(most, at_least):
            one.cut(max(most, at_least))


def _json(value: Any) -> str:
    """JSON that a file can hold: half a character becomes a question mark, what is no number its name."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(str(value), ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()
