from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neotoma_hooks.protocol.writes import Message, frozen_write, under_other_key

# As an event's JSON can have them: there a high and a low surrogate side by side are one character
texts = (st.text(max_size=50) | st.text(st.sampled_from('\ud800\udfff\0\r\n "\\é\u2028'), max_size=20)).map(
    lambda text: str(json.loads(json.dumps(text)))
)


def message(content: str = "Hello", role: str = "user") -> Message:
    return Message("conv-1", "turn-1", role, content, 3, "claude-code")


def written(*arguments: Any, **more: Any) -> Any:
    return json.loads(frozen_write(*arguments, **more))


def test_user_write_with_a_new_conversation() -> None:
    """The first write makes the conversation, is PART_OF it, and refers to each entity."""
    assert written(message(), None, ["ent_1", "ent_2"]) == {
        "entities": [
            {"entity_type": "conversation", "conversation_id": "conv-1", "harness": "claude-code"},
            {
                "entity_type": "conversation_message",
                "role": "user",
                "sender_kind": "user",
                "content": "Hello",
                "turn_key": "conv-1:turn-1",
                "turn_number": 3,
            },
        ],
        "relationships": [
            {"relationship_type": "PART_OF", "source_index": 1, "target_index": 0},
            {"relationship_type": "REFERS_TO", "source_index": 1, "target_entity_id": "ent_1"},
            {"relationship_type": "REFERS_TO", "source_index": 1, "target_entity_id": "ent_2"},
        ],
        "idempotency_key": "conversation-conv-1-turn-1-user-turn",
    }


def test_assistant_write_into_a_known_conversation() -> None:
    """Once the store has told the conversation's id, a write points at it and does not send it again."""
    assert written(message(role="assistant"), "ent_c", ["ent_1"]) == {
        "entities": [
            {
                "entity_type": "conversation_message",
                "role": "assistant",
                "sender_kind": "assistant",
                "content": "Hello",
                "turn_key": "conv-1:turn-1:assistant",
                "turn_number": 3,
            }
        ],
        "relationships": [
            {"relationship_type": "PART_OF", "source_index": 0, "target_entity_id": "ent_c"},
            {"relationship_type": "REFERS_TO", "source_index": 0, "target_entity_id": "ent_1"},
        ],
        "idempotency_key": "conversation-conv-1-turn-1-assistant-turn",
    }


def test_no_entity_no_edge() -> None:
    """A message that names nothing has the one edge to its conversation."""
    assert written(message(), "ent_c", [])["relationships"] == [
        {"relationship_type": "PART_OF", "source_index": 0, "target_entity_id": "ent_c"}
    ]


def test_another_key() -> None:
    """The idempotency key can be replaced; not one other byte changes."""
    body = frozen_write(message("Ada \ud800 \u2028"), None, ["ent_1"]).decode()
    assert under_other_key(body, "k") == body.replace(message().idempotency_key, "k")
    assert under_other_key(body, "k") != body


@pytest.mark.parametrize("role", ["user", "assistant"])
@given(content=texts)
def test_content_is_exact(role: str, content: str) -> None:
    """Every text comes out of the body as it went in, and the body is ASCII."""
    body = frozen_write(message(content, role), None, [])
    assert body.isascii()
    assert content == json.loads(body)["entities"][1]["content"]


@given(content=texts, ids=st.lists(st.text(max_size=5), max_size=8), known=st.none() | st.text(min_size=1, max_size=5))
def test_the_same_write_has_the_same_bytes(content: str, ids: list[str], known: str | None) -> None:
    """A server compares replays byte for byte, so freezing twice gives the same."""
    assert frozen_write(message(content), known, ids) == frozen_write(message(content), known, list(ids))


def test_a_megabyte() -> None:
    """A long text is not cut, and costs no more than its escapes."""
    content = "a\r\n" * 350_000
    body = frozen_write(message(content), None, [])
    assert content == json.loads(body)["entities"][1]["content"]
    assert len(body) < 2 * len(content)
