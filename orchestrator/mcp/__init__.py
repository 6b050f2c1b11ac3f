"""The MCP server: the memory tools, and sessions, contexts and receipts as resources.

`scope` says whom it serves, `tool_calls` runs the tools, `resources` reads what is there; only `server`
needs the SDK (the extra `mcp`).
"""
