"""The debrief as PDF: its HTML page, printed by a browser of this machine that fetches nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from orchestrator.core.errors import PrintError

BROWSERS: Final = (
    "google-chrome",
    "google-chrome-stable",
    "chromium",
    "chromium-browser",
    "chrome",
    "microsoft-edge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
"""Names of browsers, all Chromium, as no other browser prints from the command line.

MacOS's own places are last.
"""
HOW_TO_GET_ONE: Final = (
    "install Chromium or Google Chrome (Debian, Ubuntu: apt install chromium), "
    "or print the html form from any browser"
)
PRINTED_WITHIN_S: Final = 60.0
"""Seconds after which a browser hangs: the demo's debrief took 2 to 4 s on two cores under load."""
MAX_ABOVE: Final = 38
"""Maximum number of characters of the folder for temporary files.

Chromium ends at once if its socket's path has more than 104 characters, the most that macOS allows. Below
this folder the path has about 65 more. macOS's own folder has 49.
"""

_FLAGS: Final = (
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",  # containers have 64 MB there
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-breakpad",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--password-store=basic",  # else it may ask for the desktop's keyring
    "--use-mock-keychain",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no name leads anywhere
    "--proxy-server=127.0.0.1:9",  # and no address: nobody listens at the discard port
    "--no-pdf-header-footer",  # which would hold the temporary file's path
    "--generate-pdf-document-outline",
)


def find_browser() -> Path | None:
    """Return the path of a browser that can print, or None if this machine has none."""
    found = (shutil.which(name) for name in BROWSERS)
    return next((Path(one) for one in found if one is not None), None)


def as_pdf(html: str) -> bytes:
    """Print a page as PDF.

    Whatever happens, nothing of the page stays on the disk, and no process keeps running.

    Raises:
        PrintError: This machine has no browser that can print, or it did not print.
    """
    browser = find_browser()
    if browser is None:
        raise PrintError(f"no browser that prints was found: {HOW_TO_GET_ONE}")
    above = None if len(tempfile.gettempdir()) <= MAX_ABOVE else "/tmp"  # noqa: S108  # a name of its own
    with tempfile.TemporaryDirectory(prefix="greenroom-", dir=above, ignore_cleanup_errors=True) as folder:
        page, printed = Path(folder) / "debrief.html", Path(folder) / "debrief.pdf"
        page.write_text(html, "utf-8")
        _run([str(browser), *_FLAGS, *_as_root(), f"--user-data-dir={folder}/profile",
              f"--print-to-pdf={printed}", page.as_uri()], Path(folder))  # fmt: skip
        content = printed.read_bytes() if printed.is_file() else b""
    if not content.startswith(b"%PDF"):
        raise PrintError(
            f"{browser} printed nothing (one from a snap cannot read temporary files): {HOW_TO_GET_ONE}"
        )
    return content


def _as_root() -> list[str]:
    """Return the option that turns off Chromium's sandbox for root.

    The sandbox cannot work for root; the page runs and fetches nothing.
    """
    return ["--no-sandbox"] if os.geteuid() == 0 else []


def _run(command: list[str], folder: Path) -> None:
    """Run a browser with *folder* as its home, and end every process that it has started."""
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    running = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # it may quote the page
        cwd=folder,
        env={**os.environ, **home, "TMPDIR": str(folder)},
        start_new_session=True,
    )
    try:
        running.wait(PRINTED_WITHIN_S)
    except subprocess.TimeoutExpired:
        told = f"the browser did not print within {PRINTED_WITHIN_S:.0f} s: try again"
        raise PrintError(f"{told}, or print the html form from any browser") from None
    finally:
        with suppress(ProcessLookupError, PermissionError):  # all are gone; macOS says it the second way
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
