"""The engine without a model: a question bank, admissions, and certain verdicts only."""

from orchestrator.panel.engines.offline.engine import OfflineEngine as OfflineEngine
