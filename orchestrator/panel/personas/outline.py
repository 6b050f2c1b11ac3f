"""The shape of a template: front matter, headings, bullets and tables, each with its line number.

A template is Markdown that people and language models read as text. Programs also read this part of its
shape. HTML comments and fenced code are prose: nothing inside them is a heading, a bullet or a row.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestrator.core.errors import PersonaError
from orchestrator.core.home.plain_yaml import ALIAS, NO_TEXT, SYNTAX, VALUE, PlainYamlError, read_plain_yaml

# ---------------------------------------------------------------------- fault
# Faults of a template: where, and what to do about it.


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a template breaks its format; the message says what to do."""

    path: str
    line: int | None  # 1-based; None when it concerns the whole file or folder
    message: str

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}, line {self.line}"
        return f"{place}: {self.message}"


@dataclass(slots=True)
class Findings:
    """The findings of one file, collected while it is read.

    A reader raises the first finding; a checker lists all of them.
    """

    path: str
    found: list[Finding] = field(default_factory=list)

    def add(self, line: int | None, message: str) -> None:
        self.found.append(Finding(self.path, line, message))

    def in_order(self) -> list[Finding]:
        return sorted(self.found, key=lambda finding: finding.line or 0)

    def refuse(self) -> None:
        """Raise `PersonaError` with the first finding in the file, if there is one."""
        if self.found:
            raise PersonaError(str(self.in_order()[0]), file=self.path)


# ---------------------------------------------------------------------- front matter
# The YAML between the two `---` lines at the top of a template, read key by key.
#
# A key is written dotted here: `timers_s.stale` is `stale` inside `timers_s`. A value that cannot be meant
# becomes a finding with its line, and reads as an empty one.


