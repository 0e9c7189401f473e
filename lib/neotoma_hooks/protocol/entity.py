"""What memory knows about one thing."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


@dataclass(frozen=True)
class Entity:
    """A person, company, ticket, document, … as a store returns it.

    `id` is the store's own id (`ent_…`), `type` its entity type (`company`), `name` the name as it was written,
    `canonical_name` the store's normal form of it (which may lack the legal suffix), `aliases` other names of the
    same thing, and `fields` the flat snapshot of its properties, by field name.
    """

    id: str
    type: str
    name: str
    canonical_name: str = ""
    aliases: tuple[str, ...] = ()
    # Left out of the hash, so that an entity can be put in a set although its fields are a mapping.
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)
