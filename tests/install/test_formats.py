"""Install, install again, uninstall, for every format of settings and every agent."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from install.corpus import BROKEN_SHAPES, OLDER_SHAPES, SHAPES, THEIRS, ours_of
from neotoma_hooks.agents.registry import NAMES, agent
from neotoma_hooks.cli.self_check import try_turn
from neotoma_hooks.errors import InstallError, StateError
from neotoma_hooks.install import registering, settings_file
from support.firing import HOOKS

ALL_SHAPES = [(name, shape) for name, shapes in SHAPES.items() for shape in shapes]
ALL_BROKEN = [(name, shape) for name, shapes in BROKEN_SHAPES.items() for shape in shapes]


def target(home: Path, name: str, project: Path | None = None, at: Path | None = None) -> registering.Target:
    """An agent's registration, with the hooks and the interpreter of this source tree."""
    return registering.target(
        agent(name),
        environ={},
        home=str(home),
        project=str(project) if project else None,
        hooks_folder=str(HOOKS),
        interpreter=sys.executable,
        records_folder=str(home / "records"),
        at=str(at) if at else None,
    )


def file_of(home: Path, name: str) -> Path:
    """The agent's settings file, in a folder that is there; Droid's is the one with nothing around the events."""
    path = Path(agent(name).settings_file({}, str(home)))
    path = path.with_name("hooks.json") if name == "factory-droid" else path
    path.parent.mkdir(parents=True)
    return path


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "records" not in path.parts
    }


def meaning(name: str, raw: bytes) -> dict[str, Any]:
    """What a settings file says; comments and commas that plain JSON has not are taken out first."""
    text = raw.decode("utf-8-sig")
    if name == "kimi-code":
        return tomli.loads(text)
    text = re.sub(r"/\*.*?\*/|(?<![:'\"\w])//[^\n]*", "", text)
    found = json.loads(re.sub(r",(\s*[]}])", r"\1", text))
    assert isinstance(found, dict)
    return found


def without_empty(value: object) -> object:
    if isinstance(value, dict):
        kept = {key: without_empty(inner) for key, inner in value.items() if key != "version"}
        return {key: inner for key, inner in kept.items() if inner not in ({}, [])}
    return value


@pytest.mark.parametrize(("name", "shape"), ALL_SHAPES)
def test_uninstall_leaves_the_file_as_it_was(home: Path, name: str, shape: str) -> None:
    """Byte for byte; installing twice is installing once; what is others' means the same in between."""
    path = file_of(home, name)
    before = SHAPES[name][shape].encode("utf-8")
    path.write_bytes(before)
    on = target(home, name)
    assert Path(on.path) == path
    assert registering.install(on).written
    once = files_in(home)
    assert not registering.install(on).written
    assert files_in(home) == once
    state = registering.status(on)
    assert (state.registered, state.problems) == ("yes", ())
    if THEIRS in meaning_texts(name, before):
        assert THEIRS in meaning_texts(name, path.read_bytes())
    registering.uninstall(on)
    assert files_in(home) == {str(path.relative_to(home)): before}
    assert list((home / "records").iterdir()) == []
    assert registering.status(on).registered == "no"


def meaning_texts(name: str, raw: bytes) -> list[str]:
    found: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, str):
            found.append(value)
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(inner)

    walk(meaning(name, raw))
    return found


@pytest.mark.parametrize(("name", "shape"), ALL_SHAPES)
def test_uninstall_needs_no_record(home: Path, name: str, shape: str) -> None:
    """Where our record is gone, nothing of anybody else's is lost, and nothing of ours is left."""
    path = file_of(home, name)
    before = SHAPES[name][shape].encode("utf-8")
    path.write_bytes(before)
    on = target(home, name)
    registering.install(on)
    for kept in (home / "records").iterdir():
        kept.unlink()
    registering.uninstall(on)
    assert registering.status(on).registered == "no"
    assert list(files_in(home)) == [str(path.relative_to(home))]
    left, was = (without_empty(meaning(name, raw)) for raw in (path.read_bytes(), before))
    assert repr(left) == repr(was)
    comments = re.findall(r"#[^\n]*|//[^\n]*|/\*.*?\*/", before.decode("utf-8"))
    assert [comment for comment in comments if comment not in path.read_bytes().decode("utf-8")] == []


