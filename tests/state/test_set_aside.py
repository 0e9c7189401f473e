from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neotoma_hooks.errors import StateError
from neotoma_hooks.state import set_aside
from neotoma_hooks.state.set_aside import LARGEST_KEPT_BYTES, MOST_KEPT, VERSION, SetAside


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "set-aside")


def event(raw: bytes = b"{", *, again: bool = False, created: int = 1, reason: str = "not JSON") -> SetAside:
    return SetAside(raw, "stop", "codex", reason, again=again, created=created)


@settings(max_examples=50)
@given(raw=st.binary(max_size=200), again=st.booleans())
def test_keep_and_load(folder: str, raw: bytes, again: bool) -> None:
    """Any bytes come back as they were, with what is known of them."""
    found = set_aside.load(folder, set_aside.keep(folder, event(raw, again=again)))
    assert found is not None
    assert (raw, again, False) == (found.raw, found.again, found.truncated)
    assert (found.hook, found.agent, found.reason, found.created) == ("stop", "codex", "not JSON", 1)


def test_waiting_are_those_to_try_again(folder: str) -> None:
    """Only what was understood waits, oldest first; `names` lists all."""
    kept = [set_aside.keep(folder, event(again=bool(number % 2), created=10 - number)) for number in range(6)]
    assert sorted(name for name in kept if name.endswith(".again.json")) == set_aside.waiting(folder)
    assert [int(name.partition("-")[0]) for name in set_aside.waiting(folder)] == [5, 7, 9]
    assert sorted(kept) == set_aside.names(folder)


def test_forget(folder: str) -> None:
    """A handled event is gone, and may be forgotten twice."""
    name = set_aside.keep(folder, event(again=True))
    set_aside.forget(folder, name)
    set_aside.forget(folder, name)
    assert set_aside.names(folder) == []
    assert set_aside.load(folder, name) is None


def test_kept_are_bounded_in_number(folder: str) -> None:
    """Of events that nobody can handle the newest stay; those to try again are never dropped for them."""
    waiting = set_aside.keep(folder, event(again=True, created=0))
    for number in range(1, MOST_KEPT + 6):
        set_aside.keep(folder, event(created=number))
    names = set_aside.names(folder)
    assert len(names) == MOST_KEPT + 1
    assert waiting in names
    assert [0, *range(6, MOST_KEPT + 6)] == [int(name.partition("-")[0]) for name in names]


def test_kept_are_bounded_in_size(folder: str) -> None:
    """Of a large event that nobody can handle the start is kept, and it says so."""
    found = set_aside.load(folder, set_aside.keep(folder, event(b"a" * (LARGEST_KEPT_BYTES + 1))))
    assert found is not None
    assert (found.raw, found.truncated) == (b"a" * LARGEST_KEPT_BYTES, True)


def test_waiting_are_whole(folder: str) -> None:
    """An event that will be tried again is kept whole, however large."""
    raw = b"a" * (LARGEST_KEPT_BYTES + 1)
    found = set_aside.load(folder, set_aside.keep(folder, event(raw, again=True)))
    assert found is not None
    assert (raw, False) == (found.raw, found.truncated)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"version":1,"raw":5}',
        b'{"version":"x"}',
        '{"version":1,"raw":"€"}'.encode(),
    ],
)
def test_damaged(folder: str, data: bytes) -> None:
    """A damaged file reads as nothing, and stays."""
    name = set_aside.keep(folder, event())
    Path(folder, name).write_bytes(data)
    assert set_aside.load(folder, name) is None
    assert [name] == set_aside.names(folder)


def test_newer(folder: str) -> None:
    """A later version's file is left for it, and it is an error that names the file."""
    name = set_aside.keep(folder, event())
    path = Path(folder, name)
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "version": VERSION + 1}))
    with pytest.raises(StateError, match=f"cannot read the event {path}: it was written by a later version"):
        set_aside.load(folder, name)
    assert path.exists()


def test_private(folder: str) -> None:
    """An event may hold a message, so it is for its owner only."""
    name = set_aside.keep(folder, event())
    modes = [stat.S_IMODE(os.stat(place).st_mode) for place in (folder, os.path.join(folder, name))]
    assert modes == [0o700, 0o600]


def test_cannot_be_kept(folder: str) -> None:
    """When even this is impossible, the caller is told."""
    os.makedirs(os.path.dirname(folder))
    Path(folder).touch()
    with pytest.raises(StateError, match="cannot"):
        set_aside.keep(folder, event())


def test_no_folder(folder: str) -> None:
    """Where nothing was ever set aside, nothing is."""
    assert (set_aside.names(folder), set_aside.waiting(folder)) == ([], [])
