from __future__ import annotations

import json
import os
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neotoma_hooks.agents import transcript
from neotoma_hooks.agents.base import Agent
from neotoma_hooks.agents.claude_code import exchanges
from neotoma_hooks.agents.events import ContextCleared, NotATurn, PromptSubmitted, ReplyFinished, ToolUsed, TurnFailed
from neotoma_hooks.agents.registry import agent, recognise
from neotoma_hooks.agents.transcript import BLOCK_BYTES, LARGEST_TAIL_BYTES, MOST_EXCHANGES, lines_from_the_end
from neotoma_hooks.errors import EventError, TranscriptUnreadable
from neotoma_hooks.protocol.produced import produced_in

if TYPE_CHECKING:
    from neotoma_hooks.agents.events import Event

EVENTS = Path(__file__).parent / "events"

# The agents whose payloads are here
NAMES = ("claude-code", "codex")
AGENT_OF = {
    "claude": "claude-code",
    "claude-2.1.197": "claude-code",
    "claude-2.0.76": "claude-code",
    "claude-1.0.128": "claude-code",
    "codex": "codex",
}

# What each captured payload means: its kind, conversation, turn, and the text (a reason where there is none)
TABLE: list[tuple[str, type, str, str | None, str | None]] = [
    ("claude/PostCompact", ContextCleared, "9cfe347c-232f-49cb-9d08-bea8da5e05c2", None, None),
    (
        "claude/PostToolBatch",
        NotATurn,
        "d7c4d34c-2406-48b7-bce7-20b7563e3ae5",
        None,
        "no event of a turn: PostToolBatch",
    ),
    (
        "claude/PostToolUse",
        NotATurn,
        "d7c4d34c-2406-48b7-bce7-20b7563e3ae5",
        None,
        "a tool that stores nothing in the memory",
    ),
    (
        "claude/PostToolUse.store",
        ToolUsed,
        "5d6be987-b469-467f-99a6-2e48472b742d",
        "d1197089-631f-464e-9b6b-3e2eb029948b",
        "ent_0123456789abcdef01234567",
    ),
    ("claude/PreCompact", NotATurn, "9cfe347c-232f-49cb-9d08-bea8da5e05c2", None, "no event of a turn: PreCompact"),
    ("claude/PreToolUse", NotATurn, "d7c4d34c-2406-48b7-bce7-20b7563e3ae5", None, "no event of a turn: PreToolUse"),
    (
        "claude/SessionEnd.clear",
        NotATurn,
        "9ebe678e-2aba-4111-b208-d33daa839fe7",
        None,
        "no event of a turn: SessionEnd",
    ),
    (
        "claude/SessionEnd.interactive-exit",
        NotATurn,
        "2b77c9a2-4863-4020-a5d0-4e190c081f2f",
        None,
        "no event of a turn: SessionEnd",
    ),
    ("claude/SessionEnd", NotATurn, "d7c4d34c-2406-48b7-bce7-20b7563e3ae5", None, "no event of a turn: SessionEnd"),
    (
        "claude/SessionStart.clear",
        ContextCleared,
        "2b77c9a2-4863-4020-a5d0-4e190c081f2f",
        None,
        None,
    ),
    (
        "claude/SessionStart.compact",
        ContextCleared,
        "9cfe347c-232f-49cb-9d08-bea8da5e05c2",
        None,
        None,
    ),
    (
        "claude/SessionStart.fork",
        NotATurn,
        "3ae3750e-ebe8-4994-89b2-1de827e11186",
        None,
        "no event of a turn: SessionStart",
    ),
    (
        "claude/SessionStart.interactive",
        NotATurn,
        "9ebe678e-2aba-4111-b208-d33daa839fe7",
        None,
        "no event of a turn: SessionStart",
    ),
    ("claude/SessionStart", NotATurn, "d7c4d34c-2406-48b7-bce7-20b7563e3ae5", None, "no event of a turn: SessionStart"),
    (
        "claude/SessionStart.resume",
        NotATurn,
        "cc0f5f1a-9634-4eda-a937-b5013485c147",
        None,
        "no event of a turn: SessionStart",
    ),
    (
        "claude/Stop.after-queued",
        ReplyFinished,
        "9cfe347c-232f-49cb-9d08-bea8da5e05c2",
        "eb1396ab-a6a3-4ca2-8b9c-5db83cca90dc",
        "FAKE-REPLY-3",
    ),
    (
        "claude/Stop.empty-reply",
        ReplyFinished,
        "89094f5e-5115-4dc4-b6e4-2cb3180d6704",
        "3dea831e-6509-4b20-b348-619523f59460",
        None,
    ),
    (
        "claude/Stop.interactive",
        ReplyFinished,
        "9ebe678e-2aba-4111-b208-d33daa839fe7",
        "c5e4f7a8-6be9-42c2-a946-b41051b3506f",
        "FAKE-REPLY-1",
    ),
    (
        "claude/Stop",
        ReplyFinished,
        "d7c4d34c-2406-48b7-bce7-20b7563e3ae5",
        "06d369d6-1ef6-42b7-a331-e4218d01c856",
        "FAKE-REPLY-2",
    ),
    (
        "claude/Stop.second-after-block",
        ReplyFinished,
        "c743e56d-2213-4968-9f2c-09e9053f806d",
        "bab0f717-f8b3-44e0-8be7-812f7aac8a09",
        "FAKE-REPLY-2",
    ),
    (
        "claude/StopFailure",
        TurnFailed,
        "b00bfbd8-2383-40a6-88b5-d678d3976412",
        "5f06e543-c6f7-4e7e-8b89-c262c3eb458d",
        "the agent reported an API error",
    ),
    ("claude/SubagentStart", NotATurn, "c25c7c3e-7952-4f62-b195-d6431dad89cd", None, "a subagent's event"),
    ("claude/SubagentStop.internal-fork", NotATurn, "9cfe347c-232f-49cb-9d08-bea8da5e05c2", None, "a subagent's event"),
    ("claude/SubagentStop", NotATurn, "c25c7c3e-7952-4f62-b195-d6431dad89cd", None, "a subagent's event"),
    (
        "claude/UserPromptSubmit.interactive",
        PromptSubmitted,
        "9ebe678e-2aba-4111-b208-d33daa839fe7",
        "c5e4f7a8-6be9-42c2-a946-b41051b3506f",
        "first prompt here",
    ),
    (
        "claude/UserPromptSubmit",
        PromptSubmitted,
        "d7c4d34c-2406-48b7-bce7-20b7563e3ae5",
        "06d369d6-1ef6-42b7-a331-e4218d01c856",
        'please run it\nFAKE_TOOL Bash {"command":"echo hi","description":"say hi"}',
    ),
    (
        "claude/UserPromptSubmit.queued",
        PromptSubmitted,
        "9cfe347c-232f-49cb-9d08-bea8da5e05c2",
        "8b608838-9b0f-46f3-8173-22ab91daa376",
        "prompt B queued",
    ),
    (
        "claude/UserPromptSubmit.task-notification",
        NotATurn,
        "c25c7c3e-7952-4f62-b195-d6431dad89cd",
        "8beff574-e092-4942-a30a-b4257c592b2f",
        "prompt made by a machine",
    ),
    (
        "claude-2.1.197/PostToolBatch",
        NotATurn,
        "1bb96d4e-b4f2-41ad-a423-33913838f988",
        None,
        "no event of a turn: PostToolBatch",
    ),
    (
        "claude-2.1.197/PostToolUse",
        NotATurn,
        "1bb96d4e-b4f2-41ad-a423-33913838f988",
        None,
        "a tool that stores nothing in the memory",
    ),
    (
        "claude-2.1.197/PreToolUse",
        NotATurn,
        "1bb96d4e-b4f2-41ad-a423-33913838f988",
        None,
        "no event of a turn: PreToolUse",
    ),
    (
        "claude-2.1.197/SessionEnd",
        NotATurn,
        "1bb96d4e-b4f2-41ad-a423-33913838f988",
        None,
        "no event of a turn: SessionEnd",
    ),
    (
        "claude-2.1.197/SessionStart",
        NotATurn,
        "1bb96d4e-b4f2-41ad-a423-33913838f988",
        None,
        "no event of a turn: SessionStart",
    ),
    (
        "claude-2.1.197/SessionStart.resume",
        NotATurn,
        "35c24fea-4488-4f1b-90a2-9bb463ad39ce",
        None,
        "no event of a turn: SessionStart",
    ),
    (
        "claude-2.1.197/Stop",
        ReplyFinished,
        "1bb96d4e-b4f2-41ad-a423-33913838f988",
        "4897a006-55c2-4554-9bc4-2130e65d2f45",
        "FAKE-REPLY-2",
    ),
    (
        "claude-2.1.197/StopFailure",
        TurnFailed,
        "64e8459d-b74e-4009-adb8-f86a32c7a319",
        "17400760-daea-4938-9666-537e3c021627",
        "the agent reported an API error",
    ),
    (
        "claude-2.1.197/UserPromptSubmit",
        PromptSubmitted,
        "1bb96d4e-b4f2-41ad-a423-33913838f988",
        "4897a006-55c2-4554-9bc4-2130e65d2f45",
        'please run it\nFAKE_TOOL Bash {"command":"echo hi","description":"say hi"}',
    ),
    (
        "claude-2.0.76/PostToolUse",
        NotATurn,
        "f0967fb7-fe81-48fb-a1ca-416bdb80b267",
        None,
        "a tool that stores nothing in the memory",
    ),
    (
        "claude-2.0.76/PreToolUse",
        NotATurn,
        "f0967fb7-fe81-48fb-a1ca-416bdb80b267",
        None,
        "no event of a turn: PreToolUse",
    ),
    (
        "claude-2.0.76/SessionEnd",
        NotATurn,
        "f0967fb7-fe81-48fb-a1ca-416bdb80b267",
        None,
        "no event of a turn: SessionEnd",
    ),
    (
        "claude-2.0.76/SessionStart",
        NotATurn,
        "f0967fb7-fe81-48fb-a1ca-416bdb80b267",
        None,
        "no event of a turn: SessionStart",
    ),
    ("claude-2.0.76/Stop", ReplyFinished, "f0967fb7-fe81-48fb-a1ca-416bdb80b267", None, None),
    ("claude-2.0.76/SubagentStart.2", NotATurn, "f0967fb7-fe81-48fb-a1ca-416bdb80b267", None, "a subagent's event"),
    ("claude-2.0.76/SubagentStart", NotATurn, "f0967fb7-fe81-48fb-a1ca-416bdb80b267", None, "a subagent's event"),
    ("claude-2.0.76/SubagentStop.2", NotATurn, "f0967fb7-fe81-48fb-a1ca-416bdb80b267", None, "a subagent's event"),
    ("claude-2.0.76/SubagentStop", NotATurn, "f0967fb7-fe81-48fb-a1ca-416bdb80b267", None, "a subagent's event"),
    (
        "claude-2.0.76/UserPromptSubmit",
        PromptSubmitted,
        "f0967fb7-fe81-48fb-a1ca-416bdb80b267",
        None,
        'please run it\nFAKE_TOOL Bash {"command":"echo hi","description":"say hi"}',
    ),
    (
        "claude-1.0.128/PostToolUse",
        NotATurn,
        "881da794-1912-4b7f-9138-8eb27f56eb04",
        None,
        "a tool that stores nothing in the memory",
    ),
    (
        "claude-1.0.128/PostToolUse.store",
        ToolUsed,
        "b26cff67-0d80-4860-be6d-50812142b6b0",
        None,
        "ent_0123456789abcdef01234567",
    ),
    (
        "claude-1.0.128/PreToolUse",
        NotATurn,
        "881da794-1912-4b7f-9138-8eb27f56eb04",
        None,
        "no event of a turn: PreToolUse",
    ),
    (
        "claude-1.0.128/SessionEnd",
        NotATurn,
        "881da794-1912-4b7f-9138-8eb27f56eb04",
        None,
        "no event of a turn: SessionEnd",
    ),
    (
        "claude-1.0.128/SessionStart",
        NotATurn,
        "881da794-1912-4b7f-9138-8eb27f56eb04",
        None,
        "no event of a turn: SessionStart",
    ),
    ("claude-1.0.128/Stop", ReplyFinished, "881da794-1912-4b7f-9138-8eb27f56eb04", None, None),
    (
        "claude-1.0.128/UserPromptSubmit",
        PromptSubmitted,
        "881da794-1912-4b7f-9138-8eb27f56eb04",
        None,
        'please run it\nFAKE_TOOL Bash {"command":"echo hi","description":"say hi"}',
    ),
    (
        "codex/Interrupt",
        TurnFailed,
        "01a22fbf-57d2-7890-81bb-a3ca21451294",
        "01a22fbf-624c-77b2-a2fe-b3809c82e9be",
        "the user interrupted the turn",
    ),
    ("codex/PostCompact", NotATurn, "01a22fbf-a454-7b02-8431-12675f55a1dd", None, "no event of a turn: PostCompact"),
    (
        "codex/PostToolUse",
        NotATurn,
        "01a22fd1-005c-7341-b7b7-8b6e8df5dfa7",
        None,
        "a tool that stores nothing in the memory",
    ),
    (
        "codex/PostToolUse.store",
        ToolUsed,
        "01a23395-948d-7572-a795-4bc24cca7c4c",
        "01a23395-94af-79b2-b08f-c7bfa361461d",
        "ent_0123456789abcdef01234567",
    ),
    ("codex/PreCompact", NotATurn, "01a22fbf-a454-7b02-8431-12675f55a1dd", None, "no event of a turn: PreCompact"),
    ("codex/PreToolUse", NotATurn, "01a22fd1-005c-7341-b7b7-8b6e8df5dfa7", None, "no event of a turn: PreToolUse"),
    ("codex/SessionEnd", NotATurn, "01a22fd1-005c-7341-b7b7-8b6e8df5dfa7", None, "no event of a turn: SessionEnd"),
    (
        "codex/SessionStart.fork",
        NotATurn,
        "01a22fbf-0fb0-73a1-bb14-8b1441f67c9a",
        None,
        "no event of a turn: SessionStart",
    ),
    ("codex/SessionStart", NotATurn, "01a22fd1-005c-7341-b7b7-8b6e8df5dfa7", None, "no event of a turn: SessionStart"),
    (
        "codex/SessionStart.resume",
        NotATurn,
        "01a22fbf-0b96-7de2-8cef-7e6307d86b01",
        None,
        "no event of a turn: SessionStart",
    ),
    (
        "codex/Stop.empty-reply",
        ReplyFinished,
        "01a22fbe-30ab-78e3-acf4-763dd53e1c96",
        "01a22fbe-30d2-7541-9cea-a520d7794fc1",
        None,
    ),
    (
        "codex/Stop",
        ReplyFinished,
        "01a22fd1-005c-7341-b7b7-8b6e8df5dfa7",
        "01a22fd1-008b-7060-9bed-ff450ca2c5ad",
        "FAKE-REPLY-2",
    ),
    (
        "codex/Stop.second-after-block",
        ReplyFinished,
        "01a22fbe-0428-7120-85c2-90f540f89384",
        "01a22fbe-0444-7ad0-ac8c-1cf591802611",
        "FAKE-REPLY-2",
    ),
    (
        "codex/UserPromptSubmit",
        PromptSubmitted,
        "01a22fd1-005c-7341-b7b7-8b6e8df5dfa7",
        "01a22fd1-008b-7060-9bed-ff450ca2c5ad",
        'please run it\nFAKE_TOOL exec_command {"cmd":"echo hi"}',
    ),
    (
        "codex/UserPromptSubmit.queued",
        PromptSubmitted,
        "01a22fbf-57d2-7890-81bb-a3ca21451294",
        "01a22fbf-766d-7d01-879f-3c8ed2c015d3",
        "prompt B queued",
    ),
]


