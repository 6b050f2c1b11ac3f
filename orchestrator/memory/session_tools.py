"""The six tools as the agents of one session have them while a model is asked.

A call's tools read the session and long-term memory as they stand, and write nothing: what they
propose is held until the call is over, and put into the ledger by whoever writes the session, in one
transaction with the uses themselves. So a call that is given up or fails leaves its uses in the
ledger and none of its proposals, and one that is made again after a crash finds nothing of the first.

Each use is a note (`ToolUsed`) by the agent, with the result of the memory tools alone: what file tools give
stands in the ledger anyway. Proposals stand behind the uses as in `proposals`.
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

from orchestrator.core.context.tooling import ToolResult
from orchestrator.core.errors import GreenroomError
from orchestrator.core.store.ledger import Record
from orchestrator.core.store.store import Store
from orchestrator.core.store.value import Value
from orchestrator.memory.database import existing
from orchestrator.memory.embedding import Embedder
from orchestrator.memory.memories import carried_into
from orchestrator.memory.notebook import LONG_TERM, Notebook
from orchestrator.memory.proposals import ProposalLog
from orchestrator.memory.tools import BY_NAME, Desk, Outcome, anthropic_tools, call, failed, refused
from orchestrator.panel.records.kinds import KINDS
from orchestrator.panel.records.memory import ToolUsed
from orchestrator.panel.records.tellers import known_value

MAX_RESULT_CHARS: Final = 24_000
"""Of all results in one call, some 6,000 tokens, a fifth of a context. Our own limit."""
READ_CHARS: Final = 8_000
"""Of one file read: a third of that."""
MAX_ARGUMENT_CHARS: Final = 4_000
"""Of arguments as the ledger keeps them: a whole scratchpad and its quoting."""


@dataclass
class SessionTools:
    """The tools of one session; its methods are those of `Tooling`."""

    root: Path | None  # of the session; None: it is only being made, so every use is refused
    home_root: Path | None  # where long-term memory is; None: it is switched off
    presenter: str
    embed: Embedder | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: list[tuple[str, Value]] = field(default_factory=list)

    @property
    def definitions(self) -> Sequence[Mapping[str, Any]]:
        return anthropic_tools()

    def begin(self, agent: str, task: str, receipt: str) -> CallTools:
        return CallTools(self, agent, task, receipt)

    def take(self) -> list[tuple[str, Value]]:
        with self._lock:
            taken, self._over = self._over, []
        return taken

    def leave(self, notes: Sequence[tuple[str, Value]]) -> None:
        """Hand over the notes of a call that is over."""
        with self._lock:
            self._over += notes


@dataclass
class CallTools:
    """The tools of one call; its methods are those of `ToolUses`."""

    of: SessionTools
    agent: str
    task: str
    receipt: str
    left: int = MAX_RESULT_CHARS
    uses: list[ToolUsed] = field(default_factory=list)
    proposed: list[Record] = field(default_factory=list)

    def use(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        began, before = monotonic(), len(self.proposed)
        as_of, outcome = self._called(name, arguments)
        if len(outcome.text) > self.left:
            del self.proposed[before:]
            outcome = failed(
                "too-much",
                f"this has {len(outcome.text):,} characters, and {self.left:,} are left for this task: "
                "ask for less, or reply without it",
            )
        seconds = round(monotonic() - began, 3)
        is_proposal = len(self.proposed) > before
        return self._told(name, arguments, outcome, as_of=as_of, seconds=seconds, proposed=is_proposal)

    def refuse(self, name: str, arguments: Mapping[str, Any], why: str) -> ToolResult:
        return self._told(name, arguments, failed("refused-use", why))

    def close(self, *, counts: bool) -> None:
        proposed = [known_value(one) for one in self.proposed] if counts else []
        self.of.leave([(self.agent, value) for value in (*self.uses, *proposed) if value is not None])

    def _called(self, name: str, arguments: Mapping[str, Any]) -> tuple[int | None, Outcome]:
        """Return up to which record the session was read, and the outcome."""
        of, tool = self.of, BY_NAME.get(name)
        if of.root is None:
            return None, failed(
                "not-here", "the session begins only now, so there is nothing to use: reply without tools"
            )
        as_of: int | None = None
        try:
            with ExitStack() as opened:
                store, notebook = (
                    Store(of.root, kinds=KINDS),
                    None,
                )  # read anew, so that no lock is waited for
                opened.callback(store.close_files)
                if tool is not None and not tool.needs_session:
                    db = opened.enter_context(existing(of.home_root))
                    log = ProposalLog(store, self.agent, of.presenter, held=self.proposed)
                    notebook = Notebook(db, self.agent, of.presenter, log, of.embed)
                as_of = store.seq
                outcome = call(Desk(self.agent, notebook, store, READ_CHARS), name, arguments)
            # Memories whose words come into the ledger with this use: `forget` names the session then.
            value = outcome.value
            found = value.get("memories") or [value]
            is_long_term = value.get("kept_in", LONG_TERM) == LONG_TERM
            ids = [one["id"] for one in found if is_long_term and "id" in one]
            carried_into(of.home_root, of.root.name, ids)
        except (GreenroomError, OSError) as error:
            return as_of, refused(error)
        return as_of, outcome

    def _told(
        self,
        name: str,
        arguments: Mapping[str, Any],
        outcome: Outcome,
        *,
        as_of: int | None = None,
        seconds: float | None = None,
        proposed: bool = False,
    ) -> ToolResult:
        """Count it, and keep what the ledger is to know of it."""
        self.left = max(0, self.left - len(outcome.text))
        tool = BY_NAME.get(name)
        is_kept = tool is not None and not tool.needs_session and not outcome.is_error
        chars = len(json.dumps(arguments, ensure_ascii=False))
        self.uses.append(
            ToolUsed(
                task=self.task,
                receipt=self.receipt,
                tool=name if tool is not None else "unknown",
                arguments=arguments if chars <= MAX_ARGUMENT_CHARS else {"left_out": chars},
                as_of=as_of,
                proposed=proposed,
                seconds=seconds,
                chars=len(outcome.text),
                result=outcome.value if is_kept else None,
                error=outcome.value["error"] if outcome.is_error else None,
            )
        )
        return ToolResult(outcome.text, outcome.is_error)
