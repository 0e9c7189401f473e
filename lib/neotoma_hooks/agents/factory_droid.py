"""Factory Droid: by its documentation (July 2026); not measured here."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import Exchange, ReplyFinished
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


class FactoryDroid(Agent):
    """Events and settings of Factory Droid.

    Claude Code's events without a turn id and without the reply, which its transcript has. Hooks stand in
    `settings.json`; a `hooks.json` beside it, where there is one, holds them without the "hooks" around and hides
    the others.
    """

    name = "factory-droid"
    title = "Factory Droid"
    context_limit = 8000
    programs = ("droid",)
    entries = (
        HookEntry("UserPromptSubmit", "prompt_submit", 30),
        HookEntry("Stop", "stop", 30),
        # `neotoma___store`; by Claude Code's pattern it would be `mcp__neotoma__store`
        HookEntry("PostToolUse", "tool_use", 30, matcher=".*neotoma.*"),
    )
    trust_steps = ("Droid asks you to review hooks that were added from outside: start `droid` and open `/hooks`.",)
    not_captured = (
        "Droid has no turn ids; ours tell two turns apart by their order.",
        "The reply is read from Droid's transcript, because the events do not hold it.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`~/.factory/hooks.json` where there is one, else `settings.json`."""
        return _settings_in(os.path.join(home, ".factory"))

    def project_settings_file(self, project: str) -> str:
        """`.factory/hooks.json` in the repository where there is one, else `settings.json`."""
        return _settings_in(os.path.join(project, ".factory"))

    def format_of(self, path: str) -> str:
        """`hooks.json` is "claude-events": event -> groups -> handlers, with nothing around."""
        return "claude-events" if os.path.basename(path) == "hooks.json" else "claude-settings"

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """With the reply in the transcript."""
        from neotoma_hooks.agents.transcript import written

        said = {"user": prompt, "assistant": reply}
        lines = [{"type": "message", "message": {"role": role, "content": text}} for role, text in said.items()]
        path = written(os.path.join(home, "session.jsonl"), lines)
        turn = {"session_id": "self-check", "transcript_path": path, "cwd": home, "permission_mode": "off"}
        return [
            ("prompt_submit", {**turn, "hook_event_name": "UserPromptSubmit", "prompt": prompt}),
            ("stop", {**turn, "hook_event_name": "Stop", "stop_hook_active": False}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `hook_event_name`."""
        conversation_id = identifier(payload, "session_id")
        event = payload.get("hook_event_name")
        cwd = cwd_of(payload)
        path = optional_text(payload, "transcript_path")
        if event == "UserPromptSubmit":
            return prompt_event(payload, conversation_id, None)
        if event == "PostToolUse":
            return tool_event(payload, conversation_id, None)
        if event != "Stop":
            return other_event(conversation_id, event, cwd)
        text = optional_text(payload, "last_assistant_message")
        return ReplyFinished(
            conversation_id,
            None,
            text,
            transcript=(lambda: exchanges(path)) if path and text is None else None,
            continued=is_true(payload, "stop_hook_active"),
            cwd=cwd,
        )

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """As its documentation has it."""
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}


def _settings_in(folder: str) -> str:
    events = os.path.join(folder, "hooks.json")
    return events if os.path.exists(events) else os.path.join(folder, "settings.json")


def exchanges(path: str) -> list[Exchange]:
    """The newest exchanges of a Droid session file, oldest first."""
    from neotoma_hooks.agents.transcript import exchanges_in, lines_from_the_end

    return exchanges_in(lines_from_the_end(path), _said)


def _said(line: dict[str, Any]) -> Said | None:
    from neotoma_hooks.agents.transcript import PROMPT, REPLY, text_of

    message = line.get("message")
    if line.get("type") != "message" or not isinstance(message, dict):
        return None
    content = message.get("content")
    if isinstance(content, list):
        content = [part for part in content if not _is_reminder(part)]
    text = text_of(content)
    if not text or message.get("role") not in ("user", "assistant"):
        return None
    return (REPLY if message["role"] == "assistant" else PROMPT), text, ""


def _is_reminder(part: object) -> bool:
    """Whether Droid put this part beside what the person wrote."""
    return isinstance(part, dict) and str(part.get("text", "")).startswith("<system-reminder>")
