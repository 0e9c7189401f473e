"""Which agents there are, and which of them sent an event."""

from __future__ import annotations

from neotoma_hooks.errors import EventError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.base import Agent

NAMES = ("claude-code", "codex")


def agent(name: str) -> Agent:
    """The agent of that name; only its own module is imported. Raises EventError when there is none."""
    if name == "claude-code":
        from neotoma_hooks.agents.claude_code import ClaudeCode

        return ClaudeCode()
    if name == "codex":
        from neotoma_hooks.agents.codex import Codex

        return Codex()
    raise EventError(f"no agent is called {name[:40]!r}; there are {', '.join(NAMES)}")


def recognise(payload: Mapping[str, Any], hint: str, environ: Mapping[str, str]) -> Agent:
    """The agent that sent the payload. Raises EventError when it cannot be told.

    Agents run each other's hook files, so `hint` (from `--agent`) counts only where the payload itself does not tell.
    """
    if "turn_id" in payload and "model" in payload:
        return agent("codex")
    if any(name in payload for name in ("prompt_id", "effort", "background_tasks")):
        return agent("claude-code")
    return agent(hint)
