"""What each payload of the agents besides Claude Code and Codex means, as measured, or as their contracts have it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neotoma_hooks.agents.events import (
    NotATurn,
    PromptSubmitted,
    ReplyFinished,
    ReplySoFar,
    ToolUsed,
    TurnFailed,
)
from neotoma_hooks.agents.registry import NAMES, agent, recognise
from neotoma_hooks.errors import EventError
from neotoma_hooks.protocol.produced import produced_in

if TYPE_CHECKING:
    from neotoma_hooks.agents.events import Event

HERE = Path(__file__).parent
NO_TURN = "no event of a turn: "
NO_STORING = "a tool that stores nothing in the memory"
# Of a tool that stores, the text is the id that it was told
STORED = "ent_0123456789abcdef01234567"

GEMINI = "27f444ff-18ad-4595-9301-cfd8819434db"
GEMINI_PROMPT = 'please run it\nFAKE_TOOL run_shell_command {"command":"echo hi","description":"say hi"}'
QWEN = "f015f6c6-e309-415d-a247-15ab74a7f387"
QWEN_STORED = "f394b634-64c9-48fc-88f9-10e6a98b4478"
QWEN_BLOCKED = "3cee7cd6-ef5f-4d1c-9ae3-ffe303546fd3"
QWEN_PROMPT = 'please run it\nFAKE_TOOL run_shell_command {"command":"echo hi","description":"d","is_background":false}'
COPILOT = "d75aaad7-1b2f-4b9a-a51b-bb791ee1d811"
PASCAL = "05a54938-a0ec-4feb-a3c3-578ac1219552"
COPILOT_PROMPT = 'please run it\nFAKE_TOOL bash {"command":"echo hi","description":"d"}'

Row = tuple[str, str, type, str, str | None, str | None]

# Payload, agent, and what it means: kind, conversation, turn, and the text (a reason where there is none)
CAPTURED: list[Row] = [
    ("gemini/BeforeAgent", "gemini-cli", PromptSubmitted, GEMINI, None, GEMINI_PROMPT),
    (
        "gemini/BeforeAgent.after-block",
        "gemini-cli",
        PromptSubmitted,
        "6d60fa46-0cb7-4cd5-8c80-f9d50ab81a30",
        None,
        "Say it once more, please",
    ),
    ("gemini/AfterAgent", "gemini-cli", ReplyFinished, GEMINI, None, "calling run_shell_command\nFAKE-REPLY-2"),
    (
        "gemini/AfterAgent.second-after-block",
        "gemini-cli",
        ReplyFinished,
        "46e41cda-5515-4fd3-ac2d-143decf51b31",
        None,
        "FAKE-REPLY-1\nFAKE-REPLY-2",
    ),
    (
        "gemini/AfterAgent.cancelled",
        "gemini-cli",
        ReplyFinished,
        "3245f015-6e9a-4a19-b6dd-26d4fdb0933d",
        None,
        "calling it",
    ),
    (
        "gemini/BeforeAgent.machine",
        "gemini-cli",
        NotATurn,
        "3245f015-6e9a-4a19-b6dd-26d4fdb0933d",
        None,
        "prompt made by a machine",
    ),
    ("gemini/AfterAgent.machine", "gemini-cli", ReplyFinished, "3245f015-6e9a-4a19-b6dd-26d4fdb0933d", None, "re S"),
    ("gemini/AfterTool", "gemini-cli", NotATurn, GEMINI, None, NO_STORING),
    ("gemini/AfterTool.store", "gemini-cli", ToolUsed, "b92aea11-f74e-45d8-aa14-596c93548189", None, STORED),
    *(
        (f"gemini/{name}", "gemini-cli", NotATurn, GEMINI, None, NO_TURN + name.partition(".")[0])
        for name in (
            "AfterModel",
            "AfterModel.2",
            "BeforeModel",
            "BeforeModel.2",
            "BeforeTool",
            "BeforeToolSelection",
            "BeforeToolSelection.2",
            "PreCompress",
            "PreCompress.2",
            "SessionEnd",
            "SessionStart",
        )
    ),
    (
        "gemini/SessionStart.resume",
        "gemini-cli",
        NotATurn,
        "29e236bd-4fce-4c43-b281-5f8ae34b8ad2",
        None,
        NO_TURN + "SessionStart",
    ),
    ("qwen/UserPromptSubmit", "qwen-code", PromptSubmitted, QWEN, f"{QWEN}########0", QWEN_PROMPT),
    ("qwen/UserPromptSubmit.2", "qwen-code", NotATurn, QWEN, None, "empty prompt"),
    (
        "qwen/UserPromptSubmit.resumed",
        "qwen-code",
        PromptSubmitted,
        "f73195aa-d716-4af9-9132-ef4ad4bd15da",
        "f73195aa-d716-4af9-9132-ef4ad4bd15da########2",
        "second",
    ),
    (
        "qwen/UserPromptSubmit.after-block",
        "qwen-code",
        PromptSubmitted,
        QWEN_BLOCKED,
        f"{QWEN_BLOCKED}########0",
        "Say it once more, please",
    ),
    ("qwen/Stop", "qwen-code", ReplyFinished, QWEN, f"{QWEN}########0", "FAKE-REPLY-2"),
    (
        "qwen/Stop.second-after-block",
        "qwen-code",
        ReplyFinished,
        QWEN_BLOCKED,
        f"{QWEN_BLOCKED}########0",
        "second",
    ),
    ("qwen/PostToolUse", "qwen-code", NotATurn, QWEN, None, NO_STORING),
    ("qwen/PostToolUse.store", "qwen-code", ToolUsed, QWEN_STORED, f"{QWEN_STORED}########0", STORED),
    *(
        (f"qwen/{name}", "qwen-code", NotATurn, QWEN, None, NO_TURN + name)
        for name in ("Notification", "PostToolBatch", "PreToolUse", "SessionStart")
    ),
    (
        "qwen/SessionStart.resume",
        "qwen-code",
        NotATurn,
        "f73195aa-d716-4af9-9132-ef4ad4bd15da",
        None,
        NO_TURN + "SessionStart",
    ),
    ("copilot/userPromptSubmitted", "copilot-cli", PromptSubmitted, COPILOT, None, COPILOT_PROMPT),
    (
        "copilot/userPromptSubmitted.after-block",
        "copilot-cli",
        PromptSubmitted,
        "",
        None,
        "Say it once more, please",
    ),
    ("copilot/userPromptTransformed", "copilot-cli", NotATurn, "", None, NO_TURN + "UserPromptTransformed"),
    ("copilot/agentStop", "copilot-cli", ReplyFinished, COPILOT, None, None),
    ("copilot/agentStop.second-after-block", "copilot-cli", ReplyFinished, "", None, None),
    ("copilot/errorOccurred", "copilot-cli", NotATurn, "", None, "an error after which the agent may go on"),
    ("copilot/permissionRequest", "copilot-cli", NotATurn, COPILOT, None, NO_TURN + "permissionRequest"),
    ("copilot/postToolUse", "copilot-cli", NotATurn, COPILOT, None, NO_STORING),
    ("copilot/postToolUse.store", "copilot-cli", ToolUsed, "74860cf0-9a10-487a-89d5-3fd96b5f4c98", None, STORED),
    ("copilot/preToolUse", "copilot-cli", NotATurn, COPILOT, None, NO_TURN + "PreToolUse"),
    ("copilot/sessionEnd", "copilot-cli", NotATurn, COPILOT, None, NO_TURN + "SessionEnd"),
    ("copilot/sessionStart", "copilot-cli", NotATurn, COPILOT, None, NO_TURN + "SessionStart"),
    (
        "copilot/sessionStart.resume",
        "copilot-cli",
        NotATurn,
        "75bb96e6-9aa7-4d6c-b14f-4cbd1ce2a648",
        None,
        NO_TURN + "SessionStart",
    ),
    ("copilot-pascalcase/UserPromptSubmit", "copilot-cli", PromptSubmitted, PASCAL, None, COPILOT_PROMPT),
    ("copilot-pascalcase/Stop", "copilot-cli", ReplyFinished, PASCAL, None, None),
    ("copilot-pascalcase/PostToolUse", "copilot-cli", NotATurn, PASCAL, None, NO_STORING),
    *(
        (f"copilot-pascalcase/{name}", "copilot-cli", NotATurn, PASCAL, None, NO_TURN + name)
        for name in ("PreToolUse", "SessionEnd", "SessionStart")
    ),
]

ASKED, SAID = "rename foo to bar", "Renamed in 3 files."
CURSOR = ("c0000000-0000-4000-8000-000000000001", "g0000000-0000-4000-8000-00000000000a")
WINDSURF = ("w0000000-0000-4000-8000-000000000001", "x0000000-0000-4000-8000-00000000000a")
CLAUDE = ("11111111-aaaa-4bbb-8ccc-000000000001", "22222222-aaaa-4bbb-8ccc-000000000002")
CODEX = ("0198aaaa-0000-7000-8000-000000000001", "0198aaaa-0000-7000-8000-0000000000a1")
KIRO_3 = "sess_00000000-0000-4000-8000-000000000001"

# Sample payloads of the contracts; Antigravity's point to a transcript that is not here
CONTRACTS: list[Row] = [
    ("claude-code/UserPromptSubmit", "claude-code", PromptSubmitted, *CLAUDE, ASKED),
    ("claude-code/Stop", "claude-code", ReplyFinished, *CLAUDE, SAID),
    ("codex/UserPromptSubmit", "codex", PromptSubmitted, *CODEX, ASKED),
    ("codex/Stop", "codex", ReplyFinished, *CODEX, SAID),
    ("cursor/beforeSubmitPrompt", "cursor", PromptSubmitted, *CURSOR, ASKED),
    ("cursor/afterAgentResponse", "cursor", ReplySoFar, *CURSOR, SAID),
    ("cursor/stop", "cursor", ReplyFinished, *CURSOR, None),
    ("cursor/postToolUse", "cursor", ToolUsed, *CURSOR, STORED),
    ("cursor/afterMCPExecution", "cursor", ToolUsed, *CURSOR, STORED),
    ("gemini-cli/BeforeAgent", "gemini-cli", PromptSubmitted, "e0000000-0000-4000-8000-000000000001", None, ASKED),
    (
        "gemini-cli/AfterAgent",
        "gemini-cli",
        ReplyFinished,
        "e0000000-0000-4000-8000-000000000001",
        None,
        f"Looking at foo.\n{SAID}",
    ),
    (
        "copilot-cli/userPromptSubmitted",
        "copilot-cli",
        PromptSubmitted,
        "50000000-0000-4000-8000-000000000001",
        None,
        ASKED,
    ),
    ("copilot-cli/agentStop", "copilot-cli", ReplyFinished, "50000000-0000-4000-8000-000000000001", None, None),
    ("vscode/UserPromptSubmit", "vscode", PromptSubmitted, "v-1", None, ASKED),
    ("vscode/Stop", "vscode", ReplyFinished, "v-1", None, None),
    # Its replies are not stored, so nothing could refer to what they produce
    ("vscode/PostToolUse", "vscode", NotATurn, "v-1", None, NO_TURN + "PostToolUse"),
    ("qwen-code/UserPromptSubmit", "qwen-code", PromptSubmitted, "70000000-0000-4000-8000-000000000001", None, ASKED),
    ("qwen-code/Stop", "qwen-code", ReplyFinished, "70000000-0000-4000-8000-000000000001", None, SAID),
    (
        "factory-droid/UserPromptSubmit",
        "factory-droid",
        PromptSubmitted,
        "d0000000-0000-4000-8000-000000000001",
        None,
        ASKED,
    ),
    ("factory-droid/Stop", "factory-droid", ReplyFinished, "d0000000-0000-4000-8000-000000000001", None, None),
    ("factory-droid/PostToolUse", "factory-droid", ToolUsed, "d0000000-0000-4000-8000-000000000001", None, STORED),
    ("windsurf/pre_user_prompt", "windsurf", PromptSubmitted, *WINDSURF, ASKED),
    ("windsurf/post_cascade_response", "windsurf", ReplyFinished, *WINDSURF, SAID),
    ("devin-cli/UserPromptSubmit", "devin-cli", PromptSubmitted, "dv-1", "p-1", ASKED),
    ("devin-cli/Stop", "devin-cli", ReplyFinished, "dv-1", "p-1", None),
    ("devin-cli/PostToolUse", "devin-cli", ToolUsed, "dv-1", "p-1", STORED),
    ("kiro-cli/userPromptSubmit", "kiro-cli", PromptSubmitted, "k0000000-0000-4000-8000-000000000001", None, ASKED),
    ("kiro-cli/stop", "kiro-cli", ReplyFinished, "k0000000-0000-4000-8000-000000000001", None, SAID),
    ("kiro-cli/postToolUse", "kiro-cli", ToolUsed, "k0000000-0000-4000-8000-000000000001", None, STORED),
    ("kiro-cli-3/PostToolUse", "kiro-cli", ToolUsed, KIRO_3, None, STORED),
    ("kiro-cli-3/UserPromptSubmit", "kiro-cli", NotATurn, KIRO_3, None, "the agent tells no prompt"),
    ("kiro-cli-3/Stop", "kiro-cli", ReplyFinished, KIRO_3, None, None),
    ("augment/PromptSubmit", "augment", PromptSubmitted, "a0000000-0000-4000-8000-000000000001", None, ASKED),
    (
        "augment/Stop",
        "augment",
        ReplyFinished,
        "a0000000-0000-4000-8000-000000000001",
        "2026-12-01T10:00:20Z",
        SAID,
    ),
    ("augment/PostToolUse", "augment", ToolUsed, "a0000000-0000-4000-8000-000000000001", None, STORED),
    ("cline/UserPromptSubmit", "cline", PromptSubmitted, "1796120400000", None, ASKED),
    ("cline/TaskComplete", "cline", ReplyFinished, "1796120400000", None, SAID),
    ("cline/agent_end", "cline", ReplyFinished, "conv-1", None, SAID),
    ("goose/UserPromptSubmit", "goose", PromptSubmitted, "20261201_1", None, ASKED),
    ("goose/Stop", "goose", ReplyFinished, "20261201_1", None, SAID),
    ("goose/PostToolUse", "goose", ToolUsed, "20261201_1", None, STORED),
    ("kimi-code/UserPromptSubmit", "kimi-code", PromptSubmitted, "ki-1", None, ASKED),
    ("kimi-code/Stop", "kimi-code", ReplyFinished, "ki-1", None, None),
    # Kimi Code tells the beginning of what a tool said
    ("kimi-code/PostToolUse", "kimi-code", ToolUsed, "ki-1", None, STORED),
    ("kimi-cli/UserPromptSubmit", "kimi-code", PromptSubmitted, "ko-1", None, ASKED),
    ("kimi-cli/Stop", "kimi-code", ReplyFinished, "ko-1", None, None),
    (
        "antigravity/PreInvocation",
        "antigravity",
        NotATurn,
        "ag-1",
        None,
        "the transcript does not tell the prompt yet",
    ),
    ("antigravity/Stop", "antigravity", ReplyFinished, "ag-1", None, None),
    ("grok-build/user_prompt_submit", "grok-build", PromptSubmitted, "gr-1", "p-1", ASKED),
    ("grok-build/stop", "grok-build", ReplyFinished, "gr-1", "p-1", SAID),
    ("grok-build/post_tool_use", "grok-build", ToolUsed, "gr-1", "p-1", STORED),
]

TABLE: list[Row] = [
    *(("captured/" + row[0], *row[1:]) for row in CAPTURED),
    *(("contracts/" + row[0], *row[1:]) for row in CONTRACTS),
]

# opencode hands its events to our plugin, which makes payloads of its own of them: see test_opencode_plugin.py
OPENCODE = {f"captured/opencode/{path.stem}" for path in (HERE / "captured" / "opencode").glob("*.json")}

# Nothing in these tells the agent, neither in the payload nor in what it puts into the environment
BY_HINT_ONLY = {
    "contracts/kiro-cli-3/UserPromptSubmit",
    "contracts/kiro-cli-3/Stop",
    "contracts/kiro-cli-3/PostToolUse",
    "contracts/kimi-cli/UserPromptSubmit",
    "contracts/kimi-cli/Stop",
    "contracts/augment/PostToolUse",
}


def payload(name: str) -> dict[str, Any]:
    read = json.loads((HERE / f"{name}.json").read_bytes())
    assert isinstance(read, dict)
    return read


def environment(name: str) -> dict[str, str]:
    """What the agent puts into its hooks' environment, as captured with this payload."""
    path = (HERE / name).parent / "environment.txt"
    return dict.fromkeys(path.read_text().split(), "x") if path.exists() else {}


