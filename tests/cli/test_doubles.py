"""Hooks that are registered twice, as `doctor` and `agents` tell of them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from cli.test_registration import row_of
from support.firing import neotoma_hooks

HARMLESS = "every turn is recorded once all the same"


@pytest.fixture(autouse=True)
def _defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "my app"
    folder.mkdir()
    return folder


def doubles() -> list[tuple[str, str]]:
    """What `doctor` saw and the mend, of each double; and nothing else is wrong."""
    told = json.loads(neotoma_hooks("doctor", "--json", check=False))
    wrong = [one for one in told["findings"] if not one["ok"] and one["subject"] not in ("double", "trust")]
    assert wrong == []
    found = [(one["seen"], one["mend"]) for one in told["findings"] if one["subject"] == "double"]
    assert all(HARMLESS in seen for seen, _ in found)
    is_wrong = any(not one["ok"] for one in told["findings"] if one["subject"] == "double")
    assert is_wrong == any(mend for _, mend in found)
    assert told["ok"] == all(one["ok"] for one in told["findings"])
    return found


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps({**_json(path), **value})  # type: ignore[dict-item]
    path.write_text(text)


def _json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.exists() else {}


def claude_plugin(home: Path, id: str, *, on: bool = True, **entry: str) -> None:
    """As Claude Code 2.1.332 notes it down."""
    installed = home / ".claude" / "plugins" / "installed_plugins.json"
    kept = _json(installed).get("plugins", {})
    write(installed, {"version": 2, "plugins": {**kept, id: [{"scope": "user", "version": "0.1.0", **entry}]}})
    settings = (Path(entry["projectPath"]) if "projectPath" in entry else home) / ".claude" / "settings.json"
    write(settings, {"enabledPlugins": {**_json(settings).get("enabledPlugins", {}), id: on}})


def codex_plugin(home: Path, id: str, *, on: bool = True) -> None:
    """As Codex 0.171.0 notes it down."""
    write(home / ".codex" / "config.toml", f'model = "x"\n\n[plugins."{id}"]\nenabled = {str(on).lower()}\n')


def gemini_plugin(home: Path, *rules: str, name: str = "neotoma-hooks") -> None:
    """As Gemini CLI 0.61.0 notes an extension down that was linked."""
    source = home / "checkout" / "hooks" / "gemini"
    write(source / "gemini-extension.json", {"name": name, "version": "0.1.0"})
    extensions = home / ".gemini" / "extensions"
    write(extensions / name / ".gemini-extension-install.json", {"source": str(source), "type": "link"})
    write(extensions / "extension-enablement.json", {name: {"overrides": list(rules)}})


def cursor_plugin(home: Path, *place: str, name: str = "neotoma-hooks") -> None:
    """As Cursor's documents have it."""
    write(home.joinpath(".cursor", "plugins", *place, ".cursor-plugin", "plugin.json"), {"name": name})


def test_nothing_is_said_of_single_registrations(home: Path, project: Path) -> None:
    """Of several agents, in a repository, as a plugin."""
    neotoma_hooks("install", "codex", "qwen-code")
    neotoma_hooks("install", "claude-code", "--project", str(project))
    gemini_plugin(home, "/home/me/*")
    assert doubles() == []


@pytest.mark.parametrize("name", ["claude-code", "codex", "cursor"])
def test_user_and_repository(home: Path, project: Path, name: str) -> None:
    """The repository's are to go, by the command that is told; then all is well."""
    neotoma_hooks("install", name)
    neotoma_hooks("install", name, "--project", str(project))
    ((seen, mend),) = doubles()
    assert f"in {project}, from its own settings" in seen
    command = mend.partition("`")[2].partition("`")[0]
    assert command == f"neotoma-hooks uninstall {name} --project '{project}'"
    neotoma_hooks(*shlex.split(command)[1:])
    assert doubles() == []


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini-cli", "cursor"])
def test_user_and_plugin(home: Path, name: str) -> None:
    """The plugin is to go; what is in the settings file is enough."""
    neotoma_hooks("install", name)
    match name:
        case "claude-code":
            claude_plugin(home, "neotoma-hooks@neotoma-hooks")
            removal = "run `claude plugin uninstall neotoma-hooks@neotoma-hooks`"
        case "codex":
            codex_plugin(home, "neotoma-hooks@mine")
            removal = "run `codex plugin remove neotoma-hooks@mine`"
        case "gemini-cli":
            gemini_plugin(home, "/home/me/*")
            removal = "run `gemini extensions uninstall neotoma-hooks`"
        case _:
            cursor_plugin(home, "local", "neotoma-hooks")
            removal = f"remove `{home / '.cursor' / 'plugins' / 'local' / 'neotoma-hooks'}`"
    ((seen, mend),) = doubles()
    file = row_of(name)["file"]
    assert f"has the hooks from {file} and from the plugin neotoma-hooks" in seen
    assert mend == f"{removal}: what it has from {file} is enough"


