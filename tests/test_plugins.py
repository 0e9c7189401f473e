"""The plugins of this repository: their files say what the agents' modules say, and `hooks/run` troubles nobody.

`python tests/test_plugins.py` writes the files anew.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks import __version__
from neotoma_hooks.agents.registry import agent
from neotoma_hooks.install.formats import parts_of
from neotoma_hooks.paths import find_paths
from neotoma_hooks.settings import is_disabled
from support.firing import ROOT, prompt, reply, stored_turns

NAME = "neotoma-hooks"
SAID = "A memory for coding agents: looks up what your message names, hands it over, and stores the turn."

# What each agent puts the plugin's folder in the place of, the way from there to `hooks/run`, its file of hooks
PLUGINS: Mapping[str, tuple[str, str, str]] = {
    "claude-code": ("${CLAUDE_PLUGIN_ROOT}", "hooks/run", "hooks/hooks.json"),
    "codex": ("${PLUGIN_ROOT}", "hooks/run", "hooks/codex-hooks.json"),
    "cursor": ("${CURSOR_PLUGIN_ROOT}", "hooks/run", "hooks/cursor-hooks.json"),
    "gemini-cli": ("${extensionPath}", "../run", "hooks/gemini/hooks/hooks.json"),
}
SHOWS_A_NOTICE = ("claude-code", "codex", "gemini-cli")

_ABOUT = {"name": NAME, "version": __version__, "description": SAID}
_MARKET = {"name": NAME, "owner": {"name": NAME}, "plugins": [{"name": NAME, "source": "./", "description": SAID}]}

MANIFESTS: Mapping[str, Mapping[str, Any]] = {
    # Claude Code finds hooks/hooks.json by itself, and refuses a manifest that names it again
    ".claude-plugin/plugin.json": _ABOUT,
    # Codex takes the same list of plugins
    ".claude-plugin/marketplace.json": _MARKET,
    ".codex-plugin/plugin.json": {**_ABOUT, "hooks": "./hooks/codex-hooks.json"},
    ".cursor-plugin/plugin.json": {**_ABOUT, "hooks": "./hooks/cursor-hooks.json"},
    "hooks/gemini/gemini-extension.json": _ABOUT,
}


def hooks_file(name: str) -> str:
    """What `install` would write into an empty settings file, but for the command lines."""
    root, way, _ = PLUGINS[name]
    known = agent(name)
    (part,) = parts_of(known, "hooks.json", lambda hook: f'sh "{root}/{way}" {hook} {name}')
    return part.format.with_ours(None, "hooks.json", part.wanted, lambda _command, _arguments: None)


def files() -> dict[str, str]:
    """Every file of a plugin that is made, by its path in the repository."""
    made = {path: json.dumps(manifest, indent=2) + "\n" for path, manifest in MANIFESTS.items()}
    return made | {path: hooks_file(name) for name, (_, _, path) in PLUGINS.items()}


@pytest.mark.parametrize("path", files())
def test_files_say_what_the_agents_modules_say(path: str) -> None:
    """Events, matchers, time limits, and the version of the package."""
    assert (ROOT / path).read_text(encoding="utf-8") == files()[path]


@pytest.mark.parametrize("name", PLUGINS)
def test_each_event_of_the_agent_is_in_its_file(name: str) -> None:
    """Once, with a command that is `hooks/run` for that hook and agent."""
    root, _, path = PLUGINS[name]
    folder = ROOT / path.partition("/hooks/")[0] if name == "gemini-cli" else ROOT
    hooks = json.loads((ROOT / path).read_text(encoding="utf-8"))["hooks"]
    assert list(hooks) == [entry.event for entry in agent(name).entries]
    for entry in agent(name).entries:
        (group,) = hooks[entry.event]
        handler = group["hooks"][0] if "hooks" in group else group
        program, script, *words = shlex.split(handler["command"].replace(root, str(folder)))
        assert (program, words) == ("sh", [entry.hook, name])
        assert Path(script).samefile(ROOT / "hooks" / "run")
        assert (handler["timeout"], group.get("matcher")) == (entry.timeout, entry.matcher)


# hooks/run


def run(words: list[str], event: Mapping[str, Any] | bytes, **environ: str) -> bytes:
    """What `hooks/run` prints for an event."""
    raw = event if isinstance(event, bytes) else json.dumps(event).encode()
    done = subprocess.run(
        ["sh", str(ROOT / "hooks" / "run"), *words],
        input=raw,
        env={**os.environ, **environ},
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def installed(data: Path, python: str) -> None:
    """An environment as install.sh makes it, with this tree's hooks and this text as its interpreter."""
    environment = data / "neotoma-hooks" / "venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "share").mkdir()
    (environment / "share" / "neotoma-hooks").symlink_to(ROOT)
    (environment / "bin" / "python").write_text(python)
    (environment / "bin" / "python").chmod(0o755)


@pytest.fixture(autouse=True)
def _no_other_folders(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEOTOMA_HOOKS_HOME")


TELLS_ITS_WORDS = """#!/bin/sh
printf '%s\\n' "$0" "$@"
"""


@pytest.mark.parametrize("place", ["elsewhere of mine", ".local/share", "Library/Application Support"])
def test_run_starts_the_hook_as_the_installed_command_line_does(
    home: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Wherever install.sh puts the environment; a program that has moved XDG_DATA_HOME does not hide it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "elsewhere of mine"))
    installed(home / place, TELLS_ITS_WORDS)
    environment = home / place / "neotoma-hooks" / "venv"
    told = run(["stop", "codex"], b"{}").decode().splitlines()
    script = environment / "share" / "neotoma-hooks" / "hooks" / "stop.py"
    assert told == [str(environment / "bin" / "python"), "-I", str(script), "--agent", "codex"]


