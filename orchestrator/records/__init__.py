"""The records of a panel's session: one class for each type, what it changes in the projection, how it reads.

A record's value is an object with a `type` on the disk, and here the class with that `TYPE`. A new type of
record is one class in the file of its concept, named in `kinds.PanelRecord`; nothing else lists them.
"""
