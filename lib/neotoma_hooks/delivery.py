"""One write from outbox to store: frozen, sent, checked, and repaired where the store left something out."""

from __future__ import annotations

import json
import time
from hashlib import sha256

from neotoma_hooks.errors import (
    KeyMismatch,
    OutcomeUnknown,
    StoreAway,
    StoreBusy,
    Unauthorised,
    UnknownTarget,
    WriteRefused,
)
from neotoma_hooks.protocol.writes import PART_OF, frozen_write, under_other_key
from neotoma_hooks.stores.base import Edge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from neotoma_hooks.protocol.entity import Entity
    from neotoma_hooks.state.outbox import Entry
    from neotoma_hooks.stores.base import Receipt, Store

LOOK_UP_SECONDS = 5.0

MOST_LOOK_UPS = 3
"""Tries after which a write goes without the edges of a look-up that the store does not answer."""

LONGEST_SCANNED = 262_144
"""Characters of a message that are searched for identifiers."""


class Delivered:
    """A write that is in the store: its conversation's entity id, how it went ("stored", "replayed"), and how many
    edges had to be repaired."""

    __slots__ = ("conversation_entity_id", "how", "repaired_edges")

    def __init__(self, conversation_entity_id: str, how: str, repaired_edges: int) -> None:
        self.conversation_entity_id = conversation_entity_id
        self.how = how
        self.repaired_edges = repaired_edges


def deliver(
    entry: Entry, store: Store, conversation_entity_id: str | None, bound: int, keep: Callable[[Entry], None]
) -> Delivered:
    """Bring one write into the store and make sure that it is there with all its edges.

    `conversation_entity_id` is what this store said of the conversation earlier, `bound` the most entities that the
    look-ups of a reply may add. `keep` makes the entry durable; it is called before the first byte is sent, because
    a server compares replays byte for byte (captures 5 and 6). May be called again after any error: the write ends up
    in the store once. Raises StoreError.
    """
    if entry.frozen_for != store.name:
        freeze(entry, store, conversation_entity_id, bound)
        keep(entry)
    try:
        receipt, how = _put(entry, store, keep)
    except UnknownTarget:
        # The store took nothing of it, so these bytes need not be sent again
        entry.refers_to = [known for known in entry.refers_to if store.entity(str(known["id"]))]
        freeze(entry, store, None, bound)
        keep(entry)
        receipt, how = _put(entry, store, keep)
    message_id = receipt.entity_ids["conversation_message"]
    wanted = _wanted_edges(entry, store, receipt, message_id)
    present = set(receipt.edges) if not receipt.replayed else set(store.edges_of(message_id))
    missing = [edge for edge in wanted if edge not in present]
    if missing:
        store.link(missing)
    part_of = next(edge for edge in wanted if edge.type == PART_OF)
    return Delivered(part_of.target, how, len(missing) if not receipt.replayed else 0)


def freeze(entry: Entry, store: Store, conversation_entity_id: str | None, bound: int) -> None:
    """Resolve what is still open and fix the bytes for this store.

    What a reply names and its prompt did not is looked up now, so that a reply which brings in a known entity is
    linked to it; and so is what a prompt names and its hook could not look up in time. Entities known from another
    store are looked up by name in this one, where their ids mean nothing. Raises StoreError.
    """
    at_home = entry.known_from == store.name
    refers_to = [str(entity["id"]) for entity in entry.refers_to] if at_home else []
    if entry.message.role == "assistant":
        refers_to += _brought_in(entry, store, bound, refers_to)
    else:
        needles = [] if at_home else [str(entity["name"]) for entity in entry.refers_to]
        hits = _looked_up(entry, store, [*needles, *entry.late], bound)
        refers_to += [hit.id for hit in hits if hit.id not in refers_to][: max(0, bound - len(refers_to))]
    entry.body = frozen_write(entry.message, conversation_entity_id, refers_to).decode("ascii")
    entry.frozen_for = store.name


def _looked_up(entry: Entry, store: Store, identifiers: list[str], bound: int) -> list[Entity]:
    """What the store finds for identifiers of the message.

    Raises StoreError where it has to be asked again: without an answer, the frozen bytes would lack edges for good.
    """
    if not identifiers:
        return []
    from neotoma_hooks.retrieval import retrieve

    text = entry.message.content[:LONGEST_SCANNED]
    found = retrieve(store, identifiers, time.monotonic() + LOOK_UP_SECONDS, bound, text)
    if isinstance(found.error, (StoreAway, StoreBusy, Unauthorised)):
        raise found.error
    if isinstance(found.error, OutcomeUnknown) and entry.attempts < MOST_LOOK_UPS:
        entry.attempts += 1
        raise found.error
    return found.entities


def _brought_in(entry: Entry, store: Store, bound: int, known: list[str]) -> list[str]:
    """The ids of entities that the reply cites and nobody has looked up yet, at most `bound` with the known ones."""
    from neotoma_hooks.protocol.identifiers import identifiers_in

    identifiers = identifiers_in(entry.message.content[:LONGEST_SCANNED])
    if identifiers and known:
        from neotoma_hooks.protocol.kept_entity import entity
        from neotoma_hooks.protocol.matching import matches

        at_hand = [entity(kept) for kept in entry.refers_to]
        identifiers = [one for one in identifiers if not any(matches(one, found) for found in at_hand)]
    if not identifiers or len(known) >= bound:
        return []
    from neotoma_hooks.protocol.citing import cited_in

    hits = _looked_up(entry, store, identifiers, bound)
    cited = [hit.id for hit in cited_in(entry.message.content, hits)]
    return [id for id in cited if id not in known][: bound - len(known)]


def _put(entry: Entry, store: Store, keep: Callable[[Entry], None]) -> tuple[Receipt, str]:
    """The receipt of the write, whichever way it got in; it always names the message's id."""
    entry.attempts += 1
    try:
        receipt = store.put(entry.body.encode("ascii"))
    except KeyMismatch as mismatch:
        return _put_past_mismatch(entry, store, keep, mismatch)
    if "conversation_message" in receipt.entity_ids:
        return receipt, "replayed" if receipt.replayed else "stored"
    # "Replayed" with nothing in it: the key was burned by a refused write, or two identical ones raced (captures
    # 146-149)
    if _is_stored(entry, store, receipt):
        return receipt, "replayed"
    return _put_under_other_key(entry, store, keep), "stored"


def _put_past_mismatch(
    entry: Entry, store: Store, keep: Callable[[Entry], None], mismatch: KeyMismatch
) -> tuple[Receipt, str]:
    from neotoma_hooks.stores.base import Receipt

    receipt = Receipt(True, {}, [])
    if _is_stored(entry, store, receipt):
        return receipt, "replayed"
    if store.message(entry.message.turn_key) is not None:
        raise mismatch
    # Another turn has this key ("a-b" + "c" and "a" + "b-c" read the same): this one gets a key of its own
    return _put_under_other_key(entry, store, keep), "stored"


def _is_stored(entry: Entry, store: Store, receipt: Receipt) -> bool:
    """Whether the store has this very message; if so its id is put into the receipt."""
    stored = store.message(entry.message.turn_key)
    if stored is None or stored.fields.get("content") != entry.message.content:
        return False
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
