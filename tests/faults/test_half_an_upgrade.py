"""What is installed is damaged: files are cut short, or are not what they were."""

from __future__ import annotations

import compileall
import importlib.util
import json
import marshal
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.firing import ROOT, Fired, prompt, reply

HEADER_BYTES = 16

# In the order in which a hook comes to them
MODULES = (
    "__init__",
    "hook",
    "alarm",
    "ending",
    "errors",
    "paths",
    "settings",
    "state.files",
    "stdin",
    "firing",
    "handling",
    "exclusion",
    "agents.registry",
    "agents.claude_code",
    "stores.opening",
    "stores.embedded",
    "turns",
    "protocol.turn_book",
    "state.pending",
    "delivery",
    "hooklog",
)

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut after its header": lambda whole: whole[:HEADER_BYTES],
    "cut": lambda whole: whole[: len(whole) // 2],
    "the last byte is gone": lambda whole: whole[:-1],
    "other bytes": lambda whole: whole[:HEADER_BYTES] + b"\xff" * 100,
    "no code": lambda whole: whole[:HEADER_BYTES] + marshal.dumps(["a"]),
    "code that fails": lambda whole: whole[:HEADER_BYTES] + marshal.dumps(compile("1 / 0", "x", "exec")),
    "code that ends": lambda whole: whole[:HEADER_BYTES] + marshal.dumps(compile("raise SystemExit(3)", "x", "exec")),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the hooks and their package, compiled."""
    tree = tmp_path / "tree"
    for name in ("hooks", "lib"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    assert compileall.compile_dir(tree / "lib", quiet=1)
    return tree


def fire_in(tree: Path, hook: str) -> Fired:
    event = {"prompt_submit": prompt("c1", "t1", "Hello"), "stop": reply("c1", "t1", "Hello"), "tool_use": {}}[hook]
    words = [sys.executable, "-I", str(tree / "hooks" / f"{hook}.py"), "--agent", "claude-code"]
    done = subprocess.run(words, input=json.dumps(event).encode(), capture_output=True, timeout=60, check=False)
    return Fired(done.returncode, done.stdout, done.stderr, 0.0)


@pytest.mark.parametrize("how", DAMAGE)
def test_compiled_module_is_damaged(how: str, tree: Path) -> None:
    """Whichever it is, the agent sees nothing of it."""
    for module in MODULES:
        path = tree / "lib" / "neotoma_hooks" / f"{module.replace('.', '/')}.py"
        compiled = Path(importlib.util.cache_from_source(str(path)))
        whole = compiled.read_bytes()
        compiled.write_bytes(DAMAGE[how](whole))
        fired = fire_in(tree, "prompt_submit")
        assert (module, fired.status, fired.out, fired.err) == (module, 0, b"", b"")
        compiled.write_bytes(whole)


@pytest.mark.parametrize("hook", ["prompt_submit", "stop", "tool_use"])
def test_every_hook_is_harmless_without_its_package(hook: str, tree: Path) -> None:
    """Cut short, or not there at all."""
    compiled = Path(importlib.util.cache_from_source(str(tree / "lib" / "neotoma_hooks" / "hook.py")))
    compiled.write_bytes(compiled.read_bytes()[:-1])
    assert fire_in(tree, hook).assert_quiet().out == b""
    os.rename(tree / "lib", tree / "gone")
    assert fire_in(tree, hook).assert_quiet().out == b""
