"""What the moderator says: one phrase at a time, from the library that was filled in for this session.

A line that was said is a record (`said`) and stands in `moderator/generated-phrases.md`, behind the
phrases it was taken from. No panelist's context holds that file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from orchestrator import render
from orchestrator.engines.protocol import PhrasesRequest
from orchestrator.errors import EngineError
from orchestrator.layout import MODERATOR
from orchestrator.orchestration import PHRASE_SLOTS, Phrases
from orchestrator.rehearsal import Rehearsal
from orchestrator.room import UNNAMED, Said
from orchestrator.values import tagged

PATH = "moderator/generated-phrases.md"

OPENING = "Opening"
CALLING = "Calling on a panelist"
TRANSITION = "Transition"
FOLLOW_UP = "Follow-up"
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

_SLOT = re.compile(r"\{(\w+)\}")


def write_phrases(rehearsal: Rehearsal) -> None:
    """Choose this session's phrases from the library. Their slots stay open until they are said."""
    slots = {name: f"{{{name}}}" for name in PHRASE_SLOTS}
    request = PhrasesRequest(rehearsal.seats[MODERATOR], rehearsal.scene(), rehearsal.phrases, slots)
    context = rehearsal.context(MODERATOR, purpose="phrases", request=request)
    try:
        chosen = rehearsal.engine.reply(request, context)
    except EngineError:
        chosen = ()
    finally:
        rehearsal.note_calls()
    by_heading = _by_heading(chosen, rehearsal.phrases)
    named = _presenter(rehearsal)
    rehearsal.store.append(
        PATH,
        render.phrases([_filled(text, named) for text in chosen]),
        by=MODERATOR,
        value={
            "type": "phrases",
            "phrases": list(chosen),
            "by_heading": {heading: list(texts) for heading, texts in by_heading.items()},
        },
    )


def _by_heading(chosen: Sequence[str], library: Phrases) -> dict[str, tuple[str, ...]]:
    """The chosen phrases under the headings of the library that they came from."""
    return {
        heading: found
        for heading, texts in library.items()
        if (found := tuple(text for text in chosen if text in texts))
    }


def say(
    rehearsal: Rehearsal,
    occasion: str,
    *,
    exchange: str | None = None,
    agent: str | None = None,
    slide: int | None = None,
    fits: Callable[[str], bool] = lambda text: True,
) -> bool:
    """Let the moderator say a phrase for *occasion*; False if there is none. Call inside a transaction.

    Of this session's phrases that *fits* lets through and whose slots can all be filled, in turn,
    never the one that was said last on such an occasion, unless it is the only one.

    Args:
        exchange: The exchange that it introduces or closes.
        agent: The panelist it speaks of.
        slide: The slide it speaks of.
    """
    room = rehearsal.room
    slots = _slots(rehearsal, agent, slide)
    chosen = room.phrases.get(occasion, ())
    sources = (chosen, rehearsal.phrases.get(occasion, ()))
    options: list[str] = []
    for source in sources:  # the library steps in where none of the session's phrases can be said
        options = options or [text for text in source if fits(text) and _can_fill(text, slots)]
    if not options:
        return False
    before = [said.phrase for said in room.said if said.occasion == occasion]
    others = [phrase for phrase in options if not before or phrase != before[-1]] or options
    phrase = min(others, key=lambda one: (before.count(one), options.index(one)))
    count = len(room.exchanges) + (room.open is not None)
    text = render.one_line(_filled(phrase, slots))
    said = Said(occasion, text, rehearsal.now_s(), phrase, exchange, count)
    about = f" ({exchange})" if exchange is not None else ""
    heading = "" if room.said else "\n## Said\n\n"
    line = f'{heading}- [{render.clock(said.at_s)}] {occasion}{about}: "{said.text}"\n'
    rehearsal.store.append(PATH, line, by=MODERATOR, value=tagged("said", said))
    return True


def _slots(rehearsal: Rehearsal, agent: str | None, slide: int | None) -> dict[str, str]:
    slots = _presenter(rehearsal)
    if agent is not None:
        persona = rehearsal.seats[agent].persona
        slots |= {"agent_name": persona.name, "agent_title": persona.title}
    if slide is not None:
        slots["slide"] = str(slide)
    left = round((rehearsal.options.minutes * 60 - rehearsal.now_s() - rehearsal.room.spent_s) / 60)
    if left >= FEWEST_MINUTES:
        slots["minutes_left"] = str(left)
    return slots


def _presenter(rehearsal: Rehearsal) -> dict[str, str]:
    """The slot of the presenter's name; nobody is called "Presenter"."""
    name = rehearsal.options.presenter
    return {} if name == UNNAMED else {"presenter": name}


def _can_fill(text: str, slots: dict[str, str]) -> bool:
    return all(name in slots for name in _SLOT.findall(text))


def _filled(text: str, slots: dict[str, str]) -> str:
    """Slots replaced once: braces inside a name stay as they are."""
    return _SLOT.sub(lambda slot: slots.get(slot[1], slot[0]), text)
