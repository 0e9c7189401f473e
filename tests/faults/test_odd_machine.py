"""The machine is not as it should be: full, read-only, without a home, in another locale, with damaged files."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks import hooklog
from neotoma_hooks.paths import Paths, find_paths
from neotoma_hooks.state.outbox import Outbox
from neotoma_hooks.state.set_aside import SetAside, keep
from standin import StandIn
from support.firing import ROOT, Fired, command, fire, hook_lines, log_lines, neotoma_hooks, prompt, reply, stored_turns
from support.memory import Memory

TEXT = "What did Ada Lovelace say?"
ANSWER = "Ada Lovelace said yes."
ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")


@pytest.fixture
def paths() -> Paths:
    return find_paths(os.environ)


def fire_with(
    hook: str, event: dict[str, Any] | bytes, *, before: Callable[[], None] | None = None, **more: Any
) -> Fired:
    """Fire in a process that `before` has prepared after its fork."""
    started = time.monotonic()
    done = subprocess.run(
        command(hook),
        input=event if isinstance(event, bytes) else json.dumps(event).encode(),
        capture_output=True,
        timeout=30,
        check=False,
        preexec_fn=before,
        **more,
    )
    return Fired(done.returncode, done.stdout, done.stderr, time.monotonic() - started).assert_harmless()


def a_turn(conversation: str = "c1", turn: str = "t1", **more: Any) -> None:
    fire_with("prompt_submit", prompt(conversation, turn, TEXT), **more)
    fire_with("stop", reply(conversation, turn, ANSWER), **more)


def assert_whole(memory: Memory, *turn_ids: str) -> None:
    memory.settle()
    turns = stored_turns()
    assert [turn["turn_id"] for turn in turns] == list(turn_ids)
    for turn in turns:
        assert (turn["user"]["content"], turn["assistant"]["content"]) == (TEXT, ANSWER)


# --- environments -----------------------------------------------------------------------------------------------

ENVIRONMENTS: dict[str, dict[str, str | None]] = {
    "the C locale": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"},
    "a Windows code page": {"PYTHONIOENCODING": "cp1252"},
    "no PATH": {"PATH": None},
    "an empty PATH": {"PATH": ""},
    "a proxy": {
        "HTTP_PROXY": "http://192.0.2.1:1",
        "http_proxy": "http://192.0.2.1:1",
        "ALL_PROXY": "socks5://192.0.2.1:1",
    },
    "Python's own variables": {"PYTHONPATH": "/nowhere", "PYTHONHOME": "/nowhere", "PYTHONSTARTUP": "/nowhere/x.py"},
    "a time zone that is none": {"TZ": "Mars/Olympus"},
    "no temporary folder": {"TMPDIR": "/nowhere"},
    "a user of no name": {"USER": None, "LOGNAME": None},
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_environment_does_not_matter(memory: Memory, name: str) -> None:
    """A whole turn, with its text exact, whatever the environment says of languages, proxies and paths."""
    environment = dict(os.environ)
    for variable, value in ENVIRONMENTS[name].items():
        environment.pop(variable, None)
        if value is not None:
            environment[variable] = value
    said = "Zoë says \U0001f600"
    fire_with("prompt_submit", prompt("c1", "t1", said), env=environment)
    fire_with("stop", reply("c1", "t1", said), env=environment)
    memory.settle()
    (turn,) = stored_turns()
    assert (turn["user"]["content"], turn["assistant"]["content"]) == (said, said)


def test_no_home_at_all(tmp_path: Path) -> None:
    """Neither HOME nor ours is set: the home of the user's account counts, and the hook is harmless."""
    keep = {name: value for name, value in os.environ.items() if name == "PATH"}
    fake = tmp_path / "account"
    # The account's home is this machine's own, so the state goes elsewhere all the same
    fire_with("prompt_submit", prompt("c1", "t1", TEXT), env={**keep, "HOME": "", "NEOTOMA_HOOKS_HOME": str(fake)})
    assert (fake / "data" / "memory.sqlite3").exists()


