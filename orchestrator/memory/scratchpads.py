"""Scratchpads: one page of Markdown for each agent and presenter, kept across sessions.

At most 2,000 characters; a longer one is refused with its count and never cut. Pages are replaced
whole, and the last ten are kept, so that no writer's page is lost when two write at once.

Source: DESIGN.md, section 9.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from orchestrator.memory.consent import name_in, require
from orchestrator.memory.database import MemoryDatabase, made_scope, note
from orchestrator.memory.errors import ScratchpadChangedError
from orchestrator.memory.model import Scratchpad
from orchestrator.memory.validation import checked_agent, checked_page, checked_time

KEPT_REVISIONS: Final = 10
"""Of a page, the last ones: 20 KB at most. Our own limit."""


def scratchpad(db: MemoryDatabase, agent: str, presenter: str) -> Scratchpad:
    """The agent's page about this presenter; an empty one, of revision 0, where none was written."""
    agent, presenter = checked_agent(agent), name_in(db, presenter)
    return next(iter(_pages(db, presenter, agent)), Scratchpad(agent, presenter))


def scratchpads(db: MemoryDatabase, presenter: str) -> tuple[Scratchpad, ...]:
    """Every agent's page about this presenter, by agent."""
    pages = _pages(db, name_in(db, presenter))
    return tuple({page.agent: page for page in reversed(pages)}.values())[::-1]


def earlier_scratchpads(db: MemoryDatabase, agent: str, presenter: str) -> tuple[Scratchpad, ...]:
    """The pages that this one replaced, newest first: at most nine."""
    return tuple(_pages(db, name_in(db, presenter), checked_agent(agent))[1:])


def update_scratchpad(
    db: MemoryDatabase,
    agent: str,
    presenter: str,
    content: str,
    now: str,
    *,
    replacing: Scratchpad | None = None,
) -> Scratchpad:
    """Put *content* in the place of the agent's page; the same text again changes nothing.

    *replacing* is the page that was read before: if somebody wrote it since, it stays as they left it.

    Raises:
        ScratchpadTooLongError: *content* is over 2,000 characters.
        ScratchpadChangedError: It is no longer the page that was read.
        NotConsentedError: The presenter did not agree to be remembered.
    """
    agent, presenter = checked_agent(agent), name_in(db, presenter)
    content, at = checked_page(content), checked_time(now)
    with db.transaction():
        require(db, presenter)
        before = scratchpad(db, agent, presenter)
        if replacing is not None and replacing.revision != before.revision:
            raise changed_since(agent)
        if content == before.content:
            return before
        note(db, at, "scratchpad", presenter, agent, agent)
        return _put(db, before, content, at, kept=KEPT_REVISIONS)


def changed_since(agent: str) -> ScratchpadChangedError:
    """The error for an update of a page that somebody else wrote meanwhile."""
    return ScratchpadChangedError(
        f"{agent}'s scratchpad was written since it was read: read it again, and update that"
    )


def edit_scratchpad(db: MemoryDatabase, agent: str, presenter: str, content: str, now: str) -> Scratchpad:
    """Put *content* in the page's place as the presenter wishes; all that it said before is wiped.

    An empty *content* removes the page. It is their own page, so it needs no other consent.

    Raises:
        ScratchpadTooLongError: *content* is over 2,000 characters.
    """
    agent, presenter = checked_agent(agent), name_in(db, presenter)
    content, at = checked_page(content), checked_time(now)
    with db.transaction():
        before = scratchpad(db, agent, presenter)
        after = _put(db, before, content, at, kept=int(bool(content)))
        note(db, at, "scratchpad edited", presenter, agent, agent)
    db.wipe()
    return after if content else Scratchpad(agent, presenter)


def _put(db: MemoryDatabase, before: Scratchpad, content: str, at: str, *, kept: int) -> Scratchpad:
    """Add the next page; of all, the last *kept* ones stay."""
    after = replace(before, content=content, updated_at=at, revision=before.revision + 1)
    scope = made_scope(db, before.presenter, before.agent)
    db.write("INSERT INTO scratchpads VALUES (?, ?, ?, ?)", scope, after.revision, content, at)
    db.write("DELETE FROM scratchpads WHERE scope = ? AND revision <= ?", scope, after.revision - kept)
    return after


def _pages(db: MemoryDatabase, presenter: str, agent: str | None = None) -> list[Scratchpad]:
    """All that are kept, by agent, the newest first."""
    rows = db.rows(
        "SELECT agent, presenter, content, updated_at, revision FROM scratchpads JOIN scopes ON n = scope "
        "WHERE presenter = ?1 AND (?2 IS NULL OR agent = ?2) ORDER BY agent, revision DESC",
        presenter,
        agent,
    )
    return [Scratchpad(*row) for row in rows]
