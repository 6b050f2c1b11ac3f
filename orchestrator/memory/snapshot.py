"""A trace as one JSON text under a hard bound, whatever the sizes of what is in it.

Where everything fits, everything is in it. Else the last five steps are, behind one stub with the
true number of those before them; then outputs are cut, the longest first, each with the number of
characters left out; and where even that is not enough, errors and summaries keep their last five,
and everything is cut the same way.

Source: the seed of the trace (003), "Truncation Policy"; DESIGN.md, section 9.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

MAX_CHARS: Final = 16_000
"""Some 4,000 tokens. Counted in bytes of UTF-8, of which there are never fewer than characters."""
LAST: Final = 5
"""Steps that stay whole in number, and errors and summaries where room is short."""
_FLOOR: Final = 400
"""Outputs are not cut below this as long as anything else could be cut instead."""
_MOST_KEYS: Final = 20
_MOST_KEY_CHARS: Final = 60
_NOTHING: Final = '""'


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
    page = _Page(material)
    text = page.text()
    if _size(text) <= MAX_CHARS:
        return text
    page.keep_last_steps()
    if _size(text := page.text()) <= MAX_CHARS:
        return text
    if _size(text := page.cut(page.outputs, at_least=_FLOOR)) <= MAX_CHARS:
        return text
    page.keep_last_of_all()
    return page.cut(page.units, at_least=0)


def size_of(step: Step) -> int:
    """Bytes that a step takes in a snapshot, whole."""
    return _size(_json(dict(step.action))) + _size(_json(step.output)) + _size(_head(step))


class _Page:
    """The parts of one snapshot, each value as JSON text; a unit is what may be cut."""

    def __init__(self, material: Material) -> None:
        steps = material.steps
        self.values: dict[tuple[str, int], Any] = {}
        self.heads = [_head(step) for step in steps]
        for number, step in enumerate(steps):
            self.values["action", number] = dict(step.action)
            self.values["output", number] = step.output
        for number, error in enumerate(material.errors):
            self.values["error", number] = dict(error)
        for number, summary in enumerate(material.summaries):
            self.values["summary", number] = summary
        for number, value in enumerate(material.state.values()):
            self.values["state", number] = value
        self.json = {unit: _json(value) for unit, value in self.values.items()}
        self.keys = [_json(str(key)) for key in material.state]
        self.left_out = {
            "steps": material.earlier_steps,
            "errors": material.earlier_errors,
            "summaries": material.earlier_summaries,
        }

    @property
    def outputs(self) -> list[tuple[str, int]]:
        return [unit for unit in self.json if unit[0] == "output"]

    @property
    def units(self) -> list[tuple[str, int]]:
        return list(self.json)

    def keep_last_steps(self) -> None:
        dropped = self._drop("output", LAST)
        self._drop("action", LAST)
        self.heads = self.heads[dropped:]
        self.left_out["steps"] += dropped

    def keep_last_of_all(self) -> None:
        self.left_out["errors"] += self._drop("error", LAST)
        self.left_out["summaries"] += self._drop("summary", LAST)
        for number in range(_MOST_KEYS, len(self.keys)):
            del self.json["state", number]
        self.keys = [_json(json.loads(key)[:_MOST_KEY_CHARS]) for key in self.keys[:_MOST_KEYS]]

    def _drop(self, kind: str, keep: int) -> int:
        """Keep the last of a kind; returns how many went."""
        own = sorted(number for name, number in self.json if name == kind)
        gone = own[: max(0, len(own) - keep)]
        for number in gone:
            del self.json[kind, number]
        return len(gone)

    def cut(self, units: Sequence[tuple[str, int]], *, at_least: int) -> str:
        """The text with *units* cut, the longest first, so that it fits if it can."""
        sizes = [_size(self.json[unit]) for unit in units]
        room = MAX_CHARS - (_size(self.text()) - sum(sizes))
        most = max(_cap(sizes, room), at_least)
        whole = dict(self.json)
        for unit, size in zip(units, sizes, strict=True):
            if size > most:
                self.json[unit] = _cut(self.values[unit], self.json[unit], most)
        text = self.text()
        if _size(text) > MAX_CHARS:
            self.json = whole  # cut again, with everything else
        return text

    def text(self) -> str:
        """The whole, one item a line."""
        steps = [self._stub("steps")] if self.left_out["steps"] else []
        numbers = sorted(number for name, number in self.json if name == "output")
        for head, number in zip(self.heads, numbers, strict=True):
            action, output = self.json["action", number], self.json["output", number]
            steps.append(f'{{{head}, "action": {action}, "output": {output}}}')
        states = [f"{key}: {self.json['state', number]}" for number, key in enumerate(self.keys)]
        parts = [
            f'"steps": {_list(steps)}',
            f'"errors": {_list(self._items("error", "errors"))}',
            f'"summaries": {_list(self._items("summary", "summaries"))}',
            f'"state": {{{", ".join(states)}}}',
        ]
        return "{" + ",\n".join(parts) + "}\n"

    def _items(self, kind: str, name: str) -> list[str]:
        stub = [self._stub(name)] if self.left_out[name] else []
        return stub + [self.json[unit] for unit in sorted(self.json) if unit[0] == kind]

    def _stub(self, name: str) -> str:
        count = self.left_out[name]
        if name == "steps":
            return _json({"index": "summary", "note": f"Summarized {count} earlier steps", "earlier": count})
        left = f"Left out {count} earlier {name}"
        return _json(left if name == "summaries" else {"message": left, "step": None})


def _head(step: Step) -> str:
    """The parts of a step that are of a known, small size."""
    plain: dict[str, Any] = {"step": step.step}
    for name in ("record", "at_s", "took_s"):
        if getattr(step, name) is not None:
            plain[name] = getattr(step, name)
    if step.waited:
        plain["waited"] = True
    return _json(plain)[1:-1]


def _json(value: Any) -> str:
    """JSON that a file can hold: half a character becomes a question mark, what is no number its name."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(str(value), ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()


def _size(text: str) -> int:
    return len(text.encode())


def _list(items: Sequence[str]) -> str:
    return "[" + ",\n ".join(items) + "]"


def _cap(sizes: Sequence[int], room: int) -> int:
    """The largest size to which all must be cut so that together they take no more than *room*."""
    left = room
    for done, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - done)
        if size > share:
            return max(share, 0)
        left -= size
    return max(sizes, default=0)


def _cut(value: Any, whole: str, most: int) -> str:
    """The beginning of a value as a JSON string of at most *most* bytes, with what is left out counted."""
    text = value if isinstance(value, str) else whole
    low, high = 0, min(len(text), most)
    while low < high:
        middle = (low + high + 1) // 2
        if _size(_marked(text, middle)) <= most:
            low = middle
        else:
            high = middle - 1
    marked = _marked(text, low)
    return marked if _size(marked) <= most else _NOTHING


def _marked(text: str, kept: int) -> str:
    return _json(f"{text[:kept]}… [{len(text) - kept} characters left out]")
