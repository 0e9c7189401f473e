"""What every store can do, and the values that go in and come out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

    from neotoma_hooks.protocol.entity import Entity

    class Store(Protocol):
        """A memory that the turn protocol can be run against.

        A new store is one new module with a class of this shape. All methods raise `StoreError` or one of its
        subclasses, and nothing else. None of them retries: when to ask again is decided in `delivery`.
        """

        #: Which memory this is, stable over restarts: "embedded", or a server's base URL. Entity ids, and the
        #: bytes that are frozen for it, are valid for this name only.
        name: str
        #: Whether it answers without a network, so that a hook may write to it itself.
        is_local: bool

        def hurry(self, until: float) -> None:
            """From now on wait for no other process beyond `until` (on `time.monotonic`'s clock).

            What cannot be done by then raises StoreAway; without it a store waits as long as it likes.
            """

        def look_up(self, needles: Sequence[str], deadline: float) -> LookUp:
            """Look all needles up side by side, until `deadline` (on `time.monotonic`'s clock).

            Never raises: what failed or came too late is named in the result.
            """

        def put(self, body: bytes) -> Receipt:
            """Store one frozen write: the exact bytes of a `/store` body.

            Raises StoreAway, OutcomeUnknown, StoreBusy, Unauthorised, WriteRefused, KeyMismatch, TurnTaken or
            UnknownTarget; but a store that is not local may take an edge to an entity that it does not have.
            """

        def link(self, edges: Sequence[Edge]) -> None:
            """Create edges; an edge that is there already stays as it is. Raises as `put`."""

        def message(self, turn_key: str) -> StoredEntity | None:
            """The conversation_message with exactly this turn_key, or None. Raises as `put`, and ReadRefused."""

        def edges_of(self, entity_id: str) -> list[Edge]:
            """All edges that start or end at the entity, oldest first. Raises as `message`."""

        def entity(self, entity_id: str) -> StoredEntity | None:
            """One entity of any type, or None. Raises as `message`."""

        def conversations(self, conversation_id: str | None) -> list[StoredEntity]:
            """The conversation with that `conversation_id` field, or all, oldest first. Raises as `message`."""

        def messages(self, conversation_entity_id: str | None, limit: int) -> list[StoredEntity]:
            """The `limit` newest messages, of one conversation or of all, oldest first. Raises as `message`."""

        def check(self) -> str:
            """One sentence on the store's state ("Neotoma 0.22.0 at …"). Raises StoreError if it can't be used."""

        def close(self) -> None:
            """Let go of connections; may be called twice."""


class LookUp:
    """What a round of look-ups brought.

    `hits` maps each needle that was answered to its hits, unchecked (a server matches substrings: see
    `protocol.matches`). `failed` maps the others to one sentence with the cause. `error` is the first failure as
    an exception, for the breaker; None when every needle was answered.
    """

    __slots__ = ("error", "failed", "hits")

    def __init__(
        self, hits: dict[str, list[Entity]], failed: dict[str, str] | None = None, error: Exception | None = None
    ) -> None:
        self.hits = hits
        self.failed = failed or {}
        self.error = error


class Edge:
    """One directed edge: `type` is PART_OF or REFERS_TO, `source` and `target` are entity ids."""

    __slots__ = ("source", "target", "type")

    def __init__(self, type: str, source: str, target: str) -> None:
        self.type = type
        self.source = source
        self.target = target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edge) and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def __repr__(self) -> str:
        return f"Edge({self.type!r}, {self.source!r}, {self.target!r})"

    def as_tuple(self) -> tuple[str, str, str]:
        """(type, source, target), for comparing and sorting."""
        return (self.type, self.source, self.target)


class Receipt:
    """What a store says of one write.

    `entity_ids` maps entity_type to id for the entities of the request (a write of ours never holds two of one
    type); it is empty when a server says "replayed" of something it never stored (captures 146-148).
    `edges` are those the store says it created; a replay names none.
    """

    __slots__ = ("edges", "entity_ids", "replayed")

    def __init__(self, replayed: bool, entity_ids: dict[str, str], edges: list[Edge]) -> None:
        self.replayed = replayed
        self.entity_ids = entity_ids
        self.edges = edges


class StoredEntity:
    """An entity read back: `fields` are its snapshot, `stored_at` an ISO 8601 time (UTC) or ""."""

    __slots__ = ("canonical_name", "fields", "id", "stored_at", "type")

    def __init__(self, id: str, type: str, canonical_name: str, fields: Mapping[str, Any], stored_at: str = "") -> None:
        self.id = id
        self.type = type
        self.canonical_name = canonical_name
        self.fields = dict(fields)
        self.stored_at = stored_at
