"""Install real agents by npm, and run them headless in a closed network with a home of their own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from filelock import FileLock

from real_agents.agents import AGENTS, PROMPT, WORDS

HERE = Path(__file__).resolve().parent

_CLOSED = ["unshare", "-n", "-m", "-p", "-f", "--mount-proc", "--kill-child"]

# Settings that a machine's owner has put there for its agents are not the user's own
_HIDDEN = ("/etc/claude-code", "/etc/codex", "/etc/gemini-cli", "/etc/qwen-code", "/etc/opencode")


def folder() -> Path:
    """Where agents are installed: REAL_AGENTS_DIR, else beside the test environment."""
    return Path(os.environ.get("REAL_AGENTS_DIR") or Path(sys.prefix) / "real-agents")


def why_not() -> str:
    """Why no real agent can be driven here, in words; "" when one can."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        return "npm is not here, and the agents are installed by it"
    closed = subprocess.run([*_CLOSED, "true"], capture_output=True, check=False)
    if closed.returncode:
        return "network namespaces are not to be had here, and a real agent must not reach the outside"
    return ""


def installed(agent: str) -> Path:
    """The agent's program; installed now if it is not there yet. Raises RuntimeError with what npm said."""
    modules = folder() / agent / "node_modules"
    row = AGENTS[agent]
    modules.parent.mkdir(parents=True, exist_ok=True)
    # Tests that run side by side want the same agent
    with FileLock(modules.parent / "install.lock"):
        if not list(modules.glob(row.program)):
            (modules.parent / "package.json").write_text('{"name": "real-agent", "private": true}\n', encoding="utf-8")
            words = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", row.package]
            done = subprocess.run(words, cwd=modules.parent, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"npm could not install {row.package}: {done.stderr[-500:]}")
    return min(modules.glob(row.program))


def prepare(agent: str, home: Path) -> Path:
    """Write the settings that a user of the agent would have; returns the file that hooks are registered in."""
    row = AGENTS[agent]
    for relative, text in row.files.items():
        path = home / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return home / row.settings


def program(agent: str) -> list[str]:
    """The words that start the agent."""
    found = str(installed(agent))
    return [*([str(shutil.which("node"))] if found.endswith(".js") else []), found]


def command(agent: str, prompt: str, resume: bool) -> list[str]:
    """The agent's command line for one headless turn."""
    row = AGENTS[agent]
    words: list[str] = []
    for word in row.resumed if resume else row.first:
        words += prompt.split() if word == WORDS else [prompt if word == PROMPT else word]
    return [*program(agent), *words]


def run(
    agent: str,
    home: Path,
    prompt: str,
    script: Sequence[Mapping[str, Any]],
    *,
    resume: bool = False,
    server: Path | None = None,
    before: Sequence[Sequence[str]] = (),
    after: Sequence[Sequence[str]] = (),
    linger: float = 0.3,
    words: Sequence[str] = (),
) -> dict[str, Any]:
    """One headless turn of the agent, in its closed network.

    `server` is the file that a stand-in memory keeps its data in, None for the embedded store. `before` and `after` are
    commands to run in the same environment, the latter `linger` seconds after the agent has ended; `words` come behind
    the agent's own. The result has `agent`, `before` and `after` (each status, out, err) and `requests`, all that the
    model was sent.
    """
    argv = [*command(agent, prompt, resume), *words]
    project, temporary = home / "app", home / "tmp"
    project.mkdir(exist_ok=True)
    temporary.mkdir(exist_ok=True)
    node = str(Path(str(shutil.which("node"))).parent)
    environment = {
        "PATH": f"{node}:/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(temporary), "LANG": "C.UTF-8",
        "CLAUDE_CODE_TMPDIR": str(temporary), "TERM": "xterm-256color", **AGENTS[agent].environment,
    }  # fmt: skip
    spec = {
        "argv": argv, "env": environment, "cwd": str(project), "script": list(script), "before": list(before),
        "after": list(after), "server": str(server) if server else None, "linger": linger,
        "result": str(home / "result.json"),
    }  # fmt: skip
    (home / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    hide = "".join(f"[ -d {d} ] && mount -t tmpfs none {d}; " for d in _HIDDEN)
    inside = [sys.executable, str(HERE / "inside.py"), str(home / "spec.json")]
    subprocess.run([*_CLOSED, "sh", "-c", f'{hide}exec "$@"', "_", *inside], check=True, timeout=300)
    result = json.loads((home / "result.json").read_text(encoding="utf-8"))
    assert isinstance(result, dict)
    return result
