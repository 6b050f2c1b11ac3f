"""The receipts of a session, found by their ids."""

from __future__ import annotations

from orchestrator.context.assemble import Assembler
from orchestrator.context.receipt import Receipt
from orchestrator.errors import ReceiptError
from orchestrator.store.store import Store


class Receipts:
    """An index that grows with the ledger; nothing is read before the first is looked for."""

    def __init__(self, store: Store, assembler: Assembler) -> None:
        self._store = store
        self._assembler = assembler
        self._seqs: dict[str, int] = {}
        self._upto = 0

    def one(self, receipt_id: str) -> Receipt:
        """A receipt by its id, also one that is not on disk yet.

        Raises:
            ReceiptError: There is none.
        """
        for waiting_id, value in self._store.waiting_receipts:
            if waiting_id == receipt_id:
                return self._assembler.whole(value)
        seq = self._found().get(receipt_id)
        if seq is None:
            name = self._store.root.name
            raise ReceiptError(f"there is no receipt {receipt_id!r} in {name}: see `greenroom show {name}`")
        return self._assembler.recorded(seq)

    def on_disk(self) -> list[Receipt]:
        """Every receipt on disk, in order."""
        return [self._assembler.recorded(seq) for seq in self._found().values()]

    def _found(self) -> dict[str, int]:
        store = self._store
        store.catch_up()
        for entry in store.entries():
            if entry.seq > self._upto and entry.op == "receipt":
                held = store.record(entry.seq).held
                receipt_id = held.fields.get("id") if held is not None else None
                if isinstance(receipt_id, str):
                    self._seqs.setdefault(receipt_id, entry.seq)
        self._upto = store.seq
        return self._seqs
