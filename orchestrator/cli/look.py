"""Commands that only read: context, show, debrief, verify, doctor."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from orchestrator.cli.arguments import Endpoint, Name, flag, looked_at, looked_at_any, option, s3_options
from orchestrator.cli.screen import Screen, columns, document, wrapped, write_bytes
from orchestrator.core.errors import ArchiveError, UsageError
from orchestrator.core.legible import one_line, printable

if TYPE_CHECKING:
    from orchestrator.core.verify import Verification
    from orchestrator.documents.opening import AnySession
    from orchestrator.panel.home import Home
    from orchestrator.panel.model.exchange import Exchange
    from orchestrator.rehearsal.rehearsal import Rehearsal


# ---------------------------------------------------------------------- look


def context(
    session: Name,
    agent: Annotated[
        str, typer.Argument(metavar="AGENT", help="One of the session's agents: `show` names them.")
    ],
    at: Annotated[str | None, option("RECEIPT|SEQ", "As it was then.")] = None,
    as_: Annotated[str, option("text|messages|receipt", "In which form.", "--as")] = "text",
    layout: Annotated[str | None, option("NAME", "For messages: watermark or strict.")] = None,
    task: Annotated[
        str | None, option("TEXT", "What is asked of it: for the receipt alone, so send it yourself.")
    ] = None,
    engine: Annotated[str | None, option("NAME", "Who answers, say a model: for the receipt.")] = None,
) -> None:
    """Show exactly what an agent is given, now or then.

    A live session keeps the receipt, which `append` and `write` take. The task is no part of the text.
    """
    from orchestrator.documents.context import check_seat, messages_json, receipt_json
    from orchestrator.documents.opening import context_then, store_of

    if as_ not in ("text", "messages", "receipt"):
        raise UsageError(f"--as {as_!r}: use text, messages or receipt")
    if layout is not None:
        from orchestrator.panel.config.config import checked

        checked("layout", layout, "--layout")
        if at is not None:
            raise UsageError("--layout and --at exclude each other: a receipt says which layout was used")
    if at is not None and (task is not None or engine is not None):
        raise UsageError(
            "--at excludes --task and --engine: what was given then has its receipt, which says both"
        )
    screen = Screen.current
    with looked_at_any(session) as opened:
        check_seat(opened, agent)
        if at is None:
            found = opened.context(agent, task=task, engine=engine)
        else:
            found = context_then(opened, at, agent)
        if as_ == "text" and not screen.json:
            # Whoever reads it by a pipe gets its bytes, whose digest the receipt has.
            if sys.stdout.isatty():
                print(printable(found.text), end="")
            else:
                write_bytes(found.text.encode())
            return
        if as_ == "messages":
            plain = messages_json(opened, found, layout)
        else:
            is_recorded = not store_of(opened).frozen if at is None else not at.isdecimal()
            plain = receipt_json(found, is_recorded=is_recorded)
            plain |= {"text": found.text} if as_ == "text" else {}
        screen.result(plain, document(plain))


def show(
    session: Name,
    trace: Annotated[bool, flag("--trace", "Every step of the loop: why, and how long it took.")] = False,
) -> None:
    """One session: its questions, files and receipts.

    Of a session of another crew: its files with class and writers, notes and receipts.
    """
    from orchestrator.documents.opening import is_rehearsal, rehearsal_of
    from orchestrator.documents.session import session_json, trace_json, trace_of

    screen = Screen.current
    with looked_at_any(session) as found:
        if trace or is_rehearsal(found):
            opened = rehearsal_of(found)
        else:
            plain = session_json(found, screen.warn)
            screen.result(plain, "\n".join(_crew_lines(found, plain)))
            return
        plain = session_json(opened, screen.warn)
        lines = _session_lines(opened, plain)
        if trace:
            from orchestrator.memory.trace import trace_lines

            done = trace_of(opened)
            plain["trace"] = trace_json(done)
            lines += ["", *trace_lines(done.steps)]
            lines += [f"error after step {error['step']}: {error['message']}" for error in done.errors]
        screen.result(plain, "\n".join(lines))


def _crew_lines(opened: AnySession, plain: dict[str, Any]) -> list[str]:
    """Return the lines of another crew's session: files with class and writers, notes, and the number of
    records."""
    import json

    from orchestrator.core.legible import shown

    table, width = plain["table"], columns(sys.stdout)
    about = [opened.name, plain["state"], *([shown(plain["title"])] if plain["title"] else [])]
    lines = ["  ".join(about), f"Crew {one_line(table['name'])}, table version {table['version']}", ""]
    most = max(len(one["path"]) for one in plain["files"])
    lines += [
        f"{one['bytes']:>9}  {one['mutability']:11}  {one['path']:{most}}  by {', '.join(one['by'])}"
        for one in plain["files"]
    ]
    if plain["notes"]:
        lines.append("")
    for one in plain["notes"]:
        words = shown(f"{one['type']} by {one['by']}: {json.dumps(one['fields'], ensure_ascii=False)}")
        lines.append(wrapped(f"note {one['record']:>4}  {words}", width, hang=11))
    return [*lines, "", *_record_lines(opened, plain)]


def _record_lines(opened: AnySession, plain: dict[str, Any]) -> list[str]:
    from orchestrator.core.legible import counted

    receipts = plain["receipts"]
    counts = f"{counted(plain['records'], 'record')}, {counted(len(receipts), 'receipt')}"
    lines = [f"{counts}; ledger head {plain['ledger_head']}"]
    if receipts:
        last = receipts[-1]
        command = f"{Screen.current.command} context {opened.name} {last['agent']} --at {last['receipt']}"
        lines.append(f"The last context of {last['agent']}: {command}")
    return lines


def _session_lines(opened: Rehearsal, plain: dict[str, Any]) -> list[str]:
    """Return the lines of a session: its dialogue, files, cost, and the number of records."""
    from orchestrator.core.legible import counted, shown
    from orchestrator.panel.debrief.parts import bill_lines, bill_of
    from orchestrator.panel.debrief.phrasing import numbered

    projection, width = opened.projection, columns(sys.stdout)
    lines = [f"{opened.name}  {plain['state']}  {plain['deck']}", ""]
    lines += [line for exchange in opened.asked for line in _exchange_lines(opened, exchange, width)]
    lines += [wrapped(shown(numbered(one)), width) for one in opened.contradictions]
    if projection.said:
        lines.append(f"The moderator spoke {counted(len(projection.said), 'time')} (--json has the words).")
    lines += [
        "",
        *(f"{one['bytes']:>9}  {one['mutability']:11}  {one['path']}" for one in plain["files"]),
        "",
    ]
    if projection.took_over is not None:
        sat = f"The offline panel sat in the place of the engine {opened.rehearsal.options.engine}"
        lines.append(f"{sat}: {one_line(projection.took_over)}.")
    lines += bill_lines(bill_of(projection.calls), is_taken_over=projection.took_over is not None)
    return [*lines, *_record_lines(opened, plain)]


def _exchange_lines(opened: Rehearsal, exchange: Exchange, width: int) -> list[str]:
    """Return the lines of a question: the words that it is about, and every answer and follow-up."""
    from orchestrator.core.legible import shown
    from orchestrator.panel.debrief.phrasing import DISMISSED, outcome
    from orchestrator.panel.loop.contradiction_looks import dismissed_later
    from orchestrator.panel.loop.moderator import question_lines

    put = replace(exchange, turns=exchange.turns[:1])
    said = question_lines(opened.rehearsal, put)
    for number, turn in enumerate(exchange.turns):
        said += [f"Then: {shown(turn.question)}"] if number else []
        if turn.answer or exchange.outcome is not None:  # an open question still waits for its answer
            said.append(f"You: {shown(turn.answer)}" if turn.answer else "You: no answer")
        said += [f"Heard as: {shown(turn.misheard)}"] if turn.misheard else []
    later = dismissed_later(opened.rehearsal, opened.home)
    mark = f", {DISMISSED}" if opened.projection.is_about_dismissed(exchange, later) else ""
    head = f"{exchange.id}  {opened.rehearsal.name_of(exchange.agent)}: {outcome(exchange)}{mark}"
    return [head, *(wrapped(f"  {line}", width) for line in said)]


def debrief(
    session: Name,
    format_: Annotated[
        str | None,
        option(
            "text|md|html|pdf|json",
            "In which form; without it, text at a terminal and else md. pdf needs Chromium or Chrome.",
            "--format",
        ),
    ] = None,
) -> None:
    """Show a session's debrief."""
    from orchestrator.cli.dialogue import page_text
    from orchestrator.panel.debrief.json_form import as_json
    from orchestrator.panel.debrief.page import as_html, as_markdown, as_paper

    if format_ not in (None, "text", "md", "html", "pdf", "json"):
        raise UsageError(f"--format {format_!r}: use text, md, html, pdf or json")
    screen = Screen.current
    wanted = format_ or ("text" if sys.stdout.isatty() else "md")
    with looked_at(session) as opened:
        found = opened.debrief()
        if wanted == "json" or screen.json:
            print(document(as_json(found)))
        elif wanted == "html":
            write_bytes(printable(as_html(found)).encode())  # the page says that it is UTF-8
        elif wanted == "pdf":
            _give_pdf(as_paper(found), opened.id)
        elif wanted == "md":
            print(printable(as_markdown(found)), end="")
        else:
            print(f"{one_line(found.deck)}\n\n{page_text(found)}")


