"""What the stand-in remembers: entities made of observations, edges, and the sources that they came from."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from standin.identity import DECLARED_FIELDS, RANKED_FIELDS

USER_ID = "00000000-0000-0000-0000-000000000000"
DEFAULT_PRIORITY = 100


class Observation:
    """What one source said of one entity. `at` is when, as an ISO 8601 time; `order` counts all observations."""

    def __init__(
        self, entity_id: str, source_id: str, fields: Mapping[str, Any], at: str, order: int, priority: int
    ) -> None:
        self.id = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{entity_id}/{source_id}"))
        self.entity_id = entity_id
        self.source_id = source_id
        self.fields = dict(fields)
        self.at = at
        self.order = order
        self.priority = priority
        self.basis = ""
        self.rule = ""
        self.kind = "llm_summary"


class Entity:
    """A thing with a name, and all that was observed of it, oldest first."""

    def __init__(self, id: str, type: str, canonical_name: str, at: str, order: int) -> None:
        self.id = id
        self.type = type
        self.canonical_name = canonical_name
        self.folded_name = canonical_name.lower()
        self.created_at = at
        self.updated_at = at
        self.order = order
        self.observations: list[Observation] = []
        self.snapshot: dict[str, Any] = {}
        self.provenance: dict[str, str] = {}

    def observe(self, observation: Observation) -> None:
        """Take in an observation; the same source is heard once (captures 9 and 11)."""
        self.updated_at = observation.at
        if any(known.source_id == observation.source_id for known in self.observations):
            return
        self.observations.append(observation)
        self._settle()

    def _settle(self) -> None:
        """Decide each field anew: the last write wins, for ranked fields the highest priority; ties go to the lower
        observation id, which is as good as any (captures 161, 228, 235)."""
        declared = DECLARED_FIELDS.get(self.type)
        ranked = RANKED_FIELDS.get(self.type, frozenset())
        self.snapshot = {}
        self.provenance = {}
        for observation in reversed(self.observations):
            for field, value in observation.fields.items():
                if value is None or field in self.snapshot or (declared is not None and field not in declared):
                    continue
                chosen = observation
                if field in ranked:
                    rivals = [other for other in self.observations if other.fields.get(field) is not None]
                    chosen = min(rivals, key=lambda other: (-other.priority, other.id))
                self.snapshot[field] = chosen.fields[field]
                self.provenance[field] = chosen.id


class Edge:
    """A directed edge; `observations` maps whoever said so (a source, or a set of metadata) to the metadata."""

    def __init__(self, type: str, source: str, target: str) -> None:
        self.type = type
        self.source = source
        self.target = target
        self.key = f"{type}:{source}:{target}"
        self.observations: dict[str, Mapping[str, Any]] = {}
        self.computed_at = ""
        self.last_observation_at = ""
        self.last_observed = 0
        self.computed = 0

    def as_tuple(self) -> tuple[str, str, str]:
        """(type, source id, target id)."""
        return (self.type, self.source, self.target)


class Source:
    """One content that was sent: `key` is the idempotency key of the request that sent it first."""

    def __init__(self, id: str, key: str, content_hash: str) -> None:
        self.id = id
        self.key = key
        self.content_hash = content_hash
        self.observations: list[Observation] = []


class Graph:
    """All of it, in memory. Not guarded: the HTTP face lets one request in at a time."""

    def __init__(self) -> None:
        self.entities: dict[str, Entity] = {}
        self.edges: dict[tuple[str, str, str], Edge] = {}
        self.sources_by_key: dict[str, Source] = {}
        self.sources_by_hash: dict[str, Source] = {}
        self._edges_at: dict[str, dict[tuple[str, str, str], Edge]] = {}
        self._count = 0

    def next_order(self) -> int:
        """A number above all that were given before."""
        self._count += 1
        return self._count

    def edges_at(self, entity_id: str) -> Iterable[Edge]:
        """All edges that start or end at the entity, each once."""
        return self._edges_at.get(entity_id, {}).values()

    def connect(self, type: str, source: str, target: str, said_by: str, metadata: Mapping[str, Any], at: str) -> Edge:
        """Make the edge, or hear of it once more; nothing is checked for existence (captures 16 and 73)."""
        key = (type, source, target)
        edge = self.edges.get(key)
        if edge is None:
            edge = self.edges[key] = Edge(*key)
            self._edges_at.setdefault(source, {})[key] = edge
            self._edges_at.setdefault(target, {})[key] = edge
        edge.computed_at = at
        edge.computed = self.next_order()
        if said_by not in edge.observations:
            edge.observations[said_by] = dict(metadata)
            edge.last_observation_at = at
            edge.last_observed = edge.computed
        return edge
