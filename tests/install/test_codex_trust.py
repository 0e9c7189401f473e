"""Whether Codex will run the hooks, as its own configuration tells it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from install.test_formats import target
from neotoma_hooks.agents.codex import Codex
from neotoma_hooks.install import registering

FOREIGN = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/x/theirs.sh"}]}]}}
TOLD_BY_CODEX = "sha256:486d0b7cf8765409a995a2c95142fa14abf89a1c60946c9ccee0a8e8adc9d35c"
TRUST_STEP = "Codex runs a new or changed hook only after you trusted it"


def trusted(event: str, command: str, timeout: int = 30, matcher: str = "") -> str:
    """The hash that Codex notes for a handler, written out by hand."""
    written = (
        f'{{"event_name":"{event}","hooks":[{{"async":false,"command":{json.dumps(command)},'
        f'"timeout":{timeout},"type":"command"}}]'
    )
    written += f',"matcher":{json.dumps(matcher)}}}' if matcher else "}"
    return "sha256:" + hashlib.sha256(written.encode()).hexdigest()


def state_table(path: Path, place: str, hash: str, more: str = "") -> str:
    return f'[hooks.state."{path}:{place}"]\ntrusted_hash = "{hash}"\n{more}\n'


@pytest.fixture
def on(home: Path) -> registering.Target:
    """Registered, with a hook of somebody else's before ours."""
    (home / ".codex").mkdir()
    (home / ".codex" / "hooks.json").write_text(json.dumps(FOREIGN))
    on = target(home, "codex")
    registering.install(on)
    return on


def write_config(
    on: registering.Target, prompt: str = "", stop: str = "", tool: str = "", more: str = "", place: str = "1:0"
) -> None:
    path = Path(on.path)
    commands = registering.status(on).commands
    prompt = prompt or trusted("user_prompt_submit", commands["prompt_submit"])
    stop = stop or trusted("stop", commands["stop"])
    tool = tool or trusted("post_tool_use", commands["tool_use"], matcher="mcp__.*neotoma.*")
    text = state_table(path, "user_prompt_submit:0:0", prompt) + state_table(path, f"stop:{place}", stop, more)
    text += state_table(path, "post_tool_use:0:0", tool)
    (path.parent / "config.toml").write_text('model = "x"\n\n' + text)


def test_trusted_hooks_leave_nothing_to_do(on: registering.Target) -> None:
    """All hashes are there and are those of the hooks as they stand."""
    write_config(on)
    state = registering.status(on)
    assert (state.is_trusted, state.left) == (True, ())


def test_path_behind_a_link_is_the_same_file(home: Path, on: registering.Target) -> None:
    """Codex may note the settings by the path that the link leads to."""
    write_config(on)
    (home / ".codex").rename(home / "dotfiles")
    (home / ".codex").symlink_to(home / "dotfiles")
    config = home / "dotfiles" / "config.toml"
    config.write_text(config.read_text().replace(str(home / ".codex"), str(home / "dotfiles")))
    assert registering.status(on).is_trusted


@pytest.mark.parametrize("config", [None, "", 'model = "x"\n', "[hooks]\nstate = 5\n", "not toml = = 1"])
def test_hooks_that_nobody_trusted(on: registering.Target, config: str | None) -> None:
    """No configuration, none of ours in it, or one that cannot be read: the step is left."""
    if config is not None:
        (Path(on.path).parent / "config.toml").write_text(config)
    state = registering.status(on)
    assert not state.is_trusted
    assert [step.startswith(TRUST_STEP) for step in state.left] == [True]


@pytest.mark.parametrize(
    "how",
    [
        {"stop": "sha256:0"},
        {"prompt": trusted("user_prompt_submit", "an older command")},
        {"tool": trusted("post_tool_use", "the command", matcher="Bash")},
        {"more": "enabled = false"},
    ],
)
def test_hooks_that_changed_since(on: registering.Target, how: dict[str, str]) -> None:
    """Another form was trusted, or they were switched off: told as far as it can be, and the step is left."""
    write_config(on, **how)
    state = registering.status(on)
    assert not state.is_trusted
    assert state.left[0].startswith("As far as can be told")
    assert state.left[1].startswith(TRUST_STEP)


def test_hash_is_the_one_that_codex_computes() -> None:
    """Of a hook with a matcher, as Codex 0.171.0 told it (`hooks/list` of its app server)."""
    command = "/opt/venv/bin/python -I /opt/neotoma-hooks/hooks/tool_use.py --agent codex"
    assert trusted("post_tool_use", command, matcher="mcp__.*neotoma.*") == TOLD_BY_CODEX


def test_older_registration_leaves_the_trusted_hooks_where_they_are(
    on: registering.Target, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    """The hook that a new version adds comes behind them, so that what was trusted stays so."""
    registering.uninstall(on)
    monkeypatch.setattr(Codex, "entries", Codex.entries[:2])
    registering.install(target(home, "codex"))
    monkeypatch.undo()
    old = registering.status(on)
    assert (old.registered, old.problems) == ("stale", ("nothing is registered for PostToolUse",))
    registering.install(on)
    write_config(on)
    assert registering.status(on).is_trusted


def test_hook_at_another_place_is_not_ours(on: registering.Target) -> None:
    """What is trusted is the other's hook, which stands first."""
    write_config(on, place="0:0")
    assert [step.startswith(TRUST_STEP) for step in registering.status(on).left] == [True]


def test_agents_without_such_a_note_keep_their_steps(home: Path) -> None:
    """Nothing is known of whether they are done."""
    on = target(home, "gemini-cli")
    registering.install(on)
    state = registering.status(on)
    assert (state.is_trusted, state.left) == (False, on.agent.trust_steps)
