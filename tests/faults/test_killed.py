"""SIGKILL in front of every step on a file or the network, of both hooks and of the courier, on both stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from faults.killing import SIGKILLED, Message, Place
from standin import StandIn
from support.firing import prompt, reply

ADA, ACME = "Ada Lovelace", "Acme Corp"
MOST_STEPS = 500


class Half:
    """Half a turn: the hook, its event, and the message that it hands over."""

    def __init__(self, hook: str, turn: str | None, content: str, *names: str) -> None:
        self.hook = hook
        self.event = (prompt if hook == "prompt_submit" else reply)("c1", turn, content)
        self.content = content
        self.names = names

    def message(self, *, may_lack: bool = False) -> Message:
        return Message(self.content, self.names, may_lack=may_lack)


def halves(has_ids: bool) -> list[Half]:
    """Three turns of a conversation."""
    t1, t2, t3 = ("t1", "t2", "t3") if has_ids else (None, None, None)
    return [
        Half("prompt_submit", t1, "What did Ada Lovelace say about Acme Corp?", ADA, ACME),
        Half("stop", t1, "Ada Lovelace said yes.", ADA),
        Half("prompt_submit", t2, "Did Ada Lovelace leave Acme Corp?", ADA, ACME),
        Half("stop", t2, "She left Acme Corp.", ACME),
        Half("prompt_submit", t3, "and then?"),
        Half("stop", t3, "Then Ada Lovelace came back.", ADA),
    ]


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


def assert_every_step(steps: Sequence[str], *kinds: str) -> None:
    """The steps are those that are meant: counting nothing would prove nothing."""
    assert [kind for kind in kinds if not any(step.startswith(kind) for step in steps)] == []


def kill_everywhere(place: Place, before: Sequence[Half], killed: Half, after: Sequence[Half]) -> list[str]:
    """Kill a hook before its first step, its second, and so on until it is through; what it then was that it did."""
    fire(place, *before)
    if place.server is not None:
        place.command("flush")
    place.keep()
    messages = [half.message(may_lack=half is killed and killed not in after) for half in [*before, killed]]
    messages += [half.message() for half in after if half is not killed]
    for kill_at in range(1, MOST_STEPS):
        ended = place.hook(killed.hook, killed.event, kill_at)
        last = ended.steps[-1]
        try:
            fire(place, *after)
            place.command("flush")
            if ended.status != SIGKILLED:
                messages[len(before)].may_lack = False
            place.assert_holds(messages)
            place.assert_unharmed()
        except AssertionError as error:
            raise AssertionError(f"killed before step {kill_at} ({last}) of\n{ended.steps}") from error
        if ended.status != SIGKILLED:
            return ended.steps
        place.put_back()
    pytest.fail(f"not through after {MOST_STEPS} steps")


@pytest.mark.parametrize("has_ids", [True, False], ids=["turn-ids", "no-turn-ids"])
@pytest.mark.parametrize("index", [2, 3], ids=["prompt", "reply"])
def test_hook_is_killed_and_the_agent_goes_on(place: Place, index: int, has_ids: bool) -> None:
    """The message is whole or absent; the rest of the conversation is there, in order, with its edges."""
    given = halves(has_ids)
    steps = kill_everywhere(place, given[:index], given[index], given[index + 1 :])
    print(len(steps), steps)


@pytest.mark.parametrize("has_ids", [True, False], ids=["turn-ids", "no-turn-ids"])
@pytest.mark.parametrize("index", [0, 1, 2, 3], ids=["first-prompt", "first-reply", "prompt", "reply"])
def test_hook_is_killed_and_fires_again(place: Place, index: int, has_ids: bool) -> None:
    """The message is there, once."""
    given = halves(has_ids)
    steps = kill_everywhere(place, given[:index], given[index], given[index : index // 2 * 2 + 2])
    print(len(steps), steps)
