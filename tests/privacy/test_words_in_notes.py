"""A note that holds words which somebody said is heard like a piece of speech that quotes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store.application import Application
from orchestrator.core.store.ledger import Bearing, Unread, Value, kinds_of
from orchestrator.core.store.store import create_store

TRANSCRIPT = "shared/presenter-transcript.md"
NOTES = "skeptic/exchange-notes.md"


@dataclass(frozen=True, slots=True)
class Corrected(Value):
    """What was misheard, as a later release may record it."""

    TYPE: ClassVar = "corrected"

    words: str

    @property
    def bearing(self) -> Bearing:
        return Bearing(words=self.words)

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        return cls(plain["words"])


APPLICATION = Application(kinds=kinds_of(Corrected))


def test_what_corrects_words_off_the_record_is_off_it_too(tmp_path: Path) -> None:
    layout = packaged_table().seated(("skeptic", "analyst"))
    for opened_between in (False, True):
        root = tmp_path / str(opened_between)
        store = create_store(root, layout, Unread({"templates": {}}), APPLICATION)
        store.append(TRANSCRIPT, "Off the record: we lose Nordbank in May.\n", by="transcript")
        store.note(Corrected("Off the record: we lose Nordbank in March."), by="transcript")
        if opened_between:
            store.close()
            store = type(store)(root, application=APPLICATION)
        store.append(NOTES, "They lose Nordbank in March, and say so.\n", by="skeptic")
        store.append(NOTES, "They grow in the north, and say so.\n", by="skeptic")
        hidden = store.hidden()
        store.close()
        assert [*hidden.values()] == [TRANSCRIPT, NOTES]
