"""Qwen Code: 0.24.4 was measured."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import Exchange, NotATurn, PromptSubmitted, ReplyFinished, TurnFailed
from neotoma_hooks.agents.payloads import (
    cwd_of,
    identifier,
    is_true,
    optional_text,
    other_event,
    prompt_event,
    tool_event,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event
    from neotoma_hooks.agents.transcript import Said

_CONTEXT = "<qwen:user-prompt-submit-context>"


class QwenCode(Agent):
    """Events and settings of Qwen Code.

    Claude Code's events with ids of the form `<session>########<n>`. After a tool has answered the prompt event comes
    again, with an empty prompt and the same id; after a stop hook sent the agent on, with what that hook said
    (measured). `submitted_prompt` is what the person typed, `prompt` what it became; older versions and some ways of
    typing give the second only.
    """

    name = "qwen-code"
    title = "Qwen Code"
    measured = ("0.24.4",)
    # More than 10,000 is documented to fail for other events, and a megabyte made the whole turn fail (measured)
    context_limit = 9000
    programs = ("qwen",)
    #: With a trailing comma it does not even start (measured).
    reads_beyond_json = ("comment",)
    # 1000 and more would be read as milliseconds by some versions
    entries = (
        HookEntry("UserPromptSubmit", "prompt_submit", 30),
        HookEntry("Stop", "stop", 30),
        HookEntry("StopFailure", "stop", 30),
        HookEntry("PostToolUse", "tool_use", 30, matcher="mcp__.*neotoma.*"),
    )
    not_captured = (
        "A prompt typed while Qwen Code works goes into the running turn without an event: only the reply is stored.",
        "What was said before an interrupt is stored at the next prompt, if Qwen Code's record has it.",
    )
    trust_steps = ("A Qwen Code that is running takes up new hooks when you open `/hooks`, or start it again.",)

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`settings.json` in QWEN_HOME, else in `~/.qwen`."""
        return os.path.join(environ.get("QWEN_HOME") or os.path.join(home, ".qwen"), "settings.json")

    def project_settings_file(self, project: str) -> str:
        """`.qwen/settings.json` in the repository; read in a trusted folder only."""
        return os.path.join(project, ".qwen", "settings.json")

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """With the turn's id and the reply."""
        turn = {"session_id": "self-check", "prompt_id": "self-check########0", "transcript_path": "", "cwd": home}
        start = {"prompt": prompt, "submitted_prompt": prompt}
        end = {"stop_hook_active": False, "last_assistant_message": reply}
        return [
            ("prompt_submit", {**turn, "hook_event_name": "UserPromptSubmit", **start}),
            ("stop", {**turn, "hook_event_name": "Stop", **end}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `hook_event_name`."""
        conversation_id = identifier(payload, "session_id")
        turn_id = optional_text(payload, "prompt_id")
        event = payload.get("hook_event_name")
        cwd = cwd_of(payload)
        path = optional_text(payload, "transcript_path")
        history = (lambda: exchanges(path)) if path else None
        if payload.get("agent_id") or str(event).startswith("Subagent"):
            return NotATurn(conversation_id, "a subagent's event", None, cwd)
        if event == "UserPromptSubmit":
            typed = optional_text(payload, "submitted_prompt")
            if typed is not None and typed.strip():
                return PromptSubmitted(conversation_id, turn_id, typed, cwd, history=history)
            return prompt_event(payload, conversation_id, turn_id, history, is_typed=False)
        if event == "PostToolUse":
            return tool_event(payload, conversation_id, turn_id)
        if event == "StopFailure":
            return TurnFailed(conversation_id, turn_id, "the agent reported an API error", cwd, history=history)
        if event != "Stop":
            return other_event(conversation_id, event, cwd)
        return ReplyFinished(
            conversation_id,
            turn_id,
            optional_text(payload, "last_assistant_message"),
            continued=is_true(payload, "stop_hook_active"),
            cwd=cwd,
        )

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Becomes a block of its own beside the prompt, with angle brackets escaped (measured)."""
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}


def exchanges(path: str) -> list[Exchange]:
    """The newest exchanges of a Qwen Code chat record, oldest first."""
    from neotoma_hooks.agents.transcript import exchanges_in, lines_from_the_end

    return exchanges_in(lines_from_the_end(path), _said)


def _said(line: dict[str, Any]) -> Said | None:
    from neotoma_hooks.agents.transcript import CUT, PROMPT, REPLY, text_of

    message = line.get("message")
    kind = line.get("type")
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(parts, list) or line.get("isSidechain"):
        return None
    if kind == "tool_result":
        # A turn in which nothing was said after a tool had answered did not come to its end
        return CUT, "", ""
    parts = [part for part in parts if isinstance(part, dict) and not part.get("thought")]
    text = text_of([part for part in parts if not str(part.get("text")).startswith(_CONTEXT)])
    if not text or kind not in ("user", "assistant"):
        return None
    return (REPLY, text, str(line.get("uuid", ""))) if kind == "assistant" else (PROMPT, text, "")
