"""`verify_session`: the verification of one session's folder from its bytes alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from orchestrator.core.errors import ConfigurationError, HomeError, SessionBusyError
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.home.table_file import TABLE_NAME, read_table_file
from orchestrator.core.store import files, waiting
from orchestrator.core.store.application import PLAIN, Application
from orchestrator.core.store.ledger import FIRST_HASH
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.core.table import Mutability, SessionFile, Table
from orchestrator.core.verify.account import Account
from orchestrator.core.verify.disk import kind_of, opened
from orchestrator.core.verify.finding import JudgedBy, Report, Verification, shown
from orchestrator.core.verify.session_folder import Folder, check_home

# ---------------------------------------------------------------------- table check
# Where the rules by which a session was judged differ from those that its table is known for.
#
# A session is judged by the table in its own first record, so whoever forges a ledger could write laxer
# rules into it. They are named, and are no fault: a home may change its table and keep its version.


def check_table(
    table: Table,
    max_revisions: int | None,
    home: Path | None,
    report: Report,
    application: Application = PLAIN,
) -> None:
    """Note each rule in which *table* differs from the known table of its name, and what its program lacks in
    it.

    Args:
        max_revisions: The maximum revisions of write-few files, if the first record sets it besides the
            table.
        home: The home whose table *table* is compared with, besides the packaged one. None if no home is
            known.
    """
    for known, where in _known(home):
        if known.name == table.name:
            version = "" if known.version == table.version else f" (version {known.version})"
            for difference in differences(table, known):
                told = f"{table.name} {table.version} of {where}{version}"
                report.note(f"the session's table is not {told}: {difference}")
    for lack in application.lacks(table):
        report.note(f"the session's table is none for the board panel: {lack}")

    for path, row in table.files.items():
        if row.mutability is Mutability.WRITE_FEW and (max_revisions or 0) > row.max_revisions:
            report.note(
                f"{path}: the first record allows {max_revisions} revisions, "
                f"and its table {row.max_revisions}"
            )


def _known(home: Path | None) -> Iterator[tuple[Table, str]]:
    yield packaged_table(), "this release"
    if home is None:
        return
    try:
        own = read_table_file(home / TABLE_NAME)
    except (ConfigurationError, HomeError):  # none, or one that every start refuses by its line
        return
    if own != packaged_table():
        yield own, "the home"


def differences(here: Table, there: Table) -> Iterator[str]:
    """Yield a line for each rule that differs: the file, the rule, and its value in both tables."""
    for path in dict.fromkeys((*here.files, *there.files)):
        one, other = here.files.get(path), there.files.get(path)
        if one is None or other is None:
            yield f"{path}: has {'a' if one else 'no'} row here, and {'one' if other else 'none'} there"
        elif one != other:
            yield from _row_differences(one, other)
    for agent in dict.fromkeys((*here.orders, *there.orders)):
        if here.orders.get(agent) != there.orders.get(agent):
            yield f"the order of {agent}: is another"
    seats, others = ((one.agents, one.min_seats, one.max_seats) for one in (here, there))
    if seats != others:
        yield f"agents and seats: are {_seats(here)} here, and {_seats(there)} there"


def _row_differences(one: SessionFile, other: SessionFile) -> Iterator[str]:
    rules, others = one.plain(), other.plain()
    for rule in dict.fromkeys((*rules, *others)):
        if rules.get(rule) != others.get(rule):
            is_here, is_there = _told(rules.get(rule)), _told(others.get(rule))
            yield f"{one.path}: `{rule}` is {is_here} here, and {is_there} there"


def _told(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "not set" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _seats(table: Table) -> str:
    return f"{', '.join(table.agents)} and {table.min_seats} to {table.max_seats} seats"


# ---------------------------------------------------------------------- verification


LOCK_TIMEOUT_S: Final = 30.0
"""Seconds to wait for a writer; a transaction holds the lock for at most one call to an engine."""


def verify_session(
    root: str | Path,
    *,
    home_templates: Path | None = None,
    head: str | None = None,
    session: str | None = None,
    application: Application = PLAIN,
) -> Verification:
    """Verify that the session at *root* is what its ledger says, and that every rule was kept.

    Nothing is changed, no link is followed, and no damage makes this raise: every difference that can be
    found is a finding that names its file. In a session that has not ended, the ledger is locked (shared)
    during the comparison, so that a write in progress is never taken for damage. What a crash left there
    (`torn`, `behind`) is repaired by `resume`.

    Args:
        root: The session's folder.
        home_templates: The home's `templates/`, to compare with those of the start. A
            difference is a finding while the session goes on, and a note once it has ended.
        head: The ledger's head as it was stored elsewhere. Without it, the loss of whole last records,
            together with what they wrote, cannot be detected.
        session: The id that the session must have by its place. None if its folder may have any name.
        application: What the program that verifies knows about its own sessions; it is not used for other
            sessions.

    Source: DESIGN.md, section 4; trust.md, "What is promised".
    """
    root = Path(root)
    report = Report()
    account = Account(b"", report, application)
    try:
        root_fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        report.add(".", "missing", "a session's folder", files.reason(error))
        return report.result(head=FIRST_HASH, seq=0, ended=False)
    try:
        with opened(root_fd, LEDGER_NAME) as ledger_fd, _shared(ledger_fd, report):
            account.content = files.read_range(ledger_fd, 0, files.size_of(ledger_fd))
            account.read()
            if not account.is_unknown:
                Folder(root_fd, account, report).compare()
    except OSError as error:
        _report_ledger(root, error, report)
    finally:
        os.close(root_fd)
    if account.is_unknown:  # what it must be, only its own program knows
        return report.result(head=account.head, seq=account.seq, ended=False)
    check_home(account, home_templates, report)
    if account.opened is not None:
        _check_id(account.opened.id, session, root, report)
    if head is not None and head != account.head:
        report.add(LEDGER_NAME, "head", head, account.head)
    judged_by: JudgedBy | None = None
    if (table := account.table) is not None:
        home = None if home_templates is None else home_templates.parent
        check_table(
            table,
            account.opened.max_revisions if account.opened else None,
            home,
            report,
            account.application,
        )
        judged_by = JudgedBy(table.name, table.version, table.sha256)
    return report.result(
        head=account.head, seq=account.seq, ended=account.frozen is not None, table=judged_by
    )


def _check_id(found: str, session: str | None, root: Path, report: Report) -> None:
    """Report a session whose id is not *session*.

    If *session* is None, only note that the folder has another name.
    """
    told = shown(found[:64])
    if session is not None and found != session:
        report.add(LEDGER_NAME, "misplaced", session, told)
    elif session is None and found != root.name:
        report.note(f"this is the session {told}, in a folder of another name")


def _report_ledger(root: Path, error: OSError, report: Report) -> None:
    """Report why there is no ledger that can be read."""
    try:
        kind = kind_of((root / LEDGER_NAME).lstat())
    except OSError as missing:
        report.add(LEDGER_NAME, "missing", "the session's ledger", files.reason(missing))
        return
    if kind == "file":
        report.add(LEDGER_NAME, "unreadable", "the session's ledger", files.reason(error))
    else:
        report.add(LEDGER_NAME, "not-plain", "a file of its own", kind)


@contextmanager
def _shared(fd: int, report: Report) -> Iterator[None]:
    """Keep writers out during the comparison; if that is impossible, report it and go on."""
    try:
        waiting.take(fd, [], LOCK_TIMEOUT_S, name=LEDGER_NAME, is_shared=True)
    except SessionBusyError:
        report.note(f"a writer held the lock for over {LOCK_TIMEOUT_S:.0f} s: a difference may be its work")
    except OSError as error:
        # Some network file systems have no flock; the proof is still worth having.
        report.note(f"the ledger could not be locked ({files.reason(error)})")
    yield
