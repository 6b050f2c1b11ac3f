"""A context as message blocks for the Messages API, in the two layouts, with their cache marks.

Both layouts contain the bytes of one context and are a pure function of the ledger up to the context's
record. The transcript is cut at records, by the session clock and at the ends of exchanges, and a cut never
moves later. So a restarted process sends what the one before it would have sent.

``strict`` keeps the files in their order. ``watermark`` moves one thing: the part of the transcript since the
watermark comes after the files that change less often.

Source: caching.md, "The two layouts".
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, Final, Protocol

from orchestrator.core.context.frames import (
    NOTHING_SETTLED,
    Block,
    Cuts,
    Part,
    Settled,
    escape,
    footer,
    header,
    unescape,
)
from orchestrator.core.errors import UsageError
from orchestrator.core.store.ledger import Value
from orchestrator.core.table import Mutability

# ---------------------------------------------------------------------- tooling
# Tools that a model may use while it is asked: as much of them as an engine sees.
#
# The tools themselves stand in `memory/`, which comes later in the order of the package.


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of one use of a tool: one line of JSON, which may be an error on which a model can act."""

    text: str
    is_error: bool = False


class ToolUses(Protocol):
    """The tools offered in one call. Nothing of the session changes before the call is closed."""

    def use(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool.

        It may take long, and never raises for a mistake of the model or an error of the disk.
        """

    def refuse(self, name: str, arguments: Mapping[str, Any], why: str) -> ToolResult:
        """Refuse to run a tool, and say why to the model."""

    def close(self, *, counts: bool) -> None:
        """End the call; what its tools wrote is kept only if *counts* is true."""


class Tooling(Protocol):
    """The tools of one session. Safe to use from several threads."""

    @property
    def definitions(self) -> Sequence[Mapping[str, Any]]:
        """The definitions for the Messages API. Their bytes never change, since they begin what is cached."""

    def begin(self, agent: str, task: str, receipt: str) -> ToolUses:
        """Return the tools for one call of *agent*; *receipt* is the id of the receipt of the context that
        it was sent."""

    def take(self) -> list[tuple[str, Value]]:
        """Return the records that ended calls left, in order, as pairs of writer and value; each only
        once."""


# ---------------------------------------------------------------------- messages


DEFAULT_LAYOUT: Final = "watermark"
LAYOUTS: Final = (DEFAULT_LAYOUT, "strict")

CHUNK_S: Final = 15.0
"""Seconds of session clock in one block of the transcript in the strict layout: the refresh interval."""
MAX_TAIL_S: Final = 120.0
"""Seconds of session clock after which the watermark moves, if no exchange has moved it before.

Of 90, 120, 150, 180, 240 and 300 this is the cheapest value for the rehearsal of `scripts/bench caching`:
since the character files are short, a call pays mainly for the tail. Receipts contain their own offsets, so
the value may change.
"""
MAX_MARKS: Final = 4
"""Maximum number of blocks that a request may mark for caching (caching.md, "Rules of the service")."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """One text block; if it is `marked`, the service is asked to cache everything up to its end."""

    text: str
    marked: bool = False

    def plain(self) -> dict[str, Any]:
        """Return the block in the form that the API takes."""
        block: dict[str, Any] = {"type": "text", "text": self.text}
        if self.marked:
            block["cache_control"] = {"type": "ephemeral"}
        return block


@dataclass(frozen=True, slots=True)
class Messages:
    """The messages of one call: the system prompt and one user turn."""

    layout: str
    system: tuple[TextBlock, ...]
    user: tuple[TextBlock, ...]

    def plain(self) -> dict[str, Any]:
        """Return `system` and `messages` in the form that the API takes."""
        return {
            "system": [block.plain() for block in self.system],
            "messages": [{"role": "user", "content": [block.plain() for block in self.user]}],
        }


@dataclass(frozen=True, slots=True)
class _Files:
    """The session files of one context, and the parts in which the append-only ones were written."""

    before: Sequence[Block]  # up to the stream; all of them where there is none
    stream: Block | None  # what a token budget shortens: the transcript
    after: Sequence[Block]
    parts_of: Callable[[str], Sequence[Part]]
    left_out: int  # oldest transcript entries that the token budget left no room for


def messages_of(
    blocks: Sequence[Block],
    parts_of: Callable[[str], Sequence[Part]],
    layout: str,
    *,
    left_out: int = 0,
    carried: str = "",
    extra: Sequence[str] = (),
    purpose: str = "",
) -> Messages:
    """Return a context's files as text blocks; none is empty, and at most `MAX_MARKS` are marked.

    Args:
        blocks: The context's files in their order.
        parts_of: Returns the records of an append-only file by its path, the blueprint first.
        layout: One of LAYOUTS.
        left_out: How many of the transcript's oldest entries are not in its block.
        carried: The carry-over from earlier sessions; it comes after the fixed files.
        extra: The texts of the blocks that are not files. The last one is the task, which is also the last
            block. A text before it says how all of the agent's tasks are done; it comes with the templates,
            so that it is cached with them.
        purpose: The purpose that the receipt names. Between some calls the transcript does not grow, and the
            strict layout then marks what comes after the transcript, too.

    Raises:
        UsageError: There is no such layout.
    """
    if layout not in LAYOUTS:
        raise UsageError(f"layout {layout!r}: use {' or '.join(LAYOUTS)}")
    *guides, task = extra or ("",)
    system = tuple(TextBlock(text) for text in (*(one.text for one in blocks if _is_template(one)), *guides))
    rest = [block for block in blocks if not _is_template(block)]
    at = next((number for number, block in enumerate(rest) if block.stream), len(rest))
    stream = rest[at] if at < len(rest) else None
    files = _Files(rest[:at], stream, rest[at + 1 :], parts_of, left_out)
    moving: Iterator[TextBlock] = iter(())
    if stream is not None:
        moving = _strict(files, stream, purpose) if layout == "strict" else _watermark(files, stream)
    user = [*_fixed(files, carried), *moving]
    return Messages(layout, system, (*user, *([TextBlock(task)] if task else [])))


def watermarks(blocks: Sequence[Block], parts_of: Callable[[str], Sequence[Part]]) -> tuple[int, ...]:
    """Return the offsets, in bytes of the stream (the transcript), at which each step of the watermark
    layout ends."""
    entries = [entry for block in blocks if block.stream for entry in parts_of(block.path)]
    marks = [entry for block in blocks if block.marks for entry in parts_of(block.path)]
    return tuple(entries[count - 1].end for count in _steps(entries, marks))


def _is_template(block: Block) -> bool:
    return block.mutability == Mutability.IMMUTABLE.value


def _fixed(files: _Files, carried: str) -> Iterator[TextBlock]:
    """Yield the blocks that never or seldom change; the last of them is marked."""
    for block in files.before:
        yield TextBlock(block.text, marked=block is files.before[-1] and not carried)
    if carried:
        yield TextBlock(carried, marked=True)


# ---------------------------------------------------------------------- strict


def _strict(files: _Files, block: Block, purpose: str) -> Iterator[TextBlock]:
    entries = files.parts_of(block.path)
    settled, last = _cut(files, block, entries, (), ("strict",), _chunks)
    texts, blank = _headed(block, _filled([*settled, "".join(last)]), marks=2)
    yield from texts
    end = blank + footer(block.index, block.count, block.path)
    # Without what moves the watermark, the exchange history: it is not the agent's own.
    grown = [after for after in files.after if after.mutability == Mutability.APPEND_ONLY.value]
    own = [after.path for after in grown if not after.marks]
    marked = own[:1] if _stands_still(files, entries, own, purpose) else []
    for after in files.after:
        yield TextBlock(end + after.text, marked=after.path in marked)
        end = ""
    if end:
        yield TextBlock(end)


def _stands_still(files: _Files, said: Sequence[Part], own: Sequence[str], purpose: str) -> bool:
    """Return whether the agent's call before or after this one shares the text that comes after the
    transcript.

    An agent's notes follow its judgement at once, and its next question often its observation. At any other
    call a mark there would be paid for and never read, which is dearer than no mark.
    """
    if purpose != "candidate-question":
        return purpose in ("judgement", "notes", "observation")
    last_said = said[-1].seq if said else 0
    return any(len(parts) > 1 and parts[-1].seq > last_said for parts in map(files.parts_of, own))


def _chunks(entries: Sequence[Part], _marks: Sequence[Part], known: Settled) -> list[int]:
    """Return the number of the transcript's entries before each chunk's end, except for the last chunk.

    The blueprint begins the first chunk. *known* contains the ends that an earlier call found.
    """
    ends = list(known.ends)
    for count in range(max(2, known.records + 1), len(entries) + 1):
        if _window(entries[count - 1]) != _window(entries[count - 2]):
            ends.append(count - 1)
    return ends


def _window(entry: Part) -> int:
    return int(entry.clock_s // CHUNK_S)


# ---------------------------------------------------------------------- watermark


def _watermark(files: _Files, block: Block) -> Iterator[TextBlock]:
    entries = files.parts_of(block.path)
    moving = [other for other in (*files.before, *files.after) if other.marks]
    marks = [one for other in moving for one in files.parts_of(other.path)]
    # Of two files that move it the records do not stand in one order: there nothing is settled.
    kept_as = ("watermark", *(other.path for other in moving)) if len(moving) <= 1 else ()
    settled, tail = _cut(files, block, entries, marks, kept_as, _steps)
    texts, blank = _headed(block, _filled(settled))
    yield from texts
    name = f"file {block.index} of {block.count}"
    pause = f"{blank}^^^ {name} goes on further below: {block.path}\n"
    lasting = [after for after in files.after if after.mutability != Mutability.OVERWRITE.value]
    for after in lasting:
        if after.marks:
            yield from _history(files, after, pause)
        else:
            yield TextBlock(pause + after.text, marked=after is lasting[-1])
        pause = ""
    resumed = f"{pause}^^^ {name} goes on here: {block.path}, what was said since\n"
    end = footer(block.index, block.count, block.path)
    yield TextBlock("".join([resumed, *tail, end]))  # once: without a clock all that was said stands here
    for after in files.after:
        if after.mutability == Mutability.OVERWRITE.value:
            yield TextBlock(after.text)


def _steps(entries: Sequence[Part], exchanges: Sequence[Part], known: Settled = NOTHING_SETTLED) -> list[int]:
    """Return the number of the transcript's entries before each step's end; the first step is the blueprint.

    A step ends where an exchange ended, and where the speech since then lasts `MAX_TAIL_S`. *known* contains
    the ends that an earlier call found.
    """
    closed = [entry.seq for entry in exchanges[1:]]
    steps = list(known.ends) or ([1] if entries else [])
    for position in range(max(1, known.records), len(entries)):
        start = steps[-1]
        seq_before, seq = entries[position - 1].seq, entries[position].seq
        ended = bisect_right(closed, seq) > bisect_right(closed, seq_before)
        is_long = position > start and entries[position].clock_s - entries[start].clock_s > MAX_TAIL_S
        if position > start and (ended or is_long):
            steps.append(position)
    if entries and closed and closed[-1] > entries[-1].seq and steps[-1] < len(entries):
        steps.append(len(entries))
    return steps


def _history(files: _Files, block: Block, pause: str) -> Iterator[TextBlock]:
    """Yield the blocks of the exchange history: its beginning, then one for each exchange, the last one
    marked."""
    entries = files.parts_of(block.path)
    settled, _ = _cut(files, block, entries, (), ("each",), _each)
    texts, blank = _headed(block, settled or [""], pause)
    yield from texts
    yield TextBlock(blank + footer(block.index, block.count, block.path))


def _each(entries: Sequence[Part], _marks: Sequence[Part], _known: Settled) -> list[int]:
    return list(range(1, len(entries) + 1))


def _filled(pieces: Sequence[str]) -> list[str]:
    """Return the pieces that are not empty, or one empty piece if all are."""
    return [piece for piece in pieces if piece] or [""]


def _headed(
    block: Block, pieces: Sequence[str], before: str = "", *, marks: int = 1
) -> tuple[list[TextBlock], str]:
    """Return the file's header and pieces as blocks, the last *marks* of them marked, and the white space
    left over.

    The service refuses a block that is only white space. So white space is put in front of the next block,
    and the blocks before it stay as they were sent.
    """
    kept: list[str] = []
    blank = before + header(block.index, block.count, block.path, block.mutability)
    for piece in pieces:
        blank += piece
        if blank and not blank.isspace():
            kept.append(blank)
            blank = ""
    return [TextBlock(text, number >= len(kept) - marks) for number, text in enumerate(kept)], blank


def _cut(
    files: _Files,
    block: Block,
    entries: Sequence[Part],
    marks: Sequence[Part],
    kept_as: tuple[str, ...],
    ends_of: Callable[[Sequence[Part], Sequence[Part], Settled], list[int]],
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the escaped text of an append-only file: its settled pieces, and the parts of the text after
    them.

    The pieces are cached for the next call, since only the end of the file grows; cutting a long transcript
    again took most of a call's time.

    Args:
        marks: The records that move the watermark.
        kept_as: The key under which the pieces are cached. If it is empty, they are not cached.
        ends_of: Returns the number of entries after which each piece ends. With more records, its result only
            grows at the end.
    """
    if files.left_out and block.stream:
        ends = ends_of(entries, marks, NOTHING_SETTLED)
        pieces = _pieces(files, block, [*ends, len(entries)])
        return pieces[: len(ends)], pieces[len(ends) :]
    if not entries:
        return [], []
    kept = block.cuts if block.cuts is not None and kept_as else Cuts()
    known = kept.get(kept_as, NOTHING_SETTLED)
    if known.records > len(entries) or known.marks > len(marks):  # they are of a later context
        known = NOTHING_SETTLED
    ends = ends_of(entries, marks, known)
    start = entries[known.ends[-1] - 1].end if known.ends else 0
    new_ends = [entries[count - 1].end for count in ends[len(known.ends) :]]
    new, last = _slices(block.after(known.chars), start, new_ends)
    texts, chars = (*known.texts, *new), known.chars + sum(map(len, new))
    kept[kept_as] = Settled(tuple(ends), texts, chars, len(entries), len(marks))
    return texts, last


def _slices(parts: list[str], start: int, ends: Sequence[int]) -> tuple[list[str], list[str]]:
    """Cut *parts*, the end of a file from byte *start* on, at the offsets *ends* of the file; return
    pieces and rest."""
    if not ends:
        return [], parts
    # Records know bytes of the file as it is on disk, and escaping has moved them.
    escaped = "".join(parts)
    raw = unescape(escaped).encode()
    pieces = [escape(raw[at - start : end - start].decode()) for at, end in pairwise([start, *ends])]
    return pieces, [escaped[sum(map(len, pieces)) :]]


def _pieces(files: _Files, block: Block, counts: Sequence[int]) -> list[str]:
    """Return the escaped text of a shortened stream, cut after each of these *counts* of its entries.

    Entries that the token budget left out are in no piece, so some pieces may be empty; the note that says so
    stays in its place.
    """
    entries = files.parts_of(block.path)
    raw = unescape(block.inner).encode()
    resumes = entries[files.left_out].end
    gone = entries[-1].end - len(raw)
    pieces, start = [], 0
    for count in counts:
        end = entries[count - 1].end
        if count > 1:
            end = max(end, resumes) - gone
        pieces.append(escape(raw[start:end].decode()))
        start = end
    return pieces


# ---------------------------------------------------------------------- meter
# The meter: how much of a call is read from the service's prompt cache, written to it, or paid in full.
#
# The published rules, applied to the blocks that are really sent: so the bill of a rehearsal can be
# computed without the service, and what the service reports be held against it.
#
# Source: caching.md, "Rules of the service" (read 2026-11-21).


BYTES_PER_TOKEN: Final = 4
"""An estimate of the bytes in a token of English text; the service counts for itself and reports its
count."""
LOOKBACK: Final = 20
"""Number of positions before a mark, the mark itself included, at which the service looks for an earlier
entry."""
LIFETIME_S: Final = 300.0
"""Seconds for which a cache entry lives after the start of the request that last wrote or read it."""
# The meter gives one figure for all models, so the newest ones' cheaper reads are not in it (`prices.yaml`
# has each).
WRITE_PRICE: Final = 1.25
READ_PRICE: Final = 0.10
"""Price of a cached token relative to plain input, for entries that live five minutes."""


@dataclass(frozen=True, slots=True)
class InputUsage:
    """The input tokens of one call, or the sum of several calls."""

    read: int = 0  # taken from the cache
    written: int = 0  # put into it
    new: int = 0  # neither: paid in full each time

    @property
    def total(self) -> int:
        """The number of all tokens that were sent."""
        return self.read + self.written + self.new

    @property
    def cost(self) -> float:
        """The cost of the input, in plain input tokens."""
        return READ_PRICE * self.read + WRITE_PRICE * self.written + self.new

    def __add__(self, other: InputUsage) -> InputUsage:
        return InputUsage(self.read + other.read, self.written + other.written, self.new + other.new)


@dataclass(slots=True)
class CacheMeter:
    """A model of the prompt cache of one service, by the rules that the service publishes."""

    minimum_tokens: int = 1024
    """The length in tokens of the shortest prefix that is cached: 512 to 4096, by model. The templates of
    a panelist have some 3,700."""
    expires_s: dict[str, float] = field(default_factory=dict)  # by what stands up to a mark

    def call(self, at_s: float, messages: Messages, *, settings: str = "") -> InputUsage:
        """Count one call that starts at *at_s*, in seconds of a clock that does not run backwards.

        Args:
            settings: Everything that breaks the cache when it differs: the model, the tools, the output
                schema.
        """
        blocks = (*messages.system, *messages.user)
        ends = list(accumulate(tokens_of(block.text) for block in blocks))
        names = _names(blocks, settings)
        marks = [place for place, block in enumerate(blocks) if block.marked]
        found = max((self._found(at_s, names, mark) for mark in marks), default=-1)
        read = ends[found] if found >= 0 else 0
        # A prefix below the minimum is silently not kept, so nothing is written up to such a mark.
        last = max((mark for mark in marks if ends[mark] >= self.minimum_tokens), default=-1)
        written = max(0, ends[last] - read) if last >= 0 else 0
        for mark in marks:
            if ends[mark] >= self.minimum_tokens:
                self.expires_s[names[mark]] = at_s + LIFETIME_S
        if found >= 0:
            self.expires_s[names[found]] = at_s + LIFETIME_S  # each use renews an entry
        return InputUsage(read, written, ends[-1] - read - written)

    def _found(self, at_s: float, names: Sequence[str], mark: int) -> int:
        """Return the index of the last block of the longest cached prefix that is found from *mark* on, or
        -1."""
        for place in range(mark, max(-1, mark - LOOKBACK), -1):
            if self.expires_s.get(names[place], -1.0) > at_s:
                return place
        return -1


def tokens_of(text: str) -> int:
    """Estimate the number of tokens in a text; at least one."""
    return max(1, round(len(text.encode()) / BYTES_PER_TOKEN))


def _names(blocks: Sequence[TextBlock], settings: str) -> list[str]:
    """Return for each block a digest of everything up to its end."""
    digest = hashlib.sha256(settings.encode())
    names = []
    for block in blocks:
        digest.update(hashlib.sha256(block.text.encode()).digest())
        names.append(digest.hexdigest())
    return names
