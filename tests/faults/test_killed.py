"""SIGKILL in front of every step on a file or the network, of both hooks and of the courier, on both stores."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from faults.killing import SIGKILLED, Ended, Message, Place
from neotoma_hooks.state.set_aside import SetAside, keep
from standin import StandIn
from support.firing import prompt, reply

ADA, ACME = "Ada Lovelace", "Acme Corp"
MOST_STEPS = 500

STORE_STEPS = {"embedded": ("sqlite BEGIN", "sqlite INSERT", "sqlite COMMIT"), "server": ("fsync", "posix_spawn")}
COURIER_STEPS = {"embedded": STORE_STEPS["embedded"], "server": ("socket.connect", "socket send", "socket recv")}


class Half:
    """Half a turn: the hook, its event, and the message that it hands over."""

    def __init__(self, hook: str, turn: str | None, content: str, *names: str) -> None:
        self.hook = hook
        self.event = (prompt if hook == "prompt_submit" else reply)("c1", turn, content)
        self.content = content
        self.names = list(names)

    def message(self, *, may_lack: bool = False) -> Message:
        return Message(self.content, self.names, may_lack=may_lack)


def halves(has_ids: bool, known: Sequence[str] = (ADA, ACME)) -> list[Half]:
    """Three turns of a conversation, in a memory that knows these entities."""
    t1, t2, t3 = ("t1", "t2", "t3") if has_ids else (None, None, None)
    given = [
        Half("prompt_submit", t1, "What did Ada Lovelace say about Acme Corp?", ADA, ACME),
        Half("stop", t1, "Ada Lovelace said yes.", ADA),
        Half("prompt_submit", t2, "Did Ada Lovelace leave Acme Corp?", ADA, ACME),
        Half("stop", t2, "She left Acme Corp.", ACME),
        Half("prompt_submit", t3, "and then?"),
        Half("stop", t3, "Then Ada Lovelace came back.", ADA),
    ]
    for half in given:
        half.names = [name for name in half.names if name in known]
    return given


@pytest.fixture(params=["embedded", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with StandIn() as server:
        place = Place(tmp_path, server if request.param == "server" else None)
        try:
            for name, type in ((ADA, "person"), (ACME, "company")):
                place.command("remember", name, "--type", type)
            yield place
        finally:
            place.close()


def fire(place: Place, *given: Half) -> None:
    for half in given:
        place.hook(half.hook, half.event)


def set_aside(place: Place, half: Half) -> None:
    """Leave the event as a hook does that ran out of time."""
    folder = str(place.home / "state" / "set-aside")
    raw = json.dumps(half.event).encode()
    keep(folder, SetAside(raw, half.hook, "claude-code", "out of time", again=True, created=time.time_ns()))


def assert_every_step(steps: Sequence[str], *kinds: str) -> None:
    """The steps are those that are meant: counting nothing would prove nothing."""
    assert [kind for kind in kinds if not any(step.startswith(kind) for step in steps)] == []


def first_without(steps: Callable[[int], Ended], check: Callable[[bool], None]) -> list[str]:
    """Kill before the first step, the second, and so on until a process comes through; what its steps were.

    `check` is called after each, and told whether the process was killed.
    """
    for kill_at in range(1, MOST_STEPS):
        ended = steps(kill_at)
        is_killed = ended.status == SIGKILLED
        try:
            check(is_killed)
        except AssertionError as error:
            raise AssertionError(f"killed before step {kill_at}, the last of {ended.steps}") from error
        if not is_killed:
            return ended.steps
    pytest.fail(f"not through after {MOST_STEPS} steps")


def kill_hook(place: Place, before: Sequence[Half], killed: Half, after: Sequence[Half]) -> list[str]:
    """Kill a hook everywhere; `after` are the events that fire then. Returns its steps."""
    fire(place, *before)
    place.command("flush")
    place.keep()

    def kill(kill_at: int) -> Ended:
        place.put_back()
        return place.hook(killed.hook, killed.event, kill_at)

    def check(is_killed: bool) -> None:
        fire(place, *after)
        place.command("flush")
        done = [killed.message(may_lack=is_killed and killed not in after)]
        others = [half.message() for half in after if half is not killed]
        place.assert_holds([*(half.message() for half in before), *done, *others])
        place.assert_unharmed()

    return first_without(kill, check)


@pytest.mark.parametrize("has_ids", [True, False], ids=["turn-ids", "no-turn-ids"])
@pytest.mark.parametrize("index", [2, 3], ids=["prompt", "reply"])
def test_hook_is_killed_and_the_agent_goes_on(place: Place, index: int, has_ids: bool) -> None:
    """The message is whole or absent; the rest of the conversation is there, in order, with its edges."""
    given = halves(has_ids)
    steps = kill_hook(place, given[:index], given[index], given[index + 1 :])
    assert_every_step(steps, "open hooks.log", "fcntl.flock", "write", "os.rename", *STORE_STEPS[place.kind])


@pytest.mark.parametrize("has_ids", [True, False], ids=["turn-ids", "no-turn-ids"])
@pytest.mark.parametrize("index", [0, 3], ids=["first-prompt", "reply"])
def test_hook_is_killed_and_fires_again(place: Place, index: int, has_ids: bool) -> None:
    """The message is there, once; also where home and memory are made by the very first prompt."""
    given = halves(has_ids)
    if index == 0:
        place.forget()
        given = halves(has_ids, known=() if place.server is None else (ADA, ACME))
    steps = kill_hook(place, given[:index], given[index], given[index : index // 2 * 2 + 2])
    assert_every_step(steps, "open hooks.log", "fcntl.flock", "write", "os.rename", *STORE_STEPS[place.kind])


class SameId:
    """A turn id that had a prompt without a reply comes back with other words, and nothing here remembers it."""

    first = Half("prompt_submit", "t1", "What did Ada Lovelace say?", ADA)
    again = Half("prompt_submit", "t1", "And Acme Corp?", ACME)
    answer = Half("stop", "t1", "Acme Corp said nothing.", ACME)

    @classmethod
    def begin(cls, place: Place) -> None:
        fire(place, cls.first)
        place.command("flush")
        for path in (place.home / "state" / "pending").glob("*.json"):
            kept = json.loads(path.read_bytes())
            kept["conversations"]["c1"]["book"]["turns"] = []
            path.write_text(json.dumps(kept))

    @classmethod
    def assert_holds(cls, place: Place) -> None:
        place.command("flush")
        place.assert_holds([half.message() for half in (cls.first, cls.again, cls.answer)])
        place.assert_unharmed()
        told = [
            (turn["turn_id"], *(turn[half] and turn[half]["content"] for half in ("user", "assistant")))
            for turn in json.loads(place.command("turns", "--json"))
        ]
        assert told == [("t1", cls.first.content, None), ("t1~2", cls.again.content, cls.answer.content)]


def test_hook_is_killed_whose_turn_id_comes_back(place: Place) -> None:
    """The prompt fires again; it and its reply are one turn, and not the one that had the id before."""
    SameId.begin(place)
    place.keep()

    def kill(kill_at: int) -> Ended:
        place.put_back()
        return place.hook(SameId.again.hook, SameId.again.event, kill_at)

    def check(_is_killed: bool) -> None:
        fire(place, SameId.again, SameId.answer)
        SameId.assert_holds(place)

    assert_every_step(first_without(kill, check), "write", "os.rename", *STORE_STEPS[place.kind])


def test_courier_is_killed_whose_turn_id_comes_back(place: Place) -> None:
    """Prompt and reply wait: whatever was noted of the new id, they end up as one turn."""
    SameId.begin(place)
    with place.kept_from_writing():
        fire(place, SameId.again, SameId.answer)
    place.keep()

    def kill(kill_at: int) -> Ended:
        place.put_back()
        return place.courier(kill_at, waits_for_answer=True)

    def check(_is_killed: bool) -> None:
        SameId.assert_holds(place)

    assert_every_step(first_without(kill, check), "os.remove", "fsync", "os.rename", *COURIER_STEPS[place.kind])


@pytest.mark.parametrize("waits_for_answer", [False, True], ids=["at-once", "after-the-answer"])
def test_courier_is_killed(place: Place, waits_for_answer: bool) -> None:
    """Three writes wait, and an event that its hook could not handle: the next courier brings in what is left."""
    given = halves(has_ids=True)
    fire(place, *given[:2])
    place.command("flush")
    with place.kept_from_writing():
        fire(place, *given[2:5])
    set_aside(place, given[5])
    assert len(list((place.home / "state" / "outbox").glob("*.json"))) == 3
    place.keep()

    def kill(kill_at: int) -> Ended:
        place.put_back()
        return place.courier(kill_at, waits_for_answer=waits_for_answer)

    def check(is_killed: bool) -> None:
        if is_killed:
            place.command("flush")
        place.assert_holds([half.message() for half in given])
        place.assert_unharmed()

    steps = first_without(kill, check)
    assert_every_step(steps, "os.remove", "fsync", "os.rename", "fcntl.flock", *COURIER_STEPS[place.kind])
