"""The client against a stand-in that answers, and misbehaves, as a real server does."""

from __future__ import annotations

import importlib
import json
import logging
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import neotoma_hooks
from neotoma_hooks.errors import (
    KeyMismatch,
    OutcomeUnknown,
    ReadRefused,
    StoreAway,
    StoreBusy,
    StoreError,
    Unauthorised,
    WriteRefused,
)
from neotoma_hooks.protocol.writes import Message, frozen_write
from neotoma_hooks.stores.base import Edge
from neotoma_hooks.stores.neotoma import NeotomaStore
from standin import StandIn, faults

LIB = str(Path(neotoma_hooks.__file__).parents[1])
TOKEN = "a-secret-token"


@pytest.fixture(scope="module", autouse=True)
def httpx_is_imported() -> None:
    """Its import takes long on a busy machine, and is no part of what is timed here."""
    importlib.import_module("httpx")


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as running:
        yield running


@pytest.fixture
def store(server: StandIn) -> Iterator[NeotomaStore]:
    opened = NeotomaStore(server.url, request_seconds=5.0)
    yield opened
    opened.close()


def impatient(server: StandIn, token: str = "", seconds: float = 0.5) -> NeotomaStore:
    return NeotomaStore(server.url, token, request_seconds=seconds)


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def message(content: str = "hello", turn: str = "t1", role: str = "user", conversation: str = "c1") -> Message:
    return Message(
        conversation_id=conversation, turn_id=turn, role=role, content=content, turn_number=1, harness="test-agent"
    )


def write(
    content: str = "hello", turn: str = "t1", *refers_to: str, conversation_entity_id: str | None = None
) -> bytes:
    return frozen_write(message(content, turn), conversation_entity_id, refers_to)


# Look-ups


def test_hits_of_both_shapes_are_read_alike(server: StandIn, store: NeotomaStore) -> None:
    """A hit by canonical name and one by a field give the same entity: id, type, name as written, flat fields."""
    id = server.remember("company", "Acme Corp", industry="anvils")
    found = store.look_up(["Acme", "Acme Corp"], soon())
    assert found.failed == {}
    assert found.error is None
    for needle in ("Acme", "Acme Corp"):
        (hit,) = found.hits[needle]
        assert (hit.id, hit.type, hit.name, hit.canonical_name) == (id, "company", "Acme Corp", "Acme")
        assert hit.fields == {"name": "Acme Corp", "industry": "anvils"}


def test_miss_is_an_answer(store: NeotomaStore) -> None:
    """Nothing found is no failure."""
    found = store.look_up(["Zorblatt Industries"], soon())
    assert (found.hits, found.failed, found.error) == ({"Zorblatt Industries": []}, {}, None)


def test_aliases_are_told(server: StandIn, store: NeotomaStore) -> None:
    """Other names come as aliases, be they a list or one text, and not as a field."""
    server.remember("company", "Initech", aliases=["Initrode", "ITC"])
    server.remember("company", "Hooli", aliases="Hooli XYZ")
    found = store.look_up(["Initech", "Hooli"], soon()).hits
    assert [hit.aliases for needle in ("Initech", "Hooli") for hit in found[needle]] == [
        ("Initrode", "ITC"),
        ("Hooli XYZ",),
    ]
    assert all("aliases" not in hit.fields for hits in found.values() for hit in hits)


def test_id_is_found(server: StandIn, store: NeotomaStore) -> None:
    """An entity id is looked up like a name."""
    id = server.remember("company", "Acme Corp")
    assert [hit.id for hit in store.look_up([id], soon()).hits[id]] == [id]


def test_empty_needle_is_never_sent(server: StandIn, store: NeotomaStore) -> None:
    """The server would return everything (capture 45)."""
    server.remember("company", "Acme Corp")
    found = store.look_up(["", "  ", "\n"], soon())
    assert not any(found.hits.values())
    assert server.requests == []


def test_needle_is_asked_once(server: StandIn, store: NeotomaStore) -> None:
    """The same needle twice is one request."""
    store.look_up(["Zorblatt", "Zorblatt"], soon())
    assert len(server.requests) == 1


