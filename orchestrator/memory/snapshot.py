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
from collections.abc import Mapping, Sequence
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
    page = _Page(material)
    if page.size > MAX_CHARS:
        page = _Page(_with_last_steps(material))
    if page.size > MAX_CHARS:
        page.cut([output for _, _, output in page.steps], at_least=_FLOOR)
    if page.size > MAX_CHARS:
        page = _Page(_with_last_of_all(material))
        page.cut(page.values(), at_least=0)
    return page.text()


def size_of(step: Step) -> int:
    """Bytes that a step takes in a snapshot, whole."""
    return _size(_json(dict(step.action))) + _size(_json(step.output)) + _size(_head(step))


def _with_last_steps(material: Material) -> Material:
    steps = material.steps[-LAST:]
    return replace(
        material, steps=steps, earlier_steps=material.earlier_steps + len(material.steps) - len(steps)
    )


def _with_last_of_all(material: Material) -> Material:
    errors, summaries = material.errors[-LAST:], material.summaries[-LAST:]
    return replace(
        _with_last_steps(material),
        errors=errors,
        earlier_errors=material.earlier_errors + len(material.errors) - len(errors),
        summaries=summaries,
        earlier_summaries=material.earlier_summaries + len(material.summaries) - len(summaries),
        state={str(key)[:_MOST_KEY_CHARS]: material.state[key] for key in list(material.state)[:_MOST_KEYS]},
    )


class _Value:
    """Something in a page, as JSON text; it may be cut."""

    def __init__(self, value: Any) -> None:
        self.value, self.json = value, _json(value)

    def cut(self, most: int) -> None:
        """Keep its beginning, as a string of at most *most* bytes that counts what is left out."""
        text = self.value if isinstance(self.value, str) else self.json

        def marked(kept: int) -> str:
            return _json(f"{text[:kept]}… [{len(text) - kept} characters left out]")

        too_many = bisect_left(
            range(1, min(len(text), most) + 1), True, key=lambda n: _size(marked(n)) > most
        )
        self.json = marked(too_many) if _size(marked(too_many)) <= most else '""'


class _Page:
    """The parts of one snapshot."""

    def __init__(self, material: Material) -> None:
        self.steps = [(_head(one), _Value(dict(one.action)), _Value(one.output)) for one in material.steps]
        self.errors = [_Value(dict(error)) for error in material.errors]
        self.summaries = [_Value(summary) for summary in material.summaries]
        self.state = [(_json(str(key)), _Value(value)) for key, value in material.state.items()]
        self.stubs = {name: [stub] if stub else [] for name, stub in _stubs(material).items()}

    @property
    def size(self) -> int:
        return _size(self.text())

    def values(self) -> list[_Value]:
        """All that may be cut."""
        of_steps = [one for _, action, output in self.steps for one in (action, output)]
        return [*of_steps, *self.errors, *self.summaries, *(value for _, value in self.state)]

    def cut(self, values: Sequence[_Value], *, at_least: int) -> None:
        """Cut some of its values, the longest first, so that it fits if it can."""
        sizes = [_size(one.json) for one in values]
        most = max(_cap(sizes, MAX_CHARS - (self.size - sum(sizes))), at_least)
        for one, size in zip(values, sizes, strict=True):
            if size > most:
                one.cut(most)

    def text(self) -> str:
        """The whole, one item a line."""
        steps = [f'{{{head}, "action": {act.json}, "output": {out.json}}}' for head, act, out in self.steps]
        lists = {
            "steps": steps,
            "errors": [one.json for one in self.errors],
            "summaries": [one.json for one in self.summaries],
        }
        parts = [f'"{name}": [' + ",\n ".join(self.stubs[name] + lists[name]) + "]" for name in lists]
        state = ", ".join(f"{key}: {value.json}" for key, value in self.state)
        return "{" + ",\n".join([*parts, f'"state": {{{state}}}']) + "}\n"


def _stubs(material: Material) -> dict[str, str | None]:
    """What stands in the place of what is left out: how much it was."""
    steps, errors, summaries = (
        material.earlier_steps,
        material.earlier_errors,
        material.earlier_summaries,
    )
    note = {"index": "summary", "note": f"Summarized {steps} earlier steps", "earlier": steps}
    return {
        "steps": _json(note) if steps else None,
        "errors": _json({"message": f"Left out {errors} earlier errors", "step": None}) if errors else None,
        "summaries": _json(f"Left out {summaries} earlier summaries") if summaries else None,
    }


def _head(step: Step) -> str:
    """The parts of a step that are of a known, small size."""
    known = {"record": step.record, "at_s": step.at_s, "took_s": step.took_s, "waited": step.waited or None}
    plain = {"step": step.step, **{name: one for name, one in known.items() if one is not None}}
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


def _cap(sizes: Sequence[int], room: int) -> int:
    """The largest size to which all must be cut so that together they take no more than *room*."""
    left = room
    for done, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - done)
        if size > share:
            return max(share, 0)
        left -= size
    return max(sizes, default=0)
