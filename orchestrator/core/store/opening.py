"""A session's first record and its last, as far as a store, a look from outside or an archive needs it.

Whoever wrote it, and in whatever shape: what is not there, or is of another shape, is empty. What a panel
needs of it, and in which shape, says `records.start.SessionStarted`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from orchestrator.core.store.ledger import Record
from orchestrator.core.store.value import Value
from orchestrator.core.values import from_json


@dataclass(frozen=True, slots=True)
class Opening(Value):
    """What the first record says of a session as a whole."""

    TYPE: ClassVar = "session"

    ledger_version: Any = None  # as it stands there: one that is none is told as it is
    panel: tuple[str, ...] | None = None  # None: it names none; (): what it names are no names
    table: Any = None  # of files, as it stands there: `application.table_of` reads it
    id: str = ""
    deck_name: str = ""
    deck_title: str = ""
    deck_sha256: str = ""
    source: str = ""  # the kept file of the deck, from the session's folder
    presenter: str = ""
    date: str = ""  # YYYY-MM-DD
    is_remembered: bool = False  # the presenter agreed to it, by --remember
    templates: Mapping[str, str] = field(default_factory=dict)  # digests of the copies, by path
    template_bytes: Mapping[str, int] = field(default_factory=dict)  # their sizes, since version 2
    max_revisions: int | None = None  # of a write-few file; None: as the table has it
    carried: Mapping[str, str] = field(default_factory=dict)  # texts from earlier sessions, by agent
    budget_tokens: int | None = None  # of a context; None: the default
    title: str = ""  # of a session that has no deck
    crew: str = ""  # the table that the core started it by; "": a board panel started it

    @property
    def version(self) -> int:
        """The ledger's version; 0 where it says none."""
        return self.ledger_version if type(self.ledger_version) is int else 0

    @property
    def context_settings(self) -> dict[str, Any]:
        """Return what an `Assembler` is made with, by the names of its arguments."""
        budget = {} if self.budget_tokens is None else {"budget_tokens": self.budget_tokens}
        return {"carried": self.carried, **budget}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        panel = plain.get("panel")
        deck, options = (_part(plain, name) for name in ("deck", "options"))
        return cls(
            ledger_version=plain.get("ledger_version"),
            panel=_given(tuple[str, ...], panel, ()) if isinstance(panel, list) else None,
            table=plain.get("table"),
            id=_given(str, plain.get("id"), ""),
            deck_name=_given(str, deck.get("name"), ""),
            deck_title=_given(str, deck.get("title"), ""),
            deck_sha256=_given(str, deck.get("sha256"), ""),
            source=_given(str, plain.get("source"), ""),
            presenter=_given(str, plain.get("presenter"), ""),
            date=_given(str, plain.get("date"), ""),
            is_remembered=_given(bool, options.get("remember"), False),
            templates={
                path: sha256 for path, sha256 in _part(plain, "templates").items() if isinstance(sha256, str)
            },
            template_bytes={
                path: size for path, size in _part(plain, "template_bytes").items() if type(size) is int
            },
            max_revisions=_given(int, plain.get("max_revisions"), None),
            carried={
                agent: text
                for agent, text in _part(_part(plain, "carried"), "texts").items()
                if isinstance(text, str)
            },
            budget_tokens=_given(int, plain.get("budget_tokens"), None),
            title=_given(str, plain.get("title"), ""),
            crew=_given(str, plain.get("crew"), ""),
        )


def opening_of(record: Record) -> Opening:
    """Return what a first record says; nothing where it has no value."""
    return Opening.read(record.held.fields) if record.held is not None else Opening()


def _part(plain: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = plain.get(name)
    return found if isinstance(found, Mapping) else {}


def _given(kind: Any, plain: Any, default: Any) -> Any:
    try:
        return from_json(kind, plain)
    except ValueError:
        return default


# ---------------------------------------------------------------------- ending


@dataclass(frozen=True, slots=True)
class Ending(Value):
    """A session's last record: digests of every file, and of the home's templates as they were then."""

    TYPE: ClassVar = "freeze"

    files: Mapping[str, str] = field(default_factory=dict)  # SHA-256 by path
    templates: Mapping[str, str] = field(default_factory=dict)  # the reason of one that could not be read
