"""Events that could not be understood or handled: kept, never dropped, never guessed at."""

from __future__ import annotations

import json
import os
from hashlib import sha256

from neotoma_hooks.errors import StateError
from neotoma_hooks.state import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1

MOST_KEPT = 200
"""Events kept that nobody can handle; the oldest go first."""

LARGEST_KEPT_BYTES = 1_000_000
"""Bytes kept of such an event."""

UNKNOWN = "unknown"
"""Stands for the conversation of an event that its hook had no time to understand."""


class SetAside:
    """One event: its `raw` bytes, the executable `hook` that got it, the `agent` named on its command line, and why
    it is here. `again` is true when it was understood and only could not be handled at that moment: it will be tried
    again, and until then later ones of its `conversation` queue behind it."""

    __slots__ = ("again", "agent", "conversation", "created", "hook", "raw", "reason", "truncated")

    def __init__(
        self, raw: bytes, hook: str, agent: str, reason: str, *, again: bool, created: int, conversation: str = ""
    ) -> None:
        self.raw = raw
        self.hook = hook
        self.agent = agent
        self.reason = reason
        self.again = again
        self.created = created
        self.conversation = conversation
        self.truncated = False


def keep(folder: str, event: SetAside) -> str:
    """Make the event durable and return its file's name.

    One that will be tried again is kept whole and for as long as it takes; the others are bounded in number and size.
    Raises StateError when it could not be made durable.
    """
    raw = event.raw
    if not event.again and len(raw) > LARGEST_KEPT_BYTES:
        raw, event.truncated = raw[:LARGEST_KEPT_BYTES], True
    kept: dict[str, Any] = {
        "version": VERSION,
        "reason": event.reason,
        "hook": event.hook,
        "agent": event.agent,
        "again": event.again,
        "created": event.created,
        "truncated": event.truncated,
        # Every byte has a character in Latin-1, so any bytes come back as they were
        "raw": raw.decode("latin-1"),
    }
    kind = f"{_digest(event.conversation)}.again" if event.again else "kept"
    name = f"{event.created:020d}-{os.getpid()}.{kind}.json"
    files.write_private(os.path.join(folder, name), json.dumps(kept).encode("ascii"), durable=True)
    try:
        for old in files.names(folder, ".kept.json")[:-MOST_KEPT]:
            files.remove(os.path.join(folder, old))
    except StateError:
        return name
    return name


def load(folder: str, name: str) -> SetAside | None:
    """The event of that name; None when it is gone or damaged.

    Raises StateError when a later version wrote it, or the file cannot be read.
    """
    path = os.path.join(folder, name)
    data = files.read(path)
    if data is None:
        return None
    try:
        kept = json.loads(data)
        if kept["version"] > VERSION:
            raise StateError(f"cannot read the event {path}: it was written by a later version of neotoma-hooks")
        event = SetAside(
            kept["raw"].encode("latin-1"),
            kept["hook"],
            kept["agent"],
            kept["reason"],
            again=kept["again"],
            created=int(kept["created"]),
        )
        event.truncated = bool(kept["truncated"])
        return event if all(isinstance(text, str) for text in (event.hook, event.agent, event.reason)) else None
    except files.DAMAGED:
        return None


def waiting(folder: str) -> list[str]:
    """The names of the events that will be tried again, oldest first; of a folder that cannot be listed none.

    It must not keep a message from being stored that has nowhere else to go.
    """
    try:
        return files.names(folder, ".again.json")
    except StateError:
        return []


def is_waiting(folder: str, conversation: str) -> bool:
    """Whether an event that may be of that conversation will be tried again. Raises StateError."""
    return how_many(folder, conversation) > 0


def how_many(folder: str, conversation: str) -> int:
    """How many events that may be of that conversation will be tried again. Raises StateError."""
    names = waiting(folder)
    mine = (_digest(conversation), UNKNOWN) if names else ()
    return sum(conversation_digest(name) in mine for name in names)


def conversation_digest(name: str) -> str:
    """What the name of a waiting event tells of its conversation: equal for equal conversations, or UNKNOWN."""
    return name.split(".")[1]


def forget(folder: str, name: str) -> None:
    """Delete an event that has been handled now. Raises StateError."""
    files.remove(os.path.join(folder, name))


def _digest(conversation: str) -> str:
    return (
        sha256(conversation.casefold().encode("utf-8", "surrogatepass")).hexdigest()[:16] if conversation else UNKNOWN
    )


def give_up(folder: str, name: str) -> None:
    """Keep an event that cannot be read under a name that says so, where it is in nobody's way. Raises StateError."""
    try:
        os.replace(os.path.join(folder, name), os.path.join(folder, name.replace(".again.", ".kept.")))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StateError(f"cannot rename {os.path.join(folder, name)}: {error.strerror or error}") from error


def names(folder: str) -> list[str]:
    """The names of all events here, oldest first. Raises StateError."""
    return files.names(folder, ".json")
