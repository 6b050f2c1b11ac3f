"""Small sessions for tests, made with the store alone: every class of file, every kind of record."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from orchestrator.core.archive.freeze import freeze
from orchestrator.core.context.assemble import Assembler, read_templates
from orchestrator.core.context.receipt import recorded
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store.ledger import Unread
from orchestrator.core.store.store import Store, create_store
from orchestrator.core.table import SeatedTable
from orchestrator.material.values import Segment
from orchestrator.panel.model.exchange import Judgement
from orchestrator.panel.records.exchanges import ExchangeClosed, VerdictGiven
from orchestrator.panel.records.speech import SpeechHeard
from tests.helpers.exchanges import exchange

PANEL = ("skeptic", "analyst")
TRANSCRIPT = "shared/presenter-transcript.md"
DECK = b"# Slide 1\nRevenue grew 40 %.\n"
SOURCE = f"source/{hashlib.sha256(DECK).hexdigest()}.md"


@dataclass(frozen=True)
class Sample:
    """A session on disk and the home templates that it was started from."""

    root: Path
    home_templates: Path
    layout: SeatedTable

    @property
    def id(self) -> str:
        return self.root.name


def make_templates(home: Path, layout: SeatedTable) -> dict[str, str]:
    """Write templates below *home* and return their digests, by path."""
    digests = {}
    for path in layout.templates:
        content = f"# {path}\nCharacter of a test, with ünïcode.\n".encode()
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_bytes(content)
        digests[path] = hashlib.sha256(content).hexdigest()
    return digests


def start(folder: Path, id: str = "rehearsal-1", panel: tuple[str, ...] = PANEL) -> tuple[Sample, Store]:
    """A session that has just begun, with its store open."""
    layout = packaged_table().seated(panel)
    digests = make_templates(folder / "home", layout)
    root = folder / "sessions" / id
    store = create_store(
        root,
        layout,
        Unread(
            {
                "id": id,
                "templates": digests,
                "template_bytes": {path: (folder / "home" / path).stat().st_size for path in digests},
                "deck": {"name": "plan.md", "title": "The plan", "sha256": hashlib.sha256(DECK).hexdigest()},
                "source": SOURCE,
                "presenter": "Presenter",
                "date": "2026-11-20",
            }
        ),
    )
    for path in layout.templates:
        copy = root / "ledger" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((folder / "home" / path).read_bytes())
    (root / "source").mkdir()
    (root / SOURCE).write_bytes(DECK)
    with store.transaction() as tx:
        for path, row in layout.files.items():
            if row.has_blueprint:
                tx.create(path, f"# {path}\n")
        tx.write("shared/session-config.md", "minutes: 20\n", by="start")
        tx.write("shared/deck-content.md", "# Slide 1\nRevenue grew 40 %.\n", by="start")
        tx.write("shared/external-intel.md", "None.\n", by="start")
        tx.write("shared/board-dossier.md", "None.\n", by="start")
        for agent in panel:
            tx.write(f"{agent}/focus-brief.md", "Growth.\n", by=agent)
    return Sample(root, folder / "home" / "templates", layout), store


def rehearse(store: Store, segments: int = 5) -> None:
    """Speech, candidates, receipts, one exchange and some notes."""
    agent = store.layout.panel[0]
    assembler = Assembler(store, read_templates(store, store.layout))
    for number in range(segments):
        text = f"[00:{number:02}] Presenter: we grew revenue by forty percent – in the north.\n"
        value = SpeechHeard(Segment(text, float(number), number + 1.0))
        store.append(TRANSCRIPT, text, by="transcript", value=value)
        context = assembler.prepare(agent, purpose="candidate-question", engine="offline")
        store.add_receipt(context.receipt.id, recorded(context.receipt, store.history.version))
        store.write(f"{agent}/candidate-question.md", f"Question {number}?\n", by=agent)
    with store.transaction() as tx:
        tx.write("shared/external-intel.md", "News.\n", by="intel")
        tx.append(f"{agent}/exchange-notes.md", "Asked about growth.\n", by=agent)
        tx.note(VerdictGiven("e1", Judgement("satisfied", "a number")), by=agent)
        tx.append(
            "shared/exchange-history.md",
            "## Exchange 1\n",
            by="moderator",
            value=ExchangeClosed(exchange("e1", agent, "By how much?")),
        )
        tx.write("moderator/session-state.md", "presenting\n", by="moderator")
    store.flush()


def live_session(folder: Path, id: str = "rehearsal-1", segments: int = 5) -> Sample:
    """A session that goes on, closed by its process."""
    sample, store = start(folder, id)
    rehearse(store, segments)
    store.close()
    return sample


def ended_session(folder: Path, id: str = "rehearsal-1", segments: int = 5) -> Sample:
    """A frozen session, with a derived file."""
    sample, store = start(folder, id)
    rehearse(store, segments)
    (sample.root / "debrief.md").write_text("# Debrief\n")
    freeze(store, sample.home_templates)
    store.close()
    return sample


def tiny_session(folder: Path) -> Sample:
    """A frozen session of three files, for tests that go over every byte or every request."""
    layout = packaged_table().seated(PANEL)
    root = folder / "sessions" / "tiny"
    store = create_store(root, layout, Unread({"id": "tiny", "templates": {}, "deck": {"name": "plan.md"}}))
    store.write("shared/session-config.md", "minutes: 20\n", by="start")
    store.append(TRANSCRIPT, "Presenter: we grew.\n", by="transcript")
    freeze(store, None)
    store.close()
    return Sample(root, folder / "home" / "templates", layout)
