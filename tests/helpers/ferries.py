"""A deck whose table does not add up, and a question about one of its lines."""

from __future__ import annotations

DECK = """# Ferries

- Season-ticket churn fell to 4%

---
# Costs

| Use | EUR |
|---|---|
| Boats | 100 |
| Piers | 200 |
| Total | 350 |
"""
QUOTE = "Season-ticket churn fell to 4%"
QUESTION = "From what did it fall?"
