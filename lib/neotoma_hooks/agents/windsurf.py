"""Windsurf, now Devin Desktop: by its documentation of Cascade hooks; not measured here."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import ReplyFinished
from neotoma_hooks.agents.payloads import cwd_of, group, identifier, optional_text, other_event, submitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event


class Windsurf(Agent):
    """Events and settings of Cascade, the agent in Windsurf.

    A trajectory is the conversation, an execution the turn; prompt and reply stand in `tool_info`. A hook before the
    prompt can only let it pass or stop it, so that nothing can be handed to the model.
    """

    name = "windsurf"
    title = "Windsurf / Devin Desktop"
    programs = ("windsurf",)
    takes_context = False
    entries = (HookEntry("pre_user_prompt", "prompt_submit", 30), HookEntry("post_cascade_response", "stop", 30))
    #: JSON, `{"hooks": {event: [handler]}}`, handlers without groups, types or time limits.
    settings_format = "windsurf-hooks"
    not_captured = (
        "Cascade takes no context from hooks: turns are stored, and nothing is handed to the model.",
        # `post_mcp_tool_use` comes for every tool of every server, and there is nothing to choose by
        "What the agent stores itself through Neotoma's tools is not linked to its reply.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`~/.codeium/windsurf/hooks.json`; the JetBrains plugin reads `~/.codeium/hooks.json` instead."""
        return os.path.join(home, ".codeium", "windsurf", "hooks.json")

    def project_settings_file(self, project: str) -> str:
        """`.windsurf/hooks.json` in the workspace."""
        return os.path.join(project, ".windsurf", "hooks.json")

    def handler(self, command: str, entry: HookEntry) -> dict[str, Any]:
        """On Windows the same command line is for PowerShell."""
        return {"powershell" if os.name == "nt" else "command": command, "show_output": False}

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """Prompt and reply stand in `tool_info`."""
        turn = {"trajectory_id": "self-check", "execution_id": "turn-1"}
        start = {"agent_action_name": "pre_user_prompt", "tool_info": {"user_prompt": prompt, "cwd": home}}
        end = {"agent_action_name": "post_cascade_response", "tool_info": {"response": reply, "cwd": home}}
        return [("prompt_submit", {**turn, **start}), ("stop", {**turn, **end})]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `agent_action_name`."""
        conversation_id = identifier(payload, "trajectory_id")
        turn_id = optional_text(payload, "execution_id")
        event = payload.get("agent_action_name")
        told = group(payload, "tool_info")
        cwd = cwd_of(told)
        if event == "pre_user_prompt":
            return submitted(optional_text(told, "user_prompt"), conversation_id, turn_id, cwd, own_id=True)
        if event != "post_cascade_response":
            return other_event(conversation_id, event, cwd)
        return ReplyFinished(conversation_id, turn_id, optional_text(told, "response"), cwd=cwd)

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing: see `takes_context`."""
        return {}