def text_of(event: Event) -> object:
    if isinstance(event, PromptSubmitted):
        return event.prompt
    if isinstance(event, (NotATurn, TurnFailed)):
        return event.reason
    if isinstance(event, ToolUsed):
        return " ".join(entity["id"] for entity in produced_in(event.answer))
    return event.text if isinstance(event, (ReplyFinished, ReplySoFar)) else None


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row[0]))
def test_payload(row: Row) -> None:
    """Every payload is recognised as its agent's, and means what a person would say it means."""
    name, by, kind, conversation, turn, text = row
    told = payload(name)
    known = recognise(told, by, environment(name))
    assert known.name == by
    event = known.read(told)
    conversation = conversation or told["sessionId"]
    assert [type(event), event.conversation_id, event.turn_id, text_of(event)] == [kind, conversation, turn, text]
    assert event.cwd in ("/home/u/app", "")


def test_every_payload_has_a_row() -> None:
    """None is left out."""
    kept = {str(path.relative_to(HERE))[:-5] for path in HERE.glob("c*/*/*.json")}
    assert {row[0] for row in TABLE} | OPENCODE == kept
    assert len(TABLE) + len(OPENCODE) == len(kept)


@pytest.mark.parametrize("hint", ["claude-code", "codex", "gemini-cli", "cursor", "", "nobody"])
@pytest.mark.parametrize(
    "row", [row for row in TABLE if row[2] is not NotATurn and row[0] not in BY_HINT_ONLY], ids=lambda row: str(row[0])
)
def test_recognised_whatever_the_command_line_says(row: Row, hint: str) -> None:
    """Agents run each other's hook files: an event of a turn that tells its agent goes by that."""
    assert recognise(payload(row[0]), hint, environment(row[0])).name == row[1]


