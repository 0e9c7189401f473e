"""An entity as the files between two hooks keep it: its names, and the short fields by which a reply may cite it."""

from __future__ import annotations

from neotoma_hooks.protocol.entity import Entity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LONGEST_KEPT_FIELD = 200
MOST_KEPT_FIELDS = 20


def kept(entity: Entity) -> dict[str, Any]:
    """A plain mapping of bounded size that `entity` reads back."""
    short = {
        name: value
        for name, value in entity.fields.items()
        if isinstance(value, str) and len(value) <= LONGEST_KEPT_FIELD
    }
    return {
        "id": entity.id,
        "type": entity.type,
        "name": entity.name,
        "canonical_name": entity.canonical_name,
        "aliases": list(entity.aliases)[:MOST_KEPT_FIELDS],
        "fields": dict(list(short.items())[:MOST_KEPT_FIELDS]),
    }


def entity(kept: Mapping[str, Any]) -> Entity:
    """The entity that a mapping made by `kept` stands for; what the agent itself produced may lack all but id and
    name."""
    return Entity(
        id=kept["id"],
        type=kept.get("type", ""),
        name=kept["name"],
        canonical_name=kept.get("canonical_name", ""),
        aliases=tuple(kept.get("aliases", ())),
        fields=dict(kept.get("fields", {})),
    )
