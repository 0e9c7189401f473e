"""The reply that a stop event is about: from the event itself, or from the agent's transcript once it is there."""

from __future__ import annotations

import time

from neotoma_hooks.errors import EventError, ReplyNotThereYet
from neotoma_hooks.protocol.privacy import without_private
from neotoma_hooks.protocol.turn_ids import text_hash
from neotoma_hooks.recall import RESERVED_SECONDS
from neotoma_hooks.state.pending import pending_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.agents.events import ReplyFinished
    from neotoma_hooks.turns import Firing

SETTLE_SECONDS = 0.4
"""How long a hook reads a transcript again that lacks the reply, where the agent tells the reply nowhere else.

Claude Code 1.0.128 was seen to need most of it.
"""

LATE_SETTLE_SECONDS = 5.0
"""The same for the courier, which nobody waits for."""


def read_reply(event: ReplyFinished, firing: Firing) -> tuple[str | None, str | None]:
    """The reply's text and, where known, the prompt it answers; waits for a transcript that is behind.

    Raises ReplyNotThereYet, or EventError when it never came; an empty reply is believed only when the courier finds it
    so later.
    """
    if event.transcript is None:
        return event.text, event.prompt
    with pending_file(firing.paths.pending, event.conversation_id, firing.lock_seconds()) as file:
        turns = file.conversation.book.turns
    waiting = {turn.prompt_hash for turn in turns if turn.prompt_hash and not turn.replies}
    known = {turn.prompt_hash for turn in turns}
    settle = LATE_SETTLE_SECONDS if firing.is_late else SETTLE_SECONDS
    until = min(time.monotonic() + settle, firing.deadline - RESERVED_SECONDS)
    while True:
        exchanges = event.transcript()
        replied = [exchange for exchange in exchanges if exchange.reply]
        for exchange in reversed(replied):
            if text_hash(without_private(exchange.prompt)) in waiting:
                return exchange.reply, exchange.prompt
        if not waiting or time.monotonic() >= until:
            break
        time.sleep(0.02)
    if not firing.is_late and (waiting or not exchanges):
        raise ReplyNotThereYet(
            "the agent tells its reply only in its transcript, and it is not there yet; it is read later"
        )
    if not exchanges:
        raise EventError("the agent tells its reply only in its transcript, and there is none")
    if not replied or (waiting and text_hash(without_private(replied[-1].prompt)) in known):
        return None, None
    return replied[-1].reply, replied[-1].prompt
