from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neotoma_hooks.errors import LockTimeout, StateError
from neotoma_hooks.protocol.turn_book import REMEMBERED_TURNS
from neotoma_hooks.state import pending
from neotoma_hooks.state.pending import REMEMBERED_GIVEN, VERSION, Conversation, pending_file

LIB = str(Path(pending.__file__).parents[2])


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "pending")


def saved(folder: str, id: str, prompt: str = "p") -> Conversation:
    with pending_file(folder, id, 1) as file:
        file.conversation.book.open(prompt, None, f"turn-of-{prompt}")
        file.save()
        return file.conversation


def loaded(folder: str, id: str) -> Conversation:
    with pending_file(folder, id, 1) as file:
        return file.conversation


def path_of(folder: str, id: str) -> str:
    with pending_file(folder, id, 1) as file:
        return file.path


def test_missing(folder: str) -> None:
    """A conversation that was never seen is new, and asking for it writes nothing."""
    conversation = loaded(folder, "c")
    assert (conversation.found, conversation.key_id, conversation.book.turns) == ("missing", "c", [])
    assert [name for name in os.listdir(folder) if not name.endswith(".lock")] == []


def test_kept(folder: str) -> None:
    """What was saved is found again: turns, entity ids by store, and what the agent was told."""
    with pending_file(folder, "c", 1) as file:
        file.conversation.book.open("p", None, "m1")
        file.conversation.entity_ids = {"embedded": "ent_1", "http://127.0.0.1:3080": "ent_2"}
        file.conversation.note_given({"ent_3": "digest"})
        file.save()
        assert file.conversation.found == "kept"
    conversation = loaded(folder, "c")
    assert conversation.found == "kept"
    assert [turn.id for turn in conversation.book.turns] == ["m1"]
    assert conversation.entity_ids == {"embedded": "ent_1", "http://127.0.0.1:3080": "ent_2"}
    assert conversation.given == {"ent_3": "digest"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"\0" * 100,
        b'{"version":"1","conversations":{}}',
        b'{"version":1}',
        b'{"version":1,"conversations":{"c":{}}}',
        b'{"version":1,"conversations":{"c":null}}',
        b'{"version":1,"conversations":{"C":{"key_id":null}}}',
        b'{"version":1,"conversations":{"C":[]}}',
        b'{"version":1,"conversations":7}',
    ],
)
def test_damaged(folder: str, data: bytes) -> None:
    """An empty or damaged file is not taken for a new conversation; it is kept for a person to look at."""
    path = path_of(folder, "c")
    Path(path).write_bytes(data)
    conversation = loaded(folder, "c")
    assert (conversation.found, conversation.book.turns) == ("damaged", [])
    assert data == Path(f"{path}.damaged").read_bytes()
    assert not Path(path).exists()


def test_damaged_and_saved(folder: str) -> None:
    """After it was found damaged a conversation is kept as any other."""
    Path(path_of(folder, "c")).write_bytes(b"{")
    saved(folder, "c")
    assert loaded(folder, "c").found == "kept"


@settings(max_examples=50)
@given(cut=st.floats(0, 1, exclude_max=True))
def test_cut_anywhere(folder: str, cut: float) -> None:
    """A file that was cut at any byte is damaged, never a conversation with less in it."""
    saved(folder, "c")
    path = Path(path_of(folder, "c"))
    data = path.read_bytes()
    path.write_bytes(data[: int(cut * len(data))])
    assert loaded(folder, "c").found == "damaged"


def test_damaged_and_cannot_be_put_aside(folder: str) -> None:
    """Where a damaged file cannot be moved out of the way, that is an error of the state like any other."""
    path = path_of(folder, "c")
    Path(path).write_bytes(b"{")
    os.mkdir(f"{path}.damaged")
    with pytest.raises(StateError, match="damaged"), pending_file(folder, "c", 1):
        pass


def test_newer(folder: str) -> None:
    """A later version's file is told apart, and never overwritten."""
    path = Path(path_of(folder, "c"))
    data = json.dumps({"version": VERSION + 1, "whatever": []}).encode()
    path.write_bytes(data)
    assert saved(folder, "c").found == "newer"
    assert data == path.read_bytes()


def test_unreadable(folder: str) -> None:
    """What cannot be read is an error, not a new conversation."""
    os.mkdir(path_of(folder, "c"))
    with pytest.raises(StateError, match="cannot read"), pending_file(folder, "c", 1):
        pass


def test_two_conversations(folder: str) -> None:
    """Each conversation has a file of its own."""
    saved(folder, "c", "one")
    saved(folder, "d", "two")
    assert path_of(folder, "c") != path_of(folder, "d")
    assert [turn.id for turn in loaded(folder, "c").book.turns] == ["turn-of-one"]
    assert [turn.id for turn in loaded(folder, "d").book.turns] == ["turn-of-two"]


