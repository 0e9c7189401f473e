"""`install`, `uninstall` and `agents`: the hooks in agents' settings files."""

from __future__ import annotations

import os
import shlex
import shutil
from typing import Any

import click

from neotoma_hooks.agents.base import Agent
from neotoma_hooks.agents.registry import NAMES, agent
from neotoma_hooks.cli.common import as_json, print_json, print_table, user_paths
from neotoma_hooks.cli.self_check import TriedTurn, try_turn
from neotoma_hooks.errors import InstallError, NeotomaHooksError
from neotoma_hooks.install import plugins, registering
from neotoma_hooks.install.commands import environment_interpreter
from neotoma_hooks.paths import hooks_folder

_project = click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    help="A repository's own settings file instead of yours.",
)
_dry_run = click.option("--dry-run", is_flag=True, help="Only show the diff.")


def target_of(known: Agent, project: str | None = None, at: str | None = None) -> registering.Target:
    """The settings of an agent, or those at a path, with our commands as they are on this machine. Raises
    InstallError."""
    return registering.target(
        known,
        environ=os.environ,
        home=os.path.expanduser("~"),
        project=project,
        hooks_folder=hooks_folder(),
        interpreter=environment_interpreter(),
        records_folder=user_paths().install_records,
        at=at,
    )


def _targets(known: Agent, project: str | None, *, every: bool) -> list[registering.Target]:
    """What `uninstall` is about: an agent's settings, and those that it had elsewhere; with `every`, also
    repositories'. Raises InstallError."""
    try:
        targets = [target_of(known, project)]
    except InstallError:
        if not every:
            raise
        targets = []
    if project is None:
        for name, path, is_project in sorted(registering.recorded(user_paths().install_records)):
            is_new = all(path != on.path for on in targets)
            if name == known.registered_as and is_new and (every or not is_project):
                targets.append(target_of(known, at=path))
    return targets


def is_found(known: Agent) -> bool:
    """Whether the agent is on this machine: one of its programs, or the folder of its settings."""
    if any(shutil.which(program) for program in known.programs):
        return True
    folder = os.path.dirname(known.settings_file(os.environ, os.path.expanduser("~")))
    return os.path.isdir(folder) and folder != os.path.expanduser("~")


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="AGENT…")
@_project
@_dry_run
def install(names: tuple[str, ...], project: str | None, dry_run: bool) -> None:
    """Register the hooks with agents, and try one turn through what was registered."""
    for known in _named(names):
        on = target_of(known, project)
        change = registering.install(on, dry_run=dry_run)
        if dry_run:
            click.echo(change.diff() or f"{change.path}: nothing would change\n", nl=False)
            continue
        state = registering.status(on)
        try:
            # Each through the shell, as the agent runs it
            tried = try_turn(known, {hook: ["sh", "-c", command] for hook, command in state.commands.items()})
        except NeotomaHooksError as error:
            left = _taken_back(on, change, project)
            raise InstallError(f"{known.title}: the hooks do not work: {error}; {left}") from error
        click.echo(f"{known.title}: {'registered' if change.written else 'registered already'} in {change.path}")
        if change.backup:
            click.echo(f"  the file as it was is kept in {change.backup}")
        if known.registered_as != known.name:
            click.echo(
                f"  this is the registration of {agent(known.registered_as).title} too; they come and go together"
            )
        click.echo(f"  {_what_was_tried(known, tried)}")
        for sentence in known.not_captured:
            click.echo(f"  not captured: {sentence}")
        for step in (*state.hindrances, *state.left):
            click.echo(f"  left for you: {step}")
        for plugin in plugins.enabled(known, os.environ, os.path.expanduser("~")):
            click.echo(f"  left for you: the plugin {plugin.name} starts the hooks as well; {plugin.removal}")


