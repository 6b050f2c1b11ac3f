"""What the moderator says: one phrase at a time, of those that were chosen for this session.

The choice is made here, from the library and the deck, without an engine.

A line that was said is a record (`said`) and stands in `moderator/generated-phrases.md`, behind the
phrases it was taken from. No panelist's context holds that file.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from typing import Final

from orchestrator.core import legible
from orchestrator.core.legible import one_line
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import MODERATOR
from orchestrator.panel import render
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.loop.state import State
from orchestrator.panel.personas.orchestration import Phrases
from orchestrator.panel.personas.persona import Persona
from orchestrator.panel.records.moderator import LineSaid
from orchestrator.panel.records.options import UNNAMED, Options
from orchestrator.panel.records.projection import Said
from orchestrator.panel.records.start import PhrasesChosen

PATH = "moderator/generated-phrases.md"

OPENING = "Opening"
CALLING = "Calling on a panelist"
TRANSITION = "Transition"
FOLLOW_UP = "Follow-up"
FURTHER = "Further question"  # a follow-up that asks something which the question did not
ACKNOWLEDGING = "Acknowledging an answer"
PARKING = "Parking"
COMING_BACK = "Coming back"
TIME_80 = "Time warning 80"
TIME_90 = "Time warning 90"
NO_QUESTION = "No question for a while"
PAUSE = "Pause after a monologue"
STALLING = "Stalling"
CLOSING = "Closing"

FEWEST_MINUTES = 2
"""With fewer minutes left none are named: the phrases say "minutes", and one is hardly worth counting."""

OF_EACH: Final = 3
"""Phrases of each occasion in one session: as many as a listener hears before the first comes again."""

MINUTES_LEFT = "minutes_left"
_SLOT = re.compile(r"\{(\w+)\}")


def write_phrases(rehearsal: Rehearsal, tx: Draft) -> None:
    """Choose this session's phrases from the library. Their slots stay open until they are said."""
    chosen = choose(rehearsal.phrases, rehearsal.scene().deck.sha256)
    texts = list(dict.fromkeys(text for options in chosen.values() for text in options))
    named = _presenter(rehearsal.options)
    tx.append(
        PATH,
        render.phrases([_filled(text, named) for text in texts]),
        by=MODERATOR,
        value=PhrasesChosen(tuple(texts), chosen),
    )


def choose(library: Phrases, key: str) -> dict[str, tuple[str, ...]]:
    """At most three phrases for each occasion: the same ones for the same *key*, others for another."""
    return {
        heading: _from(f"{key}:{heading}", texts)[:OF_EACH] for heading, texts in library.items() if texts
    }


def _from(key: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    """All *texts*, in an order that starts at a place chosen by *key*."""
    start = zlib.crc32(key.encode()) % len(texts)
    return texts[start:] + texts[:start]


def say(
    rehearsal: Rehearsal,
    tx: Draft,
    occasion: str,
    *,
    exchange: str | None = None,
    agent: str | None = None,
    slide: int | None = None,
    fits: Callable[[str], bool] = lambda text: True,
) -> bool:
    """Let the moderator say a phrase for *occasion*; False if there is none.

    Of this session's phrases that *fits* lets through and whose slots can all be filled, in turn,
    never the one that was said last on such an occasion, unless it is the only one.

    Args:
        exchange: The exchange that it introduces or closes.
        agent: The panelist it speaks of.
        slide: The slide it speaks of.
    """
    state, persona = rehearsal.state(), rehearsal.seats[agent].persona if agent is not None else None
    projection, slots = state.projection, _slots(state, persona, slide)
    options = _sayable(state, occasion, slots, fits)
    if not options:
        return False
    before = [said.phrase for said in projection.said if said.occasion == occasion]
    others = [phrase for phrase in options if not before or phrase != before[-1]] or options
    phrase = min(others, key=lambda one: (before.count(one), options.index(one)))
    text = one_line(_filled(phrase, slots))
    said = Said(occasion, text, state.now_s, phrase, exchange, projection.opened)
    about = f" ({exchange})" if exchange is not None else ""
    heading = "" if projection.said else "\n## Said\n\n"
    line = f'{heading}- [{legible.clock(said.at_s)}] {occasion}{about}: "{said.text}"\n'
    tx.append(PATH, line, by=MODERATOR, value=LineSaid(said))
    return True


def can_open(state: State) -> bool:
    """Whether there is a phrase to begin with, and nothing has happened yet."""
    projection = state.projection
    is_past = projection.said or projection.segments or projection.opened or projection.is_played_out
    return not is_past and bool(_sayable(state, OPENING, _slots(state, None, None)))


def _sayable(
    state: State, occasion: str, slots: Mapping[str, str], fits: Callable[[str], bool] = lambda text: True
) -> list[str]:
    """This session's phrases that can be said; the library steps in where there is none."""
    for source in (state.projection.phrases, state.library):
        found = [text for text in source.get(occasion, ()) if fits(text) and slots_in(text) <= slots.keys()]
        if found:
            return found
    return []


def slots_in(text: str) -> set[str]:
    """What a phrase leaves open."""
    return set(_SLOT.findall(text))


def _slots(state: State, persona: Persona | None, slide: int | None) -> dict[str, str]:
    slots = _presenter(state.options)
    if persona is not None:
        slots |= {"agent_name": persona.name, "agent_title": persona.title}
    if slide is not None:
        slots["slide"] = str(slide)
    left = round((state.options.minutes * 60 - state.used_s) / 60)
    if left >= FEWEST_MINUTES:
        slots[MINUTES_LEFT] = str(left)
    return slots


def _presenter(options: Options) -> dict[str, str]:
    """The slot of the presenter's name; nobody is called "Presenter"."""
    return {} if options.presenter == UNNAMED else {"presenter": options.presenter}


def _filled(text: str, slots: Mapping[str, str]) -> str:
    """Slots replaced once: braces inside a name stay as they are."""
    return _SLOT.sub(lambda slot: slots.get(slot[1], slot[0]), text)
