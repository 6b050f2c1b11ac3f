"""The types of ledger records that memory tells of: one table, read by the Scribe and by the trace.

`ENTRIES` says how a record is told to the Scribe, `STEPS` how to the trace, `LINES` how a step is told
to people. Of what the presenter said the trace has the length alone: it is for those who look after
the loop. A type that is not here is a step by its name, and no entry.

A row reads of a record what stands at a path in its value ("exchange.turns.-1.question"; with "?" it
may be missing, with "#" it is counted), or a text with such paths in braces; "=word" is that word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from string import Formatter
from typing import Any, Final

from orchestrator.memory.scribe_notes import AGENT, ERROR, NOTE, TOOL, TRANSCRIPT, USER
from orchestrator.render import place
from orchestrator.store.ledger import Record

NO_JUDGEMENT: Final = "the engine gave no judgement"
"""How a verdict begins whose engine failed (moderator.py)."""
PLAIN_SPEECH: Final = "plain speech"
"""The row of text that another program added to the transcript, without a value."""

SPEECH: Final = frozenset({PLAIN_SPEECH, "segment", "answer"})
"""What was said aloud; its words are the entry's content."""
MOVES_ON: Final = frozenset({"slide", "exchange_opened", "exchange_closed"})
"""Behind these nobody is off the record any more."""

Plain = Mapping[str, Any]
What = str | int | Callable[[Record], Any] | Mapping[str, Any] | None
"""A path, a text, a word, a function, or several by name; None and numbers are themselves. Of a record
in another shape than its type's `read` raises LookupError, TypeError, ValueError or AttributeError."""


@dataclass(frozen=True, slots=True)
class EntryRow:
    """How the Scribe notes a record; without content it does not."""

    type: str
    content: What
    more: Mapping[str, What] = field(default_factory=dict)
    tool: What = None
    result: What = None
    sure: What = None
    quoting: What = None  # as far as it may quote speech; None: the content


@dataclass(frozen=True, slots=True)
class StepRow:
    """How the trace tells a record: an action, its output and what changes with it."""

    name: str | None  # None: it is no step
    action: Mapping[str, What] = field(default_factory=dict)  # where nothing is read, the name is left out
    output: What = None
    state: What = None
    errors: What = None  # one, or a tuple of them
    summary: What = None


def read(what: What, record: Record) -> Any:
    """What a row reads of *record*."""
    if isinstance(what, Mapping):
        return {name: read(one, record) for name, one in what.items()}
    if not isinstance(what, str):
        return what(record) if callable(what) else what
    if what.startswith("="):
        return what[1:]
    if "{" in what:
        return _OfRecord().vformat(what, (), {"record": record})
    above, last = _names(what)
    found: Any = record.value
    for name in above:
        found = found[name]
    if what[-1] == "?":
        return found.get(last)
    return len(found.get(last) or ()) if what[-1] == "#" else found[last]


@cache
def _names(path: str) -> tuple[tuple[str | int, ...], str]:
    """A path's names, or places in a list, and its last one: kept, since records come by the thousand."""
    *above, last = path.rstrip("?#").split(".")
    return tuple(int(name) if name.lstrip("-").isdigit() else name for name in above), last


class _OfRecord(Formatter):
    """Fills a text with what its paths read."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:
        found = read(field_name, kwargs["record"])
        return ("" if found is None else found), field_name


class _Words(Formatter):
    """Fills a line: lists are joined, counts told with their nouns; `{n:words}` minds its number."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Mapping):
            return ", ".join(counted(number, name) for name, number in value.items())
        if isinstance(value, list):
            return ", ".join(map(str, value)) or "nothing"
        return counted(value, format_spec) if format_spec else str(value)


def counted(number: Any, noun: str) -> str:
    """ "1 memory", "3 memories"; *noun* is that of one or of several."""
    one = f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")
    return f"{number} {one if number == 1 else f'{one}s' if noun == one else noun}"


def described(action: Plain, output: Any) -> str:
    """A step in words; one in a shape that this release does not know by its name alone."""
    name = str(action.get("action"))
    bare = name.replace("_", " ")
    line = LINES.get(name, bare)
    known = {**action, **output, "output": output} if isinstance(output, Mapping) else action
    try:
        return line(known) if callable(line) else _Words().vformat(line, (), known)
    except KeyError:
        return bare


def type_of(record: Record) -> str:
    """A record's type, as the tables name it; "" where it is nothing that anybody would tell."""
    if record.op in ("freeze", "receipt"):
        return record.op
    if record.value is None:
        return PLAIN_SPEECH if record.op == "append" and record.file == TRANSCRIPT else ""
    value: Plain = record.value if isinstance(record.value, Mapping) else {}
    name = str(value.get("type"))
    if name == "fact-run" and value.get("state") == "failed":
        return "fact-run failed"
    return "tool-use refused" if name == "tool-use" and value.get("error") else name


