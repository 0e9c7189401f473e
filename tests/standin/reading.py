"""Reading back: entities by query or id, their snapshots, their observations."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

from standin.answers import MISSING, Answer, Refused, as_json, flat_error, invalid, wrong_type
from standin.graph import USER_ID, Entity, Graph, Observation
from standin.identity import display_name

MOST_SNAPSHOTS = 500
"""The largest page with snapshots that the published contract allows."""

_COMPARE: dict[str, Callable[[str, str], bool]] = {
    "eq": lambda stored, wanted: stored == wanted,
    "gt": lambda stored, wanted: stored > wanted,
    "lt": lambda stored, wanted: stored < wanted,
    "gte": lambda stored, wanted: stored >= wanted,
    "lte": lambda stored, wanted: stored <= wanted,
    "contains": lambda stored, wanted: wanted.lower() in stored.lower(),
}


def query_entities(graph: Graph, body: Mapping[str, Any], _at: str) -> Answer:
    """`POST /entities/query` (captures 90-93): filtered, sorted (by id unless told otherwise), a page at a time."""
    limit, offset = int(body.get("limit", 100)), int(body.get("offset", 0))
    if limit > MOST_SNAPSHOTS and body.get("include_snapshots", True):
        raise invalid({"code": "custom", "message": "limit above 500 needs include_snapshots=false", "path": ["limit"]})
    types = {str(type) for type in [body.get("entity_type"), *body.get("entity_types", [])] if type}
    search = body.get("search") or body.get("query") or body.get("search_query")
    found = [
        entity
        for entity in graph.entities.values()
        if (not types or entity.type in types)
        and all(_passes(entity, field, filter) for field, filter in body.get("snapshot_filters", {}).items())
        and (not search or _mentions(entity, str(search)))
    ]
    sort_by, order = str(body.get("sort_by", "entity_id")), str(body.get("sort_order", "asc"))
    found.sort(key=lambda entity: (_sort_value(entity, sort_by), entity.id), reverse=order == "desc")
    start = _after(found, body["cursor"]) if body.get("cursor") else offset
    page = found[start : start + limit]
    answer: dict[str, Any] = {
        "entities": [query_row(entity) for entity in page],
        "total": len(found),
        "limit": limit,
        "offset": offset,
    }
    if search:
        answer["applied_search_strategies"] = ["strict"]
    answer["search_mode"] = "lexical_fallback" if search else "none"
    if page and len(page) == limit and sort_by == "entity_id" and not search:
        cursor = {"v": 1, "sort_by": sort_by, "sort_order": order, "entity_id": page[-1].id}
        answer["next_cursor"] = base64.urlsafe_b64encode(json.dumps(cursor).encode()).decode().rstrip("=")
    return as_json(answer)


def get_entity_snapshot(graph: Graph, body: Mapping[str, Any], _at: str) -> Answer:
    """`POST /get_entity_snapshot`, 404 for an unknown id (captures 102 and 103)."""
    return as_json(snapshot_row(_known(graph, body)))


def get_entity(graph: Graph, entity_id: str) -> Answer:
    """`GET /entities/{id}` (captures 104 and 105)."""
    entity = _known(graph, {"entity_id": entity_id})
    label = entity.type.replace("_", " ").capitalize()
    return as_json({**query_row(entity), "entity_type_label": label, "created_at": entity.created_at})


def list_observations(graph: Graph, body: Mapping[str, Any], _at: str) -> Answer:
    """`POST /list_observations`, newest first (capture 106)."""
    entity = graph.entities.get(str(body.get("entity_id")))
    rows = [observation_row(entity, one) for one in reversed(entity.observations)] if entity else []
    return as_json({"observations": rows})


def query_observations(graph: Graph, body: Mapping[str, Any], _at: str) -> Answer:
    """`POST /observations/query`; undeclared fields are kept here, though in no snapshot (capture 239)."""
    entities = [graph.entities[body["entity_id"]]] if body.get("entity_id") in graph.entities else []
    if "entity_id" not in body:
        entities = [entity for entity in graph.entities.values() if body.get("entity_type") in (None, entity.type)]
    rows = [observation_row(entity, one) for entity in entities for one in reversed(entity.observations)]
    limit, offset = int(body.get("limit", 100)), int(body.get("offset", 0))
    page = rows[offset : offset + limit]
    return as_json({"observations": page, "total": len(rows), "limit": limit, "offset": offset})


def snapshot_row(entity: Entity) -> dict[str, Any]:
    """The row that holds a snapshot: the fields are in its own `snapshot`, the name as written in `canonical_name`."""
    last = entity.observations[-1].at
    return {
        "entity_id": entity.id,
        "entity_type": entity.type,
        "schema_version": "1.0",
        "canonical_name": display_name(entity.type, entity.snapshot),
        "snapshot": entity.snapshot,
        "computed_at": last,
        "observation_count": len(entity.observations),
        "last_observation_at": last,
        "provenance": entity.provenance,
        "user_id": USER_ID,
    }


def query_row(entity: Entity) -> dict[str, Any]:
    """An entity as `/entities/query` shows it: `snapshot` is the flat fields, the id is called `entity_id`."""
    row = snapshot_row(entity)
    del row["user_id"]
    return {**row, "canonical_name": entity.canonical_name, "merged_to_entity_id": None, "merged_at": None}


def observation_row(entity: Entity, observation: Observation) -> dict[str, Any]:
    """An observation as the server shows it."""
    return {
        "id": observation.id,
        "entity_id": entity.id,
        "entity_type": entity.type,
        "schema_version": "1.0",
        "source_id": observation.source_id,
        "observed_at": observation.at,
        "source_priority": observation.priority,
        "observation_source": observation.kind,
        "fields": observation.fields,
        "created_at": observation.at,
        "user_id": USER_ID,
        "identity_basis": observation.basis,
        "identity_rule": observation.rule,
    }


def _known(graph: Graph, body: Mapping[str, Any]) -> Entity:
    id = body.get("entity_id", MISSING)
    if not isinstance(id, str):
        raise invalid(wrong_type("string", id, "entity_id"))
    if id not in graph.entities:
        raise Refused(flat_error(404, "RESOURCE_NOT_FOUND", "Entity not found"))
    return graph.entities[id]


def _passes(entity: Entity, field: str, filter: Mapping[str, Any]) -> bool:
    stored, wanted = entity.snapshot.get(field), filter.get("value")
    if stored is None:
        return False
    if filter.get("op") == "in" and isinstance(wanted, list):
        return str(stored) in map(str, wanted)
    compare = _COMPARE.get(str(filter.get("op")))
    if compare is None:
        raise invalid(
            {"code": "invalid_enum_value", "message": "unknown op", "path": ["snapshot_filters", field, "op"]}
        )
    return compare(str(stored), str(wanted))


def _mentions(entity: Entity, search: str) -> bool:
    texts = [entity.folded_name, *(str(value).lower() for value in entity.snapshot.values() if isinstance(value, str))]
    return any(search.lower() in text for text in texts)


def _sort_value(entity: Entity, sort_by: str) -> str | int:
    if sort_by.startswith("snapshot."):
        return str(entity.snapshot.get(sort_by.removeprefix("snapshot."), ""))
    values: dict[str, str | int] = {
        "entity_id": entity.id,
        "canonical_name": entity.canonical_name,
        "observation_count": len(entity.observations),
        "last_observation_at": entity.observations[-1].order,
    }
    if sort_by not in values:
        raise invalid({"code": "invalid_enum_value", "message": "unknown sort_by", "path": ["sort_by"]})
    return values[sort_by]


def _after(found: list[Entity], cursor: str) -> int:
    try:
        last = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))["entity_id"]
        return next(index for index, entity in enumerate(found) if entity.id == last) + 1
    except (ValueError, KeyError, TypeError, StopIteration):
        raise Refused(flat_error(400, "INVALID_CURSOR", "The cursor is malformed.")) from None
