"""Commands that only look: context, list, show, debrief, verify, doctor."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Annotated, Any

import typer

from orchestrator.cli.screen import Screen, columns, wrapped
from orchestrator.cli.shared import Endpoint, Name, looked_at, s3_options
from orchestrator.errors import GreenroomError, UsageError


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    for command in (context, show, debrief, verify, doctor):
        app.command()(command)


def context(
    session: Name,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="skeptic, analyst, contrarian, moderator, …")],
    at: Annotated[str | None, typer.Option(metavar="RECEIPT|SEQ", help="As it was then.")] = None,
    as_: Annotated[
        str, typer.Option("--as", metavar="text|messages|receipt", help="In which form.")
    ] = "text",
    layout: Annotated[
        str | None, typer.Option(metavar="NAME", help="For messages: watermark or strict.")
    ] = None,
) -> None:
    """Exactly what an agent is given, now or then."""
    from orchestrator.home.config import checked

    if as_ not in ("text", "messages", "receipt"):
        raise UsageError(f"--as {as_!r}: use text, messages or receipt")
    if layout is not None:
        checked("layout", layout, "--layout")
    if layout is not None and at is not None:
        raise UsageError("--layout and --at exclude each other: a receipt says which layout was used")
    screen = Screen.current
    with looked_at(session) as opened:
        opened.rehearsal.store.layout.order(agent)
        if at is None:
            found = opened.context(agent)
            recorded = not opened.rehearsal.store.frozen
        else:
            found = opened.context_at(int(at) if at.isdecimal() else at, agent)
            recorded = not at.isdecimal()
        if as_ == "text" and not screen.json:
            print(found.text, end="")
            return
        if as_ == "messages":
            used = layout or found.receipt.layout or opened.rehearsal.options.layout
            sent: dict[str, Any] = found.messages(used)
            screen.result(sent, json.dumps(sent, ensure_ascii=False, indent=1))
            return
        plain: dict[str, Any] = {
            "receipt": found.receipt.id if recorded else None,
            "agent": found.agent,
            "seq": found.seq,
            "sha256": found.sha256,
            "bytes": len(found.text.encode()),
            "left_out": found.receipt.left_out,
            "files": [
                {
                    "index": block.index,
                    "path": block.path,
                    "mutability": block.mutability,
                    "bytes": block.size_bytes,
                    "sha256": block.sha256,
                }
                for block in found.blocks
            ],
        }
        if as_ == "text":
            plain["text"] = found.text
        screen.result(plain, json.dumps(plain, ensure_ascii=False, indent=1))


def show(
    session: Name,
    trace: Annotated[
        bool, typer.Option("--trace", help="Every step of the loop: why, and how long it took.")
    ] = False,
) -> None:
    """One session: its questions, files and receipts."""
    from orchestrator.cli.listing import row_of
    from orchestrator.debrief.bill import bill_json, bill_lines, bill_of
    from orchestrator.debrief.exchange_json import exchange_json, tension_json
    from orchestrator.debrief.phrasing import DISMISSED, counted, numbered, outcome
    from orchestrator.loop.dismissing import dismissed_later
    from orchestrator.loop.moderator_lines import question_lines
    from orchestrator.loop.open_contradictions import is_on_dismissed
    from orchestrator.model.values import to_json
    from orchestrator.render import shown

    screen = Screen.current
    with looked_at(session) as opened:
        store = opened.rehearsal.store
        receipts = opened.receipts()
        contradictions = opened.contradictions
        later = dismissed_later(opened.rehearsal, opened.home)
        bill = bill_of(opened.room.calls)
        files = [
            {
                "path": path,
                "mutability": row.mutability.value,
                "bytes": store.state(path).size_bytes,
                "sha256": store.state(path).sha256,
                "revisions": store.state(path).revisions,
            }
            for path, row in store.layout.files.items()
        ]
        plain = {
            **row_of(opened, opened.home, screen.warn),
            "path": str(opened.path),
            "exchanges": [exchange_json(exchange) for exchange in opened.room.exchanges],
            "tensions": [{"id": one.id, **tension_json(one)} for one in contradictions],
            "said": [to_json(said) for said in opened.room.said],
            "files": files,
            "receipts": [
                {"receipt": one.id, "agent": one.agent, "purpose": one.purpose, "seq": one.seq}
                for one in receipts
            ],
            "usage": {"engine": opened.rehearsal.options.engine, **bill_json(bill)},
            "records": store.seq,
            "ledger_head": store.head,
        }
        lines, width = [f"{opened.id}  {plain['state']}  {plain['deck']}", ""], columns(sys.stdout)
        for exchange in opened.room.exchanges:
            name = opened.rehearsal.name_of(exchange.agent)
            mark = f", {DISMISSED}" if is_on_dismissed(opened.room, exchange, later) else ""
            lines.append(f"{exchange.id}  {name}: {outcome(exchange)}{mark}")
            put = replace(exchange, turns=exchange.turns[:1])
            said = [f"  {line}" for line in question_lines(opened.rehearsal, put)]
            for number, turn in enumerate(exchange.turns):
                said += [f"  Then: {shown(turn.question)}"] if number else []
                said.append(f"  You: {shown(turn.answer)}" if turn.answer else "  You: no answer")
            lines += [wrapped(line, width) for line in said]
        lines += [wrapped(shown(numbered(one)), width) for one in contradictions]
        if opened.room.said:
            lines.append(
                f"The moderator spoke {counted(len(opened.room.said), 'time')} (--json has the words)."
            )
        lines += ["", *(f"{one['bytes']:>9}  {one['mutability']:11}  {one['path']}" for one in files), ""]
        lines += [*bill_lines(bill)]
        lines.append(f"{store.seq} records, {len(receipts)} receipts; ledger head {store.head}")
        if receipts:
            last = receipts[-1]
            command = f"{screen.command} context {opened.id} {last.agent} --at {last.id}"
            lines.append(f"What {last.agent} knew last: {command}")
        if trace:
            from orchestrator.cli.summarise import trace_of

            plain["trace"], steps = trace_of(opened)
            lines += ["", *steps]
        screen.result(plain, "\n".join(lines))


def debrief(
    session: Name,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="text|md|html|json",
            help="In which form; without it, text at a terminal and else md (pdf is not built yet).",
        ),
    ] = None,
) -> None:
    """A session's debrief."""
    from orchestrator import render
    from orchestrator.cli.summary import page_text
    from orchestrator.debrief.json_form import as_json
    from orchestrator.debrief.page import as_html, as_markdown

    if format_ == "pdf":
        raise GreenroomError("the debrief as pdf is not built yet: use html, and print it from a browser")
    if format_ not in (None, "text", "md", "html", "json"):
        raise UsageError(f"--format {format_!r}: use text, md, html or json")
    screen = Screen.current
    wanted = format_ or ("text" if sys.stdout.isatty() else "md")
    with looked_at(session) as opened:
        found = opened.debrief()
        if wanted == "json" or screen.json:
            print(json.dumps(as_json(found), ensure_ascii=False, indent=1))
        elif wanted == "html":
            print(as_html(found), end="")
        elif wanted == "md":
            print(as_markdown(found), end="")
        else:
            print(f"{render.one_line(found.deck)}\n\n{page_text(found)}")


