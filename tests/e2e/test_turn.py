"""Whole turns through the hook executables, as an agent runs them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from support.firing import Fired, fire, hook_lines, prompt, reply, stored_turns
from support.memory import Memory

QUESTION = "What did Ada Lovelace say about Acme Corp?"
ANSWER = "Ada Lovelace said yes."


def names(message: dict[str, Any]) -> list[str]:
    return sorted(entity["name"] for entity in message["refers_to"])


@pytest.fixture
def known(memory: Memory) -> Memory:
    memory.remember("Ada Lovelace", "person", "--set", "role=mathematician")
    memory.remember("Acme Corp", "company")
    return memory


def whole_turn(conversation: str, turn: str | None, question: str = QUESTION, answer: str | None = ANSWER) -> Fired:
    asked = fire("prompt_submit", prompt(conversation, turn, question)).assert_harmless()
    said = fire("stop", reply(conversation, turn, answer)).assert_harmless()
    assert said.out == b""
    return asked


def test_turn_is_looked_up_handed_over_stored_and_linked(known: Memory) -> None:
    """The agent is told of both entities; the message refers to both, the reply to the one it cites."""
    asked = whole_turn("c1", "t1")
    assert "Ada Lovelace (person" in asked.context
    assert "role: mathematician" in asked.context
    assert "Acme Corp (company" in asked.context
    known.settle()
    (turn,) = stored_turns()
    assert (turn["conversation_id"], turn["turn_id"], turn["turn_number"], turn["status"]) == (
        "c1",
        "t1",
        1,
        "answered",
    )
    user, assistant = turn["user"], turn["assistant"]
    assert (user["content"], user["turn_key"], names(user)) == (QUESTION, "c1:t1", ["Acme Corp", "Ada Lovelace"])
    assert (assistant["content"], assistant["turn_key"]) == (ANSWER, "c1:t1:assistant")
    assert names(assistant) == ["Ada Lovelace"]
    assert user["part_of"] == assistant["part_of"]


def test_second_prompt_is_the_second_turn(known: Memory) -> None:
    """A resumed conversation goes on counting."""
    whole_turn("c1", "t1")
    whole_turn("c1", "t2", "and then?", "Nothing.")
    known.settle()
    turns = stored_turns()
    assert [(turn["turn_id"], turn["turn_number"]) for turn in turns] == [("t1", 1), ("t2", 2)]
    assert len({turn["user"]["part_of"] for turn in turns}) == 1


@pytest.mark.parametrize("turn", ["t1", None], ids=["with-turn-id", "without-turn-id"])
def test_events_that_fire_again_change_nothing(known: Memory, turn: str | None) -> None:
    """A double registration, one after the other: the same rows and edges as once."""
    for _ in range(2):
        fire("prompt_submit", prompt("c1", turn, QUESTION)).assert_harmless()
    for _ in range(2):
        fire("stop", reply("c1", turn, ANSWER)).assert_harmless()
    known.settle()
    (stored,) = stored_turns()
    assert stored["user"]["content"] == QUESTION
    assert stored["assistant"]["content"] == ANSWER
    assert names(stored["user"]) == ["Acme Corp", "Ada Lovelace"]


@pytest.mark.parametrize("turn", ["t1", None], ids=["with-turn-id", "without-turn-id"])
def test_events_that_fire_at_once_change_nothing(known: Memory, turn: str | None) -> None:
    """Five hooks at the same moment: the same rows and edges as once."""
    with ThreadPoolExecutor(5) as pool:
        for hook, event in (("prompt_submit", prompt("c1", turn, QUESTION)), ("stop", reply("c1", turn, ANSWER))):
            for fired in pool.map(lambda _, hook=hook, event=event: fire(hook, event), range(5)):
                fired.assert_harmless()
    known.settle()
    (stored,) = stored_turns()
    assert stored["status"] == "answered"
    assert names(stored["user"]) == ["Acme Corp", "Ada Lovelace"]


def test_same_words_twice_are_two_turns(memory: Memory) -> None:
    """Without ids of the agent's, a reply in between tells a new prompt from a repeated event."""
    for _ in range(2):
        fire("prompt_submit", prompt("c1", None, "continue")).assert_harmless()
        fire("stop", reply("c1", None, "Went on.")).assert_harmless()
    memory.settle()
    turns = stored_turns()
    assert [turn["status"] for turn in turns] == ["answered", "answered"]
    assert turns[0]["turn_id"] != turns[1]["turn_id"]


def test_prompts_queued_in_claude_code_are_merged_into_one_reply(memory: Memory) -> None:
    """2.1.332: B and C come with A's id; their one reply comes with an id that no prompt had."""
    fire("prompt_submit", prompt("c1", "a", "prompt A"))
    fire("prompt_submit", prompt("c1", "a", "prompt B"))
    fire("prompt_submit", prompt("c1", "a", "prompt C"))
    fire("stop", reply("c1", "a", "reply to A"))
    fire("stop", reply("c1", "x", "reply to B and C"))
    memory.settle()
    told = [
        (turn["turn_id"], turn["status"], turn["assistant"] and turn["assistant"]["content"]) for turn in stored_turns()
    ]
    assert told == [("a", "answered", "reply to A"), ("a~2", "merged", None), ("a~3", "answered", "reply to B and C")]


def test_prompt_typed_into_a_running_codex_turn_is_answered_with_it(memory: Memory) -> None:
    """Two prompts with one turn id, one reply: the first is merged into the second."""
    common = {"session_id": "c1", "turn_id": "t1", "model": "m", "cwd": "/", "transcript_path": None}
    for text in ("prompt A", "prompt B"):
        fire(
            "prompt_submit", {**common, "hook_event_name": "UserPromptSubmit", "prompt": text}, "codex"
        ).assert_harmless()
    stop = {**common, "hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": "both done"}
    fire("stop", stop, "codex").assert_harmless()
    memory.settle()
    told = [
        (turn["turn_id"], turn["status"], turn["assistant"] and turn["assistant"]["content"]) for turn in stored_turns()
    ]
    assert told == [("t1", "merged", None), ("t1~2", "answered", "both done")]


