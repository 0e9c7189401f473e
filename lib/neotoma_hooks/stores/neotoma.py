"""A Neotoma server as the memory. Numbers in brackets are captures of a real server, as the tests keep them."""

from __future__ import annotations

import json
import time

from neotoma_hooks.errors import KeyMismatch, OutcomeUnknown, ReadRefused, StoreAway, StoreError, WriteRefused
from neotoma_hooks.stores import neotoma_answers as answers
from neotoma_hooks.stores.base import Edge, LookUp, Receipt, StoredEntity
from neotoma_hooks.stores.neotoma_http import MOST_CONNECTIONS, Http, reading
from neotoma_hooks.stores.side_by_side import side_by_side

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from neotoma_hooks.protocol.entity import Entity

    T = TypeVar("T")

HITS_ASKED_FOR = 25
"""The server matches substrings in alphabetical order [35], so the true hit may stand behind others."""

PAGE = 500
MOST_PAGES = 200
LAST_OFFSET = 2000
"""The server refuses to skip more entities than that."""


class NeotomaStore:
    """The server at `base_url`; connects at first use. See `stores.base.Store` for the methods.

    `token` is sent only where there is one. A request other than a look-up may take `request_seconds`.
    """

    is_local = False

    def __init__(self, base_url: str, token: str = "", request_seconds: float = 30.0) -> None:
        self.name = base_url
        self.token = token
        self.request_seconds = request_seconds
        self._http: Http | None = None

    def hurry(self, until: float) -> None:
        """A server has no lock to wait for: each request has its own time, and no hook makes another than look-ups."""

    def look_up(self, needles: Sequence[str], deadline: float) -> LookUp:
        """One request for each needle, side by side; what has not arrived at the deadline is left behind."""
        try:
            http = self._connected()
        except StoreError as error:
            return LookUp({}, dict.fromkeys(needles, str(error)), error)
        # An empty identifier would return everything [45]
        wanted = [needle for needle in dict.fromkeys(needles) if needle.strip()]
        found = side_by_side(lambda needle: _hits(http, needle, deadline), wanted, MOST_CONNECTIONS, deadline)
        late = OutcomeUnknown(f"{self.name} did not answer in time")
        hits: dict[str, list[Entity]] = {}
        errors: dict[str, StoreError] = {}
        for needle in wanted:
            answer = found.get(needle, late)
            if isinstance(answer, StoreError):
                errors[needle] = reading(answer)
            else:
                hits[needle] = answer
        return LookUp(hits, {needle: str(error) for needle, error in errors.items()}, next(iter(errors.values()), None))

    def put(self, body: bytes) -> Receipt:
        """Send the frozen bytes as they are. The receipt is read by entity_type, because a replay has another order
        [4]."""
        try:
            answer = self._post("/store", body)
        except WriteRefused as refused:
            # The published contract has a second name for it, which has not been seen yet
            if refused.code == "ERR_IDEMPOTENCY_COLLISION":
                raise KeyMismatch(str(refused), refused.code) from refused
            raise
        try:
            found = answers.rows(answer, "entities")
            ids = {answers.text(entity, "entity_type"): answers.text(entity, "entity_id") for entity in found}
            created = answers.rows(answer, "relationships_created") if "relationships_created" in answer else []
            return Receipt(answer.get("replayed") is True, ids, [answers.edge(edge) for edge in created])
        except ReadRefused as error:
            raise OutcomeUnknown(f"{self.name} answered a write in a shape that is not known: {error}") from error

    def link(self, edges: Sequence[Edge]) -> None:
        """Create edges; the server takes one that is there already as well [71, 81]."""
        if not edges:
            return  # The server refuses an empty list [84]
        asked = [
            {"relationship_type": edge.type, "source_entity_id": edge.source, "target_entity_id": edge.target}
            for edge in edges
        ]
        answer = self._post("/create_relationships", _bytes({"relationships": asked}))
        try:
            created = {answers.edge(row) for row in answers.rows(answer, "relationships")}
        except ReadRefused as error:
            raise OutcomeUnknown(f"{self.name} answered for edges in a shape that is not known: {error}") from error
        missing = sum(edge not in created for edge in edges)
        if missing:
            raise OutcomeUnknown(f"{self.name} did not create {missing} of {len(edges)} edges")

    def message(self, turn_key: str) -> StoredEntity | None:
        """The message with that turn key [91]; the server compares without regard to case, this does not."""
        filters = {"turn_key": {"op": "eq", "value": turn_key}}
        answer = self._query({"entity_type": "conversation_message", "snapshot_filters": filters})
        for row in answers.rows(answer, "entities"):
            found = answers.stored(row)
            if found.fields.get("turn_key") == turn_key:
                return found
        return None

    def edges_of(self, entity_id: str) -> list[Edge]:
        """All edges at the entity [94]."""
        return [answers.edge(row) for row in self._relationships({"entity_id": entity_id})]

    def entity(self, entity_id: str) -> StoredEntity | None:
        """One entity, or None for an id that the server does not know [102, 103]."""
        return self._in_time(lambda http, deadline: _entity(http, entity_id, deadline))

    def conversations(self, conversation_id: str | None) -> list[StoredEntity]:
        """The conversation with that id, or all, in the order in which they were last heard of."""
        query: dict[str, Any] = {"entity_type": "conversation", "limit": PAGE}
        if conversation_id is not None:
            query["snapshot_filters"] = {"conversation_id": {"op": "eq", "value": conversation_id}}
        found: list[StoredEntity] = []
        cursor: object = None
        for _ in range(MOST_PAGES):
            answer = self._query({**query, "cursor": cursor} if cursor else query)
            found += [answers.stored(row) for row in answers.rows(answer, "entities")]
            cursor = answer.get("next_cursor")
            if not cursor:
                break
        return sorted(found, key=lambda entity: (entity.stored_at, entity.id))

    def messages(self, conversation_entity_id: str | None, limit: int) -> list[StoredEntity]:
        """The newest messages, oldest of them first; of all conversations together at most 2,500."""
        if conversation_entity_id is None:
            found = list(reversed(self._newest("conversation_message", limit)))
        else:
            part_of = {"target_entity_id": conversation_entity_id, "relationship_type": "PART_OF"}
            ids = [answers.text(row, "source_entity_id") for row in self._relationships(part_of)]
            found = self._entities(ids[-limit:])
        return sorted(found, key=lambda entity: entity.stored_at)

    def check(self) -> str:
        """Ask for its health, then for something that needs authorisation."""
        health = self._in_time(lambda http, deadline: http.get("/health", deadline))
        if health.get("ok") is not True:
            raise StoreAway(f"{self.name} does not say that it is well; is this the address of a Neotoma server?")
        self._read("/retrieve_entity_by_identifier", {"identifier": "neotoma-hooks", "limit": 1})
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

    def _in_time(self, ask: Callable[[Http, float], T]) -> T:
        """What `ask` returns or raises, at the latest when `request_seconds` are over.

        The time-outs of a socket do not see to that: they begin anew with each byte of a status line or header.
        """
        http = self._connected()
        deadline = time.monotonic() + self.request_seconds
        late = OutcomeUnknown(f"{self.name} did not answer within {self.request_seconds:g} s")
        answer = side_by_side(lambda _: ask(http, deadline), [""], 1, deadline).get("", late)
        if isinstance(answer, StoreError):
            raise answer
        return answer

    def _post(self, path: str, body: bytes) -> dict[str, Any]:
        return self._in_time(lambda http, deadline: http.post(path, body, deadline))

    def _read(self, path: str, query: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self._post(path, _bytes(query))
        except WriteRefused as error:
            raise reading(error) from error

    def _query(self, query: Mapping[str, Any]) -> dict[str, Any]:
        return self._read("/entities/query", query)

    def _newest(self, type: str, limit: int) -> list[StoredEntity]:
        """The newest entities of a type, newest first."""
        found: list[StoredEntity] = []
        order = {"entity_type": type, "sort_by": "last_observation_at", "sort_order": "desc"}
        while len(found) < limit and len(found) <= LAST_OFFSET:
            page = min(limit - len(found), PAGE)
            new = answers.rows(self._query({**order, "limit": page, "offset": len(found)}), "entities")
            found += [answers.stored(row) for row in new]
            if len(new) < page:
                break
        return found[:limit]

    def _relationships(self, query: Mapping[str, Any]) -> list[dict[str, Any]]:
        """All edges that the query asks for, oldest first; the server tells the newest first [94]."""
        found: list[dict[str, Any]] = []
        for _ in range(MOST_PAGES):
            answer = self._read("/list_relationships", {**query, "limit": PAGE, "offset": len(found)})
            new = answers.rows(answer, "relationships")
            found += new
            total = answer.get("total")
            if not new or not isinstance(total, int) or len(found) >= total:
                break
        found.reverse()
        return sorted(found, key=lambda row: str(row.get("last_observation_at")))

    def _entities(self, ids: Sequence[str]) -> list[StoredEntity]:
        """The entities with these ids, without those that the server does not know. Raises StoreError."""
        http = self._connected()
        deadline = time.monotonic() + self.request_seconds
        late = OutcomeUnknown(f"{self.name} did not answer within {self.request_seconds:g} s")
        told = side_by_side(lambda one: _entity(http, one, deadline), ids, MOST_CONNECTIONS, deadline)
        found = []
        for id in ids:
            answer = told.get(id, late)
            if isinstance(answer, StoreError):
                raise answer
            if answer is not None:
                found.append(answer)
        return found


def _entity(http: Http, id: str, deadline: float) -> StoredEntity | None:
    try:
        return answers.stored(http.post("/get_entity_snapshot", _bytes({"entity_id": id}), deadline))
    except WriteRefused as error:
        if error.code == "RESOURCE_NOT_FOUND":
            return None
        raise reading(error) from error


def _hits(http: Http, needle: str, deadline: float) -> list[Entity]:
    """What the server finds for one needle, and the person whom something with that name in its own would hide.

    Names of persons with an e-mail address are searched only where no canonical name contains the needle [32, 234];
    asked for persons alone, the server does search them.
    """
    from neotoma_hooks.protocol.matching import matches

    found, is_direct = _retrieve(http, {"identifier": needle}, deadline)
    if is_direct and not any(matches(needle, hit) for hit in found):
        found += _retrieve(http, {"identifier": needle, "entity_type": "person"}, deadline)[0]
    return found


def _retrieve(http: Http, query: Mapping[str, Any], deadline: float) -> tuple[list[Entity], bool]:
    """The hits, and whether they were found by canonical name."""
    answer = http.post("/retrieve_entity_by_identifier", _bytes({**query, "limit": HITS_ASKED_FOR}), deadline)
    mode = answer.get("match_mode")
    found = answers.rows(answer, "entities")
    # The nearest neighbours of a text are no sign that it names them
    return [] if mode == "semantic" else [answers.hit(row) for row in found], mode == "direct"


def _bytes(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body).encode("ascii")
