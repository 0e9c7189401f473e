"""The README's table of agents is the registry's; `python tests/test_readme.py` writes its rows anew."""

from __future__ import annotations

import re
from pathlib import Path

from neotoma_hooks.agents.base import Agent
from neotoma_hooks.agents.registry import NAMES, agent

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
HEAD = "| agent | measured with | settings file | what is not captured | what is left for you to do |"
RULE = "|---|---|---|---|---|"


def row(known: Agent) -> str:
    """An agent's row, from what its module says."""
    cells = [
        f"{known.title} (`{known.name}`)",
        ", ".join(known.measured),
        f"`{known.settings_file({}, '~')}`",
        " ".join(known.not_captured),
        " ".join(known.trust_steps),
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") or "–" for cell in cells) + " |"


def table() -> str:
    """The whole table."""
    return "\n".join([HEAD, RULE, *(row(agent(name)) for name in NAMES)])


def parts() -> tuple[str, str, str]:
    """What the README has before its table, the table, and what it has behind."""
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition("## Agents\n")
    between, bar, rows = rest.partition("|")
    lines = (bar + rows).splitlines(keepends=True)
    count = next(index for index, line in enumerate(lines) if not line.startswith("|"))
    return before + "## Agents\n" + between, "".join(lines[:count]).rstrip("\n"), "".join(lines[count:])


def test_table_of_agents_is_the_registrys() -> None:
    """Names, versions, settings files, what is not captured, what is left to do: all of it, in the registry's order."""
    assert parts()[1] == table()


def adding_an_agent() -> str:
    """The section that shows how."""
    return README.read_text(encoding="utf-8").partition("### Adding an agent\n")[2].partition("\n## ")[0]


def named_files(text: str) -> list[str]:
    """What stands between backquotes and is a path below the repository."""
    return re.findall(r"`((?:lib|tests)/[\w./-]+)`", text)


def test_adding_an_agent_is_short_and_names_files_that_are_there() -> None:
    """With what it says of them: what a row names in backquotes stands in one of the files of that row."""
    text = adding_an_agent()
    assert 0 < text.count("\n") < 45
    assert all((ROOT / path).exists() for path in named_files(text))
    rows = [line.split(" | ", 1) for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) == 7
    for files, told in rows:
        paths = [ROOT / path for path in named_files(files)]
        held = "".join(path.read_text(encoding="utf-8") for path in paths)
        names = [name for name in re.findall(r"`([^`]+)`", told) if "/" not in name and name != "measured"]
        assert [name for name in names if name not in held] == []


def test_adding_an_agent_names_what_an_agent_says() -> None:
    """Each name before a colon is one of `Agent`'s, and the agent of the example has its module and its row."""
    text = adding_an_agent()
    names = [name for head in re.findall(r"^- ([^:]+):", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", head)]
    names += [*re.findall(r"; `(\w+)`:", text), "measured"]
    assert [name for name in names if not hasattr(Agent, name)] == []
    assert len(names) == 12
    assert type(agent("goose")).__module__ == "neotoma_hooks.agents.goose"


def test_commands_for_those_who_work_on_it_are_there() -> None:
    """Each is a file that can be run."""
    text = README.read_text(encoding="utf-8").partition("## For those who work on it\n")[2].partition("###")[0]
    commands = re.findall(r"^\| `(tests/[\w/]+)", text, re.MULTILINE)
    assert set(commands) == {"tests/run", "tests/bench/run", "tests/bench/compare", "tests/score"}
    assert all((ROOT / command).stat().st_mode & 0o111 for command in commands)


if __name__ == "__main__":
    before, _, behind = parts()
    README.write_text(before + table() + "\n" + behind, encoding="utf-8")