def test_person_behind_a_name_that_contains_his_is_found(server: StandIn, store: NeotomaStore) -> None:
    """A person is stored by his e-mail address, and the server looks at names only where no canonical name contains the
    needle; an institute with his name in its own must not hide him (capture 234)."""
    institute = server.remember("company", "Ada Lovelace Institute")
    person = server.remember("person", "Ada Lovelace", email="ada@example.com")
    assert {hit.id for hit in store.look_up(["Ada Lovelace"], soon()).hits["Ada Lovelace"]} == {institute, person}


def test_look_ups_run_side_by_side(server: StandIn, store: NeotomaStore) -> None:
    """Eight look-ups of a second each take less time than four of them one after the other."""
    server.misbehave(delay=1.0)
    started = time.monotonic()
    found = store.look_up([f"needle {number}" for number in range(8)], soon())
    assert len(found.hits) == 8
    assert time.monotonic() - started < 4


def test_deadline_cuts_off_what_is_late(server: StandIn, store: NeotomaStore) -> None:
    """What has arrived is kept, the rest is named as failed, and the caller goes on at the deadline."""
    id = server.remember("company", "Acme Corp")
    server.misbehave(faults.never_answer, times=1)
    started = time.monotonic()
    found = store.look_up(["slow", "Acme"], soon(2))
    assert time.monotonic() - started < 10
    names = {needle: [hit.id for hit in hits] for needle, hits in found.hits.items()}
    assert names in ({"Acme": [id]}, {"slow": []})
    assert len(found.failed) == 1
    assert isinstance(found.error, OutcomeUnknown)


def test_deadline_holds_against_a_dripping_answer(server: StandIn, store: NeotomaStore) -> None:
    """A byte a second is always within the time-out of one read, but not within the deadline."""
    server.misbehave(faults.drip)
    started = time.monotonic()
    assert "Acme" in store.look_up(["Acme"], soon(0.4)).failed
    assert time.monotonic() - started < 10


def test_deadline_that_has_passed_asks_nobody(server: StandIn, store: NeotomaStore) -> None:
    """No time left means all failed."""
    assert list(store.look_up(["Acme"], time.monotonic() - 1).failed) == ["Acme"]
    assert server.requests == []


def test_late_answers_disturb_nobody(server: StandIn, capfd: pytest.CaptureFixture[str]) -> None:
    """Requests that are still under way when the store is closed end without a word on stderr."""
    server.misbehave(faults.delayed(0.4))
    opened = NeotomaStore(server.url)
    opened.look_up([f"needle {number}" for number in range(20)], soon(0.1))
    opened.close()
    opened.close()
    for thread in threading.enumerate():
        if thread.daemon and thread is not threading.current_thread() and "standin" not in thread.name:
            thread.join(1.0)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (faults.status(401), Unauthorised),
        (faults.status(429, retry_after=1), StoreBusy),
        (faults.status(500), OutcomeUnknown),
        (faults.status(400), ReadRefused),
        (faults.status(404), StoreAway),
        (faults.html_page(502), OutcomeUnknown),
        (faults.cut_after_commit, OutcomeUnknown),
        (faults.half_a_body, OutcomeUnknown),
        (faults.huge(), OutcomeUnknown),
        (faults.deep_json(), StoreError),
        (faults.raw(b"nonsense\r\n\r\n"), OutcomeUnknown),
        (faults.redirect("http://127.0.0.1:9"), StoreAway),
        (faults.answer({"entities": 5}), ReadRefused),
        (faults.answer({"entities": ["x"], "match_mode": "direct"}), ReadRefused),
        (faults.answer({"entities": [{"snapshot": []}], "match_mode": "direct"}), ReadRefused),
        (faults.answer([]), OutcomeUnknown),
    ],
)
def test_look_up_that_goes_wrong_fails_alone(
    server: StandIn, store: NeotomaStore, fault: Any, error: type[StoreError]
) -> None:
    """Whatever a server does, a look-up ends as a named failure, and the next is answered."""
    server.misbehave(fault, times=1)
    found = store.look_up(["Acme"], soon())
    assert list(found.failed) == ["Acme"]
    assert isinstance(found.error, error)
    assert found.hits == {}
    assert store.look_up(["Acme"], soon()).failed == {}


def test_nearest_neighbours_are_no_hits(server: StandIn, store: NeotomaStore) -> None:
    """A semantic match says nothing of what the needle names."""
    hit = {"id": "ent_000000000000000000000000", "entity_type": "person", "canonical_name": "x", "snapshot": {}}
    server.misbehave(faults.answer({"entities": [hit], "total": 1, "match_mode": "semantic"}))
    assert store.look_up(["Acme"], soon()).hits == {"Acme": []}


