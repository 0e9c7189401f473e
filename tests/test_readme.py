"""The README's table of agents is the registry's; `python tests/test_readme.py` writes its rows anew."""

from __future__ import annotations

from pathlib import Path

from neotoma_hooks.agents.base import Agent
from neotoma_hooks.agents.registry import NAMES, agent

README = Path(__file__).resolve().parents[1] / "README.md"
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


if __name__ == "__main__":
    before, _, behind = parts()
    README.write_text(before + table() + "\n" + behind, encoding="utf-8")
