"""The text of typed values in the session's Markdown files; its functions take values and return text."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core.legible import clock, one_line, page
from orchestrator.material.claim import READ, Tension
from orchestrator.material.values import DOSSIER, PANEL, PRESENTER, Segment
from orchestrator.panel.model.exchange import (
    GIVEN,
    NOT,
    PARTLY,
    Candidate,
    Exchange,
    Observation,
    PersonVerdict,
    Target,
    Turn,
    result_of,
)


def place(slide: int | None, said_at_s: float | None, under: str = "") -> str:
    """Return the place of a quote: "slide 4", "speech at 3:20", or "speech at 3:20, on slide 4".

    *under* names the row and column of a table's cell: "slide 4, Staff / 2026".
    """
    if said_at_s is None:
        where = "no particular place" if slide is None else f"slide {slide}"
        return f"{where}, {under}" if under else where
    on = "" if slide is None else f", on slide {slide}"
    return f"speech at {clock(said_at_s)}{on}"


def answer_to(exchange: str) -> str:
    """Return "your answer to x2", the place of words that are not part of the talk."""
    return f"your answer to {exchange}"


def headed(title: str, text: str) -> str:
    """Return "Title: text"; the colon replaces a colon or full stop at the title's end."""
    return f"{one_line(title).rstrip('.:')}: {text}"


GENERAL = "general"
"""The mark of a question about the whole deck, which quotes nothing."""
WRITTEN_BY = {PRESENTER: "your own question", DOSSIER: "from your dossier"}
"""Maps the origin of a question that the presenter brought to its mark."""


def origin(asked: Exchange) -> str:
    """Return where a question comes from, as far as no quote shows it: "", "general", "your own question,
    slide 3".
    """
    written = WRITTEN_BY.get(asked.written_by)
    if written is None:
        return "" if asked.quote is not None or asked.is_missing else GENERAL
    return (
        written
        if asked.quote is not None or asked.is_missing or asked.slide is None
        else f"{written}, slide {asked.slide}"
    )


def brought_origin(asked: Exchange) -> str:
    """Return the origin of a question that no panelist made, or "" for other questions, whose place is
    shown.
    """
    return "" if asked.written_by == PANEL else origin(asked)


VERDICT_WORDS = {
    "satisfied": "answered",
    "follow_up": "asked again",
    "escalate": "pressed",
    "unjudged": "not judged",
}
"""Maps verdicts to the words that people read; records and JSON contain the verdicts themselves."""

SILENT = "silent"
"""Replaces the outcome "unjudged" if there was no answer to judge."""
OUTCOME_WORDS = {
    "satisfied": "answered",
    "unresolved": "not answered",
    SILENT: "no answer",
    "parked": "parked",
    "unjudged": "not judged",
}
"""Maps outcomes to the words that people read, in the order in which outcomes are counted."""
PARTLY_WORDS = "partly answered"
"""The words for an outcome that only a person's verdict can give.

It is counted after the answered questions.
"""
COUNTED_WORDS = {"satisfied": OUTCOME_WORDS["satisfied"], PARTLY: PARTLY_WORDS, **OUTCOME_WORDS}
"""Everything that is counted, with its words, in the order of counting."""


def verdict(turn: Turn, *, is_last: bool) -> str:
    """Return a turn's verdict in words: the outcome, its reason, and the presenter's own words after it."""
    word = VERDICT_WORDS.get(turn.verdict or "", turn.verdict or "")
    if is_last and turn.verdict in ("follow_up", "escalate"):
        word = "not answered"
    said = one_line(f"{word}: {turn.reason}" if turn.reason else word)
    if turn.quote and one_line(turn.quote) not in said:
        said += f' ("{one_line(turn.quote)}")'
    return said


PERSON_WORDS = {GIVEN: "gave it", PARTLY: "gave it in part", NOT: "did not give it"}
"""Maps a person's verdict on an answer to the words for it."""


def said_by(said: PersonVerdict, *, is_you: bool = False) -> str:
    """Return "gave it, says Dana: the figure is there"; if *is_you*, "you say" replaces "says Dana"."""
    if said.verdict is None:
        return one_line(f"{said.by} takes back what was said of it")
    note = f": {said.note}" if said.note else ""
    return one_line(f"{PERSON_WORDS[said.verdict]}, {'you say' if is_you else f'says {said.by}'}{note}")


