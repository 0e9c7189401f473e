"""Where each agent has our hooks from on this machine, for `doctor` and `agents`."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent
from neotoma_hooks.agents.registry import NAMES, agent
from neotoma_hooks.cli.common import user_paths
from neotoma_hooks.cli.registration import target_of
from neotoma_hooks.errors import NeotomaHooksError
from neotoma_hooks.install import plugins, registering
from neotoma_hooks.install.doubles import Standing


def standings() -> dict[str, Standing]:
    """Of every agent, by our names of them; what cannot be read counts as not there, and is told elsewhere."""
    try:
        recorded = sorted(registering.recorded(user_paths().install_records))
    except NeotomaHooksError:
        recorded = []
    found: dict[str, Standing] = {}
    for name in NAMES:
        known = agent(name)
        own = known.settings_file(os.environ, os.path.expanduser("~"))
        repositories = [
            _repository_of(known, path)
            for its, path, is_project in recorded
            if is_project and its == known.registered_as and _is_registered(known, path)
        ]
        found[name] = Standing(
            known,
            own if _is_registered(known, None) else "",
            tuple(repositories),
            tuple(plugins.enabled(known, os.environ, os.path.expanduser("~"))),
        )
    return found


def _is_registered(known: Agent, at: str | None) -> bool:
    try:
        return registering.status(target_of(known, at=at)).registered != "no"
    except NeotomaHooksError:
        return False


def _repository_of(known: Agent, settings: str) -> str:
    """The repository whose own settings these are, as `install --project` was given it."""
    folder = os.path.dirname(settings)
    while known.project_settings_file(folder) != settings and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return folder
