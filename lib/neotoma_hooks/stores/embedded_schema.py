"""The tables of the embedded store, and opening its file."""

from __future__ import annotations

import os
import sqlite3
import time

from neotoma_hooks.errors import StateError, StoreAway
from neotoma_hooks.state.files import make_folder

VERSION = 1

_TABLES = """
CREATE TABLE entities (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    canonical_name TEXT NOT NULL,
    fields TEXT NOT NULL,
    stored_at TEXT NOT NULL,
    UNIQUE (type, canonical_name)
) WITHOUT ROWID;
CREATE TABLE names (
    key TEXT NOT NULL,
    entity_id TEXT NOT NULL REFERENCES entities (id),
    PRIMARY KEY (key, entity_id)
) WITHOUT ROWID;
CREATE INDEX names_of_entity ON names (entity_id);
CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    entity_id TEXT NOT NULL UNIQUE REFERENCES entities (id),
    conversation_entity_id TEXT NOT NULL REFERENCES entities (id),
    turn_key TEXT NOT NULL UNIQUE,
    content BLOB NOT NULL
);
CREATE INDEX messages_of_conversation ON messages (conversation_entity_id, seq);
CREATE TABLE edges (
    type TEXT NOT NULL,
    source TEXT NOT NULL REFERENCES entities (id),
    target TEXT NOT NULL REFERENCES entities (id),
    PRIMARY KEY (source, type, target)
) WITHOUT ROWID;
CREATE INDEX edges_by_target ON edges (target, type, source);
CREATE TABLE writes (
    idempotency_key TEXT PRIMARY KEY,
    entities_hash TEXT NOT NULL,
    entity_ids TEXT NOT NULL
) WITHOUT ROWID;
"""


def connect(path: str, busy_seconds: float) -> sqlite3.Connection:
    """Open the store's file, making it (for its owner only) where there is none.

    `busy_seconds` is how long a statement waits for another process. Every commit is on disk before it returns. Raises
    StoreAway.
    """
    connection = None
    try:
        if not os.path.exists(path):
            make_folder(os.path.dirname(path))
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            _create(connection, busy_seconds)
        elif version > VERSION:
            raise StoreAway(f"the embedded store {path} was written by a later version of neotoma-hooks; upgrade")
        return connection
    except (OSError, sqlite3.Error, StateError, StoreAway) as error:
        if connection is not None:
            connection.close()
        if isinstance(error, StoreAway):
            raise
        raise StoreAway(f"cannot open the embedded store {path}: {error}") from error


def _create(connection: sqlite3.Connection, busy_seconds: float) -> None:
    until = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # The one statement at which SQLite itself does not wait for another process
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.005)
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        # Another process may have made the tables while this one waited
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