@pytest.mark.parametrize("name", NAMES)
def test_agent_started_from_another_agents_shell(name: str) -> None:
    """Variables of another agent's hooks make no difference to a payload that tells its agent."""
    others = dict.fromkeys(
        (
            "GROK_HOOK_EVENT",
            "CURSOR_VERSION",
            "DEVIN_PROJECT_DIR",
            "GEMINI_SESSION_ID",
            "QWEN_PROJECT_DIR",
            "FACTORY_PROJECT_DIR",
            "AUGMENT_PROJECT_DIR",
            "COPILOT_HOOK_DIR",
            "CLAUDE_PROJECT_DIR",
        ),
        "x",
    )
    weak = {"contracts/vscode/UserPromptSubmit", "contracts/vscode/Stop"}
    weak |= {"captured/copilot-pascalcase/UserPromptSubmit", "contracts/devin-cli/UserPromptSubmit"}
    weak |= {"contracts/devin-cli/Stop", "contracts/devin-cli/PostToolUse"}
    for row in TABLE:
        if row[1] == name and row[2] is not NotATurn and row[0] not in BY_HINT_ONLY | weak:
            assert recognise(payload(row[0]), name, others).name == name, row[0]


CLAUDE_LIKE = {
    "session_id": "s",
    "transcript_path": "/home/u/s.jsonl",
    "cwd": "/home/u/app",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "Hello",
}


