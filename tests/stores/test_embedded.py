from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neotoma_hooks.errors import KeyMismatch, StoreAway, WriteRefused
from neotoma_hooks.protocol.writes import Message, frozen_write, under_other_key
from neotoma_hooks.stores import embedded
from neotoma_hooks.stores.base import Edge
from neotoma_hooks.stores.embedded import EmbeddedStore
from neotoma_hooks.stores.embedded_schema import VERSION

LIB = str(Path(embedded.__file__).parents[2])
SOON = time.monotonic() + 1e6


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "data" / "memory.sqlite3")


@pytest.fixture
def store(path: str) -> Iterator[EmbeddedStore]:
    opened = EmbeddedStore(path, busy_seconds=0.1)
    yield opened
    opened.close()


def message(turn: str = "t", role: str = "user", content: str = "Hello", conversation: str = "c") -> Message:
    return Message(conversation, turn, role, content, 1, "codex")


def write(turn: str = "t", role: str = "user", content: str = "Hello", conversation: str = "c", **more: Any) -> bytes:
    given = message(turn, role, content, conversation)
    body = frozen_write(given, more.pop("known", None), more.pop("refers_to", []))
    return under_other_key(body.decode(), more["key"]).encode() if "key" in more else body


def remember(store: EmbeddedStore, name: str, type: str = "person", **fields: Any) -> str:
    body = {
        "entities": [{"entity_type": type, "name": name, **fields}],
        "relationships": [],
        "idempotency_key": f"remember-{type}-{name}-{json.dumps(fields)}",
    }
    return store.put(json.dumps(body).encode()).entity_ids[type]


def found(store: EmbeddedStore, needle: str) -> list[str]:
    answer = store.look_up([needle], SOON)
    assert (answer.failed, answer.error) == ({}, None)
    return sorted(hit.name for hit in answer.hits[needle])


def count(store: EmbeddedStore, table: str) -> int:
    with sqlite3.connect(store.path) as connection:
        rows = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    connection.close()
    return int(rows[0])


def test_put(store: EmbeddedStore) -> None:
    """A write stores message and conversation, links them, and the receipt says what it did."""
    ada = remember(store, "Ada Lovelace")
    receipt = store.put(write(refers_to=[ada]))
    ids = receipt.entity_ids
    assert not receipt.replayed
    assert set(ids) == {"conversation", "conversation_message"}
    edges = [
        Edge("PART_OF", ids["conversation_message"], ids["conversation"]),
        Edge("REFERS_TO", ids["conversation_message"], ada),
    ]
    assert receipt.edges == edges
    assert set(store.edges_of(ids["conversation_message"])) == set(edges)
    assert store.edges_of(ada) == [edges[1]]
    stored = store.message("c:t")
    assert stored is not None
    assert stored.id == ids["conversation_message"]
    assert stored.fields == {
        "role": "user",
        "sender_kind": "user",
        "content": "Hello",
        "turn_key": "c:t",
        "turn_number": 1,
    }


def test_identity_of_a_conversation(store: EmbeddedStore) -> None:
    """Writes that both bring the conversation along share one, and one that points at it does too."""
    first = store.put(write("t1"))
    second = store.put(write("t2"))
    conversation = first.entity_ids["conversation"]
    third = store.put(write("t3", known=conversation))
    assert second.entity_ids["conversation"] == conversation
    assert third.entity_ids.keys() == {"conversation_message"}
    assert [kept.id for kept in store.conversations("c")] == [conversation]
    assert [kept.fields["turn_key"] for kept in store.messages(conversation, 10)] == ["c:t1", "c:t2", "c:t3"]


def test_conversations_of_different_agents_and_ids(store: EmbeddedStore) -> None:
    """Ids that differ in case only are different conversations; all can be listed, oldest first."""
    for conversation in ("c", "C", "d"):
        store.put(write(conversation=conversation))
    assert [kept.fields["conversation_id"] for kept in store.conversations(None)].count("c") == 1
    assert len(store.conversations(None)) == 3
    assert [kept.fields["conversation_id"] for kept in store.conversations("C")] == ["C"]
    assert store.conversations("x") == []


def test_replay(store: EmbeddedStore) -> None:
    """The same write again stores nothing and tells the same ids."""
    first = store.put(write())
    again = store.put(write())
    assert (first.replayed, again.replayed) == (False, True)
    assert again.entity_ids == first.entity_ids
    assert (count(store, "messages"), count(store, "entities"), count(store, "edges")) == (1, 2, 1)


