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

HERE = Path(__file__).resolve().parent
MODEL = "http://127.0.0.1:4599"

PACKAGES = {
    "claude-code": "@anthropic-ai/claude-code@2.1.332",
    "claude-code-2.1.197": "@anthropic-ai/claude-code@2.1.197",
    "claude-code-2.0.76": "@anthropic-ai/claude-code@2.0.76",
    "claude-code-1.0.128": "@anthropic-ai/claude-code@1.0.128",
    "codex": "@openai/codex@0.171.0",
    "gemini-cli": "@google/gemini-cli@0.61.0",
    "qwen-code": "@qwen-code/qwen-code@0.24.4",
    "copilot-cli": "@github/copilot@1.0.102",
    "opencode": "opencode-ai@1.18.33",
}

PROGRAMS = {
    "claude-code": "@anthropic-ai/claude-code-linux-*/claude",
    "claude-code-2.1.197": "@anthropic-ai/claude-code-linux-*/claude",
    "claude-code-2.0.76": "@anthropic-ai/claude-code/cli.js",
    "claude-code-1.0.128": "@anthropic-ai/claude-code/cli.js",
    "codex": "@openai/codex-linux-*/vendor/*/bin/codex",
    "gemini-cli": "@google/gemini-cli/bundle/gemini.js",
    "qwen-code": "@qwen-code/qwen-code/cli.js",
    "copilot-cli": "@github/copilot-linux-*/copilot",
    "opencode": "opencode-linux-*/bin/opencode",
}

CODEX_CONFIG = f"""# my own settings
model = "fake-model"
model_provider = "fake"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.fake]
name = "fake"
base_url = "{MODEL}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
"""


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


_CLOSED = ["unshare", "-n", "-m", "-p", "-f", "--mount-proc", "--kill-child"]


def installed(agent: str) -> Path:
    """The agent's program; installed now if it is not there yet. Raises RuntimeError with what npm said."""
    modules = folder() / agent / "node_modules"
    if not list(modules.glob(PROGRAMS[agent])):
        modules.parent.mkdir(parents=True, exist_ok=True)
        (modules.parent / "package.json").write_text('{"name": "real-agent", "private": true}\n', encoding="utf-8")
        words = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", PACKAGES[agent]]
        done = subprocess.run(words, cwd=modules.parent, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"npm could not install {PACKAGES[agent]}: {done.stderr[-500:]}")
    return min(modules.glob(PROGRAMS[agent]))


def prepare(agent: str, home: Path) -> Path:
    """Write the settings that a user of the agent would have; returns the file that hooks are registered in."""
    if agent.startswith("claude-code"):
        settings = home / ".claude" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text('{\n  "includeCoAuthoredBy": false\n}\n', encoding="utf-8")
        return settings
    (home / ".codex").mkdir(parents=True)
    (home / ".codex" / "config.toml").write_text(CODEX_CONFIG, encoding="utf-8")
    return home / ".codex" / "hooks.json"


def command(agent: str, prompt: str, resume: bool) -> tuple[list[str], dict[str, str]]:
    """The agent's command line for one headless turn, and the variables that it needs."""
    program = str(installed(agent))
    words = [str(shutil.which("node")), program] if program.endswith(".js") else [program]
    if agent.startswith("claude-code"):
        return [*words, "-p", prompt, *(["--continue"] if resume else [])], {
            "ANTHROPIC_BASE_URL": MODEL, "ANTHROPIC_API_KEY": "sk-ant-dummy-" + "0" * 40, "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }  # fmt: skip
    where = ["exec", *(["resume", "--last"] if resume else [])]
    flags = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
    return [*words, *where, *flags, prompt], {"FAKE_KEY": "dummy"}


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
    linger: float = 1.0,
) -> dict[str, Any]:
    """One headless turn of the agent, in its closed network.

    `server` is the file that a stand-in memory keeps its data in, None for the embedded store. `before` and `after` are
    commands to run in the same environment. The result has `agent`, `before` and `after` (each status, out, err) and
    `requests`, all that the model was sent.
    """
    argv, specific = command(agent, prompt, resume)
    project, temporary = home / "app", home / "tmp"
    project.mkdir(exist_ok=True)
    temporary.mkdir(exist_ok=True)
    node = str(Path(str(shutil.which("node"))).parent)
    environment = {
        "PATH": f"{node}:/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(temporary), "LANG": "C.UTF-8",
        "CLAUDE_CODE_TMPDIR": str(temporary), "TERM": "xterm-256color", **specific,
    }  # fmt: skip
    spec = {
        "argv": argv, "env": environment, "cwd": str(project), "script": list(script), "before": list(before),
        "after": list(after), "server": str(server) if server else None, "linger": linger,
        "result": str(home / "result.json"),
    }  # fmt: skip
    (home / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    # Settings that a machine's owner has put under /etc for its agents are not the user's own
    hide = "".join(f"[ -d {d} ] && mount -t tmpfs none {d}; " for d in ("/etc/claude-code", "/etc/codex"))
    inside = [sys.executable, str(HERE / "inside.py"), str(home / "spec.json")]
    subprocess.run([*_CLOSED, "sh", "-c", f'{hide}exec "$@"', "_", *inside], check=True, timeout=300)
    result = json.loads((home / "result.json").read_text(encoding="utf-8"))
    assert isinstance(result, dict)
    return result
