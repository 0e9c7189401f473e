"""OpenAI Codex: 0.171.0 was measured."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import NotATurn, ReplyFinished, TurnFailed
from neotoma_hooks.agents.payloads import cwd_of, identifier, optional_text, other_event, prompt_event, tool_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event, Exchange
    from neotoma_hooks.agents.transcript import Said


class Codex(Agent):
    """Events and settings of Codex.

    Every turn event carries `turn_id`; the Stop event carries the reply, null when there was no text. A prompt typed
    while the agent works goes into the running turn: same id, one reply to both.
    """

    name = "codex"
    title = "Codex"
    measured = ("0.171.0",)
    context_limit = 8000
    programs = ("codex",)
    #: A comment or a trailing comma, and it ignores the whole file (measured).
    reads_beyond_json = ()
    entries = (
        HookEntry("UserPromptSubmit", "prompt_submit", 30),
        HookEntry("Stop", "stop", 30),
        HookEntry("PostToolUse", "tool_use", 30, matcher="mcp__.*neotoma.*"),
    )
    trust_steps = (
        "Codex runs a new or changed hook only after you trusted it: start `codex`, open `/hooks`, and trust each.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`hooks.json` in CODEX_HOME, else in `~/.codex`."""
        return os.path.join(environ.get("CODEX_HOME") or os.path.join(home, ".codex"), "hooks.json")

    def project_settings_file(self, project: str) -> str:
        """`.codex/hooks.json` in the repository."""
        return os.path.join(project, ".codex", "hooks.json")

    def trust_file(self, environ: Mapping[str, str], home: str) -> str | None:
        """`config.toml` beside the user's hooks, also for those of a repository."""
        return os.path.join(os.path.dirname(self.settings_file(environ, home)), "config.toml")

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """With the turn's id and the reply."""
        turn = {"session_id": "self-check", "turn_id": "turn-1", "transcript_path": None, "cwd": home}
        turn |= {"model": "none", "permission_mode": "default"}
        end = {"stop_hook_active": False, "last_assistant_message": reply}
        return [
            ("prompt_submit", {**turn, "hook_event_name": "UserPromptSubmit", "prompt": prompt}),
            ("stop", {**turn, "hook_event_name": "Stop", **end}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `hook_event_name`."""
        conversation_id = identifier(payload, "session_id")
        turn_id = optional_text(payload, "turn_id")
        event = payload.get("hook_event_name")
        cwd = cwd_of(payload)
        path = optional_text(payload, "transcript_path")
        history = (lambda: exchanges(path)) if path else None
        if payload.get("agent_id") or str(event).startswith("Subagent"):
            return NotATurn(conversation_id, "a subagent's event", None, cwd)
        if event == "UserPromptSubmit":
            return prompt_event(payload, conversation_id, turn_id, history)
        if event == "PostToolUse":
            return tool_event(payload, conversation_id, turn_id)
        if event == "Interrupt":
            reason = "the user interrupted the turn"
            return TurnFailed(conversation_id, turn_id, reason, cwd, answers="newest", history=history)
        if event != "Stop":
            return other_event(conversation_id, event, cwd)
        return ReplyFinished(
            conversation_id,
            turn_id,
            optional_text(payload, "last_assistant_message"),
            continued=payload.get("stop_hook_active") is True,
            answers="newest",
            cwd=cwd,
        )

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing beyond this one key: Codex refuses the whole answer for any other (measured)."""
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}

    def notice_output(self, notice: str) -> dict[str, Any]:
        """Shown to the person; never sent to the model from a hook that is waited for (measured)."""
        return {"systemMessage": notice}


def exchanges(path: str) -> list[Exchange]:
    """The newest exchanges of a Codex rollout, oldest first.

    Messages of the role "user" are also those that Codex itself puts in, such as the one that marks an interrupt.
    """
    from neotoma_hooks.agents.transcript import exchanges_in, lines_from_the_end

    return exchanges_in(lines_from_the_end(path), _said)


def _said(line: dict[str, Any]) -> Said | None:
    message = line.get("payload")
    if line.get("type") != "response_item" or not isinstance(message, dict) or message.get("type") != "message":
        return None
    from neotoma_hooks.agents.transcript import CUT, PROMPT, REPLY, text_of

    content = message.get("content")
    parts = content if isinstance(content, list) else []
    text = text_of([{"text": part.get("text")} for part in parts if isinstance(part, dict)])
    if not text:
        return None
    if message.get("role") == "assistant":
        return REPLY, text, str(message.get("id", ""))
    if message.get("role") != "user" or text.startswith("<environment_context>"):
        return None
    return (CUT, "", "") if text.startswith("<turn_aborted>") else (PROMPT, text, "")
