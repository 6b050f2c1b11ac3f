"""What a finished run says: the contract's JSON, and a page for people."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from orchestrator import render
from orchestrator.debrief import exchange_json

if TYPE_CHECKING:
    from orchestrator.exchange import Exchange, Turn
    from orchestrator.session import Session

WIDTH = 100


def run_json(session: Session, archive: str | None, *, seconds: float) -> dict[str, Any]:
    """The result of `run` as interfaces.md promises it."""
    room = session.room
    grounded = [exchange.grounded for exchange in room.exchanges]
    receipts = session.receipts()
    return {
        "session": session.id,
        "path": str(session.path),
        "state": session.state,
        "slides": len(session.rehearsal.scene().deck.slides),
        "segments": len(room.playback.segments) if room.playback is not None else 0,
        "claims": len(room.deck_claims) + len(room.speech_claims),
        "speaker": room.presenter,
        "speaker_how": room.presenter_how,
        "exchanges": [exchange_json(exchange) for exchange in room.exchanges],
        "grounded_share": round(sum(grounded) / len(grounded), 3) if grounded else None,
        "debrief": str(session.path / "debrief.md"),
        "receipts": len(receipts),
        "ledger_head": session.ledger_head,
        "archive": archive,
        "valid": session.verify().valid,
        "usage": {
            "engine": session.rehearsal.options.engine,
            "calls": 0,
            "input_tokens": 0,
            "output_tokens": 0,
            "cost_usd": 0.0,
        },
        "seconds": round(seconds, 3),
        "sync_s": round(session.rehearsal.store.sync_s, 3),
    }


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 slide", "3 slides"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def run_text(session: Session, plain: dict[str, Any], *, brief: bool = False) -> str:
    """The page for people: the questions, the verdicts, what stays open.

    *brief* leaves out the exchanges, which somebody at the terminal has just had.
    """
    room = session.room
    names = {agent: session.rehearsal.name_of(agent) for agent in session.rehearsal.options.panel}
    lines = [_head(session, plain), ""]
    for exchange in () if brief else room.exchanges:
        lines += [*_exchange(exchange, names), ""]
    if not room.exchanges:
        lines += ["Nobody asked anything.", ""]
    debrief = session.debrief()
    if debrief.was_answered:
        lines += ["Fix this first", *_wrapped(debrief.fix_first or debrief.nothing_to_fix, "  "), ""]
    elif room.exchanges:
        lines += ["These are the questions. To answer them, run it again with --answers -", ""]
    outcomes = [exchange.outcome or "" for exchange in room.exchanges]
    counts = ", ".join(f"{outcomes.count(one)} {one}" for one in dict.fromkeys(outcomes))
    lines += [
        f"{counted(len(outcomes), 'question')}: {counts}." if debrief.was_answered else "",
        f"Debrief   {plain['debrief']}",
        f"Archive   {plain['archive'] or 'none'}",
        f"Verified  {'yes' if plain['valid'] else 'NO: run greenroom verify ' + session.id}",
    ]
    return "\n".join(line for before, line in zip(["x", *lines], lines, strict=False) if line or before)


def _head(session: Session, plain: dict[str, Any]) -> str:
    deck = session.rehearsal.scene().deck
    most = ", who speaks most" if plain["speaker_how"] == "speaks most" else ""
    who = f"; judging {plain['speaker']}{most}" if plain["speaker"] else ""
    title = render.one_line(deck.title or deck.name)
    counts = ", ".join(counted(plain[f"{noun}s"], noun) for noun in ("slide", "segment", "claim"))
    return f"{title}: {counts}{who}"


def _exchange(exchange: Exchange, names: dict[str, str]) -> list[str]:
    name = names[exchange.agent]
    place = render.place(exchange.slide, exchange.said_at_s) if exchange.grounded else "no particular claim"
    lines = [f"{exchange.id}  {name} ({exchange.agent}), {place}"]
    if not any(turn.answer for turn in exchange.turns):
        return [*lines, *_wrapped(exchange.turns[0].question, "    ")]
    for turn in exchange.turns:
        lines += _turn(turn, is_last=turn is exchange.turns[-1])
    return [*lines, f"    = {exchange.outcome}"]


def _turn(turn: Turn, *, is_last: bool) -> list[str]:
    lines = _wrapped(turn.question, "    Q ")
    lines += _wrapped(turn.answer or "(no answer)", "    A ")
    if turn.verdict is not None:
        lines += _wrapped(render.verdict(turn, is_last=is_last), "    > ")
    return lines


def _wrapped(text: str, prefix: str) -> list[str]:
    return textwrap.wrap(
        render.one_line(text),
        WIDTH,
        initial_indent=prefix,
        subsequent_indent=" " * len(prefix),
        break_long_words=False,
    )


def next_steps(plain: dict[str, Any], command: str) -> str:
    """Where to look after the demo; *command* is how the user called this program."""
    agent = plain["exchanges"][0]["agent"] if plain["exchanges"] else "skeptic"
    steps = [
        ("debrief last", "the page to keep"),
        (f"context last {agent}", "what that panelist knew"),
        ("verify last", "that nothing was changed since"),
        ("run YOUR-DECK.pptx --answers -", "your own deck; you answer at the terminal"),
    ]
    width = max(len(step) for step, _ in steps)
    return "\n".join(["", "Look next:", *(f"  {command} {step:{width}}  {what}" for step, what in steps)])
