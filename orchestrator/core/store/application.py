"""What a program knows about its own sessions beyond their table, passed to the core as values.

The core handles tables, writes, receipts and verification. The program itself says what a record's value
means, which files its code relies on, and what only its first release wrote; `panel/application.py` does so
for the board panel. For a session of an unknown crew `PLAIN` is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self

from orchestrator.core.store.ledger import WITHOUT_TABLE, Kinds, Record, Value
from orchestrator.core.table import Keys, SeatedTable, Table
from orchestrator.core.values import from_json

# ---------------------------------------------------------------------- opening
# A session's first record and its last, as far as a store, a look from outside or an archive needs it.
#
# Whoever wrote it, and in whatever shape: what is not there, or is of another shape, is empty. What a
# panel needs of it, and in which shape, says `records.start.SessionStarted`.


@dataclass(frozen=True, slots=True)
class Opening(Value):
    """What the first record says about the session as a whole."""

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
    owner: str = ""  # the identity of who was signed in at the start; "": nobody had to be
    groups: tuple[str, ...] = ()  # of the owner, at the start

    @property
    def version(self) -> int:
        """The ledger's version, or 0 if the record states none."""
        return self.ledger_version if type(self.ledger_version) is int else 0

    @property
    def context_settings(self) -> dict[str, Any]:
        """Return the settings with which an `Assembler` is made, by the names of its arguments."""
        budget = {} if self.budget_tokens is None else {"budget_tokens": self.budget_tokens}
        return {"carried": self.carried, **budget}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        panel = plain.get("panel")
        deck, options, owner = (_part(plain, name) for name in ("deck", "options", "owner"))
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
            owner=_given(str, owner.get("identity"), ""),
            groups=_given(tuple[str, ...], owner.get("groups", ()), ()),
        )


def opening_of(record: Record) -> Opening:
    """Return the content of a first record; all fields are empty if it has no value."""
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
    """A session's last record: the digests of every file, and of the home's templates at that time."""

    TYPE: ClassVar = "freeze"

    files: Mapping[str, str] = field(default_factory=dict)  # SHA-256 by path
    templates: Mapping[str, str] = field(default_factory=dict)  # the reason of one that could not be read


# ---------------------------------------------------------------------- application


def _no_lacks(table: Table) -> Iterator[str]:
    return iter(())


def _no_faults(record: Record, layout: SeatedTable | None) -> Iterator[tuple[str, str]]:
    return iter(())


@dataclass(frozen=True, slots=True)
class Application:
    """What the core has to know about one program: its records' values, files, rules and first table."""

    kinds: Kinds = field(default_factory=dict)
    """The classes of the program's record values, by type and version."""
    owns: Callable[[Opening], bool] = lambda opening: bool(opening.crew)
    """Whether a session belongs to the program, by the session's first record. By default, any session
    that the core started does."""
    lacks: Callable[[Table], Iterator[str]] = _no_lacks
    """Yields a line for each thing that the program needs and a table lacks."""
    faults: Callable[[Record, SeatedTable | None], Iterator[tuple[str, str]]] = _no_faults
    """Yields each breach of the program's own rules in a note, as what the rule expects and what was
    found."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """By the type of a record: what each such record adds to the number of exchanges that an archive
    states."""
    first_table: Callable[[], Table] | None = None
    """Returns the table of the program's sessions whose ledger has version 1, and so contains no table.
    None if the program has no such sessions."""


PLAIN: Final = Application()
REHEARSAL_OF_1: Final = (
    "version 1, which holds no table of files: a rehearsal of release 0.1.0, which `greenroom` and "
    "`orchestrator.Session` read"
)
"""The description of a ledger of version 1 for a program that does not know its table."""


def table_of(opened: Opening, application: Application) -> Table:
    """Return the table of the session whose first record this is.

    Raises:
        ConfigurationError: The record contains no table, or something in the table cannot be meant.
    """
    if opened.version == WITHOUT_TABLE and application.first_table is not None:
        return application.first_table()
    return Table.read(opened.table, _place)


def lacks_first_table(opened: Opening, application: Application) -> bool:
    """Return whether the session's ledger has version 1 and *application* does not know its table."""
    return opened.version == WITHOUT_TABLE and application.first_table is None


def _place(keys: Keys) -> str:
    named = ", ".join(key[:140] if key.isprintable() else ascii(key)[:60] for key in keys[:2])
    return f"the table in the first record{', ' if named else ''}{named}"
