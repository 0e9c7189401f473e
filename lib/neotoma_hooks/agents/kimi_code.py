"""Kimi Code, and the older Kimi CLI: by their documentation and source (August 2026); not measured here."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import Exchange, ReplyFinished, TurnFailed
from neotoma_hooks.agents.payloads import cwd_of, identifier, is_true, optional_text, other_event, submitted, tool_event
from neotoma_hooks.errors import EventError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event
    from neotoma_hooks.agents.transcript import Said


_FAILURES = {"StopFailure": "the agent reported an API error", "Interrupt": "the user interrupted the turn"}


class KimiCode(Agent):
    """Events and settings of Kimi Code.

    The prompt is a list of parts; a prompt typed while the agent works is steered into the running turn. The reply is
    told nowhere but in the session's `wire.jsonl`. The older CLI gives the prompt as one text and keeps no such file.
    """

    name = "kimi-code"
    title = "Kimi Code"
    context_limit = 8000
    programs = ("kimi",)
    entries = (
        HookEntry("UserPromptSubmit", "prompt_submit", 30),
        HookEntry("Stop", "stop", 30),
        HookEntry("StopFailure", "stop", 30),
        HookEntry("Interrupt", "stop", 30),
        HookEntry("PostToolUse", "tool_use", 30, matcher="mcp__.*neotoma.*"),
    )
    #: TOML, an array of tables `[[hooks]]` in the user's configuration, each with the keys of `handler` and no others:
    #: one unknown key makes Kimi Code refuse the whole file.
    settings_format = "kimi-toml"
    not_captured = (
        "The reply is read from the session's wire.jsonl, because the events do not hold it.",
        "Kimi Code names a turn only at some of its events; ours tell two turns apart by their order.",
        "There is no settings file of a repository's own.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`config.toml` in KIMI_CODE_HOME, else in `~/.kimi-code`."""
        return os.path.join(environ.get("KIMI_CODE_HOME") or os.path.join(home, ".kimi-code"), "config.toml")

    def handler(self, command: str, entry: HookEntry) -> dict[str, Any]:
        """One table of the array."""
        matcher = {} if entry.matcher is None else {"matcher": entry.matcher}
        return {"event": entry.event, **matcher, "command": command, "timeout": entry.timeout}

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """With the reply in the session's record."""
        from neotoma_hooks.agents.transcript import written

        said = {"user": prompt, "assistant": reply}
        messages = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in said.items()]
        record = os.path.join(
            home, ".kimi-code", "sessions", "self-check", "self-check", "agents", "main", "wire.jsonl"
        )
        written(record, [{"type": "context.append_message", "message": message} for message in messages])
        turn = {"session_id": "self-check", "client_type": "cli", "cwd": home}
        start = {"prompt": [{"type": "text", "text": prompt}], "is_steer": False}
        return [
            ("prompt_submit", {**turn, "hook_event_name": "UserPromptSubmit", **start}),
            ("stop", {**turn, "hook_event_name": "Stop", "stop_hook_active": False}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `hook_event_name`."""
        conversation_id = identifier(payload, "session_id")
        event = payload.get("hook_event_name")
        cwd = cwd_of(payload)
        if event == "UserPromptSubmit":
            prompt = _prompt_of(payload.get("prompt"))
            return submitted(prompt, conversation_id, None, cwd, joins=is_true(payload, "is_steer"))
        if event == "PostToolUse":
            return tool_event(payload, conversation_id, None, answer="tool_output")
        history = (lambda: exchanges(_wire_of(conversation_id))) if "client_type" in payload else None
        reason = _FAILURES.get(str(event))
        if reason is not None:
            # A prompt that was steered into the turn fails with it
            return TurnFailed(conversation_id, None, reason, cwd, answers="newest", history=history)
        if event != "Stop":
            return other_event(conversation_id, event, cwd)
        text = optional_text(payload, "last_assistant_message")
        return ReplyFinished(conversation_id, None, text, transcript=None if text else history, cwd=cwd)

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Added as a message of its own after the prompt."""
        return {"message": context}


def _prompt_of(value: object) -> str:
    """The text of a prompt's parts. Raises EventError when it is neither a text nor a list of parts."""
    from neotoma_hooks.agents.transcript import text_of

    if isinstance(value, (str, list)):
        return text_of(value) or ""
    raise EventError("the field prompt should be a text or a list of parts")


def _wire_of(session_id: str) -> str:
    """The session's record of the main agent; its folder lies under one named for the workspace."""
    home = os.environ.get("KIMI_CODE_HOME") or os.path.join(os.path.expanduser("~"), ".kimi-code")
    sessions = os.path.join(home, "sessions")
    below = os.path.join(os.path.basename(session_id), "agents", "main", "wire.jsonl")
    try:
        workspaces = sorted(os.listdir(sessions))
    except OSError:
        workspaces = []
    paths = [os.path.join(sessions, workspace, below) for workspace in workspaces]
    return next((path for path in paths if os.path.exists(path)), os.path.join(sessions, below))


def exchanges(path: str) -> list[Exchange]:
    """The newest exchanges of a `wire.jsonl`, oldest first; a reply is the text of the last step of the loop."""
    from neotoma_hooks.agents.transcript import exchanges_in, lines_from_the_end

    return exchanges_in(lines_from_the_end(path), _said)


def _said(line: dict[str, Any]) -> Said | None:
    from neotoma_hooks.agents.transcript import PROMPT, REPLY, text_of

    event, message = line.get("event"), line.get("message")
    if line.get("type") == "context.append_loop_event" and isinstance(event, dict):
        part = event.get("part")
        if event.get("type") != "content.part" or not isinstance(part, dict):
            return None
        text = text_of([part]) if part.get("type") == "text" else None
        return (REPLY, text, str(event.get("stepUuid") or event.get("step", ""))) if text else None
    if line.get("type") != "context.append_message" or not isinstance(message, dict):
        return None
    origin = message.get("origin")
    text = text_of(message.get("content"))
    if not text or (isinstance(origin, dict) and origin.get("kind") != "user"):
        return None
    return {"user": (PROMPT, text, ""), "assistant": (REPLY, text, "")}.get(str(message.get("role")))