@pytest.mark.parametrize(
    ("variable", "by"),
    [
        ("DEVIN_PROJECT_DIR", "devin-cli"),
        ("QWEN_PROJECT_DIR", "qwen-code"),
        ("FACTORY_PROJECT_DIR", "factory-droid"),
        ("CURSOR_VERSION", "cursor"),
        ("COPILOT_HOOK_DIR", "copilot-cli"),
        # These have other events and fields, so that another agent was started from their shells
        ("GEMINI_SESSION_ID", "claude-code"),
        ("GROK_HOOK_EVENT", "claude-code"),
        ("AUGMENT_PROJECT_DIR", "claude-code"),
        ("CLAUDE_PROJECT_DIR", "claude-code"),
    ],
)
@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop"])
def test_environment_tells_who_runs_claude_codes_file(variable: str, by: str, event: str) -> None:
    """A payload that any of them may send goes by the environment, before the command line's `claude-code`."""
    told = {**CLAUDE_LIKE, "hook_event_name": event, "permission_mode": "default"}
    assert recognise(told, "claude-code", {variable: "x"}).name == by


@pytest.mark.parametrize(
    ("more", "by"),
    [
        ({"cursor_version": "3.20.17"}, "cursor"),
        ({"generation_id": "g"}, "cursor"),
        ({"permission_mode": "auto-low"}, "factory-droid"),
        ({"permission_mode": "spec"}, "factory-droid"),
        ({"timestamp": "2026-12-01T10:00:00.000Z"}, "vscode"),
        ({"permission_mode": "default"}, "claude-code"),
        ({"permission_mode": "default", "prompt_id": "p"}, "claude-code"),
    ],
    ids=str,
)
@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop"])
def test_payload_tells_who_runs_claude_codes_file(more: dict[str, str], by: str, event: str) -> None:
    """Cursor, Droid and VS Code leave their marks in it."""
    assert recognise({**CLAUDE_LIKE, **more, "hook_event_name": event}, "claude-code").name == by


