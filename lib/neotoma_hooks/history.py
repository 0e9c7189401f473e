"""What a transcript tells of turns that no event told the end of: what was said before an interrupt, what was merged.

All of it is worth having and none of it worth losing a message for, so a transcript that cannot be read is no error.
"""

from __future__ import annotations

from neotoma_hooks.errors import described
from neotoma_hooks.protocol.privacy import without_private
from neotoma_hooks.protocol.turn_book import INTERRUPTED
from neotoma_hooks.protocol.turn_ids import text_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from neotoma_hooks.agents.events import Exchange
    from neotoma_hooks.firing import Firing
    from neotoma_hooks.protocol.turn_book import Turn, TurnBook

    History = Callable[[], list[Exchange]]


def said_before(turn: Turn, book: TurnBook, history: History | None, firing: Firing, *, is_over: bool) -> str | None:
    """What the person saw of the reply to an interrupted turn, None when that is not known.

    With `is_over` the agent itself said that it gave the turn up; else the transcript has to show it, because a turn
    whose end is only late would get a part of its reply for the whole. What was said to the same words in another turn
    is not said to these.
    """
    for exchange in reversed(_read(history, firing)):
        if _is_to(exchange, turn):
            digest = text_hash(without_private(exchange.reply or ""))
            is_others = any(digest == seen for other in book.turns if other is not turn for _, seen in other.replies)
            return exchange.reply if (is_over or exchange.is_cut) and not is_others else None
    return None


def note_merged(book: TurnBook, turn: Turn, history: History | None, firing: Firing) -> None:
    """Call the turns before `turn` merged that look interrupted and were in truth answered by its reply.

    An agent may hand over prompts that waited one by one, each with an id of its own, and answer them together; or take
    a prompt into a turn that it has begun, without saying so in the prompt's event.
    """
    before = [earlier for earlier in book.turns if earlier.number < turn.number]
    if not before or before[-1].status != INTERRUPTED or before[-1].replies:
        return
    exchanges = _read(history, firing)
    here = next((index for index in reversed(range(len(exchanges))) if _is_to(exchanges[index], turn)), 0)
    for index in reversed(range(here)):
        exchange, joined = exchanges[index], exchanges[index + 1].joins
        earlier = before.pop() if before else None
        if earlier is None or earlier.status != INTERRUPTED or not _is_to(exchange, earlier):
            return
        if exchange.is_cut or not (joined or (exchange.is_queued and not exchange.reply)):
            return
        book.merge(earlier)


def _is_to(exchange: Exchange, turn: Turn) -> bool:
    return bool(turn.prompt_hash) and text_hash(without_private(exchange.prompt)) == turn.prompt_hash


def _read(history: History | None, firing: Firing) -> Sequence[Exchange]:
    if history is None:
        return ()
    try:
        return history()
    except (OSError, ValueError) as error:
        firing.line["history"] = described(error)
        return ()
