"""`Session` with the names of release 0.2, and with earlier meanings of names that stay. Kept for one
release.

Each earlier name warns once in a process which name of `Rehearsal` has replaced it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from orchestrator.core.context.receipt import Receipt
from orchestrator.core.errors import ReceiptError, UsageError
from orchestrator.core.legible import said_argument, text_argument
from orchestrator.core.session import MAX_NAME_CHARS
from orchestrator.rehearsal.rehearsal import Rehearsal

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context
    from orchestrator.material.speech.read import Recording
    from orchestrator.material.values import Segment
    from orchestrator.panel.answers import Answer
    from orchestrator.panel.model.exchange import Exchange

NOW: Final = {
    "append": "`Rehearsal.append` returns the record's number, not the file's length in bytes",
    "write": "`Rehearsal.write` returns the record's number, not the file's revision",
    "context": "`context(purpose=…)` is `Rehearsal.context(task=…)`",
    "context_at": "`context_at` is `Rehearsal.replay(receipt)`, or `context(agent, at=number)`",
    "ask": "`ask` is `Rehearsal.call_on(agent)`, or `put(agent, question)` for a question of one's own",
    "take_answer": "`take_answer` is `Rehearsal.answer`",
    "answer": "`answer` judges no more: it is `Rehearsal.answer(text)`, then `judge()`",
    "load": "`load` is the first half of `Rehearsal.play(recording)`",
    "add_recording": "`add_recording` is `Rehearsal.hear(recording)`",
    "add_segment": "`add_segment` is `Rehearsal.hear(segment)`",
    "listen": "`listen` is `loop.live.feed_live`, or `Rehearsal.hear(piece)` for each piece",
}
"""By earlier name or meaning: what to use now."""
_said: set[str] = set()


def _say(name: str) -> None:
    if name not in _said:
        _said.add(name)
        warnings.warn(f"an earlier name: {NOW[name]}", DeprecationWarning, stacklevel=3)


class Session(Rehearsal):
    """A rehearsal with the names and meanings of release 0.2."""

    def append(self, path: str, text: str, *, by: str, receipt: str | Receipt | None = None) -> int:
        """Append as `Rehearsal.append` does, but return the file's length in bytes."""
        _say("append")
        super().append(path, text, by=by, receipt=receipt)
        return self._store.state(path).size_bytes

    def write(self, path: str, text: str, *, by: str, receipt: str | Receipt | None = None) -> int:
        """Write as `Rehearsal.write` does, but return the number of the file's revision."""
        _say("write")
        super().write(path, text, by=by, receipt=receipt)
        return self._store.state(path).revisions

    def context(
        self,
        agent: str,
        *,
        task: str | None = None,
        engine: str | None = None,
        at: int | None = None,
        purpose: str | None = None,
    ) -> Context:
        """Return a context as `Rehearsal.context` does; *purpose* replaces *task*, with at most 200
        characters."""
        if purpose is not None:
            _say("context")
            text_argument("purpose", purpose, max_chars=MAX_NAME_CHARS)
        return super().context(agent, task=purpose if task is None else task, engine=engine, at=at)

    def context_at(self, receipt: str | int | Receipt, agent: str | None = None) -> Context:
        """Return an earlier context: by its receipt or the receipt's id, or *agent*'s as of a record's
        number.

        Raises:
            ReceiptError: There is no such receipt or record, or a file is not what the receipt says.
        """
        _say("context_at")
        if agent is not None:
            text_argument("agent", agent)
        if isinstance(receipt, Receipt):
            return self.replay(receipt)
        if isinstance(receipt, int) and not isinstance(receipt, bool):
            if agent is None:
                raise UsageError("a context as of a record needs the agent's name")
            return super().context(agent, at=receipt)
        found = self.receipt(text_argument("receipt", receipt))
        if agent is not None and agent != found.agent:
            raise ReceiptError(f"receipt {receipt} is of {found.agent}, not of {agent}")
        return self.replay(found)

    def load(
        self,
        recording: Recording,
        *,
        kind: str,
        answers: Sequence[Answer] = (),
        archive: str | None = None,
        typed: bool = False,
    ) -> None:
        """Store a whole recording in the session, for `play`."""
        from orchestrator.panel.loop import recorded

        _say("load")
        recorded.begin(self._now, recorded.Loading(recording, kind, tuple(answers), archive, typed))

    def add_recording(self, recording: Recording) -> None:
        """Append a recording's segments as they are, while another process drives the session."""
        _say("add_recording")
        self.hear(recording)

    def add_segment(self, segment: Segment) -> None:
        """Append one piece of speech to the transcript."""
        _say("add_segment")
        self.hear(segment)

    def listen(self, source: str, *, stop: Callable[[], bool], say: Callable[[str], None]) -> None:
        """Read live speech from stdin (`-`) or a growing file, as `loop.live.feed_live` does."""
        from orchestrator.panel.loop import live

        _say("listen")
        live.feed_live(self.rehearsal, source, stop=stop, say=say, on_step=self.watch.after_step)

    def ask(
        self,
        agent: str | None = None,
        *,
        question: str | None = None,
        quote: str | None = None,
        receipt: str | Receipt | None = None,
        parked: bool = False,
    ) -> Exchange | None:
        """Let the panel put a question, or put the caller's own question."""
        _say("ask")
        for name, text in (("question", question), ("quote", quote)):
            if text is not None:
                said_argument(name, text)
        if question is None:
            if quote is not None:
                raise UsageError("a quote goes with a question of your own: give that as well")
            if receipt is not None:
                raise UsageError("a receipt goes with a question of your own: give that as well")
            return self.call_on(agent, parked=parked)
        if agent is None:
            raise UsageError("a question of your own needs the agent who puts it")
        return self.put(agent, question, quote=quote, receipt=receipt)

    def take_answer(self, text: str | None) -> Exchange:
        """Record the presenter's answer to the open question, as `Rehearsal.answer` does."""
        _say("take_answer")
        return super().answer(text)

    def answer(self, text: str | None) -> Any:  # a Judgement: of `Rehearsal` it is the exchange
        """Record the presenter's answer and let the panel judge it; return the judgement.

        An answer that asks to come back to the question parks the question: the judgement is then `unjudged`,
        with the words that ask for it. An answer that was recorded before but not judged is judged if *text*
        repeats it or is None.

        Raises:
            SessionStateError: No question is open, or it was already answered in other words.
        """
        _say("answer")
        return self.answer_and_judge(text)