def payload(name: str) -> dict[str, Any]:
    read = json.loads((EVENTS / f"{name}.json").read_bytes())
    assert isinstance(read, dict)
    return read


def agent_of(name: str) -> str:
    return AGENT_OF[name.partition("/")[0]]


def read(name: str) -> Event:
    return agent(agent_of(name)).read(payload(name))


def text_of(event: Event) -> object:
    """What the event says: a prompt, a reply, the ids that a tool was told, or the reason why it is none of them."""
    if isinstance(event, PromptSubmitted):
        return event.prompt
    if isinstance(event, (NotATurn, TurnFailed)):
        return event.reason
    if isinstance(event, ToolUsed):
        return " ".join(entity["id"] for entity in produced_in(event.answer))
    return event.text if isinstance(event, ReplyFinished) else None


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row[0]))
def test_captured_payload(row: tuple[str, type, str, str | None, str | None]) -> None:
    """Every payload that an agent was seen to send is understood."""
    name, *expected = row
    event = read(name)
    assert [type(event), event.conversation_id, event.turn_id, text_of(event)] == expected
    assert event.cwd == "/home/u/app"


def test_every_captured_payload_has_a_row() -> None:
    """No captured payload is left out of the table."""
    kept = {str(path.relative_to(EVENTS))[:-5] for folder in AGENT_OF for path in EVENTS.glob(f"{folder}/*.json")}
    assert {row[0] for row in TABLE} == kept
    assert len(TABLE) == len(kept)


