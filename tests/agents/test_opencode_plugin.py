"""Our plugin for opencode, run by Node with the events that opencode was seen to hand to plugins."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks.agents.opencode import OpenCode
from support.firing import command, hook_lines, neotoma_hooks, stored_turns
from support.talks import told

CAPTURED = Path(__file__).parent / "captured" / "opencode"
NODE = shutil.which("node")
SESSION = "ses_dd02eb654ffe4nib5jff5qmw3y"
ASKED = "msg_22fd14a2b001wVDoEWNfHxePkq"
ANSWER = "msg_22fd14e1300118TIf8NbeCfGKB"

pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not there")

# Runs the plugin on the steps of its stdin and prints the parts of each prompt as they are afterwards
DRIVER = """
import { readFileSync } from "node:fs"
import { NeotomaHooks } from "./plugin.mjs"
const hooks = await NeotomaHooks({ directory: "/home/u/app" })
const parts = []
for (const step of JSON.parse(readFileSync(0, "utf8"))) {
  if (step.type) await hooks.event({ event: step })
  else if (step.input.tool) await hooks["tool.execute.after"](step.input, step.output)
  else {
    await hooks["chat.message"](step.input, step.output)
    parts.push(step.output.parts)
  }
}
console.log(JSON.stringify(parts))
"""


def captured(name: str) -> dict[str, Any]:
    read = json.loads((CAPTURED / f"{name}.json").read_bytes())
    assert isinstance(read, dict)
    return read


def asked(text: str, message: str = ASKED, session: str = SESSION) -> dict[str, Any]:
    step = captured("chat.message")
    step["input"]["sessionID"] = session
    step["output"]["message"].update(id=message, sessionID=session)
    step["output"]["parts"][0].update(text=text, messageID=message, sessionID=session)
    return step


def said(text: str, to: str = ASKED, message: str = ANSWER, session: str = SESSION) -> list[dict[str, Any]]:
    begun = captured("event.message.updated.2")
    begun["properties"]["info"].update(id=message, parentID=to, sessionID=session)
    part = {"id": f"prt_{message}", "messageID": message, "sessionID": session, "type": "text", "text": text}
    return [begun, {"type": "message.part.updated", "properties": {"part": part}}]


def idle(session: str = SESSION) -> dict[str, Any]:
    return {"type": "session.idle", "properties": {"sessionID": session}}


def run(tmp_path: Path, *steps: dict[str, Any]) -> list[list[dict[str, Any]]]:
    commands = {entry.hook: command(entry.hook, "opencode") for entry in OpenCode.entries}
    (tmp_path / "plugin.mjs").write_text(OpenCode().plugin_text(commands))
    (tmp_path / "driver.mjs").write_text(DRIVER)
    done = subprocess.run(
        [str(NODE), str(tmp_path / "driver.mjs")],
        input=json.dumps(steps).encode(),
        capture_output=True,
        cwd=tmp_path,
        env=os.environ,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    parts = json.loads(done.stdout)
    assert isinstance(parts, list)
    return parts


def test_captured_turn(tmp_path: Path) -> None:
    """All events of one turn as they came, with the text of the reply; an end that comes twice changes nothing."""
    events = [captured(name) for name in ("event.session.created", "event.message.updated", "event.message.updated.2")]
    more = [captured(f"event.message.updated.{number}") for number in (3, 4, 5)]
    end = captured("event.session.idle")
    (parts,) = run(tmp_path, *events[:1], captured("chat.message"), *events[1:], said("Hello!")[1], *more, end, end)
    assert [part["text"] for part in parts] == ['"Say hello"']
    assert told() == [("answered", '"Say hello"', "Hello!")]


def test_context_goes_beside_the_prompt(tmp_path: Path) -> None:
    """As a part that opencode takes: it says where it belongs, and comes after the prompt."""
    neotoma_hooks("remember", "Ada Lovelace", "--type", "person")
    ((prompt, context),) = run(tmp_path, asked("Where is Ada Lovelace?"), *said("Here."), idle())
    assert prompt["text"] == "Where is Ada Lovelace?"
    assert "Ada Lovelace (person" in context["text"]
    assert (context["type"], context["synthetic"]) == ("text", True)
    assert (context["sessionID"], context["messageID"]) == (SESSION, ASKED)
    assert context["id"] > prompt["id"]
    assert told() == [("answered", "Where is Ada Lovelace?", "Here.")]


def tool_used(tool: str, output: dict[str, Any]) -> dict[str, Any]:
    return {"input": {"tool": tool, "sessionID": SESSION, "callID": "call_1", "args": {}}, "output": output}


def test_what_a_tool_of_the_memory_stored_is_what_the_reply_produces(tmp_path: Path) -> None:
    """What an MCP server said comes as that server gave it; other tools do not start the hook."""
    id = remembered("Grace Hopper")
    answer = json.dumps({"entities": [{"entity_id": id, "entity_type": "person"}]})
    stored = tool_used("neotoma_store", {"content": [{"type": "text", "text": answer}]})
    shell = tool_used("bash", {"title": "", "output": answer, "metadata": {}})
    run(tmp_path, asked("Store her"), shell, stored, *said("Done."), idle())
    (turn,) = stored_turns()
    assert [entity["entity_id"] for entity in turn["assistant"]["refers_to"]] == [id]
    assert [line["hook"] for line in hook_lines()] == ["prompt_submit", "tool_use", "stop"]


def remembered(name: str) -> str:
    printed = neotoma_hooks("remember", name, "--type", "person")
    return next(word.strip(".,()") for word in printed.split() if word.strip(".,()").startswith("ent_"))


def test_last_message_of_a_turn_is_the_reply(tmp_path: Path) -> None:
    """Earlier ones went with calls of tools."""
    run(tmp_path, asked("run it"), *said("calling it", message="msg_a"), *said("done", message="msg_b"), idle())
    assert told() == [("answered", "run it", "done")]


def test_prompts_that_waited(tmp_path: Path) -> None:
    """Each message of the agent names the prompt that it is to."""
    first, second = asked("prompt A", "msg_1"), asked("prompt B", "msg_2")
    run(tmp_path, first, second, *said("re A", "msg_1", "msg_3"), *said("re B", "msg_2", "msg_4"), idle())
    assert told() == [("answered", "prompt A", "re A"), ("answered", "prompt B", "re B")]


def test_turn_given_up(tmp_path: Path) -> None:
    """What was said so far is kept as a part; without a word there is no reply."""
    error = {
        "type": "session.error",
        "properties": {"sessionID": SESSION, "error": {"name": "MessageAbortedError", "data": {}}},
    }
    run(tmp_path, asked("prompt A", "msg_1"), *said("as far as", "msg_1"), error, idle())
    run(tmp_path, asked("prompt B", "msg_2"), error, idle())
    assert told() == [("interrupted", "prompt A", "as far as…"), ("interrupted", "prompt B", None)]


def test_session_that_is_idle_twice_after_an_error(tmp_path: Path) -> None:
    """As opencode was seen to be when the model refuses; its second end is no empty reply."""
    error = {"type": "session.error", "properties": {"sessionID": SESSION, "error": {"name": "APIError", "data": {}}}}
    begun = said("")[0]
    run(tmp_path, asked("prompt A"), begun, error, idle(), begun, idle())
    assert told() == [("interrupted", "prompt A", None)]


def test_subagents_session(tmp_path: Path) -> None:
    """What a subagent is asked and says is no turn of the person's."""
    created = captured("event.session.created")
    created["properties"]["info"].update(id="ses_child", parentID=SESSION)
    child = (asked("look there", "msg_9", "ses_child"), *said("looked", "msg_9", "msg_8", "ses_child"))
    run(tmp_path, asked("prompt A"), created, *child, idle("ses_child"), *said("re A"), idle())
    assert told() == [("answered", "prompt A", "re A")]


@pytest.mark.parametrize(
    "step",
    [
        {"type": "session.idle"},
        {"type": "session.idle", "properties": {"sessionID": "unknown"}},
        {"type": "message.updated", "properties": {}},
        {"type": "message.part.updated", "properties": {"part": None}},
        {"type": "session.error", "properties": {}},
        {"type": "other"},
    ],
    ids=str,
)
def test_events_of_other_shapes(tmp_path: Path, step: dict[str, Any]) -> None:
    """None of them disturbs opencode or the turn."""
    run(tmp_path, asked("Say hello"), step, *said("Hello!"), step, idle(), step)
    assert told() == [("answered", "Say hello", "Hello!")]
