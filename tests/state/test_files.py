from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from neotoma_hooks.errors import StateError
from neotoma_hooks.state import files


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


def mode(path: Path | str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def test_write_and_read(tmp_path: Path) -> None:
    """What was written is read again, byte for byte."""
    path = str(tmp_path / "f")
    files.write_private(path, b"\0\r\n\xff", durable=True)
    assert files.read(path) == b"\0\r\n\xff"
    files.write_private(path, b"", durable=False)
    assert files.read(path) == b""


def test_modes_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    """A file is 0600, and each folder that had to be made for it 0700, whatever the umask."""
    path = tmp_path / "a" / "b" / "c" / "f"
    files.write_private(str(path), b"x", durable=True)
    assert mode(path) == 0o600
    assert [mode(tmp_path / "a"), mode(tmp_path / "a" / "b"), mode(path.parent)] == 3 * [0o700]


def test_folder_modes_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    """`make_folder` makes the parents as private as the folder itself."""
    files.make_folder(str(tmp_path / "a" / "b"))
    assert [mode(tmp_path / "a"), mode(tmp_path / "a" / "b")] == [0o700, 0o700]


def test_folder_that_is_there(tmp_path: Path) -> None:
    """A folder that exists keeps its mode, because it may be somebody else's."""
    tmp_path.chmod(0o755)
    files.make_folder(str(tmp_path))
    assert mode(tmp_path) == 0o755


def test_replaces_a_file_and_its_mode(tmp_path: Path) -> None:
    """A file that was readable by others is private after it was written."""
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(0o644)
    files.write_private(str(path), b"new", durable=False)
    assert (path.read_bytes(), mode(path)) == (b"new", 0o600)


def test_replaces_a_symlink_and_not_its_target(tmp_path: Path) -> None:
    """A symlink in our folder never leads a write to another file."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"precious")
    link.symlink_to(target)
    files.write_private(str(link), b"ours", durable=False)
    assert target.read_bytes() == b"precious"
    assert not link.is_symlink()
    assert link.read_bytes() == b"ours"


def test_no_temporary_is_left(place: Path) -> None:
    """After a write there is the file and nothing else, also when the write failed."""
    files.write_private(str(place / "f"), b"x", durable=True)
    (place / "folder").mkdir()
    with pytest.raises(StateError, match=r"cannot write .*folder"):
        files.write_private(str(place / "folder"), b"x", durable=False)
    assert sorted(os.listdir(place)) == ["f", "folder"]


def test_a_reader_sees_old_or_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the new content is whole, the old one is what everybody reads."""
    path = str(tmp_path / "f")
    files.write_private(path, b"old", durable=False)
    seen: list[bytes | None] = []
    write = os.write

    def slowly(descriptor: int, data: bytes) -> int:
        seen.append(files.read(path))
        return write(descriptor, bytes(data[:1]))

    monkeypatch.setattr(os, "write", slowly)
    files.write_private(path, b"new", durable=False)
    assert seen == 3 * [b"old"]
    assert files.read(path) == b"new"


def test_durable_syncs_the_data_before_the_name_and_the_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut never leaves a name without its data."""
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def noted_fsync(descriptor: int) -> None:
        steps.append("sync folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "sync file")
        fsync(descriptor)

    def noted_replace(source: str, target: str) -> None:
        steps.append("rename")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    files.write_private(str(tmp_path / "f"), b"x", durable=True)
    assert steps == ["sync file", "rename", "sync folder"]


def test_a_full_disk(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails half-way is an error with the cause, and leaves the old content."""
    path = str(place / "f")
    files.write_private(path, b"old", durable=False)

    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StateError, match="No space left on device"):
        files.write_private(path, b"new", durable=False)
    assert files.read(path) == b"old"
    assert os.listdir(place) == ["f"]


def test_missing_files(tmp_path: Path) -> None:
    """What is not there reads as None, lists as empty, and can be removed."""
    assert files.read(str(tmp_path / "no")) is None
    assert files.read(str(tmp_path / "no" / "such")) is None
    assert files.names(str(tmp_path / "no"), ".json") == []
    files.remove(str(tmp_path / "no"))


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    """It is missing to a reader, and an error to a writer."""
    (tmp_path / "f").write_bytes(b"")
    path = str(tmp_path / "f" / "g")
    assert files.read(path) is None
    assert files.names(str(tmp_path / "f"), ".json") == []
    files.remove(path)
    with pytest.raises(StateError):
        files.write_private(path, b"x", durable=False)
    with pytest.raises(StateError, match="cannot create the folder"):
        files.make_folder(path)


def test_a_folder_where_a_file_should_be(tmp_path: Path) -> None:
    """Reading or removing it is an error that names it."""
    with pytest.raises(StateError, match="cannot read"):
        files.read(str(tmp_path))
    with pytest.raises(StateError, match="cannot remove"):
        files.remove(str(tmp_path))


def test_names(tmp_path: Path) -> None:
    """Names are sorted, and half-written files are none."""
    for name in ("b.json", "a.json", ".c.json", ".d.json.1-1.tmp", "e.txt"):
        (tmp_path / name).touch()
    assert files.names(str(tmp_path), ".json") == ["a.json", "b.json"]


def test_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """It is none of our files; only a person's own is read when somebody writes to it."""
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    with pytest.raises(StateError, match="it is a pipe"):
        files.read(pipe)
    writer = threading.Thread(target=lambda: Path(pipe).write_bytes(b"mine"))
    writer.start()
    assert files.read(pipe, may_wait=True) == b"mine"
    writer.join()


def test_sweep(tmp_path: Path) -> None:
    """What a killed process left half-written goes after an hour, and nothing else does; what cannot be deleted stays.

    A folder that is not there has nothing to sweep, and is not made.
    """
    folder = tmp_path / "folder"
    old, young, stuck, other = (folder / name for name in (".a.json.1-1.tmp", ".b.tmp", ".c.tmp", ".hidden"))
    whole = folder / "a.json"
    stuck.mkdir(parents=True)
    for path in (old, young, other, whole):
        path.touch()
    past = time.time() - files.STALE_TEMPORARY_SECONDS - 10
    for path in (old, stuck, other, whole):
        os.utime(path, (past, past))
    files.sweep(str(folder))
    assert {young, stuck, other, whole} == set(folder.iterdir())
    files.sweep(str(tmp_path / "no"))
    assert not (tmp_path / "no").exists()