@pytest.mark.parametrize(
    ("name", "is_continued", "answers", "has_transcript"),
    [
        ("claude/Stop", False, "oldest", False),
        ("claude/Stop.second-after-block", True, "oldest", False),
        ("claude/Stop.empty-reply", False, "oldest", False),
        ("claude-2.1.197/Stop", False, "oldest", False),
        ("claude-2.0.76/Stop", False, "oldest", True),
        ("claude-1.0.128/Stop", False, "oldest", True),
        ("codex/Stop", False, "newest", False),
        ("codex/Stop.second-after-block", True, "newest", False),
        ("codex/Stop.empty-reply", False, "newest", False),
    ],
)
def test_captured_stop(name: str, is_continued: bool, answers: str, has_transcript: bool) -> None:
    """A reply's event says whether a stop hook sent the agent on, which of several prompts it answers, and whether
    the text has to be read from the transcript."""
    event = read(name)
    assert isinstance(event, ReplyFinished)
    assert (event.continued, event.answers, event.transcript is not None) == (is_continued, answers, has_transcript)


def test_which_prompts_fail() -> None:
    """Codex folds prompts into the running turn, so they fail together; Claude Code answers queued ones later."""
    interrupt, failure = read("codex/Interrupt"), read("claude/StopFailure")
    assert isinstance(interrupt, TurnFailed)
    assert isinstance(failure, TurnFailed)
    assert (interrupt.answers, failure.answers) == ("newest", "oldest")


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row[0]))
def test_recognised_with_its_own_name(row: tuple[str, type, str, str | None, str | None]) -> None:
    """With the right name on the command line every payload is its agent's."""
    assert recognise(payload(row[0]), agent_of(row[0])).name == agent_of(row[0])


