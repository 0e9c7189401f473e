from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neotoma_hooks.protocol.turn_ids import (
    LONGEST_ID,
    agent_id,
    idempotency_key,
    is_minted,
    key_conversation_id,
    key_turn_id,
    minted_turn_id,
    next_numbered,
    numbered,
    split_turn_key,
    text_hash,
    turn_key,
)

# What makes keys ambiguous, dense enough that hypothesis meets it
_TRICKY = st.text(st.sampled_from("ab:~%- \t\n\u3000\ufeffA2\ud800é"), min_size=1, max_size=8)
_WORDS = st.sampled_from(["assistant", "Assistant", "aſſistant", "%61ssistant", "user", ":assistant", "~2", "a~2"])
ids = st.text(min_size=1, max_size=20) | _TRICKY | _WORDS
roles = st.sampled_from(["user", "assistant"])
messages = st.tuples(ids, ids, roles)

# White space that JavaScript's trim removes: a server's turn keys are trimmed by it (capture 164)
_JAVASCRIPT_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def key_of(message: tuple[str, str, str]) -> str:
    conversation_id, turn_id, role = message
    return turn_key(key_conversation_id(conversation_id), key_turn_id(turn_id), role)


@pytest.mark.parametrize(
    "id",
    [
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "turn-1",
        "ses_5aBc",
        "0",
        "session########3",
        "Straße 7",
        "会話",
        "assistants",
    ],
)
def test_ordinary_ids_are_untouched(id: str) -> None:
    """What agents really use as ids reads the same in a key, so that keys are those of the turn protocol."""
    assert (id, id) == (key_conversation_id(id), key_turn_id(id))


def test_keys_have_the_protocols_shape() -> None:
    """The four keys of a turn are spelled as the turn protocol and the design spell them."""
    assert turn_key("c", "t", "user") == "c:t"
    assert turn_key("c", "t", "assistant") == "c:t:assistant"
    assert idempotency_key("c", "t", "user") == "conversation-c-t-user-turn"
    assert idempotency_key("c", "t", "assistant") == "conversation-c-t-assistant-turn"


