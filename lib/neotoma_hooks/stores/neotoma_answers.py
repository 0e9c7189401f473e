"""What a Neotoma server's answers mean, as values of ours.

Numbers in brackets are captures of a real server. Whatever an answer holds, nothing but ReadRefused is raised.
"""

from __future__ import annotations

from neotoma_hooks.errors import ReadRefused
from neotoma_hooks.stores.base import Edge, StoredEntity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.protocol.entity import Entity


def rows(answer: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The list of objects that an answer has under a name. Raises ReadRefused when it has none."""
    found = answer.get(name)
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise ReadRefused(f"the server answered with no list of {name}")
    return found


def text(row: Mapping[str, Any], name: str) -> str:
    """A text that must be there. Raises ReadRefused when it is not."""
    value = row.get(name)
    if not isinstance(value, str):
        raise ReadRefused(f"the server answered without {name}")
    return value


def hit(row: Mapping[str, Any]) -> Entity:
    """A look-up's hit, with its id in `id` (elsewhere it is `entity_id`). Raises ReadRefused."""
    from neotoma_hooks.protocol.entity import Entity

    fields, written = _snapshot(row)
    canonical_name = str(row.get("canonical_name") or "")
    names = (fields.get("name"), fields.get("full_name"), fields.get("title"), written, canonical_name)
    return Entity(
        id=text(row, "id" if "id" in row else "entity_id"),
        type=text(row, "entity_type"),
        name=next((name for name in names if isinstance(name, str) and name), ""),
        canonical_name=canonical_name,
        aliases=(*_aliases(row), *_aliases(fields)),
        fields={name: value for name, value in fields.items() if name != "aliases"},
    )


def stored(row: Mapping[str, Any]) -> StoredEntity:
    """An entity as `/entities/query` and `/get_entity_snapshot` show it [91, 102]. Raises ReadRefused."""
    at = row.get("created_at") or row.get("last_observation_at")
    fields, _ = _snapshot(row)
    canonical_name = str(row.get("canonical_name") or "")
    return StoredEntity(
        text(row, "entity_id"), text(row, "entity_type"), canonical_name, fields, at if isinstance(at, str) else ""
    )


def edge(row: Mapping[str, Any]) -> Edge:
    """An edge, of whichever endpoint [3, 80, 94]. Raises ReadRefused."""
    return Edge(text(row, "relationship_type"), text(row, "source_entity_id"), text(row, "target_entity_id"))


def _snapshot(row: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The fields, and the name as written where it is told: `snapshot` is either the flat fields [30], or a row that
    has the fields in a `snapshot` of its own [31]."""
    snapshot = row.get("snapshot") or {}
    if not isinstance(snapshot, dict):
        raise ReadRefused("the server answered with a snapshot that is no object")
    inner = snapshot.get("snapshot")
    if isinstance(inner, dict):
        return inner, str(snapshot.get("canonical_name") or "")
    return snapshot, ""


def _aliases(holder: Mapping[str, Any]) -> list[str]:
    given = holder.get("aliases")
    if isinstance(given, str):
        return [given] if given else []
    return [alias for alias in given if isinstance(alias, str) and alias] if isinstance(given, list) else []
