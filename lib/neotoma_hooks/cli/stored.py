"""`turns` and `show`: what is stored."""

from __future__ import annotations

from typing import Any

import click

from neotoma_hooks.cli.common import as_json, print_json, shortened, user_paths, user_store
from neotoma_hooks.errors import ReadRefused
from neotoma_hooks.reading import Reader, name_of

MOST_SEARCHED = 500


@click.command()
@click.option("--conversation", help="Only this conversation's turns, by the agent's own id.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many, the newest.")
@as_json
def turns(conversation: str | None, limit: int, as_json: bool) -> None:
    """List stored turns, newest last."""
    with user_store() as store:
        reader = Reader(store, user_paths().pending)
        found = reader.turns(conversation and _whole_id(reader, conversation), limit)
    if as_json:
        print_json(found)
        return
    if not found:
        click.echo("No turns are stored yet." if conversation is None else f"No turns of conversation {conversation}.")
    for turn in found:
        _print_turn(turn)


def _whole_id(reader: Reader, given: str) -> str:
    """The conversation's id, of which `log` shows the beginning only."""
    if reader.conversation(given) is not None:
        return given
    begun = [one for one in reader.conversation_ids() if one.startswith(given)]
    if len(begun) > 1:
        raise click.UsageError(f"{len(begun)} conversations begin with {given!r}; say more of the id")
    return begun[0] if begun else given


def _print_turn(turn: dict[str, Any]) -> None:
    number = turn["turn_number"] if turn["turn_number"] is not None else "?"
    click.echo(f"turn {number} of {turn['conversation_id']}  ({turn['turn_id']}, {turn['status']})")
    for role in ("user", "assistant"):
        message = turn[role]
        if message is None:
            continue
        click.echo(f"  {role + ':':<10} {shortened(str(message['content']))}")
        if message["refers_to"]:
            named = ", ".join(f"{entity['name']} ({entity['type']})" for entity in message["refers_to"])
            click.echo(f"  {'':<10} refers to {named}")


@click.command()
@click.argument("id")
@as_json
def show(id: str, as_json: bool) -> None:
    """Show one conversation, turn, message or entity with its edges in both directions.

    ID is an entity id (ent_…), an agent's conversation id, a turn id, or a turn key.
    """
    with user_store() as store:
        reader = Reader(store, user_paths().pending)
        found = _found(reader, id)
        if found is None:
            raise ReadRefused(f"nothing is stored under {id!r}; `neotoma-hooks turns` lists what is there")
        if as_json:
            print_json(found)
            return
        if "turn_id" in found:
            _print_turn(found)
            return
        click.echo(f"{found['name']}  ({found['entity_type']}, {found['entity_id']})")
        for name, value in found["fields"].items():
            click.echo(f"  {name}: {shortened(str(value))}")
        for edge in found["edges"]:
            arrow = "──▶" if edge["direction"] == "out" else "◀──"
            other = f"{shortened(edge['name'], 80)} ({edge['entity_type']}, {edge['entity_id']})"
            click.echo(f"  {arrow} {edge['type']:<9} {other}")


def _found(reader: Reader, id: str) -> dict[str, Any] | None:
    entity = reader.entity(id) if id.startswith("ent_") else None
    if entity is None:
        entity = reader.conversation(id) or reader.store.message(id)
    if entity is None:
        turn = reader.turn(id, MOST_SEARCHED)
        if turn is not None:
            return turn
        entity = reader.conversation(_whole_id(reader, id))
    if entity is None:
        return None
    return {
        "entity_id": entity.id,
        "entity_type": entity.type,
        "name": name_of(entity),
        "fields": dict(entity.fields),
        "edges": reader.edges(entity.id),
    }
