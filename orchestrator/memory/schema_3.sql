-- Contradictions that a presenter says are none, by digest: no words. New in version 3.
CREATE TABLE IF NOT EXISTS dismissed (
    presenter TEXT NOT NULL,
    digest TEXT NOT NULL,
    session TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (presenter, digest, session)
);
