"""The one request at the end, for everything in the debrief that cannot be counted.

The reply is stored as a record, so the debrief can be made again from the ledger; a failure is stored too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from orchestrator.core.errors import EngineError
from orchestrator.core.table import MODERATOR
from orchestrator.material.checks.grounding import figures, grounded, material, speech_passages
from orchestrator.material.claim import Passage, Place, Tension
from orchestrator.material.claims.sentences import sentences
from orchestrator.panel.debrief.excerpts import short
from orchestrator.panel.debrief.parts import STATES, Check, Source, Stronger
from orchestrator.panel.debrief.rubric import CHECKS
from orchestrator.panel.engines.offline.judging import sort_of
from orchestrator.panel.engines.protocol import DebriefRequest
from orchestrator.panel.engines.together import ask
from orchestrator.panel.loop.calling_on import was_asked
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.model.exchange import Candidate, Exchange, answered_with
from orchestrator.panel.model.reply import BetterAnswer, DebriefWords, RubricCheck
from orchestrator.panel.records.exchanges import ExchangeOpened, VerdictGiven
from orchestrator.panel.records.kinds import value_of
from orchestrator.panel.records.moderator import DebriefAnswered
from orchestrator.panel.records.projection import Projection

# ---------------------------------------------------------------------- verified
# An engine's words for the debrief, looked up again: quotes that stand, figures that were said.


NOT_JUDGED = "not judged"


def better_answers(
    words: DebriefWords, exchanges: Sequence[Exchange], passages: Sequence[Passage]
) -> Mapping[str, Stronger]:
    """Map exchanges to the better answers whose source words are found in their places.

    Every figure in such an answer must be in those words or in its exchange, so nothing is invented for the
    presenter.
    """
    by_id = {exchange.id: exchange for exchange in exchanges}
    found = {}
    for better in words.better:
        exchange = by_id.get(better.exchange)
        places = [place for one in better.rests_on if (place := grounded(one, passages)) is not None]
        if exchange is None or not places or not _was_said(better, exchange, places):
            continue
        sources = [source_of(place, exchanges) for place in places]
        if _says_more(better, exchange, sources):
            found[exchange.id] = Stronger(
                text=better.text, rests_on=tuple(map(short, sources)), bring=better.bring
            )
        elif better.bring:
            found[exchange.id] = Stronger(bring=better.bring)
    return found


def read_checks(
    words: DebriefWords, names: Iterable[str], exchanges: Sequence[Exchange], passages: Sequence[Passage]
) -> Mapping[str, Check]:
    """Map names to checks; a "yes" or "partly" whose words are not found becomes "not judged"."""
    by_name: dict[str, RubricCheck] = {check.name: check for check in words.checks}
    found = {}
    for name in names:
        said = by_name.get(name)
        if said is None or said.state not in STATES:
            continue
        place = None if said.rests_on is None else grounded(said.rests_on, passages)
        source = None if place is None else short(source_of(place, exchanges))
        if source is None and said.state in ("yes", "partly"):
            found[name] = Check(name, NOT_JUDGED, "the words that it was to rest on stand nowhere")
        else:
            found[name] = Check(name, said.state, said.why.rstrip("."), source)
    return found


def source_of(place: Place, exchanges: Sequence[Exchange]) -> Source:
    """Return a place in the form that the debrief uses: words of an answer are named by their exchange."""
    if place.said_at_s is not None or place.slide is None:
        answered = answered_with(place.quote, exchanges)
        if answered is not None:
            return Source(" ".join(place.quote.split()), origin="answer", exchange=answered)
    return Source(place.quote, place.slide, place.said_at_s, "line" if place.said_at_s is None else "speech")


def _says_more(better: BetterAnswer, exchange: Exchange, sources: Sequence[Source]) -> bool:
    """Return whether the better answer says more than the rejected ones, and more than "not known"."""
    wanting = [one.answer or "" for one in exchange.turns if one.verdict in ("follow_up", "escalate")]
    said = " ".join(" ".join(wanting).split())
    is_again = all(one.origin == "answer" and " ".join(one.quote.split()) in said for one in sources)
    text = better.text
    return not is_again and sort_of([text[start:end] for start, end in sentences(text)]) is None


def _was_said(better: BetterAnswer, exchange: Exchange, places: Sequence[Place]) -> bool:
    """Return whether every figure and date of the answer is in its sources or its exchange."""
    texts = [place.quote for place in places]
    texts += [exchange.quote or "", exchange.beside.quote if exchange.beside is not None else ""]
    texts += [text for turn in exchange.turns for text in (turn.question, turn.answer or "")]
    return figures(better.text) <= {figure for text in texts for figure in figures(text)}


# ---------------------------------------------------------------------- promises
# The presenter's promises: in the speech, as the debrief heard it, and in answers, as the panel did.


def promises_of(rehearsal: OpenRehearsal) -> tuple[Source, ...]:
    """Return every promise once, verbatim: first those of the speech, then those that a verdict names."""
    answered = _of_answers(rehearsal)
    told = [one.quote.casefold() for one in answered]
    spoken = [one for one in _of_speech(rehearsal) if not any(_is_one(one.quote, quote) for quote in told)]
    return (*spoken, *answered)


def _is_one(quote: str, other: str) -> bool:
    return quote.casefold() in other or other in quote.casefold()


def _of_speech(rehearsal: OpenRehearsal) -> list[Source]:
    """Return the promises in the debrief's words that are found in the speech, except those in an answer."""
    projection, scene = rehearsal.projection, rehearsal.scene()
    told = projection.debrief_words.promises if projection.debrief_words is not None else ()
    passages = speech_passages(scene.segments)
    found = [place for one in told if (place := grounded(one, passages)) is not None]
    return [source_of(place, projection.exchanges) for place in dict.fromkeys(found)]


