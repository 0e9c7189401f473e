"""What `doctor` finds, and the mend of a file that cannot be read."""

from __future__ import annotations

import shlex

from neotoma_hooks.errors import StateError
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


def unread(subject: str, error: StateError, paths: Paths) -> Finding:
    """That a file of ours cannot be read, for the reason that the error names, with its mend."""
    if isinstance(error.__cause__, PermissionError):
        return Finding(subject, str(error), rights_back(paths.state))
    return Finding(subject, str(error), MOVE_AWAY)


def rights_back(folder: str) -> str:
    """How a person gets back the right to a folder of ours and all in it; a hook that ran as root may have taken it."""
    quoted = shlex.quote(folder)
    owned = f'after `sudo chown -R "$(id -u)" {quoted}` where something in it is not yours'
    return f"run `chmod -R u+rwX {quoted}`, {owned}"
