"""The result of a finished run: the contract's JSON, and a page for people."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from orchestrator.cli.screen import Screen, columns, wrapped
from orchestrator.core import legible
from orchestrator.core.values import to_json
from orchestrator.material.model.brought import PRESENTER
from orchestrator.material.speech.presenter import UNCLEAR
from orchestrator.panel import render
from orchestrator.panel.debrief.bill import bill_json, bill_of
from orchestrator.panel.debrief.exchange_json import exchange_json
from orchestrator.panel.debrief.phrasing import is_unjudged
from orchestrator.panel.debrief.terminal import as_text
from orchestrator.panel.model.exchange import each_once

if TYPE_CHECKING:
    from orchestrator.panel.debrief.parts import Debrief
    from orchestrator.rehearsal.session import Session


def run_json(session: Session, archive: str | None, *, seconds: float) -> dict[str, Any]:
    """The result of `run` as interfaces.md promises it."""
    projection = session.projection
    grounded = [one.grounded for one in each_once(projection.exchanges) if one.written_by != PRESENTER]
    receipts = session.receipts()
    return {
        "session": session.name,
        "path": str(session.path),
        "state": session.state,
        "slides": len(session.rehearsal.scene().deck.slides),
        "segments": len(projection.playback.segments) if projection.playback is not None else 0,
        "claims": len(projection.deck_claims) + len(projection.speech_claims),
        "speaker": projection.presenter,
        "speaker_how": projection.presenter_how,
        "exchanges": [exchange_json(one) for one in session.asked if one.outcome is not None],
        "said": [to_json(said) for said in projection.said],
        "grounded_share": round(sum(grounded) / len(grounded), 3) if grounded else None,
        "debrief": str(session.path / "debrief.md"),
        "receipts": len(receipts),
        "ledger_head": session.ledger_head,
        "archive": archive,
        "valid": session.verify().valid,
        "usage": {"engine": session.rehearsal.options.engine, **bill_json(bill_of(projection.calls))},
        "seconds": round(seconds, 3),
        "sync_s": round(session.rehearsal.store.sync_s, 3),
    }


def run_text(session: Session, plain: dict[str, Any], *, brief: bool = False) -> str:
    """The page for people: what to fix first, the questions, what stays open, and where it all is.

    *brief* leaves out the exchanges, which somebody at the terminal has just had.
    """
    debrief, command = session.debrief(), Screen.current.command
    head = wrapped(_head(session, plain), columns(sys.stdout))
    lines = [head, "", page_text(debrief, reviews=not brief), ""]
    if not debrief.was_answered and debrief.reviews:
        lines += ["These are the questions. To answer them, run it again with --answers -", ""]
    lines += [
        f"Debrief         {plain['debrief']}",
        f"Archive         {plain['archive'] or 'none'}",
        f"Verified        {'yes' if plain['valid'] else f'NO: run {command} verify {session.name}'}",
    ]
    unjudged = [review.exchange.id for review in debrief.reviews if is_unjudged(review)]
    if unjudged:
        lines.append(f"Judge yourself  {command} judge {session.name} {unjudged[0]} given|partly|not")
    return "\n".join(lines)


def page_text(debrief: Debrief, *, reviews: bool = True) -> str:
    """The debrief as it fits the terminal, in colour if it is one; elsewhere plain, 100 columns wide."""
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return as_text(debrief, width=columns(sys.stdout), colour=colour, reviews=reviews).rstrip("\n")


def _head(session: Session, plain: dict[str, Any]) -> str:
    deck = session.rehearsal.scene().deck
    most = ", who speaks most" if plain["speaker_how"] == "speaks most" else ""
    who = f"; judging {plain['speaker']}{most}" if plain["speaker"] and plain["segments"] else ""
    if plain["speaker_how"] == UNCLEAR:
        who = "; judging nobody, as it is not clear who presents"
    counts = f"{legible.counted(plain['slides'], 'slide')}, {legible.counted(plain['claims'], 'claim')}"
    return render.headed(deck.title or deck.name, f"{counts}{who}")


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
