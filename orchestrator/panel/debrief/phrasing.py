"""The debrief's wording of places, verdicts and times, as people say them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from orchestrator.core import legible
from orchestrator.core.legible import counted, one_line
from orchestrator.material.checks.written import in_one_form
from orchestrator.material.claim import Place, Tension
from orchestrator.material.speech.delivery import FILLER, HEDGE
from orchestrator.material.speech.times import WINDOW_S
from orchestrator.panel import render
from orchestrator.panel.config.engine_names import RECORDED, is_bank
from orchestrator.panel.debrief.excerpts import deciding_words
from orchestrator.panel.debrief.parts import bill_lines
from orchestrator.panel.model.exchange import (
    PARTLY,
    Exchange,
    Observation,
    Turn,
    answered_with,
    each_once,
)
from orchestrator.panel.records.setup import UNNAMED

if TYPE_CHECKING:
    from orchestrator.material.speech.times import Stretch
    from orchestrator.material.values import BroughtQuestion
    from orchestrator.panel.debrief.parts import (
        Check,
        Debrief,
        Fix,
        OpenPoint,
        Review,
        SlideSpan,
        Source,
        Stronger,
    )

SHOWN_OVER: Final = 3  # slides named in one line; the page has all


DO_THESE_AGREE: Final = "Do these agree?"
"""The heading over contradictions that no figure decides: they are asked about, and not counted as
contradictions.
"""
STILL_OPEN: Final = "Still open"
UNREAD: Final = "Not read, or missing"
SEE_STRONGER: Final = "A stronger answer stands with the question."
NOT_JUDGED: Final = render.OUTCOME_WORDS["unjudged"]
"""The verdict on an answer that neither a rule nor a model judged: the presenter judges it, and it is not a
fault or homework.
"""
GENERAL: Final = render.GENERAL
origin, lacking = render.origin, render.lacking


def place(source: Source) -> str:
    """Return a place in words: "slide 3", "notes of slide 3", "speech at 3:20", "your answer to x2"."""
    if source.origin == "answer":
        return render.answer_to(source.exchange or "")
    if source.origin == "notes":
        return f"notes of slide {source.slide}"
    return render.place(source.slide, source.said_at_s, source.under)


def of_place(one: Place, exchanges: Sequence[Exchange] = ()) -> Source:
    """Return a side of a contradiction as a source; words of an answer get the answer's exchange."""
    from orchestrator.panel.debrief.parts import Source

    if one.said_at_s is not None:
        until = [each for each in exchanges if each.asked_at_s <= one.said_at_s]
        if (answered := answered_with(one.quote, until)) is not None:
            return Source(one_line(one.quote), origin="answer", exchange=answered)
    return Source(one.quote, one.slide, one.said_at_s, under=one.under)


def quoted(text: str) -> str:
    """Return verbatim words in quotation marks of a kind that the words do not contain."""
    plain = one_line(text)
    return f"“{plain}”" if '"' in plain else f'"{plain}"'


def stopped(text: str) -> str:
    """Return a sentence with a full stop at its end, unless its last words already end in a mark."""
    return text if text.rstrip('"”').endswith((".", "!", "?", "…")) else f"{text}."


def with_place(source: Source) -> str:
    """Return the words in quotation marks, then their place."""
    if source.is_missing:
        if not source.quote:
            return render.lacking(source.slide)
        return f"{place(source)}, {quoted(source.quote)}, which leaves it out"
    return f"{quoted(source.quote)} ({place(source)})"


def placed(source: Source) -> str:
    """Return the source's place, then its words."""
    if source.is_missing:
        if not source.quote:
            return render.lacking(source.slide)
        return f"{place(source)}, {quoted(source.quote)}, leaves it out"
    return f"{place(source)}: {quoted(source.quote)}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Join words as "a", "a and b", "a, b and c"."""
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


DISMISSED = "you say it is no contradiction"
"""Follows the outcome of a question about a contradiction that was dismissed: the question was asked, and
stays.
"""


_PARTLY: Final = render.PARTLY_WORDS


