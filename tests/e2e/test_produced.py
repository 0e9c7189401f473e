"""What the agent stores itself, by a tool of the memory's own, is what its reply refers to: each agent, both stores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks.agents.registry import NAMES, agent
from support.firing import fire, hook_lines, prompt, reply, stored_turns
from support.memory import Memory
from support.talks import (
    Augment,
    Copilot,
    Cursor,
    Devin,
    Droid,
    Gemini,
    Goose,
    Grok,
    Kimi,
    Kiro,
    OpenCode,
    Payload,
    Qwen,
    Talk,
    home,
)

SAMPLES = Path(__file__).resolve().parents[1] / "agents"
SAMPLE_ID = "ent_0123456789abcdef01234567"
TURN = ("session_id", "sessionId", "conversation_id", "prompt_id", "promptId", "generation_id", "turn_id", "message_id")


class Claude(Talk):
    agent = "claude-code"

    def prompt_payload(self, text: str) -> Payload:
        return prompt(self.conversation, f"t{self.number}", text)

    def stop_payload(self, text: str) -> Payload:
        return reply(self.conversation, f"t{self.number}", text)


class Codex(Talk):
    agent = "codex"

    def common(self, event: str) -> Payload:
        turn = {"session_id": self.conversation, "turn_id": f"t{self.number}", "transcript_path": None, "cwd": "/"}
        return {**turn, "hook_event_name": event, "model": "m", "permission_mode": "default"}

    def prompt_payload(self, text: str) -> Payload:
        return {**self.common("UserPromptSubmit"), "prompt": text}

    def stop_payload(self, text: str) -> Payload:
        return {**self.common("Stop"), "stop_hook_active": False, "last_assistant_message": text}


# Each agent that tells its own tools from others, and the sample of what it tells
CASES: list[tuple[type[Talk], str]] = [
    (Claude, "events/claude/PostToolUse.store"),
    (Codex, "events/codex/PostToolUse.store"),
    (Gemini, "captured/gemini/AfterTool.store"),
    (Qwen, "captured/qwen/PostToolUse.store"),
    (Copilot, "captured/copilot/postToolUse.store"),
    (OpenCode, ""),
    (Cursor, "contracts/cursor/postToolUse"),
    (Droid, "contracts/factory-droid/PostToolUse"),
    (Devin, "contracts/devin-cli/PostToolUse"),
    (Kiro, "contracts/kiro-cli/postToolUse"),
    (Augment, "contracts/augment/PostToolUse"),
    (Goose, "contracts/goose/PostToolUse"),
    (Kimi, "contracts/kimi-code/PostToolUse"),
    (Grok, "contracts/grok-build/post_tool_use"),
]


def tool_payload(talk: Talk, sample: str, id: str) -> Payload:
    """The event of a store tool that answered with this id, in the turn that the talk is in."""
    now = talk.prompt_payload("")
    if not sample:
        answer = json.dumps({"entities": [{"entity_id": id, "entity_type": "person"}]})
        event = {"hook_event_name": "tool.execute.after", "tool_name": "neotoma_store"}
        return {**now, **event, "tool_response": [{"type": "text", "text": answer}]}
    told: dict[str, Any] = json.loads((SAMPLES / f"{sample}.json").read_text().replace(SAMPLE_ID, id))
    return {**told, **{field: now[field] for field in TURN if field in now}}


@pytest.fixture(params=CASES, ids=lambda case: case[0].agent)
def case(request: pytest.FixtureRequest) -> tuple[type[Talk], str]:
    found: tuple[type[Talk], str] = request.param
    return found


def test_reply_refers_to_what_was_stored(memory: Memory, case: tuple[type[Talk], str]) -> None:
    """Once, however often the hook fires; the prompt and the next turn do not."""
    kind, sample = case
    id = memory.remember("Grace Hopper", "person")
    talk = kind(home())
    talk.ask("Keep what I told you.")
    talk.fire(2 * [("tool_use", tool_payload(talk, sample, id))])
    talk.answer("It is kept.")
    talk.ask("And now?")
    talk.answer("Now nothing.")
    memory.settle()
    first, second = stored_turns()
    assert [entity["entity_id"] for entity in first["assistant"]["refers_to"]] == [id]
    assert [first["user"]["refers_to"], second["user"]["refers_to"], second["assistant"]["refers_to"]] == [[], [], []]
    used = hook_lines("tool_use")
    assert [(line["agent"], line["outcome"], line["produced"]) for line in used] == 2 * [(kind.agent, "noted", [id])]


def test_every_agent_that_registers_the_hook_is_here() -> None:
    """By its own registration, or by one that it shares."""
    registered = [name for name in NAMES if any(entry.hook == "tool_use" for entry in agent(name).entries)]
    shared = [name for name in registered if agent(name).registered_as == name]
    assert sorted({kind.agent for kind, _ in CASES}) == sorted(shared)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].agent)
def test_hook_says_nothing(case: tuple[type[Talk], str]) -> None:
    """What it printed would reach the model, or count as an error of the tool."""
    kind, sample = case
    talk = kind(home())
    talk.asked("Keep it.")
    fired = fire("tool_use", tool_payload(talk, sample, SAMPLE_ID), kind.agent).assert_quiet()
    assert fired.out == agent(kind.agent).silence.encode()
