"""The two halves of a turn, put together from the rooms: agents, state, stores, protocol."""

from __future__ import annotations

import os
import time

from neotoma_hooks.delivery import LONGEST_SCANNED, deliver
from neotoma_hooks.errors import EventError, StoreError, WriteRefused
from neotoma_hooks.protocol.turn_book import INTERRUPTED, REMEMBERED_TURNS, TurnBook
from neotoma_hooks.protocol.turn_ids import minted_turn_id, text_hash
from neotoma_hooks.protocol.writes import Message
from neotoma_hooks.state.breaker import Breaker
from neotoma_hooks.state.outbox import Entry, Outbox
from neotoma_hooks.state.pending import pending_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from neotoma_hooks.agents.events import NotATurn, PromptSubmitted, ReplyFinished, TurnFailed
    from neotoma_hooks.paths import Paths
    from neotoma_hooks.protocol.entity import Entity
    from neotoma_hooks.protocol.turn_book import Turn
    from neotoma_hooks.settings import Settings
    from neotoma_hooks.state.pending import Conversation, PendingFile
    from neotoma_hooks.stores.base import Store

SETTLE_SECONDS = 0.4
"""How long a transcript that lacks the reply is read again, where the agent tells the reply nowhere else."""

RESERVED_SECONDS = 0.4
"""The part of a hook's time that look-ups and waiting must leave for making the message durable."""


class Firing:
    """One hook firing while it is handled.

    `deadline` is on `time.monotonic`'s clock. `line` becomes the hook log's line. `is_safe` says that the message of
    this event is durable (or that there is none), `queued` that a courier is wanted.
    """

    __slots__ = ("deadline", "harness", "is_safe", "line", "outbox", "paths", "queued", "settings", "store")

    def __init__(self, settings: Settings, paths: Paths, store: Store, harness: str, deadline: float) -> None:
        self.settings = settings
        self.paths = paths
        self.store = store
        self.harness = harness
        self.deadline = deadline
        self.line: dict[str, Any] = {}
        self.outbox = Outbox(paths.outbox, paths.rejected)
        self.is_safe = False
        self.queued = False

    def lap(self, phase: str, started: float) -> float:
        """Note in the line how long a phase took, in milliseconds; returns the time now."""
        now = time.monotonic()
        self.line.setdefault("ms", {})[phase] = round((now - started) * 1000, 1)
        return now

    def lock_seconds(self) -> float:
        """How long a lock may be waited for now."""
        return max(0.05, self.deadline - time.monotonic() - RESERVED_SECONDS / 2)


def open_turn(event: PromptSubmitted, firing: Firing) -> list[Entity]:
    """The prompt's half: look up, then store the user's message; returns the entities to hand to the agent.

    An event that fires again changes nothing and hands over nothing. Raises StateError when the message could not be
    made durable.
    """
    started = time.monotonic()
    entities = _retrieved(event.prompt, firing)
    started = firing.lap("retrieve", started)
    with pending_file(firing.paths.pending, event.conversation_id, firing.lock_seconds()) as file:
        _remember_from_store(file, firing.store)
        now = time.time_ns()
        turn = file.conversation.book.open(
            text_hash(event.prompt), event.turn_id, now, minted_turn_id(now, os.urandom(4))
        )
        firing.line["turn"] = turn.id
        if "user" in turn.stored:
            firing.is_safe = True
            firing.line["outcome"] = "repeated"
            return []
        turn.entities = [_kept(entity) for entity in entities]
        # The turn has its id on disk before its message is: a hook that is killed between the two and fires again
        # goes on with the same turn
        file.save()
        _hand_over(event.prompt, "user", turn, turn.entities, file, firing)
    firing.lap("store", started)
    return entities


