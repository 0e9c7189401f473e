"""From a turn to its message on disk: what it refers to, and where it is kept."""

from __future__ import annotations

import time

from neotoma_hooks.delivery import deliver, known_of
from neotoma_hooks.errors import StoreError, WriteRefused, note
from neotoma_hooks.protocol.privacy import without_private
from neotoma_hooks.protocol.turn_ids import text_hash
from neotoma_hooks.protocol.writes import Message
from neotoma_hooks.state.outbox import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from neotoma_hooks.delivery import Known
    from neotoma_hooks.firing import Firing
    from neotoma_hooks.protocol.turn_book import Turn
    from neotoma_hooks.state.pending import Conversation, PendingFile


def keep_partial(turn: Turn, text: str | None, file: PendingFile, firing: Firing) -> None:
    """Store the part of a reply that the person saw before the turn was given up. Raises StateError."""
    if not text or turn.replies or "assistant" in turn.stored:
        return
    text = without_private(text)
    file.conversation.book.cut(turn, text_hash(text))
    outcome = firing.line.get("outcome")
    hand_over(text, "assistant", turn, cited(text, turn), file, firing, is_partial=True)
    firing.line["partial"] = turn.id
    firing.line["outcome"] = outcome


def hand_over(
    content: str,
    role: str,
    turn: Turn,
    refers_to: list[dict[str, Any]],
    file: PendingFile,
    firing: Firing,
    *,
    is_partial: bool = False,
) -> None:
    """Make one message durable: in a local store at once, else in the outbox for the courier.

    `refers_to` are the entities it names, as `kept_entity` has them. A turn whose id the agent used before, for a turn
    that nothing here remembers, goes by another from now on. Raises StateError.
    """
    conversation = file.conversation
    message = Message(conversation.key_id, turn.id, role, content, turn.number, firing.harness, is_partial)
    entry = Entry(message, conversation.conversation_id, refers_to, firing.store.name, time.time_ns())
    if role == "user":
        entry.late = firing.late
    firing.line["refers_to"] = len(refers_to)
    known = known_of(conversation, message, firing.store, set())
    # A message never overtakes an earlier one that waits
    is_next = firing.store.is_local and not firing.outbox.names()
    if not (is_next and _delivered(entry, known, conversation, firing)):
        firing.outbox.add(entry, known.other_turns)
        firing.queued = True
        firing.line.setdefault("outcome", "queued")
    firing.is_safe = True
    if firing.line.get("turn") == turn.id:
        firing.line["turn"] = message.turn_id
    conversation.book.stored_as(turn.number, message.turn_id, role)
    turn.stored.append(role)
    file.save()


def _delivered(entry: Entry, known: Known, conversation: Conversation, firing: Firing) -> bool:
    """Whether a local store has taken the message; if not, the reason stands in the line."""
    try:
        done = deliver(entry, firing.store, known, firing.settings.max_entities, keep=_needs_no_keeping)
    except WriteRefused as error:
        note(firing.line, str(error))
        firing.outbox.reject(firing.outbox.add(entry, known.other_turns), entry, str(error))
        firing.line["outcome"] = "refused"
        return True
    except StoreError as error:
        note(firing.line, str(error))
        return False
    conversation.entity_ids[firing.store.name] = done.conversation_entity_id
    firing.line["outcome"] = done.how
    return True


def _needs_no_keeping(_entry: Entry) -> None:
    """A local store takes a write or does not: there is no try whose bytes would have to be the same again."""


def cited(text: str, turn: Turn) -> list[dict[str, Any]]:
    """What the reply refers to: what it cites of the retrieved entities, and what the agent stored meanwhile."""
    named = list(turn.produced)
    if turn.entities:
        from neotoma_hooks.protocol.citing import cited_in
        from neotoma_hooks.protocol.kept_entity import entity

        by_id = {kept["id"]: kept for kept in turn.entities}
        named += [by_id[found.id] for found in cited_in(text, [entity(kept) for kept in turn.entities])]
    return list({kept["id"]: kept for kept in named}.values())
