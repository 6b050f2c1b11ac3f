"""The checks of this machine: locks, sync, flags, engines, the way to other servers, S3."""

from __future__ import annotations

import fcntl
import os
import platform
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Final

from orchestrator.access.gate import HOW_TO_GET_SIGN_IN, SECRET
from orchestrator.access.provider import SignIn
from orchestrator.cluster.doctor import lines as cluster_lines
from orchestrator.core.archive.freeze import can_set_flags
from orchestrator.core.archive.s3 import fault_of_settings
from orchestrator.core.errors import (
    ConfigurationError,
    EngineError,
    GreenroomError,
    SpeechError,
)
from orchestrator.core.legible import counted
from orchestrator.core.outbound.environment import PROXIES, environment_faults, without_password
from orchestrator.core.store import files
from orchestrator.material.speech.recognition import model_of
from orchestrator.memory.database import NAME, MemoryDatabase
from orchestrator.memory.embedding import DEFAULT_MODEL, LOCAL
from orchestrator.memory.model import MemoryDatabaseError
from orchestrator.panel.config.engine_names import BANK, SERVICES, installed_names
from orchestrator.panel.debrief.printing import HOW_TO_GET_ONE, find_browser
from orchestrator.panel.engines.by_name import check_engine, close_engine, engine_named
from orchestrator.panel.engines.model.settings import API, Settings, model_settings
from orchestrator.panel.home import Home
from orchestrator.web.pictures import office

# As /proc/mounts names them; a lock may be local to one machine there, and a sync may end in a cache.
NETWORK: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs", "ncpfs", "webdav"}
)
# Folders of programs that write into them themselves, and know nothing of a ledger's lock.
SYNCED: Final = ("Dropbox", "OneDrive", "Google Drive", "iCloud", "Nextcloud", "Mobile Documents")
# As botocore's chain of credentials reads them: a key, a profile, a role, a container's address.
S3_CREDENTIALS: Final = (
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)


HOW_TO_GET_EMBEDDINGS: Final = "the extra embed is not installed: pip install 'greenroom[embed]', 220 MB"

