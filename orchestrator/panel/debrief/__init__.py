"""The one page at the end: what to fix first, what was asked and answered, what stays open."""
