from __future__ import annotations

import json
from pathlib import Path

import pytest

from neotoma_hooks.state.breaker import LONGEST_PAUSE_SECONDS, SHORTEST_PAUSE_SECONDS, Breaker

STORE = "http://127.0.0.1:3080"
NOW = 1_000_000.0


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "store-health.json")


def test_closed_at_first(path: str) -> None:
    """A store that nothing is known of is asked."""
    assert not Breaker(path, STORE).is_open(NOW)


def test_opens_with_the_first_failure(path: str) -> None:
    """After a failure the store is left alone for a short while, by other processes too, which know the cause."""
    Breaker(path, STORE).note_failure("connection refused", NOW)
    breaker = Breaker(path, STORE)
    assert (breaker.cause, breaker.failures, breaker.since) == ("connection refused", 1, NOW)
    assert breaker.is_open(NOW)
    assert breaker.is_open(NOW + SHORTEST_PAUSE_SECONDS - 0.1)
    assert not breaker.is_open(NOW + SHORTEST_PAUSE_SECONDS)


def test_pause_doubles_up_to_its_limit(path: str) -> None:
    """Each failure in a row makes the pause longer, up to a minute; `since` stays that of the first."""
    pauses = []
    for number in range(12):
        breaker = Breaker(path, STORE)
        breaker.note_failure("away", NOW + number)
        pauses.append(breaker.pause_until - NOW - number)
    assert pauses[:6] == [5, 10, 20, 40, 60, 60]
    assert {LONGEST_PAUSE_SECONDS} == set(pauses[4:])
    assert (breaker.failures, breaker.since) == (12, NOW)


def test_ten_thousand_failures(path: str) -> None:
    """A store that is away for weeks is still asked every minute."""
    breaker = Breaker(path, STORE)
    breaker.failures = 10_000
    breaker.note_failure("away", NOW)
    assert Breaker(path, STORE).pause_until - NOW == LONGEST_PAUSE_SECONDS


def test_pause_named_by_the_store(path: str) -> None:
    """A pause that the store asked for is kept, within the limit."""
    breaker = Breaker(path, STORE)
    breaker.note_failure("busy", NOW, 12.0)
    assert breaker.pause_until == NOW + 12
    breaker.note_failure("busy", NOW, 86_400.0)
    assert breaker.pause_until == NOW + LONGEST_PAUSE_SECONDS
    breaker.note_failure("busy", NOW, 0.0)
    assert not breaker.is_open(NOW)


def test_success_forgets(path: str) -> None:
    """The first success closes it, and the next failure counts from one again."""
    breaker = Breaker(path, STORE)
    for _ in range(3):
        breaker.note_failure("away", NOW)
    breaker.note_success()
    assert not breaker.is_open(NOW)
    assert not Path(path).exists()
    breaker.note_failure("away again", NOW + 1000)
    assert (breaker.failures, breaker.since, breaker.cause) == (1, NOW + 1000, "away again")
    assert breaker.pause_until == NOW + 1000 + SHORTEST_PAUSE_SECONDS


def test_success_without_failure_writes_nothing(path: str) -> None:
    """A healthy store costs no file."""
    Breaker(path, STORE).note_success()
    assert not Path(path).parent.exists()


def test_a_clock_set_back(path: str) -> None:
    """A pause that would last for longer than any is none."""
    Breaker(path, STORE).note_failure("away", NOW)
    assert not Breaker(path, STORE).is_open(NOW - 86_400)


def test_another_store(path: str) -> None:
    """What is known of one store says nothing of another."""
    Breaker(path, STORE).note_failure("away", NOW)
    other = Breaker(path, "https://memory.example.org")
    assert not other.is_open(NOW)
    assert (other.cause, other.failures) == ("", 0)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"{}",
        json.dumps({"store": STORE}).encode(),
        json.dumps({"store": STORE, "cause": "x", "failures": "many", "pause_until": NOW + 5, "since": NOW}).encode(),
        json.dumps({"store": STORE, "cause": "x", "failures": 1, "pause_until": None, "since": NOW}).encode(),
        json.dumps({"store": STORE, "cause": "x", "failures": 1, "pause_until": NOW + 5}).encode(),
    ],
)
def test_damaged(path: str, data: bytes) -> None:
    """A damaged memory of failures is no failure: the store is asked, and the next failure counts from one."""
    Path(path).parent.mkdir(parents=True)
    Path(path).write_bytes(data)
    breaker = Breaker(path, STORE)
    assert not breaker.is_open(NOW)
    assert (breaker.cause, breaker.failures, breaker.since) == ("", 0, 0.0)
    breaker.note_failure("away", NOW)
    assert Breaker(path, STORE).is_open(NOW)


def test_file_that_can_be_neither_read_nor_written(path: str) -> None:
    """It counts as absent, and a failure is known to the process that met it."""
    Path(path).mkdir(parents=True)
    Path(path, "something").touch()
    breaker = Breaker(path, STORE)
    assert (breaker.is_open(NOW), breaker.failures) == (False, 0)
    breaker.note_failure("away", NOW)
    assert breaker.is_open(NOW)
    breaker.note_success()
    assert not breaker.is_open(NOW)
    assert Path(path, "something").exists()


def test_no_token(path: str) -> None:
    """The file holds the store's name and the cause, and is private."""
    Breaker(path, STORE).note_failure("away", NOW)
    assert {"store", "cause", "failures", "pause_until", "since"} == set(json.loads(Path(path).read_bytes()))
    assert Path(path).stat().st_mode & 0o777 == 0o600
