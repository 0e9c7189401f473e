"""From an event to what goes to the hook's stdout."""

from __future__ import annotations

import os

from neotoma_hooks.agents.events import (
    ContextCleared,
    NotATurn,
    PromptSubmitted,
    ReplyFinished,
    ReplySoFar,
    ToolUsed,
    TurnFailed,
)
from neotoma_hooks.agents.registry import recognise
from neotoma_hooks.errors import note
from neotoma_hooks.exclusion import NOT_RECORDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from neotoma_hooks.agents.events import Event
    from neotoma_hooks.firing import Firing
    from neotoma_hooks.paths import Paths
    from neotoma_hooks.protocol.entity import Entity
    from neotoma_hooks.settings import Settings
    from neotoma_hooks.stores.base import Store

_NAMES_OF_THE_EVENT = ("hook_event_name", "hookEventName", "agent_action_name", "hookName", "event")
"""The fields in which agents name the event."""


class Answer:
    """What handling an event came to: the bytes for stdout (b"" for none), the `context` that they hand to the model
    ("" for none), and the firing with its log line."""

    __slots__ = ("context", "firing", "output")

    def __init__(self, output: bytes, context: str, firing: Firing) -> None:
        self.output = output
        self.context = context
        self.firing = firing


def handle(
    payload: dict[str, Any],
    hint: str,
    settings: Settings,
    paths: Paths,
    store: Store,
    deadline: float,
    line: dict[str, Any],
    *,
    is_late: bool = False,
) -> Answer:
    """Run one event's half of the turn protocol.

    `hint` is the agent named on the command line, `deadline` on `time.monotonic`'s clock. `is_late` as in
    `firing.Firing`. `line` is filled as things become known, so that it tells what it can also when this raises:
    EventError when the event cannot be understood, StateError when its message could not be made durable.
    """
    line["event"] = next((str(payload[name])[:60] for name in _NAMES_OF_THE_EVENT if payload.get(name)), "")
    agent = recognise(payload, hint, os.environ)
    line["agent"] = agent.name
    event = agent.read(payload)
    # Copilot CLI, for one, gives no name: then ours has to do
    line["event"] = line["event"] or type(event).__name__
    line["conversation"] = event.conversation_id[:200]
    from neotoma_hooks.firing import Firing
    from neotoma_hooks.recall import notice

    firing = Firing(settings, paths, store, agent.name, deadline, is_late=is_late)
    firing.line = line
    firing.context_limit = min(agent.context_limit, settings.context_characters)
    # Claude Code 2.0.76 forgets what hooks told it when a session is resumed; those versions give their turns no id
    firing.gives_once = agent.tells_when_context_is_cleared and event.turn_id is not None
    if settings.excludes(event.cwd):
        line["outcome"] = NOT_RECORDED
        firing.is_safe = True
        return Answer(agent.printed({}), "", firing)
    told: dict[str, Any] = {}
    context = ""
    entities = _half(event, firing)
    if isinstance(event, PromptSubmitted):
        if entities and agent.takes_context:
            from neotoma_hooks.protocol.context import context_for

            context = context_for(entities, firing.context_limit)
            if agent.context_bytes is not None:
                from neotoma_hooks.agents.payloads import within_bytes

                context = within_bytes(context, agent.context_bytes)
            if context:
                told = agent.context_output(context, payload)
        sentence = notice(event.conversation_id, firing)
        if sentence:
            told = {**told, **agent.notice_output(sentence)}
    return Answer(agent.printed(told), context, firing)


def _half(event: Event, firing: Firing) -> list[Entity]:
    """Do what the event asks for; returns the entities to hand to the agent."""
    from neotoma_hooks import turns
    from neotoma_hooks.state import set_aside

    if isinstance(event, PromptSubmitted) and not event.conversation_id:
        return turns.only_recall(event, firing)
    # The order of events tells which turn each belongs to: none may overtake one that was set aside
    if not firing.is_late and set_aside.is_waiting(firing.paths.set_aside, firing.line["conversation"]):
        entities = turns.only_recall(event, firing) if isinstance(event, PromptSubmitted) else []
        note(firing.line, "an earlier event of this conversation waits")
        firing.line["outcome"] = "set aside"
        firing.is_safe = False
        return entities
    if isinstance(event, PromptSubmitted):
        return turns.open_turn(event, firing)
    if isinstance(event, ReplySoFar):
        from neotoma_hooks.drafts import note_reply

        note_reply(event, firing)
    elif isinstance(event, ReplyFinished):
        turns.close_turn(event, firing)
    elif isinstance(event, TurnFailed):
        turns.fail_turn(event, firing)
    elif isinstance(event, ToolUsed):
        turns.note_produced(event, firing)
    elif isinstance(event, ContextCleared):
        turns.clear_context(event, firing)
    elif isinstance(event, NotATurn):
        turns.pass_over(event, firing)
    return []
