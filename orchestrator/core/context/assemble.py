"""An agent's context for one call: its files in order, as of one record of the ledger.

Preparing a context (blocks and receipt) costs the same however long the files are: sizes and
digests come from the ledger's records. The text is joined only when it is asked for.

Source: DESIGN.md, section 5; caching.md.
"""

from __future__ import annotations

import hashlib
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final

from orchestrator.core.context.frames import FRAMES_VERSION, Block, Held, Part, carried_block, escape
from orchestrator.core.context.messages import BYTES_PER_TOKEN, DEFAULT_LAYOUT, Messages, Tooling, messages_of
from orchestrator.core.context.receipt import RECEIPTS, Receipt, WholeReceipt, carried_facts, fitted, whole
from orchestrator.core.errors import LedgerCorruptError, ReceiptError, UsageError
from orchestrator.core.home.regular import read_regular
from orchestrator.core.privacy.off_record import blanked
from orchestrator.core.store import files
from orchestrator.core.store.ledger import ReceiptNote, Value
from orchestrator.core.store.store import Store
from orchestrator.core.table import Mutability, SeatedTable

# ---------------------------------------------------------------------- shown
# What agents are shown of a file: all but the records that are withheld, whose place is kept.


def hidden_among(store: Store, paths: Collection[str], seq: int) -> tuple[int, ...]:
    """Return the numbers of the hidden records among those of which the files *paths* consisted at record
    *seq*."""
    return tuple(
        sorted(
            number
            for number, path in store.hidden().items()
            if number <= seq and path in paths and number in _made_of(store, path, seq)
        )
    )


def shown_of(store: Store, path: str, content: str, hidden: Collection[int], seq: int = sys.maxsize) -> str:
    """Return a file's *content* at record *seq* with the texts of hidden records blanked, so that its
    length stays."""
    if not hidden:
        return content
    seqs = _made_of(store, path, seq)
    if not any(number in hidden for number in seqs):
        return content
    texts = ((number, store.record(number).text or "") for number in seqs)
    return "".join(blanked(text) if number in hidden else text for number, text in texts)


def shown_content(store: Store, path: str) -> str:
    """Return a file's current content, with hidden records blanked as an agent may read it."""
    with store.history.mutex:
        store.catch_up()
        return shown_of(store, path, store.content(path), store.hidden())


def _made_of(store: Store, path: str, seq: int) -> Sequence[int]:
    """Return the numbers of the records whose texts, joined in order, were a file's content at record
    *seq*."""
    state = store.state(path)
    seqs = state.seqs[: bisect_right(state.seqs, seq)]
    if state.row.mutability is Mutability.APPEND_ONLY or not seqs:
        return seqs
    return (store.record(seqs[-1]).same or seqs[-1],)


# ---------------------------------------------------------------------- assemble


DEFAULT_BUDGET_TOKENS: Final = 1_000_000
"""Maximum tokens of one context: the window of the largest models. A two-hour session takes some 60,000:
18,000 spoken words, the deck, the templates and the notes."""
BUDGET_STEP: Final = 0.1
"""Segments are left out in steps of this share of the budget, so that the text's beginning does not change
with every new segment. A smaller share would rewrite the cache more often; a larger one would leave out
more."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """The records of a context's append-only files, stored apart from their session."""

    by_path: Mapping[str, tuple[Part, ...]]

    def __call__(self, path: str, _seq: int) -> Sequence[Part]:
        return self.by_path[path]


