"""GitHub Copilot CLI: 1.0.102 was measured."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import Exchange, NotATurn, ReplyFinished, TurnFailed
from neotoma_hooks.agents.payloads import (
    cwd_of,
    either_identifier,
    either_text,
    is_true,
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


class CopilotCli(Agent):
    """Events and settings of GitHub Copilot CLI.

    How an event is spelt in the settings decides how its payload is: camelCase without the event's name, so that it is
    known by its fields; or, for `UserPromptSubmit` and `Stop`, snake_case with `hook_event_name`. There is no turn id,
    and no reply: that stands in the session's `events.jsonl`, which is written while the hook already runs. An error
    that is called recoverable may be one after which it tries again, or its last word (both measured): then the
    record tells, at the next prompt.
    """

    name = "copilot-cli"
    title = "GitHub Copilot CLI"
    measured: tuple[str, ...] = ("1.0.102",)
    context_limit = 9000
    #: Of `additionalContext` 10 KB are documented.
    context_bytes = 10_000
    programs: tuple[str, ...] = ("copilot",)
    #: A comment or a trailing comma, and it ignores the whole file (measured).
    reads_beyond_json = ()
    entries = (
        HookEntry("userPromptSubmitted", "prompt_submit", 30),
        HookEntry("agentStop", "stop", 30),
        HookEntry("errorOccurred", "stop", 30),
        HookEntry("postToolUse", "tool_use", 30, matcher=".*neotoma.*"),
    )
    #: JSON, `{"version": 1, "hooks": {event: [handler]}}`, handlers without groups; a file of our own.
    settings_format = "copilot-hooks"
    new_file = '{"version": 1}'
    trust_steps: tuple[str, ...] = ("A Copilot CLI that is running reads its hooks when it starts again.",)
    not_captured: tuple[str, ...] = (
        "Copilot CLI has no turn ids; ours tell two turns apart by their order.",
        "The reply is read from the session's events.jsonl, because the events do not hold it.",
        "What another stop hook says to send the agent on looks like a prompt of yours, and is stored as one.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`hooks/neotoma-hooks.json` in COPILOT_HOME, else in `~/.copilot`."""
        folder = environ.get("COPILOT_HOME") or os.path.join(home, ".copilot")
        return os.path.join(folder, "hooks", "neotoma-hooks.json")

    def project_settings_file(self, project: str) -> str:
        """`.github/hooks/neotoma-hooks.json` in the repository."""
        return os.path.join(project, ".github", "hooks", "neotoma-hooks.json")

    def handler(self, command: str, entry: HookEntry) -> dict[str, Any]:
        """The command under the name of the shell that runs it: bash, or PowerShell on Windows."""
        shell = "powershell" if os.name == "nt" else "bash"
        matcher = {} if entry.matcher is None else {"matcher": entry.matcher}
        return {"type": "command", shell: command, "timeoutSec": entry.timeout, **matcher}

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """In the camelCase spelling, with the reply in the session's record."""
        from neotoma_hooks.agents.transcript import written

        said = {"user.message": prompt, "assistant.message": reply}
        lines = [{"type": kind, "data": {"content": text}} for kind, text in said.items()]
        path = written(os.path.join(home, "events.jsonl"), lines)
        turn = {"sessionId": "self-check", "timestamp": 0, "cwd": home}
        end = {"transcriptPath": path, "stopReason": "end_turn", "stop_hook_active": False}
        return [("prompt_submit", {**turn, "prompt": prompt}), ("stop", {**turn, **end})]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by its name or, in the camelCase spelling, by its fields."""
        conversation_id = either_identifier(payload, "sessionId", "session_id")
        cwd = cwd_of(payload)
        event = payload.get("hook_event_name") or _event_of(payload)
        path = either_text(payload, "transcriptPath", "transcript_path") or _record_of(conversation_id)

        def history() -> list[Exchange]:
            return exchanges(path)

        if event == "UserPromptSubmit":
            return prompt_event(payload, conversation_id, None, history)
        if event == "PostToolUse":
            named = {"tool_name": payload.get("tool_name", payload.get("toolName"))}
            answer = payload.get("tool_result", payload.get("toolResult"))
            return tool_event({**named, "tool_response": answer, "cwd": cwd}, conversation_id, None)
        if event == "ErrorOccurred":
            if payload.get("recoverable") is True:
                return NotATurn(conversation_id, "an error after which the agent may go on", None, cwd)
            return TurnFailed(conversation_id, None, "the agent reported an error", cwd, history=history)
        if event != "Stop":
            return other_event(conversation_id, event, cwd)
        return ReplyFinished(
            conversation_id,
            None,
            None,
            transcript=history,
            history=history,
            continued=is_true(payload, "stop_hook_active", "stopHookActive"),
            cwd=cwd,
        )

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """At the top level: the nested form that other agents take is ignored here (measured)."""
        return {"additionalContext": context}


def _event_of(payload: Mapping[str, Any]) -> str:
    """The event that a payload in the camelCase spelling is of."""
    for field, event in (
        ("hookName", ""),
        ("stopReason", "Stop"),
        ("toolResult", "PostToolUse"),
        ("toolName", "PreToolUse"),
        ("source", "SessionStart"),
        ("error", "ErrorOccurred"),
        ("transformedPrompt", "UserPromptTransformed"),
        ("prompt", "UserPromptSubmit"),
    ):
        if field in payload:
            return event or str(payload[field])[:40]
    return "SessionEnd" if "reason" in payload else "unknown"


def _record_of(session_id: str) -> str:
    """Where Copilot CLI keeps the session's record; its events at a prompt do not say."""
    home = os.environ.get("COPILOT_HOME") or os.path.join(os.path.expanduser("~"), ".copilot")
    return os.path.join(home, "session-state", os.path.basename(session_id), "events.jsonl")


def exchanges(path: str) -> list[Exchange]:
    """The newest exchanges of a session's `events.jsonl`, oldest first."""
    from neotoma_hooks.agents.transcript import exchanges_in, lines_from_the_end

    return exchanges_in(lines_from_the_end(path), _said)


def _said(line: dict[str, Any]) -> Said | None:
    data = line.get("data")
    kind = line.get("type")
    if not isinstance(data, dict) or line.get("agentId") or data.get("parentToolCallId"):
        return None
    from neotoma_hooks.agents.transcript import CUT, JOINED, PROMPT, QUEUED, REPLY, STEP

    # A turn in which nothing was said after a tool had answered did not come to its end
    if kind in ("abort", "session.error", "tool.execution_complete"):
        return CUT, "", ""
    text = data.get("content")
    if not isinstance(text, str) or not text:
        return None
    if kind == "assistant.message":
        kind = STEP if data.get("toolRequests") else REPLY
        return kind, text, str(data.get("apiCallId") or data.get("messageId", ""))
    if kind != "user.message":
        return None
    return {"queued": QUEUED, "steering": JOINED}.get(str(data.get("delivery")), PROMPT), text, ""
