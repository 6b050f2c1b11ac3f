"""Which of the facts that an engine proposes are kept: those that stand, may be kept, and are new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from orchestrator.memory.fact_grounding import grounded
from orchestrator.memory.fact_log import FactLog
from orchestrator.memory.facts import FactDraft, Passage, key_of

Alike = Callable[[str, Sequence[str]], bool]
"""Whether a fact says what one of those there says, in other words."""


class Sieved(NamedTuple):
    """What came of an engine's proposals."""

    kept: list[FactDraft]
    skipped: int  # were known
    refused: int  # do not stand on what was said, or are to stay in the session's transcript


def sieved(
    drafts: Sequence[FactDraft], passages: Sequence[Passage], log: FactLog, alike: Alike | None
) -> Sieved:
    """Look at each draft beside its passage and beside the facts of *log*.

    Args:
        alike: Tells paraphrases, of facts of one type; None: the words alone count.
    """
    by_seq = {passage.seq: passage for passage in passages}
    keys = set(log.keys)
    known = [(fact.type, fact.content) for fact in log.facts]
    kept: list[FactDraft] = []
    skipped = refused = 0
    for draft in drafts:
        passage = by_seq.get(draft.source)
        fact = grounded(draft, passage) if passage is not None else None
        if fact is None or log.stays(f"{fact.content}\n{fact.quote}"):
            refused += 1
        elif key_of(fact.content) in keys or (alike is not None and alike(fact.content, _of(fact, known))):
            skipped += 1
        else:
            kept.append(fact)
            keys.add(key_of(fact.content))
            known.append((fact.type, fact.content))
    return Sieved(kept, skipped, refused)


def _of(fact: FactDraft, known: Sequence[tuple[str, str]]) -> list[str]:
    return [content for type_, content in known if type_ == fact.type]
