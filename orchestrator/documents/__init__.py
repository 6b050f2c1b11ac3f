"""JSON documents, each the answer to one question: `--json` prints them, the HTTP API sends them."""
