"""Words that say what the money is for: an ask, a budget, a plan of spending."""

from __future__ import annotations

import re

ASK = re.compile(
    r"\b(?:we |i )?(?:ask(?:s|ing)?(?: (?:you|the board))?(?: for| to approve)?|rais(?:e|es|ing)|seek(?:s|"
    r"ing)?|"
    r"request(?:s|ed|ing)?|need(?:s|ed)?|require[sd]?|approv(?:e|al)(?: of)?|invest(?:s|ing|ment)?|"
    r"fund(?:s|ing)?|"
    r"budget(?:ed)?|capex|tranches?|proceeds|round|grant|spend(?:ing)?|costs?|envelope|ticket)\b",
    re.IGNORECASE,
)
"""The sentence names an amount of money that is to be given or spent."""

ASKED = re.compile(
    r"\b(?:(?:we|i)(?: (?:now|therefore|hereby|formally))?(?: are|['’]re| am|['’]m)? ?(?:ask(?:ing)?|"
    r"rais(?:e|ing)|seek(?:ing)?|"
    r"request(?:ing)?)|(?:our|the) (?:ask|request|round)|(?:funding|money|capital|investment|budget) "
    r"(?:needed|required|requested|sought)|"
    r"the ask|(?:is|are) (?:requested|asked for|sought|"
    r"needed)|use of funds|"
    r"(?:ask(?:ing)?|rais(?:e|ing)|seek(?:ing)?|request(?:ing)?|approve|approval) (?:for |of |is )?(?:an? )?"
    r"(?:total |further |additional |budget of |investment of |round of |seed |series [a-e] )*(?=[€$£¥]|"
    r"[A-Z]{3} ?\d|\d))",
    re.IGNORECASE,
)
"""The presenter asks for money in so many words."""

USES = re.compile(
    r"\b(?:use of (?:the )?(?:funds?|proceeds|money|capital|investment)|uses? of|how (?:we|the money|it|"
    r"the funds?) "
    r"(?:will )?(?:spend|be spent|is spent|be used|is used|use)|where (?:the|your|this|every) \w+ (?:goes|"
    r"will go)|"
    r"what (?:the money|it|the round|the budget|the ask|we) (?:is for|pays for|buys|will buy|spend)|"
    r"(?:budget|investment|cost|spending|funding|capex|money|ask|request) (?:breakdown|split|plan|by)|"
    r"breakdown of (?:the )?(?:ask|budget|investment|costs?|request|round)|allocation|split of the|what we "
    r"(?:ask|need)|"
    r"the ask|our ask|tranches?|uses)\b|^\W*(?:budget|investment|use|funding|costs?)\W*$",
    re.IGNORECASE,
)
"""The heading says that what follows hands out an amount of money."""
