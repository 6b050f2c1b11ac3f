"""How each record of the ledger changes the projection: a table from a value's type to a function.

A type that has no row changes nothing. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from orchestrator.clock import ClockState
from orchestrator.errors import LedgerCorruptError
from orchestrator.loop import speech_folds as speech
from orchestrator.loop.exchanges import with_answer, with_question, with_verdict
from orchestrator.loop.speech_folds import Value
from orchestrator.loop.state import INTEL, TRANSCRIPT, PartFailure, Playback, Projection, Said, Waiting
from orchestrator.model.carryover import carry_over_of
from orchestrator.model.claim import Claim, Gap
from orchestrator.model.dossier import BoardMember
from orchestrator.model.exchange import Exchange, Judgement, Observation, Target, Turn
from orchestrator.model.intel import Intel
from orchestrator.model.reply import DebriefWords
from orchestrator.model.slide import Deck
from orchestrator.model.usage import call_of
from orchestrator.model.values import from_json
from orchestrator.store.ledger import Record


def fold(projection: Projection, record: Record) -> None:
    """Take the next record into the projection; every one is given once, in order.

    Raises:
        LedgerCorruptError: Its value is not what one of its type holds, though it is hashed right.
    """
    if record.op == "freeze":
        projection.ended = True
    if record.file == INTEL:
        projection.intel_sha256 = record.sha256
    if record.value is not None:
        try:
            FOLDS.get(record.value["type"], _nothing)(projection, record.value, record)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LedgerCorruptError(
                f"ledger record {record.seq} is hashed right but is not in this format: "
                "was it written by a later release, or by another program?"
            ) from error
    elif record.op == "append" and record.file == TRANSCRIPT:
        speech.plain(projection, record)


def _nothing(projection: Projection, value: Value, record: Record) -> None:
    """The record is for other readers."""


# ---------------------------------------------------------------------- the start


def _session(projection: Projection, value: Value, record: Record) -> None:
    projection.speaker = value["options"].get("speaker")
    projection.dismissed.update(carry_over_of(value).dismissed)


def _deck(projection: Projection, value: Value, record: Record) -> None:
    projection.deck = from_json(Deck, value["deck"])
    projection.deck_claims = from_json(tuple[Claim, ...], value["claims"])
    projection.gaps = from_json(tuple[Gap, ...], value["gaps"])
    projection.is_checked = "tensions" in value
    speech.find(projection, value)
    projection.claims_by_id.update((claim.id, claim) for claim in projection.deck_claims)


def _dossier(projection: Projection, value: Value, record: Record) -> None:
    if value.get("board"):
        projection.members = from_json(tuple[BoardMember, ...], value["board"])


def _intel(projection: Projection, value: Value, record: Record) -> None:
    projection.intel = from_json(Intel, value["intel"])


def _focus_brief(projection: Projection, value: Value, record: Record) -> None:
    projection.targets[record.by] = from_json(tuple[Target, ...], value["targets"])


def _phrases(projection: Projection, value: Value, record: Record) -> None:
    by_heading = value.get("by_heading", {})  # the first release kept none
    projection.phrases = {heading: tuple(texts) for heading, texts in by_heading.items()}


def _playback(projection: Projection, value: Value, record: Record) -> None:
    projection.playback, projection.played = from_json(Playback, value["playback"]), 0


def _speaker(projection: Projection, value: Value, record: Record) -> None:
    projection.presenter_label, projection.presenter_how = value["label"], value["how"]


# ---------------------------------------------------------------------- candidate questions


def _candidate(projection: Projection, value: Value, record: Record) -> None:
    waiting = projection.waiting[record.by] = from_json(Waiting, value["waiting"])
    if waiting.status == "ready":
        projection.wanted.setdefault(waiting.candidate.question, waiting.candidate)


def _refresh(projection: Projection, value: Value, record: Record) -> None:
    projection.refreshed_at_s = value["at_s"]
    projection.refresh_due = projection.is_to_be_thought_of = False
    projection.hands = ()
    _refreshed(projection, value, record)


def _refreshed(projection: Projection, value: Value, record: Record) -> None:
    """Whose candidates were made or confirmed, whose engine failed, and whose hands are up."""
    projection.hands = tuple(value.get("hands", projection.hands))
    for agent, digest in value.get("inputs", {}).items():
        projection.inputs[agent] = digest
        projection.confirmed_s[agent] = value["at_s"]
        projection.failed.pop(agent, None)
    projection.failed.update(value.get("failed", {}))


# ---------------------------------------------------------------------- exchanges


def _exchange_opened(projection: Projection, value: Value, record: Record) -> None:
    projection.open = from_json(Exchange, value["exchange"])
    projection.break_due = False
    projection.asked_here = True
    projection.hands = tuple(agent for agent in projection.hands if agent != projection.open.agent)
    projection.heard.clear()


def _answer(projection: Projection, value: Value, record: Record) -> None:
    segment = speech.spoken(projection, value)
    if value.get("used") is not None:
        projection.answers_used.add(value["used"])
    if projection.open is not None:
        projection.open = with_answer(projection.open, segment.text, segment.end_s - segment.start_s)


def _answered(projection: Projection, value: Value, record: Record) -> None:
    _silence(projection, value, record)
    projection.heard.clear()


def _silence(projection: Projection, value: Value, record: Record) -> None:
    if projection.open is not None:
        projection.open = with_answer(projection.open, value.get("text", ""))


def _answer_used(projection: Projection, value: Value, record: Record) -> None:
    projection.answers_used.add(value["used"])


def _verdict(projection: Projection, value: Value, record: Record) -> None:
    if projection.open is not None:
        judgement = from_json(Judgement, value["judgement"])
        projection.open = with_verdict(projection.open, judgement)
        if judgement.contradicts is not None:
            projection.suspected.append(judgement.contradicts)
        projection.named = judgement.contradicts


def _follow_up(projection: Projection, value: Value, record: Record) -> None:
    if projection.open is not None:
        projection.open = with_question(projection.open, from_json(Turn, value["turn"]))
        if projection.named is not None:
            projection.pressed.append((projection.open.id, projection.named))
    projection.heard.clear()


def _exchange_closed(projection: Projection, value: Value, record: Record) -> None:
    closed = from_json(Exchange, value["exchange"])
    projection.exchanges.append(closed)
    projection.open_s[closed.id] = max(0.0, record.clock_s - closed.asked_at_s)
    projection.open = None
    projection.quiet_from_s, projection.is_prompted = record.clock_s, False
    projection.voice_from_s, projection.is_pause_suggested = None, False
    speech.look_is_due(projection, "exchange")
    if projection.is_played_out:
        projection.refresh_due = projection.is_to_be_thought_of = True


def _observation(projection: Projection, value: Value, record: Record) -> None:
    projection.observed.append(from_json(Observation, value))


def _passed(projection: Projection, value: Value, record: Record) -> None:
    projection.break_due = False
    projection.is_over = projection.is_over or projection.is_played_out


# ---------------------------------------------------------------------- the moderator, time and engines


def _state(projection: Projection, value: Value, record: Record) -> None:
    projection.state = value["state"]


def _said(projection: Projection, value: Value, record: Record) -> None:
    projection.said.append(from_json(Said, value))


def _time_warning(projection: Projection, value: Value, record: Record) -> None:
    projection.warned.add(value["share"])


def _no_question(projection: Projection, value: Value, record: Record) -> None:
    projection.is_prompted = projection.break_due = projection.is_to_be_thought_of = True


def _monologue(projection: Projection, value: Value, record: Record) -> None:
    projection.is_pause_suggested = True


def _clock(projection: Projection, value: Value, record: Record) -> None:
    projection.clock = ClockState(value["at_s"], record.at if value["live"] else None)


def _driver(projection: Projection, value: Value, record: Record) -> None:
    projection.driver = value["what"] if value["state"] == "started" else None


def _call(projection: Projection, value: Value, record: Record) -> None:
    projection.calls.append(call_of(value))


def _took_over(projection: Projection, value: Value, record: Record) -> None:
    projection.took_over = value["why"]


def _warning(projection: Projection, value: Value, record: Record) -> None:
    part, reason = value.get("part"), value.get("reason")
    if isinstance(part, str) and isinstance(reason, str):  # else it is another program's
        projection.failures.append(PartFailure(part, reason))


def _debrief_words(projection: Projection, value: Value, record: Record) -> None:
    projection.debrief_failed = value.get("failed")
    if "words" in value:
        projection.debrief_words = from_json(DebriefWords, value["words"])


FOLDS: Final[Mapping[str, Callable[[Projection, Value, Record], None]]] = {
    "session": _session,  # open: versions, panel, options, deck, digests of the templates
    "deck": _deck,  # write of deck-content: slides, claims, gaps
    "intel": _intel,  # write of external-intel: every finding, and the claim it bears on
    "focus_brief": _focus_brief,  # write of a focus brief: the targets
    "dossier": _dossier,  # write of the board dossier: the likely questions, and who sits on the board
    "tensions": speech.tensions,  # note: what an engine proposed and code verified, and what was refused
    "dismissed": speech.dismissed,  # note: the presenter says that a contradiction is none
    "segment": speech.segment,  # append to the transcript: the segment, its claims, its place in a playback
    "slide": speech.slide,  # append to the transcript: the slide, and whether a section ended before it
    "answer": _answer,  # append to the transcript: the answer, for which exchange
    "section_end": speech.section_end,  # note: a recording leaves a section; the panel comes in first
    "candidate": _candidate,  # replace of a candidate question: it, and what it was made from
    "exchange_opened": _exchange_opened,  # note: the exchange with its first question
    "answered": _answered,  # note: what the presenter said since the question was the answer
    "silence": _silence,  # note: a question got no answer
    "answer_used": _answer_used,  # note: a prepared answer without words was used: it parks the question
    "verdict": _verdict,  # note: the judgement of the last answer
    "follow_up": _follow_up,  # note: the next question of the open exchange
    "exchange_closed": _exchange_closed,  # append to the exchange history: the whole exchange
    "observation": _observation,  # append to a presenter profile: what a panelist noticed
    "passed": _passed,  # note: a break at which nobody had a question
    "phrases": _phrases,  # append to generated-phrases: the moderator's phrases for this session
    "said": _said,  # append to generated-phrases: a line of the moderator's, with its occasion
    "call": _call,  # note: what one call to a model used
    "refresh": _refresh,  # note: when the candidates were last looked at, why, and whose hands are up
    "refreshed": _refreshed,  # note: what came of one panelist's call that the refresh did not wait for
    "took_over": _took_over,  # note: no call to the model ever succeeded; the offline panel sits there
    "warning": _warning,  # note: a part of memory failed, and the rehearsal went on without it
    "debrief_words": _debrief_words,  # note: all that the debrief says and that no count gives
    "playback": _playback,  # note: a recording that is being played, with its answers
    "speaker": _speaker,  # note: who the presenter is
    "time_warning": _time_warning,  # append to the debrief notes: a share of the time budget is used up
    "no_question": _no_question,  # append to the debrief notes: nobody has asked for a while
    "monologue": _monologue,  # append to the debrief notes: one voice so long that a pause is due
    "clock": _clock,  # note: the session clock was set, and whether it runs
    "driver": _driver,  # note: a process began or stopped to drive the session
    "played_out": speech.played_out,  # note: the recording is over; only questions and the end are left
    "state": _state,  # replace of the session state: where the moderator stands
}
"""By a value's type, and the operation that carries it."""