@pytest.mark.parametrize("name", ["cursor", "augment"])
def test_record_of_the_first_version_serves(home: Path, name: str) -> None:
    """One that does not say which registration its file belongs to."""
    path = file_of(home, name)
    path.write_text("{ }\n")
    registering.install(target(home, name))
    for kept in (home / "records").glob("*.json"):
        record = json.loads(kept.read_text())
        assert record.pop("settings") == str(path)
        assert record.pop("is_project") is False
        kept.write_text(json.dumps(record))
    registering.uninstall(target(home, name))
    assert files_in(home) == {str(path.relative_to(home)): b"{ }\n"}
    assert list((home / "records").iterdir()) == []


@pytest.mark.parametrize("name", OLDER_SHAPES)
def test_older_entries_are_brought_up_to_date(home: Path, name: str) -> None:
    """Rewritten in place, collapsed to one; others' entries stay."""
    before, left = OLDER_SHAPES[name]
    path = file_of(home, name)
    path.write_text(before)
    on = target(home, name)
    assert registering.status(on).registered in ("stale", "double")
    registering.install(on)
    state = registering.status(on)
    assert (state.registered, state.problems) == ("yes", ())
    registering.uninstall(on)
    assert files_in(home) == {str(path.relative_to(home)): left.encode("utf-8")}


@pytest.mark.parametrize(("name", "shape"), ALL_BROKEN)
def test_broken_file_is_refused_and_left_alone(home: Path, name: str, shape: str) -> None:
    """The error names file, line and column; nothing else is written either."""
    path = file_of(home, name)
    path.write_bytes(BROKEN_SHAPES[name][shape])
    with pytest.raises(InstallError, match=re.escape(str(path)) + r":\d+:\d+: \S"):
        registering.install(target(home, name))
    assert files_in(home) == {str(path.relative_to(home)): BROKEN_SHAPES[name][shape]}


@pytest.mark.parametrize("name", SHAPES)
def test_link_and_mode_are_kept(home: Path, name: str) -> None:
    """The file behind a link is changed, the link stays; 640 stays 640."""
    path = file_of(home, name)
    before = SHAPES[name].get("foreign") or SHAPES[name]["full"]
    real = home / "dotfiles" / "settings"
    real.parent.mkdir()
    real.write_text(before)
    real.chmod(0o640)
    path.symlink_to(real)
    on = target(home, name)
    registering.install(on)
    assert path.is_symlink()
    assert real.read_text() != before
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    registering.uninstall(on)
    assert (path.is_symlink(), real.read_text()) == (True, before)


