"""The one page at the end: what to fix first, what was asked and answered, what stays open."""

from __future__ import annotations

from orchestrator.debrief.build import debrief_of
from orchestrator.debrief.model import Debrief
from orchestrator.debrief.page import as_html, as_markdown
from orchestrator.debrief.plain import as_json, exchange_json, json_text
from orchestrator.debrief.terminal import as_text

__all__ = [
    "Debrief",
    "as_html",
    "as_json",
    "as_markdown",
    "as_text",
    "debrief_of",
    "exchange_json",
    "json_text",
]
