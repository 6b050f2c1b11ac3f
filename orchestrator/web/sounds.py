"""Which kept sound answers which question: as the session has it now, whatever was taken back since."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orchestrator.material.speech.kept_sound import kept_pieces, seconds_of
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session


@dataclass(frozen=True, slots=True)
class AnswerSound:
    """The sound of one answer."""

    exchange: str
    turn: int  # from 1
    seconds: float
    pieces: tuple[Path, ...]


def sounds_of(home: Home, found: Session) -> tuple[AnswerSound, ...]:
    """The answers that can be heard again, in the order of asking.

    A piece that answers nothing any more, or was said off the record, is deleted.
    """
    kept = kept_pieces(home.sessions, found.name)
    if not kept:
        return ()
    projection, off_record = found.projection, found.rehearsal.is_off_record
    number_of = {id(one): number for number, one in enumerate(projection.segments, start=1)}
    heard = {id(one) for one in projection.heard}
    waits = {number for piece, number in number_of.items() if piece in heard}
    sounds, used = [], set()
    for (exchange, turn), answer in projection.answered_in.items():
        numbers = [number_of[id(one)] for one in answer if id(one) in number_of and not off_record(one.text)]
        pieces = tuple(kept[one] for one in numbers if one in kept)
        used.update(numbers)
        if pieces:
            sounds.append(AnswerSound(exchange, turn, seconds_of(pieces), pieces))
    for number, piece in kept.items():
        if number not in used | waits:
            piece.unlink(missing_ok=True)
    return tuple(sounds)