def _by(record: Record) -> str:
    return record.by


def _either(*whats: What) -> Callable[[Record], Any]:
    """The first that there is."""
    return lambda record: next((found for what in whats if (found := read(what, record))), "")


def _count(path: str) -> Callable[[Record], int]:
    """Of a list that must be there."""
    return lambda record: len(read(path, record))


def _number(path: str) -> Callable[[Record], int]:
    return lambda record: read(path, record) or 0


def _words(path: str) -> Callable[[Record], int]:
    return lambda record: len(read(path, record).split())


def _where(path: str) -> Callable[[Record], str]:
    return lambda record: place(read(f"{path}.slide?", record), read(f"{path}.said_at_s?", record))


def _those_of(path: str, *names: str) -> Callable[[Record], Plain]:
    """Of these names, those that are there."""

    def those(record: Record) -> Plain:
        found: Plain = read(path, record) if path else (record.value or {})
        return {name: found[name] for name in names if name in found}

    return those


def _without_question(how: str) -> Callable[[Record], tuple[str, ...]]:
    """Of a refresh: each agent that made no question, and why."""
    return lambda record: tuple(
        how.format(agent=agent, why=why) for agent, why in (read("failed?", record) or {}).items()
    )


def _refreshed(record: Record) -> Plain:
    """The questions themselves stand in the candidates' own records."""
    value = record.value or {}
    hands = {"hands": list(value["hands"])} if value.get("hands") else {}
    failed = {"failed": sorted(value["failed"])} if value.get("failed") else {}
    return {"questions": dict.fromkeys(value.get("made", ())), **hands, **failed}


def _judged(record: Record) -> Plain:
    judgement = read("judgement", record)
    missing = {"missing": list(judgement["missing"])} if judgement.get("missing") else {}
    return {"verdict": judgement["verdict"], "reason": judgement["reason"], **missing}


def _not_judged(record: Record) -> str | None:
    reason = read("judgement.reason", record)
    return f"{record.by}: {reason}" if reason.startswith(NO_JUDGEMENT) else None


def _closed(record: Record) -> str:
    turns = counted(read("exchange.turns#", record), "turns")
    who, outcome = read("{exchange.id}, {exchange.agent}", record), read("exchange.outcome", record)
    return f"{who} on {_where('exchange')(record)}: {outcome} after {turns}"


def _state(record: Record) -> Plain:
    state = read("state", record)
    return {"state": state, **({"current_goal": "close the session"} if state == "closing" else {})}


def _used_for(record: Record) -> str | None:
    """Of a tool that proposed something: nothing, since that makes an entry of its own."""
    return None if read("proposed?", record) else f"for its {read('task', record)}"


def _targets(record: Record) -> list[str]:
    return [one["claim"] or f"slide {one['slide']}" for one in read("targets", record)]


def _both_places(record: Record) -> list[str]:
    return [_where("tension.a")(record), _where("tension.b")(record)]


def _kept(*names: str) -> Mapping[str, What]:
    return {**{name: f"{name}#" for name in names}, "left_out": _number("left_out?")}


def _proposal(tool: str) -> EntryRow:
    return EntryRow(TOOL, "{content?}", {"agent": _by}, f"={tool}", "=proposed")


_SPOKEN: Final = EntryRow(
    USER,
    "segment.text",
    {
        "slide": "segment.slide?",
        "said_at_s": "segment.start_s?",
        "exchange": "exchange?",
        "speaker": "segment.speaker?",
    },
    sure="segment.confidence?",
)
_AGENT: Final[Mapping[str, What]] = {"agent": _by, "exchange": "exchange?"}
_IN: Final[Mapping[str, What]] = {"exchange": "exchange"}
_OF: Final[Mapping[str, What]] = {"agent": "exchange.agent", "exchange": "exchange.id"}
_ASKED: Final = "exchange.turns.-1.question"

