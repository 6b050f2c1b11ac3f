"""The panel speaks through the Anthropic Messages API, or any server that speaks it."""
