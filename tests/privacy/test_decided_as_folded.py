"""What is decided as a piece is written is what a fold over the whole ledger says, in whatever order."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store.ledger import Unread, Value
from orchestrator.core.store.off_record import OffRecord
from orchestrator.core.store.store import Store, create_store
from orchestrator.material.values import Segment
from orchestrator.panel.application import BOARD
from orchestrator.panel.records.kinds import KINDS
from orchestrator.panel.records.speech import SlideShown, SpeechHeard

TRANSCRIPT = "shared/presenter-transcript.md"
NOTES = "skeptic/exchange-notes.md"
PIECES = (
    "Off the record: the fund holds ninety million.",
    "We sail in June, off the",
    "record, and Zubrin is broke.",
    "So much for that: we are back on the record.",
    "The fund holds ninety million, they say.",
    "[confidential] Quist leaves in May.",
    "Revenue grew by forty percent in the north.",
    "off the" + " " * 90,
    "   ",
)
ACTS = st.one_of(
    st.tuples(st.just("says"), st.sampled_from(PIECES), st.sampled_from((None, "Ines", "Bo"))),
    st.tuples(st.just("adds"), st.sampled_from(PIECES), st.none()),
    st.tuples(st.just("notes"), st.sampled_from(PIECES), st.none()),
    st.tuples(st.just("slide"), st.just(""), st.none()),
    st.tuples(st.sampled_from(("closes", "both")), st.sampled_from(PIECES), st.none()),
)


def _do(store: Store, acts: Sequence[tuple[str, str, str | None]]) -> Store:
    for number, (act, text, speaker) in enumerate(acts):
        if act == "closes":
            store.close()
            store = Store(store.root, application=BOARD)
            continue
        value: Value | None = None
        if act == "says":
            value = SpeechHeard(Segment(text, float(number), number + 1.0, speaker))
        elif act == "slide":
            value, text = SlideShown(number + 1, float(number), estimated=False, ends_section=False), "Slide."
        with store.transaction() as tx:
            if act in ("notes", "both"):
                tx.append(NOTES, f"- {text}", by="skeptic")
            if act != "notes":
                tx.append(TRANSCRIPT, f"{text}\n", by="transcript", value=value)
    return store


@settings(max_examples=60, deadline=None)
@given(st.lists(ACTS, max_size=14))
def test_every_record_is_withheld_as_the_fold_says(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, str, str | None]]
) -> None:
    layout = packaged_table().seated(("skeptic", "analyst"))
    root = tmp_path_factory.mktemp("decided") / "s"
    store = _do(create_store(root, layout, Unread({"templates": {}}), BOARD), acts)
    folded = OffRecord(kinds=KINDS)  # as for a ledger of version 1: nobody has decided yet
    for entry in store.entries():
        folded.take(store.record(entry.seq)._replace(withheld=False))
    hidden = dict(store.hidden())
    store.close()
    again = Store(root, application=BOARD)
    assert hidden == dict(again.hidden()) == folded.hidden
    again.close()
