"""A reader of YAML that a user wrote: the text costs no more than its size, or is refused with its line.

Aliases and merges make a small file endless, and endless brackets overflow the stack. Both are refused before
anything is built.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from orchestrator.core.errors import InputError, reduced
from orchestrator.core.legible import one_line

# ---------------------------------------------------------------------- plain yaml


_DEEPEST: Final = 8
"""Maximum depth of nesting; our own limit. A list in an entry is at depth 3, a key of a persona's tables
at depth 4."""
# What PyYAML's own constructors let out, of `2026-13-45`, `!!bool x`, `!!timestamp x` or 5,000 digits.
_UNFIT: Final = (ValueError, KeyError, IndexError, AttributeError, TypeError, RecursionError)

NO_TEXT, ALIAS, DEPTH, SYNTAX, VALUE = "no text", "alias", "depth", "syntax", "value"
"""Reasons why a text gives no value; each reader of a kind of file says in its own words what is wrong."""


class PlainYamlError(Exception):
    """The text cannot be read as a value; the attributes say why."""

    def __init__(self, trouble: str, line: int | None, reason: str = "") -> None:
        super().__init__(reason or trouble)
        self.trouble = trouble  # one of the five above
        self.line = line  # from 1; None: not known
        self.reason = reason  # of SYNTAX, as the parser words it; of ALIAS, its name

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)


def read_plain_yaml(text: str, *, as_written: bool) -> tuple[Any, Any]:
    """Return the document as nodes, which know their lines, and as plain values; None twice if it is empty.

    Args:
        as_written: Whether every value is returned as the text that is written, "no" and "4.20" too.

    Raises:
        PlainYamlError: The text is not YAML, or has more than plain lists and mappings of values.
    """
    import yaml  # 0.02 s to import: only where there is some

    try:
        loader = (yaml.BaseLoader if as_written else yaml.SafeLoader)(text)
        # Each node passes through it, so that a trap is met before what it holds is built.
        loader.compose_node = partial(_compose, loader, loader.compose_node, [0])  # type: ignore[method-assign]
        node = loader.get_single_node()
        return node, None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        reason = " ".join(str(error.problem or "cannot be read").split())
        raise PlainYamlError(SYNTAX, None if mark is None else mark.line + 1, reason) from None
    except yaml.YAMLError:
        raise PlainYamlError(NO_TEXT, None) from None
    except _UNFIT:
        raise PlainYamlError(VALUE, None) from None


def _compose(loader: Any, compose: Callable[..., Any], depth: list[int], parent: Any, index: Any) -> Any:
    """Return the next node, unless it is an alias or nested too deep, which raises PlainYamlError."""
    import yaml

    event = loader.peek_event()
    line: int = event.start_mark.line + 1
    if isinstance(event, yaml.AliasEvent):
        raise PlainYamlError(ALIAS, line, str(event.anchor))
    deeper = isinstance(event, yaml.CollectionStartEvent)
    depth[0] += deeper
    if depth[0] > _DEEPEST:
        raise PlainYamlError(DEPTH, line)
    node = compose(parent, index)
    depth[0] -= deeper
    return node


# ---------------------------------------------------------------------- user list
# A list of entries that a user writes in YAML or JSON: read whole, checked key by key.
#
# In YAML everything is taken as written, so `yes`, `4.20` and `2026-11-22` stay words. Aliases, merges and
# brackets without end, which make a small file large, are refused.


MAX_LIST_BYTES: Final = 256 * 1024
"""Maximum size of a list of entries, some thousand of them; our own limit."""
# A board has some thirty seats and a press review some dozen findings; more is another kind of file.
MAX_ENTRIES: Final = 500
YAML_SUFFIXES: Final = frozenset({".yaml", ".yml", ".json"})

NO_FILE, MISSING, BROKEN, LARGE, ENCODING, EMPTY = (
    "no file", "missing", "broken", "large", "encoding", "empty",
)  # fmt: skip
"""Reasons why a file gives no text; each reader of a kind of file says in its own words what is wrong."""


class UnreadableError(Exception):
    """The file cannot be read as text; *trouble* is one of the six reasons above."""

    def __init__(self, trouble: str, reason: str = "") -> None:
        super().__init__(trouble)
        self.trouble = trouble
        self.reason = reason  # of BROKEN, as the system words it


def read_given(path: Path, max_bytes: int) -> str:
    """Return the file's text, without a byte-order mark.

    Raises:
        UnreadableError: The path is not a file, or the file cannot be read, is larger than *max_bytes*, is
            empty, or is not UTF-8 text.
    """
    try:
        if path.exists() and not path.is_file():
            raise UnreadableError(NO_FILE)
        # A pipe or a device was refused above: opening one could wait for ever.
        with path.open("rb") as file:
            raw = file.read(max_bytes + 1)  # one more than allowed tells a file of any size
    except FileNotFoundError:
        raise UnreadableError(MISSING) from None
    except (OSError, ValueError) as error:  # ValueError: NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "no path that can be"
        raise UnreadableError(BROKEN, reason) from None
    if len(raw) > max_bytes:
        raise UnreadableError(LARGE)
    try:
        text = raw.decode("utf-8-sig")  # with the mark that Windows editors put first
    except UnicodeDecodeError:
        raise UnreadableError(ENCODING) from None
    if not text.strip():
        raise UnreadableError(EMPTY)
    return text


@dataclass(frozen=True, slots=True)
class Form:
    """The shape of a list of entries: its keys, and which of them are lists of texts."""

    what: str  # as messages say it: "a list of board members"
    example: str  # how an entry begins: "- name: …"
    keys: tuple[str, ...]
    lists: frozenset[str] = frozenset()
    sentences: frozenset[str] = frozenset()  # of `lists`: where a single text is cut at line ends, not commas
    bare: str | None = None  # the key of an entry that is only a text; None: that is refused
    inside: str | None = None  # the key under which a mapping may hold the list, beside defaults


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list; each of its values is one line of text, or a tuple of such lines."""

    where: str  # "board.yaml, line 3", or "board.json: item 2"
    texts: Mapping[str, str]
    lists: Mapping[str, tuple[str, ...]]

    def text(self, key: str) -> str | None:
        """Return the value of *key*, or None if there is none."""
        return self.texts.get(key)


