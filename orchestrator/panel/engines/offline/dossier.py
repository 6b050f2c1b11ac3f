"""The likely attacks on a deck, from contradictions and the bank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from orchestrator.material.model.claim import Place, Tension
from orchestrator.panel.bank.bank import bank
from orchestrator.panel.bank.words import plain
from orchestrator.panel.engines.offline import contradictions
from orchestrator.panel.engines.offline.askable import Option, options
from orchestrator.panel.engines.offline.seats import fits, seats_of
from orchestrator.panel.engines.protocol import DossierRequest
from orchestrator.panel.model.dossier import BoardMember
from orchestrator.panel.model.reply import Attack
from orchestrator.panel.personas.persona import Seat

INTENSITY: Final = "moderate"  # the default of a session: a dossier has none of its own


def attacks(request: DossierRequest) -> tuple[Attack, ...]:
    """The likeliest first, each line and each topic once, shared out among those who ask."""
    askers = _Askers(request.members, request.seats)
    found = [_of_tension(tension, askers, request) for tension in contradictions.in_order(request.tensions)]
    quotes = {place.quote for one in request.tensions for place in (one.a, one.b)}
    chosen = _spread(options(request.deck, request.claims, request.kind, INTENSITY), quotes)
    found += [_attack(option, askers) for option in chosen[: max(0, request.limit - len(found))]]
    return tuple(found[: request.limit])


def _spread(found: Sequence[Option], quotes: set[str]) -> list[Option]:
    """Each line and topic once; the first of every seat, then the second: a board has many voices."""
    topics: set[str] = set()
    of_seat: Counter[str] = Counter()
    placed: list[tuple[int, Option]] = []
    for option in found:
        is_known = option.entry.topic in topics or (option.line is not None and option.quote in quotes)
        if not is_known:
            topics.add(option.entry.topic)
            quotes = quotes | {option.quote or ""}
            placed.append((of_seat[option.entry.seat], option))
            of_seat[option.entry.seat] += 1
    return [option for _, option in sorted(placed, key=lambda one: one[0])]


class _Askers:
    """Who asks what: the one whose words fit best, and of those the one who has asked least."""

    def __init__(self, members: Sequence[BoardMember], seats: Sequence[Seat]) -> None:
        self._members = [
            (member.name, plain(" ".join([member.role, member.background, *member.interests])))
            for member in members
        ]
        self._seats = [(seat.persona.name, seat.persona.id, seats_of(seat)) for seat in seats]
        self._asked: dict[str, int] = {}

    def whose(self, wanted: str) -> tuple[str, str | None]:
        """Name and, of a panelist, id."""
        by_words = ((-fits(words, wanted), name, None) for name, words in self._members)
        by_seat = ((-(wanted in seats), name, agent) for name, agent, seats in self._seats)
        found: list[tuple[int, str, str | None]] = [one for one in by_words if one[0]] or [*by_seat]
        if not found:
            return "the board", None
        _, name, agent = min(found, key=lambda one: (one[0], self._asked.get(one[1], 0)))
        self._asked[name] = self._asked.get(name, 0) + 1
        return name, agent


def _attack(option: Option, askers: _Askers) -> Attack:
    entry = option.entry
    name, agent = askers.whose(entry.seat)
    said_at_s = option.line.said_at_s if option.line else None
    about = None if option.quote is None else Place(option.slide, said_at_s, option.quote)
    why = bank().phrases.why[entry.about]
    return Attack(option.question, name, why, about, entry.good, (), (), agent, option.page is not None)


def _of_tension(tension: Tension, askers: _Askers, request: DossierRequest) -> Attack:
    name, agent = askers.whose("proof")
    why = bank().phrases.why
    question = contradictions.question(tension, request.deck.sha256).question
    good = why["contradiction_good"]
    return Attack(question, name, why["contradiction"], tension.a, good, have=(tension.b,), agent=agent)
