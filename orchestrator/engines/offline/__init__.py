"""The engine without a model: a question bank, admissions, and certain verdicts only."""

from orchestrator.engines.offline.engine import OfflineEngine as OfflineEngine
