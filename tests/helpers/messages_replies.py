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

KINDS: Final = ("focus_brief", "candidate_question", "judgement", "notes", "debrief")
"""Tasks with an agent's context, which share one schema."""
READING: Final = ("tensions", "doubt", "dossier", "news", "facts", "scribe", "check")
"""Tasks that stand by themselves."""
NOBODY_SAID: Final = "Nobody ever said these exact words 4711"
_TASK = re.compile(r"^Task: (\w+)$", re.MULTILINE)
_CLAIM = re.compile(r'- (d\d+\.\d+) \(.*?\): "(.*)"$', re.MULTILINE)
_SLIDE = re.compile(r"^## Slide (\d+)", re.MULTILINE)


def task_of(body: Mapping[str, Any]) -> str:
    """The kind of task that a request asks for, by its last block's first line; "": none."""
    found = _TASK.findall(_first_turn(body)[-1])
    return found[-1] if found else ""


def reply_to(body: Mapping[str, Any], fault: str) -> str:
    """The reply's text."""
    kind = task_of(body)
    if fault == "no_json" or kind not in (*KINDS, *READING):
        return "I would rather talk about something else."
    if fault == "other_kind":
        kind = "notes" if kind != "notes" else "judgement"
    seed = _Seed(body)
    part = {"text": "- All said."} if fault == "other_kind" and kind == "notes" else None
    if fault == "other_kind" and kind == "judgement":
        part = {"verdict": "unjudged", "reason": "of another task"}
    part = part or _PARTS[kind](body, seed)
    if fault == "false_quote":
        part = _changed(part, lambda text: NOBODY_SAID, ("quote",))
    if fault == "half_character":
        spoilt = ("question", "text", "reason", "angle", "subject", "about", "why", "content", "fix")
        part = _changed(part, lambda text: f"{text}\0\ud800", spoilt)
    if fault == "contradiction":
        part = dict[str, Any](surprise=True)
    reply: dict[str, Any] = part
    schema = _schema(body)
    if schema is not None and "mark" in schema["properties"] and fault != "contradiction":
        reply = {**part, "mark": schema["properties"]["mark"]["enum"][0]}
    if kind in KINDS and _wants_all_parts(body, schema):
        reply = {"kind": kind, **{one: part if one == kind else None for one in KINDS}}
    text = json.dumps(reply, indent=1)
    if fault in ("half_json", "truncated"):
        return text[: len(text) // 2]
    return text if schema is not None else f"Here it is:\n```json\n{text}\n```\n"


def _schema(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema that the reply obeys; None: there is none."""
    chosen = body.get("output_config", {}).get("format")
    return None if chosen is None else chosen["schema"]


def _wants_all_parts(body: Mapping[str, Any], schema: Mapping[str, Any] | None) -> bool:
    """Whether an agent's reply names its kind and every other part, by the schema, or else by the prompt."""
    if schema is not None:
        return set(KINDS) <= set(schema["properties"])
    return "every other part null" in "\n".join((*_system(body), *_first_turn(body)))


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the web as the test server knows it."""

    title: str
    url: str
    age: str | None
    text: str


def searched_part(
    body: Mapping[str, Any], web: Sequence[Page], fault: str, pauses: int, sent: int | None = None
) -> tuple[list[dict[str, Any]], str]:
    """The next part of a search's turn, and why it stops there; *sent*: blocks that came before."""
    blocks = _search_blocks(body, web, fault)
    last = body["messages"][-1]
    before = sent if sent is not None else len(last["content"]) if last["role"] == "assistant" else 0
    ends = [len(blocks) * number // (pauses + 1) for number in range(1, pauses + 2)]
    end = next(one for one in ends if one > before)
    return blocks[before:end], "end_turn" if end == len(blocks) else "pause_turn"


def _search_blocks(body: Mapping[str, Any], web: Sequence[Page], fault: str) -> list[dict[str, Any]]:
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
        texts = _system(body) + _first_turn(body)
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
    deck = (
        "".join(_first_turn(body)).partition("shared/deck-content.md (")[2].partition("\n^^^ end of file")[0]
    )
    slides = [(match.start(), int(match[1])) for match in _SLIDE.finditer(deck)]
    found = []
    for match in _CLAIM.finditer(deck):
        slide = max((number for at, number in slides if at < match.start()), default=1)
        found.append((match[1], slide, match[2].replace("^\\", "^")))
    return found


def _focus_brief(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    taken = _about(body).get("taken", ())
    free = [claim for claim in _claims(body) if claim[0] not in taken and claim[2] not in taken][:3]
    return {
        "targets": [
            {"quote": quote, "slide": slide, "claim": id_, "is_missing": False}
            | {"angle": "it carries the case", "good_answer": "a record"}
            for id_, slide, quote in free
        ]
    }


def _candidate(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    about = _about(body)
    last = about.get("last_slide")
    taken = {*about.get("taken", ()), *about.get("taken_lines", ())} | {
        one["quote"] for one in about.get("standing", ())
    }
    free = [
        claim
        for claim in _claims(body)
        if not {claim[0], claim[2]} & taken and (last is None or claim[1] <= last)
    ]
    question: dict[str, Any] = {
        "quote": None,
        "beside": "",
        "slide": None,
        "is_missing": False,
        "angle": "",
        "question": None,
        "good_answer": "",
        "needs": [],
        "relevance": 0.0,
    }
    if not free:
        return question
    _, slide, quote = seed.choose(free)
    return question | {
        "quote": quote,
        "slide": slide,
        "angle": "evidence",
        "question": f'On slide {slide} you say "{quote}". Which record shows it, and as of which date?',
        "good_answer": "a record and its date",
        "needs": ["source", "date"],
        "relevance": 0.7,
    }


def _judgement(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    about = _about(body)
    answer = about["answers"][-1]["answer"] or ""
    verdict = "satisfied" if any(letter.isdigit() for letter in answer) else "follow_up"
    asks_on = verdict == "follow_up" and not about.get("is_last")
    said = " ".join(answer.split()[:8])
    return {
        "quote": said,
        "reason": "the answer names a figure" if verdict == "satisfied" else "no figure is given",
        "still_open": [] if verdict == "satisfied" else ["the figure"],
        "contradicts": None,
        "promises": [],
        "remark": "That answers it." if verdict == "satisfied" else "",
        "verdict": verdict,
        "missing": [] if verdict == "satisfied" else ["number"],
        "follow_up": "That is the direction, not the size. What is the number?" if asks_on else None,
        "is_new_question": False,
        "note": f"- {seed.choose(['Firm on this one.', 'Wants to come back to it.', 'Had the figure.'])}",
        "noticed": {"quote": " ".join(answer.split()[:6]), "text": "Answers in one breath."}
        if said
        else None,
    }


def _notes(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    return {"text": f"- {seed.choose(['Firm on figures.', 'Comes back to things.', 'Has the records.'])}"}


def _debrief(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    about = _about(body)
    answered = [one for one in about.get("exchanges", ()) if one["turns"] and one["turns"][-1]["answer"]]
    better = [
        {
            "exchange": one["exchange"],
            "sentences": [
                {
                    "quote": one["turns"][-1]["answer"],
                    "slide": None,
                    "text": f"As I said: {one['turns'][-1]['answer']}",
                }
            ],
            "bring": ["the record"],
        }
        for one in answered[:2]
    ]
    return {
        "better": better,
        "checks": [
            {"name": name, "quote": "", "why": "nothing shows it", "state": "not judged"}
            for name in about.get("checks", ())
        ],
        "promises": [],
        "dismissed": [one["number"] for one in about.get("tensions", ())[:1]],
        "still_wanted": [one["number"] for one in about.get("never_asked", ())[:2]],
        "why": "It was asked twice.",
        "fix_exchange": answered[0]["exchange"] if answered else "",
        "fix": "Say which record the figures come from.",
    }


# ---------------------------------------------------------------------- tasks that stand by themselves


def _passages(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The passages of the blocks before the task, a line of JSON each."""
    lines = "".join(_first_turn(body)).splitlines()
    return [json.loads(line) for line in lines if line.startswith('{"id": ')]


def _tensions(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    """The first two passages with a figure, at the first look; what was refused is not given again."""
    about = _about(body)
    found = [one for one in _passages(body) if re.search(r"\d+", one["text"])]
    if len(found) < 2 or about.get("refused") or about.get("known") or about.get("new"):
        return {"proposals": []}
    operands = []
    for one in found[:2]:
        number = re.search(r"\d+", one["text"])
        assert number is not None
        plain = {"passage": one["id"], "quote": one["text"], "number": number[0]}
        operands.append({**plain, "value": float(number[0]), "unit": None})
    plain = {"subject": "figures", "why": "They differ.", "kind": "deck-vs-deck"}
    return {"proposals": [{"operands": operands, **plain, "relation": "v0 == v1"}]}


def _doubt(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    return {
        "doubts": [
            {"finding": number, "about": "two figures", "reading": "Another year." if number else None}
            for number in range(len(_about(body)["findings"]))
        ]
    }


def _dossier(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    about = _about(body)
    names = [one["name"] for one in about.get("members") or about["panelists"]]
    lines = [one["text"] for one in _passages(body) if one.get("origin") not in ("notes", "title")]
    attacks = [
        {
            "quote": line,
            "is_missing": False,
            "slide": None,
            "asked_by": name,
            "why": "It decides.",
            "have": [line],
            "bring": ["the record"],
            "good_answer": "A record and its date.",
            "question": "Which record shows it?",
        }
        for name, line in zip(names, lines, strict=False)
    ]
    return {"attacks": attacks[: about["limit"]]}


def _news(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    line = next(one["text"] for one in _passages(body) if one.get("origin") != "notes")
    return {
        "bearings": [
            {"reported": one["number"], "quote": line, "why": "Both name it.", "stance": "supports"}
            for one in _about(body)["reported"]
        ]
    }


def _facts(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    return {"facts": []}


def _scribe(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    return {
        "found": [
            {"source": one["seq"], "quote": one["text"], "text": "They want it.", "kind": "goal"}
            for one in _about(body)["passages"]
            if "want" in one["text"]
        ]
    }


def _check(body: Mapping[str, Any], seed: _Seed) -> dict[str, Any]:
    return {"quote": "We serve 40 towns today", "question": "Which towns come next?"}


def _system(body: Mapping[str, Any]) -> list[str]:
    system = body.get("system") or []
    return [system] if isinstance(system, str) else [block["text"] for block in system]


_PARTS: Final[Mapping[str, Callable[[Mapping[str, Any], _Seed], dict[str, Any]]]] = {
    "focus_brief": _focus_brief,
    "candidate_question": _candidate,
    "judgement": _judgement,
    "notes": _notes,
    "debrief": _debrief,
    "tensions": _tensions,
    "doubt": _doubt,
    "dossier": _dossier,
    "news": _news,
    "facts": _facts,
    "scribe": _scribe,
    "check": _check,
}