def segment_line(segment: Segment) -> str:
    """Return one segment of the transcript."""
    about = "~" if segment.times_estimated else ""
    speaker = one_line(segment.speaker) if segment.speaker else "Speaker"
    return f"[{about}{clock(segment.start_s)}] {speaker}: {one_line(segment.text)}\n"


def correction_line(segment: Segment, number: int, was: str, who: str) -> str:
    """Return the transcript's line on a correction: what segment *number* really said, or that it was
    right.
    """
    words, heard = one_line(segment.text), one_line(was)
    what = f"[{clock(segment.start_s)}] Segment {number}, corrected by {one_line(who)}"
    if words == heard:
        return f'{what}: "{heard}" was heard right\n'
    return f'{what}: "{words}", not "{heard}"\n' if words else f'{what}: nothing was said, not "{heard}"\n'


def slide_line(number: int, title: str, at_s: float, *, estimated: bool) -> str:
    """Return the transcript's marker of a slide change."""
    how = " (estimated from the words)" if estimated else ""
    name = f": {one_line(title)}" if title else ""
    return f"\n## [{clock(at_s)}] Slide {number}{name}{how}\n\n"


def answer_line(segment: Segment, exchange: str, agent_name: str) -> str:
    """Return the presenter's answer for the transcript."""
    speaker = one_line(segment.speaker) if segment.speaker else "Presenter"
    who = f"{speaker}, answering {agent_name} ({exchange})"
    return f"[{clock(segment.start_s)}] {who}: {one_line(segment.text)}\n"


def taken_back_line(at: str, exchange: str, agent_name: str) -> str:
    """Return the transcript's line that says that the answer above it does not count."""
    return (
        f"\n({at}: the presenter takes the answer to {agent_name} ({exchange}) back: what was said as that "
        "answer does not count. The question is open again.)\n\n"
    )


def talk_line(at: str, exchange: str, agent_name: str) -> str:
    """Return the transcript's line that says that the words above it, taken for an answer, are talk."""
    return (
        f"\n({at}: what was taken for the answer to {agent_name} ({exchange}) was the talk, says the "
        "presenter. It counts as such, and the question waits.)\n\n"
    )


def taken_back_note(at: str, exchange: str) -> str:
    """Return the note, for every file except the transcript, which says that the answer above it does not
    count.
    """
    return (
        f"\n## {exchange}, at {at}: the answer was taken back\n\n"
        "What stands above of that answer, its verdict and what followed from it does not count.\n"
    )


def corrected_note(at: str, exchange: str, number: int, words: str) -> str:
    """Return the note in the history that says what the answer to question *number*, above it, really was."""
    what = f'was misheard: "{one_line(words)}"' if words else "was not said"
    return (
        f"\n## {exchange}, at {at}: an answer was corrected\n\n"
        f"The answer to question {number} above {what}. Its verdict is on the words that had been heard.\n"
    )


def judged_note(at: str, said: PersonVerdict) -> str:
    """Return the history's note on a person's verdict on an answer above it."""
    return (
        f"\n## {said.exchange}, at {at}: an answer was judged by a person\n\n"
        f"The answer to question {said.turn} above: {said_by(said)}.{_counts(said)}\n"
    )


def _counts(said: PersonVerdict) -> str:
    if said.verdict is None:
        return " The panel's own verdict counts again."
    return f" It counts as {result_of(said)}; the panel's own verdict stays beside it."


def focus_brief(heading: str, targets: Sequence[Target]) -> str:
    """Return a panelist's focus brief."""
    lines = [heading.rstrip("\n"), ""]
    if not targets:
        lines += [
            "Nothing in the deck calls for this panelist's attention: questions will come from the speech.",
            "",
        ]
    for number, target in enumerate(targets, start=1):
        lines += [
            f"## {number}. {_target(target)}",
            "",
            *([f"> {one_line(target.quote)}", ""] if target.quote else []),
            f"- Angle: {one_line(target.angle)}",
            f"- A good answer: {one_line(target.good_answer)}",
            "",
        ]
    return "\n".join(lines)


