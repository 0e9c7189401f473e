"""One write from outbox to store: sent, checked, and repaired where the store left something out."""

from __future__ import annotations

import json
from hashlib import sha256

from neotoma_hooks.errors import KeyMismatch, StoreError, TurnTaken, UnknownTarget, WriteRefused
from neotoma_hooks.freezing import ask_again_after, freeze
from neotoma_hooks.protocol.turn_ids import next_numbered, turn_key
from neotoma_hooks.protocol.writes import PART_OF, under_other_key
from neotoma_hooks.stores.base import Edge, Receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from neotoma_hooks.protocol.writes import Message
    from neotoma_hooks.state.outbox import Entry
    from neotoma_hooks.state.pending import Conversation
    from neotoma_hooks.stores.base import Store


class Delivered:
    """A write that is in the store: its conversation's entity id, how it went ("stored", "replayed"), and how many
    edges had to be repaired. `is_anew` says that the store did not have what the write pointed at: it was emptied, so
    what else was learnt from it has to be asked about."""

    __slots__ = ("conversation_entity_id", "how", "is_anew", "repaired_edges")

    def __init__(self, conversation_entity_id: str, how: str, repaired_edges: int, *, is_anew: bool) -> None:
        self.conversation_entity_id = conversation_entity_id
        self.how = how
        self.repaired_edges = repaired_edges
        self.is_anew = is_anew


class Known:
    """What is known of a store before a write goes to it.

    `conversation_entity_id` is what it said of the conversation earlier (None: nothing), `other_turns` are the ids of
    the conversation's other turns, `seen` entity ids that it is known to have; those grow with each write.
    """

    __slots__ = ("conversation_entity_id", "other_turns", "seen")

    def __init__(self, conversation_entity_id: str | None, other_turns: set[str], seen: set[str]) -> None:
        self.conversation_entity_id = conversation_entity_id
        self.other_turns = other_turns
        self.seen = seen


def known_of(conversation: Conversation, message: Message, store: Store, seen: set[str]) -> Known:
    """What is kept of the message's conversation; `seen` as in `Known`."""
    other_turns = {turn.id for turn in conversation.book.turns if turn.number != message.turn_number}
    return Known(conversation.entity_ids.get(store.name), other_turns, seen)


def deliver(entry: Entry, store: Store, known: Known, bound: int, keep: Callable[[Entry], None]) -> Delivered:
    """Bring one write into the store and make sure that it is there with all its edges.

    `bound` is the most entities that the look-ups of a reply may add. `keep` makes the entry durable; it is called
    before the first byte is sent, because a server compares replays byte for byte (captures 5 and 6). May be called
    again after any error: the write ends up in the store once. A message whose turn id the store knows from another
    turn gets the next one, `t~2` (see `entry.message`). In a store that was emptied the conversation is made again, and
    nothing points at what is gone. Raises StoreError.
    """
    conversation_entity_id = known.conversation_entity_id
    is_anew = False
    while True:
        if entry.frozen_for != store.name:
            freeze(entry, store, conversation_entity_id, bound)
            keep(entry)
        try:
            if not is_anew:
                _make_sure_of_targets(entry, store, known.seen)
            receipt, how = _put(entry, store, keep)
            break
        # The store took nothing of it, so these bytes must not be sent again, also where the mend breaks off
        except TurnTaken:
            entry.frozen_for = ""
            entry.message.turn_id = _next_turn(entry.message, store, known.other_turns)
        except UnknownTarget:
            if is_anew:
                raise
            entry.frozen_for = ""
            is_anew, conversation_entity_id = True, None
            if entry.known_from == store.name:
                entry.refers_to = [one for one in entry.refers_to if store.entity(str(one["id"]))]
    message_id = receipt.entity_ids["conversation_message"]
    wanted = _wanted_edges(entry, store, receipt, message_id)
    present = set(receipt.edges) if not receipt.replayed else set(store.edges_of(message_id))
    missing = [edge for edge in wanted if edge not in present]
    if missing:
        store.link(missing)
    part_of = next(edge for edge in wanted if edge.type == PART_OF)
    known.seen.add(part_of.target)
    return Delivered(part_of.target, how, len(missing) if not receipt.replayed else 0, is_anew=is_anew)


