"""The exact bytes that each agent gets on stdout: with context, and with nothing to say."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks.agents.registry import NAMES, WANT_AN_ANSWER, agent
from neotoma_hooks.paths import find_paths
from support.firing import Fired, fire, hook_lines, neotoma_hooks

FACTS = 'Ada "Lovelace" <é>\nnext'

_NESTED = (
    b'{"hookSpecificOutput": {"hookEventName": "UserPromptSubmit",'
    b' "additionalContext": "Ada \\"Lovelace\\" <\\u00e9>\\nnext"}}'
)

# What goes to stdout for FACTS, and for nothing
OUTPUT: dict[str, tuple[bytes, bytes]] = {
    "claude-code": (_NESTED, b""),
    # Anything beside hookSpecificOutput makes Codex refuse the whole answer
    "codex": (_NESTED, b""),
    "gemini-cli": (_NESTED.replace(b"UserPromptSubmit", b"BeforeAgent"), b"{}"),
    "qwen-code": (_NESTED, b""),
    # The nested form is ignored here
    "copilot-cli": (b'{"additionalContext": "Ada \\"Lovelace\\" <\\u00e9>\\nnext"}', b""),
    "opencode": (b'{"additionalContext": "Ada \\"Lovelace\\" <\\u00e9>\\nnext"}', b""),
    "cursor": (b'{"continue": true, "additional_context": "Ada \\"Lovelace\\" <\\u00e9>\\nnext"}', b"{}"),
    "vscode": (_NESTED, b""),
    "factory-droid": (_NESTED, b""),
    "windsurf": (b"", b""),
    "devin-cli": (_NESTED, b""),
    # Plain text is context as it is
    "kiro-cli": (FACTS.encode(), b""),
    "amazon-q": (FACTS.encode(), b""),
    "augment": (b"", b""),
    "cline": (b'{"cancel": false, "contextModification": "Ada \\"Lovelace\\" <\\u00e9>\\nnext"}', b'{"cancel": false}'),
    # After a reply `{}` would count as a failure of the hook
    "goose": (b"", b""),
    "kimi-code": (b'{"message": "Ada \\"Lovelace\\" <\\u00e9>\\nnext"}', b""),
    "grok-build": (b"", b""),
    "antigravity": (b'{"injectSteps": [{"ephemeralMessage": "Ada \\"Lovelace\\" <\\u00e9>\\nnext"}]}', b"{}"),
}

# The most characters that reach each model whole, measured or documented
LIMITS = {"claude-code": 10_000, "codex": 10_000, "cursor": 10_000, "qwen-code": 10_000, "cline": 50_000}


@pytest.mark.parametrize("name", NAMES)
def test_bytes(name: str) -> None:
    """One JSON object, or what the agent takes instead; for nothing, what it wants for nothing."""
    known = agent(name)
    told = known.context_output(FACTS, {}) if known.takes_context else {}
    assert (known.printed(told), known.printed({})) == OUTPUT[name]


@pytest.mark.parametrize("name", NAMES)
def test_bytes_of_a_hook_that_does_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Switched off, or with settings or an event that cannot be read, it says what the agent takes for nothing."""
    silence = OUTPUT[name][1]
    assert (name in WANT_AN_ANSWER) == bool(silence)
    for hook in ("prompt_submit", "stop"):
        for raw in (b"no JSON", b"", b"{}", b'{"conversation_id": ["a list"], "prompt": 5}'):
            assert fire(hook, raw, name).assert_quiet().out == silence
    for variable, value in {"DISABLE": "1", "STOP_SECONDS": "0.1", "MAX_ENTITIES": "many"}.items():
        monkeypatch.setenv(f"NEOTOMA_HOOKS_{variable}", value)
        assert fire("stop", {"session_id": "s"}, name).assert_quiet().out == silence
        monkeypatch.delenv(f"NEOTOMA_HOOKS_{variable}")
    config = Path(find_paths(os.environ).settings_file)
    config.parent.mkdir(parents=True, mode=0o700)
    config.write_text("disable = true")
    assert fire("prompt_submit", {"session_id": "s"}, name).assert_quiet().out == silence