def _target(target: Target) -> str:
    where = place(target.slide, target.said_at_s)
    if target.is_missing:
        return f"Missing on {where}" if target.slide is not None else "Missing in the deck"
    return f"Claim {target.claim} ({where})" if target.claim is not None else where.capitalize()


SHOWN_TENSIONS = 12
"""Maximum number of contradictions shown in a focus brief.

A deck with more has them for other reasons than its figures.
"""


def findings(tensions: Sequence[Tension]) -> str:
    """Return the deck's contradictions for a focus brief.

    Those that no figure decides are in their own section.
    """
    if not tensions:
        return ""
    computed = [one for one in tensions if one.class_ != READ]
    read = [one for one in tensions if one.class_ == READ]
    lines: list[str] = []
    for heading, found in (
        ("Where the deck contradicts itself", computed),
        ("To ask about: both places stand, and no figure decides between them", read),
    ):
        if found:
            lines += [f"## {heading}", "", *(f"- {both_sides(one)}" for one in found[:SHOWN_TENSIONS])]
            if len(found) > SHOWN_TENSIONS:
                lines.append(f"- and {len(found) - SHOWN_TENSIONS} more")
            lines.append("")
    return "\n".join(lines)


def both_sides(tension: Tension) -> str:
    """Return both quotes of a contradiction with places, and why both cannot be right, as one line."""
    a, b = (f'{place(one.slide, one.said_at_s, one.under)}, "{one.quote}"' for one in (tension.a, tension.b))
    return one_line(f"{a}; {b}: {tension.note}")


def quoted(asked: Candidate | Exchange, answered: str | None = None) -> list[str]:
    """Return the words that a question is about, with their places, as they are shown above the question.

    A contradiction has both quotes, something left out has its slide, and a general question has none.

    Args:
        answered: The exchange whose answer contains the words, as `answer_quoted` finds it.
    """
    if asked.quote is None:
        return [lacking(asked.slide)] if asked.is_missing else []
    if asked.is_missing:
        return [f'{place(asked.slide, asked.said_at_s)}, "{one_line(asked.quote)}", leaves it out']
    where = place(asked.slide, asked.said_at_s, asked.under) if answered is None else answer_to(answered)
    lines = [f'{where}: "{one_line(asked.quote)}"']
    if (one := asked.beside) is not None:
        lines.append(f'{place(one.slide, one.said_at_s, one.under)}: "{one_line(one.quote)}"')
    return list(dict.fromkeys(lines))  # a sentence that contradicts itself stands once


def lacking(slide: int | None) -> str:
    """Return "slide 1 does not say" or "the deck does not say", for questions that can quote nothing."""
    return f"{'the deck' if slide is None else f'slide {slide}'} does not say"


def candidate(
    heading: str,
    question: Candidate | None,
    status: str,
    made_at_s: float,
    input_sha256: str,
    *,
    confirmed_at_s: float | None = None,
) -> str:
    """Return the text of a panelist's candidate question's file."""
    lines = [heading, "", f"Status: {status}"]
    if question is None:
        return "\n".join([*lines, f"Looked at: {clock(made_at_s)}", ""])
    lines += [f"Made at: {clock(made_at_s)}, from files 1 to 10 with digest {input_sha256[:16]}"]
    if confirmed_at_s is not None:
        lines.append(f"Confirmed at: {clock(confirmed_at_s)}")
    if question.grounded and question.quote is not None:
        about = f"Claim: {question.claim}" if question.claim is not None else "About"
        lines += [f"{about} ({place(question.slide, question.said_at_s)})"]
        if question.is_missing:
            lines.append("Missing: the slide leaves it out")
        lines += ["", f"> {one_line(question.quote)}"]
        if (beside := question.beside) is not None:
            where = f"Beside ({place(beside.slide, beside.said_at_s)})"
            lines += ["", where, "", f"> {one_line(beside.quote)}"]
    elif question.is_missing:
        lines += [f"About what is missing: {lacking(question.slide)}"]
    else:
        lines += ["Claim: none; nothing specific was found, so this question is a general one"]
    lines += [
        "",
        f"Lead-in: {one_line(question.lead_in)}",
        f"Question: {one_line(question.question)}",
        f"Needs: {', '.join(question.needs) or 'a direct answer'}",
        f"Angle: {one_line(question.angle)}",
        f"Relevance: {question.relevance:.2f}",
        "",
    ]
    return "\n".join(lines)


