"""Commands over what is remembered: memory (list, show, edit, forget, export, off, on) and goal."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.screen import Screen
from orchestrator.errors import UsageError

if TYPE_CHECKING:
    from orchestrator.memory.database import MemoryDatabase

MEMORY_HELP = """What is remembered about a presenter, and their control over it.

Nothing is remembered about anybody who did not agree: with `--remember` at a start, or `memory on`.
"""
Agent = Annotated[str | None, typer.Option(metavar="A", help="Only what this agent keeps.")]
Presenter = Annotated[
    str | None, typer.Option(metavar="P", help="Whose; needed where several are known here.")
]
Whose = Annotated[str | None, typer.Option("--presenter", metavar="P", help="Only what is kept of this one.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask at the terminal.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    memory = typer.Typer(no_args_is_help=True, help=MEMORY_HELP)
    memory.command("list")(list_)
    for command in (show, edit, forget, export, off, on):
        memory.command()(command)
    app.add_typer(memory, name="memory")
    goal = typer.Typer(no_args_is_help=True, help="What a presenter wants to get right in rehearsal.")
    goal.command("add")(goal_add)
    goal.command("done")(goal_done)
    goal.command("drop")(goal_drop)
    goal.command("list")(goal_list)
    app.add_typer(goal, name="goal")


def list_(
    agent: Agent = None,
    presenter: Whose = None,
    superseded: Annotated[
        bool, typer.Option("--superseded", help="Also those that a newer one corrects.")
    ] = False,
    left: Annotated[
        bool, typer.Option("--left", help="Those that left because the agent had more than 200.")
    ] = False,
) -> None:
    """What is remembered: every memory, newest first."""
    from orchestrator.memory.export import memory_json
    from orchestrator.memory.memories import left as those_that_left
    from orchestrator.memory.memories import memories, rehearsals_of

    found: list[dict[str, Any]] = []
    several = False
    with _looked_at() as db:
        everybody = _each(db, presenter)
        several = len(everybody) > 1
        for known, name in everybody:
            often = rehearsals_of(known, name)
            if left:
                gone = those_that_left(known, presenter=name, agent=agent)
                found += [{**memory_json(one.memory), "left_at": one.left_at} for one in gone]
            else:
                kept = memories(known, presenter=name, agent=agent, include_superseded=superseded)
                found += [
                    {**memory_json(one), **({"rehearsals": often[one.id]} if one.id in often else {})}
                    for one in kept
                ]
    lines = _by_presenter(found, _line) if several else list(map(_line, found))
    Screen.current.result({"memories": found}, "\n".join(lines) or "nothing is remembered")


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

    with _looked_at() as db:
        if memory_id is not None:
            one = memory_json(memory(_there(db, memory_id), memory_id))
            Screen.current.result({"memories": [one]}, "\n".join(f"{key}: {one[key]}" for key in one))
            return
        wholes = [exported(known, name) for known, name in _each(db, presenter)]
    for whole in wholes:
        whole.pop("history")
        for part in ("memories", "left", "scratchpads"):
            whole[part] = [one for one in whole[part] if agent in (None, one["agent"])]
    plain = {part: [one for whole in wholes for one in whole[part]] for part in _PARTS}
    plain["consents"] = [{key: whole[key] for key in ("presenter", "consented")} for whole in wholes]
    Screen.current.result(plain, "\n\n".join(map(_page, wholes)) or "nothing is remembered")


def edit(
    memory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The memory; not with --scratchpad.")
    ] = None,
    content: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What it says from now on; - reads it from stdin.")
    ] = None,
    type_: Annotated[
        str | None,
        typer.Option("--type", metavar="T", help="insight, pattern, strategy, preference, lesson."),
    ] = None,
    confidence: Annotated[float | None, typer.Option(metavar="N", help="From 0.4 to 1.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="WORD", help="In place of its tags; may be repeated.")
    ] = None,
    scratchpad: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Instead, this agent's page; empty text removes it.")
    ] = None,
    presenter: Presenter = None,
) -> None:
    """Change what is remembered; what it said before is wiped.

    What may not leave a session is refused here as well: e-mail addresses, phone and card numbers.
    """
    from orchestrator.clock import utc_now
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
            said = (
                f"{page.agent}: {len(page.content)} characters" if page.content else f"{page.agent}: removed"
            )
            Screen.current.result({"scratchpads": [scratchpad_json(page)]}, said)
            return
        if content is None and type_ is None and confidence is None and tag is None:
            raise UsageError("say what changes: --content, --type, --confidence or --tag")
        changed = memory_json(
            edit_memory(
                db,
                memory_id or "",
                type=type_,
                content=content,
                confidence=confidence,
                tags=tag,
                now=utc_now(),
            )
        )
    Screen.current.result({"memories": [changed]}, _line(changed))


def forget(
    memory_ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]…", help="The memories.")] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Everything about the presenter; with --agent, all that it keeps.")
    ] = False,
    agent: Agent = None,
    presenter: Presenter = None,
    yes: Yes = False,
) -> None:
    """Remove memories for good: from the database, its index, its vectors and its log."""
    from orchestrator.cli.left_over import left_over
    from orchestrator.clock import utc_now
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


def export(presenter: Whose = None) -> None:
    """All that is kept about a presenter, as JSON."""
    from orchestrator.memory.export import export as exported

    with _looked_at() as db:
        wholes = [exported(known, name) for known, name in _each(db, presenter)]
    if presenter is not None and len(wholes) == 1:
        plain: dict[str, Any] = wholes[0]
    else:
        plain = {"memories": [one for whole in wholes for one in whole["memories"]], "presenters": wholes}
    print(json.dumps(plain, ensure_ascii=False, indent=1))


def off(presenter: Presenter = None) -> None:
    """Stop remembering a presenter; what is there is kept, and not used, until it is forgotten."""
    _say(presenter, False)


def on(presenter: Presenter = None) -> None:
    """Agree to be remembered, as `--remember` at a start does."""
    _say(presenter, True)


def goal_add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The goal, in one sentence.")],
    presenter: Presenter = None,
) -> None:
    """Add a goal; one that was heard in speech and says the same is taken up."""
    from orchestrator.clock import utc_now
    from orchestrator.memory.goals import add_goal

    with _opened() as db:
        name = _one(db, presenter)
        added = add_goal(db, name, text, utc_now())
        _print_goals([(db, name)], f"{added.id}: {added.state}")


def goal_done(
    goal_id: Annotated[str, typer.Argument(metavar="ID", help="The goal.")], presenter: Whose = None
) -> None:
    """A goal is reached."""
    from orchestrator.clock import utc_now
    from orchestrator.memory.goals import complete_goal

    with _opened() as db:
        _check_goal(db, goal_id, presenter)
        done = complete_goal(db, goal_id, utc_now())
        _print_goals([(db, done.presenter)], f"{done.id}: done")


def goal_drop(
    goal_id: Annotated[str, typer.Argument(metavar="ID", help="The goal.")], presenter: Whose = None
) -> None:
    """Refuse a proposed goal, or give one up: it is removed for good."""
    from orchestrator.clock import utc_now
    from orchestrator.memory.briefing import drop_briefings
    from orchestrator.memory.goals import forget_goal, goal

    with _opened() as db:
        _check_goal(db, goal_id, presenter)
        name = goal(db, goal_id).presenter
        forget_goal(db, goal_id, now=utc_now())
        drop_briefings(Screen.current.open_home().root)
        _print_goals([(db, name)], f"{goal_id}: dropped")


def goal_list(presenter: Whose = None) -> None:
    """The goals, and the exchanges that moved them."""
    with _looked_at() as db:
        _print_goals(_each(db, presenter), None)


_PARTS = ("memories", "left", "scratchpads", "goals")


def _say(presenter: str | None, value: bool) -> None:
    from orchestrator.clock import utc_now
    from orchestrator.memory.briefing import drop_briefings
    from orchestrator.memory.consent import name_in, set_consent
    from orchestrator.memory.memories import memories

    screen = Screen.current
    with _opened() as db:
        name = name_in(db, _one(db, presenter))
        set_consent(db, name, value, utc_now())
        kept = len(memories(db, presenter=name, include_superseded=True))
    if not value:
        drop_briefings(screen.open_home().root, name)
    said = f"{name} is remembered from now on"
    if not value:
        said = f"{name} is no longer remembered"
        if kept:
            those = "1 memory is" if kept == 1 else f"{kept} memories are"
            said += f"; {those} kept and not used: {screen.command} memory forget --all "
            said += f"--presenter {shlex.quote(name)} removes "
            said += "it" if kept == 1 else "them"
    screen.result({"presenter": name, "consented": value, "kept": kept}, said)


def _print_goals(whose: list[tuple[MemoryDatabase, str]], said: str | None) -> None:
    from orchestrator.memory.export import goal_json
    from orchestrator.memory.goals import goals

    found = [goal_json(one) for db, name in whose for one in goals(db, name)]
    lines = _by_presenter(found, _goal_line) if len(whose) > 1 else list(map(_goal_line, found))
    Screen.current.result({"goals": found}, said or "\n".join(lines) or "no goals")


def _goal_line(one: dict[str, Any]) -> str:
    moved = f"  (moved by {', '.join(one['moved_by'])})" if one["moved_by"] else ""
    return f"{one['id']}  {one['state']:8}  {one['text']}{moved}"


def _by_presenter(found: list[dict[str, Any]], line: Callable[[dict[str, Any]], str]) -> list[str]:
    """The lines of several presenters, each under their name."""
    names = dict.fromkeys(one["presenter"] for one in found)
    return [
        shown
        for name in names
        for shown in (f"{name}:", *(f"  {line(one)}" for one in found if one["presenter"] == name))
    ]


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
def _looked_at() -> Iterator[MemoryDatabase | None]:
    """This home's database, for commands that only look: they make none."""
    from orchestrator.memory.database import MemoryDatabase

    root = Screen.current.open_home().root
    if not MemoryDatabase.exists(root):
        yield None
        return
    with MemoryDatabase.open(root) as db:
        yield db


def _there(db: MemoryDatabase | None, memory_id: str) -> MemoryDatabase:
    from orchestrator.memory.errors import UnknownMemoryError

    if db is None:
        raise UnknownMemoryError(f"there is no memory {memory_id[:40]!r}: nothing is remembered here yet")
    return db


def _each(db: MemoryDatabase | None, given: str | None) -> list[tuple[MemoryDatabase, str]]:
    """The presenter that was named, else everybody of this home: it is its owner who looks."""
    from orchestrator.memory.consent import presenters

    if db is None:
        return []
    return [(db, name) for name in ((given,) if given is not None else presenters(db))]


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
