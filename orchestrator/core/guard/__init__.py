"""The guard: what somebody changes by hand in a live session is put back from its ledger within a second.

Source: DESIGN.md, section 4.
"""
