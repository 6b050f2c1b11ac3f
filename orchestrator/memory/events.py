"""What happens in a session, as entries: one ledger record makes one, or none.

What is marked sensitive is only counted, and addresses and numbers of people are masked, so nothing
made of entries can carry them away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from orchestrator.ledger import Record
from orchestrator.memory.masking import masked
from orchestrator.memory.off_record import is_marked
from orchestrator.memory.scribe_notes import (
    AGENT,
    ERROR,
    LEFT_OUT,
    MAX_CONTENT_BYTES,
    MAX_FIELD_BYTES,
    NOTE,
    TOOL,
    TRANSCRIPT,
    USER,
    SessionEntry,
    cut,
)
from orchestrator.render import one_line


def entry_of(record: Record) -> SessionEntry | None:
    """The entry that a record makes; None: nothing happened that anybody would tell."""
    value = record.value
    if value is None:
        if record.op == "append" and record.file == TRANSCRIPT:
            return _entry(record, {}, USER, record.text or "")
        return None
    make = _MAKERS.get(value["type"])
    return None if make is None else make(record, value)


def _segment(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    said = value["segment"]
    more = {"slide": said.get("slide"), "said_at_s": said.get("start_s"), "exchange": value.get("exchange")}
    sure = said.get("confidence")
    return _entry(record, value, USER, said["text"], speaker=said.get("speaker"), sure=sure, **more)


def _opened(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    asked = value["exchange"]
    return _entry(
        record, value, AGENT, asked["turns"][-1]["question"], agent=asked["agent"], exchange=asked["id"]
    )


def _follow_up(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    return _entry(
        record, value, AGENT, value["turn"]["question"], agent=record.by, exchange=value.get("exchange")
    )


def _said(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    return _entry(record, value, AGENT, value["text"], agent=record.by, exchange=value.get("exchange"))


def _verdict(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    judged = value["judgement"]
    return _entry(
        record,
        value,
        NOTE,
        f"{judged['verdict']}: {judged.get('reason', '')}",
        agent=record.by,
        exchange=value.get("exchange"),
    )


def _closed(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    done = value["exchange"]
    return _entry(record, value, NOTE, f"{done['id']} closed: {done.get('outcome')}", exchange=done["id"])


def _observation(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    return _entry(record, value, NOTE, value["text"], agent=record.by)


def _slide(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    return _entry(record, value, NOTE, f"slide {value['slide']}", slide=value["slide"])


def _silence(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    return _entry(record, value, NOTE, "no answer was given", exchange=value.get("exchange"))


def _refresh(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    failed = value.get("failed")
    if not failed:
        return None
    return _entry(record, value, ERROR, "; ".join(f"{agent}: {failed[agent]}" for agent in failed))


def _warning(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    return _entry(record, value, ERROR, f"{value.get('part', 'warning')}: {value.get('reason', '')}")


def _fact_run(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    if value.get("state") != "failed":
        return None
    return _entry(record, value, ERROR, f"summariser: {value.get('reason', '')}")


def _deck(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    deck = value["deck"]
    result = f"{len(deck.get('slides', ()))} slides, {len(value.get('claims', ()))} claims"
    return _entry(record, value, TOOL, deck.get("title") or deck.get("name", ""), tool="deck", result=result)


def _intel(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    count = len(value.get("intel", {}).get("items", ()))
    return _entry(record, value, TOOL, "external intel", tool="intel", result=f"{count} findings")


def _facts(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    return _entry(
        record, value, TOOL, "facts", tool="summarise", result=f"{len(value.get('facts', ()))} facts"
    )


def _by_tool(name: str) -> Callable[[Record, Mapping[str, Any]], SessionEntry | None]:
    """A proposal that an agent made with a tool."""

    def made(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
        said = value.get("content") or value.get("text") or ""
        return _entry(record, value, TOOL, str(said), tool=name, result="proposed", agent=record.by)

    return made


def _tool_use(record: Record, value: Mapping[str, Any]) -> SessionEntry | None:
    """A use of a tool; what it proposed makes an entry of its own."""
    if value.get("proposed"):
        return None
    tool, error = value["tool"], value.get("error")
    result = f"refused: {error}" if error else f"{value['chars']} characters"
    kind = ERROR if error else TOOL
    return _entry(record, value, kind, f"for its {value['task']}", tool=tool, result=result, agent=record.by)


_MAKERS: Final[Mapping[str, Callable[[Record, Mapping[str, Any]], SessionEntry | None]]] = {
    "segment": _segment,
    "answer": _segment,
    "exchange_opened": _opened,
    "follow_up": _follow_up,
    "said": _said,
    "verdict": _verdict,
    "exchange_closed": _closed,
    "observation": _observation,
    "slide": _slide,
    "silence": _silence,
    "refresh": _refresh,
    "warning": _warning,
    "fact-run": _fact_run,
    "deck": _deck,
    "intel": _intel,
    "facts": _facts,
    "memory-proposal": _by_tool("memory_write"),
    "scratchpad-proposal": _by_tool("scratchpad_update"),
    "tool-use": _tool_use,
    "goal-proposal": _by_tool("goal"),
}


def _entry(
    record: Record,
    value: Mapping[str, Any],
    type_: str,
    content: str,
    *,
    tool: str | None = None,
    result: str | None = None,
    sure: float | None = None,
    **more: Any,
) -> SessionEntry:
    metadata: dict[str, Any] = {"seq": record.seq, "clock_s": record.clock_s}
    if is_marked(content, value):
        return SessionEntry(record.at, type_, LEFT_OUT, {**metadata, "sensitive": True}, tool)
    for name, one in more.items():
        if one is not None:
            metadata[name] = cut(masked(one_line(one)), MAX_FIELD_BYTES) if isinstance(one, str) else one
    shown = masked(one_line(content))
    kept = cut(shown, MAX_CONTENT_BYTES)
    if kept != shown:
        metadata["cut"] = len(shown) - len(kept) + 1
    return SessionEntry(record.at, type_, kept, metadata, tool, result, sure)


def spoken_in(record: Record) -> str | None:
    """What was said aloud, whole; None: nothing was."""
    if record.op != "append" or record.file != TRANSCRIPT:
        return None
    value = record.value
    if value is None:
        return record.text or ""
    return str(value["segment"]["text"]) if "segment" in value else None


def words_of(value: Mapping[str, Any]) -> str:
    """What an event that is no speech says, as far as it may quote speech."""
    match value.get("type"):
        case "exchange_opened":
            asked = value["exchange"]
            return f"{asked.get('quote') or ''}\n{asked['turns'][-1]['question']}"
        case "follow_up":
            return str(value["turn"]["question"])
        case "verdict":
            judged = value["judgement"]
            return f"{judged.get('reason', '')}\n{judged.get('quote') or ''}"
        case "observation":
            return f"{value['text']}\n{value.get('quote') or ''}"
        case _:
            return str(value.get("text") or value.get("content") or "")