MEMORY_TIMEOUT_S: Final = 1.0
"""Seconds that a check of memory waits for processes that write to it; each write takes milliseconds."""


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check: its state (ok, off, missing, warning), and what that means."""

    name: str
    state: str
    detail: str


def checks(home: Home) -> list[Check]:
    """Check this machine and this home; write only a temporary file in the home."""
    return [
        Check("home", "ok", str(home.root)),
        _looked("folder", lambda: _folder(home.root)),
        _looked("file locks", lambda: _locks(home.root)),
        _looked("sync", lambda: _sync(home.root)),
        _looked("immutable flag", lambda: _flags(home)),
        Check(f"engine {BANK}", "ok", "arithmetic and a question bank, no network, no key"),
        *(_looked(f"engine {name}", partial(_model, home, name)) for name in SERVICES),
        *(_looked(f"engine {name}", partial(_installed, home, name)) for name in installed_names()),
        _looked("memory", lambda: _memory(home)),
        _embeddings(home),
        _looked("speech-to-text", lambda: _speech_to_text(home)),
        Check("sound", *_sound(home)),
        _slides(),
        _looked("browser", _browser),
        _looked("network", _network),
        _s3(),
        _looked("access", lambda: _access(home)),
        *_cluster(home),
    ]


def _sound(home: Home) -> tuple[str, str]:
    """Return for how many sessions the sound of answers is stored, and its size."""
    pieces = list((home.sessions / ".sound").glob("*/*.wav"))
    if not pieces:
        return "ok", "no sound is kept; of answers it is where a presenter ticks that at the start"
    sessions, size = {one.parent for one in pieces}, sum(one.stat().st_size for one in pieces)
    held = f"{counted(len(sessions), 'session')}, {size / 1e6:.1f} MB"
    return "ok", f"sound of answers is kept of {held}, in {home.sessions / '.sound'}"


def _looked(name: str, look: Callable[[], Check]) -> Check:
    """Return the result of *look*, or the reason why it failed: the other checks are needed most when a
    disk is full."""
    try:
        return _by_any_means(name, look)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return Check(name, "missing", f"{where}{files.reason(error)}: nothing could be tried here")
    except GreenroomError as error:
        return Check(name, "missing", str(error))


def _by_any_means(name: str, look: Callable[[], Check]) -> Check:
    """Return the result of *look*, which may raise any error, since an engine or a wire may be third-party
    code.

    Raises:
        OSError, GreenroomError
    """
    try:
        return look()
    except (OSError, GreenroomError):
        raise
    except Exception as error:
        raise EngineError(f"the {name} cannot be looked at ({type(error).__name__}): mend it") from error


def _folder(root: Path) -> Check:
    kind = _file_system(root)
    if any(name in part for part in root.parts for name in SYNCED):
        doubt = "looks like a synced folder: another program may change session files"
    elif kind in NETWORK:
        doubt = f"lies on a network file system ({kind}): locks and syncs may not hold"
    else:
        return Check("folder", "ok", f"{kind or platform.system()} file system")
    return Check("folder", "warning", f"{root} {doubt}")


def _file_system(root: Path) -> str | None:
    mounts = Path("/proc/mounts")
    if not mounts.is_file():
        return None
    best, kind = "", None
    for line in mounts.read_text("utf-8", "replace").splitlines():
        _, where, name = line.split()[:3]
        # The longest mount point above the home is its own; the slash keeps /home2 from being below /home.
        if (str(root) + "/").startswith(where.rstrip("/") + "/") and len(where) >= len(best):
            best, kind = where, name
    return kind


def _locks(root: Path) -> Check:
    with tempfile.TemporaryFile(dir=root) as one:
        try:
            fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return Check(
                "file locks", "missing", f"flock fails here ({files.reason(error)}): use one process only"
            )
    return Check("file locks", "ok", "flock")


def _sync(root: Path) -> Check:
    with tempfile.TemporaryFile(dir=root) as one:
        begin = perf_counter()
        os.write(one.fileno(), b"x" * 512)
        try:
            files.sync_file(one.fileno())
        except OSError as error:
            return Check("sync", "missing", f"the disk refuses to sync ({files.reason(error)})")
        took_ms = (perf_counter() - begin) * 1000
    call = "F_FULLFSYNC" if hasattr(fcntl, "F_FULLFSYNC") else "fdatasync"
    return Check("sync", "ok", f"{call}, {took_ms:.2f} ms")


def _flags(home: Home) -> Check:
    if not can_set_flags(home.root):
        state, detail = "missing", "not possible here: ended sessions get read-only modes (0444, 0555)"
    elif not home.config.immutable:
        state, detail = "off", "possible here; switch it on with `immutable: true` in greenroom.yaml"
    else:
        state, detail = "ok", "ended sessions get the file system's immutable flag; `erase` lifts it"
    return Check("immutable flag", state, detail)


def _model(home: Home, engine: str) -> Check:
    """Check the engine's key and address; if it has them, send small requests to it.

    The check reports only what the service replied.
    """
    name = f"engine {engine}"
    if engine == "model" and home.config.model_url is None:
        return Check(name, "off", "no address is set: model_url in greenroom.yaml, or GREENROOM_MODEL_URL")
    if engine == "openai" and not (os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL")):
        return Check(name, "off", "no key is set: OPENAI_API_KEY, or OPENAI_BASE_URL")
    try:
        settings = model_settings(home.config, engine=engine)
    except ConfigurationError as error:
        return Check(name, "off", str(error))
    if not (settings.api_key or settings.auth_token or settings.base_url):
        return Check(name, "off", "no key is set: ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL")
    return _probed(name, settings)


def _probed(name: str, settings: Settings) -> Check:
    """Return what the service with these settings replied to a small request."""
    from orchestrator.panel.engines.model.probing import probe_settings

    at = f"{settings.model} at {settings.where}"
    try:
        probe = probe_settings(settings)
    except EngineError as error:
        return Check(name, "missing", f"{at}: {error}")
    if not probe.answered:
        return Check(name, "warning", f"{at}: a small question brought nothing usable: {probe.why}")
    able = {
        "structured output": probe.enforces,
        "caching": probe.is_cached,
        "tools": probe.uses_tools,
        "exact quotes": probe.is_verbatim,
    }
    has, lacks = (
        ", ".join(one for one, is_so in able.items() if is_so is wanted) for wanted in (True, False)
    )
    who = "" if probe.answered == settings.model else f"{probe.answered} answered; "
    over = f" by its {API.get(probe.wire, probe.wire)}" if settings.wire is None else ""
    room = "" if probe.window is None else f", room for {probe.window:,} tokens"
    said = (
        f"{at}{over}: {who}a small question took {probe.seconds:g} s; has {has or 'none of the extras'}{room}"
    )
    return Check(name, "ok", said + (f"; does without {lacks}" if lacks else ""))


def _installed(home: Home, engine: str) -> Check:
    """Check an engine of another distribution: whether it can be made and says that it works."""
    from orchestrator.panel.engines.model.engine import FallbackEngine

    name = f"engine {engine}"
    try:
        made = engine_named(engine, home.config)
        try:
            if isinstance(made, FallbackEngine):
                return _probed(name, made.engine.settings)
            check_engine(made)
        finally:
            close_engine(made)
    except GreenroomError as error:
        return Check(name, "missing", str(error))
    return Check(name, "ok", "brought by another distribution, as `help engines` has it")


def _memory(home: Home) -> Check:
    if not home.config.memory:
        return Check("memory", "off", "switched off by the setting `memory`: nobody is remembered")
    try:
        agreed = MemoryDatabase.examine(home.root, patience_s=MEMORY_TIMEOUT_S)
    except MemoryDatabaseError as error:
        return Check("memory", "missing", str(error))
    if agreed is None:
        return Check("memory", "ok", "nobody has asked to be remembered yet: --remember makes memory.db")
    return Check("memory", "ok", f"{home.root / NAME}: {counted(agreed, 'presenter')} to be remembered")


def _embeddings(home: Home) -> Check:
    """Check how memories are compared, without contacting a server or loading a model."""
    from orchestrator.memory import embedding

    name, address = "embeddings", home.config.embeddings
    if not address:
        able = "" if embedding.is_installed() else f": {HOW_TO_GET_EMBEDDINGS}"
        told = f"memories are compared by their words; `embeddings: local` compares meanings here{able}"
        return Check(name, "off", told)
    if address != LOCAL:
        model = home.config.embeddings_model or DEFAULT_MODEL
        return Check(name, "ok", f"{model} at {without_password(address)} (not contacted)")
    if not embedding.is_installed():
        return Check(name, "missing", f"memories are compared by their words: {HOW_TO_GET_EMBEDDINGS}")
    return Check(name, "ok", f"{embedding.MODEL}, on this machine alone (not loaded)")


def _speech_to_text(home: Home) -> Check:
    try:
        model = model_of(home.config.stt_model, home.config.stt_language)
    except SpeechError as error:
        return Check("speech-to-text", "missing", str(error))
    if model.warning is not None:
        return Check("speech-to-text", "warning", model.warning)
    more = "" if model.knows_many else "; for others set stt_model, `greenroom fetch small` fetches one"
    told = f"{model.name} hears {model.hears}, on this machine alone (not loaded){more}"
    return Check("speech-to-text", "ok", told)


def _slides() -> Check:
    """Return what the room can show of a PowerPoint's slides on this machine."""
    program = office()
    if program is None:
        own = "a PowerPoint's slides are drawn from the deck's own text, tables and charts"
        return Check("slides", "off", f"{own}; with LibreOffice they would be pictures")
    return Check("slides", "ok", f"{program} draws a PowerPoint's slides as pictures")


