"""The plugins of this repository: what their files say is what the agents' modules say, and `hooks/run` troubles nobody.

`python tests/test_plugins.py` writes the files anew.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks import __version__
from neotoma_hooks.agents.registry import agent
from neotoma_hooks.install.formats import parts_of
from support.firing import ROOT, prompt, reply

NAME = "neotoma-hooks"
SAID = "A memory for coding agents: looks up what your message names, hands it over, and stores the turn."

# What each agent puts the plugin's folder in the place of, the way from there to `hooks/run`, its file of hooks
PLUGINS: Mapping[str, tuple[str, str, str]] = {
    "claude-code": ("${CLAUDE_PLUGIN_ROOT}", "hooks/run", "hooks/hooks.json"),
    "codex": ("${PLUGIN_ROOT}", "hooks/run", "hooks/codex-hooks.json"),
    "cursor": ("${CURSOR_PLUGIN_ROOT}", "hooks/run", "hooks/cursor-hooks.json"),
    "gemini-cli": ("${extensionPath}", "../run", "hooks/gemini/hooks/hooks.json"),
}
SHOWS_A_NOTICE = ("claude-code", "codex", "gemini-cli")

_ABOUT = {"name": NAME, "version": __version__, "description": SAID}
_MARKET = {"name": NAME, "owner": {"name": NAME}, "plugins": [{"name": NAME, "source": "./", "description": SAID}]}

MANIFESTS: Mapping[str, Mapping[str, Any]] = {
    # Claude Code finds hooks/hooks.json by itself, and refuses a manifest that names it again
    ".claude-plugin/plugin.json": _ABOUT,
    # Codex takes the same list of plugins
    ".claude-plugin/marketplace.json": _MARKET,
    ".codex-plugin/plugin.json": {**_ABOUT, "hooks": "./hooks/codex-hooks.json"},
    ".cursor-plugin/plugin.json": {**_ABOUT, "hooks": "./hooks/cursor-hooks.json"},
    "hooks/gemini/gemini-extension.json": _ABOUT,
}


def hooks_file(name: str) -> str:
    """What `install` would write into an empty settings file, but for the command lines."""
    root, way, _ = PLUGINS[name]
    known = agent(name)
    (part,) = parts_of(known, "hooks.json", lambda hook: f'sh "{root}/{way}" {hook} {name}')
    return part.format.with_ours(None, "hooks.json", part.wanted, lambda _command, _arguments: None)


def files() -> dict[str, str]:
    """Every file of a plugin that is made, by its path in the repository."""
    made = {path: json.dumps(manifest, indent=2) + "\n" for path, manifest in MANIFESTS.items()}
    return made | {path: hooks_file(name) for name, (_, _, path) in PLUGINS.items()}


@pytest.mark.parametrize("path", files())
def test_files_say_what_the_agents_modules_say(path: str) -> None:
    """Events, matchers, time limits, and the version of the package."""
    assert (ROOT / path).read_text(encoding="utf-8") == files()[path]


@pytest.mark.parametrize("name", PLUGINS)
def test_each_event_of_the_agent_is_in_its_file(name: str) -> None:
    """Once, with a command that is `hooks/run` for that hook and agent."""
    root, _, path = PLUGINS[name]
    folder = ROOT / path.partition("/hooks/")[0] if name == "gemini-cli" else ROOT
    hooks = json.loads((ROOT / path).read_text(encoding="utf-8"))["hooks"]
    assert list(hooks) == [entry.event for entry in agent(name).entries]
    for entry in agent(name).entries:
        (group,) = hooks[entry.event]
        handler = group["hooks"][0] if "hooks" in group else group
        program, script, *words = shlex.split(handler["command"].replace(root, str(folder)))
        assert (program, words) == ("sh", [entry.hook, name])
        assert Path(script).samefile(ROOT / "hooks" / "run")
        assert (handler["timeout"], group.get("matcher")) == (entry.timeout, entry.matcher)


def write() -> None:
    """Write every file anew."""
    for path, text in files().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