# These have no field that other agents do not have as well
UNTELLING = ("claude-2.0", "claude-1", "claude/SessionStart")


@pytest.mark.parametrize(
    "name", [row[0] for row in TABLE if row[1] is not NotATurn and not row[0].startswith(UNTELLING)]
)
@pytest.mark.parametrize("hint", ["claude-code", "codex", "", "nobody"])
def test_recognised_whatever_the_command_line_says(name: str, hint: str) -> None:
    """Agents run each other's hook files; an event of a turn that tells its agent goes by that."""
    assert recognise(payload(name), hint).name == agent_of(name)


def test_not_recognised() -> None:
    """A payload that does not tell its agent, from nobody we know, is an error that names those we do."""
    with pytest.raises(EventError, match=r"'somebody'.*claude-code, codex"):
        recognise(payload("claude-2.0.76/Stop"), "somebody")


@pytest.mark.parametrize("name", NAMES)
def test_agents_are_complete(name: str) -> None:
    """Each agent says what its registration and its context look like."""
    known = agent(name)
    assert known.name == name
    assert known.title
    assert known.programs
    assert {entry.hook for entry in known.entries} >= {"prompt_submit", "stop"}
    assert known.settings_file({}, "/home/u").startswith("/home/u/.")
    assert str(known.project_settings_file("/repo")).startswith("/repo/.")
    assert known.context_output("facts", {}) == {
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "facts"}
    }