def _browser() -> Check:
    found = find_browser()
    if found is None:
        return Check("browser", "missing", f"no debrief is printed as PDF: {HOW_TO_GET_ONE}")
    return Check("browser", "ok", f"{found} prints debriefs as PDF")


def _network() -> Check:
    """Check the variables that requests to other servers depend on, without sending any."""
    faults = environment_faults(os.environ)
    if faults:
        return Check("network", "warning", "; ".join(faults))
    named = sorted(name for name, value in os.environ.items() if name.lower() in PROXIES and value)
    if not named:
        return Check("network", "ok", "no proxy is set")
    through = f"other machines are asked through the proxy of {', '.join(named)}"
    return Check("network", "ok", f"{through}; this one never is")


def _access(home: Home) -> Check:
    """Check how people sign in; the provider is asked for its description alone."""
    name, access = "access", home.config.access
    if access is None:
        return Check(name, "off", "nobody has to sign in (`greenroom help organisation`)")
    ways = []
    if access.oidc is not None:
        if find_spec("authlib") is None:
            return Check(name, "missing", HOW_TO_GET_SIGN_IN)
        SignIn(access.oidc, None).look()
        way = f"{access.oidc.issuer} signs people in for the client {access.oidc.client_id}"
        ways.append(way if os.environ.get(SECRET) else f"{way}, without a secret ({SECRET} is not set)")
    if access.proxy is not None:
        ways.append(f"{', '.join(access.proxy.addresses)} names people in {access.proxy.identity}")
    return Check(name, "ok", "; ".join(ways))


def _cluster(home: Home) -> list[Check]:
    try:
        return [Check(one.name, one.state, one.detail) for one in cluster_lines(home.config.cluster)]
    except GreenroomError as error:
        return [Check("cluster", "missing", str(error))]


def _s3() -> Check:
    endpoint = os.environ.get("GREENROOM_S3_ENDPOINT")
    # Others, such as AWS_CA_BUNDLE and AWS_REGION, let nobody in.
    if not any(os.environ.get(name) for name in S3_CREDENTIALS):
        return Check("S3", "off", "no AWS variable names a key or a profile: archives go to a folder")
    if (fault := fault_of_settings(endpoint)) is not None:
        return Check("S3", "warning", fault)
    return Check("S3", "ok", f"by the AWS variables{f', at {endpoint}' if endpoint else ''} (not contacted)")
