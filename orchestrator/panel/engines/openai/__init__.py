"""The panel speaks through Chat Completions: OpenAI, and nearly every other server there is."""
