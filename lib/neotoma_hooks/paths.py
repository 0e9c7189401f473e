"""Where our files live on this machine.

The places follow `platformdirs` (a test compares the two); its import alone would cost a hook as much as the
interpreter's start, so the rule stands here.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_APP = "neotoma-hooks"


class Paths:
    """The folders and files of one user; nothing is created by asking.

    `NEOTOMA_HOOKS_HOME` puts all three folders into one place; otherwise they are the user's state, data and
    config folders.
    """

    __slots__ = ("config", "data", "state")

    def __init__(self, state: str, data: str, config: str) -> None:
        self.state = state
        self.data = data
        self.config = config

    @property
    def settings_file(self) -> str:
        """The user's settings, TOML."""
        return os.path.join(self.config, "config.toml")

    @property
    def embedded_store(self) -> str:
        """The SQLite file of the embedded store."""
        return os.path.join(self.data, "memory.sqlite3")

    @property
    def pending(self) -> str:
        """The folder of pending-turn files, one for each conversation."""
        return os.path.join(self.state, "pending")

    @property
    def outbox(self) -> str:
        """The folder of writes that the store has not confirmed yet."""
        return os.path.join(self.state, "outbox")

    @property
    def rejected(self) -> str:
        """The folder of writes that the store refused, each with its reason."""
        return os.path.join(self.state, "rejected")

    @property
    def set_aside(self) -> str:
        """The folder of events that could not be understood or handled."""
        return os.path.join(self.state, "set-aside")

    @property
    def breaker_file(self) -> str:
        """What is known of a store that was away."""
        return os.path.join(self.state, "store-health.json")

    @property
    def courier_lock(self) -> str:
        """The lock that makes the courier the only one."""
        return os.path.join(self.state, "courier.lock")

    @property
    def notices(self) -> str:
        """The folder that remembers what the person was told."""
        return os.path.join(self.state, "notices")

    @property
    def log_file(self) -> str:
        """The hook log, one JSON object a line; older lines are in the same name with `.1`, `.2`, …"""
        return os.path.join(self.state, "hooks.log")

    @property
    def install_records(self) -> str:
        """What `install` changed in which settings file, and the backups."""
        return os.path.join(self.state, "install")


def find_paths(environ: Mapping[str, str]) -> Paths:
    """The paths that `environ` and the platform give.

    A relative folder in an XDG variable is ignored, as the XDG base directory specification asks; a relative
    NEOTOMA_HOOKS_HOME is taken from the user's home folder, never from the project the agent happens to be in.
    """
    home = environ.get("HOME") or os.path.expanduser("~")
    ours = environ.get("NEOTOMA_HOOKS_HOME")
    if ours:
        folder = os.path.join(home, os.path.expanduser(ours))
        return Paths(os.path.join(folder, "state"), os.path.join(folder, "data"), os.path.join(folder, "config"))
    if sys.platform == "darwin":
        folder = os.path.join(home, "Library", "Application Support", _APP)
        return Paths(folder, folder, folder)
    if sys.platform == "win32":
        folder = os.path.join(environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local"), _APP)
        return Paths(folder, folder, folder)

    def xdg(variable: str, *default: str) -> str:
        given = environ.get(variable, "").strip()
        return os.path.join(given if os.path.isabs(given) else os.path.join(home, *default), _APP)

    return Paths(
        state=xdg("XDG_STATE_HOME", ".local", "state"),
        data=xdg("XDG_DATA_HOME", ".local", "share"),
        config=xdg("XDG_CONFIG_HOME", ".config"),
    )


def hooks_folder() -> str:
    """The folder of the hook executables: beside `lib` in a source tree, else where the environment shares data."""
    package = os.path.dirname(os.path.abspath(__file__))
    source = os.path.join(os.path.dirname(os.path.dirname(package)), "hooks")
    if os.path.isfile(os.path.join(source, "prompt_submit.py")):
        return source
    return os.path.join(sys.prefix, "share", _APP, "hooks")