@pytest.mark.parametrize(("name", "variable"), [("claude-code", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")])
def test_settings_file_where_the_agent_was_told_to_keep_it(name: str, variable: str) -> None:
    """An agent's own variable moves its settings; an empty one does not."""
    assert agent(name).settings_file({variable: "/elsewhere"}, "/home/u").startswith("/elsewhere/")
    assert agent(name).settings_file({variable: ""}, "/home/u").startswith("/home/u/.")


PROMPT = {"session_id": "c", "hook_event_name": "UserPromptSubmit", "prompt": "Hello", "turn_id": "t", "prompt_id": "t"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("prompt", ["", " ", "\n\t "])
def test_empty_prompt(name: str, prompt: str) -> None:
    """A prompt without a word is nobody's, and leaves the running turn alone."""
    event = agent(name).read({**PROMPT, "prompt": prompt})
    assert isinstance(event, NotATurn)
    assert (event.reason, event.turn_id) == ("empty prompt", None)


@pytest.mark.parametrize(
    "more",
    [
        {"prompt": "<task-notification>\n<task-id>1</task-id>"},
        {"prompt": "\n <task-notification>"},
        {"prompt": "<local-command-stdout>x</local-command-stdout>"},
        {"prompt": "<bash-input>ls</bash-input>"},
        {"prompt": "<command-name>/clear</command-name>"},
        {"source": "loop_wakeup"},
    ],
    ids=str,
)
def test_machine_prompt(more: dict[str, str]) -> None:
    """What a program put in as a prompt is told apart, with the id that its reply will carry."""
    event = agent("claude-code").read({**PROMPT, **more})
    assert isinstance(event, NotATurn)
    assert (event.reason, event.turn_id) == ("prompt made by a machine", "t")


@pytest.mark.parametrize(
    "prompt",
    ["What does <task-notification> mean?", "<div>fix this</div>", " leading", "a\r\nb\0", "/compact", "\ud800"],
)
@pytest.mark.parametrize("name", NAMES)
def test_a_persons_prompt_is_exact(name: str, prompt: str) -> None:
    """Everything else is a person's, and reaches us code point for code point."""
    event = agent(name).read({**PROMPT, "prompt": prompt})
    assert isinstance(event, PromptSubmitted)
    assert event.prompt == prompt


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("more", [{"agent_id": "a1"}, {"agent_id": "a1", "hook_event_name": "Stop"}])
def test_subagents_events(name: str, more: dict[str, str]) -> None:
    """Whatever fires inside a subagent is no turn of the person's."""
    event = agent(name).read({**PROMPT, **more})
    assert isinstance(event, NotATurn)
    assert event.reason == "a subagent's event"


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
CAPTURED = st.sampled_from([row[0] for row in TABLE])


@given(name=CAPTURED, data=st.data(), by=st.sampled_from(NAMES))
def test_wrong_types(name: str, data: st.DataObject, by: str) -> None:
    """Any field may have any shape, or be missing: the event is understood, or it is an EventError."""
    changed = payload(name)
    for field in data.draw(st.sets(st.sampled_from(sorted(changed)), min_size=1, max_size=3)):
        if data.draw(st.booleans()):
            changed[field] = data.draw(ANYTHING)
        else:
            del changed[field]
    assert_understood_or_refused(agent(by), changed)


@given(given_payload=st.dictionaries(st.sampled_from(sorted({*PROMPT, "stop_hook_active", "cwd"})), ANYTHING))
def test_any_payload(given_payload: dict[str, Any]) -> None:
    """The same for a payload of which nothing is known."""
    for name in NAMES:
        assert_understood_or_refused(agent(name), given_payload)


def assert_understood_or_refused(by: Agent, given_payload: dict[str, Any]) -> None:
    try:
        event = by.read(given_payload)
    except EventError:
        return
    assert isinstance(event.conversation_id, str)
    assert event.conversation_id.strip()
    assert event.turn_id is None or (isinstance(event.turn_id, str) and event.turn_id)
    assert isinstance(event.cwd, str)
    assert text_of(event) is None or isinstance(text_of(event), str)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("session_id", None, "session_id should be a text, but is missing"),
        ("session_id", 5, "session_id should be a text, but is a number"),
        ("session_id", " ", "session_id should be an id, but is empty"),
        ("prompt", ["Hello"], "prompt should be a text, but is a list"),
        ("prompt", None, "prompt should be a text, but is missing"),
        ("prompt_id", {}, "prompt_id should be a text, but is an object"),
    ],
)
def test_what_is_said_of_a_wrong_field(field: str, value: object, said: str) -> None:
    """The error names the field and what is wrong with it, and not its value."""
    with pytest.raises(EventError, match=said):
        agent("claude-code").read({**PROMPT, field: value})


# Transcripts


def line(type: str, content: object, **more: Any) -> bytes:
    message = {"role": type, "content": content, **({"id": more.pop("id")} if "id" in more else {})}
    return json.dumps({"type": type, "message": message, **more}, ensure_ascii=False).encode() + b"\n"


def prompt(text: str, **more: Any) -> bytes:
    return line("user", text, **more)


def said(text: str, id: str = "msg_1", **more: Any) -> bytes:
    return line("assistant", [{"type": "text", "text": text}], id=id, **more)


TOOL_USE = line("assistant", [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}], id="msg_1")
TOOL_RESULT = line("user", [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a result"}])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "transcript.jsonl"


def talk(path: Path, *lines: bytes) -> list[tuple[str, str | None]]:
    path.write_bytes(b"".join(lines))
    return [(exchange.prompt, exchange.reply) for exchange in exchanges(str(path))]


@pytest.mark.parametrize("version", ["claude-2.0.76", "claude-1.0.128"])
def test_captured_transcript(version: str) -> None:
    """The transcripts that old versions wrote tell prompt and reply, also of a turn with a tool call."""
    plain, tool = (
        [(one.prompt, one.reply) for one in exchanges(str(EVENTS / version / f"transcript-at-Stop-{kind}-turn.jsonl"))]
        for kind in ("plain", "tool")
    )
    assert plain == [("Say hello", "FAKE-REPLY-1")]
    assert tool == [
        ('please run it\nFAKE_TOOL Bash {"command":"echo hi","description":"say hi"}', "FAKE-REPLY-2"),
    ]


@pytest.mark.parametrize("version", ["claude-2.0.76", "claude-1.0.128"])
def test_captured_stop_reads_its_transcript(version: str) -> None:
    """The event of such a version leads to it."""
    transcript_path = str(EVENTS / version / "transcript-at-Stop-tool-turn.jsonl")
    event = agent("claude-code").read({**payload(f"{version}/Stop"), "transcript_path": transcript_path})
    assert isinstance(event, ReplyFinished)
    assert event.transcript is not None
    assert [exchange.reply for exchange in event.transcript()] == ["FAKE-REPLY-2"]


def test_resumed_turns_that_went_to_other_files(path: Path) -> None:
    """1.0.128 names the session's file and writes to one of another name; only the session's own lines count, in the
    order in which the files were written to."""
    strayed, again, foreign = (path.with_name(f"{name}.jsonl") for name in ("strayed", "again", "foreign"))
    path.write_bytes(prompt("first", sessionId="s1") + said("one", sessionId="s1"))
    summary = line("summary", "what it was about")
    strayed.write_bytes(prompt("second", sessionId="s1") + said("two", sessionId="s1") + summary)
    again.write_bytes(prompt("third", sessionId="s1") + said("three", sessionId="s1"))
    foreign.write_bytes(prompt("fourth", sessionId="s2") + said("four", sessionId="s2"))
    for age, file in ((30, path), (20, strayed), (10, again), (5, foreign)):
        os.utime(file, ns=(time.time_ns() - age * 10**9,) * 2)
    first, second, third = ("first", "one"), ("second", "two"), ("third", "three")
    assert told_by_stop(path) == [first, second, third]
    os.utime(path)
    assert told_by_stop(path) == [second, third, first]
    path.unlink()
    assert told_by_stop(path) == [second, third]


def told_by_stop(path: Path) -> list[tuple[str, str | None]]:
    stop = {"session_id": "s1", "hook_event_name": "Stop", "transcript_path": str(path)}
    event = agent("claude-code").read(stop)
    assert isinstance(event, ReplyFinished)
    assert event.transcript is not None
    return [(one.prompt, one.reply) for one in event.transcript()]


def test_what_else_lies_in_the_folder_costs_nothing(path: Path) -> None:
    """Neither the session's own file nor one that its lines went to."""
    path.write_bytes(prompt("first", sessionId="s1") + said("one", sessionId="s1"))
    os.utime(path, ns=(time.time_ns() - 10**10,) * 2)
    for name in ("a", "z"):
        os.mkfifo(path.with_name(f"{name}-pipe.jsonl"))
        path.with_name(f"{name}-folder.jsonl").mkdir()
        path.with_name(f"{name}-link.jsonl").symlink_to("nowhere")
        shut = path.with_name(f"{name}-shut.jsonl")
        shut.write_bytes(prompt("secret", sessionId="s1"))
        shut.chmod(0)
        path.with_name(f"{name}-empty.jsonl").touch()
        path.with_name(f"{name}-odd.jsonl").write_bytes(b"[]\n" * 10_000)
    path.with_name("m.jsonl").write_bytes(prompt("second", sessionId="s1") + said("two", sessionId="s1"))
    if os.geteuid() == 0:  # to whom no file is shut
        for shut in path.parent.glob("*-shut.jsonl"):
            shut.unlink()
    assert told_by_stop(path) == [("first", "one"), ("second", "two")]


def test_missing_transcript(path: Path) -> None:
    """A transcript that is not there yet has no lines."""
    assert exchanges(str(path)) == []
    assert exchanges(str(path / "deeper")) == []


def test_what_is_no_file_is_not_waited_for(path: Path) -> None:
    """A pipe that nobody writes to, in a record's place or beside it, holds nobody up."""
    os.mkfifo(path)
    with pytest.raises(TranscriptUnreadable, match="is a pipe, not a file"):
        exchanges(str(path), "s1")
    path.rename(path.with_name("other.jsonl"))
    path.with_name("folder.jsonl").mkdir()
    assert exchanges(str(path), "s1") == []


def test_empty_transcript(path: Path) -> None:
    """Nor has one that is empty."""
    assert talk(path) == []
    assert talk(path, b"\n\n") == []


def test_two_exchanges(path: Path) -> None:
    """Oldest first, each with its reply; the last may have none yet."""
    assert talk(path, prompt("A"), said("re A"), prompt("B")) == [("A", "re A"), ("B", None)]


def test_the_newest_exchanges_only(path: Path) -> None:
    """No more exchanges are read than could be asked for."""
    lines = [part for number in range(20) for part in (prompt(f"P{number}"), said(f"R{number}", f"msg_{number}"))]
    expected = [(f"P{number}", f"R{number}") for number in range(20 - MOST_EXCHANGES, 20)]
    assert talk(path, *lines) == expected


def test_multi_block_reply(path: Path) -> None:
    """The text blocks of one message make the reply, in their order; other blocks and earlier messages do not."""
    assert talk(
        path,
        prompt("A"),
        said("calling Bash", "msg_1"),
        TOOL_USE,
        TOOL_RESULT,
        line("assistant", [{"type": "thinking", "thinking": "hm"}], id="msg_2"),
        said("one", "msg_2"),
        line("assistant", [{"type": "text", "text": "two"}, {"type": "text", "text": "three"}], id="msg_2"),
    ) == [("A", "one\ntwo\nthree")]


def test_tool_results_are_no_prompts(path: Path) -> None:
    """What a tool gave back is not what a person said."""
    assert talk(path, prompt("A"), TOOL_USE, TOOL_RESULT) == [("A", None)]


def test_sidechains_and_meta_lines(path: Path) -> None:
    """Lines of subagents and of the program itself are no part of the conversation."""
    assert talk(
        path,
        prompt("Warm up", isSidechain=True),
        prompt("A"),
        said("re A", "msg_1"),
        prompt("Caveat: the messages below …", isMeta=True),
        said("sub", "msg_2", isSidechain=True),
        b'{"type":"summary","summary":"x"}\n',
        b'{"type":"user","message":"no object"}\n',
        b'{"type":"system","message":{"content":"x"}}\n',
    ) == [("A", "re A")]


def test_context_in_the_transcript_is_no_prompt(path: Path) -> None:
    """1.0.128 writes down what a hook told it as if the person had said it."""
    context = prompt("<user-prompt-submit-hook>facts</user-prompt-submit-hook>", isVisibleInTranscriptOnly=True)
    assert talk(path, prompt("A"), context, said("re A")) == [("A", "re A")]


def test_error_of_the_model_is_no_reply(path: Path) -> None:
    """It shows that the turn was given up."""
    path.write_bytes(prompt("A") + said("API Error: 400 fake", isApiErrorMessage=True) + prompt("B") + said("re B"))
    found = [(exchange.prompt, exchange.reply, exchange.is_cut) for exchange in exchanges(str(path))]
    assert found == [("A", None, True), ("B", "re B", False)]


def test_content_is_exact(path: Path) -> None:
    """Texts come out code point for code point."""
    text = "  \r\n\0é\u2028\U0001f600 "
    assert talk(path, prompt(text), said(text)) == [(text, text)]


@pytest.mark.parametrize("content", [None, 5, [], [5], {}, [{"type": "text"}], [{"type": "text", "text": None}]])
def test_odd_content(path: Path, content: object) -> None:
    """A line of another shape breaks nothing."""
    found = talk(path, prompt("A"), said("re A"), line("assistant", content, id="msg_1"))
    assert [exchange[0] for exchange in found] == ["A"]


def test_half_written_last_line(path: Path) -> None:
    """A line that the agent is still writing is passed over, wherever it was cut."""
    whole, last = prompt("A") + said("re A", "msg_1"), said("é\U0001f600 second", "msg_1")
    for cut in range(len(last) - 1):
        path.write_bytes(whole + last[:cut])
        assert [(one.prompt, one.reply) for one in exchanges(str(path))] == [("A", "re A")]


def test_last_line_without_its_end(path: Path) -> None:
    """A whole line counts although its line end is not there yet."""
    assert talk(path, prompt("A"), said("re A")[:-1]) == [("A", "re A")]


@pytest.mark.parametrize(
    "broken",
    [b"\xff\xfe\n", b"null\n", b"[1]\n", b"{\n", b'"text"\n', b"[" * 5000 + b"\n"],
    ids=lambda broken: repr(broken[:6]),
)
def test_a_broken_line(path: Path, broken: bytes) -> None:
    """A line that is no JSON object is passed over."""
    assert talk(path, prompt("A"), broken, said("re A"), broken[:30] + b"\n") == [("A", "re A")]


@pytest.mark.parametrize("extra", range(5))
def test_cut_inside_a_character(path: Path, extra: int) -> None:
    """A block that begins inside a UTF-8 character damages no text."""
    text = "é\U0001f600" * (BLOCK_BYTES // 4)
    assert talk(path, prompt("A"), said(text), b"\n" * extra) == [("A", text)]


@pytest.mark.parametrize("length", [BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES])
def test_lines_around_a_block(path: Path, length: int) -> None:
    """Line ends at, before and after a block's edge are the same as others."""
    frame = len(b'{"a":""}\n')
    wanted = [{"a": "x" * (length - frame)}, {"b": 1}, {"a": "y" * (length - frame)}]
    path.write_bytes(b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in wanted))
    assert list(lines_from_the_end(str(path))) == wanted[::-1]


@given(
    st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=300), max_size=3), max_size=30), st.integers(1, 64)
)
def test_any_lines_in_any_blocks(lines: list[dict[str, str]], block: int) -> None:
    """Whatever the size of the blocks, the lines come out whole and newest first."""
    with tempfile.NamedTemporaryFile() as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr(transcript, "BLOCK_BYTES", block)
        file.write(b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in lines))
        file.flush()
        assert list(lines_from_the_end(file.name)) == lines[::-1]


