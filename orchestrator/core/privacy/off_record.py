"""Off the record: which words must stay in the session. `store.off_record` decides by them which records
stay.

Talk is off the record from the piece of speech in which anybody says so, for whatever purpose, until somebody
plainly says "back on the record" or the talk moves on (`Withheld.over`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Final

from orchestrator.core.legible import one_line, page
from orchestrator.core.packaged import packaged_yaml
from orchestrator.core.privacy.masking import masked, visible

LABEL: Final = "[off the record]"

Forms = Mapping[str, re.Pattern[str]]
"""Patterns for forms of words, each by the words that every match contains: searching for those first
takes a hundredth of the time."""

RUN_WORDS: Final = 4
"""Minimum number of words in a row that count as a quotation; our own measure. With three, common turns of
speech would withhold questions that quote nothing; with five, a remark of four words would leave the
session."""
QUOTED_WORDS: Final = range(2, RUN_WORDS)
"""Numbers of words that count as a quotation if they are between quotation marks, where words are never
there by chance."""
# Four-word runs, so about as many words: more than two hours of speech (18,000) hold. It bounds memory.
MAX_RUNS: Final = 20_000
_WORD = re.compile(r"[^\W_]+")
MAX_BEFORE: Final = 80
"""Maximum characters of earlier speech that are kept: longer than any form of words. The limit bounds
memory and time."""
# What minutes and chats put before a line: a mark of a list, a time or a day, and whose words follow.
_TIMES = re.compile(r"(?:[-*>•] )?(?:[\[(]?\d[\d:.,/TZ+-]*[\])]?(?: [-–—|])? )*")
_NAME = re.compile(r"<[^<>]{1,40}>:? |([^:!?…]{1,60}?)(?: ?[\[(]?\d\d?[:.][\d:.]+[\])]?)?:[*_]* ")
_ENDED = re.compile(r"""(?:^|[.!?…]["'”)\]]*)$""")
MAX_NAME_WORDS: Final = 4
"""Maximum words of a speaker's name: "Dr. Ann Maria Lee"; our own measure."""
# Three to eighty characters: a longer stretch holds a run of four words and is found without the marks.
_QUOTED = re.compile(r'"([^"\n]{3,80})"|“([^”\n]{3,80})”|«([^»\n]{3,80})»')


@dataclass(slots=True)
class Withheld:
    """The words that must stay in the session, so that no later quotation of them leaves it.

    Talk is off the record until somebody plainly says "on the record", or `over` is called. Only digests of
    four words in a row are stored; beyond 20,000 digests everything is withheld, so that none has to be
    forgotten.
    """

    is_off: bool = False
    _runs: frozenset[int] = frozenset()  # replaced and never changed, so that a copy costs nothing
    _short: frozenset[int] = frozenset()  # of two and three words
    _before: dict[str | None, str] = field(default_factory=dict)  # each speaker's last words
    _is_probe: bool = False

    def copy(self) -> Withheld:
        """Return an independent copy."""
        return replace(self, _before=dict(self._before))

    def probe(self) -> Withheld:
        """Return a copy that decides one question and remembers no words; its cost does not grow with the
        words."""
        return replace(self, _before=dict(self._before), _is_probe=True)

    def takes(
        self,
        text: str,
        *,
        is_sensitive: bool = False,
        is_speech: bool = False,
        is_lines: bool = False,
        speaker: str | None = None,
    ) -> bool:
        """Return whether *text* has to stay here; remember what does, so that its quotations stay too.

        Args:
            is_speech: It is said, so that it begins and ends what is off the record.
            is_lines: It was written line by line. What is recognised or cut into captions is not: there a
                sentence may begin in the piece before.
        """
        heard = _plain(text)
        is_off = self._hears(text, speaker, is_lines=is_lines) if is_speech else bool(_found("said", heard))
        if is_off or is_sensitive or _found("tag", heard):
            if self._is_probe:
                return True
            self._runs |= _runs(text)
            if len(self._runs) <= MAX_RUNS:  # beyond, everything is withheld
                self._short |= {run for count in QUOTED_WORDS for run in _runs(text, count)}
            return True
        return self.touches(text)

    @property
    def is_clear(self) -> bool:
        """Whether nothing that was said so far has to stay in the session."""
        return not (self.is_off or self._runs or self._short)

    def is_heard_in(self, text: str, speaker: str | None) -> bool:
        """Return whether a piece of speech contains a form of words, or completes one; remember nothing."""
        before, heard = self._before.get(speaker, ""), _plain(text)
        return bool(_found("said", f"{before} {heard}") or _found("tag", heard))

    def passes(self, text: str, speaker: str | None) -> None:
        """Take in a piece of speech that was already decided to be on the record."""
        self.is_off = False
        before, heard = self._before.get(speaker, ""), _plain(text)
        self._before[speaker] = (f"{before} {heard}" if before else heard)[-MAX_BEFORE:]

    def _hears(self, text: str, speaker: str | None, *, is_lines: bool) -> bool:
        """Return whether any of a piece of speech is off the record; a phrase may begin in the speaker's
        piece before."""
        before, heard = self._before.get(speaker, ""), _plain(text)
        joined = f"{before} {heard}" if before else heard
        self._before[speaker] = joined[-MAX_BEFORE:]
        said = _found("said", joined)
        if not said and not self.is_off:  # nearly always
            return False
        off_at = max((end for _, end in said if end > len(before)), default=0)
        # Character for character as long as *joined*, so that places in both may be compared.
        apart = "" if not before else "\n" if is_lines else " "
        is_begun = is_lines or _ENDED.search(before) is not None
        marked = f"{before}{apart}{_sentences(text, is_lines=is_lines, is_begun=is_begun)}"
        backs = [(start, end) for start, end in _found("back", marked) if end > len(before)]
        is_back_at_once = bool(backs) and backs[0][0] <= len(before) + len(apart)
        is_any_off = off_at > 0 or (self.is_off and not is_back_at_once)
        if off_at or backs:
            self.is_off = off_at > max((end for _, end in backs), default=0)
        return is_any_off

    def touches(self, text: str) -> bool:
        """Return whether *text* quotes withheld words: four of them in a row, or two between quotation
        marks."""
        if not self._runs and not self._short:
            return False
        if len(self._runs) > MAX_RUNS or not self._runs.isdisjoint(_runs(text)):
            return True
        return any(self._is_quoted("".join(found)) for found in _QUOTED.findall(text))

    def _is_quoted(self, phrase: str) -> bool:
        count = len(_WORD.findall(phrase))
        return count in QUOTED_WORDS and not self._short.isdisjoint(_runs(phrase, count))

    def over(self) -> None:
        """End the time off the record, since the talk has moved on."""
        self.is_off = False


def _runs(text: str, count: int = RUN_WORDS) -> set[int]:
    """Return digests of each run of *count* words, except runs in which only one word is significant."""
    words = [word.casefold() for word in _WORD.findall(text)]
    runs = (words[at : at + count] for at in range(len(words) - count + 1))
    # Runs of little words ("and it is the") are how everybody speaks, and would withhold half a session.
    # A word of more than three letters, or a figure, is none of them.
    return {hash(tuple(run)) for run in runs if sum(len(word) > 3 or word.isdigit() for word in run) > 1}


def is_marked(text: str) -> bool:
    """Return whether *text* itself says, or is marked beside it, that it must stay in the session."""
    heard = _plain(text)
    return bool(_found("tag", heard) or _found("said", heard))


@lru_cache(maxsize=8)  # a piece is looked at when it is decided about, and again when it is folded in
def _plain(text: str) -> str:
    """Return a text in the form that the patterns expect."""
    return one_line(text).casefold().replace("’", "'")


def _sentences(text: str, *, is_lines: bool, is_begun: bool) -> str:
    """Return a text as `_plain`, character for character, but "\\n" where a line or label begins a sentence.

    A label is what says who speaks, or when. A line that goes on in small letters was only wrapped there.

    Args:
        is_begun: A sentence begins with the text, so that there may be a label.
    """
    lines = [one_line(line) for line in (page(text).split("\n") if is_lines else [text])]
    parts: list[str] = []
    for number, line in enumerate(lines):
        if not line:
            continue
        size = _label_size(line) if is_begun else 0
        is_wrapped = size == 0 and line[0].islower() and number > 0 and bool(lines[number - 1])
        parts += [] if not parts else [" " if is_wrapped else "\n"]
        parts += ["\n" * len(_plain(line[:size].rstrip())), "\n" if size else "", _plain(line[size:])]
    return "".join(parts)


def _label_size(line: str) -> int:
    """Return how many characters of a line say who speaks or when: "Ann: ", "10:04 ann: ", "[10:04] "."""
    times = _TIMES.match(line)
    at = times.end() if times is not None else 0
    name = _NAME.match(line, at)
    return name.end() if name is not None and (name[1] is None or _is_name(name[1])) else at


def _is_name(words: str) -> bool:
    """Return whether what stands before a colon may name a speaker; several words in small letters do not."""
    several = [word.strip('*_@()[]"') for word in words.split()]
    is_one = len(several) == 1 or not any(word[:1].islower() for word in several)
    return is_one and len(several) <= MAX_NAME_WORDS and not _found("nobody", _plain(words))


def _found(kind: str, heard: str) -> list[tuple[int, int]]:
    """Return the begin and end of each match of the forms of *kind* in *heard*."""
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
        for kind, forms in packaged_yaml("core/privacy/off_record.yaml").items()
    }


def is_clean(text: str) -> bool:
    """Return whether nothing in *text* has to stay in its session or be masked."""
    return not is_marked(text) and masked(text) == visible(text)


def blanked(text: str) -> str:
    """Replace *text* by a label of the same length in bytes, so that the offsets of later text do not
    change."""
    end = "\n" if text.endswith("\n") else ""
    # In bytes: offsets into the file, as receipts and cut points hold them, stay right.
    size = len(text.encode()) - len(end)
    return LABEL[:size].ljust(size, ".") + end
