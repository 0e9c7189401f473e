"""The cases of the benchmark: each makes a home, then gives one event after the other."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from neotoma_hooks.courier import run as run_courier
from neotoma_hooks.errors import LockTimeout
from neotoma_hooks.paths import find_paths
from neotoma_hooks.settings import read_settings
from neotoma_hooks.state.lock import locked
from neotoma_hooks.stores.embedded import EmbeddedStore
from standin import StandIn
from support.firing import prompt, reply

PEOPLE = ("Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov", "Donald Knuth")
NAMES = (*PEOPLE, "Acme Corp", "Initech")
EIGHT = f"What do {', '.join(NAMES[:7])} and {NAMES[7]} have in common?"
NONE = "please make the tests pass and tidy up after that"


class Case:
    """One case: what is started, and with which events.

    `prepare` fills a fresh home and may give more environment, `forget` takes out of it what the last start left there.
    """

    def __init__(
        self,
        name: str,
        hook: str,
        event: Callable[[int], dict[str, object]],
        prepare: Callable[[Path, ExitStack], Mapping[str, str]] = lambda home, stack: {},
        most_ratio: float | None = None,
        forget: Callable[[Path], None] = lambda home: None,
    ) -> None:
        self.name = name
        self.hook = hook
        self.event = event
        self.prepare = prepare
        self.most_ratio = most_ratio
        self.forget = forget

    @contextmanager
    def ready(self, home: Path) -> Iterator[dict[str, str]]:
        """The environment to start the hook in."""
        with ExitStack() as stack:
            environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "NEOTOMA_HOOKS_HOME": str(home / "neotoma")}
            environment.update(self.prepare(home, stack))
            yield environment


def asks(text: str, turns: int = 10**9) -> Callable[[int], dict[str, object]]:
    """A prompt in a conversation that is a new one after so many turns."""
    return lambda number: prompt(f"bench-{number // turns}", f"t{number}", text)


def says(text: str) -> Callable[[int], dict[str, object]]:
    """A reply, each to a turn of its own."""
    return lambda number: reply("bench", f"t{number}", text)


def embedded(entities: int, turns: int = 0) -> Callable[[Path, ExitStack], Mapping[str, str]]:
    """An embedded store with so many entities, the eight names among them, and a conversation of so many turns."""

    def prepare(home: Path, _stack: ExitStack) -> Mapping[str, str]:
        path = find_paths({"NEOTOMA_HOOKS_HOME": str(home / "neotoma"), "HOME": str(home)}).embedded_store
        store = EmbeddedStore(path)
        made = [{"entity_type": "person", "name": name, "role": "known"} for name in NAMES]
        made += [
            {"entity_type": "company", "name": f"Company {n} {n * 7919 % 1000}"} for n in range(entities - len(made))
        ]
        for start in range(0, len(made), 10_000):
            part = made[start : start + 10_000]
            store.put(json.dumps({"entities": part, "relationships": [], "idempotency_key": f"seed-{start}"}).encode())
        store.close()
        if turns:
            _long_conversation(home, path, turns)
        return {}

    return prepare


def _long_conversation(home: Path, path: str, turns: int) -> None:
    """Run one turn through the library, then copy its rows, so that ten thousand turns take a second to make."""
    from neotoma_hooks.memory import Memory

    memory = Memory("claude-code", {"NEOTOMA_HOOKS_HOME": str(home / "neotoma"), "HOME": str(home)})
    memory.open_turn("bench-0", "first", "first")
    memory.close_turn("bench-0", "first reply", "first")
    with sqlite3.connect(path) as connection:
        (conversation,) = connection.execute("SELECT id FROM entities WHERE type = 'conversation'").fetchone()
        for number in range(2, turns):
            for role in ("", ":assistant"):
                id, key = f"ent_{number:020d}{len(role):04d}", f"bench-0:old{number}{role}"
                fields = json.dumps({"role": "assistant" if role else "user", "turn_key": key, "turn_number": number})
                connection.execute(
                    "INSERT INTO entities VALUES (?, 'conversation_message', ?, ?, '2026-01-01T00:00:00Z')",
                    (id, key, fields),
                )
                connection.execute(
                    "INSERT INTO messages (entity_id, conversation_entity_id, turn_key, content) VALUES (?, ?, ?, ?)",
                    (id, conversation, key, b"text"),
                )
                connection.execute("INSERT INTO edges VALUES ('PART_OF', ?, ?)", (id, conversation))
    # Its number is learnt from the store, which has ten thousand turns by now
    shutil.rmtree(memory.paths.pending)


def server(delay: float = 0.0, *, tls: bool = False) -> Callable[[Path, ExitStack], Mapping[str, str]]:
    """A stand-in server that knows the eight names, and adds `delay` seconds to each request."""

    def prepare(_home: Path, stack: ExitStack) -> Mapping[str, str]:
        running = stack.enter_context(StandIn(tls=True) if tls else StandIn())
        for name in NAMES:
            running.remember("person", name, role="known")
        if delay:
            running.misbehave(delay=delay)
        environment = {"NEOTOMA_BASE_URL": running.url, "BENCH_STORE": "stand-in"}
        return {**environment, "SSL_CERT_FILE": str(running.certificate)} if tls else environment

    return prepare


DOWN = {"NEOTOMA_BASE_URL": "http://127.0.0.1:9"}


def server_down(_home: Path, _stack: ExitStack) -> Mapping[str, str]:
    """An address where nobody listens."""
    return DOWN


def server_known_to_be_down(home: Path, _stack: ExitStack) -> Mapping[str, str]:
    """The same, and a hook has found it out just now."""
    state = home / "neotoma" / "state"
    state.mkdir(parents=True)
    kept = {"store": DOWN["NEOTOMA_BASE_URL"], "cause": "refused", "failures": 4, "since": time.time()}
    (state / "store-health.json").write_text(json.dumps({**kept, "pause_until": time.time() + 59}))
    return DOWN


def server_that_hangs(_home: Path, stack: ExitStack) -> Mapping[str, str]:
    """Somebody who takes every connection and never answers."""
    listening = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=10_000))
    return {"NEOTOMA_BASE_URL": f"http://127.0.0.1:{listening.getsockname()[1]}"}


def forget_health(home: Path) -> None:
    """Let the next hook find out for itself how the store is."""
    (home / "neotoma" / "state" / "store-health.json").unlink(missing_ok=True)


def transcript_of(megabytes: int) -> Callable[[Path, ExitStack], Mapping[str, str]]:
    """A large transcript of an older Claude Code, whose reply is nowhere else."""

    def prepare(home: Path, _stack: ExitStack) -> Mapping[str, str]:
        def row(type: str, content: object) -> str:
            return json.dumps(
                {"type": type, "message": {"id": "m", "role": type, "content": content}, "sessionId": "s"}
            )

        filler = row("user", [{"type": "tool_result", "content": "x" * 10_000}]) + "\n"
        with (home / "transcript.jsonl").open("w") as file:
            for _ in range(megabytes * 100):
                file.write(filler)
            file.write(
                row("user", "the question") + "\n" + row("assistant", [{"type": "text", "text": "the answer"}]) + "\n"
            )
        return {"BENCH_TRANSCRIPT": str(home / "transcript.jsonl")}

    return prepare


def drain(count: int) -> Callable[[], float]:
    """Seconds for a courier to deliver so many writes to a stand-in."""

    def measured() -> float:
        import tempfile

        from neotoma_hooks.memory import Memory

        with StandIn() as running, tempfile.TemporaryDirectory() as folder:
            environment = {
                "NEOTOMA_HOOKS_HOME": folder,
                "HOME": folder,
                "NEOTOMA_BASE_URL": running.url,
                "NEOTOMA_HOOKS_DISABLE": "",
            }
            paths = find_paths(environment)
            settings = read_settings(paths.settings_file, environment)
            memory = Memory("bench", environment)
            # Nobody else is to deliver meanwhile
            with locked(paths.courier_lock, 5):
                for number in range(count):
                    memory.open_turn("c", "text", f"t{number}")
            started = time.perf_counter()
            summary = run_courier(settings, paths)
            assert summary.delivered == count
            return time.perf_counter() - started

    return measured


def wait_for_courier(environment: Mapping[str, str]) -> None:
    """Wait until the courier that the last hook started has ended, so that it does not compete with the next start."""
    paths = find_paths(environment)
    for _ in range(500):
        time.sleep(0.01)
        try:
            with locked(paths.courier_lock, 0):
                if not os.path.isdir(paths.outbox) or not os.listdir(paths.outbox):
                    return
        except LockTimeout:
            continue


def hook_command(hook: str) -> list[str]:
    """The command line under measurement, with the interpreter that runs the benchmark."""
    from neotoma_hooks.paths import hooks_folder

    return [sys.executable, "-I", os.path.join(hooks_folder(), f"{hook}.py"), "--agent", "claude-code"]


CASES = [
    Case("prompt, no identifiers, embedded", "prompt_submit", asks(NONE), embedded(8), 4),
    Case("prompt, no identifiers, server", "prompt_submit", asks(NONE), server(), 4),
    Case("prompt, 8 identifiers, embedded, 1,000 entities", "prompt_submit", asks(EIGHT), embedded(1_000), 6),
    Case("prompt, 8 identifiers, embedded, 100,000 entities", "prompt_submit", asks(EIGHT), embedded(100_000), 6),
    Case("prompt, 8 identifiers, server", "prompt_submit", asks(EIGHT), server(), 12),
    Case("prompt, 8 identifiers, server +20 ms", "prompt_submit", asks(EIGHT), server(0.02)),
    Case("prompt, 8 identifiers, server +100 ms", "prompt_submit", asks(EIGHT), server(0.1)),
    Case("prompt, 8 identifiers, server over TLS", "prompt_submit", asks(EIGHT), server(tls=True)),
    Case("prompt, server down, first prompt", "prompt_submit", asks(EIGHT), server_down, forget=forget_health),
    Case("prompt, server down, later prompts", "prompt_submit", asks(EIGHT), server_known_to_be_down, 5),
    Case("prompt, server hangs, first prompt", "prompt_submit", asks(EIGHT), server_that_hangs, forget=forget_health),
    Case("stop, embedded", "stop", says("All done."), embedded(8), 4),
    Case("stop, server", "stop", says("All done."), server(), 4),
    Case("prompt, 1 kB, embedded", "prompt_submit", asks("word " * 200), embedded(8)),
    Case("prompt, 1 MB, embedded", "prompt_submit", asks("word " * 200_000), embedded(8)),
    Case("prompt, 10th turn", "prompt_submit", asks(NONE), embedded(8, turns=10)),
    Case("prompt, 10,000th turn", "prompt_submit", asks(NONE), embedded(8, turns=10_000)),
    Case("stop, 50 MB transcript", "stop", lambda number: reply(f"s{number}", None, None), transcript_of(50)),
]
