"""Answers prepared for a rehearsal, and choosing the next one of them."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from orchestrator.core.errors import AnswersError, names_its_file
from orchestrator.core.home import plain_yaml
from orchestrator.core.home.plain_yaml import (
    MAX_LIST_BYTES,
    PlainYamlError,
    UnreadableError,
    read_given,
    read_plain_yaml,
    shown_name,
    yaml_trouble,
)
from orchestrator.core.legible import one_line
from orchestrator.material.speech.text import written
from orchestrator.panel.model.exchange import PERSON_VERDICTS

# ---------------------------------------------------------------------- parking
# Whether an answer asks to come back to the question later in the session.
#
# Only a plain wish counts, said about the question itself, and only where no answer follows it. "I'll send
# it to you after the meeting" and "I will get back to you on that" promise something for another day: they
# are judged as answers. English only; `parking.yaml` has the words.


# Each wish beside the pattern that makes it one: "returns" needs "back" within itself, the others their
# partner anywhere in the sentence.
_PARTNERS = {"returns": "back", "to you": "within", "parks": "parked for"}
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
# The figure of a slide is no figure of an answer.
_SLIDES = re.compile(r"\bslides? \w+(?: (?:and|or) \w+)?", re.IGNORECASE)
MAX_WORDS_AFTER = 15
"""Maximum number of words that may follow the wish, an excuse or a thank-you: more words, or a figure, are an
answer.
"""


def wish_to_park(text: str) -> str | None:
    """Return the presenter's words that ask to come back to the question later, or None."""
    words = " ".join(text.split())
    if _patterns()["alone"].search(words):
        return words
    for sentence in _SENTENCE.finditer(words):
        wish = _wish_in(sentence[0])
        if wish is not None and not _is_answer(words[sentence.start() + wish.end() :]):
            return sentence[0].strip()
    return None


def _wish_in(sentence: str) -> re.Match[str] | None:
    patterns = _patterns()
    if patterns["another day"].search(sentence):
        return None
    for name, partner in _PARTNERS.items():
        wish = patterns[name].search(sentence)
        if wish and patterns[partner].search(wish[0] if name == "returns" else sentence):
            return wish
    return None


def _is_answer(rest: str) -> bool:
    if re.match(r"\W*but\b", rest, re.IGNORECASE):
        return True
    figures = _SLIDES.sub("", _patterns()["within"].sub("", rest))
    return bool(re.search(r"\d", figures)) or len(rest.split()) > MAX_WORDS_AFTER


@lru_cache(maxsize=1)
def _patterns() -> dict[str, re.Pattern[str]]:
    pieces: dict[str, str] = {}
    for name, alternatives in written("parking").items():
        piece = "|".join(alternatives)
        for known, pattern in pieces.items():
            piece = piece.replace("{" + known + "}", pattern)
        pieces[name] = f"(?:{piece})"
    return {name: re.compile(piece, re.IGNORECASE) for name, piece in pieces.items()}


# ---------------------------------------------------------------------- answers


_TROUBLES = {
    plain_yaml.NO_FILE: "is not a file: give a YAML or JSON list of answers",
    plain_yaml.MISSING: "does not exist: give the path of a list of answers",
    plain_yaml.BROKEN: "cannot be read: ",
    plain_yaml.LARGE: f"is larger than {MAX_LIST_BYTES // 1024} KB: give a list of answers",
    plain_yaml.ENCODING: "is not UTF-8 text: save it as UTF-8",
    plain_yaml.EMPTY: "is empty: give a list of answers ([] for none)",
}
KEYS = ("text", "agent", "exchange", "claim", "slide", "question", "park", "verdict")
_FORMS = {
    "agent": (re.compile(r"[a-z][a-z0-9-]{0,31}"), "an agent's id such as skeptic"),
    "exchange": (re.compile(r"x[1-9]\d{0,5}"), "an exchange such as x1"),
    "claim": (re.compile(r"[ds]\d{1,6}\.t?\d{1,6}"), "a claim such as d3.2, d3.t1 or s17.1"),
    "slide": (re.compile(r"[1-9]\d{0,5}"), "the number of a slide such as 3"),
    "verdict": (re.compile("|".join(PERSON_VERDICTS)), "given, partly or not"),
}
_NONE = (None, "", "~", "null")
"""The values by which YAML says that there is none."""