def verify(
    session: Annotated[str, typer.Argument(metavar="SESSION|PATH|URL", help="A session or an archive.")],
    head: Annotated[
        str | None, typer.Option(metavar="HASH", help="The ledger head that was kept elsewhere.")
    ] = None,
    endpoint_url: Endpoint = None,
) -> None:
    """Prove that every write kept the rules and nothing was changed."""
    from orchestrator.cli.proof import verification_of
    from orchestrator.debrief.phrasing import counted

    screen = Screen.current
    found = verification_of(session, screen, head=head, s3=s3_options(endpoint_url))
    plain = {
        "valid": found.valid,
        "findings": [
            {"path": one.path, "kind": one.kind, "expected": one.expected, "found": one.found}
            for one in found.findings
        ],
        "notes": list(found.notes),
        "ended": found.ended,
        "ledger_head": found.head,
        "records": found.seq,
    }
    lines = [f"{one.path}: {one.kind}: expected {one.expected}, found {one.found}" for one in found.findings]
    lines += [f"note: {note}" for note in found.notes]
    verdict = "valid" if found.valid else f"NOT valid: {counted(len(found.findings), 'fault')}"
    going_on = "" if found.ended else ", and the session has not ended"
    lines.append(f"{verdict}{going_on}; {found.seq} records, ledger head {found.head}")
    screen.result(plain, "\n".join(lines))
    if not found.valid:
        raise typer.Exit(1)


def doctor() -> None:
    """What is in force on this machine."""
    from orchestrator.doctor import checks

    found = checks(Screen.current.open_home())
    plain = {"checks": [{"name": one.name, "state": one.state, "detail": one.detail} for one in found]}
    Screen.current.result(plain, "\n".join(f"{one.name:16} {one.state:10} {one.detail}" for one in found))
