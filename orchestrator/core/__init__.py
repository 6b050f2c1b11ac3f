"""Sessions as folders, for any crew of agents: writers, contexts, receipts, proof and archives.

The core knows no deck, no speech, no question and no verdict, imports nothing else of the package, and loads
no other package before it is used: jinja2 to render a blueprint, pyyaml to read a table, watchdog to guard,
boto3 to reach S3. The public names are `__all__`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orchestrator.core.archive.download import restore as restore
    from orchestrator.core.archive.download import verify_archive as verify_archive
    from orchestrator.core.archive.upload import Archived as Archived
    from orchestrator.core.context.assemble import Context as Context
    from orchestrator.core.context.receipt import Receipt as Receipt
    from orchestrator.core.crew import Note as Note
    from orchestrator.core.errors import GreenroomError as GreenroomError
    from orchestrator.core.session import Home as Home
    from orchestrator.core.session import Session as Session
    from orchestrator.core.store.application import Application as Application
    from orchestrator.core.store.transaction import Draft as Draft
    from orchestrator.core.table import Table as Table
    from orchestrator.core.verify import Verification as Verification
    from orchestrator.core.verify import verify_session as verify_session

_PARTS = {
    "Application": "store.application",
    "Archived": "archive.upload",
    "Context": "context.assemble",
    "Draft": "store.transaction",
    "GreenroomError": "errors",
    "Home": "session",
    "Note": "crew",
    "Receipt": "context.receipt",
    "Session": "session",
    "Table": "table",
    "Verification": "verify",
    "restore": "archive.download",
    "verify_archive": "archive.download",
    "verify_session": "verify",
}

__all__ = [
    "Application",
    "Archived",
    "Context",
    "Draft",
    "GreenroomError",
    "Home",
    "Note",
    "Receipt",
    "Session",
    "Table",
    "Verification",
    "restore",
    "verify_archive",
    "verify_session",
]


def __getattr__(name: str) -> Any:
    if name not in _PARTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PARTS[name]}"), name)