ENTRIES: Final[Mapping[str, EntryRow]] = {
    PLAIN_SPEECH: EntryRow(USER, lambda record: record.text or ""),
    "segment": _SPOKEN,
    "answer": _SPOKEN,
    "exchange_opened": EntryRow(AGENT, _ASKED, _OF, quoting=f"{{exchange.quote?}}\n{{{_ASKED}}}"),
    "follow_up": EntryRow(AGENT, "turn.question", _AGENT),
    "said": EntryRow(AGENT, "text", _AGENT),
    "verdict": EntryRow(
        NOTE,
        "{judgement.verdict}: {judgement.reason?}",
        _AGENT,
        quoting="{judgement.reason?}\n{judgement.quote?}",
    ),
    "exchange_closed": EntryRow(
        NOTE, "{exchange.id} closed: {exchange.outcome?}", {"exchange": "exchange.id"}
    ),
    "observation": EntryRow(NOTE, "text", {"agent": _by}, quoting="{text}\n{quote?}"),
    "slide": EntryRow(NOTE, "slide {slide}", {"slide": "slide"}),
    "silence": EntryRow(NOTE, "=no answer was given", {"exchange": "exchange?"}),
    "refresh": EntryRow(ERROR, lambda record: "; ".join(_without_question("{agent}: {why}")(record)) or None),
    "warning": EntryRow(ERROR, "{part?}: {reason?}"),
    "fact-run failed": EntryRow(ERROR, "summariser: {reason?}"),
    "deck": EntryRow(
        TOOL,
        _either("deck.title?", "deck.name?"),
        tool="=deck",
        result="{deck.slides#} slides, {claims#} claims",
    ),
    "intel": EntryRow(TOOL, "=external intel", tool="=intel", result="{intel.items#} findings"),
    "facts": EntryRow(TOOL, "=facts", tool="=summarise", result="{facts#} facts"),
    "memory-proposal": _proposal("memory_write"),
    "scratchpad-proposal": _proposal("scratchpad_update"),
    "tool-use": EntryRow(TOOL, _used_for, {"agent": _by}, "tool", "{chars} characters"),
    "tool-use refused": EntryRow(ERROR, _used_for, {"agent": _by}, "tool", "refused: {error}"),
}
"""Of what happens in a session, all that anybody would tell."""

_TOOL: Final[Mapping[str, What]] = {"tool": "tool", "task": "task"}
_REMIND: Final = StepRow("remind", {"about": "type", "share": "share?"})

STEPS: Final[Mapping[str, StepRow]] = {
    PLAIN_SPEECH: StepRow("hear", output=lambda record: {"words": len((record.text or "").split())}),
    "session": StepRow(
        "start",
        {"panel": lambda record: list(read("panel?", record) or ())},
        _those_of("options", "engine", "mode", "intensity", "minutes", "exchanges"),
        {"state": "=starting", "slide": None, "exchanges": 0, "current_goal": "=read the deck"},
    ),
    "deck": StepRow(
        "read_deck", output={"slides": "deck.slides#", "claims": "claims#", "tensions": "tensions#"}
    ),
    "focus_brief": StepRow("focus_brief", output={"targets": _targets}),
    "playback": StepRow(
        "load", {"kind": "playback.kind"}, {"segments": "playback.segments#", "answers": "playback.answers#"}
    ),
    "segment": StepRow(
        "hear", output={"words": _words("segment.text"), "claims": "claims#", "tensions": "tensions#"}
    ),
    "slide": StepRow(
        "slide",
        {"slide": "slide"},
        {"section_ends": lambda record: bool(read("break?", record))},
        {"slide": "slide", "current_goal": "listen to slide {slide}"},
    ),
    "refresh": StepRow(
        "refresh",
        {"why": "why"},
        _refreshed,
        errors=_without_question("{agent}: no candidate question: {why}"),
    ),
    "exchange_opened": StepRow(
        "call_on",
        {**_OF, "why": "exchange.why_this_agent"},
        {"question": _ASKED, "about": _where("exchange")},
        {
            "exchange": "exchange.id",
            "current_goal": "have {exchange.agent}'s question {exchange.id} answered",
        },
    ),
    "answer": StepRow("answer", _IN, {"words": _words("segment.text")}),
    "answered": StepRow("answer", _IN, {"words": _words("text")}),
    "silence": StepRow("silence", _IN),
    "verdict": StepRow("judge", _IN, _judged, errors=_not_judged),
    "follow_up": StepRow("follow_up", _IN, {"question": "turn.question"}),
    "exchange_closed": StepRow(
        "close",
        _OF,
        {"outcome": "exchange.outcome", "turns": _count("exchange.turns")},
        {"exchange": None, "current_goal": "=listen"},
        summary=_closed,
    ),
    "observation": StepRow("observe", output={"text": "text"}),
    "said": StepRow("say", {"occasion": "occasion", "exchange": "exchange?"}, {"text": "text"}),
    "passed": StepRow("pass", {"why": "why"}),
    "time_warning": _REMIND,
    "no_question": _REMIND,
    "monologue": _REMIND,
    "driver": StepRow("drive", {"state": "state", "what": "what"}),
    "clock": StepRow("clock", {"live": "live"}),
    "played_out": StepRow("played_out", state={"current_goal": "=ask what is left"}),
    "state": StepRow(None, state=_state),
    "fact-run": StepRow("summarise", {"run": "run", "why": "why?"}, {"from": "from_seq", "to": "to_seq"}),
    "fact-run failed": StepRow(None, errors="summariser, run {run}: {reason}"),
    "facts": StepRow(
        "keep_facts",
        {"run": "run"},
        {"facts": _count("facts"), "skipped": _number("skipped?"), "refused": _number("refused?")},
        {"facts_run": "run"},
    ),
    "warning": StepRow(None, errors="{part}: {reason}"),
    "finding": StepRow("finding", {"kind": "tension.kind"}, {"about": _both_places}),
    "settled": StepRow("settled", output=_kept("memories", "scratchpads")),
    "flushed": StepRow("flushed", output=_kept("memories", "goals")),
    "scratchpad-proposal": StepRow("scratchpad-proposal", output={"characters": _count("content")}),
    "memory-proposal": StepRow("memory-proposal", {"kind": "memory_type"}),
    "call": StepRow(
        "call",
        {"agent": "agent?", "kind": "kind?"},
        _those_of("", "model", "read", "written", "new", "output", "cost_usd", "alarm"),
    ),
    "tool-use": StepRow("use_tool", _TOOL, {"characters": "chars"}),
    "tool-use refused": StepRow(
        "use_tool",
        _TOOL,
        {"characters": "chars", "error": "error"},
        errors=lambda record: f"{record.by}: {read('{tool}: {error}', record)}",
    ),
    "intel": StepRow("intel", output={"items": "intel.items#"}),
    "freeze": StepRow(
        "end",
        output=lambda record: {"files": len((record.value or {}).get("files", ()))},
        state={"state": "=ended", "current_goal": None},
    ),
}
UNTOLD: Final = frozenset(
    {"", "candidate", "notes", "receipt", "phrases", "speaker", "section_end", "answer_used", "dossier"}
)
"""They belong to the step beside them, or show nothing that it does not."""


