"""Find the presenter among the speakers in a recording."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from orchestrator.core.errors import UsageError
from orchestrator.core.legible import one_line
from orchestrator.material.speech.text import label, word_list
from orchestrator.material.speech.times import STAMP
from orchestrator.material.values import LiveSegment, Segment, is_name_of

# ---------------------------------------------------------------------- labels
# Speakers named before their words, in the forms that programs and people write, told from other words.
#
# A name that is written as names are counts where it recurs. Any other ("tom_r", "iPhone of Mia") counts
# where each piece of a file has one; that form is the evidence, and not what the name is made of.


MAX_NAME_WORDS: Final = 8  # "Dr. Mia von Falk, Chief Financial Officer"
_RECURS: Final = 2  # once is a heading or a turn of phrase
_MIN_SHARE: Final = 0.05  # a label on fewer of the pieces than this is a turn of phrase
_CONSISTENT: Final = 0.8  # of the pieces: a file that labels each one, but for what its program adds
_MAX_WORDS_IN_DOUBT: Final = 3  # "here is what we learned: …" goes on; "tom reed: …" may be somebody's

_AT: Final = rf"{STAMP}(?:\s?[AaPp]\.?[Mm]\b\.?)?"
_WHEN: Final = (
    rf"[\[(<]?\s*@?(?:\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}(?:,|T|\s)\s*)?{_AT}"
    rf"(?:\s*(?:-->|-|–|—|to)\s*(?:{_AT}|end\b))?\s*[\])>]?"
)
_BETWEEN: Final = r"[\s\-–—|•·,@]*"
# What a list, a quotation, a heading or a broadcast caption (">>") puts before a speaker.
_MARKS: Final = re.compile(r"\A\s*(?:>>+|[-*•>–—]+\s|#{1,6}\s|\d{1,4}[.)]\s)?\s*")
_BOLD: Final = re.compile(r"(\*\*|__)(.+?)\1(.*)", re.DOTALL)
# A colon within a word ("https://") is none of a label; the wide colon needs no space. Sixty characters: Zoom
# and Teams take as many for a name with a company.
_LINE: Final = re.compile(
    rf"(?:(?P<before>{_WHEN})(?:{_BETWEEN}|:\s))?(?P<name>\?+|[^:：?!;\"“”\n\s][^:：?!;\"“”\n]{{0,59}}?)"
    rf"(?:{_BETWEEN}(?P<after>{_WHEN}))?\s*(?:(?P<colon>:(?=\s|$)|：)\s*(?P<words>.*)|$)",
    re.DOTALL,
)
_BRACKETS: Final = re.compile(r"[\[(<]([^\[\](){}<>:\n]{1,60})[\])>](?:\s+(.*))?", re.DOTALL)
_ASIDE: Final = re.compile(r"\s*[\[(][^\[\]()]{1,40}[\])]")  # (she/her), (Guest), [Acme]
_PARTS: Final = re.compile(r"\s*(?:,|\||/| [-–—] )\s*")  # "Reed, Tom", "Mia | Acme", "Mia - Acme"
_NUMBER: Final = re.compile(r"[ _#№-]*(?:\d{1,4}|[a-z])?", re.IGNORECASE)  # behind a role
_PHONE: Final = re.compile(r"\+?[\d*x().\s-]{6,24}")
_SENTENCE_END: Final = re.compile(r"[^\W_]{3,}\.$|[…。]$")  # "Tom Reed Jr." is a name, "Yes." is none
_DIGIT: Final = re.compile(r"\d")
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Label:
    """A speaker label that a line may have, and the label's form."""

    name: str
    words: str  # behind it on the same line
    is_clear: bool  # written as a name is, or a role
    is_bare: bool  # nothing but the name stands there: no colon, no time, no brackets, no bold
    when: str | None = None  # a time beside the name, as it is written
    is_led: bool = False  # the time stands before the name

    @property
    def is_head(self) -> bool:
        """Whether the label has no words behind it, so that the speaker's words are below it."""
        return not self.words