def outcome(exchange: Exchange) -> str:
    """Describe an exchange's outcome by a person's verdict on its last answer, else by the panel's."""
    if exchange.person is not None and exchange.person.verdict == PARTLY:
        return _PARTLY
    if exchange.person is not None:
        return render.OUTCOME_WORDS[exchange.result or ""]
    return panel_outcome(exchange)


def panel_outcome(exchange: Exchange) -> str:
    """Describe an exchange's outcome by the panel's verdict."""
    is_silent = exchange.outcome == "unjudged" and not exchange.answered
    return render.OUTCOME_WORDS.get(render.SILENT if is_silent else exchange.outcome or "", "open")


def outcomes(debrief: Debrief) -> str:
    """Return "7 questions: 2 answered (1 that would not hold), 1 parked, 4 not judged."; each counts once.

    If a person judged, the line also says who judged how many answers.
    """
    once = {one.id for one in each_once(debrief.exchanges)}  # what was parked and came back
    came = [one for one in debrief.reviews if one.exchange.id in once]
    words = [outcome(one.exchange) for one in came]
    answered = render.OUTCOME_WORDS["satisfied"]
    weak, counts = sum(map(is_weak, came)), []
    for word in (*render.COUNTED_WORDS.values(), "open"):
        if word in words:
            counts.append(f"{words.count(word)} {word}")
        if word == answered and weak:
            counts[-1] += f" ({weak} that would not hold)"
    said = f"{counted(len(came), 'question')}: {', '.join(counts)}." if came else "No question was asked."
    return f"{said} Judged {by}." if (by := judges([one.exchange for one in came])) else said


def is_weak(review: Review) -> bool:
    """Return whether an answer that counts as good is contradicted by something."""
    return review.exchange.outcome == review.exchange.result == "satisfied" and not review.would_hold


def judges(exchanges: Sequence[Exchange]) -> str:
    """Return "by Dana: 4, by the panel: 2", or "" if no person judged."""
    names = [one.person.by for one in exchanges if one.person is not None]
    if not names:
        return ""
    counts = [f"by {name}: {names.count(name)}" for name in dict.fromkeys(names)]
    by_panel = sum(one.person is None and one.outcome in ("satisfied", "unresolved") for one in exchanges)
    counts += [f"by the panel: {by_panel}"] if by_panel else []
    return one_line(", ".join(counts))


def asked(debrief: Debrief) -> str:
    """Return the outcomes, and what happened to the questions whose numbers are missing."""
    said = [outcomes(debrief)]
    if any(map(is_weak, debrief.reviews)):
        said.append("Would not hold: a contradiction stands against it.")
    if debrief.withdrawn:
        were = "was" if len(debrief.withdrawn) == 1 else "were"
        said.append(f"{listed(debrief.withdrawn)} {were} withdrawn, with the answer before.")
    return " ".join(said)


def verdict(review: Review) -> str:
    """Return the verdict on a question: "answered", "parked, came back as x4", "answered, says Dana; …"."""
    back = f", came back as {review.came_back_as}" if review.came_back_as else ""
    weak = ", would not hold" if is_weak(review) else ""
    said, panels = review.exchange.person, panel_outcome(review.exchange)
    beside = "" if panels == NOT_JUDGED else f"; the panel: {panels}"
    whose = f", says {said.by}{beside}" if said is not None else ""
    return one_line(f"{review.verdict}{weak}{back}{whose}{f', {DISMISSED}' if review.is_dismissed else ''}")


def tone(review: Review) -> str:
    """Return the verdict that sets the colour; an answer that would not hold is "partly", not "answered"."""
    return "partly" if is_weak(review) else review.verdict


def came_of(review: Review) -> str:
    """Return the verdict, how often the question was asked, and whether it was the presenter's or general.

    A verdict of "not judged" is left out, since the counts of the page say that once.
    """
    judged = "" if is_unjudged(review) and not review.is_dismissed else verdict(review)
    often = times_asked(review.exchange)
    return ", ".join(part for part in (judged, often, render.origin(review.exchange)) if part)


def is_unjudged(review: Review) -> bool:
    """Return whether an answer was given and nobody judged it."""
    return review.exchange.result == "unjudged" and not review.is_silent


