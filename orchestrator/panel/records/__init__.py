"""The records of a panel's session: one class for each type, what it changes in the projection, how it reads.

A record's value is an object with a `type` on the disk, and here the class with that `TYPE`. A new type of
record is one class in the file of its concept, named in `kinds.PanelRecord`; `tests/records` asks for what it
tells of itself. One that holds words that somebody said says so in its `bearing`, also where it is a note:
what is off the record is heard there.
"""