def _give_pdf(page: str, session_id: str) -> None:
    """Write a PDF to stdout; at a terminal, which cannot show it, write a file in the current folder
    instead."""
    from orchestrator.panel.debrief.printing import as_pdf

    content = as_pdf(page)
    if not sys.stdout.isatty():
        write_bytes(content)
        return
    file = Path(f"debrief-{session_id}.pdf")
    file.write_bytes(content)
    print(file)


def verify(
    session: Annotated[str, typer.Argument(metavar="SESSION|PATH|URL", help="A session or an archive.")],
    head: Annotated[str | None, option("HASH", "The ledger head that was kept elsewhere.")] = None,
    endpoint_url: Endpoint = None,
) -> None:
    """Prove that every write kept the rules and nothing was changed."""
    from orchestrator.core.legible import counted
    from orchestrator.documents.verification import verification_json

    found = _verification_of(session, head, endpoint_url)
    lines = [f"{one.path}: {one.kind}: expected {one.expected}, found {one.found}" for one in found.findings]
    lines += [f"note: {note}" for note in found.notes]
    verdict = "valid" if found.valid else f"NOT valid: {counted(len(found.findings), 'fault')}"
    going_on = "" if found.ended else ", and the session has not ended"
    lines.append(f"{verdict}{going_on}; {counted(found.seq, 'record')}, ledger head {found.head}")
    if (table := found.table) is not None:
        lines.append(f"judged by the table {table.name}, version {table.version}, SHA-256 {table.sha256}")
    Screen.current.result(verification_json(found), "\n".join(lines))
    if not found.valid:
        raise typer.Exit(1)