# Writes


def test_frozen_bytes_are_sent_as_they_are(server: StandIn, store: NeotomaStore) -> None:
    """A server compares replays byte for byte, so not one may change on the way."""
    body = write('odd \ud83d \x00 "quoted" \r\n é')
    store.put(body)
    assert server.requests[-1].body == body
    assert server.requests[-1].headers["content-type"] == "application/json"
    assert server.entities("conversation_message")[0].fields["content"] == 'odd \ud83d \x00 "quoted" \r\n é'


def test_receipt_names_ids_by_type(server: StandIn, store: NeotomaStore) -> None:
    """Of a first write ids and edges are told; of a replay, whose order is another (capture 4), ids only."""
    acme = server.remember("company", "Acme Corp")
    first = store.put(write("hello", "t1", acme))
    ids = {entity.type: entity.id for entity in server.entities() if entity.type != "company"}
    assert (first.replayed, first.entity_ids) == (False, ids)
    assert {edge.as_tuple() for edge in first.edges} == set(server.edges())
    again = store.put(write("hello", "t1", acme))
    assert (again.replayed, again.entity_ids, again.edges) == (True, ids, [])


def test_edges_that_were_left_out_are_missing_from_the_receipt(server: StandIn, store: NeotomaStore) -> None:
    """What the server did not create, the receipt does not claim, so that `link` can repair it."""
    acme = server.remember("company", "Acme Corp")
    server.misbehave(faults.fewer_edges(1), times=1)
    receipt = store.put(write("hello", "t1", acme))
    assert [edge.type for edge in receipt.edges] == ["PART_OF"]
    wanted = Edge("REFERS_TO", receipt.entity_ids["conversation_message"], acme)
    for _ in range(2):
        store.link([wanted])
    assert server.edges("REFERS_TO") == [wanted.as_tuple()]


def test_no_edges_need_no_request(server: StandIn, store: NeotomaStore) -> None:
    """The server refuses an empty list (capture 84)."""
    store.link([])
    assert server.requests == []


def test_edges_that_fail_are_not_taken_for_created(server: StandIn, store: NeotomaStore) -> None:
    """An answer that counts errors, or names fewer edges than asked for, is no success."""
    edge = Edge("REFERS_TO", "ent_" + "a" * 24, "ent_" + "b" * 24)
    server.misbehave(
        faults.answer({"success": True, "created_count": 0, "error_count": 1, "relationships": [], "errors": [{}]}),
        faults.answer({"success": True, "created_count": 0, "error_count": 0, "relationships": [], "errors": []}),
        times=1,
    )
    for _ in range(2):
        with pytest.raises(OutcomeUnknown):
            store.link([edge])
    store.link([edge])


def test_replay_of_nothing_names_no_ids(server: StandIn, store: NeotomaStore) -> None:
    """A burned key is answered with success and no entities (captures 146-148); the receipt shows it."""
    server.misbehave(faults.replayed_empty, times=1)
    receipt = store.put(write())
    assert (receipt.replayed, receipt.entity_ids, receipt.edges) == (True, {}, [])


def test_key_with_other_content_is_a_mismatch(store: NeotomaStore) -> None:
    """The error carries the server's code and none of the content."""
    store.put(write("first words"))
    with pytest.raises(KeyMismatch) as raised:
        store.put(write("second words"))
    assert raised.value.code == "ERR_IDEMPOTENCY_MISMATCH"
    assert "words" not in str(raised.value)


def test_refusal_names_its_reason(server: StandIn, store: NeotomaStore) -> None:
    """All three formats of errors are read: nested with issues, flat, and a page."""
    store.put(write())
    wrong_role = json.loads(write("answer"))
    wrong_role["entities"][1] |= {"role": "assistant", "sender_kind": "assistant"}
    wrong_role["idempotency_key"] = "another"
    with pytest.raises(WriteRefused) as raised:
        store.put(json.dumps(wrong_role).encode())
    assert raised.value.code == "ERR_CONVERSATION_MESSAGE_ROLE_CONFLICT"
    with pytest.raises(WriteRefused) as raised:
        store.put(b'{"entities": [{"entity_type": "person", "name": "x"}], "idempotency_key": "k", "foo": 1}')
    assert raised.value.code == "ERR_UNKNOWN_FIELD"
    with pytest.raises(WriteRefused) as raised:
        store.put(b"{ this is not JSON")
    assert raised.value.code == "400"
    server.misbehave(faults.status(413))
    with pytest.raises(WriteRefused) as raised:
        store.put(write("other", "t2"))
    assert raised.value.code == "413"
    server.behave()
    server.misbehave(faults.answer({"error_code": "ERR_IDEMPOTENCY_COLLISION", "message": "x"}, 409))
    with pytest.raises(KeyMismatch):
        store.put(write("other", "t3"))


