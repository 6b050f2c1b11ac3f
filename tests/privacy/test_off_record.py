"""What is said off the record is in nobody's context from then on; the files keep every word."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from orchestrator.core.context.assemble import shown_content
from orchestrator.core.privacy.off_record import LABEL, Withheld, blanked
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.ledger import Unread
from orchestrator.core.store.transaction import Draft
from orchestrator.core.values import to_json
from orchestrator.material.speech.read import read_speech
from orchestrator.material.values import Segment
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.notebook import Notebook
from orchestrator.memory.tools import read_file
from orchestrator.panel.engines.model.tasks import task_text
from orchestrator.panel.engines.offline import OfflineEngine
from orchestrator.panel.engines.protocol import Request, SeatRequest
from orchestrator.panel.home import Home
from orchestrator.panel.loop.transcript import add_segment
from orchestrator.panel.records.speech import SpeechHeard
from orchestrator.rehearsal.session import Session
from orchestrator.review import reading
from tests.helpers.remembered import DECK

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

R = TypeVar("R")
TRANSCRIPT = "shared/presenter-transcript.md"
SECRETS = ("Quist", "Nordbank wants out", "chairman")
"""Words that stand in nothing but what is said off the record."""


class Overhearing:
    """The offline engine; it keeps all that a model would be sent in its place."""

    name = "offline"
    is_by_rules = True

    def __init__(self) -> None:
        self.sent: list[str] = []
        self._offline = OfflineEngine()

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        if context is not None:
            self.sent.append(context.text)
            self.sent += [json.dumps(context.messages(layout), ensure_ascii=False) for layout in LAYOUTS]
        if isinstance(request, SeatRequest):
            self.sent.append(task_text(request))
        else:  # all of it goes out
            self.sent.append(repr(request))
        return self._offline.reply(request, context)


LAYOUTS = ("watermark", "strict")


def said(session: Session, *texts: str, tx: Draft | None = None) -> None:
    for text in texts:
        start_s = float(len(session.projection.segments) * 3)
        add_segment(session.rehearsal, Segment(text, start_s, start_s + 2.0, "Ines", 1), tx=tx)


@pytest.fixture
def engine() -> Overhearing:
    return Overhearing()


@pytest.fixture
def session(home: Path, engine: Overhearing) -> Iterator[Session]:
    given: dict[str, Any] = {"id": "s1", "presenter": "Ines", "remember": True, "date": "2026-11-22"}
    with Session.start(Home.open(home), deck_text=DECK, engine=engine, **given) as session:
        yield session


def test_no_request_of_a_whole_rehearsal_holds_a_word_of_it(session: Session, engine: Overhearing) -> None:
    said(session, "Good morning.", "Off the record, Nordbank wants out of 40 percent of its loans by May.")
    said(session, "They told us twice.", "Back on the record: the harbour opens in June.")
    assert session.ask() is not None
    session.answer("That is off the record: our chairman Quist leaves with 12 percent in May.")
    if session.projection.open is not None:
        session.answer("As I said, chairman Quist leaves with 12 percent.")
    assert session.ask() is not None
    session.answer("We measured it in March, and the audit says so.")
    heard = len(engine.sent)
    session.context("skeptic")
    session.end()
    assert len(engine.sent) > heard > 10
    leaks = [text for text in engine.sent if any(one.casefold() in text.casefold() for one in SECRETS)]
    assert leaks == []
    assert any("the harbour opens in June" in text for text in engine.sent)
    assert any("the audit says so" in text for text in engine.sent)
    assert "Nordbank wants out of 40 percent" in session.read(TRANSCRIPT)
    assert session.verify().valid


def test_a_context_is_a_prefix_of_the_next_and_comes_back_from_its_receipt(session: Session) -> None:
    def upto_its_end(text: str) -> str:
        return text[: text.index("^^^ end of file 6 of 11")]

    texts = []
    for line in (
        "Good morning.",
        "Off the record: Nordbank wants out of the loan.",
        "Quist told us.",
        "Next.",
    ):
        said(session, line)
        context = session.context("skeptic")
        texts.append((context.receipt, context.text, context.messages()))
    for (_, before, _), (_, after, _) in pairwise(texts):
        assert after.startswith(upto_its_end(before))
    assert LABEL in texts[-1][1]
    assert "Quist" not in texts[-1][1]
    with Session.open(None, session.path) as elsewhere:
        for receipt, text, messages in texts:
            again = elsewhere.context_at(receipt)
            assert (again.text, again.messages()) == (text, messages)
            assert elsewhere.context_at(receipt.seq, "skeptic").text == text
        fresh = elsewhere.rehearsal.peek("skeptic", purpose="context")
        assert fresh.text == session.rehearsal.peek("skeptic", purpose="context").text


def test_a_receipt_of_an_earlier_release_gives_what_was_sent_then(session: Session) -> None:
    said(session, "Off the record: Nordbank wants out of the loan.", "Done.")
    receipt = session.context("skeptic").receipt
    assert len(receipt.off_record) == 2
    assert receipt.value()["off_record"] == list(receipt.off_record)
    before = replace(receipt, off_record=())
    assert "off_record" not in before.value()
    assert "Nordbank wants out of the loan." in session.context_at(before).text


@pytest.mark.parametrize(
    "mark", ["Off the record: Nordbank wants out.", "Nordbank wants out, keep this private"]
)
def test_it_is_found_in_a_long_talk_that_another_process_opens(session: Session, mark: str) -> None:
    with session.transaction() as tx:
        said(session, *(f"We never keep notes of ferry {number}." for number in range(120)), mark, tx=tx)
    with Session.open(None, session.path) as elsewhere:
        context = elsewhere.rehearsal.peek("skeptic", purpose="context")
    assert "Nordbank" not in context.text
    assert len(context.receipt.off_record) == 1


def test_what_a_program_notes_as_sensitive_is_found_in_a_long_talk(session: Session) -> None:
    with session.transaction() as tx:
        said(session, *(f"We look at ferry {number}." for number in range(120)), tx=tx)
        last = to_json(Segment("Nordbank.", 999.0, 999.5, "Ines", 1))
        value = Unread({"type": SpeechHeard.TYPE, "sensitive": True, "segment": last})
        tx.append(TRANSCRIPT, "Nordbank.\n", by="transcript", value=value)
        assert "Nordbank" not in session.context("skeptic").text
    with Session.open(None, session.path) as elsewhere:
        shown = shown_content(elsewhere.rehearsal.store, TRANSCRIPT)
    assert "Nordbank" not in shown
    assert "We look at ferry 7." in shown


def test_what_is_not_off_the_record_is_shown_as_it_stands(session: Session) -> None:
    said(session, "Good morning.", "Revenue grew by 18% in 2026.")
    context = session.context("skeptic")
    assert context.receipt.off_record == ()
    assert session.read(TRANSCRIPT) in context.text
    assert "off_record" not in context.receipt.value()


def test_the_file_tools_do_not_give_it_away(session: Session) -> None:
    said(session, "Off the record: Nordbank wants out of the loan.")
    text = read_file(session.rehearsal.store, "skeptic", TRANSCRIPT).text
    assert "Nordbank" not in text
    assert LABEL in text
    assert len(text) == len(session.read(TRANSCRIPT))


def test_it_ends_with_the_slide_and_what_quotes_it_stays_away_all_the_same(session: Session) -> None:
    said(session, "Off the record: Nordbank wants out of the loan.")
    session.slide(2)
    said(session, "The harbour opens in June.")
    session.append("skeptic/exchange-notes.md", '- They said "Nordbank wants out".\n', by="skeptic")
    session.append("skeptic/exchange-notes.md", "- The harbour opens in June, they say.\n", by="skeptic")
    text = session.context("skeptic").text
    assert "The harbour opens in June." in text
    assert "- The harbour opens in June, they say." in text
    assert "Nordbank" not in text
    assert 'They said "Nordbank wants out"' in session.read("skeptic/exchange-notes.md")


def test_a_transaction_that_is_taken_back_hides_nothing(session: Session) -> None:
    with suppress(InterruptedError), session.transaction() as tx:
        said(session, "Off the record: Nordbank wants out.", tx=tx)
        assert LABEL in session.context("skeptic").text
        raise InterruptedError
    said(session, "Revenue grew by 18% in 2026.")
    assert "Revenue grew by 18% in 2026." in session.context("skeptic").text


def test_a_page_that_quotes_it_is_not_shown_to_who_writes_it_anew(
    home: Path, session: Session, engine: Overhearing
) -> None:
    with MemoryDatabase.open(home) as db:
        Notebook(db, "skeptic", "Ines").update_page("# Ines\n\nNordbank wants out of the loan.\nAsk why.\n")
    said(session, "Off the record: Nordbank wants out of the loan.")
    session.end()
    pages = [text for text in engine.sent if "Write your own page anew" in text]
    assert any("Ask why." in text for text in pages)
    assert not [text for text in pages if "Nordbank" in text]


PHRASINGS = """
##  Let's go off the record. / Zubrin is broke.
##  Let's go off the record for a moment. / Zubrin is broke.
##  Can we go off the record? / Zubrin is broke.
##  This next bit is off the record. / Zubrin is broke.
#   Can I say something off the record? Zubrin is broke.
##  It saves two million, and off the record, Zubrin is broke. / So they sell.
#   Let me say off the record that Zubrin is broke.
#   I tell you this off the record: Zubrin is broke.
#   Completely off the record, Zubrin is broke.
#   Between you and me and off the record, Zubrin is broke.
##  Speaking OFF-THE-RECORD, I worry. / Zubrin is broke.
#   An off-the-record word: Zubrin is broke.
#   We keep that off‑the‑record – Zubrin is broke.
.#  We are off / the record, Zubrin is broke.
.##  Off the / record, I worry. / Zubrin is broke.
...# Now, off / @Chair: Please go on. / the / record: Zubrin is broke.
.#  So this is off- / the-record. Zubrin is broke.
##. Off the record. Zubrin is broke. / They sell. / | The plan stands.
.#  The speech is over, keep / this between us: Zubrin is broke.
##  Is this off the record? Zubrin hopes so. / It is broke.
##  We are not off the record yet, are we? / Zubrin is broke.
### Off the record. / We have nothing on the record about it. / Zubrin is broke.
### Off the record. / That is not on the record yet. / Zubrin is broke.
### Off the record. / This must never go back on the record. / Zubrin is broke.
### Off the record. / Are we back on the record? / Zubrin is broke.
### Off the record. / Back on the record? / Zubrin is broke.
### Off the record. / Nothing of this is on the record. / Zubrin is broke.
### Off the record. / Until we are back on the record, listen. / Zubrin is broke.
### Off the record. / We will be back on the record in a minute. / Zubrin is broke.
####  Off the record. / We are not / back on the record. / Zubrin is broke.
### Off the record. / He said it, on the record. / Zubrin is broke.
### Off the record. / On the record, we know nothing. / Zubrin is broke.
### Off the record. / Never say this: back on the record. / Zubrin is broke.
##. Off the record. / Zubrin is broke. Back on the record. / The plan stands.
##  Off the record. / Zubrin is broke. Back on the record. And this is off the record again.
#.  Off the record, Zubrin is broke. Back on the record. / The plan stands.
##. Off the record. / Zubrin is broke. / Back on the record: the plan stands.
##. Off the record. / Zubrin is broke. / Back on the record, the plan stands.
##.. Off the record. / Zubrin is broke. / back on the record / The plan stands.
##.. Off the record. / Zubrin is broke. / Okay, so we're back on the record now. / The plan stands.
##.. Off the record. / Zubrin is broke. / On the record: / The plan stands.
###. Off the record. / Zubrin is broke. / Let's go back on / the record. The plan stands.
##.  Off the record. / Zubrin is broke. / Ines: Back on the record.
##.  Off the record. / Zubrin is broke. / 10:04 ines: back on the record.
####  Off the record. / We are not / Ines: back on the record. / Zubrin is broke.
##.. Off the record. / Zubrin is broke. / @Chair: Back on the record. / The plan stands.
.. For the record, the plan stands. / It is on the record.
.  We took off. The record of 2025 stands.
.. We took off the roof. / The record stands.
"""
"""What is said, `/` between segments, `@` another speaker, `|` a new slide; `#` for each that stays."""


@pytest.mark.parametrize("row", PHRASINGS.strip().splitlines())
def test_any_off_the_record_withholds_until_somebody_says_plainly_that_it_is_over(row: str) -> None:
    expected, talk = row.split(maxsplit=1)
    withheld, stays = Withheld(), ""
    for piece in talk.split(" / "):
        if piece.startswith("| "):
            withheld.over()
        words = piece.removeprefix("| ").removeprefix("@Chair: ")
        speaker = "Chair" if piece.startswith("@") else "Ines"
        stays += "#" if withheld.takes(words, is_speech=True, speaker=speaker) else "."
    assert stays == expected


ENDS = (
    "Ann: Back on the record.",
    "ann: back on the record",
    "10:04 ann: back on the record.",
    "10:04 - Ann Lee: Back on the record.",
    "[10:04:12] Dr. Ann Lee: we are back on the record now.",
    "2026-11-27T10:04:00Z Ann: Back on the record: the plan stands.",
    "Ann (10:04): back on the record.",
    "- **Ann**: Back on the record.",
    "**Ann:** Okay, back on the record.",
    "<ann> back on the record",
    "@ann: on the record.",
    "10:04 back on the record.",
    "Back on the record",
    "back on the record",
    "林: back on the record.",
)
STAYS = (
    "Never say this: back on the record.",
    "Never: back on the record.",
    "Ann: never back on the record.",
    "Ann Later: back on the record.",
    "He said: back on the record.",
    "Not yet, Ann: back on the record.",
    "Ann: back on the record?",
    "Ann: are we back on the record?",
    "Ann: We will be back on the record in a minute.",
    "Until then we are not\nback on the record.",
    "Nothing of this is\non the record.",
    "On the record\nwe know nothing.",
)


@pytest.mark.parametrize("line", [*ENDS, *STAYS])
def test_a_line_is_a_sentence_of_its_own_whoever_says_it_and_when(line: str) -> None:
    """Also behind one that lacks a full stop; whatever may be another sentence stays off."""
    withheld = Withheld()
    texts = ("Ann: off the record.\n", "Ann: Zubrin is broke\n", f"{line}\n", "Ann: The plan stands.\n")
    kept = [withheld.takes(text, is_speech=True, is_lines=True) for text in texts]
    assert kept == [True, True, line in STAYS, line in STAYS]


def test_lines_of_one_text_are_sentences_too_and_the_text_stays_whole() -> None:
    withheld = Withheld()
    text = "Ann: off the record\n10:03 ann: Zubrin is broke\n\n10:04 ann: back on the record\nBob: Good.\n"
    assert withheld.takes(text, is_speech=True, is_lines=True)
    assert not withheld.takes("Ann: The plan stands.\n", is_speech=True, is_lines=True)


def test_a_phrase_that_a_slide_cuts_is_heard_and_one_that_a_slide_ended_is_not_heard_again() -> None:
    withheld = Withheld()
    assert not withheld.takes("So, off the", is_speech=True)
    withheld.over()
    assert withheld.takes("record, Zubrin is broke and they", is_speech=True)
    withheld.over()
    assert not withheld.takes("sail in June", is_speech=True)


def test_nothing_made_of_a_session_has_the_words_however_it_was_put(home: Path, tmp_path: Path) -> None:
    rows = [row.split(maxsplit=1)[1] for row in PHRASINGS.strip().splitlines() if "Zubrin" in row]
    engine = Overhearing()
    with Session.start(Home.open(home), deck_text=DECK, engine=engine, id="s1") as session:
        for number, row in enumerate(rows):
            session.slide(1 + number % 2)
            said(session, *(words.rpartition("@Chair: ")[2] for words in row.replace("| ", "").split(" / ")))
        assert session.ask() is not None
        session.answer("May I say that off the record? Zubrin is broke, and 12 percent are gone.")
        made = [session.context("skeptic").text, json.dumps(asdict(session.recap()), default=str)]
        session.end()
        made += [path.read_text("utf-8") for path in session.path.glob("debrief.*")]
        ledger = (session.path / LEDGER_NAME).read_bytes()
    found = " ".join(passage.text for passage in reading.read("s1", ledger, None)[1])
    assert [text for text in [*engine.sent, *made, found] if "Zubrin" in text] == []
    assert "Zubrin is broke" in ledger.decode()


@pytest.mark.parametrize("blank", [" " * 90, "\n" * 90, "\u200b" * 90])
def test_blanks_hide_no_phrase_that_is_cut_in_two(session: Session, blank: str) -> None:
    session.append(TRANSCRIPT, f"Let me say this off the{blank}\n", by="transcript")
    session.append(TRANSCRIPT, "record: the reserve fund holds ninety million\n", by="transcript")
    assert "ninety million" not in session.context("skeptic").text


def test_a_search_does_not_find_what_follows_a_phrase_that_is_cut_in_two(session: Session) -> None:
    said(session, "We sail in June. Off the", "record, Zubrin is broke.")
    _, found = reading.read("s1", (session.path / LEDGER_NAME).read_bytes(), None)
    assert [one.text for one in found if one.kind == "speech"] == ["We sail in June. Off the"]


@pytest.mark.parametrize("text", ["", "\n", "x\n", "a line\n", "two\n\nlines – of text\n\n", "no end"])
def test_what_is_blanked_is_as_long_as_it_was(text: str) -> None:
    assert len(blanked(text).encode()) == len(text.encode())
    assert blanked(text).endswith("\n") == text.endswith("\n")


def test_two_words_in_quotation_marks_are_a_quotation_and_without_are_none() -> None:
    withheld = Withheld()
    withheld.takes("Off the record: chairman Quist leaves in May.", is_speech=True)
    assert withheld.touches('You said "chairman Quist". Why?')
    assert withheld.touches("You said “chairman Quist leaves”. Why?")
    assert not withheld.touches("Is the chairman Quist or another?")
    assert not withheld.touches('What does "the record" hold?')


def test_no_page_at_the_end_quotes_what_was_said_off_the_record(home: Path, tmp_path: Path) -> None:
    speech = tmp_path / "speech.srt"
    speech.write_text(
        "1\n00:00:01,000 --> 00:00:04,000\nWe sail every morning and nobody was late this year.\n\n"
        "2\n00:00:05,000 --> 00:00:08,000\nOff the record, our landlord is a crook.\n",
        "utf-8",
    )
    with Session.start(Home.open(home), deck_text="# Boats\n\n- Two boats sail.\n", id="s1") as session:
        session.load(read_speech(speech), kind="feed")
        session.play()
        session.end()
        page = (session.path / "debrief.md").read_text("utf-8")
    assert "We sail every morning" in page
    assert "landlord" not in page
