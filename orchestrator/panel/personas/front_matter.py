"""The YAML between the two `---` lines at the top of a template, read key by key.

A key is written dotted here: `timers_s.stale` is `stale` inside `timers_s`. A value that
cannot be meant becomes a finding with its line, and reads as an empty one.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestrator.core.home.plain_yaml import (
    ALIAS,
    NO_TEXT,
    SYNTAX,
    VALUE,
    PlainYamlError,
    read_plain_yaml,
)
from orchestrator.panel.personas.fault import Findings


@dataclass(slots=True)
class FrontMatter:
    """Keys with their values and lines; empty when the file has none that can be read."""

    findings: Findings
    values: Mapping[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)  # dotted key → line of the file
    misspelt: set[str] = field(default_factory=set)  # keys that are absent but for a slip in their name

    def line_of(self, key: str) -> int:
        """The line of a key; when it is absent, of the mapping that lacks it, or of the file."""
        while key and key not in self.lines:
            key = key.rpartition(".")[0]
        return self.lines.get(key, 1)

    def reject(self, key: str, message: str) -> None:
        self.findings.add(self.line_of(key), f"`{key}` {message}")

    def only(self, keys: Iterable[str], within: str = "") -> None:
        """Find each key that is not one of *keys*, and name the one that was meant, if one is missing."""
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
        """The value of a key; None, with a finding, when there is none."""
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
        """One line of text."""
        value = self.lookup(key)
        if isinstance(value, str) and value.strip() and value.isprintable():
            return value
        if value is not None:
            self.reject(key, "must be one line of text: write it in quotes")
        return ""

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of at least one text."""
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
        """One line of text, or *default* where there is none; nothing is found missing."""
        value = self.values.get(key)
        return value if isinstance(value, str) and value.strip() and value.isprintable() else default

    def texts_or(self, key: str) -> tuple[str, ...]:
        """A list of texts; empty where there is none, and nothing is found missing."""
        value = self.values.get(key)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()

    def choice(self, key: str, choices: Sequence[str]) -> str:
        value = self.text(key)
        if value and value not in choices:
            self.reject(key, f"is {value!r}: choose one of {', '.join(choices)}")
        return value

    def number(self, key: str) -> float:
        """A number above 0."""
        value = self.lookup(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf"):
            return value
        if value is not None:
            self.reject(key, f"is {value!r}: write a number above 0")
        return 0

    def whole(self, key: str) -> int:
        """A whole number above 0."""
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
    """Note the line of each key, two levels deep, and find keys that are given twice."""
    for key, value in node.value:
        name = f"{within}{key.value}"
        line = key.start_mark.line + 2  # marks count from 0, and the first `---` stands above
        if name in front.lines:
            front.findings.add(line, f"`{name}` stands here a second time: keep one")
        front.lines[name] = line
        if not within and value.id == "mapping":
            _note_lines(front, value, f"{name}.")
