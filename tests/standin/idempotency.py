"""Has this been sent before? Keys, the hash of what was sent, and the key that a refused store burns."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any

from standin.graph import Graph, Source


class Mismatch(Exception):
    """The key was used before with other entities (captures 5 and 6)."""


def content_hash(entities: list[Any]) -> str:
    """The hash of the entities exactly as they were sent, order of keys included (capture 5). Relationships are outside
    it (capture 7)."""
    return hashlib.sha256(json.dumps(entities, separators=(",", ":")).encode("ascii")).hexdigest()


def recall(graph: Graph, key: str, hashed: str) -> tuple[Source | None, bool]:
    """The source of this content, if it is known, and whether this request is a replay.

    A source remembers only the key that brought it: content sent again under a second key is no replay (capture 9), and
    leaves the second key unused (capture 10). Raises Mismatch.
    """
    by_key = graph.sources_by_key.get(key)
    if by_key is not None:
        if by_key.content_hash != hashed:
            raise Mismatch(key)
        return by_key, True
    return graph.sources_by_hash.get(hashed), False


def burn(graph: Graph, key: str, hashed: str) -> Source:
    """Remember key and content; done before the entities are resolved, so a refused store has used up its key
    (captures 146-148)."""
    source = Source(str(uuid.uuid5(uuid.NAMESPACE_OID, hashed)), key, hashed)
    graph.sources_by_key[key] = source
    graph.sources_by_hash[hashed] = source
    return source
