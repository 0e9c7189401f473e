from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from platformdirs import PlatformDirs

from neotoma_hooks.paths import Paths, find_paths, hooks_folder

XDG = ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
UNIX = pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="XDG folders are for other systems")


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*XDG, "NEOTOMA_HOOKS_HOME"):
        monkeypatch.delenv(name, raising=False)


def folders(paths: Paths) -> tuple[str, str, str]:
    return paths.state, paths.data, paths.config


def platform_folders() -> tuple[str, str, str]:
    dirs = PlatformDirs("neotoma-hooks", appauthor=False)
    return dirs.user_state_dir, dirs.user_data_dir, dirs.user_config_dir


def test_default() -> None:
    """With no variable set the folders are where the platform has them."""
    assert folders(find_paths(os.environ)) == platform_folders()


@UNIX
@pytest.mark.parametrize("name", XDG)
@pytest.mark.parametrize("value", ["/somewhere/else", "/with space/é", ""])
def test_xdg(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """The XDG variables move them, each its own, as platformdirs has it."""
    monkeypatch.setenv(name, value)
    assert folders(find_paths(os.environ)) == platform_folders()


@UNIX
@pytest.mark.parametrize("name", XDG)
def test_relative_xdg(monkeypatch: pytest.MonkeyPatch, home: Path, name: str) -> None:
    """A relative folder is ignored, as the specification asks: it would lie in the agent's project."""
    monkeypatch.setenv(name, "relative/folder")
    expected = (".local/state/neotoma-hooks", ".local/share/neotoma-hooks", ".config/neotoma-hooks")
    assert folders(find_paths(os.environ)) == tuple(str(home / folder) for folder in expected)


def test_one_home_for_all(home: Path) -> None:
    """NEOTOMA_HOOKS_HOME puts all into one place, whatever else is set."""
    environ = {"HOME": str(home), "NEOTOMA_HOOKS_HOME": "/srv/memory", "XDG_STATE_HOME": "/x"}
    assert folders(find_paths(environ)) == ("/srv/memory/state", "/srv/memory/data", "/srv/memory/config")


@pytest.mark.parametrize("value", ["memory", "./memory", "~/memory"])
def test_one_home_is_never_in_the_project(home: Path, value: str) -> None:
    """A relative NEOTOMA_HOOKS_HOME starts at the user's home, not where the agent happens to be."""
    found = find_paths({"HOME": str(home), "NEOTOMA_HOOKS_HOME": value})
    assert os.path.normpath(found.state) == str(home / "memory" / "state")


def test_no_home() -> None:
    """Without HOME the folders are those of the user that the system knows."""
    assert all(os.path.isabs(folder) for folder in folders(find_paths({})))


def test_nothing_is_created(home: Path) -> None:
    """Asking where things are makes none of them."""
    find_paths(os.environ)
    assert list(home.iterdir()) == []


def test_what_is_where() -> None:
    """State, data and settings each lie in their folder, under names of their own."""
    paths = Paths("/s", "/d", "/c")
    names = [name for name in dir(Paths) if not name.startswith("_") and name not in ("state", "data", "config")]
    places = {name: getattr(paths, name) for name in names}
    assert len(set(places.values())) == len(names)
    assert places.pop("settings_file") == "/c/config.toml"
    assert places.pop("embedded_store") == "/d/memory.sqlite3"
    assert {os.path.dirname(place) for place in places.values()} == {"/s"}


def test_hooks_folder() -> None:
    """The hook executables are found, and are those of this code."""
    assert {"prompt_submit.py", "stop.py"} <= set(os.listdir(hooks_folder()))
