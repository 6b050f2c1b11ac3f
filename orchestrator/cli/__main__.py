"""`python -m orchestrator.cli`: the same as `greenroom`."""

from orchestrator.cli import main

main()