@given(messages, messages)
@example(("c", "t", "assistant"), ("c:t", "assistant", "user"))
@example(("c", "t", "assistant"), ("c", "t:assistant", "user"))
@example(("c", "Assistant", "user"), ("c", "assistant", "user"))
@example(("a:b", "c", "user"), ("a", "b:c", "user"))
@example(("c", "%61ssistant", "user"), ("c", "assistant", "user"))
@example(("c", "x" * 2000, "user"), ("c", "x" * 1999 + "y", "user"))
def test_different_messages_have_different_turn_keys(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    """A turn key belongs to one message, whatever an agent takes for ids."""
    assert (one == other) == (key_of(one) == key_of(other))


@given(ids, ids, roles, ids, roles)
@example("c", "t", "user", "t ", "user")
@example("c", "t", "user", "t\ufeff", "user")
@example("c", "t", "user", "t\u3000", "user")
@example("c", "T:ASSISTANT", "user", "t", "assistant")
def test_a_trimming_server_keeps_the_turns_of_a_conversation_apart(
    conversation: str, turn: str, role: str, other_turn: str, other_role: str
) -> None:
    """After trimming and folding the case, only ids that differ in nothing but case meet; TurnBook sees to those."""
    one = key_of((conversation, turn, role)).strip(_JAVASCRIPT_SPACE).casefold()
    other = key_of((conversation, other_turn, other_role)).strip(_JAVASCRIPT_SPACE).casefold()
    same_but_for_case = key_turn_id(turn).casefold() == key_turn_id(other_turn).casefold() and role == other_role
    assert same_but_for_case == (one == other)


@given(ids, ids)
@example("t", "t\ufeff")
@example("t", " t")
@example("é", "e\u0301")
def test_ids_that_are_not_the_same_but_for_case_stay_so(one: str, other: str) -> None:
    """Escaping makes no two ids the same that were not the same but for their case."""
    if one.casefold() != other.casefold():
        assert key_turn_id(one).casefold() != key_turn_id(other).casefold()
        assert key_conversation_id(one).casefold() != key_conversation_id(other).casefold()


@given(ids, ids)
def test_idempotency_keys_of_one_conversation_differ(turn: str, other: str) -> None:
    """Within a conversation every message has an idempotency key of its own."""
    keys = {idempotency_key("c", key_turn_id(id), role) for id in {turn, other} for role in ("user", "assistant")}
    assert 2 * len({turn, other}) == len(keys)


@given(ids, st.integers(1, 5), ids, st.integers(1, 5))
def test_numbered_turns_never_meet_an_agents_id(turn: str, ordinal: int, other: str, other_ordinal: int) -> None:
    """`t~2` is the second message of `t` and nothing else, also for an agent that has an id `t~2`."""
    one = numbered(key_turn_id(turn), ordinal)
    assert ((turn, ordinal) == (other, other_ordinal)) == (one == numbered(key_turn_id(other), other_ordinal))


@given(ids, st.integers(1, 50))
def test_next_numbered(turn: str, ordinal: int) -> None:
    """Each is followed by the one with the next number."""
    assert next_numbered(numbered(key_turn_id(turn), ordinal)) == numbered(key_turn_id(turn), ordinal + 1)


@given(ids)
def test_agent_id_reverses(id: str) -> None:
    """A person is shown the id that the agent uses."""
    assert (id, id) == (agent_id(key_conversation_id(id)), agent_id(key_turn_id(id)))


@given(st.text(st.characters(categories=["Cs", "Cc", "Zs", "Ll"]), min_size=LONGEST_ID, max_size=LONGEST_ID + 300))
@example("\ud800" * 200)
@example("\u3000" * 2000)
def test_long_ids_are_bounded_and_can_be_shown(id: str) -> None:
    """However long an id is, its key is bounded, has no surrogate, and can be shown to a person."""
    for key in (key_conversation_id(id), key_turn_id(id)):
        assert len(key) <= LONGEST_ID
        assert key.encode("utf-8")
        assert isinstance(agent_id(key), str)


@pytest.mark.parametrize("key", ["100%FF", "%C3", "%", "%zz", "a%ED%A0"])
def test_agent_id_of_a_foreign_id(key: str) -> None:
    """An id that is not of our making, or was cut, is shown as it is."""
    assert key == agent_id(key)


@given(ids, ids, roles)
def test_split_turn_key_reverses(conversation: str, turn: str, role: str) -> None:
    """A turn key tells which conversation, turn and role it was made of."""
    parts = (key_conversation_id(conversation), key_turn_id(turn), role)
    assert parts == split_turn_key(turn_key(*parts))


def test_split_turn_key_of_a_foreign_key() -> None:
    """A key that has no conversation in it is a turn id alone."""
    assert split_turn_key("anything") == ("", "anything", "user")


@given(st.integers(0, 2**64 - 1), st.binary(min_size=4, max_size=4))
def test_minted_ids_are_recognised_and_need_no_escape(now: int, random: bytes) -> None:
    """A minted id is known as one, stands in a key as it is, and is no agent's UUID."""
    id = minted_turn_id(now, random)
    assert is_minted(id)
    assert id == key_turn_id(id)


def test_minted_ids_sort_by_time_and_differ_within_an_instant() -> None:
    """Ids minted later sort later; two of the same instant differ by their random part."""
    assert minted_turn_id(1, b"\xff" * 4) < minted_turn_id(2, b"\0" * 4)
    assert minted_turn_id(1, b"\0\0\0\1") != minted_turn_id(1, b"\0\0\0\2")


@pytest.mark.parametrize(
    "id", ["3f2504e0-4f89-11d3-9a0c-0305e82c3301", "m123", "", "m" + "g" * 24, "m" + "0" * 24 + "~2"]
)
def test_other_ids_are_not_minted(id: str) -> None:
    """An agent's own id, and the second message of a minted turn, are not taken for minted ones."""
    assert not is_minted(id)


@given(st.text(), st.text())
@example("\ud800", "\ufffd")
@example("é", "e\u0301")
@example("a", "a ")
def test_text_hash_tells_texts_apart(one: str, other: str) -> None:
    """Messages are the same only code point for code point."""
    assert (one == other) == (text_hash(one) == text_hash(other))
