"""Grok Build: by its documentation and source (August 2026); not measured here."""

from __future__ import annotations

import os
import re

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import Exchange, NotATurn, ReplyFinished, TurnFailed
from neotoma_hooks.agents.payloads import (
    cwd_of,
    identifier,
    is_true,
    optional_text,
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

MOST_TOLD = 32_768
"""Characters of a reply that Grok Build tells; of a longer one the rest is told as a number."""

_CLIPPED = re.compile(r"… \[\+\d+ chars\]\Z")


class GrokBuild(Agent):
    """Events and settings of Grok Build.

    camelCase fields, snake_case event names, a `promptId` for the turn. It also runs the hook files of Claude Code and
    Cursor; of the latter it takes the event after a message for the one after a tool. What a hook prints at the prompt
    is not read.
    """

    name = "grok-build"
    title = "Grok Build"
    programs = ("grok",)
    takes_context = False
    entries = (
        HookEntry("UserPromptSubmit", "prompt_submit", 30),
        HookEntry("Stop", "stop", 30),
        HookEntry("StopFailure", "stop", 30),
        HookEntry("StopCancelled", "stop", 30),
        # `neotoma__store`
        HookEntry("PostToolUse", "tool_use", 30, matcher=".*neotoma.*"),
    )
    trust_steps = ("Grok Build runs a project's own hooks only after `/hooks-trust` in that project.",)
    not_captured = (
        "Grok Build takes no context from hooks: turns are stored, and nothing is handed to the model.",
        "Of a reply of more than 32,768 characters the events tell the beginning; the rest is read from its record.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`hooks/neotoma-hooks.json` in GROK_HOME, else in `~/.grok`."""
        return os.path.join(environ.get("GROK_HOME") or os.path.join(home, ".grok"), "hooks", "neotoma-hooks.json")

    def project_settings_file(self, project: str) -> str:
        """`.grok/hooks/neotoma-hooks.json` in the repository."""
        return os.path.join(project, ".grok", "hooks", "neotoma-hooks.json")

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """With the turn's id and the reply."""
        turn = {"sessionId": "self-check", "promptId": "turn-1", "cwd": home, "permissionMode": "default"}
        end = {"reason": "end_turn", "stopHookActive": False, "lastAssistantMessage": reply}
        return [
            ("prompt_submit", {**turn, "hookEventName": "user_prompt_submit", "prompt": prompt}),
            ("stop", {**turn, "hookEventName": "stop", **end}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `hookEventName`."""
        conversation_id = identifier(payload, "sessionId")
        turn_id = optional_text(payload, "promptId")
        event = payload.get("hookEventName")
        cwd = cwd_of(payload)
        path = optional_text(payload, "transcriptPath")
        if payload.get("subagentType") or str(event).startswith("subagent"):
            return NotATurn(conversation_id, "a subagent's event", None, cwd)
        if event == "user_prompt_submit":
            if payload.get("prompt") is None:
                return NotATurn(conversation_id, "the agent tells no prompt", turn_id, cwd)
            return prompt_event(payload, conversation_id, turn_id, own_id=True)
        if event == "post_tool_use":
            return tool_event(payload, conversation_id, turn_id, name="toolName", answer="toolResult")
        if event in ("stop_failure", "stop_cancelled"):
            # That of a failure may be the error's text
            said = optional_text(payload, "lastAssistantMessage") if event == "stop_cancelled" else None
            reason = f"the turn ended by {event}"
            history = (lambda: exchanges(_record_beside(path))) if path else None
            return TurnFailed(conversation_id, turn_id, reason, cwd, history=history, text=said)
        if event != "stop":
            return other_event(conversation_id, event, cwd)
        if payload.get("reason") not in (None, "end_turn"):
            return NotATurn(conversation_id, "the end of a session, not of a turn", None, cwd)
        text = optional_text(payload, "lastAssistantMessage")
        is_clipped = text is not None and len(text) >= MOST_TOLD and _CLIPPED.search(text) is not None
        whole = _whole(text, path) if is_clipped and text and path else None
        return ReplyFinished(
            conversation_id,
            turn_id,
            whole or text,
            continued=is_true(payload, "stopHookActive"),
            is_partial=is_clipped and whole is None,
            cwd=cwd,
        )

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing: see `takes_context`."""
        return {}


def _whole(clipped: str, path: str) -> str | None:
    """The reply that begins like the clipped one, from the session's chat record; None when it is not there."""
    beginning = _CLIPPED.sub("", clipped)
    try:
        found = exchanges(_record_beside(path))
    except OSError:
        return None
    replies = [exchange.reply for exchange in reversed(found) if exchange.reply]
    return next((reply for reply in replies if reply.startswith(beginning)), None)


def _record_beside(path: str) -> str:
    """The file with the messages; `path` is that of the session's updates."""
    return os.path.join(os.path.dirname(path), "chat_history.jsonl")


def exchanges(path: str) -> list[Exchange]:
    """The newest exchanges of a `chat_history.jsonl`, oldest first; what a person wrote has an index there."""
    from neotoma_hooks.agents.transcript import exchanges_in, lines_from_the_end

    return exchanges_in(lines_from_the_end(path), _said)


def _said(line: dict[str, Any]) -> Said | None:
    from neotoma_hooks.agents.transcript import PROMPT, REPLY, text_of

    text = text_of(line.get("content"))
    if not text:
        return None
    if line.get("type") == "assistant":
        return REPLY, text, ""
    is_prompt = line.get("type") == "user" and isinstance(line.get("prompt_index"), int)
    return (PROMPT, text, "") if is_prompt else None
