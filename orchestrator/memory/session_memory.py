"""What a session does with long-term memory: it takes along at its start, and keeps at its end.

Nothing else in a rehearsal knows of it. Each part runs under a guard: where it fails, the ledger
gets one warning and the rehearsal goes on. Without `--remember` nothing is opened or written.

Source: DESIGN.md, sections 6 and 9.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.clock import utc_now
from orchestrator.loop.state import UNNAMED
from orchestrator.memory.carryover import Taken, take_along
from orchestrator.memory.consent import consented, set_consent
from orchestrator.memory.database import MemoryDatabase, existing
from orchestrator.memory.dismissals import keep_dismissal
from orchestrator.memory.embedding import Embedder, careful
from orchestrator.memory.flush import keep_what_matters
from orchestrator.memory.guard import Guard
from orchestrator.memory.memories import carried_into
from orchestrator.memory.proposals import Settled, settle_session
from orchestrator.memory.recall import embed_missing
from orchestrator.memory.scratchpad_pages import ask_for_pages
from orchestrator.memory.scribe import scribe_of
from orchestrator.memory.session_tools import SessionTools
from orchestrator.model.carryover import NOTHING, Carried
from orchestrator.model.slide import Deck

if TYPE_CHECKING:
    from orchestrator.loop.rehearsal import Rehearsal
    from orchestrator.loop.state import Options


class Remembering:
    """One session's dealings with long-term memory, in this process."""

    def __init__(self, home_root: Path | None, *, embed: Embedder | None = None) -> None:
        """*home_root* None: memory is switched off, or the session lies outside a home."""
        self._root = home_root
        self.embed = careful(embed)
        self._guard = Guard()
        self._taken = Taken(NOTHING)

    def take(self, options: Options, deck: Deck) -> Carried:
        """What a session that begins carries over; asked once, before there is a ledger.

        `--remember` is the presenter's word: it is noted as consent.
        """
        root = self._root
        if root is None or not options.remember:
            return NOTHING

        def taken() -> Taken:
            now = utc_now()
            with MemoryDatabase.open(root) as db:
                if not consented(db, options.presenter):
                    set_consent(db, options.presenter, True, now)
            return take_along(root, options, deck, embed=self.embed, now=now)

        self._taken = self._guard.call("memory", taken, Taken(NOTHING))
        return self._taken.carried

    def begun(self, rehearsal: Rehearsal) -> None:
        """The session is there: note what stands in it, and tell its ledger what failed before."""
        session, ids = rehearsal.options.id, self._taken.memory_ids
        self._guard.call("memory", lambda: carried_into(self._root, session, ids), None)
        self._note_vectors()
        self._guard.tell(rehearsal.store)

    def tools(self, rehearsal: Rehearsal) -> SessionTools:
        """The tools of its agents, for as long as it goes on."""
        options = rehearsal.options
        return SessionTools(rehearsal.store.root, self._root, options.presenter, embed=self.embed)

    def dismissed(self, rehearsal: Rehearsal, digest: str) -> None:
        """The presenter says that a contradiction is none: remembered rehearsals do not raise it again."""
        options = rehearsal.options
        if not options.remember or options.presenter == UNNAMED:
            return

        def keep() -> None:
            with existing(self._root) as db:
                if db is not None:
                    keep_dismissal(db, options.presenter, digest, session=options.id, now=utc_now())

        self._guard.call("memory", keep, None)
        self._guard.tell(rehearsal.store)

    def end(self, rehearsal: Rehearsal) -> None:
        """Before the debrief and the freeze: pages, proposals, decisions and open questions are kept.

        Doing it again keeps nothing twice. Outside of a transaction: engines are asked.
        """
        root, options, store = self._root, rehearsal.options, rehearsal.store
        if root is None or not options.remember:
            return
        scribe = self._guard.call("scribe", lambda: scribe_of(store), None)
        if scribe is None:  # it alone knows what was off the record, so nothing is asked, and nothing leaves
            self._guard.tell(store)
            return
        stays = scribe.stays
        self._guard.call("scratchpads", lambda: ask_for_pages(rehearsal, root, stays=stays), None)
        now = utc_now()
        self._guard.call(
            "proposals",
            lambda: settle_session(store, options, root, stays=stays, now=now),
            Settled(),
        )
        self._guard.call("scribe", lambda: keep_what_matters(rehearsal, root, scribe=scribe, now=now), None)
        self._guard.call("embeddings", lambda: self._make_vectors(root, rehearsal), None)
        self._guard.tell(store)

    def _note_vectors(self) -> None:
        """What was recalled by words though it should have gone by meaning."""
        if self.embed is not None and (why := self.embed.take_failure()) is not None:
            self._guard.note("embeddings", why)

    def _make_vectors(self, root: Path, rehearsal: Rehearsal) -> None:
        if self.embed is None:
            return
        with existing(root) as db:
            if db is None:
                return
            for agent in rehearsal.store.layout.agents:
                embed_missing(db, agent=agent, presenter=rehearsal.options.presenter, embed=self.embed)
