"""Augment (Auggie): by its documentation and by reports; not measured here."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import ReplyFinished, TurnFailed
from neotoma_hooks.agents.payloads import (
    either_text,
    first_folder,
    group,
    identifier,
    optional_text,
    other_event,
    submitted,
    tool_event,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event


class Augment(Agent):
    """Events and settings of Augment's CLI and editor plugins.

    Prompt and reply come together at the end, in `conversation`, when the group of the entry asks for them. Whether
    the event at the prompt tells it is not documented; a prompt that was not told then is stored with the reply. A turn
    goes by the time that `conversation` names.
    """

    name = "augment"
    title = "Augment"
    timeout_unit = "ms"
    programs = ("auggie",)
    takes_context = False
    needs_script = True
    entries = (
        HookEntry("PromptSubmit", "prompt_submit", 30_000),
        HookEntry("Stop", "stop", 30_000),
        # `store_neotoma`: the tool's name first
        HookEntry("PostToolUse", "tool_use", 30_000, matcher=".*neotoma.*"),
    )
    #: As "claude-settings", and each group has `"metadata": {"includeConversationData": true}` beside its "hooks".
    settings_format = "augment-settings"
    not_captured = (
        "Whether Augment takes context at the prompt is not documented: nothing is handed to the model.",
        "Augment has no turn ids; the time that it gives to an exchange tells two turns apart.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`~/.augment/settings.json`."""
        return os.path.join(home, ".augment", "settings.json")

    def project_settings_file(self, project: str) -> str:
        """`.augment/settings.json` in the workspace."""
        return os.path.join(project, ".augment", "settings.json")

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """The event at the end has prompt and reply."""
        turn = {"conversation_id": "self-check", "workspace_roots": [home]}
        said = {"timestamp": "2026-12-01T10:00:00Z", "userPrompt": prompt, "agentTextResponse": reply}
        end = {"agent_stop_cause": "end_turn", "conversation": said}
        return [
            ("prompt_submit", {**turn, "hook_event_name": "PromptSubmit", "conversation": {"userPrompt": prompt}}),
            ("stop", {**turn, "hook_event_name": "Stop", **end}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `hook_event_name`."""
        conversation_id = identifier(payload, "conversation_id")
        event = payload.get("hook_event_name")
        told = group(payload, "conversation")
        prompt = optional_text(told, "userPrompt") or either_text(payload, "userPrompt", "prompt")
        cwd = first_folder(payload, "workspace_roots")
        if event == "PromptSubmit":
            return submitted(prompt, conversation_id, None, cwd)
        if event == "PostToolUse":
            return tool_event(payload, conversation_id, None, cwd=cwd, answer="tool_output")
        if event != "Stop":
            return other_event(conversation_id, event, cwd)
        turn_id = optional_text(told, "timestamp")
        text = optional_text(told, "agentTextResponse")
        cause = payload.get("agent_stop_cause")
        if cause in ("interrupted", "error"):
            if text is None or prompt is None:
                return TurnFailed(conversation_id, None, f"the turn ended as {cause}", cwd, text=text)
            return ReplyFinished(conversation_id, turn_id, text, prompt=prompt, opens=True, is_cut=True, cwd=cwd)
        return ReplyFinished(conversation_id, turn_id, text, prompt=prompt, opens=True, cwd=cwd)

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing: see `takes_context`."""
        return {}
