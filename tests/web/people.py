"""People who sign in, for tests: a site on which a proxy says who they are, and sessions of two of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from starlette.testclient import TestClient
from starlette.types import ASGIApp

from orchestrator.access.audit import Audit
from orchestrator.access.gate import Gate
from orchestrator.access.sealing import Seal
from orchestrator.core.owner import Owner
from orchestrator.panel.config.access import read_access
from orchestrator.panel.home import Home
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.homes import new_home

PROXY: Final = "192.0.2.9"
"""The address of the proxy that is trusted (RFC 5737: of nobody)."""
SETTING: Final[dict[str, Any]] = {
    "proxy": {"addresses": [PROXY]},
    "presenters": ["presenters"],
    "reviewers": {"coaches": ["sales"], "auditors": ["research"]},
    "keepers": ["staff"],
}


@dataclass(frozen=True)
class Somebody:
    """Somebody whom the proxy signs in."""

    identity: str
    groups: str

    @property
    def headers(self) -> dict[str, str]:
        return {"x-forwarded-email": self.identity, "x-forwarded-groups": self.groups}

    @property
    def owner(self) -> Owner:
        named = {"presenters", "sales", "research", "coaches", "auditors", "staff"}
        return Owner(self.identity, tuple(sorted(named & set(self.groups.split(",")))))


DANA = Somebody("dana@acme.example", "presenters,sales,choir")
BEN = Somebody("ben@acme.example", "presenters,research")
RITA = Somebody("rita@acme.example", "coaches")
"""A reviewer of Dana's group."""
OTTO = Somebody("otto@acme.example", "auditors")
"""A reviewer of Ben's group."""
KIM = Somebody("kim@acme.example", "staff")
"""A keeper."""
LEO = Somebody("leo@acme.example", "choir")
"""Somebody whose groups give no role."""
EVERYBODY: Final[Mapping[str, Somebody | None]] = {
    "dana": DANA, "ben": BEN, "rita": RITA, "otto": OTTO, "kim": KIM, "leo": LEO, "signed out": None,
}  # fmt: skip

OF_DANA, OF_BEN, OF_NOBODY, UNKNOWN = "of-dana", "of-ben", "of-before", "of-nowhere"
OWNERS: Final = {OF_DANA: DANA, OF_BEN: BEN, OF_NOBODY: None}
DECKS: Final = {
    OF_DANA: "# Harbour ferries\n\n- Fares rise 4 % in 2027.\n",
    OF_BEN: "# Zeppelin mooring\n\n- Moorings cost 3 million in 2027.\n",
    OF_NOBODY: "# Quarry lease\n\n- The lease ends in 2031.\n",
}
QUESTIONS: Final = ["Why does it change?"]


def gate_of(home: Home, setting: Mapping[str, Any] = SETTING) -> Gate:
    access = read_access(setting)
    assert access is not None
    return Gate(access, Seal(b"k" * 32), Audit(home.root), None)


def begin(home: Home, name: str, owner: Somebody | None, deck: str) -> None:
    """A session with one answered question, so that there is something to see of it."""
    given: dict[str, Any] = {"id": name, "questions": QUESTIONS, "presenter": "Cleo"}
    if owner is not None:
        given |= {"presenter": owner.identity, "owner": owner.owner}
    with Rehearsal.start(home, deck_text=deck, **given) as session:
        session.call_on()
        session.answer("It changes because the costs do.")
        session.judge()


def home_of_several(root: Path) -> Home:
    """A home with a session of Dana's, one of Ben's, and one of the time before people signed in."""
    home = Home.open(new_home(root))
    for name, owner in OWNERS.items():
        begin(home, name, owner, DECKS[name])
    return home


@contextmanager
def guarded_site(home: Home, setting: Mapping[str, Any] = SETTING) -> Iterator[Site]:
    """A site of this home at which people sign in; only `who_may` asks for the setting, as `serve` does."""
    plain = Site(home, str(home.archives), OpenSessions(home))
    site = replace(plain, gate=gate_of(home, setting))
    try:
        yield site
    finally:
        site.close()


def client_of(app: ASGIApp, *, address: str = PROXY, **more: Any) -> TestClient:
    """A client at the proxy's address, or at another."""
    return TestClient(app, base_url="http://127.0.0.1", client=(address, 40_000), **more)


def app_of(site: Site) -> ASGIApp:
    return application(site)
