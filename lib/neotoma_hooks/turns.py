"""The two halves of a turn, put together from the rooms: agents, state, stores, protocol."""

from __future__ import annotations

import os
import time

from neotoma_hooks.conversations import conversation_file
from neotoma_hooks.drafts import id_of, said_so_far
from neotoma_hooks.handing_over import cited, hand_over, keep_partial
from neotoma_hooks.protocol.privacy import without_private
from neotoma_hooks.protocol.turn_book import INTERRUPTED, OPEN
from neotoma_hooks.protocol.turn_ids import key_turn_id, minted_turn_id, text_hash
from neotoma_hooks.recall import recall, to_tell, with_late
from neotoma_hooks.replies import read_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.agents.events import (
        ContextCleared,
        NotATurn,
        PromptSubmitted,
        ReplyFinished,
        ToolUsed,
        TurnFailed,
    )
    from neotoma_hooks.firing import Firing
    from neotoma_hooks.protocol.entity import Entity
    from neotoma_hooks.state.pending import PendingFile


def open_turn(event: PromptSubmitted, firing: Firing) -> list[Entity]:
    """The prompt's half: look up, then store the user's message; returns the entities to hand to the agent.

    An event that fires again changes nothing and hands over nothing. Raises StateError when the message could not be
    made durable.
    """
    started = time.monotonic()
    prompt = without_private(event.prompt)
    entities = recall(prompt, firing)
    started = firing.lap("retrieve", started)
    with conversation_file(event.conversation_id, firing) as file:
        if not event.is_typed and file.conversation.book.knows(event.turn_id, text_hash(prompt)):
            firing.is_safe = True
            firing.line["outcome"] = "prompt made by a machine"
            return []
        waiting = [turn for turn in file.conversation.book.turns if turn.status == OPEN]
        turn = file.conversation.book.open(text_hash(prompt), event.turn_id, _minted(), joins=event.joins)
        firing.line["turn"] = turn.id
        if "user" in turn.stored:
            firing.is_safe = True
            firing.line["outcome"] = "repeated"
            return []
        if file.conversation.late:
            entities = with_late(entities, file.conversation, firing)
        told: list[Entity] = []
        if entities:
            from neotoma_hooks.protocol.kept_entity import kept

            turn.entities = [kept(entity) for entity in entities]
            if not firing.is_late:
                told = to_tell(entities, file.conversation, firing)
        # The turn has its id on disk before its message is: a hook that is killed between the two and fires again
        # goes on with the same turn
        file.save()
        hand_over(prompt, "user", turn, turn.entities, file, firing)
        for left in waiting:
            if left.status == INTERRUPTED:
                from neotoma_hooks.history import said_before

                said = said_before(left, file.conversation.book, event.history, firing, is_over=False)
                keep_partial(left, said, file, firing)
    firing.lap("store", started)
    return told


def only_recall(event: PromptSubmitted, firing: Firing) -> list[Entity]:
    """The entities to hand to an agent, as far as nothing can be stored of its conversation (now)."""
    entities = recall(without_private(event.prompt), firing)
    firing.line["outcome"] = "not recorded: the agent names no conversation"
    firing.is_safe = True
    return entities


def close_turn(event: ReplyFinished, firing: Firing) -> None:
    """The reply's half: store the agent's reply. Raises StateError when it could not be made durable."""
    started = time.monotonic()
    draft = said_so_far(event, firing) if event.text is None else None
    *found, is_cut = (draft, event.prompt, event.is_cut) if draft else read_reply(event, firing)
    text, prompt = (None if part is None else without_private(part) for part in found)
    started = firing.lap("read", started)
    with conversation_file(event.conversation_id, firing) as file:
        if event.opens and prompt:
            _open_late(prompt, event.turn_id, file, firing)
        turn = file.conversation.book.close(
            text_hash(text) if text else "",
            event.turn_id,
            text_hash(prompt) if prompt is not None else None,
            _minted(),
            continued=event.continued,
            answers=event.answers,
        )
        firing.line["turn"] = turn.id
        if is_cut and turn.status != INTERRUPTED:
            file.conversation.book.cut(turn, text_hash(text) if text else "")
            firing.line["status"] = INTERRUPTED
        if event.history is not None and turn.prompt_hash:
            from neotoma_hooks.history import note_merged

            note_merged(file.conversation.book, turn, event.history, firing)
        if "assistant" in turn.stored or not text:
            firing.is_safe = True
            firing.line["outcome"] = "repeated" if text else "empty reply"
            file.save()
            return
        file.save()
        hand_over(text, "assistant", turn, cited(text, turn), file, firing, is_partial=event.is_partial or is_cut)
    firing.lap("store", started)


