"""The engine without a model: a question bank, and only verdicts and admissions that are certain."""

from orchestrator.panel.engines.offline.engine import OfflineEngine as OfflineEngine
