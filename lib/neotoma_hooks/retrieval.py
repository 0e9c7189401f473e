"""Bounded retrieval (turn protocol, step 1): identifiers to entities that are truly the ones named."""

from __future__ import annotations

from neotoma_hooks.protocol.matching import is_bookkeeping, lookup_variants, matches
from neotoma_hooks.protocol.ranking import rank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from neotoma_hooks.protocol.entity import Entity
    from neotoma_hooks.stores.base import Store


class Retrieved:
    """What a round of look-ups brought: the `entities`, best first and at most as many as the bound allows, the
    identifiers that `failed` (to one sentence with the cause), and the first `error` of the store."""

    __slots__ = ("entities", "error", "failed")

    def __init__(self, entities: list[Entity], failed: dict[str, str], error: Exception | None) -> None:
        self.entities = entities
        self.failed = failed
        self.error = error


def retrieve(store: Store, identifiers: Sequence[str], deadline: float, bound: int) -> Retrieved:
    """Look the identifiers up side by side until `deadline` (on `time.monotonic`'s clock) and keep the true hits.

    Never raises: failures end in fewer entities or none.
    """
    needles: dict[str, None] = {}
    for identifier in identifiers:
        needles.update(dict.fromkeys(lookup_variants(identifier)))
    answer = store.look_up(list(needles), deadline)
    kept: dict[str, Entity] = {}
    for identifier in identifiers:
        for needle in lookup_variants(identifier):
            for entity in answer.hits.get(needle, ()):
                if entity.id not in kept and not is_bookkeeping(entity.type) and matches(identifier, entity):
                    kept[entity.id] = entity
    return Retrieved(rank(kept.values(), identifiers, bound), answer.failed, answer.error)
