"""Words by which an answer names somebody: by what they are, by what they said, by what they look after."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.engines.answer_cues import ROLE as _ROLE

_I: Final = re.IGNORECASE

ROLE_AND_NAME = re.compile(
    r"(?:\b(?i:our|the|my|their|its)|^\W*(?i:the|our|"
    r"my)?) (?P<who>(?:[a-z][\w-]*,? ){1,4}?(?:of (?:the )?[A-Z]\w+)?"
    r"\s*,? ?[A-Z][a-zé]+ [A-Z][a-zé’'-]+)(?=\W)"
)
"""What somebody is and how they are called: "our producer, Ada Lind, …"."""
_SAYS: Final = (
    r"(?:has |have |had |keeps? |also |still )*(?:said|says?|saying|told|tells?|telling|wrote|writes?|"
    r"warned|warns?|"
    r"argued|argues|made|raised|put|thinks?|confirmed|confirms)\b"
)
_OF_WHOM: Final = (
    r"(?:,? (?:from|in|of|at|our|the|who is) [\w ]{2,40}?|, [a-z][\w ]{2,40}?(?: of [A-Z]\w+)?)?"
)
NAMED_SAYS = re.compile(
    rf"\b(?P<who>[A-Z][a-zé]+ [A-Z][a-zé’'-]+){_OF_WHOM},? {_SAYS}|"
    rf"^\W*(?P<firm>[A-Z][a-zé]+) {_SAYS}"
)
ROLE_SAYS = re.compile(
    rf"\b(?P<who>(?:our|the|their|my) (?:{_ROLE}|\w+(?:er|or|ist|ian|ant|man|woman))) {_SAYS}", _I
)
"""Who argued it, by name or by what they are."""
NAMED_FIRST = re.compile(
    r"\W*(?P<who>[A-Z][a-zé]+ [A-Z][a-zé’'-]+)(?=,? (?:of|from|at|for) [A-Z]|, (?:[a-z][\w-]* ){1,3}of |"
    r",? (?:on|in|by) )"
)
"""Somebody by name, of a firm or with a day, as they open the answer."""
NAMED_WATCHES = re.compile(
    r"\b(?P<who>[A-Z][a-zé]+ [A-Z][a-zé’'-]+)(?:,? (?:from|in|of|at|our|"
    r"the) [\w ]{2,30}?)?,? (?:looks? (?:at|"
    r"after|into)|watch(?:es)?|follows|sees|goes through|gets|does)\b"
)
PARTY_FIRST = re.compile(
    r"\W*(?P<who>(?:the|our|their|its|my) (?:[\w’'-]+ ){0,3}?(?!weather|number|matter|winter|summer|letter|"
    r"order|"
    r"offer|quarter|paper|answer|other|latter|former|factor|sector|customer|moment|present|team|management|"
    r"manager\b)(?:\w{2,}(?:er|or|ist|ian|lord|ees|ers|ors)|office|ministry|county|city|town|council|bank|"
    r"board|"
    r"court|union|agency|authority|committee|parliament|department|parish|region|police|owners?|tribunal|"
    r"president|agents?|tenants?|parents?|trustees?)(?: (?:of|in|at|for) (?:the |our )?[\w’'-]+){0,2})"
    r"(?=\s*[,.;]|$|\s+(?:in|on|by|before|and)\b)",
    _I,
)
"""Somebody who is no person, as the answer opens with them: "The seller, in clause 4"."""