_RANKED = ("exchange", "question", "claim", "slide", "agent")
"""The keys by which an answer names its question, the most specific first."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that the presenter has prepared, optionally for a particular question."""

    text: str
    agent: str | None = None
    exchange: str | None = None
    claim: str | None = None
    park: bool = False  # come back to this question later; the text, if any, is what is said with it
    verdict: str | None = None  # of PERSON_VERDICTS: what the presenter says of it; None: nothing
    slide: int | None = None
    question: str | None = None  # words that stand in it, as it was asked first or again

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the answer's question: "agent skeptic", "slide 3".

        The answer is used in order if it has none.
        """
        named = {key: getattr(self, key) for key in _RANKED}
        return tuple(f"{key} {value}" for key, value in named.items() if value is not None)


@names_its_file
def read_answers(path: Path) -> tuple[Answer, ...]:
    """Read the answers in a YAML or JSON list, in its order; runs of spaces in texts become single spaces.

    An item is a text, or a mapping with `text`. The mapping's question may be named by `agent`, `exchange`,
    `claim`, `slide` and `question` (words of the question). `verdict` is the presenter's own verdict (given,
    partly or not). `park: true` parks the question, and `text` may then be left out. In YAML everything is
    read as text, so `yes` and `4.20` stay words.

    Raises:
        AnswersError: The file cannot be read or is not a list of answers; the message names the item's
            number.
    """
    name = shown_name(path)
    text = _text(path, name)
    plain = _plain(text, name, is_json=path.suffix.lower() == ".json")
    if not isinstance(plain, list):
        raise AnswersError(f"{name} is no list of answers: begin each answer with `- text: …`")
    return tuple(_answer(item, f"{name}: item {number}") for number, item in enumerate(plain, start=1))


def pick_answer(
    answers: Sequence[Answer],
    used: frozenset[int],
    *,
    agent: str,
    exchange: str,
    claim: str | None,
    slide: int | None = None,
    questions: Sequence[str] = (),
    comes_back_to: str | None = None,
) -> int | None:
    """Return the index of the answer to this question, or None if no answer is left for it.

    The first choice is an unused answer that names this exchange, words of its questions, its claim, slide or
    agent, in this order; everything that the answer names must fit. Otherwise the next unused answer that
    names nothing is chosen. For a question that comes back, an answer may also name the parked exchange.
    """
    asked = {"agent": (agent,), "exchange": (exchange, comes_back_to), "claim": (claim,), "slide": (slide,)}
    put = [one_line(one).casefold() for one in questions]

    def fits(answer: Answer) -> bool:
        words = (answer.question or "").casefold()
        is_put = not words or any(words in one for one in put)
        return is_put and all(getattr(answer, key) in (None, *values) for key, values in asked.items())

    left = [(index, answer) for index, answer in enumerate(answers) if index not in used and fits(answer)]
    for key in _RANKED:
        for index, answer in left:
            if getattr(answer, key) is not None:
                return index
    return left[0][0] if left else None


def unasked(answers: Sequence[Answer], used: frozenset[int]) -> list[str]:
    """Return a line for each unused answer that names a question: "answer 3 (slide 4, agent skeptic)"."""
    return [
        f"answer {number} ({', '.join(one.names)})"
        for number, one in enumerate(answers, start=1)
        if one.names and number - 1 not in used
    ]


def _text(path: Path, name: str) -> str:
    try:
        return read_given(path, MAX_LIST_BYTES)
    except UnreadableError as error:
        raise AnswersError(f"{name} {_TROUBLES[error.trouble]}{error.reason}") from None


def _plain(text: str, name: str, *, is_json: bool) -> Any:
    try:
        # As it is written: read otherwise, the answers `yes` and `2026-11-22` became a truth and a date.
        return json.loads(text) if is_json else read_plain_yaml(text, as_written=True)[1]
    except PlainYamlError as error:
        line = "" if error.line is None else f" (line {error.line})"
        raise AnswersError(f"{name} {yaml_trouble(error)}{line}") from None
    except json.JSONDecodeError as error:
        raise AnswersError(f"{name} is not JSON: {error.msg} (line {error.lineno})") from None
    except (ValueError, RecursionError):
        raise AnswersError(f"{name}: numbers too long or brackets too deep: give a list of answers") from None


def _answer(item: Any, where: str) -> Answer:
    if isinstance(item, str):
        item = {"text": item}
    if not isinstance(item, dict):
        raise AnswersError(f"{where} is neither a text nor a mapping: write `text: …`")
    for key in item:
        if key not in KEYS:
            near = difflib.get_close_matches(str(key), KEYS, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(KEYS)}"
            raise AnswersError(f"{where} has the unknown key {one_line(str(key))[:40]!r}: {hint}")
    park = _park(item.get("park"), where)
    text = item.get("text")
    if park and text is None:
        text = ""
    if not isinstance(text, str) or not (one_line(text) or park):
        raise AnswersError(f"{where} has no text: write what is answered under text")
    names = {key: _name(item.get(key), key, where) for key in _FORMS}
    slide = names.pop("slide")
    return Answer(
        one_line(text),
        **names,
        slide=None if slide is None else int(slide),
        question=_words(item.get("question"), where),
        park=park,
    )


def _words(value: Any, where: str) -> str | None:
    if value in _NONE:
        return None
    if not isinstance(value, str) or not one_line(value):
        raise AnswersError(f"{where}: question is not text: write some words of the question")
    return one_line(value)


def _park(value: Any, where: str) -> bool:
    word = str(value).strip().lower()
    if value is None or word in ("false", "no", ""):
        return False
    if word not in ("true", "yes"):
        raise AnswersError(f"{where}: park is not true or false")
    return True


def _name(value: Any, key: str, where: str) -> str | None:
    if value in _NONE:
        return None
    form, example = _FORMS[key]
    name = str(value).strip().lower()
    if isinstance(value, bool | float | list | dict) or not form.fullmatch(name):
        raise AnswersError(f"{where}: {key} is not {example}")
    return name
