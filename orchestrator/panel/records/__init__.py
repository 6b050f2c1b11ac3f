"""The records of a panel's session: one class for each type, with its effect on the projection and its text.

A record's value on the disk is an object with a `type`, and here the class with that `TYPE`. A new type of
record is one class in the file of its concept, named in `kinds.PanelRecord`; `tests/records` checks that it
describes itself. A record, or a note, that holds somebody's words states this in its `bearing`:
off-the-record words are found by it.
"""
