"""The moderator's lines, and how a terminal shows them: sparingly, so that the questions stand out."""

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
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.loop.state import State
from orchestrator.panel.model.exchange import Exchange, Turn, answer_quoted
from orchestrator.panel.personas.orchestration import Phrases
from orchestrator.panel.personas.persona import Persona
from orchestrator.panel.records.moderator import LineSaid, Monologue, NoQuestion, TimeWarned
from orchestrator.panel.records.projection import Said
from orchestrator.panel.records.setup import UNNAMED, Options
from orchestrator.panel.records.start import PhrasesChosen
from orchestrator.panel.records.value import PanelValue

# ---------------------------------------------------------------------- phrases
# What the moderator says: one phrase at a time, of those that were chosen for this session.
#
# The choice is made here, from the library and the deck, without an engine.
#
# A line that was said is a record (`said`) and stands in `moderator/generated-phrases.md`, behind the
# phrases it was taken from. No panelist's context holds that file.


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

MIN_MINUTES = 2
"""With fewer minutes left, no number of minutes is named: the phrases say "minutes", and one is hardly worth
counting.
"""

OF_EACH: Final = 3
"""Phrases for each occasion in one session: as many as a listener hears before the first is repeated."""

MINUTES_LEFT = "minutes_left"
_SLOT = re.compile(r"\{(\w+)\}")


def write_phrases(rehearsal: OpenRehearsal, tx: Draft) -> None:
    """Choose this session's phrases from the library; their slots are filled in when they are said."""
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
    """Choose at most three phrases for each occasion; the choice depends only on *key*."""
    return {
        heading: _from(f"{key}:{heading}", texts)[:OF_EACH] for heading, texts in library.items() if texts
    }