@dataclass(frozen=True, slots=True)
class Context:
    """The files that one agent is given, in order, as of one record, and what it carries over from earlier
    sessions."""

    agent: str
    seq: int
    blocks: tuple[Block, ...]
    receipt: Receipt
    _parts_of: Callable[[str, int], Sequence[Part]] = field(repr=False, compare=False)
    carried: str = ""  # framed; "" where nothing is carried
    tooling: Tooling | None = field(default=None, repr=False, compare=False)  # None: no tools are offered

    def __copy__(self) -> Context:
        return self  # nothing in it changes

    def __deepcopy__(self, _memo: dict[int, Any]) -> Context:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling: leave out what belongs to the session in this process, add the records of the
        files.

        The definitions of tools are left out: an unpickled context offers none.
        """
        kept = [block.path for block in self.blocks if block.mutability == Mutability.APPEND_ONLY]
        parts = _Parts({path: tuple(self.parts_of(path)) for path in kept})
        return Context, (self.agent, self.seq, self.blocks, self.receipt, parts, self.carried)

    def parts_of(self, path: str) -> Sequence[Part]:
        """Return the records of an append-only session file that this context contains; the first is the
        blueprint."""
        return self._parts_of(path, self.seq)

    @property
    def text(self) -> str:
        """All files in order, each in its frame, then what the agent carries over from earlier sessions."""
        return "".join([part for block in self.blocks for part in block.parts()]) + self.carried

    @property
    def sha256(self) -> str:
        """The SHA-256 of the text, in hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def messages(self, layout: str | None = None) -> dict[str, Any]:
        """Return the files as `system` and `messages` for the Messages API, with their cache marks.

        Arguments and errors are those of `laid_out`.
        """
        return self.laid_out(layout).plain()

    def laid_out(self, layout: str | None = None) -> Messages:
        """Return the files as blocks of text for one request.

        Args:
            layout: "watermark" or "strict"; if None, the layout of the receipt, or "watermark" if it has
                none.

        Raises:
            UsageError: There is no such layout.
        """
        receipt = self.receipt
        return messages_of(
            fitted(self.blocks, receipt.kept),
            self.parts_of,
            layout or receipt.layout or DEFAULT_LAYOUT,
            left_out=receipt.left_out,
            carried=self.carried,
            extra=receipt.extra,
            purpose=receipt.purpose,
        )


