"""/api/v1/sessions/{id}/segments/{number}: what was misheard is corrected."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, ConfigDict, Field

from orchestrator.panel.records.corrections import Corrected as CorrectedRecord
from orchestrator.web.once import Key, once
from orchestrator.web.site import Site, site_of
from orchestrator.web.threads import writes

router = APIRouter(tags=["room"])
At = Annotated[Site, Depends(site_of)]
MAX_NUMBER = 1_000_000
"""Beyond any session: at a segment a second, eleven days."""


class Correcting(BaseModel):
    """What was really said."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=20_000, description='"": nothing was said.')


class Corrected(BaseModel):
    """The segment as it stands now."""

    segment: int
    text: str
    misheard: str | None
    """What had been heard; null where the words as they were heard stand."""


@router.put("/sessions/{session}/segments/{number}")
@writes
def correct(
    session: str,
    number: Annotated[int, Path(ge=1, le=MAX_NUMBER, description="In the transcript: 1 is the first.")],
    correcting: Correcting,
    site: At,
    key: Key = None,
) -> Corrected:
    """Correct what was misheard; the same words say that they were heard right. The transcript shows both."""

    def work() -> Corrected:
        found = site.sessions.get(session).correct(number, correcting.text)
        return Corrected(segment=number, text=found.text, misheard=found.misheard)

    asked = ["correct", number, correcting.text]
    corrected: Corrected = once(site, session, key, asked, work, effects=[CorrectedRecord.TYPE])
    return corrected
