"""The reply that a stop event is about: from the event itself, or from the agent's transcript once it is there."""

from __future__ import annotations

import time

from neotoma_hooks.conversations import conversation_file
from neotoma_hooks.errors import EventError, ReplyNotThereYet
from neotoma_hooks.firing import RESERVED_SECONDS
from neotoma_hooks.protocol.privacy import without_private
from neotoma_hooks.protocol.turn import ANSWERED, MERGED
from neotoma_hooks.protocol.turn_ids import text_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from neotoma_hooks.agents.events import Exchange, ReplyFinished
    from neotoma_hooks.firing import Firing
    from neotoma_hooks.protocol.turn import Turn

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
    settle = LATE_SETTLE_SECONDS if firing.is_late else SETTLE_SECONDS
    until = min(time.monotonic() + settle, firing.deadline - RESERVED_SECONDS)
    while True:
        record = _Record(event.transcript(), turns, is_late=firing.is_late, continued=event.continued)
        found = record.awaited()
        if found is not None:
            return found.reply, found.prompt, False
        if not record.is_behind or time.monotonic() >= until:
            break
        time.sleep(0.02)
    if not firing.is_late and (not record.exchanges or (record.is_behind and not record.is_repeated)):
        raise ReplyNotThereYet(
            "the agent tells its reply only in its transcript, and it is not there yet; it is read later"
        )
    return record.as_it_stands(is_followed=firing.is_late and _is_followed(firing))


class _Record:
    """What a transcript has at one moment, beside what the book has: which of its exchanges the reply is in.

    The same words may be asked again, and even be answered alike. So an exchange that an answered turn has had is
    spent, and what is `free` may belong to a turn that waits.
    """

    def __init__(self, exchanges: list[Exchange], turns: Sequence[Turn], *, is_late: bool, continued: bool) -> None:
        self.exchanges = exchanges
        self.turns = turns
        self.is_late = is_late
        self.waiting = _waiting(turns, is_late=is_late)
        self.prompts = [text_hash(without_private(exchange.prompt)) for exchange in exchanges]
        self.replies = [text_hash(without_private(exchange.reply or "")) for exchange in exchanges]
        unanswered = [turn.number for turn in turns if turn.prompt_hash in self.waiting and not turn.replies]
        self.newest_waiting = max(unanswered, default=0)
        self.is_newest_waiting = self.newest_waiting > max((turn.number for turn in turns if turn.replies), default=0)
        self.free = self._free()
        said = {reply[1] for turn in turns for reply in turn.replies}
        newest = next((self.replies[index] for index in reversed(range(len(exchanges))) if exchanges[index].reply), "")
        # After a stop hook sent the agent on, an old reply at the end means that the new one is still to be written
        is_old = continued and bool({newest, newest + "+"} & said)
        self.is_repeated = continued and newest + "+" in said
        self.is_behind = bool(self.waiting) or is_old

    def awaited(self) -> Exchange | None:
        """The exchange of a turn that waits, if it has a reply by now."""
        # A turn that looks given up may be one whose end is still to be written
        found = [
            index
            for index in self.free
            if self.prompts[index] in self.waiting and self.exchanges[index].reply and not self.exchanges[index].is_cut
        ]
        if not found:
            return None
        chosen = found[-1]
        if self.is_late:
            # By now the agent may have gone on to turns that the book has not heard of
            digest = self.prompts[chosen]
            same = [index for index in found if self.prompts[index] == digest]
            chosen = same[: self.waiting[digest]][-1]
        return self.exchanges[chosen]

    def as_it_stands(self, *, is_followed: bool) -> tuple[str | None, str | None, bool]:
        """The reply, if nothing more is to be written. Raises EventError when the transcript lacks the turn.

        `is_followed` says that later events of the conversation wait: what is new to the book may be theirs.
        """
        if not self.exchanges:
            raise EventError("the agent tells its reply only in its transcript, and there is none")
        for index in reversed(self.free):
            if self.exchanges[index].is_cut and self.prompts[index] in self.waiting:
                return self.exchanges[index].reply, self.exchanges[index].prompt, True
        known = {turn.prompt_hash for turn in self.turns}
        is_there = any(self.prompts[index] in self.waiting for index in self.free)
        is_known = self.prompts[-1] in known
        if self.is_newest_waiting and not is_there and (is_known or is_followed):
            raise EventError("the agent tells its reply only in its transcript, and that has nothing of this turn")
        replied = [index for index, exchange in enumerate(self.exchanges) if exchange.reply]
        if not replied or (is_there and self.prompts[replied[-1]] in known):
            return None, None, False
        newest = self.exchanges[replied[-1]]
        return newest.reply, newest.prompt, False

    def _free(self) -> list[int]:
        """The indices of the exchanges that no answered turn has had, in their order."""
        from neotoma_hooks.agents.transcript import MOST_EXCHANGES

        free = list(range(len(self.exchanges)))
        # A transcript that is up to date has the awaited exchange as its last, so it has room for one answered less
        oldest = self.newest_waiting - MOST_EXCHANGES + self.is_late
        for turn in reversed(self.turns):
            said = {digest.rstrip("+") for _, digest in turn.replies}
            if oldest <= turn.number < self.newest_waiting:
                had = [
                    index
                    for index in free
                    if self.replies[index] in said and turn.prompt_hash in ("", self.prompts[index])
                ]
                free = [index for index in free if index not in had[-1:]]
        return free


def _is_followed(firing: Firing) -> bool:
    """Whether more events of the conversation wait than this one."""
    from neotoma_hooks.state import set_aside

    return set_aside.how_many(firing.paths.set_aside, firing.line["conversation"]) > 1


def _waiting(turns: Sequence[Turn], *, is_late: bool) -> dict[str, int]:
    """Hashes of the prompts that this reply may be to, and how many turns wait with each.

    An event that comes in time is about no turn before one that is answered: what the transcript has of those is what
    was said before an interrupt, or before the prompt that they were merged into.
    """
    answered = max((turn.number for turn in turns if turn.replies and turn.status == ANSWERED), default=0)
    oldest = 0 if is_late else answered
    waiting: dict[str, int] = {}
    for turn in turns:
        if turn.prompt_hash and not turn.replies and turn.status != MERGED and turn.number > oldest:
            waiting[turn.prompt_hash] = waiting.get(turn.prompt_hash, 0) + 1
    return waiting
