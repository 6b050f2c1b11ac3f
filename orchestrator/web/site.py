"""The site: the home and archives that one server shows, and who may reach it."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event

from starlette.requests import HTTPConnection

from orchestrator.core.errors import HomeError
from orchestrator.material.speech.recognition import Recogniser
from orchestrator.panel.config.public_url import PublicUrl
from orchestrator.panel.home import Home
from orchestrator.web.drives import Drives
from orchestrator.web.jobs import Dossiers, Starts
from orchestrator.web.open_sessions import Keys, OpenSessions, SessionThreads
from orchestrator.web.pairing import Pairings
from orchestrator.web.pictures import Pictures
from orchestrator.web.presence import Microphones, Presence
from orchestrator.web.reviewing import Review
from orchestrator.web.showcase import Showcase
from orchestrator.web.uploads import Materials, Uploads

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Names under which a browser on this machine reaches a server that is bound to loopback."""


@dataclass(frozen=True)
class Site:
    """A server's configuration and shared state. Nothing else is kept between two requests.

    Args:
        home: Where sessions live; None: archives alone are shown.
        archives: The folder or s3:// address that is reviewed.
        known: Where archives alone are shown, a home whose register they are held against.
        hosts: Names, without port, that a request's Host may have.
        takes_addresses: A Host may also be any IP address: it listens beyond this machine, at several.
        public: Where browsers reach the server through a proxy; None: there is none.
        elsewhere: Where another device's browser reaches it, ending in "/"; None: nowhere.
        token: The secret that every request must show; None: whoever reaches the server may use it.
        recogniser: What turns speech into text; None: nothing does, and `no_recogniser` says why.
        partials: By session, the words of a sentence that is being spoken: shown, never stored.
        blanked: Sessions whose slide is dark for now: shown, never stored.
    """

    home: Home | None
    archives: str
    sessions: OpenSessions
    hosts: frozenset[str] = LOOPBACK
    takes_addresses: bool = False
    public: PublicUrl | None = None
    elsewhere: str | None = None
    token: str | None = None
    endpoint_url: str | None = None  # of an S3-compatible server
    known: Home | None = None
    recogniser: Recogniser | None = None
    no_recogniser: str = "this server recognises no speech"
    partials: dict[str, str] = field(default_factory=dict)
    blanked: set[str] = field(default_factory=set)
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
    closing: Event = field(default_factory=Event)  # set once the server ends: streams stop by themselves

    def __post_init__(self) -> None:
        drives = Drives(self.sessions, self.presence, self.microphones)
        object.__setattr__(self, "drives", drives)  # the way of a frozen dataclass
        review = Review(self.home, self.archives, self.endpoint_url, self.sessions, known=self.known)
        object.__setattr__(self, "review", review)

    def close(self) -> None:
        """Stop what runs: sessions that are driven stop as if their presenter had paused."""
        self.closing.set()
        self.drives.stop_all()
        if self.recogniser is not None:
            self.recogniser.close()
        self.review.close()
        self.sessions.close()
        self.pictures.close()
        self.uploads.close()
        self.materials.close()

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
        """What every address in a page begins with: the public path, "" or "/greenroom"."""
        return self.public.path if self.public is not None else ""

    @property
    def s3(self) -> dict[str, str | None]:
        """Where S3 is, as the archive's functions take it."""
        return {"endpoint_url": self.endpoint_url}

    @property
    def own(self) -> Home:
        """The home.

        Raises:
            HomeError: The server reviews archives alone.
        """
        if self.home is None:
            raise HomeError("this server shows archives alone: `greenroom serve` opens a home as well")
        return self.home


async def site_of(connection: HTTPConnection) -> Site:
    """Return the site that a request came to; a dependency of routes.

    A coroutine, because the framework sends a plain function to a worker thread, at every request.
    """
    site: Site = connection.app.state.site
    return site
