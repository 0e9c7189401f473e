"""Whatever an agent writes to a hook, the hook is harmless; what it cannot understand is kept and shown."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks.paths import find_paths
from neotoma_hooks.state.lock import locked
from neotoma_hooks.state.set_aside import LARGEST_KEPT_BYTES, MOST_KEPT, SetAside, load, names
from support.firing import ROOT, Fired, command, fire, hook_lines, neotoma_hooks, prompt, reply, start, stored_turns

TEXT = "What did Ada Lovelace say?"
HOOKS = ("prompt_submit", "stop")


def kept() -> list[SetAside]:
    folder = find_paths(os.environ).set_aside
    return [event for name in names(folder) if (event := load(folder, name))]


def fire_all(hook: str, events: Iterable[bytes]) -> list[Fired]:
    with ThreadPoolExecutor(4) as pool:
        return [fired.assert_harmless() for fired in pool.map(lambda event: fire(hook, event), events)]


NOT_UNDERSTOOD: dict[str, bytes] = {
    "no JSON": b"hello",
    "half an object": b'{"session_id": "c1", "prompt": "x',
    "two objects": b'{"session_id": "c1"}{"session_id": "c2"}',
    "a list": b'[{"session_id": "c1"}]',
    "a text": b'"prompt"',
    "a number": b"17",
    "null": b"null",
    "true": b"true",
    "NUL bytes": b"\0" * 100,
    "UTF-16": json.dumps(prompt("c1", "t1", TEXT)).encode("utf-16"),
    "Latin-1": json.dumps(prompt("c1", "t1", "Zoë"), ensure_ascii=False).encode("latin-1"),
    "cut within a character": json.dumps(prompt("c1", "t1", "Zoë"), ensure_ascii=False).encode()[:-40],
    "brackets without end": b"[" * 200_000,
    "braces without end": b'{"a":' * 200_000,
    "a number without end": b"9" * 100_000,
    "nothing but an opening brace": b"{",
    "comments": b'// an event\n{"session_id": "c1"}',
    "an empty object": b"{}",
    "a list for the session": json.dumps(prompt("c1", "t1", TEXT, session_id=["c1"])).encode(),
    "a number for the session": json.dumps(prompt("c1", "t1", TEXT, session_id=1)).encode(),
    "no session": json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": TEXT}).encode(),
    "an empty session": json.dumps(prompt("", "t1", TEXT)).encode(),
    "a blank session": json.dumps(prompt(" ", "t1", TEXT)).encode(),
    "no prompt": json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "c1"}).encode(),
    "a list for the prompt": json.dumps(prompt("c1", "t1", TEXT, prompt=[TEXT])).encode(),
    "null for the prompt": json.dumps(prompt("c1", "t1", TEXT, prompt=None)).encode(),
    "an object for the prompt": json.dumps(prompt("c1", "t1", TEXT, prompt={"text": TEXT})).encode(),
    "a list for the turn": json.dumps(prompt("c1", "t1", TEXT, prompt_id=["t1"])).encode(),
    "a number for the reply": json.dumps(reply("c1", "t1", TEXT, last_assistant_message=7)).encode(),
}


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("event", NOT_UNDERSTOOD)
def test_event_that_makes_no_sense_is_kept(hook: str, event: str) -> None:
    """Harmless, silent, one log line with a reason, set aside to the byte, shown by `doctor`, nothing stored."""
    raw = NOT_UNDERSTOOD[event]
    fired = fire(hook, raw).assert_harmless()
    assert fired.out == b""
    (line,) = hook_lines()
    assert (line["hook"], line["outcome"]) == (hook, "set aside")
    assert TEXT not in json.dumps(line)
    (aside,) = kept()
    assert (aside.raw, aside.reason, aside.again) == (raw, line["error"], False)
    doctor = neotoma_hooks("doctor", check=False)
    assert "set aside" in doctor
    assert line["error"] in doctor
    assert stored_turns() == []


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("raw", [b"", b" \r\n\t "])
def test_nothing_on_stdin(hook: str, raw: bytes) -> None:
    """There is nothing to keep; the log says so."""
    assert fire(hook, raw).assert_harmless().out == b""
    (line,) = hook_lines()
    assert "no event on stdin" in line["error"]
    assert [event.raw.strip() for event in kept()] in ([], [b""])


@pytest.mark.parametrize(
    ("hook", "event"), [("prompt_submit", prompt("c1", "t1", "ü?")), ("stop", reply("c1", "t", "ü"))]
)
def test_event_cut_off_at_every_byte(hook: str, event: dict[str, Any]) -> None:
    """However much of it came: harmless, kept, and never taken for something else."""
    small = {
        name: event[name]
        for name in ("session_id", "hook_event_name", "prompt", "last_assistant_message")
        if name in event
    }
    raw = json.dumps(small, ensure_ascii=False).encode()
    cuts = [raw[:end] for end in range(1, len(raw))]
    for fired in fire_all(hook, cuts):
        assert fired.out == b""
    assert len(hook_lines()) == len(cuts)
    assert sorted(aside.raw for aside in kept()) == sorted(cuts)
    assert stored_turns() == []


EXACT: dict[str, str] = {
    "white space at the ends": "  \t What now? \r\n\n ",
    "CRLF": "one\r\ntwo\rthree\n",
    "NUL": "a\0b",
    "lone surrogates": "\ud83d and \udc00\ud800",
    "a pair": "\U0001f600",
    "a byte order mark within": "\ufeffhello\ufeff",
    "control characters": "".join(map(chr, range(32))) + "\x7f\x85\u2028\u2029",
    "right to left": "\u202eabc\u202c שלום",
    "combining": "e\u0301 vs \u00e9",
    "looks like JSON": '{"session_id": "c2", "prompt": "x"}',
    "one character": "?",
    "quotes and backslashes": '\\"\\u0041\\n',
}


@pytest.mark.parametrize("text", EXACT)
def test_text_is_stored_code_point_for_code_point(text: str) -> None:
    """What is odd in a text is the user's, and stays (G3)."""
    said = EXACT[text]
    fire("prompt_submit", prompt("c1", "t1", said)).assert_harmless()
    fire("stop", reply("c1", "t1", said)).assert_harmless()
    (turn,) = stored_turns()
    assert (turn["user"]["content"], turn["assistant"]["content"]) == (said, said)


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\n \t"])
def test_byte_order_mark_and_space_before_the_event(mark: bytes) -> None:
    """Neither is part of the event."""
    fire("prompt_submit", mark + json.dumps(prompt("c1", "t1", TEXT)).encode() + b"\n").assert_harmless()
    (turn,) = stored_turns()
    assert turn["user"]["content"] == TEXT


