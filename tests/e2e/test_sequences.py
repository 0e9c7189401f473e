"""What agents were measured to send when a turn does not go its plain way, and the turns that a person would tell."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks.paths import find_paths
from neotoma_hooks.state.lock import locked
from support.firing import Fired, fire, hook_lines, neotoma_hooks, prompt, reply, stored_turns
from support.talks import (
    Antigravity,
    Augment,
    Cline,
    Copilot,
    CopilotPascal,
    Cursor,
    CursorByClaudesFile,
    Devin,
    Droid,
    Gemini,
    Goose,
    Grok,
    Kimi,
    OpenCode,
    Qwen,
    Recorded,
    Windsurf,
    home,
    told,
)

CAPTURED = Path(__file__).resolve().parents[1] / "agents" / "captured"
AGAIN = "Say it once more, please"


def captured(name: str, **changes: Any) -> dict[str, Any]:
    read = json.loads((CAPTURED / f"{name}.json").read_bytes())
    assert isinstance(read, dict)
    return {**read, **changes}


def record(name: str, upto: str = "") -> str:
    """A captured record of an agent's; with `upto` as it was before the first line with that text in it."""
    lines = (CAPTURED / f"{name}.jsonl").read_text().splitlines(keepends=True)
    end = next((number for number, line in enumerate(lines) if upto in line), None) if upto else None
    assert end is not None or not upto
    return "".join(lines[:end])


def run(hook: str, agent: str, payload: dict[str, Any]) -> Fired:
    return fire(hook, payload, agent).assert_quiet()


def until_told(expected: list[Any]) -> None:
    """Wait for what the courier reads later."""
    for _ in range(120):
        if told() == expected:
            return
        time.sleep(0.1)
    assert told() == expected


# Claude Code, before its events told the reply


@pytest.mark.parametrize("so_far", ["", "Looking."])
def test_older_claude_code_when_the_model_refuses(tmp_path: Path, so_far: str) -> None:
    """The stop event comes all the same. The transcript shows the error; what was said before it is kept as a part."""
    path = tmp_path / "transcript.jsonl"
    asked = {"type": "user", "message": {"role": "user", "content": "count"}}
    texts = [("msg_1", so_far, False), ("msg_2", "API Error: 400 fake", True)]
    lines = [
        {
            "type": "assistant",
            "isApiErrorMessage": is_error,
            "message": {"role": "assistant", "id": id, "content": [{"type": "text", "text": text}]},
        }
        for id, text, is_error in texts
        if text
    ]
    run("prompt_submit", "claude-code", prompt("c1", None, "count", transcript_path=str(path)))
    path.write_text("".join(json.dumps(line) + "\n" for line in (asked, *lines)))
    run("stop", "claude-code", reply("c1", None, None, transcript_path=str(path)))
    until_told([("interrupted", "count", f"{so_far}…" if so_far else None)])