def test_vs_code_without_a_transcript_goes_by_the_command_line() -> None:
    """Its prompt event is then Copilot CLI's, field for field; its event after a reply is not."""
    told = {"hook_event_name": "UserPromptSubmit", "session_id": "v", "timestamp": "t", "cwd": "/", "prompt": "Hello"}
    assert recognise(told, "vscode").name == "vscode"
    assert recognise(told, "copilot-cli").name == "copilot-cli"
    assert recognise({**told, "hook_event_name": "Stop", "stop_hook_active": False}, "copilot-cli").name == "vscode"


def test_grok_runs_cursors_file() -> None:
    """It takes Cursor's event after a message for the one after a tool: no message is made of that."""
    told = {"hookEventName": "post_tool_use", "sessionId": "g", "promptId": "p", "toolName": "Bash"}
    event = recognise(told, "cursor").read(told)
    assert isinstance(event, NotATurn)


def test_cursor_runs_claude_codes_file() -> None:
    """The same turn, whichever of the two files it was told by; and context in the shape of that file."""
    own = payload("contracts/cursor/beforeSubmitPrompt")
    foreign = {**own, "session_id": own["conversation_id"], "hook_event_name": "UserPromptSubmit"}
    events = [recognise(told, "claude-code").read(told) for told in (own, foreign)]
    assert len({(event.conversation_id, event.turn_id, text_of(event)) for event in events}) == 1
    cursor = agent("cursor")
    assert list(cursor.context_output("facts", own)) == ["continue", "additional_context"]
    assert list(cursor.context_output("facts", foreign)) == ["hookSpecificOutput"]


