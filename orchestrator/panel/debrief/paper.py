"""The debrief on paper, for somebody who was not there: no id can be followed.

Its template is `paper.html.j2`: a page with the essence, then everything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from orchestrator.panel.debrief.parts import (
    Debrief,
    Fix,
    Review,
    Source,
    Stronger,
)

Name = Callable[[str], str]


def on_paper(debrief: Debrief) -> Debrief:
    """Return the debrief with "question 3" in place of "x3", and without ids of contradictions.

    Words of the deck and the presenter stay as they are, since "x3" may mean anything there.
    """
    names = {one.exchange.id: f"question {number}" for number, one in enumerate(debrief.reviews, start=1)}
    ids = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b") if names else None

    def name(text: str) -> str:
        return ids.sub(lambda match: names[match[0]], text) if ids is not None else text

    return replace(
        debrief,
        fix=debrief.fix and _fix(debrief.fix, name),
        reviews=tuple(_review(one, name) for one in debrief.reviews),
        tensions=debrief.tensions and tuple(replace(one, id="") for one in debrief.tensions),
        homework=tuple(
            replace(
                one,
                exchange=name(one.exchange),
                about=one.about and _source(one.about, name),
                why=name(one.why),
                stronger=None,  # it stands with the question
            )
            for one in debrief.homework
        ),
        promises=tuple(_source(one, name) for one in debrief.promises),
        rubric=tuple(
            replace(one, why=name(one.why), source=one.source and _source(one.source, name))
            for one in debrief.rubric
        ),
        observed=tuple(replace(one, text=name(one.text)) for one in debrief.observed),
        withdrawn=(),
    )


def css_string(text: str) -> str:
    """Escape any text for use within the quotes of a style sheet."""
    return "".join(char if char.isascii() and char.isalnum() else f"\\{ord(char):x} " for char in text)


def _fix(fix: Fix, name: Name) -> Fix:
    """Rename the exchange's id in a fix.

    `what` may quote the question; the id then precedes the question, with its place.
    """
    id_ = fix.exchange or ""
    what = f"{name(id_)}{fix.what.removeprefix(id_)}" if id_ and fix.what.startswith(id_) else fix.what
    return replace(
        fix,
        what=f"{what[:1].upper()}{what[1:]}",
        why=name(fix.why),
        exchange=fix.exchange and name(fix.exchange),
        better=fix.better and _stronger(fix.better, name),
    )


def _review(one: Review, name: Name) -> Review:
    return replace(
        one,
        exchange=replace(
            one.exchange,
            id=name(one.exchange.id),
            comes_back_to=one.exchange.comes_back_to and name(one.exchange.comes_back_to),
        ),
        reason=one.reason and name(one.reason),
        stronger=one.stronger and _stronger(one.stronger, name),
        came_back_as=one.came_back_as and name(one.came_back_as),
        still_open=tuple(map(name, one.still_open)),
        about_answer=one.about_answer and name(one.about_answer),
    )


def _stronger(better: Stronger, name: Name) -> Stronger:
    return replace(
        better,
        first=better.first and _source(better.first, name),
        text=name(better.text),
        rests_on=tuple(_source(one, name) for one in better.rests_on),
        bring=tuple(map(name, better.bring)),
    )


def _source(source: Source, name: Name) -> Source:
    return replace(source, exchange=source.exchange and name(source.exchange))
