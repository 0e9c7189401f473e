from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neotoma_hooks.errors import StateError
from neotoma_hooks.protocol.writes import Message, frozen_write
from neotoma_hooks.state.outbox import VERSION, Entry, Outbox


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(str(tmp_path / "state" / "outbox"), str(tmp_path / "state" / "rejected"))


def entry(turn: str = "t", *, created: int = 100, role: str = "user", content: str = "Hello") -> Entry:
    message = Message("c", turn, role, content, 1, "claude-code")
    return Entry(message, "C", [{"id": "ent_1", "name": "Ada", "type": "person"}], "embedded", created)


BODY = frozen_write(entry().message, None, []).decode("ascii")


def as_mapping(entry: Entry) -> dict[str, Any]:
    kept = json.loads(entry.to_bytes())
    assert isinstance(kept, dict)
    return kept


def turns(outbox: Outbox) -> list[str]:
    found = [outbox.load(name) for name in outbox.names()]
    return [entry.message.turn_id for entry in found if entry]


def test_add_and_load(outbox: Outbox) -> None:
    """An entry comes back as it went in, with nothing sent yet."""
    name = outbox.add(entry())
    found = outbox.load(name)
    assert found is not None
    assert as_mapping(entry()) == as_mapping(found)
    assert (found.body, found.frozen_for, found.attempts, found.reason) == ("", "", 0, "")
    assert [name] == outbox.names()


@given(st.text())
def test_any_content(content: str) -> None:
    """Content comes back code point for code point, lone surrogates and NUL too."""
    content = str(json.loads(json.dumps(content)))
    kept = entry(content=content)
    assert content == Entry.from_bytes(kept.to_bytes()).message.content
    assert kept.to_bytes().isascii()


def test_order(outbox: Outbox) -> None:
    """Names are in the order of adding, also within one instant."""
    for turn in "abc":
        outbox.add(entry(turn, created=100))
    outbox.add(entry("d", created=101))
    assert list("abcd") == turns(outbox)


def test_order_with_a_clock_set_back(outbox: Outbox) -> None:
    """A reply never overtakes its prompt, whatever the clock does."""
    outbox.add(entry("t", created=10**18))
    outbox.add(entry("t", created=5, role="assistant"))
    outbox.add(entry("u", created=10**17))
    found = [outbox.load(name) for name in outbox.names()]
    assert [(entry.message.turn_id, entry.message.role) for entry in found if entry] == [
        ("t", "user"),
        ("t", "assistant"),
        ("u", "user"),
    ]


@settings(max_examples=50)
@given(st.lists(st.integers(0, 2**63), max_size=8))
def test_order_with_any_clock(tmp_path_factory: pytest.TempPathFactory, moments: list[int]) -> None:
    """The order of adding is the order of names for any clock."""
    folder = tmp_path_factory.mktemp("outbox")
    outbox = Outbox(str(folder / "outbox"), str(folder / "rejected"))
    for number, moment in enumerate(moments):
        outbox.add(entry(str(number), created=moment))
    assert [str(number) for number in range(len(moments))] == turns(outbox)


def test_same_key_once(outbox: Outbox) -> None:
    """A message that waits already stays as it is, with what became of it."""
    name = outbox.add(entry(content="first"))
    waiting = outbox.load(name)
    assert waiting is not None
    waiting.body, waiting.frozen_for, waiting.attempts = BODY, "http://127.0.0.1", 2
    outbox.replace(name, waiting)
    assert name == outbox.add(entry(content="first", created=500))
    assert [name] == outbox.names()
    found = outbox.load(name)
    assert found is not None
    assert (found.message.content, found.attempts) == ("first", 2)


def test_other_message_under_the_same_key(outbox: Outbox) -> None:
    """An agent's turn id that came back: nothing that waits is taken for the new message, which gets the next id."""
    outbox.add(entry(content="first"))
    second = entry(content="second")
    name = outbox.add(second, other_turns={"t~2"})
    assert second.message.turn_id == "t~3"
    assert outbox.add(entry(content="second"), other_turns={"t~2"}) == name
    assert turns(outbox) == ["t", "t~3"]


def test_two_turns_whose_keys_read_the_same(outbox: Outbox) -> None:
    """Conversation "a-b" with turn "c" and "a" with "b-c" have one idempotency key: both wait under their own ids."""
    for conversation, turn in (("a-b", "c"), ("a", "b-c")):
        outbox.add(Entry(Message(conversation, turn, "user", "Hello", 1, "test"), conversation, [], "", 1))
    assert turns(outbox) == ["c", "b-c"]


def test_damaged_one_under_the_same_key(outbox: Outbox) -> None:
    """Nobody knows what it was: the message waits beside it."""
    name = outbox.add(entry())
    Path(outbox.folder, name).write_bytes(b"{")
    assert outbox.add(entry()) != name
    assert len(outbox.names()) == 2


