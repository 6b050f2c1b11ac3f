"""The text operators of a PDF content stream, run to learn where every piece of text stands.

Source: ISO 32000-1, 8.4 (graphics state), 9.3 and 9.4 (text), 14.6 (marked content).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from orchestrator.deck.pdf_objects import entry, resolved
from orchestrator.deck.pdf_operations import operations

if TYPE_CHECKING:
    from orchestrator.deck.pdf_fonts import Typeface

Matrix = tuple[float, float, float, float, float, float]
TypefaceOf = Callable[[Any], "Typeface | None"]

_IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)
_DEEPEST = 12
"""Forms within forms that are followed."""
_MOST_FORMS = 5_000
"""Forms drawn on one page that are followed."""
_KERNING = 80.0
"""Thousandths of an em; letters moved further apart may be spaced out, or separate words."""
_MOST_RUNS = 100_000
"""Pieces of text on one page that are read; a page of a book has some thousands."""


@dataclass(frozen=True, slots=True)
class Run:
    """Text drawn in one go; `u` runs along the text, `v` across it, both in points.

    For upright text they are x and y, from the upper left corner of the page as shown.
    """

    text: str
    start: float  # u where the first letter begins
    end: float  # u where the last letter ends
    v: float  # of the baseline, growing downwards
    size: float
    direction: tuple[int, int]  # (1, 0) is upright
    fixed_pitch: bool  # all letters are equally wide, as in program text
    bold: bool
    paragraph: int | None  # equal for all runs of one paragraph, where the file is tagged


@dataclass(frozen=True, slots=True)
class _Marked:
    """One level of marked content."""

    paragraph: int | None
    spoken: str | None  # /ActualText: what the runs inside really say
    first_run: int
    artifact: bool


@dataclass(slots=True)
class PageText:
    """All runs of a page in drawing order, and what all content streams of the page share."""

    typeface_of: TypefaceOf
    height: float  # of the page as shown, in points
    runs: list[Run] = field(default_factory=list)
    unreadable: bool = False  # text was met whose letters the file does not tell
    too_long: bool = False  # more runs than are read of one page
    marked: list[_Marked] = field(default_factory=list)
    forms: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """What `q` saves and `Q` restores, of what concerns text."""

    matrix: Matrix
    typeface: Typeface | None = None
    size: float = 0.0
    letter_space: float = 0.0
    word_space: float = 0.0
    stretch: float = 1.0
    leading: float = 0.0
    rise: float = 0.0


_PARAMETERS = {
    b"Tc": ("letter_space", 1),
    b"Tw": ("word_space", 1),
    b"Tz": ("stretch", 100),
    b"TL": ("leading", 1),
    b"Ts": ("rise", 1),
}
"""Operators that set one number of the state, and what it is divided by."""


class Stream:
    """Runs one content stream: the page's own, or that of a form on it."""

    def __init__(
        self, page: PageText, paragraphs: dict[int, int], resources: Any, state: State, depth: int = 0
    ) -> None:
        self._page = page
        self._paragraphs = paragraphs  # of each marked-content id
        self._resources = resources
        self._state = state
        self._depth = depth
        self._saved: list[State] = []
        self._line: Matrix = _IDENTITY
        self._letter: Matrix = _IDENTITY

    def run(self, content: bytes) -> None:
        """Run all operators of *content*, a decoded content stream."""
        for operator, operands in operations(content):
            if operator in _PARAMETERS:
                name, divisor = _PARAMETERS[operator]
                self._set(**{name: _number(operands, 0) / divisor})
            else:
                self._run(operator, operands)
            if len(self._page.runs) >= _MOST_RUNS:
                self._page.too_long = True
                return

    def _run(self, operator: bytes, operands: list[Any]) -> None:
        match operator:
            case b"Tj" | b"TJ":
                self._show(operands)
            case b"Td":
                self._move(_number(operands, 0), _number(operands, 1))
            case b"TD":
                self._set(leading=-_number(operands, 1))
                self._move(_number(operands, 0), _number(operands, 1))
            case b"T*":
                self._move(0, -self._state.leading)
            case b"'":
                self._move(0, -self._state.leading)
                self._show(operands)
            case b'"':
                self._set(word_space=_number(operands, 0), letter_space=_number(operands, 1))
                self._move(0, -self._state.leading)
                self._show(operands)
            case b"BT":
                self._line = self._letter = _IDENTITY
            case b"Tm":
                self._line = self._letter = _matrix(operands)
            case b"Tf":
                font = entry(self._resources, "/Font", operands[0]) if operands else None
                typeface = None if font is None else self._page.typeface_of(font)
                self._set(typeface=typeface, size=_number(operands, 1))
            case b"q":
                self._saved.append(self._state)
            case b"Q" if self._saved:
                self._state = self._saved.pop()
            case b"cm":
                self._set(matrix=_times(_matrix(operands), self._state.matrix))
            case b"Do" if operands:
                self._draw_form(entry(self._resources, "/XObject", operands[0]))
            case b"BDC" | b"BMC":
                self._begin_marked(operands)
            case b"EMC" if self._page.marked:
                self._end_marked(self._page.marked.pop())

    def _set(self, **parameters: Any) -> None:
        self._state = replace(self._state, **parameters)

    def _move(self, right: float, up: float) -> None:
        self._line = self._letter = _times(_moved(right, up), self._line)

    def _show(self, operands: list[Any]) -> None:
        """`Tj` and `TJ`: strings, and in the latter numbers that move the pen back.

        What is only kerned apart is one run; what is further apart may be words or columns.
        """
        pieces = operands[-1] if operands else []
        text, width = "", 0.0
        for piece in pieces if isinstance(pieces, list) else [pieces]:
            if isinstance(piece, bytes) and piece:
                said, moved = self._decoded(piece)
                text, width = text + said, width + moved
            elif isinstance(piece, float):
                if abs(piece) > _KERNING:
                    self._add(text, width)
                    text, width = "", 0.0
                move = -piece / 1000 * self._state.size * self._state.stretch
                if text:
                    width += move
                else:
                    self._advance(move)
        self._add(text, width)

    def _draw_form(self, form: Any) -> None:
        from pypdf.generic import StreamObject

        if not isinstance(form, StreamObject) or form.get("/Subtype") != "/Form":
            return
        self._page.forms += 1
        if self._depth >= _DEEPEST or self._page.forms > _MOST_FORMS:
            return
        matrix = _times(_matrix(entry(form, "/Matrix") or []), self._state.matrix)
        resources = form.get("/Resources", self._resources)
        # The form's marked-content ids are its own, not the page's.
        inner = Stream(self._page, {}, resources, replace(self._state, matrix=matrix), self._depth + 1)
        inner.run(form.get_data())

    def _begin_marked(self, operands: list[Any]) -> None:
        properties = resolved(operands[1]) if len(operands) > 1 else None
        if isinstance(properties, str):
            properties = entry(self._resources, "/Properties", properties)
        identity = entry(properties, "/MCID")
        self._page.marked.append(
            _Marked(
                paragraph=self._paragraphs.get(int(identity)) if isinstance(identity, float) else None,
                spoken=_text(entry(properties, "/ActualText")),
                first_run=len(self._page.runs),
                artifact=bool(operands) and operands[0] == "/Artifact",
            )
        )

    def _end_marked(self, marked: _Marked) -> None:
        runs = self._page.runs[marked.first_run :]
        if marked.spoken is not None and runs:
            end = max(run.end for run in runs)
            self._page.runs[marked.first_run :] = [replace(runs[0], text=marked.spoken, end=end)]

    def _advance(self, width: float) -> None:
        self._letter = _times(_moved(width, 0), self._letter)

    def _decoded(self, raw: bytes) -> tuple[str, float]:
        """What a string says, and how far it moves the pen in text space."""
        state = self._state
        if state.typeface is None:
            self._page.unreadable = True
            return "", 0.0
        text, width, codes, spaces = state.typeface.decoded(raw)
        return text, (
            width * state.size + state.letter_space * codes + state.word_space * spaces
        ) * state.stretch

    def _add(self, text: str, width: float) -> None:
        """A run of *text*, which moves the pen by *width*, unless it is in an artifact or has no place."""
        state, marked = self._state, self._page.marked
        if not text or state.typeface is None:
            return
        a, b, c, d, x, y = _times(_moved(0, state.rise), _times(self._letter, state.matrix))
        self._advance(width)
        along = math.hypot(a, b)
        size = abs(state.size) * math.hypot(c, d)
        nowhere = not along or not size or not all(map(math.isfinite, (a, b, x, y, width, size)))
        if nowhere or any(one.artifact for one in marked):
            return
        right, down = direction = _nearest(a / along, b / along)
        start = x * right + y * down
        behind_the_last_letter = state.letter_space * state.stretch
        self._page.runs.append(
            Run(
                text=text,
                start=start,
                end=start + (width - behind_the_last_letter) * along,
                v=y * right - x * down,
                size=size,
                direction=direction,
                fixed_pitch=state.typeface.fixed_pitch,
                bold=state.typeface.bold,
                paragraph=next((m.paragraph for m in reversed(marked) if m.paragraph is not None), None),
            )
        )


def _nearest(right: float, down: float) -> tuple[int, int]:
    """The direction among the four of the page that slanted text is nearest to."""
    if abs(right) >= abs(down):
        return (1 if right > 0 else -1), 0
    return 0, (1 if down > 0 else -1)


def _moved(right: float, up: float) -> Matrix:
    return (1, 0, 0, 1, right, up)


def _times(first: Matrix, then: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def _matrix(operands: list[Any]) -> Matrix:
    if len(operands) < 6:
        return _IDENTITY
    a, b, c, d, e, f = (_number(operands, index) for index in range(6))
    return (a, b, c, d, e, f)


def _number(operands: list[Any], index: int) -> float:
    if index < len(operands) and isinstance(operands[index], int | float):
        return float(operands[index])
    return 0.0


def _text(value: Any) -> str | None:
    if isinstance(value, bytes):
        marked = value[:2] in (b"\xfe\xff", b"\xff\xfe")  # text strings: 7.9.2.2
        return value.decode("utf-16", "replace") if marked else value.decode("latin-1")
    return str(value) if isinstance(value, str) else None
