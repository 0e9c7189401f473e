"""The turn book of a conversation whose pending-turn file is gone, made again from what is stored."""

from __future__ import annotations

from neotoma_hooks.protocol.turn_book import ANSWERED, INTERRUPTED, OPEN, REMEMBERED_TURNS, Turn, TurnBook
from neotoma_hooks.protocol.turn_ids import is_minted, split_turn_key, text_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def book_of(messages: Sequence[Mapping[str, Any]]) -> TurnBook:
    """The book that the fields of a conversation's newest stored messages, oldest first, tell of."""
    book = TurnBook()
    by_id: dict[str, Turn] = {}
    partial: set[str] = set()
    for fields in messages:
        _, turn_id, role = split_turn_key(str(fields["turn_key"]))
        number = int(fields.get("turn_number") or book.next_number)
        base = "" if is_minted(turn_id) else turn_id.partition("~")[0]
        turn = by_id.setdefault(turn_id, Turn(turn_id, base, number, ""))
        digest = text_hash(str(fields.get("content", "")))
        turn.stored.append(role)
        if fields.get("partial"):
            partial.add(turn_id)
        if role == "user":
            turn.prompt_hash = digest
        else:
            turn.replies.append([base, digest])
            if "~" in turn_id and not turn.prompt_hash:
                turn.replies.append([base, digest + "+"])
        book.next_number = max(book.next_number, number + 1)
    book.turns = sorted(by_id.values(), key=lambda turn: turn.number)[-REMEMBERED_TURNS:]
    for turn in book.turns:
        turn.status = ANSWERED if turn.replies and turn.id not in partial else INTERRUPTED
    if book.turns and not book.turns[-1].replies:
        book.turns[-1].status = OPEN
    return book
