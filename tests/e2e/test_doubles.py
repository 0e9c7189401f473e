"""Agents that run another agent's hooks beside their own: what `doctor` says of them, that a turn is recorded once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks.agents.registry import agent
from support.firing import fire, stored_turns

Events = list[tuple[str, dict[str, Any]]]


def own(name: str, home: Path, number: int) -> Events:
    """The events of one turn as the agent's own registration has them."""
    (home / ".local" / "share" / "devin" / "cli" / "sessions.db").unlink(missing_ok=True)
    events = agent(name).sample_turn(f"Question {number}", f"Answer {number}", str(home))
    told = json.loads(json.dumps(events).replace("turn-1", f"turn-{number}"))
    return [(hook, event) for hook, event in told]


def as_claude_codes(name: str, events: Events) -> Events:
    """The same turn as it comes through the entries of Claude Code's settings."""
    if name == "cursor":
        (_, asked), _, (_, ended) = events
        return [
            ("prompt_submit", {**asked, "hook_event_name": "UserPromptSubmit"}),
            ("stop", {**ended, "hook_event_name": "Stop"}),
        ]
    if name == "copilot-cli":
        (_, asked), (_, ended) = events
        common = {"session_id": asked["sessionId"], "cwd": asked["cwd"], "timestamp": "2026-12-01T10:00:00.000Z"}
        end = {"transcript_path": ended["transcriptPath"], "stop_reason": "end_turn", "stop_hook_active": False}
        return [
            ("prompt_submit", {**common, "hook_event_name": "UserPromptSubmit", "prompt": asked["prompt"]}),
            ("stop", {**common, "hook_event_name": "Stop", **end}),
        ]
    return events


def as_cursors(_name: str, events: Events) -> Events:
    """The same turn of Grok Build as it comes through the entries of Cursor's hooks.json: one runs at every tool."""
    (hook, asked), *rest = events
    tool = {key: value for key, value in asked.items() if key != "prompt"}
    tool |= {"hookEventName": "post_tool_use", "toolName": "run", "toolInput": {}, "toolResult": "done"}
    return [(hook, asked), ("stop", tool), *rest]


def stage(event: Mapping[str, Any]) -> int:
    """When in a turn the event comes: at the prompt, in the middle, at the end."""
    if "prompt" in event:
        return 0
    middle = ("afterAgentResponse", "post_tool_use")
    return 1 if event.get("hook_event_name", event.get("hookEventName")) in middle else 2


@pytest.mark.parametrize("first", ["own", "others"])
@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("cursor", "claude-code"),
        ("vscode", "claude-code"),
        ("copilot-cli", "claude-code"),
        ("grok-build", "claude-code"),
        ("grok-build", "cursor"),
        ("devin-cli", "claude-code"),
    ],
)
def test_turn_is_recorded_once(home: Path, monkeypatch: pytest.MonkeyPatch, name: str, whose: str, first: str) -> None:
    """Whichever comes first; a second turn is a second one."""
    if name == "devin-cli":
        monkeypatch.setenv("DEVIN_PROJECT_DIR", str(home))
    if name == "grok-build":
        monkeypatch.setenv("GROK_HOOK_EVENT", "x")
    for number in (1, 2):
        events = own(name, home, number)
        others = as_cursors(name, events) if whose == "cursor" else as_claude_codes(name, events)
        both = [(name, one) for one in events] + [(whose, one) for one in others]
        for hint, (hook, event) in sorted(
            both, key=lambda one: (stage(one[1][1]), (one[0] == name) == (first != "own"))
        ):
            fire(hook, event, agent(hint).registered_as).assert_harmless()
    turns = stored_turns()
    assert [turn["user"]["content"] for turn in turns] == ["Question 1", "Question 2"]
    replies = [said(turn) for turn in turns]
    assert replies == (["Answer 1", "Answer 2"] if agent(name).tells_reply else [None, None])


def said(turn: Mapping[str, Any]) -> str | None:
    return str(turn["assistant"]["content"]) if turn["assistant"] else None
