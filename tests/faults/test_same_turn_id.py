"""An agent's turn id comes a second time with other words, and nothing here remembers the first time (G4)."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from neotoma_hooks.memory import Memory as Library
from neotoma_hooks.paths import Paths, find_paths
from neotoma_hooks.protocol.turn_book import REMEMBERED_TURNS
from neotoma_hooks.state.lock import locked
from standin import StandIn
from support.firing import fire, hook_lines, neotoma_hooks, prompt, reply, stored_turns
from support.memory import Memory


@pytest.fixture
def paths() -> Paths:
    return find_paths(os.environ)


def turn(said: tuple[str, str], id: str = "t1") -> None:
    fire("prompt_submit", prompt("c1", id, said[0])).assert_harmless()
    fire("stop", reply("c1", id, said[1])).assert_harmless()


def settled(memory: Memory, paths: Paths) -> None:
    """All is delivered, and no courier is at work any more."""
    memory.settle()
    with locked(paths.courier_lock, 10):
        time.sleep(0.2)


def forget(paths: Paths) -> None:
    """A person deletes the state folder."""
    shutil.rmtree(paths.state)


def forget_turns(paths: Paths) -> None:
    """So many turns have come since that the id is not remembered."""
    for path in Path(paths.pending).glob("*.json"):
        kept = json.loads(path.read_bytes())
        for conversation in kept["conversations"].values():
            conversation["book"]["turns"] = []
        path.write_text(json.dumps(kept))


def told() -> list[tuple[str, str | None, str | None]]:
    """(turn id, prompt, reply) of each turn."""
    return [
        (one["turn_id"], *(one[half] and one[half]["content"] for half in ("user", "assistant")))
        for one in stored_turns("c1")
    ]


def assert_nothing_refused() -> None:
    assert json.loads(neotoma_hooks("outbox", "--json")) == {"waiting": [], "rejected": []}


FIRST = ("What did Ada say?", "She said yes.")
AGAIN = {
    "both": ("Why?", "Because."),
    "the prompt": ("Why?", FIRST[1]),
    "the reply": (FIRST[0], "Because."),
}
LATER: dict[str, list[tuple[str, str | None, str | None]]] = {
    "both": [("t1", *FIRST), ("t1~2", "Why?", "Because.")],
    "the prompt": [("t1", *FIRST), ("t1~2", "Why?", FIRST[1])],
    "the reply": [("t1", *FIRST), ("t1~2", None, "Because.")],
}


@pytest.mark.parametrize("what", AGAIN)
@pytest.mark.parametrize("lost", [forget, forget_turns])
@pytest.mark.parametrize("is_delivered_at_once", [True, False], ids=["at-once", "together"])
def test_other_words_come_with_the_same_id(
    memory: Memory, what: str, lost: Callable[[Paths], None], is_delivered_at_once: bool, paths: Paths
) -> None:
    """Both turns are stored, each prompt with its own reply; nothing is refused."""
    turn(FIRST)
    settled(memory, paths)
    lost(paths)
    with ExitStack() as stack:
        if not is_delivered_at_once:
            stack.enter_context(locked(paths.courier_lock, 10))
        fire("prompt_submit", prompt("c1", "t1", AGAIN[what][0])).assert_harmless()
        if is_delivered_at_once:
            settled(memory, paths)
        fire("stop", reply("c1", "t1", AGAIN[what][1])).assert_harmless()
    settled(memory, paths)
    assert_nothing_refused()
    expected = list(LATER[what])
    if what == "the prompt" and lost is forget and not memory.is_server:
        # The embedded store is asked for what was forgotten: then the same words with the same id are a repeat
        expected[1] = ("t1~2", "Why?", None)
    assert told() == expected


def test_same_event_again_is_the_same_message(memory: Memory, paths: Paths) -> None:
    """Whatever is forgotten: the same words with the same id change nothing, also those that were given another id."""
    for said in (FIRST, AGAIN["both"], FIRST, AGAIN["both"]):
        turn(said)
        settled(memory, paths)
        forget_turns(paths)
    assert_nothing_refused()
    assert told() == LATER["both"]


def test_id_comes_back_again_and_again(memory: Memory, paths: Paths) -> None:
    """Each time it is a turn of its own; the hook log names it as it is stored."""
    for number in range(1, 5):
        turn((f"prompt {number}", f"reply {number}"))
        settled(memory, paths)
        forget_turns(paths)
    assert_nothing_refused()
    ids = ["t1", "t1~2", "t1~3", "t1~4"]
    assert told() == [(id, f"prompt {number}", f"reply {number}") for number, id in enumerate(ids, 1)]
    if not memory.is_server:
        assert [line["turn"] for line in hook_lines("prompt_submit")] == ids


def others(count: int) -> Sequence[str]:
    """So many other turns of the conversation, through the library, which takes less time; returns their ids."""
    library = Library("claude-code")
    ids = [f"other-{number}" for number in range(count)]
    for id in ids:
        library.open_turn("c1", f"prompt {id}", id)
        library.close_turn("c1", f"reply {id}", id)
    return ids


def test_id_comes_back_after_many_turns(memory: Memory, paths: Paths) -> None:
    """More turns than are remembered lie between the two."""
    turn(FIRST)
    ids = others(REMEMBERED_TURNS + 1)
    settled(memory, paths)
    turn(AGAIN["both"])
    settled(memory, paths)
    assert_nothing_refused()
    between = [(id, f"prompt {id}", f"reply {id}") for id in ids]
    assert told() == [("t1", *FIRST), *between, ("t1~2", *AGAIN["both"])]
    assert [one["turn_number"] for one in stored_turns("c1")] == list(range(1, REMEMBERED_TURNS + 4))


@pytest.mark.parametrize("what", AGAIN)
def test_id_comes_back_while_the_first_still_waits(what: str, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is away all the while: no message is taken for one that waits under the same id."""
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        with server.away():
            turn(FIRST)
            others(REMEMBERED_TURNS + 1)
            turn(AGAIN[what])
            turn(AGAIN[what])
        settled(Memory(server), paths)
        assert_nothing_refused()
        assert [one for one in told() if one[0].startswith("t1")] == LATER[what]