def test_current_folder_is_gone(memory: Memory, tmp_path: Path) -> None:
    """A worktree that was deleted under the agent."""
    gone = tmp_path / "gone"
    gone.mkdir()

    def leave() -> None:
        os.chdir(gone)
        os.rmdir(gone)

    fire_with("prompt_submit", prompt("c1", "t1", TEXT, cwd=str(gone)), before=leave)
    fire("stop", reply("c1", "t1", ANSWER, cwd=str(gone))).assert_harmless()
    assert_whole(memory, "t1")


WITHOUT_DEVNULL = """
import os, sys
os.devnull = "/nowhere/null"
sys.path.insert(0, sys.argv.pop(1))
from neotoma_hooks.hook import main
main("prompt_submit")
"""


def test_no_null_device(memory: Memory) -> None:
    """A container without `/dev/null`: the message is stored all the same."""
    words = [sys.executable, "-I", "-c", WITHOUT_DEVNULL, str(ROOT / "lib"), "--agent", "claude-code"]
    event = json.dumps(prompt("c1", "t1", TEXT)).encode()
    done = subprocess.run(words, input=event, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    memory.settle()
    assert [turn["user"]["content"] for turn in stored_turns()] == [TEXT]


def test_few_open_files(memory: Memory) -> None:
    """64 descriptors are enough for eight look-ups side by side."""
    a_turn(before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
    assert_whole(memory, "t1")


# --- a disk that takes nothing ----------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, 1, 100, 500, 1000, 2000, 4096, 8192, 16384, 32768, 65536])
def test_files_cannot_grow(memory: Memory, limit: int, paths: Paths) -> None:
    """Every write may be the one that fails (RLIMIT_FSIZE): harmless; a message is whole or absent, nothing is damaged.

    What was there before stays, and the next turn on a well machine is stored.
    """
    a_turn(turn="t1")

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    a_turn(turn="t2", before=full)
    a_turn(turn="t3")
    memory.settle()
    turns = {turn["turn_id"]: turn for turn in stored_turns()}
    assert {"t1", "t3"} <= turns.keys() <= {"t1", "t2", "t3"}
    for turn in turns.values():
        for role, text in (("user", TEXT), ("assistant", ANSWER)):
            assert turn[role] is None or turn[role]["content"] == text
    for whole in ("t1", "t3"):
        assert turns[whole]["user"]
        assert turns[whole]["assistant"]
    assert not list(Path(paths.state).rglob("*.damaged"))


@ROOT_ONLY
@pytest.mark.parametrize("free_kilobytes", [0, 4, 16, 64, 200])
def test_disk_is_full(tmp_path: Path, free_kilobytes: int) -> None:
    """A small disk with so much room left: harmless, nothing damaged; with room again, the next turn is stored.

    In a mount namespace of its own, so that no mount is left behind.
    """
    script = tmp_path / "full.sh"
    script.write_text(
        f"""set -e
mount -t tmpfs -o size=2m none "$1"
export NEOTOMA_HOOKS_HOME="$1/ours"
fire() {{
  printf '{{"session_id":"c1","cwd":"/","hook_event_name":"%s","prompt_id":"%s","%s":"%s"}}' "$3" "$4" "$5" "$6" |
    "{sys.executable}" -I "$1/$2.py" --agent claude-code > out 2>> bad || echo "status $?" >> bad
}}
prompt() {{ fire "$1" prompt_submit UserPromptSubmit "$2" prompt "$3"; }}
prompt "$2" t1 one
dd if=/dev/zero of="$1/filler" bs=1k 2> /dev/null || true
truncate -s -{free_kilobytes}k "$1/filler"
fire "$2" stop Stop t1 last_assistant_message one
prompt "$2" t2 two
rm "$1/filler"
prompt "$2" t3 three
"{sys.executable}" -m neotoma_hooks.cli flush > flushed || true
"{sys.executable}" -m neotoma_hooks.cli turns --json
""",
        encoding="utf-8",
    )
    disk, here = tmp_path / "disk", tmp_path / "here"
    disk.mkdir()
    here.mkdir()
    hooks = Path(command("stop")[2]).parent
    done = subprocess.run(
        ["unshare", "-m", "sh", str(script), str(disk), str(hooks)],
        cwd=here,
        capture_output=True,
        timeout=60,
        check=False,
    )
    if b"unshare" in done.stderr or b"mount" in done.stderr:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.decode()[:200]}")
    assert done.returncode == 0, done.stderr
    assert (here / "bad").read_text() == ""
    turns = {turn["turn_id"]: turn for turn in json.loads(done.stdout)}
    assert {"t1", "t3"} <= turns.keys()
    assert turns["t1"]["user"]["content"] == "one"
    assert turns["t1"]["assistant"] is None or turns["t1"]["assistant"]["content"] == "one"
    assert turns["t3"]["user"]["content"] == "three"


@pytest.mark.parametrize("what", ["log", "health"])
def test_file_on_a_disk_that_hangs(what: str, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe stands for it: to open one may wait for ever. The hook ends all the same, and its message is kept."""
    os.makedirs(paths.state, mode=0o700)
    os.mkfifo({"log": paths.log_file, "health": paths.breaker_file}[what])
    if what == "health":
        monkeypatch.setenv("NEOTOMA_BASE_URL", "http://127.0.0.1:9")
        monkeypatch.setenv("NEOTOMA_HOOKS_PROMPT_SECONDS", "2")
    fire_with("prompt_submit", prompt("c1", "t1", TEXT))
    if what == "log":
        assert [turn["user"]["content"] for turn in stored_turns()] == [TEXT]
        return
    outbox = Outbox(paths.outbox, paths.rejected)
    (entry,) = [outbox.load(name) for name in outbox.names()]
    assert entry is not None
    assert entry.message.content == TEXT


# --- rights -----------------------------------------------------------------------------------------------------


CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, PR_CAPBSET_DROP = 1, 2, 24


def without_privilege() -> None:
    """Root reads and writes what it may not; without this capability it is a user like others."""
    libc = ctypes.CDLL(None)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


@contextmanager
def shut(place: Path, rights: int) -> Iterator[None]:
    """Inside the `with` there is a file or folder with no more than these rights."""
    place.parent.mkdir(mode=0o700, exist_ok=True)
    is_new = not place.exists()
    if is_new and place.suffix:
        place.touch(mode=0o600)
    elif is_new:
        place.mkdir(mode=0o700)
    mode = place.stat().st_mode
    place.chmod(rights if place.is_dir() else rights & 0o400)
    yield
    if place.exists():
        place.chmod(mode)
    if is_new and place.is_dir():
        place.rmdir()
    elif is_new:
        place.unlink(missing_ok=True)


def run_without_privilege(*words: str) -> tuple[int, str]:
    """Exit status and output of `neotoma-hooks`, as of a user who may not do everything."""
    done = subprocess.run(
        [sys.executable, "-m", "neotoma_hooks.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
        preexec_fn=without_privilege,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


AS_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="a right that root has not is a thing of Linux")


@AS_LINUX
@pytest.mark.parametrize("rights", [0o500, 0o000], ids=["read-only", "no rights"])
@pytest.mark.parametrize("what", ["store-health.json", "hooks.log", "notices", "set-aside"])
def test_no_permission_for_what_only_helps(memory: Memory, what: str, rights: int, paths: Paths) -> None:
    """A file that no message depends on keeps nobody from anything: neither from context nor from delivery.

    `doctor` names one that cannot be read, and how to mend it.
    """
    memory.remember("Ada Lovelace", "person")
    a_turn(turn="t1", before=without_privilege)
    memory.settle()
    wait_for_courier(paths)
    place = Path(paths.state) / what
    with shut(place, rights):
        os.utime(place, (0, 0))
        fired = fire_with("prompt_submit", prompt("c1", "t2", f"{TEXT} Again?"), before=without_privilege)
        fire_with("stop", reply("c1", "t2", ANSWER), before=without_privilege)
        for _ in range(2):
            status, said = run_without_privilege("flush")
            assert status == 0, said
        told = run_without_privilege("doctor")
        assert [turn["turn_id"] for turn in stored_turns()] == ["t1", "t2"]
        wait_for_courier(paths)
    assert hook_lines("prompt_submit")[-1].get("found") or what == "hooks.log"
    assert fired.status == 0
    assert told[0] == 1
    (wrong,) = [line for line in told[1].splitlines() if str(place) in line and line.startswith("!!")]
    assert "may not be read and written by you" in wrong or "cannot read" in wrong


@AS_LINUX
@pytest.mark.parametrize("rights", [0o500, 0o000], ids=["read-only", "no rights"])
@pytest.mark.parametrize(
    "what",
    ["home", "state", "data", "outbox", "pending", "log", "database", "store-health.json", "set-aside", "notices"],
)
def test_no_permission(memory: Memory, what: str, rights: int, home: Path, paths: Paths) -> None:
    """Harmless, and once it is mended the next turn is stored, and what was before is there."""
    a_turn(turn="t1", before=without_privilege)
    memory.settle()
    place = {
        "home": home / "neotoma",
        "data": Path(paths.data),
        "log": Path(paths.log_file),
        "database": Path(paths.embedded_store),
    }.get(what, Path(paths.state) / (what if what != "state" else ""))
    with shut(place, rights):
        a_turn(turn="t2", before=without_privilege)
    a_turn(turn="t3", before=without_privilege)
    memory.settle()
    turns = {turn["turn_id"]: turn for turn in stored_turns()}
    # Where our folders can be written to, there is a place for the message when its own is shut
    is_kept = what not in ("home", "state")
    expected = {"t1", "t2", "t3"} if is_kept else {"t1", "t3"}
    assert expected <= turns.keys() <= {"t1", "t2", "t3"}
    for whole in sorted(expected):
        assert (turns[whole]["user"]["content"], turns[whole]["assistant"]["content"]) == (TEXT, ANSWER)


# --- our own files ----------------------------------------------------------------------------------------------

DAMAGE: dict[str, bytes] = {
    "empty": b"",
    "half": b'{"version": 1, "conversations": {"c1"',
    "not JSON": b"\0\1\2 hello",
    "a list": b"[]",
    "other fields": b'{"version": 1, "other": true}',
    "wrong types": b'{"version": 1, "conversations": {"c1": {"key_id": 5, "book": [], "entity_ids": 3, "given": "x"}}}',
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_pending_file_is_damaged_between_the_hooks(memory: Memory, damage: str, paths: Paths) -> None:
    """The reply is stored with its own turn id all the same, and the file is kept for a person to look at."""
    fire("prompt_submit", prompt("c1", "t1", TEXT)).assert_harmless()
    (file,) = Path(paths.pending).glob("*.json")
    file.write_bytes(DAMAGE[damage])
    fire("stop", reply("c1", "t1", ANSWER)).assert_harmless()
    assert_whole(memory, "t1")
    a_turn(turn="t2")
    assert_whole(memory, "t1", "t2")


@pytest.mark.parametrize("turn", ["t1", None], ids=["with-turn-id", "without-turn-id"])
def test_state_is_deleted_between_the_hooks(memory: Memory, turn: str | None, paths: Paths) -> None:
    """Nothing is known of the prompt any more: the reply is stored, and no turn shares a key with another (G4)."""
    fire("prompt_submit", prompt("c1", turn, TEXT)).assert_harmless()
    memory.settle()
    wait_for_courier(paths)
    shutil.rmtree(paths.state)
    fire("stop", reply("c1", turn, ANSWER)).assert_harmless()
    fire("prompt_submit", prompt("c1", "t9" if turn else None, TEXT)).assert_harmless()
    memory.settle()
    turns = stored_turns()
    assert [one["user"]["content"] for one in turns if one["user"]] == [TEXT, TEXT]
    assert [one["assistant"]["content"] for one in turns if one["assistant"]] == [ANSWER]


def wait_for_courier(paths: Paths) -> None:
    """A courier that is just ending may write its log line yet."""
    from neotoma_hooks.state.lock import locked

    with locked(paths.courier_lock, 10):
        time.sleep(0.2)


def test_pending_file_of_a_later_version(memory: Memory, paths: Paths) -> None:
    """It is not touched; the turn is stored."""
    fire("prompt_submit", prompt("c1", "t1", TEXT)).assert_harmless()
    (file,) = Path(paths.pending).glob("*.json")
    later = json.dumps({"version": 99, "something": "else"}).encode()
    file.write_bytes(later)
    fire("stop", reply("c1", "t1", ANSWER)).assert_harmless()
    assert file.read_bytes() == later
    assert_whole(memory, "t1")


@pytest.mark.parametrize("damage", [b"", b"{", b"\0", b'{"store": 5}', b"[]"])
def test_other_small_files_are_damaged(memory: Memory, damage: bytes, paths: Paths) -> None:
    """What is known of the store's health, and locks with something in them, are read as if they were not there."""
    os.makedirs(paths.pending, mode=0o700)
    for name in ("store-health.json", "courier.lock", "hooks.log"):
        (Path(paths.state) / name).write_bytes(damage)
    a_turn()
    assert_whole(memory, "t1")


@pytest.mark.parametrize("damage", [b"", b"{", b"\0\0\0", b'{"version": 1}', b'{"version": 99}', b"[]"])
def test_outbox_entry_is_damaged(damage: bytes, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is kept and shown by `outbox` and `doctor`, and the others are delivered past it."""
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        with server.away():
            a_turn(turn="t1")
        entries = sorted(Path(paths.outbox).glob("*.json"))
        entries[0].write_bytes(damage)
        a_turn(turn="t2")
        neotoma_hooks("flush", check=False)
        stored = {turn["turn_id"]: turn for turn in stored_turns()}
        assert stored["t2"]["user"]["content"] == TEXT
        assert stored["t1"]["assistant"]["content"] == ANSWER
        assert entries[0].read_bytes() == damage
        assert entries[0].name in neotoma_hooks("doctor", check=False)


@pytest.mark.parametrize("damage", ["not a database", "cut", "another schema", "a folder"])
def test_database_is_damaged(damage: str, paths: Paths) -> None:
    """The message goes to the outbox and waits; `doctor` names the file; with the file well again it is delivered."""
    a_turn(turn="t1")
    file = Path(paths.embedded_store)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    well = file.read_bytes()
    file.unlink()
    if damage == "a folder":
        file.mkdir()
    elif damage == "another schema":
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA user_version = 99")
    else:
        file.write_bytes(b"hello " * 1000 if damage == "not a database" else well[: len(well) // 2 + 100])
    a_turn(turn="t2")
    doctor = neotoma_hooks("doctor", check=False)
    assert str(file) in doctor
    assert "mend: put a good copy of the file in its place" in doctor
    if file.is_dir():
        file.rmdir()
    for extra in ("-wal", "-shm"):
        Path(f"{file}{extra}").unlink(missing_ok=True)
    file.write_bytes(well)
    neotoma_hooks("flush")
    assert_whole(Memory(None), "t1", "t2")


@pytest.mark.usefixtures("usual_budgets")
def test_database_is_locked_for_longer_than_a_hook_lasts(paths: Paths) -> None:
    """The hook waits only for so long that there is time for the outbox; where that was missed, nothing is lost."""
    conversations = [f"c{number}" for number in range(10)]
    for conversation in conversations:
        fire("prompt_submit", prompt(conversation, "t1", TEXT)).assert_harmless()
    Memory(None).settle()
    with closing(sqlite3.connect(paths.embedded_store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for conversation in conversations:
            fire("stop", reply(conversation, "t1", ANSWER)).assert_harmless()
            line = hook_lines("stop")[-1]
            # A machine that has much else to do may take the time that was left
            if line.get("outcome") == "queued":
                break
        other.execute("ROLLBACK")
    assert line["outcome"] == "queued"
    assert "database is locked" in line["error"]
    assert "out of time" not in line["error"]
    Memory(None).settle()
    answered = [turn for turn in stored_turns() if turn["assistant"]]
    assert len(answered) == len(hook_lines("stop"))
    assert {turn["assistant"]["content"] for turn in answered} == {ANSWER}


@pytest.mark.parametrize("how", ["deleted", "emptied"])
def test_database_is_thrown_away_within_a_conversation(how: str, paths: Paths) -> None:
    """A person who wants to begin anew: the conversation goes on in a new database, with no edge into the old one."""
    neotoma_hooks("remember", "Ada Lovelace", "--type", "person")
    a_turn(turn="t1")
    fire("prompt_submit", prompt("c1", "t2", TEXT)).assert_harmless()
    for extra in ("", "-wal", "-shm"):
        Path(f"{paths.embedded_store}{extra}").unlink(missing_ok=True)
    if how == "emptied":
        Path(paths.embedded_store).touch(mode=0o600)
    fire("stop", reply("c1", "t2", ANSWER)).assert_harmless()
    a_turn(turn="t3")
    turns = {turn["turn_id"]: turn for turn in stored_turns()}
    assert turns.keys() == {"t2", "t3"}
    assert turns["t2"]["assistant"]["content"] == turns["t3"]["assistant"]["content"] == ANSWER
    assert turns["t2"]["assistant"]["part_of"] == turns["t3"]["user"]["part_of"]
    assert turns["t2"]["assistant"]["refers_to"] == []


def test_log_at_its_limit(paths: Paths) -> None:
    """It is moved aside at its limit, and no more than so many files are kept."""
    os.makedirs(paths.state, mode=0o700)
    full = b'{"hook": "stop"}\n' * (hooklog.LARGEST_BYTES // 17 + 10)
    for _ in range(hooklog.KEPT_FILES + 2):
        Path(paths.log_file).write_bytes(full)
        a_turn()
    logs = sorted(path.name for path in Path(paths.state).glob("hooks.log*"))
    assert len(logs) == hooklog.KEPT_FILES
    assert (
        sum(path.stat().st_size for path in Path(paths.state).glob("hooks.log*"))
        < (hooklog.KEPT_FILES + 1) * hooklog.LARGEST_BYTES
    )
    assert log_lines()


def test_clock_is_set_back(memory: Memory, paths: Paths) -> None:
    """Turns keep their order, and what was written in what is now the future keeps nobody waiting."""
    a_turn(turn="t1")
    memory.settle()
    ahead = 10 * 365 * 86_400
    for path in Path(paths.state).rglob("*"):
        if path.is_file():
            os.utime(path, (time.time() + ahead, time.time() + ahead))
    health = {
        "store": os.environ.get("NEOTOMA_BASE_URL", "embedded"),
        "cause": "was away",
        "failures": 3,
        "since": time.time() + ahead,
        "pause_until": time.time() + ahead,
    }
    Path(paths.breaker_file).write_text(json.dumps(health))
    a_turn(turn="t2")
    assert_whole(memory, "t1", "t2")
    numbers = [turn["turn_number"] for turn in stored_turns()]
    assert numbers == [1, 2]


# --- settings ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["base_url = ", "base_url = 5", "what = 1", 'base_url = "ftp://x"', 'never_record = "x"', "\udcff"]
)
def test_settings_that_cannot_be_read_record_nothing(text: str, paths: Paths) -> None:
    """Nobody knows what they would have forbidden: nothing is recorded, and the person is told once."""
    os.makedirs(paths.config, mode=0o700)
    Path(paths.settings_file).write_bytes(text.encode("utf-8", "surrogateescape"))
    said = [fire("prompt_submit", prompt("c1", f"t{number}", TEXT)).assert_harmless().out for number in range(3)]
    fire("stop", reply("c1", "t0", ANSWER)).assert_harmless()
    told = [json.loads(out)["systemMessage"] for out in said if out]
    assert len(told) == 1
    assert paths.settings_file in told[0]
    assert not Path(paths.embedded_store).exists()
    assert not Path(paths.outbox).exists()
    assert paths.settings_file in neotoma_hooks("doctor", check=False)


@pytest.mark.parametrize("value", ["1", "true", "YES"])
def test_switched_off(value: str, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Nothing is written, not even a log line; `doctor` says so."""
    monkeypatch.setenv("NEOTOMA_HOOKS_DISABLE", value)
    a_turn()
    assert list(home.iterdir()) == []
    doctor = neotoma_hooks("doctor", check=False)
    assert "disable = True (from NEOTOMA_HOOKS_DISABLE)" in doctor
    assert "mend: unset NEOTOMA_HOOKS_DISABLE" in doctor


def test_switched_off_whatever_the_settings_say(monkeypatch: pytest.MonkeyPatch, home: Path, paths: Paths) -> None:
    """Nobody has to mend a file of a program that is switched off."""
    os.makedirs(paths.config, mode=0o700)
    Path(paths.settings_file).write_text("what = 1")
    monkeypatch.setenv("NEOTOMA_HOOKS_DISABLE", "1")
    assert fire("prompt_submit", prompt("c1", "t1", TEXT)).assert_harmless().out == b""
    assert not Path(paths.state).exists()


@pytest.mark.parametrize("value", ["0", "false", "No", ""])
def test_not_switched_off(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `doctor` calls off is off, and what it calls on is on."""
    monkeypatch.setenv("NEOTOMA_HOOKS_DISABLE", value)
    a_turn()
    assert_whole(Memory(None), "t1")
    doctor = neotoma_hooks("doctor", check=False)
    assert "disable = False" in doctor
    assert "switched off" not in doctor


def test_switched_neither_on_nor_off(monkeypatch: pytest.MonkeyPatch, paths: Paths) -> None:
    """A word that means neither is no setting: nothing is recorded, and the person is told."""
    monkeypatch.setenv("NEOTOMA_HOOKS_DISABLE", "maybe")
    fired = fire("prompt_submit", prompt("c1", "t1", TEXT)).assert_harmless()
    told = "NEOTOMA_HOOKS_DISABLE: 1 or 0 is needed, not 'maybe'"
    assert told in json.loads(fired.out)["systemMessage"]
    assert [line["error"] for line in log_lines()] == [told]
    assert told in neotoma_hooks("doctor", check=False)
    assert not Path(paths.embedded_store).exists()


def test_folder_that_is_never_recorded(memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nor is one inside it, or a link into it; others are."""
    secret = tmp_path / "secret"
    (secret / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(secret / "deep")
    monkeypatch.setenv("NEOTOMA_HOOKS_NEVER_RECORD", str(secret))
    for number, folder in enumerate((secret, secret / "deep", tmp_path / "link", tmp_path / "secret-not")):
        fire("prompt_submit", prompt("c1", f"t{number}", TEXT, cwd=str(folder))).assert_harmless()
        fire("stop", reply("c1", f"t{number}", ANSWER, cwd=str(folder))).assert_harmless()
    assert_whole(memory, "t3")


NOT_HANDLED: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "whole, and the hook has no time": lambda event: json.dumps(event).encode(),
    "half": lambda event: json.dumps(event).encode()[:-3],
    "half, before it names the folder": lambda event: json.dumps({"prompt": TEXT, **event}).encode()[:40],
    "no JSON": lambda event: json.dumps(event).encode() + b" and more",
    "no session": lambda event: json.dumps({**event, "session_id": None}).encode(),
    "no text": lambda event: json.dumps({**event, "prompt": [TEXT], "last_assistant_message": [TEXT]}).encode(),
    "an agent that nobody knows": lambda event: json.dumps({"cwd": event["cwd"], "prompt": TEXT}).encode(),
    "Cursor": lambda event: json.dumps({"cursor_version": 1, "workspace_roots": [event["cwd"]], "p": TEXT}).encode(),
    "Cline": lambda event: json.dumps({"clineVersion": 1, "workspaceRoots": [event["cwd"]], "p": TEXT}).encode(),
    "Windsurf": lambda event: json.dumps(
        {"agent_action_name": 1, "tool_info": {"p": TEXT, "cwd": event["cwd"]}}
    ).encode(),
    "Latin-1": lambda event: json.dumps({**event, "prompt": f"{TEXT} é"}, ensure_ascii=False).encode("latin-1"),
    "UTF-16": lambda event: json.dumps(event).encode("utf-16"),
}


@pytest.mark.parametrize("how", NOT_HANDLED)
@pytest.mark.parametrize("hook", ["prompt_submit", "stop"])
def test_event_of_a_folder_that_is_never_recorded_is_not_set_aside(
    how: str, hook: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, paths: Paths
) -> None:
    """Nor is one that nobody can handle, as far as it, or else where it is handled, tells the folder."""
    secret = tmp_path / ("secret" if how == "Latin-1" else 'secret "zoë"')
    secret.mkdir()
    monkeypatch.setenv("NEOTOMA_HOOKS_NEVER_RECORD", str(secret))
    if "no time" in how:
        monkeypatch.setenv("NEOTOMA_HOOKS_PROMPT_SECONDS", "0.1")
        monkeypatch.setenv("NEOTOMA_HOOKS_STOP_SECONDS", "0.1")
    where = secret if how in ("half, before it names the folder", "UTF-16") else tmp_path
    kind = prompt if hook == "prompt_submit" else reply
    raw = NOT_HANDLED[how](kind("c1", "t1", TEXT, cwd=str(secret)))
    fire_with(hook, raw, cwd=where)
    (line,) = log_lines()
    assert line["outcome"] == "not recorded: the folder is on the never_record list"
    assert line.get("error") is not None or "no time" in how
    assert not Path(paths.set_aside).exists()
    assert stored_turns() == []
    # What comes from another folder is kept as ever
    other = NOT_HANDLED[how](kind("c1", "t1", TEXT, cwd=str(tmp_path)))
    fire_with(hook, other, cwd=tmp_path)
    assert "no time" in how or len(list(Path(paths.set_aside).iterdir())) == 1


def test_second_try_of_an_event_whose_folder_was_excluded_meanwhile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, paths: Paths
) -> None:
    """What cannot be handled then either is not kept on."""
    event = SetAside(
        json.dumps({**prompt("c1", "t1", TEXT, cwd=str(tmp_path)), "prompt": 5}).encode(),
        "prompt_submit",
        "claude-code",
        "out of time",
        again=True,
        created=1,
    )
    keep(paths.set_aside, event)
    monkeypatch.setenv("NEOTOMA_HOOKS_NEVER_RECORD", str(tmp_path))
    neotoma_hooks("flush", check=False)
    assert list(Path(paths.set_aside).iterdir()) == []
    assert [line["outcome"] for line in log_lines()] == ["not recorded: the folder is on the never_record list"]


def test_private_part_is_written_nowhere(memory: Memory, home: Path) -> None:
    """Not in the store, not in state, not in the log; the rest of the text is exact."""
    fire("prompt_submit", prompt("c1", "t1", "a <private>hunter2</private>  b")).assert_harmless()
    fire("stop", reply("c1", "t1", "c <private>hunter2\nhunter2</private> d")).assert_harmless()
    memory.settle()
    (turn,) = stored_turns()
    assert turn["user"]["content"] == "a [private]  b"
    assert turn["assistant"]["content"] == "c [private] d"
    for path in home.rglob("*"):
        assert not path.is_file() or b"hunter2" not in path.read_bytes()
