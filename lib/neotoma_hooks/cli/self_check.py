"""`self-check`: one whole turn through the installed hooks, on a throw-away memory, shown to a newcomer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

import click

from neotoma_hooks.agents.base import Agent
from neotoma_hooks.agents.registry import agent
from neotoma_hooks.errors import NeotomaHooksError
from neotoma_hooks.paths import find_paths, hooks_folder
from neotoma_hooks.protocol.context import HEADING
from neotoma_hooks.reading import Reader
from neotoma_hooks.stores.embedded import EmbeddedStore

PROMPT = "What did Ada Lovelace say about Acme Corp?"
REPLY = "Ada Lovelace said yes."
KNOWN = (
    {"entity_type": "person", "name": "Ada Lovelace", "role": "mathematician"},
    {"entity_type": "company", "name": "Acme Corp", "industry": "rockets"},
)

# Whether the hooks work is asked while an installation keeps the machine busy, not how fast they are
PATIENT = {f"NEOTOMA_HOOKS_{name}_SECONDS": "15" for name in ("PROMPT", "STOP", "LOOKUP")}

# What marks the shells that agents open, and where they were told to keep their files: here it is the throw-away home
OF_AGENTS = (
    "AUGMENT_",
    "CLAUDE",
    "CODEX_",
    "COPILOT_",
    "CURSOR_",
    "DEVIN_",
    "FACTORY_",
    "GEMINI_",
    "GROK_",
    "KIMI_",
    "OPENCODE_",
    "QWEN_",
    "USER_PROMPT",
)


class SelfCheckFailed(NeotomaHooksError):
    """The installed hooks did not do what they must; the message says what."""


class TriedTurn:
    """A turn that went through hooks on a throw-away memory.

    `context` is what the agent was told, `turn` the stored turn (None for an agent of which none can be stored),
    `seconds` how long each hook took.
    """

    def __init__(self, context: str, turn: Mapping[str, Any] | None, seconds: Sequence[float]) -> None:
        self.context = context
        self.turn = turn
        self.seconds = seconds


def try_turn(known: Agent, commands: Mapping[str, Sequence[str]]) -> TriedTurn:
    """Run one turn about `PROMPT` and `REPLY` through the agent's command lines, by hook, as it does; read it back.

    What this agent cannot do, or does not tell, is not asked for. Raises SelfCheckFailed, StoreError.
    """
    try:
        told, turns = _told_and_stored(known, commands)
    except OSError as error:
        raise SelfCheckFailed(f"no turn can be tried: {error}") from error
    turn = _the_turn(known, turns)
    context = told[0][1]
    if known.takes_context and not all(str(entity["name"]) in context for entity in KNOWN):
        raise SelfCheckFailed("the agent was not told what memory knows")
    if any(said for hook, said, _ in told if hook == "stop" or not known.takes_context):
        raise SelfCheckFailed("a hook that must say nothing told the agent something")
    return TriedTurn(context, turn, [seconds for _, _, seconds in told])


def _told_and_stored(
    known: Agent, commands: Mapping[str, Sequence[str]]
) -> tuple[list[tuple[str, str, float]], list[dict[str, Any]]]:
    """Of each event in turn its hook, what that told the agent and its seconds; and the turns that are stored then."""
    with tempfile.TemporaryDirectory(prefix="neotoma-hooks-") as home:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("NEOTOMA_", *OF_AGENTS))}
        environment = {**kept, **PATIENT, "HOME": home, "NEOTOMA_HOOKS_HOME": os.path.join(home, "neotoma-hooks")}
        paths = find_paths(environment)
        store = EmbeddedStore(paths.embedded_store)
        for entity in KNOWN:
            body = {"entities": [entity], "relationships": [], "idempotency_key": f"self-check-{entity['name']}"}
            store.put(json.dumps(body).encode("ascii"))
        events = known.sample_turn(PROMPT, REPLY, home)
        told = [(hook, *_fired(known, commands[hook], event, environment)) for hook, event in events]
        turns = Reader(store, paths.pending).turns(None, 10)
        store.close()
    return told, turns


def _the_turn(known: Agent, turns: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The stored turn, when it is as it must be. Raises SelfCheckFailed."""
    expected = 1 if known.tells_conversation else 0
    if len(turns) != expected:
        raise SelfCheckFailed(f"{expected} turns should be stored, but there are {len(turns)}")
    if not turns:
        return None
    _expect(turns[0], "user", PROMPT, ["Acme Corp", "Ada Lovelace"])
    if known.tells_reply:
        _expect(turns[0], "assistant", REPLY, ["Ada Lovelace"])
    return turns[0]


