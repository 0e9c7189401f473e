"""The names a turn goes by: ids, turn keys and idempotency keys.

Ordinary ids pass through untouched, so that keys read exactly as the turn protocol has them. A character that would
make two different turns share a key is written as `%` and two hex digits for each of its UTF-8 bytes:

- in a turn id `:` and a whole id `assistant`, because `{conversation_id}:{turn_id}:assistant` is the reply's key;
- `~` in a turn id, because `~2` marks the second message inside one agent turn;
- white space at the ends and control characters, because a server trims turn keys (capture 164) and people read them;
- lone surrogates, which no file name or URL can carry; and `%` itself, so that nothing else can look the same.
"""

from __future__ import annotations

import re
from hashlib import sha256

LONGEST_ID = 1024
"""Characters of an id that are kept; a longer one keeps its start and ends in a digest of the whole."""

# Strings, compiled (and cached by `re`) when an id is not ordinary; agents' own ids are.
# U+FEFF is white space to JavaScript's trim, though not to Python
_UNSAFE_IN_CONVERSATION_ID = r"[%\x00-\x1f\x7f\ud800-\udfff]|^[\s\ufeff]+|[\s\ufeff]+$"
_UNSAFE_IN_TURN_ID = r"[%:~\x00-\x1f\x7f\ud800-\udfff]|^[\s\ufeff]+|[\s\ufeff]+$"
_ESCAPED = r"(?:%[0-9A-F]{2})+"
_MINTED_LENGTH = 25


def _safe(id: str, unsafe: str) -> str:
    is_ordinary = id.isascii() and id.replace("-", "").replace("_", "").replace(".", "").isalnum()
    return _bounded(id if is_ordinary else re.sub(unsafe, lambda found: _escaped(found[0]), id))


def _escaped(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass"))


def _bounded(text: str) -> str:
    if len(text) <= LONGEST_ID:
        return text
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[: LONGEST_ID - 66]}%-{digest}"


def key_conversation_id(conversation_id: str) -> str:
    """The agent's conversation id as it stands in keys; different ids never become the same."""
    return _safe(conversation_id, _UNSAFE_IN_CONVERSATION_ID)


def letters_escaped(key_id: str) -> str:
    """The key id with every cased letter escaped, so that it differs from all ids that are the same but for case.

    It is what the second of two conversations gets whose ids differ in case only, because a server takes no notice of
    case.
    """
    return "".join(
        "".join(f"%{byte:02X}" for byte in letter.encode()) if letter.lower() != letter.upper() else letter
        for letter in key_id
    )


def key_turn_id(turn_id: str) -> str:
    """The agent's turn id as it stands in keys; different ids never become the same."""
    if turn_id.casefold() == "assistant":
        return _escaped(turn_id[0]) + turn_id[1:]
    return _safe(turn_id, _UNSAFE_IN_TURN_ID)


def agent_id(key_id: str) -> str:
    """The agent's own id again, for showing it to a person (the reverse of the two functions above)."""

    def unescaped(found: re.Match[str]) -> str:
        try:
            return bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:  # a foreign id, or one of ours that was cut
            return found[0]

    return re.sub(_ESCAPED, unescaped, key_id) if "%" in key_id else key_id


def minted_turn_id(now: int, random: bytes) -> str:
    """A turn id for an agent that has none, from the time (nanoseconds since the epoch) and four random bytes."""
    return f"m{now & 0xFFFFFFFFFFFFFFFF:016x}{random.hex()}"


def is_minted(turn_id: str) -> bool:
    """Whether `minted_turn_id` made this id."""
    return len(turn_id) == _MINTED_LENGTH and turn_id[0] == "m" and not turn_id[1:].strip("0123456789abcdef")


def text_hash(text: str) -> str:
    """A digest by which a message is recognised without being kept."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def numbered(turn_id: str, ordinal: int) -> str:
    """The turn id of the `ordinal`-th message that shares an agent turn id: `t`, `t~2`, `t~3`, …"""
    return turn_id if ordinal == 1 else f"{turn_id}~{ordinal}"


def next_numbered(turn_id: str) -> str:
    """The turn id after this one among those that share an agent turn id: `t~2` after `t`."""
    base, _, ordinal = turn_id.partition("~")
    return numbered(base, int(ordinal or 1) + 1)


def turn_key(conversation_id: str, turn_id: str, role: str) -> str:
    """The `turn_key` of a message, as turn-protocol steps 2 and 4 have it; `role` is "user" or "assistant"."""
    return f"{conversation_id}:{turn_id}" + (":assistant" if role == "assistant" else "")


def idempotency_key(conversation_id: str, turn_id: str, role: str) -> str:
    """The idempotency key of a message, `conversation-{conversation_id}-{turn_id}-{role}-turn`."""
    return f"conversation-{conversation_id}-{turn_id}-{role}-turn"


def split_turn_key(key: str) -> tuple[str, str, str]:
    """(conversation_id, turn_id, role) of a turn key; the conversation id may be empty for a foreign key."""
    role = "user"
    if key.endswith(":assistant"):
        key, role = key[: -len(":assistant")], "assistant"
    conversation_id, _, turn_id = key.rpartition(":")
    return conversation_id, turn_id, role
