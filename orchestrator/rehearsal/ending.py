"""The end of a session: last words, closing records, debrief, freeze, archive; in this order.

A crash before the freeze leaves the session `closing`, and ending it again goes on from there. A crash after
the freeze's record leaves an ended session that is still writable and in no archive; `finish` repairs both.

Source: DESIGN.md, section 6 ("Ended").
"""

from __future__ import annotations

import os

from orchestrator.core import crew
from orchestrator.core.archive.freeze import ending_alone, freeze, is_sealed, seal
from orchestrator.core.archive.places import check_takes_archives
from orchestrator.core.archive.register import archives_of, check_name
from orchestrator.core.archive.stores import open_store
from orchestrator.core.archive.upload import Archived
from orchestrator.core.errors import (
    GreenroomError,
    SessionStateError,
)
from orchestrator.core.store import files
from orchestrator.memory.session_memory import Remembering, Watch
from orchestrator.panel.comments import Verdicts
from orchestrator.panel.debrief import build
from orchestrator.panel.debrief.json_form import json_text
from orchestrator.panel.debrief.page import as_markdown
from orchestrator.panel.debrief.parts import Debrief
from orchestrator.panel.debrief.request import ask_for_debrief
from orchestrator.panel.home import Home
from orchestrator.panel.loop import answers, contradiction_looks, resolving
from orchestrator.panel.loop.driver_lock import state_of
from orchestrator.panel.loop.rehearsal import OpenRehearsal


def end(
    rehearsal: OpenRehearsal,
    home: Home | None,
    watch: Watch,
    remembering: Remembering,
    *,
    without_debrief: bool = False,
    archive_to: str | None = None,
) -> None:
    """End a session as `Session.end` does."""
    store = rehearsal.store
    if archive_to is not None:
        # A bad address is refused before anything ends.
        check_takes_archives(open_store(archive_to, endpoint_url=_endpoint()), rehearsal.options.id)
    with ending_alone(store):
        store.catch_up()
        if not rehearsal.projection.ended:
            _end(rehearsal, home, watch, remembering, without_debrief, archive_to)
        elif _is_cut_short(rehearsal, home):
            finish(rehearsal, home, archive_to)


def _end(
    rehearsal: OpenRehearsal,
    home: Home | None,
    watch: Watch,
    remembering: Remembering,
    without_debrief: bool,
    archive_to: str | None,
) -> None:
    store = rehearsal.store
    with store.transaction() as tx:
        open_ = rehearsal.projection.open
        if open_ is not None and open_.turns[-1].answer is None and rehearsal.projection.has_words:
            open_ = answers.note_heard(rehearsal, tx, open_)  # no word is lost, though nobody judges it
        if open_ is not None:
            answered = open_.turns[-1].verdict is not None or len(open_.turns) > 1
            outcome = "unresolved" if answered else "unjudged"
            resolving.resolve(rehearsal, tx, open_, outcome, is_ending=True)
        resolving.close(rehearsal, tx)
    watch.before_end()
    remembering.end(rehearsal)
    if not without_debrief:
        ask_for_debrief(rehearsal)
    store.mend()
    if not without_debrief:
        _write_debrief(rehearsal)
    watch.snapshot()
    freeze(store, home.templates if home is not None else None, immutable=_is_immutable(home))
    archive_as_set(rehearsal, home, archive_to)


def finish(rehearsal: OpenRehearsal, home: Home | None, url: str | None = None) -> Archived | None:
    """Complete an end that was cut short: make the folder read-only, then archive it as `archive_as_set`
    does.

    Raises:
        StoreWriteError: The modes cannot be set.
        ArchiveError: As `archive_as_set`.
    """
    if _is_cut_short(rehearsal, home):
        seal(rehearsal.store.root, immutable=_is_immutable(home))
    return archive_as_set(rehearsal, home, url)


def _is_cut_short(rehearsal: OpenRehearsal, home: Home | None) -> bool:
    """Return whether the session's end has been recorded, but something after that record is still to be
    done."""
    if not rehearsal.projection.ended:
        return False
    # Files that are read-only may still lack the flag, so the archive, which comes last, is asked for too.
    return is_to_be_archived(rehearsal, home) or not is_sealed(rehearsal.store.root)


def _is_immutable(home: Home | None) -> bool:
    return home is not None and home.config.immutable


def debrief_of(rehearsal: OpenRehearsal, home: Home | None = None, kept: Verdicts | None = None) -> Debrief:
    """Return the debrief as it stands; it omits contradictions if nobody has looked for any.

    Args:
        home: The home whose register names the contradictions that were dismissed since the end.
        kept: The verdicts that people gave on answers since the end.
    """
    projection = rehearsal.projection
    found = projection.found if projection.is_checked else None
    return build.debrief_of(
        rehearsal,
        found,
        dismissed=contradiction_looks.dismissed_later(rehearsal, home),
        persons=resolving.persons_of(rehearsal, kept),
    )


def _write_debrief(rehearsal: OpenRehearsal) -> None:
    debrief = debrief_of(rehearsal)
    fd = os.open(rehearsal.store.root, files.FOLDER)
    try:
        files.replace_file(fd, "debrief.md", as_markdown(debrief).encode())
        files.replace_file(fd, "debrief.json", json_text(debrief).encode())
    finally:
        os.close(fd)


# ---------------------------------------------------------------------- the archive


def archive(
    rehearsal: OpenRehearsal, home: Home | None, url: str, *, endpoint_url: str | None = None
) -> Archived:
    """Archive the session to an address as `Session.archive` does."""
    store = rehearsal.store
    store.catch_up()
    if not rehearsal.projection.ended:
        name = rehearsal.options.id
        raise SessionStateError(f"{name} is {state_of(rehearsal)}: end it first with `greenroom end {name}`")
    checksums = home is None or home.config.s3_checksums
    holder = home if home is not None and contradiction_looks.is_held_in(home, rehearsal) else None
    if home is not None and store.root.parent == home.sessions:
        check_name(store.root, rehearsal.options.id)
    server, immutable = endpoint_url or _endpoint(), _is_immutable(holder)
    return crew.archive(store, holder, url, server, checksums=checksums, immutable=immutable)


def archive_as_set(rehearsal: OpenRehearsal, home: Home | None, url: str | None = None) -> Archived | None:
    """Archive to *url*, or to where the run, the setting `archive` or the home says; return None if nowhere.

    The first address that is known counts, in this order. A session outside of a home has only the first two.

    Raises:
        ArchiveError: The archive could not be completed; the session has ended and is safe.
    """
    url = url or _set_for(rehearsal, home)
    if url is None:
        return None
    try:
        return archive(rehearsal, home, url)
    except (GreenroomError, OSError) as error:
        raise crew.not_archived(rehearsal.store.root, rehearsal.options.id, error) from error


def is_to_be_archived(rehearsal: OpenRehearsal, home: Home | None) -> bool:
    """Return whether the session has ended in this home, and is in no archive in its current state."""
    if home is None or not rehearsal.projection.ended or not contradiction_looks.is_held_in(home, rehearsal):
        return False
    return not archives_of(home, rehearsal.options.id, head=rehearsal.store.head)


def _set_for(rehearsal: OpenRehearsal, home: Home | None) -> str | None:
    playback = rehearsal.projection.playback
    if playback is not None and playback.archive is not None:
        return playback.archive
    if home is None or not contradiction_looks.is_held_in(home, rehearsal):
        return None
    return home.config.archive or str(home.archives)


def _endpoint() -> str | None:
    """Return the S3-compatible server that the commands' environment variable names, or None."""
    return os.environ.get("GREENROOM_S3_ENDPOINT")