def _verification_of(name: str, head: str | None, endpoint_url: str | None) -> Verification:
    """Verify what *name* names; if *head* is given, also that the ledger's head is the same.

    Raises:
        SessionNotFoundError, ArchiveError: There is no session or archive of this name.
    """
    from orchestrator.core.archive.download import verify_archive
    from orchestrator.core.archive.unpacked import verify_path
    from orchestrator.core.home.folder import session_folder
    from orchestrator.documents.verification import against_head
    from orchestrator.panel.application import BOARD

    if "://" in name:
        url, _, session_id = name.rstrip("/").rpartition("/")
        known = Screen.current.known_home()
        server = s3_options(endpoint_url)["endpoint_url"]
        found = verify_archive(url, session_id, endpoint_url=server, known=known, application=BOARD)
    elif os.sep in name or (Path(name) / "bagit.txt").is_file():
        session_folder(Path(name))  # says so where there is none, before anything is verified
        found = verify_path(Path(name), known=Screen.current.known_home(), application=BOARD)
    else:
        found = verify_path(Screen.current.open_home().find(name), application=BOARD)
    return against_head(found, head)


def doctor() -> None:
    """Check this machine: locks, sync, engines, speech, S3."""
    from orchestrator.cli.doctor import checks

    found = checks(Screen.current.open_home())
    plain = {"checks": [{"name": one.name, "state": one.state, "detail": one.detail} for one in found]}
    Screen.current.result(plain, "\n".join(f"{one.name:16} {one.state:10} {one.detail}" for one in found))


