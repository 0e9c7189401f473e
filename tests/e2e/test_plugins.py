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


def asked(
    agent: str,
    home: Path,
    before: Sequence[Sequence[str]],
    after: Sequence[Sequence[str]],
    words: Sequence[str] = (),
) -> dict[str, Any]:
    """One turn of the agent, started with these further words."""
    done = driving.run(agent, home, QUESTION, [{"text": ANSWER}], before=before, after=after, words=words)
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
    after = [[program, "flush"], *([program, name, "--json"] for name in ("turns", "log", "agents"))]
    done = asked(agent, home, before, after)
    (turn,) = json.loads(done["after"][1]["out"])
    assert (turn["user"]["content"], turn["assistant"]["content"]) == (QUESTION, ANSWER)
    assert [entity["name"] for entity in turn["assistant"]["refers_to"]] == ["Ada Lovelace"]
    sent = [json.dumps(request["body"]) for request in done["requests"] if request["body"].get("tools")]
    assert "Ada Lovelace (person" in sent[-1]
    fired = [json.loads(line)["hook"] for line in done["after"][2]["out"].splitlines()]
    assert fired.count("stop") == (2 if also == "registered too" else 1)
    row = next(row for row in json.loads(done["after"][3]["out"]) if row["name"] == agent)
    assert [name.partition("@")[0] for name in row["plugins"]] == ["neotoma-hooks"]


def test_plugin_of_one_session(tmp_path: Path, checkout: Path, environment: Path) -> None:
    """Claude Code takes the folder itself, and notes nothing down."""
    home = settled("claude-code", tmp_path, environment)
    program = str(environment / "bin" / "neotoma-hooks")
    words = ["--plugin-dir", str(checkout)]
    after = [[program, "flush"], [program, "turns", "--json"]]
    done = asked("claude-code", home, [], after, words)
    (turn,) = json.loads(done["after"][1]["out"])
    assert (turn["user"]["content"], turn["assistant"]["content"]) == (QUESTION, ANSWER)


@pytest.mark.parametrize("agent", AGENTS)
def test_plugin_without_the_program(tmp_path: Path, checkout: Path, agent: str) -> None:
    """The turn goes as it would without us; the person is told what to run, and the model is not."""
    home = settled(agent, tmp_path, None)
    done = asked(agent, home, switching_on(agent, checkout), [])
    assert list((home / ".local" / "state" / "neotoma-hooks" / "notices").glob("not-installed-*")) != []
    assert "is not installed" not in json.dumps(done["requests"])
    # Headless, Claude Code shows it to its transcript alone, and Codex to nobody
    transcripts = "".join(path.read_text() for path in (home / ".claude").glob("projects/*/*.jsonl"))
    shown = "install.sh', or turn the plugin off." in done["agent"]["err"] + transcripts
    assert shown is (agent != "codex")
