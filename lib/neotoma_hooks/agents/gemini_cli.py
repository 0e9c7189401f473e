"""Gemini CLI: 0.61.0 was measured."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import Exchange, NotATurn, ReplyFinished
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
    from collections.abc import Callable, Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event
    from neotoma_hooks.agents.transcript import Said

NO_TEXT = "[no response text]"
"""What Gemini CLI puts in the place of a reply that has no text."""

_CANCELLED = "Request cancelled."
_MACHINE_PROMPTS = (
    "[System: You successfully executed a tool but returned an empty response.",
    "[System: You previously generated thoughts but failed to provide a final user-facing response.",
    "[System: You previously returned an empty response with no text or thoughts.",
)
_CONTEXT = "<hook_context>"


class GeminiCli(Agent):
    """Events and settings of Gemini CLI.

    There is no turn id. The event after the agent has the prompt and all texts of the turn, joined by line breaks. It
    comes after an interrupt too, and only the record shows that it was one; nothing comes after an error. What a stop
    hook says to send the agent on comes as a prompt, and the event after it repeats the first prompt and all texts
    since. Where the model said nothing, Gemini CLI asks once more in words of its own (all measured). Prompts typed
    meanwhile come as one when the turn is over.
    """

    name = "gemini-cli"
    title = "Gemini CLI"
    measured = ("0.61.0",)
    context_limit = 9000
    timeout_unit = "ms"
    programs = ("gemini",)
    #: With a trailing comma it does not even start (measured).
    reads_beyond_json = ("comment",)
    entries = (
        HookEntry("BeforeAgent", "prompt_submit", 30_000),
        HookEntry("AfterAgent", "stop", 30_000),
        # `mcp_neotoma_store`; older versions wrote two underscores
        HookEntry("AfterTool", "tool_use", 30_000, matcher="mcp_.*neotoma.*"),
    )
    trust_steps = (
        "Hooks of a project's own settings run only in a folder that Gemini CLI trusts: see `/permissions`.",
    )
    #: With an empty stdout Gemini CLI reads stderr.
    silence = "{}"
    not_captured = (
        "Gemini CLI has no turn ids; ours tell two turns apart by their order.",
        "What another stop hook says to send the agent on looks like a prompt of yours, and is stored as one.",
        "What was said before an error of the model is stored at the next prompt, if Gemini CLI's record has it.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`.gemini/settings.json` in GEMINI_CLI_HOME, else in the home folder."""
        return os.path.join(environ.get("GEMINI_CLI_HOME") or home, ".gemini", "settings.json")

    def project_settings_file(self, project: str) -> str:
        """`.gemini/settings.json` in the repository."""
        return os.path.join(project, ".gemini", "settings.json")

    def handler(self, command: str, entry: HookEntry) -> dict[str, Any]:
        """With the name under which `/hooks` lists it."""
        return {
            "type": "command",
            "name": f"neotoma-{entry.hook}",
            "command": command,
            "timeout": entry.timeout,
        }

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """The event after the agent has prompt and reply."""
        turn = {"session_id": "self-check", "transcript_path": "", "cwd": home, "prompt": prompt}
        end = {"prompt_response": reply, "stop_hook_active": False}
        return [
            ("prompt_submit", {**turn, "hook_event_name": "BeforeAgent"}),
            ("stop", {**turn, "hook_event_name": "AfterAgent", **end}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `hook_event_name`."""
        conversation_id = identifier(payload, "session_id")
        event = payload.get("hook_event_name")
        cwd = cwd_of(payload)
        path = optional_text(payload, "transcript_path")
        prompt = optional_text(payload, "prompt")
        is_machines = prompt is not None and prompt.startswith(_MACHINE_PROMPTS)
        if event == "BeforeAgent":
            if is_machines:
                return NotATurn(conversation_id, "prompt made by a machine", None, cwd)
            return prompt_event(payload, conversation_id, None, (lambda: exchanges(path)) if path else None)
        if event == "AfterTool":
            return tool_event(payload, conversation_id, None)
        if event != "AfterAgent":
            return other_event(conversation_id, event, cwd)
        text = optional_text(payload, "prompt_response")
        # The prompt told after a stop hook sent the agent on is not the one that this reply is to
        if is_machines or is_true(payload, "stop_hook_active"):
            prompt = None
        return ReplyFinished(
            conversation_id,
            None,
            None if text == NO_TEXT else text,
            prompt=prompt,
            is_cut=path is not None and _is_cancelled(path),
            cwd=cwd,
        )

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Added to the user's message as a block of its own, with angle brackets escaped (measured)."""
        return {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": context}}

    def notice_output(self, notice: str) -> dict[str, Any]:
        """Shown to the person, and not sent to the model (measured)."""
        return {"systemMessage": notice}


def exchanges(path: str) -> list[Exchange]:
    """The newest exchanges of a Gemini CLI chat record, oldest first; a reply is all texts since the prompt."""
    from neotoma_hooks.agents.transcript import exchanges_in, lines_from_the_end

    return exchanges_in(lines_from_the_end(path), _reader(), whole=True)


def _reader() -> Callable[[dict[str, Any]], Said | None]:
    from neotoma_hooks.agents.transcript import CUT, PROMPT, REPLY, text_of

    seen: set[str] = set()

    def said(line: dict[str, Any]) -> Said | None:
        kind, text, id = line.get("type"), text_of(_own_parts(line.get("content"))), str(line.get("id", ""))
        if kind == "error" or _is_cancel(line) or _is_tools_answer(line):
            return CUT, "", ""
        if not text or kind not in ("user", "gemini"):
            return None
        if kind == "user":
            return None if text.startswith("<session_context>") else (PROMPT, text, "")
        # A message is written again with its tool calls; the newest copy of it is met first
        if id in seen:
            return None
        seen.add(id)
        return REPLY, text, id

    return said


def _own_parts(content: object) -> object:
    """The content without the part that Gemini CLI makes of the context that hooks gave it."""
    if not isinstance(content, list):
        return content
    return [part for part in content if not (isinstance(part, dict) and str(part.get("text")).startswith(_CONTEXT))]


def _is_cancel(line: dict[str, Any]) -> bool:
    return line.get("type") == "info" and line.get("content") == _CANCELLED


def _is_tools_answer(line: dict[str, Any]) -> bool:
    """Whether a tool answered here: a turn in which nothing was said after that did not come to its end."""
    parts = line.get("content")
    is_list = line.get("type") == "user" and isinstance(parts, list)
    return is_list and any(isinstance(part, dict) and "functionResponse" in part for part in parts or ())


def _is_cancelled(path: str) -> bool:
    """Whether the newest message in the record says that the person stopped the agent."""
    from neotoma_hooks.agents.transcript import lines_from_the_end

    try:
        newest = next((line for line in lines_from_the_end(path) if "type" in line), {})
    except OSError:
        return False
    return _is_cancel(newest)