def test_amazon_q_and_kiro_are_told_apart_by_the_command_line() -> None:
    """They send the same events."""
    told = {"hook_event_name": "userPromptSubmit", "cwd": "/", "prompt": "Hello"}
    assert [recognise(told, hint).name for hint in ("amazon-q", "kiro-cli", "claude-code")] == [
        "amazon-q",
        "kiro-cli",
        "kiro-cli",
    ]
    assert recognise(told, "amazon-q").read(told).conversation_id == ""


# Fields of the events besides the text


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("captured/qwen/Stop.second-after-block", {}, {"continued": True}),
        ("captured/gemini/AfterAgent", {}, {"prompt": GEMINI_PROMPT, "continued": False}),
        # The event repeats the first prompt; the reply is to what the stop hook said
        ("captured/gemini/AfterAgent.second-after-block", {}, {"prompt": None, "continued": False}),
        ("captured/gemini/AfterAgent.machine", {}, {"prompt": None}),
        ("captured/gemini/AfterAgent", {"prompt_response": "[no response text]"}, {"text": None}),
        ("captured/copilot/agentStop.second-after-block", {}, {"continued": True}),
        ("contracts/copilot-cli/agentStop", {"stop_hook_active": None, "stopHookActive": True}, {"continued": True}),
        ("contracts/vscode/Stop", {"stop_hook_active": True}, {"continued": True}),
        ("contracts/factory-droid/Stop", {"stop_hook_active": True}, {"continued": True}),
        ("contracts/devin-cli/Stop", {"stop_hook_active": True}, {"continued": True}),
        ("contracts/grok-build/stop", {"stopHookActive": True}, {"continued": True}),
        ("contracts/augment/Stop", {}, {"prompt": ASKED, "opens": True, "is_cut": False}),
        ("contracts/augment/Stop", {"agent_stop_cause": "interrupted"}, {"is_cut": True, "is_partial": True}),
        ("contracts/augment/Stop", {"agent_stop_cause": "max_iterations"}, {"is_cut": False}),
        ("contracts/cline/agent_end", {"turn": {}}, {"text": None}),
    ],
    ids=str,
)
def test_fields_of_a_reply(name: str, changes: dict[str, Any], expected: dict[str, Any]) -> None:
    """What else the event at a turn's end tells."""
    event = by_table(name).read({**payload(name), **changes})
    assert isinstance(event, ReplyFinished)
    assert {field: getattr(event, field) for field in expected} == expected


