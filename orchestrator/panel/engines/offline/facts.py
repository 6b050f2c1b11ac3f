"""Facts that were said in so many words: announcements, sentences with a figure, promises, open threads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.material.claims.numbers import numbers_in
from orchestrator.panel.engines.offline.announced import announces
from orchestrator.panel.engines.offline.judging import undertakes
from orchestrator.panel.engines.offline.wording import sentences
from orchestrator.panel.engines.protocol import FactsRequest
from orchestrator.panel.model.fact import (
    ANSWER,
    EXCHANGE,
    FACT_TYPES,
    MAX_CONTENT_CHARS,
    FactDraft,
    Passage,
    key_of,
)

FEWEST_WORDS: Final = 6
"""Of a sentence that gives a figure: of a shorter one ("It was 18 % then.") nobody can tell what it says."""

UNSURE_HEARING: Final = 0.7
"""Below this confidence of the speech-to-text program a fact is one step less sure; our own measure."""

_WHOLE = re.compile(r"[A-Z“\"'‘€$£\d].*[.!]$", re.DOTALL)
_LEFT_OPEN: Final = {"unresolved": "Left unresolved", "parked": "Parked"}


def facts(request: FactsRequest) -> tuple[FactDraft, ...]:
    """The facts that the passages state, in their order; none that is known."""
    known = {key_of(content) for content in request.known}
    come_back = {one.comes_back_to for one in request.passages if one.comes_back_to is not None}
    found: list[FactDraft] = []
    for passage in request.passages:
        if passage.kind == EXCHANGE:
            drafts = iter(()) if passage.exchange in come_back else _left_open(passage)
        elif passage.kind == ANSWER or passage.speaker in request.presenter_labels:
            drafts = _stated(passage)
        else:
            continue
        for draft in drafts:
            if key_of(draft.content) not in known:
                known.add(key_of(draft.content))
                found.append(draft)
    return tuple(found)


def _stated(passage: Passage) -> Iterator[FactDraft]:
    for sentence in sentences(passage.text):
        if len(sentence) > MAX_CONTENT_CHARS or not _WHOLE.fullmatch(sentence):
            continue
        sort = _sort_of(sentence)
        if sort is not None:
            is_clear = passage.heard is None or passage.heard >= UNSURE_HEARING
            yield FactDraft(sort, sentence, "high" if is_clear else "medium", passage.seq, sentence)


def _sort_of(sentence: str) -> str | None:
    if (announced := announces(sentence)) in FACT_TYPES:
        return announced
    if undertakes(sentence):
        return "commitment"
    is_figure = any(number.unit is not None for number in numbers_in(sentence))
    return "number" if is_figure and len(sentence.split()) >= FEWEST_WORDS else None


def _left_open(passage: Passage) -> Iterator[FactDraft]:
    how, question = _LEFT_OPEN.get(passage.outcome or ""), passage.text.rpartition("\n")[2].strip()
    if how is not None and question and len(question) + len(how) + 2 <= MAX_CONTENT_CHARS:
        yield FactDraft("open_thread", f"{how}: {question}", "high", passage.seq, question)
