"""Edges: made one by one or several at a time, listed, and followed to the entities at their other ends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from standin.answers import MISSING, Answer, as_json, invalid, not_one_of, wrong_type
from standin.graph import USER_ID, Edge, Entity, Graph
from standin.store_request import refuse_unknown_fields, too_short

_TYPES = (
    "PART_OF CORRECTS REFERS_TO SETTLES DUPLICATE_OF DEPENDS_ON SUPERSEDES EMBEDS works_at owns manages part_of "
    "related_to depends_on references transacted_with member_of reports_to located_at created_by funded_by acquired_by "
    "subsidiary_of partner_of competitor_of supplies_to contracted_with invested_in"
)
RELATIONSHIP_TYPES = tuple(_TYPES.split())

_ENDS = ("source_entity_id", "target_entity_id")
_EDGE_FIELDS = ("metadata", "relationship_type", "source_entity_id", "source_id", "target_entity_id", "user_id")
_INCOMING = frozenset({"incoming", "inbound"})
_OUTGOING = frozenset({"outgoing", "outbound"})


def create_relationship(graph: Graph, body: Mapping[str, Any], at: str) -> Answer:
    """`POST /create_relationship`; a repeat is answered like the first (captures 70-79)."""
    refuse_unknown_fields("POST /create_relationship", body, _EDGE_FIELDS)
    _check_edge(body)
    return as_json(edge_row(_connect(graph, body, at)))


def create_relationships(graph: Graph, body: Mapping[str, Any], at: str) -> Answer:
    """`POST /create_relationships`; one wrong type refuses all (captures 80-84)."""
    refuse_unknown_fields("POST /create_relationships", body, ("relationships", "source_id", "user_id"))
    asked = body.get("relationships", MISSING)
    if not isinstance(asked, list):
        raise invalid(wrong_type("array", asked, "relationships"))
    if not asked:
        raise invalid(too_short("array", "Array must contain at least 1 element(s)", 1, "relationships"))
    for index, edge in enumerate(asked):
        if not isinstance(edge, dict):
            raise invalid(wrong_type("object", edge, "relationships", index))
        _check_edge(edge, "relationships", index)
    rows = [{"index": index, **edge_row(_connect(graph, edge, at))} for index, edge in enumerate(asked)]
    return as_json(
        {
            "success": True,
            "requested": len(asked),
            "created_count": len(rows),
            "error_count": 0,
            "relationships": rows,
            "errors": [],
        }
    )


def list_relationships(graph: Graph, body: Mapping[str, Any], _at: str) -> Answer:
    """`POST /list_relationships`, last heard of first (captures 94-98)."""
    type = body.get("relationship_type")
    if not any(isinstance(body.get(field), str) for field in ("entity_id", *_ENDS, "relationship_type")):
        message = (
            "At least one of entity_id, source_entity_id, target_entity_id, or relationship_type must be provided."
        )
        raise invalid({"code": "custom", "message": message, "path": []})
    if type is not None and type not in RELATIONSHIP_TYPES:
        raise invalid(not_one_of(RELATIONSHIP_TYPES, str(type), "relationship_type"))
    corner = body.get("entity_id") or body.get("source_entity_id") or body.get("target_entity_id")
    candidates = graph.edges_at(corner) if corner else graph.edges.values()
    found = [edge for edge in candidates if _is_wanted(edge, body)]
    found.sort(key=lambda edge: edge.last_observed, reverse=True)
    limit, offset = int(body.get("limit", 100)), int(body.get("offset", 0))
    rows = [edge_row(edge) for edge in found[offset : offset + limit]]
    total = len(found)
    return as_json({"relationships": rows, "total": total, "total_count": total, "limit": limit, "offset": offset})


def retrieve_related_entities(graph: Graph, body: Mapping[str, Any], _at: str) -> Answer:
    """`POST /retrieve_related_entities`: edges, one to itself twice, and the entities that exist (100, 101, 113)."""
    start = body.get("entity_id", MISSING)
    if not isinstance(start, str):
        raise invalid(wrong_type("string", start, "entity_id"))
    types = body.get("relationship_types") or RELATIONSHIP_TYPES
    direction = body.get("direction", "both")
    edges: list[Edge] = []
    reached = {start}
    frontier = [start]
    for _ in range(int(body.get("max_hops", 1))):
        at_hand = [(id, edge) for id in frontier for edge in _in_order(graph.edges_at(id)) if edge.type in types]
        if direction not in _INCOMING:
            edges += [edge for id, edge in at_hand if edge.source == id]
        if direction not in _OUTGOING:
            edges += [edge for id, edge in at_hand if edge.target == id]
        ends = dict.fromkeys(end for edge in edges for end in (edge.source, edge.target))
        frontier = [end for end in ends if end not in reached]
        reached.update(frontier)
    entities = [graph.entities[id] for id in sorted(reached - {start}) if id in graph.entities]
    return as_json(
        {
            "relationships": [edge_row(edge) for edge in edges],
            "entities": [entity_row(entity) for entity in entities],
        }
    )


def relationships_of(graph: Graph, entity_id: str) -> Answer:
    """`GET /entities/{id}/relationships`, an edge to itself in both lists (capture 99)."""
    edges = _in_order(graph.edges_at(entity_id))
    outgoing = [{**edge_row(edge), "id": edge.key} for edge in edges if edge.source == entity_id]
    incoming = [{**edge_row(edge), "id": edge.key} for edge in edges if edge.target == entity_id]
    return as_json({"outgoing": outgoing, "incoming": incoming, "relationships": outgoing + incoming})


def edge_row(edge: Edge) -> dict[str, Any]:
    """An edge as the server shows it; the metadata of all observations together are its snapshot (capture 72)."""
    snapshot = {field: value for metadata in edge.observations.values() for field, value in metadata.items()}
    return {
        "relationship_key": edge.key,
        "relationship_type": edge.type,
        "source_entity_id": edge.source,
        "target_entity_id": edge.target,
        "schema_version": "1.0",
        "snapshot": snapshot,
        "computed_at": edge.computed_at,
        "observation_count": len(edge.observations),
        "last_observation_at": edge.last_observation_at,
        "provenance": {},
        "user_id": USER_ID,
        "is_live": 1,
    }


def entity_row(entity: Entity) -> dict[str, Any]:
    """An entity as look-ups and traversals show it, without its snapshot; the id is called `id` here."""
    return {
        "id": entity.id,
        "entity_type": entity.type,
        "canonical_name": entity.canonical_name,
        "aliases": [],
        "created_at": entity.created_at,
        "updated_at": entity.updated_at,
        "user_id": USER_ID,
        "first_seen_at": None,
        "last_seen_at": None,
        "merged_to_entity_id": None,
        "merged_at": None,
        "merged_into": None,
    }


def _check_edge(edge: Mapping[str, Any], *path: str | int) -> None:
    type = edge.get("relationship_type", MISSING)
    issues = [
        wrong_type("string", edge.get(end, MISSING), *path, end) for end in _ENDS if not isinstance(edge.get(end), str)
    ]
    if not isinstance(type, str):
        issues.insert(0, wrong_type("string", type, *path, "relationship_type"))
    elif type not in RELATIONSHIP_TYPES:
        issues.insert(0, not_one_of(RELATIONSHIP_TYPES, type, *path, "relationship_type"))
    if issues:
        raise invalid(*issues)


def _connect(graph: Graph, edge: Mapping[str, Any], at: str) -> Edge:
    metadata = edge.get("metadata") or {}
    said_by = f"{edge.get('source_id', '')}/{json.dumps(metadata, sort_keys=True)}"
    return graph.connect(
        edge["relationship_type"], edge["source_entity_id"], edge["target_entity_id"], said_by, metadata, at
    )


def _is_wanted(edge: Edge, body: Mapping[str, Any]) -> bool:
    id, direction = body.get("entity_id"), body.get("direction", "both")
    if id is not None and edge.source != id and (direction in _OUTGOING or edge.target != id):
        return False
    if id is not None and edge.target != id and direction in _INCOMING:
        return False
    return (
        body.get("source_entity_id") in (None, edge.source)
        and body.get("target_entity_id") in (None, edge.target)
        and body.get("relationship_type") in (None, edge.type)
    )


def _in_order(edges: Iterable[Edge]) -> list[Edge]:
    return sorted(edges, key=lambda edge: edge.computed)
