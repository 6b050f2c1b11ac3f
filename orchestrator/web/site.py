"""The site: the home and the archives that one server shows, and who may reach it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import HTTPConnection

from orchestrator.access.people import Person
from orchestrator.core.errors import AccessError, HomeError
from orchestrator.core.owner import Owner, identity_of
from orchestrator.material.speech.recognition import Recogniser
from orchestrator.panel.config.public_url import PublicUrl
from orchestrator.panel.home import Home
from orchestrator.review.shared import Shared
from orchestrator.web.drives import Drives
from orchestrator.web.jobs import Dossiers, Starts
from orchestrator.web.metrics import GAUGE, Family, Metrics, one
from orchestrator.web.open_sessions import Keys, OpenSessions, SessionThreads
from orchestrator.web.pairing import Pairings
from orchestrator.web.pictures import Pictures
from orchestrator.web.presence import Microphones, Presence
from orchestrator.web.readiness import Readiness, home_check
from orchestrator.web.reviewing import Reading, Review
from orchestrator.web.showcase import Showcase
from orchestrator.web.uploads import Materials, Uploads

if TYPE_CHECKING:
    from orchestrator.access.gate import Gate
    from orchestrator.review.catalogue import Catalogue

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Names under which a browser on this machine reaches a server that is bound to loopback."""
PERSON: Final = "greenroom.person"
"""The key of an ASGI scope with who asks, where people sign in."""


