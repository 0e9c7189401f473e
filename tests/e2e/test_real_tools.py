"""Real agents whose model stores something through an MCP server: what the reply refers to, on both stores."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from real_agents import driving, servers
from real_agents.agents import AGENTS, TOOL_SAYS

pytestmark = [
    pytest.mark.real_agents,
    pytest.mark.skipif(bool(driving.why_not()), reason=driving.why_not() or "-"),
    pytest.mark.timeout(600),
]

CLI = [sys.executable, "-m", "neotoma_hooks.cli"]
PROMPT = "Keep what I told you."
REPLY = "It is kept."


@pytest.mark.parametrize("store", ["embedded", "server"])
@pytest.mark.parametrize("agent", AGENTS)
def test_what_the_model_stores_is_what_the_reply_refers_to(tmp_path: Path, agent: str, store: str) -> None:
    """The hook runs for the memory's tool and not for the shell; the settings come back as they were."""
    row = AGENTS[agent]
    home = tmp_path / "agent home"
    home.mkdir()
    settings = driving.prepare(agent, home)
    answer = home / "answer.json"
    call = servers.tell(agent, home, answer)
    before = settings.read_bytes() if settings.exists() else None
    done = driving.run(
        agent,
        home,
        PROMPT,
        [{"text": "Looking.", **row.tool}, {"text": "Storing.", **call}, {"text": REPLY}],
        server=home / "server.jsonl" if store == "server" else None,
        before=[
            [sys.executable, str(servers.SERVER), "prepare", str(answer), "Grace Hopper"],
            [*CLI, "install", row.hooks],
        ],
        after=[[*CLI, "flush"], [*CLI, "turns", "--json"], [*CLI, "log", "--json"], [*CLI, "uninstall", row.hooks]],
    )
    for other in (done["agent"], *done["before"], *done["after"]):
        assert other["status"] == 0, other
    sent = [json.dumps(request["body"]) for request in done["requests"] if request["body"].get("tools")]
    assert TOOL_SAYS in sent[-1]
    assert "SOURCE_PRIORITY_ESCALATION" in sent[-1]
    (turn,) = json.loads(done["after"][1]["out"])
    assert turn["assistant"]["content"] == (f"Looking.\nStoring.\n{REPLY}" if row.says_all else REPLY)
    assert [entity["name"] for entity in turn["assistant"]["refers_to"]] == ["Grace Hopper"]
    assert turn["user"]["refers_to"] == []
    fired = [json.loads(line) for line in done["after"][2]["out"].splitlines()]
    used = [line for line in fired if line["hook"] == "tool_use"]
    assert [line["outcome"] for line in used] == ["noted"]
    assert (settings.read_bytes() if settings.exists() else None) == before