def close_turn(event: ReplyFinished, firing: Firing) -> None:
    """The reply's half: store the agent's reply. Raises StateError when it could not be made durable."""
    started = time.monotonic()
    text, prompt = _reply(event, firing)
    started = firing.lap("read", started)
    with pending_file(firing.paths.pending, event.conversation_id, firing.lock_seconds()) as file:
        _remember_from_store(file, firing.store)
        now = time.time_ns()
        turn = file.conversation.book.close(
            text_hash(text) if text else "",
            event.turn_id,
            text_hash(prompt) if prompt is not None else None,
            now,
            minted_turn_id(now, os.urandom(4)),
            continued=event.continued,
            answers=event.answers,
        )
        firing.line["turn"] = turn.id
        if "assistant" in turn.stored or not text:
            firing.is_safe = True
            firing.line["outcome"] = "repeated" if text else "empty reply"
            file.save()
            return
        file.save()
        _hand_over(text, "assistant", turn, _cited(text, turn), file, firing)
    firing.lap("store", started)


def fail_turn(event: TurnFailed, firing: Firing) -> None:
    """Note that a turn will have no reply. Raises StateError."""
    with pending_file(firing.paths.pending, event.conversation_id, firing.lock_seconds()) as file:
        turn = file.conversation.book.fail(event.turn_id)
        firing.line["outcome"] = event.reason
        if turn is not None:
            firing.line["turn"] = turn.id
            firing.line["status"] = INTERRUPTED
            file.save()
    firing.is_safe = True


def pass_over(event: NotATurn, firing: Firing) -> None:
    """Note an event that is no turn of the user's. Raises StateError."""
    firing.line["outcome"] = event.reason
    firing.is_safe = True
    if event.turn_id:
        with pending_file(firing.paths.pending, event.conversation_id, firing.lock_seconds()) as file:
            file.conversation.book.note_machine_turn(event.turn_id)
            file.save()


def _retrieved(prompt: str, firing: Firing) -> list[Entity]:
    """Bounded retrieval; failures end in fewer entities or none."""
    from neotoma_hooks.protocol.identifiers import identifiers_in

    identifiers = identifiers_in(prompt[:LONGEST_SCANNED])
    firing.line["identifiers"] = len(identifiers)
    if not identifiers:
        return []
    now = time.time()
    breaker = None if firing.store.is_local else Breaker(firing.paths.breaker_file, firing.store.name)
    if breaker is not None and breaker.is_open(now):
        firing.line["error"] = f"not asked: {breaker.cause}"
        return []
    from neotoma_hooks.retrieval import retrieve

    until = min(time.monotonic() + firing.settings.lookup_seconds, firing.deadline - RESERVED_SECONDS)
    found = retrieve(firing.store, identifiers, until, firing.settings.max_entities)
    firing.line["found"] = [entity.id for entity in found.entities]
    if found.failed:
        firing.line["error"] = f"{len(found.failed)} look-ups failed: {next(iter(found.failed.values()))}"
    if breaker is not None and found.error is not None:
        breaker.note_failure(str(found.error), now)
    return found.entities


def _reply(event: ReplyFinished, firing: Firing) -> tuple[str | None, str | None]:
    """The reply's text and, where known, the prompt it answers; waits for a transcript that is behind.

    Raises EventError when there is no transcript to read it from.
    """
    if event.transcript is None:
        return event.text, event.prompt
    with pending_file(firing.paths.pending, event.conversation_id, firing.lock_seconds()) as file:
        turns = file.conversation.book.turns
    waiting = {turn.prompt_hash for turn in turns if turn.prompt_hash and not turn.replies}
    known = {turn.prompt_hash for turn in turns}
    until = min(time.monotonic() + SETTLE_SECONDS, firing.deadline - RESERVED_SECONDS)
    while True:
        exchanges = event.transcript()
        replied = [exchange for exchange in exchanges if exchange.reply]
        for exchange in reversed(replied):
            if text_hash(exchange.prompt) in waiting:
                return exchange.reply, exchange.prompt
        if not waiting or time.monotonic() >= until:
            break
        time.sleep(0.02)
    if not exchanges:
        raise EventError("the agent tells its reply only in its transcript, and the transcript is not there or empty")
    if not replied or (waiting and text_hash(replied[-1].prompt) in known):
        return None, None
    return replied[-1].reply, replied[-1].prompt