def read_text(path: Path, what: str, max_bytes: int = MAX_LIST_BYTES) -> str:
    """Return the file's text, without a byte-order mark.

    Raises:
        InputError: The path is not a file, or the file cannot be read, is too large, is empty, or is not
            UTF-8 text.
    """
    name = shown_name(path)
    troubles = {
        NO_FILE: f"is not a file: give {what}",
        MISSING: f"there is no such file: give {what}",
        BROKEN: "cannot be read: ",
        LARGE: f"is larger than {max_bytes // 1024} KB: shorten it",
        ENCODING: "is not UTF-8 text: save it as UTF-8",
        EMPTY: f"is empty: give {what}",
    }
    try:
        text = read_given(path, max_bytes)
    except UnreadableError as error:
        raise InputError(f"{name}: {troubles[error.trouble]}{error.reason.lower()}") from None
    if "\0" in text:
        raise InputError(f"{name}: holds NUL, so it is no text: give {what}")
    return text


def read_entries(path: Path, form: Form) -> tuple[Entry, ...]:
    """Return the entries of the list in *path*, in order, with the file's defaults filled in.

    Raises:
        InputError: The file is not such a list. The message is one line that names the file, the line (in
            JSON the item) and what is wrong.
    """
    name = shown_name(path)
    text = read_text(path, form.what)
    if path.suffix.lower() == ".json":
        plain = _json(text, name)
        found, defaults = _unwrapped(plain, form, name), _defaults(plain, form, name)
        wheres = [f"{name}: item {number}" for number in range(1, len(found) + 1)]
    else:
        node, plain = _yaml(text, name)
        found, defaults = _unwrapped(plain, form, name), _defaults(plain, form, name)
        wheres = [f"{name}, line {line}" for line in _lines(node, form)]
    if not found:
        raise InputError(f"{name}: the list is empty: begin each entry with `{form.example}`")
    if len(found) > MAX_ENTRIES:
        raise InputError(f"{name}: has {len(found)} entries (limit {MAX_ENTRIES}): shorten it")
    return tuple(_entry(item, form, where, defaults) for item, where in zip(found, wheres, strict=True))


