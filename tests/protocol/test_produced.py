"""Which entities a tool's answer says it stored."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neotoma_hooks.protocol.produced import MOST_PRODUCED, produced_in

ID = "ent_0123456789abcdef01234567"
OTHER = "ent_89abcdef0123456789abcdef"
STORED = {"entity_id": ID, "entity_type": "person", "action": "created", "canonical_name": "grace hopper"}
WARNING = {"code": "X", "entity_type": "person", "entity_id": ID}
ANSWER = {"success": True, "entities": [STORED], "store_warnings": [WARNING]}
FOUND = [{"id": ID, "type": "person", "name": "grace hopper"}]
TEXT = json.dumps(ANSWER, indent=2)


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER,
        TEXT,
        json.dumps(TEXT),
        {"content": [{"type": "text", "text": TEXT}]},
        json.dumps({"content": [{"type": "text", "text": TEXT}]}),
        [{"type": "text", "text": f"<untrusted_context>\n{TEXT}\n</untrusted_context>"}],
        {"success": True, "output": TEXT, "error": None},
        TEXT[: TEXT.index("store_warnings")],
    ],
    ids=["object", "text", "text-of-text", "mcp", "text-of-mcp", "wrapped", "within", "cut"],
)
def test_stored_entity_is_found(answer: object) -> None:
    """However the agent hands the answer over; a warning about the entity does not take its name away."""
    assert produced_in(answer) == FOUND


def test_cut_before_the_name() -> None:
    """The id stands for it."""
    assert produced_in(TEXT[: TEXT.index("canonical_name")]) == [{"id": ID, "type": "person", "name": ID}]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        5,
        "",
        f"I stored {ID}.",
        {"entity_id": ID},
        {"entity_id": "ent_1", "entity_type": "person"},
        {"entities": [{"entity_id": ID, "entity_type": "conversation_message"}]},
        f'so: {{"entity_id": "{ID}", "entity_type": "conversation"}}',
    ],
    ids=str,
)
def test_nothing_else_is(answer: object) -> None:
    """Neither an id without its entity nor the bookkeeping of turns."""
    assert produced_in(answer) == []


def test_two_and_too_many() -> None:
    """In the order of the answer, up to a limit."""
    both = {"entities": [STORED, {"entity_id": OTHER, "entity_type": "company"}]}
    assert [one["id"] for one in produced_in(both)] == [ID, OTHER]
    many = {"entities": [{"entity_id": f"ent_{number:024x}", "entity_type": "person"} for number in range(100)]}
    assert len(produced_in(many)) == MOST_PRODUCED


_ANY = st.recursive(
    st.none() | st.integers() | st.text() | st.sampled_from([ID, TEXT, "entity_id", "[" * 5000 + ID]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["entity_id", "text", "x"]), inner),
    max_leaves=12,
)


@given(_ANY)
def test_any_answer(answer: Any) -> None:
    """Nothing that a tool says makes it fail."""
    assert all(entity["id"].startswith("ent_") for entity in produced_in(answer))
