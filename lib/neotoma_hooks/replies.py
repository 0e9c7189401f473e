"""The reply that a stop event is about: from the event itself, or from the agent's transcript once it is there."""

from __future__ import annotations

import time

from neotoma_hooks.conversations import conversation_file
from neotoma_hooks.errors import EventError, ReplyNotThereYet
from neotoma_hooks.protocol.privacy import without_private
from neotoma_hooks.protocol.turn import ANSWERED, MERGED
from neotoma_hooks.protocol.turn_ids import text_hash
from neotoma_hooks.recall import RESERVED_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from neotoma_hooks.agents.events import ReplyFinished
    from neotoma_hooks.protocol.turn import Turn
    from neotoma_hooks.turns import Firing

SETTLE_SECONDS = 0.4
"""How long a hook reads a transcript again that lacks the reply, where the agent tells the reply nowhere else.

Claude Code 1.0.128 was seen to need most of it.
"""

LATE_SETTLE_SECONDS = 5.0
"""The same for the courier, which nobody waits for."""


def read_reply(event: ReplyFinished, firing: Firing) -> tuple[str | None, str | None, bool]:
    """The reply's text, the prompt it answers where that is known, and whether it was cut: the turn was given up.

    Waits for a transcript that is behind. Raises ReplyNotThereYet, or EventError when it never came; an empty reply,
    and that the turn was given up, is believed only when the courier finds it so later.
    """
    if event.transcript is None:
        return event.text, event.prompt, event.is_cut
    with conversation_file(event.conversation_id, firing) as file:
        turns = file.conversation.book.turns
    waiting = _waiting(turns, is_late=firing.is_late)
    known = {turn.prompt_hash for turn in turns}
    said = {reply[1] for turn in turns for reply in turn.replies}
    settle = LATE_SETTLE_SECONDS if firing.is_late else SETTLE_SECONDS
    until = min(time.monotonic() + settle, firing.deadline - RESERVED_SECONDS)
    while True:
        exchanges = event.transcript()
        replied = [exchange for exchange in exchanges if exchange.reply]
        for exchange in reversed(replied):
            asked = text_hash(without_private(exchange.prompt))
            # A turn that looks given up may be one whose end is still to be written
            if asked in waiting and not exchange.is_cut:
                return exchange.reply, exchange.prompt, False
        newest = text_hash(without_private(replied[-1].reply or "")) if replied else ""
        # After a stop hook sent the agent on, an old reply at the end means that the new one is still to be written
        is_behind = event.continued and bool({newest, newest + "+"} & said)
        if not (waiting or is_behind) or time.monotonic() >= until:
            break
        time.sleep(0.02)
    is_repeated = event.continued and newest + "+" in said
    is_awaited = (waiting or is_behind) and not is_repeated
    if not firing.is_late and (is_awaited or not exchanges):
        raise ReplyNotThereYet(
            "the agent tells its reply only in its transcript, and it is not there yet; it is read later"
        )
    if not exchanges:
        raise EventError("the agent tells its reply only in its transcript, and there is none")
    for exchange in reversed(exchanges):
        if exchange.is_cut and text_hash(without_private(exchange.prompt)) in waiting:
            return exchange.reply, exchange.prompt, True
    prompts = [text_hash(without_private(exchange.prompt)) for exchange in exchanges]
    if waiting and prompts[-1] in known and not waiting.intersection(prompts):
        raise EventError("the agent tells its reply only in its transcript, and that has nothing of this turn")
    if not replied or (waiting and text_hash(without_private(replied[-1].prompt)) in known):
        return None, None, False
    return replied[-1].reply, replied[-1].prompt, False


def _waiting(turns: Sequence[Turn], *, is_late: bool) -> set[str]:
    """Hashes of the prompts that this reply may be to.

    An event that comes in time is about no turn before one that is answered: what the transcript has of those is what
    was said before an interrupt, or before the prompt that they were merged into.
    """
    answered = max((turn.number for turn in turns if turn.replies and turn.status == ANSWERED), default=0)
    oldest = 0 if is_late else answered
    return {
        turn.prompt_hash
        for turn in turns
        if turn.prompt_hash and not turn.replies and turn.status != MERGED and turn.number > oldest
    }
