"""Which records of a session are shown to no agent, since they were said off the record or quote such words.

This is decided when a record is written, by the records before it, and recorded in it (`withheld`). So every
agent is shown the same, and a reader needs no history. Speech is heard in the files whose row says
`withheld`; the time off the record ends with the slide, with the question, or when somebody says so
(`privacy.off_record`). A panelist's words about an answer that is off the record are withheld with it. A
ledger of version 1 records nothing of this, so the fold decides it anew for each reader.

The files keep every word: a session never loses what was said in it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from orchestrator.core.privacy.off_record import Withheld, is_marked
from orchestrator.core.store.ledger import Bearing, Kinds, Record
from orchestrator.core.table import HISTORY, TRANSCRIPT


@dataclass(slots=True)
class OffRecord:
    """The fold that decides which records are withheld; `take` is called with the records in order.

    Its memory is bounded, except for `hidden`.
    """

    heard: Collection[str] = (TRANSCRIPT,)  # the files in which off the record is heard
    marks: Collection[str] = (HISTORY,)  # those behind whose records the talk moves on
    kinds: Kinds = field(default_factory=dict)  # classes of values, which say what they have to do with it
    is_decided: bool = False  # each record of a file says itself whether it is withheld
    hidden: dict[int, str] = field(default_factory=dict)  # the file of each record that nobody is shown
    _withheld: Withheld = field(default_factory=Withheld)
    _exchange: str | None = None  # the one that was opened or answered last
    _is_open: bool = False
    _is_about_it: bool = False  # what is written now may be about an answer that is off the record

    def copy(self) -> OffRecord:
        """Return an independent copy."""
        hidden = self.hidden if self.is_decided else dict(self.hidden)
        return replace(self, hidden=hidden, _withheld=self._withheld.copy())

    def decide(self, record: Record) -> bool:
        """Return whether a record that is about to be written is to be withheld; nothing is folded in."""
        bearing = self._bearing_of(record)
        if self._withheld.is_clear and not self._is_about_it and not _is_sensitive(record):  # nearly always
            words = bearing.words if record.file not in self.heard else bearing.words or record.text
            if not words or not self._withheld.is_heard_in(words, bearing.speaker):
                return False
        return replace(self, hidden={}, _withheld=self._withheld.probe()).take(record, is_new=True)

    def touches(self, text: str) -> bool:
        """Return whether a text quotes words that were said off the record."""
        return self._withheld.touches(text)

    def stays(self, text: str) -> bool:
        """Return whether a text is marked to stay in the session, or quotes words that were said off the
        record."""
        return is_marked(text) or self.touches(text)

    def take(self, record: Record, quoting: str | None = None, *, is_new: bool = False) -> bool:
        """Fold in the next record; return whether it is withheld.

        Args:
            quoting: The record's words that may quote somebody and may themselves be marked. If None, its
                text in the file, in which marks are not heeded: "[confidential]" on a slide hides no deck.
            is_new: Whether the record is about to be written, so that nothing is decided yet.
        """
        bearing = self._bearing_of(record)
        is_withheld: bool | None = record.withheld or None  # of version 1 nobody knows that it is not
        if self.is_decided and not is_new and record.file is not None:
            is_withheld = record.withheld
        if bearing.opens:
            self._is_open = True
            self._enter(bearing.exchange)
        if record.file in self.heard:
            is_hidden = self._hear(record, bearing, is_withheld)
        else:
            is_hidden = self._is_hidden(record, bearing, is_withheld, quoting)
        is_text = record.held is None and record.file in self.marks  # a value says itself what it ends
        is_closed = bearing.closes or is_text
        if is_closed:
            self._is_open = False
        if is_closed or bearing.moves_on:
            self._withheld.over()
        if is_hidden and record.file is not None and not self.is_decided:  # else the record says it itself
            self.hidden[record.seq] = record.file
        return is_hidden

    def _bearing_of(self, record: Record) -> Bearing:
        """Return how a record bears on what is off the record; an empty bearing if its value cannot be
        read."""
        try:
            return record.held.among(self.kinds).bearing if record.held is not None else Bearing()
        except ValueError:
            return Bearing()

    def _hear(self, record: Record, bearing: Bearing, is_withheld: bool | None) -> bool:
        if bearing.moves_on:
            return False
        if bearing.exchange is not None or not self._is_open:
            self._enter(bearing.exchange)
        words = bearing.words if bearing.words is not None else record.text or ""
        if is_withheld is False:
            self._withheld.passes(words, bearing.speaker)
            return False
        is_hidden = self._withheld.takes(
            words,
            is_sensitive=_is_sensitive(record),
            is_speech=True,
            is_lines=bearing.words is None,  # a program's own text; a value holds what was recognised
            speaker=bearing.speaker,
        )
        is_hidden = is_hidden or bool(is_withheld)
        self._is_about_it = self._is_about_it or (is_hidden and self._exchange is not None)
        return is_hidden

    def _is_hidden(
        self, record: Record, bearing: Bearing, is_withheld: bool | None, quoting: str | None
    ) -> bool:
        words = quoting if quoting is not None else bearing.words
        if words is not None:
            # What corrects or tells again what is off the record is off it too, with all its words.
            is_again = quoting is None and self.touches(words)
            quotes = self._withheld.takes(words, is_sensitive=_is_sensitive(record) or is_again)
        elif is_withheld is None:
            quotes = self.touches(record.text or "")
        else:
            return is_withheld
        is_answer = bearing.is_answer if bearing.is_answer is not None else record.op == "append"
        is_about_it = is_answer and bearing.exchange in (None, self._exchange) and self._is_about_it
        return quotes or is_about_it or bool(is_withheld)

    def _enter(self, exchange: str | None) -> None:
        """Enter an exchange. The time off the record ends with a question, and with the next exchange."""
        if exchange != self._exchange:
            self._exchange, self._is_about_it = exchange, False
            self._withheld.over()


def _is_sensitive(record: Record) -> bool:
    return record.held is not None and record.held.is_sensitive