def test_twenty_megabytes() -> None:
    """Stored whole and in time: the look-up reads no more of it than it may."""
    text = "All work and no play. " * 950_000
    fire("prompt_submit", prompt("c1", "t1", text)).assert_harmless()
    fire("stop", reply("c1", "t1", "I see.")).assert_harmless()
    (turn,) = stored_turns()
    assert turn["user"]["content"] == text
    assert turn["assistant"]["content"] == "I see."


def test_event_larger_than_any_event() -> None:
    """More than a hook reads: kept as far as the folder's limit goes, and said so."""
    fired = fire("prompt_submit", b'{"prompt": "' + b"x" * 65_000_000)
    fired.assert_harmless()
    (aside,) = kept()
    assert aside.truncated
    assert len(aside.raw) == LARGEST_KEPT_BYTES
    assert "larger than" in aside.reason


ODD_IDS = {
    "slashes": "../../etc/passwd",
    "dots": "..",
    "one dot": ".",
    "newline": "a\nb",
    "assistant": "c1:assistant",
    "colon": "c1:t1",
    "NUL": "c\0d",
    "surrogate": "c\ud800",
    "long": "x" * 10_000,
    "emoji": "\U0001f600" * 300,
    "quote": "'; DROP TABLE messages; --",
    "percent": "%s%n",
    "device": "CON",
    "absolute": "/etc/shadow",
    "backslash": "..\\..\\x",
}


@pytest.mark.parametrize("odd", ODD_IDS)
def test_odd_ids_are_ids_like_others(odd: str, home: Path) -> None:
    """As conversation and as turn: one turn, and no file outside our folder."""
    id = ODD_IDS[odd]
    for conversation, turn in ((id, "t1"), ("c1", id), (id, None)):
        fire("prompt_submit", prompt(conversation, turn, TEXT)).assert_harmless()
        fire("stop", reply(conversation, turn, "She said yes.")).assert_harmless()
    turns = stored_turns()
    assert [turn["status"] for turn in turns] == ["answered"] * 3
    assert [(turn["user"]["content"], turn["assistant"]["content"]) for turn in turns] == [(TEXT, "She said yes.")] * 3
    assert {path.name for path in home.iterdir()} <= {"neotoma"}


