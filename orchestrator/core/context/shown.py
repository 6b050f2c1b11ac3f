"""What agents are shown of a file: all but the records that are withheld, whose place is kept."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Collection, Sequence

from orchestrator.core.privacy.off_record import blanked
from orchestrator.core.store.store import Store
from orchestrator.core.table import Mutability


def hidden_among(store: Store, paths: Collection[str], seq: int) -> tuple[int, ...]:
    """The records that nobody is shown, of those that these files were made of at record *seq*."""
    return tuple(
        sorted(
            number
            for number, path in store.hidden().items()
            if number <= seq and path in paths and number in _made_of(store, path, seq)
        )
    )


def shown_of(store: Store, path: str, content: str, hidden: Collection[int], seq: int = sys.maxsize) -> str:
    """A file's *content* at record *seq*, without the hidden records; it is as long as it was."""
    if not hidden:
        return content
    seqs = _made_of(store, path, seq)
    if not any(number in hidden for number in seqs):
        return content
    texts = ((number, store.record(number).text or "") for number in seqs)
    return "".join(blanked(text) if number in hidden else text for number, text in texts)


def shown_content(store: Store, path: str) -> str:
    """A file's content now, as an agent may read it."""
    with store.history.mutex:
        store.catch_up()
        return shown_of(store, path, store.content(path), store.hidden())


def _made_of(store: Store, path: str, seq: int) -> Sequence[int]:
    """The records whose texts, one behind the other, were a file's content at record *seq*."""
    state = store.state(path)
    seqs = state.seqs[: bisect_right(state.seqs, seq)]
    if state.row.mutability is Mutability.APPEND_ONLY or not seqs:
        return seqs
    return (store.record(seqs[-1]).same or seqs[-1],)
