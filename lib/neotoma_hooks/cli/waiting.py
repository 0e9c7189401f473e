"""`outbox` and `flush`: what waits for the store, and delivering it now."""

from __future__ import annotations

import time
from typing import Any

import click

from neotoma_hooks import courier
from neotoma_hooks.cli.common import age, as_json, print_json, print_table, user_paths, user_settings
from neotoma_hooks.errors import StateError
from neotoma_hooks.state import set_aside
from neotoma_hooks.state.outbox import Outbox

BUSY_SECONDS = 60.0


@click.command()
@click.option("--retry", is_flag=True, help="Put refused writes back, to be sent again.")
@as_json
def outbox(retry: bool, as_json: bool) -> None:
    """Show what waits or was refused."""
    paths = user_paths()
    box = Outbox(paths.outbox, paths.rejected)
    if retry:
        moved = box.retry_rejected()
        if not as_json:
            click.echo(f"{moved} refused writes are put back; `neotoma-hooks flush` sends them.")
    waiting = [_told(box, name) for name in box.names()]
    rejected = [_told(box, name, rejected=True) for name in box.rejected_names()]
    if as_json:
        print_json({"waiting": waiting, "rejected": rejected})
        return
    if not waiting and not rejected:
        click.echo("Nothing waits and nothing was refused.")
    for title, entries in (("waiting", waiting), ("refused", rejected)):
        if entries:
            click.echo(f"{title}:")
            rows = [
                [str(one["turn_key"]), age(float(one["age_seconds"] or 0)), str(one["attempts"]), str(one["reason"])]
                for one in entries
            ]
            print_table(["turn key", "age", "tries", "reason"], rows)


def _told(box: Outbox, name: str, *, rejected: bool = False) -> dict[str, Any]:
    try:
        entry = box.load(name, rejected=rejected)
    except StateError as error:
        return {"name": name, "turn_key": "?", "role": "?", "age_seconds": 0, "attempts": 0, "reason": str(error)}
    if entry is None:
        return {
            "name": name,
            "turn_key": "?",
            "role": "?",
            "age_seconds": 0,
            "attempts": 0,
            "reason": "delivered just now",
        }
    return {
        "name": name,
        "turn_key": entry.message.turn_key,
        "role": entry.message.role,
        "age_seconds": round(max(0.0, time.time() - entry.created / 1e9)),
        "attempts": entry.attempts,
        "reason": entry.reason,
    }


@click.command()
@as_json
def flush(as_json: bool) -> None:
    """Deliver now what waits, with progress."""
    paths, settings = user_paths(), user_settings()

    def progress(key: str, how: str) -> None:
        if not as_json:
            click.echo(f"{key}: {how}")

    until = time.monotonic() + BUSY_SECONDS
    summary = courier.run(settings, paths, progress)
    while summary.is_busy and time.monotonic() < until:
        # Another courier is delivering the same writes: its work is as good as ours
        time.sleep(0.1)
        summary = courier.run(settings, paths, progress)
    left = len(set_aside.waiting(paths.set_aside))
    if as_json:
        names = ("delivered", "refused", "repaired", "waiting", "stopped")
        print_json({**{name: getattr(summary, name) for name in names}, "set_aside": left})
    elif summary.is_busy:
        click.echo("Another courier is still at work; run `neotoma-hooks outbox` to see what is left.")
    else:
        said = f"{summary.delivered} delivered, {summary.refused} refused, {summary.waiting} waiting."
        click.echo(said + (f" Stopped: {summary.stopped}." if summary.stopped else ""))
    if summary.waiting or summary.stopped or summary.is_busy:
        raise click.exceptions.Exit(1)
