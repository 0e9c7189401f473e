"""A memory without a server: one SQLite file that keeps a Neotoma server's promises.

Alike where the turn protocol can tell: identity by turn key and conversation id, replay by idempotency key, mismatch
refused, edges idempotent. Without the server's traps: a replay creates edges that are missing, key order in a body does
not matter, turn keys are exact, one message never overwrites another, an edge never dangles.
"""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import contextmanager
from hashlib import sha256

from neotoma_hooks.errors import KeyMismatch, StoreAway, StoreError, TurnTaken, UnknownTarget, WriteRefused
from neotoma_hooks.stamps import time_stamp
from neotoma_hooks.stores.base import Edge, LookUp, Receipt
from neotoma_hooks.stores.embedded_rows import (
    ENTITIES,
    MESSAGES,
    as_text,
    conversation_of,
    entity_of,
    fields_of,
    id_of,
    stored_entity,
    stored_message,
)
from neotoma_hooks.stores.embedded_schema import connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from neotoma_hooks.protocol.entity import Entity
    from neotoma_hooks.stores.base import StoredEntity

NAME = "embedded"
MOST_HITS = 50
FOREVER = float("inf")


class EmbeddedStore:
    """The embedded store at `path`; the file is opened at first use. See `stores.base.Store` for the methods.

    `busy_seconds` is how long a statement waits for another process at most. No signal ends such a wait.
    """

    name = NAME
    is_local = True

    def __init__(self, path: str, busy_seconds: float = 1.0) -> None:
        self.path = path
        self.busy_seconds = busy_seconds
        self._until = FOREVER
        self._connection: sqlite3.Connection | None = None

    def hurry(self, until: float) -> None:
        """Wait for who writes to the file for no longer than until then."""
        self._until = until

    def look_up(self, needles: Sequence[str], deadline: float) -> LookUp:
        """All needles in one indexed query."""
        from neotoma_hooks.protocol.matching import lookup_keys

        wanted: dict[str, list[str]] = {needle: [as_text(key) for key in lookup_keys(needle)] for needle in needles}
        keys = list({key for found in wanted.values() for key in found} | {as_text(needle) for needle in needles})
        try:
            with self._reading(deadline) as connection:
                marks = ",".join("?" * len(keys))
                rows = connection.execute(
                    "SELECT key, id, type, canonical_name, fields FROM names JOIN entities ON id = entity_id"
                    f" WHERE key IN ({marks}) ORDER BY canonical_name, id",
                    keys,
                ).fetchall()
                rows += connection.execute(
                    f"SELECT id, id, type, canonical_name, fields FROM entities WHERE id IN ({marks})", keys
                ).fetchall()
            by_key: dict[str, list[Entity]] = {}
            for key, id, type, canonical_name, fields in rows:
                by_key.setdefault(key, []).append(entity_of(id, type, canonical_name, fields_of(id, fields)))
        except StoreError as error:
            return LookUp({}, dict.fromkeys(needles, str(error)), error)
        hits: dict[str, list[Entity]] = {}
        for needle, its_keys in wanted.items():
            found = {hit.id: hit for key in [as_text(needle), *its_keys] for hit in by_key.get(key, ())}
            hits[needle] = list(found.values())[:MOST_HITS]
        return LookUp(hits)

    def put(self, body: bytes) -> Receipt:
        """Store one write in one transaction that is on disk when this returns."""
        asked = json.loads(body)
        entities: list[dict[str, Any]] = asked["entities"]
        key = as_text(asked["idempotency_key"])
        canonical = json.dumps(entities, sort_keys=True, separators=(",", ":"))
        digest = sha256(canonical.encode("ascii")).hexdigest()
        with self._writing() as connection:
            kept = connection.execute(
                "SELECT entities_hash, entity_ids FROM writes WHERE idempotency_key = ?", (key,)
            ).fetchone()
            if kept is not None and kept[0] != digest:
                raise KeyMismatch("the idempotency key was used before with other content", "ERR_IDEMPOTENCY_MISMATCH")
            if kept is not None:
                ids = json.loads(kept[1])
            else:
                ids = self._store_entities(connection, entities, asked["relationships"])
                connection.execute("INSERT INTO writes VALUES (?, ?, ?)", (key, digest, json.dumps(ids)))
            edges = []
            for edge in asked["relationships"]:
                source = edge.get("source_entity_id") or ids[edge["source_index"]]
                target = edge.get("target_entity_id") or ids[edge["target_index"]]
                edges.append(Edge(edge["relationship_type"], source, target))
            self._link(connection, edges)
        types = [str(entity["entity_type"]) for entity in entities]
        return Receipt(kept is not None, dict(zip(types, ids, strict=True)), edges)

    def link(self, edges: Sequence[Edge]) -> None:
        """Create edges between entities that exist."""
        with self._writing() as connection:
            self._link(connection, edges)

    def message(self, turn_key: str) -> StoredEntity | None:
        """The message with exactly this turn key."""
        with self._reading() as connection:
            row = connection.execute(f"{MESSAGES} WHERE turn_key = ?", (as_text(turn_key),)).fetchone()
        return stored_message(row) if row else None

    def edges_of(self, entity_id: str) -> list[Edge]:
        """All edges at the entity."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT type, source, target FROM edges WHERE source = ? UNION SELECT type, source, target FROM edges"
                " WHERE target = ?",
                (entity_id, entity_id),
            ).fetchall()
        return [Edge(*row) for row in rows]

    def entity(self, entity_id: str) -> StoredEntity | None:
        """One entity of any type."""
        with self._reading() as connection:
            row = connection.execute(f"{MESSAGES} WHERE m.entity_id = ?", (entity_id,)).fetchone()
            if row:
                return stored_message(row)
            row = connection.execute(f"{ENTITIES} WHERE id = ?", (entity_id,)).fetchone()
        return stored_entity(row) if row else None

    def conversations(self, conversation_id: str | None) -> list[StoredEntity]:
        """The conversation with that id, or all."""
        query, arguments = f"{ENTITIES} WHERE type = 'conversation' ORDER BY stored_at, id", ()
        if conversation_id is not None:
            query = f"{ENTITIES} WHERE type = 'conversation' AND canonical_name = ?"
            arguments = (as_text(f"conversation:{conversation_id}"),)  # type: ignore[assignment]
        with self._reading() as connection:
            rows = connection.execute(query, arguments).fetchall()
        return [stored_entity(row) for row in rows]

    def messages(self, conversation_entity_id: str | None, limit: int) -> list[StoredEntity]:
        """The newest messages, oldest of them first."""
        where = "WHERE conversation_entity_id = ?" if conversation_entity_id else "WHERE ? IS NULL"
        with self._reading() as connection:
            rows = connection.execute(
                f"{MESSAGES} {where} ORDER BY seq DESC LIMIT ?", (conversation_entity_id, limit)
            ).fetchall()
        return [stored_message(row) for row in reversed(rows)]

    def check(self) -> str:
        """Open it, and count."""
        with self._reading() as connection:
            entities = connection.execute("SELECT count(*) FROM entities").fetchone()[0]
            messages = connection.execute("SELECT count(*) FROM messages").fetchone()[0]
        return f"embedded store {self.path}: {entities} entities, {messages} of them messages"

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _reading(self, deadline: float = FOREVER) -> Iterator[sqlite3.Connection]:
        until = min(deadline, self._until)
        try:
            if self._connection is None:
                self._connection = connect(self.path, self._patience(until))
            if until != FOREVER:
                self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * self._patience(until))}")
            yield self._connection
        except sqlite3.IntegrityError as error:
            raise UnknownTarget(f"the embedded store cannot take this write: {error}", "ERR_INTEGRITY") from error
        except sqlite3.Error as error:
            raise StoreAway(f"the embedded store {self.path} cannot be used: {error}") from error

    def _patience(self, until: float) -> float:
        return max(0.0, min(self.busy_seconds, until - time.monotonic()))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        # A connection as a context commits what was begun in it, or rolls it back
        with self._reading() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    def _store_entities(
        self, connection: sqlite3.Connection, entities: list[dict[str, Any]], relationships: list[dict[str, Any]]
    ) -> list[str]:
        ids: list[str] = []
        for index, given in enumerate(entities):
            fields = dict(given)
            type = str(fields.pop("entity_type"))
            if type == "conversation_message":
                conversation = conversation_of(index, relationships, ids)
                ids.append(self._store_message(connection, fields, conversation))
            elif type == "conversation":
                name = f"conversation:{fields['conversation_id']}"
                ids.append(self._store_entity(connection, type, name, name, fields))
            else:
                from neotoma_hooks.protocol.folding import fold

                name = str(fields["name"])
                ids.append(self._store_entity(connection, type, name, fold(name), fields))
        return ids

    def _store_entity(
        self, connection: sqlite3.Connection, type: str, canonical_name: str, identity: str, fields: dict[str, Any]
    ) -> str:
        id = id_of(type, identity)
        row = connection.execute("SELECT fields FROM entities WHERE id = ?", (id,)).fetchone()
        if row is not None:
            earlier = fields_of(id, row[0])
            aliases = [*earlier.get("aliases", []), *fields.get("aliases", [])]
            fields = {**fields, **{name: value for name, value in earlier.items() if name not in fields}}
            if aliases:
                fields["aliases"] = list(dict.fromkeys(aliases))
            connection.execute("UPDATE entities SET fields = ? WHERE id = ?", (json.dumps(fields), id))
        else:
            connection.execute(
                "INSERT INTO entities VALUES (?, ?, ?, ?, ?)",
                (id, type, as_text(canonical_name), json.dumps(fields), time_stamp()),
            )
        if type != "conversation":
            from neotoma_hooks.protocol.matching import entity_keys

            keys = {as_text(key) for key in entity_keys(entity_of(id, type, canonical_name, fields))}
            connection.executemany("INSERT OR IGNORE INTO names VALUES (?, ?)", [(key, id) for key in sorted(keys)])
        return id

    def _store_message(self, connection: sqlite3.Connection, fields: dict[str, Any], conversation: str) -> str:
        turn_key = str(fields["turn_key"])
        content = str(fields.pop("content")).encode("utf-8", "surrogatepass")
        canonical_name = f"conversation_message:{turn_key}"
        id = id_of("conversation_message", canonical_name)
        row = connection.execute(
            "SELECT content, fields FROM messages m JOIN entities e ON e.id = m.entity_id WHERE turn_key = ?",
            (as_text(turn_key),),
        ).fetchone()
        if row is not None:
            if fields_of(id, row[1]).get("role") != fields.get("role"):
                raise WriteRefused("the turn key is another message's", "ERR_CONVERSATION_MESSAGE_ROLE_CONFLICT")
            if row[0] != content:
                raise TurnTaken("the turn key has other content already", "ERR_TURN_KEY_TAKEN")
            return id
        connection.execute(
            "INSERT INTO entities VALUES (?, ?, ?, ?, ?)",
            (id, "conversation_message", as_text(canonical_name), json.dumps(fields), time_stamp()),
        )
        connection.execute(
            "INSERT INTO messages (entity_id, conversation_entity_id, turn_key, content) VALUES (?, ?, ?, ?)",
            (id, conversation, as_text(turn_key), content),
        )
        return id

    def _link(self, connection: sqlite3.Connection, edges: Sequence[Edge]) -> None:
        connection.executemany(
            "INSERT INTO edges VALUES (?, ?, ?) ON CONFLICT DO NOTHING", [edge.as_tuple() for edge in edges]
        )
