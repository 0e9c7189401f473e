"""Every event that real agents were seen to send, fired once, twice, and twice at once: the same rows and edges."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from support.firing import fire, prompt, stored_turns
from support.memory import Memory

EVENTS = Path(__file__).resolve().parents[1] / "agents" / "events"
FOLDERS = {
    "claude": "claude-code",
    "claude-2.1.197": "claude-code",
    "claude-2.0.76": "claude-code",
    "claude-1.0.128": "claude-code",
    "codex": "codex",
}
CAPTURED = [path for folder in FOLDERS for path in sorted((EVENTS / folder).glob("*.json"))]


def hook_of(path: Path) -> str:
    name = path.name.partition(".")[0]
    return "tool_use" if "Tool" in name else "prompt_submit" if name in ("UserPromptSubmit", "SessionStart") else "stop"


def once(path: Path) -> None:
    fire(hook_of(path), path.read_bytes(), FOLDERS[path.parent.name]).assert_harmless()


def twice(path: Path) -> None:
    once(path)
    once(path)


def at_once(path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(once, [path, path]))


def told(turns: list[dict[str, Any]]) -> list[Any]:
    """What is stored, without the ids that an agent did not give."""
    return [
        [turn["conversation_id"], turn["turn_number"], turn["status"]]
        + [turn[role] and [turn[role]["content"], len(turn[role]["refers_to"])] for role in ("user", "assistant")]
        for turn in turns
    ]


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Start on a home of that name."""
    return lambda name: monkeypatch.setenv("NEOTOMA_HOOKS_HOME", str(tmp_path / name))


@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_event_that_fires_twice_is_one_event(path: Path, fresh: Callable[[str], None]) -> None:
    """On the embedded store, where each way has a memory of its own; an open turn goes before, as in life."""
    conversation = json.loads(path.read_bytes())["session_id"]
    stored = {}
    for way in (once, twice, at_once):
        fresh(way.__name__)
        fire("prompt_submit", prompt(conversation, None, "What did Ada Lovelace say?"))
        way(path)
        stored[way.__name__] = told(stored_turns())
    assert stored["once"] == stored["twice"] == stored["at_once"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_whole_captured_turn_fired_twice_is_one_turn(memory: Memory, folder: str) -> None:
    """Prompt, prompt, reply, reply, on both stores."""
    memory.remember("FAKE-REPLY-2", "thing")
    for name in ("UserPromptSubmit", "Stop"):
        event = json.loads((EVENTS / folder / f"{name}.json").read_bytes())
        transcript = EVENTS / folder / "transcript-at-Stop-tool-turn.jsonl"
        if transcript.exists():
            event["transcript_path"] = str(transcript)
        for _ in range(2):
            hook = "prompt_submit" if name == "UserPromptSubmit" else "stop"
            fire(hook, event, FOLDERS[folder]).assert_harmless()
    memory.settle()
    (turn,) = stored_turns()
    assert turn["status"] == "answered"
    assert turn["user"]["content"].startswith("please run it\nFAKE_TOOL")
    assert turn["assistant"]["content"] == "FAKE-REPLY-2"
