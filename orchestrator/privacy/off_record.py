"""Off the record: which words, and which records of a session, are in nobody's context; decided here alone.

`OffRecord` is a fold over a session's records. Whether a record is hidden is decided by the records
before it and by none after it, so an agent is never shown it in two ways.
The files keep every word: a session never loses what was said in it.

Off the record begins with the piece of speech in which anybody says these words, to whatever end, and ends
where somebody says plainly "back on the record", with the slide and with the question (`Withheld`).
A panelist's words about an answer that is off the record go with it.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from orchestrator.layout import HISTORY, TRANSCRIPT, Mutability
from orchestrator.legible import one_line
from orchestrator.packaged import packaged_yaml
from orchestrator.privacy.masking import masked, visible
from orchestrator.store.ledger import Record
from orchestrator.store.store import Store

LABEL: Final = "[off the record]"

Forms = Mapping[str, re.Pattern[str]]
"""By words that stand wherever one of its forms does: to look for them takes a hundredth of the time."""

RUN_WORDS: Final = 4
"""So many words in a row are a quotation; our own measure. With three, turns of speech that everybody uses
would withhold questions that quote nothing; with five, a remark of four words would leave the session."""
QUOTED_WORDS: Final = range(2, RUN_WORDS)
"""So many words are a quotation between quotation marks, where nobody speaks by chance."""
# Four-word runs, so about as many words: more than two hours of speech (18,000) hold. It bounds memory.
MOST_RUNS: Final = 20_000
_ABOUT_ANSWERS: Final = ("verdict", "follow_up", "observation")  # types of a panelist's records on an answer
_WORD = re.compile(r"[^\W_]+")
MOST_BEFORE: Final = 80
"""Characters of what was said before: more than any form of words has. It bounds memory and time."""
# Three to eighty characters: a longer stretch holds a run of four words and is found without the marks.
_QUOTED = re.compile(r'"([^"\n]{3,80})"|“([^”\n]{3,80})”|«([^»\n]{3,80})»')


@dataclass(slots=True)
class Withheld:
    """The words that are to stay in the session, so that no later quotation of them leaves either.

    Off the record lasts until somebody says plainly "on the record", or `over`. Only digests are kept, of
    four words in a row; past 20,000 of them everything is withheld, rather than any of it forgotten.
    """

    is_off: bool = False
    _runs: set[int] = field(default_factory=set)
    _short: set[int] = field(default_factory=set)  # of two and three words
    _before: dict[str | None, str] = field(default_factory=dict)  # each speaker's last words

    def takes(
        self,
        text: str,
        value: Mapping[str, Any] | None = None,
        *,
        is_speech: bool = False,
        speaker: str | None = None,
    ) -> bool:
        """Whether this has to stay here; what is said is remembered, so that its quotations do too."""
        heard = _plain(text)
        is_off = self._hears(heard, speaker) if is_speech else bool(_found("said", heard))
        if is_off or _is_tagged(heard, value):
            self._runs.update(_runs(text))
            if len(self._runs) <= MOST_RUNS:  # beyond, everything is withheld
                self._short.update(run for count in QUOTED_WORDS for run in _runs(text, count))
            return True
        return self.touches(text)

    def _hears(self, heard: str, speaker: str | None) -> bool:
        """Whether any of a piece of speech is off the record; a phrase may have begun in the one before."""
        before = self._before.get(speaker, "")
        joined = f"{before} {heard}" if before else heard
        self._before[speaker] = joined[-MOST_BEFORE:]
        said = _found("said", joined)
        if not said and not self.is_off:  # nearly always
            return False
        off_at = max((end for _, end in said if end > len(before)), default=0)
        backs = [(start, end) for start, end in _found("back", joined) if end > len(before)]
        is_back_at_once = bool(backs) and backs[0][0] <= len(before)
        is_any_off = off_at > 0 or (self.is_off and not is_back_at_once)
        if off_at or backs:
            self.is_off = off_at > max((end for _, end in backs), default=0)
        return is_any_off

    def touches(self, text: str) -> bool:
        """Whether it quotes what is withheld: four words of it, or two between quotation marks."""
        if not self._runs and not self._short:
            return False
        if len(self._runs) > MOST_RUNS or not self._runs.isdisjoint(_runs(text)):
            return True
        return any(self._is_quoted("".join(found)) for found in _QUOTED.findall(text))

    def _is_quoted(self, phrase: str) -> bool:
        count = len(_WORD.findall(phrase))
        return count in QUOTED_WORDS and not self._short.isdisjoint(_runs(phrase, count))

    def over(self) -> None:
        """The talk has moved on, so nobody is off the record any more."""
        self.is_off = False


def _runs(text: str, count: int = RUN_WORDS) -> set[int]:
    """Digests of so many words in a row, where more than one of them tells anything."""
    words = [word.casefold() for word in _WORD.findall(text)]
    runs = (words[at : at + count] for at in range(len(words) - count + 1))
    # Runs of little words ("and it is the") are how everybody speaks, and would withhold half a session.
    # A word of more than three letters, or a figure, is none of them.
    return {hash(tuple(run)) for run in runs if sum(len(word) > 3 or word.isdigit() for word in run) > 1}


def is_marked(text: str, value: Mapping[str, Any] | None = None) -> bool:
    """Whether somebody said, or a program noted (`"sensitive": true`), that this is to stay here."""
    heard = _plain(text)
    return _is_tagged(heard, value) or bool(_found("said", heard))


def _is_tagged(heard: str, value: Mapping[str, Any] | None) -> bool:
    is_noted = value is not None and bool(value.get("sensitive"))
    return is_noted or bool(_found("tag", heard))


def _plain(text: str) -> str:
    """A text as the patterns read it."""
    return one_line(text).casefold().replace("’", "'")


def _found(kind: str, heard: str) -> list[tuple[int, int]]:
    """Where each form of a kind begins and ends."""
    spans: list[tuple[int, int]] = []
    # A plain loop: generators took twice the time, of a third of a session's first context.
    for words, form in _forms()[kind].items():
        if words in heard:
            spans += [match.span() for match in form.finditer(heard)]
    return spans


@cache
def _forms() -> Mapping[str, Forms]:
    return {
        kind: {words: re.compile(form, re.VERBOSE) for words, form in forms.items()}
        for kind, forms in packaged_yaml("privacy/off_record.yaml").items()
    }


def is_clean(text: str) -> bool:
    """Whether nothing in *text* has to stay in its session."""
    return not is_marked(text) and masked(text) == visible(text)


def blanked(text: str) -> str:
    """A word for what it was in the place of *text*, as long in bytes: what stands behind stays there."""
    end = "\n" if text.endswith("\n") else ""
    # In bytes: offsets into the file, as receipts and cut points hold them, stay right.
    size = len(text.encode()) - len(end)
    return LABEL[:size].ljust(size, ".") + end


@dataclass(slots=True)
class OffRecord:
    """The fold: `take` is given records one after the other, or `catch_up` a store.

    Its memory is bounded but for `hidden`, which only `catch_up` fills.
    """

    hidden: dict[int, str] = field(default_factory=dict)  # the file of each record that nobody is shown
    _withheld: Withheld = field(default_factory=Withheld)
    _upto: int = 0
    _exchange: Any = None  # the one that was opened or answered last
    _is_open: bool = False
    _is_about_it: bool = False  # what is written now may be about an answer that is off the record

    def touches(self, text: str) -> bool:
        """Whether a text quotes what was said off the record."""
        return self._withheld.touches(text)

    def stays(self, text: str, value: Mapping[str, Any] | None = None) -> bool:
        """Whether a text is marked to stay in the session, or quotes what was said off the record."""
        return is_marked(text, value) or self.touches(text)

    def catch_up(self, store: Store, upto: int) -> None:
        """Take the records behind the last one that was taken, in order, up to number *upto*."""
        for seq in range(self._upto + 1, upto + 1):
            record = store.record(seq)
            if self.take(record) and record.file is not None:
                self.hidden[seq] = record.file
            self._upto = seq

    def take(self, record: Record, quoting: str | None = None) -> bool:
        """Fold in the next record; whether nobody is shown it.

        Args:
            quoting: Its words, as far as they may quote somebody, and may be marked themselves; None: its
                text in the file, whose marks are its own: "[confidential]" on a slide hides no deck.
        """
        value: Mapping[str, Any] = record.value if isinstance(record.value, Mapping) else {}
        kind, exchange = value.get("type"), value.get("exchange")
        if isinstance(exchange, Mapping):
            exchange = exchange.get("id")
        if kind == "exchange_opened":
            self._is_open = True
            self._enter(exchange)
        if record.file == TRANSCRIPT:
            is_hidden = self._hear(value, record.text or "")
        else:
            is_about_it = record.op == "append" or kind in _ABOUT_ANSWERS
            is_about_it = is_about_it and kind != "said" and exchange in (None, self._exchange)
            if quoting is None:
                quotes = self.touches(record.text or "")
            else:
                quotes = self._withheld.takes(quoting, value)
            is_hidden = quotes or (self._is_about_it and is_about_it)
        if kind == "exchange_closed" or record.file == HISTORY:
            self._is_open = False
            self._withheld.over()
        return is_hidden

    def _hear(self, value: Mapping[str, Any], text: str) -> bool:
        if value.get("type") == "slide":
            self._withheld.over()
            return False
        exchange, said = value.get("exchange"), value.get("segment")
        if exchange is not None or not self._is_open:
            self._enter(exchange)
        words = said.get("text") if isinstance(said, Mapping) else None
        speaker = str(said.get("speaker")) if isinstance(said, Mapping) else None
        spoken = words if isinstance(words, str) else text
        is_hidden = self._withheld.takes(spoken, value, is_speech=True, speaker=speaker)
        self._is_about_it = self._is_about_it or (is_hidden and self._exchange is not None)
        return is_hidden

    def _enter(self, exchange: Any) -> None:
        """Off the record ends with the question, and with the next one."""
        if exchange != self._exchange:
            self._exchange, self._is_about_it = exchange, False
            self._withheld.over()

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


def off_record(store: Store) -> OffRecord:
    """All that is off the record in a session as it stands."""
    fold = OffRecord()
    fold.catch_up(store, store.last)
    return fold


def shown_content(store: Store, path: str) -> str:
    """A file's content now, as an agent may read it."""
    with store.history.mutex:
        store.catch_up()
        return shown_of(store, path, store.content(path), off_record(store).hidden)


def _made_of(store: Store, path: str, seq: int) -> Sequence[int]:
    """The records whose texts, one behind the other, were a file's content at record *seq*."""
    state = store.state(path)
    seqs = state.seqs[: bisect_right(state.seqs, seq)]
    return seqs if state.row.mutability is Mutability.APPEND_ONLY else seqs[-1:]
