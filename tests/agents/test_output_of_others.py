"""The exact bytes that each agent gets on stdout: with context, and with nothing to say."""

from __future__ import annotations

import json

import pytest

from neotoma_hooks.agents.registry import NAMES, agent
from support.firing import Fired, fire, neotoma_hooks

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
def test_limits(name: str) -> None:
    """More context than the model gets whole is never handed over."""
    assert agent(name).context_limit <= LIMITS.get(name, 9000)


@pytest.mark.parametrize(("name", "most"), [("kiro-cli", 10_240), ("amazon-q", 10_240), ("copilot-cli", 10_000)])
def test_limits_in_bytes(name: str, most: int) -> None:
    """Where an agent cuts by bytes, whole lines are left out at the end instead."""
    known = agent(name)
    lines = ["字" * 1000] * 8
    printed = known.printed(known.context_output("\n".join(lines), {}))
    text = printed.decode() if name != "copilot-cli" else json.loads(printed)["additionalContext"]
    assert len(text.encode()) <= most
    assert text == "\n".join(lines[:3])


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
    if context.startswith(b"{"):
        assert list(json.loads(known.out)) == list(json.loads(context))
    elif not context:
        assert known.out == silence
