"""The real agents that are driven, one row each: where npm has them, a user's own settings, how one turn runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MODEL_PORT = 4599
MODEL = f"http://127.0.0.1:{MODEL_PORT}"
PROMPT = "{prompt}"
WORDS = "{words}"
TOOL_SAYS = "424246242"

_TOOL_COMMAND = "expr 424242000 + 4242"
_TOOL_INPUT = {"command": _TOOL_COMMAND, "description": "count"}


@dataclass(frozen=True)
class RealAgent:
    """How one agent is installed, set up, and run for one headless turn.

    `hooks` is our name of it, `package` is what npm installs, `program` is a pattern below `node_modules`. `settings`
    is the file that hooks are registered in and `files` what a user has before that, both below the home folder.
    `first` and `resumed` are the words after the program, with PROMPT in the place of the prompt, or WORDS in that of
    its words, each an argument; `environment` points it at the fake model. `tool` is a call of its shell tool that
    makes it say TOOL_SAYS. `says_all` tells that its reply is every text of a turn, not only the last.
    """

    hooks: str
    package: str
    program: str
    settings: str
    files: Mapping[str, str]
    first: tuple[str, ...]
    resumed: tuple[str, ...]
    environment: Mapping[str, str]
    tool: Mapping[str, Any]
    says_all: bool = False


def _json(settings: Mapping[str, Any]) -> str:
    return json.dumps(settings, indent=2) + "\n"


def _claude(version: str, program: str) -> RealAgent:
    words = ("--allowedTools", "Bash", "-p", PROMPT)
    return RealAgent(
        hooks="claude-code",
        package=f"@anthropic-ai/claude-code@{version}",
        program=f"@anthropic-ai/{program}",
        settings=".claude/settings.json",
        files={".claude/settings.json": _json({"includeCoAuthoredBy": False})},
        first=words,
        resumed=(*words, "--continue"),
        environment={
            "ANTHROPIC_BASE_URL": MODEL,
            "ANTHROPIC_API_KEY": "sk-ant-dummy-" + "0" * 40,
            "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        },
        tool={"tool": "Bash", "input": _TOOL_INPUT},
    )


_CODEX_CONFIG = f"""# my own settings
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

_CODEX_FLAGS = ("--skip-git-repo-check", "--dangerously-bypass-hook-trust", PROMPT)

_CODEX = RealAgent(
    hooks="codex",
    package="@openai/codex@0.171.0",
    program="@openai/codex-linux-*/vendor/*/bin/codex",
    settings=".codex/hooks.json",
    files={".codex/config.toml": _CODEX_CONFIG},
    first=("exec", *_CODEX_FLAGS),
    resumed=("exec", "resume", "--last", *_CODEX_FLAGS),
    environment={"FAKE_KEY": "dummy"},
    tool={"tool": "exec_command", "input": {"cmd": _TOOL_COMMAND}},
)

_QUIET = {"privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False}}

# Both rewrite settings of an older form when they start; these are what they leave alone
_GEMINI_SETTINGS = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    **_QUIET,
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "ide": {"enabled": False},
}

_GEMINI = RealAgent(
    hooks="gemini-cli",
    package="@google/gemini-cli@0.61.0",
    program="@google/gemini-cli/bundle/gemini.js",
    settings=".gemini/settings.json",
    files={".gemini/settings.json": _json(_GEMINI_SETTINGS)},
    first=("-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", PROMPT),
    resumed=("-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-r", "latest", "-p", PROMPT),
    environment={
        "GEMINI_API_KEY": "dummy",
        "GOOGLE_GEMINI_BASE_URL": MODEL,
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "GEMINI_TELEMETRY_ENABLED": "false",
    },
    tool={"tool": "run_shell_command", "input": _TOOL_INPUT},
    says_all=True,
)

_QWEN_SETTINGS = {
    "general": {"enableAutoUpdate": False},
    **_QUIET,
    "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
    "$version": 4,
}

_QWEN = RealAgent(
    hooks="qwen-code",
    package="@qwen-code/qwen-code@0.24.4",
    program="@qwen-code/qwen-code/cli.js",
    settings=".qwen/settings.json",
    files={".qwen/settings.json": _json(_QWEN_SETTINGS)},
    first=("--approval-mode", "yolo", "-p", PROMPT),
    resumed=("--approval-mode", "yolo", "--continue", "-p", PROMPT),
    environment={
        "OPENAI_API_KEY": "dummy",
        "OPENAI_BASE_URL": f"{MODEL}/v1",
        "OPENAI_MODEL": "fake-model",
        "QWEN_CODE_NO_RELAUNCH": "true",
        "GEMINI_TELEMETRY_ENABLED": "false",
    },
    tool={"tool": "run_shell_command", "input": {**_TOOL_INPUT, "is_background": False}},
)

_COPILOT = RealAgent(
    hooks="copilot-cli",
    package="@github/copilot@1.0.102",
    program="@github/copilot-linux-*/copilot",
    settings=".copilot/hooks/neotoma-hooks.json",
    files={},
    first=("--allow-all-tools", "-p", PROMPT),
    resumed=("--allow-all-tools", "--continue", "-p", PROMPT),
    environment={
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": f"{MODEL}/v1",
        "COPILOT_PROVIDER_API_KEY": "dummy",
        "COPILOT_MODEL": "fake-model",
    },
    tool={"tool": "bash", "input": _TOOL_INPUT},
)

_OPENCODE_SETTINGS = {
    "$schema": "https://opencode.ai/config.json",
    "autoupdate": False,
    "share": "disabled",
    "model": "fake/fake-model",
    "small_model": "fake/fake-model",
    "provider": {
        "fake": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "fake",
            "options": {"baseURL": f"{MODEL}/v1", "apiKey": "dummy"},
            "models": {
                "fake-model": {
                    "name": "fake-model",
                    "tool_call": True,
                    "limit": {"context": 200_000, "output": 8_000},
                }
            },
        }
    },
}

_OPENCODE_PACKAGE = {"dependencies": {"@opencode-ai/plugin": "1.18.33"}}

_OPENCODE = RealAgent(
    hooks="opencode",
    package="opencode-ai@1.18.33",
    program="opencode-linux-*/bin/opencode",
    settings=".config/opencode/plugins/neotoma-hooks.js",
    files={
        ".config/opencode/opencode.json": _json(_OPENCODE_SETTINGS),
        # As its first start leaves them; without them each start waits a minute for a network that is not there
        ".config/opencode/package.json": _json(_OPENCODE_PACKAGE),
        ".config/opencode/package-lock.json": _json({"lockfileVersion": 3, "packages": {"": _OPENCODE_PACKAGE}}),
        ".config/opencode/node_modules/.package-lock.json": _json({"lockfileVersion": 3, "packages": {}}),
    },
    # It puts quotation marks around an argument that has spaces in it
    first=("run", WORDS),
    resumed=("run", "--continue", WORDS),
    environment={
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    },
    tool={"tool": "bash", "input": _TOOL_INPUT},
)

AGENTS: Mapping[str, RealAgent] = {
    "claude-code": _claude("2.1.332", "claude-code-linux-*/claude"),
    "claude-code-2.1.197": _claude("2.1.197", "claude-code-linux-*/claude"),
    "claude-code-2.0.76": _claude("2.0.76", "claude-code/cli.js"),
    "claude-code-1.0.128": _claude("1.0.128", "claude-code/cli.js"),
    "codex": _CODEX,
    "gemini-cli": _GEMINI,
    "qwen-code": _QWEN,
    "copilot-cli": _COPILOT,
    "opencode": _OPENCODE,
}