def _line_of_refresh(said: Plain) -> str:
    made = ", ".join(said["questions"]) or "nobody"
    failed = f"; failed: {', '.join(said['failed'])}" if said.get("failed") else ""
    hands = f"; hands up: {', '.join(said['hands'])}" if said.get("hands") else ""
    return f"looks at the candidate questions ({said['why']}); new: {made}{hands}{failed}"


def _line_of_speech(said: Plain) -> str:
    more = [counted(said[name], name) for name in ("claims", "tensions") if said.get(name)]
    return ", ".join([f"hears {counted(said['words'], 'words')}", *more])


def _line_of_kept(said: Plain) -> str:
    counts = {name: many for name, many in said["output"].items() if many and name != "left_out"}
    left = f"; {said['left_out']} left out, to stay in the session" if said["left_out"] else ""
    return f"keeps for later rehearsals: {_Words().format('{0}', counts or [])}{left}"


def _line_of_tool(said: Plain) -> str:
    came = said.get("error") or counted(said["characters"], "characters")
    return f"{said['by']} uses {said['tool']} for its {str(said['task']).replace('_', ' ')}: {came}"


LINES: Final[Mapping[str, str | Callable[[Plain], str]]] = {
    "start": "starts with {panel}",
    "read_deck": "reads the deck: {output}",
    "focus_brief": "{by} aims at {targets}",
    "load": "takes a recording in: {output}",
    "hear": _line_of_speech,
    "slide": "slide {slide}",
    "refresh": _line_of_refresh,
    "call_on": "calls on {agent} ({exchange}) because: {why}; asked about {about}",
    "answer": "{exchange} is answered in {words:words}",
    "silence": "{exchange} is not answered",
    "judge": "{by} judges {exchange}: {verdict}: {reason}",
    "follow_up": "asks again in {exchange}",
    "close": "{exchange} ends: {outcome}",
    "observe": "{by} notes how the presenter answers",
    "say": "says ({occasion})",
    "pass": "calls on nobody: {why}",
    "remind": lambda said: f"reminds: {said['about'].replace('_', ' ')}",
    "drive": "{what} {state}",
    "clock": lambda said: "the clock runs" if said["live"] else "the clock stands",
    "played_out": "the recording is over",
    "summarise": "summarises records {from} to {to} ({why})",
    "keep_facts": "keeps {facts:facts} of run {run} ({skipped} known already, {refused} refused)",
    "call": "{agent} called the model for {kind}",
    "use_tool": _line_of_tool,
    "finding": lambda said: (
        f"{said['by']} notes a contradiction ({said['kind']}): {' and '.join(said['about'])}"
    ),
    "settled": _line_of_kept,
    "flushed": _line_of_kept,
    "scratchpad-proposal": "{by} proposes a new scratchpad of {characters:characters}",
    "memory-proposal": "{by} proposes a memory ({kind})",
    "intel": "takes intel in: {output}",
    "end": "ends: {output} sealed",
}
"""By the name of the step; what is not here is told by that name."""