def shown_name(path: Path | str) -> str:
    """Return a path in a form that is safe in a message of one line."""
    return "".join(char if char.isprintable() else "?" for char in str(path))


def hint(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return a question for the known name of which *name* is a misspelling; if there is none, return
    *otherwise*."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)  # difflib's own choice of likeness
    return f"did you mean {near[0]}?" if near else otherwise


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{name}, line {error.lineno}: is not JSON: {error.msg.lower()}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{name}: numbers too long or brackets too deep: give a plain list") from None


def _yaml(text: str, name: str) -> tuple[Any, Any]:
    """Return the YAML document in *text* as nodes, which know their lines, and as plain values."""
    try:
        return read_plain_yaml(text, as_written=True)
    except PlainYamlError as error:
        where = name if error.line is None else f"{name}, line {error.line}"
        raise InputError(f"{where}: {yaml_trouble(error)}") from None


def yaml_trouble(error: PlainYamlError) -> str:
    """Return what is wrong with a list in YAML, and what to do."""
    if error.trouble == SYNTAX:
        # YAML names the tab by its escape or as itself; neither tells a person what to change.
        is_tab = "\\t" in error.reason or "'\t'" in error.reason
        problem = "a tab stands where YAML wants spaces" if is_tab else one_line(error.reason)
        return f"is not YAML: {problem}"
    return {
        ALIAS: f"has an alias (*{error.reason}): write it out",
        DEPTH: "is nested too deeply: give a plain list",
        NO_TEXT: "is not YAML: it holds characters that are not text",
    }.get(error.trouble, "holds a value that cannot be read: write it as a text")


def _unwrapped(plain: Any, form: Form, name: str) -> list[Any]:
    if form.inside is not None and isinstance(plain, dict) and isinstance(plain.get(form.inside), list):
        plain = plain[form.inside]
    if not isinstance(plain, list):
        raise InputError(f"{name}: is not {form.what}: begin each entry with `{form.example}`")
    return plain


def _defaults(plain: Any, form: Form, name: str) -> dict[str, Any]:
    """Return the values beside the list, which are the defaults of every entry that has no value of its
    own."""
    if not isinstance(plain, dict):
        return {}
    outside = {key: value for key, value in plain.items() if key != form.inside}
    _check_keys(outside, form, name)
    return outside


def _lines(node: Any, form: Form) -> list[int]:
    import yaml

    if isinstance(node, yaml.MappingNode):
        node = next(value for key, value in node.value if key.value == form.inside)
    return [item.start_mark.line + 1 for item in node.value]


def _entry(item: Any, form: Form, where: str, defaults: Mapping[str, Any]) -> Entry:
    if isinstance(item, str) and form.bare is not None:
        item = {form.bare: item}
    if not isinstance(item, dict):
        raise InputError(f"{where}: is no entry: begin it with `{form.example}`")
    _check_keys(item, form, where)
    texts, lists = {}, {}
    for key, value in {**defaults, **item}.items():
        if key in form.lists:
            lists[key] = _texts(value, key, where, "\n" if key in form.sentences else ",")
        elif (text := _text(value, key, where)) is not None:
            texts[key] = text
    return Entry(where, texts, lists)


def _check_keys(item: Mapping[Any, Any], form: Form, where: str) -> None:
    for key in item:
        if key not in form.keys:
            do = hint(str(key), form.keys, f"there are {', '.join(form.keys)}")
            raise InputError(f"{where}: unknown key {one_line(str(key))[:40]!r}: {do}")


def _texts(value: Any, key: str, where: str, between: str) -> tuple[str, ...]:
    """Return a list of texts as a tuple; a single text is split at *between*."""
    items = value.split(between) if isinstance(value, str) else [] if value is None else value
    if not isinstance(items, list):
        raise InputError(f"{where}: {key} is neither a text nor a list of texts")
    found = (_text(item, key, where) for item in items)
    return tuple(text for text in found if text is not None)


def _text(value: Any, key: str, where: str) -> str | None:
    if value is None or value == "" or value == "~":  # as YAML writes that there is none
        return None
    if isinstance(value, bool | dict | list):
        raise InputError(f"{where}: {key} is not a text: write it in one line")
    text = one_line(str(value).encode("utf-8", "replace").decode())
    return text or None
