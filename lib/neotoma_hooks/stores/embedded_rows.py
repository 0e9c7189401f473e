"""Rows of the embedded store and the values they stand for."""

from __future__ import annotations

import json
from hashlib import sha256

from neotoma_hooks.errors import ReadRefused, WriteRefused
from neotoma_hooks.stores.base import StoredEntity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from neotoma_hooks.protocol.entity import Entity

ENTITIES = "SELECT id, type, canonical_name, fields, stored_at FROM entities"
MESSAGES = (
    "SELECT e.id, e.type, e.canonical_name, e.fields, e.stored_at, m.content, m.turn_key"
    " FROM messages m JOIN entities e ON e.id = m.entity_id"
)


def stored_entity(row: tuple[Any, ...]) -> StoredEntity:
    """The entity in a row of `ENTITIES`."""
    return StoredEntity(row[0], row[1], row[2], fields_of(row[0], row[3]), row[4])


def fields_of(id: str, kept: str) -> dict[str, Any]:
    """The fields of the entity `id`, as they are kept. Raises ReadRefused for what the store did not write."""
    try:
        fields = json.loads(kept)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise ReadRefused(f"the embedded store is damaged: what it holds of {id} cannot be read")
    return fields


def stored_message(row: tuple[Any, ...]) -> StoredEntity:
    """The message in a row of `MESSAGES`, its content exact."""
    fields = fields_of(row[0], row[3])
    fields["content"] = row[5].decode("utf-8", "surrogatepass")
    return StoredEntity(row[0], row[1], row[2], fields, row[4])


def entity_of(id: str, type: str, canonical_name: str, fields: dict[str, Any]) -> Entity:
    """What the store knows of a thing, as the turn protocol takes it."""
    from neotoma_hooks.protocol.entity import Entity

    plain = {name: value for name, value in fields.items() if name != "aliases"}
    name = str(fields.get("name") or canonical_name)
    return Entity(
        id=id,
        type=type,
        name=name,
        canonical_name=canonical_name,
        aliases=tuple(fields.get("aliases", ())),
        fields=plain,
    )


def id_of(type: str, identity: str) -> str:
    """The id that a thing of this type and identity has in every embedded store."""
    digest = sha256(f"{type}:{identity}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"ent_{digest[:24]}"


def conversation_of(index: int, relationships: list[dict[str, Any]], ids: list[str]) -> str:
    """The entity that the message at `index` is PART_OF. Raises WriteRefused."""
    for edge in relationships:
        if edge["relationship_type"] == "PART_OF" and edge.get("source_index") == index:
            return str(edge.get("target_entity_id") or ids[edge["target_index"]])
    raise WriteRefused("a message must be PART_OF a conversation", "ERR_NO_CONVERSATION")


def as_text(text: str) -> str:
    """The text as SQLite can hold it: a lone surrogate is no text to it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