def test_plugins_that_are_off_or_not_ours_count_not(home: Path) -> None:
    """Of each agent."""
    neotoma_hooks("install", "claude-code", "codex", "gemini-cli")
    claude_plugin(home, "neotoma-hooks@neotoma-hooks", on=False)
    claude_plugin(home, "other@neotoma-hooks")
    codex_plugin(home, "neotoma-hooks@neotoma-hooks", on=False)
    gemini_plugin(home, "!/home/me/*")
    assert doubles() == []
    codex_plugin(home, "other@neotoma-hooks")
    gemini_plugin(home, "/home/me/*", name="other")
    cursor_plugin(home, "cache", "market", "other", "1", name="other")
    assert doubles() == []


def test_plugin_that_is_off_in_one_folder_only(home: Path) -> None:
    """It runs everywhere else."""
    neotoma_hooks("install", "gemini-cli")
    gemini_plugin(home, "/home/me/*", "!/home/me/app/*")
    assert len(doubles()) == 1


def test_plugin_of_a_repository(home: Path, project: Path) -> None:
    """Claude Code notes down which one, and its removal is told with the scope."""
    neotoma_hooks("install", "claude-code")
    claude_plugin(home, "neotoma-hooks@mine", scope="project", projectPath=str(project))
    ((_, mend),) = doubles()
    assert mend.startswith(f"run `claude plugin uninstall neotoma-hooks@mine --scope project` in `{project}`: ")


def test_plugin_from_two_lists_and_a_repository(home: Path, project: Path) -> None:
    """One of the plugins is enough, and the repository needs none of its own."""
    claude_plugin(home, "neotoma-hooks@one")
    claude_plugin(home, "neotoma-hooks@two")
    neotoma_hooks("install", "claude-code", "--project", str(project))
    (_, first), (_, second) = doubles()
    assert first.startswith("run `claude plugin uninstall neotoma-hooks@two`: what it has from the plugin")
    assert "uninstall claude-code --project" in second


@pytest.mark.parametrize("text", ["{", "[]", '{"plugins": 5}', '{"plugins": {"neotoma-hooks@x": [5, null]}}', "\udcff"])
def test_what_an_agent_noted_down_may_be_damaged(home: Path, text: str) -> None:
    """Then it is not on."""
    neotoma_hooks("install", "claude-code", "codex", "gemini-cli")
    for name in (".claude/plugins/installed_plugins.json", ".gemini/extensions/extension-enablement.json"):
        (home / name).parent.mkdir(parents=True)
        (home / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    (home / ".codex" / "config.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert doubles() == []


@pytest.mark.parametrize(
    ("reader", "whose", "switch"),
    [
        ("cursor", "claude-code", "Include Third-Party Plugins"),
        ("vscode", "claude-code", "chat.hookFilesLocations"),
        ("grok-build", "claude-code", "[compat.claude]"),
        ("grok-build", "cursor", "[compat.cursor]"),
        ("devin-cli", "claude-code", "read_config_from.claude"),
    ],
)
def test_agent_that_runs_another_ones_hooks_too(home: Path, reader: str, whose: str, switch: str) -> None:
    """Both are needed by their own agents, so it is told, and nothing is to be mended."""
    neotoma_hooks("install", reader)
    assert doubles() == []
    neotoma_hooks("install", whose)
    ((seen, mend),) = doubles()
    assert mend == ""
    assert row_of(whose)["file"] in seen
    assert "nothing has to be removed" in seen
    assert switch in seen
    neotoma_hooks("uninstall", reader)
    assert doubles() == []


def test_copilot_cli_reads_only_repositories_files_of_claude_code(home: Path, project: Path) -> None:
    """Not the user's own, which VS Code reads."""
    neotoma_hooks("install", "copilot-cli", "claude-code")
    (only,) = doubles()
    assert only[0].startswith("in VS Code agent hooks, its own hooks run and")
    neotoma_hooks("install", "claude-code", "--project", str(project))
    assert [seen for seen, _ in doubles() if seen.startswith("in GitHub Copilot CLI")] != []


def test_cursor_runs_claude_codes_plugins_too(home: Path) -> None:
    """Told as well."""
    neotoma_hooks("install", "cursor")
    claude_plugin(home, "neotoma-hooks@neotoma-hooks")
    ((seen, _),) = doubles()
    assert "(the plugin neotoma-hooks@neotoma-hooks)" in seen


def test_install_tells_that_the_plugin_is_on(home: Path) -> None:
    """The registration is made all the same, and the person chooses."""
    codex_plugin(home, "neotoma-hooks@mine")
    told = neotoma_hooks("install", "codex")
    assert "left for you: the plugin neotoma-hooks@mine starts the hooks as well; run `codex plugin remove" in told


def test_plugin_is_told_where_agents_are_listed(home: Path) -> None:
    """An agent that has us as a plugin needs no registration."""
    claude_plugin(home, "neotoma-hooks@neotoma-hooks")
    row = row_of("claude-code")
    assert (row["registered"], row["plugins"]) == ("no", ["neotoma-hooks@neotoma-hooks"])
    assert "claude-code: is on as the plugin neotoma-hooks@neotoma-hooks" in neotoma_hooks("agents")
    assert "is on as the plugin neotoma-hooks@neotoma-hooks" in neotoma_hooks("doctor")
