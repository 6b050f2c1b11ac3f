"""The lines above a task that describe the situation: what was shown, what is left, who is on the board.

They contain only fixed words and numbers. Anything that somebody wrote is JSON, so that it cannot begin a
line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from orchestrator.core.privacy.off_record import LABEL as OFF_RECORD
from orchestrator.core.privacy.off_record import Withheld
from orchestrator.material.claim import Tension
from orchestrator.panel.engines import protocol
from orchestrator.panel.model.exchange import Candidate, Exchange, Turn
from orchestrator.panel.model.reply import Attack, BoardMember

# ---------------------------------------------------------------------- framing
# Data as it stands in a prompt: JSON on one line, in which nothing begins a line or a frame.


def as_data(value: object) -> str:
    """Return *value* as escaped JSON (`framed`); equal values give equal text."""
    return framed(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(", ", ": ")))


def framed(text: str) -> str:
    """Escape JSON so that no character in it can begin a line or a frame, whoever reads it."""
    for character in ("^", "\u0085", "\u2028", "\u2029"):
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


# ---------------------------------------------------------------------- situation


OCCASIONS = {
    "break": "The talk pauses between two sections, and questions are taken now.",
    "pause": "The presenter pauses, and a question can be put now.",
    "end": "The talk is over; this is the round of questions at its end.",
    "refresh": "The talk goes on. Your question may be put at any moment.",
}


def room_lines(request: protocol.SeatRequest[Any]) -> Iterator[str]:
    """Yield the lines that tell the agent that is asked where the rehearsal is now."""
    scene = request.scene
    if not scene.board_is_filed:
        yield from board_lines(scene.members, scene.kind)
    match request:
        case protocol.FocusBriefRequest():
            yield "The talk has not begun: you have the deck, and nothing has been said yet."
        case protocol.CandidateRequest():
            yield _shown(scene)
            yield OCCASIONS.get(request.occasion, "A question may be put now.")
            yield from _left(request)
            yield _ahead(request)
        case protocol.JudgementRequest():
            yield _shown(scene)
            yield "The presenter has just answered and waits for your word."
        case protocol.ScratchpadRequest() | protocol.DebriefRequest():
            yield "The rehearsal is over."


def members_of(members: Sequence[BoardMember]) -> list[dict[str, Any]]:
    """Return a board as plain values, without unknown facts about a person and without the body's rules."""
    return [{key: value for key, value in asdict(one).items() if value and key != "rules"} for one in members]


def rules_of(members: Sequence[BoardMember]) -> list[str]:
    """Return the rules of the whole body, each once, since they apply to every member."""
    return list(dict.fromkeys(rule for one in members for rule in one.rules))


def board_lines(members: Sequence[BoardMember], kind: str | None) -> Iterator[str]:
    """Yield lines about who will decide on the deck, and what kind of deck it is.

    The lines are part of a session's configuration, which agents read, so they are cached with it. In older
    sessions, and if a home's own blueprint leaves them out, they are part of each task instead.
    """
    if members:
        yield f"The real board, as the presenter describes it (data): {as_data(members_of(members))}"
        if rules := rules_of(members):
            yield f"The rules of that board, which hold for every member (data): {as_data(rules)}"
    else:
        yield "Nobody has named the real board: think of the one that this deck is for."
    if kind:
        yield f"Kind of deck, as the presenter says: {as_data(kind)}."


def furthest_shown(scene: protocol.Scene) -> int | None:
    """Return the last of the slides that were shown, or None if the talk is over or nothing is known."""
    if scene.slide is None:
        return None
    return max([scene.slide, *(one.slide for one in scene.segments if one.slide is not None)])


def _shown(scene: protocol.Scene) -> str:
    furthest, count = furthest_shown(scene), len(scene.deck.slides)
    if furthest is None:
        return f"All {count} slides have been shown."
    return f"Slide {scene.slide} of {count} is on the screen; slides 1 to {furthest} have been shown."


def _left(request: protocol.CandidateRequest) -> Iterator[str]:
    if request.exchanges_left:
        questions = "one question" if request.exchanges_left == 1 else f"{request.exchanges_left} questions"
        minutes = f", and about {request.minutes_left:.0f} minutes" if request.minutes_left >= 1 else ""
        yield f"For the whole panel there is time for {questions} more, each with its follow-ups{minutes}."


def _ahead(request: protocol.CandidateRequest) -> str:
    if request.may_look_ahead or furthest_shown(request.scene) is None:
        return "Every slide of the deck may be asked about."
    return "Ask only about what was shown or said; leave what a later slide answers."


# ---------------------------------------------------------------------- task data
# What a task needs beside its context or its passages, as plain values: a function for each kind.


Plain = dict[str, Any]


def focus_brief(request: protocol.FocusBriefRequest) -> Plain:
    likely = [_attack(one) for one in request.likely]
    return ({"likely": likely} if likely else {}) | {
        "tensions": tensions_of(request.scene.tensions),
        "taken": sorted(request.taken),
        "others": [f"{one.persona.name}, {one.persona.title}" for one in request.others],
    }


