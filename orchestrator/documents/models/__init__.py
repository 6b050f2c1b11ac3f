"""Pydantic models of the JSON documents: the API describes itself by them, and tests hold `--json` to them.

Documents are built as plain JSON and sent as they are; no model stands in their way. The command line never
imports these: to make their validators takes longer than a sixth of `greenroom list`.
"""
