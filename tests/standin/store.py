"""`POST /store`: who is meant, what is new of it, which edges follow, and what the answer says of all that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from standin.answers import Answer, Refused, as_json, flat_error, nested_error
from standin.graph import DEFAULT_PRIORITY, Entity, Graph, Observation, Source
from standin.idempotency import Mismatch, burn, content_hash, recall
from standin.identity import Identity
from standin.relationships import RELATIONSHIP_TYPES
from standin.resolution import find_issue, resolve
from standin.store_request import check_store
from standin.store_warnings import warnings_of


class _Found:
    """An entity of the request: what it carries, who it is, and whether it had to be made."""

    def __init__(self, fields: Mapping[str, Any], identity: Identity, entity_id: str) -> None:
        self.fields = fields
        self.identity = identity
        self.entity_id = entity_id
        self.action = ""
        self.observation: Observation | None = None


def store(graph: Graph, body: Any, at: str) -> Answer:
    """Store the entities and edges of the body, or say what was stored when they were sent before.

    Raises Refused.
    """
    check_store(body)
    entities: list[dict[str, Any]] = body["entities"]
    if body.get("commit", True) is False:
        return as_json(_plan(graph, _find(graph, entities)))
    key, hashed = body["idempotency_key"], content_hash(entities)
    try:
        source, is_replay = recall(graph, key, hashed)
    except Mismatch:
        message = (
            f'ERR_IDEMPOTENCY_MISMATCH: idempotency_key "{key}" was already used with different content.'
            " Use a new idempotency_key for a different payload."
        )
        hint = "Each unique payload must use a unique idempotency_key."
        raise Refused(nested_error("ERR_IDEMPOTENCY_MISMATCH", message, hint=hint)) from None
    if is_replay and source is not None:
        return as_json(_replay(graph, source))
    source = source or burn(graph, key, hashed)
    found = _find(graph, entities)
    for item in found:
        _observe(graph, item, source, body, at)
    edges = _connect(graph, body.get("relationships", []), found, source, at)
    return as_json(_receipt(graph, body, found, source, edges))


def replay_of_nothing() -> dict[str, Any]:
    """What a retry of a refused store is told: success, with nothing in it (captures 147 and 242)."""
    return {
        "success": True,
        "replayed": True,
        "source_id": "00000000-0000-0000-0000-000000000000",
        "entities_created": 0,
        "observations_created": 0,
        "entities": [],
    }


def _find(graph: Graph, entities: list[dict[str, Any]]) -> list[_Found]:
    """Who all the entities are. Raises Refused when one of them cannot be told or must not be merged."""
    if any(not isinstance(entity.get("entity_type"), str) for entity in entities):
        raise Refused(flat_error(500, "DB_QUERY_FAILED", "entity_type is required for each entity"))
    found = []
    issues = []
    for index, entity in enumerate(entities):
        issue = find_issue(graph, index, entity)
        if issue is not None:
            issues.append(issue)
            continue
        identity, entity_id = resolve(graph, entity)
        found.append(_Found({k: v for k, v in entity.items() if k != "entity_type"}, identity, entity_id))
    if issues:
        message = f"Structured store refused: {len(issues)} observation(s) failed resolution."
        raise Refused(nested_error("ERR_STORE_RESOLUTION_FAILED", message, issues=issues))
    return found


def _observe(graph: Graph, item: _Found, source: Source, body: Mapping[str, Any], at: str) -> None:
    entity = graph.entities.get(item.entity_id)
    item.action = "extended" if item.identity.basis == "target_id" else "matched_existing"
    if entity is None:
        item.action = "created"
        name = item.identity.canonical_name
        entity = Entity(item.entity_id, item.identity.entity_type, name, at, graph.next_order())
        graph.entities[item.entity_id] = entity
    priority = int(body.get("source_priority", DEFAULT_PRIORITY))
    fields = {name: value for name, value in item.fields.items() if name != "target_id"}
    observation = Observation(entity.id, source.id, fields, at, graph.next_order(), priority)
    observation.basis, observation.rule = item.identity.basis, item.identity.rule
    observation.kind = str(body.get("observation_source", "llm_summary"))
    entity.observe(observation)
    if all(known.id != observation.id for known in source.observations):
        source.observations.append(observation)
    item.observation = observation


def _connect(
    graph: Graph, asked: list[dict[str, Any]], found: list[_Found], source: Source, at: str
) -> list[dict[str, str]]:
    """Make the edges that can be made; an unknown type or an index out of range is passed over (captures 19 and 20)."""
    made = []
    for edge in asked:
        ends = []
        for end in ("source", "target"):
            index = edge.get(f"{end}_index")
            if index is None:
                ends.append(str(edge[f"{end}_entity_id"]))
            elif 0 <= index < len(found):
                ends.append(found[index].entity_id)
        if len(ends) < 2 or edge["relationship_type"] not in RELATIONSHIP_TYPES:
            continue
        graph.connect(edge["relationship_type"], ends[0], ends[1], source.id, edge.get("metadata") or {}, at)
        made.append(
            {
                "relationship_type": edge["relationship_type"],
                "source_entity_id": ends[0],
                "target_entity_id": ends[1],
            }
        )
    return made


def _receipt(
    graph: Graph, body: Mapping[str, Any], found: list[_Found], source: Source, edges: list[dict[str, str]]
) -> dict[str, Any]:
    receipt: dict[str, Any] = {
        "success": True,
        "replayed": False,
        "commit": True,
        "source_id": source.id,
        "entities_created": sum(item.action != "matched_existing" for item in found),
        "observations_created": len(found),
        "entities": [_entity(graph, index, item) for index, item in enumerate(found)],
        "relationships_created": edges,
    }
    as_sent = [(item.identity.entity_type, item.fields, item.entity_id) for item in found]
    receipt.update(warnings_of(as_sent, is_ranked_by_default="source_priority" not in body))
    count = _messages_beside(graph, found)
    if count:
        receipt["conversation_message_count"] = count
    return receipt


def _entity(graph: Graph, index: int, item: _Found) -> dict[str, Any]:
    is_new = item.action in ("created", "would_create")
    path = [item.identity.path]
    if item.identity.basis != "target_id":
        path.append("existing_row:none" if is_new else "existing_row:matched")
    return {
        "entity_id": item.entity_id,
        "entity_type": item.identity.entity_type,
        "observation_id": item.observation.id if item.observation else None,
        "observation_index": index,
        "action": item.action,
        "canonical_name": item.identity.canonical_name,
        "resolver_path": path,
        "identity_basis": item.identity.basis,
        "identity_rule": item.identity.rule,
        "entity_snapshot_after": graph.entities[item.entity_id].snapshot if item.observation else None,
    }


def _messages_beside(graph: Graph, found: list[_Found]) -> int:
    """How many messages are in the conversation of the first message of the request; 0 when it is in none."""
    for item in found:
        if item.identity.entity_type != "conversation_message":
            continue
        for edge in graph.edges_at(item.entity_id):
            if edge.type == "PART_OF" and edge.source == item.entity_id:
                beside = [other for other in graph.edges_at(edge.target) if other.type == "PART_OF"]
                return sum(other.target == edge.target for other in beside)
    return 0


def _replay(graph: Graph, source: Source) -> dict[str, Any]:
    """What was stored at the first time, in the order of ids and with less said of it (captures 4 and 226)."""
    entities = [
        {
            "entity_id": observation.entity_id,
            "entity_type": graph.entities[observation.entity_id].type,
            "observation_id": observation.id,
            "entity_snapshot_after": graph.entities[observation.entity_id].snapshot,
            "deduplicated": True,
        }
        for observation in sorted(source.observations, key=lambda observation: observation.entity_id)
    ]
    counted = {"entities_created": 0, "observations_created": len(entities), "entities": entities}
    return {**replay_of_nothing(), "source_id": source.id, **counted}


def _plan(graph: Graph, found: list[_Found]) -> dict[str, Any]:
    """What a store would do, with nothing done (capture 162)."""
    for item in found:
        item.action = "would_match_existing" if item.entity_id in graph.entities else "would_create"
    return {
        "success": True,
        "replayed": False,
        "commit": False,
        "source_id": None,
        "entities_created": 0,
        "observations_created": 0,
        "entities": [_entity(graph, index, item) for index, item in enumerate(found)],
        "relationships_created": [],
    }
