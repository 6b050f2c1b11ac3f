"""The shape of a template: front matter, headings, bullets and tables, each with its line.

A template is Markdown that people and language models read as text; this is the part of
its shape that programs read too. HTML comments and fenced code are prose: nothing inside
them is a heading, a bullet or a row.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrator.panel.personas.fault import Findings
from orchestrator.panel.personas.front_matter import FrontMatter, read_front_matter

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
    """A line, bullet or step, with the number of the line it starts on."""

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
    """One template: its front matter, its sections, and what was found wrong so far."""

    findings: Findings
    front: FrontMatter
    sections: tuple[Section, ...]

    def under(self, within: str | None) -> tuple[Section, ...]:
        """The `##` sections, or the `###` sections *within* one of them."""
        level = 2 if within is None else 3
        return tuple(s for s in self.sections if s.level == level and s.within == within)

    def section(self, title: str, within: str | None = None) -> Section | None:
        return next((s for s in self.under(within) if s.title == title), None)

    def is_faulty(self, section: Section) -> bool:
        """Something was found on the section's own lines or its heading."""
        last = section.line + len(section.body)
        return any(section.line <= (finding.line or 0) <= last for finding in self.findings.found)

    def expect(self, titles: Sequence[str], within: str | None = None, *, more: bool = False) -> None:
        """Find what is missing, misspelt, twice or out of order among the headings.

        Args:
            within: Expect `###` headings in this `##` section; nothing if it is absent.
            more: Sections of the author's own are welcome after the last of *titles*.
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
        """The rows of the section's one table, each with its line; cells by column name."""
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
    """Read a template's shape; never raises for what the text holds.

    Args:
        front: Front matter is required; otherwise it may be absent.
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
    """The section's bullets, each with the lines that continue it joined on."""
    return _items(section, _BULLET)


def unquoted(text: str) -> str:
    """*text* without the double quotes around it, if it is one phrase in double quotes."""
    match = _QUOTED.fullmatch(text)
    return match[1] if match else text


def table_rows(section: Section) -> list[dict[str, str]]:
    """The rows of the section's first table, by column; those that do not fit its header are passed over."""
    lines = [line.text for line in section.body if line.text.lstrip().startswith("|")]
    if len(lines) < 2 or not _RULER.fullmatch(lines[1].strip()):
        return []
    columns = _cells(lines[0])
    rows = (_cells(line) for line in lines[2:])
    return [dict(zip(columns, row, strict=True)) for row in rows if len(row) == len(columns)]


def steps(section: Section) -> list[Line]:
    """The section's numbered steps."""
    return _items(section, _STEP)


def quoted_bullets(outline: Outline, section: Section | None) -> tuple[str, ...]:
    """The section's bullets, each of which must be one phrase in double quotes."""
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
    """Cut the body at its headings; *offset* lines of front matter stand above it."""
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