def test_replay_creates_missing_edges(store: EmbeddedStore) -> None:
    """A replay that asks for more edges gets them."""
    ada = remember(store, "Ada")
    receipt = store.put(write())
    store.put(write(refers_to=[ada]))
    assert Edge("REFERS_TO", receipt.entity_ids["conversation_message"], ada) in store.edges_of(ada)


def test_mismatch(store: EmbeddedStore) -> None:
    """A key that was used for other content is refused, and nothing changes."""
    store.put(write(content="first"))
    with pytest.raises(KeyMismatch) as caught:
        store.put(write(content="second"))
    assert caught.value.code == "ERR_IDEMPOTENCY_MISMATCH"
    assert "second" not in str(caught.value)
    kept = store.message("c:t")
    assert kept is not None
    assert kept.fields["content"] == "first"


def test_one_message_never_overwrites_another(store: EmbeddedStore) -> None:
    """The same turn key with other content under another idempotency key is refused."""
    store.put(write(content="first"))
    with pytest.raises(WriteRefused) as caught:
        store.put(write(content="second", key="other"))
    assert caught.value.code == "ERR_TURN_KEY_TAKEN"
    assert count(store, "writes") == 1


def test_the_same_message_under_another_key(store: EmbeddedStore) -> None:
    """It is the same message."""
    first = store.put(write())
    assert store.put(write(key="other")).entity_ids == first.entity_ids
    assert count(store, "messages") == 1


def test_role_conflict(store: EmbeddedStore) -> None:
    """A message never changes its role."""
    store.put(write())
    body = json.loads(write(key="other"))
    body["entities"][1]["role"] = "assistant"
    with pytest.raises(WriteRefused) as caught:
        store.put(json.dumps(body).encode())
    assert caught.value.code == "ERR_CONVERSATION_MESSAGE_ROLE_CONFLICT"


def test_a_message_without_conversation(store: EmbeddedStore) -> None:
    """A message that is PART_OF nothing is refused."""
    body = json.loads(write())
    body["relationships"] = []
    with pytest.raises(WriteRefused) as caught:
        store.put(json.dumps(body).encode())
    assert caught.value.code == "ERR_NO_CONVERSATION"
    assert store.message("c:t") is None


def test_key_order_does_not_matter(store: EmbeddedStore) -> None:
    """The same content with its keys in another order is a replay."""
    store.put(write())
    body = json.loads(write())
    body["entities"] = [dict(reversed(entity.items())) for entity in body["entities"]]
    assert store.put(json.dumps(body, indent=1).encode()).replayed


def test_edges_are_idempotent(store: EmbeddedStore) -> None:
    """An edge exists once, however often it is asked for."""
    ada = remember(store, "Ada")
    id = store.put(write()).entity_ids["conversation_message"]
    edge = Edge("REFERS_TO", id, ada)
    for _ in range(3):
        store.link([edge, edge])
    assert store.edges_of(ada) == [edge]


def test_an_edge_never_dangles(store: EmbeddedStore) -> None:
    """An edge to an entity that does not exist is refused, with all that was to be stored with it."""
    with pytest.raises(WriteRefused):
        store.put(write(refers_to=["ent_nobody"]))
    assert store.message("c:t") is None
    assert (count(store, "entities"), count(store, "writes")) == (0, 0)
    with pytest.raises(WriteRefused):
        store.link([Edge("PART_OF", "ent_a", "ent_b")])
    assert not store.put(write()).replayed


@pytest.mark.parametrize(
    "content",
    ["\ud800", "a\udfff\ud800b", "\0", "a\0b", "\r\n\r\n", "  ends  ", "\ufeffBOM", "é", "e\u0301", "\U0001f600", ""],
    ids=ascii,
)
def test_content_is_exact(store: EmbeddedStore, content: str) -> None:
    """Content comes back code point for code point."""
    store.put(write(content=content))
    assert read_content(store, "c:t") == content


@settings(max_examples=50)
@given(content=st.text(st.characters(categories=["Cs", "Cc", "L", "S", "Z"]), min_size=1))
def test_any_content_is_exact(store: EmbeddedStore, content: str) -> None:
    """The same holds for any text that an event's JSON can carry."""
    content = str(json.loads(json.dumps(content)))
    turn = content.encode("utf-8", "surrogatepass").hex()
    store.put(write(turn, content=content))
    assert read_content(store, f"c:{turn}") == content


