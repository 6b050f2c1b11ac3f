"""Facts by rules, for the offline engine: only what was said in so many words, word for word.

A sentence gives one fact, of the kind that tells most: decision, task completed, open thread,
commitment, preference, number; and a person where one is named with a role. Content and quote
are the presenter's own words, so nothing can be made up. Questions, suppositions and sentences
that a recording cuts in two give none. A question that closed without an answer is an open thread.
English only: in another language only exchanges are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.claims.kinds import kinds_of
from orchestrator.claims.language import reads_as_english
from orchestrator.claims.model import Quantity
from orchestrator.claims.periods import find_periods
from orchestrator.claims.quantities import measure
from orchestrator.claims.sentences import LONGEST_SENTENCE, sentences, without_final_stop
from orchestrator.claims.units import TIME_UNITS, is_currency
from orchestrator.engines import fact_cues as cues
from orchestrator.engines.number_cues import FIGURE_OF_SPEECH
from orchestrator.engines.promises import promises_in
from orchestrator.engines.protocol import FactsRequest
from orchestrator.memory.facts import EXCHANGE, MAX_CONTENT_CHARS, SPEECH, FactDraft, Passage

_FEWEST_WORDS: Final = 4
_FEWEST_BESIDE: Final = 6
"""Words of a sentence that gives a figure: in a shorter one nobody can tell of what."""
_SOME_SIZE: Final = 10
"""A count below this orders a talk more often than it measures something."""
_UNSURE_HEARING: Final = 0.7
"""Below this confidence of the speech-to-text program a fact is one step less sure; our own measure."""
_STOP = re.compile(r"[.!?…][\"'”’)\]]*$")
_LEFT_OPEN: Final = {
    "unresolved": "Left unresolved",
    "parked": "Parked",
    "unjudged": "Unjudged",
}


def facts(request: FactsRequest) -> tuple[FactDraft, ...]:
    """What the passages state, in their order."""
    presenter = request.presenter
    found: list[FactDraft] = []
    again = {one.comes_back_to for one in request.passages if one.comes_back_to is not None}
    heard = request.passages
    for passage, before, behind in zip(heard, (None, *heard[:-1]), (*heard[1:], None), strict=True):
        if passage.kind == EXCHANGE:
            if passage.exchange not in again:
                found += _left_open(passage)
        elif presenter is None or passage.speaker in (None, presenter):
            found += _stated(passage, before, behind)
    return tuple(found)


def _left_open(exchange: Passage) -> Iterator[FactDraft]:
    how = _LEFT_OPEN.get(exchange.outcome or "")
    if how is not None and exchange.text:
        question = exchange.text.rpartition("\n")[2]
        room = MAX_CONTENT_CHARS - len(how) - 2
        yield FactDraft("open_thread", f"{how}: {question[:room]}", "high", exchange.seq, question)


def _stated(passage: Passage, before: Passage | None, behind: Passage | None) -> Iterator[FactDraft]:
    if not reads_as_english(passage.text):
        return
    for words in _whole_sentences(passage, before, behind):
        kind = _kind(words)
        people = list(_people(words))
        for person in people if kind is not None else ():
            yield FactDraft("person", person, _confidence("", passage), passage.seq, person)
        if kind is None and people:
            kind = "person"  # what the sentence says of them is all that it says
        if kind is None:
            continue
        content = cues.OPENING.sub("", without_final_stop(words))
        if len(content.split()) >= _FEWEST_WORDS and len(content) <= MAX_CONTENT_CHARS:
            yield FactDraft(kind, content, _confidence(words, passage), passage.seq, words)


def _kind(words: str) -> str | None:
    """The kind of fact that a sentence states; None: it states none."""
    if cues.DECISION.search(words) and not cues.NO_DECISION.search(words):
        return "decision"
    if cues.OPEN.search(words):
        return "open_thread"
    if cues.PREFERENCE.search(words):
        return "preference"
    if cues.UNREAL.search(words):
        return None
    if cues.COMPLETED.search(words) and not cues.NOT_COMPLETED.search(words):
        return "task_completed"
    quantities = [one.quantity for one in measure(words)]
    if _undertakes(words, quantities):
        return "commitment"
    return "number" if any(map(_is_figure, quantities)) and len(words.split()) >= _FEWEST_BESIDE else None


def _undertakes(words: str, quantities: Sequence[Quantity]) -> bool:
    """Somebody will do something, and not only within this talk."""
    if cues.THIS_TALK.search(words):
        return False
    if promises_in(words):
        return True
    claimed = kinds_of(words, quantities, find_periods(words), spoken=True)
    return "promise" in claimed and cues.UNDERTAKES.search(words) is not None


def _is_figure(quantity: Quantity) -> bool:
    """Money, a share, a time or a count of some size: not "two questions"."""
    unit = quantity.unit
    if unit is None or FIGURE_OF_SPEECH.match(unit):
        return False
    return unit in ("%", "x") or is_currency(unit) or unit in TIME_UNITS or abs(quantity.value) >= _SOME_SIZE


def _confidence(words: str, passage: Passage) -> str:
    hedged = cues.HEDGED.search(words) is not None
    steps = int(hedged) + int(passage.heard is not None and passage.heard < _UNSURE_HEARING)
    return ("high", "medium", "low")[steps]


def _people(words: str) -> Iterator[str]:
    """Those who are named with what they do: "Anna, our chief engineer"."""
    for match in cues.PERSON.finditer(words):
        if not cues.NO_NAME.match(match["name"] or match["name2"]):
            yield match[0].rstrip(" ,")


def _whole_sentences(passage: Passage, before: Passage | None, behind: Passage | None) -> Iterator[str]:
    """The sentences that the passage holds from beginning to end; no questions."""
    text = passage.text
    is_cased = not text.islower()
    bounds = list(sentences(text))
    for number, (start, end) in enumerate(bounds):
        words = text[start:end]
        if end - start > LONGEST_SENTENCE or words.rstrip("\"'”’)").endswith("?"):
            continue
        if len(words.split()) < _FEWEST_WORDS or (is_cased and words[0].islower()):
            continue
        if number == 0 and before is not None and _runs_on(before, passage):
            continue
        if number == len(bounds) - 1 and _is_cut(passage, words, behind):
            continue
        yield words


def _is_cut(passage: Passage, words: str, behind: Passage | None) -> bool:
    """The last sentence of a passage goes on in the next one."""
    if passage.kind != SPEECH or _STOP.search(words):
        return False
    return cues.CUT_OFF.search(without_final_stop(words)) is not None or (
        behind is not None and _runs_on(passage, behind)
    )


def _runs_on(first: Passage, second: Passage) -> bool:
    """One sentence runs from a piece of speech into the next, as far as stops and capitals tell.

    Speech-to-text that writes no stops at all tells nothing: its pieces count as whole.
    """
    if first.kind != SPEECH or second.kind != SPEECH or first.speaker != second.speaker:
        return False
    if _STOP.search(first.text) or not _writes_stops(first.text, second.text):
        return False
    return second.text[:1].islower() or bool(re.search(r"[.!?]\s", first.text))


def _writes_stops(*texts: str) -> bool:
    return any(re.search(r"[.!?](?=\s|$)", text) for text in texts)
