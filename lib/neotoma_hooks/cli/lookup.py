"""`find`, `explain` and `remember`: what the memory knows of a name, and why."""

from __future__ import annotations

import json
import sys
import time
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import click

from neotoma_hooks.cli.common import as_json, print_json, shortened, user_settings, user_store
from neotoma_hooks.errors import StoreError
from neotoma_hooks.protocol import explain as explained
from neotoma_hooks.protocol import is_bookkeeping, lookup_variants, matches
from neotoma_hooks.protocol.entity import Entity
from neotoma_hooks.retrieval import retrieve

if TYPE_CHECKING:
    from neotoma_hooks.stores.base import Store

LOOK_UP_SECONDS = 10.0


@click.command()
@click.argument("identifier")
@as_json
def find(identifier: str, as_json: bool) -> None:
    """Show what a look-up of IDENTIFIER finds, and which hits are kept."""
    with user_store() as store:
        found = _hits(store, [identifier])[identifier]
    if as_json:
        print_json(found)
        return
    if not found:
        click.echo(f"Nothing is known of {identifier!r}.")
    for hit in found:
        _print_hit(hit, "")


@click.command()
@click.argument("text")
@as_json
def explain(text: str, as_json: bool) -> None:
    """Show which identifiers TEXT holds, what each look-up returns, and why a hit is kept or dropped.

    TEXT "-" reads standard input.
    """
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    verdicts = explained(text)
    with user_store() as store:
        hits = _hits(store, [verdict.text for verdict in verdicts if verdict.taken], text)
    told: list[dict[str, Any]] = [
        {
            "identifier": verdict.text,
            "kind": verdict.kind,
            "taken": verdict.taken,
            "why": verdict.why,
            "hits": hits.get(verdict.text, []) if verdict.taken else [],
        }
        for verdict in verdicts
    ]
    if as_json:
        print_json(told)
        return
    if not told:
        click.echo(
            "The message holds nothing that could be looked up: names are known by their capitals, ids and addresses"
            " by their form, anything else by quotation marks."
        )
    for one in told:
        said = "taken" if one["taken"] else "dropped"
        click.echo(f"{said:<8} {shortened(str(one['identifier']), 80)}  ({one['kind']}: {one['why']})")
        for hit in one["hits"]:
            _print_hit(hit, "         ")
        if one["taken"] and not one["hits"]:
            click.echo("         nothing is known of it")


def _print_hit(hit: dict[str, Any], indent: str) -> None:
    said = "kept" if hit["kept"] else "dropped"
    click.echo(f"{indent}{said:<8} {hit['name']} ({hit['type']}, {hit['entity_id']}): {hit['why']}")


def _hits(store: Store, identifiers: list[str], text: str = "") -> dict[str, list[dict[str, Any]]]:
    """Each identifier's hits, kept or not as in a hook that gets the `text`, and why.

    Raises StoreError when the store does not answer.
    """
    bound = user_settings().max_entities
    until = time.monotonic() + LOOK_UP_SECONDS
    brought_up = {entity.id for entity in retrieve(store, identifiers, until, bound, text).entities}
    needles = {identifier: lookup_variants(identifier) for identifier in identifiers}
    every = list(dict.fromkeys(needle for variants in needles.values() for needle in variants))
    answer = store.look_up(every, until)
    if answer.error is not None:
        raise StoreError(str(answer.error))
    told: dict[str, list[dict[str, Any]]] = {}
    for identifier, variants in needles.items():
        found = {hit.id: hit for needle in variants for hit in answer.hits.get(needle, ())}
        judged = [_judged(identifier, hit) for hit in found.values()]
        for hit in judged:
            if hit["kept"] and hit["entity_id"] not in brought_up:
                is_full = len(brought_up) == bound
                why = f"beyond the {bound} entities of a turn" if is_full else "a longer name in the message is meant"
                hit.update(kept=False, why=why)
        told[identifier] = sorted(judged, key=lambda hit: not hit["kept"])
    return told


def _judged(identifier: str, hit: Entity) -> dict[str, Any]:
    if is_bookkeeping(hit.type):
        kept, why = False, "a record of the work with an agent, not a thing"
    elif matches(identifier, hit):
        kept, why = True, f"{identifier!r} is a name, an address or an id of it"
    else:
        kept, why = False, f"{identifier!r} stands somewhere in it, but is not what it is called"
    return {"entity_id": hit.id, "name": hit.name or hit.canonical_name, "type": hit.type, "kept": kept, "why": why}


@click.command()
@click.argument("name")
@click.option("--type", "type", required=True, metavar="T", help="What it is: person, company, project, …")
@click.option("--alias", "aliases", multiple=True, metavar="A", help="Another name of it; may be given several times.")
@click.option("--set", "fields", multiple=True, metavar="KEY=VALUE", help="A field; may be given several times.")
@as_json
def remember(name: str, type: str, aliases: tuple[str, ...], fields: tuple[str, ...], as_json: bool) -> None:
    """Put an entity into the memory, or add to the one of that name."""
    if not name.strip() or not type.strip():
        raise click.UsageError("name and type must not be empty")
    if is_bookkeeping(type):
        raise click.UsageError(f"{type!r} is a type of the memory's own records; name another")
    entity: dict[str, Any] = {"entity_type": type.strip(), "name": name.strip()}
    if aliases:
        entity["aliases"] = list(aliases)
    for field in fields:
        key, separator, value = field.partition("=")
        if not separator or not key or key in ("entity_type", "name", "aliases"):
            raise click.UsageError(f"--set takes KEY=VALUE with a key of your own, not {field!r}")
        entity[key] = value
    content = json.dumps(entity, sort_keys=True).encode("ascii")
    body = {
        "entities": [entity],
        "relationships": [],
        "idempotency_key": f"remember-{sha256(content).hexdigest()[:32]}",
    }
    with user_store() as store:
        receipt = store.put(json.dumps(body).encode("ascii"))
    entity_id = next(iter(receipt.entity_ids.values()), "")
    if as_json:
        print_json({"entity_id": entity_id, "name": name, "type": type, "replayed": receipt.replayed})
    else:
        click.echo(f"Remembered {name} ({type}) as {entity_id}")
