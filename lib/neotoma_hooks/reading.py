"""Stored turns and entities, read back from whichever store is in use and joined for a person."""

from __future__ import annotations

from neotoma_hooks.protocol.turn_book import ANSWERED, INTERRUPTED, OPEN
from neotoma_hooks.protocol.turn_ids import agent_id, key_conversation_id, letters_escaped, split_turn_key
from neotoma_hooks.protocol.writes import PART_OF, REFERS_TO
from neotoma_hooks.state.pending import peek

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from neotoma_hooks.protocol.turn_book import TurnBook
    from neotoma_hooks.stores.base import Store, StoredEntity

NAME_FIELDS = ("name", "full_name", "title", "turn_key", "conversation_id")


def name_of(entity: StoredEntity) -> str:
    """What a person calls the entity: its name as written, else its canonical name."""
    for field in NAME_FIELDS:
        value = entity.fields.get(field)
        if isinstance(value, str) and value:
            return value
    return entity.canonical_name or entity.id


class Reader:
    """Reads one store, asking for each entity once. `pending` is the folder of pending-turn files.

    All methods raise StoreError.
    """

    def __init__(self, store: Store, pending: str) -> None:
        self.store = store
        self.pending = pending
        self._entities: dict[str, StoredEntity | None] = {}
        self._books: dict[str, TurnBook | None] = {}

    def entity(self, entity_id: str) -> StoredEntity | None:
        """One entity, or None for an id that the store does not know."""
        if entity_id not in self._entities:
            self._entities[entity_id] = self.store.entity(entity_id)
        return self._entities[entity_id]

    def conversation(self, conversation_id: str) -> StoredEntity | None:
        """The conversation with that id of the agent's, or None."""
        key_id = key_conversation_id(conversation_id)
        for possible in (key_id, letters_escaped(key_id)):
            for found in self.store.conversations(possible):
                if found.fields.get("conversation_id") == possible:
                    return found
        return None

    def conversation_ids(self) -> list[str]:
        """The agents' own ids of all conversations."""
        return [agent_id(str(found.fields.get("conversation_id", ""))) for found in self.store.conversations(None)]

    def turns(self, conversation_id: str | None, limit: int) -> list[dict[str, Any]]:
        """The newest `limit` turns, of one conversation or of all, oldest of them first.

        Each is a mapping with `conversation_id`, `turn_id`, `turn_number`, `status`, `user` and `assistant`; a message
        is None, or a mapping with `entity_id`, `turn_key`, `content`, `partial` (true for what was said before a turn
        was given up), `part_of` and `refers_to`.
        """
        conversation = None
        if conversation_id is not None:
            found = self.conversation(conversation_id)
            if found is None:
                return []
            conversation = found.id
        halves = self._halves(conversation, limit)
        in_order = _in_order(halves)
        newest = dict(in_order)
        return [self._told(turn, halves[turn], is_newest=newest[turn[0]] == turn[1]) for turn in in_order[-limit:]]

    def turn(self, turn_id: str, most: int) -> dict[str, Any] | None:
        """The turn of that id of the agent's, as `turns` has it: the newest of them within the newest `most` turns of
        all conversations, or None. The edges of no other turn are asked for."""
        halves = self._halves(None, most)
        in_order = _in_order(halves)
        newest = dict(in_order)
        for turn in reversed(in_order[-most:]):
            if agent_id(turn[1]) == turn_id:
                return self._told(turn, halves[turn], is_newest=newest[turn[0]] == turn[1])
        return None

    def _halves(self, conversation: str | None, limit: int) -> dict[tuple[str, str], dict[str, StoredEntity]]:
        """The messages of the newest `limit` turns: conversation and turn id, in their key form, to role to message."""
        # One more turn than asked for, so that the oldest is not cut between its two messages
        halves: dict[tuple[str, str], dict[str, StoredEntity]] = {}
        for message in self.store.messages(conversation, 2 * (limit + 1)):
            conversation_key, turn, role = split_turn_key(str(message.fields.get("turn_key", "")))
            halves.setdefault((conversation_key, turn), {})[role] = message
        return halves

    def _told(self, turn: tuple[str, str], both: dict[str, StoredEntity], *, is_newest: bool) -> dict[str, Any]:
        conversation_id = agent_id(turn[0])
        if conversation_id not in self._books:
            self._books[conversation_id] = peek(self.pending, conversation_id)
        return {
            "conversation_id": conversation_id,
            "turn_id": agent_id(turn[1]),
            "turn_number": _number(both),
            "status": _status(both, turn[1], is_newest, self._books[conversation_id]),
            "user": self._message(both.get("user")),
            "assistant": self._message(both.get("assistant")),
        }

    def edges(self, entity_id: str) -> list[dict[str, str]]:
        """The edges at an entity: `type`, `direction` ("out" or "in"), and the other end's `entity_id`, `name`,
        `entity_type`."""
        told = []
        for edge in self.store.edges_of(entity_id):
            other = edge.target if edge.source == entity_id else edge.source
            told.append(
                {"type": edge.type, "direction": "out" if edge.source == entity_id else "in", **self._named(other)}
            )
        return told

    def _named(self, entity_id: str) -> dict[str, str]:
        entity = self.entity(entity_id)
        name, type = (name_of(entity), entity.type) if entity else ("(not in the store)", "")
        return {"entity_id": entity_id, "name": name, "entity_type": type}

    def _message(self, message: StoredEntity | None) -> dict[str, Any] | None:
        if message is None:
            return None
        edges = [edge for edge in self.store.edges_of(message.id) if edge.source == message.id]
        refers_to = [self._named(edge.target) for edge in edges if edge.type == REFERS_TO]
        return {
            "entity_id": message.id,
            "turn_key": message.fields.get("turn_key"),
            "content": message.fields.get("content"),
            "partial": _is_partial(message),
            "part_of": next((edge.target for edge in edges if edge.type == PART_OF), None),
            "refers_to": [
                {"entity_id": one["entity_id"], "name": one["name"], "type": one["entity_type"]} for one in refers_to
            ],
        }


