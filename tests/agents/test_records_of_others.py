"""The records that agents keep of a session, as captured, and with lines that nobody expects."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neotoma_hooks.agents import copilot_cli, cursor, devin_cli, factory_droid, gemini_cli, grok_build, kimi_code
from neotoma_hooks.agents import qwen_code as qwen
from neotoma_hooks.errors import ReplyNotThereYet, TranscriptUnreadable

if TYPE_CHECKING:
    from neotoma_hooks.agents.events import Exchange

CAPTURED = Path(__file__).parent / "captured"
READERS: dict[str, Callable[[str], list[Exchange]]] = {
    "gemini": gemini_cli.exchanges,
    "qwen": qwen.exchanges,
    "copilot": copilot_cli.exchanges,
    "cursor": cursor.exchanges,
    "droid": factory_droid.exchanges,
    "grok": grok_build.exchanges,
    "kimi": kimi_code.exchanges,
}
TOOL_PROMPT = {
    "gemini": 'please run it\nFAKE_TOOL run_shell_command {"command":"echo hi","description":"say hi"}',
    "qwen": 'please\nFAKE_TOOL run_shell_command {"command":"echo hi","description":"d","is_background":false}',
    "copilot": 'please\nFAKE_TOOL bash {"command":"echo hi","description":"d"}',
}
AGAIN = "Say it once more, please"
SYSTEM = (
    "[System: You successfully executed a tool but returned an empty response."
    " Please analyze the tool output and explain your progress or final answer.]"
)


def test_text_that_copilot_called_a_tool_with_is_no_reply_yet(tmp_path: Path) -> None:
    """Read before the rest of the turn was written, it would be taken for the last word."""
    path = tmp_path / "events.jsonl"
    said = {"content": "Storing.", "toolRequests": [{"toolCallId": "call_1", "name": "neotoma-store"}]}
    lines = [{"type": "user.message", "data": {"content": "Keep it."}}, {"type": "assistant.message", "data": said}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [(one.reply, one.is_cut) for one in copilot_cli.exchanges(str(path))] == [("Storing.", True)]
    with path.open("a") as file:
        file.write(json.dumps({"type": "assistant.message", "data": {"content": "Kept.", "toolRequests": []}}) + "\n")
    assert [(one.reply, one.is_cut) for one in copilot_cli.exchanges(str(path))] == [("Kept.", False)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gemini/transcript-tool-turn", [(TOOL_PROMPT["gemini"], "calling run_shell_command\nFAKE-REPLY-2")]),
        ("qwen/transcript-tool-turn", [(TOOL_PROMPT["qwen"], "FAKE-REPLY-2")]),
        ("copilot/transcript-tool-turn", [(TOOL_PROMPT["copilot"], "FAKE-REPLY-2")]),
        (
            "gemini/transcript-cancelled",
            [("prompt D", "calling it"), (SYSTEM, "re S"), ("prompt E", "re E")],
        ),
        ("gemini/transcript-after-block", [("Say hello", "first"), (AGAIN, "second")]),
        ("copilot/transcript-after-block", [("Say hello", "first"), (AGAIN, "second")]),
        *(
            (f"{folder}/transcript-error-and-resumed", [("please run it", "calling it"), ("second", "two")])
            for folder in ("gemini", "qwen", "copilot")
        ),
    ],
)
def test_captured_record(name: str, expected: list[tuple[str, str]]) -> None:
    """Prompts as the person wrote them, without what hooks put beside them; replies as the agent told them."""
    found = READERS[name.partition("/")[0]](str(CAPTURED / f"{name}.jsonl"))
    assert [(exchange.prompt, exchange.reply) for exchange in found] == expected


@pytest.mark.parametrize("folder", ["gemini", "qwen", "copilot"])
def test_captured_record_shows_what_was_given_up(folder: str) -> None:
    """The turn that ended in an error, and only that one."""
    found = READERS[folder](str(CAPTURED / folder / "transcript-error-and-resumed.jsonl"))
    assert [exchange.is_cut for exchange in found] == [True, False]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from("type role content parts text message data event part payload origin id kind".split()),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
KINDS = "user assistant gemini system tool_result message user.message assistant.message abort $set".split()
LINE = st.dictionaries(
    st.sampled_from("message content data event id role systemPayload agentId prompt_index $set".split()), ANYTHING
).flatmap(lambda line: st.sampled_from(KINDS).map(lambda kind: {**line, "type": kind}))


@given(lines=st.lists(LINE, max_size=4), name=st.sampled_from(sorted(READERS)))
def test_lines_of_any_shape(tmp_path_factory: pytest.TempPathFactory, lines: list[Any], name: str) -> None:
    """A record of another version's breaks nothing."""
    path = tmp_path_factory.mktemp("record") / "record.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for exchange in READERS[name](str(path)):
        assert isinstance(exchange.prompt, str)
        assert exchange.reply is None or isinstance(exchange.reply, str)


def test_a_database_of_another_shape(tmp_path: Path) -> None:
    """Devin's, when it is not as it was known to be."""
    path = tmp_path / "sessions.db"
    assert devin_cli.exchanges(str(path), "s") == []
    path.write_bytes(b"no database")
    with pytest.raises(TranscriptUnreadable, match=r"sessions\.db cannot be read"):
        devin_cli.exchanges(str(path), "s")


def test_a_database_that_is_locked(tmp_path: Path) -> None:
    """It is waited for no longer than a hook can: another try will be made."""
    path = tmp_path / "sessions.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as devin:
        devin.execute("CREATE TABLE message_nodes (node_id, session_id, chat_message)")
        devin.execute("BEGIN EXCLUSIVE")
        started = time.monotonic()
        with pytest.raises(ReplyNotThereYet, match="locked"):
            devin_cli.exchanges(str(path), "s")
        assert time.monotonic() - started < 4
