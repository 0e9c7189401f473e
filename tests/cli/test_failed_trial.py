"""`install` when the turn that it tries fails: it takes back what it wrote, and no more."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from cli.test_commands import failing
from install.corpus import OLD, OLDER_SHAPES, ours_of
from neotoma_hooks.agents.registry import NAMES, agent
from support.firing import neotoma_hooks


@pytest.fixture(autouse=True)
def _defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name)


@pytest.fixture
def fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No hook works: the shell that runs them ends with an error."""
    shell = tmp_path / "bin" / "sh"
    shell.parent.mkdir()
    shell.write_text("#!/bin/bash\necho 'no hooks today' >&2\nexit 3\n")
    shell.chmod(0o755)
    monkeypatch.setenv("PATH", str(shell.parent), prepend=os.pathsep)


def files_of(home: Path) -> dict[str, bytes | None]:
    """Every file and folder below the home, without our own locks; None for a folder."""
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else None
        for path in sorted(home.rglob("*"))
        if path.name != "__pycache__"
    }


def install_fails(*names: str) -> str:
    """What `install` says when the turn fails; one sentence for a person."""
    status, told = failing("install", *names)
    assert (status, told.count("\n"), "Traceback" in told) == (1, 1, False), told
    assert "the hooks do not work: " in told
    assert "no hooks today" in told
    return told


def test_registration_that_was_there_stays(home: Path, request: pytest.FixtureRequest) -> None:
    """Nothing was written, so nothing is taken back; a sentence says so."""
    neotoma_hooks("install", "claude-code")
    before = files_of(home)
    request.getfixturevalue("fails")
    told = install_fails("claude-code")
    assert f"{home / '.claude' / 'settings.json'} has them from before and stays as it is" in told
    assert files_of(home) == before


@pytest.mark.parametrize("before", [None, b"", b"{}", b'\xef\xbb\xbf{\r\n\t"model": "opus" // mine\r\n}'])
def test_first_registration_is_taken_back(home: Path, before: bytes | None, fails: None) -> None:
    """The settings are there, or not there, as they were, to the byte; no record of ours is left."""
    settings = home / ".claude" / "settings.json"
    if before is not None:
        settings.parent.mkdir()
        settings.write_bytes(before)
    was = files_of(home)
    told = install_fails("claude-code")
    assert f"what was written to {settings} is taken back" in told
    left = files_of(home)
    assert {name: data for name, data in left.items() if not name.startswith("neotoma")} == was
    assert [name for name, data in left.items() if data is not None and name.startswith("neotoma")] == []


def test_settings_that_the_agent_has_changed_meanwhile_are_not_overwritten(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not what we wrote is nobody's to take back; the sentence says what is left to do."""
    settings = home / ".claude" / "settings.json"
    shell = tmp_path / "bin" / "sh"
    shell.parent.mkdir()
    shell.write_text(f"#!/bin/bash\nprintf '\\n' >> '{settings}'\necho 'no hooks today' >&2\nexit 3\n")
    shell.chmod(0o755)
    monkeypatch.setenv("PATH", str(shell.parent), prepend=os.pathsep)
    told = install_fails("claude-code")
    assert f"{settings} was changed by somebody else meanwhile" in told
    assert "`neotoma-hooks uninstall claude-code`" in told
    assert settings.read_bytes().endswith(b"}\n\n")
    neotoma_hooks("uninstall", "claude-code")
    assert not settings.exists()


def test_older_entry_is_put_back(home: Path, fails: None) -> None:
    """The text from before, not a text without us: an entry that worked goes on working."""
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    older = f'{{"hooks": {{"UserPromptSubmit": [{{"hooks": [{{"type": "command", "command": "{OLD}"}}]}}]}} }}\n'
    settings.write_text(older)
    was = files_of(home)
    assert "is taken back" in install_fails("claude-code")
    left = files_of(home)
    assert {name: data for name, data in left.items() if not name.startswith("neotoma")} == was


def test_older_registration_with_a_record_is_put_back_with_it(home: Path, request: pytest.FixtureRequest) -> None:
    """`uninstall` still knows afterwards what stood there before our first touch."""
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model":   "opus"}')
    neotoma_hooks("install", "claude-code")
    settings.write_text(re.sub(r'"timeout": +\d+', '"timeout": 30000', settings.read_text()))
    was = files_of(home)
    request.getfixturevalue("fails")
    assert "is taken back" in install_fails("claude-code")
    assert files_of(home) == was
    neotoma_hooks("uninstall", "claude-code")
    assert settings.read_text() == '{"model":   "opus"}'


@pytest.mark.parametrize("name", dict.fromkeys(agent(name).registered_as for name in NAMES))
def test_every_agents_files_are_taken_back(home: Path, name: str, fails: None) -> None:
    """Of agents with scripts beside their settings, too."""
    was = files_of(home)
    install_fails(name)
    left = files_of(home)
    assert {name: data for name, data in left.items() if not name.startswith("neotoma")} == was
    assert [name for name, data in left.items() if data is not None and name.startswith("neotoma")] == []


@pytest.mark.parametrize("name", OLDER_SHAPES)
def test_every_agents_older_entries_are_put_back(home: Path, name: str, fails: None) -> None:
    """Whatever the format."""
    known = agent(name)
    settings = Path(known.settings_file({}, str(home)))
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(OLDER_SHAPES[name][0])
    was = files_of(home)
    install_fails(name)
    left = files_of(home)
    assert {name: data for name, data in left.items() if not name.startswith("neotoma")} == was


def test_script_that_was_there_is_put_back(home: Path, fails: None) -> None:
    """An older script of ours, and whether it may be run."""
    folder = home / "Documents" / "Cline" / "Hooks"
    folder.mkdir(parents=True)
    neotoma_hooks_of_old = f"#!/bin/sh\nexec {ours_of('cline')}\n"
    script = folder / "UserPromptSubmit"
    script.write_text(neotoma_hooks_of_old)
    script.chmod(0o644)
    was = files_of(home)
    install_fails("cline")
    left = files_of(home)
    assert {name: data for name, data in left.items() if not name.startswith("neotoma")} == was


def test_turn_that_cannot_even_be_begun(home: Path) -> None:
    """No room for the throw-away memory: the same, with the cause."""
    neotoma_hooks("install", "claude-code")
    before = files_of(home)
    done = subprocess.run(
        [sys.executable, "-m", "neotoma_hooks.cli", "install", "claude-code"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "Claude Code: the hooks do not work: " in done.stderr
    assert "has them from before and stays as it is" in done.stderr
    assert files_of(home) == before
