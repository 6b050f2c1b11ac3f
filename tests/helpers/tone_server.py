"""`greenroom serve` with a recogniser of tones: `python -m tests.helpers.tone_server HOME PUBLIC_URL`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from orchestrator.panel.config.public_url import parse_public_url
from orchestrator.panel.home import Home
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import serve
from orchestrator.web.site import Site
from tests.helpers.recognisers import ToneRecogniser

WORDS = {8000: "Revenue grew by 12 %."}


def main() -> None:
    """Serve until terminated; print the address to open and the one to pass on to, as JSON."""
    home = Home.open(Path(sys.argv[1]))
    public = parse_public_url(sys.argv[2])
    site = Site(home, str(home.archives), OpenSessions(home), public=public, recogniser=ToneRecogniser(WORDS))
    serve(site, "127.0.0.1", 0, _print)


def _print(address: str, listens: str, _elsewhere: str | None) -> None:
    sys.stdout.write(json.dumps([address, listens]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
