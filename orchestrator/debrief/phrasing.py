"""How the debrief says things: places, verdicts, times, in words for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from orchestrator import render
from orchestrator.debrief.bill import bill_lines
from orchestrator.debrief.excerpts import deciding_words
from orchestrator.legible import one_line
from orchestrator.model.claim import Place, Tension
from orchestrator.model.exchange import Exchange, Observation, Turn, each_once
from orchestrator.render import counted
from orchestrator.speech.fillers import FILLER, HEDGE
from orchestrator.speech.pace import WINDOW_S

if TYPE_CHECKING:
    from orchestrator.debrief.parts import Debrief, OpenPoint, Review, SlideSpan, Source, Stronger
    from orchestrator.model.brought import BroughtQuestion
    from orchestrator.speech.pace import Stretch

SHOWN_OVER: Final = 3  # slides named in one line; the page has all


DO_THESE_AGREE: Final = "Do these agree?"
"""The heading over what no figure decides: asked, and not counted as a contradiction."""
STILL_OPEN: Final = "Still open"
SEE_STRONGER: Final = "A stronger answer stands with the question."
NOT_JUDGED: Final = render.OUTCOME_WORDS["unjudged"]
"""An answer that neither a rule nor a model judged: the presenter's to judge, no fault and no homework."""
GENERAL: Final = render.GENERAL
origin, lacking = render.origin, render.lacking


def place(source: Source) -> str:
    """Where words stand: "slide 3", "notes of slide 3", "speech at 3:20", "your answer to x2"."""
    if source.origin == "answer":
        return render.answer_to(source.exchange or "")
    if source.origin == "notes":
        return f"notes of slide {source.slide}"
    return render.place(source.slide, source.said_at_s, source.under)


def of_place(one: Place) -> Source:
    """A side of a contradiction as a source."""
    from orchestrator.debrief.parts import Source

    return Source(one.quote, one.slide, one.said_at_s, under=one.under)


def quoted(text: str) -> str:
    """Verbatim words in quotation marks that the words themselves do not hold."""
    plain = one_line(text)
    return f"“{plain}”" if '"' in plain else f'"{plain}"'


def stopped(text: str) -> str:
    """A sentence with a full stop at its end, unless its last words bring one along."""
    return text if text.rstrip('"”').endswith((".", "!", "?", "…")) else f"{text}."


def with_place(source: Source) -> str:
    """The words in quotation marks, and where they stand."""
    if source.is_missing:
        if not source.quote:
            return render.lacking(source.slide)
        return f"{place(source)}, {quoted(source.quote)}, which leaves it out"
    return f"{quoted(source.quote)} ({place(source)})"


def placed(source: Source) -> str:
    """The place first, then the words."""
    if source.is_missing:
        if not source.quote:
            return render.lacking(source.slide)
        return f"{place(source)}, {quoted(source.quote)}, leaves it out"
    return f"{place(source)}: {quoted(source.quote)}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


DISMISSED = "you say it is no contradiction"
"""Behind the outcome of a question about a contradiction that was dismissed: it was asked, and stays."""


def outcome(exchange: Exchange) -> str:
    """An exchange's outcome in words."""
    is_silent = exchange.outcome == "unjudged" and not exchange.answered
    return render.OUTCOME_WORDS.get(render.SILENT if is_silent else exchange.outcome or "", "open")


def outcomes(exchanges: Sequence[Exchange]) -> str:
    """ "7 questions: 2 answered, 1 parked, 4 not judged."; what was parked and came back counts once."""
    came = [outcome(one) for one in each_once(exchanges)]
    counts = ", ".join(
        f"{came.count(word)} {word}" for word in (*render.OUTCOME_WORDS.values(), "open") if word in came
    )
    return f"{counted(len(came), 'question')}: {counts}." if came else "No question was asked."


def asked(debrief: Debrief) -> str:
    """The outcomes, and what became of the questions whose numbers are left out."""
    if not debrief.withdrawn:
        return outcomes(debrief.exchanges)
    were = "was" if len(debrief.withdrawn) == 1 else "were"
    gone = f"{listed(debrief.withdrawn)} {were} withdrawn, with the answer before."
    return f"{outcomes(debrief.exchanges)} {gone}"


def verdict(review: Review) -> str:
    """The verdict on a question: "answered", "parked, came back as x4"."""
    back = f", came back as {review.came_back_as}" if review.came_back_as else ""
    return f"{review.verdict}{back}{f', {DISMISSED}' if review.is_dismissed else ''}"


def came_of(review: Review) -> str:
    """The same, with how often it was asked, and whose question it was, or if it was a general one."""
    often = times_asked(review.exchange)
    return ", ".join(part for part in (verdict(review), often, render.origin(review.exchange)) if part)


