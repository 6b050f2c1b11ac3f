"""The seam at which a second copy of a session's ledger is kept elsewhere, before a write is acknowledged.

A store without a replica knows nothing of it. With one, a transaction's bytes are appended and synced as
always, then given to the replica; only when it has kept them does anybody read or acknowledge them. If it
refuses, they are cut off again.

Source: cluster.md, "Parts" and "Promises".
"""

from __future__ import annotations

from typing import Protocol


class Replica(Protocol):
    """Where the second copy of one session's ledger is kept."""

    @property
    def size(self) -> int:
        """The bytes of the ledger that are kept. It grows in one step, before `keep` returns: an
        exception can come right behind that."""

    def keep(self, content: bytes, after: int) -> int:
        """Keep the bytes of one transaction as they stand in the ledger, and return the number of the copy.

        Called under the session's lock, by one thread at a time. If `size` has not grown after an exception,
        it is open whether the bytes were kept: the replica settles that before it keeps others.

        Args:
            content: Whole lines of the ledger, one transaction.
            after: The ledger's size in bytes before them. What stands between the last bytes that the
                replica has and these was written by another process.

        Raises:
            SupersededError: Another worker has the session.
            ReplicaAwayError: The replica did not answer in time.
            ReplicaBehindError: The replica has lost what it had kept.
        """

    def note_refusal(self) -> None:
        """Note that this machine's disk refused a write, so that the session may go on elsewhere; nothing
        of it was kept.

        Called as `keep` is; it must not wait.
        """
