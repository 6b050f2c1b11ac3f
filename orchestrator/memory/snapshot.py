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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

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


@dataclass(frozen=True, slots=True)
class Material:
    """What a snapshot shows; of what is no longer held, only how much there was."""

    steps: Sequence[Step] = ()
    earlier_steps: int = 0
    errors: Sequence[Mapping[str, Any]] = ()
    earlier_errors: int = 0
    summaries: Sequence[str] = ()
    earlier_summaries: int = 0
    state: Mapping[str, Any] = field(default_factory=dict)


def snapshot(material: Material) -> str:
    """The JSON text: an object with `steps`, `errors`, `summaries` and `state`, at most `MAX_CHARS`."""
    page = _page(material)
    if _size(page) > MAX_CHARS:
        page = _page(_with_last_steps(material))
    if _size(page) > MAX_CHARS:
        _cut(page, (part for part in page if isinstance(part, _Value) and part.is_output), at_least=_FLOOR)
    if _size(page) > MAX_CHARS:
        page = _page(_with_last_of_all(material))
        _cut(page, (part for part in page if isinstance(part, _Value)), at_least=0)
    return _text(page)


def size_of(step: Step) -> int:
    """Bytes that a step takes in a snapshot, whole."""
    return _size(_step(step))


def _last(listed: Sequence[Any], earlier: int) -> tuple[Sequence[Any], int]:
    return listed[-LAST:], earlier + max(0, len(listed) - LAST)


def _with_last_steps(material: Material) -> Material:
    steps, earlier = _last(material.steps, material.earlier_steps)
    return replace(material, steps=steps, earlier_steps=earlier)


def _with_last_of_all(material: Material) -> Material:
    errors, earlier_errors = _last(material.errors, material.earlier_errors)
    summaries, earlier_summaries = _last(material.summaries, material.earlier_summaries)
    return replace(
        _with_last_steps(material),
        errors=errors,
        earlier_errors=earlier_errors,
        summaries=summaries,
        earlier_summaries=earlier_summaries,
        state={str(key)[:_MOST_KEY_CHARS]: material.state[key] for key in list(material.state)[:_MOST_KEYS]},
    )


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


def _page(material: Material) -> Page:
    """The whole, one item a line; a stub says how much is left out before the first of a list."""
    steps, errors, summaries = material.earlier_steps, material.earlier_errors, material.earlier_summaries
    stub = {"index": "summary", "note": f"Summarized {steps} earlier steps", "earlier": steps}
    error = {"message": f"Left out {errors} earlier errors", "step": None}
    lists: dict[str, list[Page]] = {
        "steps": [*([[_json(stub)]] if steps else []), *map(_step, material.steps)],
        "errors": [*([[_json(error)]] if errors else []), *([_Value(dict(one))] for one in material.errors)],
        "summaries": [
            *([[_json(f"Left out {summaries} earlier summaries")]] if summaries else []),
            *([_Value(one)] for one in material.summaries),
        ],
    }
    page: Page = ["{"]
    for name, items in lists.items():
        page += [f'"{name}": [', *_joined(items, ",\n "), "],\n"]
    state = [[f"{_json(str(key))}: ", _Value(value)] for key, value in material.state.items()]
    return [*page, '"state": {', *_joined(state, ", "), "}}\n"]


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