def asked_in(debrief: Debrief, tension: Tension) -> str:
    """ "", "Asked in x1: answered." """
    from orchestrator.debrief.parts import asked_about

    review = asked_about(debrief.reviews, tension)
    return "" if review is None else f"Asked in {review.exchange.id}: {verdict(review)}."


def sides(tension: Tension) -> list[Source]:
    """Every quote of a contradiction with its place, each once."""
    return [of_place(one) for one in dict.fromkeys(tension.sides)]


def noted(tension: Tension) -> str:
    """A contradiction's sentence, with the sum that fails."""
    is_told = not tension.sum or tension.sum in tension.note
    return stopped(tension.note) if is_told else f"{stopped(tension.note)} {stopped(tension.sum)}"


def numbered(tension: Tension) -> str:
    """The same behind the id by which the presenter can dismiss it: "c2: Revenue is told twice."."""
    return f"{tension.id}: {noted(tension)}" if tension.id else noted(tension)


def brought(one: BroughtQuestion) -> str:
    """A question that the presenter brought, and at which slide it was to be put."""
    return one.text if one.slide is None else f"{one.text} (slide {one.slide})"


def noticed(seen: Observation) -> str:
    """An observation of the presenter, with the words behind it."""
    return f"{stopped(seen.text)} {quoted(seen.quote)}" if seen.quote else stopped(seen.text)


def times_asked(exchange: Exchange) -> str:
    """ "", "asked twice", "asked 3 times": a follow-up that asks something new is another question."""
    count = sum(not turn.is_new_question for turn in exchange.turns)
    return "" if count <= 1 else "asked twice" if count == 2 else f"asked {count} times"


def homework(point: OpenPoint, *, is_above: bool = True) -> str:
    """An open point: its question, and why it is open.

    *is_above*: its stronger answer stands with the question, and is only named here.
    """
    about = f" ({GENERAL})" if point.about is None else f", {with_place(point.about)}"
    if point.stronger is None:
        return f"{point.exchange}{about}: {point.why}"
    better = [SEE_STRONGER] if is_above else stronger(point.stronger)
    return f"{point.exchange}{about}: {' '.join([stopped(point.why), *better])}"


def turns(review: Review) -> list[tuple[str, str | None]]:
    """Every question of an exchange as it was asked, with what was said to it; None: it got no answer."""
    asked = (review.asked, *review.asked_again)
    return [(question, _said(turn)) for question, turn in zip(asked, review.exchange.turns, strict=True)]


def _said(turn: Turn) -> str | None:
    """The deciding words of an answer, with dots where their sentence goes on or began before them."""
    if not turn.answer:
        return None
    whole = " ".join(turn.answer.split())
    text = deciding_words(whole, turn.quote)
    at = whole.find(text)
    before, after = whole[:at], whole[at + len(text) :]
    first = "… " if before and not _is_ended(before) else ""
    return f"{first}{text}{' …' if after.strip() and not _is_ended(text) else ''}"


def _is_ended(text: str) -> bool:
    return text.rstrip().rstrip('"”').endswith((".", "!", "?", "…"))


def stronger(answer: Stronger) -> list[str]:
    """A stronger answer in one sentence for each thing to do."""
    said = []
    if answer.first is not None:
        said.append(f"Say at the first asking: {stopped(quoted(answer.first.quote))}")
    if answer.text:
        said.append(stopped(answer.text))
    if answer.rests_on:
        said.append(f"It rests on {listed([with_place(one) for one in answer.rests_on])}.")
    if answer.bring:
        said.append(f"Bring {listed(answer.bring)}.")
    return said


def nothing_to_fix(debrief: Debrief) -> str:
    """The sentence in the place of the one thing to fix first, where there is none."""
    if not debrief.reviews:
        return "No question was asked, so nothing was tested."
    asked = each_once(debrief.exchanges)
    count = sum(one.outcome == "unjudged" for one in asked)
    if not count:
        return "No answer was found wanting."
    judge = "read your answers against the questions. A model judges them, where one is set up."
    if count == len(asked):
        return f"No answer was judged, so nothing is known of what to fix: {judge}"
    left = f"{count} of {len(asked)} {'was' if count == 1 else 'were'} {NOT_JUDGED}"
    return f"No answer that was judged was found wanting, but {left}: {judge}"


def time_used(speech_s: float, answers_s: float, budget_s: float) -> str:
    """ "8:00 of 20:00 used: 6:14 presenting, 1:46 answering." """
    parts = f"{render.clock(speech_s)} presenting, {render.clock(answers_s)} answering"
    return f"{render.clock(speech_s + answers_s)} of {render.clock(budget_s)} used: {parts}."