def labelled(text: str) -> Label | None:
    """Return the label that a line may have, or None if no part of the line can be a name."""
    line = _MARKS.sub("", text, count=1)
    bold = _BOLD.fullmatch(line)
    line = f"{bold[2]}{bold[3]}" if bold else line
    if (match := _BRACKETS.fullmatch(line)) and is_role(match[1]):
        return Label(label(match[1]) or match[1], match[2] or "", is_clear=True, is_bare=False)
    match = _LINE.fullmatch(line.rstrip())
    if match is None:
        return None
    name, when = match["name"].strip(), match["before"] or match["after"]
    if name[0] in "[(<" and name[-1] in "])>":
        name = name[1:-1].strip()
    words = (match["words"] or "").strip()
    if bold and words.startswith(bold[1]):  # "**Ana**: **words**"
        words = words.strip("*_ ")
    first = name.split()[0].casefold().strip(".") if name.split() else ""
    if (
        not (_WORD.search(name) or name[0] == "?")
        or len(name.split()) > MAX_NAME_WORDS
        or first in word_list("not names")
    ):
        return None
    is_bare = not (match["colon"] or when or bold or name != match["name"].strip())
    return Label(label(name) or name, words, _is_name(name), is_bare, when, bool(match["before"]))


def is_role(name: str) -> bool:
    """Return whether the label is a role in the recording: `Speaker 2`, `Operator`."""
    folded = name.casefold().strip()
    roles = (role for role in word_list("roles") if folded.startswith(role))
    return any(_NUMBER.fullmatch(folded, len(role)) for role in roles)


def words_of(name: str) -> frozenset[str]:
    """Return the words of a name, without regard to their order and letter case."""
    return frozenset(_WORD.findall(name.casefold()))


def speakers_among(found: Sequence[Label | None]) -> frozenset[str]:
    """Return the labels that clearly are speakers, given a label or None for each piece of a file.

    Roles and names that recur are speakers. If half of the pieces have such a label, names used only once are
    speakers too. If four fifths of the pieces have a label of any kind, and the labels recur, all of them are
    speakers.
    """
    every = Counter(one.name for one in found if one is not None and label(one.name) is not None)
    if every.total() >= max(3, _CONSISTENT * len(found)) and 2 * len(every) <= every.total():
        return frozenset(every)
    clear = Counter(one.name for one in found if one is not None and one.is_clear)
    # Two turns of two people: first and last names before all of it. Topics are one word as often.
    if len(clear) > 1 and clear.total() == len(found) and all(" " in name for name in clear):
        return frozenset(clear)
    if clear.total() < _MIN_SHARE * len(found):
        return frozenset()
    sure = frozenset(name for name, count in clear.items() if count >= _RECURS or is_role(name))
    return frozenset(clear) if sure and 2 * clear.total() >= len(found) else sure


def goes_on(names: Iterable[str | None]) -> bool:
    """Return whether a piece without a label belongs to the last speaker named; the file's labels show it.

    Captions and interviews name a speaker only where another one begins, so no two pieces in a row have the
    same label. Zoom and others name a speaker before each piece, so a piece without a label is nobody's.
    """
    return not any(one is not None and one == after for one, after in pairwise(names))


def is_doubtful(found: Label | None) -> bool:
    """Return whether an unknown label may be a speaker's; the words behind such a label belong to nobody."""
    if found is None or found.is_bare or found.is_head:
        return False
    return found.is_clear or len(found.name.split()) <= _MAX_WORDS_IN_DOUBT


