"""Cline: by its source (August and September 2026); not measured here."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import NotATurn, ReplyFinished, TurnFailed
from neotoma_hooks.agents.payloads import first_folder, group, identifier, optional_text, other_event, submitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event

_PROMPT = ("UserPromptSubmit", "prompt_submit")
_END = ("TaskComplete", "agent_end")
_GIVEN_UP = ("TaskCancel", "TaskError", "agent_abort", "agent_error")


class Cline(Agent):
    """Events and settings of Cline, the editor plugin (PascalCase names) and its CLI and SDK (snake_case).

    A task is the conversation. The plugin tells the result when the task is complete, the CLI the output of each run.
    There are no settings: a hook is a script that is named like its event.
    """

    name = "cline"
    title = "Cline"
    context_limit = 9000
    programs = ("cline",)
    entries = (
        HookEntry("UserPromptSubmit", "prompt_submit", 30),
        HookEntry("TaskComplete", "stop", 30),
        HookEntry("TaskCancel", "stop", 30),
    )
    #: One executable file an entry, in the folder that `settings_file` names.
    settings_format = "script-files"
    silence = '{"cancel": false}'
    not_captured = (
        "Cline's editor plugin tells a reply only when a task is complete; what it says in between is not stored.",
        "Cline's CLI drops what hooks print at a prompt: there, nothing is handed to the model.",
        "Cline has no turn ids; ours tell two turns apart by their order.",
        # A script named `PostToolUse` would be started for every tool, and there is nothing to choose by
        "What the agent stores itself through Neotoma's tools is not linked to its reply.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """The folder `~/Documents/Cline/Hooks`."""
        return os.path.join(home, "Documents", "Cline", "Hooks")

    def project_settings_file(self, project: str) -> str:
        """The folder `.clinerules/hooks` in the repository."""
        return os.path.join(project, ".clinerules", "hooks")

    def script_name(self, of: str) -> str:
        """The event's name, which is how Cline finds it."""
        return f"{of}.ps1" if os.name == "nt" else of

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """As the editor plugin tells it."""
        turn = {"clineVersion": "0", "taskId": "self-check", "workspaceRoots": [home]}
        end = {"taskMetadata": {"taskId": "self-check", "result": reply}}
        return [
            ("prompt_submit", {**turn, "hookName": "UserPromptSubmit", "userPromptSubmit": {"prompt": prompt}}),
            ("stop", {**turn, "hookName": "TaskComplete", "taskComplete": end}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `hookName`."""
        conversation_id = identifier(payload, "taskId")
        event = str(payload.get("hookName", ""))
        cwd = first_folder(payload, "workspaceRoots")
        if payload.get("parent_agent_id"):
            return NotATurn(conversation_id, "a subagent's event", None, cwd)
        if event in _PROMPT:
            prompt = optional_text(group(payload, "userPromptSubmit"), "prompt")
            return submitted(prompt, conversation_id, None, cwd)
        if event in _GIVEN_UP:
            return TurnFailed(conversation_id, None, f"the task ended by {event}", cwd)
        if event not in _END:
            return other_event(conversation_id, event, cwd)
        result = optional_text(group(group(payload, "taskComplete"), "taskMetadata"), "result")
        text = result or optional_text(group(payload, "turn"), "outputText")
        return ReplyFinished(conversation_id, None, text, cwd=cwd)

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """As the editor plugin reads it; it takes up to 50,000 characters."""
        return {"cancel": False, "contextModification": context}
