"""The catalogue of sessions, live and archived: what a review lists and searches.

The catalogue is made from the sessions' own records, and can be deleted and made again at any time.
"""
