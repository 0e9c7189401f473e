from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks import hooklog
from neotoma_hooks.errors import StateError
from neotoma_hooks.hooklog import KEPT_FILES, Lines, append, read

LIB = str(Path(hooklog.__file__).parents[1])


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "hooks.log")


def logged(path: str) -> list[Any]:
    return [line["n"] for line in read(path)]


def test_append_and_read(path: str) -> None:
    """A line comes back with the time it was written."""
    append(path, {"hook": "stop", "n": 1, "text": "é\ud800\n"})
    (line,) = read(path)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("at"))
    assert line == {"hook": "stop", "n": 1, "text": "é\ud800\n"}
    assert Path(path).read_bytes().count(b"\n") == 1


def test_order(path: str) -> None:
    """Lines are in the order of writing."""
    for number in range(5):
        append(path, {"n": number})
    assert logged(path) == [0, 1, 2, 3, 4]


def test_private(path: str) -> None:
    """The log is for its owner only, whatever the umask."""
    before = os.umask(0)
    try:
        append(path, {"n": 1})
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(os.stat(place).st_mode) for place in (path, os.path.dirname(path))]
    assert modes == [0o600, 0o700]


def test_missing(path: str) -> None:
    """Where nothing was logged there is nothing to read."""
    assert list(read(path)) == []


def test_what_is_no_line_is_passed_over(path: str) -> None:
    """A line that a full disk cut, or somebody else wrote, hides no other."""
    append(path, {"n": 1})
    with open(path, "ab") as file:
        file.write(b'{"n": 2\nnull\n[3]\n\xff\xfe\n\n')
    append(path, {"n": 4})
    assert logged(path) == [1, 4]


def test_rotation(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log at its limit is moved aside; a fixed number of files is kept, and read oldest first."""
    monkeypatch.setattr(hooklog, "LARGEST_BYTES", 500)
    for number in range(200):
        append(path, {"n": number})
    folder = os.path.dirname(path)
    assert sorted(os.listdir(folder)) == ["hooks.log", "hooks.log.1", "hooks.log.2"]
    assert KEPT_FILES == 3
    assert all(os.stat(os.path.join(folder, name)).st_size < 700 for name in os.listdir(folder))
    kept = logged(path)
    assert kept == list(range(200 - len(kept), 200))
    assert len(kept) > 20


def test_a_symlink_is_refused(path: str, tmp_path: Path) -> None:
    """A symlink in the log's place leads no line into another file."""
    target = tmp_path / "target"
    target.write_text("precious")
    os.makedirs(os.path.dirname(path))
    os.symlink(target, path)
    with pytest.raises(StateError, match="cannot write the hook log"):
        append(path, {"n": 1})
    assert target.read_text() == "precious"


def test_a_dangling_symlink_is_refused(path: str, tmp_path: Path) -> None:
    """Nor does one make a file."""
    os.makedirs(os.path.dirname(path))
    os.symlink(tmp_path / "target", path)
    with pytest.raises(StateError):
        append(path, {"n": 1})
    assert not (tmp_path / "target").exists()


def test_cannot_be_written(tmp_path: Path) -> None:
    """A log that cannot be written is an error that names it."""
    (tmp_path / "file").touch()
    with pytest.raises(StateError, match="file"):
        append(str(tmp_path / "file" / "hooks.log"), {"n": 1})


CODE = f"""
import sys; sys.path.insert(0, {LIB!r})
from neotoma_hooks import hooklog
path, name, lines, limit = sys.argv[1:]
hooklog.LARGEST_BYTES = int(limit)
for number in range(int(lines)):
    hooklog.append(path, {{"n": f"{{name}}-{{number}}", "filler": "x" * (number * 37 % 3000)}})
"""


def run_many(path: str, lines: int, limit: int) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", CODE, path, str(number), str(lines), str(limit)]) for number in range(8)
    ]
    assert [process.wait(60) for process in processes] == [0] * 8


def test_many_processes(path: str) -> None:
    """Lines of processes that write at once stay whole, and each process's are in order."""
    run_many(path, 200, 5_000_000)
    with open(path, "rb") as file:
        lines = [json.loads(line)["n"] for line in file]
    assert sorted(lines) == sorted(f"{name}-{number}" for name in range(8) for number in range(200))
    for name in range(8):
        mine = [line for line in lines if line.startswith(f"{name}-")]
        assert mine == [f"{name}-{number}" for number in range(200)]