def test_what_waits_of_a_turn_follows_it(outbox: Outbox) -> None:
    """The reply goes by the id that its prompt was stored under, and is frozen anew; nothing else is touched."""
    names = [outbox.add(entry("t", role=role)) for role in ("user", "assistant")]
    others = [outbox.add(entry("u", role="assistant")), outbox.add(entry("t~3"))]
    waiting = outbox.load(names[1])
    assert waiting is not None
    waiting.body, waiting.frozen_for = BODY, "x"
    outbox.replace(names[1], waiting)
    before = [Path(outbox.folder, name).read_bytes() for name in others]
    prompt = entry("t~2").message
    outbox.take_along(prompt, "t")
    found = outbox.load(names[1])
    assert found is not None
    assert (found.message.turn_id, found.body, found.frozen_for) == ("t~2", "", "")
    assert [Path(outbox.folder, name).read_bytes() for name in others] == before


def test_both_roles_of_a_turn(outbox: Outbox) -> None:
    """A prompt and its reply have keys of their own."""
    assert outbox.add(entry()) != outbox.add(entry(role="assistant"))
    assert len(outbox.names()) == 2


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b'{"version": 1}', b'{"version": "x"}', b"\xff"])
def test_damaged_stays(outbox: Outbox, data: bytes) -> None:
    """A damaged entry is an error that names its file; it stays, and the others are delivered."""
    name = outbox.add(entry("a"))
    outbox.add(entry("b"))
    path = Path(outbox.folder, name)
    path.write_bytes(data)
    with pytest.raises(StateError, match=f"cannot read the write .*{name}.*damaged"):
        outbox.load(name)
    assert data == path.read_bytes()
    assert len(outbox.names()) == 2


def test_newer_stays(outbox: Outbox) -> None:
    """An entry of a later version is left for it."""
    name = outbox.add(entry())
    path = Path(outbox.folder, name)
    data = json.dumps({**as_mapping(entry()), "version": VERSION + 1}).encode()
    path.write_bytes(data)
    with pytest.raises(StateError, match="later version"):
        outbox.load(name)
    assert data == path.read_bytes()


@pytest.mark.parametrize("name", ["notes.json", "zzz-1.json", "-.json", "0x10-a.json"])
def test_a_foreign_file(outbox: Outbox, name: str) -> None:
    """A file in the folder that is none of ours stops no message from being stored, and none from being found."""
    os.makedirs(outbox.folder)
    Path(outbox.folder, name).write_bytes(b"mine")
    first, second = outbox.add(entry("a")), outbox.add(entry("b"))
    assert [first, second] == [found for found in outbox.names() if found != name]
    assert first < second


def test_delivered_meanwhile(outbox: Outbox) -> None:
    """An entry that another courier removed reads as None, and can be removed again."""
    name = outbox.add(entry())
    outbox.remove(name)
    assert outbox.load(name) is None
    outbox.remove(name)
    assert outbox.names() == []


def test_reject(outbox: Outbox) -> None:
    """A refused write is kept aside whole, with the reason."""
    name = outbox.add(entry())
    outbox.reject(name, entry(), "too large")
    assert ([], [name]) == (outbox.names(), outbox.rejected_names())
    found = outbox.load(name, rejected=True)
    assert found is not None
    assert (found.reason, found.message.content) == ("too large", "Hello")


def test_retry(outbox: Outbox) -> None:
    """Refused writes go back in their old order, to be frozen anew."""
    for turn in "ab":
        refused = entry(turn)
        name = outbox.add(refused)
        refused.body, refused.frozen_for = BODY, "embedded"
        outbox.reject(name, refused, "no")
    outbox.add(entry("c", created=10**6))
    assert outbox.retry_rejected() == 2
    assert outbox.rejected_names() == []
    assert list("abc") == turns(outbox)
    found = outbox.load(outbox.names()[0])
    assert found is not None
    assert (found.body, found.frozen_for, found.reason) == ("", "", "")


def test_retry_with_a_damaged_one(outbox: Outbox) -> None:
    """One refused write that cannot be read does not keep the others back; it stays where it is."""
    names = [outbox.add(entry(turn)) for turn in "ab"]
    for name, turn in zip(names, "ab", strict=True):
        outbox.reject(name, entry(turn), "no")
    Path(outbox.rejected, names[0]).write_bytes(b"{")
    assert outbox.retry_rejected() == 1
    assert [names[0]] == outbox.rejected_names()
    assert turns(outbox) == ["b"]


def test_retry_nothing(outbox: Outbox) -> None:
    """With nothing refused nothing happens."""
    assert outbox.retry_rejected() == 0


def test_half_written_is_not_listed(outbox: Outbox) -> None:
    """A write that a kill cut short is no entry."""
    os.makedirs(outbox.folder)
    Path(outbox.folder, ".00000000000000000100-aa.json.1-1.tmp").write_bytes(b"{")
    assert outbox.names() == []


def test_private(outbox: Outbox) -> None:
    """What waits, and what was refused, is for its owner only."""
    name = outbox.add(entry())
    assert stat.S_IMODE(os.stat(os.path.join(outbox.folder, name)).st_mode) == 0o600
    outbox.reject(name, entry(), "no")
    assert stat.S_IMODE(os.stat(os.path.join(outbox.rejected, name)).st_mode) == 0o600
    assert [stat.S_IMODE(os.stat(folder).st_mode) for folder in (outbox.folder, outbox.rejected)] == [0o700, 0o700]


def test_a_full_disk(outbox: Outbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that cannot be made durable is an error, and leaves nothing behind."""

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StateError, match="No space left"):
        outbox.add(entry())
    assert os.listdir(outbox.folder) == []
