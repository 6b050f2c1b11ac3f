"""What a debrief says without a model: which checks nobody judged, and what the panel still wanted.

The one thing to fix first is counted from verdicts and contradictions, whatever the engine.
"""

from __future__ import annotations

from typing import Final

from orchestrator.engines.protocol import DebriefRequest
from orchestrator.model.reply import DebriefWords, RubricCheck

NOT_JUDGED: Final = "not judged"
MOST_WANTED: Final = 3


def debrief(request: DebriefRequest) -> DebriefWords:
    """No stronger answers and no check decided: only reading could."""
    checks = tuple(RubricCheck(name, NOT_JUDGED, "only reading can tell") for name in request.checks)
    wanted = tuple(one.question for one in request.never_asked[:MOST_WANTED] if one.question)
    return DebriefWords(checks=checks, still_wanted=wanted)