@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("contracts/cursor/stop", {"status": "aborted"}, "the turn ended as aborted"),
        ("contracts/cursor/stop", {"status": "error"}, "the turn ended as error"),
        ("captured/copilot/errorOccurred", {"recoverable": False}, "the agent reported an error"),
        ("captured/qwen/Stop", {"hook_event_name": "StopFailure"}, "the agent reported an API error"),
        ("contracts/kimi-code/Stop", {"hook_event_name": "StopFailure"}, "the agent reported an API error"),
        ("contracts/kimi-code/Stop", {"hook_event_name": "Interrupt"}, "the user interrupted the turn"),
        ("contracts/cline/TaskComplete", {"hookName": "TaskCancel"}, "the task ended by TaskCancel"),
        ("contracts/cline/agent_end", {"hookName": "agent_abort"}, "the task ended by agent_abort"),
        ("contracts/grok-build/stop", {"hookEventName": "stop_cancelled"}, "the turn ended by stop_cancelled"),
        ("contracts/grok-build/stop", {"hookEventName": "stop_failure"}, "the turn ended by stop_failure"),
        ("contracts/antigravity/Stop", {"terminationReason": "USER_CANCELED"}, "the turn ended as USER_CANCELED"),
        (
            "contracts/augment/Stop",
            {"agent_stop_cause": "error", "conversation": {}},
            "the turn ended as error",
        ),
    ],
    ids=str,
)
def test_turn_that_failed(name: str, changes: dict[str, Any], reason: str) -> None:
    """An agent that tells of an interrupt or an error has given the turn up."""
    event = by_table(name).read({**payload(name), **changes})
    assert isinstance(event, TurnFailed)
    assert event.reason == reason


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("captured/qwen/Stop", {"agent_id": "a"}),
        ("captured/qwen/Stop", {"hook_event_name": "SubagentStop"}),
        ("contracts/cline/agent_end", {"parent_agent_id": "a-0"}),
        ("contracts/grok-build/user_prompt_submit", {"subagentType": "explore"}),
        ("contracts/grok-build/stop", {"subagentType": "explore"}),
        ("contracts/grok-build/stop", {"reason": "channel_closed"}),
        ("contracts/grok-build/stop", {"reason": "shutdown"}),
        ("contracts/cursor/stop", {"hook_event_name": "subagentStop"}),
        ("contracts/factory-droid/Stop", {"hook_event_name": "SubagentStop"}),
        ("contracts/kimi-code/Stop", {"hook_event_name": "SubagentStop"}),
    ],
    ids=str,
)
def test_what_is_no_end_of_a_persons_turn(name: str, changes: dict[str, Any]) -> None:
    """Subagents, and ends of sessions."""
    assert isinstance(by_table(name).read({**payload(name), **changes}), NotATurn)


def test_prompt_that_joins_the_running_turn() -> None:
    """Kimi Code says that a prompt was steered into it."""
    told = payload("contracts/kimi-code/UserPromptSubmit")
    events = [agent("kimi-code").read({**told, "is_steer": steered}) for steered in (False, True)]
    assert [isinstance(event, PromptSubmitted) and event.joins for event in events] == [False, True]


