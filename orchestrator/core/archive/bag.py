"""The archive of a session: a BagIt bag, as a pure function of the frozen session.

The same session gives the same bytes, whenever and wherever it is bagged: names are sorted,
and the only date is that of the session's end. So an archive can be made again and compared.

Source: DESIGN.md, section 10; RFC 8493.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orchestrator.core.archive.manifest import DECLARATION, render_info, render_manifest
from orchestrator.core.errors import ArchiveError, LedgerCorruptError
from orchestrator.core.home.regular import read_regular
from orchestrator.core.store import files, ledger
from orchestrator.core.store.application import PLAIN, Application, opening_of
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.core.table import SESSION_ID
from orchestrator.core.verify import verify_session
from orchestrator.core.verify.disk import (
    digest_file,
    open_folder,
    read_file,
    walk,
)
from orchestrator.core.verify.finding import Report, shown

# Raised when another release would give other bytes for the same session; the agent line says which made a
# bag.
BAG_VERSION: Final = 1
DECLARATION_NAME: Final = "bagit.txt"
INFO_NAME: Final = "bag-info.txt"
MANIFEST_NAME: Final = "manifest-sha256.txt"
COMMIT_MARK: Final = "tagmanifest-sha256.txt"
"""The name of the tag manifest. It is stored last, so a bag that has it has everything else."""
EXCHANGES: Final = "Greenroom-Exchanges"
TAG_NAMES: Final = (MANIFEST_NAME, DECLARATION_NAME, INFO_NAME, COMMIT_MARK)


def software_agent(ledger_version: int) -> str:
    """Return the value of `Bag-Software-Agent`: the versions of the formats, and not of the release.

    So a later release gives the same bag.
    """
    return f"greenroom, bag {BAG_VERSION}, ledger {ledger_version}"


SOFTWARE_AGENTS: Final = tuple(software_agent(version) for version in ledger.READ_VERSIONS)
"""The values of `Bag-Software-Agent` in the bags whose tag files this release reproduces byte for byte."""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What the bag-info of an archive states about its session; "" for a fact that is not known."""

    session: str
    deck: str
    deck_title: str
    title: str  # of a session that has no deck
    crew: str  # the table's name; "": a board panel's session
    date: str
    presenter: str
    exchanges: int | None  # None: the session is another program's, which alone can count them
    state: str
    head: str  # the ledger's
    ended_on: str  # YYYY-MM-DD, UTC
    ledger_version: int


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a bag: its name in the bag, and its bytes or the path where they are."""

    name: str
    content: bytes | Path
    size_bytes: int
    sha256: str

    def read(self) -> bytes:
        """Return the bytes of the file.

        Raises:
            ArchiveError: The file has changed since the bag was put together.
        """
        if isinstance(self.content, bytes):
            return self.content
        raw = read_regular(self.content)
        if hashlib.sha256(raw).hexdigest() != self.sha256:
            raise ArchiveError(f"{self.content}: changed while it was being archived: run `greenroom verify`")
        return raw


def bag_files(root: Path, application: Application = PLAIN) -> tuple[Part, ...]:
    """Return the files of the bag of the frozen session at *root*.

    The payload comes first, by name, then the tag files; the commit mark is last.

    Raises:
        ArchiveError: The session has not ended, or differs from what its ledger says; the message names the
            first finding.
    """
    verification = verify_session(root, application=application)
    if not verification.valid:
        first = verification.findings[0]
        raise ArchiveError(
            f"{root.name}: cannot be archived, since {first.path} is {first.kind} (found {first.found}): "
            "run `greenroom verify`"
        )
    if not verification.ended:
        raise ArchiveError(
            f"{root.name}: has not ended, and only an ended session is archived: run `greenroom end`"
        )
    try:
        facts = facts_of(root, application)
        parts = payload_of(root, facts.session)
    except OSError as error:
        raise ArchiveError(f"{root}: {files.told(error)}: check the disk, then try again") from error
    tags = tag_files(parts, facts)
    return (*parts, *(Part(name, tags[name], len(tags[name]), _sha256(tags[name])) for name in TAG_NAMES))


def payload_of(root: Path, session: str) -> tuple[Part, ...]:
    """Return every file of the session, under the name that it has in the bag.

    Raises:
        ArchiveError: The folder holds something that is not a file.
        OSError: A file cannot be read.
    """
    parts = []
    report = Report()
    with open_folder(root) as fd:
        for name in sorted(walk(fd, report), key=lambda name: name.path):
            if name.kind != "file":
                raise ArchiveError(f"{root.name}: {shown(name.path)} is {name.kind}: run `greenroom verify`")
            sha256 = digest_file(fd, name.path)
            parts.append(Part(f"data/{session}/{name.path}", root / name.path, name.size_bytes, sha256))
    for finding in report.findings:  # a folder that could not be read: no bag is put together of a part
        raise ArchiveError(f"{root.name}: {finding.path}: {finding.found}: run `greenroom verify`")
    return tuple(parts)


def tag_files(payload: tuple[Part, ...], facts: SessionFacts) -> dict[str, bytes]:
    """Return the content of the four tag files of a bag with this payload, by file name."""
    info = {
        "Bag-Software-Agent": software_agent(facts.ledger_version),
        "Bagging-Date": facts.ended_on,
        "External-Identifier": facts.session,
        "Greenroom-Crew": facts.crew,
        "Greenroom-Date": facts.date,
        "Greenroom-Deck": facts.deck,
        "Greenroom-Deck-Title": facts.deck_title,
        EXCHANGES: str(facts.exchanges or 0),
        "Greenroom-Ledger-Head": facts.head,
        "Greenroom-Presenter": facts.presenter,
        "Greenroom-State": facts.state,
        "Greenroom-Title": facts.title,
        # RFC 8493, 2.2.2: bytes and files, so that a copy that is short is seen before any digest is made.
        "Payload-Oxum": f"{sum(part.size_bytes for part in payload)}.{len(payload)}",
    }
    tags = {
        MANIFEST_NAME: render_manifest({part.name: part.sha256 for part in payload}),
        DECLARATION_NAME: DECLARATION,
        INFO_NAME: render_info(info.items()),
    }
    tags[COMMIT_MARK] = render_manifest({name: _sha256(content) for name, content in tags.items()})
    return tags


def facts_of(root: Path, application: Application = PLAIN) -> SessionFacts:
    """Return the facts that a bag states about the session as a whole, read from its ledger.

    Raises:
        ArchiveError: The ledger cannot be read.
    """
    try:
        with open_folder(root) as fd:
            content = read_file(fd, LEDGER_NAME)
        scan = ledger.scan(content)
        records = list(_telling(content, scan, application))
    except (OSError, LedgerCorruptError) as error:
        raise ArchiveError(f"{root.name}: its ledger cannot be read: run `greenroom verify`") from error
    if not records:
        raise ArchiveError(f"{root.name}: its ledger holds no record: run `greenroom verify`")
    opened, last = opening_of(records[0]), records[-1]
    is_own = application.owns(opened)
    counted = application.counts if is_own else {}
    version = opened.ledger_version
    return SessionFacts(
        session=opened.id if SESSION_ID.fullmatch(opened.id) else root.name,
        deck=opened.deck_name,
        deck_title=opened.deck_title,
        title=opened.title,
        crew=opened.crew,
        date=opened.date,
        presenter=opened.presenter,
        exchanges=sum(counted.get(record.type or "", 0) for record in records) if is_own else None,
        # The record of the end tells it, and not the file modes, which a copy loses.
        state="ended" if last.op == "freeze" else "active",
        head=scan.head,
        ended_on=last.at[:10],
        ledger_version=version if type(version) is int else ledger.LEDGER_VERSION,
    )


def _telling(content: bytes, scan: ledger.Scan, application: Application) -> Iterator[ledger.Record]:
    """Yield the first record, the last one, and those that close or reopen an exchange.

    No other record is decoded.
    """
    # A ledger of an hour holds thousands of records, and the others tell nothing of the whole.
    counting = tuple(f'"{type_}"'.encode() for type_ in application.counts)
    for entry in scan.entries:
        line = content[entry.offset : entry.offset + entry.size]
        if entry.seq in (1, len(scan.entries)) or any(one in line for one in counting):
            yield ledger.decode(line)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
