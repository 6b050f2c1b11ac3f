"""The types of ledger records that memory tells of: `record_types.yaml`, one row each.

The Scribe reads a row's entry, the summariser its passage, and the trace the rest of it.

Of what the presenter said the trace has the length alone: it is for those who look after the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from string import Formatter
from typing import Any, Final

from orchestrator.layout import TRANSCRIPT
from orchestrator.legible import one_line
from orchestrator.model.exchange import NO_JUDGEMENT
from orchestrator.packaged import packaged_yaml
from orchestrator.render import counted, place
from orchestrator.store.ledger import Record

PLAIN_SPEECH: Final = "plain speech"

SPEECH: Final = frozenset({PLAIN_SPEECH, "segment", "answer"})
"""What was said aloud; its words are the entry's content."""
MOVES_ON: Final = frozenset({"slide", "exchange_opened", "exchange_closed"})
"""No sentence goes on behind these."""

Plain = Mapping[str, Any]
What = str | int | Sequence[Any] | Mapping[str, Any] | None
"""A text as the table explains it, several in a list or by name, or a value that is itself."""
Reader = Callable[[Record], Any]
ODD: Final = (LookupError, TypeError, ValueError, AttributeError)
"""What reading raises of a record that another program wrote, or a later release."""
MISSING: Final = object()
"""Where a path ends with "?" and nothing stands: among several by name it is left out, else None."""


@dataclass(frozen=True, slots=True)
class Row:
    """How memory tells a record of one type: texts of the table, or what they read of one record."""

    entry: Plain | None = None  # of the Scribe
    passage: Plain | None = None  # that facts may be taken from
    step: str | None = None  # of the trace, as all below
    line: str = ""
    time: str = ""  # none, told or waits
    action: Plain = field(default_factory=dict)
    output: Any = None
    state: Any = None
    errors: Any = None  # one, or several
    summary: Any = None


@cache
def _rows() -> Mapping[str, Row]:
    return {name: Row(**row) for name, row in packaged_yaml("memory/record_types.yaml").items()}


@cache
def _lines() -> Mapping[str, str]:
    return {row.step: row.line for row in _rows().values() if row.step is not None and row.line}


def row_of(name: str) -> Row:
    """The row of a type; a type without one is a step by its own name, and nothing else."""
    return _rows().get(name) or Row(step=name)


def type_of(record: Record) -> str:
    """A record's type, as the table names it; "" where it is nothing that anybody would tell."""
    if record.op in ("freeze", "receipt"):
        return record.op
    if record.value is None:
        return PLAIN_SPEECH if is_said(record) else ""
    value: Plain = record.value if isinstance(record.value, Mapping) else {}
    name = str(value.get("type"))
    if name == "fact-run" and value.get("state") == "failed":
        return "fact-run failed"
    return "tool-use refused" if name == "tool-use" and value.get("error") else name


def is_said(record: Record) -> bool:
    """Whether a record added to the transcript: what looks like speech elsewhere is none."""
    return record.op == "append" and record.file == TRANSCRIPT


# ---------------------------------------------------------------------- reading a record


def read(what: What, record: Record) -> Any:
    """What a row reads of *record*.

    Raises:
        ODD: It is in another shape than its type's.
    """
    if isinstance(what, str):
        found = _reader(what)(record)
        return None if found is MISSING else found
    if isinstance(what, Mapping):
        several = (
            (name, _reader(one)(record) if isinstance(one, str) else read(one, record))
            for name, one in what.items()
        )
        return {name: found for name, found in several if found is not MISSING}
    if isinstance(what, tuple):
        return [read(one, record) for one in what]
    return what


@cache
def _reader(what: str) -> Reader:
    """A text of the table, ready: records come by the thousand."""
    if what.startswith("="):
        return lambda record: what[1:]
    if "{" in what:
        return lambda record: _filled(what, lambda path: read(path, record))
    if what.endswith("()"):
        return _FUNCTIONS[what[:-2]]
    if " or " in what:
        paths = what.split(" or ")
        return lambda record: next((found for path in paths if (found := read(path, record))), "")
    path, _, use = what.partition("|")
    if not use:
        return _at(path)
    return lambda record: _USES[use](read(path, record))


def _at(path: str) -> Reader:
    """What stands at a path."""
    if path.startswith("."):
        return _OWN[path]
    *above, last = path.rstrip("?#0").split(".")
    steps = tuple(int(name) if name.lstrip("-").isdigit() else name for name in above)

    def found_in(record: Record) -> Any:
        found: Any = {} if record.value is None else record.value
        for name in steps:
            found = found[name]
        if path.endswith("?"):
            return found.get(last, MISSING)
        if path.endswith("?0"):
            return found.get(last) or 0
        return len(found.get(last) or ()) if path.endswith("#") else found[last]

    return found_in