@pytest.mark.parametrize(
    ("fault", "error", "stored"),
    [
        (faults.cut_before_commit, OutcomeUnknown, False),
        (faults.cut_after_commit, OutcomeUnknown, True),
        (faults.half_a_body, OutcomeUnknown, True),
        (faults.status(500), OutcomeUnknown, False),
        (faults.status(503), OutcomeUnknown, False),
        (faults.after_commit(faults.status(500)), OutcomeUnknown, True),
        (faults.after_commit(faults.html_page(200)), OutcomeUnknown, True),
        (faults.after_commit(faults.huge()), OutcomeUnknown, True),
        (faults.after_commit(faults.deep_json()), OutcomeUnknown, True),
        (faults.after_commit(faults.answer({"success": True})), OutcomeUnknown, True),
        (faults.after_commit(faults.answer({"replayed": False, "entities": [{}]})), OutcomeUnknown, True),
        (faults.status(401), Unauthorised, False),
        (faults.status(403), Unauthorised, False),
        (faults.answer({"error_code": "OVERRIDE_POLICY_VIOLATION"}, 403), WriteRefused, False),
    ],
)
def test_write_that_goes_wrong_can_be_sent_again(
    server: StandIn, store: NeotomaStore, fault: Any, error: type[StoreError], stored: bool
) -> None:
    """Whether or not it took effect, the error tells which is possible, and the same bytes end up there once."""
    server.misbehave(fault, times=1)
    with pytest.raises(error):
        store.put(write())
    assert bool(server.entities()) == stored
    receipt = store.put(write())
    assert receipt.replayed == stored
    assert len(server.entities("conversation_message")) == 1


@pytest.mark.parametrize("fault", [faults.never_answer, faults.drip, faults.dripping(0.1)])
def test_write_waits_no_longer_than_allowed(server: StandIn, fault: Any) -> None:
    """Silence, a byte a second, and bytes that are each in time all end as an unknown outcome when time is over."""
    opened = impatient(server)
    server.misbehave(fault, times=1)
    started = time.monotonic()
    with pytest.raises(OutcomeUnknown):
        opened.put(write())
    assert time.monotonic() - started < 10
    opened.put(write())
    opened.close()


def test_server_that_is_away_got_nothing(server: StandIn) -> None:
    """Refused is not unknown; as soon as it is back, the same store goes on."""
    opened = impatient(server, seconds=5.0)
    opened.put(write())
    with server.away():
        with pytest.raises(StoreAway):
            opened.put(write("hello", "t2"))
        found = opened.look_up(["Acme"], soon())
        assert isinstance(found.error, StoreAway)
    opened.put(write("hello", "t2"))
    assert len(server.entities("conversation_message")) == 2
    opened.close()


def test_host_that_is_no_host_is_away() -> None:
    """A name that does not resolve, and an address that is none, are told as such."""
    for url in ("http://no-such-host.invalid:1", "http://[::1:80", "http://127.0.0.1:99999"):
        opened = NeotomaStore(url, request_seconds=2.0)
        with pytest.raises(StoreAway):
            opened.put(write())
        assert isinstance(opened.look_up(["Acme"], soon(2.0)).error, StoreAway)
        opened.close()


def test_busy_server_says_how_long(server: StandIn, store: NeotomaStore) -> None:
    """`Retry-After` is understood in seconds and as a date, never negative, and has a default."""
    server.misbehave(
        faults.status(429, retry_after=7),
        faults.status(429, retry_after=faults.http_date(9)),
        faults.status(429, retry_after=faults.http_date(-100)),
        faults.status(429, retry_after="soon"),
        faults.status(429),
        times=1,
    )
    waits = []
    for _ in range(5):
        with pytest.raises(StoreBusy) as raised:
            store.put(write())
        waits.append(raised.value.retry_after)
    assert waits[0] == 7
    assert 7 < waits[1] <= 9
    assert waits[2] == 0
    assert waits[3] > 0
    assert waits[4] > 0


