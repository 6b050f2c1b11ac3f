"""Build web search queries from the subjects of the deck's claims, without any names.

A query leaves the machine, and a search service sees it. So a query is made of words that cannot name anyone:
those that the deck writes in lower case, and years. Names of the presenter, of speakers and of the company
(the deck's title, its file's name, addresses in it) are left out however they are written, and so are the
deck's own figures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.material.claim import Claim
from orchestrator.material.claims.words import word_set
from orchestrator.material.deck.lines import slide_texts
from orchestrator.material.values import Deck

# Our own limits: each search is paid for (a revision costs five at most), a service weighs few words better
# than a sentence, and fewer than three name no subject.
MAX_QUERIES: Final = 5
MAX_WORDS: Final = 8
MIN_WORDS: Final = 3
_TOPIC_WORDS: Final = 2
"""Number of words with which a query begins that are common in the whole deck: they show which business it
is."""

_ADDRESS = re.compile(
    r"\S*(?:@|://|www\.)\S*|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|ai|eu|co|biz|info|[a-z]{2})\b"
)
_WORD = re.compile(r"[^\W\d_][^\W\d_'’]*(?:['’][^\W\d_]+)?|\b(?:19|20)\d\d\b")
_PART = re.compile(r"[^\W\d_]+")
_SHORTEST: Final = 3  # "tax" and "gas" are subjects; shorter words are function words and abbreviations
_TOPIC_SHORTEST: Final = 5
"""Minimum number of letters of a word in a query, and of a word that may say what the whole deck is about."""

_STOP: Final = word_set(
    "about above after against all almost also and any are around been before being below between both but "
    "can did does down during each every few for from further get gets give gives goes going good had has "
    "have having her here him his how into its just keep like made make makes making many may might more "
    "most much must need needs never next not now off only other our ours out over own per said same say "
    "says see should since some still such take takes than that the their them then there these they this "
    "those through too toward towards under until upon use used uses using very want was well were what "
    "when where which while who whose why will with within without would you your new one two three four "
    "five six seven eight nine ten first second third million billion thousand percent eur usd gbp today "
    "because altogether already ever even let lets came come comes went got put puts set sets way yes "
    "board company companies group deck slide bring brings"
)
_SAFE: Final = word_set(
    "revenue revenues sales profit profits margin margins cost costs churn customers customer users market "
    "share growth demand supply price prices plan budget cash debt risk risks pilot forecast investment "
    "capacity productivity employees passengers members subscribers energy electric market markets industry"
)
"""Business words with which a title may begin and that name nobody."""


@dataclass(frozen=True, slots=True)
class Query:
    """One search, for one claim of the deck."""

    claim: str
    text: str


def queries_of(
    deck: Deck, claims: Sequence[Claim], names: Iterable[str], *, first: Sequence[str] = ()
) -> tuple[Query, ...]:
    """Return at most `MAX_QUERIES` distinct queries; a claim left with too few words gets none.

    Args:
        names: The names that no query may contain, besides those in the deck's title and file name: the
            presenter and the speakers.
        first: Ids of the claims whose queries come first.
    """
    lower = _lower_case(deck)
    private = _private(deck, names)
    allowed = {word for word in lower if word not in private}
    topic = _topic(deck, allowed)
    rank = {claim: place for place, claim in enumerate(first)}
    found: dict[str, Query] = {}
    for claim in sorted(claims, key=lambda one: rank.get(one.id, len(rank))):
        own = list(dict.fromkeys(_kept(claim.text, allowed)))
        words = [*(word for word in topic if word not in own), *own][:MAX_WORDS]
        if len(words) >= MIN_WORDS and own:
            text = " ".join(words)
            found.setdefault(text, Query(claim.id, text))
        if len(found) == MAX_QUERIES:
            break
    return tuple(found.values())


def _kept(text: str, allowed: set[str]) -> Iterator[str]:
    """Yield the words of *text* allowed in a query; capitalised ones only if the deck also has them small."""
    for match in _WORD.finditer(_ADDRESS.sub(" ", text)):
        word = match[0].casefold()
        if word.isdigit() or (word in allowed and word not in _STOP and len(word) >= _SHORTEST):
            yield word


def _texts(deck: Deck) -> Iterator[str]:
    for slide in deck.slides:
        for _, text in slide_texts(slide):
            yield text


def _lower_case(deck: Deck) -> Counter[str]:
    """Count the words that the deck writes in lower case, leaving out those in addresses."""
    words = (match[0] for text in _texts(deck) for match in _WORD.finditer(_ADDRESS.sub(" ", text)))
    return Counter(word for word in words if word.islower())


def _private(deck: Deck, names: Iterable[str]) -> set[str]:
    """Return the words that no query may hold, in lower case, with their possessives."""
    title = _PART.findall(deck.title)
    found = {part.casefold() for part in title if not part.islower()} | {
        part.casefold() for part in title[:1]
    }
    file = _PART.findall(deck.name.rpartition(".")[0] or deck.name)
    found |= {part.casefold() for part in file}
    for text in _texts(deck):
        for address in _ADDRESS.findall(text):
            found |= {part.casefold() for part in _PART.findall(address)}
    # Before the names of people go in: a presenter may be called Price.
    found -= _SAFE
    found |= {part.casefold() for name in names for part in _PART.findall(name)}
    # "Acme's", "Acmes": a possessive names the company as well.
    return found | {f"{word}{mark}s" for word in found for mark in ("'", "’", "")}


def _topic(deck: Deck, allowed: set[str]) -> list[str]:
    """Return the commonest words of the deck that may be searched for."""
    counts: Counter[str] = Counter()
    for slide in deck.slides:
        counts.update({word for _, text in slide_texts(slide) for word in _kept(text, allowed)})
    often = [
        word for word in counts if counts[word] > 1 and not word.isdigit() and len(word) >= _TOPIC_SHORTEST
    ]
    return sorted(often, key=lambda word: (-counts[word], word))[:_TOPIC_WORDS]