class Assembler:
    """A builder of one session's contexts.

    It caches what it has read, so a call only costs what has changed.
    """

    def __init__(
        self,
        store: Store,
        templates: Mapping[str, str],
        *,
        budget_tokens: int = DEFAULT_BUDGET_TOKENS,
        carried: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare to assemble the contexts of the agents of *store*.

        Args:
            templates: The session's own copies of the templates, by path.
            carried: Each agent's carry-over from earlier sessions, by agent. It is bounded where it is made,
                so the budget need not shorten it.
        """
        self._store = store
        self._carried = {agent: carried_block(text) for agent, text in (carried or {}).items()}
        self._budget_bytes = budget_tokens * BYTES_PER_TOKEN
        self._held: dict[str, Held] = {}
        self._part_ends: dict[str, list[Part]] = {}  # by file, as far as its records were looked at
        self._fixed: dict[str, tuple[Held, int, str]] = {}
        for path, text in templates.items():
            raw = text.encode()
            held = Held(parts=[escape(text)])
            self._fixed[path] = (held, len(raw), hashlib.sha256(raw).hexdigest())

    def prepare(self, agent: str, *, purpose: str, engine: str, budget_bytes: int | None = None) -> Context:
        """Return the context of *agent* now, without reading files that have not changed.

        Args:
            budget_bytes: The budget of this context, if it is smaller than the assembler's.

        Raises:
            UsageError: *agent* has no seat.
        """
        with self._store.history.mutex:
            self._store.catch_up()
            return self._within(budget_bytes)._prepare(agent, purpose, engine, self._store.last)

    def _prepare(self, agent: str, purpose: str, engine: str, seq: int) -> Context:
        paths = self._store.layout.order(agent)
        sizes = {path: self._size(path) for path in paths}
        left_out = self._left_out(paths, sum(size for size, _ in sizes.values()))
        blocks = tuple(
            self._block(index, len(paths), path, sizes[path], left_out)
            for index, path in enumerate(paths, start=1)
        )
        hidden = hidden_among(self._store, paths, seq)
        receipt = self._receipt(agent, purpose, seq, engine, blocks, left_out, hidden)
        return Context(agent, seq, blocks, receipt, self.parts_of, self._carried.get(agent, ""))

    def _receipt(
        self,
        agent: str,
        purpose: str,
        seq: int,
        engine: str,
        blocks: Sequence[Block],
        left_out: int,
        hidden: tuple[int, ...],
    ) -> Receipt:
        files = tuple((block.path, block.size_bytes, block.sha256) for block in blocks)
        carried = carried_facts(self._carried.get(agent, ""))
        return Receipt(agent, purpose, seq, engine, files, left_out, carried=carried, off_record=hidden)

    def rebuild(self, receipt: Receipt) -> Context:
        """Rebuild the context of *receipt*, byte for byte.

        Raises:
            ReceiptError: A file differs from what the receipt says; the message names the file.
        """
        if receipt.frames_version != FRAMES_VERSION:
            raise ReceiptError(
                f"receipt {receipt.id}: its frames have version {receipt.frames_version}, and this release "
                f"knows {FRAMES_VERSION}: use a later release"
            )
        context = self.as_of(receipt.agent, receipt.seq, receipt)
        if len(receipt.files) != len(context.blocks):
            raise ReceiptError(
                f"receipt {receipt.id}: names {len(receipt.files)} files, but {receipt.agent} is given "
                f"{len(context.blocks)}: run `greenroom verify`"
            )
        for block, (path, size, sha256) in zip(context.blocks, receipt.files, strict=True):
            if (block.path, block.size_bytes, block.sha256) != (path, size, sha256):
                raise ReceiptError(
                    f"receipt {receipt.id}: {path} had {size} bytes with SHA-256 {sha256[:12]}…, but the "
                    f"ledger now gives {block.size_bytes} bytes with {block.sha256[:12]}…: "
                    "run `greenroom verify`"
                )
        if carried_facts(context.carried) != receipt.carried:
            raise ReceiptError(
                f"receipt {receipt.id}: what {receipt.agent} carried from earlier sessions is not what the "
                "session's first record holds: run `greenroom verify`"
            )
        return context

    def receipt(self, receipt_id: str) -> Receipt:
        """Return a receipt by its id, also one that is not on the disk yet.

        Raises:
            ReceiptError: There is no such receipt, or it is not in a known format.
        """
        found = self._store.receipt(receipt_id)
        return self._of(self._recorded(found) if isinstance(found, int) else found, receipt_id)

    def receipts(self) -> list[Receipt]:
        """Return every receipt on the disk, in the order of the ledger.

        Raises:
            ReceiptError: A receipt is not in a known format.
        """
        return [self._of(self._recorded(seq), one) for one, seq in self._store.receipts_on_disk().items()]

    def _recorded(self, seq: int) -> Value | None:
        """Return the value of record *seq*, which contains receipts, or None if it has no value."""
        held = self._store.record(seq).held
        try:
            return held.among(RECEIPTS) if held is not None else None
        except ValueError as error:
            raise ReceiptError(f"record {seq}: {error}: run `greenroom verify`") from error

    def _of(self, value: Value | None, receipt_id: str) -> Receipt:
        """Return the receipt with this id, completed by what follows from the ledger before it.

        Raises:
            ReceiptError: The release does not know the receipt's format, or the receipt does not fit the
                ledger.
        """
        if isinstance(value, WholeReceipt):
            return value.receipt
        if not isinstance(value, ReceiptNote):
            raise ReceiptError(f"receipt {receipt_id} was written by a later release: use that one")
        agent = next(agent for agent, one in value.ids.items() if one == receipt_id)
        try:
            paths = self._store.layout.order(agent)
        except UsageError as error:
            raise ReceiptError(f"receipt {receipt_id}: {error}: run `greenroom verify`") from error
        files = tuple((path, *self._size_at(path, value.seq)) for path in paths)
        carried = carried_facts(self._carried.get(agent, ""))
        hidden = hidden_among(self._store, paths, value.seq)
        receipt = whole(value, agent, files, carried, hidden, self._store.record)
        if receipt.id != receipt_id:
            raise ReceiptError(
                f"receipt {receipt_id}: what {agent} was given as of record {value.seq} is not what the "
                f"ledger now gives ({receipt.id}): run `greenroom verify`"
            )
        return receipt

    def as_of(self, agent: str, seq: int, receipt: Receipt | None = None) -> Context:
        """Return the context that *agent* would have had when record *seq* was the last one.

        Raises:
            UsageError: *agent* has no seat.
            ReceiptError: There is no record *seq*.
        """
        paths = self._store.layout.order(agent)
        with self._store.history.mutex:
            self._store.catch_up()
            last = self._store.last
            if not 1 <= seq <= last:
                raise ReceiptError(f"there is no record {seq}: this session has 1 to {last}")
            return self._within()._as_of(agent, seq, paths, receipt)

    def _as_of(self, agent: str, seq: int, paths: Sequence[str], receipt: Receipt | None) -> Context:
        contents = {path: self._store.content(path, at_seq=seq) for path in paths if path not in self._fixed}
        total = sum(len(text.encode()) for text in contents.values())
        total += sum(self._fixed[path][1] for path in paths if path in self._fixed)
        left_out = receipt.left_out if receipt is not None else self._left_out(paths, total, seq)
        hidden = receipt.off_record if receipt else hidden_among(self._store, paths, seq)
        unseen = frozenset(hidden)
        blocks = []
        for index, path in enumerate(paths, start=1):
            fixed = self._fixed.get(path)
            if fixed is not None:
                held, size, sha256 = fixed
            else:
                raw = contents[path].encode()
                size, sha256 = len(raw), hashlib.sha256(raw).hexdigest()
                shown = shown_of(self._store, path, contents[path], unseen, seq)
                if left_out and path in self._store.layout.streams:
                    shown = self._shortened(shown, left_out, seq)
                held = Held()
                held.add(escape(shown))
            blocks.append(self._framed(index, len(paths), path, (size, sha256), held))
        receipt = receipt or self._receipt(agent, "as-of", seq, "none", blocks, left_out, hidden)
        return Context(agent, seq, tuple(blocks), receipt, self.parts_of, self._carried.get(agent, ""))

    # ------------------------------------------------------------------ parts

    def _within(self, budget_bytes: int | None = None) -> Assembler:
        """Return this assembler, or a copy if the budget is smaller or a transaction has records.

        The copy made in a transaction forgets what it reads, since the records may never be written.
        """
        is_less = budget_bytes is not None and budget_bytes < self._budget_bytes
        if not self._store.history.pending and not is_less:
            return self
        other = copy(self)
        if is_less and budget_bytes is not None:
            other._budget_bytes = max(1, budget_bytes)
        if self._store.history.pending:
            other._held, other._part_ends = {}, {}
        return other

    def _size(self, path: str) -> tuple[int, str]:
        fixed = self._fixed.get(path)
        if fixed is not None:
            return fixed[1], fixed[2]
        state = self._store.state(path)
        return state.size_bytes, state.sha256 or ""  # which `state` has filled

    def _size_at(self, path: str, seq: int) -> tuple[int, str]:
        """Return the size in bytes and the SHA-256 of a file as of record *seq*."""
        fixed = self._fixed.get(path)
        if fixed is not None:
            return fixed[1], fixed[2]
        return self._store.size_at(path, seq)

    def _block(self, index: int, count: int, path: str, size: tuple[int, str], left_out: int) -> Block:
        if path in self._fixed:
            held = self._fixed[path][0]
        elif left_out and path in self._store.layout.streams:
            held = Held()
            whole = shown_of(self._store, path, self._store.content(path), self._store.hidden())
            held.add(escape(self._shortened(whole, left_out, None)))
        else:
            held = self._caught_up(path)
        return self._framed(index, count, path, size, held)

    def _framed(self, index: int, count: int, path: str, size: tuple[int, str], held: Held) -> Block:
        row = self._store.layout.files.get(path)
        kind = Mutability.IMMUTABLE if row is None else row.mutability
        stream, marks = (False, False) if row is None else (row.stream, row.marks)
        parts = held.parts
        return Block(index, count, path, kind.value, *size, parts, len(parts), stream, marks, held.cuts)

    def _caught_up(self, path: str) -> Held:
        """Return the cached text of *path* in this process, brought up to date with the ledger."""
        state = self._store.state(path)
        held = self._held.get(path)
        count = len(state.seqs)
        if held is not None and held.records == count:
            return held
        self._held.pop(path, None)  # put back once it is whole
        # Only an append-only file grows at its end; of the others each record is the whole.
        if held is None or held.records > count or state.row.mutability is not Mutability.APPEND_ONLY:
            held = Held()
            if count:
                whole = shown_of(self._store, path, self._store.content(path), self._store.hidden())
                held.add(escape(whole))
        else:
            hidden = self._store.hidden()
            for seq, text in zip(
                state.seqs[held.records :], self._store.texts(path, held.records), strict=True
            ):
                held.add(escape(blanked(text) if seq in hidden else text))
        held.records = count
        self._held[path] = held
        return held

    def _left_out(self, paths: Sequence[str], total_bytes: int, seq: int | None = None) -> int:
        """Return how many of the stream's oldest segments must be left out for a context of *paths* to fit
        its budget."""
        over = total_bytes - self._budget_bytes
        if over <= 0 or not any(path in paths for path in self._store.layout.streams):
            return 0
        # Whole steps: with a cut that moved at every segment no cached prefix would ever be read.
        step = max(1, int(self._budget_bytes * BUDGET_STEP))
        wanted = -(-over // step) * step
        ends = self._segment_ends(seq)
        if not ends:
            return 0
        # The last segment stays, whatever the budget.
        return min(bisect_left(ends, ends[0] + wanted), len(ends) - 1)

    def _shortened(self, shown: str, left_out: int, seq: int | None) -> str:
        """Return the stream without its *left_out* oldest segments, and with a line that says so."""
        ends = self._segment_ends(seq)
        if not 0 < left_out < len(ends):
            raise ReceiptError(
                f"the receipt leaves out {left_out} of {len(ends) - 1} entries, which cannot be: "
                "run `greenroom verify`"
            )
        raw = shown.encode()
        noun, verb = ("entry", "is") if left_out == 1 else ("entries", "are")
        note = f"[The oldest {left_out} {noun} of this file {verb} left out here"
        why = "to keep within the token budget.]\n"
        return f"{raw[: ends[0]].decode()}{note} {why}{raw[ends[left_out] :].decode()}"

    def _segment_ends(self, seq: int | None) -> Sequence[int]:
        """Return the positions, in bytes, at which the stream's blueprint and then each of its appends
        end."""
        last = seq if seq is not None else self._store.last
        return [entry.end for path in self._store.layout.streams for entry in self.parts_of(path, last)]

    def parts_of(self, path: str, seq: int) -> Sequence[Part]:
        """Return the parts of an append-only file, one for each record up to record *seq*."""
        with self._store.history.mutex:
            if seq > self._store.last:
                self._store.catch_up()
            known = [] if self._store.history.pending else self._part_ends.setdefault(path, [])
            seqs = self._store.state(path).seqs
            for number in seqs[len(known) :]:
                record = self._store.record(number)
                known.append(Part(number, record.clock_s, record.size_bytes or 0))
            return known[: bisect_right(seqs, seq)]


def read_templates(store: Store, layout: SeatedTable) -> dict[str, str]:
    """Return the texts of the templates with which this session was started, from the session's own copies.

    Raises:
        LedgerCorruptError: A copy is missing or differs from its recorded digest.
    """
    texts = {}
    for path in layout.templates:
        copy = store.root / "ledger" / path
        try:
            raw = read_regular(copy)
        except OSError as error:
            why = "is missing: restore it"
            if error.errno in files.MACHINE_FAULTS:
                why = f"cannot be read ({files.reason(error)}): check the disk, then try again"
            raise LedgerCorruptError(f"{copy}: this session's copy of a template {why}") from error
        if hashlib.sha256(raw).hexdigest() != store.opening.templates.get(path):
            raise LedgerCorruptError(
                f"{copy}: this session's copy of a template was changed after the start: restore it"
            )
        texts[path] = raw.decode()
    return texts
