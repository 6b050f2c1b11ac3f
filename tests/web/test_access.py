"""Who sees what, over HTTP: a table of every route, every role, and whose session it is, without a hole."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from orchestrator.access.needs import IN_QUERY, ROUTES, Need
from orchestrator.panel.home import Home
from orchestrator.web.access import Door, way
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application, ways
from orchestrator.web.site import Site
from tests.helpers.figures import note
from tests.web.people import (
    BEN,
    DANA,
    DECKS,
    EVERYBODY,
    KIM,
    LEO,
    OF_BEN,
    OF_DANA,
    OF_NOBODY,
    OTTO,
    PROXY,
    RITA,
    SETTING,
    UNKNOWN,
    Somebody,
    app_of,
    begin,
    client_of,
    guarded_site,
    home_of_several,
)

SESSIONS: Final = (OF_DANA, OF_BEN, OF_NOBODY, UNKNOWN)
YES, OUT, NOT_ALLOWED, NO_SUCH = 299, 401, 403, 404
"""299 is what the route behind the door answers here: the request was let through."""

ROLES: Final[dict[Need, dict[str, int]]] = {
    Need.OPEN: dict.fromkeys(EVERYBODY, YES),
    Need.SIGNED_IN: dict.fromkeys(EVERYBODY, YES) | {"leo": NOT_ALLOWED, "signed out": OUT},
    Need.PRESENTER: {
        "dana": YES, "ben": YES, "rita": NOT_ALLOWED, "otto": NOT_ALLOWED, "kim": YES, "leo": NOT_ALLOWED,
        "signed out": OUT,
    },
    Need.KEEPER: dict.fromkeys(EVERYBODY, NOT_ALLOWED) | {"kim": YES, "signed out": OUT},
}  # fmt: skip
"""What comes of a request that names no session."""
SEES: Final = {
    "dana": {OF_DANA}, "ben": {OF_BEN}, "rita": {OF_DANA}, "otto": {OF_BEN}, "kim": set(SESSIONS),
}  # fmt: skip
"""The rule, said once more: whose sessions each of them may see. A keeper is told by the route itself that
there is none of a name."""
OWNS: Final = {"dana": {OF_DANA}, "ben": {OF_BEN}, "kim": set(SESSIONS)}
KEEPS: Final = {"kim": set(SESSIONS)}


def expected(need: Need, who: str, session: str | None) -> int:
    """What the rule says: written here a second time, and not as the door has it."""
    if session is None:
        return ROLES[need][who]
    if who == "signed out":
        return OUT
    if who == "leo":
        return NOT_ALLOWED
    if session not in SEES[who]:
        return NO_SUCH
    may = {Need.SEEN: SEES, Need.OWN: OWNS, Need.KEEPER: KEEPS}[need]
    return YES if session in may.get(who, set()) else NOT_ALLOWED


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return home_of_several(tmp_path_factory.mktemp("people") / "home")


@pytest.fixture(scope="module")
def site(home: Home) -> Iterator[Site]:
    with guarded_site(home) as made:
        yield made


@pytest.fixture(scope="module")
def api(site: Site) -> Iterator[TestClient]:
    with client_of(app_of(site)) as client:
        yield client


FILLED: Final = {
    "agent": "skeptic", "code": "ABCDEFGH", "deck": "0" * 64, "exchange": "x1", "form": "md", "goal": "g1",
    "kind": "board", "material": "m1", "memory": "m1", "number": "1", "path:path": "shared/transcript.md",
    "receipt": "r000000000000", "turn": "1",
}  # fmt: skip


def _address(key: str, session: str | None) -> tuple[str, str]:
    method, _, template = key.partition(" ")
    path = re.sub(r"\{([a-z:]+)\}", lambda one: FILLED.get(one[1]) or str(session), template)
    if key in IN_QUERY and session is not None:
        path += "?" + "&".join(f"{name}={session}" for name in IN_QUERY[key])
    return method, path + ("/style.css" if template == "/static" else "")


def _named_by(key: str) -> tuple[str | None, ...]:
    return SESSIONS if "{session}" in key or key in IN_QUERY else (None,)


def test_every_route_stands_in_the_table_and_nothing_else_does() -> None:
    """A new route that nobody has thought about fails here by its name, and is refused until then."""
    routes = {one.key for one in ways()}
    assert len(routes) > 100
    assert sorted(routes - ROUTES.keys()) == []
    assert sorted(ROUTES.keys() - routes) == []


def test_the_door_knows_every_route_that_the_application_has() -> None:
    """The application's own description of itself, and its pages, name no address that the door does not."""
    described = application(Site(None, "/nowhere", OpenSessions(None)))
    with client_of(described) as client:
        told = client.get("/api/v1/openapi.json").json()["paths"]
    named = {
        f"{method.upper()} {re.sub(r'{path}', '{path:path}', path)}"
        for path, methods in told.items()
        for method in methods
    }
    assert len(named) > 80
    assert named <= {one.key for one in ways()}


