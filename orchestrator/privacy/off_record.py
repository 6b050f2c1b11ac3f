"""Off the record: which words, and which records of a session, are in nobody's context; decided here alone.

`OffRecord` is a fold over a session's records. What a record says is decided when it was written, by
the records before it and by nothing after it, so what an agent was shown once is never shown otherwise.
The files keep every word: a session never loses what was said in it.

Off the record begins where somebody says so, and ends where they say "on the record", with the slide
and with the question (`Withheld`). What panelists write about an answer that is off the
record goes with it.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from orchestrator.layout import Mutability
from orchestrator.privacy.masking import masked, visible
from orchestrator.store.ledger import Record
from orchestrator.store.store import Store

TRANSCRIPT: Final = "shared/presenter-transcript.md"
HISTORY: Final = "shared/exchange-history.md"
LABEL: Final = "[off the record]"

_I: Final = re.IGNORECASE
_TAGGED = re.compile(
    r"\[(?:sensitive|confidential|private|off the record)\]|(?<!\w)#(?:sensitive|confidential|private)\b", _I
)
_SAID = re.compile(
    r"\b(?:this is|that is|that['’]s|this['’]s|it['’]s|strictly|keep (?:this|that|it)|"
    r"stays|speaking|going|we are|we['’]re|i am|i['’]m) (?:\w+ )?off the record\b|"
    r"(?:^|[.!?,;:…–—(-]\s*|^\W*(?:well|so|and|but|now|okay|ok),? )\W*off the record\b|"
    r"\bkeep (?:this|that|it) (?:strictly |absolutely |completely |entirely |please )?"
    r"(?:confidential|private|secret|to (?:yourself|yourselves))"
    r"(?=\W*(?:$|[.,;:!?)]|please\b|until\b|for now\b))|"
    r"\b(?:do not|don['’]t|please don['’]t|please do not|never) (?:write (?:this|that|it) down|"
    r"(?:note|record|minute|quote|repeat|keep|remember|store) (?:this|that|me on (?:this|that)))\b|"
    r"\b(?:not for|keep (?:this|that|it) out of) the (?:minutes|record|notes)\b|"
    r"\b(?:strictly|just|only|keep (?:this|that|it)) between (?:us|ourselves|you and me|these walls)\b|"
    r"\b(?:this|that) (?:must|should|may|can) ?not leave (?:this|the) (?:room|call|session)\b",
    _I,
)
_BACK = re.compile(r"\b(?:back )?on the record\b(?! (?:for|as)\b)", _I)

RUN_WORDS: Final = 4
"""So many words in a row are a quotation, and fewer are how people speak; our own measure."""
QUOTED_WORDS: Final = range(2, RUN_WORDS)
"""So many are one between quotation marks, where nobody speaks by chance."""
MOST_RUNS: Final = 20_000
_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r'"([^"\n]{3,80})"|“([^”\n]{3,80})”|«([^»\n]{3,80})»')


@dataclass(slots=True)
class Withheld:
    """What was said and is to stay in the session, so that no later quotation of it leaves either.

    Off the record lasts until somebody says "on the record", or `over`. Only digests are kept, of
    four words in a row; past 20,000 of them everything is withheld, rather than any of it forgotten.
    """

    is_off: bool = False
    _runs: set[int] = field(default_factory=set)
    _short: set[int] = field(default_factory=set)  # of two and three words

    def takes(self, text: str, value: Mapping[str, Any] | None = None, *, is_speech: bool = False) -> bool:
        """Whether this has to stay here; what is said is remembered, so that its quotations do too."""
        if is_speech and self.is_off and _BACK.search(text):
            self.is_off = False
        stays = self.is_off if is_speech else False
        if is_marked(text, value):
            stays = True
            self.is_off = self.is_off or (is_speech and _SAID.search(text) is not None)
        if stays:
            self._runs.update(_runs(text))
            if len(self._runs) <= MOST_RUNS:  # beyond, everything is withheld
                self._short.update(run for count in QUOTED_WORDS for run in _runs(text, count))
            return True
        return self.touches(text)

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
    return {hash(tuple(run)) for run in runs if sum(len(word) > 3 or word.isdigit() for word in run) > 1}


def is_marked(text: str, value: Mapping[str, Any] | None = None) -> bool:
    """Whether somebody said, or a program noted (`"sensitive": true`), that this is to stay here."""
    is_noted = value is not None and bool(value.get("sensitive"))
    return is_noted or any(pattern.search(text) for pattern in (_TAGGED, _SAID))


def is_clean(text: str) -> bool:
    """Whether nothing in *text* has to stay in its session."""
    return not is_marked(text) and masked(text) == visible(text)


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
    _upto: int = 0
    _exchange: Any = None  # the one that was answered last
    _is_about_it: bool = False  # what is written now may be about an answer that is off the record

    def touches(self, text: str) -> bool:
        """Whether a text quotes what was said off the record."""
        return self._withheld.touches(text)

    def catch_up(self, store: Store) -> None:
        """Take the records that were written since, in order."""
        with store.still() as last:
            for seq in range(self._upto + 1, last + 1):
                self.take(store.record(seq))
            self._upto = last

    def take(self, record: Record) -> bool:
        """Fold in the next record; whether nobody is shown it."""
        value: Mapping[str, Any] = record.value if isinstance(record.value, Mapping) else {}
        text, path = record.text or "", record.file or ""
        if path == TRANSCRIPT:
            is_hidden = self._hear(value, text)
        else:
            is_about_it = self._is_about_it and record.op == "append" and value.get("type") != "said"
            is_hidden = is_about_it or self._withheld.touches(text)
        if path == HISTORY:
            self._withheld.over()
        if is_hidden:
            self.hidden[record.seq] = path
        return is_hidden

    def _hear(self, value: Mapping[str, Any], text: str) -> bool:
        if value.get("type") == "slide":
            self._withheld.over()
            return False
        exchange, said = value.get("exchange"), value.get("segment")
        if exchange != self._exchange:
            self._exchange, self._is_about_it = exchange, False
            self._withheld.over()
        words = said.get("text") if isinstance(said, Mapping) else None
        is_hidden = self._withheld.takes(words if isinstance(words, str) else text, value, is_speech=True)
        self._is_about_it = self._is_about_it or (is_hidden and exchange is not None)
        return is_hidden

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
    fold.catch_up(store)
    return fold


def shown_content(store: Store, path: str) -> str:
    """A file's content now, as an agent may read it."""
    with store.still():
        return shown_of(store, path, store.content(path), off_record(store).hidden)


def _made_of(store: Store, path: str, seq: int) -> Sequence[int]:
    """The records whose texts, one behind the other, were a file's content at record *seq*."""
    state = store.state(path)
    seqs = state.seqs[: bisect_right(state.seqs, seq)]
    return seqs if state.row.mutability is Mutability.APPEND_ONLY else seqs[-1:]