def test_interrupted_turn_is_closed_by_the_next_prompt(memory: Memory) -> None:
    """Esc fires nothing: the message stays, and no reply is invented."""
    fire("prompt_submit", prompt("c1", "t1", "never answered"))
    whole_turn("c1", "t2", "answered", "Yes.")
    memory.settle()
    assert [(turn["turn_id"], turn["status"]) for turn in stored_turns()] == [("t1", "interrupted"), ("t2", "answered")]


def test_second_reply_after_a_stop_hook_is_a_turn_of_its_own(memory: Memory) -> None:
    """A stop hook of somebody else's sent the agent on: both replies are kept."""
    whole_turn("c1", "t1", "do it", "First try.")
    fire("stop", reply("c1", "t1", "Second try.", stop_hook_active=True))
    memory.settle()
    told = [(turn["turn_id"], turn["user"] is None, turn["assistant"]["content"]) for turn in stored_turns()]
    assert told == [("t1", False, "First try."), ("t1~2", True, "Second try.")]


def test_reply_without_a_prompt_is_a_turn_of_its_own(memory: Memory) -> None:
    """`!command` in Claude Code ends with a Stop that no prompt went before."""
    fire("stop", reply("c1", "t1", "The command printed nothing."))
    memory.settle()
    (turn,) = stored_turns()
    assert (turn["user"], turn["status"], turn["assistant"]["content"]) == (
        None,
        "answered",
        "The command printed nothing.",
    )


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (prompt("c1", "t1", "<task-notification>\n<task-id>a</task-id></task-notification>"), "made by a machine"),
        (prompt("c1", "t1", ""), "empty prompt"),
        (prompt("c1", "t1", "hi", agent_id="a1"), "a subagent's event"),
        (reply("c1", "t1", "API Error: 400", hook_event_name="StopFailure"), "API error"),
        (reply("c1", "t1", "report", hook_event_name="SubagentStop"), "a subagent's event"),
    ],
)
def test_what_is_no_turn_of_the_users_is_logged_and_not_stored(
    memory: Memory, event: dict[str, Any], reason: str
) -> None:
    """Recognised, one line in the hook log, nothing in the memory, nothing set aside."""
    for hook in ("prompt_submit", "stop"):
        assert fire(hook, event).assert_harmless().out == b""
        assert reason in hook_lines()[-1]["outcome"]
        assert "error" not in hook_lines()[-1]
    memory.settle()
    assert stored_turns() == []


def test_reply_to_a_machine_made_prompt_closes_nobody_elses_turn(memory: Memory) -> None:
    """A background task reports while the person's prompt is still being worked on."""
    fire("prompt_submit", prompt("c1", "t1", "my question"))
    fire("prompt_submit", prompt("c1", "n1", "<task-notification>done</task-notification>"))
    fire("stop", reply("c1", "n1", "The task is done."))
    fire("stop", reply("c1", "t1", "My answer."))
    memory.settle()
    told = {turn["turn_id"]: (turn["user"] is None, turn["assistant"]["content"]) for turn in stored_turns()}
    assert told == {"t1": (False, "My answer."), "n1": (True, "The task is done.")}


@pytest.mark.parametrize(
    "text",
    [
        "  white space at both ends \t\n",
        "line\r\nline\rline\n",
        "nul \0 inside",
        "lone \ud83d surrogate",
        "\U0001f680 and \u202eright to left\u202c",
        "x" * 1_000_000,
    ],
    ids=["spaces", "crlf", "nul", "surrogate", "unicode", "megabyte"],
)
def test_content_is_stored_code_point_for_code_point(memory: Memory, text: str) -> None:
    """G3, for both halves."""
    whole_turn("c1", "t1", text, text)
    memory.settle()
    (turn,) = stored_turns()
    assert turn["user"]["content"] == text
    assert turn["assistant"]["content"] == text


def test_reply_that_brings_in_a_known_entity_is_linked_to_it(known: Memory) -> None:
    """What the reply names and the prompt did not is looked up as well."""
    whole_turn("c1", "t1", "who was it?", "It was Ada Lovelace.")
    known.settle()
    (turn,) = stored_turns()
    assert turn["user"]["refers_to"] == []
    assert names(turn["assistant"]) == ["Ada Lovelace"]


def test_two_conversations_are_never_mixed(memory: Memory) -> None:
    """Sessions side by side in one home."""
    fire("prompt_submit", prompt("c1", None, "one"))
    fire("prompt_submit", prompt("c2", None, "two"))
    fire("stop", reply("c1", None, "reply one"))
    fire("stop", reply("c2", None, "reply two"))
    memory.settle()
    told = {turn["conversation_id"]: (turn["user"]["content"], turn["assistant"]["content"]) for turn in stored_turns()}
    assert told == {"c1": ("one", "reply one"), "c2": ("two", "reply two")}


def test_log_has_one_line_for_each_firing_and_no_message_text(known: Memory) -> None:
    """G6 and G7."""
    whole_turn("c1", "t1")
    asked, said = hook_lines()
    assert (asked["hook"], asked["agent"], asked["conversation"], asked["turn"]) == (
        "prompt_submit",
        "claude-code",
        "c1",
        "t1",
    )
    assert len(asked["found"]) == 2
    assert said["refers_to"] == 1
    assert asked["outcome"] == said["outcome"] == ("queued" if known.is_server else "stored")
    assert "Lovelace" not in str(hook_lines())
