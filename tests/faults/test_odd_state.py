"""Every command that reads, while our folders hold what is foreign, damaged, unreadable or of another kind."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from faults.test_odd_machine import without_privilege
from neotoma_hooks import hooklog
from neotoma_hooks.paths import Paths, find_paths
from neotoma_hooks.protocol.writes import Message, frozen_write
from neotoma_hooks.state import set_aside
from neotoma_hooks.state.outbox import Entry, Outbox
from support.firing import fire, neotoma_hooks, prompt, reply, stored_turns

FOLDERS = ("outbox", "rejected", "set_aside", "pending", "notices", "install_records")

COMMANDS = (
    ["doctor"],
    ["doctor", "--json"],
    ["log"],
    ["turns"],
    ["show", "c1"],
    ["show", "t1"],
    ["find", "Ada Lovelace"],
    ["explain", "What did Ada Lovelace say?"],
    ["agents"],
    ["outbox"],
    ["outbox", "--json"],
    ["uninstall", "--all", "--dry-run"],
    ["flush"],
    ["outbox", "--retry"],
)

# One process for all commands: each as its own would be
RUNNER = """
import contextlib, io, json, sys
from neotoma_hooks.cli import main

told = {}
for words in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    sys.argv[1:] = words
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
        status = "came back"
    except SystemExit as ended:
        status = ended.code
    except BaseException as error:
        import traceback
        status = traceback.format_exc()
    told[" ".join(words)] = [status, out.getvalue(), err.getvalue()]
