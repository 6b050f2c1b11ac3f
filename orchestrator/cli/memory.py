"""Commands over what is remembered: memory (list, show, edit, forget, export, off, on) and goal."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.options import flag, option
from orchestrator.cli.screen import Screen
from orchestrator.clock import utc_now
from orchestrator.errors import UsageError

if TYPE_CHECKING:
    from orchestrator.memory.database import MemoryDatabase

memory = typer.Typer(
    no_args_is_help=True,
    help="""What is remembered about a presenter, and their control over it.

    Nothing is remembered about anybody who did not agree: with `--remember` at a start, or `memory on`.
    """,
)
goal = typer.Typer(no_args_is_help=True, help="What a presenter wants to get right in rehearsal.")

Agent = Annotated[str | None, option("A", "Only what this agent keeps.")]
Presenter = Annotated[str | None, option("P", "Whose; needed where several are known here.")]
Whose = Annotated[str | None, option("P", "Only what is kept of this one.", "--presenter")]
GoalId = Annotated[str, typer.Argument(metavar="ID", help="The goal.")]


@memory.command("list")
def list_(
    agent: Agent = None,
    presenter: Whose = None,
    superseded: Annotated[bool, flag("--superseded", "Also those that a newer one corrects.")] = False,
    left: Annotated[bool, flag("--left", "Those that left because the agent had more than 200.")] = False,
) -> None:
    """What is remembered: every memory, newest first."""
    from orchestrator.memory.export import memory_json
    from orchestrator.memory.memories import left as those_that_left
    from orchestrator.memory.memories import memories, rehearsals_of

    found: list[dict[str, Any]] = []
    with _everybody(presenter) as everybody:
        for db, name in everybody:
            if left:
                gone = those_that_left(db, presenter=name, agent=agent)
                found += [{**memory_json(one.memory), "left_at": one.left_at} for one in gone]
                continue
            often = rehearsals_of(db, name)
            for one in memories(db, presenter=name, agent=agent, include_superseded=superseded):
                more = {"rehearsals": often[one.id]} if one.id in often else {}
                found.append({**memory_json(one), **more})
    lines = _by_presenter(found, _line, len(everybody))
    Screen.current.result({"memories": found}, "\n".join(lines) or "nothing is remembered")


@memory.command()
def show(
    memory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One memory; without it, all there is.")
    ] = None,
    agent: Agent = None,
    presenter: Whose = None,
) -> None:
    """One memory whole; without an ID, all that is kept: consent, memories, scratchpads, goals."""
    from orchestrator.memory.export import export as exported
    from orchestrator.memory.export import memory_json
    from orchestrator.memory.memories import memory

    if memory_id is not None:
        _check_there(memory_id)
        with _opened() as db:
            one = memory_json(memory(db, memory_id))
        Screen.current.result({"memories": [one]}, "\n".join(f"{key}: {one[key]}" for key in one))
        return
    with _everybody(presenter) as everybody:
        wholes = [exported(db, name) for db, name in everybody]
    for whole in wholes:
        whole.pop("history")
        for part in ("memories", "left", "scratchpads"):
            whole[part] = [one for one in whole[part] if agent in (None, one["agent"])]
    parts = ("memories", "left", "scratchpads", "goals")
    plain = {part: [one for whole in wholes for one in whole[part]] for part in parts}
    plain["consents"] = [{key: whole[key] for key in ("presenter", "consented")} for whole in wholes]
    Screen.current.result(plain, "\n\n".join(map(_page, wholes)) or "nothing is remembered")


@memory.command()
def edit(
    memory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The memory; not with --scratchpad.")
    ] = None,
    content: Annotated[str | None, option("TEXT", "What it says from now on; - reads it from stdin.")] = None,
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
    from orchestrator.memory.export import memory_json, scratchpad_json
    from orchestrator.memory.memories import edit_memory
    from orchestrator.memory.scratchpads import edit_scratchpad
    from orchestrator.memory.validation import check_clean

    if content == "-":
        content = sys.stdin.read()
    if (memory_id is None) == (scratchpad is None):
        raise UsageError("name one memory by its ID, or one agent with --scratchpad")
    what = "the scratchpad" if scratchpad is not None else "this memory"
    check_clean("\n".join((content or "", *(tag or ()))), what)
    with _opened() as db:
        if scratchpad is not None:
            if content is None:
                raise UsageError("--scratchpad needs --content, or --content - to read it from stdin")
            name = _one(db, presenter)
            _check_agent(db, scratchpad, name)
            page = edit_scratchpad(db, scratchpad, name, content, utc_now())
            said = f"{len(page.content)} characters" if page.content else "removed"
            Screen.current.result({"scratchpads": [scratchpad_json(page)]}, f"{page.agent}: {said}")
            return
        changes: dict[str, Any] = {"type": type_, "content": content, "confidence": confidence, "tags": tag}
        if all(one is None for one in changes.values()):
            raise UsageError("say what changes: --content, --type, --confidence or --tag")
        changed = memory_json(edit_memory(db, memory_id or "", now=utc_now(), **changes))
    Screen.current.result({"memories": [changed]}, _line(changed))


@memory.command()
def forget(
    memory_ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]…", help="The memories.")] = None,
    all_: Annotated[
        bool, flag("--all", "Everything about the presenter; with --agent, all that it keeps.")
    ] = False,
    agent: Agent = None,
    presenter: Presenter = None,
    yes: Annotated[bool, flag("--yes", "Do not ask at the terminal.")] = False,
) -> None:
    """Remove memories for good: from the database, its index, its vectors and its log."""
    from orchestrator.cli.left_over import left_over
    from orchestrator.memory import forgetting
    from orchestrator.memory.briefing import drop_briefings

    if bool(memory_ids) == all_:
        raise UsageError("name the memories by ID, or say --all")
    screen = Screen.current
    with _opened() as db:
        whose = _one(db, presenter) if all_ else ""
        if all_ and sys.stdin.isatty() and not yes:
            what = f"all that {agent} keeps about {whose}" if agent else f"all that is kept about {whose}"
            typer.confirm(f"Forget {what}?", abort=True, err=True)
        if not all_:
            done = forgetting.forget(db, *(memory_ids or ()), now=utc_now())
        elif agent is not None:
            done = forgetting.forget_agent(db, whose, agent, now=utc_now())
        else:
            done = forgetting.forget_presenter(db, whose)
    drop_briefings(screen.open_home().root)
    plain, lines = left_over(done)
    left = {name: plain[name] for name in ("wiped", "sessions", "archives", "scratchpads")}
    screen.result({"forgotten": list(done.ids), **left}, "\n".join([f"forgot {len(done.ids)}", *lines]))


@memory.command()
def export(presenter: Whose = None) -> None:
    """All that is kept about a presenter, as JSON."""
    from orchestrator.memory.export import export as exported

    with _everybody(presenter) as everybody:
        wholes = [exported(db, name) for db, name in everybody]
    if presenter is not None and len(wholes) == 1:
        plain: dict[str, Any] = wholes[0]
    else:
        plain = {"memories": [one for whole in wholes for one in whole["memories"]], "presenters": wholes}
    print(json.dumps(plain, ensure_ascii=False, indent=1))


@memory.command()
def off(presenter: Presenter = None) -> None:
    """Stop remembering a presenter; what is there is kept, and not used, until it is forgotten."""
    _say(presenter, False)


@memory.command()
def on(presenter: Presenter = None) -> None:
    """Agree to be remembered, as `--remember` at a start does."""
    _say(presenter, True)


@goal.command("add")
def goal_add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The goal, in one sentence.")],
    presenter: Presenter = None,
) -> None:
    """Add a goal; one that was heard in speech and says the same is taken up."""
    from orchestrator.memory.goals import add_goal

    with _opened() as db:
        name = _one(db, presenter)
        added = add_goal(db, name, text, utc_now())
        _print_goals([(db, name)], f"{added.id}: {added.state}")


@goal.command("done")
def goal_done(goal_id: GoalId, presenter: Whose = None) -> None:
    """A goal is reached."""
    from orchestrator.memory.goals import complete_goal

    with _opened() as db:
        _check_goal(db, goal_id, presenter)
        done = complete_goal(db, goal_id, utc_now())
        _print_goals([(db, done.presenter)], f"{done.id}: done")


@goal.command("drop")
def goal_drop(goal_id: GoalId, presenter: Whose = None) -> None:
    """Refuse a proposed goal, or give one up: it is removed for good."""
    from orchestrator.memory.briefing import drop_briefings
    from orchestrator.memory.goals import forget_goal, goal

    with _opened() as db:
        _check_goal(db, goal_id, presenter)
        name = goal(db, goal_id).presenter
        forget_goal(db, goal_id, now=utc_now())
        drop_briefings(Screen.current.open_home().root)
        _print_goals([(db, name)], f"{goal_id}: dropped")


@goal.command("list")
def goal_list(presenter: Whose = None) -> None:
    """The goals, and the exchanges that moved them."""
    with _everybody(presenter) as everybody:
        _print_goals(everybody)


def _say(presenter: str | None, value: bool) -> None:
    from orchestrator.memory.briefing import drop_briefings
    from orchestrator.memory.consent import name_in, set_consent
    from orchestrator.memory.memories import memories

    screen = Screen.current
    with _opened() as db:
        name = name_in(db, _one(db, presenter))
        set_consent(db, name, value, utc_now())
        kept = len(memories(db, presenter=name, include_superseded=True))
    said = f"{name} is remembered from now on"
    if not value:
        drop_briefings(screen.open_home().root, name)
        said = f"{name} is no longer remembered"
        if kept:
            those, them = ("1 memory is", "it") if kept == 1 else (f"{kept} memories are", "them")
            way = f"{screen.command} memory forget --all --presenter {shlex.quote(name)}"
            said += f"; {those} kept and not used: {way} removes {them}"
    screen.result({"presenter": name, "consented": value, "kept": kept}, said)


def _print_goals(whose: list[tuple[MemoryDatabase, str]], said: str | None = None) -> None:
    from orchestrator.memory.export import goal_json
    from orchestrator.memory.goals import goals

    found = [goal_json(one) for db, name in whose for one in goals(db, name)]
    lines = _by_presenter(found, _goal_line, len(whose))
    Screen.current.result({"goals": found}, said or "\n".join(lines) or "no goals")


def _goal_line(one: dict[str, Any]) -> str:
    moved = f"  (moved by {', '.join(one['moved_by'])})" if one["moved_by"] else ""
    return f"{one['id']}  {one['state']:8}  {one['text']}{moved}"


def _by_presenter(
    found: list[dict[str, Any]], line: Callable[[dict[str, Any]], str], presenters: int
) -> list[str]:
    """A line for each; where they are of several presenters, under their names."""
    if presenters < 2:
        return list(map(line, found))
    lines: dict[str, list[str]] = {}
    for one in found:
        lines.setdefault(one["presenter"], [f"{one['presenter']}:"]).append(f"  {line(one)}")
    return [shown for of_one in lines.values() for shown in of_one]


def _check_agent(db: MemoryDatabase, agent: str, presenter: str) -> None:
    """Raises UsageError for an agent that this home has not, unless a page of it is there."""
    from orchestrator.layout import MODERATOR
    from orchestrator.memory.scratchpads import scratchpads

    known = (MODERATOR, *Screen.current.open_home().panelists())
    if agent not in known and all(page.agent != agent for page in scratchpads(db, presenter)):
        raise UsageError(f"there is no agent {agent[:40]!r} here: this home has {', '.join(known)}")


def _check_goal(db: MemoryDatabase, goal_id: str, presenter: str | None) -> None:
    """Raises UsageError where the goal is another presenter's than the one that was named."""
    from orchestrator.memory.consent import same_name
    from orchestrator.memory.goals import goal

    if presenter is not None and not same_name(goal(db, goal_id).presenter, presenter):
        raise UsageError(
            f"{goal_id} is no goal of {presenter}: `{Screen.current.command} goal list` shows whose"
        )


