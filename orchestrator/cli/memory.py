"""Commands over what is remembered: memory (list, show, edit, forget, export, off, on) and goal."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.arguments import Name, confirm, flag, opened, option
from orchestrator.cli.screen import Screen, document
from orchestrator.core.errors import UsageError
from orchestrator.core.legible import counted

if TYPE_CHECKING:
    from orchestrator.panel.model.reply import Fact


# ---------------------------------------------------------------------- memory


goal = typer.Typer(no_args_is_help=True, help="What a presenter wants to get right in rehearsal.")

Agent = Annotated[str | None, option("A", "Only what this agent keeps.")]
Presenter = Annotated[str | None, option("P", "The presenter; needed where several are known here.")]
Whose = Annotated[str | None, option("P", "Only what is kept of this one.", "--presenter")]
GoalId = Annotated[str, typer.Argument(metavar="ID", help="The goal.")]


def list_(
    agent: Agent = None,
    presenter: Whose = None,
    type_: Annotated[str | None, option("T", "Only those of this type, such as insight.", "--type")] = None,
    tag: Annotated[str | None, option("TAG", "Only those with this tag.")] = None,
    superseded: Annotated[bool, flag("--superseded", "Also those that a newer one corrects.")] = False,
    left: Annotated[bool, flag("--left", "Those that left because the agent had more than 200.")] = False,
) -> None:
    """List every memory, newest first."""
    from orchestrator.documents.memories import memories_json

    plain = memories_json(
        Screen.current.open_home(),
        agent=agent,
        presenter=presenter,
        superseded=superseded,
        left=left,
        type_=_known_type(type_),
        tag=tag,
    )
    _result(plain, "memories", _line, presenter, "nothing is remembered")


def show(
    memory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One memory; without it, all there is.")
    ] = None,
    agent: Agent = None,
    presenter: Whose = None,
) -> None:
    """Show one memory whole, or all that is kept.

    Without an ID that is consent, memories, scratchpads and goals.
    """
    from orchestrator.documents.memories import memory_one_json, wholes, wholes_json

    screen = Screen.current
    home = screen.open_home()
    if memory_id is not None:
        plain = memory_one_json(home, memory_id)
        (one,) = plain["memories"]
        screen.result(plain, "\n".join(f"{key}: {one[key]}" for key in one))
        return
    found = wholes(home, agent=agent, presenter=presenter)
    screen.result(wholes_json(found), "\n\n".join(map(_page, found)) or "nothing is remembered")


def edit(
    memory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The memory; not with --scratchpad.")
    ] = None,
    content: Annotated[str | None, option("TEXT", "Its new text; - reads it from stdin.")] = None,
    type_: Annotated[
        str | None,
        option("T", "insight, pattern, strategy, preference, lesson.", "--type"),
    ] = None,
    confidence: Annotated[float | None, option("N", "From 0.4 to 1.")] = None,
    tag: Annotated[list[str] | None, option("WORD", "In place of its tags; may be repeated.")] = None,
    scratchpad: Annotated[
        str | None, option("AGENT", "Instead, this agent's page; empty text removes it.")
    ] = None,
    presenter: Presenter = None,
) -> None:
    """Change what is remembered; what it said before is wiped.

    What may not leave a session is refused here as well: e-mail addresses, phone and card numbers.
    """
    from orchestrator.documents.memories import edited_memory_json, edited_scratchpad_json

    if content == "-":
        content = sys.stdin.read()
    if (memory_id is None) == (scratchpad is None):
        raise UsageError("name one memory by its ID, or one agent with --scratchpad")
    home = Screen.current.open_home()
    if scratchpad is not None:
        if content is None:
            raise UsageError("--scratchpad needs --content, or --content - to read it from stdin")
        plain = edited_scratchpad_json(home, scratchpad, presenter, content)
        (page,) = plain["scratchpads"]
        said = f"{page['characters']} characters" if page["content"] else "removed"
        Screen.current.result(plain, f"{page['agent']}: {said}")
        return
    plain = edited_memory_json(
        home, memory_id or "", type=type_, content=content, confidence=confidence, tags=tag
    )
    Screen.current.result(plain, _line(plain["memories"][0]))


def forget(
    memory_ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]…", help="The memories.")] = None,
    all_: Annotated[
        bool, flag("--all", "Everything about the presenter; with --agent, all that it keeps.")
    ] = False,
    agent: Agent = None,
    presenter: Presenter = None,
    yes: Annotated[bool, flag("--yes", "Do not ask at the terminal.")] = False,
) -> None:
    """Remove memories for good.

    They leave the database, its index, its vectors and its log.
    """
    from orchestrator.cli.keep import left_over
    from orchestrator.documents import memories
    from orchestrator.documents.erasure import forgotten_json, left_over_json
    from orchestrator.memory.database import MemoryDatabase

    if bool(memory_ids) == all_:
        raise UsageError("name the memories by ID, or say --all")
    screen = Screen.current
    home = screen.open_home()
    if all_:
        with MemoryDatabase.open(home.root) as db:
            presenter = memories.the_one(db, presenter)
        if sys.stdin.isatty() and not yes:
            about = f"all that {agent} keeps about" if agent else "all that is kept about"
            confirm(f"Forget {about} {presenter}?")
    done = memories.forget(home, memory_ids or (), presenter=presenter, agent=agent)
    left = left_over_json(home, done)
    words = "\n".join([f"forgot {len(done.ids)}", *left_over(done, left)])
    screen.result(forgotten_json(done, left), words)


def export(presenter: Whose = None) -> None:
    """Show all that is kept about a presenter, as JSON."""
    from orchestrator.documents.memories import each
    from orchestrator.documents.memories import export as exported
    from orchestrator.memory.database import existing

    with existing(Screen.current.open_home().root) as db:
        wholes = [exported(known, name) for known, name in each(db, presenter)]
    if presenter is not None and len(wholes) == 1:
        plain: dict[str, Any] = wholes[0]
    else:
        plain = {"memories": [one for whole in wholes for one in whole["memories"]], "presenters": wholes}
    print(document(plain))


def off(presenter: Presenter = None) -> None:
    """Stop remembering a presenter.

    What is there is kept, and not used, until it is forgotten.
    """
    _say(presenter, False)


def on(presenter: Presenter = None) -> None:
    """Agree to be remembered, as `--remember` at a start does."""
    _say(presenter, True)


@goal.command("add")
def goal_add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The goal, in one sentence.")],
    presenter: Presenter = None,
) -> None:
    """Add a goal.

    One that was heard in speech and says the same is taken up.
    """
    from orchestrator.documents.memories import added_goal

    said, plain = added_goal(Screen.current.open_home(), presenter, text)
    Screen.current.result(plain, said)


@goal.command("done")
def goal_done(goal_id: GoalId, presenter: Whose = None) -> None:
    """Mark a goal as reached."""
    from orchestrator.documents.memories import done_goal

    screen = Screen.current
    said, plain = done_goal(screen.open_home(), goal_id, presenter, command=screen.command)
    screen.result(plain, said)


@goal.command("drop")
def goal_drop(goal_id: GoalId, presenter: Whose = None) -> None:
    """Refuse a proposed goal, or give one up: it is removed for good."""
    from orchestrator.documents.memories import dropped_goal

    screen = Screen.current
    said, plain = dropped_goal(screen.open_home(), goal_id, presenter, command=screen.command)
    screen.result(plain, said)


@goal.command("list")
def goal_list(presenter: Whose = None) -> None:
    """List the goals, and the exchanges that moved them."""
    from orchestrator.documents.memories import goals_json

    plain = goals_json(Screen.current.open_home(), presenter)
    _result(plain, "goals", _goal_line, presenter, "no goals")


def _known_type(given: str | None) -> str | None:
    """Return the type that was given, or None, after checking it.

    Raises:
        UsageError: There is no type of this name.
    """
    from orchestrator.memory.model import TYPES

    if given is not None and given not in TYPES:
        raise UsageError(f"--type {given!r}: use {', '.join(TYPES)}")
    return given


def _say(presenter: str | None, value: bool) -> None:
    from orchestrator.documents.memories import consent_json

    screen = Screen.current
    plain = consent_json(screen.open_home(), presenter, value=value)
    name, kept = plain["presenter"], plain["kept"]
    said = f"{name} is remembered from now on"
    if not value:
        said = f"{name} is no longer remembered"
        if kept:
            those, them = ("1 memory is", "it") if kept == 1 else (f"{kept} memories are", "them")
            way = f"{screen.command} memory forget --all --presenter {shlex.quote(name)}"
            said += f"; {those} kept and not used: {way} removes {them}"
    screen.result(plain, said)


def _result(
    plain: dict[str, Any],
    part: str,
    line: Callable[[dict[str, Any]], str],
    presenter: str | None,
    nothing: str,
) -> None:
    """Print a list; if several presenters are known, grouped by their names."""
    from orchestrator.documents.memories import each
    from orchestrator.memory.database import existing

    with existing(Screen.current.open_home().root) as db:
        count = len(each(db, presenter))
    Screen.current.result(plain, "\n".join(_by_presenter(plain[part], line, count)) or nothing)


def _goal_line(one: dict[str, Any]) -> str:
    moved = f"  (moved by {', '.join(one['moved_by'])})" if one["moved_by"] else ""
    return f"{one['id']}  {one['state']:8}  {one['text']}{moved}"


def _by_presenter(
    found: list[dict[str, Any]], line: Callable[[dict[str, Any]], str], presenters: int
) -> list[str]:
    """Return a line for each entry; if there are several presenters, grouped under their names."""
    if presenters < 2:
        return list(map(line, found))
    lines: dict[str, list[str]] = {}
    for one in found:
        lines.setdefault(one["presenter"], [f"{one['presenter']}:"]).append(f"  {line(one)}")
    return [shown for of_one in lines.values() for shown in of_one]


def _line(one: dict[str, Any]) -> str:
    notes = [f"corrected by {one['superseded_by']}"] if one["superseded_by"] else []
    notes += [f"left {one['left_at'][:10]}"] if "left_at" in one else []
    how = "left open in" if "open" in one["tags"] else "in"
    notes += [f"{how} {counted(one['rehearsals'], 'rehearsal')}"] if "rehearsals" in one else []
    said = f"  ({', '.join(notes)})" if notes else ""
    return f"{one['id']}  {one['agent']:12} {one['type']:10} {one['confidence']:.2f}  {one['content']}{said}"


def _page(whole: dict[str, Any]) -> str:
    agreed = "agreed to be remembered" if whole["consented"] else "is not remembered"
    lines = [f"{whole['presenter']}: {agreed}", *map(_line, whole["memories"]), *map(_line, whole["left"])]
    for page in whole["scratchpads"]:
        lines += ["", f"{page['agent']}'s scratchpad, {page['characters']} characters:", page["content"]]
    lines += [f"{one['id']}  goal, {one['state']}: {one['text']}" for one in whole["goals"]]
    return "\n".join(lines)


# ---------------------------------------------------------------------- summarise
# The command `summarise`.


WAIT_S = 60.0
"""Seconds that the command waits for another process that summarises facts: the deadline of one such call
(`engines/model/settings.py`)."""


def summarise(session: Name) -> None:
    """Keep the facts that were said in so many words.

    What is new since the last run is read. Of a session that has ended nothing is new: all its
    facts are shown.
    """
    from dataclasses import asdict

    from orchestrator.core.errors import SessionStateError
    from orchestrator.memory.facts import FOLDER, INDEX
    from orchestrator.memory.summariser import Summary

    with opened(session) as found:
        summariser = found.watch.summariser
        if found.state == "ended":
            done = Summary(tuple(summariser.facts.facts))
        else:
            run = summariser.run("by hand", wait_s=WAIT_S)
            if run is None:
                raise SessionStateError(
                    f"{found.id}: another process has been summarising for {WAIT_S:.0f} s: try again later"
                )
            done = run
        known = len(summariser.facts.facts)
        plain: dict[str, Any] = {
            "facts": [asdict(fact) for fact in done.facts],
            "skipped": done.skipped,
            "refused": done.refused,
            "known": known,
            "read_to": summariser.facts.read_seq,
            "index": str(found.path / FOLDER / INDEX),
        }
        Screen.current.result(plain, "\n".join(_lines(done.facts, plain)))


def _lines(facts: tuple[Fact, ...], plain: dict[str, Any]) -> list[str]:
    from orchestrator.core.legible import counted
    from orchestrator.panel.render import place

    lines = [
        f"{fact.type:15} {fact.confidence:7} {fact.content}\n"
        f'{"":24}"{fact.quote}" (record {fact.source}, {place(fact.slide, fact.said_at_s)})'
        for fact in facts
    ]
    counts = ", ".join(f"{count} {name}" for name, count in sorted(Counter(f.type for f in facts).items()))
    new = f"{counted(len(facts), 'fact')} ({counts})" if facts else "nothing new"
    lines.append(
        f"{new}; {plain['skipped']} known already, {plain['refused']} refused; "
        f"{plain['known']} in all, in {plain['index']}"
    )
    return lines
