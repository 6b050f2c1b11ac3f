"""Documents about what is remembered of presenters."""

from __future__ import annotations

from pydantic import Field

from orchestrator.documents.models.base import Document
from orchestrator.documents.models.sessions import ScratchpadName


class Memory(Document):
    """Something that an agent remembers of a presenter."""

    id: str
    agent: str
    presenter: str
    type: str = Field(description="insight, pattern, strategy, preference or lesson.")
    content: str
    confidence: float
    tags: list[str]
    source: str | None
    created_at: str
    superseded_by: str | None = Field(description="A newer one that corrects it.")
    recalled: int = Field(description="How often.")
    recalled_at: str | None
    left_at: str | None = Field(None, description="When it left, because the agent had too many.")
    rehearsals: int | None = Field(None, description="In how many the same was seen.")


class MemoriesDocument(Document):
    """Memories."""

    memories: list[Memory]


class EarlierPage(Document):
    """A scratchpad as it was."""

    content: str
    updated_at: str | None


class Scratchpad(Document):
    """An agent's page about a presenter."""

    agent: str
    presenter: str
    content: str
    updated_at: str | None
    revision: int
    characters: int
    earlier: list[EarlierPage] | None = None


class ScratchpadsDocument(Document):
    """Scratchpads."""

    scratchpads: list[Scratchpad]


class Goal(Document):
    """What a presenter wants to get right."""

    id: str
    presenter: str
    text: str
    state: str = Field(description="proposed (heard in speech, not taken up yet), open or done.")
    created_at: str
    done_at: str | None
    source: str | None
    moved_by: list[str] = Field(description='The exchanges that moved it: "<session>/<exchange>".')


class GoalsDocument(Document):
    """Goals."""

    goals: list[Goal]


class ConsentRow(Document):
    """Whether a presenter agreed to be remembered."""

    presenter: str
    consented: bool | None = Field(description="null: was never asked.")


class RememberedDocument(MemoriesDocument, ScratchpadsDocument, GoalsDocument):
    """All that is kept of everybody, or of one presenter."""

    left: list[Memory]
    consents: list[ConsentRow]


class ConsentDocument(Document):
    """What a presenter said, and how many memories are kept."""

    presenter: str
    consented: bool
    kept: int


class ForgottenDocument(Document):
    """What was forgotten, and where the same words still stand."""

    forgotten: list[str]
    wiped: bool = Field(description="false: another process kept the database's log open.")
    sessions: list[str]
    archives: list[str]
    scratchpads: list[ScratchpadName]


class BriefingDocument(Document):
    """The situation as an agent would be told it now."""

    text: str
    built_at: str
    cached: bool
    agent: str
    presenter: str
