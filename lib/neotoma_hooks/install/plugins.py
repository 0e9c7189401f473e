"""Which agents have us as a plugin, told from what the agents themselves note down.

Nothing of ours writes these files: a plugin is put in and taken out by the agent's own commands.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from glob import escape, glob

from neotoma_hooks.errors import InstallError
from neotoma_hooks.install import settings_file
from neotoma_hooks.install.toml_text import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from neotoma_hooks.agents.base import Agent

NAME = "neotoma-hooks"
"""What our plugin calls itself, in every agent."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin of ours that an agent runs: what it is called there, and how a person takes it out again."""

    name: str
    removal: str


def enabled(agent: Agent, environ: Mapping[str, str], home: str) -> list[Plugin]:
    """Our plugins that the agent runs. What cannot be read counts as none: the agent does not read it either."""
    find = _FINDERS.get(agent.name)
    return [] if find is None else list(find(os.path.dirname(agent.settings_file(environ, home))))


def _of_claude_code(folder: str) -> Iterator[Plugin]:
    installed = _table(_json(os.path.join(folder, "plugins", "installed_plugins.json")), "plugins")
    for id, entries in installed.items():
        if not _is_ours(id):
            continue
        for entry in entries if isinstance(entries, list) else [entries]:
            project = entry.get("projectPath") if isinstance(entry, dict) else None
            places = [folder] if project is None else [os.path.join(str(project), ".claude")]
            files = [os.path.join(place, name) for place in places for name in ("settings.json", "settings.local.json")]
            if any(_table(_json(file), "enabledPlugins").get(id) for file in files):
                scope = "" if project is None else f" --scope {entry.get('scope')}` in `{project}"
                yield Plugin(id, f"run `claude plugin uninstall {id}{scope}`")


def _of_codex(folder: str) -> Iterator[Plugin]:
    file = os.path.join(folder, "config.toml")
    try:
        plugins = _table(parsed(settings_file.read(file).text or "", file), "plugins")
    except InstallError:
        return
    for id, noted in plugins.items():
        if _is_ours(id) and isinstance(noted, dict) and noted.get("enabled") is not False:
            yield Plugin(id, f"run `codex plugin remove {id}`")


def _of_gemini_cli(folder: str) -> Iterator[Plugin]:
    extensions = os.path.join(folder, "extensions")
    rules = _table(_json(os.path.join(extensions, "extension-enablement.json")), NAME).get("overrides")
    # A rule that begins with ! switches off in a folder, any other switches on
    if isinstance(rules, list) and rules and all(str(rule).startswith("!") for rule in rules):
        return
    for place in _folders(extensions, "*"):
        link = _json(os.path.join(place, ".gemini-extension-install.json"))
        source = str(link.get("source")) if link.get("type") == "link" else place
        if _json(os.path.join(source, "gemini-extension.json")).get("name") == NAME:
            yield Plugin(NAME, f"run `gemini extensions uninstall {NAME}`")


def _of_cursor(folder: str) -> Iterator[Plugin]:
    plugins = os.path.join(folder, "plugins")
    for place in _folders(plugins, "local", "*"):
        if _json(os.path.join(place, ".cursor-plugin", "plugin.json")).get("name") == NAME:
            yield Plugin(NAME, f"remove `{place}`")
    cached = _folders(plugins, "cache", "*", "*", "*")
    if any(_json(os.path.join(place, ".cursor-plugin", "plugin.json")).get("name") == NAME for place in cached):
        yield Plugin(NAME, "uninstall it in Cursor's list of plugins")


_FINDERS: Mapping[str, Callable[[str], Iterator[Plugin]]] = {
    "claude-code": _of_claude_code,
    "codex": _of_codex,
    "gemini-cli": _of_gemini_cli,
    "cursor": _of_cursor,
}


def _is_ours(id: str) -> bool:
    """Whether a plugin is ours: its own name stands before the name of the list that it is from."""
    return id.partition("@")[0] == NAME


def _folders(base: str, *pattern: str) -> list[str]:
    return sorted(glob(os.path.join(escape(base), *pattern)))


def _json(file: str) -> dict[str, Any]:
    try:
        value = json.loads(settings_file.read(file).text or "{}")
    except (InstallError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _table(whole: dict[str, Any], key: str) -> dict[str, Any]:
    value = whole.get(key)
    return value if isinstance(value, dict) else {}
