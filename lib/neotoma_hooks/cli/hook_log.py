"""`log`: the hook log, readable."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import click

from neotoma_hooks import hooklog
from neotoma_hooks.cli.common import as_json, user_paths


@click.command()
@click.option("-f", "--follow", is_flag=True, help="Wait for more lines, until Ctrl-C.")
@click.option("--agent", help="Only this agent's lines.")
@click.option("--conversation", help="Only this conversation's lines; the first characters of its id will do.")
@click.option("--errors", is_flag=True, help="Only lines with an error.")
@as_json
def log(follow: bool, agent: str | None, conversation: str | None, errors: bool, as_json: bool) -> None:
    """Show the hook log, newest last."""
    path = user_paths().log_file
    lines = _followed(path) if follow else hooklog.read(path)
    for line in lines:
        if agent and line.get("agent") != agent:
            continue
        if conversation and not str(line.get("conversation", "")).startswith(conversation):
            continue
        if errors and "error" not in line:
            continue
        if as_json:
            click.echo(json.dumps(line))
        else:
            click.echo(readable(line))


def _followed(path: str) -> Iterator[dict[str, Any]]:
    """All lines, and then each new one as it comes. Raises StateError."""
    lines = hooklog.Lines(path)
    while True:
        yield from lines.new()
        time.sleep(0.5)


def readable(line: dict[str, Any]) -> str:
    """One firing on one line: when, which hook of which agent, what became of it, how long it took, and any error."""
    when = str(line.get("at", "")).replace("T", " ")[:19]
    parts = [when, f"{line.get('hook', '')!s:<13}", f"{line.get('agent', '')!s:<12}"]
    if line.get("event"):
        parts.append(str(line["event"]))
    if line.get("conversation"):
        parts.append(str(line["conversation"])[:8])
    if line.get("turn"):
        parts.append(f"turn {str(line['turn'])[:12]}")
    if line.get("late"):
        parts.append("tried again")
    if line.get("outcome"):
        parts.append(str(line["outcome"]))
    if line.get("found") and isinstance(line["found"], list):
        parts.append(f"found {len(line['found'])}")
    if line.get("refers_to"):
        parts.append(f"refers to {line['refers_to']}")
    took = line["ms"].get("total") if isinstance(line.get("ms"), dict) else None
    if isinstance(took, (int, float)):
        parts.append(f"{took:.0f} ms")
    if line.get("error"):
        parts.append(f"ERROR {line['error']}")
    return "  ".join(parts)
