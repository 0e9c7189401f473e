"""What is to be done to the files of a registration, and doing it: all of it or nothing."""

from __future__ import annotations

import contextlib
import difflib
import os
from dataclasses import dataclass

from neotoma_hooks.errors import InstallError, NeotomaHooksError
from neotoma_hooks.install import records, settings_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from neotoma_hooks.install.formats import Part
    from neotoma_hooks.install.registering import Target


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
class Step:
    """One file of a registration as it is and as it is to be.

    `made` are the folders that we made, or make, for it; `is_executable` says that it must be one that can be run.
    """

    part: Part
    file: settings_file.SettingsFile
    record: records.Record | None
    made: tuple[str, ...]
    after: str | None
    is_executable: bool

    @property
    def is_change(self) -> bool:
        """Whether the file is not yet as it is to be."""
        return self.after != self.file.text or (self.is_executable and not os.access(self.file.target, os.X_OK))

    @property
    def change(self) -> FileChange:
        """The same for a person."""
        return FileChange(self.part.path, self.file.text, self.after)


def step_for(part: Part, on: Target, *, is_install: bool) -> Step:
    """What is to be done to one file. Raises InstallError."""
    file = settings_file.read(part.path)
    record = records.find(on.records_folder, file.target)
    made = record.made_folders if record else _made_for(file, on)
    if is_install:
        after: str | None = part.format.with_ours(file.text, part.path, part.wanted, on.recognise)
    else:
        after = _without_us(file.text, record, part, on)
    if after is not None or file.text is not None:
        before, then = (part.format.others(text or "", part.path, on.recognise) for text in (file.text, after))
        # A last look before the user's file is touched
        if before != then:
            raise InstallError(f"{part.path}: a change would touch more than our own entries; nothing was written")
    return Step(part, file, record, made, after, is_executable=is_install and part.is_executable)


def _made_for(file: settings_file.SettingsFile, on: Target) -> tuple[str, ...]:
    """The folders around a file that we made, or have to make, outermost first.

    Where another file of ours brought a folder into being, the one that goes last takes it along.
    """
    made = {folder for record in records.all_records(on.records_folder) for folder in record.made_folders}
    around = [folder for folder in made if file.target.startswith(os.path.join(folder, ""))]
    return (*sorted(around, key=len), *settings_file.missing_folders(file))


def _without_us(text: str | None, record: records.Record | None, part: Part, on: Target) -> str | None:
    """The text that the file would have without us; None for no file at all."""
    if text is None:
        return None
    if record is not None and record.is_of(text):
        return record.before
    left = part.format.without_ours(text, part.path, on.recognise, record.before if record is not None else None)
    was_made = record is not None and record.before is None
    return None if was_made and left is not None and part.format.is_blank(left, part.path) else left


def carry_out(steps: Sequence[Step], on: Target, *, keeps_records: bool) -> None:
    """Write what is to be written; all of it, or, when that fails, nothing. Raises InstallError, StateError."""
    steps = [step for step in steps if step.is_change]
    for step in steps:
        settings_file.check_writable(step.file)
    started: list[Step] = []
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


def restore(steps: Sequence[Step], on: Target) -> None:
    """Put the files back as they were before `carry_out`, with what we remembered of them then.

    Raises InstallError, StateError; ChangedMeanwhile, with nothing done, when somebody else has written one since.
    """
    for step in steps:
        if settings_file.read(step.part.path).text != step.after:
            raise settings_file.ChangedMeanwhile(f"{step.part.path} was changed by somebody else meanwhile")
    for step in reversed(steps):
        _undo(step, on)


def _keep_record(step: Step, on: Target) -> None:
    assert step.after is not None
    before = _without_us(step.file.text, step.record, step.part, on)
    after = records.digest(step.after)
    agent = on.agent.registered_as
    kept = records.Record(agent, step.file.target, before, after, step.made, on.path, on.is_project)
    records.keep(on.records_folder, kept, step.file.raw)


def _put(file: settings_file.SettingsFile, text: str, part: Part, on: Target) -> None:
    settings_file.write(file, text, is_private=not on.is_project, is_executable=part.is_executable)


def _undo(step: Step, on: Target) -> None:
    now = settings_file.read(step.part.path)
    if now.text == step.after and step.file.text is None:
        settings_file.delete(now, list(step.made))
    elif now.text == step.after:
        settings_file.put_back(now, step.file, is_private=not on.is_project)
    if step.record is None:
        records.forget(on.records_folder, step.file.target, step.file.raw)
    else:
        records.keep(on.records_folder, step.record, step.file.raw)
