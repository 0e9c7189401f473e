"""`POST /retrieve_entity_by_identifier`: by id, by part of the canonical name, by the fields that tell who it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from standin.answers import MISSING, Answer, Refused, as_json, flat_error, invalid, wrong_type
from standin.graph import Entity, Graph
from standin.identity import canonical_form, type_of
from standin.reading import observation_row, snapshot_row
from standin.relationships import entity_row
from standin.store_request import too_short

IDENTITY_FIELDS = ("name", "full_name", "title", "email", "domain", "company")
WINDOW = 500
"""How many entities are searched for a part of a field; which ones is anybody's guess on the real server."""

_ENTITY_ID = re.compile(r"ent_[0-9a-f]{24}\Z", re.IGNORECASE)
_FIELD_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def retrieve(graph: Graph, body: Mapping[str, Any], _at: str) -> Answer:
    """Hits and misses alike are 200; the first pass that finds something answers (captures 30-63).

    Raises Refused.
    """
    identifier = body.get("identifier", MISSING)
    limit = body.get("limit", 100)
    if not isinstance(identifier, str):
        raise invalid(wrong_type("string", identifier, "identifier"))
    if not isinstance(limit, int):
        raise invalid(wrong_type("number", limit, "limit"))
    if limit <= 0:
        raise invalid(too_short("number", "Number must be greater than 0", 0, "limit", inclusive=False))
    by = body.get("by")
    if by is not None and not _FIELD_NAME.match(str(by)):
        raise Refused(flat_error(500, "DB_QUERY_FAILED", f'Invalid `by` field name: "{by}".'))
    needle = identifier.strip()
    if _ENTITY_ID.match(needle):
        return _by_id(graph, needle)
    type = type_of(str(body["entity_type"])) if body.get("entity_type") else None
    candidates = [entity for entity in graph.entities.values() if type in (None, entity.type)]
    # With a type the needle is brought into that type's canonical form first (captures 31 and 63)
    named = _like(canonical_form(type, needle) if type else needle)
    found = sorted((e for e in candidates if named(e.folded_name)), key=lambda e: (e.canonical_name, e.id))[:limit]
    if found:
        rows = [{**entity_row(entity), "snapshot": snapshot_row(entity)} for entity in found]
        return _hits(rows, found, body, "direct")
    found = _by_fields(candidates, needle, (str(by),) if by else IDENTITY_FIELDS)[:limit]
    rows = [
        {"id": e.id, "entity_type": e.type, "canonical_name": e.canonical_name, "snapshot": e.snapshot} for e in found
    ]
    return _hits(rows, found, body, "snapshot_field" if found else "none")


def _by_id(graph: Graph, needle: str) -> Answer:
    entity = graph.entities.get(needle)
    if entity is None:
        hint = "identifier looks like an entity_id; use retrieve_entity_snapshot(entity_id=…) for direct fetch"
        return as_json({"entities": [], "total": 0, "match_mode": "none", "hint": hint})
    row = {"id": entity.id, "entity_type": entity.type, "canonical_name": entity.canonical_name}
    return as_json({"entities": [{**row, "snapshot": snapshot_row(entity)}], "total": 1, "match_mode": "direct"})


def _by_fields(candidates: list[Entity], needle: str, fields: tuple[str, ...]) -> list[Entity]:
    """Those with a field equal to the needle; if there are none, those with a field that contains it."""
    folded = needle.lower()

    def values(entity: Entity) -> list[str]:
        return [str(entity.snapshot[field]).lower() for field in fields if isinstance(entity.snapshot.get(field), str)]

    exact = [entity for entity in candidates if folded in values(entity)]
    if exact or not folded:
        return exact
    return [entity for entity in candidates[:WINDOW] if any(folded in value for value in values(entity))]


def _hits(rows: list[dict[str, Any]], found: list[Entity], body: Mapping[str, Any], mode: str) -> Answer:
    if body.get("include_observations"):
        most = int(body.get("observations_limit", 20))
        for row, entity in zip(rows, found, strict=True):
            row["observations"] = [observation_row(entity, one) for one in reversed(entity.observations)][:most]
    return as_json({"entities": rows, "total": len(rows), "match_mode": mode})


def _like(needle: str) -> Callable[[str], bool]:
    """SQL's `LIKE '%needle%'`, without regard to case: `%` and `_` are wildcards (captures 51 and 55), NUL ends the
    pattern and with it the right to more text behind (56)."""
    folded, nul, _ = needle.lower().partition("\0")
    if not nul and "%" not in folded and "_" not in folded:
        return lambda name: folded in name
    parts = [".*" if char == "%" else "." if char == "_" else re.escape(char) for char in folded]
    pattern = re.compile(".*" + "".join(parts) + (r"\Z" if nul else ""), re.DOTALL)
    return lambda name: pattern.match(name) is not None