def test_many_processes_rotate(path: str) -> None:
    """Processes that all find the log full move it aside once: no line is lost, none is torn, none is refused."""
    size = 8 * 100 * 1600
    run_many(path, 100, size // 2)
    lines = [line["n"] for line in read(path)]
    assert sorted(lines) == sorted(f"{name}-{number}" for name in range(8) for number in range(100))
    assert os.path.exists(f"{path}.1")
    raw = b"".join(Path(name).read_bytes() for name in (f"{path}.1", path))
    assert all(json.loads(line) for line in raw.splitlines())


def test_many_processes_rotate_often(path: str) -> None:
    """Rotating at almost every line, no process fails and what is kept is whole."""
    run_many(path, 100, 3000)
    kept = list(Path(path).parent.iterdir())
    assert {file.name for file in kept} <= {"hooks.log", "hooks.log.1", "hooks.log.2"}
    assert all(json.loads(line) for file in kept for line in file.read_bytes().splitlines())
    assert list(read(path))


def test_a_pipe_is_not_waited_for(path: str) -> None:
    """A pipe in the log's place, that nobody reads or writes, keeps neither a hook nor a reader waiting."""
    os.makedirs(os.path.dirname(path))
    os.mkfifo(path)
    with pytest.raises(StateError, match="cannot write the hook log"):
        append(path, {"n": 1})
    with pytest.raises(StateError, match="cannot read the hook log"):
        logged(path)


def test_what_cannot_be_read_hides_nothing_else(path: str) -> None:
    """One of the files is a folder: the lines of the others come, then an error that names it."""
    append(path, {"n": 1})
    os.mkdir(f"{path}.1")
    lines = read(path)
    assert next(lines)["n"] == 1
    with pytest.raises(StateError, match=re.escape(f"cannot read the hook log {path}.1: Is a directory")):
        next(lines)


def test_lines_nested_too_deep_are_passed_over(path: str) -> None:
    """No parser takes them, and no line of ours is like that."""
    append(path, {"n": 1})
    with open(path, "ab") as file:
        file.write(b"[" * 100_000 + b"\n")
    append(path, {"n": 2})
    assert logged(path) == [1, 2]


def test_new_lines_come_once(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is rotated between two looks, as long as the lines are kept."""
    monkeypatch.setattr(hooklog, "LARGEST_BYTES", 500)
    lines, seen = Lines(path), []
    for number in range(300):
        append(path, {"n": number})
        if number % 7 == 0:
            seen += [line["n"] for line in lines.new()]
    seen += [line["n"] for line in lines.new()]
    lines.close()
    assert seen == list(range(300))


def test_lines_that_are_gone_before_they_were_seen(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was rotated out between two looks is not there to be told; nothing comes twice."""
    monkeypatch.setattr(hooklog, "LARGEST_BYTES", 500)
    lines = Lines(path)
    append(path, {"n": 0})
    assert [line["n"] for line in lines.new()] == [0]
    for number in range(1, 200):
        append(path, {"n": number})
    seen = [line["n"] for line in lines.new()]
    lines.close()
    assert seen == sorted(set(seen))
    assert seen[-len(logged(path)) :] == logged(path)
    assert 0 not in seen


def test_a_line_written_after_the_rotation(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook that moves the log aside writes its own line into what it moved."""
    append(path, {"n": 1})
    lines = Lines(path)
    assert [line["n"] for line in lines.new()] == [1]
    with open(path, "ab") as late:
        os.replace(path, f"{path}.1")
        append(path, {"n": 3})
        assert [line["n"] for line in lines.new()] == [3]
        late.write(b'{"n": 2}\n')
    assert [line["n"] for line in lines.new()] == [2]
    lines.close()


def test_half_a_line_waits_for_its_rest(path: str) -> None:
    """It is told once it is whole."""
    append(path, {"n": 1})
    lines = Lines(path)
    with open(path, "ab", buffering=0) as file:
        file.write(b'{"n": ')
        assert [line["n"] for line in lines.new()] == [1]
        file.write(b"2}\n")
    assert [line["n"] for line in lines.new()] == [2]
    lines.close()


def test_a_log_that_was_emptied(path: str) -> None:
    """By a person, in place: what comes then is new."""
    append(path, {"n": 1, "filler": "x" * 1000})
    lines = Lines(path)
    assert [line["n"] for line in lines.new()] == [1]
    os.truncate(path, 0)
    append(path, {"n": 2})
    assert [line["n"] for line in lines.new()] == [2]
    lines.close()


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="only Linux counts what was read")
def test_what_was_told_is_not_read_again(path: str) -> None:
    """To look for new lines costs no reading of the old."""
    for number in range(1000):
        append(path, {"n": number, "filler": "x" * 1000})
    lines = Lines(path)
    assert len(list(lines.new())) == 1000
    before = _bytes_read()
    for _ in range(10):
        assert list(lines.new()) == []
    assert _bytes_read() - before < 100_000
    lines.close()


def _bytes_read() -> int:
    return int(re.search(r"rchar: (\d+)", Path("/proc/self/io").read_text())[1])  # type: ignore[index]
