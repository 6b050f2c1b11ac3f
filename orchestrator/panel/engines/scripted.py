"""An engine that plays listed replies: for tests, demonstrations and users' own experiments.

The list is a mapping from the kind of request to replies, given in order, in Python or as
a YAML or JSON file::

    focus_brief:                      # one list of targets for each call
      - - {claim: d1.1, slide: 1, said_at_s: null, quote: "…", angle: "…", good_answer: "…"}
    candidate_question:               # null: nothing is left to ask
      - {agent: skeptic, question: "…?", claim: d1.1, slide: 1, said_at_s: null, quote: "…",
         grounded: true, needs: [number], relevance: 0.8, lead_in: "", angle: "…"}
    judgement:
      - {verdict: follow_up, reason: "no period", missing: [period], follow_up: "Which months?"}
    scratchpad: ["- Gives no periods."]
    tensions: [[{kind: sum, relation: v0 == v1, subject: "…", why: "…", operands: [{passage: d1.l1,
         quote: "…", number: "4", value: 4, unit: count}, …]}]]
    doubt: [[null, "another period"]]  # a reading for each finding, or null
    dossier: [[{question: "…?", asked_by: "…", why: "…", about: null, good_answer: "…"}]]
    news: [[{reported: 0, stance: contradicts, about: null, why: "…"}]]
    facts: [[{type: number, content: "…", confidence: high, source: 43, quote: "…"}]]
    scribe: [[{kind: goal, text: "…", quote: "…", seq: 43}]]
    debrief: [{fix: "…", why: "…"}]

The keys of each reply are the fields of `Target`, `Candidate`, `Judgement`, `Proposal`, `Attack`, `Bearing`,
`FactDraft`, `Remembered` and `DebriefWords`; fields with a default may be left out. A script without a list
for one of the last seven kinds returns an empty result for it.

Scripts of older versions still play: a judgement without a `note` takes the next of the list `notes`, one
without `noticed` the next of `observation`; a list `phrases` is accepted and has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from orchestrator.core.errors import EngineError
from orchestrator.panel.engines import protocol
from orchestrator.panel.engines.protocol import Request
from orchestrator.panel.engines.replies import KINDS
from orchestrator.panel.model.reply import DebriefWords

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")

NOTHING: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("tensions", "dossier", "news", "facts", "scribe"), ()),
    "debrief": DebriefWords(),
}
"""Maps a kind of request to the reply that a script without a list of this kind returns."""

FORMER: Final = {"notes": "note", "observation": "noticed", "phrases": ""}
"""Maps the lists of older scripts to the field of a judgement that each fills."""


class ScriptedEngine:
    """An engine that plays *replies* by kind, in order; it remembers its position and reads no context."""

    def __init__(self, replies: Mapping[str, Sequence[Any]]) -> None:
        known = {name for name, _ in KINDS.values()} | set(FORMER)
        if unknown := sorted(set(replies) - known):
            raise EngineError(f"script: unknown kind {unknown[0]!r}: use one of {', '.join(sorted(known))}")
        self._left = {kind: list(listed) for kind, listed in replies.items()}

    @classmethod
    def from_file(cls, path: Path | str) -> ScriptedEngine:
        """Make the engine that a YAML or JSON file describes.

        Raises:
            EngineError: The file cannot be read, or is not a mapping of lists.
        """
        import yaml  # only where a script is read

        try:
            loaded = yaml.safe_load(Path(path).read_text(encoding="utf-8"))  # JSON is YAML too
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            reason = " ".join(str(error).split())
            raise EngineError(f"{path}: cannot be read as a script: {reason}") from error
        if not isinstance(loaded, dict) or not all(isinstance(value, list) for value in loaded.values()):
            kinds = ", ".join(name for name, _ in KINDS.values())
            raise EngineError(f"{path}: a script maps kinds of reply to lists: use {kinds}")
        return cls(loaded)

    @property
    def name(self) -> str:
        return "scripted"

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        """Return the next listed reply of the request's kind.

        Raises:
            EngineError: No reply is left, or it is not of the right shape.
        """
        if type(request) not in KINDS:
            raise EngineError(f"script: {type(request).__name__} has no list")
        kind, shape = KINDS[type(request)]
        if kind not in self._left and kind in NOTHING:
            return cast(R, NOTHING[kind])
        if kind not in self._left and isinstance(request, protocol.DoubtRequest):
            return cast(R, (None,) * len(request.tensions))
        left = self._left.get(kind)
        if not left:
            raise EngineError(f"script: no {kind} is left: add one to the list")
        plain = left.pop(0)
        if kind == "judgement" and isinstance(plain, Mapping):
            plain = {**self._former(), **plain}
        return cast(R, _shaped(kind, shape, plain))

    def _former(self) -> dict[str, Any]:
        """Return the fields that the lists of an older script contain for the next judgement."""
        lists = {field: self._left.get(name) for name, field in FORMER.items() if field}
        return {field: one for field, left in lists.items() if left and (one := left.pop(0)) is not None}


def _shaped(kind: str, shape: Any, plain: Any) -> Any:
    from pydantic import TypeAdapter, ValidationError  # 0.1 s to import: only where replies are played

    try:
        return TypeAdapter(shape).validate_python(plain)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise EngineError(f"script: a {kind} is not of the right shape: {where}: {first['msg']}") from error
