-- What each memory rests on: every source that said the same, "" for none. New in version 2.
CREATE TABLE rests (
    memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    source TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (memory, source)
);
CREATE INDEX rests_on ON rests (source);
INSERT INTO rests SELECT n, source, created_at FROM memories WHERE source IS NOT NULL;
