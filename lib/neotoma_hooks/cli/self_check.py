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


class SelfCheckFailed(NeotomaHooksError):
    """The installed hooks did not do what they must; the message says what."""


class TriedTurn:
    """A turn that went through hooks on a throw-away memory: what the agent was told, the stored turn, the hooks'
    seconds."""

    def __init__(self, context: str, turn: Mapping[str, Any], seconds: Sequence[float]) -> None:
        self.context = context
        self.turn = turn
        self.seconds = seconds


def try_turn(
    prompt_command: Sequence[str], stop_command: Sequence[str], events: Sequence[Mapping[str, Any]]
) -> TriedTurn:
    """Run one turn through the two command lines as an agent does, and read it back.

    `events` are the prompt's and the reply's event JSON, about `PROMPT` and `REPLY`. Raises SelfCheckFailed.
    """
    with tempfile.TemporaryDirectory(prefix="neotoma-hooks-") as home:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("NEOTOMA_")}
        environment = {**kept, "HOME": home, "NEOTOMA_HOOKS_HOME": home}
        store = EmbeddedStore(find_paths(environment).embedded_store)
        for entity in KNOWN:
            body = {"entities": [entity], "relationships": [], "idempotency_key": f"self-check-{entity['name']}"}
            store.put(json.dumps(body).encode("ascii"))
        told = []
        for command, event in ((prompt_command, events[0]), (stop_command, events[1])):
            told.append(_fired(command, event, environment))
        turns = Reader(store, find_paths(environment).pending).turns(None, 10)
        store.close()
    if len(turns) != 1:
        raise SelfCheckFailed(f"one turn should be stored, but there are {len(turns)}")
    turn = turns[0]
    _expect(turn, "user", PROMPT, ["Acme Corp", "Ada Lovelace"])
    _expect(turn, "assistant", REPLY, ["Ada Lovelace"])
    context = told[0][0]
    if not all(str(entity["name"]) in context for entity in KNOWN):
        raise SelfCheckFailed("the agent was not told what memory knows")
    if told[1][0]:
        raise SelfCheckFailed("the reply's hook printed something, and some agents would go on because of it")
    return TriedTurn(context, turn, [seconds for _, seconds in told])


def _fired(command: Sequence[str], event: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[str, float]:
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
    return _context_in(done.stdout), seconds


def _context_in(output: bytes) -> str:
    """The text for the model, wherever this agent's answer has it."""
    if not output.strip():
        return ""
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


def events_of(name: str) -> list[dict[str, Any]] | None:
    """A prompt's and a reply's event as that agent sends them; None for one of which no sample is at hand."""
    turn = {"claude-code": {"prompt_id": "turn-1"}, "codex": {"turn_id": "turn-1", "model": "self-check"}}.get(name)
    if turn is None:
        return None
    common = {"session_id": "self-check", **turn, "transcript_path": "", "cwd": os.path.expanduser("~")}
    return [
        {**common, "permission_mode": "default", "hook_event_name": "UserPromptSubmit", "prompt": PROMPT},
        {
            **common,
            "permission_mode": "default",
            "hook_event_name": "Stop",
            "stop_hook_active": False,
            "last_assistant_message": REPLY,
        },
    ]


@click.command("self-check")
def self_check() -> None:
    """Run one whole turn through the installed hooks, on a throw-away memory, and show it."""
    folder = hooks_folder()
    commands = [
        [sys.executable, "-I", os.path.join(folder, f"{hook}.py"), "--agent", "claude-code"]
        for hook in ("prompt_submit", "stop")
    ]
    events = events_of("claude-code")
    assert events is not None
    tried = try_turn(commands[0], commands[1], events)
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