def candidate(request: protocol.CandidateRequest) -> Plain:
    """Return what the context lacks.

    Its files contain the focus brief, the own question and what was asked.
    """
    scene = request.scene
    furthest = None if request.may_look_ahead else furthest_shown(scene)
    told = {one.quote for one in request.standing if one.said_at_s is None}
    told |= {one.quote for one in scene.exchanges if one.said_at_s is None}
    about = {
        "has_current": request.current is not None,
        "standing": [_question(one) for one in request.standing],
        "taken": sorted(request.taken),
        "taken_lines": sorted(request.taken_lines - told),
        "tensions": [  # no question may be about a slide to come, so nothing of it is "yours" yet
            _of(request, plain)
            for tension, plain in zip(scene.tensions, tensions_of(scene.tensions), strict=True)
            if furthest is None or all((side.slide or 0) <= furthest for side in tension.sides)
        ],
        "last_slide": furthest,
    }
    # Lists that are empty are left out, but for the oldest: this line is paid in full at every call.
    return {name: value for name, value in about.items() if value != [] or name == "taken"}


def judgement(request: protocol.JudgementRequest) -> Plain:
    exchange = request.exchange
    return {
        "exchange": exchange.id,
        "about": exchange.quote,
        "beside": None if exchange.beside is None else asdict(exchange.beside),
        "slide": exchange.slide,
        "is_missing": exchange.is_missing,
        "answers": [{**plain, "needs": list(turn.needs)} for turn, plain in _turns(exchange)],
        "angle": request.angle or exchange.angle or "",
        "good_answer": request.good_answer or exchange.good_answer,
        "is_last": request.is_last,
    }


def notes(request: protocol.ScratchpadRequest) -> Plain:
    return {"before": request.before, "day": request.day, "limit": request.limit}


def debrief(request: protocol.DebriefRequest) -> Plain:
    return {
        "exchanges": [
            {
                "exchange": one.id,
                "outcome": one.result,
                "turns": [{**plain, "is_new_question": turn.is_new_question} for turn, plain in _turns(one)],
            }
            for one in request.scene.exchanges
        ],
        "tensions": tensions_of(request.tensions),
        "never_asked": [
            {"number": number, **_question(one)} for number, one in enumerate(request.never_asked)
        ],
        "checks": list(request.checks),
    }


def tensions(request: protocol.TensionsRequest) -> Plain:
    refused = [{"proposal": asdict(one.proposal), "why": one.told} for one in request.refused]
    return {"new": sorted(request.new), "known": tensions_of(request.known), "refused": refused}


def doubt(request: protocol.DoubtRequest) -> Plain:
    return {"findings": tensions_of(request.tensions)}


def dossier(request: protocol.DossierRequest) -> Plain:
    return {
        "limit": request.limit,
        "members": members_of(request.members),
        "rules": rules_of(request.members),
        "panelists": [{"name": one.persona.name, "title": one.persona.title} for one in request.seats],
        "tensions": tensions_of(request.tensions),
        "intel": [
            {"finding": one.finding, "source": one.source, "stance": one.stance} for one in request.intel
        ],
        "focus": list(request.focus),
        "kind": request.kind,
    }


def news(request: protocol.NewsRequest) -> Plain:
    reported = [
        {"number": number, "finding": one.finding, "source": one.source, "date": one.date, "slide": one.slide}
        for number, one in enumerate(request.reported)
    ]
    return {"reported": reported}


def scribe(request: protocol.FactsRequest | protocol.ScribeRequest) -> Plain:
    passages = [
        {"seq": one.seq, "kind": one.kind, "speaker": one.speaker, "text": one.text}
        for one in request.passages
    ]
    return {"passages": passages, "known": list(request.known)}


# ---------------------------------------------------------------------- parts of them


def tensions_of(tensions: Iterable[Tension]) -> list[dict[str, Any]]:
    """Return contradictions as plain values, each with its number."""
    return [
        {"number": number, "places": [_filled(asdict(one)) for one in tension.sides]}
        | {"kind": tension.kind, "class": tension.class_, "subject": tension.subject, "note": tension.note}
        for number, tension in enumerate(tensions)
    ]


def _filled(plain: Plain) -> Plain:
    """Return *plain* without its empty values, so that nothing is paid for what is unknown."""
    return {name: value for name, value in plain.items() if value not in (None, "")}


def _of(request: protocol.CandidateRequest, tension: Plain) -> Plain:
    """Return a contradiction and who may ask about it.

    If somebody has already asked about it, return only where, and its note.
    """
    own, number = request.seat.persona.id, tension["number"]
    whose = request.whose[number] if number < len(request.whose) else own
    if any(one.id == whose for one in request.scene.exchanges):
        return {"note": tension["note"], "whose": f"asked in {whose}"}
    return {**tension, "whose": "yours" if whose == own else "another's"}


def _attack(one: Attack) -> Plain:
    slide, quote = (one.about.slide, one.about.quote) if one.about is not None else (None, None)
    return _filled({"question": one.question, "slide": slide, "quote": quote})


def _question(candidate: Candidate) -> Plain:
    return {"question": candidate.question, "slide": candidate.slide, "quote": candidate.quote}


def _turns(exchange: Exchange) -> Iterator[tuple[Turn, Plain]]:
    """Yield each turn and its plain values, without off-the-record words, which are sent to no service."""
    withheld = Withheld()
    for turn in exchange.turns:
        is_off = turn.answer and withheld.takes(turn.answer, is_speech=True)
        answer = OFF_RECORD if is_off else turn.answer
        plain: Plain = {"question": turn.question, "answer": answer, "verdict": turn.verdict}
        if turn.person is not None:  # what it counts as, before the verdict of the panel
            plain["judged_by_person"] = {"verdict": turn.person.verdict, "by": turn.person.by}
        yield turn, plain