def none_open(debrief: Debrief) -> str:
    """Return the text to show if no open point is known.

    It says if there are answers that nobody judged, since they may still be open.
    """
    left = [one for one in debrief.reviews if is_unjudged(one)]
    if not left:
        return "Nothing."
    if not any(one.exchange.result in ("satisfied", "unresolved") for one in debrief.reviews):
        return "Nothing is known: nobody has judged the answers."
    return f"Nothing in what was judged; nobody has judged {counted(len(left), 'other answer')}."


def persons(review: Review) -> list[str]:
    """Return people's verdicts that the question's verdict leaves out: on earlier answers, or with
    reasons.
    """
    said = [turn.person for turn in review.exchange.turns if turn.person is not None]
    said = [one for one in said if one.note or one != review.exchange.person]
    are_several = len(review.exchange.answered) > 1
    return [f"{f'answer {one.turn}: ' if are_several else ''}{render.said_by(one)}" for one in said]


def checked(rubric: Sequence[Check]) -> list[Check]:
    """Return the checks that have a result."""
    return [one for one in rubric if one.state != NOT_JUDGED]


def unchecked(rubric: Sequence[Check]) -> list[str]:
    """Return the checks without a result, grouped by reason: "The ask is clear: no model was asked."."""
    names: dict[str, list[str]] = {}
    for one in rubric:
        if one.state == NOT_JUDGED:
            names.setdefault(one.why, []).append(one.name)
    return [stopped(f"{'; '.join(found)}: {why}") for why, found in names.items()]


def asked_in(debrief: Debrief, tension: Tension) -> str:
    """Return "Asked in x1: answered.", or "" if nobody asked about the contradiction."""
    from orchestrator.panel.debrief.parts import asked_about

    review = asked_about(debrief.reviews, tension)
    if review is None:
        return ""
    judged = "" if is_unjudged(review) and not review.is_dismissed else f": {verdict(review)}"
    return f"Asked in {review.exchange.id}{judged}."


def sides(tension: Tension, exchanges: Sequence[Exchange] = ()) -> list[Source]:
    """Return every quote of a contradiction with its place, each once; an answer's with its exchange."""
    return [of_place(one, exchanges) for one in dict.fromkeys(tension.sides)]


def noted(tension: Tension) -> str:
    """Return a contradiction's sentence, with the sum that does not work out."""
    is_told = not tension.sum or tension.sum in tension.note
    sum_ = in_one_form(tension.sum)
    return stopped(tension.note) if is_told else f"{stopped(tension.note)} {stopped(sum_)}"


def numbered(tension: Tension) -> str:
    """Return a contradiction with the id by which it can be dismissed: "c2: Revenue is told twice."."""
    return f"{tension.id}: {noted(tension)}" if tension.id else noted(tension)


def brought(one: BroughtQuestion) -> str:
    """Return a presenter's own question, with the slide at which it was to be asked, if any."""
    return one.text if one.slide is None else f"{one.text} (slide {one.slide})"


def noticed(seen: Observation) -> str:
    """Return an observation about the presenter, with the words on which it is based."""
    text = stopped(f"{seen.text[:1].upper()}{seen.text[1:]}")
    return f"{text} {quoted(seen.quote)}" if seen.quote else text


def times_asked(exchange: Exchange) -> str:
    """Return "", "asked twice" or "asked 3 times": a follow-up that asks something new does not count."""
    count = sum(not turn.is_new_question for turn in exchange.turns)
    return "" if count <= 1 else "asked twice" if count == 2 else f"asked {count} times"


MAX_OPEN: Final = 7
"""Maximum number of open points shown at once; the others are folded.

Our own choice: what one can do in a week.
"""


def more_open(debrief: Debrief) -> str:
    """Return the heading of the open points that are folded."""
    return f"{len(debrief.homework) - MAX_OPEN} more, less pressing"


