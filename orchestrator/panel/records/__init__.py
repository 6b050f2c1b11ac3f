"""The records of a panel's session: one class for each type, with its effect on the projection and its text.

On the disk, a record's value is an object with a `type`; here it is the class with that `TYPE`. A new type of
record is one class in the file of its concept, named in `kinds.PanelRecord`; `tests/records` checks that it
describes itself. If a record, or a note, contains somebody's words, its `bearing` says so, and off-the-record
words are found by it.
"""
