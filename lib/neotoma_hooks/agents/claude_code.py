"""Claude Code: 1.0.128, 2.0.76, 2.1.197 and 2.1.332 were measured."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import Exchange, NotATurn, ReplyFinished, TurnFailed
from neotoma_hooks.agents.payloads import cwd_of, identifier, optional_text, prompt_event, tool_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event

MOST_EXCHANGES = 4


class ClaudeCode(Agent):
    """Events and settings of Claude Code.

    2.1.196 and newer give each prompt a `prompt_id`; 2.1.47 and newer put the reply into the Stop event, without the
    key when there was no text. Before that the transcript is the only source. Prompts typed while the agent works
    carry the running turn's id and are answered later (2.1.332).
    """

    name = "claude-code"
    title = "Claude Code"
    context_limit = 9000
    programs = ("claude",)
    entries = (HookEntry("UserPromptSubmit", "prompt_submit", 30), HookEntry("Stop", "stop", 30))

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`settings.json` in CLAUDE_CONFIG_DIR, else in `~/.claude`."""
        return os.path.join(environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude"), "settings.json")

    def project_settings_file(self, project: str) -> str:
        """`.claude/settings.json` in the repository."""
        return os.path.join(project, ".claude", "settings.json")

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `hook_event_name`."""
        conversation_id = identifier(payload, "session_id")
        turn_id = optional_text(payload, "prompt_id")
        event = payload.get("hook_event_name")
        cwd = cwd_of(payload)
        if payload.get("agent_id") or str(event).startswith("Subagent"):
            return NotATurn(conversation_id, "a subagent's event", None, cwd)
        if event == "UserPromptSubmit":
            return prompt_event(payload, conversation_id, turn_id)
        if event == "PostToolUse":
            return tool_event(payload, conversation_id, turn_id)
        if event == "StopFailure":
            return TurnFailed(conversation_id, turn_id, "the agent reported an API error", cwd)
        if event != "Stop":
            return NotATurn(conversation_id, f"no event of a turn: {str(event)[:40]}", None, cwd)
        text = optional_text(payload, "last_assistant_message")
        path = optional_text(payload, "transcript_path")
        tells = turn_id is not None or "last_assistant_message" in payload
        return ReplyFinished(
            conversation_id,
            turn_id,
            text,
            transcript=None if tells or not path else lambda: exchanges(path),
            continued=payload.get("stop_hook_active") is True,
            cwd=cwd,
        )

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """The one shape that all four generations hand to the model (measured)."""
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}

    def notice_output(self, notice: str) -> dict[str, Any]:
        """Shown to the person; never sent to the model from a hook that is waited for (measured)."""
        return {"systemMessage": notice}


def exchanges(path: str) -> list[Exchange]:
    """The newest exchanges of a Claude Code transcript, oldest first, as far as they are written.

    A reply is the text of the last assistant message before the next prompt; each content block has a line of its own,
    and the blocks of one message share its id. Lines of subagents and of the program itself are no part of it.
    """
    from neotoma_hooks.agents.transcript import lines_from_the_end

    found: list[Exchange] = []
    blocks: list[str] = []
    message_id: object = None
    for line in lines_from_the_end(path):
        message = line.get("message")
        if line.get("isSidechain") or line.get("isMeta") or not isinstance(message, dict):
            continue
        text = _text_of(message.get("content"))
        if line.get("type") == "assistant":
            if text and (message_id is None or message_id == message.get("id")):
                message_id = message.get("id", "")
                blocks.insert(0, text)
        elif line.get("type") == "user" and text is not None:
            found.insert(0, Exchange(text, "\n".join(blocks) if blocks else None))
            blocks, message_id = [], None
            if len(found) == MOST_EXCHANGES:
                break
    return found


def _text_of(content: object) -> str | None:
    """The text of a message's content; None for one that has no text, such as a tool's result."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join(str(text) for text in texts) if texts else None
