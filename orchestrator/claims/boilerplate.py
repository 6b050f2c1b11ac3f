"""Lines and slides that assert nothing: copyright, contacts, agendas, instructions, criteria."""

from __future__ import annotations

import re
from typing import Final

_LINE: Final = re.compile(
    r"©|\(c\)\s*(?:19|20)\d\d|\bcopyright\b|\ball rights reserved\b|\blicen[cs]ed under\b|"
    r"\bmade available under\b|^\W*(?:strictly |company )?(?:private (?:and|&) )?confidential\W*$|"
    r"\bproprietary and confidential\b|\btrademarks?\b.*\bowners?\b|\bsafe harbou?r\b|"
    r"\bforward[- ]looking statements?\b|\bno obligation to update\b|\bfor illustrative purposes\b|"
    r"\binternal use only\b|\blorem ipsum\b|\binsert (?:your|text|logo)\b|\bclick to (?:add|edit)\b|"
    r"^\W*(?:contacts?|e-?mail|tel|phone|fax|website|web|url|address|links?|code|source code|"
    r"repo(?:sitory)?|slack|docs?)\s*:|^\W*(?:sources?|references?|footnotes?|notes?|disclaimer)\s*:|"
    r"\b(?:for )?more (?:information|details|info)\b|\blearn more\b|\bfind out more\b|\bread more\b|"
    r"\bdownload (?:it |the )?(?:here|from|at)\b|^\W*(?:thank you|thanks|questions|q&a|agenda|contents|"
    r"table of contents|appendix|references|discussion)\W*$",
    re.IGNORECASE,
)
_SLIDE: Final = re.compile(
    r"^\W*(?:agenda|(?:table of )?contents|outline|thank you.*|thanks.*|questions.*|q ?& ?a.*|"
    r"contacts?(?: us)?|references|bibliography|sources|disclaimer.*|legal.*|copyright.*|glossary|"
    r"get involved|instructions?\b.*|how to use .*)\W*$",
    re.IGNORECASE,
)
_CRITERIA: Final = re.compile(
    r"\b(?:criteria|requirements?|checklist|guidelines?|template|instructions?)\b",
    re.IGNORECASE,
)
_CODE: Final = re.compile(
    r">>>|\w\([^)]*\)\s*$|^\s*(?:from|import|for|def|class|return)\s[\w.]+.*[:)]?\s*$(?<=[:)])|[{};]\s*$|"
    r"\w+\s=\s\w+[.(]",
)
_LINK: Final = re.compile(r"(?:https?://|www\.)\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


NO_WORD: Final = re.compile(r"[!-~]{200}")
"""Two hundred characters of ASCII without a space are no word; some rules take time with the
square of a word's length."""


def is_boilerplate(line: str) -> bool:
    """The line is there for lawyers, readers of footers or machines, and claims nothing."""
    if NO_WORD.search(line) or _LINE.search(line) or _CODE.search(line):
        return True
    return bool(_LINK.search(line)) and len(_WORD.findall(_LINK.sub("", line))) < 4


def claims_nothing(title: str) -> bool:
    """The slide is an agenda, a list of references, a goodbye, or instructions to its author."""
    return bool(_SLIDE.search(title))


def lists_criteria(title: str) -> bool:
    """The slide says what would have to be met: most of its lines are no claims of the presenter."""
    return bool(_CRITERIA.search(title))
