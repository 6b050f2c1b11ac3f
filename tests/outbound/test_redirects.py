"""A redirect is never followed, of whatever kind, and one line says who sent it and what to set."""

from __future__ import annotations

import pytest

from orchestrator.core.errors import GreenroomError
from tests.helpers.clients import ALL, S3, settings_of
from tests.helpers.loopback_servers import Answer, Loopback

STATUSES = (300, 301, 302, 303, 304, 305, 307, 308)
EACH = [
    *((name, status) for name in ("call", "embedded") for status in STATUSES),
    *(("listed", status) for status in (301, 303, 307)),  # a client of S3 takes long to make
    *((name, 308) for name in ALL if name not in ("call", "embedded")),
]


@pytest.mark.parametrize(("name", "status"), EACH)
def test_no_client_follows_a_redirect(name: str, status: int) -> None:
    with Loopback() as other:
        location = {"Location": f"{other.url}/v1/elsewhere?deck=1"}
        with Loopback(lambda method, target: Answer(status, location)) as server:
            with pytest.raises(GreenroomError) as caught:
                ALL[name](server.url)
            assert (len(server.seen), other.seen) == (1, [])
    line = str(caught.value)
    assert "\n" not in line
    assert "is not followed: set " in line
    assert "elsewhere?" not in line


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("https://api.example/v1/messages", " to https://api.example"),
        ("http://user:secret@api.example:81/x", " to http://api.example:81"),
        ("/v2/messages", ""),
        ("//api.example/x", ""),
        ("https://api.example\u00a0is\u00a0fine/", ""),
        ("http://[::1/", ""),
        ("", ""),
    ],
)
@pytest.mark.parametrize("name", ["streamed", "embedded"])
def test_the_line_names_the_server_the_place_and_the_setting(name: str, location: str, said: str) -> None:
    headers = {"Location": location} if location else {}
    with Loopback(lambda method, target: Answer(307, headers)) as server:
        with pytest.raises(GreenroomError) as caught:
            ALL[name](server.url)
        setting = "embeddings" if name == "embedded" else "ANTHROPIC_BASE_URL"
        assert str(caught.value) == (
            f"{server.host} answered 307, a redirect{said}, which is not followed: "
            f"set {setting} to the address of the server itself"
        )
        assert len(server.seen) == 1


@pytest.mark.parametrize("name", ["listed"])
@pytest.mark.parametrize(
    ("status", "code"), [(301, "PermanentRedirect"), (400, "AuthorizationHeaderMalformed")]
)
def test_a_region_that_a_bucket_names_is_not_gone_to(name: str, status: int, code: str) -> None:
    with Loopback() as other:
        body = (
            f"<Error><Code>{code}</Code><Message>m</Message><Region>eu-west-9</Region>"
            f"<Endpoint>{other.host}</Endpoint></Error>"
        ).encode()
        headers = {"Location": other.url, "x-amz-bucket-region": "eu-west-9"}
        with Loopback(lambda method, target: Answer(status, headers, [body])) as server:
            with pytest.raises(
                GreenroomError, match=rf"the server points elsewhere \({code}\), which is not"
            ):
                S3[name](server.url)
            assert (len(server.seen), other.seen) == (1, [])


def test_the_setting_is_the_one_that_the_address_came_from() -> None:
    from orchestrator.panel.engines.model.probing import probe_settings

    away = Loopback(lambda method, target: Answer(308, {"Location": "/x"}))
    with away as server, pytest.raises(GreenroomError, match="set model_url to the address"):
        probe_settings(settings_of(server.url, address_name="model_url"))
