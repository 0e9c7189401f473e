"""The room's face: register our hooks with an agent, take them out again, tell how things stand."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from neotoma_hooks.errors import InstallError
from neotoma_hooks.install import codex_trust, records, settings_file
from neotoma_hooks.install.commands import OurCommand, command_line, recognised
from neotoma_hooks.install.formats import Part, parts_of
from neotoma_hooks.install.steps import Step, carry_out, restore, step_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from neotoma_hooks.agents.base import Agent
    from neotoma_hooks.install.format import Place, Wanted


@dataclass(frozen=True, slots=True)
class Change:
    """What was, or would be, done to the files of a registration; `path` is the agent's settings file or folder.

    `steps` are the files that differ, each as it was and as it is to be; `written` says that they were changed,
    `backup` is where the settings' first state is kept ("" when there was no file).
    """

    path: str
    steps: tuple[Step, ...]
    written: bool
    backup: str = ""

    def diff(self) -> str:
        """The changes as unified diffs; "" when there are none."""
        return "".join(step.change.diff() for step in self.steps)


@dataclass(frozen=True, slots=True)
class Registration:
    """How an agent's registration stands: `registered` is "no", "yes", "stale" (in part, or in an older form) or
    "double".

    `problems` are sentences on what is wrong with what is registered; `commands` maps each hook to the command line
    that the agent runs; `hindrances` are sentences on what keeps the agent from reading its settings; `left` are
    sentences on what else only the person can do, as far as it is not known to be done; `is_trusted` says that it is.
    """

    path: str
    registered: str
    problems: tuple[str, ...] = ()
    commands: Mapping[str, str] = field(default_factory=dict)
    hindrances: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    is_trusted: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """One agent's registration, in the user's own settings or a repository's, and what ours looks like in it.

    `path` is the settings file or folder; `parts` are the files that are written, `hooks_folder` holds the executables
    that they run, `records_folder` keeps what stood there before us. `trust_file` is where the agent notes what the
    person trusts, where that can be read.
    """

    agent: Agent
    path: str
    parts: tuple[Part, ...]
    is_project: bool
    hooks_folder: str
    records_folder: str
    trust_file: str | None = None

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
    at: str | None = None,
) -> Target:
    """The registration that `install` would make; with `at`, the one whose settings are there (see `recorded`).

    Raises InstallError for an agent without settings of a repository's own when `project` is given.
    """
    own = agent.settings_file(environ, home) if project is None else agent.project_settings_file(project)
    if own is None:
        raise InstallError(f"{agent.title} reads no settings of a repository's own; register it without --project")
    path = at or own
    parts = parts_of(agent, path, lambda hook: command_line(interpreter, hooks_folder, hook, agent.registered_as))
    trust_file = agent.trust_file(environ, home)
    return Target(agent, path, tuple(parts), project is not None, hooks_folder, records_folder, trust_file)


def install(on: Target, *, dry_run: bool = False) -> Change:
    """Register the hooks; twice is once. Nothing is written with `dry_run`, or when nothing would change.

    Raises InstallError, StateError; then the files are as they were.
    """
    steps = [step_for(part, on, is_install=True) for part in on.parts]
    if dry_run or not any(step.is_change for step in steps):
        return _told(on, steps, written=False)
    carry_out(steps, on, keeps_records=True)
    return _told(on, steps, written=True)


def take_back(on: Target, change: Change) -> None:
    """Undo what `install` did, and no more: an older registration that it rewrote is there again as it was.

    Raises InstallError when somebody else has written one of the files since, or it cannot be written; StateError.
    """
    if change.written:
        restore(change.steps, on)


def uninstall(on: Target, *, dry_run: bool = False) -> Change:
    """Take the hooks out; the files are then as if we had never been there. Raises InstallError, StateError."""
    steps = [step_for(part, on, is_install=False) for part in reversed(on.parts)]
    if not dry_run:
        carry_out(steps, on, keeps_records=False)
        for step in steps:
            if step.record is not None:
                left = None if step.after is None else step.after.encode("utf-8")
                records.forget(on.records_folder, step.file.target, left)
    return _told(on, steps, written=not dry_run and any(step.is_change for step in steps))


def recorded(records_folder: str) -> set[tuple[str, str, bool]]:
    """Every registration that we have a record of: our name of the agent, the settings' path, whether a repository's.

    An agent may have several: in repositories, or where it was told to keep its settings before. Raises InstallError
    for a damaged record, StateError.
    """
    return {(one.agent, one.settings, one.is_project) for one in records.all_records(records_folder)}


def status(on: Target) -> Registration:
    """How the registration stands, without changing it. Raises InstallError for a file that cannot be read."""
    problems: list[str] = []
    hindrances: list[str] = []
    commands: dict[str, str] = {}
    all_found: list[Place] = []
    is_double = False
    for part in on.parts:
        file = settings_file.read(part.path)
        found = part.format.places(file.text, part.path, on.recognise) if file.text is not None else []
        all_found += found
        hindrances += _hindering(file.text, part, on)
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
        return Registration(on.path, "no")
    registered = "double" if is_double else "stale" if problems else "yes"
    trust = None if on.trust_file is None else codex_trust.trust(on.trust_file, on.path, all_found)
    left = on.agent.trust_steps
    if trust == codex_trust.TRUSTED:
        left = ()
    elif trust == codex_trust.CHANGED:
        left = ("As far as can be told, you trusted the hooks in another form, or switched them off.", *left)
    return Registration(
        on.path, registered, tuple(problems), commands, tuple(hindrances), left, is_trusted=trust == codex_trust.TRUSTED
    )


def _hindering(text: str | None, part: Part, on: Target) -> Iterator[str]:
    if text is None:
        return
    for kind, where in part.format.extensions(text, part.path).items():
        if kind not in on.agent.reads_beyond_json:
            yield (
                f"Take the {kind} out of {where} of {part.path}: {on.agent.title} does not read such files, so that "
                "nothing in it counts."
            )


def _wrong_with(place: Place, wanted: Wanted, part: Part) -> Iterator[str]:
    missing = [path for path in (place.ours.interpreter, place.ours.script) if os.path.isabs(path)]
    missing = [path for path in missing if not os.path.exists(path)]
    if missing:
        yield f"the hook for {wanted.event} runs {missing[0]}, which is not there"
    elif not part.format.is_current(place, wanted):
        yield f"the hook for {wanted.event} is registered in another form"
    elif part.is_executable and not os.access(part.path, os.X_OK):
        yield f"the hook for {wanted.event} is {part.path}, which may not be run"


def _told(on: Target, steps: Sequence[Step], *, written: bool) -> Change:
    changes = tuple(step for step in steps if step.is_change)
    backup = records.backup_path(on.records_folder, os.path.realpath(on.path))
    return Change(on.path, changes, written, backup if written and os.path.exists(backup) else "")
