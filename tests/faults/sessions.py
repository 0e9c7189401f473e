"""Sessions of an agent side by side, each turn through processes of its own, and what must be true afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from support.firing import Fired, command, prompt, reply, stored_turns
from support.memory import Memory

COMPANY = "Acme Corp"


class Session:
    """One session of Claude Code: its conversation, and the entity that only this one speaks of. Every second one tells
    turn ids."""

    agent = "claude-code"

    def __init__(self, number: int) -> None:
        self.conversation = f"session-{number}"
        self.subject = f"PROJ-{100 + number}"
        self.has_ids = number % 2 == 0

    def asks(self, turn: int) -> dict[str, Any]:
        """The event of a prompt."""
        return prompt(self.conversation, self._id(turn), self._question(turn))

    def says(self, turn: int) -> dict[str, Any]:
        """The event of its reply."""
        return reply(self.conversation, self._id(turn), self._answer(turn))

    def run(self, turns: int) -> None:
        """Fire every turn's two hooks, as Claude Code's registration has them."""
        for turn in range(1, turns + 1):
            fire_at_once("prompt_submit", self.asks(turn))
            fire_at_once("stop", self.says(turn))

    def assert_whole(self, stored: Sequence[Mapping[str, Any]], turns: int) -> None:
        """All turns once, in order, each with the two messages and the edges that are its own."""
        assert [(turn["turn_number"], *map(_told, (turn["user"], turn["assistant"]))) for turn in stored] == [
            (turn, (self._question(turn), [COMPANY, self.subject]), (self._answer(turn), [self.subject]))
            for turn in range(1, turns + 1)
        ]
        assert all(turn["turn_id"] == self._id(turn["turn_number"]) for turn in stored if self.has_ids)
        assert len({turn[half]["part_of"] for turn in stored for half in ("user", "assistant")}) == 1

    def _id(self, turn: int) -> str | None:
        return f"turn-{turn}" if self.has_ids else None

    def _question(self, turn: int) -> str:
        return f"what does {self.subject} cost {COMPANY} in month {turn}?"

    def _answer(self, turn: int) -> str:
        return f"{self.subject} costs {turn}."


class CodexSession(Session):
    """A session of Codex."""

    agent = "codex"

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.has_ids = True

    def asks(self, turn: int) -> dict[str, Any]:
        return {**self._common(turn), "hook_event_name": "UserPromptSubmit", "prompt": self._question(turn)}

    def says(self, turn: int) -> dict[str, Any]:
        said = {"hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": self._answer(turn)}
        return {**self._common(turn), **said}

    def _common(self, turn: int) -> dict[str, Any]:
        told = {"session_id": self.conversation, "turn_id": self._id(turn), "model": "m"}
        return {**told, "cwd": "/", "transcript_path": None}


def fire_at_once(hook: str, event: Mapping[str, Any]) -> None:
    """Run a hook whose event lies in its pipe before it starts; an agent sees nothing of it but its answer (G1).

    Many threads of one process would take turns at writing events, and let hooks wait for theirs as no agent does.
    """
    reading, writing = os.pipe()
    os.write(writing, json.dumps(event).encode())
    os.close(writing)
    try:
        done = subprocess.run(command(hook), stdin=reading, capture_output=True, timeout=300, check=False)
    finally:
        os.close(reading)
    Fired(done.returncode, done.stdout, done.stderr, 0.0).assert_harmless()


def _told(message: Mapping[str, Any] | None) -> tuple[str, list[str]] | None:
    return None if message is None else (message["content"], sorted(one["name"] for one in message["refers_to"]))


def sessions_in(memory: Memory, count: int) -> list[Session]:
    """So many sessions, whose subjects the memory knows."""
    sessions = [Session(number) for number in range(count)]
    introduce(memory, sessions)
    return sessions


def introduce(memory: Memory, sessions: Sequence[Session]) -> None:
    """Put what the sessions speak of into the memory."""
    memory.remember(COMPANY, "company")
    for session in sessions:
        memory.remember(session.subject, "task")


def at_once(sessions: Sequence[Session], turns: int) -> None:
    """Run all sessions side by side."""
    with ThreadPoolExecutor(len(sessions)) as pool:
        list(pool.map(lambda session: session.run(turns), sessions))


def assert_all_whole(memory: Memory, sessions: Sequence[Session], turns: int) -> None:
    """Every turn of every session is stored, once, and nothing else; nobody is left running."""
    memory.settle()
    stored = stored_turns()
    by_session: dict[str, list[Mapping[str, Any]]] = {session.conversation: [] for session in sessions}
    for turn in stored:
        by_session[turn["conversation_id"]].append(turn)
    for session in sessions:
        session.assert_whole(by_session[session.conversation], turns)
    if memory.server is not None:
        assert all(message.observations == 1 for message in memory.server.entities("conversation_message"))
    assert_nobody_stays()


def left_running() -> list[str]:
    """The command lines of processes that were started for this test's home."""
    home = f"NEOTOMA_HOOKS_HOME={os.environ['NEOTOMA_HOOKS_HOME']}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and home in (folder / "environ").read_bytes().split(b"\0"):
                found.append((folder / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def assert_nobody_stays(seconds: float = 60) -> None:
    """Wait until no process of this home is there."""
    until = time.monotonic() + seconds
    while left := left_running():
        assert time.monotonic() < until, f"left running: {left}"
        time.sleep(0.1)
