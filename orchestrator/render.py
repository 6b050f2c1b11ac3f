"""How typed values read in the session's Markdown files. Values come in, text goes out."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.claims.model import Tension
from orchestrator.exchange import Candidate, Exchange, Observation, Target, Turn
from orchestrator.speech.model import Segment


def clock(seconds: float) -> str:
    """Session or recording time as minutes and seconds: "3:20"; hours only where there are some."""
    hours, rest = divmod(int(seconds), 3600)
    if hours:
        return f"{hours}:{rest // 60:02}:{rest % 60:02}"
    return f"{rest // 60}:{rest % 60:02}"


def one_line(text: str) -> str:
    """Text from outside as one line, so that it cannot begin a line of ours."""
    return " ".join(text.split())


def place(slide: int | None, said_at_s: float | None) -> str:
    """Where a quote stands: "slide 4", "speech at 3:20", or "speech at 3:20, on slide 4"."""
    if said_at_s is None:
        return "no particular place" if slide is None else f"slide {slide}"
    on = "" if slide is None else f", on slide {slide}"
    return f"speech at {clock(said_at_s)}{on}"


VERDICT_WORDS = {
    "satisfied": "answered",
    "follow_up": "asked again",
    "escalate": "pressed",
    "unjudged": "not judged",
}
"""Verdicts as people read them; in records and JSON they keep their names."""


def verdict(turn: Turn, *, is_last: bool) -> str:
    """A turn's verdict in words: what came of it, its reason, and the presenter's own words behind it."""
    word = VERDICT_WORDS.get(turn.verdict or "", turn.verdict or "")
    if is_last and turn.verdict in ("follow_up", "escalate"):
        word = "not answered"
    said = one_line(f"{word}: {turn.reason}" if turn.reason else word)
    if turn.quote and one_line(turn.quote) not in said:
        said += f' ("{one_line(turn.quote)}")'
    return said


def segment_line(segment: Segment) -> str:
    """One segment in the transcript."""
    about = "~" if segment.times_estimated else ""
    speaker = one_line(segment.speaker) if segment.speaker else "Speaker"
    return f"[{about}{clock(segment.start_s)}] {speaker}: {one_line(segment.text)}\n"


def slide_line(number: int, title: str, at_s: float, *, estimated: bool) -> str:
    """The marker at a slide change."""
    how = " (estimated from the words)" if estimated else ""
    name = f": {one_line(title)}" if title else ""
    return f"\n## [{clock(at_s)}] Slide {number}{name}{how}\n\n"


def answer_line(segment: Segment, exchange: str, agent_name: str) -> str:
    """The presenter's answer in the transcript."""
    speaker = one_line(segment.speaker) if segment.speaker else "Presenter"
    who = f"{speaker}, answering {agent_name} ({exchange})"
    return f"[{clock(segment.start_s)}] {who}: {one_line(segment.text)}\n"


def focus_brief(heading: str, targets: Sequence[Target]) -> str:
    """A panelist's focus brief."""
    lines = [heading.rstrip("\n"), ""]
    if not targets:
        lines += [
            "Nothing in the deck calls for this panelist's attention: questions will come from the speech.",
            "",
        ]
    for number, target in enumerate(targets, start=1):
        lines += [
            f"## {number}. Claim {target.claim} ({place(target.slide, target.said_at_s)})",
            "",
            f"> {one_line(target.quote)}",
            "",
            f"- Angle: {one_line(target.angle)}",
            f"- A good answer: {one_line(target.good_answer)}",
            "",
        ]
    return "\n".join(lines)


SHOWN_TENSIONS = 12
"""In a focus brief; the deck that has more has them for another reason than its figures."""


def evidence(found: Sequence[Target], tensions: Sequence[Tension]) -> str:
    """What rules have found in the deck, below a focus brief that a model has written."""
    if not found and not tensions:
        return ""
    lines = ["## Found in the deck by rules", "", "Evidence to weigh: use it or leave it.", ""]
    for tension in tensions[:SHOWN_TENSIONS]:
        lines.append(f"- Contradiction ({tension.kind}): {both_sides(tension)}")
    if len(tensions) > SHOWN_TENSIONS:
        lines.append(f"- and {len(tensions) - SHOWN_TENSIONS} more contradictions")
    for target in found:
        where = place(target.slide, target.said_at_s)
        lines.append(f'- Claim {target.claim}, {where}, "{one_line(target.quote)}": {one_line(target.angle)}')
    return "\n".join([*lines, ""])


def both_sides(tension: Tension) -> str:
    """Both quotes of a contradiction with their places, and why they cannot both be right, as one line."""
    a, b = (f'{place(one.slide, one.said_at_s)}, "{one.quote}"' for one in (tension.a, tension.b))
    return one_line(f"{a}; {b}: {tension.note}")


def candidate(
    heading: str, question: Candidate | None, status: str, made_at_s: float, input_sha256: str
) -> str:
    """A panelist's candidate question."""
    lines = [heading, "", f"Status: {status}"]
    if question is None:
        return "\n".join([*lines, f"Looked at: {clock(made_at_s)}", ""])
    lines += [f"Made at: {clock(made_at_s)}, from files 1 to 10 with digest {input_sha256[:16]}"]
    if question.grounded and question.quote is not None:
        lines += [
            f"Claim: {question.claim} ({place(question.slide, question.said_at_s)})",
            "",
            f"> {one_line(question.quote)}",
        ]
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
    """One exchange in the history; *new_numbers* are those that came to light in its answers."""
    lines = [f"\n## {done.id}: {agent_name} ({done.agent}), at {clock(done.asked_at_s)}", ""]
    if done.quote is not None:
        lines += [f"About {place(done.slide, done.said_at_s)}:", "", f"> {one_line(done.quote)}", ""]
    else:
        lines += ["About the whole; no particular claim.", ""]
    for number, turn in enumerate(done.turns, start=1):
        lines += _turn(number, turn, is_last=number == len(done.turns))
    if new_numbers:
        numbers = ", ".join(f'"{one_line(number)}"' for number in new_numbers)
        lines += [f"New numbers, said for the first time: {numbers}.", ""]
    if done.outcome != "satisfied" and done.turns[-1].needs:
        lines += [f"Stays open: {', '.join(done.turns[-1].needs)}.", ""]
    lines += [f"Outcome: {done.outcome}. Called on because: {one_line(done.why_this_agent)}.", ""]
    return "\n".join(lines)


def _turn(number: int, turn: Turn, *, is_last: bool) -> list[str]:
    lines = [f"{number}. Question: {one_line(turn.question)}"]
    lines.append(f"   - Answer: {one_line(turn.answer) if turn.answer else 'none was given'}")
    if turn.verdict is not None:
        lines.append(f"   - Verdict ({turn.verdict}): {verdict(turn, is_last=is_last)}")
    return [*lines, ""]


def note(exchange_id: str, turn_number: int, at_s: float, text: str) -> str:
    """An agent's note after a turn."""
    return f"\n## {exchange_id}, turn {turn_number}, at {clock(at_s)}\n\n{text.strip()}\n"


def observation(exchange_id: str, at_s: float, seen: Observation) -> str:
    """An agent's observation of the presenter after an exchange."""
    quote = f"\n\n> {one_line(seen.quote)}" if seen.quote else ""
    return f"\n## {exchange_id}, at {clock(at_s)}\n\n{one_line(seen.text)}{quote}\n"


def phrases(chosen: Sequence[str]) -> str:
    """The moderator's phrases for this session."""
    return "# Phrases for this session\n\n" + "".join(f'- "{one_line(phrase)}"\n' for phrase in chosen)