@click.command()
@click.argument("names", nargs=-1, metavar="AGENT…")
@click.option("--all", "every", is_flag=True, help="Every agent that they are registered with.")
@_project
@_dry_run
def uninstall(names: tuple[str, ...], every: bool, project: str | None, dry_run: bool) -> None:
    """Take the hooks out of agents' settings files."""
    if bool(names) == every:
        raise click.UsageError("name the agents, or say --all")
    chosen = [agent(name) for name in NAMES] if every else _named(names)
    recorded = {path for _, path, _ in registering.recorded(user_paths().install_records)}
    stuck: list[str] = []
    for on in [on for known in chosen for on in _targets(known, project, every=every)]:
        try:
            change = registering.uninstall(on, dry_run=dry_run)
        except InstallError as error:
            if not every:
                raise
            # A broken file that we never touched must not keep the others from being cleaned
            if on.path in recorded:
                stuck.append(str(error))
            continue
        sharing = [agent(name) for name in NAMES if agent(name).registered_as == on.agent.registered_as]
        title = " and ".join(one.title for one in sharing)
        if dry_run:
            click.echo(change.diff() or f"{change.path}: nothing would change\n", nl=False)
        elif change.written:
            click.echo(f"{title}: taken out of {change.path}")
        elif not every:
            click.echo(f"{title}: was not registered in {change.path}")
    if stuck:
        raise InstallError("; ".join(stuck))


@click.command()
@as_json
def agents(as_json: bool) -> None:
    """List the agents that are known, and how they stand on this machine."""
    told: list[dict[str, Any]] = []
    for name in NAMES:
        known = agent(name)
        row: dict[str, Any] = {"name": name, "title": known.title, "found": is_found(known), "problems": []}
        try:
            state = registering.status(target_of(known))
            row |= {"registered": state.registered, "file": state.path, "problems": list(state.problems)}
            row |= {"hindrances": list(state.hindrances), "trust_steps": list(state.left)}
            row["trusted"] = state.is_trusted
        except InstallError as error:
            row |= {"registered": "unreadable", "file": known.settings_file(os.environ, os.path.expanduser("~"))}
            row |= {"problems": [str(error)], "hindrances": [], "trust_steps": [], "trusted": False}
        row["not_captured"] = list(known.not_captured)
        row["plugins"] = [plugin.name for plugin in plugins.enabled(known, os.environ, os.path.expanduser("~"))]
        told.append(row)
    if as_json:
        print_json(told)
        return
    rows = [
        [row["name"], row["title"], "yes" if row["found"] else "no", row["registered"], row["file"]] for row in told
    ]
    print_table(["agent", "name", "found", "registered", "settings file"], rows)
    for row in told:
        for plugin in row["plugins"]:
            click.echo(f"{row['name']}: is on as the plugin {plugin}")
        if row["registered"] == "no":
            continue
        for problem in row["problems"]:
            mend = "" if row["registered"] == "unreadable" else f"; run `neotoma-hooks install {row['name']}`"
            click.echo(f"{row['name']}: {problem}{mend}")
        for step in (*row["hindrances"], *row["trust_steps"]):
            click.echo(f"{row['name']}: left for you: {step}")
        if row["trusted"]:
            click.echo(f"{row['name']}: you trusted the hooks, so they run")
        for sentence in row["not_captured"] if row["registered"] != "unreadable" else ():
            click.echo(f"{row['name']}: not captured: {sentence}")


def _taken_back(on: registering.Target, change: registering.Change, project: str | None) -> str:
    """Undo what an `install` wrote whose hooks do not work; what a person has to know of it."""
    if not change.written:
        return f"{change.path} has them from before and stays as it is"
    try:
        registering.take_back(on, change)
    except NeotomaHooksError as error:
        where = "" if project is None else f" --project {shlex.quote(project)}"
        command = f"neotoma-hooks uninstall {on.agent.name}{where}"
        return f"what was written cannot be taken back: {error}; `{command}` takes the hooks out"
    return f"what was written to {change.path} is taken back"


def _named(names: tuple[str, ...]) -> list[Agent]:
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise click.UsageError(f"no agent is called {unknown[0]!r}; there are {', '.join(NAMES)}")
    return [agent(name) for name in dict.fromkeys(names)]


def _what_was_tried(known: Agent, tried: TriedTurn) -> str:
    where = "through the registered commands, on a throw-away memory,"
    told = ", and the agent was told what memory knows" if tried.context else ""
    if tried.turn is None:
        return f"a prompt {where} went as it must{told}; a turn of this agent cannot be stored"
    if not known.tells_reply:
        return f"a prompt {where} was stored and linked as it must be{told}; a reply of this agent cannot be stored"
    return f"a turn {where} was stored and linked as it must be{told}"
