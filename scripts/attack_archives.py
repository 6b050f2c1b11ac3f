"""Archives that were changed, that lead elsewhere, or that are no bags; and servers that send one away."""

from __future__ import annotations

import os
import shutil
import socket
import tarfile
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Final

from orchestrator.core.archive.unpacked import verify_path
from scripts.attack_ground import REFUSED, SAMPLE, Done, Ground
from tests.helpers.homes import ROOT

SUITE: Final = ROOT.parent / "shared" / "data" / "bagit" / "bagit-conformance-suite.tar"
SECRET: Final = "canarysecretkey0123456789"
LINE: Final = "0" * 64


def _appended(name: str, line: str) -> Callable[[Path], None]:
    def change(bag: Path) -> None:
        with (bag / name).open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    return change


def _flipped(name: str) -> Callable[[Path], None]:
    def change(bag: Path) -> None:
        raw = bytearray((bag / name).read_bytes())
        raw[len(raw) // 2] ^= 1
        (bag / name).write_bytes(bytes(raw))

    return change


def _linked(bag: Path) -> None:
    path = bag / "data" / "kept" / "shared" / "deck-content.md"
    copy = bag.parent.parent / "copy-of-deck-content"
    copy.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(copy)


def _piped(bag: Path) -> None:
    (bag / "data" / "kept" / "debrief.md").unlink()
    os.mkfifo(bag / "data" / "kept" / "debrief.md")


LEADING_OUT: Final = (
    "data/../../../x",
    "/etc/passwd",
    "data/%2e%2e/x",
    "../../x",
    "data/kept/../../../../secret",
    "~root",
)
CHANGES: Final[dict[str, Callable[[Path], None]]] = {
    **{
        f"a manifest that lists {one}": _appended("manifest-sha256.txt", f"{LINE}  {one}")
        for one in LEADING_OUT
    },
    "a tag manifest that leads out": _appended("tagmanifest-sha256.txt", f"{LINE}  ../../secret"),
    "fetch.txt": _appended("fetch.txt", "http://192.0.2.1/x 1 data/x"),
    "one bit of the ledger": _flipped("data/kept/ledger/ledger.jsonl"),
    "one bit of a payload": _flipped("data/kept/shared/deck-content.md"),
    "one bit of the manifest": _flipped("manifest-sha256.txt"),
    "one bit of bag-info": _flipped("bag-info.txt"),
    "an extra file": _appended("data/kept/x.md", "x"),
    "an extra file beside": _appended("x", "x"),
    "a missing file": lambda bag: (bag / "data" / "kept" / "debrief.md").unlink(),
    "no commit mark": lambda bag: (bag / "tagmanifest-sha256.txt").unlink(),
    "an empty commit mark": lambda bag: os.truncate(bag / "tagmanifest-sha256.txt", 0),
    "a link in the payload": _linked,
    "a pipe in the payload": _piped,
}


def archives(ground: Ground) -> None:
    """Verify, restore and list each changed archive."""
    store = ground.given / "store"
    ground.command("start", SAMPLE, "--id", "kept")
    ended = ground.command("end", "kept", "--archive", store)
    if ended.code:
        ground.note("Archive", "archive", "end: an archive to try it on", ended.err, REFUSED, "there is none")
        return
    for number, (what, change) in enumerate(CHANGES.items()):
        changed, into = ground.given / f"changed{number}", ground.around / "home" / f"into{number}"
        shutil.copytree(store, changed, symlinks=True)
        for path in changed.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        change(changed / "kept")
        ground.cli("Archive", what, "verify", changed / "kept")
        ground.cli("Archive", what, "restore", "kept", "--from", changed, "--into", into, real=number == 0)
        if into.exists() and [*into.rglob("*")]:
            ground.note("Archive", "archive", f"restore: {what}", "", REFUSED, f"{into.name} holds files")
    into, session = ground.given / "in", ground.home / "sessions" / "kept"
    ground.cli(
        "Archive", "from a folder that is none", "restore", "kept", "--from", into / "x", "--into", into
    )
    urls = {"a file": SAMPLE, "an address": "ftp://x/y", "no bucket": "s3://", "a session": session}
    for what, url in urls.items():
        ground.cli("Archive", f"from {what}", "restore", "kept", "--from", str(url), "--into", into)
        ground.cli("Archive", f"to {what}", "archive", "kept", "--to", str(url))
    _sent_away(ground)


def _sent_away(ground: Ground) -> None:
    """A server that redirects to another host: nobody goes there, and no credential is ever shown."""
    with socket.socket() as elsewhere:
        elsewhere.bind(("127.0.0.1", 0))
        elsewhere.listen()
        elsewhere.setblocking(False)
        target = f"http://127.0.0.1:{elsewhere.getsockname()[1]}/taken"

        class Redirects(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                self.rfile.read(int(self.headers.get("content-length") or 0))
                self.send_response(307)
                self.send_header("Location", target)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = _answer

            def log_message(self, format: str, *args: object) -> None:
                """It says nothing."""

        server = HTTPServer(("127.0.0.1", 0), Redirects)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        keys = {
            "AWS_ACCESS_KEY_ID": "canarykeyid",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }
        os.environ.update(keys, GREENROOM_S3_ENDPOINT=f"http://127.0.0.1:{server.server_port}")

        def went(done: Done) -> str:
            try:
                elsewhere.accept()[0].close()
            except BlockingIOError:
                return "a credential is shown" if SECRET in done.out + done.err else ""
            return "it went to the other host"

        try:
            url, into = "s3://bucket/x", str(ground.given / "in")
            for command in (
                ("archive", "kept", "--to", url),
                ("list", "--archive", url),
                ("restore", "kept", "--from", url, "--into", into),
                ("verify", f"{url}/kept"),
            ):
                done = ground.cli("Archive", "a redirect to another host", *command, limit_s=30)
                if found := went(done):
                    ground.note("Archive", "archive", f"{command[0]}: a redirect", done.err, REFUSED, found)
        finally:
            for name in (*keys, "GREENROOM_S3_ENDPOINT"):
                del os.environ[name]
            server.shutdown()
            server.server_close()


def bags(ground: Ground) -> None:
    """The conformance suite of the Library of Congress: bags of others, none of a session."""
    if not SUITE.is_file():
        ground.say("NOT RUN: the conformance suite does not lie beside the checkout")
        return
    suite = ground.given / "suite"
    with tarfile.open(SUITE) as packed:
        packed.extractall(suite, filter="data")
    for bag in sorted(suite.glob("v*/*/*/")):
        told = [f"{one.path}: {one.kind}" for one in verify_path(bag).findings]
        found = "" if len(told) == 1 else f"{len(told)} lines in place of one"
        ground.note(
            "Bags", "archive", str(bag.relative_to(suite)), ", ".join(told) or "valid", REFUSED, found
        )