# ---------------------------------------------------------------------- listing
# `list`: what is in a home, or in an archive; `progress`: how somebody comes on over its rehearsals.


def list_(
    archive: Annotated[str | None, option("URL", "List an archive instead.")] = None,
    search: Annotated[str | None, option("TEXT", "Only sessions that hold this text.")] = None,
    endpoint_url: Endpoint = None,
) -> None:
    """List the sessions of this home, or of an archive."""
    from orchestrator.documents.listing import archived, listed, local

    screen = Screen.current
    if archive is not None:
        _check_folder(archive)
        rows = archived(archive, search, s3_options(endpoint_url), screen.warn, screen.known_home())
    else:
        home = screen.open_home()
        rows = local(home, search, screen.warn)
        if not rows:
            _warn_of_table(home)
    lines = [_line(row) for row in rows]
    found = listed(rows, search)
    if blind := found.get("not_searched"):
        lines.append(f"not searched, so there may be more: {', '.join(blind)}")
    screen.result(found, "\n".join(lines) or "no sessions")


def _warn_of_table(home: Home) -> None:
    """Say what is wrong with the table of a home that has no session: none can be started by it."""
    from orchestrator.core.errors import ConfigurationError, HomeError

    try:
        _ = home.table
    except (ConfigurationError, HomeError) as error:
        Screen.current.warn(str(error))


def _line(row: dict[str, Any]) -> str:
    from orchestrator.core.legible import counted
    from orchestrator.material.deck.shown import shown

    where = f"{row['session']:28} {row.get('day') or row['date'] or '':10}  {row['state']:12}"
    if row.get("crew"):
        return "  ".join([f"{where} {'crew':>12}", ": ".join(filter(None, (row["crew"], row["title"])))])
    marks = [f"({shown(row['presenter'])})"] if row["presenter"] else []
    marks += ["recorded"] if row.get("recorded") else []
    return "  ".join([f"{where} {counted(row['exchanges'], 'exchange'):>12}", _name_of(row), *marks])


def _name_of(row: dict[str, Any]) -> str:
    """Return a session's own title followed by its deck's; most sessions only have the deck's."""
    return ": ".join(filter(None, (row.get("title"), row["deck"])))


