"""The library face, for agents written in Python: the same two halves of a turn without a hook.

    memory = Memory("my-agent")
    opened = memory.open_turn("conversation-1", "What did Ada Lovelace say?")
    reply = ask_the_model(opened.context, …)
    memory.close_turn("conversation-1", reply, opened.turn_id)

or, around a function that answers: `ask = with_memory(ask, conversation_id="conversation-1", memory=memory)`.
"""

from __future__ import annotations

import functools
import os
import time

from neotoma_hooks import turns
from neotoma_hooks.agents.events import PromptSubmitted, ReplyFinished
from neotoma_hooks.courier import start_courier
from neotoma_hooks.paths import find_paths
from neotoma_hooks.protocol.context import context_for
from neotoma_hooks.settings import read_settings
from neotoma_hooks.stores.opening import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from neotoma_hooks.protocol.entity import Entity


class OpenedTurn:
    """A turn whose prompt is stored: its `turn_id`, the `entities` that memory knows, and the `context` to give the
    model ("" when there is nothing to tell)."""

    __slots__ = ("context", "entities", "turn_id")

    def __init__(self, turn_id: str, entities: list[Entity], context: str) -> None:
        self.turn_id = turn_id
        self.entities = entities
        self.context = context


class Memory:
    """The memory that the user's settings name, for one agent.

    `agent` is the agent's own name; it is stored with each conversation. `environ` replaces the process's environment.
    Raises SettingsError when the settings cannot be used.
    """

    def __init__(self, agent: str, environ: Mapping[str, str] | None = None) -> None:
        given = os.environ if environ is None else environ
        self.agent = agent
        self.paths = find_paths(given)
        self.settings = read_settings(self.paths.settings_file, given)
        self.store = open_store(self.settings, self.paths)

    def open_turn(self, conversation_id: str, prompt: str, turn_id: str | None = None) -> OpenedTurn:
        """Look up what the prompt names and store it; the same prompt again while it is open changes nothing.

        `turn_id` is the agent's own id of the turn, if it has one. Takes at most the settings' `prompt_seconds`. Raises
        StateError when the prompt could not be made durable; a store that is away is no error.
        """
        firing = self._firing(self.settings.prompt_seconds)
        entities = turns.open_turn(PromptSubmitted(conversation_id, turn_id, prompt), firing)
        self._wake_courier(firing)
        context = context_for(entities, self.settings.context_characters)
        return OpenedTurn(str(firing.line["turn"]), entities, context)

    def close_turn(self, conversation_id: str, reply: str, turn_id: str | None = None) -> None:
        """Store the reply to the turn that `open_turn` opened. Raises StateError, as `open_turn`."""
        firing = self._firing(self.settings.stop_seconds)
        turns.close_turn(ReplyFinished(conversation_id, turn_id, reply), firing)
        self._wake_courier(firing)

    def close(self) -> None:
        """Let go of the store; may be called twice."""
        self.store.close()

    def _firing(self, seconds: float) -> turns.Firing:
        deadline = time.monotonic() + seconds
        return turns.Firing(self.settings, self.paths, self.store, self.agent, deadline, is_late=False)

    def _wake_courier(self, firing: turns.Firing) -> None:
        if firing.queued:
            start_courier(self.settings, self.paths)


def with_memory(answer: Callable[[str, str], str], *, conversation_id: str, memory: Memory) -> Callable[[str], str]:
    """A function that answers prompts as `answer(prompt, context)` does, with both halves of each turn stored.

    When `answer` raises, the prompt is kept and its turn stays open until the next one closes it as interrupted.
    """

    @functools.wraps(answer)
    def answered(prompt: str) -> str:
        opened = memory.open_turn(conversation_id, prompt)
        reply = answer(prompt, opened.context)
        memory.close_turn(conversation_id, reply, opened.turn_id)
        return reply

    return answered
