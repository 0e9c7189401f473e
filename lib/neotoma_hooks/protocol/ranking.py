"""Which entities to keep when more were found than the bound allows."""

from __future__ import annotations

from neotoma_hooks.protocol.identity_fields import aliases_of, names_of
from neotoma_hooks.protocol.matching import lookup_keys, matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from neotoma_hooks.protocol.entity import Entity

_BY_NAME, _BY_ALIAS, _BY_FIELD = range(3)


def rank(entities: Iterable[Entity], identifiers: Sequence[str], bound: int = 8) -> list[Entity]:
    """The `bound` entities that the identifiers name best; those that none of them names are left out.

    One named by its name or id comes before one named by an alias, and that before one named by another field
    (e-mail address, domain, number); among equals the one mentioned earlier in `identifiers` comes first, then the
    lower id. The result does not depend on the order of `entities`, and holds each id once.
    """
    order: dict[str, tuple[int, int, str]] = {}
    found: dict[str, Entity] = {}
    for entity in entities:
        for position, identifier in enumerate(identifiers):
            if not matches(identifier, entity):
                continue
            place = (_level(identifier, entity), position, entity.id)
            if entity.id not in order or place < order[entity.id]:
                order[entity.id] = place
                found[entity.id] = entity
    return [found[entity_id] for entity_id in sorted(order, key=order.__getitem__)[: max(bound, 0)]]


def _level(identifier: str, entity: Entity) -> int:
    keys = set(lookup_keys(identifier))
    if any(not keys.isdisjoint(lookup_keys(name)) for name in (*names_of(entity), entity.id)):
        return _BY_NAME
    if any(not keys.isdisjoint(lookup_keys(alias)) for alias in aliases_of(entity)):
        return _BY_ALIAS
    return _BY_FIELD
