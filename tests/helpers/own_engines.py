"""The engine of docs/engines.md, and a distribution that brings it, as pip would lay it out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "orchestrator" / "docs" / "engines.md"
CODE, WIRE = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
"""The page's one example, as it stands."""


def page_engine() -> Any:
    """Return the class that the page's example defines."""
    names: dict[str, Any] = {}
    exec(compile(CODE, str(PAGE), "exec"), names)
    return names["Plain"]


def install(
    site: Path, name: str = "plain", *, target: str = "greenroom_plain:Plain", code: str = CODE
) -> Path:
    """Put a distribution into the folder *site* that brings an engine by this name; returns *site*."""
    info = site / "greenroom_plain-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "greenroom_plain.py").write_text(code, "utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greenroom-plain\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[greenroom.engines]\n{name} = greenroom_plain:Plain\n", "utf-8")
    return site