def test_ids_that_look_alike_are_two(home: Path) -> None:
    """Case, width, normal form and what a file name would drop keep conversations apart."""
    alike = [
        "abc",
        "ABC",
        "Abc",
        "abc ",
        "abc.",
        "a/bc",
        "a_bc",
        "a-bc",
        "é",
        "e\u0301",
        "\uff41bc",
        "c1",
        "c1:assistant",
        "c1~2",
    ]
    for id in alike:
        fire("prompt_submit", prompt(id, "t1", f"from {id}")).assert_harmless()
    for id in alike:
        (turn,) = stored_turns(id)
        assert turn["user"]["content"] == f"from {id}"
    assert len(stored_turns()) == len(alike)


@pytest.mark.usefixtures("usual_budgets")
@pytest.mark.parametrize("hook", HOOKS)
def test_stdin_that_is_never_closed(hook: str) -> None:
    """A whole event is enough; half of one is waited for no longer than the budget, and kept."""
    whole = prompt("c1", "t1", TEXT) if hook == "prompt_submit" else reply("c1", "t1", TEXT)
    raw = json.dumps(whole).encode()
    # A courier would try the half event again at once
    with locked(find_paths(os.environ).courier_lock, 5):
        for sent, stays in ((raw, 0), (raw[:-20], 1)):
            process = start(hook)
            assert process.stdin is not None
            process.stdin.write(sent)
            process.stdin.flush()
            started = time.monotonic()
            assert process.wait(timeout=20) == 0
            assert time.monotonic() - started < 6
            assert process.stderr is not None
            assert process.stderr.read() == b""
            process.communicate()
            assert len(kept()) == stays
    assert kept()[0].raw == raw[:-20]
    assert "out of time" in hook_lines(hook)[-1]["error"]
    (turn,) = stored_turns()
    assert (turn["user"] or turn["assistant"])["content"] == TEXT


WRITING_SECONDS = 25.0


@pytest.mark.usefixtures("usual_budgets")
@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize(
    ("size", "pause"), [(64, 0.01), (32_768, 0.01), (1 << 20, 0.0)], ids=["drip", "brook", "river"]
)
def test_stdin_that_never_stops(hook: str, size: int, pause: float) -> None:
    """However fast half an event goes on and on, the hook ends before it does, and keeps what it keeps of any."""
    process = start(hook)
    assert process.stdin is not None
    began = time.monotonic()
    is_cut = False
    try:
        os.write(process.stdin.fileno(), b'{"prompt": "')
        while time.monotonic() - began < WRITING_SECONDS:
            os.write(process.stdin.fileno(), b"x" * size)
            time.sleep(pause)
    except BrokenPipeError:
        is_cut = True
    out, err = process.communicate(timeout=20)
    assert is_cut
    assert (process.returncode, out, err) == (0, b"", b"")
    (line,) = hook_lines()
    assert line["outcome"] == "set aside"
    assert line["error"].startswith(("out of time; the event did not come to its end", "the event is larger than"))
    (aside,) = kept()
    assert (aside.again, aside.reason) == (False, line["error"])
    assert aside.raw.startswith(b'{"prompt": "xxx')
    assert len(aside.raw) <= LARGEST_KEPT_BYTES


# Reads its stdin byte by byte
SLOW_READER = """
import os, sys

def read(descriptor, most, read=os.read):
    return read(descriptor, 1)

os.read = read
sys.path.insert(0, sys.argv.pop(1))
from neotoma_hooks.hook import main
main("prompt_submit")
"""


