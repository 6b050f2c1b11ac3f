"""A session's steps as lines for people: what was done, why, and how long it took."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from orchestrator.memory.snapshot import Step
from orchestrator.render import clock, one_line

MAX_LINE_CHARS: Final = 400
"""Of one line's words, far above any reason that the moderator gives; the JSON has all of them."""


def trace_lines(steps: Iterable[Step]) -> Iterator[str]:
    """One line a step: number, session clock, time taken ("<" where it includes waiting), words."""
    for step in steps:
        words = one_line(described(step))
        if len(words) > MAX_LINE_CHARS:
            words = words[: MAX_LINE_CHARS - 1] + "…"
        yield f"{step.step:>5}  {clock(step.at_s or 0.0):>7}  {_took(step):>9}  {words}"


def _took(step: Step) -> str:
    if step.took_s is None:
        return ""
    return f"{'<' if step.waited else ''}{step.took_s:.3f} s"


def described(step: Step) -> str:
    """A step in words; one in a shape that this release does not know by its name alone."""
    name = str(step.action.get("action"))
    say = _WORDS.get(name)
    output = step.output if isinstance(step.output, dict) else {}
    try:
        return say(step.action, output) if say is not None else name.replace("_", " ")
    except KeyError:
        return name.replace("_", " ")


Action = Mapping[str, Any]


def _call_on(action: Action, output: Action) -> str:
    return (
        f"calls on {action['agent']} ({action['exchange']}) because: {action['why']}; "
        f"asked about {output.get('about')}"
    )


def _refresh(action: Action, output: Action) -> str:
    made = ", ".join(output.get("questions", {})) or "nobody"
    failed = f"; failed: {', '.join(output['failed'])}" if output.get("failed") else ""
    hands = f"; hands up: {', '.join(output['hands'])}" if output.get("hands") else ""
    return f"looks at the candidate questions ({action['why']}); new: {made}{hands}{failed}"


def _judge(action: Action, output: Action) -> str:
    return f"{action['by']} judges {action['exchange']}: {output.get('verdict')}: {output.get('reason')}"


def _hear(action: Action, output: Action) -> str:
    more = [_count(output[name], name) for name in ("claims", "tensions") if output.get(name)]
    return ", ".join([f"hears {_count(output.get('words'), 'words')}", *more])


def _kept(action: Action, output: Action) -> str:
    counts = {name: count for name, count in output.items() if count and name != "left_out"}
    left = f"; {output['left_out']} left out, to stay in the session" if output.get("left_out") else ""
    return f"keeps for later rehearsals: {_counts(counts) or 'nothing'}{left}"


def _facts(action: Action, output: Action) -> str:
    return (
        f"keeps {_count(output.get('facts'), 'facts')} of run {action['run']} "
        f"({output.get('skipped')} known already, {output.get('refused')} refused)"
    )


_WORDS: Final[Mapping[str, Callable[[Action, Action], str]]] = {
    "start": lambda action, output: f"starts with {', '.join(action.get('panel', ()))}",
    "read_deck": lambda action, output: f"reads the deck: {_counts(output)}",
    "focus_brief": lambda action, output: (
        f"{action['by']} aims at {', '.join(output.get('targets', ())) or 'nothing'}"
    ),
    "load": lambda action, output: f"takes a recording in: {_counts(output)}",
    "hear": _hear,
    "slide": lambda action, output: f"slide {action['slide']}",
    "refresh": _refresh,
    "call_on": _call_on,
    "answer": lambda action, output: (
        f"{action['exchange']} is answered in {_count(output.get('words'), 'words')}"
    ),
    "silence": lambda action, output: f"{action['exchange']} is not answered",
    "judge": _judge,
    "follow_up": lambda action, output: f"asks again in {action['exchange']}",
    "close": lambda action, output: f"{action['exchange']} ends: {output.get('outcome')}",
    "observe": lambda action, output: f"{action['by']} notes how the presenter answers",
    "say": lambda action, output: f"says ({action['occasion']})",
    "pass": lambda action, output: f"calls on nobody: {action['why']}",
    "remind": lambda action, output: f"reminds: {str(action['about']).replace('_', ' ')}",
    "drive": lambda action, output: f"{action['what']} {action['state']}",
    "clock": lambda action, output: "the clock runs" if action["live"] else "the clock stands",
    "played_out": lambda action, output: "the recording is over",
    "summarise": lambda action, output: (
        f"summarises records {output.get('from')} to {output.get('to')} ({action.get('why')})"
    ),
    "keep_facts": _facts,
    "call": lambda action, output: f"{action.get('agent')} called the model for {action.get('kind')}",
    "use_tool": lambda action, output: (
        f"{action['by']} uses {action['tool']} for its {str(action['task']).replace('_', ' ')}: "
        f"{output.get('error') or _count(output.get('characters'), 'characters')}"
    ),
    "finding": lambda action, output: (
        f"{action['by']} notes a contradiction ({action['kind']}): {' and '.join(output['about'])}"
    ),
    "settled": _kept,
    "flushed": _kept,
    "scratchpad-proposal": lambda action, output: (
        f"{action['by']} proposes a new scratchpad of {_count(output['characters'], 'characters')}"
    ),
    "memory-proposal": lambda action, output: f"{action['by']} proposes a memory ({action['kind']})",
    "intel": lambda action, output: f"takes intel in: {_counts(output)}",
    "end": lambda action, output: f"ends: {_counts(output)} sealed",
}


def _counts(output: Action) -> str:
    return ", ".join(_count(count, name) for name, count in output.items())


def _count(count: Any, plural: str) -> str:
    """ "1 memory", "3 memories"; *plural* is the noun of several."""
    one = f"{plural[:-3]}y" if plural.endswith("ies") else plural.removesuffix("s")
    return f"{count} {one if count == 1 else plural}"
