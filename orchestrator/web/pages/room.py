"""GET /room/{session} and its windows: where the presenter rehearses, and what an audience sees of it.

`/room/{session}` is the room, with `?watch` for somebody who only watches; `/room/{session}/audience` shows
only the slide; `/room/{session}/presenter` shows the notes, the next slide and the pace.
"""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import quote

import segno
from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from orchestrator.core.table import MODERATOR
from orchestrator.material.speech.sound import keeps_sound
from orchestrator.web.open_sessions import reads
from orchestrator.web.pairing import Opened
from orchestrator.web.pictures import can_draw
from orchestrator.web.security import name_of, set_cookie, shows_token
from orchestrator.web.sheets import sheets
from orchestrator.web.site import LOOPBACK, Site, site_of
from orchestrator.web.templating import page

# ---------------------------------------------------------------------- devices
# GET /room/{session}/devices: a room's windows for another device, each by a code; and what opens them.
#
# `/w/{code}` is what that device opens: it gets a pass (`pairing.py`). `/room/{session}/here` brings a
# browser that opened the room by the machine's network address to the local one, which alone has a
# microphone.


router = APIRouter()
At = Annotated[Site, Depends(site_of)]

WINDOWS: Final = {"presenter": "Your window", "audience": "The audience’s window"}
NO_CODE: Final = (
    "it was used before, was offered more than ten minutes ago, or is mistyped: ask for a new one in the "
    "room, under Windows, On another device"
)


@router.get("/room/{session}/devices", response_class=HTMLResponse)
@reads
def devices(session: str, site: At, request: Request) -> Response:
    """Return new codes for the windows on other devices, or how to start a server that other devices can
    reach."""
    site.sessions.get(session)
    offered = []
    if site.elsewhere is not None:
        for window, name in WINDOWS.items():
            address = f"{site.elsewhere}w/{site.pairings.offer(Opened(session, window))}"
            drawn = segno.make_qr(address).svg_data_uri(scale=5, light="#fff")  # dark on light in any scheme
            offered.append((name, address.removeprefix("http://"), drawn))
    return page(
        "devices.html", has_home=True, base=site.base, session=session, offered=offered, port=request.url.port
    )


@router.get("/w/{code}", response_class=HTMLResponse)
def opening(code: str, site: At, request: Request) -> Response:
    """Put the pass for *code* into a cookie and redirect to the code's window.

    The redirect is a page, since after a link on another site an HTTP redirect would not send the cookie
    (SameSite=strict).
    """
    redeemed = site.pairings.redeem(code)
    if redeemed is None:
        return page(
            "problem.html",
            404,
            title="This code opens nothing",
            detail=NO_CODE,
            has_home=False,
            base=site.base,
        )
    secret, opened = redeemed
    answer = page("opening.html", has_home=False, base=site.base, address=f"{site.base}{quote(opened.path)}")
    if site.gate is not None or not shows_token(request.headers, site):  # else it may do more already
        set_cookie(answer, secret, site, request.headers)
    return answer


@router.get("/room/{session}/here", response_class=HTMLResponse)
@reads
def here(session: str, site: At, request: Request) -> Response:
    """Redirect to the room at the address that only browsers on this machine can reach."""
    site.sessions.get(session)
    opened = Opened(session, "room")
    if not has_local_address(request, site):
        return RedirectResponse(f"{site.base}{opened.path}", 303)
    address = f"http://127.0.0.1:{request.url.port}/w/{site.pairings.offer(opened)}"
    return page("opening.html", has_home=True, base=site.base, address=address)


def has_local_address(request: Request, site: Site) -> bool:
    """Return whether a browser on this machine uses the network's address although it could use the local
    one."""
    if site.gate is not None:  # a code would open more there than its window
        return False
    if site.public is not None or site.elsewhere is None or request.client is None:
        return False
    own = request.scope["server"][0]  # a packet from this machine to itself has one address at both ends
    return name_of(request.headers.get("host", "")) not in LOOPBACK and request.client.host == own


# ---------------------------------------------------------------------- room


@router.get("/room/{session}", response_class=HTMLResponse)
@reads
def room(session: str, site: At, request: Request, watch: str | None = None) -> Response:
    """Return the room, or the debrief if the session has ended."""
    is_elsewhere = has_local_address(request, site)
    return _page("room.html", session, site, watches=watch is not None, has_local_address=is_elsewhere)


@router.get("/room/{session}/audience", response_class=HTMLResponse)
@reads
def audience(session: str, site: At) -> Response:
    """Return the page with only the slide, for a projector or a second screen."""
    return _page("audience.html", session, site)


@router.get("/room/{session}/presenter", response_class=HTMLResponse)
@reads
def presenter(session: str, site: At) -> Response:
    """Return the presenter's page: notes, next slide, clock and pace."""
    return _page("presenter.html", session, site)


def _page(template: str, session: str, site: Site, **values: bool) -> Response:
    found = site.sessions.get(session)
    if found.state == "ended":
        return RedirectResponse(f"{site.base}/debrief/{session}", 303)
    rehearsal = found.rehearsal
    deck = rehearsal.scene().deck
    agents = [rehearsal.seats[agent].persona for agent in (MODERATOR, *rehearsal.options.panel)]
    return page(
        template,
        has_home=True,
        base=site.base,
        session=session,
        title=deck.title,
        slides=sheets(deck),
        agents=agents,
        has_pictures=can_draw(deck.kind),
        keeps_sound=keeps_sound(site.own.sessions, found.name),
        **values,
    )