def homework(point: OpenPoint, *, is_above: bool = True) -> str:
    """Return an open point: its question, and why it is open.

    If *is_above*, the stronger answer is shown above with the question, and this text only refers to it.
    """
    better = [] if point.stronger is None else [SEE_STRONGER] if is_above else stronger(point.stronger)
    why = stopped(f"{point.why[:1].upper()}{point.why[1:]}")
    return " ".join([question_about(point.exchange, point.question, point.about, point.origin), why, *better])


def question_about(exchange: str, question: str, about: Source | None, whose: str) -> str:
    """Return a question alone: "x2, on "Boats run" (slide 2): Who owns them?", "x3 (general): Why now?"."""
    if about is None:
        return f"{exchange} ({whose or GENERAL}): {question}"
    is_told = about.quote.rstrip(" .") in question  # the question says the words itself
    where = place(about) if is_told else f"on {with_place(about)}"
    marks = [where if about.quote else lacking(about.slide), *([whose] if whose else [])]
    return f"{exchange}, {', '.join(marks)}: {question}"


def turns(review: Review) -> list[tuple[str, str, str | None]]:
    """Return every question of an exchange, each with its label, its words and its answer.

    The label is "Asked", "Asked again" or "Then asked". The answer is None if there was none.
    """
    asked = (review.asked, *review.asked_again)
    return [
        (_asked_how(number, turn), question, _said(turn))
        for number, (question, turn) in enumerate(zip(asked, review.exchange.turns, strict=True))
    ]


def _asked_how(number: int, turn: Turn) -> str:
    return "Asked" if number == 0 else "Then asked" if turn.is_new_question else "Asked again"


def _said(turn: Turn) -> str | None:
    """Return the deciding words of an answer, with dots where others are left out; None without an answer."""
    if not turn.answer:
        return None
    whole = " ".join(turn.answer.split())
    text = deciding_words(whole, turn.quote)
    at = whole.find(text)
    is_cut_before, is_cut_behind = at > 0, at + len(text) < len(whole)
    return f"{'… ' if is_cut_before else ''}{text}{' …' if is_cut_behind else ''}"


def stronger(answer: Stronger) -> list[str]:
    """Return a stronger answer, with one sentence for each thing to do."""
    said = []
    if answer.first is not None:
        said.append(f"Say at the first asking: {_late(answer.first)}")
    if answer.text:
        text = one_line(answer.text).casefold()
        apart = [
            with_place(one)
            for one in answer.rests_on
            if one_line(one.quote).casefold().rstrip(" .!?…") not in text
        ]
        rests = f"It rests on {listed(apart)}." if apart else _from(answer)
        said.append(f"{stopped(answer.text)} {rests}")
    if answer.bring:
        said.append(f"Bring {listed(answer.bring)}.")
    return said


def _late(source: Source) -> str:
    """Return words to say earlier, with dots if they are not a whole sentence."""
    is_whole = source.quote.rstrip('"”').endswith((".", "!", "?", "…"))
    return stopped(quoted(source.quote if is_whole else f"{source.quote} …"))


def _from(answer: Stronger) -> str:
    """Return the places of the words from which a stronger answer is made."""
    return f"(From {listed(list(dict.fromkeys(map(place, answer.rests_on))))}.)"


def before(review: Review) -> str | None:
    """Return, in a drill, the question's outcome in the earlier session and its last answer, or None."""
    one = review.before
    if one is None:
        return None
    came = ", ".join(part for part in (outcome(one), times_asked(one)) if part)
    last = _said(one.answered[-1]) if one.answered else None
    return f"{came[:1].upper()}{came[1:]}." if last is None else f"{quoted(last)} ({came})"


def better_than_before(review: Review) -> tuple[str, ...]:
    """Return how a drill's answer is better than the earlier one, by verdicts and counts, without guesses.

    Points count as closed only if the panelist is satisfied and leaves nothing open, since two panels word
    the same point differently.
    """
    one, now = review.before, review.exchange
    if one is None or now.result != "satisfied":
        return ()
    said = []
    if one.result != "satisfied":
        said.append(f"{outcome(now)}, where it was {outcome(one)} before")
    asked, asked_before = (sum(not turn.is_new_question for turn in each.turns) for each in (now, one))
    if one.result == "satisfied" and asked < asked_before:
        at = "at the first asking" if asked == 1 else times_asked(now)
        said.append(f"answered {at}, where it was {times_asked(one)} before")
    if one.left_open and not now.left_open:
        said.append(f"nothing is left open; before it was {listed(one.left_open)}")
    return tuple(said)