def test_a_megabyte(store: EmbeddedStore) -> None:
    """A long message is not cut."""
    content = "0123456789abcde\n" * 65_536
    store.put(write(content=content))
    assert read_content(store, "c:t") == content


def read_content(store: EmbeddedStore, turn_key: str) -> Any:
    kept = store.message(turn_key)
    assert kept is not None
    listed = [stored.fields["content"] for stored in store.messages(None, 1000) if stored.id == kept.id]
    again = store.entity(kept.id)
    assert again is not None
    assert listed == [kept.fields["content"]] == [again.fields["content"]]
    return kept.fields["content"]


@pytest.mark.parametrize("turn_key", ["c:T", "c:t ", " c:t", "c:t:assistant", "c:t\0", "t", ""])
def test_turn_keys_are_exact(store: EmbeddedStore, turn_key: str) -> None:
    """No other spelling of a turn key finds the message."""
    store.put(write())
    assert store.message(turn_key) is None


def test_odd_ids(store: EmbeddedStore) -> None:
    """Ids with surrogates and NUL are ids, and stay apart."""
    ids = ["\ud800", "\0", "a\0b", "a", "'; DROP TABLE entities; --"]
    for id in ids:
        store.put(write(conversation=id))
    assert [len(store.conversations(id)) for id in ids] == [1] * len(ids)
    assert [store.message(f"{id}:t") is not None for id in ids] == [True] * len(ids)


def test_messages_newest(store: EmbeddedStore) -> None:
    """`limit` keeps the newest, oldest of them first, of one conversation or of all."""
    for number in range(5):
        store.put(write(f"t{number}"))
        store.put(write(f"t{number}", conversation="d"))
    conversation = store.conversations("c")[0].id
    assert [kept.fields["turn_key"] for kept in store.messages(conversation, 2)] == ["c:t3", "c:t4"]
    assert [kept.fields["turn_key"] for kept in store.messages(None, 3)] == ["d:t3", "c:t4", "d:t4"]
    assert store.messages("ent_x", 5) == []


def test_entity(store: EmbeddedStore) -> None:
    """An entity of any type is found by its id, and no other."""
    ada = remember(store, "Ada", email="ada@example.org")
    kept = store.entity(ada)
    assert kept is not None
    assert (kept.type, kept.fields["email"]) == ("person", "ada@example.org")
    assert store.entity("ent_nobody") is None


def test_remembered_again(store: EmbeddedStore) -> None:
    """The same name and type is the same entity: fields are replaced, aliases added to."""
    first = remember(store, "Ada Lovelace", aliases=["Ada"], email="old@example.org", role="Analyst")
    second = remember(store, "ada  lovelace", aliases=["Countess", "Ada"], email="new@example.org")
    assert second == first
    kept = store.entity(first)
    assert kept is not None
    assert kept.fields["aliases"] == ["Ada", "Countess"]
    assert (kept.fields["email"], kept.fields["role"]) == ("new@example.org", "Analyst")
    assert remember(store, "Ada Lovelace", "ship") != first


LOOK_UPS = {
    "name": ("Ada Lovelace", "Ada Lovelace"),
    "case and spaces": ("ADA   lovelace", "Ada Lovelace"),
    "alias": ("the enchantress", "Ada Lovelace"),
    "e-mail": ("ADA@Example.org", "Ada Lovelace"),
    "company": ("Acme Corp.", "Acme Corp."),
    "company without its legal form": ("acme", "Acme Corp."),
    "company with another legal form": ("Acme Inc", "Acme Corp."),
    "domain": ("acme.example", "Acme Corp."),
    "ticket": ("PROJ-42", "PROJ-42"),
    "diacritics": ("Zoe Noel", "Zoë Noël"),
    "umlauts": ("Mueller GmbH", "Müller GmbH"),
}


@pytest.mark.parametrize("kind", LOOK_UPS)
def test_look_up(store: EmbeddedStore, kind: str) -> None:
    """A thing is found by all that it is called, and nothing else is."""
    remember(store, "Ada Lovelace", aliases=["The Enchantress"], email="ada@example.org")
    remember(store, "Adam Lovelace")
    remember(store, "Acme Corp.", "company", domain="acme.example")
    remember(store, "Acme Rockets", "company")
    remember(store, "PROJ-42", "ticket")
    remember(store, "PROJ-421", "ticket")
    remember(store, "Zoë Noël")
    remember(store, "Müller GmbH", "company")
    needle, name = LOOK_UPS[kind]
    assert found(store, needle) == [name]


