"""The room's face: register our hooks with an agent, take them out again, tell how things stand."""

from __future__ import annotations

import contextlib
import difflib
import os
from dataclasses import dataclass

from neotoma_hooks.errors import InstallError, NeotomaHooksError
from neotoma_hooks.install import records, settings_file
from neotoma_hooks.install.commands import OurCommand, command_line, recognised
from neotoma_hooks.install.formats import Part, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from neotoma_hooks.agents.base import Agent
    from neotoma_hooks.install.format import Place, Wanted


@dataclass(frozen=True, slots=True)
class FileChange:
    """What was, or would be, done to one file: its text `before` and `after` (None: no file)."""

    path: str
    before: str | None
    after: str | None

    def diff(self) -> str:
        """The change as a unified diff; "" when there is none."""
        before, after = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, f"{self.path} (now)", f"{self.path} (then)")
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


@dataclass(frozen=True, slots=True)
class Change:
    """What was, or would be, done to the files of a registration; `path` is the agent's settings file or folder.

    `written` says that something was changed, `backup` is where the settings' first state is kept ("" when there was no
    file).
    """

    path: str
    files: tuple[FileChange, ...]
    written: bool
    backup: str = ""

    def diff(self) -> str:
        """The changes as unified diffs; "" when there are none."""
        return "".join(file.diff() for file in self.files)


@dataclass(frozen=True, slots=True)
class Registration:
    """How an agent's registration stands: `registered` is "no", "yes", "stale" (in part, or in an older form) or
    "double".

    `problems` are sentences on what is wrong with what is registered; `commands` maps each hook to the command line
    that the agent runs; `places` are our entries in the settings.
    """

    path: str
    registered: str
    problems: tuple[str, ...]
    commands: dict[str, str]
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """One agent's registration, in the user's own settings or a repository's, and what ours looks like in it.

    `path` is the settings file or folder; `parts` are the files that are written, `hooks_folder` holds the executables
    that they run, `records_folder` keeps what stood there before us.
    """

    agent: Agent
    path: str
    parts: tuple[Part, ...]
    is_project: bool
    hooks_folder: str
    records_folder: str

    def recognise(self, command: str, arguments: Sequence[str]) -> OurCommand | None:
        """What of ours a command line runs for this agent."""
        return recognised(command, arguments, self.agent.registered_as, self.hooks_folder)


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
    """The registration that `install` would make.

    Raises InstallError for an agent without settings of a repository's own when `project` is given.
    """
    if project is not None and not agent.has_project_settings:
        raise InstallError(f"{agent.title} reads no settings of a repository's own; register it without --project")
    path = agent.settings_file(environ, home) if project is None else agent.project_settings_file(project)
    parts = parts_of(agent, path, lambda hook: command_line(interpreter, hooks_folder, hook, agent.registered_as))
    return Target(agent, path, tuple(parts), project is not None, hooks_folder, records_folder)


@dataclass(frozen=True, slots=True)
class _Step:
    """One file of a registration as it is and as it is to be; `made` are the folders that we made, or make, for it."""

    part: Part
    file: settings_file.SettingsFile
    record: records.Record | None
    made: tuple[str, ...]
    after: str | None

    @property
    def is_change(self) -> bool:
        lacks_mode = self.part.is_executable and self.after is not None and not os.access(self.file.target, os.X_OK)
        return self.after != self.file.text or lacks_mode

    @property
    def change(self) -> FileChange:
        return FileChange(self.part.path, self.file.text, self.after)


def install(on: Target, *, dry_run: bool = False) -> Change:
    """Register the hooks; twice is once. Nothing is written with `dry_run`, or when nothing would change.

    Raises InstallError, StateError; then the files are as they were.
    """
    steps = [_step(part, on, is_install=True) for part in on.parts]
    if dry_run or not any(step.is_change for step in steps):
        return _told(on, steps, written=False)
    _do(steps, on, keeps_records=True)
    return _told(on, steps, written=True)


def uninstall(on: Target, *, dry_run: bool = False) -> Change:
    """Take the hooks out; the files are then as if we had never been there. Raises InstallError, StateError."""
    steps = [_step(part, on, is_install=False) for part in reversed(on.parts)]
    if not dry_run:
        _do(steps, on, keeps_records=False)
        for step in steps:
            if step.record is not None:
                left = None if step.after is None else step.after.encode("utf-8")
                records.forget(on.records_folder, step.file.target, left)
    return _told(on, steps, written=not dry_run and any(step.is_change for step in steps))