def fix_lines(fix: Fix) -> list[tuple[str, str]]:
    """Return what to say and bring to correct the one thing to fix, and why it comes first."""
    better = fix.better
    say, bring = [fix.say] if fix.say else [], fix.bring
    if better is not None and better.first is not None:
        say = [f"At the first asking: {_late(better.first)}"]
    if better is not None and better.text:
        say = [f"{stopped(better.text)} {_from(better)}"]
    if better is not None and better.bring:
        bring = stopped(listed(better.bring))
        bring = f"{bring[:1].upper()}{bring[1:]}"
    lines = [("Say", one) for one in say]
    lines += [("Bring", bring)] if bring else []
    lines += [("Why", fix.why)] if fix.why else []
    return lines


def nothing_to_fix(debrief: Debrief) -> str:
    """Return the sentence to show if there is nothing to fix first."""
    if not debrief.reviews:
        return "No question was asked, so nothing was tested."
    asked = each_once(debrief.exchanges)
    count = sum(one.result == "unjudged" for one in asked)
    if not count:
        return "No answer was found wanting."
    judge = (
        "read your answers against the questions, and say of each whether it gave what was asked, with the "
        "buttons on its page or `greenroom judge SESSION EXCHANGE given|partly|not`."
    )
    if count == len(asked):
        return f"Nobody has judged these answers, so nothing is known of what to fix: {judge}"
    left = f"{count} of {len(asked)} {'was' if count == 1 else 'were'} {NOT_JUDGED}"
    return f"No answer that was judged was found wanting, but {left}: {judge}"


def time_used(speech_s: float, answers_s: float, budget_s: float) -> str:
    """Return "8:00 of 20:00 used: 6:14 presenting, 1:46 answering." """
    parts = f"{legible.clock(speech_s)} presenting, {legible.clock(answers_s)} answering"
    return f"{legible.clock(speech_s + answers_s)} of {legible.clock(budget_s)} used: {parts}."


SHOWN_OTHERS: Final = 0.05
"""The share of the time used from which other voices are shown: less is a word of welcome, not part of the
presentation.
"""


def timing(debrief: Debrief) -> str:
    """Return the time used and the budget, in one line."""
    line = time_used(debrief.speech_s, debrief.answers_s, debrief.budget_s)
    others_s = debrief.delivery.others_s
    if others_s >= SHOWN_OTHERS * max(debrief.used_s, 1.0):
        line += f" Others spoke for {legible.clock(others_s)} of it."
    if not debrief.slides:
        return line
    # The one that is over by most first.
    over = sorted(over_share(debrief.slides), key=lambda one: one.budget_s - one.seconds)
    if not over:
        return f"{line} No slide took more than its share."
    named = [
        f"slide {one.slide} ({legible.clock(one.seconds)} of {legible.clock(one.budget_s)})"
        for one in over[:SHOWN_OVER]
    ]
    more = f" and {len(over) - SHOWN_OVER} more" if len(over) > SHOWN_OVER else ""
    guessed = ", as far as the words tell the slides" if any(one.estimated for one in over) else ""
    return f"{line} Over their share{guessed}: {', '.join(named)}{more}."


def over_share(slides: Sequence[SlideSpan]) -> list[SlideSpan]:
    """Return the slides that were shown for longer than their share of the time."""
    return [one for one in slides if one.budget_s and one.seconds > one.budget_s]


def longest_s(slides: Sequence[SlideSpan]) -> float:
    """Return the longest time or share of any slide, which corresponds to the whole width of a drawing."""
    return max(max(one.seconds, one.budget_s) for one in slides)


