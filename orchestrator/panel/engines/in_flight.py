"""The calls of one engine: those under way, and the outcomes of those that are over.

A waiting caller reads here what it waits for, and the engine that falls back reads why the model failed. None
of the session's words are stored here, only agents, kinds of task, times, and errors of one line.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Final

from orchestrator.core.errors import EngineError

IN_WORDS: Final = {
    "check": "a first small question",
    "focus_brief": "what to go after",
    "candidate_question": "what to ask next",
    "judgement": "whether that was answered",
    "notes": "what to note for next time",
    "debrief": "what to take home",
    "tensions": "what contradicts what",
    "doubt": "whether it does contradict itself",
    "dossier": "what the board may attack",
    "news": "what the news bears on",
    "facts": "which facts were stated",
    "scribe": "which goals and decisions were stated",
}
"""Maps each kind of task to plain words for what a model is asked."""
CHECK: Final = "check"
MAX_REASONS: Final = 3
"""Maximum number of reasons of failed calls that are reported, the most frequent first.

The others are counted.
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that is under way or over."""

    agent: str
    kind: str  # of task
    began_s: float  # monotonic clock
    seconds: float | None = None  # that it took; None: it is under way

    def __str__(self) -> str:
        """Return the agent of the call, and in plain words what it is asked."""
        if self.kind == CHECK:  # before there is a panel
            return f"the model: {IN_WORDS[CHECK]}"
        return f"{self.agent}: {IN_WORDS.get(self.kind, self.kind)}"


class Calls:
    """The calls of one engine; safe to use from several threads."""

    def __init__(self) -> None:
        """Start with no calls."""
        self._lock = threading.Lock()
        self._under_way: list[Call] = []
        self._last: Call | None = None
        self._reasons: Counter[str] = Counter()
        self.failed_in_a_row = 0
        self.has_ever_answered = False  # a call brought a result that holds

    @contextmanager
    def under_way(self, agent: str, kind: str, *, is_trial: bool = False) -> Iterator[None]:
        """Count the block as a call; a cancelled call counts as neither answered nor failed.

        Args:
            is_trial: Whether the call is so small that its success says nothing about other calls; its
                failure does count.
        """
        call = Call(agent, kind, monotonic())
        with self._lock:
            self._under_way.append(call)
        try:
            yield
        except EngineError as error:
            self._end(call, error, is_trial)
            raise
        except BaseException:
            with self._lock:
                self._under_way.remove(call)
            raise
        self._end(call, None, is_trial)

    def _end(self, call: Call, error: EngineError | None, is_trial: bool) -> None:
        with self._lock:
            self._under_way.remove(call)
            self._last = Call(call.agent, call.kind, call.began_s, monotonic() - call.began_s)
            if error is not None:
                self.failed_in_a_row += 1
                self._reasons[str(error)] += 1
            elif not is_trial:
                self.has_ever_answered, self.failed_in_a_row = True, 0

    def now(self) -> tuple[tuple[Call, ...], Call | None]:
        """Return the calls that are under way, the oldest first, and the last call that is over."""
        with self._lock:
            return tuple(self._under_way), self._last

    def line(self, *, after_s: float = 0.0) -> str | None:
        """Return one line about the calls under way, or None if none of them has taken *after_s* seconds."""
        under_way, last = self.now()
        if not under_way:
            return None
        seconds = monotonic() - under_way[0].began_s
        if seconds < after_s:
            return None
        more = f", and {len(under_way) - 1} more" if len(under_way) > 1 else ""
        before = f"; the last took {last.seconds:.0f} s" if last is not None and last.seconds else ""
        return f"asking {under_way[0]}{more}: {seconds:.0f} s so far{before}"

    def failures(self, where: str) -> str:
        """Return how many calls failed and why, the most frequent reason first, in one line.

        Args:
            where: The name of the service. Reasons begin with it, and it is cut off from each of them.
        """
        with self._lock:
            reasons = Counter({why.removeprefix(f"{where} "): count for why, count in self._reasons.items()})
        return failures_told(reasons)


def failures_told(reasons: Counter[str]) -> str:
    """Return how many calls failed and why, the most frequent reason first, in one line."""
    ordered = reasons.most_common()
    shown = [f"{_times(count)}: {reason}" for reason, count in ordered[:MAX_REASONS]]
    if rest := sum(count for _, count in ordered[MAX_REASONS:]):
        shown.append(f"{_times(rest)}: for other reasons")
    count = reasons.total()
    return f"{count} {'call' if count == 1 else 'calls'} ({'; '.join(shown)})"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