def test_two_prompts_share_the_id_that_comes_back(memory: Memory, paths: Paths) -> None:
    """A second prompt within the turn takes no id from the first, whichever is stored first."""
    turn(FIRST)
    settled(memory, paths)
    forget_turns(paths)
    with locked(paths.courier_lock, 10):
        for text in ("Why?", "And how?"):
            fire("prompt_submit", prompt("c1", "t1", text)).assert_harmless()
        for text in ("Because.", "Thus."):
            fire("stop", reply("c1", "t1", text)).assert_harmless()
    settled(memory, paths)
    assert_nothing_refused()
    assert [one[1:] for one in told()] == [FIRST, ("Why?", "Because."), ("And how?", "Thus.")]
    assert sorted(one[0] for one in told()) == ["t1", "t1~2", "t1~3"]


def test_reply_comes_back_without_its_prompt(memory: Memory, paths: Paths) -> None:
    """A reply whose prompt nobody told is a turn of its own."""
    fire("stop", reply("c1", "t1", "one")).assert_harmless()
    settled(memory, paths)
    forget(paths)
    fire("stop", reply("c1", "t1", "two")).assert_harmless()
    settled(memory, paths)
    assert_nothing_refused()
    assert told() == [("t1", None, "one"), ("t1~2", None, "two")]


def test_one_that_an_earlier_version_refused_is_stored_on_a_second_try(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prompt and reply lie in `rejected`; `outbox --retry` brings both in, as one turn."""
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        memory = Memory(server)
        turn(FIRST)
        settled(memory, paths)
        forget_turns(paths)
        with locked(paths.courier_lock, 10):
            turn(AGAIN["both"])
        os.makedirs(paths.rejected, mode=0o700, exist_ok=True)
        for path in Path(paths.outbox).glob("*.json"):
            shutil.move(path, Path(paths.rejected) / path.name)
        neotoma_hooks("outbox", "--retry")
        settled(memory, paths)
        assert_nothing_refused()
        assert told() == LATER["both"]
