"""Verification: whether a session is what its ledger says, and whether every rule was kept.

Everything is read from bytes, in one pass over the ledger and one over the folder; nothing of
a live `Store` is trusted, nothing is changed, and no damage makes it raise.

Source: DESIGN.md, section 4 ("The ledger"); trust.md, "What is promised".
"""

from orchestrator.core.verify.finding import Finding, JudgedBy, Verification
from orchestrator.core.verify.verification import verify_session

__all__ = ["Finding", "JudgedBy", "Verification", "verify_session"]
