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
from contextlib import contextmanager, suppress

from neotoma_hooks import hooklog, turns
from neotoma_hooks.agents.events import PromptSubmitted, ReplyFinished
from neotoma_hooks.courier import start_courier
from neotoma_hooks.errors import EventError, NeotomaHooksError, StateError, described
from neotoma_hooks.firing import Firing
from neotoma_hooks.paths import find_paths
from neotoma_hooks.protocol.context import context_for
from neotoma_hooks.settings import read_settings
from neotoma_hooks.stores.opening import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

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
    """The memory that the user's settings name, for one agent; any thread may use it.

    `agent` is the agent's own name; it is stored with each conversation. `environ` replaces the process's environment.
    Where the settings switch everything off, turns are neither looked up nor stored. Each half of a turn leaves a line
    in the hook log. Raises SettingsError when the settings cannot be used.
    """

    def __init__(self, agent: str, environ: Mapping[str, str] | None = None) -> None:
        self.agent = agent
        self.environ = dict(os.environ if environ is None else environ)
        self.paths = find_paths(self.environ)
        self.settings = read_settings(self.paths.settings_file, self.environ)

    def open_turn(self, conversation_id: str, prompt: str, turn_id: str | None = None) -> OpenedTurn:
        """Look up what the prompt names and store it; the same prompt again while it is open changes nothing.

        `turn_id` is the agent's own id of the turn, if it has one. Takes at most the settings' `prompt_seconds`. Raises
        StateError when the prompt could not be made durable, EventError for an empty `conversation_id`; a store that is
        away is no error.
        """
        if self.settings.disable:
            return OpenedTurn(turn_id or "", [], "")
        with self._firing("open_turn", conversation_id, self.settings.prompt_seconds) as firing:
            entities = turns.open_turn(PromptSubmitted(conversation_id, turn_id, prompt), firing)
        context = context_for(entities, self.settings.context_characters)
        return OpenedTurn(str(firing.line["turn"]), entities, context)

    def close_turn(self, conversation_id: str, reply: str, turn_id: str | None = None) -> None:
        """Store the reply to the turn that `open_turn` opened. Raises as `open_turn` does."""
        if self.settings.disable:
            return
        with self._firing("close_turn", conversation_id, self.settings.stop_seconds) as firing:
            turns.close_turn(ReplyFinished(conversation_id, turn_id, reply), firing)

    @contextmanager
    def _firing(self, half: str, conversation_id: str, seconds: float) -> Iterator[Firing]:
        """One half of a turn, on a store of its own: a connection to SQLite belongs to one thread."""
        if not conversation_id:
            raise EventError("conversation_id is empty; give each conversation of the agent an id of its own")
        started = time.monotonic()
        store = open_store(self.settings, self.paths)
        firing = Firing(self.settings, self.paths, store, self.agent, started + seconds, is_late=False)
        firing.line.update(hook=half, agent=self.agent, conversation=conversation_id[:200])
        try:
            yield firing
        except NeotomaHooksError as error:
            firing.line["error"] = described(error)
            raise
        finally:
            store.close()
            firing.lap("total", started)
            # The message is safe, or its own error is on its way
            with suppress(StateError):
                hooklog.append(self.paths.log_file, firing.line)
        if firing.queued:
            self._wake_courier()

    def _wake_courier(self) -> None:
        """Start a courier and wait for its end in a thread, so that it leaves no dead process behind.

        One that cannot be started now is started by the next turn.
        """
        import threading

        with suppress(OSError, StateError):
            courier = start_courier(self.settings, self.paths, self.environ)
            if courier is not None:
                threading.Thread(target=_reap, args=(courier,), daemon=True).start()


def _reap(process_id: int) -> None:
    # A host that ignores its children's ends has nothing to wait for
    with suppress(ChildProcessError):
        os.waitpid(process_id, 0)


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