def test_parts_of_a_prompt() -> None:
    """Kimi Code gives a list of them; those that are no text are not the prompt's words."""
    parts = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "here"}]
    event = agent("kimi-code").read({**payload("contracts/kimi-code/UserPromptSubmit"), "prompt": parts})
    assert text_of(event) == "Look\nhere"


def test_kiros_prompt_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds that leave it out of the payload put it there."""
    monkeypatch.setenv("USER_PROMPT", ASKED)
    event = agent("kiro-cli").read(payload("contracts/kiro-cli-3/UserPromptSubmit"))
    assert isinstance(event, PromptSubmitted)
    assert event.prompt == ASKED


def test_devins_folder_is_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its payloads do not have it, and `never_record` needs it."""
    monkeypatch.setenv("DEVIN_PROJECT_DIR", "/home/u/app")
    assert agent("devin-cli").read(payload("contracts/devin-cli/UserPromptSubmit")).cwd == "/home/u/app"


@pytest.mark.parametrize(
    ("name", "field", "own_id"),
    [
        ("captured/gemini/BeforeAgent", "prompt", False),
        ("captured/copilot/userPromptSubmitted", "prompt", False),
        ("contracts/cursor/beforeSubmitPrompt", "prompt", True),
        ("contracts/devin-cli/UserPromptSubmit", "prompt", True),
        ("contracts/grok-build/user_prompt_submit", "prompt", True),
        ("contracts/windsurf/pre_user_prompt", "tool_info", True),
        ("contracts/goose/UserPromptSubmit", "message", False),
        ("contracts/kimi-code/UserPromptSubmit", "prompt", False),
        ("contracts/cline/UserPromptSubmit", "userPromptSubmit", False),
    ],
)
def test_prompt_without_a_word(name: str, field: str, own_id: bool) -> None:
    """A picture, say. Where each prompt has its own id, the reply to it is then nobody else's."""
    empty = {"tool_info": {"user_prompt": " "}, "userPromptSubmit": {"prompt": ""}}.get(field, "\n")
    event = by_table(name).read({**payload(name), field: empty})
    assert isinstance(event, NotATurn)
    assert (event.turn_id is not None) == own_id


@pytest.mark.parametrize("text", ["<task-notification> what is that?", "<command-name>ls", " a\r\nb\0", "\ud800"])
@pytest.mark.parametrize("name", [row[0] for row in TABLE if row[2] is PromptSubmitted and "claude" not in row[0]])
def test_a_persons_prompt_is_exact(name: str, text: str) -> None:
    """Code point for code point; marks of Claude Code's own machine prompts mean nothing elsewhere."""
    told = payload(name)
    replace(told, ASKED if name.startswith("contracts") else str(text_of(by_table(name).read(told))), text)
    event = by_table(name).read(told)
    assert isinstance(event, PromptSubmitted)
    assert event.prompt == text


def replace(told: Any, old: str, new: str) -> None:
    for key, value in list(told.items() if isinstance(told, dict) else enumerate(told)):
        if value == old:
            told[key] = new
        elif isinstance(value, (dict, list)):
            replace(value, old, new)


def by_table(name: str) -> Any:
    return agent(next(row[1] for row in TABLE if row[0] == name))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(row=st.sampled_from(TABLE), data=st.data(), by=st.sampled_from(NAMES))
def test_wrong_types(row: Row, data: st.DataObject, by: str) -> None:
    """Any field may have any shape, or be missing: the event is understood, or it is an EventError."""
    changed = payload(row[0])
    for field in data.draw(st.sets(st.sampled_from(sorted(changed)), min_size=1, max_size=3)):
        changed[field] = data.draw(ANYTHING)
    for read in (agent(by).read, lambda told: recognise(told, by).read(told)):
        assert_understood_or_refused(read, changed)


def assert_understood_or_refused(read: Callable[[dict[str, Any]], Event], told: dict[str, Any]) -> None:
    try:
        event = read(told)
    except EventError:
        return
    assert isinstance(event.conversation_id, str)
    assert event.turn_id is None or (isinstance(event.turn_id, str) and event.turn_id)
    assert isinstance(event.cwd, str)
    assert text_of(event) is None or isinstance(text_of(event), str)
