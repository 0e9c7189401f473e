"""Whole talks with each agent through the hook executables, told once, twice, and by two registrations at once."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from neotoma_hooks.paths import find_paths
from neotoma_hooks.state.lock import locked
from support.firing import fire, hook_lines, neotoma_hooks
from support.memory import Memory
from support.talks import TALKS, TALKS_BY_RECORD, Goose, Qwen, Talk, home, told


@pytest.fixture(params=TALKS, ids=lambda kind: kind.__name__)
def talk(request: pytest.FixtureRequest) -> Talk:
    kind: type[Talk] = request.param
    return kind(home())


def reply(talk: Talk, text: str) -> str | None:
    """What can be stored of a reply."""
    return text if talk.tells_reply else None


def test_talk(talk: Talk) -> None:
    """A question and its answer; one that is never answered; one more, in the same words as the first."""
    talk.ask("What is it?")
    talk.answer("It is this.")
    talk.ask("And then?")
    talk.ask("What is it?")
    talk.answer("Still this.")
    assert told() == [
        ("answered", "What is it?", reply(talk, "It is this.")),
        ("interrupted", "And then?", None),
        ("answered", "What is it?", reply(talk, "Still this.")),
    ]
    # Which event it was stands in each line, also for agents that do not name it
    assert all(line["event"] for line in hook_lines())


def test_each_event_twice(talk: Talk) -> None:
    """Two registrations, one after the other: one turn, also after one that was given up."""
    talk.asked("never answered")
    talk.fire(2 * talk.prompt("never answered"))
    talk.said("calling a tool")
    talk.asked("What is it?")
    talk.fire(2 * talk.prompt("What is it?"))
    talk.said("It is this.")
    for _ in range(2):
        talk.fire(talk.stop("It is this."))
    assert told() == [
        ("interrupted", "never answered", None),
        ("answered", "What is it?", reply(talk, "It is this.")),
    ]


def test_each_event_twice_at_once(talk: Talk) -> None:
    """Two registrations at the same moment: one turn."""
    talk.asked("What is it?")
    at_once(talk, talk.prompt("What is it?"))
    talk.said("It is this.")
    at_once(talk, talk.stop("It is this."))
    assert told() == [("answered", "What is it?", reply(talk, "It is this."))]


@pytest.fixture(params=TALKS_BY_RECORD, ids=lambda kind: kind.__name__)
def recorded(request: pytest.FixtureRequest) -> Talk:
    kind: type[Talk] = request.param
    return kind(home())


@pytest.mark.parametrize("lacks", ["reply", "prompt and reply"])
@pytest.mark.parametrize("second", ["another reply", "first reply"])
def test_same_words_again_while_the_record_is_behind(recorded: Talk, lacks: str, second: str) -> None:
    """The reply that the record still ends with was to the first prompt; the second one's is read when it is there."""
    recorded.ask("continue")
    recorded.answer("first reply")
    if lacks == "reply":
        recorded.ask("continue")
        recorded.fire(recorded.stop(second))
    else:
        recorded.number += 1
        recorded.fire([*recorded.prompt("continue"), *recorded.stop(second)])
        recorded.number -= 1
        recorded.asked("continue")
    recorded.said(second)
    neotoma_hooks("flush")
    assert told() == [("answered", "continue", "first reply"), ("answered", "continue", second)]


def test_same_words_again_and_again(recorded: Talk) -> None:
    """More often than a record is read back, with the same reply each time."""
    for _ in range(6):
        recorded.ask("continue")
        recorded.answer("done")
    neotoma_hooks("flush")
    assert told() == [("answered", "continue", "done")] * 6


def test_same_words_while_an_earlier_event_waits(recorded: Talk) -> None:
    """The record is ahead of the hooks when the courier reads it: each reply goes to the prompt that it was to."""
    paths = find_paths(os.environ)
    recorded.ask("continue")
    recorded.answer("first reply")
    with locked(paths.courier_lock, 5):
        recorded.ask("continue")
        recorded.fire(recorded.stop("second reply"))
        recorded.said("second reply")
        recorded.ask("continue")
        recorded.said("third reply")
        recorded.fire(recorded.stop("third reply"))
    neotoma_hooks("flush")
    replies = ("first reply", "second reply", "third reply")
    assert told() == [("answered", "continue", reply) for reply in replies]


def at_once(talk: Talk, events: list[tuple[str, dict[str, object]]]) -> None:
    """Each event by two registrations; the next one when both are done, as an agent waits for them."""
    with ThreadPoolExecutor(2) as pool:
        for event in events:
            list(pool.map(lambda one: talk.fire([one]), [event, event]))


def test_two_agents_with_one_session_id(memory: Memory) -> None:
    """At work side by side, neither answers the other's prompt, and neither's words are taken for the other's."""
    goose, qwen = Goose(home(), "20261201_1"), Qwen(home(), "20261201_1")
    goose.ask("What is it?")
    qwen.ask("What is it?")
    goose.answer("Goose says this.")
    qwen.answer("Qwen says that.")
    goose.ask("And then?")
    qwen.answer("Qwen again.")
    memory.settle()
    assert told("20261201_1") == [("answered", "What is it?", "Goose says this."), ("open", "And then?", None)]
    assert told("20261201_1@qwen-code") == [
        ("answered", "What is it?", "Qwen says that."),
        ("answered", None, "Qwen again."),
    ]


def test_two_agents_with_one_session_id_after_the_state_is_gone() -> None:
    """The store knows whose conversation it is."""
    goose, qwen = Goose(home(), "s"), Qwen(home(), "s")
    goose.ask("What is it?")
    for file in (home() / "neotoma" / "state").rglob("*.json"):
        file.unlink()
    qwen.ask("What is that?")
    qwen.answer("That.")
    goose.answer("This.")
    assert told("s") == [("answered", "What is it?", "This.")]
    assert told("s@qwen-code") == [("answered", "What is that?", "That.")]


def test_one_program_by_two_names() -> None:
    """VS Code's prompt event may look like Copilot CLI's, where it tells no transcript: it is one conversation."""
    common = {"session_id": "s", "timestamp": "2026-12-01T10:00:00.000Z", "cwd": "/"}
    fire("prompt_submit", {**common, "hook_event_name": "UserPromptSubmit", "prompt": "What is it?"}, "copilot-cli")
    fire("stop", {**common, "hook_event_name": "Stop", "stop_hook_active": False}, "copilot-cli")
    assert told() == [("answered", "What is it?", None)]
    assert [line["agent"] for line in hook_lines()] == ["copilot-cli", "vscode"]