def _of_answers(rehearsal: OpenRehearsal) -> tuple[Source, ...]:
    """Return the promises that a verdict names, in order."""
    store = rehearsal.store
    answers = {
        exchange.id: " ".join(" ".join((turn.answer or "").split()) for turn in exchange.turns)
        for exchange in rehearsal.projection.asked
    }
    found: dict[str, Source] = {}
    asked, withdrawn = "", rehearsal.projection.withdrawn_records
    for entry in store.entries():
        if entry.op != "note" or entry.seq in withdrawn:
            continue
        match value_of(store.record(entry.seq)):
            case ExchangeOpened(exchange):
                asked = exchange.id
            case VerdictGiven(judgement=judgement):
                for promise in judgement.promises:
                    quote = " ".join(promise.split())
                    if quote and quote in answers.get(asked, ""):
                        found.setdefault(quote.casefold(), Source(quote, origin="answer", exchange=asked))
    return tuple(found.values())


# ---------------------------------------------------------------------- request


UNSHOWN = "unshown"
"""A reason in `DebriefWords.refused`: the page would not show this stronger answer."""


def still_to_ask(projection: Projection, without: Set[str] = frozenset()) -> tuple[Candidate, ...]:
    """Return the questions that nobody asked, each once.

    These are the panel's candidates, then the dossier's questions, then the targets of the focus briefs.

    A target is shown by its panelist's reason for it, in one sentence. Questions about a contradiction that
    was dismissed, or whose digest is in *without*, are left out.
    """
    likely = (
        Candidate(
            agent=one.agent or "",
            question=one.question,
            claim=None,
            slide=one.about.slide if one.about is not None else None,
            said_at_s=None,
            quote=(one.about.quote or None) if one.about is not None else None,
            grounded=one.about is not None,
            needs=(),
            relevance=0.0,
            lead_in="",
            angle=one.why,
            is_missing=one.is_missing,
        )
        for one in projection.likely
    )
    aimed = (
        Candidate(
            agent=agent,
            question=one.angle,
            claim=one.claim,
            slide=one.slide,
            said_at_s=one.said_at_s,
            quote=one.quote or None,
            grounded=bool(one.quote),
            needs=(),
            relevance=0.0,
            lead_in="",
            angle=one.angle,
            is_missing=one.is_missing,
        )
        for agent, targets in projection.targets.items()
        for one in targets
    )
    found: dict[str, Candidate] = {}
    about: set[tuple[int | None, str]] = set()
    never = projection.never_asked
    gone = [one for one in projection.found if projection.is_dismissed(one) or one.digest in without]
    for one in (*never, *likely, *aimed):
        where = (one.slide, one.quote or one.question)
        is_known = one.question in found or (where in about and not one.is_missing)
        is_gone = one not in never and _quotes_side(gone, one)
        if one.question and not (is_known or is_gone) and was_asked(projection, one) is None:
            found[one.question] = one
            about.add(where)
    return tuple(found.values())


def _quotes_side(gone: Sequence[Tension], one: Candidate) -> bool:
    """Return whether a question quotes a side of one of these contradictions."""
    quote = one.quote or ""
    sides = (side for each in gone for side in each.sides if side.slide == one.slide)
    return bool(quote) and any(quote in side.quote or side.quote in quote for side in sides)


def ask_for_debrief(rehearsal: OpenRehearsal) -> None:
    """Ask the engine for the debrief, as the moderator, and wait for the reply.

    This is done once, after the session's last exchange. `dismissed` in the record contains positions in the
    projection's list of contradictions.
    """
    projection = rehearsal.projection
    tensions = tuple(rehearsal.on_record(projection.tensions, lambda one: [side.quote for side in one.sides]))
    never_asked = rehearsal.on_record(still_to_ask(projection), lambda one: (one.question, one.quote or ""))
    request = DebriefRequest(
        rehearsal.seats[MODERATOR], rehearsal.scene(), tensions, tuple(never_asked), tuple(CHECKS)
    )
    context = rehearsal.context(MODERATOR, purpose="debrief", request=request)
    try:
        words = ask(rehearsal.engine, request, context)
    except EngineError as error:
        rehearsal.note_calls()
        rehearsal.store.note(DebriefAnswered(failed=str(error)), by=MODERATOR)
        return
    rehearsal.note_calls()
    # Places among those that were shown become places among all: what is off the record was not shown.
    places = [projection.found.index(tensions[one]) for one in words.dismissed if 0 <= one < len(tensions)]
    scene = request.scene
    shown = better_answers(words, scene.exchanges, material(scene.deck, scene.segments))
    unshown = sum(one.exchange not in shown for one in words.better)
    refused = (*words.refused, *([(UNSHOWN, unshown)] if unshown else []))
    words = replace(words, dismissed=tuple(places), refused=refused)
    rehearsal.store.note(DebriefAnswered(words), by=MODERATOR)
