"""Whole turns of real agents through the installed hooks, on both stores."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from real_agents import driving

pytestmark = [
    pytest.mark.real_agents,
    pytest.mark.skipif(bool(driving.why_not()), reason=driving.why_not() or "-"),
    pytest.mark.timeout(600),
]

CLI = [sys.executable, "-m", "neotoma_hooks.cli"]
QUESTION = "What did Ada Lovelace say about Acme Corp?"
ANSWER = "Ada Lovelace said yes."


def names(message: dict[str, Any]) -> list[str]:
    return sorted(entity["name"] for entity in message["refers_to"])


@pytest.mark.parametrize("store", ["embedded", "server"])
@pytest.mark.parametrize(
    "agent", ["claude-code", "claude-code-2.1.197", "claude-code-2.0.76", "claude-code-1.0.128", "codex"]
)
def test_turn_and_resumed_turn(tmp_path: Path, agent: str, store: str) -> None:
    """Install, ask, resume, uninstall: context reaches the model, turns are stored and linked, settings come back."""
    home = tmp_path / "agent home"
    home.mkdir()
    settings = driving.prepare(agent, home)
    original = settings.read_bytes() if settings.exists() else None
    name = "codex" if agent == "codex" else "claude-code"
    server = home / "server.jsonl" if store == "server" else None
    first = driving.run(
        agent,
        home,
        QUESTION,
        [{"text": ANSWER}],
        server=server,
        before=[
            [*CLI, "remember", "Ada Lovelace", "--type", "person"],
            [*CLI, "remember", "Acme Corp", "--type", "company"],
            [*CLI, "install", name],
        ],
        after=[[*CLI, "flush"], [*CLI, "turns", "--json"]],
    )
    for done in (*first["before"], first["agent"], *first["after"]):
        assert done["status"] == 0, done
    assert ANSWER in first["agent"]["out"]
    sent = [json.dumps(request["body"]) for request in first["requests"] if request["body"].get("tools")]
    assert any("Ada Lovelace (person" in body and "Acme Corp (company" in body for body in sent)
    (turn,) = json.loads(first["after"][1]["out"])
    assert (turn["user"]["content"], turn["assistant"]["content"]) == (QUESTION, ANSWER)
    assert names(turn["user"]) == ["Acme Corp", "Ada Lovelace"]
    assert names(turn["assistant"]) == ["Ada Lovelace"]

    second = driving.run(
        agent,
        home,
        "And then?",
        [{"text": "Then nothing."}],
        resume=True,
        server=server,
        after=[[*CLI, "flush"], [*CLI, "turns", "--json"], [*CLI, "uninstall", name]],
    )
    for done in (second["agent"], *second["after"]):
        assert done["status"] == 0, done
    turns = json.loads(second["after"][1]["out"])
    assert [turn["turn_number"] for turn in turns] == [1, 2]
    assert len({turn["conversation_id"] for turn in turns}) == 1
    assert [turn["status"] for turn in turns] == ["answered", "answered"]
    assert (settings.read_bytes() if settings.exists() else None) == original