def test_whatever_names_a_session_needs_that_session_and_nothing_is_changed_by_who_only_reads() -> None:
    for key, need in ROUTES.items():
        names = "{session}" in key or key in IN_QUERY
        assert names == (need in (Need.SEEN, Need.OWN)) or (names and need is Need.KEEPER), key
        if need is Need.SEEN and not key.startswith("GET "):
            assert key.rpartition("/")[2] in ("comments", "judge"), key
    assert {key for key in ROUTES if ROUTES[key] is Need.OPEN} == {
        "GET /static", "GET /api/v1/health", "GET /api/v1/health/ready", "GET /sign-in", "GET /sign-in/back",
        "POST /sign-out", "GET /w/{code}",
    }  # fmt: skip


def test_every_route_each_role_and_whose_it_is(site: Site) -> None:
    """The table: routes × people × own, another's, of before, unknown; what is let through is what the rule
    says, and nothing more."""

    async def behind(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            while (await receive())["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": 1000})
            return
        await send({"type": "http.response.start", "status": YES, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    wrong, looked = [], 0
    door = Door(behind, site, ways())
    with client_of(door) as client:
        for key, need in ROUTES.items():
            for session in _named_by(key):
                method, address = _address(key, session)
                for who, person in EVERYBODY.items():
                    headers = person.headers if person is not None else {}
                    found = (
                        _socket(client, address, headers)
                        if method == "WS"
                        else _status(client, method, address, headers)
                    )
                    wanted = expected(need, who, session)
                    wanted = NOT_ALLOWED if method == "WS" and wanted != YES else wanted
                    looked += 1
                    if found != wanted:
                        wrong.append((key, session, who, found, wanted))
    note("page", "requests in the table of who sees what", count=looked, wrong=len(wrong))
    assert looked > 2_000
    assert wrong == []


def _status(client: TestClient, method: str, address: str, headers: dict[str, str]) -> int:
    return client.request(method, address, headers=headers, follow_redirects=False).status_code


def _socket(client: TestClient, address: str, headers: dict[str, str]) -> int:
    try:
        with client.websocket_connect(address, headers=headers):
            return YES
    except WebSocketDisconnect:
        return NOT_ALLOWED


def test_anothers_session_is_answered_as_one_that_there_is_not_byte_for_byte(api: TestClient) -> None:
    """Whatever is asked of it, by the real application: before the body is read, so with any body."""
    looked = 0
    for key, need in ROUTES.items():
        if (
            need not in (Need.SEEN, Need.OWN, Need.KEEPER)
            or _named_by(key) == (None,)
            or key.startswith("WS")
        ):
            continue
        for accept in ("application/json", "text/html"):
            answers = []
            for session in (OF_BEN, OF_NOBODY, UNKNOWN):
                method, address = _address(key, session)
                headers = {**DANA.headers, "accept": accept}
                told = api.request(method, address, headers=headers, json={} if method != "GET" else None)
                answers.append(
                    (told.status_code, sorted(told.headers.items()), told.text.replace(session, "THIS"))
                )
                looked += 1
            # A length is that of the name which was asked for.
            plain = [
                (status, [one for one in headers if one[0] != "content-length"], text)
                for status, headers, text in answers
            ]
            assert plain[0] == plain[1] == plain[2], key
            assert plain[0][0] == HTTPStatus.NOT_FOUND, key
    assert looked > 300


SEARCHES: Final = ("Zeppelin", "mooring", OF_BEN, "costs", "ben", "Quarry")


def _lists() -> Iterator[str]:
    """Every address that can be read without naming a session, and those of one's own."""
    for key, need in ROUTES.items():
        method, address = _address(key, OF_DANA)
        if method != "GET" or need is Need.OPEN or key.endswith(("/room/events", "/records")):
            continue
        yield address
    for words in SEARCHES:
        yield f"/review?q={words}"
        yield f"/?q={words}"
        yield f"/api/v1/sessions?search={words}"
    yield "/api/v1/sessions?archive=true"
    yield f"/review/progress?presenter={BEN.identity}"
    yield "/api/v1/briefing/skeptic"


@pytest.mark.parametrize("reader", [DANA, RITA], ids=["presenter", "reviewer"])
def test_a_second_persons_session_is_not_even_named(api: TestClient, site: Site, reader: Somebody) -> None:
    """All that can be read is searched for the other's id, deck, words and name; a keeper finds them."""
    site.review.refresh(is_needed=True)
    secrets = (OF_BEN, OF_NOBODY, "Zeppelin", "Moorings", "Quarry", BEN.identity, "Cleo")
    seen = [api.get(one, headers={**reader.headers, "accept": "text/html, */*"}) for one in _lists()]
    for told in seen:
        asked = str(told.request.url)
        text = told.text
        for word in SEARCHES:  # a page shows what was looked for
            text = text.replace(f'value="{word}"', "").replace(f"“{word}”", "").replace(f"“{word}", "")
        if told.status_code == 200 and f"presenter={BEN.identity}" not in asked:
            named = [one for one in secrets if one in text and f"={one}" not in asked]
            assert named == [], (asked, named)
    assert sum(told.status_code == 200 for told in seen) > 20
    assert any(OF_DANA in told.text for told in seen)
    kept = api.get("/api/v1/sessions", headers=KIM.headers).json()["sessions"]
    assert {one["session"] for one in kept} == {OF_DANA, OF_BEN, OF_NOBODY}
    page = api.get("/review", headers={**KIM.headers, "accept": "text/html"}).text
    assert all(one in page for one in (OF_BEN, OF_DANA, OF_NOBODY))


@pytest.mark.parametrize(
    ("reader", "seen"),
    [(DANA, {OF_DANA}), (BEN, {OF_BEN}), (RITA, {OF_DANA}), (OTTO, {OF_BEN})],
    ids=["dana", "ben", "rita", "otto"],
)
def test_a_list_has_the_sessions_that_one_may_see(api: TestClient, reader: Somebody, seen: set[str]) -> None:
    rows = api.get("/api/v1/sessions", headers=reader.headers).json()["sessions"]
    assert {one["session"] for one in rows} == seen


def test_on_one_deck_each_sees_only_the_own_runs(tmp_path: Path) -> None:
    """Beside a session, in what was asked before, in a comparison and under way: another's run of the very
    same deck, with a title of its own, is in none of them."""
    home = home_of_several(tmp_path / "home")
    for name, person in (("a-of-dana", DANA), ("b-of-dana", DANA), ("z-of-ben", BEN)):
        begin(home, name, person, DECKS[OF_DANA])
    with guarded_site(home) as site, client_of(app_of(site)) as client:
        titled = client.put(
            "/api/v1/sessions/z-of-ben/title", headers=BEN.headers, json={"title": "Hush-hush"}
        )
        assert titled.status_code == 200
        for name, person in (("z-of-ben", BEN), ("a-of-dana", DANA)):
            driven = client.post(f"/api/v1/sessions/{name}/drive", headers=person.headers)
            assert driven.status_code == 200, driven.text
        site.review.refresh(is_needed=True)
        row = site.review.row("a-of-dana")
        deck = row.entry.deck_sha256
        pages = (
            "/review/a-of-dana", f"/dossier/{deck}", f"/api/v1/decks/{deck}/dossier", "/", "/new",
            "/review/compare?a=a-of-dana&b=b-of-dana", "/review/progress",
        )  # fmt: skip
        for address in pages:
            told = client.get(address, headers={**DANA.headers, "accept": "text/html, */*"})
            assert told.status_code == 200, (address, told.text)
            assert "of-dana" in told.text or address == "/review/progress", address
            assert "z-of-ben" not in told.text, address
            assert "Hush-hush" not in told.text, address
        asked = client.get(f"/api/v1/decks/{deck}/dossier", headers=BEN.headers).json()["asked"]
        assert {one["session"] for one in asked} == {"z-of-ben"}
        both = client.get("/review/compare?a=a-of-dana&b=z-of-ben", headers=DANA.headers)
        none = client.get("/review/compare?a=a-of-dana&b=z-of-nil", headers=DANA.headers)
        assert (both.status_code, both.text.replace("z-of-ben", "z-of-nil")) == (404, none.text)


# ---------------------------------------------------------------------- whose it is


@pytest.fixture
def own(tmp_path: Path) -> Iterator[TestClient]:
    """An application with a home of its own, for what changes something."""
    with guarded_site(home_of_several(tmp_path / "home")) as made, client_of(app_of(made)) as client:
        client.app_state["site"] = made
        yield client


def _started(client: TestClient, person: Somebody, **more: Any) -> Any:
    return client.post("/api/v1/sessions", headers=person.headers, json={"sample": True, **more})


def test_a_session_that_is_started_is_of_who_is_signed_in(own: TestClient) -> None:
    begun = _started(own, DANA)
    assert begun.status_code == 201, begun.text
    session = begun.json()["session"]
    assert own.get(f"/api/v1/sessions/{session}", headers=DANA.headers).status_code == 200
    assert own.get(f"/api/v1/sessions/{session}", headers=RITA.headers).status_code == 200  # of her group
    assert own.get(f"/api/v1/sessions/{session}", headers=BEN.headers).status_code == 404
    row = next(
        one
        for one in own.get("/api/v1/sessions", headers=DANA.headers).json()["sessions"]
        if one["session"] == session
    )
    assert row["presenter"] == DANA.identity


def test_another_presenters_name_is_refused_and_ones_own_is_taken(own: TestClient) -> None:
    refused = _started(own, DANA, presenter=BEN.identity)
    assert (refused.status_code, refused.json()["code"]) == (403, "access")
    assert "you are signed in as dana@acme.example" in refused.json()["detail"]
    assert _started(own, DANA, presenter="Dana@ACME.example").status_code == 201


def test_which_ids_are_taken_is_told_to_a_keeper_alone(own: TestClient) -> None:
    """A free id, another's and one's own are refused alike."""
    answers = [_started(own, DANA, id=one) for one in ("free", OF_BEN, OF_DANA)]
    assert {one.status_code for one in answers} == {403}
    assert len({one.text for one in answers}) == 1
    assert _started(own, KIM, id=OF_BEN).status_code == 409


def test_the_same_request_id_of_two_people_is_two_requests(own: TestClient) -> None:
    key = {"idempotency-key": "k1"}
    first, second = (
        own.post("/api/v1/sessions", headers={**one.headers, **key}, json={"sample": True})
        for one in (DANA, BEN)
    )
    assert first.status_code == second.status_code == 201
    assert first.json()["session"] != second.json()["session"]
    again = own.post("/api/v1/sessions", headers={**DANA.headers, **key}, json={"sample": True})
    assert again.json() == first.json()


def test_comments_and_verdicts_are_signed_by_who_is_signed_in(own: TestClient) -> None:
    said = own.post(
        f"/api/v1/sessions/{OF_DANA}/comments",
        headers=RITA.headers,
        json={"author": "Dana", "text": "Say the figure first."},
    )
    assert (said.status_code, said.json()["author"]) == (201, RITA.identity)
    judged = own.post(
        f"/api/v1/sessions/{OF_DANA}/judge",
        headers=RITA.headers,
        json={"exchange": "x1", "verdict": "partly", "by": "Dana"},
    )
    assert (judged.status_code, judged.json()["by"]) == (200, RITA.identity)


def test_a_drill_is_ones_own_and_of_ones_own_session_alone(own: TestClient) -> None:
    refused = own.post(f"/api/v1/sessions/{OF_DANA}/drill", headers=KIM.headers, json={"exchange": "x1"})
    assert refused.status_code == 403
    begun = own.post(f"/api/v1/sessions/{OF_DANA}/drill", headers=DANA.headers, json={"exchange": "x1"})
    assert begun.status_code == 201, begun.text
    drill = begun.json()["session"]
    assert own.get(f"/api/v1/sessions/{drill}", headers=DANA.headers).status_code == 200
    assert own.get(f"/api/v1/sessions/{drill}", headers=BEN.headers).status_code == 404


def test_only_a_keeper_sends_a_session_to_a_place_of_choice(own: TestClient, tmp_path: Path) -> None:
    there = str(tmp_path / "elsewhere")
    refused = own.post(f"/api/v1/sessions/{OF_DANA}/end", headers=DANA.headers, json={"archive": there})
    assert refused.status_code == 403
    assert not Path(there).exists()
    assert own.post(f"/api/v1/sessions/{OF_DANA}/end", headers=DANA.headers, json={}).status_code == 200


def test_an_erased_session_that_is_begun_again_by_another_is_the_others(own: TestClient) -> None:
    assert own.get(f"/api/v1/sessions/{OF_DANA}", headers=DANA.headers).status_code == 200
    assert own.delete(f"/api/v1/sessions/{OF_DANA}", headers=DANA.headers).status_code == 403
    assert own.delete(f"/api/v1/sessions/{OF_DANA}", headers=KIM.headers).status_code == 200
    assert _started(own, KIM, id=OF_DANA).status_code == 201
    assert own.get(f"/api/v1/sessions/{OF_DANA}", headers=DANA.headers).status_code == 404


def test_an_archived_session_is_seen_by_the_same_people_when_its_folder_is_gone(tmp_path: Path) -> None:
    home = home_of_several(tmp_path / "home")
    with guarded_site(home) as site, client_of(app_of(site)) as client:
        for session, person in ((OF_DANA, DANA), (OF_BEN, BEN)):
            ended = client.post(f"/api/v1/sessions/{session}/end", headers=person.headers, json={})
            assert ended.status_code == 200, ended.text
            gone = client.delete(f"/api/v1/sessions/{session}", headers=KIM.headers)
            assert gone.status_code == 200
    with guarded_site(home) as site, client_of(app_of(site)) as client:
        site.review.refresh(is_needed=True)
        assert client.get(f"/review/{OF_DANA}", headers=DANA.headers).status_code == 200
        assert client.get(f"/review/{OF_DANA}", headers=RITA.headers).status_code == 200
        assert client.get(f"/review/{OF_BEN}", headers=DANA.headers).status_code == 404
        rows = client.get("/api/v1/sessions?archive=true", headers=DANA.headers).json()["sessions"]
        assert [one["session"] for one in rows] == [OF_DANA]


def test_what_is_remembered_is_ones_own(own: TestClient) -> None:
    for person in (DANA, BEN):
        agreed = {"presenter": person.identity, "consented": True}
        assert own.put("/api/v1/consent", headers=person.headers, json=agreed).status_code == 200
        goal = {"text": f"Speak slower, says {person.identity}."}
        assert own.post("/api/v1/goals", headers=person.headers, json=goal).status_code == 200
        page = {"content": f"Of {person.groups}."}
        assert own.put("/api/v1/scratchpads/skeptic", headers=person.headers, json=page).status_code == 200
    for address in ("/api/v1/goals", "/api/v1/remembered", "/api/v1/memories", "/api/v1/briefing/skeptic"):
        told = own.get(address, headers=DANA.headers)
        assert told.status_code == 200
        assert BEN.identity not in told.text
        other = own.get(address, params={"presenter": BEN.identity}, headers=DANA.headers)
        nobody = own.get(address, params={"presenter": "zoe@acme.example"}, headers=DANA.headers)
        assert (other.status_code, other.text) == (403, nobody.text)
    goals = own.get("/api/v1/goals", headers=KIM.headers).json()["goals"]
    assert {one["presenter"] for one in goals} == {DANA.identity, BEN.identity}
    of_ben = next(one["id"] for one in goals if one["presenter"] == BEN.identity)
    gone = own.delete(f"/api/v1/goals/{of_ben}", headers=DANA.headers)
    none = own.delete("/api/v1/goals/g-nowhere", headers=DANA.headers)
    assert (gone.status_code, gone.text.replace(of_ben, "g-nowhere")) == (404, none.text)
    assert len(own.get("/api/v1/goals", headers=BEN.headers).json()["goals"]) == 1


def test_a_dossier_is_of_who_had_it_made(own: TestClient) -> None:
    """Two people prepare on the same deck, and neither sees the other's answers."""
    deck = own.get("/api/v1/decks/sample", headers=DANA.headers).json()["deck"]
    at = f"/api/v1/decks/{deck}/dossier"
    made = own.post(at, headers=DANA.headers, json={})
    assert made.status_code == 202, made.text
    until = time.monotonic() + 120
    while own.get(at, headers=DANA.headers).json()["state"] != "ready":
        assert time.monotonic() < until
        time.sleep(0.05)
    answer = {"is_prepared": True, "answer": "We hedge two thirds."}
    assert own.put(f"{at}/questions/1", headers=DANA.headers, json=answer).status_code == 200
    assert "We hedge" in own.get(at, headers=DANA.headers).text
    other = own.get(at, headers=BEN.headers)
    assert other.json()["state"] == "none"
    assert "We hedge" not in other.text
    assert own.delete(at, headers=BEN.headers).status_code == 204
    assert "We hedge" in own.get(at, headers=DANA.headers).text


# ---------------------------------------------------------------------- who asks


def test_the_proxys_header_is_refused_from_anywhere_else(site: Site) -> None:
    """Not passed over in silence: whoever set the proxy up wrongly is told what to do."""
    with client_of(app_of(site), address="192.0.2.10") as stranger:
        told = stranger.get("/api/v1/sessions", headers=KIM.headers)
        assert told.status_code == 401
        assert "taken from the proxy alone" in told.json()["detail"]
        assert "access.proxy.addresses" in told.json()["detail"]
        assert stranger.get("/api/v1/sessions").status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        [("x-forwarded-email", "dana@acme.example"), ("x-forwarded-email", "kim@acme.example")],
        [("x-forwarded-email", "")],
        [("x-forwarded-email", "x" * 200)],
    ],
    ids=["twice", "empty", "too long"],
)
def test_a_header_that_names_nobody_or_two_is_refused(
    api: TestClient, headers: list[tuple[str, str]]
) -> None:
    told = api.get("/api/v1/sessions", headers=headers)  # a list keeps both
    assert told.status_code == 401
    assert "must send one x-forwarded-email" in told.json()["detail"]