def test_run_stores_a_turn(home: Path) -> None:
    """The event goes on to the hook, and its answer to the agent."""
    installed(home / ".local" / "share", f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    assert run(["prompt_submit", "claude-code"], prompt("c1", "t1", "Hello")) == b""
    assert run(["stop", "claude-code"], reply("c1", "t1", "Hi.")) == b""
    (turn,) = stored_turns()
    assert (turn["user"]["content"], turn["assistant"]["content"]) == ("Hello", "Hi.")


@pytest.mark.parametrize("name", PLUGINS)
def test_run_without_the_program_says_so_once_a_day(home: Path, name: str) -> None:
    """At a prompt, where the agent has a channel for it; the event is read to its end, however long."""
    event = prompt("c1", "t1", "x" * 1_000_000)
    silence = agent(name).silence.encode()
    assert run(["stop", name], event) == silence
    told = run(["prompt_submit", name], event)
    if name not in SHOWS_A_NOTICE:
        assert told == silence
        return
    (sentence,) = json.loads(told).values()
    assert json.loads(told) == agent(name).notice_output(sentence)
    assert f"Run '{ROOT / 'install.sh'}'" in sentence
    assert run(["prompt_submit", name], event) == silence
    (mark,) = (home / ".local" / "state" / "neotoma-hooks" / "notices").iterdir()
    assert (mark.stat().st_mode & 0o077, mark.parent.stat().st_mode & 0o077) == (0, 0)
    mark.rename(mark.with_name("not-installed-2001-01-01"))
    assert run(["prompt_submit", name], event) == told
    assert len(list(mark.parent.iterdir())) == 1


@pytest.mark.parametrize("given", ["", "elsewhere", "~/elsewhere", "/absolute"])
def test_run_keeps_its_mark_where_the_hooks_keep_theirs(home: Path, tmp_path: Path, given: str) -> None:
    """Never in the project's folder."""
    given = str(tmp_path / "x") if given == "/absolute" else given
    run(["prompt_submit", "codex"], b"{}", NEOTOMA_HOOKS_HOME=given)
    notices = find_paths({**os.environ, "NEOTOMA_HOOKS_HOME": given}).notices
    assert [name.rpartition("-20")[0] for name in os.listdir(notices)] == ["not-installed"]


def test_agents_that_show_a_notice_are_those_whose_modules_say_so() -> None:
    """`hooks/run` cannot ask them."""
    assert tuple(name for name in PLUGINS if agent(name).notice_output("x")) == SHOWS_A_NOTICE


@pytest.mark.parametrize("how", ["switched off", "no place for the mark", "no home"])
def test_run_without_the_program_stays_silent(home: Path, how: str) -> None:
    """Where it was switched off, and where nobody could note that it was said."""
    environ = {"switched off": {"NEOTOMA_HOOKS_DISABLE": "1"}, "no place for the mark": {"XDG_STATE_HOME": "/dev/null"}}
    given = environ.get(how, {"HOME": "", "XDG_STATE_HOME": "", "XDG_DATA_HOME": ""})
    assert run(["prompt_submit", "claude-code"], prompt("c1", "t1", "Hello"), **given) == b""


@pytest.mark.parametrize("value", ["", "0", "1", "false", "FALSE", "true", "no", "No", "yes"])
def test_run_takes_the_words_that_the_settings_take(home: Path, value: str) -> None:
    """What switches a hook off, and what does not, is the same without the program."""
    told = run(["prompt_submit", "claude-code"], prompt("c1", "t1", "Hello"), NEOTOMA_HOOKS_DISABLE=value)
    assert (told == b"") == is_disabled({"NEOTOMA_HOOKS_DISABLE": value})


@pytest.mark.parametrize("python", ["#!/nowhere/at/all\n", "\x7fELF is not all that it takes", ""])
def test_run_with_an_interpreter_that_does_not_start(home: Path, python: str) -> None:
    """Half an upgrade must not trouble the agent."""
    installed(home / ".local" / "share", python)
    assert run(["prompt_submit", "claude-code"], prompt("c1", "t1", "Hello")) == b""


def test_run_names_no_path_that_would_have_to_be_quoted(tmp_path: Path) -> None:
    """In JSON, or in the shell that the person runs it in."""
    for number, name in enumerate(('with "quotes"', "with 'those'", "back\\slash", "line\nend")):
        folder = tmp_path / name / "hooks"
        folder.mkdir(parents=True)
        (folder / "run").write_bytes((ROOT / "hooks" / "run").read_bytes())
        done = subprocess.run(
            ["sh", str(folder / "run"), "prompt_submit", "codex"],
            input=b"{}",
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path / str(number))},
            capture_output=True,
            check=True,
        )
        assert "Run install.sh of the neotoma-hooks repository" in json.loads(done.stdout)["systemMessage"]


def write() -> None:
    """Write every file anew."""
    for path, text in files().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
