"""GET /sign-in, …/back and POST /sign-out: to the OpenID provider and back, and out again."""

from __future__ import annotations

import re
from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Final

import anyio.to_thread
from fastapi import APIRouter, Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from orchestrator.access.gate import Gate
from orchestrator.access.people import Person, person_of
from orchestrator.access.provider import Leaving
from orchestrator.core.errors import AccessError, GreenroomError
from orchestrator.web.access import LOGIN, LOGIN_S, SIGN_IN, cookies, login_cookie, set_signed
from orchestrator.web.addresses import LEAVES
from orchestrator.web.problems import status_of
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

router = APIRouter()
At = Annotated[Site, Depends(site_of)]

LEFT: Final = "leaving"
"""The purpose of the signed value that a browser keeps while it is at the provider."""
MAX_COOKIE_CHARS: Final = 3_800
"""Maximum length of a sign-in: browsers drop a cookie of more than 4,096 bytes (RFC 6265, section 6.1)."""
LEFT_S: Final = 600
"""Seconds in which a person has to sign in at the provider: long enough for a second factor."""
_LOCAL: Final = re.compile(r"/(?:[^/\\\x00-\x1f].*)?")
"""A path of this server; two slashes, or a backslash, would make a browser go to another host."""


@router.get(SIGN_IN)
async def leave(site: At, request: Request, to: str = "/") -> Response:
    """Send the browser to the provider; *to* is the page that it wanted."""
    gate = _gate(site)
    if gate.sign_in is None:
        return _refused(
            site, AccessError("people come here through a proxy, which signs them in: open its address")
        )
    try:
        left = await anyio.to_thread.run_sync(gate.sign_in.leave, _back(site, request))
    except GreenroomError as error:
        return _refused(site, error)
    answer = RedirectResponse(left.address, HTTPStatus.SEE_OTHER, {LEAVES: "1"})
    kept = {**asdict(left), "address": to if _LOCAL.fullmatch(to) else "/"}
    set_signed(answer, site, request.headers, LEFT, gate.seal.close(LEFT, kept, LEFT_S), LEFT_S)
    answer.headers["cache-control"] = "no-store"
    return answer


@router.get(f"{SIGN_IN}/back")
async def come_back(site: At, request: Request) -> Response:
    """Take who signed in from the provider, and send the browser to the page that it wanted."""
    gate = _gate(site)
    name = login_cookie(site, request.headers, LEFT)
    opened = (gate.seal.open(LEFT, one) for one in cookies(request.headers, name))
    kept = next((one for one in opened if one is not None), None)
    try:
        if gate.sign_in is None or kept is None:
            raise AccessError("this sign-in was not begun in this browser, or took too long: sign in again")
        to = kept["address"]
        left = Leaving(to, kept["state"], kept["nonce"], kept["verifier"])
        back, query = _back(site, request), dict(request.query_params)
        claims = await anyio.to_thread.run_sync(gate.sign_in.come_back, left, back, query)
    except GreenroomError as error:
        answer = _refused(site, error)
        set_signed(answer, site, request.headers, LEFT, "", 0)
        _note(gate, None, "GET", f"{SIGN_IN}/back", answer.status_code)
        return answer
    person = person_of(gate.access, claims.identity, claims.name, claims.groups)
    signed = gate.seal.close(
        LOGIN, {"identity": person.identity, "name": person.name, "groups": list(person.groups)}, LOGIN_S
    )
    if len(signed) > MAX_COOKIE_CHARS:
        told = f"{person.identity} is in too many of the groups that `access` names: name fewer there"
        return _refused(site, AccessError(told))
    answer = RedirectResponse(f"{site.base}{to}", HTTPStatus.SEE_OTHER)
    set_signed(answer, site, request.headers, LOGIN, signed, LOGIN_S)
    set_signed(answer, site, request.headers, LEFT, "", 0)
    answer.headers["cache-control"] = "no-store"
    _note(gate, person, "GET", f"{SIGN_IN}/back", answer.status_code)
    return answer


@router.post("/sign-out")
async def sign_out(site: At, request: Request) -> Response:
    """Take the sign-in out of this browser."""
    gate = _gate(site)
    answer = page(
        "sign_in.html", has_home=False, base=site.base, detail="", go=f"{site.base}{SIGN_IN}", is_out=True
    )
    set_signed(answer, site, request.headers, LOGIN, "", 0)
    answer.headers["cache-control"] = "no-store"
    _note(gate, site.asker, "POST", "/sign-out", answer.status_code)
    return answer


def _note(gate: Gate, person: Person | None, method: str, route: str, status: int) -> None:
    """Log who came in or went out; other addresses that are open to everybody are not logged."""
    who, roles = (None, []) if person is None else (person.identity, list(person.roles))
    gate.audit.note(who=who, roles=roles, method=method, route=route, sessions=[], status=status)


def _gate(site: Site) -> Gate:
    if site.gate is None:
        raise HTTPException(
            HTTPStatus.NOT_FOUND, "nobody has to sign in here: the setting `access` is not set"
        )
    return site.gate


def _back(site: Site, request: Request) -> str:
    """Return our own address to which the provider sends the browser; the Host was checked before."""
    if site.public is not None:
        return f"{str(site.public).rstrip('/')}{SIGN_IN}/back"
    return f"http://{request.headers['host']}{SIGN_IN}/back"


def _refused(site: Site, error: GreenroomError) -> Response:
    status = HTTPStatus.UNAUTHORIZED if isinstance(error, AccessError) else status_of(error)
    answer: Response = page(
        "sign_in.html", status, has_home=False, base=site.base, detail=str(error), go=f"{site.base}{SIGN_IN}"
    )
    answer.headers["cache-control"] = "no-store"
    return answer