def test_who_is_signed_in_without_a_role_is_told_what_to_ask_for(api: TestClient) -> None:
    told = api.get("/api/v1/sessions", headers=LEO.headers)
    assert told.status_code == 403
    assert "leo@acme.example is signed in and has no role here: ask a keeper" in told.json()["detail"]


def test_the_token_of_a_server_without_sign_in_opens_nothing_here(site: Site, home: Home) -> None:
    with client_of(app_of(site)) as client:
        assert client.get("/api/v1/sessions?token=abc").status_code == 401
        assert client.get("/api/v1/sessions", headers={"authorization": "Bearer abc"}).status_code == 401


def test_a_route_that_is_in_no_table_is_refused(site: Site) -> None:
    app = FastAPI()
    app.add_api_route("/api/v1/forgotten", lambda: "here")
    forgotten = way("GET", "/api/v1/forgotten")
    with client_of(Door(app, site, [forgotten])) as client:
        told = client.get("/api/v1/forgotten", headers=KIM.headers)
    assert told.status_code == 403
    assert "in no table" in told.json()["detail"]
    with client_of(Door(app, site, ways())) as client:  # one that the door has never heard of
        assert client.get("/api/v1/forgotten", headers=KIM.headers).status_code == 404


def test_a_page_says_who_is_signed_in_and_offers_only_what_may_be_done(api: TestClient) -> None:
    page = {"accept": "text/html"}
    own = api.get(f"/review/{OF_DANA}", headers={**DANA.headers, **page}).text
    read = api.get(f"/review/{OF_DANA}", headers={**RITA.headers, **page}).text
    kept = api.get(f"/review/{OF_DANA}", headers={**KIM.headers, **page}).text
    assert DANA.identity in own
    assert "Sign out" in own
    assert 'data-do="delete"' not in own
    assert 'data-do="delete"' in kept
    assert 'data-do="name"' in own
    assert 'data-do="name"' not in read
    first = api.get("/", headers={**RITA.headers, **page}).text
    assert 'href="/new"' not in first


