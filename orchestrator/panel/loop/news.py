"""External intel from the web: the search queries, and a new revision from the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from orchestrator.core.errors import EngineError, RevisionLimitError, SessionFrozenError
from orchestrator.core.store.transaction import Draft
from orchestrator.material.intel.findings import intel_page, read_intel
from orchestrator.material.intel.queries import Query, queries_of
from orchestrator.material.values import Reported
from orchestrator.panel.engines.protocol import Found, Searching
from orchestrator.panel.loop.bearing import Held, held_against, intel_of
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.records.moderator import Called
from orchestrator.panel.records.projection import INTEL
from orchestrator.panel.records.setup import UNNAMED
from orchestrator.panel.records.start import IntelTaken

FROM: Final = "web search"
"""Used in place of a file's name for findings of a search; a later search replaces an earlier one."""


@dataclass(frozen=True, slots=True)
class WebIntel:
    """The result of a web search for intel."""

    queries: tuple[str, ...]  # word for word as they were sent
    revision: int
    of: int
    is_new: bool  # False: nothing was found, so that the last revision stands
    failed: tuple[str, ...] = ()  # why a query brought nothing, or not all, a line each


def can_search(rehearsal: OpenRehearsal) -> bool:
    """Return whether the session's engine has a web search."""
    return isinstance(rehearsal.engine, Searching)


def search_intel(rehearsal: OpenRehearsal, without: Sequence[str] = ()) -> WebIntel:
    """Search the web, as `Session.search_intel` does."""
    store, engine = rehearsal.store, rehearsal.engine
    most = _check_may_revise(rehearsal, "nothing was searched for")
    if not isinstance(engine, Searching):
        raise EngineError(f"the {engine.name} engine cannot search the web: {_give_files(rehearsal)}")
    queries = _queries(rehearsal, without)
    if not queries:
        raise EngineError(f"no claim can be searched for without naming somebody: {_give_files(rehearsal)}")
    texts = tuple(query.text for query in queries)
    try:
        searched = engine.search(texts)
    except EngineError as error:
        raise EngineError(f"{error}: {_give_files(rehearsal)}") from None
    reported = [_reported(one, queries[one.query]) for one in searched.found]
    held = held_against(engine, reported, rehearsal.scene().deck)
    rehearsal.note_calls()
    with store.transaction() as tx:
        for usage in searched.usage:
            tx.note(Called(usage), by="moderator")
        if not searched.found:
            return WebIntel(texts, store.state(INTEL).revisions, most, False, searched.failed)
        revision = _revise(rehearsal, tx, held, reported, searched=texts)
    return WebIntel(texts, revision, most, True, searched.failed)


def add_intel(rehearsal: OpenRehearsal, paths: Sequence[Path]) -> tuple[int, int]:
    """Add files of findings, as `Session.add_intel` does."""
    reported = read_intel(paths)
    most = _check_may_revise(rehearsal, "nothing was taken in")
    held = held_against(rehearsal.engine, reported, rehearsal.scene().deck)
    rehearsal.note_calls()
    with rehearsal.store.transaction() as tx:
        return _revise(rehearsal, tx, held, reported), most


def _revise(
    rehearsal: OpenRehearsal,
    tx: Draft,
    held: Held,
    reported: Sequence[Reported],
    *,
    searched: Sequence[str] = (),
) -> int:
    """Write a new revision of external-intel, based on the last one, and return its number."""
    store, projection, deck = rehearsal.store, rehearsal.projection, rehearsal.scene().deck
    most = store.max_revisions(store.layout.file(INTEL))
    before = replace(projection.intel, revision=store.state(INTEL).revisions)
    intel = intel_of(held, reported, deck, projection.deck_claims, before=before)
    value = IntelTaken(intel, tuple(searched))
    tx.write(INTEL, intel_page(intel, most), by="intel", value=value)
    return store.state(INTEL).revisions


def _check_may_revise(rehearsal: OpenRehearsal, refused: str) -> int:
    """Check that one more revision is allowed, before an engine is paid; return the maximum number.

    Raises:
        SessionFrozenError, RevisionLimitError: No further revision is allowed; the message says what was not
            done, in the words of *refused*.
    """
    store = rehearsal.store
    store.catch_up()
    if store.frozen:
        raise SessionFrozenError(f"{rehearsal.options.id} has ended and is frozen: start a new session")
    most = store.max_revisions(store.layout.file(INTEL))
    if store.state(INTEL).revisions >= most:
        is_set = store.opening.max_revisions is not None
        where = "`max_revisions` in greenroom.yaml" if is_set else "`revisions` of its row in table.yaml"
        raise RevisionLimitError(
            f"{INTEL}: is write-few and has had its {most} revisions: {refused}; the limit is {where}, for "
            "new sessions"
        )
    return most


def _give_files(rehearsal: OpenRehearsal) -> str:
    return f"give files, as in `greenroom intel {rehearsal.options.id} news.md`"


def _queries(rehearsal: OpenRehearsal, without: Sequence[str]) -> tuple[Query, ...]:
    """Return queries for the claims that the panel attacks, each panelist's most wanted first."""
    projection, options = rehearsal.projection, rehearsal.options
    names = [*without, *(label for label in projection.seconds_by_speaker if label), options.speaker or ""]
    if options.presenter != UNNAMED:
        names.append(options.presenter)
    targets = [projection.targets.get(agent, ()) for agent in options.panel]
    longest = max(map(len, targets), default=0)
    wanted = (own[place].claim for place in range(longest) for own in targets if place < len(own))
    first = [claim for claim in wanted if claim is not None]
    return queries_of(rehearsal.scene().deck, projection.deck_claims, names, first=first)


def _reported(found: Found, query: Query) -> Reported:
    return Reported(
        finding=found.cited,
        topic=query.text,
        source=f"{found.title}, {found.url}" if found.title else found.url,
        date=found.age,
        file=FROM,
        claim=query.claim,
    )
