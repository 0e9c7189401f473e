"""The two writes of a turn, as the bodies that a store takes."""

from __future__ import annotations

import json

from neotoma_hooks.protocol.turn_ids import idempotency_key, turn_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PART_OF = "PART_OF"
REFERS_TO = "REFERS_TO"


class Message:
    """One message of a turn, before it is frozen for a store.

    `conversation_id` and `turn_id` are in their key form (`turn_ids`), `role` is "user" or "assistant", `content` the
    exact text, `turn_number` counts from 1 within the conversation and is the same for both messages of a turn.
    `harness` is the agent's name. `is_partial` marks a reply of which this is only what the person saw before it was
    cut off.
    """

    __slots__ = ("content", "conversation_id", "harness", "is_partial", "role", "turn_id", "turn_number")

    def __init__(
        self,
        conversation_id: str,
        turn_id: str,
        role: str,
        content: str,
        turn_number: int,
        harness: str,
        is_partial: bool = False,
    ) -> None:
        self.is_partial = is_partial
        self.conversation_id = conversation_id
        self.turn_id = turn_id
        self.role = role
        self.content = content
        self.turn_number = turn_number
        self.harness = harness

    @property
    def turn_key(self) -> str:
        """The message's identity in a store."""
        return turn_key(self.conversation_id, self.turn_id, self.role)

    @property
    def idempotency_key(self) -> str:
        """The key under which a store takes this message once."""
        return idempotency_key(self.conversation_id, self.turn_id, self.role)


def frozen_write(message: Message, conversation_entity_id: str | None, refers_to: Sequence[str]) -> bytes:
    """The bytes of one store call: the message, PART_OF its conversation, REFERS_TO each entity id of `refers_to`.

    The `conversation` is created in the same call while the store has not told its id (turn protocol, step 2); once
    `conversation_entity_id` is known it is only pointed at, because sending it again costs a server more with every
    turn. The result is ASCII, so that lone surrogates and every control character reach the store as they are; the
    same arguments give the same bytes, which a server insists on.
    """
    entities: list[dict[str, Any]] = []
    part_of: dict[str, Any] = {"relationship_type": PART_OF}
    if conversation_entity_id is None:
        entities.append(
            {
                "entity_type": "conversation",
                "conversation_id": message.conversation_id,
                "harness": message.harness,
            }
        )
        part_of["source_index"] = 1
        part_of["target_index"] = 0
    else:
        part_of["source_index"] = 0
        part_of["target_entity_id"] = conversation_entity_id
    index = len(entities)
    entities.append(
        {
            "entity_type": "conversation_message",
            "role": message.role,
            "sender_kind": message.role,
            "content": message.content,
            "turn_key": message.turn_key,
            "turn_number": message.turn_number,
            **({"partial": True} if message.is_partial else {}),
        }
    )
    relationships = [
        part_of,
        *({"relationship_type": REFERS_TO, "source_index": index, "target_entity_id": id} for id in refers_to),
    ]
    body = {
        "entities": entities,
        "relationships": relationships,
        "idempotency_key": message.idempotency_key,
    }
    return json.dumps(body, separators=(",", ":")).encode("ascii")


def under_other_key(body: str, key: str) -> str:
    """The same frozen write under another idempotency key; nothing else changes."""
    return json.dumps({**json.loads(body), "idempotency_key": key}, separators=(",", ":"))
