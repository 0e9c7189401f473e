"""The courier: in order, alone, and gone when its work is done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from neotoma_hooks import courier
from neotoma_hooks.paths import Paths, find_paths
from neotoma_hooks.protocol.writes import Message
from neotoma_hooks.settings import Settings, read_settings
from neotoma_hooks.state import files
from neotoma_hooks.state.breaker import Breaker
from neotoma_hooks.state.lock import locked
from neotoma_hooks.state.outbox import Entry, Outbox
from neotoma_hooks.state.pending import pending_file
from standin import StandIn, faults
from support.firing import fire, log_lines, prompt


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with StandIn() as running:
        monkeypatch.setenv("NEOTOMA_BASE_URL", running.url)
        yield running


@pytest.fixture
def paths() -> Paths:
    return find_paths(os.environ)


@pytest.fixture
def settings(server: StandIn, paths: Paths) -> Settings:
    return read_settings(paths.settings_file, os.environ)


def queue(paths: Paths, *contents: str, conversation: str = "c1") -> Outbox:
    outbox = Outbox(paths.outbox, paths.rejected)
    for number, content in enumerate(contents, 1):
        message = Message(conversation, f"t{number}", "user", content, number, "test")
        outbox.add(Entry(message, conversation, [], "", time.time_ns()))
    return outbox


def sent(server: StandIn) -> list[str]:
    return [json.loads(seen.body)["entities"][-1]["content"] for seen in server.requests_to("/store")]


def test_writes_arrive_in_order(server: StandIn, paths: Paths, settings: Settings) -> None:
    """Oldest first; the outbox is empty afterwards."""
    outbox = queue(paths, "one", "two", "three")
    summary = courier.run(settings, paths)
    assert (summary.delivered, summary.waiting, summary.stopped) == (3, 0, "")
    assert sent(server) == ["one", "two", "three"]
    assert outbox.names() == []


def test_only_one_is_at_work(server: StandIn, paths: Paths, settings: Settings) -> None:
    """Another courier holds the lock: this one goes at once."""
    queue(paths, "one")
    with locked(paths.courier_lock, 0):
        assert courier.run(settings, paths).is_busy
    assert sent(server) == []


def test_store_that_is_away_ends_it_and_keeps_all(server: StandIn, paths: Paths, settings: Settings) -> None:
    """Nothing is tried at a server that refuses the connection; the breaker remembers why."""
    outbox = queue(paths, "one", "two")
    with server.away():
        summary = courier.run(settings, paths)
    assert summary.waiting == 2
    assert "cannot reach" in summary.stopped
    assert Breaker(paths.breaker_file, server.url).is_open(time.time())
    courier.run(settings, paths)
    assert sent(server) == ["one", "two"]
    assert outbox.names() == []
    assert not Breaker(paths.breaker_file, server.url).is_open(time.time())


def test_busy_store_is_waited_for(server: StandIn, paths: Paths, settings: Settings) -> None:
    """429 with Retry-After costs no attempt and loses no order."""
    queue(paths, "one", "two")
    server.misbehave(faults.status(429, retry_after=1), path="/store", times=1)
    started = time.monotonic()
    assert courier.run(settings, paths).delivered == 2
    assert time.monotonic() - started >= 1.0
    assert sent(server) == ["one", "one", "two"]


def test_refused_write_is_kept_with_the_reason(server: StandIn, paths: Paths, settings: Settings) -> None:
    """The others go on; the refused one is in `rejected`, and can be sent again."""
    outbox = queue(paths, "one", "two")
    server.misbehave(faults.status(413), path="/store", times=1)
    summary = courier.run(settings, paths)
    assert (summary.delivered, summary.refused) == (1, 1)
    (name,) = outbox.rejected_names()
    refused = outbox.load(name, rejected=True)
    assert refused is not None
    assert "413" in refused.reason
    assert outbox.retry_rejected() == 1
    assert courier.run(settings, paths).delivered == 1


def test_unknown_outcome_holds_back_only_its_own_conversation(
    server: StandIn, paths: Paths, settings: Settings
) -> None:
    """A later message never overtakes an earlier one of its conversation; other conversations go on."""
    queue(paths, "a1", "a2", conversation="a")
    queue(paths, "b1", conversation="b")
    server.misbehave(faults.status(500), path="/store", times=1)
    assert courier.run(settings, paths).delivered == 3
    assert sent(server) == ["a1", "b1", "a1", "a2"]


def test_wrong_token_stops_it_and_loses_nothing(server: StandIn, paths: Paths, settings: Settings) -> None:
    """The credential is the machine's state, not the message's."""
    outbox = queue(paths, "one")
    server.misbehave(faults.status(401), path="/store", times=1)
    assert "401" in courier.run(settings, paths).stopped
    assert len(outbox.names()) == 1


def test_hook_starts_one_that_outlives_it_and_ends_by_itself(server: StandIn, paths: Paths) -> None:
    """After the hook: delivered, one log line of the courier's, no process left."""
    fire("prompt_submit", prompt("c1", "t1", "hello there")).assert_harmless()
    deadline = time.monotonic() + 20
    while not any(line["hook"] == "courier" for line in log_lines()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert sent(server) == ["hello there"]
    while time.monotonic() < deadline:
        commands = [Path(f"/proc/{pid}/cmdline") for pid in os.listdir("/proc") if pid.isdigit()]
        left = [path for path in commands if _is_ours(path, str(paths.state))]
        if not left:
            return
        time.sleep(0.05)
    pytest.fail(f"left running: {left}")


def _is_ours(cmdline: Path, state: str) -> bool:
    try:
        environment = cmdline.with_name("environ").read_bytes()
        return b"neotoma_hooks.courier" in cmdline.read_bytes() and os.path.dirname(state).encode() in environment
    except OSError:
        return False


def test_what_killed_processes_left_half_written_is_swept(server: StandIn, paths: Paths, settings: Settings) -> None:
    """In every folder of ours, once it is too old to be anybody's."""
    folders = [paths.state, paths.pending, paths.outbox, paths.rejected, paths.set_aside]
    for folder in folders:
        for name in (".old.tmp", ".new.tmp"):
            files.write_private(os.path.join(folder, name), b"{", durable=False)
        os.utime(os.path.join(folder, ".old.tmp"), (0, 0))
    courier.run(settings, paths)
    left = [name for folder in folders for name in os.listdir(folder) if name.endswith(".tmp")]
    assert left == [".new.tmp"] * len(folders)


# A courier whose life is short, with a grace that is shorter yet
SHORT = """
from neotoma_hooks import courier
courier.LONGEST_LIFE_SECONDS, courier.GRACE_SECONDS = 0.1, 0.5
courier.main()
"""


def test_courier_that_hangs_is_ended(server: StandIn, paths: Paths) -> None:
    """Long after its time it is ended, wherever it is; it says so, loses nothing, and lets go of the lock."""
    outbox = queue(paths, "one")
    server.misbehave(faults.never_answer, path="/store", times=1)
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", SHORT], timeout=60, check=False)
    assert time.monotonic() - started < 25
    (line,) = log_lines()
    assert line["error"] == "it was still at work long after its time, and was ended"
    assert len(outbox.names()) == 1
    with locked(paths.courier_lock, 0):
        pass


def test_what_cannot_be_swept_stops_nobody(server: StandIn, paths: Paths, settings: Settings) -> None:
    """A thing in our folders that cannot be deleted is left where it is."""
    queue(paths, "one")
    stuck = Path(paths.state, ".stuck.tmp")
    stuck.mkdir()
    os.utime(stuck, (0, 0))
    assert courier.run(settings, paths).delivered == 1
    assert stuck.exists()


def test_conversation_whose_file_is_shut_keeps_no_other_waiting(
    server: StandIn, paths: Paths, settings: Settings
) -> None:
    """Its writes wait, the others are delivered, and the courier says what is in the way."""
    queue(paths, "a1", "a2", conversation="a")
    queue(paths, "b1", conversation="b")
    with pending_file(paths.pending, "a", 0) as file:
        shut = Path(file.path)
    shut.mkdir()
    summary = courier.run(settings, paths)
    assert (summary.delivered, summary.waiting, summary.is_busy) == (1, 2, False)
    assert str(shut) in summary.stopped
    shut.rmdir()
    assert courier.run(settings, paths).delivered == 2
    assert sent(server) == ["b1", "a1", "a2"]
