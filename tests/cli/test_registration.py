"""`install`, `uninstall` and `agents` as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.test_commands import failing
from neotoma_hooks.agents.registry import NAMES, agent
from support.firing import fire, neotoma_hooks


def row_of(name: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = json.loads(neotoma_hooks("agents", "--json"))
    assert [row["name"] for row in rows] == list(NAMES)
    return next(row for row in rows if row["name"] == name)


def lines_about(name: str) -> list[str]:
    return [line.partition(": ")[2] for line in neotoma_hooks("agents").splitlines() if line.startswith(f"{name}: ")]


@pytest.fixture(autouse=True)
def _defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name)


def test_install_tells_what_it_did_and_what_is_not_captured(home: Path) -> None:
    """The file, the turn that was tried, what this agent does not tell, what is left."""
    told = neotoma_hooks("install", "copilot-cli")
    assert f"registered in {home / '.copilot' / 'hooks' / 'neotoma-hooks.json'}" in told
    assert "a turn through the registered commands, on a throw-away memory, was stored and linked" in told
    assert "not captured: The reply is read from the session's events.jsonl" in told
    assert "left for you: A Copilot CLI that is running reads its hooks when it starts again." in told
    assert "registered already" in neotoma_hooks("install", "copilot-cli")


@pytest.mark.parametrize(
    ("name", "told"),
    [("amazon-q", "a turn of this agent cannot be stored"), ("vscode", "a reply of this agent cannot be stored")],
)
def test_agent_of_which_no_whole_turn_can_be_stored_says_so(name: str, told: str) -> None:
    """And what can be tried is tried."""
    said = neotoma_hooks("install", name)
    assert told in said
    assert "the agent was told what memory knows" in said


def test_agents_tells_what_is_not_captured_of_those_registered() -> None:
    """And of no others."""
    assert lines_about("goose") == []
    neotoma_hooks("install", "goose")
    assert [f"not captured: {one}" for one in agent("goose").not_captured] == [
        line for line in lines_about("goose") if line.startswith("not captured")
    ]
    assert row_of("goose")["registered"] == "yes"


def test_agents_tells_a_file_that_cannot_be_read(home: Path) -> None:
    """Whether ours is in it is not known."""
    (home / ".cursor").mkdir()
    (home / ".cursor" / "hooks.json").write_text("{")
    assert row_of("cursor")["registered"] == "unreadable"
    (line,) = lines_about("cursor")
    assert "hooks.json:1:2: " in line


@pytest.mark.parametrize("text", ["{", "[]", "[" * 100_000])
def test_list_of_plugins_that_cannot_be_read(home: Path, text: str) -> None:
    """It counts as none, however it is damaged."""
    for file in (".claude/plugins/installed_plugins.json", ".gemini/extensions/extension-enablement.json"):
        (home / file).parent.mkdir(parents=True)
        (home / file).write_text(text)
    assert row_of("claude-code")["plugins"] == row_of("gemini-cli")["plugins"] == []
    assert "All is well." in neotoma_hooks("doctor")


@pytest.mark.parametrize(
    ("name", "file", "text", "told"),
    [
        (
            "claude-code",
            ".claude/settings.json",
            '{\n  // mine\n  "model": "opus"\n}\n',
            "Take the comment out of line 2",
        ),
        ("codex", ".codex/hooks.json", '{\n  "hooks": {},\n}\n', "Take the trailing comma out of line"),
        ("gemini-cli", ".gemini/settings.json", '{\n  // mine\n  "a": 1\n}\n', ""),
        ("gemini-cli", ".gemini/settings.json", '{\n  // mine\n  "a": 1,\n}\n', "Take the trailing comma out of line"),
    ],
)
def test_settings_that_the_agent_does_not_read_are_told(home: Path, name: str, file: str, text: str, told: str) -> None:
    """By install, agents and doctor; the hooks are registered all the same, for when it is mended."""
    (home / file).parent.mkdir()
    (home / file).write_text(text)
    said = [neotoma_hooks("install", name), "\n".join(lines_about(name)), neotoma_hooks("doctor", check=False)]
    assert row_of(name)["registered"] == "yes"
    assert [("Take the" in one, told in one) for one in said] == [(bool(told), True)] * 3
    neotoma_hooks("uninstall", name)
    assert (home / file).read_text() == text


def test_dry_run_shows_every_file(home: Path) -> None:
    """The scripts that go along, too; nothing is written."""
    told = neotoma_hooks("install", "augment", "--dry-run")
    for part in ("stop.sh (then)", "settings.json (then)", "+#!/bin/sh", '+    "PromptSubmit": ['):
        assert part in told
    assert not (home / ".augment").exists()
    assert "nothing would change\n" in neotoma_hooks("uninstall", "augment", "--dry-run")


def test_uninstall_finds_where_the_settings_were_before(home: Path, tmp_path: Path) -> None:
    """An agent that was told to keep its settings elsewhere meanwhile."""
    neotoma_hooks("install", "claude-code", env={"CLAUDE_CONFIG_DIR": str(home / "old")})
    assert "taken out of" in neotoma_hooks("uninstall", "claude-code", env={"CLAUDE_CONFIG_DIR": str(home / "new")})
    assert not (home / "old").exists()


def test_uninstall_all_cleans_repositories_and_passes_over_foreign_broken_files(home: Path, tmp_path: Path) -> None:
    """A hook left in a repository would name a program that is gone; a broken file that we never touched may stay."""
    project = tmp_path / "app"
    project.mkdir()
    (home / ".cursor").mkdir()
    (home / ".cursor" / "hooks.json").write_text("{")
    neotoma_hooks("install", "claude-code", "--project", str(project))
    assert "was not registered" in neotoma_hooks("uninstall", "claude-code")
    assert (project / ".claude" / "settings.json").exists()
    neotoma_hooks("uninstall", "--all")
    assert list(project.iterdir()) == []
    assert (home / ".cursor" / "hooks.json").read_text() == "{"


def test_shared_registration_is_told(home: Path) -> None:
    """VS Code runs Copilot CLI's hooks: they come and go together."""
    assert "this is the registration of GitHub Copilot CLI too" in neotoma_hooks("install", "vscode")
    assert row_of("copilot-cli")["registered"] == "yes"
    assert "GitHub Copilot CLI and VS Code agent hooks: taken out of" in neotoma_hooks("uninstall", "copilot-cli")