def test_rate_limit_of_a_real_server() -> None:
    """The write after 120 within a minute is told to wait; look-ups go on."""
    with StandIn(rate_limited=True) as server:
        opened = NeotomaStore(server.url)
        for _ in range(120):
            opened.put(write())
        with pytest.raises(StoreBusy) as raised:
            opened.put(write())
        assert 0 < raised.value.retry_after <= 60
        assert opened.look_up(["Acme"], soon()).error is None
        opened.close()


# Who is asked, and with what


def test_bearer_is_sent_only_when_there_is_one(server: StandIn, store: NeotomaStore) -> None:
    """A made-up token would be refused (capture 121), so without one nothing is sent."""
    store.put(write())
    assert "authorization" not in server.requests[-1].headers


def test_bearer_is_sent_where_it_belongs() -> None:
    """The right one is accepted; a wrong one is an error that does not tell it."""
    with StandIn(token=TOKEN, requires_token=True) as server:
        opened = NeotomaStore(server.url, TOKEN)
        opened.put(write())
        assert server.requests[-1].headers["authorization"] == f"Bearer {TOKEN}"
        opened.close()
        wrong = NeotomaStore(server.url, TOKEN + "x")
        with pytest.raises(Unauthorised) as raised:
            wrong.put(write())
        assert TOKEN not in str(raised.value)
        assert isinstance(wrong.look_up(["Acme"], soon()).error, Unauthorised)
        wrong.close()


def test_redirect_to_another_host_is_not_followed(server: StandIn) -> None:
    """Neither message nor token reaches the host that a redirect names."""
    with StandIn(token=TOKEN) as other:
        for code in (301, 302, 303, 307, 308):
            server.misbehave(faults.redirect(other.url, code), times=1)
            opened = NeotomaStore(server.url, "")
            with pytest.raises(StoreAway):
                opened.put(write())
            opened.close()
        assert other.requests == []


def test_proxy_is_not_asked_for_this_machine(server: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy variables of the environment do not concern a server on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.settimeout(0.05)
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.getsockname()[1]}")
        opened = NeotomaStore(server.url)
        opened.put(write())
        opened.close()
        with pytest.raises(TimeoutError):
            proxy.accept()
    assert len(server.requests) == 1


def test_certificate_nobody_vouches_for_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A self-signed certificate is refused with its cause, and accepted when SSL_CERT_FILE names it."""
    with StandIn(tls=True, token=TOKEN) as server:
        stranger = NeotomaStore(server.url, TOKEN)
        with pytest.raises(StoreAway, match="certificate verify failed"):
            stranger.put(write())
        stranger.close()
        assert server.requests == []
        monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
        friend = NeotomaStore(server.url, TOKEN)
        friend.put(write())
        assert [hit.name for hit in friend.look_up(["c1:t1"], soon()).hits["c1:t1"]] == ["conversation_message:c1:t1"]
        friend.close()


def test_connections_are_kept(server: StandIn, store: NeotomaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten writes go over one connection."""
    accepted = []
    running = server._server
    assert running is not None
    as_before = running.process_request

    def counted(request: Any, address: Any) -> None:
        accepted.append(address)
        as_before(request, address)

    monkeypatch.setattr(running, "process_request", counted)
    for number in range(10):
        store.put(write("hello", f"t{number}"))
    assert len(accepted) == 1


