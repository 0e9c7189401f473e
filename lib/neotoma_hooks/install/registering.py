"""The room's face: register our hooks with an agent, take them out again, tell how things stand."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass

from neotoma_hooks.errors import InstallError
from neotoma_hooks.install import records, settings_file
from neotoma_hooks.install.claude_format import Place, Wanted, containers, others, places, with_ours, without_ours
from neotoma_hooks.install.commands import OurCommand, command_line, recognised
from neotoma_hooks.install.json_text import Document, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neotoma_hooks.agents.base import Agent

FORMAT = "claude-settings"


@dataclass(frozen=True, slots=True)
class Change:
    """What was, or would be, done to the settings file `path`: its text `before` and `after` (None: no file).

    `written` says that the file was changed, `backup` is where its first state is kept ("" when there was no file).
    """

    path: str
    before: str | None
    after: str | None
    written: bool
    backup: str = ""

    def diff(self) -> str:
        """The change as a unified diff; "" when there is none."""
        before, after = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, f"{self.path} (now)", f"{self.path} (then)")
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


@dataclass(frozen=True, slots=True)
class Registration:
    """How an agent's settings file stands: `registered` is "no", "yes", "stale" (in part, or in an older form) or
    "double".

    `problems` are sentences on what is wrong with what is registered; `commands` maps each hook to its command line.
    """

    path: str
    registered: str
    problems: tuple[str, ...]
    commands: dict[str, str]


@dataclass(frozen=True, slots=True)
class Target:
    """One agent's settings file, the user's own or a repository's, and what ours looks like in it.

    `hooks_folder` holds the executables, `interpreter` runs them, `records_folder` keeps what stood there before us.
    """

    agent: Agent
    path: str
    is_project: bool
    hooks_folder: str
    interpreter: str
    records_folder: str

    @property
    def wanted(self) -> list[Wanted]:
        """The handlers that are to be registered."""
        return [
            Wanted(
                entry.event,
                entry.hook,
                command_line(self.interpreter, self.hooks_folder, entry.hook, self.agent.name),
                entry.timeout,
                entry.matcher,
            )
            for entry in self.agent.entries
        ]

    def recognise(self, command: str, arguments: Sequence[str]) -> OurCommand | None:
        """What of ours a command line runs for this agent."""
        return recognised(command, arguments, self.agent.name, self.hooks_folder)


def target(
    agent: Agent,
    *,
    environ: Mapping[str, str],
    home: str,
    project: str | None,
    hooks_folder: str,
    interpreter: str,
    records_folder: str,
) -> Target:
    """The settings file that `install` would change.

    Raises InstallError for an agent whose settings have a shape that cannot be changed.
    """
    path = agent.settings_file(environ, home) if project is None else agent.project_settings_file(project)
    if agent.format_of(path) != FORMAT:
        raise InstallError(f"{agent.title} cannot be registered by this version; its settings are in {path}")
    return Target(agent, path, project is not None, hooks_folder, interpreter, records_folder)


def install(on: Target, *, dry_run: bool = False) -> Change:
    """Register the hooks; twice is once. Nothing is written with `dry_run`, or when nothing would change.

    Raises InstallError, StateError; then the settings file is as it was.
    """
    file = settings_file.read(on.path)
    after = with_ours(file.text or "", on.path, on.wanted, on.recognise)
    _check_others(file.text or "", after, on)
    if after == file.text or dry_run:
        return Change(on.path, file.text, after, written=False)
    settings_file.check_writable(file)
    earlier = records.find(on.records_folder, file.target)
    made = earlier.made_folders if earlier else tuple(settings_file.missing_folders(file))
    record = records.Record(
        on.agent.name, file.target, _without_us(file.text, earlier, on), records.digest(after), made
    )
    records.keep(on.records_folder, record, file.raw)
    settings_file.write(file, after, is_private=not on.is_project)
    backup = records.backup_path(on.records_folder, file.target)
    return Change(on.path, file.text, after, written=True, backup=backup if os.path.exists(backup) else "")


def uninstall(on: Target, *, dry_run: bool = False) -> Change:
    """Take the hooks out; the file is then as if we had never been there. Raises InstallError, StateError."""
    file = settings_file.read(on.path)
    record = records.find(on.records_folder, file.target)
    after = _without_us(file.text, record, on) if file.text is not None else None
    if file.text is not None and after is not None:
        _check_others(file.text, after, on)
    if dry_run:
        return Change(on.path, file.text, after, written=False)
    if after == file.text:
        if record is not None:
            records.forget(on.records_folder, file.target, file.raw)
        return Change(on.path, file.text, after, written=False)
    if after is None:
        settings_file.delete(file, list(record.made_folders) if record else [])
    else:
        settings_file.write(file, after, is_private=not on.is_project)
    records.forget(on.records_folder, file.target, None if after is None else after.encode("utf-8"))
    return Change(on.path, file.text, after, written=True)


def status(on: Target) -> Registration:
    """How the settings file stands, without changing it. Raises InstallError for one that cannot be read."""
    file = settings_file.read(on.path)
    found = places(Document(file.text, on.path), on.recognise) if file.text is not None else []
    if not found:
        return Registration(on.path, "no", (), {})
    problems: list[str] = []
    is_double = False
    for wanted in on.wanted:
        its = [place for place in found if place.fits(wanted)]
        if not its:
            problems.append(f"nothing is registered for {wanted.event}")
        elif len(its) > 1:
            is_double = True
            problems.append(f"{len(its)} hooks are registered for {wanted.event}")
        problems += [problem for place in its for problem in _wrong_with(place, wanted)]
    registered = "double" if is_double else "stale" if problems else "yes"
    commands = {place.ours.hook: str(place.value.get("command", "")) for place in found}
    return Registration(on.path, registered, tuple(problems), commands)


def _wrong_with(place: Place, wanted: Wanted) -> list[str]:
    for path in (place.ours.interpreter, place.ours.script):
        if os.path.isabs(path) and not os.path.exists(path):
            return [f"the hook for {wanted.event} runs {path}, which is not there"]
    return [] if place.is_current(wanted) else [f"the hook for {wanted.event} is registered in another form"]


def _without_us(text: str | None, record: records.Record | None, on: Target) -> str | None:
    """The text that the file would have without us; None for no file at all."""
    if text is None:
        return None
    if record is not None and record.is_of(text):
        return record.before
    kept = containers(Document(record.before, on.path)) if record is not None and record.before is not None else set()
    left = without_ours(text, on.path, on.recognise, kept)
    document = Document(left, on.path)
    is_empty = document.root is None or plain(document.root) == {}
    return None if is_empty and record is not None and record.before is None else left


def _check_others(before: str, after: str, on: Target) -> None:
    """A last look before the user's file is touched: all that is not ours reads the same as before."""
    if others(Document(before, on.path), on.recognise) != others(Document(after, on.path), on.recognise):
        raise InstallError(f"{on.path}: a change would touch more than our own entries; nothing was written")