def written_by_claude(path: Path, *said: tuple[str, str]) -> None:
    """A record with these messages of session c1, each a role and a text."""
    lines = [
        {"type": role, "sessionId": "c1", "message": {"role": role, "content": [{"type": "text", "text": text}]}}
        for role, text in said
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def one_turn_and_a_prompt(folder: Path) -> dict[str, str]:
    """Session c1 has an answered turn, and a second prompt of which its file has nothing; what events name it by."""
    path = folder / "c1.jsonl"
    where = {"transcript_path": str(path)}
    run("prompt_submit", "claude-code", prompt("c1", None, "first", **where))
    written_by_claude(path, ("user", "first"), ("assistant", "one"))
    run("stop", "claude-code", reply("c1", None, None, **where))
    run("prompt_submit", "claude-code", prompt("c1", None, "second", **where))
    return where


def test_older_claude_code_writes_a_resumed_turn_to_another_file(tmp_path: Path) -> None:
    """As 1.0.128 does on a busy machine: its events name the session's file all the same."""
    where = one_turn_and_a_prompt(tmp_path)
    written_by_claude(tmp_path / "thrown-away.jsonl", ("user", "second"), ("assistant", "two"))
    run("stop", "claude-code", reply("c1", None, None, **where))
    assert told() == [("answered", "first", "one"), ("answered", "second", "two")]


def test_older_claude_code_whose_record_has_nothing_of_the_turn(tmp_path: Path) -> None:
    """No reply is made up, and none is said to be empty: the event is kept, `doctor` tells why, the turn stays open."""
    where = one_turn_and_a_prompt(tmp_path)
    run("stop", "claude-code", reply("c1", None, None, **where))
    neotoma_hooks("flush")
    assert told() == [("answered", "first", "one"), ("open", "second", None)]
    assert "has nothing of this turn" in neotoma_hooks("doctor", check=False)


def test_older_claude_code_whose_record_is_ahead_and_lacks_a_turn(tmp_path: Path) -> None:
    """What the record has of a later turn, whose events still wait, is not taken for the reply to this one."""
    path = tmp_path / "c1.jsonl"
    where = {"transcript_path": str(path)}
    with locked(find_paths(os.environ).courier_lock, 5):
        run("prompt_submit", "claude-code", prompt("c1", None, "second", **where))
        run("stop", "claude-code", reply("c1", None, None, **where))
        written_by_claude(path, ("user", "third"), ("assistant", "three"))
        run("prompt_submit", "claude-code", prompt("c1", None, "third", **where))
        run("stop", "claude-code", reply("c1", None, None, **where))
    neotoma_hooks("flush")
    assert told() == [("interrupted", "second", None), ("answered", "third", "three")]


def test_older_claude_code_with_two_registrations_on_a_slow_machine(tmp_path: Path) -> None:
    """The second one's late event is a repeat, also where an earlier turn never got a reply."""
    path = tmp_path / "c1.jsonl"
    where = {"transcript_path": str(path)}
    run("prompt_submit", "claude-code", prompt("c1", None, "given up", **where))
    run("prompt_submit", "claude-code", prompt("c1", None, "first", **where))
    with locked(find_paths(os.environ).courier_lock, 5):
        for _ in range(2):
            run("stop", "claude-code", reply("c1", None, None, **where))
        written_by_claude(path, ("user", "given up"), ("user", "first"), ("assistant", "one"))
    neotoma_hooks("flush")
    assert told() == [("interrupted", "given up", None), ("answered", "first", "one")]
    assert "set aside: no event" in neotoma_hooks("doctor", check=False)


# Gemini CLI


def test_gemini_turn_with_a_tool() -> None:
    """As captured: the reply is all that the agent said."""
    run("prompt_submit", "gemini-cli", captured("gemini/BeforeAgent"))
    for name in ("AfterTool", "PreCompress", "AfterAgent"):
        run("stop", "gemini-cli", captured(f"gemini/{name}"))
    ((status, asked, said),) = told()
    assert (status, said) == ("answered", "calling run_shell_command\nFAKE-REPLY-2")
    assert asked == captured("gemini/BeforeAgent")["prompt"]


def test_gemini_sent_on_by_a_stop_hook() -> None:
    """What the hook says is a prompt to Gemini CLI; its end repeats the first prompt and all texts."""
    talk = Gemini(home())
    talk.ask("Say hello")
    talk.answer("first")
    run("prompt_submit", "gemini-cli", {**talk.prompt_payload("Say hello"), "prompt": AGAIN})
    sent_on = {**talk.stop_payload("first\nsecond"), "stop_hook_active": True}
    run("stop", "gemini-cli", sent_on)
    run("stop", "gemini-cli", sent_on)
    talk.ask("Thanks")
    assert told() == [
        ("answered", "Say hello", "first"),
        ("answered", AGAIN, "first\nsecond"),
        ("open", "Thanks", None),
    ]


def test_gemini_stop_hook_of_a_version_without_a_second_prompt() -> None:
    """The further reply is kept all the same."""
    talk = Gemini(home())
    talk.ask("Say hello")
    talk.answer("first")
    run("stop", "gemini-cli", {**talk.stop_payload("first\nsecond"), "stop_hook_active": True})
    assert told() == [("answered", "Say hello", "first"), ("answered", None, "first\nsecond")]


def test_gemini_error_of_the_model() -> None:
    """Nothing comes after it; the record of the resumed session shows what was said before it. In that record our own
    context stands beside the prompt."""
    talk = Gemini(home(), "08624d5f")
    talk.path.parent.mkdir(parents=True)
    run("prompt_submit", "gemini-cli", talk.prompt_payload("please run it"))
    talk.path.write_text(record("gemini/transcript-error-and-resumed", '"second"'))
    run("prompt_submit", "gemini-cli", talk.prompt_payload("second"))
    run("stop", "gemini-cli", talk.stop_payload("two"))
    assert told() == [("interrupted", "please run it", "calling it…"), ("answered", "second", "two")]


def test_gemini_stopped_by_the_person() -> None:
    """As captured: the end comes all the same, with what was said so far; then Gemini CLI asks on in words of its own,
    and what it says to itself is no reply to the person's next prompt."""
    talk = Gemini(home(), "3245f015-6e9a-4a19-b6dd-26d4fdb0933d")
    talk.path.parent.mkdir(parents=True)
    path = {"transcript_path": str(talk.path)}
    run("prompt_submit", "gemini-cli", {**talk.prompt_payload("prompt D"), **path})
    talk.path.write_text(record("gemini/transcript-cancelled", "[System: "))
    for _ in range(2):
        run("stop", "gemini-cli", captured("gemini/AfterAgent.cancelled", **path))
    run("prompt_submit", "gemini-cli", captured("gemini/BeforeAgent.machine", **path))
    talk.path.write_text(record("gemini/transcript-cancelled", '"prompt E"'))
    run("stop", "gemini-cli", captured("gemini/AfterAgent.machine", **path))
    run("prompt_submit", "gemini-cli", {**talk.prompt_payload("prompt E"), **path})
    talk.path.write_text(record("gemini/transcript-cancelled"))
    run("stop", "gemini-cli", {**talk.stop_payload("re E"), **path})
    assert told() == [
        ("interrupted", "prompt D", "calling it…"),
        ("answered", None, "re S"),
        ("answered", "prompt E", "re E"),
    ]


def test_gemini_stopped_before_a_word_was_said() -> None:
    """As measured: the end has no text, and the record has a line for it."""
    talk = Gemini(home())
    talk.ask("prompt F")
    talk.line({"id": "i", "type": "info", "content": "Request cancelled."})
    talk.line({"$set": {"lastUpdated": "2026-12-01T10:00:00.000Z"}})
    talk.fire(talk.stop("[no response text]"))
    talk.ask("prompt G")
    talk.answer("re G")
    assert told() == [("interrupted", "prompt F", None), ("answered", "prompt G", "re G")]


def test_gemini_prompt_with_a_session_hooks_context_before_it() -> None:
    """What another hook says at the session's start is put before the prompt that the end repeats."""
    talk = Gemini(home())
    talk.ask("Say hello")
    run("stop", "gemini-cli", {**talk.stop_payload("Hello"), "prompt": "context of others\n\nSay hello"})
    assert told() == [("answered", "Say hello", "Hello")]


def test_gemini_without_a_text() -> None:
    """What stands in the place of a reply is none."""
    talk = Gemini(home())
    talk.ask("Say nothing")
    talk.answer("[no response text]")
    assert told() == [("answered", "Say nothing", None)]


# Qwen Code


def test_qwen_turn_with_a_tool() -> None:
    """As captured: after the tool the prompt event comes again, empty, with the same id."""
    for name in ("UserPromptSubmit", "UserPromptSubmit.2"):
        run("prompt_submit", "qwen-code", captured(f"qwen/{name}"))
    run("stop", "qwen-code", captured("qwen/Stop"))
    assert told() == [("answered", captured("qwen/UserPromptSubmit")["prompt"], "FAKE-REPLY-2")]


@pytest.mark.parametrize("submitted", [{"submitted_prompt": "Say hello"}, {}], ids=["typed", "recalled"])
def test_qwen_sent_on_by_a_stop_hook(submitted: dict[str, str]) -> None:
    """What the hook says comes as a prompt that nobody submitted, with the id of the turn: it is no prompt of the
    person's, and the second reply is a turn of its own."""
    again = captured("qwen/UserPromptSubmit.after-block")
    run("prompt_submit", "qwen-code", {**again, "prompt": "Say hello", **submitted})
    second = captured("qwen/Stop.second-after-block")
    run("stop", "qwen-code", {**second, "last_assistant_message": "first", "stop_hook_active": False})
    for _ in range(2):
        run("prompt_submit", "qwen-code", again)
    run("stop", "qwen-code", second)
    assert told() == [("answered", "Say hello", "first"), ("answered", None, "second")]
    assert "prompt made by a machine" in [line["outcome"] for line in hook_lines()]


def test_qwen_error_of_the_model() -> None:
    """Headless nothing comes after it; the record tells at the next prompt what was said before."""
    talk = Qwen(home())
    talk.path.parent.mkdir(parents=True)
    talk.number = 1
    run("prompt_submit", "qwen-code", talk.prompt_payload("please run it"))
    talk.path.write_text(record("qwen/transcript-error-and-resumed", '"second"'))
    talk.number = 2
    run("prompt_submit", "qwen-code", talk.prompt_payload("second"))
    run("stop", "qwen-code", talk.stop_payload("two"))
    assert told() == [("interrupted", "please run it", "calling it…"), ("answered", "second", "two")]


def test_qwen_failure_that_is_told() -> None:
    """In the terminal there is an event, whose text is the error's."""
    talk = Qwen(home())
    talk.ask("please run it")
    talk.said("calling it")
    failure = {**talk.stop_payload("API Error: 400"), "hook_event_name": "StopFailure"}
    run("stop", "qwen-code", failure)
    run("stop", "qwen-code", failure)
    assert told() == [("interrupted", "please run it", "calling it…")]


def test_qwen_stopped_by_the_person() -> None:
    """As measured: Esc fires nothing; in the record nothing follows the tool."""
    talk = Qwen(home())
    talk.ask("please run it")
    talk.said("calling it")
    parts = [{"functionResponse": {"name": "list_directory", "response": {"output": "empty"}}}]
    talk.line({"type": "tool_result", "message": {"role": "user", "parts": parts}})
    talk.ask("never mind")
    assert told() == [("interrupted", "please run it", "calling it…"), ("open", "never mind", None)]


# Copilot CLI


@pytest.fixture(params=[Copilot, CopilotPascal], ids=["camelCase", "PascalCase"])
def copilot(request: pytest.FixtureRequest) -> Copilot:
    talk = request.param(home())
    assert isinstance(talk, Copilot)
    return talk


def test_copilot_turn_with_a_tool(copilot: Copilot) -> None:
    """As captured; the reply is the last message of the record."""
    (prompt,) = [
        json.loads(line)["data"]["content"]
        for line in record("copilot/transcript-tool-turn").splitlines()
        if '"user.message"' in line
    ]
    copilot.fire(copilot.prompt(prompt))
    copilot.path.parent.mkdir(parents=True)
    copilot.path.write_text(record("copilot/transcript-tool-turn"))
    copilot.fire(copilot.stop(""))
    assert told() == [("answered", prompt, "FAKE-REPLY-2")]


def test_copilot_writes_its_record_while_the_hook_runs(copilot: Copilot) -> None:
    """Not there at the hook's start, nor is its folder; a moment later it is."""
    copilot.fire(copilot.prompt("Say hello"))

    def write() -> None:
        copilot.asked("Say hello")
        copilot.said("Hello")

    timer = threading.Timer(0.25, write)
    timer.start()
    copilot.fire(copilot.stop(""))
    timer.join()
    until_told([("answered", "Say hello", "Hello")])


def test_copilot_writes_its_record_when_the_hook_is_gone() -> None:
    """Then the courier reads it."""
    copilot = Copilot(home())
    copilot.fire(copilot.prompt("Say hello"))
    copilot.fire(copilot.stop(""))
    copilot.asked("Say hello")
    copilot.said("Hello")
    until_told([("answered", "Say hello", "Hello")])


def test_copilot_sent_on_by_a_stop_hook(copilot: Copilot) -> None:
    """As captured: what the hook says is a prompt to Copilot CLI, and stands in its record as one."""
    copilot.path.parent.mkdir(parents=True)
    copilot.fire(copilot.prompt("Say hello"))
    copilot.path.write_text(record("copilot/transcript-after-block", AGAIN))
    copilot.fire(copilot.stop(""))
    copilot.fire(copilot.prompt(AGAIN))
    copilot.path.write_text(record("copilot/transcript-after-block"))
    for _ in range(2):
        copilot.fire([("stop", {**copilot.stop_payload(""), "stop_hook_active": True})])
    assert told() == [("answered", "Say hello", "first"), ("answered", AGAIN, "second")]


def test_copilot_sent_on_while_its_record_is_behind() -> None:
    """The old reply at the end of the record is not taken for the new one."""
    copilot = Copilot(home())
    copilot.ask("Say hello")
    copilot.answer("first")
    timer = threading.Timer(0.25, copilot.said, ["second"])
    timer.start()
    copilot.fire([("stop", {**copilot.stop_payload(""), "stop_hook_active": True})])
    timer.join()
    until_told([("answered", "Say hello", "first"), ("answered", None, "second")])


def test_copilot_error_of_the_model() -> None:
    """As captured: the event calls the last error recoverable too; the record shows that it was not."""
    copilot = Copilot(home())
    copilot.fire(copilot.prompt("please run it"))
    run("stop", "copilot-cli", captured("copilot/errorOccurred", sessionId="conv-1"))
    copilot.path.parent.mkdir(parents=True)
    copilot.path.write_text(record("copilot/transcript-error-and-resumed", '"second"'))
    copilot.fire(copilot.prompt("second"))
    copilot.path.write_text(record("copilot/transcript-error-and-resumed"))
    copilot.fire(copilot.stop(""))
    assert told() == [("interrupted", "please run it", "calling it…"), ("answered", "second", "two")]


def test_copilot_error_after_which_it_tries_again() -> None:
    """As measured: two errors, and then the reply."""
    copilot = Copilot(home())
    copilot.ask("please run it")
    for _ in range(2):
        run("stop", "copilot-cli", captured("copilot/errorOccurred", sessionId="conv-1"))
    copilot.answer("after all")
    assert told() == [("answered", "please run it", "after all")]


def test_copilot_error_that_is_final() -> None:
    """What was said before it is kept as the part that it is."""
    copilot = Copilot(home())
    copilot.ask("please run it")
    copilot.said("calling it")
    run("stop", "copilot-cli", captured("copilot/errorOccurred", sessionId="conv-1", recoverable=False))
    assert told() == [("interrupted", "please run it", "calling it…")]


def test_copilot_stopped_by_the_person(copilot: Copilot) -> None:
    """Esc fires nothing; the record has an event of its own for it."""
    copilot.ask("Say hello")
    copilot.said("Hel")
    copilot.line({"type": "abort", "data": {"reason": "user_initiated"}})
    copilot.ask("Say it again")
    copilot.answer("Hello")
    assert told() == [("interrupted", "Say hello", "Hel…"), ("answered", "Say it again", "Hello")]


def test_copilot_prompt_that_goes_into_the_running_turn(copilot: Copilot) -> None:
    """Its record calls it steering: one reply to both."""
    copilot.ask("prompt A")
    copilot.said("calling a tool")
    copilot.asked("prompt B", "steering")
    copilot.fire(copilot.prompt("prompt B"))
    copilot.answer("both done")
    assert told() == [("merged", "prompt A", None), ("answered", "prompt B", "both done")]


def test_qwen_prompt_typed_while_it_works() -> None:
    """As measured: no event comes for it, and the one reply is to both."""
    talk = Qwen(home())
    talk.ask("prompt B")
    talk.said("re A")
    talk.number -= 1
    talk.asked("prompt C")
    talk.answer("re BC")
    assert told() == [("answered", "prompt B", "re BC")]


def test_copilot_prompt_that_waits_for_its_turn(copilot: Copilot) -> None:
    """Should its event come while the agent is at work on another: each gets its own reply."""
    copilot.ask("prompt A")
    copilot.fire(copilot.prompt("prompt B"))
    copilot.answer("re A")
    copilot.asked("prompt B", "queued")
    copilot.answer("re B")
    assert told() == [("answered", "prompt A", "re A"), ("answered", "prompt B", "re B")]


def test_copilot_reply_without_a_word() -> None:
    """Believed when the record still has none later on."""
    copilot = Copilot(home())
    copilot.ask("Say nothing")
    copilot.answer("")
    until_told([("answered", "Say nothing", None)])


def test_copilot_reply_to_a_prompt_that_no_hook_saw() -> None:
    """Hooks that were put in while a session ran: the reply is a turn without a prompt."""
    copilot = Copilot(home())
    copilot.asked("unseen")
    copilot.answer("Hello")
    assert told() == [("answered", None, "Hello")]


# Others that keep a record


@pytest.mark.parametrize("kind", [Copilot, Droid, Kimi])
def test_second_stop_after_an_interrupted_turn(kind: type[Recorded]) -> None:
    """What was said in the turn that was given up is not taken for a reply when the next reply's event repeats."""
    talk = kind(home())
    talk.ask("prompt A")
    talk.said("calling a tool")
    talk.ask("prompt B")
    talk.answer("re B")
    talk.fire(2 * talk.stop("re B"))
    assert told() == [("interrupted", "prompt A", None), ("answered", "prompt B", "re B")]


def test_kimi_prompt_steered_into_the_running_turn() -> None:
    """The event says so: both wait for the one reply."""
    kimi = Kimi(home())
    kimi.ask("prompt A")
    kimi.said("calling a tool")
    kimi.asked("prompt B")
    kimi.fire([("prompt_submit", {**kimi.prompt_payload("prompt B"), "is_steer": True})])
    kimi.answer("both done")
    kimi.ask("prompt C")
    assert told() == [("merged", "prompt A", None), ("answered", "prompt B", "both done"), ("open", "prompt C", None)]


@pytest.mark.parametrize("event", ["Interrupt", "StopFailure"])
def test_kimi_turn_given_up(event: str) -> None:
    """A prompt that was steered into it fails with it; what was said so far is in the record."""
    kimi = Kimi(home())
    kimi.ask("prompt A")
    kimi.asked("prompt B")
    kimi.fire([("prompt_submit", {**kimi.prompt_payload("prompt B"), "is_steer": True})])
    kimi.said("as far as")
    for _ in range(2):
        kimi.fire([("stop", {**kimi.common(event), "turn_id": "1"})])
    assert told() == [("interrupted", "prompt A", None), ("interrupted", "prompt B", "as far as…")]


def test_devin_reads_the_newest_copy_of_a_message() -> None:
    """A message is written again while it grows."""
    devin = Devin(home())
    devin.ask("Say hello")
    devin.said("Hel")
    devin.answer("Hello")
    assert told() == [("answered", "Say hello", "Hello")]


def test_antigravity_calls_its_hook_before_each_call_of_the_model() -> None:
    """Only the first one of a turn opens it."""
    talk = Antigravity(home())
    talk.ask("please run it")
    talk.said("calling it")
    talk.fire(talk.prompt(""))
    talk.answer("done")
    talk.ask("please run it")
    talk.answer("done again")
    assert told() == [("answered", "please run it", "done"), ("answered", "please run it", "done again")]


def test_antigravity_prompt_that_is_recorded_late() -> None:
    """The end of the turn tells it."""
    talk = Antigravity(home())
    talk.fire(talk.prompt(""))
    talk.asked("Say hello")
    talk.answer("Hello")
    assert told() == [("answered", "Say hello", "Hello")]


def test_antigravity_turn_given_up() -> None:
    """With what was said so far."""
    talk = Antigravity(home())
    talk.ask("Say hello")
    talk.said("Hel")
    for _ in range(2):
        talk.fire([("stop", {**talk.stop_payload(""), "terminationReason": "USER_CANCELED"})])
    assert told() == [("interrupted", "Say hello", "Hel…")]


# Agents with turn ids of their own


def test_cursor_last_message_is_the_reply() -> None:
    """Each of its messages has an event; the one at the end has no text."""
    cursor = Cursor(home())
    cursor.ask("please run it")
    cursor.fire(cursor.message("calling it"))
    cursor.answer("done")
    assert told() == [("answered", "please run it", "done")]


@pytest.mark.parametrize("status", ["aborted", "error"])
def test_cursor_turn_given_up(status: str) -> None:
    """`stop` comes then as well."""
    cursor = Cursor(home())
    cursor.ask("please run it")
    cursor.fire(cursor.message("calling it"))
    for _ in range(2):
        cursor.fire([("stop", {**cursor.stop_payload(""), "status": status})])
    assert told() == [("interrupted", "please run it", "calling it…")]


def test_cursor_turn_given_up_before_a_word_was_said() -> None:
    """No reply is made up."""
    cursor = Cursor(home())
    cursor.ask("please run it")
    cursor.fire([("stop", {**cursor.stop_payload(""), "status": "aborted"})])
    assert told() == [("interrupted", "please run it", None)]


class NamelessCursor(Cursor):
    """Names the turn in the events `naming` only."""

    naming: tuple[str, ...] = ()

    def common(self, event: str) -> dict[str, Any]:
        told = super().common(event)
        return told if event in self.naming else {**told, "generation_id": None}


@pytest.mark.parametrize(
    "naming",
    [(), ("beforeSubmitPrompt",), ("beforeSubmitPrompt", "stop"), ("beforeSubmitPrompt", "afterAgentResponse")],
    ids=["no event", "the prompt", "prompt and end", "prompt and message"],
)
def test_cursor_events_that_name_no_turn(naming: tuple[str, ...]) -> None:
    """They are of the turn that it is at work on; each fires twice."""
    cursor = NamelessCursor(home())
    cursor.naming = naming
    for asked, said in (("please run it", "done"), ("once more", "done again"), ("and now?", "done")):
        cursor.ask(asked)
        cursor.fire(2 * cursor.message("calling it"))
        cursor.fire([event for event in cursor.stop(said) for _ in range(2)])
    assert told() == [
        ("answered", "please run it", "done"),
        ("answered", "once more", "done again"),
        ("answered", "and now?", "done"),
    ]
    assert not [line for line in hook_lines() if "error" in line]


def test_cursor_turn_without_a_name_is_given_up() -> None:
    """What it said until then is kept as for any other."""
    cursor = NamelessCursor(home())
    cursor.ask("please run it")
    cursor.fire(cursor.message("calling it"))
    cursor.fire([("stop", {**cursor.stop_payload(""), "status": "aborted"})])
    assert told() == [("interrupted", "please run it", "calling it…")]


def test_cursor_message_that_is_of_no_turn() -> None:
    """Nobody can tell whose it is: it is set aside, and the log does not say that it is kept until a turn ends."""
    cursor = NamelessCursor(home())
    cursor.fire(cursor.message("hello there"))
    (line,) = hook_lines()
    assert line["outcome"] == "set aside"
    assert line["error"] == "the agent's message names no turn, and there is none that it may be of"
    (event,) = Path(find_paths(os.environ).set_aside).iterdir()
    assert "hello there" in event.read_text()


def test_cursor_reply_to_a_picture_is_nobody_elses() -> None:
    """A prompt without a word has its own id; the prompt before it, which was given up, gets no reply."""
    cursor = Cursor(home())
    cursor.ask("never answered")
    cursor.ask("")
    cursor.answer("A cat.")
    assert told() == [("open", "never answered", None), ("answered", None, "A cat.")]


def test_cursor_told_by_its_own_file_and_by_claude_codes() -> None:
    """Both registrations fire at each event: one turn."""
    own, foreign = Cursor(home()), CursorByClaudesFile(home())
    for text, said in (("Say hello", "Hello"), ("And?", "No")):
        own.ask(text)
        foreign.ask(text)
        foreign.fire(foreign.message(said))
        own.answer(said)
        foreign.fire([("stop", {**foreign.stop_payload(""), "hook_event_name": "Stop"})])
    assert told() == [("answered", "Say hello", "Hello"), ("answered", "And?", "No")]


def test_cursor_by_a_file_without_its_own_events() -> None:
    """Claude Code's file knows nothing of messages: the reply is in the record, if there is one."""
    cursor = CursorByClaudesFile(home())
    path = home() / "cursor.jsonl"
    cursor.ask("Say hello")
    lines = [{"role": "user", "message": {"content": "Say hello"}}, {"role": "assistant", "message": {"content": "Hi"}}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    cursor.fire([("stop", {**cursor.stop_payload(""), "hook_event_name": "Stop", "transcript_path": str(path)})])
    assert told() == [("answered", "Say hello", "Hi")]


def test_grok_tells_the_end_after_the_next_prompt() -> None:
    """The ids tell which turn it is."""
    grok = Grok(home())
    grok.ask("prompt A")
    late = grok.stop("re A")
    grok.ask("prompt B")
    grok.fire(late)
    grok.answer("re B")
    assert told() == [("answered", "prompt A", "re A"), ("answered", "prompt B", "re B")]


def test_grok_run_by_three_files_and_with_an_end_of_its_session() -> None:
    """Its own, Claude Code's and Cursor's; and one more stop when the session ends."""
    grok = Grok(home())
    grok.asked("Say hello")
    for hint in ("grok-build", "claude-code", "cursor"):
        run("prompt_submit", hint, grok.prompt_payload("Say hello"))
    for hint in ("grok-build", "claude-code", "cursor"):
        run("stop", hint, {**grok.common("post_tool_use"), "toolName": "Bash", "toolResult": "x"})
        run("stop", hint, grok.stop_payload("Hello"))
    run("stop", "grok-build", {**grok.stop_payload("Hello"), "promptId": None, "reason": "channel_closed"})
    assert told() == [("answered", "Say hello", "Hello")]


def test_grok_turn_given_up() -> None:
    """Its event may tell what was said; else the record does. That of a failure tells the error."""
    grok = Grok(home())
    grok.ask("prompt A")
    grok.fire([("stop", {**grok.stop_payload("as far as"), "hookEventName": "stop_cancelled", "reason": "user"})])
    grok.ask("prompt B")
    grok.said("so far")
    grok.fire([("stop", {**grok.stop_payload("API error"), "hookEventName": "stop_failure"})])
    assert told() == [("interrupted", "prompt A", "as far as…"), ("interrupted", "prompt B", "so far…")]


@pytest.mark.parametrize("is_kept", [True, False])
def test_grok_reply_that_is_too_long_for_its_event(is_kept: bool) -> None:
    """The record has it whole; without one, the beginning is kept as a part."""
    whole = "x" * 32_768 + "and the end"
    clipped = "x" * 32_768 + "… [+11 chars]"
    grok = Grok(home())
    grok.ask("Say much")
    if is_kept:
        grok.said(whole)
    grok.fire(grok.stop(clipped))
    assert told() == [("answered", "Say much", whole if is_kept else clipped + "…")]


def test_windsurf_with_raw_control_characters() -> None:
    """Its JSON is taken although it is not quite JSON."""
    windsurf = Windsurf(home())
    windsurf.asked("")
    for hook, payload in (*windsurf.prompt("two\nlines\x01"), *windsurf.stop("three\n\tlines")):
        raw = json.dumps(payload).replace("\\n", "\n").replace("\\t", "\t").replace("\\u0001", "\x01").encode()
        fire(hook, raw, "windsurf").assert_quiet()
    assert told() == [("answered", "two\nlines\x01", "three\n\tlines")]


def test_windsurf_prompts_with_ids_of_their_own() -> None:
    """A reply that comes late finds its prompt."""
    windsurf = Windsurf(home())
    windsurf.ask("prompt A")
    late = windsurf.stop("re A")
    windsurf.ask("prompt B")
    windsurf.answer("re B")
    windsurf.fire(late)
    assert told() == [("answered", "prompt A", "re A"), ("answered", "prompt B", "re B")]


def test_opencode_prompts_that_waited() -> None:
    """At one end of work the plugin tells the reply to each of them."""
    talk = OpenCode(home())
    talk.ask("prompt A")
    first = talk.stop("re A")
    talk.ask("prompt B")
    talk.fire(first)
    talk.answer("re B")
    talk.fire(talk.stop("re B"))
    assert told() == [("answered", "prompt A", "re A"), ("answered", "prompt B", "re B")]


def test_opencode_turn_given_up_and_a_subagents() -> None:
    """With what was said so far; what a subagent was asked is no prompt of the person's."""
    talk = OpenCode(home())
    talk.ask("prompt A")
    child = {"session_id": "child", "parent_session_id": "conv-1", "message_id": "msg_child"}
    talk.fire([("prompt_submit", {**talk.prompt_payload("look"), **child})])
    talk.fire([("stop", {**talk.stop_payload("looked"), **child})])
    talk.fire([("stop", {**talk.stop_payload("as far as"), "error": "MessageAbortedError"})])
    assert told() == [("interrupted", "prompt A", "as far as…")]


# Agents without


def test_augment_end_that_tells_both() -> None:
    """A version whose prompt event tells nothing: prompt and reply are stored at the end, once."""
    augment = Augment(home())
    for number in (1, 2):
        augment.number = number
        augment.fire([("prompt_submit", augment.common("PromptSubmit"))])
        augment.text = "continue"
        for _ in range(2):
            augment.fire(augment.stop(f"done {number}"))
    assert told() == [("answered", "continue", "done 1"), ("answered", "continue", "done 2")]


@pytest.mark.parametrize("cause", ["interrupted", "error"])
@pytest.mark.parametrize("is_told", [True, False])
def test_augment_turn_given_up(cause: str, is_told: bool) -> None:
    """The end tells what was said so far."""
    augment = Augment(home())
    augment.text = "please run it"
    if is_told:
        augment.ask("please run it")
    for _ in range(2):
        augment.fire([("stop", {**augment.stop_payload("as far as"), "agent_stop_cause": cause})])
    assert told() == [("interrupted", "please run it", "as far as…")]


def test_cline_tells_the_result_of_a_task_only() -> None:
    """What it says in between is not to be had; a task that is cancelled has no result."""
    cline = Cline(home(), "1")
    cline.ask("prompt A")
    cline.ask("prompt B")
    cline.answer("all done")
    cline.fire(cline.stop("all done"))
    other = Cline(home(), "2")
    other.ask("prompt C")
    other.fire([("stop", {**other.common("TaskCancel"), "taskCancel": {"taskMetadata": {}}})])
    assert told("1") == [("interrupted", "prompt A", None), ("answered", "prompt B", "all done")]
    assert told("2") == [("interrupted", "prompt C", None)]


def test_goose_stop_that_another_hook_sent_on() -> None:
    """No event says so: the further reply is a turn without a prompt."""
    goose = Goose(home())
    goose.ask("Say hello")
    goose.answer("first")
    goose.answer("second")
    assert told() == [("answered", "Say hello", "first"), ("answered", None, "second")]


def test_amazon_q_stores_nothing() -> None:
    """It names no conversation."""
    run("prompt_submit", "amazon-q", {"hook_event_name": "userPromptSubmit", "cwd": "/", "prompt": "Say hello"})
    run("stop", "amazon-q", {"hook_event_name": "stop", "cwd": "/"})
    assert stored_turns() == []
    assert all("error" not in line for line in hook_lines())


def socket_at(path: Path) -> None:
    here = os.open(".", os.O_RDONLY)
    # The whole path is too long for a socket's name
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as found:
        found.bind(path.name)
    os.fchdir(here)
    os.close(here)


NO_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a folder": (lambda path: path.mkdir(), "is a folder, not a file"),
    "a pipe": (os.mkfifo, "is a pipe, not a file"),
    "a socket": (socket_at, "is a socket, not a file"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "is a device, not a file"),
    "a link to itself": (lambda path: path.symlink_to(path), "cannot be read: Too many levels of symbolic links"),
}


@pytest.mark.parametrize("kind", NO_FILES)
def test_record_that_is_no_file(kind: str) -> None:
    """The log says what lies in the record's place, and the event is kept for when it is mended; nothing hangs."""
    make, said = NO_FILES[kind]
    droid = Droid(home())
    droid.path.parent.mkdir(parents=True)
    make(droid.path)
    droid.fire(droid.prompt("Say hello"))
    droid.fire(droid.stop("hello"))
    (line,) = hook_lines("stop")
    told = f"the agent's transcript {droid.path} {said}"
    assert (line["error"], line["outcome"]) == (told, "set aside")
    neotoma_hooks("flush", check=False)
    assert told in neotoma_hooks("doctor", check=False)
    assert told in neotoma_hooks("log", "--errors")
    (event,) = Path(find_paths(os.environ).set_aside).iterdir()
    kept = json.loads(event.read_bytes())
    assert (kept["reason"], kept["again"], json.loads(kept["raw"])) == (told, False, droid.stop_payload("hello"))


@pytest.mark.parametrize("path", ["\0", "x" * 300, "/etc/passwd/x.jsonl", "\ud800"])
def test_record_at_a_path_that_is_none(path: str) -> None:
    """There is none there, or the log says why it cannot be read: in words, not as an error of ours."""
    droid = Droid(home())
    droid.fire(droid.prompt("Say hello"))
    droid.fire([("stop", {**droid.stop_payload("hello"), "transcript_path": path})])
    (line,) = hook_lines("stop")
    assert "the agent" in line["error"]
    assert ".py" not in line["error"]


def test_history_that_is_no_file() -> None:
    """What it would tell is worth no message: it is stored all the same, and the log says why."""
    folder = str(home())
    fire("prompt_submit", prompt("c1", "t1", "first", transcript_path=folder)).assert_harmless()
    fire("prompt_submit", prompt("c1", "t2", "second", transcript_path=folder)).assert_harmless()
    assert hook_lines()[-1]["history"] == f"the agent's transcript {folder} is a folder, not a file"
    assert [turn["user"]["content"] for turn in stored_turns()] == ["first", "second"]


@pytest.mark.parametrize("is_open", [True, False])
def test_log_tells_whether_what_the_agent_stored_was_noted(is_open: bool) -> None:
    """With no turn open there is no reply that could refer to it."""
    if is_open:
        fire("prompt_submit", prompt("c1", "t1", "Keep it.")).assert_harmless()
    answer = {"structuredContent": {"entities": [{"entity_id": f"ent_{'0' * 24}", "entity_type": "person"}]}}
    told = {"hook_event_name": "PostToolUse", "tool_name": "mcp__neotoma__store", "tool_response": answer}
    fire("tool_use", {**prompt("c1", "t1", ""), **told}).assert_harmless()
    (line,) = hook_lines("tool_use")
    assert line["produced"] == [f"ent_{'0' * 24}"]
    assert line["outcome"] == ("noted" if is_open else "not noted: no turn is open that its reply could be to")
