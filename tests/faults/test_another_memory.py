"""Behind the same address, or under the same name, is another memory than before: emptied, or put back as it was."""

from __future__ import annotations

import copy
import json
import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from neotoma_hooks import courier
from neotoma_hooks.paths import Paths, find_paths
from neotoma_hooks.settings import read_settings
from neotoma_hooks.state.lock import locked
from standin import StandIn, faults
from standin.graph import Graph
from support.firing import fire, neotoma_hooks, prompt, reply, stored_turns
from support.memory import Memory

TEXT = "What did Ada Lovelace say?"
ANSWER = "Ada Lovelace said yes."


@pytest.fixture
def paths() -> Paths:
    return find_paths(os.environ)


def ask(conversation: str, turn: str) -> None:
    fire("prompt_submit", prompt(conversation, turn, TEXT)).assert_harmless()


def answer(conversation: str, turn: str) -> None:
    fire("stop", reply(conversation, turn, ANSWER)).assert_harmless()


def settled(memory: Memory, paths: Paths) -> None:
    """All is delivered, and no courier is at work any more."""
    memory.settle()
    with locked(paths.courier_lock, 10):
        time.sleep(0.2)


class Thrown:
    """A memory that knew Ada Lovelace before any conversation began, and what becomes of it."""

    def __init__(self, memory: Memory, paths: Paths, copied: Path) -> None:
        self.server = memory.server
        self.path = Path(paths.embedded_store)
        self.copied = copied
        memory.remember("Ada Lovelace", "person")
        if self.server is not None:
            self.graph = copy.deepcopy(self.server.service.graph)
        else:
            with closing(sqlite3.connect(self.path)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            shutil.copy(self.path, copied)

    def deleted(self) -> None:
        """Nothing is left of it."""
        for extra in ("", "-wal", "-shm"):
            Path(f"{self.path}{extra}").unlink(missing_ok=True)
        if self.server is not None:
            self.server.service.graph = Graph()

    def emptied(self) -> None:
        """It is there, with nothing in it."""
        self.deleted()
        if self.server is None:
            self.path.touch(mode=0o600)

    def restored(self) -> None:
        """It is as it was before the conversation began."""
        self.deleted()
        if self.server is None:
            shutil.copy(self.copied, self.path)
        else:
            self.server.service.graph = copy.deepcopy(self.graph)


WAYS = {"deleted": Thrown.deleted, "emptied": Thrown.emptied, "restored": Thrown.restored}


def assert_true_graph(memory: Memory) -> None:
    """No edge leads to what is not there, and each message is PART_OF its conversation."""
    turns = stored_turns()
    for turn in turns:
        for half in filter(None, (turn["user"], turn["assistant"])):
            shown = json.loads(neotoma_hooks("show", half["entity_id"], "--json"))
            ends = [(edge["type"], edge["entity_type"]) for edge in shown["edges"]]
            assert ends.count(("PART_OF", "conversation")) == 1
            assert set(ends) <= {("PART_OF", "conversation"), ("REFERS_TO", "person")}
    by_conversation = {turn["conversation_id"] for turn in turns}
    assert sum(len(stored_turns(conversation)) for conversation in by_conversation) == len(turns)
    if memory.server is not None:
        known = {entity.id for entity in memory.server.entities()}
        assert {end for edge in memory.server.edges() for end in edge[1:]} <= known


def told() -> dict[str, tuple[list[str] | None, list[str] | None]]:
    """What the messages of each turn refer to, None where there is no message."""
    return {
        turn["turn_id"]: tuple(
            half and sorted(one["name"] for one in half["refers_to"]) for half in (turn["user"], turn["assistant"])
        )  # type: ignore[misc]
        for turn in stored_turns()
    }


@pytest.mark.parametrize("way", WAYS)
def test_memory_is_thrown_away_within_a_conversation(memory: Memory, way: str, paths: Paths, tmp_path: Path) -> None:
    """A person who wants to begin anew: the conversation goes on in a new memory, with no edge into the old one."""
    thrown = Thrown(memory, paths, tmp_path / "copy")
    ask("c1", "t1")
    answer("c1", "t1")
    ask("c1", "t2")
    settled(memory, paths)
    WAYS[way](thrown)
    answer("c1", "t2")
    settled(memory, paths)
    ask("c1", "t3")
    answer("c1", "t3")
    settled(memory, paths)
    named = ["Ada Lovelace"] if way == "restored" else []
    assert told() == {"t2": (None, named), "t3": (named, named)}
    assert_true_graph(memory)
    assert neotoma_hooks("turns", "--conversation", "c1").count("Ada Lovelace said yes") == 2


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("conversation", ["c1", "c2"], ids=["known", "new"])
@pytest.mark.parametrize("replies", ["waits-too", "comes-later"])
def test_memory_is_thrown_away_while_messages_wait(
    way: str, conversation: str, replies: str, paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was looked up in the old memory leads nowhere in the new one, whichever write comes first."""
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        memory = Memory(server)
        thrown = Thrown(memory, paths, tmp_path / "copy")
        ask("c1", "t1")
        answer("c1", "t1")
        settled(memory, paths)
        with locked(paths.courier_lock, 10):
            ask(conversation, "t2")
            if replies == "waits-too":
                answer(conversation, "t2")
        WAYS[way](thrown)
        settled(memory, paths)
        answer(conversation, "t2")
        settled(memory, paths)
        named = ["Ada Lovelace"] if way == "restored" else []
        assert told() == {"t2": (named, named)}
        assert_true_graph(memory)


def test_memory_is_thrown_away_between_two_tries(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that is frozen already, and may have arrived in the old memory, is made anew for the new one."""
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        memory = Memory(server)
        thrown = Thrown(memory, paths, Path())
        ask("c1", "t1")
        settled(memory, paths)
        server.misbehave(faults.cut_after_commit, path="/store")
        with locked(paths.courier_lock, 10):
            answer("c1", "t1")
        neotoma_hooks("flush", check=False)
        assert len(server.entities("conversation_message")) == 2
        server.behave()
        thrown.emptied()
        settled(memory, paths)
        assert told() == {"t1": (None, [])}
        assert_true_graph(memory)


@pytest.mark.parametrize("writes", [1, 20])
def test_asking_whether_it_is_the_same_memory_costs_one_request(
    writes: int, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One for each conversation and courier, however many writes there are and whatever they refer to."""
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        memory = Memory(server)
        Thrown(memory, paths, Path())
        for conversation in ("c1", "c2"):
            ask(conversation, "t0")
        settled(memory, paths)
        with locked(paths.courier_lock, 10):
            for conversation in ("c1", "c2"):
                for number in range(1, 1 + writes):
                    ask(conversation, f"t{number}")
        before = len(server.requests)
        courier.run(read_settings(paths.settings_file, os.environ), paths)
        sent = [request.path for request in server.requests[before:]]
        assert sent.count("/store") == 2 * writes
        assert len(sent) - sent.count("/store") == 2
