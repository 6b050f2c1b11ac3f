"""The one page at the end: what was asked and answered, what stays open, where the time went."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from orchestrator import render
from orchestrator.exchange import Exchange, Turn
from orchestrator.rehearsal import Rehearsal
from orchestrator.room import Room


@dataclass(frozen=True, slots=True)
class SlideSpan:
    """How long one slide was shown, summed over its appearances, in seconds of the session clock."""

    slide: int
    title: str
    seconds: float
    estimated: bool


@dataclass(frozen=True, slots=True)
class Debrief:
    """What the page shows."""

    deck: str
    presenter: str
    speaker: str | None
    date: str | None
    exchanges: tuple[Exchange, ...]
    names: dict[str, str]  # agent → name
    fix_first: str | None
    open_points: tuple[str, ...]
    slides: tuple[SlideSpan, ...]
    speech_s: float
    answers_s: float
    budget_s: float
    engine: str
    language: str

    @property
    def was_answered(self) -> bool:
        """Whether the presenter answered anything."""
        return any(turn.answer for exchange in self.exchanges for turn in exchange.turns)

    @property
    def nothing_to_fix(self) -> str:
        """What stands in the place of the one thing to fix first, where there is none."""
        if not self.exchanges:
            return "No question was asked, so nothing was tested."
        unjudged = sum(exchange.outcome == "unjudged" for exchange in self.exchanges)
        left = f"; {unjudged} of {len(self.exchanges)} could not be judged by rules" if unjudged else ""
        return f"No answer was found wanting{left}."


def debrief_of(rehearsal: Rehearsal) -> Debrief:
    """The debrief of a session as it stands."""
    room, options = rehearsal.room, rehearsal.options
    deck = rehearsal.scene().deck
    return Debrief(
        deck=deck.title or deck.name,
        presenter=options.presenter,
        speaker=room.presenter,
        date=options.date,
        exchanges=tuple(room.exchanges),
        names={agent: rehearsal.name_of(agent) for agent in options.panel},
        fix_first=_fix_first(room.exchanges),
        open_points=tuple(_open_point(exchange) for exchange in _open(room.exchanges)),
        slides=_spans(room, {slide.number: slide.title for slide in deck.slides}, rehearsal.now_s()),
        speech_s=rehearsal.now_s(),
        answers_s=room.spent_s,
        budget_s=options.minutes * 60,
        engine=options.engine,
        language=options.language,
    )


def _open(exchanges: list[Exchange]) -> list[Exchange]:
    """Everything without a satisfying answer: parked ones first, then unresolved, then unjudged."""
    order = {"parked": 0, "unresolved": 1, "unjudged": 2}
    left = [exchange for exchange in exchanges if exchange.outcome in order]
    return sorted(left, key=lambda exchange: order[exchange.outcome or ""])


def _fix_first(exchanges: list[Exchange]) -> str | None:
    """The unresolved exchange that went through most turns, else the first without an answer."""
    unresolved = [exchange for exchange in exchanges if exchange.outcome == "unresolved"]
    unanswered = [exchange for exchange in exchanges if not any(turn.answer for turn in exchange.turns)]
    if unresolved:
        return _worst_point(max(unresolved, key=lambda exchange: len(exchange.turns)))
    return _worst_point(unanswered[0]) if unanswered else None


def _open_point(exchange: Exchange) -> str:
    """What to prepare, in one line: the words it is about, and why it is open."""
    about = (
        f'{render.place(exchange.slide, exchange.said_at_s)}, "{exchange.quote}"'
        if exchange.quote
        else "general"
    )
    why = "parked" if exchange.outcome == "parked" else exchange.turns[-1].reason or exchange.outcome
    return f"{exchange.id} ({about}): {why}"


def _worst_point(exchange: Exchange) -> str:
    """The same with the question that was left standing."""
    first, last = exchange.turns[0], exchange.turns[-1]
    question = last.question if exchange.outcome == "unresolved" else first.question
    why = f" ({last.reason})" if last.reason else ""
    return f"{exchange.id}: {question}{why}"


def _spans(room: Room, titles: dict[int, str], end_s: float) -> tuple[SlideSpan, ...]:
    seconds: dict[int, float] = {}
    guessed: dict[int, bool] = {}
    ends = [shown.at_s for shown in room.slides[1:]] + [end_s]
    for shown, until_s in zip(room.slides, ends, strict=False):
        seconds[shown.slide] = seconds.get(shown.slide, 0.0) + until_s - shown.at_s
        guessed[shown.slide] = guessed.get(shown.slide, False) or shown.estimated
    return tuple(
        SlideSpan(slide, titles.get(slide, ""), round(spent_s, 3), guessed[slide])
        for slide, spent_s in sorted(seconds.items())
    )


def as_markdown(debrief: Debrief) -> str:
    """The debrief as Markdown."""
    who = (
        f"Judged are the words of {debrief.speaker}." if debrief.speaker else "The speech names no speakers."
    )
    lines = [
        f"# Debrief: {render.one_line(debrief.deck)}",
        "",
        f"Presenter: {render.one_line(debrief.presenter)}. {render.one_line(who)}"
        + (f" Date: {debrief.date}." if debrief.date else ""),
        "",
        "## Fix this first",
        "",
        render.one_line(debrief.fix_first or debrief.nothing_to_fix),
        "",
        "## Questions",
        "",
    ]
    for exchange in debrief.exchanges:
        lines += _exchange(exchange, debrief.names)
    if not debrief.exchanges:
        lines += ["No question was asked.", ""]
    lines += ["## Still open", ""]
    lines += [f"- {render.one_line(point)}" for point in debrief.open_points] or ["Nothing."]
    lines += ["", "## Time", "", *_time(debrief), ""]
    if debrief.engine == "offline":
        lines += [
            "Asked and judged by rules, without a model: an answer that the rules cannot tell is `unjudged`.",
            "",
        ]
        if debrief.language != "en":
            lines += [
                _other_language(debrief.language),
                "",
            ]
    return "\n".join(lines)


def _other_language(language: str) -> str:
    return (
        f"The deck's language was taken to be `{language}`: the rules for promises, superlatives and spoken "
        "numbers are English and were not applied."
    )


def _exchange(exchange: Exchange, names: dict[str, str]) -> list[str]:
    name = names.get(exchange.agent, exchange.agent)
    lines = [f"### {exchange.id}. {name}: {exchange.outcome}", ""]
    if exchange.quote:
        lines += [
            f"> {render.one_line(exchange.quote)}",
            f"> ({render.place(exchange.slide, exchange.said_at_s)})",
            "",
        ]
    for turn in exchange.turns:
        lines += _turn(turn, is_last=turn is exchange.turns[-1])
    return [*lines, ""]


def _turn(turn: Turn, *, is_last: bool) -> list[str]:
    answer = render.one_line(turn.answer) if turn.answer else "(no answer)"
    lines = [f"- **Q** {render.one_line(turn.question)}", f"  - **A** {answer}"]
    if turn.verdict:
        lines.append(f"  - *{render.verdict(turn, is_last=is_last)}*")
    return lines


def _time(debrief: Debrief) -> list[str]:
    used_s = debrief.speech_s + debrief.answers_s
    used = f"{render.clock(used_s)} of {render.clock(debrief.budget_s)} used"
    parts = f"{render.clock(debrief.speech_s)} presenting, {render.clock(debrief.answers_s)} answering"
    lines = [f"{used}: {parts}."]
    if debrief.slides:
        guessed = (
            " (changes estimated from the words)" if any(span.estimated for span in debrief.slides) else ""
        )
        lines += ["", f"| Slide | Title | Time{guessed} |", "|---|---|---|"]
        lines += [
            f"| {span.slide} | {_cell(span.title)} | {render.clock(span.seconds)} |"
            for span in debrief.slides
        ]
    return lines


def _cell(text: str) -> str:
    return render.one_line(text).replace("|", "\\|")


def exchange_json(exchange: Exchange) -> dict[str, Any]:
    """An exchange as interfaces.md promises it."""
    return {
        "id": exchange.id,
        "agent": exchange.agent,
        "claim": exchange.claim,
        "slide": exchange.slide,
        "said_at_s": exchange.said_at_s,
        "quote": exchange.quote,
        "grounded": exchange.grounded,
        "why_this_agent": exchange.why_this_agent,
        "turns": [
            {
                "question": turn.question,
                "answer": turn.answer,
                "verdict": turn.verdict,
                "reason": turn.reason,
                "quote": turn.quote,
            }
            for turn in exchange.turns
        ],
        "outcome": exchange.outcome,
    }


def as_json(debrief: Debrief) -> dict[str, Any]:
    """The debrief as plain JSON."""
    return {
        "deck": debrief.deck,
        "presenter": debrief.presenter,
        "speaker": debrief.speaker,
        "date": debrief.date,
        "fix_first": debrief.fix_first,
        "exchanges": [exchange_json(exchange) for exchange in debrief.exchanges],
        "open": list(debrief.open_points),
        "slides": [
            {"slide": span.slide, "title": span.title, "seconds": span.seconds, "estimated": span.estimated}
            for span in debrief.slides
        ],
        "speech_s": debrief.speech_s,
        "answers_s": debrief.answers_s,
        "budget_s": debrief.budget_s,
        "engine": debrief.engine,
        "language": debrief.language,
    }


def json_text(debrief: Debrief) -> str:
    """The debrief as the text of debrief.json."""
    return json.dumps(as_json(debrief), ensure_ascii=False, indent=1, sort_keys=True) + "\n"
