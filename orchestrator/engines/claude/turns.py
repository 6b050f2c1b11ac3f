"""What has passed between the model and us in one task, behind what was sent first.

It ends with the task: the next one begins with the context again, so what stands here is in no
later request.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from orchestrator.messages import TextBlock

Message = Mapping[str, Any]

_LONGEST_ECHO: Final = 20_000


@dataclass(frozen=True, slots=True)
class Turns:
    """Turns of the model and of ours, one after the other."""

    messages: tuple[Message, ...] = ()
    rounds: int = 0  # of tools
    is_repair: bool = False

    def used(self, turns: tuple[Message, Message]) -> Turns:
        """With a round of tools."""
        return Turns((*self.messages, *turns), self.rounds + 1, self.is_repair)

    def mended(self, faulty: str, fault: str) -> Turns:
        """With a reply that cannot be used, and why it is sent back."""
        correction = (
            f"That reply cannot be used: {fault}.\n"
            "Send the whole JSON object once more, mended, with nothing around it.\n"
        )
        echo = faulty.strip()[:_LONGEST_ECHO] or "(nothing)"
        turns = (_turn("assistant", echo), _turn("user", correction))
        return Turns((*self.messages, *turns), self.rounds, True)

    def blocks(self) -> Iterator[TextBlock]:
        """As the meter counts them."""
        for message in self.messages:
            for block in message["content"]:
                yield TextBlock(block["text"] if block["type"] == "text" else json.dumps(block))


def _turn(role: str, text: str) -> Message:
    return {"role": role, "content": [{"type": "text", "text": text}]}
