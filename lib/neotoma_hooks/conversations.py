"""Whose conversation an event belongs to: what is kept of it, learned again from the store where that is gone."""

from __future__ import annotations

from contextlib import contextmanager

from neotoma_hooks.agents.registry import kin
from neotoma_hooks.errors import StoreError
from neotoma_hooks.protocol.turn_book import REMEMBERED_TURNS
from neotoma_hooks.state.pending import pending_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from neotoma_hooks.firing import Firing
    from neotoma_hooks.state.pending import PendingFile
    from neotoma_hooks.stores.base import Store


@contextmanager
def conversation_file(conversation_id: str, firing: Firing) -> Iterator[PendingFile]:
    """Hold the pending-turn file of the firing agent's conversation; nothing is written before `save`.

    Some agents number their sessions by day or by the clock, so that two agents may come to the same id. It belongs to
    the one that came first; the conversation of the other goes by `id@agent`. Raises LockTimeout, StateError.
    """
    owner = kin(firing.harness)
    with pending_file(firing.paths.pending, conversation_id, firing.lock_seconds()) as file:
        _remember_from_store(file, firing.store)
        conversation = file.conversation
        if conversation.harness in ("", owner):
            conversation.harness = owner
            yield file
            return
    with conversation_file(f"{conversation_id}@{owner}", firing) as file:
        yield file


def _remember_from_store(file: PendingFile, store: Store) -> None:
    """Where the pending-turn file is gone, learn from a local store whose the conversation is and its turns."""
    conversation = file.conversation
    if conversation.found == "kept" or not store.is_local:
        return
    try:
        found = store.conversations(conversation.key_id)
        if found:
            from neotoma_hooks.protocol.book_of_messages import book_of

            conversation.harness = kin(str(found[0].fields.get("harness") or ""))
            messages = store.messages(found[0].id, 2 * REMEMBERED_TURNS)
            conversation.book = book_of([message.fields for message in messages])
    except StoreError:
        # The store will say so again when it is written to; a new book is all there is until then
        return
