"""What the test server says: plausible replies, the same for the same request, made of its own words.

It reads the request as a model does: the deck in its frame, the task's line of JSON. A question
quotes a line of the deck, a judgement quotes the answer.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

KINDS: Final = (
    "focus_brief",
    "candidate_question",
    "judgement",
    "notes",
    "observation",
    "phrases",
    "facts",
    "debrief",
)
NOBODY_SAID: Final = "Nobody ever said these exact words 4711"
_TASK = re.compile(r"Task: (\w+)\n")
_CLAIM = re.compile(r'- (d\d+\.\d+) \(.*?\): "(.*)"$', re.MULTILINE)
_SLIDE = re.compile(r"^## Slide (\d+)", re.MULTILINE)
_PHRASE = re.compile(r'^- "(.*)"$', re.MULTILINE)


def task_of(body: Mapping[str, Any]) -> str:
    """The kind of task that a request asks for, by its last block's first line; "": none."""
    match = _TASK.match(_first_turn(body)[-1])
    return match[1] if match else ""


def reply_to(body: Mapping[str, Any], fault: str) -> str:
    """The reply's text."""
    kind = task_of(body)
    if fault == "no_json" or kind not in KINDS:
        return "I would rather talk about something else."
    if fault == "other_kind":
        kind = "notes" if kind != "notes" else "phrases"
    seed = _Seed(body)
    part = _PARTS[kind](body, seed)
    if fault == "false_quote":
        part = _changed(part, lambda text: NOBODY_SAID, ("quote",))
    if fault == "half_character":
        part = _changed(part, lambda text: f"{text}\0\ud800", ("question", "text", "reason", "angle"))
    reply: dict[str, Any] = {"kind": kind, **{one: part if one == kind else None for one in KINDS}}
    if fault == "contradiction":
        reply[kind] = {"surprise": True}
    text = json.dumps(reply, indent=1)
    if fault in ("half_json", "truncated"):
        return text[: len(text) // 2]
    return text if "output_config" in body else f"Here it is:\n```json\n{text}\n```\n"


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the web as the test server knows it."""

    title: str
    url: str
    age: str | None
    text: str


def search_blocks(body: Mapping[str, Any], web: Sequence[Page], fault: str) -> list[dict[str, Any]]:
    """The blocks of a reply that has searched *web*: the search, its results, and a text that cites each."""
    words = _first_turn(body)[-1].removeprefix("Search for: ").strip()
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": words}}
    results: Any = [
        {
            "type": "web_search_result",
            "title": page.title,
            "url": page.url,
            "page_age": page.age,
            "encrypted_content": "RW5jcnlwdGVk",
        }
        for page in web
    ]
    if fault == "search_error":
        results = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    told = [
        {
            "type": "text",
            "text": f"One source says: {page.text}",
            "citations": [
                {
                    "type": "web_search_result_location",
                    "cited_text": page.text,
                    "title": page.title,
                    "url": page.url,
                    "encrypted_index": "RW5j",
                }
            ],
        }
        for page in web
        if fault != "search_error"
    ]
    return [
        {"type": "text", "text": "I will search for that."},
        use,
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": results},
        *told,
        {"type": "text", "text": "That is all, and nobody is cited for this."},
    ]


def _changed(part: Any, change: Callable[[str], str], names: Sequence[str]) -> Any:
    if isinstance(part, list):
        return [_changed(one, change, names) for one in part]
    if isinstance(part, dict):
        return {
            name: change(value)
            if name in names and isinstance(value, str)
            else _changed(value, change, names)
            for name, value in part.items()
        }
    return part


class _Seed:
    """Choices that depend on the request's bytes and on nothing else."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        texts = [block["text"] for block in body.get("system") or []] + _first_turn(body)
        self._digest = hashlib.sha256("\0".join(texts).encode()).digest()

    def choose(self, options: Sequence[Any]) -> Any:
        return options[int.from_bytes(self._digest[:4], "big") % len(options)]


def _first_turn(body: Mapping[str, Any]) -> list[str]:
    content = body["messages"][0]["content"]
    return [content] if isinstance(content, str) else [block["text"] for block in content]


def _about(body: Mapping[str, Any]) -> dict[str, Any]:
    """The task's line of JSON."""
    line = _first_turn(body)[-1].strip().split("\n")[-1]
    about: dict[str, Any] = json.loads(line[line.index("{") :])
    return about


def _claims(body: Mapping[str, Any]) -> list[tuple[str, int, str]]:
    """The deck's claims as the context shows them: id, slide, the deck's own words."""
    deck = next((text for text in _first_turn(body) if "shared/deck-content.md (" in text[:80]), "")
    slides = [(match.start(), int(match[1])) for match in _SLIDE.finditer(deck)]
    found = []
    for match in _CLAIM.finditer(deck):
        slide = max((number for at, number in slides if at < match.start()), default=1)
        found.append((match[1], slide, match[2].replace("^\\", "^")))
    return found


def _focus_brief(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    taken = _about(body)["taken"]
    free = [claim for claim in _claims(body) if claim[0] not in taken][:3]
    return {
        "targets": [
            {"claim": id_, "quote": quote, "angle": "it carries the case", "good_answer": "a record"}
            for id_, _, quote in free
        ]
    }


def _candidate(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    taken = _about(body)["taken"]
    free = [claim for claim in _claims(body) if claim[0] not in taken]
    if not free:
        return {
            "question": None,
            "slide": None,
            "quote": None,
            "needs": [],
            "relevance": 0.0,
            "lead_in": "",
            "angle": "",
        }
    _, slide, quote = seed.choose(free)
    return {
        "question": f'On slide {slide} you say "{quote}". Which record shows it, and as of which date?',
        "slide": slide,
        "quote": quote,
        "needs": ["source", "date"],
        "relevance": 0.7,
        "lead_in": "One thing I would like to understand.",
        "angle": "evidence",
    }


def _judgement(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    about = _about(body)
    answer = about["answers"][-1]["answer"] or ""
    verdict = "satisfied" if any(letter.isdigit() for letter in answer) else "follow_up"
    asks_on = verdict == "follow_up" and not about["is_last"]
    return {
        "verdict": verdict,
        "reason": "the answer names a figure" if verdict == "satisfied" else "no figure is given",
        "quote": " ".join(answer.split()[:8]),
        "missing": [] if verdict == "satisfied" else ["number"],
        "follow_up": "That is the direction, not the size. What is the number?" if asks_on else None,
    }


def _notes(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    return {"text": f"- {seed.choose(['Firm on this one.', 'Wants to come back to it.', 'Had the figure.'])}"}


def _observation(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    answer = next((turn["answer"] for turn in _about(body)["answers"][::-1] if turn["answer"]), None)
    if answer is None:
        return {"text": None, "quote": None}
    return {"text": "Answers in one breath.", "quote": " ".join(answer.split()[:6])}


def _phrases(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    library = next((text for text in _system(body) if "phrase-library.md (" in text[:80]), "")
    return {"phrases": _PHRASE.findall(library)}


def _system(body: Mapping[str, Any]) -> list[str]:
    return [block["text"] for block in body.get("system") or []]


_PARTS: Final[Mapping[str, Callable[[Mapping[str, Any], _Seed], dict[str, Any]]]] = {
    "focus_brief": _focus_brief,
    "candidate_question": _candidate,
    "judgement": _judgement,
    "notes": _notes,
    "observation": _observation,
    "phrases": _phrases,
    "facts": lambda body, seed: {"facts": []},
    "debrief": lambda body, seed: {"fix_first": "", "stronger_answers": []},
}