def exchange(done: Exchange, agent_name: str, new_numbers: Sequence[str] = ()) -> str:
    """Return the history's text of one exchange.

    *new_numbers* are the numbers that its answers introduced.
    """
    lines = [f"\n## {done.id}: {agent_name} ({done.agent}), at {clock(done.asked_at_s)}", ""]
    if done.quote is not None:
        left_out = ", which leaves it out" if done.is_missing else ""
        about = f"About {place(done.slide, done.said_at_s)}{left_out}:"
        lines += [about, "", f"> {one_line(done.quote)}", ""]
        if (beside := done.beside) is not None:
            where = f"Beside {place(beside.slide, beside.said_at_s)}:"
            lines += [where, "", f"> {one_line(beside.quote)}", ""]
    elif done.is_missing:
        lines += [f"About what is missing: {lacking(done.slide)}.", ""]
    elif done.written_by == PANEL:
        lines += ["About the whole; no particular claim.", ""]
    if done.written_by != PANEL:
        where = f", for slide {done.slide}" if done.slide is not None else ""
        lines += [f"Written by the {done.written_by} before the rehearsal{where}; no panelist made it.", ""]
    for number, turn in enumerate(done.turns, start=1):
        lines += _turn(number, turn, is_last=number == len(done.turns))
    if new_numbers:
        numbers = ", ".join(f'"{one_line(number)}"' for number in new_numbers)
        lines += [f"New numbers, said for the first time: {numbers}.", ""]
    needs = (done.answered or done.turns)[-1].needs if done.outcome != "satisfied" else ()
    if done.left_open or needs:
        left = "; ".join(done.left_open) or ", ".join(needs)
        lines += [f"Stays open: {one_line(left).rstrip('.')}.", ""]
    if done.was_left_open:
        on_the_way = one_line("; ".join(done.was_left_open)).rstrip(".")
        lines += [f"Left open on the way: {on_the_way}.", ""]
    lines += [f"Outcome: {done.outcome}. Called on because: {one_line(done.why_this_agent)}.", ""]
    return "\n".join(lines)


def _turn(number: int, turn: Turn, *, is_last: bool) -> list[str]:
    new = " (a new one)" if turn.is_new_question else ""
    lines = [f"{number}. Question{new}: {one_line(turn.question)}"]
    lines.append(f"   - Answer: {one_line(turn.answer) if turn.answer else 'none was given'}")
    if turn.misheard is not None:
        lines.append(f"   - Heard, and judged, as: {one_line(turn.misheard)}")
    if turn.verdict is not None:
        lines.append(f"   - Verdict ({turn.verdict}): {verdict(turn, is_last=is_last)}")
    if turn.person is not None:
        lines.append(f"   - Judged: {said_by(turn.person)}.{_counts(turn.person)}")
    if turn.remark:
        lines.append(f"   - Said to it: {one_line(turn.remark)}")
    return [*lines, ""]


def note(exchange_id: str, turn_number: int, at_s: float, text: str) -> str:
    """Return the text of an agent's note after a turn."""
    return f"\n## {exchange_id}, turn {turn_number}, at {clock(at_s)}\n\n{page(text).strip()}\n"


def observation(exchange_id: str, at_s: float, seen: Observation) -> str:
    """Return the text of an agent's observation about the presenter after an exchange."""
    quote = f"\n\n> {one_line(seen.quote)}" if seen.quote else ""
    return f"\n## {exchange_id}, at {clock(at_s)}\n\n{one_line(seen.text)}{quote}\n"


def phrases(chosen: Sequence[str]) -> str:
    """Return the text of the moderator's phrases for this session."""
    return "# Phrases for this session\n\n" + "".join(f'- "{one_line(phrase)}"\n' for phrase in chosen)
