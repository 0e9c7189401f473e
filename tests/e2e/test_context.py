"""What the agent is told, over several turns."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from standin import StandIn, faults
from support.firing import fire, log_lines, neotoma_hooks, prompt, reply, stored_turns
from support.memory import Memory

ASK = "What did Ada Lovelace say?"


def asked(turn: str, text: str = ASK, conversation: str = "c1") -> str:
    context = fire("prompt_submit", prompt(conversation, turn, text)).assert_harmless().context
    fire("stop", reply(conversation, turn, "done"))
    return context


def test_entity_is_given_once_in_a_conversation(memory: Memory) -> None:
    """Given again only when it has changed; another conversation is told anew; the edges are there all the same."""
    memory.remember("Ada Lovelace", "person", "--set", "role=mathematician")
    assert "mathematician" in asked("t1")
    assert asked("t2") == ""
    assert "mathematician" in asked("t3", conversation="c2")
    memory.remember("Ada Lovelace", "person", "--set", "role=countess")
    assert "countess" in asked("t4")
    memory.settle()
    assert all(len(turn["user"]["refers_to"]) == 1 for turn in stored_turns())


@pytest.mark.parametrize(
    "event", [{"hook_event_name": "SessionStart", "source": "compact"}, {"hook_event_name": "PostCompact"}]
)
def test_entity_is_given_again_after_the_context_was_compacted(memory: Memory, event: dict[str, str]) -> None:
    """The model does not know any more what it was told."""
    memory.remember("Ada Lovelace", "person")
    assert asked("t1")
    assert asked("t2") == ""
    assert fire("prompt_submit", {"session_id": "c1", "cwd": "/", **event}).assert_harmless().out == b""
    assert log_lines()[-1]["outcome"] in ("the context was cleared", "queued") or log_lines()[-1]["hook"] == "courier"
    assert asked("t3")


def test_older_claude_code_is_told_each_time(memory: Memory) -> None:
    """2.0.76 forgets what hooks told it when a session is resumed; it gives turns no id."""
    memory.remember("Ada Lovelace", "person")
    for text in (ASK, f"Again: {ASK}"):
        assert fire("prompt_submit", prompt("c1", None, text)).context


def test_codex_is_told_each_time(memory: Memory) -> None:
    """It does not say when it compacts, so nothing can be taken to be known."""
    memory.remember("Ada Lovelace", "person")
    common = {
        "session_id": "c1",
        "model": "m",
        "cwd": "/",
        "transcript_path": None,
        "hook_event_name": "UserPromptSubmit",
    }
    for turn in ("t1", "t2"):
        assert fire("prompt_submit", {**common, "turn_id": turn, "prompt": ASK}, "codex").context


@pytest.mark.parametrize("away", [True, False], ids=["away", "slow"])
def test_messages_are_linked_also_when_nothing_could_be_looked_up(monkeypatch: pytest.MonkeyPatch, away: bool) -> None:
    """What the hooks could not learn of prompt and reply is asked for once the server answers, and not before."""
    monkeypatch.setenv("NEOTOMA_HOOKS_LOOKUP_SECONDS", "0.3")
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        server.remember("person", "Ada Lovelace")
        server.remember("company", "Acme Corp")
        with server.away() if away else nullcontext():
            server.misbehave(faults.never_answer, path="/retrieve")
            for turn in ("t1", "t2"):
                assert fire("prompt_submit", prompt("c1", turn, ASK)).assert_harmless().context == ""
                fire("stop", reply("c1", turn, "It was Acme Corp.")).assert_harmless()
            if away:
                neotoma_hooks("flush", check=False)
        server.behave()
        Memory(server).settle()
        for stored in stored_turns():
            assert [entity["name"] for entity in stored["user"]["refers_to"]] == ["Ada Lovelace"]
            assert [entity["name"] for entity in stored["assistant"]["refers_to"]] == ["Acme Corp"]
        assert len(server.entities("conversation_message")) == 4


def test_look_up_that_comes_too_late_is_there_for_the_next_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow server costs the first prompt its context, not the second."""
    monkeypatch.setenv("NEOTOMA_HOOKS_LOOKUP_SECONDS", "0.3")
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        server.remember("person", "Ada Lovelace", role="mathematician")
        server.misbehave(delay=0.6)
        assert fire("prompt_submit", prompt("c1", "t1", ASK)).assert_harmless().context == ""
        server.behave()
        for _ in range(100):
            neotoma_hooks("flush", check=False)
            if server.entities("conversation_message"):
                break
        with server.away():
            assert "mathematician" in fire("prompt_submit", prompt("c1", "t2", ASK)).assert_harmless().context