def _make_sure_of_targets(entry: Entry, store: Store, seen: set[str]) -> None:
    """Ask a store that would take an edge to nothing (capture 16) whether it has what the write points at.

    A conversation that is there vouches for the rest. Raises UnknownTarget, and StoreError where it has to be asked
    again.
    """
    if store.is_local:
        return
    asked = [edge for edge in json.loads(entry.body)["relationships"] if "target_entity_id" in edge]
    vouching = [edge for edge in asked if edge["relationship_type"] == PART_OF] or asked
    for id in [str(edge["target_entity_id"]) for edge in vouching]:
        if id in seen:
            continue
        try:
            found = store.entity(id)
        except StoreError as error:
            ask_again_after(error, entry)
            return
        if found is None:
            raise UnknownTarget(f"{store.name} does not have {id} any more", "ERR_UNKNOWN_TARGET")
        seen.add(id)


def _next_turn(message: Message, store: Store, other_turns: set[str]) -> str:
    """The next id for the message's turn that is no other turn's, neither here nor in the store. Raises StoreError."""
    turn_id = message.turn_id
    while True:
        turn_id = next_numbered(turn_id)
        if turn_id in other_turns:
            continue
        stored = store.message(turn_key(message.conversation_id, turn_id, message.role))
        if stored is not None:
            # It may be there from a try that broke off
            if stored.fields.get("content") == message.content:
                return turn_id
        elif message.role == "assistant" or not store.message(turn_key(message.conversation_id, turn_id, "assistant")):
            return turn_id


def _put(entry: Entry, store: Store, keep: Callable[[Entry], None]) -> tuple[Receipt, str]:
    """The receipt of the write, whichever way it got in; it always names the message's id. Raises TurnTaken."""
    entry.attempts += 1
    try:
        receipt = store.put(entry.body.encode("ascii"))
    except KeyMismatch:
        receipt = Receipt(True, {}, [])
    if "conversation_message" in receipt.entity_ids:
        return receipt, "replayed" if receipt.replayed else "stored"
    # The key was used before: by this message in another form, by another turn ("a-b" + "c" and "a" + "b-c" read the
    # same), by a write that was refused, or by an identical one at the same moment (captures 146-149)
    if _is_stored(entry, store, receipt):
        return receipt, "replayed"
    return _put_under_other_key(entry, store, keep), "stored"


def _is_stored(entry: Entry, store: Store, receipt: Receipt) -> bool:
    """Whether the store has this very message; if so its id is put into the receipt. Raises TurnTaken."""
    stored = store.message(entry.message.turn_key)
    if stored is None:
        return False
    if stored.fields.get("content") != entry.message.content:
        raise TurnTaken(f"the store has another message as {entry.message.turn_key}", "ERR_TURN_KEY_TAKEN")
    receipt.entity_ids["conversation_message"] = stored.id
    return True


def _put_under_other_key(entry: Entry, store: Store, keep: Callable[[Entry], None]) -> Receipt:
    turn = sha256(entry.message.turn_key.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    body = under_other_key(entry.body, f"{entry.message.idempotency_key}~{turn}")
    if body == entry.body:
        raise WriteRefused("the store says that it has this message, but it has not", "ERR_REPLAYED_EMPTY")
    entry.body = body
    keep(entry)
    receipt = store.put(entry.body.encode("ascii"))
    if "conversation_message" not in receipt.entity_ids and not _is_stored(entry, store, receipt):
        raise WriteRefused("the store says that it has this message, but it has not", "ERR_REPLAYED_EMPTY")
    return receipt


def _wanted_edges(entry: Entry, store: Store, receipt: Receipt, message_id: str) -> list[Edge]:
    """The edges that the frozen body asks for, with the ids that the store gave."""
    wanted = []
    for asked in json.loads(entry.body)["relationships"]:
        target = asked.get("target_entity_id")
        if target is None:
            target = receipt.entity_ids.get("conversation") or _conversation(entry, store)
        wanted.append(Edge(str(asked["relationship_type"]), message_id, str(target)))
    return wanted


def _conversation(entry: Entry, store: Store) -> str:
    found: list[Any] = store.conversations(entry.message.conversation_id)
    if not found:
        raise WriteRefused("the store has the message, but not its conversation", "ERR_NO_CONVERSATION")
    return str(found[0].id)
