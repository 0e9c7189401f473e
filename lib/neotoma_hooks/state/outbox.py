"""Writes that the store has not confirmed yet: one file each, named so that the order of names is their order."""

from __future__ import annotations

import json
import os
from hashlib import sha256

from neotoma_hooks.errors import StateError
from neotoma_hooks.protocol.turn_ids import next_numbered
from neotoma_hooks.protocol.writes import Message
from neotoma_hooks.state import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

VERSION = 1

MOMENT_DIGITS = 20
"""Digits of the moment, in nanoseconds since the epoch, that a name begins with."""


class Entry:
    """One write on its way.

    `message` is what will be stored. `conversation_id` is the agent's own, for the pending-turn file. `refers_to` are
    the entities it names, as mappings with `id`, `name` and `type`, their ids valid in the store `known_from`. `body`
    is the frozen text of the store call and `frozen_for` the name of the store it was frozen for; both "" before the
    first try. `attempts` counts how often it was sent. `unanswered` counts questions that the store left open and that
    have to be answered, or given up, before these bytes are sent. `late` are identifiers of the message whose look-up
    had not come back in time.
    """

    __slots__ = (
        "attempts",
        "body",
        "conversation_id",
        "created",
        "frozen_for",
        "known_from",
        "late",
        "message",
        "reason",
        "refers_to",
        "unanswered",
    )

    def __init__(
        self,
        message: Message,
        conversation_id: str,
        refers_to: list[dict[str, Any]],
        known_from: str,
        created: int,
    ) -> None:
        self.message = message
        self.conversation_id = conversation_id
        self.refers_to = refers_to
        self.known_from = known_from
        self.created = created
        self.body = ""
        self.frozen_for = ""
        self.attempts = 0
        self.unanswered = 0
        self.reason = ""
        self.late: list[str] = []

    def to_bytes(self) -> bytes:
        """The entry as its file holds it."""
        kept = {name: getattr(self, name) for name in self.__slots__ if name != "message"}
        kept["version"] = VERSION
        kept["message"] = {name: getattr(self.message, name) for name in Message.__slots__}
        return json.dumps(kept).encode("ascii")

    @classmethod
    def from_bytes(cls, data: bytes) -> Entry:
        """The entry that `to_bytes` wrote. Raises StateError when it did not, or a later version did."""
        try:
            kept = json.loads(data)
            if kept["version"] > VERSION:
                raise StateError("it was written by a later version of neotoma-hooks; upgrade")
            entry = cls(
                Message(**kept["message"]),
                kept["conversation_id"],
                kept["refers_to"],
                kept["known_from"],
                int(kept["created"]),
            )
            for name in ("body", "frozen_for", "attempts", "reason"):
                setattr(entry, name, kept[name])
            entry.late = list(kept.get("late", []))
            entry.unanswered = int(kept.get("unanswered", 0))
            if not _is_whole(entry):
                raise StateError("it is damaged")
            return entry
        except files.DAMAGED as error:
            raise StateError("it is damaged") from error


def _is_whole(entry: Entry) -> bool:
    """Whether everything in it is of the type that it must be: whoever sends it relies on that."""
    message = entry.message
    texts = [entry.conversation_id, entry.known_from, entry.body, entry.frozen_for, entry.reason, *entry.late]
    texts += [message.conversation_id, message.turn_id, message.content, message.harness]
    texts += [known[name] for known in entry.refers_to for name in ("id", "name")]
    if entry.frozen_for:
        frozen = json.loads(entry.body)
        texts += [frozen["idempotency_key"], *(entity["entity_type"] for entity in frozen["entities"])]
        texts += [edge["relationship_type"] for edge in frozen["relationships"]]
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(number, int) for number in (entry.attempts, message.turn_number))
        and 0 <= entry.created < 10**MOMENT_DIGITS
        and message.role in ("user", "assistant")
    )


