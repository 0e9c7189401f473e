"""`doctor`: what is wrong, and how to mend it."""

from __future__ import annotations

import os
import shlex
import stat
import time
from collections.abc import Iterator, Mapping
from typing import Any

import click

from neotoma_hooks import hooklog
from neotoma_hooks.agents.registry import NAMES, agent
from neotoma_hooks.cli.common import age, as_json, print_json, user_paths
from neotoma_hooks.cli.findings import Finding, rights_back, unread
from neotoma_hooks.cli.registration import is_found, target_of
from neotoma_hooks.cli.standings import standings
from neotoma_hooks.cli.state_findings import state_findings
from neotoma_hooks.errors import InstallError, SettingsError, StateError, StoreError
from neotoma_hooks.install import registering
from neotoma_hooks.install.doubles import Standing, between, within
from neotoma_hooks.paths import Paths
from neotoma_hooks.settings import Settings, read_settings
from neotoma_hooks.state.breaker import Breaker
from neotoma_hooks.stores.opening import open_store


@click.command()
@as_json
def doctor(as_json: bool) -> None:
    """Find what is wrong and say how to mend it; exit status 1 when something is."""
    paths = user_paths()
    settings: Settings | None = None
    findings: list[Finding] = []
    try:
        settings = read_settings(paths.settings_file, os.environ)
    except SettingsError as error:
        findings.append(Finding("settings", str(error), "mend the setting; until then nothing is recorded"))
    if settings is not None:
        findings += [*_settings(settings), *_store(settings, paths)]
    findings += state_findings(paths)
    standing = standings()
    findings += [*_private(paths), *_agents(paths, standing), *_doubles(standing)]
    if as_json:
        told: dict[str, Any] = {
            "ok": all(finding.ok for finding in findings),
            "findings": [
                {"subject": one.subject, "ok": one.ok, "seen": one.seen, "mend": one.mend} for one in findings
            ],
        }
        if settings is not None:
            told["settings"] = {
                name: {"value": value, "source": settings.sources[name]}
                for name, value in settings.as_mapping().items()
            }
        print_json(told)
    else:
        for one in findings:
            click.echo(f"{'ok ' if one.ok else '!! '} {one.subject}: {one.seen}")
            if one.mend:
                click.echo(f"    mend: {one.mend}")
        wrong = sum(not finding.ok for finding in findings)
        click.echo(f"{wrong} to mend." if wrong else "All is well.")
    if not all(finding.ok for finding in findings):
        raise click.exceptions.Exit(1)


def _settings(settings: Settings) -> Iterator[Finding]:
    for name, value in settings.as_mapping().items():
        source = settings.sources[name]
        yield Finding("setting", f"{name} = {value!r} (from {source})")
    if settings.disable:
        source = settings.sources["disable"]
        mend = f"unset {source}" if source in os.environ else f"unset disable in {source}"
        yield Finding("settings", "everything is switched off", mend)


def _store(settings: Settings, paths: Paths) -> Iterator[Finding]:
    store = open_store(settings, paths)
    try:
        yield Finding("store", store.check())
    except StoreError as error:
        how = "put a good copy of the file in its place, make it yours to read and write, or move it away to begin anew"
        if not store.is_local:
            how = "start the server or mend its address or token"
        yield Finding("store", str(error), f"{how}; messages wait meanwhile")
    finally:
        store.close()
    breaker = Breaker(paths.breaker_file, settings.store_name)
    if breaker.failures:
        since = age(time.time() - breaker.since)
        pause = " and is left alone for a moment" if breaker.is_open(time.time()) else ""
        yield Finding("store", f"failed {breaker.failures} times in a row, first {since} ago{pause}: {breaker.cause}")


def _private(paths: Paths) -> Iterator[Finding]:
    open_to_others = []
    for folder in dict.fromkeys((paths.state, paths.data, paths.config)):
        for path in [folder, *(os.path.join(folder, name) for name in _listed(folder))]:
            if os.path.basename(path) == "venv" or os.path.islink(path) or not os.path.exists(path):
                continue
            mode = stat.S_IMODE(os.stat(path).st_mode)
            if mode & 0o077:
                open_to_others.append(path)
    if open_to_others:
        mend = shlex.join(["chmod", "go-rwx", *open_to_others])
        yield Finding("files", f"{len(open_to_others)} of our files can be read by others", mend)
    else:
        yield Finding("files", f"private; state in {paths.state}, memory in {paths.data}, settings in {paths.config}")
    # What is in the state folder was looked at already
    for folder in dict.fromkeys((paths.data, paths.config)):
        if os.path.isdir(folder) and not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            yield Finding("files", f"{folder} may not be read and written by you", rights_back(folder))


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _agents(paths: Paths, standing: Mapping[str, Standing]) -> Iterator[Finding]:
    last: dict[str, dict[str, Any]] = {}
    errors: dict[str, dict[str, Any]] = {}
    try:
        for line in hooklog.read(paths.log_file):
            name = str(line.get("agent", ""))
            last[name] = line
            if "error" in line:
                errors[name] = line
    except StateError as error:
        yield unread("hook log", error, paths)
    for name in NAMES:
        known = agent(name)
        try:
            target = target_of(known)
            state = registering.status(target)
        except InstallError as error:
            if is_found(known) and name in last:
                yield Finding("agent", f"{known.title}: {error}", "mend the file; until then nothing can be registered")
            continue
        plugins = [plugin.name for plugin in standing[name].plugins]
        if state.registered == "no" and name not in last and not plugins:
            continue
        seen = f"{known.title}: {'not registered' if state.registered == 'no' else 'registered'} in {state.path}"
        if state.problems:
            seen += f" ({'; '.join(state.problems)})"
        seen += "".join(f"; is on as the plugin {plugin}" for plugin in plugins)
        if name in last:
            seen += f"; last firing {last[name].get('at')}"
        if name in errors:
            seen += f"; last error {errors[name].get('at')}: {errors[name].get('error')}"
        yield Finding("agent", seen, f"run `neotoma-hooks install {name}`" if state.problems else "")
        # Hooks that have fired are trusted, whatever can be read of it
        if target.trust_file is not None and state.commands and not state.is_trusted and name not in last:
            yield Finding("trust", f"{known.title} does not run the hooks yet", " ".join(state.left))
        for hindrance in state.hindrances:
            yield Finding("agent", f"{known.title} ignores its settings, and the hooks with them", hindrance)


def _doubles(standing: Mapping[str, Standing]) -> Iterator[Finding]:
    found = [double for name in NAMES if name == agent(name).registered_as for double in within(standing[name])]
    for double in (*found, *between(standing)):
        yield Finding("double", double.seen, double.mend)
