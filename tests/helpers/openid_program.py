"""A real OpenID provider, canaille, with three users: a program of its own, run in canaille's environment.

It imports nothing of ours. It says its address on stdout, takes further addresses to which it may send a
browser back, a line each, from stdin, and ends when that is closed.
"""

import logging
import sys
import threading
from typing import Any

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from canaille.backends.memory.backend import MemoryBackend
from werkzeug.serving import make_server

USERS = (
    ("dana", "Dana Whitfield", "dana@acme.example", ("presenters", "sales")),
    ("rita", "Rita Coach", "rita@acme.example", ("coaches",)),
    ("kim", "Kim Keeper", "kim@acme.example", ("staff",)),
)
PASSWORD = "a-password-of-the-test"


find_any = MemoryBackend.do_query


def find_all(self: Any, model: Any, *args: Any, **wanted: Any) -> Any:
    """What fits every attribute: canaille's store in memory finds what fits any of them, so a code, which is
    looked up by itself and its client, was each code of that client that was still open."""
    found = find_any(self, model, *args, **wanted)
    fitting = [{one.id for one in find_any(self, model, **{name: of})} for name, of in wanted.items()]
    return [one for one in found if all(one.id in ids for ids in fitting)]


def main() -> None:
    logging.disable(logging.CRITICAL)
    MemoryBackend.do_query = find_all
    server = make_server("127.0.0.1", 0, lambda environ, start: [], threaded=True)
    host = f"127.0.0.1:{server.server_port}"
    app = create_app(
        {
            "SECRET_KEY": "of-the-test-alone",
            "SERVER_NAME": host,
            "PREFERRED_URL_SCHEME": "http",
            "CANAILLE": {"DATABASE": "memory", "CAPTCHA_ENABLED": False, "SMTP": None},
            "CANAILLE_OIDC": {},
        }
    )
    with app.app_context():
        backend = Backend.instance
        people = {}
        for login, name, address, _ in USERS:
            first, _, last = name.partition(" ")
            people[login] = models.User(
                user_name=login,
                password=PASSWORD,
                emails=[address],
                formatted_name=name,
                given_name=first,
                family_name=last,
            )
            backend.save(people[login])
        for group in {one for *_, groups in USERS for one in groups}:
            members = [people[login] for login, _, _, groups in USERS if group in groups]
            backend.save(models.Group(display_name=group, members=members))
        client = models.Client(
            client_id="greenroom",
            client_secret="of-the-client",
            client_name="Greenroom",
            client_uri="http://127.0.0.1/",
            contacts=["staff@acme.example"],
            redirect_uris=["http://127.0.0.1/sign-in/back"],
            grant_types=["authorization_code"],
            response_types=["code"],
            scope=["openid", "profile", "email", "groups"],
            token_endpoint_auth_method="client_secret_basic",
        )
        backend.save(client)
        client.audience = [client]
        backend.save(client)
    server.app = app
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"http://{host}\n")
    sys.stdout.flush()
    for line in sys.stdin:
        with app.app_context():
            known = Backend.instance.get(models.Client, client_id="greenroom")
            known.redirect_uris = [*known.redirect_uris, line.strip()]
            Backend.instance.save(known)
        sys.stdout.write("taken\n")
        sys.stdout.flush()
    server.shutdown()


if __name__ == "__main__":
    main()