def _hand_over(
    content: str, role: str, turn: Turn, refers_to: list[dict[str, Any]], file: PendingFile, firing: Firing
) -> None:
    """Make one message durable: in a local store at once, else in the outbox for the courier."""
    conversation = file.conversation
    message = Message(conversation.key_id, turn.id, role, content, turn.number, firing.harness)
    entry = Entry(message, conversation.conversation_id, refers_to, firing.store.name, time.time_ns())
    firing.line["refers_to"] = len(refers_to)
    if not (firing.store.is_local and _delivered(entry, conversation, firing)):
        firing.outbox.add(entry)
        firing.queued = True
        firing.line.setdefault("outcome", "queued")
    firing.is_safe = True
    turn.stored.append(role)
    file.save()


def _delivered(entry: Entry, conversation: Conversation, firing: Firing) -> bool:
    """Whether a local store has taken the message; if not, the reason stands in the line."""
    known = conversation.entity_ids.get(firing.store.name)
    try:
        done = deliver(entry, firing.store, known, firing.settings.max_entities, keep=_needs_no_keeping)
    except WriteRefused as error:
        firing.line["error"] = str(error)
        firing.outbox.reject(firing.outbox.add(entry), entry, str(error))
        firing.line["outcome"] = "refused"
        return True
    except StoreError as error:
        firing.line["error"] = str(error)
        return False
    conversation.entity_ids[firing.store.name] = done.conversation_entity_id
    firing.line["outcome"] = done.how
    return True


def _needs_no_keeping(_entry: Entry) -> None:
    """A local store takes a write or does not: there is no try whose bytes would have to be the same again."""


def _cited(text: str, turn: Turn) -> list[dict[str, Any]]:
    """What the reply refers to: what it cites of the retrieved entities, and what the agent stored meanwhile."""
    cited = list(turn.produced)
    if turn.entities:
        from neotoma_hooks.protocol.citing import cited_in
        from neotoma_hooks.protocol.entity import Entity

        retrieved = [
            Entity(
                id=kept["id"], type=kept["type"], name=kept["name"], canonical_name=kept["canonical_name"],
                aliases=tuple(kept["aliases"]), fields=kept["fields"],
            )
            for kept in turn.entities
        ]  # fmt: skip
        by_id = {kept["id"]: kept for kept in turn.entities}
        cited += [by_id[entity.id] for entity in cited_in(text, retrieved)]
    return list({kept["id"]: kept for kept in cited}.values())


LONGEST_KEPT_FIELD = 200


def _kept(entity: Entity) -> dict[str, Any]:
    """What the reply's half needs of an entity: its names, and the short fields by which a reply may cite it."""
    short = {
        name: value
        for name, value in entity.fields.items()
        if isinstance(value, str) and len(value) <= LONGEST_KEPT_FIELD
    }
    return {
        "id": entity.id,
        "type": entity.type,
        "name": entity.name,
        "canonical_name": entity.canonical_name,
        "aliases": list(entity.aliases)[:20],
        "fields": dict(list(short.items())[:20]),
    }


def _remember_from_store(file: PendingFile, store: Store) -> None:
    """Where the pending-turn file is gone, learn from a local store what turns the conversation had."""
    conversation = file.conversation
    if conversation.found == "kept" or not store.is_local:
        return
    try:
        found = store.conversations(conversation.key_id)
        if found:
            messages = store.messages(found[0].id, 2 * REMEMBERED_TURNS)
            conversation.book = TurnBook.from_messages([message.fields for message in messages])
    except StoreError:
        # The store will say so again when it is written to; a new book is all there is until then
        return
