"""Claude Code: 1.0.128, 2.0.76, 2.1.197 and 2.1.332 were measured."""

from __future__ import annotations

import os
from contextlib import suppress

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import ContextCleared, Exchange, NotATurn, ReplyFinished, TurnFailed
from neotoma_hooks.agents.payloads import cwd_of, identifier, optional_text, other_event, prompt_event, tool_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event
    from neotoma_hooks.agents.transcript import Said

# 1.0.128 writes a hook's context down as a message of the user's that only the transcript shows
_NOT_SAID = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
_INTERRUPTED = "[Request interrupted by user"
_MACHINE_TAGS = ("<task-notification>", "<local-command-", "<bash-input>", "<command-name>")
_MACHINE_SOURCES = ("system", "loop_wakeup", "schedule_wakeup", "poll_event")

MOST_LOOKED_INTO = 32
MOST_LINES_LOOKED_INTO = 8
MOST_BYTES_LOOKED_INTO = 1_000_000
"""How far the files of a folder are looked into, newest first, for lines of a session that belong to another file."""


class ClaudeCode(Agent):
    """Events and settings of Claude Code.

    2.1.196 and newer give each prompt a `prompt_id`; 2.1.47 and newer put the reply into the Stop event, without the
    key when there was no text. Before that the transcript is the only source. Prompts typed while the agent works
    carry the running turn's id and are answered later (2.1.332).
    """

    name = "claude-code"
    title = "Claude Code"
    measured = ("2.1.332", "2.1.197", "2.0.76", "1.0.128")
    context_limit = 9000
    programs = ("claude",)
    #: A comment or a trailing comma, and it ignores the whole file (2.1.332 and 1.0.128 were measured).
    reads_beyond_json = ()
    entries = (
        HookEntry("UserPromptSubmit", "prompt_submit", 30),
        HookEntry("Stop", "stop", 30),
        HookEntry("SessionStart", "prompt_submit", 30, matcher="compact"),
        HookEntry("PostToolUse", "tool_use", 30, matcher="mcp__.*neotoma.*"),
    )
    tells_when_context_is_cleared = True

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`settings.json` in CLAUDE_CONFIG_DIR, else in `~/.claude`."""
        return os.path.join(environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude"), "settings.json")

    def project_settings_file(self, project: str) -> str:
        """`.claude/settings.json` in the repository."""
        return os.path.join(project, ".claude", "settings.json")

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """With the turn's id and the reply, as since 2.1.196."""
        turn = {"session_id": "self-check", "prompt_id": "turn-1", "transcript_path": "", "cwd": home}
        turn["permission_mode"] = "default"
        end = {"stop_hook_active": False, "last_assistant_message": reply}
        return [
            ("prompt_submit", {**turn, "hook_event_name": "UserPromptSubmit", "prompt": prompt}),
            ("stop", {**turn, "hook_event_name": "Stop", **end}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `hook_event_name`."""
        conversation_id = identifier(payload, "session_id")
        turn_id = optional_text(payload, "prompt_id")
        event = payload.get("hook_event_name")
        cwd = cwd_of(payload)
        path = optional_text(payload, "transcript_path")
        history = (lambda: exchanges(path)) if path else None
        if payload.get("agent_id") or str(event).startswith("Subagent"):
            return NotATurn(conversation_id, "a subagent's event", None, cwd)
        if event == "UserPromptSubmit":
            if _is_machine_made(payload):
                return NotATurn(conversation_id, "prompt made by a machine", turn_id, cwd)
            return prompt_event(payload, conversation_id, turn_id, history)
        if event == "PostCompact" or (event == "SessionStart" and payload.get("source") in ("compact", "clear")):
            return ContextCleared(conversation_id, cwd)
        if event == "PostToolUse":
            return tool_event(payload, conversation_id, turn_id)
        if event == "StopFailure":
            # Its last_assistant_message is the error's text, which is no reply
            return TurnFailed(conversation_id, turn_id, "the agent reported an API error", cwd, history=history)
        if event != "Stop":
            return other_event(conversation_id, event, cwd)
        text = optional_text(payload, "last_assistant_message")
        tells = turn_id is not None or "last_assistant_message" in payload
        return ReplyFinished(
            conversation_id,
            turn_id,
            text,
            transcript=(lambda: exchanges(path, conversation_id)) if path and not tells else None,
            history=history if tells else None,
            continued=payload.get("stop_hook_active") is True,
            cwd=cwd,
        )

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """The one shape that all four generations hand to the model (measured)."""
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}

    def notice_output(self, notice: str) -> dict[str, Any]:
        """Shown to the person; never sent to the model from a hook that is waited for (measured)."""
        return {"systemMessage": notice}


def _is_machine_made(payload: Mapping[str, Any]) -> bool:
    """Whether no person wrote the prompt: a background task that is done, an alarm, the echo of a command."""
    prompt = payload.get("prompt")
    tagged = isinstance(prompt, str) and prompt.lstrip().startswith(_MACHINE_TAGS)
    return tagged or payload.get("source") in _MACHINE_SOURCES


def exchanges(path: str, session_id: str = "") -> list[Exchange]:
    """The newest exchanges of a Claude Code transcript, oldest first, as far as they are written.

    A reply is the text of the last assistant message before the next prompt; each content block has a line of its own,
    and the blocks of one message share its id. Lines of subagents and of the program itself are no part of it. With a
    `session_id`, what the session wrote to other files of the folder is a part of it.
    """
    from neotoma_hooks.agents.transcript import MOST_EXCHANGES, exchanges_in, lines_from_the_end

    told: list[Exchange] = []
    for one in _written_in_order(path, session_id) if session_id else [path]:
        told += exchanges_in(lines_from_the_end(one), _said)
    return told[-MOST_EXCHANGES:]


def _written_in_order(path: str, session_id: str) -> list[str]:
    """The files that have lines of the session, `path` among them, the one written to last at the end.

    1.0.128, when it resumes a session, names the session's file in its events and may yet write to one that is named by
    an id it throws away; the lines bear the session's own id (measured on a busy machine, in half of the sessions).
    Of what lies in the folder besides, nothing that cannot be read may cost the session its own file.
    """
    others: list[tuple[int, str]] = []
    with suppress(OSError), os.scandir(os.path.dirname(path)) as folder:
        for entry in folder:
            with suppress(OSError):
                if entry.name.endswith(".jsonl") and entry.is_file() and entry.path != path:
                    others.append((entry.stat().st_mtime_ns, entry.path))
    written = [(0, path)]
    with suppress(OSError):
        written = [(os.stat(path).st_mtime_ns, path)]
    for when, other in sorted(others, reverse=True)[:MOST_LOOKED_INTO]:
        with suppress(OSError):
            if _session_of(other) == session_id:
                written.append((when, other))
    return [file for _, file in sorted(written, key=lambda one: one[0])]


def _session_of(path: str) -> object:
    """The session that the newest lines of a transcript belong to."""
    from itertools import islice

    from neotoma_hooks.agents.transcript import lines_from_the_end

    newest = islice(lines_from_the_end(path, MOST_BYTES_LOOKED_INTO), MOST_LINES_LOOKED_INTO)
    return next((line["sessionId"] for line in newest if "sessionId" in line), None)


def _said(line: dict[str, Any]) -> Said | None:
    message = line.get("message")
    if not isinstance(message, dict) or any(line.get(name) for name in _NOT_SAID):
        return None
    from neotoma_hooks.agents.transcript import CUT, PROMPT, QUEUED, REPLY, text_of

    if line.get("isApiErrorMessage"):
        return CUT, "", ""
    text = text_of(message.get("content"))
    if text is None:
        return None
    if line.get("type") == "assistant":
        return REPLY, text, str(message.get("id", ""))
    if line.get("type") != "user":
        return None
    if text.startswith(_INTERRUPTED):
        return CUT, "", ""
    return QUEUED if line.get("promptSource") == "queued" else PROMPT, text, ""