def _from(key: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return all *texts*, rotated to start at a position that depends on *key*."""
    start = zlib.crc32(key.encode()) % len(texts)
    return texts[start:] + texts[:start]


def say(
    rehearsal: OpenRehearsal,
    tx: Draft,
    occasion: str,
    *,
    exchange: str | None = None,
    agent: str | None = None,
    slide: int | None = None,
    fits: Callable[[str], bool] = lambda text: True,
) -> bool:
    """Let the moderator say a phrase for *occasion*; return False if there is none.

    The phrase is chosen in turn from this session's phrases that *fits* accepts and whose slots can all be
    filled. The last phrase said on this occasion is not repeated, unless it is the only one.

    Args:
        exchange: The exchange that the phrase introduces or closes.
        agent: The panelist that the phrase names.
        slide: The slide that the phrase names.
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
    """Return whether there is an opening phrase, and nothing has happened yet."""
    projection = state.projection
    is_past = projection.said or projection.segments or projection.opened or projection.is_played_out
    return not is_past and bool(_sayable(state, OPENING, _slots(state, None, None)))


def _sayable(
    state: State, occasion: str, slots: Mapping[str, str], fits: Callable[[str], bool] = lambda text: True
) -> list[str]:
    """Return this session's phrases that can be said, or the library's if there is none."""
    for source in (state.projection.phrases, state.library):
        found = [text for text in source.get(occasion, ()) if fits(text) and slots_in(text) <= slots.keys()]
        if found:
            return found
    return []


def slots_in(text: str) -> set[str]:
    """Return the names of a phrase's slots."""
    return set(_SLOT.findall(text))


def _slots(state: State, persona: Persona | None, slide: int | None) -> dict[str, str]:
    slots = _presenter(state.options)
    if persona is not None:
        slots |= {"agent_name": persona.name, "agent_title": persona.title}
    if slide is not None:
        slots["slide"] = str(slide)
    left = round((state.options.minutes * 60 - state.used_s) / 60)
    if left >= MIN_MINUTES:
        slots[MINUTES_LEFT] = str(left)
    return slots


def _presenter(options: Options) -> dict[str, str]:
    """Return the slot for the presenter's name, or no slot if the presenter is unnamed."""
    return {} if options.presenter == UNNAMED else {"presenter": options.called or options.presenter}


def _filled(text: str, slots: Mapping[str, str]) -> str:
    """Fill each slot of the text once; braces inside a name stay as they are."""
    return _SLOT.sub(lambda slot: slots.get(slot[1], slot[0]), text)


# ---------------------------------------------------------------------- question text
# The question itself, without the lead-in and the quote, which stand above it wherever it is shown.
#
# Whoever words a question says it (`Turn.bare`). Of a model's words, and of a question that somebody puts
# by hand, nobody does: they are read once, when the question is put. Ledgers of before 0.2 hold no such
# value, and there alone it is read when the question is shown.


_LEAD: Final = re.compile(r'(?:[^"“”?]*[.!:] +)?[^"“”.?!]*["“]')
"""Matches the text before a quote: perhaps a sentence, then a lead like "On slide 3 you say", without a
question or quote.
"""
_END_OF_LEAD: Final = re.compile(r'(?:[.!]["”][.!]?|["”][.!]) +(?=[^\W_a-z]|["“])')
"""Matches the end of a quote that also ends its sentence, where another sentence begins."""


def bare_question(turn: Turn, quote: str | None) -> str:
    """Return the question without its lead-in and without the quote, which is shown above it."""
    question = turn.question.removeprefix(turn.lead_in).lstrip() or turn.question
    bare = turn.bare if turn.bare is not None else bare_of(question, quote)
    return bare or question


def bare_of(question: str, quote: str | None) -> str:
    """Remove the quote from a question whose bare form is unknown; return "" if it must stay whole.

    It must stay whole if cutting would leave half a sentence, or remove words of the question.
    """
    if (bare := _beside_quote(question, quote)) is not None:
        return bare
    lead, _, rest = question.partition(quote) if quote else (question, "", "")
    end = _END_OF_LEAD.match(rest)
    is_cut = end is not None and _LEAD.fullmatch(lead) and "?" in rest
    return rest[end.end() :] if is_cut and end is not None else ""


def _beside_quote(question: str, quote: str | None) -> str | None:
    """Return the question without a quote at its start or end that a colon separates, else None.

    For "How many: “We grew”?" and for "“We grew”: how many?", that is "How many?".
    """
    shown = (quote or "").rstrip(" .")
    for marked in (f"“{shown}”", f'"{shown}"') if shown else ():
        head, colon, rest = question.partition(marked)
        if head.endswith(": ") and rest == "?" and colon:
            return f"{head[:-2]}?"
        if not head and rest.startswith(": ") and rest.endswith("?") and colon:
            return f"{rest[2:3].upper()}{rest[3:]}"
    return None


# ---------------------------------------------------------------------- time rules
# The rules about time: warnings, a word when nobody asks, a pause after a monologue.
#
# Each is spoken once per occasion, and never two at one moment. Which is due is seen from the state alone,
# so it is due again after an interruption until it is recorded.
#
# Source: DESIGN.md, section 7; orchestration.md, "Timers" and "Time warnings".


NOTES: Final = "moderator/debrief-notes.md"
SHARE_OF: Final = {TIME_80: 80, TIME_90: 90}
"""The share of the time, in per cent, that the phrases of an occasion may name."""
OF_TIME: Final = frozenset({*SHARE_OF, NO_QUESTION, PAUSE})
"""Occasions that are about time: no two of them are spoken within one pause of each other."""


def due(state: State, *, presides: bool, is_at_a_stop: bool) -> str | None:
    """Return the occasion of the one phrase about time that is to be said now, or None.

    Args:
        presides: Whether the moderator runs the questions by itself. If so, it also says when there are none;
            otherwise it watches only the time budget.
        is_at_a_stop: Whether the presenter has come to the end of a sentence or a slide. If not, nothing is
            said, unless waiting would delay the phrase by more than the interval of a refresh.
    """
    projection, timers = state.projection, state.rules.timers_s
    last = projection.said[-1] if projection.said else None
    if last is not None and last.occasion in OF_TIME and state.now_s - last.at_s < timers.hand_raise_pause:
        return None
    shares = _due_shares(state)
    over_s = (
        {_warning(state, shares): state.used_s - shares[-1] * state.options.minutes * 60} if shares else {}
    )
    if presides and not projection.is_played_out:
        if not (
            projection.is_prompted or projection.quiet_from_s is None or state.is_full
        ):  # else there is no question
            over_s[NO_QUESTION] = state.now_s - projection.quiet_from_s - timers.no_question_prompt
        if not projection.is_pause_suggested:
            over_s[PAUSE] = projection.monologue_s - timers.monologue
    longest_s = 0.0 if is_at_a_stop else timers.refresh
    return next((occasion for occasion, seconds in over_s.items() if seconds >= longest_s), None)


def speak(rehearsal: OpenRehearsal, occasion: str) -> None:
    """Say the phrase that is due; note it for the debrief if it is about time."""
    if occasion not in OF_TIME:
        with rehearsal.store.transaction() as tx:
            say(rehearsal, tx, occasion)
        return
    state = rehearsal.state()
    projection, at = state.projection, legible.clock(state.now_s)
    with rehearsal.store.transaction() as tx:
        if occasion == NO_QUESTION:
            since_s = state.now_s - (projection.quiet_from_s or 0.0)
            line = f"- At {at}: nobody had asked anything for {_minutes(since_s)}.\n"
            _note(tx, line, NoQuestion(round(since_s, 3)))
        elif occasion == PAUSE:
            line = f"- At {at}: {_minutes(projection.monologue_s)} without another voice or a pause.\n"
            _note(tx, line, Monologue(round(projection.monologue_s, 3)))
        else:
            _warn(rehearsal, tx, state, occasion)
            return
        say(rehearsal, tx, occasion, slide=projection.slide)


def _warn(rehearsal: OpenRehearsal, tx: Draft, state: State, occasion: str) -> None:
    """Note every share of the time that is newly used up, and announce the last of these shares."""
    shares = _due_shares(state)
    for share in shares:
        line = f"- {share:.0%} of the time ({state.options.minutes} min) was used up.\n"
        _note(tx, line, TimeWarned(share))
    is_named = round(shares[-1] * 100) == SHARE_OF[occasion]
    say(
        rehearsal,
        tx,
        occasion,
        slide=state.projection.slide,
        fits=lambda text: is_named or MINUTES_LEFT in slots_in(text),  # else it names another share
    )


def _due_shares(state: State) -> list[float]:
    """Return the shares of the time that are used up and not yet announced."""
    budget_s = state.options.minutes * 60
    used_s = state.used_s  # once: it adds up every exchange, and a live session asks some times a second
    shares = (share for share in state.rules.time_warnings if share not in state.projection.warned)
    return [share for share in shares if used_s >= share * budget_s]


def _warning(state: State, due: list[float]) -> str:
    return TIME_90 if due[-1] == state.rules.time_warnings[-1] else TIME_80


def _note(tx: Draft, line: str, value: PanelValue) -> None:
    tx.append(NOTES, line, by=MODERATOR, value=value)


def _minutes(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 60} min {whole % 60} s"


# ---------------------------------------------------------------------- moderator lines


SHOWN = OF_TIME | {
    OPENING,
    CALLING,
    PARKING,
    COMING_BACK,
    STALLING,
    CLOSING,
}
"""Occasions whose phrases a terminal shows.

Follow-ups, thanks and transitions are left out, since the question or the silence after them says the same.
"""


def spoken(rehearsal: OpenRehearsal, said: Said) -> str | None:
    """Return the moderator's line as a terminal shows it, or None if it is not shown."""
    if said.occasion not in SHOWN:
        return None
    return f"{rehearsal.name_of(MODERATOR)} ({legible.clock(said.at_s)}): {said.text}"


def question_lines(rehearsal: OpenRehearsal, exchange: Exchange) -> list[str]:
    """Return the last question as a terminal shows it, below the words that it is about.

    The question does not repeat those words. A question about the whole deck says so in their place; a
    presenter's own question also says so.
    """
    name = rehearsal.name_of(exchange.agent)
    origin = render.origin(exchange)
    words = [*about(rehearsal, exchange), *([f"({origin})"] if origin else [])]
    return [*(f"  {one}" for one in words), f"{name}: {asked(exchange)}"]


def about(rehearsal: OpenRehearsal, exchange: Exchange) -> list[str]:
    """Return the words that a question is about, with their places; words of an answer with its exchange."""
    return render.quoted(exchange, answer_quoted(exchange, rehearsal.projection.exchanges))


def asked(exchange: Exchange) -> str:
    """Return the last question without the quote that is shown above it, or a follow-up unchanged."""
    turn = exchange.turns[-1]
    return one_line(bare_question(turn, exchange.quote) if len(exchange.turns) == 1 else turn.question)


class Teller:
    """The news for a terminal: the moderator's lines, and what a failing engine delays."""

    def __init__(self, rehearsal: OpenRehearsal) -> None:
        self._rehearsal = rehearsal
        self._told = len(rehearsal.projection.said)
        self._failing = set(rehearsal.projection.failed)

    def lines(self) -> list[str]:
        """Return the lines that are new since the last call.

        A failure is reported when it begins and when it ends.
        """
        rehearsal, projection = self._rehearsal, self._rehearsal.projection
        news = [words for line in projection.said[self._told :] if (words := spoken(rehearsal, line))]
        self._told = len(projection.said)
        for agent in rehearsal.options.panel:
            name = rehearsal.name_of(agent)
            if agent in projection.failed and agent not in self._failing:
                why = one_line(projection.failed[agent])
                news.append(f"note: {name} has no new question, and the last one is stale: {why}")
            elif agent in self._failing and agent not in projection.failed:
                news.append(f"note: {name} has questions again")
        self._failing = set(projection.failed)
        return news
