"""The six tools as the agents of one session have them while a model is asked.

A call's tools read the session and long-term memory as they stand, and write nothing: what they
propose is held until the call is over, and put into the ledger by whoever writes the session, in one
transaction with the uses themselves. So a call that is given up or fails leaves its uses in the
ledger and none of its proposals, and one that is made again after a crash finds nothing of the first.

Values of the notes; the writer is the agent, and proposals stand behind them as in `proposals`:

========  ======================================================================================
tool-use  task, receipt (of what was sent), tool, arguments, as_of (the record up to which the
          session was read), chars (of the result), result (of the memory tools; what file tools
          give stands in the ledger anyway), error (its kind, where it was one), proposed (true
          where a proposal came of it), seconds
========  ======================================================================================
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Final

from orchestrator.context.tooling import ToolResult
from orchestrator.errors import GreenroomError
from orchestrator.memory.database import existing
from orchestrator.memory.embedding import Embedder
from orchestrator.memory.memories import carried_into
from orchestrator.memory.notebook import LONG_TERM, Notebook
from orchestrator.memory.proposals import ProposalLog
from orchestrator.memory.tools import BY_NAME, Desk, NotHereError, Outcome, anthropic_tools, call, refused
from orchestrator.store.ledger import Record
from orchestrator.store.store import Store

TOOL_USE: Final = "tool-use"
MAX_RESULT_CHARS: Final = 24_000
"""Of all results in one call, some 6,000 tokens, a fifth of a context. Our own limit."""
READ_CHARS: Final = 8_000
"""Of one file read: a third of that."""
MAX_ARGUMENT_CHARS: Final = 4_000
"""Of arguments as the ledger keeps them: a whole scratchpad and its quoting."""


class TooMuchError(GreenroomError):
    """A result that is longer than what is left for the call."""


class RefusedUseError(GreenroomError):
    """A tool was used where none may be."""


@dataclass
class SessionTools:
    """As `Tooling`."""

    root: Path | None  # of the session; None: it is only being made, so every use is refused
    home_root: Path | None  # where long-term memory is; None: it is switched off
    presenter: str
    embed: Embedder | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    @property
    def definitions(self) -> Sequence[Mapping[str, Any]]:
        """As `Tooling.definitions`."""
        return anthropic_tools()

    def begin(self, agent: str, task: str, receipt: str) -> CallTools:
        """As `Tooling.begin`."""
        return CallTools(self, agent, task, receipt)

    def take(self) -> list[tuple[str, Mapping[str, Any]]]:
        """As `Tooling.take`."""
        with self._lock:
            taken, self._over = self._over, []
        return taken

    def leave(self, notes: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Hand over what a call leaves."""
        with self._lock:
            self._over += notes


@dataclass
class CallTools:
    """As `ToolUses`."""

    of: SessionTools
    agent: str
    task: str
    receipt: str
    left: int = MAX_RESULT_CHARS
    uses: list[Mapping[str, Any]] = field(default_factory=list)
    proposed: list[Record] = field(default_factory=list)

    def use(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """As `ToolUses.use`."""
        began, before, as_of = monotonic(), len(self.proposed), 0
        try:
            with ExitStack() as opened:
                desk, as_of = self._desk(opened, name)
                outcome = call(desk, name, arguments)
            self._note_quoted(outcome)
        except (GreenroomError, OSError) as error:
            outcome = refused(error)
        if len(outcome.text) > self.left:
            del self.proposed[before:]
            outcome = refused(
                TooMuchError(
                    f"this has {len(outcome.text):,} characters, and {self.left:,} are left for this task: "
                    "ask for less, or reply without it"
                )
            )
        more = {"as_of": as_of} if as_of else {}
        if len(self.proposed) > before:
            more["proposed"] = True
        return self._told(name, arguments, outcome, {**more, "seconds": round(monotonic() - began, 3)})

    def refuse(self, name: str, arguments: Mapping[str, Any], why: str) -> ToolResult:
        """As `ToolUses.refuse`."""
        return self._told(name, arguments, refused(RefusedUseError(why)), {})

    def close(self, *, counts: bool) -> None:
        """As `ToolUses.close`."""
        proposed = [one.value or {} for one in self.proposed] if counts else []
        self.of.leave([(self.agent, value) for value in (*self.uses, *proposed)])

    def _desk(self, opened: ExitStack, name: str) -> tuple[Desk, int]:
        """Where the tool works, read anew: by a store of its own, so that no lock is waited for."""
        of = self.of
        if of.root is None:
            raise NotHereError("the session begins only now, so there is nothing to use: reply without tools")
        store = Store(of.root)
        opened.callback(store.close_files)
        tool = BY_NAME.get(name)
        if tool is None or tool.needs_session:
            return Desk(self.agent, None, store, READ_CHARS), store.seq
        db = opened.enter_context(existing(of.home_root))
        log = ProposalLog(store, self.agent, of.presenter, held=self.proposed)
        notebook = Notebook(db, self.agent, of.presenter, log, of.embed)
        return Desk(self.agent, notebook, store, READ_CHARS), store.seq

    def _note_quoted(self, outcome: Outcome) -> None:
        """Memories whose words come into the ledger with this use: `forget` names the session then."""
        value = outcome.value
        found = value.get("memories") or [value]
        is_long_term = value.get("kept_in", LONG_TERM) == LONG_TERM
        quoted = [one["id"] for one in found if is_long_term and "id" in one]
        if self.of.root is not None:
            carried_into(self.of.home_root, self.of.root.name, quoted)

    def _told(
        self, name: str, arguments: Mapping[str, Any], outcome: Outcome, more: Mapping[str, Any]
    ) -> ToolResult:
        """Count it, and keep what the ledger is to know of it."""
        self.left = max(0, self.left - len(outcome.text))
        tool = BY_NAME.get(name)
        kept = {} if tool is None or tool.needs_session or outcome.is_error else {"result": outcome.value}
        self.uses.append(
            {
                "type": TOOL_USE,
                "task": self.task,
                "receipt": self.receipt,
                "tool": name if tool is not None else "unknown",
                "arguments": _bounded(arguments),
                **more,
                "chars": len(outcome.text),
                **kept,
                **({"error": outcome.value["error"]} if outcome.is_error else {}),
            }
        )
        return ToolResult(outcome.text, outcome.is_error)


def _bounded(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Arguments as the ledger can hold them; where they are too long, how long."""
    chars = len(json.dumps(arguments, ensure_ascii=False))
    return arguments if chars <= MAX_ARGUMENT_CHARS else {"left_out": chars}
