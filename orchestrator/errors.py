"""The errors under their earlier name: they stand in `orchestrator.core.errors`."""

from orchestrator.core.errors import *  # noqa: F403  # every name of it
