"""The bytes of one write, fixed for one store before they are sent: what is still open is looked up first."""

from __future__ import annotations

import time

from neotoma_hooks.errors import OutcomeUnknown, StoreAway, StoreBusy, Unauthorised
from neotoma_hooks.protocol.writes import frozen_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.protocol.entity import Entity
    from neotoma_hooks.state.outbox import Entry
    from neotoma_hooks.stores.base import Store

LOOK_UP_SECONDS = 5.0

MOST_UNANSWERED = 3
"""Questions left open after which a write goes as it is: without the edges of a look-up that the store does not answer,
or to a store that does not say what it has."""

LONGEST_SCANNED = 262_144
"""Characters of a message that are searched for identifiers."""


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
    entry.unanswered = 0


def _looked_up(entry: Entry, store: Store, identifiers: list[str], bound: int) -> list[Entity]:
    """What the store finds for identifiers of the message.

    Raises StoreError where it has to be asked again: without an answer, the frozen bytes would lack edges for good.
    """
    if not identifiers:
        return []
    from neotoma_hooks.retrieval import retrieve

    text = entry.message.content[:LONGEST_SCANNED]
    found = retrieve(store, identifiers, time.monotonic() + LOOK_UP_SECONDS, bound, text)
    ask_again_after(found.error, entry)
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


def ask_again_after(error: Exception | None, entry: Entry) -> None:
    """Raise the error of a question where it has to be asked again before the write is sent.

    A store that cannot answer it, and has been asked often enough, does not keep the message from it.
    """
    if isinstance(error, (StoreAway, StoreBusy, Unauthorised)):
        raise error
    if isinstance(error, OutcomeUnknown) and entry.unanswered < MOST_UNANSWERED:
        entry.unanswered += 1
        raise error
