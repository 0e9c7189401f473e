"""Agent hooks of VS Code: by its documentation and source (spring 2026); not measured here."""

from __future__ import annotations

from neotoma_hooks.agents.copilot_cli import CopilotCli
from neotoma_hooks.agents.events import ReplyFinished
from neotoma_hooks.agents.payloads import (
    cwd_of,
    either_identifier,
    either_text,
    is_true,
    other_event,
    prompt_event,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event


class VsCode(CopilotCli):
    """Events of VS Code's agent; its registration is Copilot CLI's, because it reads the same folders.

    It turns Copilot's event names into its own, so that one file serves both; it runs Claude Code's files as well. It
    does not read matchers: the hook for the memory's tools is started after every tool, and passes over it.
    """

    name = "vscode"
    title = "VS Code agent hooks"
    programs = ("code", "code-insiders")
    measured = ()
    tells_reply = False
    trust_steps = ()
    not_captured = (
        "VS Code does not tell the reply, and the form of its transcript is not published: replies are not stored.",
        "VS Code has no turn ids; ours tell two turns apart by their order.",
    )

    @property
    def registered_as(self) -> str:
        """Copilot CLI: two entries in the file that both read would run twice in both."""
        return "copilot-cli"

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """Without the reply."""
        turn = {"timestamp": "2026-12-01T10:00:00.000Z", "session_id": "self-check", "transcript_path": "", "cwd": home}
        return [
            ("prompt_submit", {**turn, "hook_event_name": "UserPromptSubmit", "prompt": prompt}),
            ("stop", {**turn, "hook_event_name": "Stop", "stop_hook_active": False}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by its name in either spelling."""
        conversation_id = either_identifier(payload, "session_id", "sessionId")
        event = either_text(payload, "hook_event_name", "hookEventName")
        cwd = cwd_of(payload)
        if event == "UserPromptSubmit":
            return prompt_event(payload, conversation_id, None)
        if event != "Stop":
            return other_event(conversation_id, event, cwd)
        continued = is_true(payload, "stop_hook_active", "stopHookActive")
        return ReplyFinished(
            conversation_id, None, either_text(payload, "last_assistant_message"), continued=continued, cwd=cwd
        )

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """As its source reads it."""
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}
