"""One write from outbox to store, whatever the server does to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks.delivery import Delivered, Known, deliver
from neotoma_hooks.errors import OutcomeUnknown, StoreBusy, Unauthorised, WriteRefused
from neotoma_hooks.freezing import MOST_UNANSWERED
from neotoma_hooks.protocol.writes import Message
from neotoma_hooks.state.outbox import Entry, Outbox
from neotoma_hooks.stores.neotoma import NeotomaStore
from standin import StandIn, faults, http_face


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as running:
        yield running


@pytest.fixture
def store(server: StandIn) -> Iterator[NeotomaStore]:
    client = NeotomaStore(server.url, request_seconds=2.0)
    yield client
    client.close()


def entry(content: str = "hello", turn: str = "t1", role: str = "user", **more: Any) -> Entry:
    message = Message(more.get("conversation", "c1"), turn, role, content, 1, "test")
    return Entry(message, "c1", more.get("refers_to", []), more.get("known_from", ""), 0)


def send(one: Entry, store: NeotomaStore, conversation: str | None = None) -> Delivered:
    return deliver(one, store, Known(conversation, set(), set()), 8, keep=lambda changed: None)


def contents(server: StandIn) -> list[str]:
    return [message.fields["content"] for message in server.entities("conversation_message")]


def test_bytes_are_kept_before_they_are_sent(server: StandIn, store: NeotomaStore) -> None:
    """What was frozen first is what is sent at every later try."""
    one = entry()
    kept: list[str] = []
    server.misbehave(faults.cut_after_commit, path="/store", times=1)
    with pytest.raises(OutcomeUnknown):
        deliver(one, store, Known(None, set(), set()), 8, keep=lambda changed: kept.append(changed.body))
    later = Known("ent_" + "0" * 24, set(), set())
    deliver(one, store, later, 8, keep=lambda changed: kept.append(changed.body))
    first, second = server.requests_to("/store")
    assert first.body == second.body == kept[0].encode()
    assert len(kept) == 1


def test_write_that_was_stored_but_not_confirmed_is_stored_once(server: StandIn, store: NeotomaStore) -> None:
    """The connection breaks after the commit: the retry is a replay with all edges in place."""
    ada = server.remember("person", "Ada Lovelace")
    one = entry("hi Ada", refers_to=[{"id": ada, "name": "Ada Lovelace", "type": "person"}], known_from=server.url)
    server.misbehave(faults.cut_after_commit, path="/store", times=1)
    with pytest.raises(OutcomeUnknown):
        send(one, store)
    done = send(one, store)
    assert done.how == "replayed"
    assert contents(server) == ["hi Ada"]
    assert sorted(edge[0] for edge in server.edges()) == ["PART_OF", "REFERS_TO"]


def test_edges_that_the_server_left_out_are_created(server: StandIn, store: NeotomaStore) -> None:
    """The receipt is compared with what was asked, and repaired."""
    ada = server.remember("person", "Ada Lovelace")
    one = entry("hi Ada", refers_to=[{"id": ada, "name": "Ada Lovelace", "type": "person"}], known_from=server.url)
    server.misbehave(faults.fewer_edges(0), path="/store", times=1)
    done = send(one, store)
    assert done.repaired_edges == 2
    assert sorted(edge[0] for edge in server.edges()) == ["PART_OF", "REFERS_TO"]


def test_replayed_with_nothing_in_it_is_no_success(server: StandIn, store: NeotomaStore) -> None:
    """A burned key: the message is looked up, is not there, and is stored under another key (captures 146-148)."""
    server.misbehave(faults.replayed_empty, path="/store", times=1)
    done = send(entry(), store)
    assert done.how == "stored"
    assert contents(server) == ["hello"]


def test_replayed_with_nothing_in_it_is_believed_when_the_message_is_there(
    server: StandIn, store: NeotomaStore
) -> None:
    """The same answer may come from a race between two identical requests."""
    send(entry(), store)
    server.misbehave(faults.replayed_empty, path="/store", times=1)
    assert send(entry(), store).how == "replayed"
    assert contents(server) == ["hello"]


def test_two_turns_whose_keys_read_the_same_are_both_stored(server: StandIn, store: NeotomaStore) -> None:
    """Conversation "a-b" with turn "c" and "a" with "b-c" have one idempotency key; the second gets one of its own."""
    send(entry("first", turn="c", conversation="a-b"), store)
    send(entry("second", turn="b-c", conversation="a"), store)
    assert sorted(contents(server)) == ["first", "second"]


def test_same_turn_with_other_content_gets_another_id(server: StandIn, store: NeotomaStore) -> None:
    """One turn key never gets a second content: the message takes the next id that is nobody's, here or there."""
    send(entry("first"), store)
    send(entry("a reply alone", turn="t1~2", role="assistant"), store)
    second = entry("second")
    kept: list[str] = []
    deliver(second, store, Known(None, {"t1~3"}, set()), 8, keep=lambda changed: kept.append(changed.message.turn_id))
    assert contents(server) == ["first", "a reply alone", "second"]
    assert kept == ["t1", "t1~4"]
    again = entry("second")
    assert deliver(again, store, Known(None, {"t1~3"}, set()), 8, keep=lambda changed: None).how == "replayed"
    assert again.message.turn_id == "t1~4"


