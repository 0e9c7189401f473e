"""What a `/store` answer says of fields that are unknown, missing, or ranked by a priority nobody gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from standin.identity import DECLARED_FIELDS, RANKED_FIELDS, REQUIRED_FIELDS

_HINT = "Undeclared fields are preserved on the observation but excluded from the entity snapshot."


def warnings_of(
    entities: Sequence[tuple[str, Mapping[str, Any], str]], *, is_ranked_by_default: bool
) -> dict[str, Any]:
    """The parts of the answer that warn, only those that apply (captures 3, 142, 143, 151).

    `entities` are (type, fields, id) in the order of the request.
    """
    warnings: list[dict[str, Any]] = []
    unknown: list[str] = []
    missing: list[dict[str, Any]] = []
    for index, (type, fields, id) in enumerate(entities):
        at = {"observation_index": index, "entity_type": type, "entity_id": id}
        declared = DECLARED_FIELDS.get(type)
        # `canonical_name` and `target_id` speak to the resolver and are no fields (captures 163 and 240)
        for field in sorted(set(fields) - declared - {"canonical_name", "target_id"}) if declared else ():
            unknown.append(field)
            warnings.append({"code": "UNKNOWN_FIELD", "message": f"'{field}' is not declared", **at})
        for field in REQUIRED_FIELDS.get(type, ()):
            if fields.get(field) in (None, ""):
                missing.append({"entity_type": type, "field": field, "observation_index": index})
                warnings.append({"code": "MISSING_REQUIRED_FIELD", "message": f"'{field}' is required", **at})
        ranked = sorted(RANKED_FIELDS.get(type, frozenset()) & set(fields))
        if ranked and is_ranked_by_default:
            message = f"{type} written at the default source_priority 100 into {', '.join(ranked)}"
            warnings.append({"code": "SOURCE_PRIORITY_ESCALATION", "message": message, **at})
    parts: dict[str, Any] = {}
    if warnings:
        parts["store_warnings"] = warnings
    if missing:
        parts["required_fields_missing"] = missing
    if unknown:
        parts.update(unknown_fields=unknown, unknown_fields_count=len(unknown), hint=_HINT)
    return parts
