"""The JSON documents of one question each: `--json` prints them, the HTTP API answers with them."""
