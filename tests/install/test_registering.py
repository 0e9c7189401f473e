"""Install, install again, uninstall, on settings files as they are in the wild."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from install.corpus import BROKEN, GOOD, OLDER
from neotoma_hooks.agents.base import Agent
from neotoma_hooks.agents.registry import agent
from neotoma_hooks.errors import InstallError
from neotoma_hooks.install import registering
from neotoma_hooks.install.json_text import Document, plain


def target(home: Path, known: Agent | None = None, project: Path | None = None) -> registering.Target:
    """A settings file, and a program of ours in a folder with a space in its name."""
    program = home / "neotoma-hooks of mine"
    (program / "hooks").mkdir(parents=True, exist_ok=True)
    for name in ("python", "hooks/prompt_submit.py", "hooks/stop.py", "hooks/tool_use.py"):
        (program / name).touch()
    return registering.target(
        known or agent("claude-code"),
        environ={},
        home=str(home),
        project=str(project) if project else None,
        hooks_folder=str(program / "hooks"),
        interpreter=str(program / "python"),
        records_folder=str(home / "records"),
    )


@pytest.fixture
def settings(home: Path) -> Path:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    return path


@pytest.mark.parametrize("name", GOOD)
def test_uninstall_leaves_the_file_as_it_was(home: Path, settings: Path, name: str) -> None:
    """Byte for byte; installing twice is installing once; in between all hooks of ours are there."""
    settings.write_bytes(GOOD[name])
    on = target(home)
    assert registering.install(on).written
    once = settings.read_bytes()
    assert not registering.install(on).written
    assert settings.read_bytes() == once
    assert registering.status(on).registered == "yes"
    registering.uninstall(on)
    assert settings.read_bytes() == GOOD[name]
    assert list((home / "records").iterdir()) == []


@pytest.mark.parametrize("name", GOOD)
def test_uninstall_needs_no_record(home: Path, settings: Path, name: str) -> None:
    """Where our record is gone, nothing of anybody else's is lost, and nothing of ours is left."""
    settings.write_bytes(GOOD[name])
    on = target(home)
    registering.install(on)
    for kept in (home / "records").iterdir():
        kept.unlink()
    registering.uninstall(on)
    assert registering.status(on).registered == "no"
    left, before = (plain_of(text.decode("utf-8")) for text in (settings.read_bytes(), GOOD[name]))
    assert without_empty(left) == without_empty(before)
    comments = re.findall(r"(?<![\w:])//[^\n]*|/\*.*?\*/", GOOD[name].decode("utf-8"))
    assert [comment for comment in comments if comment not in settings.read_text("utf-8")] == []


def plain_of(text: str) -> object:
    document = Document(text, "x")
    return {} if document.root is None else json.loads(json.dumps(plain(document.root)))


def without_empty(value: object) -> object:
    """The settings without hooks containers that hold nothing."""
    assert isinstance(value, dict)
    hooks = value.get("hooks")
    if isinstance(hooks, dict):
        value["hooks"] = {event: groups for event, groups in hooks.items() if groups}
        if not value["hooks"]:
            del value["hooks"]
    return value


@pytest.mark.parametrize("name", OLDER)
def test_older_entry_is_brought_up_to_date(home: Path, settings: Path, name: str) -> None:
    """Rewritten in place, collapsed to one; others' entries stay."""
    before, left = OLDER[name]
    settings.write_text(before)
    on = target(home)
    assert registering.status(on).registered in ("stale", "double")
    registering.install(on)
    assert registering.status(on).registered == "yes"
    assert settings.read_text().count("UserPromptSubmit") == 1
    registering.uninstall(on)
    assert settings.read_text() == left


@pytest.mark.parametrize("name", BROKEN)
def test_broken_file_is_refused_and_left_alone(home: Path, settings: Path, name: str) -> None:
    """The error names file, line and column; not a byte changes."""
    settings.write_bytes(BROKEN[name])
    for act in (registering.install, registering.uninstall, registering.status):
        with pytest.raises(InstallError) as raised:
            act(target(home))
        if act is registering.install:
            assert re.search(re.escape(str(settings)) + r":\d+:\d+", str(raised.value)), raised.value
        assert settings.read_bytes() == BROKEN[name]
        if name.startswith(("hooks-is", "event-is", "array", "string")):
            break


