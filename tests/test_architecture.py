from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from standin import StandIn
from support.firing import HOOKS, ROOT, prompt, reply

PACKAGE = ROOT / "lib" / "neotoma_hooks"
MODULES = {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in sorted(PACKAGE.rglob("*.py"))}

# What each room may import, besides itself; each stands behind those that it may. Errors, paths and stamps are for all
# but the protocol; state.files, which knows nothing of turns, is for whoever writes a file.
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "errors": set(),
    "paths": set(),
    "stamps": set(),
    "alarm": set(),
    "protocol": set(),
    "state": {"protocol"},
    "settings": {"state.files"},
    "stores": {"protocol", "settings", "state.files"},
    "agents": {"protocol"},
    "exclusion": {"settings"},
    "hooklog": {"state.files"},
    "stdin": set(),
    "retrieval": {"protocol", "stores"},
    "freezing": {"protocol", "retrieval", "state", "stores"},
    "delivery": {"freezing", "protocol", "state", "stores"},
    "firing": {"settings", "state", "stores"},
    "conversations": {"agents", "firing", "protocol", "state", "stores"},
    "drafts": {"agents", "conversations", "firing", "protocol"},
    "handing_over": {"delivery", "firing", "protocol", "state"},
    "recall": {"firing", "freezing", "protocol", "retrieval", "state"},
    "replies": {"agents", "conversations", "firing", "protocol", "state"},
    "history": {"agents", "firing", "protocol"},
    "turns": {
        "agents",
        "conversations",
        "drafts",
        "firing",
        "handing_over",
        "history",
        "protocol",
        "recall",
        "replies",
        "state",
    },
    "handling": {
        "agents",
        "drafts",
        "exclusion",
        "firing",
        "protocol",
        "recall",
        "settings",
        "state",
        "stores",
        "turns",
    },
    "second_try": {"exclusion", "handling", "hooklog", "settings", "state", "stdin", "stores"},
    "emptying": {"delivery", "protocol", "retrieval", "settings", "state", "stores"},
    "courier": {"alarm", "emptying", "hooklog", "second_try", "settings", "state", "stores"},
    "ending": {"agents", "alarm", "courier", "exclusion", "hooklog", "protocol", "settings", "state", "stdin"},
    "hook": {"agents", "alarm", "ending", "handling", "settings", "state", "stdin", "stores"},
    "memory": {"agents", "courier", "firing", "hooklog", "protocol", "settings", "stores", "turns"},
    "reading": {"protocol", "state", "stores"},
    "install": {"agents", "state"},
    "cli": {
        "agents",
        "courier",
        "hooklog",
        "install",
        "protocol",
        "reading",
        "retrieval",
        "settings",
        "state",
        "stores",
    },
}
FOR_ALL = {"errors", "paths", "stamps"}

# Everything else that is imported comes with Python
THIRD_PARTY = {
    "click": "cli",
    "filelock": "state",
    "httpx": "stores",
    "tomli": "settings",
    "tomlkit": "install",
    "tomllib": "settings",
}

# What the modules of an agent, and of a store, share with those of the others
SHARED = {
    "agents": {"base", "events", "payloads", "registry", "transcript"},
    "stores": {"base", "opening", "side_by_side"},
}


def room_of(module: str) -> str:
    return module.partition(".")[0]


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, also for its types only, also inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            module = str(node.module)
            inside = [f"{module}.{alias.name}" for alias in node.names]
            ours = [name for name in inside if name.removeprefix("neotoma_hooks.") in MODULES]
            yield from ours or [module]


def our_imports(module: str) -> set[str]:
    names = {
        name.removeprefix("neotoma_hooks.") for name in imports(MODULES[module]) if name.startswith("neotoma_hooks.")
    }
    return names - {module}


@pytest.mark.parametrize("module", MODULES)
def test_arrows(module: str) -> None:
    """Nothing is imported against the arrows of the design."""
    room = room_of(module)
    assert room in MAY_IMPORT, f"{module} is in no room yet: give it a row in MAY_IMPORT, by the design's arrows"
    allowed = MAY_IMPORT[room] | {room} | (set() if room == "protocol" else FOR_ALL)
    assert [name for name in sorted(our_imports(module)) if not allowed & {name, room_of(name)}] == []


def test_arrows_run_one_way() -> None:
    """A room imports only rooms that stand before it, so that none can come back to where it began."""
    order = list(MAY_IMPORT)
    assert [
        (room, other)
        for room in order
        for other in MAY_IMPORT[room]
        if room_of(other) not in order[: order.index(room)]
    ] == []


@pytest.mark.parametrize("module", MODULES)
def test_third_parties(module: str) -> None:
    """Each foreign package is imported in one room only."""
    foreign = {name.partition(".")[0] for name in imports(MODULES[module])}
    foreign -= {*sys.stdlib_module_names, "neotoma_hooks"} - {"tomllib"}
    assert [name for name in sorted(foreign) if THIRD_PARTY.get(name) != room_of(module)] == []


def test_one_file_for_each_store() -> None:
    """No store's module knows another store's, so a new one is a new file."""
    kinds = (
        {name.partition(".")[2] for name in MODULES if room_of(name) == "stores"} - SHARED["stores"] - {"__init__", ""}
    )
    for kind in kinds:
        known = {name.partition(".")[2] for name in our_imports(f"stores.{kind}") if room_of(name) == "stores"}
        others = known - SHARED["stores"] - {""}
        assert {other.partition("_")[0] for other in others} <= {kind.partition("_")[0]}


