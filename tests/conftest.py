"""Every test lives in a home of its own, and a tripwire proves that the real one was not touched."""

from __future__ import annotations

import hashlib
import os
import pwd
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from neotoma_hooks.agents.registry import NAMES, agent
from neotoma_hooks.cli.self_check import OF_AGENTS
from standin import StandIn
from support.memory import Memory

# The same examples each time: what fails once must fail again. A first example may be slow on a busy machine, and where
# the tables of Unicode have to be made first
settings.register_profile(
    "calm",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("calm")

_REAL_HOME = Path(pwd.getpwuid(os.getuid()).pw_dir)

# Where agents keep settings that are not ours, and where we would keep our own
_WATCHED = (
    *dict.fromkeys(agent(name).settings_file({}, "") for name in NAMES),
    ".claude.json",
    ".codex/config.toml",
    ".config/neotoma-hooks",
    ".local/share/neotoma-hooks",
    ".local/state/neotoma-hooks",
    ".local/bin/neotoma-hooks",
)

_OURS = ("NEOTOMA_", "XDG_", *OF_AGENTS)

# A machine that runs many tests at once is slow; what is not about time must not depend on it
_BUDGETS = ("NEOTOMA_HOOKS_PROMPT_SECONDS", "NEOTOMA_HOOKS_STOP_SECONDS", "NEOTOMA_HOOKS_LOOKUP_SECONDS")


def _digest(path: Path) -> str:
    if path.is_dir():
        inside = sorted(path.rglob("*"))
        return hashlib.sha256("\n".join(f"{item} {item.lstat().st_mtime_ns}" for item in inside).encode()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "absent"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--full` is for what takes many minutes."""
    parser.addoption("--full", action="store_true", help="run the attacks at their full size")


@pytest.fixture(scope="session", autouse=True)
def tripwire() -> Iterator[None]:
    """The real home's settings are, after all tests, what they were before."""
    before = {name: _digest(_REAL_HOME / name) for name in _WATCHED}
    yield
    after = {name: _digest(_REAL_HOME / name) for name in _WATCHED}
    changed = [name for name in _WATCHED if before[name] != after[name]]
    assert not changed, f"tests touched the real home: {changed}"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary home, and no setting of this machine's own in the environment."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in list(os.environ):
        if name.startswith(_OURS) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / ".local" / "share"))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / ".local" / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / ".cache"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder / ".claude"))
    monkeypatch.setenv("CODEX_HOME", str(folder / ".codex"))
    monkeypatch.setenv("NEOTOMA_HOOKS_HOME", str(folder / "neotoma"))
    for name in _BUDGETS:
        monkeypatch.setenv(name, "20")
    return folder


@pytest.fixture
def usual_budgets(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hooks have the time that they have for a user, and no more."""
    for name in _BUDGETS:
        monkeypatch.delenv(name)


@pytest.fixture(params=["embedded", "server"])
def memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """An empty memory, configured for the hooks; each test that asks for it runs on both stores."""
    if request.param == "embedded":
        yield Memory(None)
        return
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        yield Memory(server)
