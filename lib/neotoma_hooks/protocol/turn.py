"""One turn of a conversation, as the turn book keeps it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPEN = "open"
ANSWERED = "answered"
MERGED = "merged"
INTERRUPTED = "interrupted"


class Turn:
    """One turn of a conversation.

    `id` is its key id, `base` the key id of the agent's turn id ("" where the agent gave none), `number` counts from
    1. `prompt_hash` is "" for a turn without a prompt. `replies` holds one [agent turn id, hash] for each reply
    event that was taken for it, `stored` the roles whose message is known to be safe in outbox or store.
    `entities` are those retrieved for it, `produced` those the agent made, as plain mappings.
    """

    __slots__ = (
        "base",
        "entities",
        "id",
        "number",
        "produced",
        "prompt_hash",
        "replies",
        "status",
        "stored",
    )

    def __init__(self, id: str, base: str, number: int, prompt_hash: str) -> None:
        self.id = id
        self.base = base
        self.number = number
        self.prompt_hash = prompt_hash
        self.status = OPEN
        self.replies: list[list[str]] = []
        self.stored: list[str] = []
        self.entities: list[dict[str, Any]] = []
        self.produced: list[dict[str, Any]] = []

    def to_json(self) -> dict[str, Any]:
        """A mapping that `from_json` reads back."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Turn:
        """The turn that `to_json` wrote; raises KeyError or TypeError when it did not."""
        turn = cls(kept["id"], kept["base"], int(kept["number"]), kept["prompt_hash"])
        for name in ("status", "replies", "stored", "entities", "produced"):
            setattr(turn, name, kept[name])
        return turn