def with_speakers(pieces: Iterable[LiveSegment]) -> list[LiveSegment]:
    """Move labels from the lines of captions to the field `speaker` if they clearly are speakers.

    If the source names speakers itself, no label is moved: the text stays as it is.
    """
    pieces = list(pieces)
    if any(piece.speaker is not None for piece in pieces):
        return [replace(piece, text=" ".join(piece.text.splitlines())) for piece in pieces]
    parsed = [[(labelled(line), line) for line in piece.text.split("\n")] for piece in pieces]
    firsts = [lines[0][0] if lines[0][0] and not lines[0][0].is_bare else None for lines in parsed]
    speakers = speakers_among(firsts)
    carries = goes_on(one.name if one and one.name in speakers else None for one in firsts)
    named: list[LiveSegment] = []
    current: str | None = None
    for piece, lines in zip(pieces, parsed, strict=True):
        current = current if carries else None
        for number, (name, words) in enumerate(_turns(lines, speakers)):
            if name is not None:
                current = name
            elif number == 0 and (is_doubtful(lines[0][0]) or words.startswith(">>")):
                current = None  # somebody speaks whose label is not understood
            if words:
                named.append(replace(piece, text=words, speaker=current))
    return named


def joined_asides(pieces: Sequence[LiveSegment]) -> list[LiveSegment]:
    """Rename "Tom Reed (iPhone)" to "Tom Reed" if both speak: one person on two devices, or renamed.

    A number in the brackets distinguishes two people, so such labels stay.
    """
    names = {piece.speaker for piece in pieces}
    same = {
        name: bare
        for name in names
        if name and (bare := _ASIDE.sub("", name)) != name and bare in names and not _DIGIT.search(name)
    }
    return [replace(one, speaker=same.get(one.speaker or "", one.speaker)) for one in pieces]


def _turns(
    lines: Sequence[tuple[Label | None, str]], speakers: frozenset[str]
) -> Iterator[tuple[str | None, str]]:
    """Yield the words of a caption, each part with the speaker named before it."""
    name: str | None = None
    words: list[str] = []
    for found, line in lines:
        if found is not None and not found.is_bare and found.name in speakers:
            yield from [(name, " ".join(words))] if words else ()
            name, words = found.name, [found.words] if found.words else []
        else:
            words.append(line)
    yield name, " ".join(words)


def _is_name(name: str) -> bool:
    """Return whether *name* is written like a person's, with titles, pronouns, companies and numbers."""
    if is_role(name) or (_PHONE.fullmatch(name) and sum(char in "0123456789*x" for char in name) > 3):
        return True
    parts = [part for part in _PARTS.split(_ASIDE.sub("", name)) if part]
    return bool(parts) and len(parts) <= 4 and all(map(_is_part, parts))


def _is_part(part: str) -> bool:
    words = part.split()
    if _SENTENCE_END.search(part) or len(words) > 5 or not any(map(_is_capital, words)):
        return False
    return all(_fits(word) for word in words) and (_is_capital(words[0]) or len(words) > 1)


def _is_capital(word: str) -> bool:
    bare = word.lstrip("(#.&'’")
    return bool(bare) and bare[0].isalpha() and (not bare[0].islower() or _is_inner_capital(bare))


def _is_inner_capital(word: str) -> bool:
    """Return whether a capital follows an attached particle: d'Arc, al-Din, O'Neil, iPhone."""
    return any(char.isupper() for char in word[1:4])


def _fits(word: str) -> bool:
    bare = word.strip("()[]#№.-–&_'’")
    return not bare or _is_capital(bare) or bare.isdigit() or bare.casefold() in word_list("particles")


# ---------------------------------------------------------------------- presenter


