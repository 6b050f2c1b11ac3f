"""After the end: freeze a session, bag it, store it, and get it back.

Source: DESIGN.md, section 10; trust.md, "The archive".
"""