@pytest.mark.parametrize("answered", range(4))
def test_server_that_breaks_off_while_another_id_is_looked_for(
    server: StandIn, store: NeotomaStore, answered: int, tmp_path: Path
) -> None:
    """Wherever it does, the next try begins with the message as it was, and writes over no other."""
    send(entry("first"), store)
    send(entry("other", turn="t1~2"), store)
    outbox = Outbox(str(tmp_path / "outbox"), str(tmp_path / "rejected"))
    name = outbox.add(entry("second"))
    one = outbox.load(name)
    assert one is not None
    well: list[http_face.Fault] = [faults.delayed(0)] * answered
    server.misbehave(*well, faults.status(500), path="/entities/query", times=1)
    with pytest.raises(OutcomeUnknown):
        send(one, store)
    outbox.replace(name, one)
    server.behave()
    again = outbox.load(name)
    assert again is not None
    send(again, store)
    assert contents(server) == ["first", "other", "second"]
    assert again.message.turn_id == "t1~3"


def test_burned_key_of_a_turn_that_is_taken(server: StandIn, store: NeotomaStore) -> None:
    """Also where the server says "replayed" with nothing in it, no message is written over another."""
    send(entry("first"), store)
    server.misbehave(faults.replayed_empty, path="/store", times=1)
    send(entry("second"), store)
    assert contents(server) == ["first", "second"]


@pytest.mark.parametrize(("fault", "tries"), [(faults.status(500), 4), (faults.answer([]), 4), (faults.status(400), 1)])
def test_server_that_does_not_say_what_it_has(
    server: StandIn, store: NeotomaStore, fault: http_face.Fault, tries: int
) -> None:
    """A question that it cannot answer is asked a few times; then the write goes as it is."""
    first = send(entry(), store)
    server.misbehave(fault, path="/get_entity_snapshot")
    again = entry("again", turn="t2")
    for _ in range(tries - 1):
        with pytest.raises(OutcomeUnknown):
            send(again, store, first.conversation_entity_id)
    send(again, store, first.conversation_entity_id)
    assert contents(server) == ["hello", "again"]
    assert len(server.requests_to("/get_entity_snapshot")) == tries


@pytest.mark.parametrize("end", ["sent", "refused"])
def test_look_up_that_fails_is_tried_again_when_the_write_is_made_anew(
    server: StandIn, store: NeotomaStore, end: str, tmp_path: Path
) -> None:
    """How often a write was sent says nothing of its look-ups: frozen anew, they may fail a few times without harm."""
    ada = server.remember("person", "Ada Lovelace")
    outbox = Outbox(str(tmp_path / "outbox"), str(tmp_path / "rejected"))
    name = outbox.add(entry("Ada Lovelace said yes.", role="assistant"))
    one = outbox.load(name)
    assert one is not None
    if end == "sent":
        server.misbehave(faults.cut_before_commit, path="/store", times=5)
        for _ in range(5):
            with pytest.raises(OutcomeUnknown):
                send(one, store)
    else:
        one.unanswered = MOST_UNANSWERED
    outbox.reject(name, one, "too large")
    outbox.retry_rejected()
    retried = outbox.load(name)
    assert retried is not None
    assert retried.attempts == one.attempts
    server.misbehave(faults.status(500), path="/retrieve_entity_by_identifier", times=1)
    with pytest.raises(OutcomeUnknown):
        send(retried, store)
    send(retried, store)
    assert [edge[2] for edge in server.edges("REFERS_TO")] == [ada]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (faults.status(401), Unauthorised),
        (faults.status(403), Unauthorised),
        (faults.status(429, retry_after=3), StoreBusy),
        (faults.status(429), StoreBusy),
        (faults.status(500), OutcomeUnknown),
        (faults.status(503), OutcomeUnknown),
        (faults.status(413), WriteRefused),
        (faults.html_page(502), OutcomeUnknown),
        (faults.half_a_body, OutcomeUnknown),
        (faults.never_answer, OutcomeUnknown),
        (faults.drip, OutcomeUnknown),
        (faults.cut_before_commit, OutcomeUnknown),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_each_answer_is_told_apart(server: StandIn, store: NeotomaStore, fault: Any, error: type[Exception]) -> None:
    """Every way a store can fail is one of our errors, in bounded time, and the write gets in once all is well."""
    one = entry()
    server.misbehave(fault, path="/store", times=1)
    with pytest.raises(error) as raised:
        send(one, store)
    assert "hello" not in str(raised.value)
    send(one, store)
    assert contents(server) == ["hello"]


def test_entities_known_from_another_store_are_looked_up_by_name(server: StandIn, store: NeotomaStore) -> None:
    """After a change of store the old ids mean nothing: the edge goes to the entity of that name, or nowhere."""
    ada = server.remember("person", "Ada Lovelace")
    old = [{"id": "ent_" + "1" * 24, "name": "Ada Lovelace", "type": "person"},
           {"id": "ent_" + "2" * 24, "name": "Nobody Here", "type": "person"}]  # fmt: skip
    send(entry("hi", refers_to=old, known_from="embedded"), store)
    assert [edge[2] for edge in server.edges("REFERS_TO")] == [ada]


def test_conversation_is_sent_only_until_its_id_is_known(server: StandIn, store: NeotomaStore) -> None:
    """Sending it with every turn would cost a server more with every turn."""
    first = send(entry(), store)
    second = send(entry("again", turn="t2"), store, first.conversation_entity_id)
    assert second.conversation_entity_id == first.conversation_entity_id
    types = [
        [item["entity_type"] for item in json.loads(seen.body)["entities"]] for seen in server.requests_to("/store")
    ]
    assert types == [["conversation", "conversation_message"], ["conversation_message"]]