@pytest.mark.parametrize("name", SHAPES)
def test_read_only_file_is_refused(home: Path, name: str) -> None:
    """Also where the superuser could write; scripts that would go along are not written either."""
    path = file_of(home, name)
    before = next(iter(SHAPES[name].values()))
    path.write_text(before)
    path.chmod(0o444)
    with pytest.raises(InstallError, match="read-only"):
        registering.install(target(home, name))
    assert files_in(home) == {str(path.relative_to(home)): before.encode("utf-8")}


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_in_an_empty_home(home: Path, name: str) -> None:
    """Registered, a turn goes through the registered command lines, and nothing is left of it afterwards."""
    on = target(home, name)
    assert registering.install(on).written
    state = registering.status(on)
    assert (state.registered, state.problems) == ("yes", ())
    private = [path for path in home.rglob("*") if path.is_file() and stat.S_IMODE(path.stat().st_mode) & 0o077]
    assert private == []
    tried = try_turn(agent(name), {hook: ["sh", "-c", command] for hook, command in state.commands.items()})
    assert (tried.turn is not None) == agent(name).tells_conversation
    assert bool(tried.context) == agent(name).takes_context
    assert not registering.install(on).written
    registering.uninstall(on)
    assert [path.name for path in home.iterdir()] == ["records"]
    assert list((home / "records").iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_in_a_repository(home: Path, tmp_path: Path, name: str) -> None:
    """The repository's own settings, and nothing in the home; an agent that reads none says so."""
    project = tmp_path / "app"
    project.mkdir()
    if agent(name).project_settings_file(str(project)) is None:
        with pytest.raises(InstallError, match="no settings of a repository's own"):
            target(home, name, project)
        return
    on = target(home, name, project)
    registering.install(on)
    assert registering.status(on).registered == "yes"
    assert files_in(project)
    assert [path.name for path in home.iterdir()] == ["records"]
    registering.uninstall(on)
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("name", ["cline", "opencode", "augment"])
def test_file_of_somebody_elses_is_refused(home: Path, name: str) -> None:
    """A script or plugin that is not ours stands at our place: nothing is written, and it is never taken away."""
    on = target(home, name)
    theirs = Path(on.parts[0].path)
    theirs.parent.mkdir(parents=True)
    theirs.write_text("#!/bin/sh\nexec /home/u/mine.sh\n")
    before = files_in(home)
    with pytest.raises(InstallError, match="is not ours"):
        registering.install(on)
    assert registering.status(on).registered == "no"
    registering.uninstall(on)
    assert files_in(home) == before


@pytest.mark.parametrize("name", ["cline", "opencode", "augment"])
def test_older_script_or_plugin_is_replaced(home: Path, name: str) -> None:
    """One that ran a hook of ours from another place; and one that may not be run is mended."""
    on = target(home, name)
    registering.install(on)
    path = Path(on.parts[0].path)
    current = path.read_text()
    path.write_text(current.replace(str(HOOKS), "/opt/neotoma-hooks/hooks"))
    assert registering.status(on).registered == "stale"
    assert registering.install(on).written
    assert path.read_text() == current
    if on.parts[0].is_executable:
        path.chmod(0o600)
        assert registering.status(on).registered == "stale"
        assert registering.install(on).written
        assert os.access(path, os.X_OK)
    registering.uninstall(on)
    assert files_in(home) == {}


@pytest.mark.parametrize("name", ["cline", "augment"])
@pytest.mark.parametrize("error", [InstallError("no"), StateError("no"), KeyboardInterrupt()])
def test_several_files_are_all_written_or_none(
    home: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: BaseException
) -> None:
    """What was written before something went wrong is taken back."""
    on = target(home, name)
    write = settings_file.write
    written: list[str] = []

    def failing(file: settings_file.SettingsFile, text: str, **how: bool) -> None:
        if len(written) == 2:
            raise error
        written.append(file.path)
        write(file, text, **how)

    monkeypatch.setattr(settings_file, "write", failing)
    with pytest.raises(type(error)):
        registering.install(on)
    assert len(written) == 2
    assert [path.name for path in home.iterdir()] == ["records"]
    assert list((home / "records").iterdir()) == []


@pytest.mark.parametrize("first", [0, 1])
def test_last_to_leave_a_folder_takes_it_along(home: Path, first: int) -> None:
    """Gemini CLI and Antigravity both live in `.gemini`; in whatever order they go, none of it stays."""
    both = [target(home, "gemini-cli"), target(home, "antigravity")]
    for on in both:
        registering.install(on)
    for on in (both[first], both[1 - first]):
        registering.uninstall(on)
    assert [path.name for path in home.iterdir()] == ["records"]


def test_vs_code_and_copilot_share_one_registration(home: Path) -> None:
    """Both read the folder, so that two entries would run twice in both."""
    registering.install(target(home, "copilot-cli"))
    assert not registering.install(target(home, "vscode")).written
    assert registering.status(target(home, "vscode")).registered == "yes"
    registering.uninstall(target(home, "vscode"))
    assert registering.status(target(home, "copilot-cli")).registered == "no"
    assert files_in(home) == {}


def test_what_others_add_to_toml_meanwhile_survives(home: Path) -> None:
    """Above, between and below our tables, with their comments."""
    path = file_of(home, "kimi-code")
    path.write_text('model = "k2"\n')
    on = target(home, "kimi-code")
    registering.install(on)
    text = path.read_text().replace(
        '[[hooks]]\nevent = "Stop"\n', '# between\n[a]\nb = 1\n\n[[hooks]]\nevent = "Stop"\n'
    )
    path.write_text("# above\n" + text + "\n# below\n[c]\nd = 2\n")
    registering.uninstall(on)
    left = path.read_text()
    assert "hooks" not in left
    assert tomli.loads(left) == {"model": "k2", "a": {"b": 1}, "c": {"d": 2}}
    assert [line for line in left.splitlines() if line.startswith("#")] == ["# above", "# between", "# below"]


_KEYS = st.text("ab.-\"'é ", max_size=4)
_SCALARS = st.one_of(
    st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.datetimes(), st.text(max_size=12),
)  # fmt: skip
_VALUES = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3))
_COMMENTS = st.sampled_from(["", "# plain\n", "# [[hooks]]\n", "\n\n", "#\t'''\n"])


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """Any configuration: keys, tables, comments and other people's hooks, as tables in any order or in one array."""
    hook = st.fixed_dictionaries({"event": st.sampled_from(["Stop", "x"]), "command": st.text(max_size=20)})
    pieces = [tomlkit.dumps(draw(st.dictionaries(_KEYS.filter(lambda key: key != "hooks"), _SCALARS, max_size=3)))]
    is_array = draw(st.booleans())
    if is_array:
        between = draw(st.sampled_from([", ", ",", ",\n  ", ", # one\n  "]))
        listed = between.join(inline(draw(hook)) for _ in range(draw(st.integers(0, 3))))
        pieces.append(
            f"hooks = [{listed}{draw(st.sampled_from(['', ',', ' # end', ', # end'])) if listed else ''}\n]\n"
        )
    for number in range(draw(st.integers(0, 4))):
        pieces.append(draw(_COMMENTS))
        kind = draw(st.sampled_from(["hook", "table", "inline"]))
        if kind == "hook" and not is_array:
            pieces.append("[[hooks]]\n" + tomlkit.dumps(draw(hook)))
        elif kind == "inline":
            pieces.append(f"i{number} = {inline(draw(st.dictionaries(_KEYS, _VALUES, max_size=3)))}\n")
        else:
            pieces.append(tomlkit.dumps({f"t{number}": draw(st.dictionaries(_KEYS, _VALUES, max_size=3))}))
    text = "".join(pieces) + draw(st.sampled_from(["", "# end", "\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) and "\r" not in text else text


def inline(value: dict[str, Any]) -> str:
    table = tomlkit.inline_table()
    table.update(value)
    return table.as_string()


@given(text=toml_texts())
def test_any_toml_comes_back(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Whatever the configuration holds; byte for byte with our record, and in meaning without it."""
    home = tmp_path_factory.mktemp("any")
    path = file_of(home, "kimi-code")
    path.write_bytes(text.encode("utf-8"))
    on = target(home, "kimi-code")
    registering.install(on)
    installed = tomli.loads(path.read_bytes().decode("utf-8"))
    before = tomli.loads(text)
    others = [hook for hook in installed["hooks"] if str(HOOKS) not in hook["command"]]
    # Not a number is not equal to itself
    assert repr(others) == repr(before.get("hooks", []))
    assert registering.status(on).registered == "yes"
    with_ours = path.read_bytes()
    registering.uninstall(on)
    assert path.read_bytes() == text.encode("utf-8")
    path.write_bytes(with_ours)
    registering.uninstall(on)
    left = path.read_bytes().decode("utf-8")
    assert repr(tomli.loads(left)) == repr(before)
    assert [left.count(comment) for comment in ("# plain", "# one", "# end")] == [
        text.count(comment) for comment in ("# plain", "# one", "# end")
    ]


_OTHERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "cursor": lambda command: {"version": 1, "hooks": {"stop": [{"command": command}], "x": []}},
    "kiro-cli": lambda command: {"hooks": [{"trigger": "Stop", "action": {"type": "command", "command": command}}]},
    "antigravity": lambda command: {"mine": {"Stop": [{"type": "command", "command": command}]}},
    "factory-droid": lambda command: {"Stop": [{"hooks": [{"type": "command", "command": command}]}]},
    "augment": lambda command: {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}},
}
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=15,
)


@pytest.mark.parametrize("name", _OTHERS)
@given(
    value=st.dictionaries(st.text(max_size=4).map("my-{}".format), _JSON, max_size=4),
    command=st.text(max_size=20),
    layout=st.tuples(st.sampled_from([None, 1, 4, "\t"]), st.sampled_from(["\n", "\r\n"]), st.booleans()),
)
def test_any_json_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    value: dict[str, Any],
    command: str,
    layout: tuple[int | str | None, str, bool],
) -> None:
    """Whatever the settings hold beside hooks, and however they are laid out; also without our record."""
    home = tmp_path_factory.mktemp("any")
    indent, newline, hooks_first = layout
    hooks = _OTHERS[name](command)
    whole = {**hooks, **value} if hooks_first else {**value, **hooks}
    path = file_of(home, name)
    before = json.dumps(whole, indent=indent).replace("\n", newline).encode("ascii")
    path.write_bytes(before)
    on = target(home, name)
    registering.install(on)
    assert registering.status(on).registered == "yes"
    with_ours = path.read_bytes()
    assert {key: json.loads(with_ours)[key] for key in value} == value
    registering.uninstall(on)
    assert path.read_bytes() == before
    path.write_bytes(with_ours)
    registering.uninstall(on)
    assert without_empty(json.loads(path.read_bytes())) == without_empty(whole)


def test_doubled_command_is_told(home: Path) -> None:
    """`agents` shows it as "double", with the event."""
    path = file_of(home, "cursor")
    on = target(home, "cursor")
    registering.install(on)
    settings = json.loads(path.read_text())
    settings["hooks"]["stop"].append({"command": ours_of("cursor", "stop")})
    path.write_text(json.dumps(settings))
    state = registering.status(on)
    assert state.registered == "double"
    assert "2 hooks are registered for stop" in state.problems


WITH_TOOLS = [name for name in NAMES if any(entry.hook == "tool_use" for entry in agent(name).entries)]


@pytest.mark.parametrize("name", [name for name in WITH_TOOLS if agent(name).registered_as == name])
def test_registration_of_a_version_without_the_tool_hook_is_stale(
    home: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Found so, completed by `install`, and what was there before keeps its place; then taken out whole."""
    kind = type(agent(name))
    monkeypatch.setattr(kind, "entries", tuple(entry for entry in kind.entries if entry.hook != "tool_use"))
    registering.install(target(home, name))
    monkeypatch.undo()
    on = target(home, name)
    old = Path(on.path).read_text()
    assert registering.status(on).registered == "stale"
    registering.install(on)
    state = registering.status(on)
    assert (state.registered, state.problems) == ("yes", ())
    if name not in ("opencode", "kimi-code"):
        assert_in_order(json.loads(old), json.loads(Path(on.path).read_text()))
    registering.uninstall(on)
    assert files_in(home) == {}


def assert_in_order(old: Any, new: Any) -> None:
    """Everything in the old settings is at the same place in the new."""
    if isinstance(old, dict):
        assert list(new)[: len(old)] == list(old)
        for key in old:
            assert_in_order(old[key], new[key])
    elif isinstance(old, list):
        for index, item in enumerate(old):
            assert_in_order(item, new[index])
    else:
        assert old == new


# How each agent names the memory's store tool, and its own shell
TOOLS = {
    "claude-code": ("mcp__neotoma__store", "Bash"),
    "codex": ("mcp__neotoma__store", "Bash"),
    "gemini-cli": ("mcp_neotoma_store", "run_shell_command"),
    "qwen-code": ("mcp__neotoma__store", "run_shell_command"),
    "copilot-cli": ("neotoma-store", "bash"),
    "cursor": ("MCP:store", "Shell"),
    "factory-droid": ("neotoma___store", "Execute"),
    "devin-cli": ("mcp__neotoma__store", "exec"),
    "kiro-cli": ("@mcp/neotoma/store", "shell"),
    "augment": ("store_neotoma", "launch-process"),
    "goose": ("neotoma__store", "developer__shell"),
    "kimi-code": ("mcp__neotoma__store", "Bash"),
    "grok-build": ("neotoma__store", "run_terminal_command"),
}


@pytest.mark.parametrize("name", TOOLS)
def test_matcher_takes_the_memorys_tools_and_no_others(home: Path, name: str) -> None:
    """Whether the agent matches the whole name or any part of it; and the settings hold it."""
    (matcher,) = (entry.matcher for entry in agent(name).entries if entry.hook == "tool_use")
    assert matcher is not None
    ours, shell = TOOLS[name]
    assert re.fullmatch(matcher, ours)
    assert not re.search(matcher, shell)
    on = target(home, name)
    registering.install(on)
    assert f'"{matcher}"' in Path(on.path).read_text()


def test_every_matcher_is_tried() -> None:
    """An agent that shares another's registration has none of its own; opencode's is in our plugin."""
    assert {name for name in WITH_TOOLS if agent(name).registered_as == name} - {"opencode"} == set(TOOLS)