sys.__stdout__.write(json.dumps(told))
"""


class Said(NamedTuple):
    """How a command ended and what it printed."""

    status: int
    out: str
    err: str


@pytest.fixture
def paths() -> Paths:
    return find_paths(os.environ)


@pytest.fixture(autouse=True)
def state(paths: Paths) -> None:
    """A turn in the memory, a write that waits, one that was refused, an event that nobody understands, a log."""
    neotoma_hooks("remember", "Ada Lovelace", "--type", "person")
    fire("prompt_submit", prompt("c1", "t1", "What did Ada Lovelace say?")).assert_harmless()
    fire("stop", reply("c1", "t1", "Ada Lovelace said yes.")).assert_harmless()
    fire("stop", b"{broken").assert_harmless()
    box = Outbox(paths.outbox, paths.rejected)
    box.add(entry("waits"))
    box.reject(box.add(entry("refused")), entry("refused"), "too large")
    os.makedirs(paths.install_records, mode=0o700)


def entry(turn: str) -> Entry:
    return Entry(Message("c2", turn, "user", f"{turn} hello", 1, "test"), "c2", [], "embedded", time.time_ns())


def run_all() -> dict[str, Said]:
    """What each command said, as a user without privilege: never a traceback, and on stderr one sentence."""
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, json.dumps(COMMANDS)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        preexec_fn=without_privilege,
    )
    assert done.returncode == 0, done.stderr
    told = {words: Said(*said) for words, said in json.loads(done.stdout).items()}
    for words, said in told.items():
        assert said.status in (0, 1), f"{words}: {said.status}"
        assert said.err.count("\n") <= 1, f"{words}: {said.err}"
        assert not said.err or said.err.startswith("neotoma-hooks: "), f"{words}: {said.err}"
        assert "see the cause" not in said.out
    return told


def test_well() -> None:
    """With nothing odd, each does what it is for."""
    told = run_all()
    assert [words for words, said in told.items() if said.status] == ["doctor", "doctor --json"]
    assert_seen(told)


def assert_seen(told: dict[str, Said]) -> None:
    """What is well is told beside what is not, and delivered past it."""
    assert "the store refused c2:refused: too large" in told["doctor"].out
    assert "1 events of claude-code: the event is not JSON" in told["doctor"].out
    assert "1 writes wait, the oldest for " in told["doctor"].out
    assert len(told["log"].out.splitlines()) == 3
    assert "turn 1 of c1" in told["turns"].out
    assert "c2:waits" in told["outbox"].out
    assert "c2:refused" in told["outbox"].out
    assert "1 delivered" in told["flush"].out


def mends(told: dict[str, Said]) -> dict[str, str]:
    """Of all that `doctor` saw and that is not well, the mend."""
    findings = json.loads(told["doctor --json"].out)["findings"]
    return {one["seen"]: one["mend"] for one in findings if not one["ok"]}


def mend_of(path: str | Path, told: dict[str, Said]) -> str:
    """The one mend that `doctor` has for that path."""
    (mend,) = [mend for seen, mend in mends(told).items() if str(path) in seen]
    return mend


FOREIGN: dict[str, Callable[[Path], object]] = {
    "notes.json": lambda path: path.write_text("mine"),
    "empty.json": lambda path: path.touch(),
    "list.json": lambda path: path.write_text("[]"),
    "text.json": lambda path: path.write_text('"mine"'),
    "number.json": lambda path: path.write_text("5"),
    "object.json": lambda path: path.write_text('{"version": 1}'),
    "deep.json": lambda path: path.write_text("[" * 100_000),
    "nan.json": lambda path: path.write_text('{"version": NaN}'),
    "not utf-8.json": lambda path: path.write_bytes(b'{"a": "\xff"}'),
    "binary.json": lambda path: path.write_bytes(bytes(range(256))),
    "folder.json": lambda path: path.mkdir(),
    "pipe.json": os.mkfifo,
    "nowhere.json": lambda path: path.symlink_to("/nowhere"),
    "round.json": lambda path: path.symlink_to(path),
    "shut.json": lambda path: path.touch(0o000),
    "99999999999999999999-1.json": lambda path: path.write_text("{}"),
    "foreign.again.json": lambda path: path.write_text("mine"),
    "notes.txt": lambda path: path.write_text("mine"),
    ".hidden.tmp": lambda path: path.mkdir(),
    os.fsdecode(b"\xff.json"): lambda path: path.write_text("mine"),
}


@pytest.mark.parametrize("folder", FOLDERS)
def test_foreign_files(folder: str, paths: Paths) -> None:
    """They are named where they are met, each with the mend, and hinder nothing."""
    place = Path(getattr(paths, folder))
    place.mkdir(exist_ok=True)
    for name, make in FOREIGN.items():
        make(place / name)
    told = run_all()
    if folder in ("outbox", "rejected", "set_aside"):
        for name in FOREIGN:
            if name.endswith(".json") and name.isascii() and name not in ("nowhere.json", "round.json"):
                mend = mend_of(place / name, told)
                assert "move it out of the folder" in mend or "chmod" in mend
        assert_seen(told)
    if folder in ("pending", "notices"):
        assert_seen(told)
    if folder == "outbox":
        assert told["flush"].out.count("notes.json: cannot read the write") == 1


@pytest.mark.parametrize(
    "folder", ["state", "outbox", "rejected", "set_aside", "pending", "notices", "install_records"]
)
@pytest.mark.parametrize("rights", [0o000, 0o400, 0o500], ids=["shut", "only-listed", "read-only"])
def test_folder_that_may_not_be_used(folder: str, rights: int, paths: Paths) -> None:
    """`doctor` names it, with a mend that is one; what else there is is told all the same."""
    place = Path(getattr(paths, folder))
    place.mkdir(exist_ok=True)
    place.chmod(rights)
    told = run_all()
    place.chmod(0o700)
    assert f"chmod -R u+rwX {paths.state}" in mend_of(f"{place} ", told)
    assert "turn 1 of c1" in told["turns"].out


@pytest.mark.parametrize("folder", FOLDERS)
def test_file_in_the_place_of_a_folder(folder: str, paths: Paths) -> None:
    """`doctor` names it."""
    place = Path(getattr(paths, folder))
    shutil.rmtree(place, ignore_errors=True)
    place.touch()
    told = run_all()
    assert "move" in mend_of(f"{place} ", told)
    assert "turn 1 of c1" in told["turns"].out


KINDS: dict[str, Callable[[Path], object]] = {
    "folder": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
    "round link": lambda path: path.symlink_to(path),
    "shut": lambda path: path.touch(0o000),
}


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        (file, kind)
        for file in ("log_file", "breaker_file", "courier_lock", "settings_file", "embedded_store")
        for kind in KINDS
        # A lock may be taken on a pipe as well, and settings that come through one are waited for
        if (file, kind) not in (("courier_lock", "pipe"), ("settings_file", "pipe"))
    ],
)
def test_file_of_another_kind(file: str, kind: str, paths: Paths) -> None:
    """`doctor` names it, with a mend that is one, and each command that needs it says so in one sentence."""
    place = Path(getattr(paths, file))
    place.parent.mkdir(exist_ok=True, mode=0o700)
    place.unlink(missing_ok=True)
    for extra in ("-wal", "-shm"):
        Path(f"{place}{extra}").unlink(missing_ok=True)
    KINDS[kind](place)
    told = run_all()
    assert mend_of(place, told)
    if file == "log_file":
        assert str(place) in told["log"].err


def test_older_log_that_cannot_be_read(paths: Paths) -> None:
    """The lines of the newer one are told, and then what is wrong."""
    os.mkdir(f"{paths.log_file}.1")
    told = run_all()
    assert len(told["log"].out.splitlines()) == 3
    assert f"{paths.log_file}.1" in told["log"].err
    assert mend_of(f"{paths.log_file}.1", told)
    assert_seen({**told, "log": Said(0, "\n\n\n", "")})


def test_foreign_lines_in_the_log(paths: Paths) -> None:
    """A line that has our fields with other types in them is shown as far as it goes."""
    names = ("at", "hook", "agent", "conversation", "turn", "found", "refers_to", "ms", "error", "outcome")
    values: tuple[object, ...] = (5, 1e308, True, None, [], [5], {}, {"total": "x"}, {"total": None}, "x")
    with open(paths.log_file, "a", encoding="ascii") as file:
        file.writelines(json.dumps({"hook": "stop", name: value}) + "\n" for name in names for value in values)
    told = run_all()
    assert len(told["log"].out.splitlines()) == 103


FIELDS: dict[str, tuple[object, ...]] = {
    "conversation_id": (5, None),
    "refers_to": (5, None, "x", [5], [{}], [{"id": 5, "name": "x"}], [{"id": "x", "name": None}]),
    "known_from": (5, None),
    "created": ("x", None, -1, 10**400, [], 1e400),
    "body": (5, None, "x", "[]", "{}", '{"entities": 5}'),
    "frozen_for": (5, None),
    "attempts": ("x", None),
    "reason": (5, None),
    "late": (5, [5]),
    "message": (5, None, {}, []),
    "version": ("x", None, []),
}
OF_MESSAGE: dict[str, tuple[object, ...]] = {
    "conversation_id": (5, None),
    "turn_id": (5, None),
    "role": (5, None, "nobody"),
    "content": (5, None),
    "turn_number": ("x", None),
    "harness": (5, None),
}


def test_writes_with_other_types_in_them(paths: Paths) -> None:
    """They are damaged, whichever field it is; what is well goes past them to the store."""
    kept = json.loads(entry("odd").to_bytes())
    body = frozen_write(entry("odd").message, None, []).decode("ascii")
    frozen = {**kept, "frozen_for": "embedded", "body": body}
    odd = [{**frozen, field: value} for field, values in FIELDS.items() for value in values]
    odd += [{**kept, "message": {**kept["message"], field: value}} for field, of in OF_MESSAGE.items() for value in of]
    for number, one in enumerate(odd):
        for folder in (paths.outbox, paths.rejected):
            Path(folder, f"{number:020d}-odd.json").write_text(json.dumps(one))
    told = run_all()
    for number, one in enumerate(odd):
        for folder in (paths.outbox, paths.rejected):
            name = Path(folder, f"{number:020d}-odd.json")
            assert name.exists()
            assert "move it out of the folder" in mend_of(name, told), one
    assert_seen(told)


EVENT = {"version": 1, "reason": "x", "hook": "stop", "agent": "x", "again": False, "created": 1, "truncated": False}


def test_events_with_other_types_in_them(paths: Paths) -> None:
    """They are damaged, and nothing waits for them."""
    values: tuple[object, ...] = (5, None, [], {}, 1e400)
    odd = [{**EVENT, "raw": "x", field: value} for field in (*EVENT, "raw") for value in values]
    for number, one in enumerate(odd):
        Path(paths.set_aside, f"{number:020d}-1.kept.json").write_text(json.dumps(one))
        Path(paths.set_aside, f"{number:020d}-1.unknown.again.json").write_text(json.dumps(one))
    assert_seen(run_all())


@pytest.mark.parametrize("kind", [*KINDS, "deep", "nan"])
@pytest.mark.parametrize("suffix", [".json", ".lock"])
def test_pending_file_of_another_kind(kind: str, suffix: str, paths: Paths) -> None:
    """The writes of other conversations are delivered past it, and `doctor` names it."""
    (file,) = [path for path in Path(paths.pending).glob(f"*{suffix}") if holds(path.with_suffix(".json"), "c1")]
    well = file.read_bytes()
    file.unlink()
    if kind in KINDS:
        KINDS[kind](file)
    else:
        number = "1e999" if kind == "nan" else "[" * 100_000
        file.write_text(f'{{"version": 1, "conversations": {{"c1": {{"key_id": "c1", "book": {{"next_number": {number}')
    box = Outbox(paths.outbox, paths.rejected)
    stuck = Entry(Message("c1", "t2", "user", "stuck", 2, "test"), "c1", [], "embedded", 1)
    name = box.add(stuck)
    told = run_all()
    stored = [turn["user"]["content"] for turn in stored_turns() if turn["user"]]
    assert "waits hello" in stored
    is_hindrance = kind in KINDS and (suffix, kind) != (".lock", "pipe")
    assert ("stuck" in stored, name in box.names()) == (not is_hindrance, is_hindrance)
    if is_hindrance:
        assert mend_of(file, told)
        file.rmdir() if file.is_dir() else file.unlink()
        file.write_bytes(well)
        neotoma_hooks("flush")
        assert "stuck" in [turn["user"]["content"] for turn in stored_turns() if turn["user"]]


def holds(path: Path, conversation: str) -> bool:
    return path.exists() and conversation in json.loads(path.read_bytes())["conversations"]


def test_damaged_record_of_an_installation(paths: Paths) -> None:
    """`doctor` names it; a foreign file there is taken for one."""
    Path(paths.install_records, "notes.json").write_text("mine")
    told = run_all()
    assert "move" in mend_of(Path(paths.install_records, "notes.json"), told)
    assert str(paths.install_records) in told["uninstall --all --dry-run"].err


def test_settings_that_cannot_be_used_hide_nothing_else(paths: Paths) -> None:
    """What waits and what was refused does not depend on them."""
    os.makedirs(paths.config, mode=0o700)
    Path(paths.settings_file).write_text("base_url = 5")
    said = run_all()["doctor"].out
    for part in ("base_url must be a text", "1 writes wait", "the store refused c2:refused"):
        assert part in said


def test_memory_with_a_damaged_row(paths: Paths) -> None:
    """SQLite does not notice it: one sentence of every command that meets it."""
    import sqlite3

    for column, value in (("fields", "{"), ("fields", "[]"), ("fields", "[" * 100_000)):
        with sqlite3.connect(paths.embedded_store) as connection:
            before = connection.execute(f"SELECT id, {column} FROM entities").fetchall()
            connection.execute(f"UPDATE entities SET {column} = ?", (value,))
        connection.close()
        told = run_all()
        assert "embedded store" in told["turns"].err
        with sqlite3.connect(paths.embedded_store) as connection:
            connection.executemany(f"UPDATE entities SET {column} = ? WHERE id = ?", [row[::-1] for row in before])
        connection.close()


def test_mends_are_commands_that_work(home: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a path has a space, as the folder of macOS has."""
    monkeypatch.setenv("NEOTOMA_HOOKS_HOME", str(home / "Application Support" / "it's ours"))
    odd = find_paths(os.environ)
    hooklog.append(odd.log_file, {"hook": "stop"})
    os.chmod(odd.log_file, 0o644)
    set_aside.keep(odd.set_aside, set_aside.SetAside(b"{", "stop", "codex", "not JSON", again=False, created=1))
    Path(odd.rejected).mkdir(0o500)
    told = run_all()
    (too_open,) = [mend for mend in mends(told).values() if mend.startswith("chmod")]
    commands = [too_open, mend_of(odd.rejected, told).split("`")[1]]
    for command in commands:
        subprocess.run(["sh", "-c", command], check=True)
    modes = [stat.S_IMODE(os.stat(path).st_mode) for path in (odd.log_file, odd.rejected)]
    assert modes == [0o600, 0o700], commands
