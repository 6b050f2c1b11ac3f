"""The debrief as a document."""

from __future__ import annotations

from pydantic import Field

from orchestrator.documents.models.base import Document, Exchange, Place, Source, Tension, Usage


class SlideTime(Document):
    """How long a slide was presented."""

    slide: int
    title: str
    seconds: float
    estimated: bool
    budget_s: float = Field(description="Its share of the time.")
    asked_s: float = Field(description="How long it was shown beside that, under questions.")


class Stronger(Document):
    """A better answer, made only from what deck and presenter said, and what must be brought."""

    first: Source | None = Field(description="The presenter's own words that came too late.")
    rests_on: list[Source]
    bring: list[str] = Field(description="What was said nowhere.")
    text: str


class Review(Document):
    """One exchange as its presenter should look back on it."""

    exchange: str
    asked: str
    said: str | None
    verdict: str = Field(description="In words.")
    came_back_as: str | None
    reason: str | None
    still_open: list[str]
    heard_as: list[str] | None = Field(None, description="Answers as they were heard, corrected since.")
    dismissed: bool | None = Field(None, description="true: it was about a contradiction that is none.")
    would_hold: bool | None
    before: Exchange | None = Field(description="Of a drill: the exchange of the earlier session.")
    better_than_before: list[str]
    stronger: Stronger | None


class DebriefTension(Tension):
    """A contradiction, and where it was asked about."""

    id: str
    places: list[Place] = Field(description="Every quote of it, where there are more than two.")
    asked_in: str | None


class Homework(Document):
    """A question without a good answer, or what a good one left open."""

    exchange: str
    about: Source | None
    why: str
    question: str
    stronger: Stronger | None


class NotPut(Document):
    """A question that the presenter brought and nobody put."""

    text: str
    slide: int | None
    agent: str | None
    written_by: str


class Observation(Document):
    """What an agent noticed about the presenter."""

    text: str
    quote: str | None


class Stretch(Document):
    """A part of the talk and its pace."""

    from_s: float
    to_s: float
    words_per_minute: int


class Segment(Document):
    """A piece of speech."""

    text: str
    start_s: float
    end_s: float
    speaker: str | None
    slide: int | None
    slide_estimated: bool
    times_estimated: bool
    confidence: float | None
    doubt: str | None
    misheard: str | None
    end_estimated: bool


class Pause(Document):
    """A silence of the presenter, with nobody else speaking."""

    at_s: float
    length_s: float
    before: Segment = Field(description="What was said before it.")


class Monologue(Document):
    """The longest stretch without anybody else."""

    from_s: float
    to_s: float


class Repeated(Document):
    """A string of words that was said again and again."""

    words: str
    times: int
    at_s: list[float]


class ReadAloud(Document):
    """A slide that was read aloud."""

    slide: int
    share: float = Field(description="Of its words.")
    words: int


class DeliveryMeasures(Document):
    """The measures of a presentation; null: it cannot be taken."""

    words: int
    spoken_s: float | None
    words_per_minute: int | None
    minutes: list[Stretch]
    slow: list[Stretch]
    fast: list[Stretch]
    fillers: dict[str, int] | None
    hedges: dict[str, int] | None
    pauses: list[Pause] | None
    monologue: Monologue | None
    talk_share: float | None
    repeated: list[Repeated]
    read_aloud: list[ReadAloud]


class RubricLine(Document):
    """One line of the rubric."""

    check: str
    state: str = Field(description="yes, partly, no or not judged.")
    why: str
    quote: Source | None


class DebriefDocument(Document):
    """What a rehearsal came to, and what to mend first."""

    deck: str
    presenter: str
    speaker: str | None
    date: str | None = Field(description="The day of the real meeting, where it was given.")
    day: str = Field(description="The day of the rehearsal, YYYY-MM-DD.")
    promises: list[Source]
    still_wanted: list[str] = Field(description="What the panel still wanted to ask.")
    slides: list[SlideTime]
    speech_s: float
    answers_s: float
    budget_s: float
    engine: str
    took_over: str | None
    failed: str | None
    language: str
    withdrawn: list[str] = Field(description="Questions that fell with an answer that was taken back.")
    unread: list[str] = Field(description="What of deck and recording could not be read.")
    fix_first: str | None
    fix_first_why: str | None
    fix_first_do: str | None
    fix_first_say: str | None
    fix_first_bring: list[str] | None
    fix_first_exchange: str | None
    exchanges: list[Exchange]
    reviews: list[Review]
    tensions: list[DebriefTension] | None = Field(description="null: nobody looked for them.")
    open: list[str]
    homework: list[Homework]
    not_put: list[NotPut]
    observed: list[Observation]
    delivery: DeliveryMeasures
    rubric: list[RubricLine]
    usage: Usage