def by_fives(minutes: Sequence[Stretch]) -> list[tuple[float, list[int | None]]]:
    """Return paces in rows of five minutes, each row with its start.

    A pace is None if there was too little speech.
    """
    found = {int(one.start_s // WINDOW_S): one.words_per_minute for one in minutes}
    begins = sorted({number - number % 5 for number in found})
    return [(first * WINDOW_S, [found.get(first + more) for more in range(5)]) for first in begins]


def ended_at_s(debrief: Debrief) -> float:
    """Return the last moment of the talk that is known, on the session clock."""
    told = debrief.delivery
    ends = [one.end_s for one in told.minutes] + [one.segment.end_s for one in told.said or ()]
    return max([debrief.speech_s, *ends])


def delivery(debrief: Debrief) -> str:
    """Describe in one line how the presenter spoke; what was not measured is left out."""

    told = debrief.delivery
    if not told.words:
        return "No speech was heard."
    said = []
    if told.words_per_minute is not None:
        off = [
            f"{how} at {legible.clock(one.start_s)}-{legible.clock(one.end_s)} ({one.words_per_minute})"
            for how, group in (("fast", told.fast), ("slow", told.slow))
            for one in group[:2]
        ]
        said.append(f"{told.words_per_minute} words a minute" + (f", {', '.join(off)}" if off else ""))
    else:
        # A few words say nothing about pace.
        why = "the words were typed, or came without times" if told.pauses is None else "too little was said"
        said.append(f"pace not measured ({why})")
    if told.said is None:
        said.append("fillers not counted (the speech is not English)")
    else:
        said += [_counts(debrief, FILLER), _counts(debrief, HEDGE)]
    if told.pauses:
        longest = max(told.pauses, key=lambda one: one.length_s)
        said.append(f"longest pause {longest.length_s:.0f} s at {legible.clock(longest.at_s)}")
    if told.monologue is not None:
        start_s, end_s = told.monologue
        said.append(f"{legible.clock(end_s - start_s)} without another voice")
    if told.talk_share is not None and told.talk_share < 1:
        said.append(f"{told.talk_share:.0%} of the talking")
    line = "; ".join(said)
    return f"{line[:1].upper()}{line[1:]}."


SHOWN_HABITS: Final = 5
"""Maximum number of repeated phrases, and of slides, that are named: nobody remembers more."""


def habits(debrief: Debrief) -> list[str]:
    """Return a sentence for each phrase that was repeated often, and one for slides that were read aloud."""
    said = [
        f"You said {quoted(one.words)} {one.times} times, from {legible.clock(min(one.at_s))} on."
        for one in debrief.repeated[:SHOWN_HABITS]
    ]
    if debrief.read_aloud:
        most = sorted(debrief.read_aloud, key=lambda one: -one.share)[:SHOWN_HABITS]
        named = [f"slide {one.slide} ({one.share:.0%})" for one in most]
        more = len(debrief.read_aloud) - len(most)
        named += [f"{more} more"] if more else []
        said.append(f"You read aloud {listed(named)}: so much of the slide's words, in its order.")
    return said


def _counts(debrief: Debrief, kind: str) -> str:
    told = debrief.delivery
    where = f" in {RECOGNISED}" if kind == FILLER and told.is_recognised else ""
    common = told.common(kind)
    if not common:
        return f"no {kind}s{where}"
    most = ", ".join(f"{word} {number}" for word, number in common[:3])
    return f"{counted(told.count(kind), kind)} ({most}){where}"


RECOGNISED: Final = "the words as recognised, where most of um and uh are left out"
"""The words among which the fillers of a microphone are counted: recognition writes sentences, and few
hesitations.
"""


def who(debrief: Debrief) -> str:
    """Return who presented, whose words were judged, and when."""
    if debrief.speaker:
        judged = f"The words of {debrief.speaker} were judged."
    else:
        judged = "The speech names no speakers." if debrief.delivery.words else "Nobody spoke."
        if debrief.speech_s and not debrief.delivery.words:
            judged = "It was not clear who presents, so nobody's words were judged."
    date = f" Date: {debrief.day}." if debrief.day else ""
    return one_line(f"Presenter: {debrief.presenter}. {judged}{date}")


MAX_BRIEF: Final = 8
"""Maximum number of questions on the first page of the paper form: with seven open points they fill the
page.
"""


def rehearsed_by(debrief: Debrief) -> str:
    """Return who rehearsed, when, and before whom: "Rehearsed by Ines on 2026-12-01 before Ana and Bo."."""
    panel = listed(list(dict.fromkeys(one.name for one in debrief.reviews)))
    day, audience = (f" on {debrief.day}" if debrief.day else "", f" before {panel}" if panel else "")
    who_ = "" if debrief.presenter == UNNAMED else f" by {debrief.presenter}"
    return stopped(one_line(f"Rehearsed{who_}{day}{audience}"))


def figures(debrief: Debrief) -> list[tuple[str, str]]:
    """Return the figures of the first page, each with the words for what it counts."""
    told = debrief.delivery
    asked = each_once(debrief.exchanges)
    answered = sum(one.result == "satisfied" for one in asked)
    judged = sum(one.result in ("satisfied", "unresolved") for one in asked)
    found = [(f"{answered} of {judged}", "judged questions answered")] if judged else []
    found.append((legible.clock(debrief.used_s), f"of {legible.clock(debrief.budget_s)} used"))
    if told.words_per_minute is not None:
        found.append((str(told.words_per_minute), "words a minute"))
    if told.said is not None and told.words:
        found.append((str(told.count(FILLER)), "fillers" if told.count(FILLER) != 1 else "filler"))
    return found


def taken_over(debrief: Debrief) -> str | None:
    """Return one line for the top of the page if no call to the chosen engine succeeded, else None."""
    if debrief.took_over is None:
        return None
    sat = f"The offline panel sat in the place of the engine `{debrief.engine}`"
    return stopped(one_line(f"{sat}: {debrief.took_over}"))


def driven(debrief: Debrief) -> str | None:
    """Return which workers of a cluster drove the session, if there was more than one, else None."""
    if len(debrief.workers) < 2:
        return None
    first, *others = debrief.workers
    told, before = f"Driven by {first.worker}", first.worker
    for one in others:
        told += f", then by {one.worker}{f' after {before} was gone' if one.is_left else ''}"
        before = one.worker
    return f"{told}."


def engine(debrief: Debrief) -> list[str]:
    """Return who asked and judged, the limits of that and its cost, and which workers drove it."""
    by = driven(debrief)
    return [*_engine(debrief), *([by] if by is not None else [])]


def _engine(debrief: Debrief) -> list[str]:
    if is_bank(debrief.engine):
        return [_FROM_BANK]
    if debrief.engine == RECORDED:
        return [_RECORDED]
    shares = debrief.shares
    if debrief.took_over is not None and not (shares and (shares.asked or shares.judged)):
        return [_FROM_BANK, *bill_lines(debrief.bill, is_taken_over=True)]
    if debrief.without_replies is not None:
        told = debrief.without_replies
        return [stopped(told[:1].upper() + told[1:]), "Times and counts are the program's."]
    said = [_by_engine(debrief)]
    if debrief.failed is not None:
        said.append(stopped(one_line(f"It gave no words for this page: {debrief.failed}")))
    return [*said, *bill_lines(debrief.bill)]


_FROM_BANK: Final = (
    "Asked from a bank of questions, without a model; judged only where that is certain, and what is not "
    "judged is yours to judge. Checked: the arithmetic within one table, chart or sentence."
)


_RECORDED: Final = (
    "Recorded: a strong reader replied to these requests before, in the place of a model, and the program "
    "verified every quote and figure. Times and counts are the program's."
)


def _by_engine(debrief: Debrief) -> str:
    """Return how much the engine asked and judged, and that the offline panel did the rest."""
    shares = debrief.shares
    if shares is None or shares.is_whole:
        return f"Asked and judged by the engine `{debrief.engine}`; times and counts are the program's."
    done = [f"asked {shares.asked} of {counted(shares.questions, 'question')}"]
    if shares.answers:
        done.append(f"judged {shares.judged} of {counted(shares.answers, 'answer')}")
    return f"The engine `{debrief.engine}` {listed(done)}; the offline panel did the rest."


SHARES: Final = (
    "A slide's share of the time: half of the minutes in equal shares, half by the words on the slide."
)
"""How `parts.shares` counts, said beside its figures."""