def progress(
    session: Annotated[
        str | None, typer.Argument(metavar="[SESSION]", help="Only the rehearsals of this one's deck.")
    ] = None,
    presenter: Annotated[
        str | None, option("NAME", "Whose rehearsals. Default: of whoever ended one last.")
    ] = None,
) -> None:
    """How a presenter comes on over the rehearsals of a deck.

    Answers, points closed, time and pace. A person's verdict on an answer counts before the panel's, and it
    is said whose they were. What nobody judged counts for nothing: `judge` says what an answer was worth.
    Drills are left out, and demonstrations unless one is named.
    """
    from orchestrator.core.archive.stores import open_store
    from orchestrator.core.legible import clock, counted, one_line
    from orchestrator.documents.listing import progress_json
    from orchestrator.panel.comments import Verdicts
    from orchestrator.review.catalogue import of_home, update
    from orchestrator.review.progress import answers_of, ended_of, ended_with, progress_of

    if session is not None and presenter is not None:
        raise UsageError("SESSION and --presenter exclude each other: a session says whose it is")
    screen = Screen.current
    home = screen.open_home()
    catalogue = of_home(home)
    update(catalogue, home.sessions, open_store(str(home.archives)))
    if session is not None:
        whose, rows = ended_with(catalogue, home.find(session).name)
    else:
        whose, rows = ended_of(catalogue, presenter)
    found = progress_of(rows, Verdicts(home.records).of)
    nobody = f"{presenter} has ended no rehearsal yet" if presenter else "no rehearsal has ended yet"
    lines = [] if found else [nobody]
    for deck in found:
        lines += ["", one_line(deck.deck), deck.sentence]
        for run in deck.runs:
            used_s, budget_s = run.entry.used_s, 60 * run.entry.minutes
            told = [counted(run.questions, "question"), answers_of(run)]
            told += [f"{counted(len(run.closed), 'point')} closed"] if run.closed else []
            told += [f"{clock(used_s)} of {clock(budget_s)}"] if used_s else []
            told += [f"{run.entry.words_per_minute} words a minute"] if run.entry.words_per_minute else []
            about = "; ".join(one for one in told if one)
            lines.append(f"  {run.entry.when}  {run.entry.session}  {about}")
        lines += [f"  closed: {one_line(one)}" for run in deck.runs for one in run.closed]
        lines += [f"  open: {one_line(one)}" for one in deck.open]
    screen.result(progress_json(whose, found), "\n".join(lines).lstrip("\n"))


def _check_folder(archive: str) -> None:
    """Refuse a folder that does not exist, since a mistyped path would look like an empty archive."""
    from orchestrator.core.archive.stores import FolderStore, open_store

    store = open_store(archive)
    if isinstance(store, FolderStore) and not store.root.is_dir():
        raise ArchiveError(f"{store.root} does not exist, so nothing is archived there: check the path")


# ---------------------------------------------------------------------- recap
# Commands that tell what was: recap, briefing.


READ_WITHOUT_A_MODEL: Final = (
    "Read without a model: of goals, decisions and blockers only what was announced in plain words, such as "
    "“We have decided to …”, “Our goal is …”, “The blocker is …”."
)


def recap(session: Name) -> None:
    """Sum up a session: said, decided and left open.

    Goals, decisions and blockers are read by a model. Without one they are only those that somebody
    announced in plain words: "We have decided to …", "Our goal is …", "The blocker is …".
    """
    from orchestrator.memory.scribe import previously_on, to_plain
    from orchestrator.panel.config.engine_names import is_bank

    with looked_at(session) as opened:
        context, rehearsal = opened.recap(), opened.rehearsal
        is_read = not is_bank(rehearsal.options.engine) and rehearsal.projection.took_over is None
    text = previously_on(context)
    Screen.current.result(to_plain(context), text if is_read else f"{text}\n{READ_WITHOUT_A_MODEL}")


def briefing(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The moderator, or a panelist of this home.")],
    presenter: Annotated[
        str | None, option("NAME", "The presenter; else that of the newest session which is remembered.")
    ] = None,
) -> None:
    """Show the situation as an agent would be told it now.

    Only of a presenter who agreed to be remembered.
    """
    from orchestrator.documents.memories import briefing_json

    plain = briefing_json(Screen.current.open_home(), agent, presenter)
    who = f"{plain['presenter']} is not remembered here, or nothing has happened lately"
    Screen.current.result(plain, plain["text"] or f"nothing to tell {agent}: {who}")
