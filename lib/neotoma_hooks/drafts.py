"""What an agent says within a turn: kept until the turn ends, where its last event does not say it again."""

from __future__ import annotations

from neotoma_hooks.conversations import conversation_file
from neotoma_hooks.errors import EventError
from neotoma_hooks.protocol.privacy import without_private
from neotoma_hooks.protocol.turn_ids import agent_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.agents.events import ReplyFinished, ReplySoFar
    from neotoma_hooks.firing import Firing
    from neotoma_hooks.protocol.turn import Turn
    from neotoma_hooks.protocol.turn_book import TurnBook


def note_reply(event: ReplySoFar, firing: Firing) -> None:
    """Keep what the agent said within a turn until the turn ends.

    Raises StateError, and EventError when nobody can tell which turn it is of.
    """
    with conversation_file(event.conversation_id, firing) as file:
        turn_id = event.turn_id or _at_hand(file.conversation.book)
        if not turn_id:
            raise EventError("the agent's message names no turn, and there is none that it may be of")
        file.conversation.book.note_draft(turn_id, without_private(event.text))
        file.save()
    firing.line["outcome"] = "kept until the turn ends"
    firing.is_safe = True


def said_so_far(event: ReplyFinished, firing: Firing) -> str | None:
    """What the agent said before it told that the turn is over, None when it said nothing. Raises StateError."""
    with conversation_file(event.conversation_id, firing) as file:
        book = file.conversation.book
        return book.draft(event.turn_id or _at_hand(book))


def id_of(turn: Turn) -> str:
    """The agent's id of the turn, or what stands for it where the agent gave none."""
    return agent_id(turn.base or turn.id)


def _at_hand(book: TurnBook) -> str:
    """The id of the turn that the agent is at work on, or was last: an event without an id is of that one."""
    turn = book.newest_open() or (book.turns[-1] if book.turns else None)
    return id_of(turn) if turn else ""