def test_the_tail_is_bounded(path: Path) -> None:
    """What lies further back than the bound is not read, and the line that the bound cuts is passed over."""
    filler = json.dumps({"x": "y" * 1000}).encode() + b"\n"
    path.write_bytes(prompt("A") + said("re A") + filler * (LARGEST_TAIL_BYTES // len(filler) + 2))
    lines = list(lines_from_the_end(str(path)))
    assert LARGEST_TAIL_BYTES // len(filler) - 1 <= len(lines) <= LARGEST_TAIL_BYTES // len(filler)
    assert exchanges(str(path)) == []


def test_fifty_megabytes(path: Path) -> None:
    """A long transcript costs no more memory than a short one: the newest exchanges are at its end."""
    filler = json.dumps({"type": "progress", "data": "x" * 10_000}).encode() + b"\n"
    with path.open("wb") as file:
        file.write(prompt("old") + said("re old"))
        for _ in range(5000):
            file.write(filler)
        for number in range(MOST_EXCHANGES):
            file.write(prompt(f"P{number}") + said(f"R{number}", f"msg_{number}"))
    assert path.stat().st_size > 50_000_000
    tracemalloc.start()
    found = exchanges(str(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [exchange.reply for exchange in found] == [f"R{number}" for number in range(MOST_EXCHANGES)]
    assert peak < 1_000_000


def test_one_huge_line(path: Path) -> None:
    """A line of fifty megabytes is given up at the bound, in little memory and time."""
    with path.open("wb") as file:
        file.write(prompt("A") + b'{"x":"')
        for _ in range(50):
            file.write(b"y" * 1_000_000)
    assert exchanges(str(path)) == []


def test_it_grows_while_it_is_read(path: Path) -> None:
    """Lines that the agent adds meanwhile do no harm."""
    path.write_bytes((prompt("A") + said("re A")) * 3000)
    lines = lines_from_the_end(str(path))
    next(lines)
    with path.open("ab") as file:
        file.write(b'{"half":')
    assert len(list(lines)) == 5999
    assert os.path.getsize(path) > BLOCK_BYTES
