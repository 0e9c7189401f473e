"""Cursor: by its documentation and by reports of versions 3.20.17 and cursor-agent 2026.09.10; not measured here."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import Exchange, NotATurn, ReplyFinished, ReplySoFar, TurnFailed
from neotoma_hooks.agents.payloads import (
    either_identifier,
    either_text,
    first_folder,
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

_PROMPT_EVENTS = ("beforeSubmitPrompt", "UserPromptSubmit")
_STOP_EVENTS = ("stop", "Stop")
_TOOL_EVENTS = ("postToolUse", "PostToolUse", "afterMCPExecution")
_TOOL_ANSWERS = ("tool_output", "tool_response", "result_json")


class Cursor(Agent):
    """Events and settings of Cursor, the editor and `cursor-agent`.

    `generation_id` changes with every message of the user's. The event at the end of a turn holds no text: each of the
    agent's messages comes in an `afterAgentResponse` of its own, and the last one before `stop` is the reply. Cursor
    also runs Claude Code's hook files, with Claude Code's event names and its own fields.
    """

    name = "cursor"
    title = "Cursor"
    context_limit = 9000
    programs = ("cursor", "cursor-agent")
    entries = (
        HookEntry("beforeSubmitPrompt", "prompt_submit", 30),
        HookEntry("afterAgentResponse", "stop", 30),
        HookEntry("stop", "stop", 30),
        # A tool of an MCP server is matched by its own name, without the server's
        HookEntry("postToolUse", "tool_use", 30, matcher="MCP:.*(store|correct|submit|observe).*"),
    )
    #: JSON, `{"version": 1, "hooks": {event: [handler]}}`, handlers without groups. One unknown event or key makes
    #: cursor-agent drop the whole file.
    settings_format = "cursor-hooks"
    new_file = '{"version": 1}'
    silence = "{}"
    trust_steps = ("Hooks of a project's own file run only in a workspace that you trust.",)
    not_captured = (
        "`cursor-agent -p` runs no hooks at a prompt or a reply (known gap of version 2026.09.10).",
        "That context reaches the model is not documented; it was seen to with version 3.20.17.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`~/.cursor/hooks.json`."""
        return os.path.join(home, ".cursor", "hooks.json")

    def project_settings_file(self, project: str) -> str:
        """`.cursor/hooks.json` in the repository."""
        return os.path.join(project, ".cursor", "hooks.json")

    def handler(self, command: str, entry: HookEntry) -> dict[str, Any]:
        """Without a type: a command is what an entry is by default."""
        matcher = {} if entry.matcher is None else {"matcher": entry.matcher}
        return {"command": command, "timeout": entry.timeout, **matcher}

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """The reply comes in an event of its own, before the end."""
        ids = {"conversation_id": "self-check", "generation_id": "turn-1"}
        turn = {**ids, "cursor_version": "0", "workspace_roots": [home], "transcript_path": None}
        return [
            ("prompt_submit", {**turn, "hook_event_name": "beforeSubmitPrompt", "prompt": prompt}),
            ("stop", {**turn, "hook_event_name": "afterAgentResponse", "text": reply}),
            ("stop", {**turn, "hook_event_name": "stop", "status": "completed", "loop_count": 0}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, by its own name or by Claude Code's."""
        conversation_id = either_identifier(payload, "conversation_id", "conversationId", "session_id", "sessionId")
        turn_id = either_text(payload, "generation_id", "generationId")
        event = either_text(payload, "hook_event_name", "hookEventName")
        cwd = first_folder(payload, "workspace_roots", "workspaceRoots")
        path = either_text(payload, "transcript_path", "transcriptPath")
        history = (lambda: exchanges(path)) if path else None
        if event in _PROMPT_EVENTS:
            return prompt_event(payload, conversation_id, turn_id, cwd=cwd, own_id=True)
        if event == "afterAgentResponse":
            text = either_text(payload, "text")
            if text is None:
                return NotATurn(conversation_id, "a message without text", None, cwd)
            return ReplySoFar(conversation_id, turn_id, text, cwd)
        if event in _TOOL_EVENTS:
            answer = next((name for name in _TOOL_ANSWERS if name in payload), "")
            return tool_event(payload, conversation_id, turn_id, cwd=cwd, answer=answer, names_server=False)
        if event not in _STOP_EVENTS:
            return other_event(conversation_id, event, cwd)
        if payload.get("status") in ("aborted", "error"):
            return TurnFailed(conversation_id, turn_id, f"the turn ended as {payload['status']}", cwd, history=history)
        return ReplyFinished(
            conversation_id,
            turn_id,
            either_text(payload, "last_assistant_message"),
            transcript=history,
            cwd=cwd,
        )

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """In Cursor's own shape, or in Claude Code's where it runs that one's file."""
        if payload.get("hook_event_name") == "UserPromptSubmit":
            return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}
        return {"continue": True, "additional_context": context}


def exchanges(path: str) -> list[Exchange]:
    """The newest exchanges of a Cursor transcript, oldest first."""
    from neotoma_hooks.agents.transcript import exchanges_in, lines_from_the_end

    return exchanges_in(lines_from_the_end(path), _said)


def _said(line: dict[str, Any]) -> Said | None:
    from neotoma_hooks.agents.transcript import PROMPT, REPLY, text_of

    inner = line.get("message")
    message = inner if isinstance(inner, dict) else line
    role = message.get("role", line.get("role", line.get("type")))
    text = text_of(message.get("content"))
    if not text or role not in ("user", "assistant"):
        return None
    return (REPLY if role == "assistant" else PROMPT), text, ""
