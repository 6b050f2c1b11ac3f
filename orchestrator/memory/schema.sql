-- Long-term memory, version 1: `database.py` runs it statement by statement.
CREATE TABLE scopes (
    n INTEGER PRIMARY KEY,
    presenter TEXT NOT NULL,
    agent TEXT NOT NULL,
    UNIQUE (presenter, agent)
);
CREATE TABLE memories (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    scope INTEGER NOT NULL REFERENCES scopes,
    type TEXT NOT NULL,
    content TEXT NOT NULL,
    normalised TEXT NOT NULL,
    confidence REAL NOT NULL,
    tags TEXT NOT NULL,
    source TEXT,
    created_at TEXT NOT NULL,
    superseded_by TEXT,
    recalled INTEGER NOT NULL DEFAULT 0,
    recalled_at TEXT,
    left_at TEXT
);
CREATE UNIQUE INDEX one_of_a_source ON memories (scope, source) WHERE left_at IS NULL;
CREATE UNIQUE INDEX one_of_a_content ON memories (scope, normalised)
    WHERE left_at IS NULL AND superseded_by IS NULL;
CREATE INDEX by_date ON memories (scope, created_at, n) WHERE left_at IS NULL AND superseded_by IS NULL;
CREATE VIEW recallable AS
    SELECT n, scope, content, tags FROM memories WHERE left_at IS NULL AND superseded_by IS NULL;
CREATE VIRTUAL TABLE words USING fts5 (
    scope, content, tags,
    content = 'recallable', content_rowid = 'n', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TABLE embeddings (
    memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (memory, model)
);
CREATE TABLE carried (
    memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    session TEXT NOT NULL,
    PRIMARY KEY (memory, session)
);
CREATE TABLE scratchpads (
    scope INTEGER NOT NULL REFERENCES scopes,
    revision INTEGER NOT NULL,
    content TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (scope, revision)
);
CREATE TABLE goals (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    presenter TEXT NOT NULL,
    text TEXT NOT NULL,
    normalised TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at TEXT NOT NULL,
    done_at TEXT,
    source TEXT
);
CREATE INDEX goals_of ON goals (presenter);
CREATE TABLE goal_moves (
    goal INTEGER NOT NULL REFERENCES goals ON DELETE CASCADE,
    exchange TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (goal, exchange)
);
CREATE TABLE consents (
    presenter TEXT PRIMARY KEY,
    is_given INTEGER NOT NULL,
    at TEXT NOT NULL
);
CREATE TABLE history (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    act TEXT NOT NULL,
    presenter TEXT NOT NULL,
    item TEXT NOT NULL,
    agent TEXT
);
CREATE INDEX history_of ON history (presenter);