class Outbox:
    """The folder of waiting writes and the folder of refused ones beside it."""

    __slots__ = ("folder", "rejected")

    def __init__(self, folder: str, rejected: str) -> None:
        self.folder = folder
        self.rejected = rejected

    def names(self) -> list[str]:
        """The waiting writes, oldest first."""
        return files.names(self.folder, ".json")

    def rejected_names(self) -> list[str]:
        """The refused writes, oldest first."""
        return files.names(self.rejected, ".json")

    def add(self, entry: Entry, other_turns: Collection[str] = ()) -> str:
        """Make the write durable and return its name; the same message that is there already stays as it is.

        Where another message waits under its turn key, because the agent used the turn id before, it gets the next turn
        id that is none of `other_turns`. When this returns, the message survives a power cut. Raises StateError.
        """
        waiting = self.names()
        message = entry.message
        while True:
            key = sha256(message.idempotency_key.encode("utf-8", "surrogatepass")).hexdigest()[:16]
            is_taken = message.turn_id in other_turns
            for name in waiting:
                there = self._message(name) if name.endswith(f"-{key}.json") else None
                if there is None or there.turn_key != message.turn_key:
                    continue
                if there.content == message.content:
                    return name
                is_taken = True
            if not is_taken:
                break
            message.turn_id = next_numbered(message.turn_id)
        moments = [name[:MOMENT_DIGITS] for name in waiting if name[:MOMENT_DIGITS].isdecimal()]
        newest = int(moments[-1]) if moments else 0
        # A clock that was set back must not let a reply overtake its prompt
        moment = max(entry.created, newest + 1)
        name = f"{moment:0{MOMENT_DIGITS}d}-{key}.json"
        self.replace(name, entry)
        return name

    def replace(self, name: str, entry: Entry) -> None:
        """Write the entry under its name, durably. Raises StateError."""
        files.write_private(os.path.join(self.folder, name), entry.to_bytes(), durable=True)

    def load(self, name: str, *, rejected: bool = False) -> Entry | None:
        """The entry, or None when somebody delivered it meanwhile. Raises StateError when it cannot be read."""
        path = os.path.join(self.rejected if rejected else self.folder, name)
        data = files.read(path)
        if data is None:
            return None
        try:
            return Entry.from_bytes(data)
        except StateError as error:
            raise StateError(f"cannot read the write {path}: {error}") from error

    def take_along(self, message: Message, turn_id: str) -> None:
        """Let what else waits of the message's turn, which went by `turn_id` until now, go by the message's own.

        Raises StateError.
        """
        for name in self.names():
            try:
                entry = self.load(name)
            except StateError:
                continue
            if entry is None:
                continue
            its_turn = (entry.message.conversation_id, entry.message.turn_number, entry.message.turn_id)
            if its_turn == (message.conversation_id, message.turn_number, turn_id):
                entry.message.turn_id = message.turn_id
                entry.body = entry.frozen_for = ""
                self.replace(name, entry)

    def _message(self, name: str) -> Message | None:
        """The message of that name; None when it was delivered meanwhile, or cannot be read."""
        try:
            entry = self.load(name)
        except StateError:
            return None
        return entry.message if entry else None

    def remove(self, name: str) -> None:
        """Forget a write that the store has confirmed."""
        files.remove(os.path.join(self.folder, name))

    def reject(self, name: str, entry: Entry, reason: str) -> None:
        """Move a write that the store refused out of the way, with the reason."""
        entry.reason = reason
        files.write_private(os.path.join(self.rejected, name), entry.to_bytes(), durable=True)
        self.remove(name)

    def retry_rejected(self) -> int:
        """Put all refused writes back, to be frozen anew; returns how many. Raises StateError.

        One that cannot be read stays where it is, and so do those that a later version wrote.
        """
        moved = 0
        for name in self.rejected_names():
            try:
                entry = self.load(name, rejected=True)
            except StateError:
                continue
            if entry is None:
                continue
            entry.body = entry.frozen_for = entry.reason = ""
            entry.unanswered = 0
            self.replace(name, entry)
            files.remove(os.path.join(self.rejected, name))
            moved += 1
        return moved