def test_ids_that_differ_in_case(folder: str) -> None:
    """They are conversations of their own, under keys that differ in more than case, for as long as the file lives."""
    ids = ["ses_aB", "ses_Ab", "SES_AB", "ses_ab"]
    for id in ids:
        saved(folder, id, id)
    conversations = [loaded(folder, id) for id in ids]
    assert len(ids) == len({conversation.key_id.casefold() for conversation in conversations})
    assert conversations[0].key_id == "ses_aB"
    assert [[f"turn-of-{id}"] for id in ids] == [[turn.id for turn in c.book.turns] for c in conversations]
    saved(folder, ids[0], "again")
    assert [c.key_id for c in conversations] == [loaded(folder, id).key_id for id in ids]


@pytest.mark.parametrize(
    "id", ["../../etc/passwd", "a/b", "a\nb", "\0", "x" * 10_000, "\ud800", "con:assistant", "é", " ", "."]
)
def test_odd_ids(folder: str, id: str) -> None:
    """Any id is a file in the folder and nowhere else, and finds its conversation again."""
    saved(folder, id)
    conversation = loaded(folder, id)
    assert ("kept", id) == (conversation.found, conversation.conversation_id)
    assert folder == os.path.dirname(path_of(folder, id))
    assert os.listdir(os.path.dirname(folder)) == ["pending"]


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_modes(folder: str, umask: int) -> None:
    """Folders are 0700 and files 0600, whatever the umask."""
    saved(folder, "c")
    assert {0o600} == {stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for name in os.listdir(folder)}
    assert [stat.S_IMODE(os.stat(place).st_mode) for place in (folder, os.path.dirname(folder))] == [0o700, 0o700]


def test_the_lock_is_held(folder: str) -> None:
    """One at a time has a conversation; others have theirs meanwhile."""
    with pending_file(folder, "c", 1):
        with pytest.raises(LockTimeout), pending_file(folder, "c", 0.02):
            pass
        with pytest.raises(LockTimeout), pending_file(folder, "C", 0.02):
            pass
        with pending_file(folder, "d", 0):
            pass


def test_nothing_is_written_without_save(folder: str) -> None:
    """What is changed and not saved is not kept."""
    with pending_file(folder, "c", 1) as file:
        file.conversation.book.open("p", None, "m1")
    assert loaded(folder, "c").found == "missing"


def test_given_is_bounded(folder: str) -> None:
    """Only the entities that the agent was told of last are remembered."""
    conversation = loaded(folder, "c")
    conversation.note_given({f"ent_{number}": "d" for number in range(REMEMBERED_GIVEN + 10)})
    conversation.note_given({"ent_10": "new"})
    assert len(conversation.given) == REMEMBERED_GIVEN
    assert "ent_9" not in conversation.given
    assert list(conversation.given.items())[-1:] == [("ent_10", "new")]


def test_size_does_not_grow(folder: str) -> None:
    """The file of a conversation with many turns is no larger than that of one with as many as are remembered."""
    sizes = []
    with pending_file(folder, "c", 1) as file:
        for number in range(100_000, 100_000 + 8 * REMEMBERED_TURNS):
            file.conversation.book.open(f"{number:032d}", f"t{number}", "")
            file.save()
            sizes.append(os.stat(file.path).st_size)
    assert sizes[-1] <= sizes[REMEMBERED_TURNS] + 50


def test_many_processes(folder: str) -> None:
    """Eight processes that open turns in one conversation lose none and number each once."""
    code = f"""
import sys; sys.path.insert(0, {LIB!r})
from neotoma_hooks.state.pending import pending_file
for number in range(4):
    with pending_file(sys.argv[1], "c", 60) as file:
        file.conversation.book.open(f"{{sys.argv[2]}}-{{number}}", f"t-{{sys.argv[2]}}-{{number}}", "")
        file.save()
"""
    processes = [subprocess.Popen([sys.executable, "-c", code, folder, str(number)]) for number in range(8)]
    assert [process.wait(60) for process in processes] == 8 * [0]
    book = loaded(folder, "c").book
    assert list(range(1, 33)) == [turn.number for turn in book.turns]
    assert {f"t-{one}-{other}" for one in range(8) for other in range(4)} == {turn.id for turn in book.turns}


def test_whose_conversation_it_is(folder: str) -> None:
    """Is kept; a file of a version that did not say belongs to nobody yet."""
    with pending_file(folder, "c", 1) as file:
        file.conversation.harness = "goose"
        file.save()
    assert loaded(folder, "c").harness == "goose"
    path = path_of(folder, "c")
    kept = json.loads(Path(path).read_bytes())
    del kept["conversations"]["c"]["harness"]
    Path(path).write_text(json.dumps(kept))
    assert (loaded(folder, "c").found, loaded(folder, "c").harness) == ("kept", "")
