"""JSON documents, each for one question: `--json` prints them, the HTTP API answers with them."""
