"""Where each real agent is told of an MCP server, and how its model calls the server's tool."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from real_agents.agents import AGENTS

SERVER = Path(__file__).resolve().parent / "neotoma_mcp.py"
STORED = {"entities": [{"entity_type": "person", "name": "Grace Hopper"}]}


@dataclass(frozen=True)
class Told:
    """The settings file below the home folder, the entry with PROGRAM and ARGUMENTS in it, and the tool's name.

    A settings file in JSON has the entry under `keys`; the one in TOML gets it as a table. `allow` is what must stand
    in the agent's own settings so that the tool is run unasked.
    """

    file: str
    keys: tuple[str, ...]
    entry: Mapping[str, Any]
    call: Mapping[str, Any]
    allow: Mapping[str, Any] | None = None


_PLAIN = {"command": "PROGRAM", "args": "ARGUMENTS"}
_KEYS = ("mcpServers", "neotoma")
_CLAUDE_TOOL = {"tool": "mcp__neotoma__store"}

SERVERS: Mapping[str, Told] = {
    "claude-code": Told(
        ".claude.json", _KEYS, _PLAIN, _CLAUDE_TOOL, {"permissions": {"allow": ["mcp__neotoma__store"]}}
    ),
    "codex": Told(
        ".codex/config.toml", ("mcp_servers", "neotoma"), _PLAIN, {"tool": "store", "namespace": "mcp__neotoma"}
    ),
    "gemini-cli": Told(".gemini/settings.json", _KEYS, {**_PLAIN, "trust": True}, {"tool": "mcp_neotoma_store"}),
    "qwen-code": Told(".qwen/settings.json", _KEYS, {**_PLAIN, "trust": True}, _CLAUDE_TOOL),
    "copilot-cli": Told(
        ".copilot/mcp-config.json", _KEYS, {"type": "local", **_PLAIN, "tools": ["*"]}, {"tool": "neotoma-store"}
    ),
    "opencode": Told(
        ".config/opencode/opencode.json",
        ("mcp", "neotoma"),
        {"type": "local", "command": "BOTH", "enabled": True},
        {"tool": "neotoma_store"},
    ),
}


def tell(agent: str, home: Path, answer: Path) -> dict[str, Any]:
    """Put the server into the settings of the agent's user; returns the model's call of its tool."""
    told = SERVERS[AGENTS[agent].hooks]
    arguments = [str(SERVER), "serve", str(answer)]
    words = {"PROGRAM": sys.executable, "ARGUMENTS": arguments, "BOTH": [sys.executable, *arguments]}
    entry = {key: words.get(value, value) if isinstance(value, str) else value for key, value in told.entry.items()}
    path = home / told.file
    if path.suffix == ".toml":
        lines = [f"[{'.'.join(told.keys)}]", *(f"{key} = {json.dumps(value)}" for key, value in entry.items())]
        path.write_text(path.read_text(encoding="utf-8") + "\n" + "\n".join(lines) + "\n", encoding="utf-8")
    else:
        _merge(path, {told.keys[0]: {told.keys[1]: entry}})
    if told.allow is not None:
        _merge(home / AGENTS[agent].settings, told.allow)
    return {**told.call, "input": STORED}


def _merge(path: Path, more: Mapping[str, Any]) -> None:
    settings = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**settings, **more}, indent=2) + "\n", encoding="utf-8")
