"""opencode: 1.18.33 was measured. It runs no commands at its events, so a small plugin of ours calls the hooks."""

from __future__ import annotations

import json
import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import NotATurn, ReplyFinished, TurnFailed
from neotoma_hooks.agents.payloads import cwd_of, identifier, optional_text, other_event, submitted, tool_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event

COMMANDS = "/* commands */ {}"
"""What stands in the plugin for the command lines that it calls, until it is installed."""


class OpenCode(Agent):
    """Events and settings of opencode, as `opencode_plugin.js` tells them.

    A turn goes by the id of the user's message: the agent's messages name it as their parent. The payloads are the
    plugin's own: `agent`, `hook_event_name`, `session_id`, `message_id`, `cwd`, and the texts.
    """

    name = "opencode"
    title = "opencode"
    measured = ("1.18.33",)
    context_limit = 9000
    timeout_unit = "ms"
    programs = ("opencode",)
    # The plugin's own limits: opencode waits for a plugin without any
    entries = (
        HookEntry("chat.message", "prompt_submit", 5000),
        HookEntry("session.idle", "stop", 5000),
        # The plugin itself tells Neotoma's tools from others
        HookEntry("tool.execute.after", "tool_use", 5000),
    )
    #: One file that is wholly ours, to be written with the text that `plugin_text` gives and taken away whole.
    settings_format = "plugin-file"
    trust_steps = ("An opencode that is running loads its plugins when it starts again.",)

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`plugins/neotoma-hooks.js` in OPENCODE_CONFIG_DIR, else in opencode's folder of the user's configuration."""
        config = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        folder = environ.get("OPENCODE_CONFIG_DIR") or os.path.join(config, "opencode")
        return os.path.join(folder, "plugins", "neotoma-hooks.js")

    def project_settings_file(self, project: str) -> str:
        """`.opencode/plugins/neotoma-hooks.js` in the repository."""
        return os.path.join(project, ".opencode", "plugins", "neotoma-hooks.js")

    def plugin_text(self, commands: Mapping[str, list[str]]) -> str:
        """The plugin for these commands: hook name to the argument list (program first) that runs it."""
        with open(
            os.path.join(os.path.dirname(os.path.abspath(__file__)), "opencode_plugin.js"), encoding="utf-8"
        ) as file:
            text = file.read()
        return text.replace(COMMANDS, json.dumps(commands))

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """As the plugin tells it."""
        turn = {"agent": "opencode", "session_id": "self-check", "message_id": "turn-1", "cwd": home}
        return [
            ("prompt_submit", {**turn, "hook_event_name": "chat.message", "prompt": prompt}),
            ("stop", {**turn, "hook_event_name": "session.idle", "last_assistant_message": reply}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `hook_event_name`."""
        conversation_id = identifier(payload, "session_id")
        turn_id = optional_text(payload, "message_id")
        event = payload.get("hook_event_name")
        cwd = cwd_of(payload)
        if optional_text(payload, "parent_session_id"):
            return NotATurn(conversation_id, "a subagent's event", turn_id, cwd)
        if event == "chat.message":
            return submitted(optional_text(payload, "prompt"), conversation_id, turn_id, cwd, own_id=True)
        if event == "tool.execute.after":
            return tool_event(payload, conversation_id, turn_id)
        if event != "session.idle":
            return other_event(conversation_id, event, cwd)
        text = optional_text(payload, "last_assistant_message")
        error = optional_text(payload, "error")
        if error is not None:
            return TurnFailed(conversation_id, turn_id, f"the agent gave up: {error[:60]}", cwd, text=text)
        return ReplyFinished(conversation_id, turn_id, text, cwd=cwd)

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """What the plugin puts beside the prompt as a part of its own."""
        return {"additionalContext": context}