def test_line_end_behind_an_event_whose_pipe_stays_open() -> None:
    """It is no part of the event, however the pieces fall."""
    words = [sys.executable, "-I", "-c", SLOW_READER, str(ROOT / "lib"), "--agent", "claude-code"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(json.dumps(prompt("c1", "t1", TEXT)).encode() + b"\r\n")
    process.stdin.flush()
    assert process.wait(timeout=60) == 0
    process.communicate()
    (line,) = hook_lines()
    assert (line["outcome"], "error" in line) == ("stored", False)


@pytest.mark.parametrize("hook", HOOKS)
def test_event_in_small_pieces(hook: str) -> None:
    """A pipe that brings a few bytes at a time, cut within characters too."""
    event = prompt("c1", "t1", "Zoë {} said }") if hook == "prompt_submit" else reply("c1", "t1", "Zoë {} said }")
    raw = json.dumps(event, ensure_ascii=False).encode()
    process = start(hook)
    assert process.stdin is not None
    for index in range(0, len(raw), 7):
        process.stdin.write(raw[index : index + 7])
        process.stdin.flush()
    assert process.wait(timeout=20) == 0
    process.communicate()
    (turn,) = stored_turns()
    assert (turn["user"] or turn["assistant"])["content"] == "Zoë {} said }"


@pytest.mark.parametrize("hook", HOOKS)
def test_stdin_is_a_terminal(hook: str) -> None:
    """Somebody started the hook by hand: it goes at once, and the log says what it is for."""
    master, terminal = pty.openpty()
    try:
        done = subprocess.run(command(hook), stdin=terminal, capture_output=True, timeout=20, check=False)
    finally:
        os.close(master)
        os.close(terminal)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "terminal" in hook_lines()[0]["error"]


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("how", ["closed", "write only"])
def test_stdin_that_cannot_be_read(hook: str, how: str, tmp_path: Path) -> None:
    """No descriptor, or one that gives nothing: harmless, and the log says so."""
    shell = {"closed": "<&-", "write only": f"0>{tmp_path}/file"}[how]
    words = ["sh", "-c", f'exec "$@" {shell}', "_", *command(hook)]
    done = subprocess.run(words, capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (line,) = hook_lines()
    said = {"closed": "there is no event on stdin", "write only": "stdin cannot be read: Bad file descriptor"}[how]
    assert (line["hook"], line["error"]) == (hook, said)
    assert kept() == []


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("shell", [">&-", "2>&-", ">&- 2>&-", "</dev/null >&- 2>&-"])
def test_output_that_is_closed(hook: str, shell: str) -> None:
    """An agent that does not want to hear: the message is stored all the same."""
    event = prompt("c1", "t1", TEXT) if hook == "prompt_submit" else reply("c1", "t1", TEXT)
    neotoma_hooks("remember", "Ada Lovelace", "--type", "person")
    words = ["sh", "-c", f'exec "$@" {shell}', "_", *command(hook)]
    done = subprocess.run(words, input=json.dumps(event).encode(), capture_output=True, timeout=20, check=False)
    assert done.returncode == 0
    assert len(stored_turns()) == ("/dev/null" not in shell)


def test_reader_that_has_gone() -> None:
    """The agent closed its end of the pipe: exit status 0, and the message is stored."""
    neotoma_hooks("remember", "Ada Lovelace", "--type", "person")
    process = start("prompt_submit")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write(json.dumps(prompt("c1", "t1", TEXT)).encode())
    process.stdin.close()
    assert process.wait(timeout=20) == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    (turn,) = stored_turns()
    assert turn["user"]["content"] == TEXT


@pytest.mark.parametrize(
    "words", [[], ["--agent"], ["--agent", "nobody"], ["--agent", "../x"], ["--agent="], ["--what", "else"]]
)
def test_odd_command_lines(words: list[str]) -> None:
    """An agent that nobody knows: the event says whose it is, or it is kept."""
    line = command("prompt_submit")[:-2]
    raw = json.dumps({"session_id": "c1", "hook_event_name": "UserPromptSubmit", "prompt": TEXT}).encode()
    done = subprocess.run([*line, *words], input=raw, capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (aside,) = kept()
    assert "no agent is called" in aside.reason
    assert aside.raw == raw


def test_what_is_kept_is_bounded() -> None:
    """The newest events stay, each up to its limit; nothing grows without end."""
    big = b"x" * (LARGEST_KEPT_BYTES + 10)
    fire_all("stop", [b"%d" % number for number in range(MOST_KEPT + 5)])
    fire("stop", big).assert_harmless()
    events = kept()
    assert len(events) == MOST_KEPT
    assert events[-1].raw == big[:LARGEST_KEPT_BYTES]
    assert events[-1].truncated
