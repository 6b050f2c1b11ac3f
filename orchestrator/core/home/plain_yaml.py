"""YAML that a user writes: it costs no more than its size, or is refused with its line.

Aliases and merges make a small file endless, and brackets without end overflow the stack: both are
refused before anything is built.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from orchestrator.core.errors import reduced

_DEEPEST: Final = 8
"""A list in an entry is at depth 3, a key of a persona's tables at depth 4; our own limit."""
# What PyYAML's own constructors let out, of `2026-13-45`, `!!bool x`, `!!timestamp x` or 5,000 digits.
_UNFIT: Final = (ValueError, KeyError, IndexError, AttributeError, TypeError, RecursionError)

NO_TEXT, ALIAS, DEPTH, SYNTAX, VALUE = "no text", "alias", "depth", "syntax", "value"
"""Why it gives no value; whoever reads it says in their own words what is wrong with it."""


class PlainYamlError(Exception):
    """The text gives no value."""

    def __init__(self, trouble: str, line: int | None, reason: str = "") -> None:
        super().__init__(reason or trouble)
        self.trouble = trouble  # one of the five above
        self.line = line  # from 1; None: not known
        self.reason = reason  # of SYNTAX, as the parser words it; of ALIAS, its name

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)


def read_plain_yaml(text: str, *, as_written: bool) -> tuple[Any, Any]:
    """The document as nodes, which know their lines, and as plain values; None twice where it is empty.

    Args:
        as_written: Every value is a text as it is written, "no" and "4.20" too.

    Raises:
        PlainYamlError: It is no YAML, or more than plain lists and mappings of values.
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
    """The next node, if it is no alias and not too deep."""
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