def test_nothing_is_logged_or_told_of_the_content(
    server: StandIn, store: NeotomaStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Errors and log records hold neither what was written nor what was looked up."""
    caplog.set_level(logging.DEBUG, logger="neotoma_hooks")
    told = []
    for fault in (faults.status(500), faults.status(400), faults.half_a_body, faults.html_page(), faults.drip):
        server.misbehave(fault, times=1)
        opened = impatient(server, TOKEN)
        with pytest.raises(StoreError) as raised:
            opened.put(write("something confidential"))
        told.append(str(raised.value))
        told += opened.look_up(["confidential name"], soon()).failed.values()
        opened.close()
    assert "confidential" not in " ".join([*told, caplog.text])
    assert TOKEN not in " ".join([*told, caplog.text])


def test_proxy_of_a_kind_that_httpx_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    """Is a store that is away, not a hook that breaks."""
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    opened = NeotomaStore("http://neotoma.example")
    assert "proxy" in str(opened.look_up(["Acme"], soon()).error)
    with pytest.raises(StoreAway, match="proxy"):
        opened.put(b"{}")


def test_importing_the_client_costs_no_httpx() -> None:
    """A hook that talks to nobody does not pay for httpx."""
    code = (
        f"import sys, time; sys.path.insert(0, {LIB!r}); from neotoma_hooks.stores.neotoma import NeotomaStore\n"
        "store = NeotomaStore('http://127.0.0.1:9'); print('httpx' in sys.modules)\n"
        "store.look_up(['x'], time.monotonic() + 5); print('httpx' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


# Reading back


def test_message_is_found_by_its_exact_turn_key(store: NeotomaStore) -> None:
    """Content and fields come back as they were sent; another case is another key."""
    receipt = store.put(write("  exactly \r\n\x00this ", "T1"))
    found = store.message("c1:T1")
    assert found is not None
    assert (found.id, found.type) == (receipt.entity_ids["conversation_message"], "conversation_message")
    assert (found.fields["content"], found.fields["role"], found.fields["turn_number"]) == (
        "  exactly \r\n\x00this ",
        "user",
        1,
    )
    assert found.stored_at.endswith("Z")
    assert store.message("c1:t1") is None
    assert store.message("c1:t2") is None


def test_edges_are_read_oldest_first(server: StandIn, store: NeotomaStore) -> None:
    """All edges at an entity, whichever end it is; none for an unknown one."""
    names = [server.remember("person", f"Person {number}") for number in range(3)]
    receipt = store.put(write())
    id, conversation = receipt.entity_ids["conversation_message"], receipt.entity_ids["conversation"]
    for name in names:
        time.sleep(0.003)
        store.link([Edge("REFERS_TO", id, name)])
    assert store.edges_of(id) == [Edge("PART_OF", id, conversation), *(Edge("REFERS_TO", id, name) for name in names)]
    assert store.edges_of(conversation) == [Edge("PART_OF", id, conversation)]
    assert store.edges_of("ent_" + "0" * 24) == []


def test_more_edges_than_a_page_holds(server: StandIn, store: NeotomaStore) -> None:
    """Nothing is left out of a long list, and nothing named twice."""
    id = store.put(write()).entity_ids["conversation_message"]
    store.link([Edge("REFERS_TO", id, f"ent_{number:024x}") for number in range(1200)])
    assert len(store.edges_of(id)) == len(set(store.edges_of(id))) == 1201


def test_entity_is_read_by_id(server: StandIn, store: NeotomaStore) -> None:
    """One entity of any type with its fields, or None for an unknown id."""
    id = server.remember("company", "Acme Corp", industry="anvils")
    found = store.entity(id)
    assert found is not None
    assert (found.id, found.type, found.fields) == (id, "company", {"name": "Acme Corp", "industry": "anvils"})
    assert store.entity("ent_" + "0" * 24) is None


def test_conversations_are_read(store: NeotomaStore) -> None:
    """One by its id, or all, oldest first."""
    for conversation in ("c1", "c2", "c3"):
        store.put(frozen_write(message(conversation=conversation), None, []))
        time.sleep(0.003)
    assert [found.fields["conversation_id"] for found in store.conversations(None)] == ["c1", "c2", "c3"]
    assert [found.fields["conversation_id"] for found in store.conversations("c2")] == ["c2"]
    assert store.conversations("c4") == []


def test_all_conversations_are_all(server: StandIn, store: NeotomaStore) -> None:
    """Also when they are more than a page holds."""
    for number in range(520):
        server.remember("conversation", "", conversation_id=f"c{number:03}")
    assert len({found.id for found in store.conversations(None)}) == 520


def test_newest_messages_are_read(store: NeotomaStore) -> None:
    """The newest of a conversation, or of all, oldest of them first."""
    conversation = ""
    for number in range(1, 6):
        receipt = store.put(write(f"text {number}", f"t{number}"))
        conversation = receipt.entity_ids["conversation"]
        store.put(frozen_write(message("elsewhere", f"t{number}", conversation="c2"), None, []))
        time.sleep(0.003)
    told = [found.fields["content"] for found in store.messages(conversation, 3)]
    assert told == ["text 3", "text 4", "text 5"]
    assert [found.fields["content"] for found in store.messages(None, 2)] == ["text 5", "elsewhere"]
    assert len(store.messages(conversation, 1000)) == 5
    assert store.messages("ent_" + "0" * 24, 10) == []


def test_more_messages_than_a_page_holds(server: StandIn, store: NeotomaStore) -> None:
    """A limit above a page is kept, for one conversation and for all."""
    conversation = store.put(write()).entity_ids["conversation"]
    for number in range(700):
        entity = {"entity_type": "conversation_message", "turn_key": f"c1:x{number}", "role": "user", "content": "x"}
        edge = {"relationship_type": "PART_OF", "source_index": 0, "target_entity_id": conversation}
        body = {"entities": [entity], "relationships": [edge], "idempotency_key": f"x{number}"}
        store.put(json.dumps(body).encode())
    for which in (conversation, None):
        found = store.messages(which, 650)
        assert [one.fields["turn_key"] for one in found] == [f"c1:x{number}" for number in range(50, 700)]


def test_messages_that_cannot_be_read_in_time_are_not_left_out(server: StandIn) -> None:
    """A reader is told, instead of being given fewer messages than there are."""
    opened = impatient(server, seconds=0.5)
    conversation = opened.put(write()).entity_ids["conversation"]
    opened.put(write("more", "t2"))
    server.misbehave(faults.never_answer, path="/get_entity_snapshot", times=1)
    with pytest.raises(StoreError):
        opened.messages(conversation, 10)
    opened.close()


READS: dict[str, Callable[[NeotomaStore], object]] = {
    "message": lambda store: store.message("c1:t1"),
    "edges_of": lambda store: store.edges_of("ent_" + "0" * 24),
    "entity": lambda store: store.entity("ent_" + "0" * 24),
    "conversations": lambda store: store.conversations(None),
    "messages": lambda store: store.messages("ent_" + "0" * 24, 5),
    "all_messages": lambda store: store.messages(None, 5),
}


@pytest.mark.parametrize("read", READS)
def test_read_that_goes_wrong_raises_an_error_of_ours(server: StandIn, read: str) -> None:
    """Whatever the server answers, a reader gets what it asked for or a StoreError; a refusal is a ReadRefused."""
    odd: list[Any] = [5, None, "x", [], [5], ["x"], [None], [[]], [{}], {}]
    snapshots: list[Any] = [5, [5], "x", {"snapshot": 5}]
    odd += [[{"entity_id": "x", "entity_type": "y", "snapshot": snapshot}] for snapshot in snapshots]
    odd += [[{"source_entity_id": 1, "target_entity_id": None, "relationship_type": []}]]
    totals: list[Any] = ["x", [], -1]
    answers: list[Any] = [{"entities": value, "relationships": value, "total": 1} for value in odd]
    answers += [{"entities": [], "relationships": [], "total": total} for total in totals]
    answers += [{"entity_id": "x"}, {"entity_id": "x", "entity_type": "y", "snapshot": 5}]
    wrong = [faults.answer(answer) for answer in answers]
    wrong += [faults.status(500), faults.half_a_body, faults.deep_json(), faults.answer([]), faults.html_page(200)]
    for fault in wrong:
        server.misbehave(fault)
        opened = impatient(server, seconds=2.0)
        try:
            READS[read](opened)
        except StoreError:
            pass
        finally:
            opened.close()
            server.behave()
    server.misbehave(faults.status(400))
    opened = impatient(server)
    with pytest.raises(ReadRefused):
        READS[read](opened)
    opened.close()


def test_check_says_what_is_there(server: StandIn, store: NeotomaStore) -> None:
    """Version and address; a server that is away, or does not accept the token, is an error."""
    assert store.check() == f"Neotoma 0.22.0 at {server.url}"
    wrong = NeotomaStore(server.url, TOKEN)
    with pytest.raises(Unauthorised):
        wrong.check()
    wrong.close()
    with server.away(), pytest.raises(StoreAway):
        store.check()


def test_something_else_at_the_address_is_told(server: StandIn, store: NeotomaStore) -> None:
    """A web server that is no Neotoma does not pass for one."""
    server.misbehave(faults.status(404))
    with pytest.raises(StoreAway, match="Neotoma"):
        store.check()
    server.behave()
    server.misbehave(faults.answer({"ok": False}), path="/health")
    with pytest.raises(StoreError):
        store.check()
