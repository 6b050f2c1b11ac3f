"""The text operators of a PDF content stream, run to learn where every piece of text stands.

Source: ISO 32000-1, 8.4 (graphics state), 9.3 and 9.4 (text), 14.6 (marked content).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

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
    """All runs of a page in drawing order, and whether text was met that cannot be read."""

    runs: list[Run] = field(default_factory=list)
    height: float = 0.0  # of the page as shown, in points
    unreadable: bool = False
    too_long: bool = False  # more runs than are read of one page


@dataclass(slots=True)
class Drawing:
    """What all content streams of a page share."""

    text: PageText
    typeface_of: TypefaceOf
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


class Stream:
    """Runs one content stream: the page's own, or that of a form on it."""

    def __init__(
        self, drawing: Drawing, paragraphs: dict[int, int], resources: Any, state: State, depth: int
    ) -> None:
        self._drawing = drawing
        self._paragraphs = paragraphs
        self._resources = _resolved(resources)
        self._state = state
        self._depth = depth
        self._saved: list[State] = []
        self._line: Matrix = _IDENTITY
        self._letter: Matrix = _IDENTITY

    def run(self, content: bytes) -> None:
        """Run all operators of *content*, a decoded content stream."""
        for operator, operands in operations(content):
            if act := _OPERATORS.get(operator):
                act(self, operands)
            if len(self._drawing.text.runs) >= _MOST_RUNS:
                self._drawing.text.too_long = True
                return

    def save(self, _: list[Any]) -> None:
        self._saved.append(self._state)

    def restore(self, _: list[Any]) -> None:
        if self._saved:
            self._state = self._saved.pop()

    def transform(self, operands: list[Any]) -> None:
        self._state = replace(self._state, matrix=_times(_matrix(operands), self._state.matrix))

    def begin_text(self, _: list[Any]) -> None:
        self._line = self._letter = _IDENTITY

    def set_matrix(self, operands: list[Any]) -> None:
        self._line = self._letter = _matrix(operands)

    def set_font(self, operands: list[Any]) -> None:
        fonts = _resolved(_entry(self._resources, "/Font"))
        font = _entry(fonts, operands[0]) if operands else None
        typeface = None if font is None else self._drawing.typeface_of(font)
        self._state = replace(self._state, typeface=typeface, size=_number(operands, 1))

    def set_letter_space(self, operands: list[Any]) -> None:
        self._state = replace(self._state, letter_space=_number(operands, 0))

    def set_word_space(self, operands: list[Any]) -> None:
        self._state = replace(self._state, word_space=_number(operands, 0))

    def set_stretch(self, operands: list[Any]) -> None:
        self._state = replace(self._state, stretch=_number(operands, 0) / 100)

    def set_leading(self, operands: list[Any]) -> None:
        self._state = replace(self._state, leading=_number(operands, 0))

    def set_rise(self, operands: list[Any]) -> None:
        self._state = replace(self._state, rise=_number(operands, 0))

    def move(self, operands: list[Any]) -> None:
        self._line = self._letter = _times(_moved(_number(operands, 0), _number(operands, 1)), self._line)

    def move_and_set_leading(self, operands: list[Any]) -> None:
        self._state = replace(self._state, leading=-_number(operands, 1))
        self.move(operands)

    def next_line(self, _: list[Any]) -> None:
        self._line = self._letter = _times(_moved(0, -self._state.leading), self._line)

    def show(self, operands: list[Any]) -> None:
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

    def show_on_next_line(self, operands: list[Any]) -> None:
        self.next_line([])
        self.show(operands)

    def show_spaced_on_next_line(self, operands: list[Any]) -> None:
        self._state = replace(self._state, word_space=_number(operands, 0), letter_space=_number(operands, 1))
        self.show_on_next_line(operands)

    def draw_form(self, operands: list[Any]) -> None:
        from pypdf.generic import StreamObject

        forms = _resolved(_entry(self._resources, "/XObject"))
        form = _resolved(_entry(forms, operands[0] if operands else None))
        if not isinstance(form, StreamObject) or form.get("/Subtype") != "/Form":
            return
        self._drawing.forms += 1
        if self._depth >= _DEEPEST or self._drawing.forms > _MOST_FORMS:
            return
        matrix = _times(_matrix(_resolved(form.get("/Matrix")) or []), self._state.matrix)
        resources = form.get("/Resources", self._resources)
        # The form's marked-content ids are its own, not the page's.
        inner = Stream(self._drawing, {}, resources, replace(self._state, matrix=matrix), self._depth + 1)
        inner.run(form.get_data())

    def begin_marked(self, operands: list[Any]) -> None:
        properties = _resolved(operands[1]) if len(operands) > 1 else None
        if isinstance(properties, str):
            properties = _resolved(_entry(_resolved(_entry(self._resources, "/Properties")), properties))
        identity = _resolved(_entry(properties, "/MCID"))
        self._drawing.marked.append(
            _Marked(
                paragraph=self._paragraphs.get(int(identity)) if isinstance(identity, float) else None,
                spoken=_text(_resolved(_entry(properties, "/ActualText"))),
                first_run=len(self._drawing.text.runs),
                artifact=bool(operands) and operands[0] == "/Artifact",
            )
        )

    def end_marked(self, _: list[Any]) -> None:
        if not self._drawing.marked:
            return
        marked = self._drawing.marked.pop()
        runs = self._drawing.text.runs[marked.first_run :]
        if marked.spoken is not None and runs:
            end = max(run.end for run in runs)
            self._drawing.text.runs[marked.first_run :] = [replace(runs[0], text=marked.spoken, end=end)]

    def _advance(self, width: float) -> None:
        self._letter = _times(_moved(width, 0), self._letter)

    def _decoded(self, raw: bytes) -> tuple[str, float]:
        """What a string says, and how far it moves the pen in text space."""
        state = self._state
        if state.typeface is None:
            self._drawing.text.unreadable = True
            return "", 0.0
        text, width, codes, spaces = state.typeface.decoded(raw)
        return text, (
            width * state.size + state.letter_space * codes + state.word_space * spaces
        ) * state.stretch

    def _add(self, text: str, width: float) -> None:
        """A run of *text*, which moves the pen by *width*, unless it is in an artifact or has no place."""
        if not text:
            return
        drawing, state = self._drawing, self._state
        a, b, c, d, x, y = _times(_moved(0, state.rise), _times(self._letter, state.matrix))
        self._advance(width)
        along = math.hypot(a, b)
        size = abs(state.size) * math.hypot(c, d)
        if not along or not size or not all(map(math.isfinite, (a, b, x, y, width, size))):
            return
        if any(marked.artifact for marked in drawing.marked):
            return
        right, down = direction = _nearest(a / along, b / along)
        start = x * right + y * down
        behind_the_last_letter = state.letter_space * state.stretch
        drawing.text.runs.append(
            Run(
                text=text,
                start=start,
                end=start + (width - behind_the_last_letter) * along,
                v=y * right - x * down,
                size=size,
                direction=direction,
                fixed_pitch=state.typeface is not None and state.typeface.fixed_pitch,
                bold=state.typeface is not None and state.typeface.bold,
                paragraph=next(
                    (m.paragraph for m in reversed(drawing.marked) if m.paragraph is not None), None
                ),
            )
        )


_OPERATORS: dict[bytes, Callable[[Stream, list[Any]], None]] = {
    b"q": Stream.save,
    b"Q": Stream.restore,
    b"cm": Stream.transform,
    b"Do": Stream.draw_form,
    b"BT": Stream.begin_text,
    b"Tf": Stream.set_font,
    b"Tc": Stream.set_letter_space,
    b"Tw": Stream.set_word_space,
    b"Tz": Stream.set_stretch,
    b"TL": Stream.set_leading,
    b"Ts": Stream.set_rise,
    b"Tm": Stream.set_matrix,
    b"Td": Stream.move,
    b"TD": Stream.move_and_set_leading,
    b"T*": Stream.next_line,
    b"Tj": Stream.show,
    b"TJ": Stream.show,
    b"'": Stream.show_on_next_line,
    b'"': Stream.show_spaced_on_next_line,
    b"BDC": Stream.begin_marked,
    b"BMC": Stream.begin_marked,
    b"EMC": Stream.end_marked,
}


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


def _resolved(value: Any) -> Any:
    return value.get_object() if hasattr(value, "get_object") else value


def _entry(dictionary: Any, key: Any) -> Any:
    return dictionary.get(key) if isinstance(dictionary, dict) and key is not None else None