def test_repository_of_an_agent_that_reads_none(home: Path) -> None:
    """Refused in one sentence."""
    status, told = failing("install", "kimi-code", "--project", str(home))
    assert (status, told.count("\n")) == (1, 1)
    assert "Kimi Code reads no settings of a repository's own" in told


def test_agents_own_variables_do_not_reach_the_tried_turn(home: Path) -> None:
    """`install` run from a shell of another agent's, with its settings elsewhere."""
    env = {"GROK_HOOK_EVENT": "stop", "CURSOR_VERSION": "3", "KIMI_CODE_HOME": str(home / "kimi")}
    assert "was stored and linked" in neotoma_hooks("install", "kimi-code", env=env)
    assert (home / "kimi" / "config.toml").is_file()


def test_doctor_says_that_hooks_wait_for_trust(home: Path) -> None:
    """Codex runs none that nobody trusted; one that has fired is trusted, whatever can be read of it."""
    neotoma_hooks("install", "codex")
    said = neotoma_hooks("doctor", check=False)
    assert "Codex does not run the hooks yet" in said
    assert "open `/hooks`" in said
    codex = {"hook_event_name": "UserPromptSubmit", "session_id": "c1", "turn_id": "t1", "model": "m", "prompt": "hi"}
    fire("prompt_submit", codex, "codex")
    assert "does not run the hooks yet" not in neotoma_hooks("doctor", check=False)
