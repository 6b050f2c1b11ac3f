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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

T = TypeVar("T")

MAX_CHARS: Final = 16_000
"""Some 4,000 tokens. Counted in bytes of UTF-8, of which there are never fewer than characters."""
LAST: Final = 5
"""Steps that stay whole in number, and errors and summaries where room is short."""
_FLOOR: Final = 400
"""Outputs are not cut below this as long as anything else could be cut instead: five of them still leave
most of the room to errors and summaries."""
_MOST_KEYS: Final = 20
_MOST_KEY_CHARS: Final = 60
"""Of the state, where nothing else helps: 1,200 bytes of names leave room for what they hold."""
_LINE: Final = ",\n "


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
    words: str = ""  # as people are told it; a snapshot has none


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


Page = dict[str, Any]
Place = tuple[Any, Any]
"""A list or an object of a page, and where in it a value stands that may be cut."""


def snapshot(
    steps: Tail[Step], errors: Tail[Mapping[str, Any]], summaries: Tail[str], state: Mapping[str, Any]
) -> str:
    """The JSON text: an object with `steps`, `errors`, `summaries` and `state`, at most `MAX_CHARS`."""
    page = _page(steps, errors, summaries, state)
    if len((text := _text(page)).encode()) <= MAX_CHARS:  # the usual case; it is made after each step
        return text
    page = _page(steps.last(), errors, summaries, state)
    if _size(page) > MAX_CHARS:
        _cut(page, [(step, "output") for step in page["steps"] if "output" in step], at_least=_FLOOR)
    if _size(page) > MAX_CHARS:
        short = {str(key)[:_MOST_KEY_CHARS]: state[key] for key in list(state)[:_MOST_KEYS]}
        page = _page(steps.last(), errors.last(), summaries.last(), short)
        places: list[Place] = [
            (step, name) for step in page["steps"] if "output" in step for name in ("action", "output")
        ]
        for name, tail in (("errors", errors.last()), ("summaries", summaries.last())):
            places += [(page[name], at) for at in range(bool(tail.earlier), len(page[name]))]
        _cut(page, places + [(page["state"], key) for key in page["state"]], at_least=0)
    return _text(page)


def size_of(step: Step) -> int:
    """Bytes that a step takes in a snapshot, whole."""
    return len(_json(_step(step)).encode())


def _page(
    steps: Tail[Step], errors: Tail[Mapping[str, Any]], summaries: Tail[str], state: Mapping[str, Any]
) -> Page:
    """The whole; a stub says how much is left out before the first of a list."""
    note = {"index": "summary", "note": f"Summarized {steps.earlier} earlier steps", "earlier": steps.earlier}
    error = {"message": f"Left out {errors.earlier} earlier errors", "step": None}
    summary = f"Left out {summaries.earlier} earlier summaries"
    return {
        "steps": [*([note] if steps.earlier else []), *map(_step, steps)],
        "errors": [*([error] if errors.earlier else []), *(_plain(dict(one)) for one in errors)],
        "summaries": [*([summary] if summaries.earlier else []), *summaries],
        "state": {str(key): _plain(value) for key, value in state.items()},
    }


def _step(step: Step) -> Page:
    known = {"record": step.record, "at_s": step.at_s, "took_s": step.took_s, "waited": step.waited or None}
    head = {"step": step.step, **{name: one for name, one in known.items() if one is not None}}
    return {**head, "action": _plain(dict(step.action)), "output": _plain(step.output)}


def _plain(value: Any) -> Any:
    """A value as JSON has it; one that holds a number that is none, which JSON has not, as text."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return str(value)
    return value


def _text(page: Page) -> str:
    """One item of a list on a line, for people who look into the file."""
    lists = (f'"{name}": [{_LINE.join(map(_json, page[name]))}]' for name in ("steps", "errors", "summaries"))
    return "{" + ",\n".join((*lists, f'"state": {_json(page["state"])}')) + "}\n"


def _size(page: Page) -> int:
    return len(_text(page).encode())


def _cut(page: Page, places: Sequence[Place], *, at_least: int) -> None:
    """Cut the values at some of its places, the longest first, so that it fits if it can."""
    sizes = [len(_json(where[key]).encode()) for where, key in places]
    left = MAX_CHARS - _size(page) + sum(sizes)
    most = 0
    for done, size in enumerate(sorted(sizes)):
        most = left // (len(sizes) - done)  # each of those that are left may take
        if size > most:
            break
        left -= size
    most = max(most, at_least)
    for (where, key), size in zip(places, sizes, strict=True):
        if size > most:
            where[key] = _beginning(where[key], most)


def _beginning(value: Any, most: int) -> str:
    """Of a value, as much as takes at most *most* bytes of JSON, with the number of characters left out."""
    text = value if isinstance(value, str) else _json(value)

    def marked(kept: int) -> str:
        return f"{text[:kept]}… [{len(text) - kept} characters left out]"

    lengths = range(1, min(len(text), most) + 1)
    kept = bisect_left(lengths, True, key=lambda n: len(_json(marked(n)).encode()) > most)
    return marked(kept) if len(_json(marked(kept)).encode()) <= most else ""


def _json(value: Any) -> str:
    """JSON that a file can hold: half a character becomes a question mark."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
