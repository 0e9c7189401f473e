"""install.sh in an empty home, as a newcomer runs it."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from support.firing import ROOT

pytestmark = pytest.mark.timeout(600)


def install_sh(home: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", **more}
    return subprocess.run(
        ["bash", str(ROOT / "install.sh"), *words],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )


def test_everything_is_set_up_shown_and_taken_out_again(tmp_path: Path) -> None:
    """A turn is printed, the named agent registered, a second run upgrades in place, and the settings come back."""
    home = tmp_path / "my hömé"
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{\n  // mine\n  "model": "opus"\n}\n')
    before = settings.read_bytes()

    first = install_sh(home, "claude-code")
    assert first.returncode == 0, first.stdout + first.stderr
    for part in ("Ada Lovelace (person", "PART_OF the conversation, REFERS_TO", "The hooks work.", "registered in"):
        assert part in first.stdout
    program = home / ".local" / "bin" / "neotoma-hooks"
    ran = subprocess.run(
        [str(program), "agents"],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "claude-code" in ran.stdout
    commands = [line.partition('"command": "')[2].rstrip('",') for line in settings.read_text().splitlines()]
    for command in filter(None, commands):
        interpreter, flag, script, *rest = shlex.split(command)
        assert (flag, rest) == ("-I", ["--agent", "claude-code"])
        assert os.access(interpreter, os.X_OK)
        assert Path(script).is_file()
        assert "python3." not in script, "the path would die with the next Python"

    mistyped = install_sh(home, "claude-kode")
    assert mistyped.returncode == 1
    assert "there is no agent called claude-kode" in mistyped.stderr
    assert "The hooks work." not in mistyped.stdout

    again = install_sh(home)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "The hooks work." in again.stdout

    for words in (("--uninstall", "claude-code"), ("--uninstall", "--dry-run")):
        refused = install_sh(home, *words)
        assert refused.returncode == 1
        assert "no further words" in refused.stderr
    assert program.exists()

    gone = install_sh(home, "--uninstall")
    assert gone.returncode == 0, gone.stdout + gone.stderr
    assert settings.read_bytes() == before
    assert not program.exists()
    assert not program.is_symlink()
    assert f"stay in {home / '.local' / 'state' / 'neotoma-hooks'}" in gone.stdout
    left = [path for path in (home / ".local").rglob("*") if path.is_file() and "state" not in path.parts]
    assert left == []


def test_missing_python_is_told(tmp_path: Path) -> None:
    """One sentence with the mend, exit status 1."""
    done = install_sh(tmp_path, PATH=str(_tools_without_python(tmp_path)), PYTHON="/nowhere/python3")
    assert done.returncode == 1
    assert "Python 3.10 or newer is needed" in done.stderr


def _tools_without_python(folder: Path) -> Path:
    """A PATH on which there is no Python."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("bash", "uname", "dirname", "sed", "cat"):
        found = next(Path(place) / name for place in ("/usr/bin", "/bin") if (Path(place) / name).exists())
        (tools / name).symlink_to(found)
    return tools


def test_wrong_words_are_told(tmp_path: Path) -> None:
    """Which word it is, and usage, on stderr; exit status 2, and nothing is installed."""
    for words in (("--nonsense",), ("claude-code", "--dry-run")):
        done = install_sh(tmp_path, *words)
        assert (done.returncode, "install.sh [AGENT" in done.stderr) == (2, True)
        assert f"no option {words[-1]} here" in done.stderr
    assert not (tmp_path / ".local").exists()


def test_packages_that_cannot_be_had_are_told(tmp_path: Path) -> None:
    """One sentence with the mend behind what pip says; no half of an installation stays."""
    done = install_sh(tmp_path, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path / "nowhere"))
    assert done.returncode == 1
    assert "pip could not get the packages" in done.stderr
    assert not (tmp_path / ".local" / "share" / "neotoma-hooks" / "venv").exists()
