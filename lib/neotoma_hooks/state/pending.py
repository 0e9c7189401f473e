"""The pending-turn file: what the prompt's hook leaves for the reply's hook, one file for each conversation."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from hashlib import sha256

from neotoma_hooks.errors import StateError
from neotoma_hooks.protocol.turn_book import TurnBook
from neotoma_hooks.protocol.turn_ids import key_conversation_id, letters_escaped
from neotoma_hooks.state import files
from neotoma_hooks.state.lock import locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

VERSION = 1

REMEMBERED_GIVEN = 256
"""Entities remembered as already given to the agent in this conversation."""

REMEMBERED_LATE = 16
"""Identifiers whose look-up came too late."""


class Conversation:
    """What is kept of one conversation between two events.

    `key_id` is its id as it stands in keys, `harness` the agent whose conversation it is ("" while nobody said), `book`
    its newest turns, `entity_ids` its own entity id in each store (by `Store.name`), `given` the entities that the
    agent was told of (id -> digest of what it was told), `late` what look-ups brought after their prompt had gone on
    (folded identifier -> entities, as `kept_entity` has them). `found` says what was on disk: "kept", "missing",
    "damaged" or "newer" (written by a later version of this program; never overwritten).
    """

    __slots__ = ("book", "conversation_id", "entity_ids", "found", "given", "harness", "key_id", "late")

    def __init__(self, conversation_id: str, key_id: str, found: str) -> None:
        self.conversation_id = conversation_id
        self.key_id = key_id
        self.found = found
        self.book = TurnBook()
        self.harness = ""
        self.entity_ids: dict[str, str] = {}
        self.given: dict[str, str] = {}
        self.late: dict[str, list[dict[str, Any]]] = {}

    def note_given(self, digests: dict[str, str]) -> None:
        """Remember what the agent was told."""
        for entity_id, digest in digests.items():
            self.given.pop(entity_id, None)
            self.given[entity_id] = digest
        while len(self.given) > REMEMBERED_GIVEN:
            del self.given[next(iter(self.given))]

    def note_late(self, identifier: str, entities: list[dict[str, Any]]) -> None:
        """Keep what a look-up brought too late for its prompt, for the next one that names it again."""
        self.late.pop(identifier, None)
        self.late[identifier] = entities
        while len(self.late) > REMEMBERED_LATE:
            del self.late[next(iter(self.late))]


class PendingFile:
    """One conversation's pending-turn file while its lock is held."""

    __slots__ = ("_others", "conversation", "path")

    def __init__(self, path: str, conversation_id: str) -> None:
        self.path = path
        # Conversations whose ids differ only in case share a file, because a server would share their keys as well
        self._others: dict[str, Any] = {}
        self.conversation = self._load(conversation_id)

    def save(self) -> None:
        """Replace the file. Raises StateError."""
        conversation = self.conversation
        if conversation.found == "newer":
            return
        mine = {
            "key_id": conversation.key_id,
            "book": conversation.book.to_json(),
            "harness": conversation.harness,
            "entity_ids": conversation.entity_ids,
            "given": conversation.given,
            "late": conversation.late,
        }
        kept = {"version": VERSION, "conversations": {**self._others, conversation.conversation_id: mine}}
        files.write_private(self.path, json.dumps(kept).encode("ascii"), durable=False)
        conversation.found = "kept"

    def _load(self, conversation_id: str) -> Conversation:
        data = files.read(self.path)
        key_id = key_conversation_id(conversation_id)
        if data is None:
            return Conversation(conversation_id, key_id, "missing")
        try:
            kept = json.loads(data)
            if kept["version"] > VERSION:
                return Conversation(conversation_id, key_id, "newer")
            self._others = dict(kept["conversations"])
            if conversation_id not in self._others:
                if any(other["key_id"].casefold() == key_id.casefold() for other in self._others.values()):
                    key_id = letters_escaped(key_id)
                return Conversation(conversation_id, key_id, "missing")
            mine = self._others.pop(conversation_id)
            conversation = Conversation(conversation_id, mine["key_id"], "kept")
            conversation.book = TurnBook.from_json(mine["book"])
            conversation.harness = str(mine.get("harness", ""))
            conversation.entity_ids = dict(mine["entity_ids"])
            conversation.given = dict(mine["given"])
            conversation.late = dict(mine.get("late", {}))
            return conversation
        except files.DAMAGED:
            self._others = {}
            # Kept for a person to look at; one such file for each conversation, so they cannot pile up
            try:
                os.replace(self.path, self.path + ".damaged")
            except OSError as error:
                raise StateError(
                    f"cannot move the damaged file {self.path} aside: {error.strerror or error}"
                ) from error
            return Conversation(conversation_id, key_id, "damaged")


@contextmanager
def pending_file(folder: str, conversation_id: str, timeout: float) -> Iterator[PendingFile]:
    """Hold the conversation's pending-turn file; nothing is written before `save`.

    `timeout` in seconds. Raises LockTimeout, StateError.
    """
    with locked(_path(folder, conversation_id, ".lock"), timeout):
        yield PendingFile(_path(folder, conversation_id, ".json"), conversation_id)


def _path(folder: str, conversation_id: str, suffix: str) -> str:
    digest = sha256(conversation_id.casefold().encode("utf-8", "surrogatepass")).hexdigest()
    return os.path.join(folder, digest[:40] + suffix)


def peek(folder: str, conversation_id: str) -> TurnBook | None:
    """The conversation's newest turns without waiting for the lock; None when nothing readable is kept of it."""
    try:
        data = files.read(_path(folder, conversation_id, ".json"))
        if data is None:
            return None
        kept = json.loads(data)
        return TurnBook.from_json(kept["conversations"][conversation_id]["book"])
    except (StateError, *files.DAMAGED):
        return None