def _fired(
    known: Agent, command: Sequence[str], event: Mapping[str, Any], environment: Mapping[str, str]
) -> tuple[str, float]:
    """What a hook's answer tells the agent, and its seconds. Raises SelfCheckFailed unless it was harmless (G1)."""
    started = time.monotonic()
    try:
        done = subprocess.run(
            command, input=json.dumps(event).encode(), env=environment, capture_output=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SelfCheckFailed(f"{' '.join(command)}: {error}") from error
    seconds = time.monotonic() - started
    if done.returncode or done.stderr:
        said = done.stderr.decode("utf-8", "replace").strip()[-300:]
        raise SelfCheckFailed(f"{' '.join(command)}: exit status {done.returncode}, stderr {said!r}")
    return _context_in(done.stdout, known), seconds


def _context_in(output: bytes, known: Agent) -> str:
    """The text for the model, wherever this agent's answer has it."""
    if not output.strip():
        return ""
    if not known.answers_in_json:
        return output.decode("utf-8", "replace")
    try:
        answer = json.loads(output)
    except ValueError as error:
        raise SelfCheckFailed(f"a hook printed what is not JSON: {output[:100]!r}") from error
    return next((text for text in _texts(answer) if HEADING in text), "")


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) else []


def _expect(turn: Mapping[str, Any], role: str, content: str, names: list[str]) -> None:
    message = turn[role]
    if message is None or message["content"] != content:
        raise SelfCheckFailed(f"the {role} message is not stored as it was sent")
    if sorted(entity["name"] for entity in message["refers_to"]) != names:
        raise SelfCheckFailed(f"the {role} message does not refer to {' and '.join(names)} alone")


@click.command("self-check")
def self_check() -> None:
    """Run one whole turn through the installed hooks, on a throw-away memory, and show it."""
    folder = hooks_folder()
    known = agent("claude-code")
    commands = {
        entry.hook: [sys.executable, "-I", os.path.join(folder, f"{entry.hook}.py"), "--agent", known.name]
        for entry in known.entries
    }
    tried = try_turn(known, commands)
    assert tried.turn is not None
    click.echo("One turn through the installed hooks, on a throw-away memory that knows Ada Lovelace and Acme Corp:")
    click.echo("")
    click.echo(f'  you:        "{PROMPT}"')
    click.echo("  the agent is told:")
    for line in tried.context.splitlines():
        click.echo(f"              {line}")
    click.echo(f'  the agent:  "{REPLY}"')
    click.echo("")
    click.echo(f"  stored as turn {tried.turn['turn_number']} of its conversation ({tried.turn['status']}):")
    for role in ("user", "assistant"):
        named = ", ".join(f"{entity['name']} ({entity['type']})" for entity in tried.turn[role]["refers_to"])
        click.echo(f"    {role + ' message':<18} PART_OF the conversation, REFERS_TO {named}")
    click.echo("")
    prompt_ms, stop_ms = (round(seconds * 1000) for seconds in tried.seconds)
    click.echo(f"  the prompt's hook took {prompt_ms} ms, the reply's {stop_ms} ms")
    click.echo("The hooks work.")