@pytest.mark.parametrize(
    "needle", ["Ada", "Lovelace", "nobody", "%", "*", "", " ", "\0", "\ud800", "c", "c:t", "conversation:c"]
)
def test_look_up_of_what_nothing_is_called(store: EmbeddedStore, needle: str) -> None:
    """A part of a name, a pattern, and the store's own bookkeeping find nothing."""
    remember(store, "Ada Lovelace")
    store.put(write(content="Ada"))
    assert found(store, needle) == []


def test_look_up_by_id(store: EmbeddedStore) -> None:
    """An entity is found by the id that the agent was told."""
    assert found(store, remember(store, "Ada Lovelace")) == ["Ada Lovelace"]


def test_look_up_of_many(store: EmbeddedStore) -> None:
    """All needles are answered, each with its own hits; none at all is answered too."""
    remember(store, "Ada Lovelace")
    remember(store, "Acme", "company")
    answer = store.look_up(["Acme", "nobody", "Ada Lovelace"], SOON)
    assert {needle: [hit.name for hit in hits] for needle, hits in answer.hits.items()} == {
        "Acme": ["Acme"],
        "nobody": [],
        "Ada Lovelace": ["Ada Lovelace"],
    }
    assert store.look_up([], SOON).hits == {}


def test_two_of_one_name(store: EmbeddedStore) -> None:
    """A person and a ship of one name are both found."""
    remember(store, "Victoria")
    remember(store, "Victoria", "ship")
    assert found(store, "victoria") == ["Victoria", "Victoria"]


def test_reopened(path: str) -> None:
    """What was stored is there after the store was closed, twice, and opened again."""
    store = EmbeddedStore(path)
    store.put(write())
    store.close()
    store.close()
    again = EmbeddedStore(path)
    assert again.message("c:t") is not None
    assert again.put(write()).replayed
    again.close()


def test_private(store: EmbeddedStore, path: str) -> None:
    """The file, those SQLite puts beside it, and the folder are for their owner only."""
    before = os.umask(0)
    try:
        store.put(write())
        folder = os.path.dirname(path)
        modes = {name: stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for name in os.listdir(folder)}
    finally:
        os.umask(before)
    assert set(modes.values()) == {0o600}
    assert "memory.sqlite3" in modes
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700


def test_settings_of_the_database(store: EmbeddedStore) -> None:
    """A commit survives a power cut, readers do not wait for a writer, and foreign keys are checked."""
    store.put(write())
    connection = store._connection
    assert connection is not None
    pragmas = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "foreign_keys")
    }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_two_processes_at_once(path: str) -> None:
    """Processes that open a new store and write at the same moment all succeed, each write once."""
    code = f"""
import sys, time; sys.path.insert(0, {LIB!r})
from neotoma_hooks.protocol.writes import Message, frozen_write
from neotoma_hooks.stores.embedded import EmbeddedStore
path, name, start = sys.argv[1:]
time.sleep(max(0, float(start) - time.time()))
store = EmbeddedStore(path, busy_seconds=20)
for number in range(10):
    store.put(frozen_write(Message("c", f"shared-{{number}}", "user", "same", 1, "codex"), None, []))
    store.put(frozen_write(Message("c", f"{{name}}-{{number}}", "user", name, 1, "codex"), None, []))
"""
    start = str(time.time() + 0.7)
    processes = [subprocess.Popen([sys.executable, "-c", code, path, str(number), start]) for number in range(6)]
    assert [process.wait(60) for process in processes] == [0] * 6
    store = EmbeddedStore(path)
    keys = [kept.fields["turn_key"] for kept in store.messages(store.conversations("c")[0].id, 1000)]
    store.close()
    expected = {f"c:{name}-{number}" for name in ("shared", *range(6)) for number in range(10)}
    assert (len(keys), set(keys)) == (70, expected)


READS: dict[str, Callable[[EmbeddedStore], object]] = {
    "message": lambda store: store.message("c:t"),
    "edges_of": lambda store: store.edges_of("ent_1"),
    "entity": lambda store: store.entity("ent_1"),
    "conversations": lambda store: store.conversations("c"),
    "messages": lambda store: store.messages(None, 5),
    "check": lambda store: store.check(),
}
WRITES: dict[str, Callable[[EmbeddedStore], object]] = {
    "put": lambda store: store.put(write("other")),
    "link": lambda store: store.link([]),
}
ACTS = READS | WRITES


