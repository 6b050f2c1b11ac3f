"""A whole rehearsal on every real deck: verbatim quotes, every context rebuilt, live and from the archive."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.material.deck.content import slide_texts
from orchestrator.material.speech.read import read_speech
from orchestrator.panel.model.exchange import Exchange
from tests.conftest import SHARED
from tests.helpers.board import archive_session, fetch, verify_archive

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

DECKS = sorted(path.name for path in (SHARED / "decks").glob("*")) if SHARED.is_dir() else ["none"]
SPEECH = (
    "4468919.aligned.vtt",
    "4386541.amazon_asr.segments.json",
    "aswf_plantfactory_demo.txt",
    "innersource/03-how-works.en.vtt",
    "innersource/05.pt.srt",
)


@pytest.mark.parametrize("number", range(len(DECKS)), ids=DECKS)
def test_a_whole_rehearsal(shared: Path, home: Path, tmp_path: Path, number: int) -> None:
    deck, speech = shared / "decks" / DECKS[number], shared / "transcripts" / SPEECH[number % len(SPEECH)]
    archive = str(tmp_path / "archive")
    with Session.start(Home.open(home), deck, id="real") as session:
        session.load(read_speech(speech), kind="run")
        assert session.play()
        assert session.projection.exchanges
        for exchange in session.projection.exchanges:
            if exchange.grounded:
                assert exchange.quote
                assert _stands_there(session, exchange)
            else:
                assert (exchange.quote, exchange.slide, exchange.claim) == (None, None, None)
        session.end()
        assert session.verify().findings == ()
        archive_session(session.path, archive)
        assert verify_archive(archive, "real").findings == ()
        with Session.open(None, fetch("real", archive, tmp_path / "fetched")) as archived:
            receipts = session.receipts()
            assert len(receipts) > len(session.projection.exchanges)
            for receipt in receipts:
                text = session.context_at(receipt.id).text
                assert archived.context_at(receipt.id).text == text


def _stands_there(session: Session, exchange: Exchange) -> bool:
    """Whether the quote stands word for word on the slide, or in the segment, that the question names."""
    if exchange.said_at_s is not None:
        texts = [one.text for one in session.projection.segments if one.start_s == exchange.said_at_s]
    else:
        slides = {one.number: one for one in session.rehearsal.scene().deck.slides}
        texts = [text for _, text in slide_texts(slides[exchange.slide or 0])]
    return any((exchange.quote or "") in text for text in texts)