def timing(debrief: Debrief) -> str:
    """Time against budget in one line."""
    line = time_used(debrief.speech_s, debrief.answers_s, debrief.budget_s)
    if not debrief.slides:
        return line
    # The one that is over by most first.
    over = sorted(over_share(debrief.slides), key=lambda one: one.budget_s - one.seconds)
    if not over:
        return f"{line} No slide took more than its share."
    named = [
        f"slide {one.slide} ({render.clock(one.seconds)} of {render.clock(one.budget_s)})"
        for one in over[:SHOWN_OVER]
    ]
    more = f" and {len(over) - SHOWN_OVER} more" if len(over) > SHOWN_OVER else ""
    return f"{line} Over their share: {', '.join(named)}{more}."


def over_share(slides: Sequence[SlideSpan]) -> list[SlideSpan]:
    """Slides that were shown for longer than their share of the time."""
    return [one for one in slides if one.budget_s and one.seconds > one.budget_s]


def longest_s(slides: Sequence[SlideSpan]) -> float:
    """The longest time or share of any slide: what the whole width of a drawing stands for."""
    return max(max(one.seconds, one.budget_s) for one in slides)


def by_fives(minutes: Sequence[Stretch]) -> list[tuple[float, list[int | None]]]:
    """Paces in lines of five minutes, each with its beginning; None: there was too little speech."""
    found = {int(one.start_s // WINDOW_S): one.words_per_minute for one in minutes}
    begins = sorted({number - number % 5 for number in found})
    return [(first * WINDOW_S, [found.get(first + more) for more in range(5)]) for first in begins]


def ended_at_s(debrief: Debrief) -> float:
    """The last moment of the session clock that is known of the talk."""
    told = debrief.delivery
    ends = [one.end_s for one in told.minutes] + [one.segment.end_s for one in told.said or ()]
    return max([debrief.speech_s, *ends])


def delivery(debrief: Debrief) -> str:
    """How the presenter spoke, in one line; only what was measured."""

    told = debrief.delivery
    if not told.words:
        return "No speech was heard."
    said = []
    if told.words_per_minute is not None:
        off = [
            f"{how} at {render.clock(one.start_s)}-{render.clock(one.end_s)} ({one.words_per_minute})"
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
        said.append(f"longest pause {longest.length_s:.0f} s at {render.clock(longest.at_s)}")
    if told.monologue is not None:
        start_s, end_s = told.monologue
        said.append(f"{render.clock(end_s - start_s)} without another voice")
    if told.talk_share is not None and told.talk_share < 1:
        said.append(f"{told.talk_share:.0%} of the talking")
    line = "; ".join(said)
    return f"{line[:1].upper()}{line[1:]}."


def _counts(debrief: Debrief, kind: str) -> str:
    told = debrief.delivery
    where = f" in {RECOGNISED}" if kind == FILLER and told.is_recognised else ""
    common = told.common(kind)
    if not common:
        return f"no {kind}s{where}"
    most = ", ".join(f"{word} {number}" for word, number in common[:3])
    return f"{counted(told.count(kind), kind)} ({most}){where}"


RECOGNISED: Final = "the words as recognised, where most of um and uh are left out"
"""What the fillers of a microphone are counted in: recognition writes down sentences, and few hesitations."""


def who(debrief: Debrief) -> str:
    """Who presented, whose words were judged, and when."""
    if debrief.speaker:
        judged = f"The words of {debrief.speaker} were judged."
    else:
        judged = "The speech names no speakers." if debrief.delivery.words else "Nobody spoke."
    date = f" Date: {debrief.date}." if debrief.date else ""
    return one_line(f"Presenter: {debrief.presenter}. {judged}{date}")


def taken_over(debrief: Debrief) -> str | None:
    """One line where the engine that was asked for never answered, for the top of the page."""
    if debrief.took_over is None:
        return None
    asked = f"The engine `{debrief.engine}` never answered, so the offline panel sat in its place"
    return stopped(one_line(f"{asked}: {debrief.took_over}"))


def engine(debrief: Debrief) -> list[str]:
    """Who asked and judged, what that cannot do, and what it cost."""
    if debrief.engine == "offline":
        return [_OFFLINE]
    if debrief.took_over is not None:
        return [_OFFLINE, *bill_lines(debrief.bill)]
    said = [_by_engine(debrief)]
    if debrief.failed is not None:
        said.append(stopped(one_line(f"It gave no words for this page: {debrief.failed}")))
    return [*said, *bill_lines(debrief.bill)]


_OFFLINE: Final = (
    "Asked from a bank of questions, without a model; judged only where that is certain, and what is not "
    "judged is yours to judge. Checked: the arithmetic of tables, splits and single sentences."
)


def _by_engine(debrief: Debrief) -> str:
    """The engine's share of the work, and the offline panel's in its place."""
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
"""How `timing.shares` counts, said beside its figures."""