def look_up(store: EmbeddedStore) -> None:
    """Look something up, and raise what is only told of."""
    error = store.look_up(["Ada Lovelace"], SOON).error
    if error is not None:
        raise error


@pytest.fixture
def other(path: str) -> Iterator[sqlite3.Connection]:
    """Somebody else in a file with one message, who may lock it so that nobody can read it either."""
    store = EmbeddedStore(path)
    store.put(write())
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        yield other


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "to be opened"])
@pytest.mark.parametrize("name", [*ACTS, "look_up"])
def test_locked_for_one_that_hurries(path: str, other: sqlite3.Connection, name: str, is_open: bool) -> None:
    """Whatever it does, it waits no longer than it may; what takes no waiting is done also when the time is over."""
    act = {**ACTS, "look_up": look_up}[name]
    store = EmbeddedStore(path, busy_seconds=60)
    if is_open:
        store.check()
    other.execute("BEGIN EXCLUSIVE")
    for seconds in (0.2, 0.0, -1.0):
        started = time.monotonic()
        store.hurry(started + seconds)
        with pytest.raises(StoreAway, match="locked"):
            act(store)
        assert time.monotonic() - started < 30
    other.execute("ROLLBACK")
    act(store)
    store.close()


def test_look_up_in_a_locked_file_keeps_to_its_deadline(path: str, other: sqlite3.Connection) -> None:
    """Where others may wait for longer, too."""
    store = EmbeddedStore(path, busy_seconds=60)
    other.execute("BEGIN EXCLUSIVE")
    started = time.monotonic()
    answer = store.look_up(["Ada Lovelace"], started + 0.2)
    assert "locked" in answer.failed["Ada Lovelace"]
    assert time.monotonic() - started < 30
    store.close()


@pytest.mark.parametrize("name", WRITES)
def test_locked(store: EmbeddedStore, name: str) -> None:
    """While another process writes for too long the store is away, and says why; reading goes on."""
    store.put(write())
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    started = time.monotonic()
    with pytest.raises(StoreAway, match="locked"):
        WRITES[name](store)
    assert time.monotonic() - started < 10
    assert store.message("c:t") is not None
    other.execute("ROLLBACK")
    other.close()
    assert not store.put(write("other")).replayed


@pytest.mark.parametrize("name", ACTS)
def test_damaged(path: str, name: str) -> None:
    """A file that is no database is left as it is; the store is away, and says why."""
    os.makedirs(os.path.dirname(path))
    Path(path).write_bytes(b"not a database " * 1000)
    store = EmbeddedStore(path)
    with pytest.raises(StoreAway, match="not a database"):
        ACTS[name](store)
    answer = store.look_up(["Ada"], SOON)
    store.close()
    assert isinstance(answer.error, StoreAway)
    assert "not a database" in answer.failed["Ada"]
    assert Path(path).read_bytes() == b"not a database " * 1000


def test_damaged_inside(store: EmbeddedStore, path: str) -> None:
    """Pages that were overwritten are an error with its cause, never another answer."""
    for number in range(200):
        store.put(write(f"t{number}", content="x" * 500))
    store.close()
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 200_000)
    with pytest.raises(StoreAway, match=r"malformed|corrupt|not a database"):
        store.messages(None, 1000)


@pytest.mark.parametrize("name", ACTS)
def test_newer(store: EmbeddedStore, path: str, name: str) -> None:
    """A later version's file is not touched."""
    store.put(write())
    store.close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    before = Path(path).read_bytes()
    with pytest.raises(StoreAway, match="later version"):
        ACTS[name](store)
    store.close()
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize("name", ACTS)
def test_no_place(tmp_path: Path, name: str) -> None:
    """Where the file cannot be made, the store is away, and says why."""
    (tmp_path / "file").touch()
    store = EmbeddedStore(str(tmp_path / "file" / "data" / "memory.sqlite3"))
    with pytest.raises(StoreAway, match="cannot"):
        ACTS[name](store)
    assert isinstance(store.look_up(["Ada"], SOON).error, StoreAway)


def test_a_folder_in_its_place(path: str) -> None:
    """The same where the file's name is a folder's."""
    os.makedirs(path)
    with pytest.raises(StoreAway, match="cannot open"):
        EmbeddedStore(path).put(write())


