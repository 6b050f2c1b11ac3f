"""The files that the panel's code writes or reads by name; a table that lacks one of them is refused.

The author of the table decides everything else: further files, orders, limits and seats.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from orchestrator.core.errors import ConfigurationError
from orchestrator.core.table import AGENT, HISTORY, MODERATOR, TRANSCRIPT, Mutability, Table
from orchestrator.panel.config.engine_names import RECORDED as RECORDED

# ---------------------------------------------------------------------- options
# What a session was started with, as its first record keeps it.


UNNAMED: Final = "Presenter"
"""The presenter's name if none was given."""


@dataclass(frozen=True, slots=True)
class Options:
    """A session's options, fixed at its start."""

    id: str
    presenter: str
    panel: tuple[str, ...]
    engine: str
    layout: str
    mode: str
    intensity: str
    minutes: int
    exchanges: int
    focus: tuple[str, ...] = ()
    date: str | None = None  # YYYY-MM-DD
    speaker: str | None = None  # --speaker: whose words are judged
    remember: bool = False
    tools: bool = False  # agents that a model speaks for are offered the tools of memory
    keep_source: bool = True
    language: str = "en"
    kind: str | None = None  # of deck, where the presenter said so
    called: str = ""  # what the panel calls the presenter, where `presenter` is an identity; "": by that


# ---------------------------------------------------------------------- needs


_W1, _WF = Mutability.WRITE_ONCE, Mutability.WRITE_FEW
_AO, _OV = Mutability.APPEND_ONLY, Mutability.OVERWRITE


@dataclass(frozen=True, slots=True)
class Need:
    """One file that the panel needs, with the class that the code relies on and the file's writers."""

    path: str
    mutability: Mutability
    writers: tuple[str, ...]
    flags: tuple[str, ...] = ()  # as table.yaml names them


NEEDS: Final = (
    Need("shared/session-config.md", _W1, ("start",), ("blueprint",)),
    Need("shared/deck-content.md", _W1, ("start",)),
    Need("shared/external-intel.md", _WF, ("start", "intel")),
    Need("shared/board-dossier.md", _W1, ("start",)),
    # Without `withheld` what is said off the record would be given to every agent.
    Need(TRANSCRIPT, _AO, ("transcript",), ("withheld",)),
    Need(HISTORY, _AO, (MODERATOR,)),
    Need("moderator/generated-phrases.md", _AO, (MODERATOR,)),
    Need("moderator/debrief-notes.md", _AO, (MODERATOR,)),
    Need("moderator/session-state.md", _OV, (MODERATOR,)),
    Need(f"{AGENT}/focus-brief.md", _W1, (AGENT,)),
    Need(f"{AGENT}/exchange-notes.md", _AO, (AGENT,)),
    Need(f"{AGENT}/presenter-profile.md", _AO, (AGENT,)),
    Need(f"{AGENT}/candidate-question.md", _OV, (AGENT,)),
)
COMPANIONS: Final = {
    MODERATOR: ("persona.md", "orchestration.md", "phrase-library.md"),
    AGENT: ("persona.md", "domain-knowledge.md"),
}
"""Maps the moderator, and any other agent, to the names of its templates that the code reads as data."""


def lacking(table: Table) -> Iterator[str]:
    """Yield a line for everything that the panel needs and that *table* lacks."""
    if table.agents != (MODERATOR,):
        yield f"`agents` is {', '.join(table.agents) or 'empty'}, and the panel has the {MODERATOR} alone"
    if not table.min_seats:
        yield "`seats` allows a panel of nobody: let `least` be 1 or more"
    for need in NEEDS:
        yield from _lacking_of(need, table)
    for agent, names in COMPANIONS.items():
        for name in names:
            if name not in table.companions(agent):
                yield f"the order of {agent} lacks templates/{agent}/{name}"


def _lacking_of(need: Need, table: Table) -> Iterator[str]:
    row = table.files.get(need.path)
    if row is None:
        yield f"{need.path} has no row ({need.mutability}, written by {', '.join(need.writers)})"
        return
    if row.mutability is not need.mutability:
        yield f"{need.path} is {row.mutability}, and the panel needs it {need.mutability}"
    for writer in need.writers:
        if writer not in row.writers:
            yield f"{need.path} is not written by {writer}"
    for flag in need.flags:
        if not row.plain().get(flag):
            yield f"{need.path} is not `{flag}: true`"


def check_needs(table: Table) -> None:
    """Refuse a table that lacks what the panel needs.

    Raises:
        ConfigurationError: Something is missing; the message names everything that is.
    """
    missing = list(lacking(table))
    if missing:
        raise ConfigurationError(
            f"the table {table.name} {table.version} lacks what the board panel needs: {'; '.join(missing)}: "
            "mend that in table.yaml of the home"
        )