@dataclass(frozen=True)
class Site:
    """A server's configuration and shared state. Nothing else is stored between two requests.

    Args:
        home: The home with the sessions. If None, only archives are shown.
        archives: The folder or s3:// address that is reviewed.
        known: If only archives are shown, a home with whose register they are compared.
        hosts: Names, without port, that a request's Host may have.
        takes_addresses: Whether a Host may also be any IP address, since the server listens at several beyond
            this machine.
        public: The address at which browsers reach the server through a proxy, or None if there is no proxy.
        elsewhere: The address, ending in "/", at which another device's browser reaches the server, or None.
        token: The secret that every request must contain. If None, everybody who reaches the server may use
            it.
        metrics_token: A secret that opens `/metrics` alone, for Prometheus.
        gate: How people sign in. If None, nobody has to, and everybody may do everything.
        asker: Who asks, of a site as one person sees it (`seen_by`).
        recogniser: The object that turns speech into text. If None, there is none, and `no_recogniser` says
            why.
        worker: What this worker of a cluster is called in the records of sessions that it drives; None: there
            is no cluster.
        partials: By session, the words of a sentence that is being spoken: shown, never stored.
        blanked: Sessions whose slide is dark at the moment: shown, never stored.
        readiness: Whether this process should be sent requests; a part of a process adds its own checks.
        metrics: What is counted for Prometheus; a part of a process adds its own figures.
        shelf: The sessions of all workers, where this server is one of a cluster's.
    """

    home: Home | None
    archives: str
    sessions: OpenSessions
    hosts: frozenset[str] = LOOPBACK
    takes_addresses: bool = False
    public: PublicUrl | None = None
    elsewhere: str | None = None
    token: str | None = None
    metrics_token: str | None = None
    endpoint_url: str | None = None  # of an S3-compatible server
    known: Home | None = None
    gate: Gate | None = None
    asker: Person | None = None
    recogniser: Recogniser | None = None
    no_recogniser: str = "this server recognises no speech"
    worker: str | None = None
    partials: dict[str, str] = field(default_factory=dict)
    blanked: set[str] = field(default_factory=set)
    shelf: Shared | None = None
    presence: Presence = field(default_factory=Presence)
    drives: Drives = field(init=False)
    review: Review = field(init=False)
    threads: SessionThreads = field(default_factory=SessionThreads)
    keys: Keys = field(default_factory=Keys)
    microphones: Microphones = field(default_factory=Microphones)
    pairings: Pairings = field(default_factory=Pairings)
    pictures: Pictures = field(default_factory=Pictures)
    uploads: Uploads = field(default_factory=Uploads)
    materials: Materials = field(default_factory=Materials)
    showcase: Showcase = field(default_factory=Showcase)
    dossiers: Dossiers = field(default_factory=Dossiers)
    starts: Starts = field(default_factory=Starts)
    readiness: Readiness = field(default_factory=Readiness)
    metrics: Metrics = field(default_factory=Metrics)
    closing: Event = field(default_factory=Event)  # set once the server ends: streams stop by themselves

    def __post_init__(self) -> None:
        drives = Drives(self.sessions, self.presence, self.microphones, self.worker)
        object.__setattr__(self, "drives", drives)  # the way of a frozen dataclass
        review = Review(
            self.home, self.archives, self.endpoint_url, self.sessions, known=self.known, shelf=self.shelf
        )
        object.__setattr__(self, "review", review)
        checks = [] if self.home is None else [home_check(self.home)]
        known = {check.name for check in self.readiness.checks}  # of a site of which this is a copy
        self.readiness.checks += [check for check in checks if check.name not in known]

    # ------------------------------------------------------------------ as one person sees it

    def seen_by(self, person: Person | None) -> Site:
        """Return this very site, its state shared, as *person* sees it."""
        seen = copy(self)
        object.__setattr__(seen, "asker", person)
        return seen

    def sees(self, owner: str, groups: Sequence[str]) -> bool:
        """Return whether who asks may see a session, by its owner and the owner's groups at its start."""
        return self.gate is None or (self.asker is not None and self.asker.sees(owner, groups))

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue with the sessions that who asks may see."""
        catalogue = self.review.catalogue
        return catalogue if self.gate is None else catalogue.seen_by(self.sees)

    @property
    def is_keeper(self) -> bool:
        """Whether who asks may do everything."""
        return self.gate is None or (self.asker is not None and self.asker.is_keeper)

    @property
    def owner(self) -> Owner | None:
        """The owner of a session that is started now, or None where nobody has to sign in.

        Raises:
            AccessError: Nobody is signed in, whose the session could be.
        """
        if self.gate is None:
            return None
        if self.asker is None or not self.asker.identity:
            raise AccessError("nobody is signed in, whose this could be: sign in")
        return self.asker.owner

    @property
    def started_as(self) -> dict[str, Any]:
        """What a rehearsal that is started now says of who started it, as options of `Rehearsal.start`."""
        owner = self.owner
        if owner is None or self.asker is None:
            return {}
        return {"owner": owner, "called": self.asker.name or None}

    @property
    def whose(self) -> str:
        """The key of what is kept of one person alone; "" where nobody has to sign in."""
        owner = self.owner
        return owner.identity if owner is not None else ""

    def presenter(self, given: str | None) -> str | None:
        """Return the presenter of what is started now: who is signed in, whoever the request names.

        Raises:
            AccessError: The request names somebody else.
        """
        owner = self.owner
        if owner is None:
            return given
        if given is not None and given.strip() and identity_of(given) != owner.identity:
            raise AccessError(f"presenter: you are signed in as {owner.identity}: leave `presenter` out")
        return owner.identity

    def of_whom(self, given: str | None) -> str | None:
        """Return of whom something remembered is asked: of oneself, and of whomever a keeper names.

        Raises:
            AccessError: Somebody else is named.
        """
        return given if self.is_keeper else self.presenter(given)

    def shown(self, reading: Reading) -> Reading:
        """Return the state of an update as who asks may see it: without numbers and reasons, which are of
        everybody's sessions, unless it is a keeper."""
        if self.is_keeper:
            return reading
        failed = None if reading.failed is None else "ask a keeper to look at them"
        return replace(reading, done=0, of=0, failed=failed)

    def author(self, given: str) -> str:
        """Return whose words a comment or a verdict is: of who is signed in, whoever the request names."""
        owner = self.owner
        return given if owner is None else owner.identity

    def close(self) -> None:
        """Stop everything that runs; sessions that are driven stop as if their presenter had paused."""
        self.closing.set()
        self.readiness.draining.set()
        self.drives.stop_all()
        if self.recogniser is not None:
            self.recogniser.close()
        self.review.close()
        self.sessions.close()
        if self.gate is not None:
            self.gate.audit.close()
        self.pictures.close()
        self.uploads.close()
        self.materials.close()

    def figures(self) -> list[Family]:
        """Return what this site adds to the metrics."""
        held = self.sessions.count
        driven = len(self.drives.driven)
        return [
            one("greenroom_sessions_open", GAUGE, "Sessions that are held open.", held),
            one("greenroom_sessions_driven", GAUGE, "Sessions whose clock runs here.", driven),
        ]

    def show_partial(self, session: str, text: str) -> None:
        """Show the words of a sentence that is being spoken in *session*; "" if nobody speaks."""
        if text:
            self.partials[session] = text
        else:
            self.partials.pop(session, None)

    @property
    def names(self) -> frozenset[str]:
        """Every name that a request's Host may have."""
        return self.hosts if self.public is None else self.hosts | {self.public.host}

    @property
    def base(self) -> str:
        """The prefix of every address in a page: the public path, "" or "/greenroom"."""
        return self.public.path if self.public is not None else ""

    @property
    def s3(self) -> dict[str, str | None]:
        """The address of S3, as keyword arguments for the archive's functions."""
        return {"endpoint_url": self.endpoint_url}

    @property
    def own(self) -> Home:
        """The home of this server.

        Raises:
            HomeError: The server only shows archives.
        """
        if self.home is None:
            raise HomeError("this server shows archives alone: `greenroom serve` opens a home as well")
        return self.home


async def site_of(connection: HTTPConnection) -> Site:
    """Return the site to which a request was sent; a dependency of routes.

    It is a coroutine, because the framework would run a plain function in a worker thread at every request.
    """
    site: Site = connection.app.state.site
    return site if site.gate is None else site.seen_by(connection.scope.get(PERSON))
