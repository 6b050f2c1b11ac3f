"""The MCP server: the memory tools, and sessions, contexts and receipts as resources.

`scope` says whom it serves, `resources` reads what is there, `server` runs the tools; only `server` needs
the SDK (the extra `mcp`).
"""
