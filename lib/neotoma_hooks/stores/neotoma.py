"""A Neotoma server as the memory. Numbers in brackets are captures of a real server, as the tests keep them."""

from __future__ import annotations

import json
import threading
import time

from neotoma_hooks.errors import OutcomeUnknown, ReadRefused, StoreError
from neotoma_hooks.stores.base import Edge, LookUp, Receipt, StoredEntity
from neotoma_hooks.stores.neotoma_http import MOST_CONNECTIONS, Http, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from neotoma_hooks.protocol.entity import Entity

HITS_ASKED_FOR = 25
"""The server matches substrings in alphabetical order [35], so the true hit may stand behind others."""

PAGE = 500
REQUEST_SECONDS = 30.0


class NeotomaStore:
    """The server at `base_url`; connects at first use. See `stores.base.Store` for the methods."""

    is_local = False

    def __init__(self, base_url: str, token: str = "", request_seconds: float = REQUEST_SECONDS) -> None:
        self.name = base_url
        self.token = token
        self.request_seconds = request_seconds
        self._http: Http | None = None

    def look_up(self, needles: Sequence[str], deadline: float) -> LookUp:
        """One request for each needle, side by side; what has not arrived at the deadline is left behind."""
        hits: dict[str, list[Entity]] = {}
        errors: dict[str, StoreError] = {}
        try:
            http = self._connected()
        except StoreError as error:
            return LookUp({}, dict.fromkeys(needles, str(error)), error)
        # An empty identifier would return everything [45]
        wanted = [needle for needle in dict.fromkeys(needles) if needle.strip()]

        def ask(needle: str) -> None:
            body = json.dumps({"identifier": needle, "limit": HITS_ASKED_FOR}).encode("ascii")
            try:
                answer = http.post("/retrieve_entity_by_identifier", body, deadline)
                # The nearest neighbours of a text are no sign that it names them
                found = [] if answer.get("match_mode") == "semantic" else answer.get("entities") or []
                hits[needle] = [_hit(hit) for hit in found]
            except StoreError as error:
                errors[needle] = reading(error)
            except (TypeError, ValueError, KeyError, AttributeError):
                errors[needle] = ReadRefused(f"{self.name} answered a look-up in a shape that is not known")

        _side_by_side(ask, wanted, deadline)
        answered, refused = dict(hits), dict(errors)
        late = OutcomeUnknown(f"{self.name} did not answer in time")
        failed = {needle: refused.get(needle, late) for needle in wanted if needle not in answered}
        first = next(iter(failed.values()), None)
        return LookUp(answered, {needle: str(error) for needle, error in failed.items()}, first)

    def put(self, body: bytes) -> Receipt:
        """Send the frozen bytes as they are. The receipt is read by entity_type, because a replay has another order
        [4]."""
        answer = self._post("/store", body)
        try:
            ids = {str(entity["entity_type"]): str(entity["entity_id"]) for entity in answer["entities"]}
            edges = [_edge(edge) for edge in answer.get("relationships_created") or ()]
            return Receipt(bool(answer["replayed"]), ids, edges)
        except (KeyError, TypeError) as error:
            raise OutcomeUnknown(f"{self.name} answered a write in a shape that is not known") from error

    def link(self, edges: Sequence[Edge]) -> None:
        """Create edges; the server takes one that is there already as well [71, 81]."""
        asked = [
            {"relationship_type": edge.type, "source_entity_id": edge.source, "target_entity_id": edge.target}
            for edge in edges
        ]
        answer = self._post("/create_relationships", json.dumps({"relationships": asked}).encode("ascii"))
        if answer.get("error_count"):
            raise OutcomeUnknown(f"{self.name} created {answer.get('created_count')} of {len(edges)} edges")

    def message(self, turn_key: str) -> StoredEntity | None:
        """The message with that turn key [91]; the server compares without regard to case, this does not."""
        filters = {"turn_key": {"op": "eq", "value": turn_key}}
        for found in self._query({"entity_type": "conversation_message", "snapshot_filters": filters}):
            if found.fields.get("turn_key") == turn_key:
                return found
        return None

    def edges_of(self, entity_id: str) -> list[Edge]:
        """All edges at the entity [94]."""
        return [_edge(edge) for edge in self._relationships({"entity_id": entity_id})]

    def entity(self, entity_id: str) -> StoredEntity | None:
        """One entity, or None for an id that the server does not know [102, 103]."""
        try:
            body = json.dumps({"entity_id": entity_id}).encode("ascii")
            return _stored(self._read("/get_entity_snapshot", body))
        except ReadRefused as error:
            if "RESOURCE_NOT_FOUND" in str(error):
                return None
            raise

    def conversations(self, conversation_id: str | None) -> list[StoredEntity]:
        """The conversation with that id, or the newest of all, oldest of them first."""
        query: dict[str, Any] = {"entity_type": "conversation"}
        if conversation_id is not None:
            query["snapshot_filters"] = {"conversation_id": {"op": "eq", "value": conversation_id}}
        found = self._query({**query, "limit": PAGE})
        return sorted(found, key=lambda entity: (entity.stored_at, entity.id))

    def messages(self, conversation_entity_id: str | None, limit: int) -> list[StoredEntity]:
        """The newest messages, oldest of them first."""
        if conversation_entity_id is None:
            newest = {"sort_by": "last_observation_at", "sort_order": "desc", "limit": min(limit, PAGE)}
            found = self._query({"entity_type": "conversation_message", **newest})
        else:
            edges = self._relationships({"target_entity_id": conversation_entity_id, "relationship_type": "PART_OF"})
            edges.sort(key=lambda edge: str(edge.get("last_observation_at")))
            ids = [str(edge["source_entity_id"]) for edge in edges[-limit:]]
            found = self._entities(ids)
        return sorted(found, key=lambda entity: entity.stored_at)[-limit:]

    def check(self) -> str:
        """Ask for its health, then for something that needs authorisation."""
        deadline = time.monotonic() + self.request_seconds
        health = self._connected().get("/health", deadline)
        body = json.dumps({"identifier": "neotoma-hooks", "limit": 1}).encode("ascii")
        self._read("/retrieve_entity_by_identifier", body)
        return f"Neotoma {health.get('version', '(version not told)')} at {self.name}"

    def close(self) -> None:
        """Close the connections."""
        if self._http is not None:
            self._http.close()
            self._http = None

    def _connected(self) -> Http:
        if self._http is None:
            self._http = Http(self.name, self.token)
        return self._http

    def _post(self, path: str, body: bytes) -> dict[str, Any]:
        return self._connected().post(path, body, time.monotonic() + self.request_seconds)

    def _read(self, path: str, body: bytes) -> dict[str, Any]:
        try:
            return self._post(path, body)
        except StoreError as error:
            seen = reading(error)
            if seen is error:
                raise
            raise seen from error

    def _query(self, query: Mapping[str, Any]) -> list[StoredEntity]:
        answer = self._read("/entities/query", json.dumps(query).encode("ascii"))
        try:
            return [_stored(entity) for entity in answer["entities"]]
        except (KeyError, TypeError) as error:
            raise ReadRefused(f"{self.name} answered a query in a shape that is not known") from error

    def _relationships(self, query: Mapping[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            page = {**query, "limit": PAGE, "offset": len(found)}
            answer = self._read("/list_relationships", json.dumps(page).encode("ascii"))
            new = answer.get("relationships")
            if not isinstance(new, list):
                raise ReadRefused(f"{self.name} answered for edges in a shape that is not known")
            found += new
            if not new or len(found) >= int(answer.get("total") or 0):
                return found

    def _entities(self, ids: Sequence[str]) -> list[StoredEntity]:
        found: dict[str, StoredEntity] = {}
        errors: list[StoreError] = []

        def ask(id: str) -> None:
            try:
                entity = self.entity(id)
                if entity is not None:
                    found[id] = entity
            except StoreError as error:
                errors.append(error)

        self._connected()
        _side_by_side(ask, ids, time.monotonic() + self.request_seconds)
        if errors:
            raise errors[0]
        return [found[id] for id in ids if id in found]


def _side_by_side(ask: Callable[[str], None], wanted: Sequence[str], deadline: float) -> None:
    """Call `ask` with each, at most `MOST_CONNECTIONS` at once, and come back when all are done or at the deadline.

    What is late is left to a daemon thread, which ends with the process.
    """
    waiting = iter(wanted)
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                needle = next(waiting, None)
            if needle is None or time.monotonic() >= deadline:
                return
            ask(needle)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(len(wanted), MOST_CONNECTIONS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))


def _hit(hit: Mapping[str, Any]) -> Entity:
    """A look-up's hit: the id is in `id`, and `snapshot` is either a row that holds the fields, or the fields [30,
    31]."""
    from neotoma_hooks.protocol.entity import Entity

    snapshot = hit.get("snapshot") or {}
    fields = snapshot["snapshot"] if isinstance(snapshot.get("snapshot"), dict) else snapshot
    written = snapshot.get("canonical_name") if fields is not snapshot else None
    canonical_name = str(hit.get("canonical_name") or "")
    aliases = [*(hit.get("aliases") or ()), *(fields.get("aliases") or ())]
    return Entity(
        id=str(hit.get("id") or hit["entity_id"]),
        type=str(hit.get("entity_type") or ""),
        name=str(fields.get("name") or fields.get("full_name") or fields.get("title") or written or canonical_name),
        canonical_name=canonical_name,
        aliases=tuple(str(alias) for alias in aliases),
        fields={name: value for name, value in fields.items() if name != "aliases"},
    )


def _edge(edge: Mapping[str, Any]) -> Edge:
    return Edge(str(edge["relationship_type"]), str(edge["source_entity_id"]), str(edge["target_entity_id"]))


def _stored(entity: Mapping[str, Any]) -> StoredEntity:
    return StoredEntity(
        str(entity["entity_id"]),
        str(entity["entity_type"]),
        str(entity.get("canonical_name") or ""),
        entity.get("snapshot") or {},
        str(entity.get("created_at") or entity.get("last_observation_at") or ""),
    )