@dataclass(slots=True)
class FrontMatter:
    """Keys with their values and lines; empty if the file has no front matter that can be read."""

    findings: Findings
    values: Mapping[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)  # dotted key → line of the file
    misspelt: set[str] = field(default_factory=set)  # keys that are absent but for a slip in their name

    def line_of(self, key: str) -> int:
        """Return the line of a key, or, if it is missing, the line of the mapping that lacks it, else 1."""
        while key and key not in self.lines:
            key = key.rpartition(".")[0]
        return self.lines.get(key, 1)

    def reject(self, key: str, message: str) -> None:
        self.findings.add(self.line_of(key), f"`{key}` {message}")

    def only(self, keys: Iterable[str], within: str = "") -> None:
        """Report each key that is not one of *keys*, and suggest the missing key that was probably meant."""
        keys = tuple(keys)
        found = self.values if not within else self.values.get(within)
        if not isinstance(found, Mapping):
            return
        prefix = f"{within}." if within else ""
        for key in found:
            if key in keys:
                continue
            absent = [known for known in keys if known not in found]
            if near := difflib.get_close_matches(key, absent, 1):
                self.misspelt.add(prefix + near[0])
                self.reject(prefix + key, f"is not a key of this file: did you mean `{near[0]}`?")
            else:
                self.reject(
                    prefix + key, f"is not a key of this file: take it out; keys are {', '.join(keys)}"
                )

    def lookup(self, key: str) -> Any:
        """Return the value of a key; if it has none, report that and return None."""
        value: Any = self.values
        for part in key.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        outer = key.rpartition(".")[0]
        # In front matter that cannot be read, one finding is enough.
        if value is None and self.values and (not outer or isinstance(self.values.get(outer), Mapping)):
            if key in self.lines:
                self.reject(key, "is empty: give it a value, in quotes if it starts with #")
            elif key not in self.misspelt:
                self.reject(key, "is missing from the front matter: add it")
        return value

    def text(self, key: str) -> str:
        """Return the value of a key that must be one line of text.

        If it is not, report that and return "".
        """
        value = self.lookup(key)
        if isinstance(value, str) and value.strip() and value.isprintable():
            return value
        if value is not None:
            self.reject(key, "must be one line of text: write it in quotes")
        return ""

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the value of a key that must be a list of at least one text; if it is not, report that."""
        value = self.lookup(key)
        if (
            isinstance(value, list)
            and value
            and all(isinstance(item, str) and item.strip() for item in value)
        ):
            return tuple(value)
        if value is not None:
            self.reject(key, "must be a list of texts: write each in quotes")
        return ()

    def text_or(self, key: str, default: str) -> str:
        """Return the value of a key if it is one line of text, else *default*; report nothing."""
        value = self.values.get(key)
        return value if isinstance(value, str) and value.strip() and value.isprintable() else default

    def texts_or(self, key: str) -> tuple[str, ...]:
        """Return the texts in the value of a key if it is a list, else an empty tuple; report nothing."""
        value = self.values.get(key)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()

    def choice(self, key: str, choices: Sequence[str]) -> str:
        value = self.text(key)
        if value and value not in choices:
            self.reject(key, f"is {value!r}: choose one of {', '.join(choices)}")
        return value

    def number(self, key: str) -> float:
        """Return the value of a key that must be a number above 0; if it is not, report that and return 0."""
        value = self.lookup(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf"):
            return value
        if value is not None:
            self.reject(key, f"is {value!r}: write a number above 0")
        return 0

    def whole(self, key: str) -> int:
        """Return the value of a key that must be a whole number above 0; if it is not, report that."""
        value = self.number(key)
        if not isinstance(value, int):
            self.reject(key, f"is {value!r}: write a whole number above 0")
        return int(value)


def read_front_matter(findings: Findings, block: str) -> FrontMatter:
    """Read the lines between the two `---` lines, the first of which is line 1 of the file."""
    front = FrontMatter(findings)
    try:
        node, values = read_plain_yaml(block, as_written=False)
    except PlainYamlError as error:
        told = {
            SYNTAX: f"is not YAML: {error.reason}",
            NO_TEXT: "is not YAML: it holds a character that YAML does not allow",
            ALIAS: f"has an alias (*{error.reason}): write it out",
            VALUE: "holds a value that cannot be read, such as a date that is none",
        }.get(error.trouble, "is nested too deeply")
        # The first `---` stands above.
        findings.add(1 if error.line is None else error.line + 1, f"the front matter {told}; correct it")
        return front
    if not isinstance(values, dict):
        findings.add(1, "the front matter must be lines of `key: value`: correct it")
        return front
    _note_lines(front, node, "")
    front.values = {str(k): _inner(v) if isinstance(v, dict) else v for k, v in values.items()}
    return front


def _inner(values: dict[Any, Any]) -> dict[str, Any]:
    return {str(key): value for key, value in values.items()}


def _note_lines(front: FrontMatter, node: Any, within: str) -> None:
    """Record the line of each key, two levels deep, and report keys that occur twice."""
    for key, value in node.value:
        name = f"{within}{key.value}"
        line = key.start_mark.line + 2  # marks count from 0, and the first `---` stands above
        if name in front.lines:
            front.findings.add(line, f"`{name}` stands here a second time: keep one")
        front.lines[name] = line
        if not within and value.id == "mapping":
            _note_lines(front, value, f"{name}.")


# ---------------------------------------------------------------------- outline


# Blanked and not cut out, below: every finding names a line of the file.
_ASIDE = re.compile(r"<!--.*?-->|^(```|~~~).*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"(#{1,3})[ \t]+(.*?)[ \t]*")
# At most three spaces before a marker: four begin code (CommonMark, 4.4).
_BULLET = re.compile(r" {0,3}[-*][ \t]+(.*)")
_STEP = re.compile(r" {0,3}\d+[.)][ \t]+(.*)")
_QUOTED = re.compile(r'"([^"]*\S[^"]*)"')
_RULER = re.compile(r"\|[|:\- \t]*-[|:\- \t]*")  # at least one dash: else a row of empty cells is one
_PIPE = re.compile(r"(?<!\\)\|")  # `\|` is a pipe within a cell


@dataclass(frozen=True, slots=True)
class Line:
    """A line, bullet or step, with the number of the line on which it starts."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its own lines, up to the next heading of any level."""

    level: int
    title: str
    line: int
    within: str | None  # the `##` heading that a `###` heading stands under
    body: tuple[Line, ...]

    @property
    def heading(self) -> str:
        return f"`{'#' * self.level} {self.title}`"

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.body).strip()


