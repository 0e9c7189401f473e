"""Goose: by its source (summer 2026); not measured here."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import ReplyFinished
from neotoma_hooks.agents.payloads import cwd_of, identifier, optional_text, other_event, submitted, tool_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event


class Goose(Agent):
    """Events and settings of Goose.

    Hooks live in plugins only, in a file of Claude Code's shape; the event's name is in `event`. Nothing that a hook
    prints reaches the model, and after a reply anything on stdout counts as a failure of the hook.
    """

    name = "goose"
    title = "Goose"
    programs = ("goose",)
    takes_context = False
    entries = (
        HookEntry("UserPromptSubmit", "prompt_submit", 30),
        HookEntry("Stop", "stop", 30),
        # `neotoma__store`
        HookEntry("PostToolUse", "tool_use", 30, matcher=".*neotoma.*"),
    )
    trust_steps = ("A Goose that is running finds its plugins when it starts again.",)
    not_captured = (
        "Goose takes no context from hooks: turns are stored, and nothing is handed to the model.",
        "Goose has no turn ids; ours tell two turns apart by their order.",
        "Goose does not tell the folder it works in, so `never_record` cannot be kept.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`hooks/hooks.json` of a plugin of our own in `~/.agents/plugins`."""
        return os.path.join(home, ".agents", "plugins", "neotoma-hooks", "hooks", "hooks.json")

    def project_settings_file(self, project: str) -> str:
        """The same in `.agents/plugins` of the repository."""
        return os.path.join(project, ".agents", "plugins", "neotoma-hooks", "hooks", "hooks.json")

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """Without a folder."""
        return [
            ("prompt_submit", {"event": "UserPromptSubmit", "session_id": "self-check", "message": prompt}),
            ("stop", {"event": "Stop", "session_id": "self-check", "last_assistant_message": reply}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `event`."""
        conversation_id = identifier(payload, "session_id")
        event = payload.get("event")
        cwd = cwd_of(payload)
        if event == "UserPromptSubmit":
            prompt = optional_text(payload, "message")
            return submitted(prompt, conversation_id, None, cwd)
        if event == "PostToolUse":
            return tool_event(payload, conversation_id, None, answer="tool_output")
        if event != "Stop":
            return other_event(conversation_id, event, cwd)
        return ReplyFinished(conversation_id, None, optional_text(payload, "last_assistant_message"), cwd=cwd)

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing: see `takes_context`."""
        return {}
