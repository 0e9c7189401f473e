"""Which format an agent's settings have, and which files make up its registration."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass

from neotoma_hooks.install.claude_format import ClaudeFormat
from neotoma_hooks.install.flat_format import FlatFormat
from neotoma_hooks.install.format import Format, Wanted
from neotoma_hooks.install.kimi_format import KimiFormat
from neotoma_hooks.install.kiro_format import KiroFormat
from neotoma_hooks.install.whole_file import PluginFile, ScriptFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from neotoma_hooks.agents.base import Agent, HookEntry

FORMATS: Mapping[str, Callable[[str], Format]] = {
    "claude-settings": lambda new_file: ClaudeFormat(("hooks",), new_file),
    "claude-events": lambda new_file: ClaudeFormat((), new_file),
    "augment-settings": lambda new_file: ClaudeFormat(
        ("hooks",), new_file, {"metadata": {"includeConversationData": True}}
    ),
    "cursor-hooks": lambda new_file: FlatFormat(("hooks",), new_file),
    "copilot-hooks": lambda new_file: FlatFormat(("hooks",), new_file),
    "windsurf-hooks": lambda new_file: FlatFormat(("hooks",), new_file),
    "agent-file": lambda new_file: FlatFormat(("hooks",), new_file),
    "antigravity-hooks": lambda new_file: FlatFormat(("neotoma-hooks",), new_file),
    "kiro-hooks": lambda new_file: KiroFormat(("hooks",), new_file),
    "kimi-toml": lambda _new_file: KimiFormat(),
}
"""By the name that an agent's module gives, the format, made with the text of a file that has no hooks yet.

"script-files" and "plugin-file" are not among them: what they hold is one agent's own (`parts_of`).
"""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a registration: its `path`, its `format`, and the entries that belong into it.

    `is_helper` says that it is a script of ours that another part's entries run.
    """

    path: str
    format: Format
    wanted: tuple[Wanted, ...]
    is_executable: bool = False
    is_helper: bool = False


def parts_of(agent: Agent, path: str, command_of: Callable[[str], str]) -> list[Part]:
    """The files of an agent's registration, in the order in which they are written.

    `path` is the agent's settings file or folder, `command_of` gives the command line of a hook.
    """
    kind = agent.format_of(path)
    if kind == "plugin-file":
        return [_plugin(agent, path, command_of)]
    if kind == "script-files":
        return [
            _script(agent, entry, os.path.join(path, agent.script_name(entry.event)), command_of(entry.hook))
            for entry in agent.entries
        ]
    helpers: dict[str, Part] = {}
    wanted: list[Wanted] = []
    for entry in agent.entries:
        command = command_of(entry.hook)
        if agent.needs_script:
            script = os.path.join(os.path.dirname(path), "neotoma-hooks", agent.script_name(entry.hook))
            helpers.setdefault(script, _script(agent, entry, script, command, is_helper=True))
            command = shlex.quote(script)
        wanted.append(Wanted(entry.event, entry.hook, agent.handler(command, entry), entry.matcher))
    return [*helpers.values(), Part(path, FORMATS[kind](agent.new_file), tuple(wanted))]


def _script(agent: Agent, entry: HookEntry, path: str, command: str, *, is_helper: bool = False) -> Part:
    text = agent.script_text(command)
    before, _, behind = agent.script_text("\0").partition("\0")
    script = ScriptFile(text, (before, behind), entry.event, shlex.quote(path))
    wanted = Wanted(entry.event, entry.hook, {"text": text})
    return Part(path, script, (wanted,), is_executable=os.name != "nt", is_helper=is_helper)


def _plugin(agent: Agent, path: str, command_of: Callable[[str], str]) -> Part:
    text = agent.plugin_text({entry.hook: shlex.split(command_of(entry.hook)) for entry in agent.entries})
    plugin = PluginFile(text, [(entry.event, entry.hook) for entry in agent.entries])
    return Part(path, plugin, tuple(Wanted(entry.event, entry.hook, {"text": text}) for entry in agent.entries))
