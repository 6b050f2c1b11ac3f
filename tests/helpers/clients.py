"""Every way in which the package asks another server, as one call each: tests go through all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any, Final

from orchestrator.core.archive.s3 import S3Store
from orchestrator.memory.embedding import HttpEmbedder
from orchestrator.panel.engines.claude import search
from orchestrator.panel.engines.model.failures import RefusedError, error_of
from orchestrator.panel.engines.model.probing import probe_settings
from orchestrator.panel.engines.model.service import Service
from orchestrator.panel.engines.model.settings import CHAT, Settings
from orchestrator.panel.engines.model.tasks import OnPartial

Call = Callable[[str], Any]
TIMEOUT_S: Final = 300.0
"""In place of ten seconds: the machine may be busy."""
REQUEST: Final = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "The deck."}]}


def settings_of(url: str, **more: Any) -> Settings:
    return Settings(**{"base_url": url, "api_key": "k3y", "model": "m", "retries": 0, **more})


def call(url: str, on_partial: OnPartial | None = None, **more: Any) -> Any:
    """A task of a model, whose reply is read whole."""
    settings = settings_of(url, **more)
    with closing(Service(settings)) as service:
        try:
            return service.submit(service.wire.sent(REQUEST, on_partial)).result()
        except RefusedError as refusal:
            raise error_of(refusal, settings, settings.model, service.wire.api) from None


def streamed(url: str) -> Any:
    """A judgement, whose reply is shown while it comes."""
    return call(url, lambda plain: None)


def called_by_chat(url: str) -> Any:
    """A task over Chat Completions."""
    return call(url, wire=CHAT)


def streamed_by_chat(url: str) -> Any:
    """A judgement over Chat Completions."""
    return call(url, lambda plain: None, wire=CHAT)


def probed(url: str) -> Any:
    """The check at a start, and of `doctor`."""
    return probe_settings(settings_of(url))


def searched(url: str) -> Any:
    """A search of the web."""
    return search(settings_of(url), ["churn of ferries"])


def embedded(url: str) -> Any:
    """Texts made into vectors."""
    return HttpEmbedder(url, "small", "k3y", timeout_s=TIMEOUT_S).embed(["a memory"])


def listed(url: str) -> Any:
    """A list of archives."""
    return S3Store("bucket", "boards", url).list()


def gotten(url: str) -> Any:
    """A file of an archive."""
    return S3Store("bucket", "boards", url).get("bagit.txt")


def put(url: str) -> Any:
    """A file into an archive."""
    return S3Store("bucket", "boards", url).put_new("bagit.txt", b"The deck.", "0" * 64)


def deleted(url: str) -> Any:
    """A file out of an archive."""
    return S3Store("bucket", "boards", url).delete("bagit.txt")


MODEL: Final[Mapping[str, Call]] = {
    one.__name__: one for one in (call, streamed, called_by_chat, streamed_by_chat, probed, searched)
}
S3: Final[Mapping[str, Call]] = {one.__name__: one for one in (listed, gotten, put, deleted)}
ALL: Final[Mapping[str, Call]] = {**MODEL, "embedded": embedded, **S3}
