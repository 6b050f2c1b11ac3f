"""Whether an answer gives a source, an owner, a cause or a comparison: told by the words for them."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.claims.periods import find_periods
from orchestrator.engines import answer_cues as cues
from orchestrator.engines import saying_cues as saying
from orchestrator.engines.asked import Asked
from orchestrator.engines.evasions import puts_off, refusal
from orchestrator.engines.found import LONG_ANSWER, SHORT_ANSWER, Evidence, Found, cued, not_cued
from orchestrator.engines.given_reasons import reason_in_other_words
from orchestrator.engines.reading import Answer, clause_from, sentence_at
from orchestrator.engines.topics import topic_of

_CAUSE_FOLLOWS = re.compile(r"(?:because|due|driven|owing|thanks|as a result)\b", re.IGNORECASE)
_FILLERS = re.compile(r"\b(?:um+|uh+|er+|you know|i mean|well|so|we|w|when)\b[\s,.…]*", re.IGNORECASE)
_CAUSE_PRECEDES = re.compile(r"(?:that|this|which)(?:['’]s| is| was) why\b", re.IGNORECASE)
_CASE = re.compile(r"\b(?:if|unless|once|when|should)\b[^,.;]*", re.IGNORECASE)
_OF_ITS_OWN = re.compile(r"\s+(?:of|by|on) (?!ours|us\b|the team\b)(?:the |our |an? )?\w", re.IGNORECASE)
"""What a report is of, or who made it: with its date, it can be asked for by name."""
_NEW_WORDS: Final = 2
"""Telling words by which a condition says more than "if things change"."""
_FEWEST_WORDS: Final = 3  # of a comparison that is said back: "comparably" alone says nothing


def source(answer: Answer, asked: Asked) -> Evidence:
    """A record that somebody else could open, or an outsider who measured."""
    if admission := cues.NOTHING_SIGNED.search(answer.text):
        words = sentence_at(answer.text, *admission.span())
        return Evidence("source", Found.UNCLEAR, admits=words)
    vague = next(cues.VAGUE_SOURCE.finditer(answer.text), None)
    for part, match in cued(cues.SOURCE, answer):
        words = clause_from(answer.text, part.start + match.start(), part.start + match.end())
        weak = cues.VAGUE_SOURCE.search(words)
        if not (weak and not _names_record(words, weak)) and not part.topic.clashes(asked.topic):
            return Evidence("source", Found.GIVEN, words.strip())
    signed = re.search(r"\bsigned\b[^.;]{0,40}", answer.text) if "sign" in asked.topic.words else None
    if signed and (find_periods(signed[0]) or re.search(r"\b(?:with|by) [A-Z]", signed[0])):
        return Evidence("source", Found.GIVEN, clause_from(answer.text, signed.start(), signed.end()))
    if vague:
        words = clause_from(answer.text, vague.start(), vague.end())
        whole = next((one for one in answer.sentences if words in one.text), None)
        if whole and whole.periods and _OF_ITS_OWN.match(answer.text, vague.end()):
            return Evidence("source", Found.GIVEN, whole.text.rstrip("."))
        return Evidence("source", Found.MISSING, words, "no record")
    return not_cued("source", answer, asked)


def _names_record(words: str, weak: re.Match[str]) -> bool:
    """Beside the vague words stands a record: "from our system's export of 3 June"."""
    rest = words[: weak.start()] + " from " + words[weak.end() :]
    return bool(cues.SOURCE.search(rest))


def owner(answer: Answer, asked: Asked) -> Evidence:
    text = answer.text
    for match in cues.NAMED_OWNER.finditer(text):
        name = match["name"] or match["by"] or match["is"] or match["at"]
        group = cues.GROUP.search(match[0]) or cues.NO_NAMES.match(name)
        if not group and not cues.NEGATED.search(text[max(0, match.start() - 40) : match.start()]):
            return Evidence("owner", Found.GIVEN, match[0].strip(" ,"))
    if titled := _titled(answer, asked):
        return Evidence("owner", Found.GIVEN, titled)
    named = None if puts_off(text) else saying.ROLE_AND_NAME.search(text)
    if named and not cues.NO_NAMES.match(named["who"].split(",")[-1].strip()):
        return Evidence("owner", Found.GIVEN, named["who"].strip())
    if cues.NAME_ALONE.fullmatch(text) and not cues.NO_NAMES.match(text.strip()):
        return Evidence("owner", Found.GIVEN, text.strip().rstrip(".!"))
    for part, match in cued(cues.OWNER, answer):
        if not puts_off(part.text):
            words = clause_from(text, part.start + match.start(), part.start + match.end())
            return Evidence("owner", Found.GIVEN, words.strip())
    if (role := cues.ROLE_FIRST.match(text)) and not puts_off(text):
        return Evidence("owner", Found.GIVEN, role["who"].strip())
    if asked.may_be_body and (body := _body(answer)):
        return Evidence("owner", Found.GIVEN, body)
    if said := _who_says(answer, asked):
        return Evidence("owner", Found.GIVEN, said)
    for because, cue in (("nobody", cues.NOBODY_YET), ("group", cues.GROUP)):
        if found := cue.search(text):
            return Evidence("owner", Found.MISSING, sentence_at(text, *found.span()), because)
    if cues.ONE_NAME.fullmatch(text.strip()) and not cues.NO_NAMES.match(text.strip()):
        return Evidence("owner", Found.UNCLEAR)
    return not_cued("owner", answer, asked)


def _titled(answer: Answer, asked: Asked) -> str | None:
    """Somebody by title and name who opens a sentence, or of whom it says what they argued."""
    for part in answer.sentences:
        match = cues.TITLED.match(part.text)
        if match is None and asked.is_of_argument:
            match = cues.TITLED_SAYS.search(part.text)
        if match is None or puts_off(part.text):
            continue
        if not cues.NEGATED.search(part.text[max(0, match.start() - 40) : match.start()]):
            return match["who"].strip(" ,:")
    return None


def _who_says(answer: Answer, asked: Asked) -> str | None:
    """Who argued it, who watches it, or which party opens the answer, where that is what was asked."""
    patterns = (saying.NAMED_SAYS, saying.ROLE_SAYS) if asked.is_of_argument else ()
    opens = saying.NAMED_FIRST.match(answer.text)
    if opens and not cues.NO_NAMES.match(opens["who"]) and not puts_off(answer.sentences[0].text):
        return opens["who"].strip()
    for part in answer.sentences:
        for pattern in (*patterns, saying.NAMED_WATCHES):
            if (match := pattern.search(part.text)) and not puts_off(part.text):
                who = str(match.groupdict().get("firm") or match["who"])
                if not cues.NO_NAMES.match(who) and not cues.GROUP.search(who):
                    return who.strip()
    first = saying.PARTY_FIRST.match(answer.text) if asked.may_be_body else None
    return first["who"].strip() if first and not puts_off(answer.sentences[0].text) else None


def _body(answer: Answer) -> str | None:
    """A council, a board, an office that has to agree or decides."""
    for part, match in cued(cues.BODY_DECIDES, answer):
        if not puts_off(part.text):
            return match["who"].strip()
    return None


def _tells(case: str, asked: Asked) -> bool:
    return len(topic_of(case).words - asked.topic.words) >= _NEW_WORDS


def _condition(answer: Answer, asked: Asked) -> str | None:
    """What would make it otherwise: "if the pilot fails, I would withdraw it"."""
    for part, match in cued(cues.CONDITION, answer):
        case = _CASE.search(part.text)
        says = case[0] if case else part.text[: match.start()]
        if not puts_off(part.text) and _tells(says, asked):
            return sentence_at(answer.text, part.start + match.start(), part.start + match.end())
    return None


def _says_nothing(reason: str) -> bool:
    return not re.search(r"\w", _FILLERS.sub(" ", re.sub(r"^\W*of\b", " ", reason)))


def cause(answer: Answer, asked: Asked) -> Evidence:
    if asked.is_condition and (condition := _condition(answer, asked)):
        return Evidence("cause", Found.GIVEN, condition)
    if told := reason_in_other_words(answer, asked):
        return Evidence("cause", Found.GIVEN, told)
    empty = other = None
    found = list(cued(cues.CAUSE, answer))
    if answer.length > LONG_ANSWER:
        found.sort(key=lambda pair: not pair[0].topic.meets(asked.topic))
    for part, match in found:
        # what the cause is of; the cause itself is new, and stands before "and that is why"
        sides = part.text[: match.start()], part.text[match.end() :]
        before = _CAUSE_PRECEDES.match(match[0]) is not None
        effect = topic_of(sides[before])
        idle_if = asked.is_condition and (case := _CASE.match(match[0])) and not _tells(case[0], asked)
        if puts_off(part.text) or idle_if:
            continue
        if effect.clashes(asked.topic):
            other = other or sentence_at(answer.text, part.start, part.start + match.end())
            continue
        words = clause_from(answer.text, part.start + match.start(), part.start + match.end())
        if before:
            words = re.sub(r"\W+(?:and|so)?\W*$", "", part.text[: match.start()])
            words = sentence_at(answer.text, part.start, part.start + len(words))
        says = topic_of(sides[not before]).words
        if _CAUSE_FOLLOWS.match(match[0]) and _says_nothing(answer.text[part.start + match.end() : part.end]):
            continue  # "because of, you know, we": a reason was begun and not given
        circular = answer.length <= SHORT_ANSWER and not says - asked.topic.words
        if not cues.EMPTY_CAUSE.match(words) and not circular:
            return Evidence("cause", Found.GIVEN, words)
        empty = empty or words
    if empty:
        return Evidence("cause", Found.MISSING, empty, "empty")
    if other and answer.length <= SHORT_ANSWER:
        return Evidence("cause", Found.MISSING, other, "elsewhere")
    return not_cued("cause", answer, asked)


_INSTEAD = re.compile(
    r"^\W*then\b|\b(?:instead|rather than|otherwise|then (?:we|it|they|the)|we would|we['’]d|in that case|"
    r"plan b|fall ?back|"
    r"the alternative|we (?:stop|postpone|wait|cut|borrow|repair|keep|use|go|buy|rent|close|do without))\b",
    re.IGNORECASE,
)


_ACTS = re.compile(
    r"\b(?:i|we|they|you|he|she|it|board|trustees|team)(?:['’]d|['’]ll| would| will| can| could| shall|"
    r" may| might| "
    r"must| have to| go| keep| take| stop| ask| use| lose| stay| need)\b|\b(?:if|unless|another|other|second|"
    r"nothing|instead|without|else|plan|option|alternative|back|alone|until|again|no one|nobody|would|"
    r"will)\b|"
    r"^\W*(?!it\b)[a-z]+ing\b",
    re.IGNORECASE,
)
"""Somebody does something, or something else is there."""


def _alternative(answer: Answer, asked: Asked) -> Evidence:
    """What would be done instead; what was so last year is none, whatever it is compared with."""
    for part in answer.sentences:
        match = _INSTEAD.search(part.text)
        if match and not puts_off(part.text) and part.topic.words - asked.topic.words:
            return Evidence(
                "comparison", Found.GIVEN, sentence_at(answer.text, part.start, part.start + match.end())
            )
    if not _ACTS.search(answer.text) or (answer.length < SHORT_ANSWER and next(answer.numbers, None)):
        return Evidence("comparison", Found.MISSING)  # a figure or praise, and nothing that would be done
    return not_cued("comparison", answer, asked)


_BESIDE_ASKED = re.compile(r"\bcompared (?:with|to)\b", re.IGNORECASE)
_BESIDE = re.compile(
    r"\W*(?:with|to|against) (?!everything|others\b|the (?:market|industry)\b)\w+", re.IGNORECASE
)


def comparison(answer: Answer, asked: Asked) -> Evidence:
    if admission := cues.NOT_COMPARED.search(answer.text):
        words = sentence_at(answer.text, *admission.span())
        return Evidence("comparison", Found.UNCLEAR, admits=words)
    if asked.wants_instead:
        return _alternative(answer, asked)
    beside = _BESIDE.match(answer.text) if _BESIDE_ASKED.search(asked.text) else None
    if beside and answer.sentences[0].topic.words:
        return Evidence("comparison", Found.GIVEN, sentence_at(answer.text, *beside.span()))
    unweighed = None
    for part, match in cued(cues.COMPARISON, answer):
        if part.topic.clashes(asked.topic):
            continue
        words = clause_from(answer.text, part.start + match.start(), part.start + match.end())
        if len(words.split()) < _FEWEST_WORDS:
            words = sentence_at(answer.text, part.start + match.start(), part.start + match.end())
        if part.numbers or cues.WEIGHED.search(part.text):
            return Evidence("comparison", Found.GIVEN, words)
        unweighed = unweighed or words
    if unweighed and not refusal(answer.text):
        return Evidence("comparison", Found.UNCLEAR)  # the other side is named, and not how large it is
    return not_cued("comparison", answer, asked)
