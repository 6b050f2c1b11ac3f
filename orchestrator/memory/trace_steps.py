"""What one record tells of the loop: an action and its output, an error, a summary, the state.

What the presenter said is told by its length alone: a trace is for those who look after the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from orchestrator.ledger import Record
from orchestrator.render import place

NO_JUDGEMENT: Final = "the engine gave no judgement"
"""How a verdict begins whose engine failed (moderator.py)."""
_PLAIN: Final = "shared/presenter-transcript.md"


@dataclass(frozen=True, slots=True)
class Told:
    """What a record says."""

    action: Mapping[str, Any] | None = None  # None: it is no step
    output: Any = None
    errors: tuple[str, ...] = ()
    summary: str | None = None
    state: Mapping[str, Any] = field(default_factory=dict)
    opens: bool = False  # an exchange begins with it


def told_by(record: Record, candidates: Mapping[str, str]) -> Told | None:
    """What *record* tells; None: nothing of the loop. Never raises: a trace must not stop a rehearsal.

    Of a record in a shape that this release does not know, that it was there is told.

    Args:
        candidates: The questions that panelists have made since the last refresh.
    """
    try:
        return _told(record, candidates)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        value = record.value if isinstance(record.value, Mapping) else {}
        return Told(_action(str(value.get("type")), record))


def _told(record: Record, candidates: Mapping[str, str]) -> Told | None:
    if record.op == "freeze":
        return Told(_action("end", record), {"files": len((record.value or {}).get("files", ()))},
                    state={"state": "ended", "current_goal": None})  # fmt: skip
    if record.value is None:
        if record.op == "append" and record.file == _PLAIN:
            return Told(_action("hear", record), {"words": len((record.text or "").split())})
        return None
    kind = record.value.get("type")
    if kind == "refresh":
        return _refresh(record.value, record, candidates)
    if kind in _SILENT or record.op == "receipt":
        return None
    teller = _TELLERS.get(str(kind))
    return teller(record.value, record) if teller is not None else Told(_action(str(kind), record))


def _action(name: str, record: Record, **more: Any) -> dict[str, Any]:
    return {
        "action": name,
        "by": record.by,
        **{key: value for key, value in more.items() if value is not None},
    }


Value = Mapping[str, Any]


def _session(value: Value, record: Record) -> Told:
    options = value.get("options", {})
    names = ("engine", "mode", "intensity", "minutes", "exchanges")
    output = {name: options[name] for name in names if name in options}
    state = {"state": "starting", "slide": None, "exchanges": 0, "current_goal": "read the deck"}
    return Told(_action("start", record, panel=list(value.get("panel", ()))), output, state=state)


def _deck(value: Value, record: Record) -> Told:
    output = {
        "slides": len(value["deck"].get("slides", ())),
        "claims": len(value.get("claims", ())),
        "tensions": len(value.get("tensions", ())),
    }
    return Told(_action("read_deck", record), output)


def _focus(value: Value, record: Record) -> Told:
    return Told(
        _action("focus_brief", record),
        {"targets": [one["claim"] or f"slide {one['slide']}" for one in value["targets"]]},
    )


def _playback(value: Value, record: Record) -> Told:
    loaded = value["playback"]
    output = {"segments": len(loaded["segments"]), "answers": len(loaded.get("answers", ()))}
    return Told(_action("load", record, kind=loaded["kind"]), output)


def _segment(value: Value, record: Record) -> Told:
    words = len(value["segment"]["text"].split())
    output = {
        "words": words,
        "claims": len(value.get("claims", ())),
        "tensions": len(value.get("tensions", ())),
    }
    return Told(_action("hear", record), output)


def _slide(value: Value, record: Record) -> Told:
    slide = value["slide"]
    goal = f"listen to slide {slide}"
    return Told(
        _action("slide", record, slide=slide),
        {"section_ends": bool(value.get("break"))},
        state={"slide": slide, "current_goal": goal},
    )


def _refresh(value: Value, record: Record, candidates: Mapping[str, str]) -> Told:
    failed: Mapping[str, str] = value.get("failed", {})
    output: dict[str, Any] = {"questions": {agent: candidates.get(agent) for agent in value.get("made", ())}}
    if value.get("hands"):
        output["hands"] = list(value["hands"])
    if failed:
        output["failed"] = sorted(failed)
    errors = tuple(f"{agent}: no candidate question: {why}" for agent, why in failed.items())
    return Told(_action("refresh", record, why=value["why"]), output, errors)


def _opened(value: Value, record: Record) -> Told:
    exchange = value["exchange"]
    where = place(exchange.get("slide"), exchange.get("said_at_s"))
    action = _action(
        "call_on", record, agent=exchange["agent"], exchange=exchange["id"], why=exchange["why_this_agent"]
    )
    output = {"question": exchange["turns"][-1]["question"], "about": where}
    goal = f"have {exchange['agent']}'s question {exchange['id']} answered"
    return Told(action, output, state={"exchange": exchange["id"], "current_goal": goal}, opens=True)


def _answer(value: Value, record: Record) -> Told:
    words = len(value["segment"]["text"].split())
    return Told(_action("answer", record, exchange=value["exchange"]), {"words": words})


def _answered(value: Value, record: Record) -> Told:
    return Told(_action("answer", record, exchange=value["exchange"]), {"words": len(value["text"].split())})


def _silence(value: Value, record: Record) -> Told:
    return Told(_action("silence", record, exchange=value["exchange"]))


def _verdict(value: Value, record: Record) -> Told:
    judgement = value["judgement"]
    reason = judgement["reason"]
    output = {"verdict": judgement["verdict"], "reason": reason}
    if judgement.get("missing"):
        output["missing"] = list(judgement["missing"])
    errors = (f"{record.by}: {reason}",) if reason.startswith(NO_JUDGEMENT) else ()
    return Told(_action("judge", record, exchange=value["exchange"]), output, errors)


def _follow_up(value: Value, record: Record) -> Told:
    return Told(
        _action("follow_up", record, exchange=value["exchange"]), {"question": value["turn"]["question"]}
    )


def _closed(value: Value, record: Record) -> Told:
    exchange = value["exchange"]
    turns = len(exchange["turns"])
    where = place(exchange.get("slide"), exchange.get("said_at_s"))
    outcome = exchange["outcome"]
    many = "turn" if turns == 1 else "turns"
    summary = f"{exchange['id']}, {exchange['agent']} on {where}: {outcome} after {turns} {many}"
    state = {"exchange": None, "current_goal": "listen"}
    action = _action("close", record, agent=exchange["agent"], exchange=exchange["id"])
    return Told(action, {"outcome": outcome, "turns": turns}, summary=summary, state=state)


def _observation(value: Value, record: Record) -> Told:
    return Told(_action("observe", record), {"text": value["text"]})


def _said(value: Value, record: Record) -> Told:
    action = _action("say", record, occasion=value["occasion"], exchange=value.get("exchange"))
    return Told(action, {"text": value["text"]})


def _passed(value: Value, record: Record) -> Told:
    return Told(_action("pass", record, why=value["why"]))


def _remind(value: Value, record: Record) -> Told:
    return Told(_action("remind", record, about=value["type"], share=value.get("share")))


def _driver(value: Value, record: Record) -> Told:
    return Told(_action("drive", record, state=value["state"], what=value["what"]))


def _clock(value: Value, record: Record) -> Told:
    return Told(_action("clock", record, live=value["live"]))


def _played_out(value: Value, record: Record) -> Told:
    return Told(_action("played_out", record), state={"current_goal": "ask what is left"})


def _state(value: Value, record: Record) -> Told:
    goal = {"current_goal": "close the session"} if value["state"] == "closing" else {}
    return Told(state={"state": value["state"], **goal})


def _fact_run(value: Value, record: Record) -> Told:
    run = value["run"]
    if value["state"] == "failed":
        return Told(errors=(f"summariser, run {run}: {value['reason']}",))
    return Told(
        _action("summarise", record, run=run, why=value.get("why")),
        {"from": value["from_seq"], "to": value["to_seq"]},
    )


def _warning(value: Value, record: Record) -> Told:
    return Told(errors=(f"{value['part']}: {value['reason']}",))


def _facts(value: Value, record: Record) -> Told:
    count = len(value["facts"])
    output = {"facts": count, "skipped": value.get("skipped", 0), "refused": value.get("refused", 0)}
    return Told(_action("keep_facts", record, run=value["run"]), output, state={"facts_run": value["run"]})


def _finding(value: Value, record: Record) -> Told:
    tension = value["tension"]
    where = [place(one.get("slide"), one.get("said_at_s")) for one in (tension["a"], tension["b"])]
    return Told(_action("finding", record, kind=tension["kind"]), {"about": where})


def _settled(value: Value, record: Record) -> Told:
    output = {name: len(value.get(name, ())) for name in ("memories", "scratchpads")}
    return Told(_action("settled", record), {**output, "left_out": value.get("left_out", 0)})


def _flushed(value: Value, record: Record) -> Told:
    output = {name: len(value.get(name, ())) for name in ("memories", "goals")}
    return Told(_action("flushed", record), {**output, "left_out": value.get("left_out", 0)})


def _page_proposal(value: Value, record: Record) -> Told:
    return Told(_action("scratchpad-proposal", record), {"characters": len(value["content"])})


def _memory_proposal(value: Value, record: Record) -> Told:
    return Told(_action("memory-proposal", record, kind=value["memory_type"]))


def _call(value: Value, record: Record) -> Told:
    names = ("model", "read", "written", "new", "output", "cost_usd", "alarm")
    output = {name: value[name] for name in names if name in value}
    return Told(_action("call", record, agent=value.get("agent"), kind=value.get("kind")), output)


def _tool_use(value: Value, record: Record) -> Told:
    """A use of a tool while a model was asked; of what it gave, the length: it may quote anybody."""
    tool, error = value["tool"], value.get("error")
    output = {"characters": value["chars"], **({"error": error} if error else {})}
    errors = (f"{record.by}: {tool}: {error}",) if error else ()
    return Told(_action("use_tool", record, tool=tool, task=value["task"]), output, errors)


def _intel(value: Value, record: Record) -> Told:
    return Told(_action("intel", record), {"items": len(value["intel"].get("items", ()))})


_TELLERS: Final[Mapping[str, Callable[[Value, Record], Told]]] = {
    "session": _session,
    "deck": _deck,
    "focus_brief": _focus,
    "playback": _playback,
    "segment": _segment,
    "slide": _slide,
    "exchange_opened": _opened,
    "answer": _answer,
    "answered": _answered,
    "silence": _silence,
    "verdict": _verdict,
    "follow_up": _follow_up,
    "exchange_closed": _closed,
    "observation": _observation,
    "said": _said,
    "passed": _passed,
    "time_warning": _remind,
    "no_question": _remind,
    "monologue": _remind,
    "driver": _driver,
    "clock": _clock,
    "played_out": _played_out,
    "state": _state,
    "fact-run": _fact_run,
    "facts": _facts,
    "warning": _warning,
    "finding": _finding,
    "settled": _settled,
    "flushed": _flushed,
    "scratchpad-proposal": _page_proposal,
    "memory-proposal": _memory_proposal,
    "call": _call,
    "tool-use": _tool_use,
    "intel": _intel,
}
_SILENT: Final = frozenset(
    {"candidate", "notes", "receipt", "phrases", "speaker", "section_end", "answer_used", "dossier", "freeze"}
)
"""They belong to the step beside them, or show nothing that it does not."""
