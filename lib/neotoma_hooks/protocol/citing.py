"""Which of the known entities does a reply name?"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from neotoma_hooks.protocol.entity import Entity


def cited_in(reply: str, entities: Sequence[Entity]) -> list[Entity]:
    """First version: to be replaced."""
    return [entity for entity in entities if entity.name and entity.name in reply]