UNCLEAR: Final = "unclear"
_MAX_SHOWN: Final = 6  # labels in a notice
MIN_LEAD: Final = 1.5
"""Ratio of seconds times words, of whoever speaks most to the next speaker, from which the former is the
presenter: a fifth more of both. With less, two people present, or a moderator talks as much, so the user is
asked who is judged."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """The presenter's label in the recording, and how that label was found."""

    label: str | None  # None: the words without a label; where it is unclear, nobody
    how: str  # "given", "named", "speaks most", "only one" or UNCLEAR
    alone: bool = False  # the recording has labels, so that words without one are not the presenter's
    choice: tuple[tuple[str | None, int], ...] = ()  # where it is unclear: labels with their % of the words

    @property
    def labels(self) -> tuple[str | None, ...]:
        """The labels whose words are judged; none if the presenter is unclear."""
        return () if self.how == UNCLEAR else (self.label,)

    @property
    def question(self) -> str:
        """The question who presents, with the labels of the recording as answers."""
        shown = [f"{label or 'nobody named'} {share} %" for label, share in self.choice[:_MAX_SHOWN]]
        more = len(self.choice) - len(shown)
        return f"which of these is you? {', '.join([*shown, *([f'{more} more'] if more else [])])}"

    @property
    def notice(self) -> str | None:
        """A notice for the user that the presenter is unclear and what to do, or None if it is clear."""
        if self.how != UNCLEAR:
            return None
        return f"who presents is not clear, so nobody is judged: {self.question}: say it with --speaker LABEL"


def presenter_of(segments: Sequence[Segment], given: str | None = None, *, name: str = "") -> Speaker:
    """Find the presenter: *given*, else the label with their *name*, else whoever clearly speaks most.

    Somebody clearly speaks most if nobody else would come near even with all the words that no label fits.
    Seconds and words both count, since whoever introduces somebody may speak slowly.

    A segment is the presenter's when its `speaker` equals the result's `label`.

    Raises:
        UsageError: No segment has the label *given*; the message lists the labels of the recording.
    """
    labels = list(dict.fromkeys(one.speaker for one in segments if one.speaker is not None))
    if given is not None:
        return Speaker(_matching(labels, one_line(given)), "given", alone=True)
    if not labels:
        return Speaker(None, "only one")
    named = [label for label in labels if is_name_of(label, name)] or _with_words(labels, name)
    if len(named) == 1:
        return Speaker(named[0], "named", alone=True)
    talk = _talk(segments)
    first, *others = sorted(labels, key=lambda label: -talk[label].weight)
    unnamed = talk.get(None, _Talk())
    rivals = [_Talk(talk[one].seconds + unnamed.seconds, talk[one].words + unnamed.words) for one in others]
    if talk[first].weight >= MIN_LEAD * max(one.weight for one in (unnamed, *rivals)):
        return Speaker(first, "speaks most" if others else "only one", alone=True)
    total = sum(one.words for one in talk.values()) or 1
    ordered = sorted(talk.items(), key=lambda pair: -pair[1].words)
    choice = tuple((label, round(100 * one.words / total)) for label, one in ordered)
    return Speaker(None, UNCLEAR, alone=True, choice=choice)


@dataclass(frozen=True, slots=True)
class _Talk:
    """How much somebody speaks."""

    seconds: float = 0.0
    words: int = 0

    @property
    def weight(self) -> float:
        return self.seconds * self.words


def _talk(segments: Sequence[Segment]) -> dict[str | None, _Talk]:
    found: dict[str | None, _Talk] = {}
    for one in segments:
        before, length_s = found.get(one.speaker, _Talk()), one.end_s - one.start_s
        found[one.speaker] = _Talk(before.seconds + length_s, before.words + len(one.text.split()))
    return found


def _with_words(labels: Sequence[str], name: str) -> list[str]:
    """Return the labels that contain all words of a name: "Falk, Mia (she/her)" is Mia Falk."""
    wanted = words_of(name)
    return [label for label in labels if wanted and wanted <= words_of(label)]


def _matching(labels: Sequence[str], given: str) -> str:
    if given in labels:
        return given
    alike = [label for label in labels if label.casefold() == given.casefold()] or _with_words(labels, given)
    if len(alike) == 1:
        return alike[0]
    if not labels:
        raise UsageError(f"--speaker {given!r}: this recording names no speakers; leave --speaker out")
    if alike:
        raise UsageError(f"--speaker {given!r} is more than one speaker of this recording: {_listed(alike)}")
    raise UsageError(f"--speaker {given!r} does not speak in this recording; it has: {_listed(labels)}")


def _listed(labels: Sequence[str], most: int = 12) -> str:
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more