@pytest.mark.parametrize("name", NAMES)
def test_limits(name: str) -> None:
    """More context than the model gets whole is never handed over."""
    assert agent(name).context_limit <= LIMITS.get(name, 9000)


@pytest.mark.parametrize(("name", "most"), [("kiro-cli", 10_240), ("amazon-q", 10_240), ("copilot-cli", 10_000)])
def test_limits_in_bytes(name: str, most: int) -> None:
    """Where an agent cuts by bytes, whole lines are left out at the end instead, and the log tells what is left."""
    people = ("Ada Lovelace", "Grace Hopper", "Alan Turing", "Mary Somerville", "Emmy Noether")
    for person in people:
        fields = [word for field in ("role", "notes", "summary") for word in ("--set", f"{field}={'字' * 290}")]
        neotoma_hooks("remember", person, "--type", "person", *fields)
    told, field = PROMPTS[name]
    fired = fire("prompt_submit", {**told, field: f"Who is older: {', '.join(people)}?"}, name).assert_quiet()
    context = context_in(fired.out)
    heading, *lines = context.split("\n")
    assert "not instructions" in heading
    assert len(context.encode()) <= most < len(context.encode()) + len(lines[-1].encode())
    assert {line.count("字") for line in lines} == {3 * 290}
    assert [line["context_characters"] for line in hook_lines()] == [len(context)]


def context_in(out: bytes) -> str:
    """The text for the model: the longest of the JSON object, or all that was printed."""

    def texts(value: Any) -> list[str]:
        if isinstance(value, str):
            return [value]
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return [text for item in inner for text in texts(item)]

    return max(texts(json.loads(out)), key=len) if out.startswith(b"{") else out.decode()


PROMPTS: dict[str, tuple[dict[str, object], str]] = {
    "gemini-cli": ({"session_id": "s", "hook_event_name": "BeforeAgent", "timestamp": "t"}, "prompt"),
    "qwen-code": (
        {
            "session_id": "s",
            "hook_event_name": "UserPromptSubmit",
            "prompt_id": "s########0",
            "permission_mode": "auto",
        },
        "prompt",
    ),
    "copilot-cli": ({"sessionId": "s", "timestamp": 1}, "prompt"),
    "opencode": ({"session_id": "s", "message_id": "m", "hook_event_name": "chat.message"}, "prompt"),
    "cursor": ({"conversation_id": "s", "generation_id": "g", "hook_event_name": "beforeSubmitPrompt"}, "prompt"),
    "kiro-cli": ({"session_id": "s", "hook_event_name": "userPromptSubmit"}, "prompt"),
    "amazon-q": ({"hook_event_name": "userPromptSubmit"}, "prompt"),
    "goose": ({"session_id": "s", "event": "UserPromptSubmit"}, "message"),
    "grok-build": ({"sessionId": "s", "promptId": "p", "hookEventName": "user_prompt_submit"}, "prompt"),
    "kimi-code": ({"session_id": "s", "client_type": "cli", "hook_event_name": "UserPromptSubmit"}, "prompt"),
}


@pytest.fixture
def asked(request: pytest.FixtureRequest) -> tuple[str, Fired, Fired]:
    """An agent, its hook's answer to a prompt that names something known, and to one that does not."""
    name = request.param
    neotoma_hooks("remember", "Ada Lovelace", "--type", "person")
    told, field = PROMPTS[name]
    known, unknown = (
        fire("prompt_submit", {**told, field: text}, name) for text in ("Where is Ada Lovelace?", "go on please")
    )
    return name, known.assert_quiet(), unknown.assert_quiet()


@pytest.mark.parametrize("asked", PROMPTS, indirect=True)
def test_bytes_of_the_executable(asked: tuple[str, Fired, Fired]) -> None:
    """The same through the hook, by the payload alone."""
    name, known, unknown = asked
    context, silence = OUTPUT[name]
    assert unknown.out == silence
    assert (b"Ada Lovelace (person" in known.out) == bool(context)
    # Of what was handed over, and of nothing else
    logged = [line.get("context_characters") for line in hook_lines()]
    assert logged == [len(context_in(known.out)) if context else None, None]
    if context.startswith(b"{"):
        assert list(json.loads(known.out)) == list(json.loads(context))
    elif not context:
        assert known.out == silence
