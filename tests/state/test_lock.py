from __future__ import annotations

import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from neotoma_hooks.errors import LockTimeout, StateError
from neotoma_hooks.state import lock
from neotoma_hooks.state.lock import locked

LIB = str(Path(lock.__file__).parents[2])

OURS = "from neotoma_hooks.state.lock import locked; held = locked(sys.argv[1], 5); held.__enter__()"
FILELOCK = "from filelock import FileLock; held = FileLock(sys.argv[1]); held.acquire(timeout=5)"


@contextmanager
def other_process(path: str, take: str) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock until its stdin is closed."""
    code = f"import sys; sys.path.insert(0, {LIB!r}); {take}; print('held', flush=True); sys.stdin.read()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "x.lock")


def test_free(path: str) -> None:
    """A free lock is had at once, without filelock, and is private; it is free again afterwards."""
    for _ in range(2):
        with locked(path, 0):
            assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
            assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700


def test_fast_path_does_without_filelock(path: str) -> None:
    """A free lock costs no import of filelock."""
    code = f"import sys; sys.path.insert(0, {LIB!r}); {OURS}; print('filelock' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("take", [OURS, FILELOCK], ids=["ours", "filelock"])
def test_excludes_us(path: str, take: str) -> None:
    """A lock that another process took, in either way, is not ours; it is when that process lets go."""
    os.makedirs(os.path.dirname(path))
    with other_process(path, take):
        with pytest.raises(LockTimeout, match="is taken"), locked(path, 0):
            pass
        with pytest.raises(LockTimeout, match="not free within"), locked(path, 0.05):
            pass
    with locked(path, 0):
        pass


@pytest.mark.parametrize("take", [OURS, FILELOCK], ids=["ours", "filelock"])
def test_excludes_filelock(path: str, take: str) -> None:
    """A lock of ours keeps filelock out, and one we waited for does so too."""
    os.makedirs(os.path.dirname(path))
    with other_process(path, take), pytest.raises(Timeout):
        FileLock(path).acquire(timeout=0)
    with locked(path, 0), pytest.raises(Timeout):
        FileLock(path).acquire(timeout=0)
    with FileLock(path), pytest.raises(LockTimeout), locked(path, 0):
        pass


def test_within_one_process(path: str) -> None:
    """Two users in one process exclude each other as well."""
    with locked(path, 0), pytest.raises(LockTimeout), locked(path, 0.02):
        pass


@pytest.mark.parametrize("take", [OURS, FILELOCK], ids=["ours", "filelock"])
def test_waiting_ends_when_the_owner_lets_go(path: str, take: str) -> None:
    """One who waits gets the lock as soon as it is free, by way of filelock, and keeps others out."""
    os.makedirs(os.path.dirname(path))
    with other_process(path, take) as owner:
        assert owner.stdin is not None
        owner.stdin.close()
        with locked(path, 5):
            with pytest.raises(LockTimeout), locked(path, 0):
                pass
            with pytest.raises(Timeout):
                FileLock(path).acquire(timeout=0)


@pytest.mark.parametrize("take", [OURS, FILELOCK], ids=["ours", "filelock"])
def test_killed_owner(path: str, take: str) -> None:
    """An owner that is killed holds nothing any more."""
    os.makedirs(os.path.dirname(path))
    with other_process(path, take) as owner:
        owner.send_signal(signal.SIGKILL)
        owner.wait(10)
        with locked(path, 0):
            pass


def test_bounded_wait(path: str) -> None:
    """Waiting ends when it was said to end."""
    os.makedirs(os.path.dirname(path))
    with other_process(path, OURS):
        started = time.monotonic()
        with pytest.raises(LockTimeout), locked(path, 0.3):
            pass
        assert 0.25 < time.monotonic() - started < 10


def test_an_error_inside_frees_it(path: str) -> None:
    """Whatever happens while the lock is held, it is free afterwards."""
    with pytest.raises(ZeroDivisionError), locked(path, 0):
        raise ZeroDivisionError
    with locked(path, 0):
        pass


def test_a_child_does_not_keep_it(path: str) -> None:
    """A process that was started while the lock was held does not hold it."""
    with locked(path, 0):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with locked(path, 0):
        pass
    child.communicate(b"\n")


def test_deleted_while_it_was_taken(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock on a file that is gone is no lock: another process would make the file anew and have it too."""
    flock, deletions = fcntl.flock, [path]

    def delete_before(descriptor: int, operation: int) -> None:
        if deletions:
            os.unlink(deletions.pop())
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", delete_before)
    with locked(path, 1):
        assert os.path.exists(path)
        with pytest.raises(LockTimeout), locked(path, 0):
            pass


def test_symlink(path: str, tmp_path: Path) -> None:
    """A symlink is no lock file: what it leads to is somebody else's."""
    os.makedirs(os.path.dirname(path))
    (tmp_path / "target").write_bytes(b"precious")
    os.symlink(tmp_path / "target", path)
    with pytest.raises(StateError, match="cannot open the lock file"), locked(path, 0.1):
        pass
    assert (tmp_path / "target").read_bytes() == b"precious"


def test_no_folder_for_it(tmp_path: Path) -> None:
    """A lock file that cannot be made is an error that names it."""
    (tmp_path / "file").touch()
    with pytest.raises(StateError, match="file"), locked(str(tmp_path / "file" / "x.lock"), 0):
        pass


def test_many_processes_take_turns(path: str, tmp_path: Path) -> None:
    """Ten processes that count in a file under the lock, some of them through filelock, lose no count."""
    counter = tmp_path / "count"
    counter.write_text("0")
    os.makedirs(os.path.dirname(path))
    code = f"""
import sys; sys.path.insert(0, {LIB!r})
from neotoma_hooks.state.lock import locked
from filelock import FileLock
path, counter, how = sys.argv[1:]
for _ in range(20):
    with locked(path, 60) if how == "ours" else FileLock(path, timeout=60, poll_interval=0.001):
        count = int(open(counter).read())
        open(counter, "w").write(str(count + 1))
"""
    processes = [
        subprocess.Popen([sys.executable, "-c", code, path, str(counter), ["ours", "filelock"][number % 2]])
        for number in range(10)
    ]
    assert [process.wait(60) for process in processes] == 10 * [0]
    assert counter.read_text() == "200"
