"""The catalogue of sessions, live and archived: what a review lists and searches.

It is made from the sessions' own records and can be deleted and made anew at any time.
"""
