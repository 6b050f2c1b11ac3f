"""Which records of a session say, or quote, what was said off the record: they are in nobody's context.

A fold over the records of session files. What a record says is decided when it was written, by the
records before it and by nothing after it, so what an agent was shown once is never shown otherwise.
The files keep every word: a session never loses what was said in it.

Off the record begins where somebody says so, and ends where they say "on the record", with the slide
and with the question (`sensitive.Withheld`). What panelists write about an answer that is off the
record goes with it.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from orchestrator.layout import Mutability
from orchestrator.ledger import Record
from orchestrator.memory.sensitive import Withheld, may_hold_marked
from orchestrator.store import Store

TRANSCRIPT: Final = "shared/presenter-transcript.md"
HISTORY: Final = "shared/exchange-history.md"
LABEL: Final = "[off the record]"
MANY: Final = 100
"""Records beyond which the transcript is searched whole before any of them is read."""

_NOTED: Final = b'"sensitive":true'
"""As the ledger writes what a program notes."""


def blanked(text: str) -> str:
    """A word for what it was in the place of *text*, as long in bytes: what stands behind stays there."""
    end = "\n" if text.endswith("\n") else ""
    size = len(text.encode()) - len(end)
    return LABEL[:size].ljust(size, ".") + end


@dataclass(slots=True)
class OffRecord:
    """The fold; `catch_up` brings it up to what a store knows."""

    hidden: dict[int, str] = field(default_factory=dict)  # the file of each record that nobody is shown
    _withheld: Withheld = field(default_factory=Withheld)
    _looked_at: dict[str, int] = field(default_factory=dict)  # how many records, by file
    _upto: int = 0
    _exchange: Any = None  # the one that was answered last
    _touching: dict[str, bool] = field(default_factory=dict)  # what was asked since anything was added
    _is_about_it: bool = False  # what is written now may be about an answer that is off the record

    def touches(self, text: str) -> bool:
        """Whether a text quotes what was said off the record."""
        if not self._withheld.holds_anything:
            return False
        known = self._touching.get(text)
        if known is None:
            known = self._touching[text] = self._withheld.touches(text)
        return known

    def catch_up(self, store: Store) -> None:
        """Take the records that were written since, in order; only speech, as long as nothing is withheld."""
        with store.still() as last:
            if last == self._upto:
                return
            spoken = self._new(store, TRANSCRIPT, last + 1)
            if len(spoken) > MANY and not self._withheld.holds_anything and _is_unmarked(store):
                spoken = []
            for seq in spoken:
                was_held = self._withheld.holds_anything
                if was_held:
                    self._look(store, seq)
                self.take(store.record(seq))
                if self._withheld.holds_anything and not was_held:  # what was written before quotes nothing
                    self._looked_at |= {path: _count(store, path, seq) for path in _others(store)}
            if self._withheld.holds_anything:
                self._look(store, last + 1)
            self._upto = last

    def _look(self, store: Store, before: int) -> None:
        """Take what was written to other files up to there."""
        new = [seq for path in _others(store) for seq in self._new(store, path, before)]
        for seq in sorted(new):
            self.take(store.record(seq))

    def _new(self, store: Store, path: str, before: int) -> list[int]:
        first, last = self._looked_at.get(path, 0), _count(store, path, before)
        self._looked_at[path] = last
        return store.state(path).seqs[first:last]

    def take(self, record: Record) -> None:
        """Fold in the next record of a session file."""
        value: Mapping[str, Any] = record.value if isinstance(record.value, Mapping) else {}
        text, path = record.text or "", record.file or ""
        if path == TRANSCRIPT:
            self._hear(value, text, record.seq)
            return
        if self._withheld.touches(text) or (
            self._is_about_it and record.op == "append" and value.get("type") != "said"
        ):
            self.hidden[record.seq] = path
        if path == HISTORY:
            self._withheld.over()

    def _hear(self, value: Mapping[str, Any], text: str, seq: int) -> None:
        if value.get("type") == "slide":
            self._withheld.over()
            return
        exchange, said = value.get("exchange"), value.get("segment")
        if exchange != self._exchange:
            self._exchange, self._is_about_it = exchange, False
            self._withheld.over()
        words = said.get("text") if isinstance(said, Mapping) else None
        if self._withheld.takes(words if isinstance(words, str) else text, value, is_speech=True):
            self.hidden[seq] = TRANSCRIPT
            self._touching.clear()
            self._is_about_it = self._is_about_it or exchange is not None

    def among(self, store: Store, paths: Collection[str], seq: int) -> tuple[int, ...]:
        """The hidden records that these files, as they were at record *seq*, are made of."""
        return tuple(
            sorted(
                number
                for number, path in self.hidden.items()
                if number <= seq and path in paths and number in _made_of(store, path, seq)
            )
        )


def shown_of(store: Store, path: str, content: str, hidden: Collection[int], seq: int = sys.maxsize) -> str:
    """A file's *content* at record *seq*, without the hidden records; it is as long as it was."""
    if not hidden:
        return content
    seqs = _made_of(store, path, seq)
    if not any(number in hidden for number in seqs):
        return content
    texts = ((number, store.record(number).text or "") for number in seqs)
    return "".join(blanked(text) if number in hidden else text for number, text in texts)


def shown_content(store: Store, path: str) -> str:
    """A file's content now, as an agent may read it."""
    with store.still():
        fold = OffRecord()
        fold.catch_up(store)
        return shown_of(store, path, store.content(path), fold.hidden)


def _made_of(store: Store, path: str, seq: int) -> Sequence[int]:
    """The records whose texts, one behind the other, were a file's content at record *seq*."""
    state = store.state(path)
    seqs = state.seqs[: bisect_right(state.seqs, seq)]
    return seqs if state.row.mutability is Mutability.APPEND_ONLY else seqs[-1:]


def _is_unmarked(store: Store) -> bool:
    """Whether nobody has said, and no program noted, that anything is off the record."""
    if may_hold_marked(store.content(TRANSCRIPT)):
        return False
    pending = (store.record(seq).value or {} for seq in store.state(TRANSCRIPT).seqs if seq > store.seq)
    return _NOTED not in store.ledger_path.read_bytes() and not any(one.get("sensitive") for one in pending)


def _others(store: Store) -> list[str]:
    return [path for path in store.layout.files if path != TRANSCRIPT]


def _count(store: Store, path: str, before: int) -> int:
    """How many records of a file stand before that one."""
    return bisect_left(store.state(path).seqs, before)