@contextmanager
def _opened() -> Iterator[MemoryDatabase]:
    """This home's database, made where there is none."""
    from orchestrator.memory.database import MemoryDatabase

    with MemoryDatabase.open(Screen.current.open_home().root) as db:
        yield db


@contextmanager
def _everybody(given: str | None) -> Iterator[list[tuple[MemoryDatabase, str]]]:
    """The presenter that was named, else everybody of this home: it is its owner who looks.

    Looking makes no database: where there is none, there is nobody.
    """
    from orchestrator.memory.consent import presenters
    from orchestrator.memory.database import MemoryDatabase

    if not MemoryDatabase.exists(Screen.current.open_home().root):
        yield []
        return
    with _opened() as db:
        yield [(db, name) for name in ((given,) if given is not None else presenters(db))]


def _check_there(memory_id: str) -> None:
    """Raises UnknownMemoryError where this home has no database: looking makes none."""
    from orchestrator.memory.database import MemoryDatabase
    from orchestrator.memory.errors import UnknownMemoryError

    if not MemoryDatabase.exists(Screen.current.open_home().root):
        raise UnknownMemoryError(f"there is no memory {memory_id[:40]!r}: nothing is remembered here yet")


def _one(db: MemoryDatabase, given: str | None) -> str:
    """The presenter that was named, else the only one known here."""
    from orchestrator.memory.consent import presenters

    if given is not None:
        return given
    known = presenters(db)
    if len(known) != 1:
        count = f"{len(known)} presenters are" if known else "no presenter is"
        raise UsageError(f"{count} known here: say who is meant with --presenter NAME")
    return known[0]


def _line(one: dict[str, Any]) -> str:
    notes = [f"corrected by {one['superseded_by']}"] if one["superseded_by"] else []
    notes += [f"left {one['left_at'][:10]}"] if "left_at" in one else []
    how = "left open in" if "open" in one["tags"] else "in"
    notes += [f"{how} {one['rehearsals']} rehearsals"] if "rehearsals" in one else []
    said = f"  ({', '.join(notes)})" if notes else ""
    return f"{one['id']}  {one['agent']:12} {one['type']:10} {one['confidence']:.2f}  {one['content']}{said}"


def _page(whole: dict[str, Any]) -> str:
    agreed = "agreed to be remembered" if whole["consented"] else "is not remembered"
    lines = [f"{whole['presenter']}: {agreed}", *map(_line, whole["memories"]), *map(_line, whole["left"])]
    for page in whole["scratchpads"]:
        lines += ["", f"{page['agent']}'s scratchpad, {page['characters']} characters:", page["content"]]
    lines += [f"{one['id']}  goal, {one['state']}: {one['text']}" for one in whole["goals"]]
    return "\n".join(lines)
