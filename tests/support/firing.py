"""Start the hook executables as an agent does: bytes in, bytes out."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from neotoma_hooks.cli import main

ROOT = Path(__file__).resolve().parents[2]
HOOKS = ROOT / "hooks"


class Fired:
    """How a hook ended: exit status, what it printed, and how long it took in seconds."""

    def __init__(self, status: int, out: bytes, err: bytes, seconds: float) -> None:
        self.status = status
        self.out = out
        self.err = err
        self.seconds = seconds

    @property
    def context(self) -> str:
        """What the agent's model is told; "" when the hook printed nothing."""
        if not self.out:
            return ""
        answer = json.loads(self.out)
        assert list(answer) == ["hookSpecificOutput"]
        assert list(answer["hookSpecificOutput"]) == ["hookEventName", "additionalContext"]
        return str(answer["hookSpecificOutput"]["additionalContext"])

    def assert_quiet(self) -> Fired:
        """No agent sees anything of a hook but its stdout."""
        assert (self.status, self.err) == (0, b""), self.err.decode("utf-8", "replace")
        return self

    def assert_harmless(self) -> Fired:
        """An agent sees nothing of a hook but, perhaps, one JSON object on stdout (G1)."""
        self.assert_quiet()
        if self.out:
            assert isinstance(json.loads(self.out), dict)
        return self


def command(hook: str, agent: str = "claude-code") -> list[str]:
    """The command line of a hook executable."""
    return [sys.executable, "-I", str(HOOKS / f"{hook}.py"), "--agent", agent]


def start(hook: str, agent: str = "claude-code", env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """A hook that waits for its event on stdin."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command(hook, agent), stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **(env or {})}
    )


def fire(
    hook: str, event: Mapping[str, Any] | bytes, agent: str = "claude-code", env: Mapping[str, str] | None = None
) -> Fired:
    """Run a hook on an event to its end."""
    raw = event if isinstance(event, bytes) else json.dumps(event).encode()
    started = time.monotonic()
    process = start(hook, agent, env)
    out, err = process.communicate(raw, timeout=30)
    return Fired(process.returncode, out, err, time.monotonic() - started)


def prompt(conversation: str, turn: str | None, text: str, **more: Any) -> dict[str, Any]:
    """Claude Code's event of a prompt; without a turn id it is that of an older version."""
    event: dict[str, Any] = {
        "session_id": conversation,
        "transcript_path": f"/nowhere/{conversation}.jsonl",
        "cwd": "/",
        "permission_mode": "default",
        "hook_event_name": "UserPromptSubmit",
        "prompt": text,
    }
    return {**event, **({"prompt_id": turn} if turn else {}), **more}


def reply(conversation: str, turn: str | None, text: str | None, **more: Any) -> dict[str, Any]:
    """Claude Code's event of a finished reply."""
    event: dict[str, Any] = {
        "session_id": conversation,
        "transcript_path": f"/nowhere/{conversation}.jsonl",
        "cwd": "/",
        "permission_mode": "default",
        "hook_event_name": "Stop",
        "stop_hook_active": False,
        "background_tasks": [],
    }
    said = {} if text is None else {"last_assistant_message": text}
    return {**event, **({"prompt_id": turn} if turn else {}), **said, **more}


def neotoma_hooks(*words: str, check: bool = True, env: Mapping[str, str] | None = None) -> str:
    """What the command prints.

    One that only reads runs within the test's own process: to start one for each reading would take half of the suite's
    time.
    """
    if words[0] in _READING and env is None:
        return _within_this_process(words, check=check)
    done = subprocess.run(
        [sys.executable, "-m", "neotoma_hooks.cli", *words],
        capture_output=True,
        env={**os.environ, **(env or {})},
        timeout=120,
        check=False,
    )
    assert not check or done.returncode == 0, done.stderr.decode("utf-8", "replace") + done.stdout.decode()
    return done.stdout.decode("utf-8", "surrogateescape")


_READING = ("turns", "log", "outbox", "flush", "remember")


def _within_this_process(words: Sequence[str], *, check: bool) -> str:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace") for _ in range(2))
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "argv", ["neotoma-hooks", *words]),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    printed, complained = (_printed(stream) for stream in (out, err))
    assert not check or not ended.value.code, complained + printed
    return printed


def _printed(stream: io.TextIOWrapper) -> str:
    if stream.closed:
        return ""
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")


def stored_turns(conversation: str | None = None, env: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """The stored turns, oldest first, as `turns --json` prints them."""
    words = ["turns", "--json", "--limit", "1000"]
    found = json.loads(neotoma_hooks(*words, *(["--conversation", conversation] if conversation else []), env=env))
    assert isinstance(found, list)
    return found


def log_lines() -> list[dict[str, Any]]:
    """The hook log's lines, oldest first."""
    path = Path(os.environ["NEOTOMA_HOOKS_HOME"]) / "state" / "hooks.log"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def hook_lines(hook: str | None = None) -> list[dict[str, Any]]:
    """The hook log's lines that hooks wrote themselves (or one of them did), oldest first; none of a courier's."""
    own = [line for line in log_lines() if line["hook"] != "courier" and not line.get("late")]
    return [line for line in own if hook in (None, line["hook"])]
