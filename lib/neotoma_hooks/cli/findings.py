"""What `doctor` finds, and the mend of a file that cannot be read."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator

from neotoma_hooks.errors import NeotomaHooksError, StateError
from neotoma_hooks.paths import Paths

MOVE_AWAY = "keep it if you may need it, and move it out of the folder"
"""What is to be done about something in our folders that is none of ours, or is damaged."""


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


def checked(subject: str, look: Callable[[Paths], Iterator[Finding]], paths: Paths) -> Iterator[Finding]:
    """What `look` finds, and what keeps it from looking on."""
    try:
        yield from look(paths)
    except StateError as error:
        yield unread(subject, error, paths)


def unread(subject: str, error: NeotomaHooksError, paths: Paths) -> Finding:
    """That a file of ours cannot be read, for the reason that the error names, with its mend."""
    if isinstance(error.__cause__, PermissionError):
        return Finding(subject, str(error), rights_back(paths.state))
    return Finding(subject, str(error), MOVE_AWAY)


def rights_back(folder: str) -> str:
    """How a person gets back the right to a folder of ours and all in it; a hook that ran as root may have taken it."""
    quoted = shlex.quote(folder)
    owned = f'after `sudo chown -R "$(id -u)" {quoted}` where something in it is not yours'
    return f"run `chmod -R u+rwX {quoted}`, {owned}"


def wrong_folder(folder: str, top: str) -> Finding | None:
    """What is wrong with a folder of ours, which need not be there, as a whole; `top` is the folder of them all."""
    if not os.path.lexists(folder):
        return None
    if not os.path.isdir(folder):
        return Finding("files", f"{folder} is no folder, and one of ours belongs there", "move it away")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return Finding("files", f"{folder} may not be read and written by you", rights_back(top))
    return None
