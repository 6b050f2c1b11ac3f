"""The command `summarise`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Name, opened

if TYPE_CHECKING:
    from orchestrator.panel.model.fact import Fact


WAIT_S = 60.0
"""Seconds that the command waits for a run that another process makes: the deadline of one call for facts
(`engines/model/settings.py`)."""


def summarise(session: Name) -> None:
    """Keep the facts that were said in so many words.

    What is new since the last run is read. Of a session that has ended nothing is new: all its
    facts are shown.
    """
    from dataclasses import asdict

    from orchestrator.core.errors import SessionStateError
    from orchestrator.memory.facts import FOLDER, INDEX
    from orchestrator.memory.summariser import Summary

    with opened(session) as found:
        summariser = found.watch.summariser
        if found.state == "ended":
            done = Summary(tuple(summariser.facts.facts))
        else:
            run = summariser.run("by hand", wait_s=WAIT_S)
            if run is None:
                raise SessionStateError(
                    f"{found.id}: another process has been summarising for {WAIT_S:.0f} s: try again later"
                )
            done = run
        known = len(summariser.facts.facts)
        plain: dict[str, Any] = {
            "facts": [asdict(fact) for fact in done.facts],
            "skipped": done.skipped,
            "refused": done.refused,
            "known": known,
            "read_to": summariser.facts.read_seq,
            "index": str(found.path / FOLDER / INDEX),
        }
        Screen.current.result(plain, "\n".join(_lines(done.facts, plain)))


def _lines(facts: tuple[Fact, ...], plain: dict[str, Any]) -> list[str]:
    from orchestrator.core.legible import counted
    from orchestrator.panel.render import place

    lines = [
        f"{fact.type:15} {fact.confidence:7} {fact.content}\n"
        f'{"":24}"{fact.quote}" (record {fact.source}, {place(fact.slide, fact.said_at_s)})'
        for fact in facts
    ]
    counts = ", ".join(f"{count} {name}" for name, count in sorted(Counter(f.type for f in facts).items()))
    new = f"{counted(len(facts), 'fact')} ({counts})" if facts else "nothing new"
    lines.append(
        f"{new}; {plain['skipped']} known already, {plain['refused']} refused; "
        f"{plain['known']} in all, in {plain['index']}"
    )
    return lines
