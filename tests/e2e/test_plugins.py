"""Whole turns of real agents that have this repository as a plugin, through the environment that install.sh makes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from real_agents import driving
from support.firing import ROOT

pytestmark = [
    pytest.mark.real_agents,
    pytest.mark.skipif(bool(driving.why_not()), reason=driving.why_not() or "-"),
    pytest.mark.timeout(900),
]

QUESTION = "What did Ada Lovelace say?"
ANSWER = "Ada Lovelace said yes."


def switching_on(agent: str, checkout: Path) -> list[list[str]]:
    """The commands of the README that make the agent take the checkout as a plugin."""
    program = driving.program(agent)
    if agent == "gemini-cli":
        return [[*program, "extensions", "link", str(checkout / "hooks" / "gemini"), "--consent"]]
    add = "install" if agent == "claude-code" else "add"
    return [
        [*program, "plugin", "marketplace", "add", str(checkout)],
        [*program, "plugin", add, "neotoma-hooks@neotoma-hooks"],
    ]


AGENTS = ("claude-code", "codex", "gemini-cli")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the repository, without what its tests leave in it, in a folder with a space in its name."""
    folder = tmp_path / "my checkout"
    for name in (".claude-plugin", ".codex-plugin", "hooks", "lib"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("install.sh", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What install.sh makes."""
    home = tmp_path_factory.mktemp("installed")
    words = ["bash", str(ROOT / "install.sh")]
    given = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    subprocess.run(words, env=given, stdin=subprocess.DEVNULL, capture_output=True, timeout=500, check=True)
    return home / ".local" / "share" / "neotoma-hooks" / "venv"


def settled(agent: str, tmp_path: Path, environment: Path | None) -> Path:
    """A home of a user of the agent, who has run install.sh, or has not."""
    home = tmp_path / "agent home"
    home.mkdir()
    driving.prepare(agent, home)
    if environment is not None:
        place = home / ".local" / "share" / "neotoma-hooks" / "venv"
        place.parent.mkdir(parents=True)
        place.symlink_to(environment)
    return home


def asked(agent: str, home: Path, before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]) -> dict[str, Any]:
    """One turn of the agent."""
    done = driving.run(agent, home, QUESTION, [{"text": ANSWER}], before=before, after=after)
    for one in (*done["before"], done["agent"], *done["after"]):
        assert one["status"] == 0, one
    assert ANSWER in done["agent"]["out"]
    return done


@pytest.mark.parametrize("also", ["plugin alone", "registered too"])
@pytest.mark.parametrize("agent", AGENTS)
def test_turn_through_a_plugin(tmp_path: Path, checkout: Path, environment: Path, agent: str, also: str) -> None:
    """It is stored, once also where the hooks are registered in the settings as well; the model knows what memory
    knows."""
    home = settled(agent, tmp_path, environment)
    program = str(environment / "bin" / "neotoma-hooks")
    before = [[program, "remember", "Ada Lovelace", "--type", "person"], *switching_on(agent, checkout)]
    if also == "registered too":
        before.append([program, "install", agent])
    done = asked(agent, home, before, [[program, "flush"], [program, "turns", "--json"], [program, "log", "--json"]])
    (turn,) = json.loads(done["after"][1]["out"])
    assert (turn["user"]["content"], turn["assistant"]["content"]) == (QUESTION, ANSWER)
    assert [entity["name"] for entity in turn["assistant"]["refers_to"]] == ["Ada Lovelace"]
    sent = [json.dumps(request["body"]) for request in done["requests"] if request["body"].get("tools")]
    assert "Ada Lovelace (person" in sent[-1]
    fired = [json.loads(line)["hook"] for line in done["after"][2]["out"].splitlines()]
    assert fired.count("stop") == (2 if also == "registered too" else 1)


@pytest.mark.parametrize("agent", AGENTS)
def test_plugin_without_the_program(tmp_path: Path, checkout: Path, agent: str) -> None:
    """The turn goes as it would without us."""
    home = settled(agent, tmp_path, None)
    asked(agent, home, switching_on(agent, checkout), [])
    assert list((home / ".local" / "state" / "neotoma-hooks" / "notices").glob("not-installed-*")) != []