def test_read_only(store: EmbeddedStore, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may only be read is read; a write is away, with the reason."""
    store.put(write())
    store.close()
    connect = sqlite3.connect

    def read_only(name: str, **more: Any) -> Any:
        return connect(f"file:{name}?mode=ro", uri=True, **more)

    monkeypatch.setattr(sqlite3, "connect", read_only)
    assert store.message("c:t") is not None
    with pytest.raises(StoreAway, match="readonly"):
        store.put(write("other"))


def test_a_full_disk(store: EmbeddedStore) -> None:
    """When the disk is full the write is away as a whole, with the reason."""
    store.put(write())
    assert store._connection is not None
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreAway, match="full"):
        store.put(write("other", content="x" * 1_000_000))
    assert store.message("c:other") is None
    store._connection.execute("PRAGMA max_page_count = 1000000")
    assert not store.put(write("other", content="x" * 1_000_000)).replayed


def test_check(store: EmbeddedStore, path: str) -> None:
    """One sentence tells where the store is and how much is in it."""
    remember(store, "Ada")
    store.put(write())
    assert store.check() == f"embedded store {path}: 3 entities, 1 of them messages"


def plans(store: EmbeddedStore, act: Callable[[EmbeddedStore], object]) -> list[str]:
    """How SQLite carries out every statement of `act`."""
    statements: list[str] = []
    store.check()
    assert store._connection is not None
    store._connection.set_trace_callback(statements.append)
    act(store)
    store._connection.set_trace_callback(None)
    asked = [text for text in statements if text.split()[0] in ("SELECT", "INSERT", "UPDATE")]
    assert asked
    return [str(row[3]) for text in asked for row in store._connection.execute(f"EXPLAIN QUERY PLAN {text}")]


@pytest.mark.parametrize(
    "name",
    [
        "look_up",
        "look_up of many",
        "put",
        "put again",
        "link",
        *(name for name in READS if name not in ("check", "messages")),
        "messages of a conversation",
    ],
)
def test_an_index_for_every_look_up(store: EmbeddedStore, name: str) -> None:
    """No statement of a turn goes through a whole table."""
    ada = remember(store, "Ada Lovelace")
    conversation = store.put(write()).entity_ids["conversation"]
    acts: dict[str, Callable[[EmbeddedStore], object]] = {
        **READS,
        "look_up": lambda store: store.look_up(["Ada Lovelace"], SOON),
        "look_up of many": lambda store: store.look_up([f"Name Number{number}" for number in range(48)], SOON),
        "put": lambda store: store.put(write("other", refers_to=[ada], known=conversation)),
        "put again": lambda store: store.put(write()),
        "link": lambda store: store.link([Edge("REFERS_TO", conversation, ada)]),
        "messages of a conversation": lambda store: store.messages(conversation, 64),
    }
    assert [step for step in plans(store, acts[name]) if "SCAN" in step and "SCAN CONSTANT" not in step] == []


def test_the_newest_of_all_messages_are_not_sorted(store: EmbeddedStore) -> None:
    """Listing the newest messages reads them from the end, and no others."""
    store.put(write())
    assert not [step for step in plans(store, lambda store: store.messages(None, 5)) if "TEMP B-TREE" in step]


def test_a_hundred_thousand_entities_stay_flat(path: str, tmp_path: Path) -> None:
    """A turn costs about the same in a store with a hundred thousand entities as in an almost empty one."""
    small, large = EmbeddedStore(str(tmp_path / "small" / "memory.sqlite3")), EmbeddedStore(path)
    for store in (small, large):
        for number in range(100):
            remember(store, f"Person Number{number}")
    connection = sqlite3.connect(path)
    with connection:
        numbers = range(100_000)
        connection.executemany(
            "INSERT INTO entities VALUES (?, 'person', ?, ?, '')",
            ((f"ent_{n}", f"Filler Name{n}", json.dumps({"name": f"Filler Name{n}"})) for n in numbers),
        )
        connection.executemany("INSERT INTO names VALUES (?, ?)", ((f"filler name{n}", f"ent_{n}") for n in numbers))
    connection.close()
    assert found(large, "Filler Name99999") == ["Filler Name99999"]

    def fastest(store: EmbeddedStore) -> float:
        best = 1e9
        for round in range(20):
            started = time.process_time()
            for number in range(10):
                store.look_up([f"Person Number{number}", f"Nobody Number{number}"], SOON)
            store.put(write(f"{round}", refers_to=[]))
            best = min(best, time.process_time() - started)
        return best

    ratio = fastest(large) / fastest(small)
    small.close()
    large.close()
    assert ratio < 3