def test_every_room_is_there() -> None:
    """The table speaks of no room that is gone."""
    assert {room_of(module) for module in MODULES} == set(MAY_IMPORT)


@pytest.mark.parametrize("module", MODULES)
def test_docstring(module: str) -> None:
    """Every module says what it is for."""
    assert ast.get_docstring(ast.parse(MODULES[module].read_text(encoding="utf-8")))


def length(module: str) -> int:
    return len(MODULES[module].read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("module", MODULES)
def test_length(module: str) -> None:
    """A module can be read in one sitting."""
    assert length(module) <= 300


def test_most_modules_are_short() -> None:
    """Longer ones are the exception."""
    assert sum(length(module) > 250 for module in MODULES) <= len(MODULES) // 10


# What a hook's process loads: each of these costs more than a hook may spend, and none is needed

NEVER = {
    "argparse",
    "asyncio",
    "click",
    "email",
    "filelock",
    "hooks",
    "http",
    "httpcore",
    "httpx",
    "importlib.metadata",
    "inspect",
    "logging",
    "multiprocessing",
    "neotoma_hooks.cli",
    "neotoma_hooks.courier",
    "neotoma_hooks.install",
    "neotoma_hooks.stores.neotoma",
    "pathlib",
    "shutil",
    "socket",
    "ssl",
    "subprocess",
    "tempfile",
    "tomlkit",
    "tomllib",
    "typing",
    "urllib",
}

# A driver that runs a hook as its interpreter would, and writes down what is loaded when the hook ends
DRIVER = """
import os, sys
before, leave = set(sys.modules), os._exit

def dump(status):
    new = sorted(name for name, module in sys.modules.items() if module and name not in before)
    os.write(int(sys.argv.pop()), "\\n".join(new).encode())
    leave(status)

os._exit = dump
path = sys.argv[1]
with open(path, "rb") as file:
    code = compile(file.read(), path, "exec")
sys.argv[:] = sys.argv[1:]
exec(code, {"__name__": "__main__", "__file__": path})
"""


def loaded(hook: str, event: dict[str, Any], agent: str = "claude-code") -> tuple[set[str], bytes]:
    """The modules that a hook loads for an event, and what it prints."""
    reading, writing = os.pipe()
    words = [sys.executable, "-I", "-c", DRIVER, str(HOOKS / f"{hook}.py"), "--agent", agent, str(writing)]
    done = subprocess.run(
        words, input=json.dumps(event).encode(), stdout=subprocess.PIPE, pass_fds=[writing], timeout=30, check=True
    )
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        modules = set(file.read().decode().split("\n"))
    assert "neotoma_hooks.turns" in modules
    return modules, done.stdout


def never_needed(modules: set[str]) -> list[str]:
    return sorted(name for name in modules if name in NEVER or name.partition(".")[0] in NEVER)


def outcomes() -> list[object]:
    path = Path(os.environ["NEOTOMA_HOOKS_HOME"]) / "state" / "hooks.log"
    return [json.loads(line).get("outcome") for line in path.read_text().splitlines()]


def test_a_hooks_imports_when_nothing_is_found() -> None:
    """A turn in which memory knows nothing loads what it needs and no more."""
    at_prompt, printed = loaded("prompt_submit", prompt("c", "t", "What did Ada Lovelace say about PROJ-42?"))
    at_stop, nothing = loaded("stop", reply("c", "t", "Ada Lovelace said yes."))
    assert (printed, nothing) == (b"", b"")
    assert "sqlite3" in at_prompt & at_stop
    assert never_needed(at_prompt) == []
    assert never_needed(at_stop) == []
    assert "dataclasses" not in at_prompt | at_stop
    assert outcomes() == ["stored", "stored"]


def test_a_hooks_imports_when_something_is_found() -> None:
    """A turn in which memory knows something loads no more than that takes."""
    from neotoma_hooks.paths import find_paths
    from neotoma_hooks.stores.embedded import EmbeddedStore

    store = EmbeddedStore(find_paths(os.environ).embedded_store)
    ada = {"entity_type": "person", "name": "Ada Lovelace"}
    store.put(json.dumps({"entities": [ada], "relationships": [], "idempotency_key": "k"}).encode())
    store.close()
    at_prompt, printed = loaded("prompt_submit", prompt("c", "t", "What did Ada Lovelace say?"))
    at_stop, _ = loaded("stop", reply("c", "t", "Ada Lovelace said yes."))
    assert b"Ada Lovelace" in printed
    # dataclasses brings inspect with it
    assert set(never_needed(at_prompt | at_stop)) <= {"inspect"}
    assert outcomes() == ["stored", "stored"]


def test_a_hooks_imports_when_it_asks_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """The HTTP client comes without its command line and without what asynchronous programs need of it."""
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        modules, _ = loaded("prompt_submit", prompt("c", "t", "What did Ada Lovelace say?"))
    assert "httpx" in modules
    assert not {"anyio", "asyncio", "click", "filelock", "pygments", "sqlite3", "trio"} & modules


def test_only_its_own_agent_and_store() -> None:
    """A hook loads the module of the agent that fired it, and of the store in use."""
    modules, _ = loaded("prompt_submit", {**prompt("c", None, "Hello"), "turn_id": "t", "model": "m"}, "codex")
    names = [name.split(".") for name in modules if name.startswith(("neotoma_hooks.agents.", "neotoma_hooks.stores."))]
    kinds = {(parts[1], parts[2].partition("_")[0]) for parts in names if parts[2] not in SHARED[parts[1]]}
    assert kinds == {("agents", "codex"), ("stores", "embedded")}