def status(on: Target) -> Registration:
    """How the registration stands, without changing it. Raises InstallError for a file that cannot be read."""
    problems: list[str] = []
    commands: dict[str, str] = {}
    all_found: list[Place] = []
    is_double = False
    for part in on.parts:
        file = settings_file.read(part.path)
        found = part.format.places(file.text, part.path, on.recognise) if file.text is not None else []
        all_found += found
        commands |= {place.ours.hook: place.command for place in found}
        for wanted in part.wanted:
            its = [place for place in found if part.format.fits(place, wanted)]
            if not its and not part.is_helper:
                problems.append(f"nothing is registered for {wanted.event}")
            elif len(its) > 1:
                is_double = True
                problems.append(f"{len(its)} hooks are registered for {wanted.event}")
            problems += [problem for place in its for problem in _wrong_with(place, wanted, part)]
    if not all_found:
        return Registration(on.path, "no", (), {})
    registered = "double" if is_double else "stale" if problems else "yes"
    return Registration(on.path, registered, tuple(problems), commands, tuple(all_found))


def _wrong_with(place: Place, wanted: Wanted, part: Part) -> Iterator[str]:
    missing = [path for path in (place.ours.interpreter, place.ours.script) if os.path.isabs(path)]
    missing = [path for path in missing if not os.path.exists(path)]
    if missing:
        yield f"the hook for {wanted.event} runs {missing[0]}, which is not there"
    elif not part.format.is_current(place, wanted):
        yield f"the hook for {wanted.event} is registered in another form"
    elif part.is_executable and not os.access(part.path, os.X_OK):
        yield f"the hook for {wanted.event} is {part.path}, which may not be run"


def _step(part: Part, on: Target, *, is_install: bool) -> _Step:
    """What is to be done to one file. Raises InstallError."""
    file = settings_file.read(part.path)
    record = records.find(on.records_folder, file.target)
    made = record.made_folders if record else tuple(settings_file.missing_folders(file))
    if is_install:
        after: str | None = part.format.with_ours(file.text, part.path, part.wanted, on.recognise)
    else:
        after = _without_us(file.text, record, part, on)
    if after is not None or file.text is not None:
        before, then = (part.format.others(text or "", part.path, on.recognise) for text in (file.text, after))
        # A last look before the user's file is touched
        if before != then:
            raise InstallError(f"{part.path}: a change would touch more than our own entries; nothing was written")
    return _Step(part, file, record, made, after)


def _without_us(text: str | None, record: records.Record | None, part: Part, on: Target) -> str | None:
    """The text that the file would have without us; None for no file at all."""
    if text is None:
        return None
    if record is not None and record.is_of(text):
        return record.before
    left = part.format.without_ours(text, part.path, on.recognise, record.before if record is not None else None)
    was_made = record is not None and record.before is None
    return None if was_made and left is not None and part.format.is_blank(left, part.path) else left


def _do(steps: Sequence[_Step], on: Target, *, keeps_records: bool) -> None:
    """Write what is to be written; all of it, or, when that fails, nothing. Raises InstallError, StateError."""
    steps = [step for step in steps if step.is_change]
    for step in steps:
        settings_file.check_writable(step.file)
    started: list[_Step] = []
    try:
        for step in steps:
            started.append(step)
            if keeps_records:
                _keep_record(step, on)
            if step.after is None:
                settings_file.delete(step.file, list(step.made))
            else:
                _put(step.file, step.after, step.part, on)
    except BaseException:
        for step in reversed(started):
            # What stands in the way here is what stood in the way there, and that is told
            with contextlib.suppress(NeotomaHooksError):
                _undo(step, on)
        raise


def _keep_record(step: _Step, on: Target) -> None:
    assert step.after is not None
    before = _without_us(step.file.text, step.record, step.part, on)
    after = records.digest(step.after)
    kept = records.Record(on.agent.registered_as, step.file.target, before, after, step.made)
    records.keep(on.records_folder, kept, step.file.raw)


def _put(file: settings_file.SettingsFile, text: str, part: Part, on: Target) -> None:
    settings_file.write(file, text, is_private=not on.is_project, is_executable=part.is_executable)


def _undo(step: _Step, on: Target) -> None:
    now = settings_file.read(step.part.path)
    if now.text == step.after and step.file.text is None:
        settings_file.delete(now, list(step.made))
    elif now.text == step.after and step.file.text is not None and now.text != step.file.text:
        _put(now, step.file.text, step.part, on)
    if step.record is None:
        records.forget(on.records_folder, step.file.target, step.file.raw)
    else:
        records.keep(on.records_folder, step.record, step.file.raw)


def _told(on: Target, steps: Sequence[_Step], *, written: bool) -> Change:
    files = tuple(step.change for step in steps if step.is_change)
    backup = records.backup_path(on.records_folder, os.path.realpath(on.path))
    return Change(on.path, files, written, backup if written and os.path.exists(backup) else "")
