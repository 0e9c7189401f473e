"""`doctor`: what is wrong, and how to mend it."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import click

from neotoma_hooks import hooklog
from neotoma_hooks.agents.registry import NAMES, agent
from neotoma_hooks.cli.common import age, as_json, print_json, user_paths
from neotoma_hooks.cli.registration import is_found, target_of
from neotoma_hooks.cli.standings import standings
from neotoma_hooks.errors import InstallError, NeotomaHooksError, SettingsError, StateError, StoreError
from neotoma_hooks.install import registering
from neotoma_hooks.install.doubles import Standing, between, within
from neotoma_hooks.paths import Paths
from neotoma_hooks.settings import Settings, read_settings
from neotoma_hooks.state import set_aside
from neotoma_hooks.state.breaker import Breaker
from neotoma_hooks.state.outbox import Outbox
from neotoma_hooks.stores.opening import open_store

MOST_SHOWN = 5

OLD_SECONDS = 600.0
"""A write that waits for longer than this is worth a word."""


class Finding:
    """One thing that was looked at: `ok`, what was seen, and, where it is not ok, the `mend`."""

    def __init__(self, subject: str, seen: str, mend: str = "") -> None:
        self.subject = subject
        self.seen = seen
        self.mend = mend

    @property
    def ok(self) -> bool:
        """Whether there is nothing to mend."""
        return not self.mend


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
        findings += [*_checked(_settings, settings, paths), *_checked(_store, settings, paths)]
        findings += _checked(_waiting, settings, paths)
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


def _checked(
    look: Callable[[Settings, Paths], Iterator[Finding]], settings: Settings, paths: Paths
) -> Iterator[Finding]:
    try:
        yield from look(settings, paths)
    except NeotomaHooksError as error:
        yield Finding(look.__name__.strip("_"), str(error), "see the cause named here")


def _settings(settings: Settings, _paths: Paths) -> Iterator[Finding]:
    for name, value in settings.as_mapping().items():
        source = settings.sources[name]
        yield Finding("setting", f"{name} = {value!r} (from {source})")
    if settings.disable:
        yield Finding("settings", "everything is switched off", f"unset disable in {settings.sources['disable']}")
    elif os.environ.get("NEOTOMA_HOOKS_DISABLE", "") not in ("", "0"):
        yield Finding("settings", "everything is switched off", "unset NEOTOMA_HOOKS_DISABLE")


def _store(settings: Settings, paths: Paths) -> Iterator[Finding]:
    store = open_store(settings, paths)
    try:
        yield Finding("store", store.check())
    except StoreError as error:
        how = "put a good copy of the file in its place, or move it away to begin anew"
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


def _waiting(_settings: Settings, paths: Paths) -> Iterator[Finding]:
    outbox = Outbox(paths.outbox, paths.rejected)
    names = outbox.names()
    oldest = max(0.0, time.time() - int(names[0].partition("-")[0]) / 1e9) if names else 0.0
    seen = f"{len(names)} writes wait, the oldest for {age(oldest)}" if names else "empty"
    mend = "run `neotoma-hooks flush` to deliver them and see what stands in the way" if oldest > OLD_SECONDS else ""
    yield Finding("outbox", seen, mend)
    for name in names:
        try:
            outbox.load(name)
        except StateError as error:
            yield Finding("outbox", str(error), "keep the file if you may need it, and move it out of the folder")
    refused = outbox.rejected_names()
    for name in refused:
        entry = outbox.load(name, rejected=True)
        if entry is not None:
            seen = f"the store refused {entry.message.turn_key}: {entry.reason}"
            mend = "mend the cause, then `neotoma-hooks outbox --retry` and `neotoma-hooks flush`"
            yield Finding("refused", seen, mend)
    if not refused:
        yield Finding("refused", "no write was refused")
    aside = set_aside.names(paths.set_aside)
    reasons: dict[str, list[set_aside.SetAside]] = {}
    for name in aside:
        try:
            event = set_aside.load(paths.set_aside, name)
        except StateError as error:
            yield Finding("set aside", str(error), "keep the file if you may need it, and move it out of the folder")
            continue
        if event is not None:
            reasons.setdefault(event.reason, []).append(event)
    for reason, events in reasons.items():
        again = "it is tried again by the next courier or `neotoma-hooks flush`"
        mend = again if events[-1].again else f"look into {paths.set_aside}, and delete what you do not need"
        yield Finding("set aside", f"{len(events)} events of {events[-1].agent or 'an unknown agent'}: {reason}", mend)
    if not aside:
        yield Finding("set aside", "no event")


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
        mend = "chmod go-rwx " + " ".join(open_to_others)
        yield Finding("files", f"{len(open_to_others)} of our files can be read by others", mend)
    else:
        yield Finding("files", f"private; state in {paths.state}, memory in {paths.data}, settings in {paths.config}")
    shut = _shut(paths)
    if shut:
        more = f", and {len(shut) - MOST_SHOWN} more" if len(shut) > MOST_SHOWN else ""
        seen = f"cannot be read and written by you: {', '.join(shut[:MOST_SHOWN])}{more}"
        yield Finding("files", seen, "make them yours again (chown, chmod u+rwX), or delete them")


def _shut(paths: Paths) -> list[str]:
    """Folders and files of ours that we may not use; a command that was run as root may leave such."""
    inside = (paths.pending, paths.outbox, paths.rejected, paths.set_aside, paths.notices)
    folders = dict.fromkeys((paths.state, paths.data, paths.config, *inside))
    ours = [*folders, *(os.path.join(folder, name) for folder in folders for name in _listed(folder))]
    there = (path for path in dict.fromkeys(ours) if os.path.exists(path))
    return [path for path in there if not os.access(path, os.R_OK | os.W_OK | os.X_OK * os.path.isdir(path))]


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
        yield Finding("hook log", str(error), "give the file back to yourself, or delete it")
    for name in NAMES:
        known = agent(name)
        try:
            state = registering.status(target_of(known))
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
        for hindrance in state.hindrances:
            yield Finding("agent", f"{known.title} ignores its settings, and the hooks with them", hindrance)


def _doubles(standing: Mapping[str, Standing]) -> Iterator[Finding]:
    found = [double for name in NAMES if name == agent(name).registered_as for double in within(standing[name])]
    for double in (*found, *between(standing)):
        yield Finding("double", double.seen, double.mend)