def test_a_paired_device_has_its_window_and_nothing_else(tmp_path: Path) -> None:
    """The code that a presenter shows opens one window of one session, whoever holds the device."""
    from dataclasses import replace

    from orchestrator.web.pairing import Opened

    with guarded_site(home_of_several(tmp_path / "home")) as made:
        site = replace(made, elsewhere="http://192.0.2.1/")
        code = site.pairings.offer(Opened(OF_DANA, "presenter"))
        with client_of(app_of(site), address="192.0.2.77") as device:
            assert device.get(f"/w/{code}").status_code == 200
            assert device.get(f"/room/{OF_DANA}/presenter").status_code == 200
            assert device.put(f"/api/v1/sessions/{OF_DANA}/slide", json={"slide": 1}).status_code == 200
            assert device.get(f"/api/v1/sessions/{OF_DANA}").status_code == 401
            assert device.get(f"/room/{OF_BEN}/presenter").status_code == 401
            assert device.get("/api/v1/sessions").status_code == 401
            assert device.get("/").status_code == 401
        site.close()


# ---------------------------------------------------------------------- who did what


def test_the_log_says_who_did_what_without_a_word(tmp_path: Path) -> None:
    home = home_of_several(tmp_path / "home")
    path = home.root / "log" / "access.jsonl"
    with guarded_site(home) as site, client_of(app_of(site)) as client:
        client.get("/review?q=hush-hush", headers=DANA.headers)
        client.post(
            f"/api/v1/sessions/{OF_DANA}/comments",
            headers=RITA.headers,
            json={"author": "x", "text": "hush-hush"},
        )
        client.get(f"/api/v1/sessions/{OF_BEN}/files/hush-hush", headers=DANA.headers)
        client.get("/hush-hush", headers=DANA.headers)
        client.get("/api/v1/sessions")
        client.get("/api/v1/health")
    raw = path.read_text("utf-8")
    lines = [json.loads(line) for line in raw.splitlines()]
    assert "hush-hush" not in raw
    assert path.stat().st_mode & 0o777 == 0o600
    told = [
        (one["who"], one["roles"], one["method"], one["route"], one["sessions"], one["status"])
        for one in lines
    ]
    at = "/api/v1/sessions/{session}"
    assert told == [
        (DANA.identity, ["presenter"], "GET", "/review", [], 200),
        (RITA.identity, ["reviewer"], "POST", f"{at}/comments", [OF_DANA], 201),
        (DANA.identity, ["presenter"], "GET", f"{at}/files/{{path:path}}", [OF_BEN], 404),
        (DANA.identity, ["presenter"], "GET", None, [], 404),
        (None, [], "GET", "/api/v1/sessions", [], 401),
    ]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", one["at"]) for one in lines)


