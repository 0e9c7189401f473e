"""Hooks that are started twice for one event: which they are, and what a person may do about it.

An event that comes twice is recorded once (G4), so a double costs time and nothing else.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from neotoma_hooks.agents.base import Agent
    from neotoma_hooks.install.plugins import Plugin

HARMLESS = "every turn is recorded once all the same"


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an agent has our hooks from.

    `settings` is the user's own settings file, "" when they are not in it; `repositories` are the folders whose own
    settings have them, as far as we put them there; `plugins` are those that the agent runs.
    """

    agent: Agent
    settings: str = ""
    repositories: tuple[str, ...] = ()
    plugins: tuple[Plugin, ...] = ()

    @property
    def is_any(self) -> bool:
        """Whether the agent runs our hooks at all."""
        return bool(self.settings or self.repositories or self.plugins)


@dataclass(frozen=True, slots=True)
class Double:
    """One double: what was `seen`, and what takes it away, "" where everything that is there is needed."""

    seen: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """That an agent, `reader`, also runs the hooks in another's files, `whose`.

    `switch` is what ends it, "" where nothing is known to; `repositories_only` tells that the user's own file is not
    read, `plugins_too` that the other's plugins are.
    """

    reader: str
    whose: str
    switch: str
    repositories_only: bool = False
    plugins_too: bool = False


# By the agents' documents and sources
READINGS = (
    Reading(
        "cursor",
        "claude-code",
        'Cursor\'s setting "Include Third-Party Plugins, Skills, and Other Configs"',
        plugins_too=True,
    ),
    Reading("vscode", "claude-code", "VS Code's setting `chat.hookFilesLocations`"),
    Reading("copilot-cli", "claude-code", "", repositories_only=True),
    Reading("grok-build", "claude-code", "`hooks = false` under `[compat.claude]` in Grok Build's config.toml"),
    Reading("grok-build", "cursor", "`hooks = false` under `[compat.cursor]` in Grok Build's config.toml"),
    Reading("devin-cli", "claude-code", "`read_config_from.claude` in Devin's config.json"),
)


def within(standing: Standing) -> Iterator[Double]:
    """The doubles of one agent: its user's settings, repositories' settings and plugins."""
    known = standing.agent
    plugins = [f"the plugin {plugin.name}" for plugin in standing.plugins]
    everywhere = [*([standing.settings] if standing.settings else []), *plugins]
    if len(everywhere) > 1:
        extra = standing.plugins if standing.settings else standing.plugins[1:]
        seen = f"{known.title} has the hooks from {' and from '.join(everywhere)}"
        mend = f"{', and '.join(plugin.removal for plugin in extra)}: what it has from {everywhere[0]} is enough"
        yield Double(f"{seen}; {HARMLESS}", mend)
    for folder in standing.repositories if everywhere else ():
        seen = f"{known.title} has the hooks from {everywhere[0]} and, in {folder}, from its own settings"
        command = f"neotoma-hooks uninstall {known.name} --project {shlex.quote(folder)}"
        mend = f"run `{command}`, unless others who work there need them: yours count in every folder"
        yield Double(f"{seen}; {HARMLESS}", mend)


def between(standings: Mapping[str, Standing]) -> Iterator[Double]:
    """The doubles that come from one agent reading another's files, by our names of the agents.

    Each registration is the only one that its own agent runs as it should, so nothing is to be removed.
    """
    for reading in READINGS:
        reader, whose = standings[reading.reader], standings[reading.whose]
        files = [whose.settings] if whose.settings and not reading.repositories_only else []
        files += [f"the settings in {folder}" for folder in whose.repositories]
        files += [f"the plugin {plugin.name}" for plugin in whose.plugins] if reading.plugins_too else []
        if not reader.is_any or not files:
            continue
        seen = f"in {reader.agent.title}, its own hooks run and, as it reads them too, {whose.agent.title}'s"
        end = f", and {reading.switch} ends it" if reading.switch else ""
        yield Double(f"{seen} ({', '.join(files)}); {HARMLESS}; nothing has to be removed{end}")