def fail_turn(event: TurnFailed, firing: Firing) -> None:
    """Note that a turn will have no reply. Raises StateError."""
    with conversation_file(event.conversation_id, firing) as file:
        turn = file.conversation.book.fail(event.turn_id, event.answers)
        firing.line["outcome"] = event.reason
        if turn is not None:
            firing.line["turn"] = turn.id
            firing.line["status"] = INTERRUPTED
            file.save()
            text = event.text or file.conversation.book.draft(event.turn_id or id_of(turn))
            if not text and event.history is not None:
                from neotoma_hooks.history import said_before

                text = said_before(turn, file.conversation.book, event.history, firing, is_over=True)
            keep_partial(turn, text, file, firing)
    firing.is_safe = True


def note_produced(event: ToolUsed, firing: Firing) -> None:
    """Note in the open turn which entities the agent has stored itself; its reply will refer to them.

    Raises StateError.
    """
    from neotoma_hooks.protocol.produced import MOST_PRODUCED, produced_in

    produced = produced_in(event.answer)
    firing.line["produced"] = [entity["id"] for entity in produced]
    firing.line["outcome"] = "the tool stored nothing"
    if produced:
        firing.line["outcome"] = "not noted: no turn is open that its reply could be to"
        with conversation_file(event.conversation_id, firing) as file:
            turn = file.conversation.book.working_on(event.turn_id)
            if turn is not None:
                kept = {entity["id"]: entity for entity in [*turn.produced, *produced]}
                turn.produced = list(kept.values())[-MOST_PRODUCED:]
                firing.line["turn"] = turn.id
                firing.line["outcome"] = "noted"
                file.save()
    firing.is_safe = True


def clear_context(event: ContextCleared, firing: Firing) -> None:
    """Forget what the agent was told, because its model does not know it any more. Raises StateError."""
    with conversation_file(event.conversation_id, firing) as file:
        if file.conversation.given:
            file.conversation.given = {}
            file.save()
    firing.line["outcome"] = "the context was cleared"
    firing.is_safe = True


def pass_over(event: NotATurn, firing: Firing) -> None:
    """Note an event that is no turn of the user's. Raises StateError."""
    firing.line["outcome"] = event.reason
    firing.is_safe = True
    if event.turn_id:
        with conversation_file(event.conversation_id, firing) as file:
            file.conversation.book.note_machine_turn(event.turn_id)
            file.save()


def _open_late(prompt: str, agent_turn_id: str | None, file: PendingFile, firing: Firing) -> None:
    """Store the user's message now, unless its own event came."""
    book = file.conversation.book
    digest = text_hash(prompt)
    waits = any(turn.status == OPEN and turn.prompt_hash == digest for turn in book.turns)
    base = key_turn_id(agent_turn_id or "")
    was_answered = any(reply[0] == base and base for turn in book.turns for reply in turn.replies)
    if waits or was_answered or book.knows(agent_turn_id):
        return
    turn = book.open(digest, agent_turn_id, _minted())
    file.save()
    hand_over(prompt, "user", turn, [], file, firing)


def _minted() -> str:
    """A turn id that nobody has used, for an agent that tells none."""
    return minted_turn_id(time.time_ns(), os.urandom(4))
