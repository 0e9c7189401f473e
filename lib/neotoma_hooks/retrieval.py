"""Bounded retrieval (turn protocol, step 1): identifiers to entities that are truly the ones named."""

from __future__ import annotations

from neotoma_hooks.protocol.matching import is_bookkeeping, lookup_variants, matches
from neotoma_hooks.protocol.ranking import rank
from neotoma_hooks.protocol.shadows import shadows

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


def retrieve(store: Store, identifiers: Sequence[str], deadline: float, bound: int, text: str = "") -> Retrieved:
    """Look the identifiers up side by side until `deadline` (on `time.monotonic`'s clock) and keep the true hits.

    `text` is the message they stand in: one that it holds only inside a longer one counts only where that is unknown.

    Never raises: failures end in fewer entities or none.
    """
    needles: dict[str, None] = {}
    for identifier in identifiers:
        needles.update(dict.fromkeys(lookup_variants(identifier)))
    answer = store.look_up(list(needles), deadline)
    named: dict[str, dict[str, Entity]] = {}
    for identifier in identifiers:
        hits = [entity for needle in lookup_variants(identifier) for entity in answer.hits.get(needle, ())]
        true_hits = [hit for hit in hits if not is_bookkeeping(hit.type) and matches(identifier, hit)]
        named[identifier] = {hit.id: hit for hit in true_hits}
    for part, wholes in shadows(text, identifiers).items():
        if any(named.get(whole) for whole in wholes):
            named[part] = {}
    kept = {id: hit for found in named.values() for id, hit in found.items()}
    return Retrieved(rank(kept.values(), list(named), bound), answer.failed, answer.error)
