"""Which entity a part of a `/store` request is about, and the reasons for which one is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from standin.graph import Graph
from standin.identity import REJECTING_TYPES, Identity, Unresolved, identify, type_of


def resolve(graph: Graph, entity: Mapping[str, Any]) -> tuple[Identity, str]:
    """Who the entity is, and its id. Only for an entity that `find_issue` finds nothing wrong with."""
    type, fields = _split(entity)
    target = fields.get("target_id")
    if isinstance(target, str):
        known = graph.entities[target]
        return Identity(known.type, "", "target_id", "", f"target_id:{target}"), target
    identity = identify(type, fields)
    return identity, identity.entity_id


def find_issue(graph: Graph, index: int, entity: Mapping[str, Any]) -> dict[str, Any] | None:
    """Why the entity cannot be stored, as one entry of the answer's `issues`; None when it can."""
    type, fields = _split(entity)
    head = {"observation_index": index, "entity_type": type}
    target = fields.get("target_id")
    if isinstance(target, str):
        if target in graph.entities:
            return None
        return {**head, "code": "ERR_TARGET_NOT_FOUND", "message": "target_id names no entity", "details": {}}
    try:
        identity = identify(type, fields)
    except Unresolved as unresolved:
        details = {"seen_fields": sorted(fields), "attempted_value": unresolved.attempted}
        message = f'Cannot derive canonical_name for "{type}".'
        return {**head, "code": "ERR_CANONICAL_NAME_UNRESOLVED", "message": message, "details": details}
    known = graph.entities.get(identity.entity_id)
    if known is None:
        return None
    if type in REJECTING_TYPES and identity.basis != "schema_rule":
        details = {
            "entity_id": known.id,
            "canonical_name": known.canonical_name,
            "resolver_path": [identity.path],
            "reason": "schema_policy",
            "policy": "reject",
        }
        message = f'Schema policy "name_collision_policy: reject": landed on existing entity {known.id}.'
        return {**head, "code": "ERR_MERGE_REFUSED", "message": message, "details": details}
    return _role_conflict(head, fields, known.id, known.snapshot)


def _role_conflict(
    head: Mapping[str, Any], fields: Mapping[str, Any], id: str, snapshot: Mapping[str, Any]
) -> dict[str, Any] | None:
    """A reply may not take the place of a user's message (capture 149); the other way round nobody minds (150)."""
    if head["entity_type"] != "conversation_message":
        return None
    prior = snapshot.get("sender_kind") or snapshot.get("role")
    incoming = fields.get("sender_kind") or fields.get("role")
    if prior != "user" or incoming != "assistant":
        return None
    return {
        **head,
        "code": "ERR_CONVERSATION_MESSAGE_ROLE_CONFLICT",
        "message": "conversation_message would merge assistant payload into the existing user message row.",
        "details": {
            "entity_id": id,
            "turn_key": fields.get("turn_key"),
            "prior_sender_kind": prior,
            "incoming_sender_kind": incoming,
        },
        "hint": 'Set turn_key to "{conversation_id}:{turn_id}:assistant" for the assistant closing store.',
    }


def _split(entity: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    fields = {name: value for name, value in entity.items() if name != "entity_type"}
    return type_of(str(entity["entity_type"])), fields
