"""The library face for agents written in Python."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest

from neotoma_hooks.memory import Memory, with_memory
from neotoma_hooks.paths import find_paths
from neotoma_hooks.stores.embedded import EmbeddedStore


@pytest.fixture
def memory() -> Iterator[Memory]:
    store = EmbeddedStore(find_paths(os.environ).embedded_store)
    entities = [{"entity_type": "person", "name": "Ada Lovelace", "role": "mathematician"}]
    store.put(json.dumps({"entities": entities, "relationships": [], "idempotency_key": "seed"}).encode())
    store.close()
    opened = Memory("my-agent")
    yield opened
    opened.close()


def test_turn_is_opened_with_context_and_closed_with_the_reply(memory: Memory) -> None:
    """The same two halves as the hooks'."""
    opened = memory.open_turn("c1", "What did Ada Lovelace say?")
    assert "mathematician" in opened.context
    memory.close_turn("c1", "She said yes.", opened.turn_id)
    (conversation,) = memory.store.conversations("c1")
    assert conversation.fields["harness"] == "my-agent"
    told = [message.fields["content"] for message in memory.store.messages(conversation.id, 10)]
    assert told == ["What did Ada Lovelace say?", "She said yes."]


def test_wrapped_function_gets_the_context_and_is_remembered(memory: Memory) -> None:
    """`with_memory` around a function that answers."""
    ask = with_memory(
        lambda prompt, context: f"{prompt} {'mathematician' in context}", conversation_id="c2", memory=memory
    )
    assert ask("Who is Ada Lovelace?") == "Who is Ada Lovelace? True"
    (conversation,) = memory.store.conversations("c2")
    assert len(memory.store.messages(conversation.id, 10)) == 2


def test_prompt_is_kept_when_the_function_fails(memory: Memory) -> None:
    """The error goes through; the next turn closes this one as interrupted."""

    def fails(prompt: str, context: str) -> str:
        raise ValueError("no model")

    with pytest.raises(ValueError, match="no model"):
        with_memory(fails, conversation_id="c3", memory=memory)("hello?")
    (conversation,) = memory.store.conversations("c3")
    assert len(memory.store.messages(conversation.id, 10)) == 1
