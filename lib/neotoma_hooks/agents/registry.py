"""Which agents there are, and which of them sent an event."""

from __future__ import annotations

from neotoma_hooks.errors import EventError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.base import Agent

# One row an agent: our name of it, its module, its class
_ROWS = {
    "claude-code": ("claude_code", "ClaudeCode"),
    "codex": ("codex", "Codex"),
    "gemini-cli": ("gemini_cli", "GeminiCli"),
    "qwen-code": ("qwen_code", "QwenCode"),
    "copilot-cli": ("copilot_cli", "CopilotCli"),
    "opencode": ("opencode", "OpenCode"),
    "cursor": ("cursor", "Cursor"),
    "vscode": ("vscode", "VsCode"),
    "factory-droid": ("factory_droid", "FactoryDroid"),
    "windsurf": ("windsurf", "Windsurf"),
    "devin-cli": ("devin_cli", "DevinCli"),
    "kiro-cli": ("kiro_cli", "KiroCli"),
    "amazon-q": ("kiro_cli", "AmazonQ"),
    "augment": ("augment", "Augment"),
    "cline": ("cline", "Cline"),
    "goose": ("goose", "Goose"),
    "kimi-code": ("kimi_code", "KimiCode"),
    "grok-build": ("grok_build", "GrokBuild"),
    "antigravity": ("antigravity", "Antigravity"),
}

NAMES = tuple(_ROWS)

WANT_AN_ANSWER = ("gemini-cli", "cursor", "cline", "antigravity")
"""Those whose `silence` is not empty: for no other a hook that has nothing to say has to import the agent's module."""

_VARIABLES = {
    "CURSOR_VERSION": "cursor",
    "DEVIN_PROJECT_DIR": "devin-cli",
    "QWEN_PROJECT_DIR": "qwen-code",
    "FACTORY_PROJECT_DIR": "factory-droid",
    "COPILOT_HOOK_DIR": "copilot-cli",
    "GEMINI_SESSION_ID": "gemini-cli",
}
"""What agents put into the environment of their hooks, of those that send what another may send as well.

CLAUDE_PROJECT_DIR is not among them: six agents set it.
"""

_CLAUDE_EVENTS = ("UserPromptSubmit", "Stop", "StopFailure", "PostToolUse")
_KIN = {"vscode": "copilot-cli", "amazon-q": "kiro-cli"}
_CURSOR_EVENTS = ("beforeSubmitPrompt", "afterAgentResponse")
_CURSOR_FIELDS = ("cursor_version", "cursorVersion", "generation_id", "generationId")
_KIRO_EVENTS = ("userPromptSubmit", "stop", "agentSpawn", "preToolUse", "postToolUse")
_OPENCODE_EVENTS = ("chat.message", "session.idle", "tool.execute.after")
_DROID_MODES = ("off", "spec", "auto-low", "auto-medium", "auto-high")
_CLAUDE_FIELDS = ("prompt_id", "effort", "background_tasks", "session_crons")
_COPILOT_FIELDS = ("stop_reason", "initial_prompt", "tool_result")
_QWEN_FIELDS = ("submitted_prompt", "context_usage", "crons")


def kin(name: str) -> str:
    """The agent whose conversations the named one has: two of ours may be one program by other ways."""
    return _KIN.get(name, name)


def agent(name: str) -> Agent:
    """The agent of that name; only its own module is imported. Raises EventError when there is none."""
    if name not in _ROWS:
        raise EventError(f"no agent is called {name[:40]!r}; there are {', '.join(NAMES)}")
    module, kind = _ROWS[name]
    found: Agent = getattr(__import__(f"neotoma_hooks.agents.{module}", fromlist=[kind]), kind)()
    return found


def recognise(payload: Mapping[str, Any], hint: str, environ: Mapping[str, str] | None = None) -> Agent:
    """The agent that sent the payload. Raises EventError when it cannot be told.

    Agents run each other's hook files, so `hint` (from `--agent`) counts only where nothing else tells. What stands in
    the payload goes before what stands in `environ`: an agent that was started from another agent's shell may have
    inherited that one's variables. What is only like an agent's payload comes after both.
    """
    event = payload.get("hook_event_name") or payload.get("hookEventName")
    event = event if isinstance(event, str) else ""
    found = _by_fields(payload, event, hint) or _by_claude_likeness(payload)
    return agent(found or _by_environment(event, environ or {}) or _by_spelling(payload, event, hint) or hint)


def _by_fields(payload: Mapping[str, Any], event: str, hint: str) -> str:
    """The agent whose fields and events nobody else has, "" when there are none."""
    if event in _CURSOR_EVENTS or any(name in payload for name in _CURSOR_FIELDS):
        return "cursor"
    if "hookEventName" in payload and event and event == event.lower():
        return "grok-build"
    if event in _OPENCODE_EVENTS:
        return "opencode"
    if "agent_action_name" in payload:
        return "windsurf"
    if "clineVersion" in payload:
        return "cline"
    if "event" in payload and not event:
        return "goose"
    if "conversationId" in payload and "workspacePaths" in payload:
        return "antigravity"
    if "sessionId" in payload and not event:
        return "copilot-cli"
    if event in ("BeforeAgent", "AfterAgent", "AfterTool"):
        return "gemini-cli"
    if event == "PromptSubmit" or "agent_stop_cause" in payload or isinstance(payload.get("conversation"), dict):
        return "augment"
    if event in _KIRO_EVENTS:
        return hint if hint in ("kiro-cli", "amazon-q") else "kiro-cli"
    return ""


def _by_claude_likeness(payload: Mapping[str, Any]) -> str:
    """The agent among those that took over Claude Code's events, "" when several send the like."""
    if "client_type" in payload or "is_steer" in payload:
        return "kimi-code"
    if "turn_id" in payload and "model" in payload:
        return "codex"
    if "########" in str(payload.get("prompt_id", "")) or any(name in payload for name in _QWEN_FIELDS):
        return "qwen-code"
    if payload.get("permission_mode") in _DROID_MODES:
        return "factory-droid"
    if any(name in payload for name in _CLAUDE_FIELDS) and "transcript_path" in payload:
        return "claude-code"
    if "timestamp" in payload and any(name in payload for name in _COPILOT_FIELDS):
        return "copilot-cli"
    return ""


def _by_environment(event: str, environ: Mapping[str, str]) -> str:
    found = next((name for variable, name in _VARIABLES.items() if environ.get(variable)), "")
    # Gemini CLI has no events of these names, so another agent was started from its shell
    return "" if found == "gemini-cli" and event in _CLAUDE_EVENTS else found


def _by_spelling(payload: Mapping[str, Any], event: str, hint: str) -> str:
    """The agent that this payload looks most like, among those that have no field of their own."""
    if any(name in payload for name in _CLAUDE_FIELDS):
        # Devin runs Claude Code's files too, and tells neither folder nor transcript
        return "claude-code" if "cwd" in payload else "devin-cli"
    if event not in _CLAUDE_EVENTS or "timestamp" not in payload or "permission_mode" in payload or hint == "qwen-code":
        return ""
    # Copilot CLI's prompt event has no transcript, and its event after a reply has a reason
    if event == "UserPromptSubmit" and "transcript_path" not in payload and "hookEventName" not in payload:
        return "vscode" if hint == "vscode" else "copilot-cli"
    return "vscode"
