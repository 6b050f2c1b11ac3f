"""Whether a receipt names what its agent really had: every file as of its record, and its own id."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from orchestrator.context.assemble import Receipt, carried_facts, receipt_of
from orchestrator.context.frames import FRAMES_VERSION, carried_block
from orchestrator.errors import UsageError
from orchestrator.layout import Layout
from orchestrator.store.ledger import Record
from orchestrator.store.opening import Opening
from orchestrator.store.store import LEDGER_NAME
from orchestrator.verify.finding import Report, facts, shown
from orchestrator.verify.replay import EMPTY_SHA256, Replay


def check_receipt(
    record: Record,
    replay: Replay,
    templates: Mapping[str, str],
    opened: Opening | None,
    lost: list[int],
    report: Report,
) -> list[tuple[str, int]]:
    """Compare a receipt with the replay of the records before it; *lost* ones leave room for doubt.

    *opened* is the first record, which holds what every agent carries; None where it is lost.

    Returns the sizes that it gives to templates: the ledger knows only their digests.
    """
    value = record.value or {}

    def wrong(expected: str, found: str) -> None:
        report.add(LEDGER_NAME, "receipt", f"record {record.seq}: {expected}", found)

    try:
        receipt = receipt_of(value)
        sound = _is_sound(receipt, record.seq)
        own_id = receipt.id  # computing it fails on values that are no JSON
    except (KeyError, TypeError, ValueError, AttributeError):
        sound = False
        own_id = ""
    if not sound:
        wrong("a receipt of a record before it", "it is not in that format")
        return []
    if value.get("id") != own_id:
        wrong(own_id, shown(str(value.get("id"))[:40]))
    agent = shown(receipt.agent[:40])
    # A later release may order an agent's files in another way.
    if receipt.frames_version == FRAMES_VERSION and not _in_order(receipt, replay.layout):
        wrong(f"the files of {agent}, in order", "others")
    if opened is not None and receipt.carried != _carried(opened, receipt.agent):
        found = "something else" if receipt.carried else "nothing"
        wrong(f"what {agent} carries by the first record", found)
    sizes = []
    for path, size, sha256 in receipt.files:
        if path.startswith("templates/"):
            if templates and templates.get(path) != sha256:
                wrong(f"{shown(path)} as at the start", facts(size, sha256))
            sizes.append((path, size))
            continue
        history = replay.files.get(path)
        state = history.as_of(receipt.seq) if history is not None else None
        expected = (state.size_bytes, state.sha256) if state is not None else (0, EMPTY_SHA256)
        first = state.seq if state is not None else 0
        # A record between the file's last known state and the receipt that could not be read may have been a
        # write: then nothing is said.
        if expected != (size, sha256) and bisect_right(lost, first) == bisect_right(lost, receipt.seq):
            wrong(f"{shown(path)} with {facts(*expected)} as of record {receipt.seq}", facts(size, sha256))
    return sizes


def _carried(opened: Opening, agent: str) -> tuple[int, str] | None:
    return carried_facts(carried_block(opened.carried.texts.get(agent, "")))


def _is_sound(receipt: Receipt, seq: int) -> bool:
    """Whether its parts are of the right types, and it stands behind the record that it is as of."""
    return (
        isinstance(receipt.agent, str)
        and isinstance(receipt.seq, int)
        and 1 <= receipt.seq < seq
        and all(
            isinstance(path, str) and isinstance(size, int) and isinstance(sha256, str)
            for path, size, sha256 in receipt.files
        )
    )


def _in_order(receipt: Receipt, layout: Layout) -> bool:
    try:
        return tuple(path for path, _, _ in receipt.files) == layout.order(receipt.agent)
    except UsageError:
        return False