@dataclass(frozen=True, slots=True)
class Outline:
    """One template: its front matter, its sections, and the findings so far."""

    findings: Findings
    front: FrontMatter
    sections: tuple[Section, ...]

    def under(self, within: str | None) -> tuple[Section, ...]:
        """Return the `##` sections, or the `###` sections *within* one of them."""
        level = 2 if within is None else 3
        return tuple(s for s in self.sections if s.level == level and s.within == within)

    def section(self, title: str, within: str | None = None) -> Section | None:
        return next((s for s in self.under(within) if s.title == title), None)

    def is_faulty(self, section: Section) -> bool:
        """Return whether a finding is about the section's heading or its own lines."""
        last = section.line + len(section.body)
        return any(section.line <= (finding.line or 0) <= last for finding in self.findings.found)

    def expect(self, titles: Sequence[str], within: str | None = None, *, more: bool = False) -> None:
        """Report headings that are missing, misspelt, duplicate or out of order.

        Args:
            within: The `##` section in which to expect `###` headings. If it is missing, nothing is reported.
            more: Whether the author's own sections are allowed after the last of *titles*.
        """
        if within is not None and self.section(within) is None:
            return  # its absence is a finding of its own
        found = self.under(within)
        known = [s for s in found if s.title in titles]
        missing = [title for title in titles if title not in {s.title for s in known}]
        last = max((s.line for s in known), default=0)
        for section in found:
            if section.title in titles:
                continue
            hashes = "#" * section.level
            wrong = f"unknown heading {section.heading}"
            if close := difflib.get_close_matches(section.title, missing, 1):
                missing.remove(close[0])  # what is misspelt is not missing too
                self.findings.add(section.line, f"{wrong}: did you mean `{hashes} {close[0]}`?")
            elif not more:
                self.findings.add(section.line, f"{wrong}: the headings here are {', '.join(titles)}")
            elif section.line < last:
                self.findings.add(section.line, f"{section.heading} must come after `{hashes} {titles[-1]}`")
        for title in missing:
            self._miss(title, titles, within)
        self._order(known, titles)

    def _miss(self, title: str, titles: Sequence[str], within: str | None) -> None:
        hashes = "##" if within is None else "###"
        above = [s for t in titles[: titles.index(title)] if (s := self.section(t, within))]
        if not above and within is not None:
            above = [s for s in self.under(None) if s.title == within]
        place = f"after {above[-1].heading}" if above else "before the other `##` headings"
        line = above[-1].line if above else next((s.line for s in self.sections), 1)
        self.findings.add(line, f"heading `{hashes} {title}` is missing: add it {place}")

    def _order(self, known: Sequence[Section], titles: Sequence[str]) -> None:
        met: list[Section] = []
        for section in known:
            later = [s for s in met if titles.index(s.title) > titles.index(section.title)]
            if section.title in {s.title for s in met}:
                self.findings.add(section.line, f"{section.heading} stands here a second time: join the two")
            elif later:
                self.findings.add(section.line, f"{section.heading} must come before {later[0].heading}")
                return  # one heading out of place is one finding, however many it stands behind
            met.append(section)

    def table(self, section: Section, columns: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
        """Return the rows of the section's one table, each with its line number, and its cells by column
        name.
        """
        add = self.findings.add
        wanted = f"| {' | '.join(columns)} |"
        lines = [line for line in section.body if line.text.lstrip().startswith("|")]
        if not lines:
            add(section.line, f"{section.heading} has no table: add one that starts with `{wanted}`")
            return []
        if _cells(lines[0].text) != list(columns):
            add(lines[0].number, f"the table's header must be `{wanted}`")
            return []
        if len(lines) < 2 or not _RULER.fullmatch(lines[1].text.strip()):
            add(lines[0].number, "the table's header must be followed by a `|---|` line: add it")
            return []
        for line in section.body:
            if line.text.strip() and line not in lines and line.number - 1 in {row.number for row in lines}:
                add(line.number, "a row must start with `|`, and other text stand apart from the table")
        rows = []
        for number, line in enumerate(lines[2:], lines[0].number + 2):
            cells = _cells(line.text)
            if line.number != number:
                add(line.number, f"a second table under {section.heading}: join it to the first")
                break
            if len(cells) == len(columns):
                rows.append((line.number, dict(zip(columns, cells, strict=True))))
            else:
                message = f"the row has {len(cells)} cells, its header {len(columns)}: correct it"
                add(line.number, f"{message}, and write `\\|` for a pipe inside a cell")
        return rows


def read_outline(text: str, path: str, *, front: bool = True) -> Outline:
    """Read a template's shape; never raise, whatever the text contains.

    Args:
        front: Whether front matter is required.
    """
    findings = Findings(path)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    end = next((i for i, line in enumerate(lines) if i and line.rstrip() == "---"), None)
    start = 0
    if lines[0].rstrip() == "---" and end is not None:
        matter = read_front_matter(findings, "\n".join(lines[1:end]))
        start = end + 1
    else:
        matter = FrontMatter(findings)
        if front:
            findings.add(1, "the file must start with front matter between two `---` lines: add it")
    body = _ASIDE.sub(lambda aside: "\n" * aside[0].count("\n"), "\n".join(lines[start:]))
    return Outline(findings, matter, tuple(_sections(body.split("\n"), start)))


def bullets(section: Section | None) -> list[Line]:
    """Return the section's bullets, each with its continuation lines joined on."""
    return _items(section, _BULLET)


def unquoted(text: str) -> str:
    """Return *text* without its double quotes, if it is one phrase in double quotes."""
    match = _QUOTED.fullmatch(text)
    return match[1] if match else text


def table_rows(section: Section) -> list[dict[str, str]]:
    """Return the rows of the section's first table, by column.

    Rows that do not fit its header are left out.
    """
    lines = [line.text for line in section.body if line.text.lstrip().startswith("|")]
    if len(lines) < 2 or not _RULER.fullmatch(lines[1].strip()):
        return []
    columns = _cells(lines[0])
    rows = (_cells(line) for line in lines[2:])
    return [dict(zip(columns, row, strict=True)) for row in rows if len(row) == len(columns)]


def steps(section: Section) -> list[Line]:
    """Return the section's numbered steps."""
    return _items(section, _STEP)


def quoted_bullets(outline: Outline, section: Section | None) -> tuple[str, ...]:
    """Return the section's bullets; report each that is not one phrase in double quotes."""
    phrases = []
    for item in bullets(section):
        match = _QUOTED.fullmatch(item.text)
        phrases.append(match[1] if match else item.text)
        if match is None:
            outline.findings.add(item.number, 'must be one phrase in double quotes, as in `- "One thing."`')
    return tuple(phrases)


def _items(section: Section | None, marker: re.Pattern[str]) -> list[Line]:
    items: list[Line] = []
    inside = False
    for line in section.body if section else ():
        if match := marker.fullmatch(line.text):
            items.append(Line(line.number, match[1].strip()))
            inside = True
        elif not line.text.strip() or _BULLET.fullmatch(line.text) or _STEP.fullmatch(line.text):
            inside = False
        elif inside:
            items[-1] = Line(items[-1].number, f"{items[-1].text} {line.text.strip()}")
    return items


def _sections(lines: Sequence[str], offset: int) -> Iterator[Section]:
    """Split the body at its headings; *offset* lines of front matter precede it."""
    heads = [(i, match) for i, line in enumerate(lines) if (match := _HEADING.fullmatch(line))]
    ends = [*(i for i, _ in heads[1:]), len(lines)]
    within: str | None = None
    for (i, match), end in zip(heads, ends, strict=False):  # without headings there is one end too many
        level = len(match[1])
        own = tuple(Line(offset + n + 1, lines[n]) for n in range(i + 1, end))
        yield Section(level, match[2], offset + i + 1, within if level == 3 else None, own)
        if level < 3:
            within = match[2] if level == 2 else None


def _cells(row: str) -> list[str]:
    cells = _PIPE.split(row.strip().removeprefix("|"))
    if not cells[-1].strip():
        cells.pop()  # the row's closing pipe
    return [cell.replace("\\|", "|").strip() for cell in cells]
