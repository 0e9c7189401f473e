"""Kiro CLI and Amazon Q Developer CLI: by their documentation and source; not measured here."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import NotATurn, PromptSubmitted, ReplyFinished
from neotoma_hooks.agents.payloads import cwd_of, optional_text, other_event, tool_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event


class KiroCli(Agent):
    """Events and settings of Kiro CLI, both its second generation and the third, which the Kiro IDE shares.

    The second names events `userPromptSubmit` and `stop`, the third `UserPromptSubmit` and `Stop`. Without a session id
    nothing can be stored. Whatever a hook prints at the prompt is context, as plain text.
    """

    name = "kiro-cli"
    title = "Kiro CLI and IDE"
    context_limit = 8000
    #: What an entry's `max_output_size` lets a hook print.
    context_bytes = 10_240
    tells_reply = False
    answers_in_json = False
    programs: tuple[str, ...] = ("kiro-cli", "kiro")
    entries: tuple[HookEntry, ...] = (
        HookEntry("UserPromptSubmit", "prompt_submit", 30),
        HookEntry("Stop", "stop", 30),
        HookEntry("PostToolUse", "tool_use", 30, matcher="@mcp.*neotoma.*"),
    )
    #: JSON, `{"version": "v1", "hooks": [handler]}`: a list in which each handler names its trigger.
    settings_format = "kiro-hooks"
    new_file = '{"version": "v1"}'
    not_captured: tuple[str, ...] = (
        "Kiro CLI 2 reads hooks from agent files only; we register for the third generation, where they stand alone.",
        "Without a session id (`--no-interactive`) a turn cannot be stored.",
        "The third generation does not tell the reply, and its builds of July 2026 told no prompt either.",
        "Kiro has no turn ids; ours tell two turns apart by their order.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`~/.kiro/hooks/neotoma-hooks.json`, read since 2.13."""
        return os.path.join(home, ".kiro", "hooks", "neotoma-hooks.json")

    def project_settings_file(self, project: str) -> str:
        """`.kiro/hooks/neotoma-hooks.json` in the repository."""
        return os.path.join(project, ".kiro", "hooks", "neotoma-hooks.json")

    def handler(self, command: str, entry: HookEntry) -> dict[str, Any]:
        """One entry of the list; at a prompt a matcher would be matched against its text, so there is none."""
        matcher = {} if entry.matcher is None else {"matcher": entry.matcher}
        return {
            "name": f"neotoma-{entry.hook}",
            "trigger": entry.event,
            **matcher,
            "action": {"type": "command", "command": command},
            "timeout": entry.timeout,
            "enabled": True,
        }

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """Without the reply, as the third generation sends it."""
        turn = {"session_id": "self-check", "cwd": home}
        return [
            ("prompt_submit", {**turn, "hook_event_name": "UserPromptSubmit", "prompt": prompt}),
            ("stop", {**turn, "hook_event_name": "Stop"}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, in either generation's spelling."""
        conversation_id = (optional_text(payload, "session_id") or "").strip()
        event = str(payload.get("hook_event_name", ""))
        cwd = cwd_of(payload)
        if event.lower() == "userpromptsubmit":
            # Builds whose payload has an empty prompt put it into the environment
            prompt = optional_text(payload, "prompt") or os.environ.get("USER_PROMPT", "")
            if not prompt.strip():
                return NotATurn(conversation_id, "the agent tells no prompt", None, cwd)
            return PromptSubmitted(conversation_id, None, prompt, cwd)
        if event.lower() not in ("stop", "posttooluse"):
            return other_event(conversation_id, event, cwd)
        if not conversation_id:
            return NotATurn("", "the agent names no conversation", None, cwd)
        if event.lower() == "posttooluse":
            return tool_event(payload, conversation_id, None)
        return ReplyFinished(conversation_id, None, optional_text(payload, "assistant_response"), cwd=cwd)

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Handed to `printed`, which prints the text alone."""
        return {"context": context}

    def printed(self, told: dict[str, Any]) -> bytes:
        """The context as plain text: JSON would be shown to the model as it is."""
        return str(told.get("context", "")).encode("utf-8", "replace")


class AmazonQ(KiroCli):
    """Events and settings of Amazon Q Developer CLI, which Kiro CLI came from.

    Its payloads name no session, so nothing can be stored; what memory knows is handed to the model all the same.
    """

    name = "amazon-q"
    title = "Amazon Q Developer CLI"
    timeout_unit = "ms"
    programs = ("q",)
    entries = (HookEntry("userPromptSubmit", "prompt_submit", 30_000),)
    #: JSON, an agent's own file, `{"hooks": {event: [handler]}}`, handlers without groups.
    settings_format = "agent-file"
    new_file = '{"name": "neotoma", "tools": ["*"]}'
    tells_conversation = False
    trust_steps = ("Hooks belong to one agent of Amazon Q: start it with `q chat --agent neotoma`.",)
    not_captured = ("Amazon Q names no conversation and tells no reply: nothing is stored, only context handed over.",)

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`~/.aws/amazonq/cli-agents/neotoma.json`, an agent of our own."""
        return os.path.join(home, ".aws", "amazonq", "cli-agents", "neotoma.json")

    def project_settings_file(self, project: str) -> str:
        """`.amazonq/cli-agents/neotoma.json` in the repository."""
        return os.path.join(project, ".amazonq", "cli-agents", "neotoma.json")

    def handler(self, command: str, entry: HookEntry) -> dict[str, Any]:
        """With its own name of the time limit."""
        return {"command": command, "timeout_ms": entry.timeout}

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """The prompt, in no conversation."""
        return [("prompt_submit", {"hook_event_name": "userPromptSubmit", "cwd": home, "prompt": prompt})]
