"""Does a `/store` body have the right shape? Checked before anything is looked up or remembered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from standin.answers import MISSING, Refused, flat_error, invalid, nested_error, not_one_of, wrong_type

OBSERVATION_SOURCES = ("sensor", "llm_summary", "workflow_state", "human", "import", "sync")

_STORE_WORDS = (
    "commit entities external_actor file_content file_idempotency_key file_path idempotency_key interpretation "
    "mime_type observation_source original_filename relationships source_peer_id source_priority source_storage strict "
    "user_id"
)
_STORE_FIELDS = tuple(_STORE_WORDS.split())
_ENTITY_ID = re.compile(r"ent_[0-9a-f]{24}\Z")


def check_store(body: Any) -> None:
    """Refuse a body that the server refuses at the door (captures 17, 18, 21, 131-141, 166).

    Raises Refused.
    """
    if not isinstance(body, dict):
        raise invalid(wrong_type("object", body))
    refuse_unknown_fields("POST /store", body, _STORE_FIELDS)
    _check_fields(body)
    for index, edge in enumerate(body.get("relationships", [])):
        _check_ends(index, edge)
    if not body.get("entities"):
        message = (
            "Must provide either entities, file_path, or file_content with mime_type (or use intake.mode='overflow')"
        )
        raise invalid({"code": "custom", "message": message, "path": []})
    if "idempotency_key" not in body:
        raise Refused(flat_error(400, "VALIDATION_ERROR", "idempotency_key is required when entities are provided"))
    for index, edge in enumerate(body.get("relationships", [])):
        _check_id_format(index, edge)


def refuse_unknown_fields(operation: str, body: Mapping[str, Any], allowed: Iterable[str]) -> None:
    """Refuse fields that the operation does not declare (captures 77 and 141). Raises Refused."""
    allowed = sorted(allowed)
    unknown = sorted(set(body) - set(allowed))
    if unknown:
        details = {
            "unknown_fields": unknown,
            "json_paths": [f"$.{field}" for field in unknown],
            "allowed_fields": allowed,
            "operation": operation,
        }
        message = f"Request body contains field(s) not declared by {operation}."
        raise Refused(flat_error(400, "ERR_UNKNOWN_FIELD", message, details))


def too_short(kind: str, message: str, minimum: int, *path: str | int, inclusive: bool = True) -> dict[str, Any]:
    """The issue of a text, list or number below the least allowed (captures 50, 84, 139)."""
    return {
        "code": "too_small",
        "minimum": minimum,
        "type": kind,
        "inclusive": inclusive,
        "exact": False,
        "message": message,
        "path": list(path),
    }


def _check_fields(body: Mapping[str, Any]) -> None:
    issues: list[dict[str, Any]] = []
    for field, type, name in (
        ("entities", list, "array"),
        ("relationships", list, "array"),
        ("idempotency_key", str, "string"),
    ):
        if field in body and not isinstance(body[field], type):
            issues.append(wrong_type(name, body[field], field))
    for index, entity in enumerate(body["entities"] if isinstance(body.get("entities"), list) else []):
        if not isinstance(entity, dict):
            issues.append(wrong_type("object", entity, "entities", index))
    if body.get("idempotency_key") == "":
        issues.append(too_short("string", "String must contain at least 1 character(s)", 1, "idempotency_key"))
    kind = body.get("observation_source", "llm_summary")
    if kind not in OBSERVATION_SOURCES:
        issues.append(not_one_of(OBSERVATION_SOURCES, str(kind), "observation_source"))
    if issues:
        raise invalid(*issues)


def _check_ends(index: int, edge: Any) -> None:
    """Each end of an edge is given by index or by id: not by both, not by neither (captures 18 and 21)."""
    if not isinstance(edge, dict):
        raise invalid(wrong_type("object", edge, "relationships", index))
    if not isinstance(edge.get("relationship_type"), str):
        missing = edge.get("relationship_type", MISSING)
        raise invalid(wrong_type("string", missing, "relationships", index, "relationship_type"))
    for end in ("source", "target"):
        by_index, by_id = f"{end}_index", f"{end}_entity_id"
        at = ("relationships", index)
        if by_index in edge and by_id in edge:
            raise invalid(
                _union(
                    [wrong_type("never", edge[by_id], *at, by_id)],
                    [wrong_type("never", edge[by_index], *at, by_index)],
                    at,
                )
            )
        if not isinstance(edge.get(by_index), int) and not isinstance(edge.get(by_id), str):
            raise invalid(
                _union(
                    [wrong_type("number", edge.get(by_index, MISSING), *at, by_index)],
                    [wrong_type("string", edge.get(by_id, MISSING), *at, by_id)],
                    at,
                )
            )


def _check_id_format(index: int, edge: Mapping[str, Any]) -> None:
    for field in ("source_entity_id", "target_entity_id"):
        if field in edge and not _ENTITY_ID.match(edge[field]):
            text = (
                f"relationship_entity_id_format: {field} must be a Neotoma entity id (ent_ + 24 lower-case hex digits)"
            )
            issue = {
                "code": "ERR_RELATIONSHIP_ENTITY_ID_FORMAT",
                "message": text,
                "details": {"path": ["relationships", index, field]},
                "hint": "relationship_entity_id_format",
            }
            message = "Structured store relationship validation failed."
            raise Refused(nested_error("ERR_STORE_RESOLUTION_FAILED", message, issues=[issue]))


def _union(first: Sequence[Any], second: Sequence[Any], path: Sequence[str | int]) -> dict[str, Any]:
    errors = [{"issues": list(issues), "name": "ZodError"} for issues in (first, second)]
    return {"code": "invalid_union", "unionErrors": errors, "path": list(path), "message": "Invalid input"}
