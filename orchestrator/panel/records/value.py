"""The base class of the panel's record values.

A field with a default is written only if it has another value. A field that is always written, but that the
ledgers of earlier releases may lack, has a `default_factory`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from orchestrator.core.legible import counted, one_line
from orchestrator.core.store.ledger import Record, Value
from orchestrator.core.table import TRANSCRIPT
from orchestrator.material.values import Segment
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.model.reply import SPEECH, Passage
from orchestrator.panel.render import place

if TYPE_CHECKING:
    from orchestrator.panel.records.projection import Projection


# ---------------------------------------------------------------------- telling
# What memory tells of one record: an entry for the Scribe, a passage for facts, a step for the trace.
#
# Each class of record values makes them of itself, in its own file: `entry`, `passage` and `step`. A
# passage is a `model.reply.Passage`; the other two are here, with the few words that several classes need.
#
# Of what the presenter said the trace has the length alone: it is for those who look after the loop.


USER: Final = "user"
AGENT: Final = "agent"
TOOL: Final = "tool"
ERROR: Final = "error"
NOTE: Final = "note"
ENTRY_TYPES: Final = (USER, AGENT, TOOL, ERROR, NOTE)
"""The types of the Scribe's entries, as its seed (000) defines them."""

Timing = Literal["since", "waits", "none"]
"""How the duration of a step is measured.

"since": the time since the record before it. "waits": the same, except that while the clock is live the step
waits for its moment. "none": the step takes no time of the program's, since it is the speaker's or nobody's.
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A record in the form of an entry in the Scribe's notes."""

    type: str  # of ENTRY_TYPES
    content: str
    quoting: str | None = None  # what of the record may quote speech; None: the content
    metadata: Mapping[str, str | int | float | None] = field(default_factory=dict)
    tool: str | None = None
    result: str | None = None
    confidence: float | None = None  # of the speech-to-text program


@dataclass(frozen=True, slots=True)
class Step:
    """A record in the form of a step in the trace."""

    name: str | None  # None: it is no step, and only tells errors or changes the state
    line: str = ""  # for people; "": its name
    timing: Timing = "since"
    took_s: float | None = None  # where the record says it itself
    action: Mapping[str, object] = field(default_factory=dict)  # what it was about
    output: Mapping[str, object] | None = None  # what came of it
    state: Mapping[str, object] = field(default_factory=dict)  # what changes with it
    errors: tuple[str, ...] = ()
    summary: str | None = None  # of the steps of one exchange

    @property
    def words(self) -> str:
        """Return the step's text for people."""
        return self.line or (self.name or "").replace("_", " ")


def known(**values: object) -> dict[str, object]:
    """Return the values that are not None, by name, in order."""
    return {name: value for name, value in values.items() if value is not None}


def counted_each(counts: Mapping[str, int]) -> str:
    """Return counts with their nouns, as "3 slides, 1 claim", or "nothing" if there are none."""
    return ", ".join(counted(number, _singular(noun), noun) for noun, number in counts.items()) or "nothing"


def _singular(noun: str) -> str:
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")


def place_of(exchange: Exchange) -> str:
    """Return the place of the words that an exchange is about."""
    return place(exchange.slide, exchange.said_at_s)


def day_of(record: Record) -> str:
    """Return the day on which a record was written, YYYY-MM-DD."""
    return record.at[:10]


# ---------------------------------------------------------------------- several classes alike


def spoken_entry(segment: Segment, exchange: str | None = None) -> Entry:
    """Return the entry of a segment of speech; *exchange* is the exchange that it answers, if any."""
    about = {"slide": segment.slide, "said_at_s": segment.start_s, "exchange": exchange}
    return Entry(
        USER, segment.text, metadata={**about, "speaker": segment.speaker}, confidence=segment.confidence
    )


def spoken_passage(record: Record, segment: Segment, kind: str, exchange: str | None = None) -> Passage:
    """Return a segment of speech as a passage for facts.

    *exchange* is the exchange that it answers, if any.
    """
    return Passage(
        record.seq,
        kind,
        one_line(segment.text),
        day_of(record),
        speaker=segment.speaker,
        said_at_s=segment.start_s,
        slide=segment.slide,
        exchange=exchange,
        heard=segment.confidence,
    )


def hearing(text: str, **found: int) -> Step:
    """Return the step of a piece of speech: its length, and how much was found in it."""
    output = {"words": len(text.split()), **found}
    line = f"hears {counted_each({noun: number for noun, number in output.items() if number})}"
    return Step("hear", line, "none", output=output)


def answering(exchange: str, text: str) -> Step:
    """Return the step of an answer to *exchange*."""
    words = len(text.split())
    line = f"{exchange} is answered in {counted(words, 'word')}"
    return Step("answer", line, "none", action={"exchange": exchange}, output={"words": words})


def reminding(about: str, share: float | None = None) -> Step:
    """Return the step in which the moderator reminds the presenter of the time."""
    line = f"reminds: {about.replace('_', ' ')}"
    return Step("remind", line, "waits", action=known(about=about, share=share))


def keeping(name: str, kept: Mapping[str, int], left_out: int) -> Step:
    """Return the step that stores things for later sessions at a session's end, counted by noun."""
    left = f"; {left_out} left out, to stay in the session" if left_out else ""
    some = counted_each({noun: number for noun, number in kept.items() if number})
    line = f"keeps for later rehearsals: {some}{left}"
    return Step(name, line, output={**kept, "left_out": left_out})


# ---------------------------------------------------------------------- text without a value


def is_speech(record: Record) -> bool:
    """Return whether a record appended to the transcript; text appended to another file is not speech."""
    return record.op == "append" and record.file == TRANSCRIPT


def bare_entry(record: Record) -> Entry:
    """Return the entry of text that another program added to the transcript."""
    return Entry(USER, record.text or "")


def bare_passage(record: Record) -> Passage:
    """Return text that another program added to the transcript, as a passage from which facts are taken."""
    text = one_line(record.text or "")
    return Passage(record.seq, SPEECH, text, day_of(record), said_at_s=record.clock_s)


# ---------------------------------------------------------------------- base


class PanelValue(Value):
    """The value of one of the panel's records; it folds itself into the projection and describes itself."""

    __slots__ = ()
    NEEDED: ClassVar[bool] = True
    """Whether a value of this class in another shape stops a session, since what it says cannot be left out.

    If False, such a value is skipped, like another program's.
    """

    def fold(self, projection: Projection, record: Record) -> None:
        """Apply the record to the projection; every class must define this, even if it changes nothing."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it changes in the projection")

    def entry(self, record: Record) -> Entry | None:
        """Return the Scribe's entry for the record, or None if it has none."""
        return None

    def passage(self, record: Record) -> Passage | None:
        """Return the passage of the record from which facts are taken, or None."""
        return None

    def step(self, record: Record) -> Step | None:
        """Return the step of the trace for the record, or None."""
        return None
