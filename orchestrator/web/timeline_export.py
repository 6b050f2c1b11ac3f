"""A timeline as Markdown, to be read without Greenroom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.core import legible
from orchestrator.core.legible import one_line
from orchestrator.core.privacy.redaction import redacted
from orchestrator.panel import render
from orchestrator.panel.records.options import UNNAMED
from orchestrator.rehearsal.session import Session
from orchestrator.web.timeline import Asked, Moment, SlideShown, Withdrawn

REDACTED = (
    "> Redacted: the names of presenter and speakers, e-mail addresses, phone and card numbers are masked, "
    "and what was said off the record is left out. People who are only spoken of are still named: read it "
    "before you share it."
)


def as_markdown(session: Session, moments: Sequence[Moment]) -> str:
    """The session's timeline; the ledger's head at its end says of which records it was made."""
    options, deck = session.rehearsal.options, session.rehearsal.scene().deck
    about = [f"- Session: {session.id}", f"- Presenter: {_plain(options.presenter)}"]
    if options.date is not None:
        about.append(f"- Date: {options.date}")
    if (drilled := session.rehearsal.drilled) is not None:
        about.append(f"- Drill: puts question {drilled.exchange} of {drilled.session} again")
    lines = [f"# {_plain(deck.title or deck.name)}", "", *about]
    for moment in moments:
        lines += ["", *_lines(moment)]
    lines += [
        "",
        "---",
        "",
        f"Made from {session.rehearsal.store.seq} records; ledger head {session.ledger_head}",
    ]
    return "\n".join(lines) + "\n"


def as_redacted(session: Session, moments: Sequence[Moment]) -> str:
    """The same for sharing, without the names of those who spoke; what was off the record is not in it."""
    text = redacted(as_markdown(session, moments), [*_people(session), *_judges(session, moments)])
    return f"{REDACTED}\n\n{text}"


def _people(session: Session) -> Iterator[tuple[str, str]]:
    """Who spoke, and what is shown in place of the name."""
    projection, options = session.projection, session.rehearsal.options
    presenters = {options.presenter, projection.presenter or ""} - {"", UNNAMED}
    yield from ((name, "[presenter]") for name in sorted(presenters))
    others = dict.fromkeys(one.speaker for one in projection.segments if one.speaker)
    others_named = [name for name in others if name not in presenters | {UNNAMED}]
    yield from ((name, f"[speaker {number}]") for number, name in enumerate(others_named, start=1))


def _judges(session: Session, moments: Sequence[Moment]) -> Iterator[tuple[str, str]]:
    """Who judged answers without having spoken, and what is shown in place of the name."""
    turns = (turn for moment in moments if isinstance(moment, Asked) for turn in moment.turns)
    named = dict.fromkeys(turn.person.by for turn in turns if turn.person is not None)
    known = {name for name, _ in _people(session)} | {UNNAMED}
    others = [name for name in named if name not in known]
    yield from ((name, f"[judge {number}]") for number, name in enumerate(others, start=1))


def _lines(moment: Moment) -> Iterator[str]:
    at = legible.clock(moment.at_s)
    if isinstance(moment, SlideShown):
        yield f"## [{at}] Slide {moment.slide.number}: {_plain(moment.slide.title)}"
        if moment.slide.lines:
            yield ""
            yield from (f"- {_plain(line)}" for line in moment.slide.lines)
    elif isinstance(moment, Asked):
        yield f"### [{at}] {moment.id}: {_plain(moment.name)}, {moment.outcome}"
        for quote in (*moment.quotes, *([moment.origin.capitalize()] if moment.origin else [])):
            yield ""
            yield f"> {_plain(quote)}"
        for turn in moment.turns:
            yield ""
            yield f"**Question:** {_plain(turn.question)}"
            if turn.answer:
                yield ""
                yield f"**Answer:** {_plain(turn.answer)}"
            if turn.misheard:
                yield ""
                yield f"**Heard as:** {_plain(turn.misheard)}"
            if turn.verdict:
                yield ""
                yield f"**Verdict:** {_plain(turn.verdict)}"
            if turn.person is not None:
                yield ""
                yield f"**Judged:** {_plain(render.said_by(turn.person))}"
    elif isinstance(moment, Withdrawn):
        withdrawn = f"~~{_plain(moment.question)}~~ (withdrawn with the answer that was taken back)"
        yield f"[{at}] {moment.id}, **{_plain(moment.name)}:** {withdrawn}"
    else:
        text = _plain(moment.text)
        text = f"~~{text}~~ (taken back as an answer)" if moment.is_taken_back else text
        yield f"[{at}] **{_plain(moment.speaker)}:** {text}"


def _plain(text: str) -> str:
    """Text from outside as one line that Markdown shows as it is."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|~" else char for char in one_line(text))