def test_a_server_that_forgot_the_setting_opens_nothing(tmp_path: Path) -> None:
    """Whoever makes a site of their own cannot leave the door open by leaving the gate out."""
    home = home_of_several(tmp_path / "home")
    (home.root / "greenroom.yaml").write_text(f"access: {json.dumps(SETTING)}\n")
    plain = Site(Home.open(home.root), str(home.archives), OpenSessions(home))
    with client_of(app_of(plain)) as client:
        for address in ("/api/v1/sessions", "/", "/api/v1/health"):
            told = client.get(address, headers=KIM.headers)
            assert (told.status_code, told.json()["code"]) == (503, "service_unavailable")
    plain.close()


def test_without_the_setting_nobody_has_to_sign_in(tmp_path: Path) -> None:
    """On loopback nothing changes: no page to sign in, no name, no log, and whatever name is typed."""
    from tests.helpers.homes import new_home

    home = Home.open(new_home(tmp_path / "home"))
    from orchestrator.web.open_sessions import OpenSessions

    plain = Site(home, str(home.archives), OpenSessions(home))
    with client_of(app_of(plain)) as client:
        begun = client.post("/api/v1/sessions", json={"sample": True, "id": "s1", "presenter": "Anybody"})
        assert begun.status_code == 201
        assert client.get("/api/v1/sessions", headers=KIM.headers).status_code == 200
        assert "Sign out" not in client.get("/", headers={"accept": "text/html"}).text
        assert client.get("/sign-in").status_code == 404
        assert 'data-do="delete"' in client.get("/", headers={"accept": "text/html"}).text
    plain.close()
    assert not (home.root / "log").exists()
    assert not (home.root / "access.key").exists()
    assert b'"owner"' not in (home.sessions / "s1" / "ledger" / "ledger.jsonl").read_bytes()
    assert PROXY not in DECKS
