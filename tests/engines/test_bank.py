"""The question bank: every entry valid, in its place, and said as people say it."""

from __future__ import annotations

import re
from collections import Counter

import pytest
import yaml

from orchestrator.panel.bank import bank as bank_module
from orchestrator.panel.bank.bank import (
    ABOUT,
    ANY,
    FIGURES,
    FOLDER,
    HEADING,
    QUOTE,
    SEATS,
    SUBJECT,
    WORDINGS,
    Entry,
    bank,
)
from orchestrator.panel.bank.deck import Line
from orchestrator.panel.engines.offline.wording import (
    SLIDE_SAYS,
    YOU_SAY,
    entry_of,
    said,
    wants_fact,
)

ENTRIES = bank().entries
TAGS = {
    "#money",
    "#percent",
    "#count",
    "#duration",
    "#date",
    "#question",
    "#placeholder",
    "#estimate",
    HEADING,
}
MAX_WORDS = 27
"""Of one question: what is said in a breath."""


def asks(entry: Entry) -> tuple[str, ...]:
    return (*entry.ask, *entry.firm, *entry.soft)


def test_it_is_small_enough_to_be_read_and_names_each_question_once() -> None:
    assert len(ENTRIES) <= 300
    assert [one for one, count in Counter(entry.id for entry in ENTRIES).items() if count > 1] == []
    said = Counter(ask for entry in ENTRIES for ask in asks(entry))
    assert [one for one, count in said.items() if count > 1 and QUOTE not in one] == []


def test_there_is_a_file_for_each_kind_of_deck_and_one_for_any() -> None:
    kinds = {kind.id for kind in bank().kinds}
    assert kinds == {
        "change", "group", "investors", "policy", "product", "project", "report", "request", "research",
        "review", "strategy", "talk", "works",
    }  # fmt: skip
    assert {path.stem for path in FOLDER.glob("*.yaml")} == {*kinds, ANY, "phrases"}
    for kind in bank().kinds:
        assert {entry.seat for entry in ENTRIES if kind.id in (entry.kind, *entry.kinds)} == set(SEATS), (
            kind.id
        )


def test_any_deck_has_questions_of_every_seat_and_more_than_a_dozen_that_need_nothing() -> None:
    always = [one for one in ENTRIES if one.kind == ANY and not one.when and not one.unless]
    assert len({one.topic for one in always}) >= 14


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_an_entry_is_valid(entry: Entry) -> None:
    assert re.fullmatch(r"[a-z0-9-]+", entry.id)
    assert (entry.seat in SEATS, entry.about in ABOUT) == (True, True)
    assert entry.asks_for in (None, *FIGURES)
    assert entry.ask
    assert len(entry.good.split()) > 2 or entry.good == "a name"
    assert {word for when in entry.when for word in when if word.startswith("#")} <= TAGS
    assert all(word and all(word) for word in (*entry.when, *entry.unless))
    for ask in asks(entry):
        assert ask.count(QUOTE) == int(entry.has_quote)
        assert not re.search(r"\{(?!quote\}|it\})", ask)
        assert ask == ask.strip()
        assert ask[-1] == "?"
        assert len(ask.split()) <= MAX_WORDS


def test_what_follows_a_quote_reads_right_whatever_goes_in() -> None:
    wrong = [ask for entry in ENTRIES for ask in asks(entry) if re.search(r"\{quote\}[^.,:;? ]", ask)]
    assert wrong == []


def test_a_question_about_a_line_says_when_it_is_asked() -> None:
    assert [entry.id for entry in ENTRIES if entry.has_quote and not entry.when] == []


def test_a_question_is_known_again_by_its_words_alone() -> None:
    for entry in ENTRIES:
        for ask in asks(entry):
            quoted = ask.replace(QUOTE, "“Two of our five boats sail”, under “Boats”")
            found = entry_of(quoted.replace(SUBJECT, "the ferry"))
            assert found is not None
            assert found.topic == entry.topic, (ask, found.id)


def test_a_line_is_said_by_the_slide_unless_the_presenter_spoke_it() -> None:
    whose = [entry for entry in bank().entries if any(ask.startswith(YOU_SAY) for ask in entry.ask)]
    assert whose
    for entry in whose:
        shown = said(entry, "key", "moderate", "the plan", Line("We are late", "", None, 3)).question
        spoken = said(entry, "key", "moderate", "the plan", Line("We are late", "", None, 3, 9.0)).question
        assert spoken == shown.replace("The slide says", "You say")
        assert ("The slide says" in shown) is ("You say" in spoken)
        assert entry_of(shown) is not None
        assert entry_of(shown) == entry_of(spoken)


def test_the_files_hold_nothing_that_the_reader_does_not_take() -> None:
    for path in sorted(FOLDER.glob("*.yaml")):
        data = yaml.safe_load(path.read_text("utf-8"))
        if path.stem == "phrases":
            continue
        known = {"kind", "name", "noun", "questions"} | ({"signs"} if path.stem != ANY else set())
        assert set(data) - {"named"} == known
        assert data["kind"] == path.stem


def test_it_is_read_once() -> None:
    assert bank_module.bank() is bank()


def test_a_question_read_aloud_alone_says_what_it_is_about() -> None:
    """A pronoun of a short wording stands for the quote, the deck's matter, or a noun before it."""
    pronoun = re.compile(
        r"\b(that|it|this|these|those|they|them|there)\b([?:,]| (?:is|was|has|does|will|goes|so)\b)"
        r"|\b(do|does|did|for|of|to|with|on|than|like) (that|this|it|these)\b"
    )
    short = (ask for entry in ENTRIES for ask in (*entry.firm, *entry.soft))
    alone = [ask for ask in short if QUOTE not in ask and SUBJECT not in ask and pronoun.search(ask)]
    assert alone == [
        "Where did you overspend, and who allowed it?",
        "Which date did you miss, and who knew it?",
    ]
    told = {ask for entry in ENTRIES for ask in asks(entry)}
    assert told.isdisjoint({"Who was not asked?", "Who does that beside the daily work?"})


def test_every_wording_that_asks_how_many_or_by_when_wants_a_fact() -> None:
    asked = re.compile(r"\b(how many|(and|by|since|from) when\b[^,?]*[,?]|how long)", re.IGNORECASE)
    unmarked = [
        ask
        for entry in ENTRIES
        for form in WORDINGS
        for ask in getattr(entry, form)
        if asked.search(ask) and form not in entry.wants_fact
    ]
    assert unmarked == []
    assert {form for entry in ENTRIES for form in entry.wants_fact} == set(WORDINGS)


def test_a_fact_is_wanted_of_a_line_that_the_slide_alone_says_as_well() -> None:
    wordings = [(one, ask) for one in ENTRIES for form in one.wants_fact for ask in getattr(one, form)]
    said_of_it = [(one, ask.replace(YOU_SAY, SLIDE_SAYS)) for one, ask in wordings if YOU_SAY in ask]
    assert said_of_it
    for entry, ask in said_of_it:
        question = ask.replace(QUOTE, "“It is sure”").replace(SUBJECT, "the plan")
        assert wants_fact(entry, question), question
