"""Homes in which processes are killed, and what must be true of them afterwards."""

from __future__ import annotations

import copy
import fcntl
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from standin import StandIn

WARMED = Path(__file__).with_name("warmed.py")
SIGKILLED = -9

# Time is not what is tested here, and a busy machine must not make an event be set aside
CALM = {
    "NEOTOMA_HOOKS_PROMPT_SECONDS": "60",
    "NEOTOMA_HOOKS_STOP_SECONDS": "60",
    "NEOTOMA_HOOKS_LOOKUP_SECONDS": "30",
}


class Ended:
    """How a process ended: exit status, what it printed, and the steps it took."""

    def __init__(self, status: int, out: str, err: str, steps: list[str]) -> None:
        self.status = status
        self.out = out
        self.err = err
        self.steps = steps


class Message:
    """A message that was handed to a hook. One whose hook had not returned `may_lack`."""

    def __init__(self, content: str, refers_to: Sequence[str], *, may_lack: bool = False) -> None:
        self.content = content
        self.refers_to = sorted(refers_to)
        self.may_lack = may_lack


class Place:
    """A home and, beside it, the stand-in in use (None: the embedded store); both can be put back to how they were."""

    def __init__(self, folder: Path, server: StandIn | None) -> None:
        self.home = folder / "attacked"
        self.server = server
        self._template = folder / "template"
        self._graph: Any = None
        self._environment = {**os.environ, **CALM, "NEOTOMA_HOOKS_HOME": str(self.home)}
        if server is not None:
            self._environment["NEOTOMA_BASE_URL"] = server.url
        self._warmed = subprocess.Popen(
            [sys.executable, "-I", str(WARMED)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def close(self) -> None:
        """End the warmed process."""
        with self._warmed as process:
            assert process.stdin is not None
            process.stdin.close()

    @property
    def kind(self) -> str:
        """Which of the two stores it is."""
        return "embedded" if self.server is None else "server"

    def forget(self) -> None:
        """Delete the home; what a server knows stays."""
        shutil.rmtree(self.home, ignore_errors=True)

    @contextmanager
    def kept_from_writing(self) -> Iterator[None]:
        """Inside the `with` the embedded store cannot be written to, as while another program writes to it."""
        if self.server is not None:
            yield
            return
        with closing(sqlite3.connect(self.home / "data" / "memory.sqlite3", isolation_level=None)) as store:
            store.execute("BEGIN IMMEDIATE")
            yield
            store.execute("ROLLBACK")

    def keep(self) -> None:
        """From now on `put_back` leads here."""
        self.home.mkdir(exist_ok=True)
        shutil.copytree(self.home, self._template)
        if self.server is not None:
            self._graph = copy.deepcopy(self.server.service.graph)

    def put_back(self) -> None:
        """Make home and store what they were at `keep`."""
        shutil.rmtree(self.home)
        shutil.copytree(self._template, self.home)
        if self.server is not None:
            self.wait_for_server()
            self.server.service.graph = copy.deepcopy(self._graph)

    def wait_for_server(self) -> None:
        """Wait until the stand-in is done with the requests of clients that have died."""
        until = time.monotonic() + 60
        while self.server is not None and self.server.connections:
            assert time.monotonic() < until, "the stand-in does not let go of its connections"
            time.sleep(0.001)

    def hook(self, name: str, event: Mapping[str, Any], kill_at: int = 0, *, waits_for_answer: bool = False) -> Ended:
        """Fire a hook."""
        words = [name, "--agent", "claude-code"]
        return self._run("hook", words, json.dumps(event), kill_at, waits_for_answer=waits_for_answer)

    def courier(self, kill_at: int = 0, *, waits_for_answer: bool = False) -> Ended:
        """Run a courier."""
        return self._run("courier", [], "", kill_at, waits_for_answer=waits_for_answer)

    def command(self, *words: str) -> str:
        """What `neotoma-hooks` prints."""
        ended = self._run("command", list(words), "", 0)
        assert ended.status == 0, ended.err + ended.out
        return ended.out

    def _run(self, role: str, words: list[str], stdin: str, kill_at: int, *, waits_for_answer: bool = False) -> Ended:
        request = {
            "role": role,
            "words": words,
            "stdin": stdin,
            "environment": self._environment,
            "home": str(self.home),
            "kill_at": kill_at,
            "waits_for_answer": waits_for_answer,
        }
        assert self._warmed.stdin is not None
        assert self._warmed.stdout is not None
        self._warmed.stdin.write(json.dumps(request).encode() + b"\n")
        self._warmed.stdin.flush()
        ended = Ended(**json.loads(self._warmed.stdout.readline()))
        if not kill_at or ended.status != SIGKILLED:
            assert (ended.status, ended.err) == (0, "") or role == "command", (ended.status, ended.err)
        return ended

    def assert_holds(self, messages: Sequence[Message]) -> None:
        """Exactly these messages are stored, each once, in order and with all its edges; nothing else is left over."""
        turns = json.loads(self.command("turns", "--json", "--limit", "1000"))
        told = [turn[half] for turn in turns for half in ("user", "assistant") if turn[half]]
        found = [(message["content"], sorted(one["name"] for one in message["refers_to"])) for message in told]
        wanted = [
            (message.content, message.refers_to)
            for message in messages
            if not message.may_lack or message.content in [content for content, _ in found]
        ]
        assert found == wanted
        assert len({message["part_of"] for message in told} - {None}) == 1
        numbers = [turn["turn_number"] for turn in turns]
        assert numbers == sorted(set(numbers))
        assert self.stored_in_order() == [content for content, _ in wanted]

    def stored_in_order(self) -> list[str]:
        """The messages' contents in the order in which they came into the store."""
        if self.server is not None:
            return [str(entity.fields["content"]) for entity in self.server.entities("conversation_message")]
        with closing(sqlite3.connect(self.home / "data" / "memory.sqlite3")) as store:
            return [content.decode() for (content,) in store.execute("SELECT content FROM messages ORDER BY seq")]

    def assert_unharmed(self) -> None:
        """No file is damaged, no lock is stuck, nothing waits, was refused or was set aside."""
        files = [path for path in self.home.rglob("*") if path.is_file()]
        whole = [path for path in files if not path.name.endswith(".tmp")]
        assert [path for path in whole if path.name.endswith(".damaged")] == []
        for path in whole:
            if path.suffix == ".json":
                json.loads(path.read_bytes() or b"{}")
            elif path.suffix == ".log":
                for line in path.read_bytes().splitlines():
                    json.loads(line)
            elif path.suffix == ".lock":
                with path.open("rb") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            elif path.suffix == ".sqlite3":
                with closing(sqlite3.connect(path)) as store:
                    assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                    assert store.execute("PRAGMA foreign_key_check").fetchall() == []
        left = {"outbox", "rejected", "set-aside"}
        assert [path for path in whole if path.parent.name in left] == []