def test_missing_file_and_folders_are_made_and_taken_away_again(home: Path) -> None:
    """As if we had never been there."""
    on = target(home)
    registering.install(on)
    assert (home / ".claude" / "settings.json").is_file()
    registering.uninstall(on)
    assert not (home / ".claude").exists()


def test_dry_run_shows_the_diff_and_writes_nothing(home: Path, settings: Path) -> None:
    """Neither the settings nor a record."""
    settings.write_text('{\n  "model": "opus"\n}\n')
    change = registering.install(target(home), dry_run=True)
    assert '+  "hooks": {' in change.diff()
    assert settings.read_text() == '{\n  "model": "opus"\n}\n'
    assert not (home / "records").exists()


def test_link_and_mode_are_kept(home: Path, settings: Path) -> None:
    """The file behind a link is changed, the link stays; 600 stays 600."""
    real = home / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text("{}\n")
    real.chmod(0o600)
    settings.symlink_to(real)
    on = target(home)
    registering.install(on)
    assert settings.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert "prompt_submit" in real.read_text()
    registering.uninstall(on)
    assert (settings.is_symlink(), real.read_text()) == (True, "{}\n")


@pytest.mark.parametrize("what", ["file", "folder"])
def test_read_only_is_refused_with_the_reason(home: Path, settings: Path, what: str) -> None:
    """Also where the superuser could write."""
    settings.write_text("{}\n")
    place = settings if what == "file" else settings.parent
    place.chmod(0o444 if what == "file" else 0o555)
    try:
        with pytest.raises(InstallError, match="read-only"):
            registering.install(target(home))
        assert settings.read_text() == "{}\n"
    finally:
        place.chmod(0o755)


def test_what_others_change_meanwhile_survives(home: Path, settings: Path) -> None:
    """A setting and a hook that came after us are there after we have gone."""
    settings.write_text('{\n  "model": "opus"\n}\n')
    on = target(home)
    registering.install(on)
    changed = json.loads(settings.read_text())
    changed["theme"] = "dark"
    changed["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "/x/theirs.sh"}]})
    settings.write_text(json.dumps(changed, indent=2) + "\n")
    registering.uninstall(on)
    left = json.loads(settings.read_text())
    assert left == {
        "model": "opus",
        "theme": "dark",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/x/theirs.sh"}]}]},
    }


def test_first_state_is_backed_up(home: Path, settings: Path) -> None:
    """The bytes as they were before our first touch, privately."""
    settings.write_text('{"precious": true}\n')
    backup = registering.install(target(home)).backup
    assert Path(backup).read_text() == '{"precious": true}\n'
    assert stat.S_IMODE(os.stat(backup).st_mode) == 0o600


def test_project_file_is_the_repositorys_own(home: Path, tmp_path: Path) -> None:
    """`--project` leaves the user's file alone."""
    project = tmp_path / "app"
    project.mkdir()
    on = target(home, project=project)
    registering.install(on)
    assert (project / ".claude" / "settings.json").is_file()
    assert not (home / ".claude").exists()
    registering.uninstall(on)
    assert list(project.iterdir()) == []


def test_codex_file_has_nothing_but_hooks_at_its_root(home: Path) -> None:
    """Codex rejects the whole file for another key."""
    registering.install(target(home, agent("codex")))
    assert list(json.loads((home / ".codex" / "hooks.json").read_text())) == ["hooks"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


layouts = st.tuples(
    st.sampled_from([None, 1, 2, 4, "\t"]), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n"])
)
settings_of_others = st.dictionaries(st.text(max_size=8).filter(lambda key: key != "hooks"), _JSON, max_size=5)


@given(value=settings_of_others, layout=layouts)
def test_any_settings_come_back(
    tmp_path_factory: pytest.TempPathFactory, value: dict[str, object], layout: tuple[int | str | None, str, str]
) -> None:
    """Whatever a settings file holds and however it is laid out."""
    home = tmp_path_factory.mktemp("any")
    indent, newline, end = layout
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    text = (json.dumps(value, indent=indent) + end).replace("\n", newline)
    path.write_bytes(text.encode("utf-8"))
    on = target(home)
    registering.install(on)
    installed = json.loads(path.read_bytes())
    assert {name: installed[name] for name in value} == value
    assert set(installed["hooks"]) >= {"UserPromptSubmit", "Stop"}
    registering.uninstall(on)
    assert path.read_bytes() == text.encode("utf-8")
