"""Drawing of a PDF's pages, in a process that `pictures` starts with the open file as standard input."""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path

MAX_HEIGHT = 4
"""Maximum height of a page, in widths. A taller page is not a slide, and its picture could take any amount
of memory."""


def main() -> None:
    """Draw every page in order; each picture gets its own name only when it is complete."""
    import pypdfium2

    job = json.loads(sys.argv[-1])
    folder, width_px = Path(job["folder"]), job["width_px"]
    resource.setrlimit(resource.RLIMIT_DATA, (job["memory_bytes"], job["memory_bytes"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(os.dup(0), "rb") as file:
        pages = pypdfium2.PdfDocument(file.read())
    for number in range(len(pages)):
        try:
            page = pages[number]
            width, height = page.get_size()
            if width <= 0 or height > MAX_HEIGHT * width:
                continue
            picture = page.render(scale=width_px / width).to_pil()
        except (pypdfium2.PdfiumError, MemoryError, ValueError):
            continue  # a page that cannot be drawn takes no other with it
        picture.save(folder / f".{number + 1}.png", "PNG")
        os.replace(folder / f".{number + 1}.png", folder / f"{number + 1}.png")
