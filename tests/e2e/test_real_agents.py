"""Whole turns of real agents through the installed hooks, on both stores.

Measured on two cores that were shared with other work, 2026-12-01: from an empty folder, npm installs the nine agents
in 80 to 100 seconds (2 GB); all 18 talks one after the other then take nine minutes, of which 210 seconds are processor
time. `.ci/run` drives each agent on one store, two at a time: 236 seconds with the installation.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from real_agents import driving
from real_agents.agents import AGENTS, TOOL_SAYS

pytestmark = [
    pytest.mark.real_agents,
    pytest.mark.skipif(bool(driving.why_not()), reason=driving.why_not() or "-"),
    pytest.mark.timeout(600),
]

CLI = [sys.executable, "-m", "neotoma_hooks.cli"]
QUESTION = "What did Ada Lovelace say about Acme Corp?"
ANSWER = "Ada Lovelace said yes."


class Talk:
    """One conversation with an agent, in a home of its own: each `ask` is a process, and all but the first resume."""

    def __init__(self, agent: str, home: Path, server: Path | None) -> None:
        self.agent = agent
        self.home = home
        self.server = server
        self.asked = 0

    def ask(
        self,
        prompt: str,
        script: list[dict[str, Any]],
        *,
        before: Sequence[Sequence[str]] = (),
        after: Sequence[Sequence[str]] = (),
        fails: bool = False,
    ) -> tuple[list[dict[str, Any]], list[str]]:
        """The stored turns after this one, and the bodies of the requests that offered tools to the model."""
        done = driving.run(
            self.agent,
            self.home,
            prompt,
            script,
            resume=self.asked > 0,
            server=self.server,
            before=before,
            after=[[*CLI, "flush"], [*CLI, "turns", "--json"], *after],
        )
        self.asked += 1
        for other in (*done["before"], *done["after"]):
            assert other["status"] == 0, other
        assert (done["agent"]["status"] != 0) is fails, done["agent"]
        if not fails:
            assert script[-1]["text"] in done["agent"]["out"]
        sent = [json.dumps(request["body"]) for request in done["requests"] if request["body"].get("tools")]
        return json.loads(done["after"][1]["out"]), sent


def names(message: dict[str, Any]) -> list[str]:
    return sorted(entity["name"] for entity in message["refers_to"])


def said(turn: dict[str, Any]) -> tuple[str, str | None]:
    return turn["user"]["content"], turn["assistant"] and turn["assistant"]["content"]


def content(path: Path) -> bytes | bool:
    """A file's bytes; of a folder and of nothing, whether it is there."""
    return path.read_bytes() if path.is_file() else path.exists()


def tells_both(body: str) -> bool:
    return "Ada Lovelace (person" in body and "Acme Corp (company" in body


@pytest.mark.parametrize("store", ["embedded", "server"])
@pytest.mark.parametrize("agent", AGENTS)
def test_talk(tmp_path: Path, agent: str, store: str) -> None:
    """A turn, one with a tool call, one that fails, one after that: the model knows what memory knows, the turns are
    stored and linked, and the settings come back."""
    row = AGENTS[agent]
    home = tmp_path / "agent home"
    home.mkdir()
    settings = driving.prepare(agent, home)
    files = [settings, *(home / name for name in row.files), settings.parent]
    original = [content(path) for path in files]
    talk = Talk(agent, home, home / "server.jsonl" if store == "server" else None)
    remembered = [["Ada Lovelace", "--type", "person"], ["Acme Corp", "--type", "company"]]
    prepared = [*([*CLI, "remember", *words] for words in remembered), [*CLI, "install", row.hooks]]

    turns, sent = talk.ask(QUESTION, [{"text": ANSWER}], before=prepared)
    assert content(settings) != original[0]
    assert [said(turn) for turn in turns] == [(QUESTION, ANSWER)]
    assert tells_both(sent[-1])
    assert names(turns[0]["user"]) == ["Acme Corp", "Ada Lovelace"]
    assert names(turns[0]["assistant"]) == ["Ada Lovelace"]

    turns, sent = talk.ask("Count for Ada Lovelace.", [{"text": "Looking.", **row.tool}, {"text": "It is 42."}])
    assert said(turns[1]) == ("Count for Ada Lovelace.", "Looking.\nIt is 42." if row.says_all else "It is 42.")
    assert names(turns[1]["user"]) == ["Ada Lovelace"]
    # A resumed session knows it too, from its record or because it is told again
    assert "Ada Lovelace (person" in sent[-1]
    assert TOOL_SAYS in sent[-1]

    turns, _ = talk.ask("Does it fail?", [{"status": 400}], fails=True)
    assert said(turns[2]) == ("Does it fail?", None)
    assert turns[2]["status"] in ("open", "interrupted")

    turns, _ = talk.ask("And then?", [{"text": "Then nothing."}], after=[[*CLI, "uninstall", row.hooks]])
    assert said(turns[3]) == ("And then?", "Then nothing.")
    assert [turn["turn_number"] for turn in turns] == [1, 2, 3, 4]
    assert [turn["status"] for turn in turns] == ["answered", "answered", "interrupted", "answered"]
    assert len({turn["conversation_id"] for turn in turns}) == 1
    assert [content(path) for path in files] == original