_OWN: Final[Mapping[str, Reader]] = {
    ".by": lambda record: record.by,
    ".text": lambda record: record.text or "",
    ".clock_s": lambda record: record.clock_s,
}
_USES: Final[Mapping[str, Callable[[Any], Any]]] = {
    "words": lambda text: len(text.split()),
    "line": one_line,
    "list": lambda found: list(found or ()),
    "bool": bool,
    "place": lambda found: place(found.get("slide"), found.get("said_at_s")),
}


def _failed_agents(record: Record, how: str = "{agent}: {why}") -> list[str]:
    """Of a refresh: each agent that made no question, and why."""
    failed = read("failed?", record) or {}
    return [how.format(agent=agent, why=why) for agent, why in failed.items()]


def _refreshed(record: Record) -> Plain:
    """The questions themselves stand in the candidates' own records."""
    value = record.value or {}
    hands = {"hands": list(value["hands"])} if value.get("hands") else {}
    failed = {"failed": sorted(value["failed"])} if value.get("failed") else {}
    return {"questions": dict.fromkeys(value.get("made", ())), **hands, **failed}


def _questions(record: Record) -> str:
    """Of an exchange, one a line, without what the moderator said before them."""
    turns = read("exchange.turns?", record) or ()
    return "\n".join(one_line(turn["question"].removeprefix(turn.get("lead_in") or "")) for turn in turns)


def _not_judged(record: Record) -> str | None:
    reason = read("judgement.reason", record)
    return f"{record.by}: {reason}" if reason.startswith(NO_JUDGEMENT) else None


def _state_and_goal(record: Record) -> Plain:
    state = read("state", record)
    return {"state": state, **({"current_goal": "close the session"} if state == "closing" else {})}


_FUNCTIONS: Final[Mapping[str, Reader]] = {
    "failed_agents": lambda record: "; ".join(_failed_agents(record)) or None,
    "no_candidates": lambda record: _failed_agents(record, "{agent}: no candidate question: {why}"),
    "refreshed": _refreshed,
    "questions": _questions,
    "not_judged": _not_judged,
    "state_and_goal": _state_and_goal,
    # Of a tool that proposed something no entry: the proposal makes one of its own.
    "used_for": lambda record: None if read("proposed?", record) else read("for its {task}", record),
    "targets": lambda record: [one["claim"] or f"slide {one['slide']}" for one in read("targets", record)],
}


# ---------------------------------------------------------------------- telling a step


def described(action: Plain, output: Any) -> str:
    """A step in words; one in a shape that this release does not know by its name alone."""
    name = str(action.get("action"))
    line = _lines().get(name, name.replace("_", " "))
    known = {**action, **output, "output": output} if isinstance(output, Mapping) else action
    try:
        return _LINES[line[:-2]](known) if line.endswith("()") else _filled(line, known.__getitem__)
    except KeyError:
        return name.replace("_", " ")


def _counted(number: Any, several: str) -> str:
    """ "1 memory", "3 memories"; the table names things by the noun of several."""
    one = f"{several[:-3]}y" if several.endswith("ies") else several.removesuffix("s")
    return counted(number, one, several)


@cache
def _pieces(text: str) -> Sequence[tuple[str, str | None, str]]:
    """The words before each name in braces, the name and how it is shown."""
    return tuple((before, name, how or "") for before, name, how, _ in Formatter().parse(text))


def _filled(text: str, found: Callable[[str], Any]) -> str:
    return "".join(
        before if name is None else before + _shown(found(name), how) for before, name, how in _pieces(text)
    )


def _shown(value: Any, how: str) -> str:
    if isinstance(value, Mapping):
        counts = (_counted(number, name) for name, number in value.items() if number or how != "+")
        return ", ".join(counts) or "nothing"
    if isinstance(value, list | tuple):
        return (how or ", ").join(map(str, value)) or "nothing"
    if how == "_":
        return str(value).replace("_", " ")
    if "|" in how:
        return how.split("|")[0 if value else 1]
    return _counted(value, how) if how else "" if value is None else str(value)


def _refresh_line(said: Plain) -> str:
    made = ", ".join(said["questions"]) or "nobody"
    failed = f"; failed: {', '.join(said['failed'])}" if said.get("failed") else ""
    hands = f"; hands up: {', '.join(said['hands'])}" if said.get("hands") else ""
    return f"looks at the candidate questions ({said['why']}); new: {made}{hands}{failed}"


def _kept_line(said: Plain) -> str:
    counts = {name: many for name, many in said["output"].items() if many and name != "left_out"}
    left = f"; {said['left_out']} left out, to stay in the session" if said["left_out"] else ""
    return f"keeps for later rehearsals: {_shown(counts, '')}{left}"


def _tool_line(said: Plain) -> str:
    came = said.get("error") or _counted(said["characters"], "characters")
    return _filled("{by} uses {tool} for its {task:_}: ", said.__getitem__) + str(came)


_LINES: Final[Mapping[str, Callable[[Plain], str]]] = {
    "refresh_line": _refresh_line,
    "kept_line": _kept_line,
    "tool_line": _tool_line,
}
