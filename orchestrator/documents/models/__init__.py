"""Pydantic models of the JSON documents: the API describes itself by them, and tests hold `--json` to them.

Documents are built as plain JSON and sent as they are; no model stands in their way. The command line never
imports these: making the validators of a list alone would take it 55 ms more, of 390.
"""