def _number(both: dict[str, StoredEntity]) -> int | None:
    numbers = [message.fields.get("turn_number") for message in both.values()]
    return next(
        (int(number) for number in numbers if isinstance(number, (int, float, str)) and str(number).isdigit()), None
    )


def _in_order(halves: dict[tuple[str, str], dict[str, StoredEntity]]) -> list[tuple[str, str]]:
    """The turns in the order they were stored, those of one conversation in the order of their numbers.

    A write that had to wait is stored after a later turn of its conversation; its number tells.
    """
    by_time = sorted(halves, key=lambda turn: min(message.stored_at for message in halves[turn].values()))
    by_number: dict[str, Iterable[tuple[str, str]]] = {}
    for conversation, _ in by_time:
        if conversation not in by_number:
            its = [turn for turn in by_time if turn[0] == conversation]
            by_number[conversation] = iter(sorted(its, key=lambda turn: _number(halves[turn]) or 0))
    return [next(iter(by_number[conversation])) for conversation, _ in by_time]


def _status(both: dict[str, StoredEntity], turn: str, is_newest: bool, book: TurnBook | None) -> str:
    """open, answered, merged or interrupted; what the store cannot tell is in the pending-turn file."""
    is_partial = "assistant" in both and _is_partial(both["assistant"])
    if "assistant" in both and not is_partial:
        return ANSWERED
    if book is not None:
        for known in book.turns:
            if known.id == turn:
                return known.status
        if turn in book.statuses:
            return book.statuses[turn]
    return OPEN if is_newest and not is_partial else INTERRUPTED


def _is_partial(message: StoredEntity) -> bool:
    return message.fields.get("partial") in (True, "true")
