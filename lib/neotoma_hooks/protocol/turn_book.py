"""Which turn an event belongs to: the newest turns of one conversation, and the rules that open and close them.

Prompts and replies are not one to one. The rules are those of the design's section "Identity":

- The same event again finds the turn it made the first time and changes nothing.
- Another prompt inside one agent turn id, or a further reply to one prompt, is a turn of its own: `t~2`, `t~3`, ….
- A reply with a turn id that a prompt had closes that turn. With one that no prompt had it closes the newest open
  turn, and prompts still open before that one are merged into it. With nothing open it is a turn without a prompt.
- A prompt that finds an older turn open, whose agent has moved on, closes it as interrupted. A reply that comes
  late all the same still finds it.
"""

from __future__ import annotations

from neotoma_hooks.protocol.turn import ANSWERED as ANSWERED
from neotoma_hooks.protocol.turn import INTERRUPTED as INTERRUPTED
from neotoma_hooks.protocol.turn import MERGED as MERGED
from neotoma_hooks.protocol.turn import OPEN as OPEN
from neotoma_hooks.protocol.turn import Turn as Turn
from neotoma_hooks.protocol.turn_ids import key_turn_id, numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

REMEMBERED_TURNS = 32
"""Turns that are kept to recognise an event that fires again; older ones are in the store."""

REMEMBERED_DRAFTS = 2
"""Texts of unfinished turns that are kept: that of the newest, and one whose end is late."""

REMEMBERED_STATUSES = 256
"""Statuses kept of turns that a reader of the store could not tell: merged ones, and answered with nothing."""


class TurnBook:
    """The newest turns of one conversation, oldest first."""

    __slots__ = ("drafts", "machine_turns", "next_number", "statuses", "turns")

    def __init__(self, next_number: int = 1) -> None:
        self.next_number = next_number
        self.turns: list[Turn] = []
        self.statuses: dict[str, str] = {}
        self.machine_turns: list[str] = []
        self.drafts: dict[str, str] = {}

    def to_json(self) -> dict[str, Any]:
        """A mapping that `from_json` reads back; its size has a bound that does not depend on the conversation."""
        return {
            "next_number": self.next_number,
            "turns": [turn.to_json() for turn in self.turns],
            "statuses": self.statuses,
            "machine_turns": self.machine_turns,
            "drafts": self.drafts,
        }

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> TurnBook:
        """The book that `to_json` wrote; raises KeyError, TypeError or ValueError when it did not."""
        book = cls(int(kept["next_number"]))
        book.turns = [Turn.from_json(turn) for turn in kept["turns"]]
        book.statuses = dict(kept["statuses"])
        book.machine_turns = list(kept["machine_turns"])
        book.drafts = dict(kept.get("drafts", {}))
        return book

    def open(self, prompt_hash: str, agent_turn_id: str | None, minted: str, *, joins: bool = False) -> Turn:
        """The turn of a prompt: the one it already has, or a new one.

        `agent_turn_id` is the agent's own id or None, `minted` an id that nobody has used, for agents without one.
        `joins` as in `PromptSubmitted`. The caller tells a repeat by "user" in `Turn.stored`.
        """
        base = key_turn_id(agent_turn_id) if agent_turn_id else ""
        for turn in self._sharing(base):
            if turn.prompt_hash == prompt_hash:
                return turn
            if turn.id == base and not turn.prompt_hash and base not in self.machine_turns:
                # Its hook could not handle it in time, so the reply was there first
                turn.prompt_hash = prompt_hash
                return turn
        newest = self.turns[-1] if self.turns else None
        is_same = newest is not None and newest.status == OPEN and newest.prompt_hash == prompt_hash
        if newest is not None and is_same and not (newest.base and base):
            # Two registrations of one agent may differ in whether they tell the id
            newest.base = newest.base or base
            return newest
        for turn in self.turns:
            if turn.status == OPEN and (not base or turn.base != base) and not joins:
                self._close(turn, INTERRUPTED)
        return self._add(base, prompt_hash, minted)

    def close(
        self,
        reply_hash: str,
        agent_turn_id: str | None,
        prompt_hash: str | None,
        minted: str,
        *,
        continued: bool = False,
        answers: str = "oldest",
    ) -> Turn:
        """The turn of a reply: the one it closes (then or now), or a new one without a prompt.

        `reply_hash` is "" for a reply without text, `prompt_hash` that of the prompt it answers where known; the rest
        as in `ReplyFinished`. The caller tells a repeat by "assistant" in `Turn.stored`.
        """
        base = key_turn_id(agent_turn_id) if agent_turn_id else ""
        seen = [base, reply_hash + "+" * continued]
        repeated = self._repeated(seen, prompt_hash, continued)
        if repeated is not None:
            return repeated
        sent_on = self._sent_on(prompt_hash) if continued and not base else None
        turn = None if sent_on else self._answered_by(base, prompt_hash, continued, answers)
        if turn is None:
            turn = self._add(sent_on.base or sent_on.id if sent_on else base, "", minted)
        turn.replies.append(seen)
        self._close(turn, ANSWERED)
        if not reply_hash:
            self._remember(turn.id, ANSWERED)
        return turn

    def fail(self, agent_turn_id: str | None, answers: str = "oldest") -> Turn | None:
        """Close the turn that will have no reply as interrupted: the one with the agent's id, or the newest open.

        Of several prompts that share the id, those fail that its reply would have answered (`answers` as in `close`):
        the first, because queued ones get a turn of their own, or all, because they were folded into this one.
        """
        base = key_turn_id(agent_turn_id) if agent_turn_id else ""
        if base in self.machine_turns:
            return None
        if base:
            failed = [turn for turn in self._sharing(base) if turn.prompt_hash and not turn.replies]
        else:
            failed = [turn for turn in self.turns if turn.status == OPEN]
        if answers != "newest":
            failed = failed[:1] if base else failed[-1:]
        for turn in failed:
            if turn.status == OPEN:
                self._close(turn, INTERRUPTED)
        return failed[-1] if failed else None

    def cut(self, turn: Turn, reply_hash: str) -> None:
        """Note that the turn was given up, and that what the person saw of the reply to it is known."""
        turn.replies.append([turn.base, reply_hash])
        turn.status = INTERRUPTED
        self._remember(turn.id, INTERRUPTED)

    def merge(self, turn: Turn) -> None:
        """Note that a turn that looked interrupted was answered by the reply to a later one."""
        self._close(turn, MERGED)

    def stored_as(self, number: int, turn_id: str, role: str) -> str:
        """Note the id under which the message of turn `number` is stored, where that is not the turn's own; returns
        the latter, else "".

        A store may know the turn's id from another turn. Its other message is to follow, unless it was there first.
        """
        base = turn_id.partition("~")[0]
        turn = next((turn for turn in self.turns if turn.number == number and turn.id.partition("~")[0] == base), None)
        if turn is None or turn.id == turn_id or (role == "assistant" and "user" in turn.stored):
            return ""
        before, turn.id = turn.id, turn_id
        if self.statuses.get(before) == turn.status:
            self._remember(turn_id, self.statuses.pop(before))
        return before

    def note_draft(self, agent_turn_id: str, text: str) -> None:
        """Keep the newest message of a turn that is not over; it becomes the reply when the turn ends."""
        base = key_turn_id(agent_turn_id)
        self.drafts.pop(base, None)
        self.drafts[base] = text
        while len(self.drafts) > REMEMBERED_DRAFTS:
            del self.drafts[next(iter(self.drafts))]

    def draft(self, agent_turn_id: str | None) -> str | None:
        """The newest message of that turn, if there was one; it stays, because an event may fire again."""
        return self.drafts.get(key_turn_id(agent_turn_id)) if agent_turn_id else None

    def knows(self, agent_turn_id: str | None, besides: str = "") -> bool:
        """Whether there is a turn with that id, and a prompt of another hash than `besides`."""
        return any(turn.prompt_hash != besides for turn in self._sharing(key_turn_id(agent_turn_id or "")))

    def note_machine_turn(self, agent_turn_id: str) -> None:
        """Remember the id of a machine-made prompt, so that its reply closes no turn of a person's."""
        base = key_turn_id(agent_turn_id)
        if base not in self.machine_turns:
            self.machine_turns = [*self.machine_turns[-7:], base]

    def working_on(self, agent_turn_id: str | None) -> Turn | None:
        """The open turn that the agent is at work on: the oldest with its turn id, else the newest of all."""
        base = key_turn_id(agent_turn_id) if agent_turn_id else ""
        sharing = (turn for turn in self.turns if turn.status == OPEN and base and turn.base == base)
        return next(sharing, None) or self.newest_open()

    def newest_open(self) -> Turn | None:
        """The newest turn that waits for a reply."""
        return next((turn for turn in reversed(self.turns) if turn.status == OPEN), None)

    def _repeated(self, seen: list[str], prompt_hash: str | None, continued: bool) -> Turn | None:
        """The turn that this same reply event closed before."""
        base = seen[0]
        for turn in reversed(self.turns):
            if seen not in turn.replies:
                continue
            if base:
                return turn
            # Without an id the same words are a repeat only as long as no newer prompt may be meant
            newer = [later for later in self.turns if later.number > turn.number and later.prompt_hash]
            if continued:
                is_new = any(later.replies and later in self._asked(prompt_hash) for later in newer)
            elif prompt_hash == turn.prompt_hash:
                is_new = any(later.prompt_hash == prompt_hash and not later.replies for later in newer)
            else:
                is_new = self.newest_open() is not None
            if not is_new:
                return turn
        return None

    def _answered_by(self, base: str, prompt_hash: str | None, continued: bool, answers: str) -> Turn | None:
        if base in self.machine_turns and base:
            return None
        sharing = list(self._sharing(base))
        if sharing:
            waiting = [turn for turn in sharing if not turn.replies and turn.prompt_hash]
            if not waiting or (continued and sharing[0].replies):
                return None
            chosen = waiting[-1] if answers == "newest" else waiting[0]
            for turn in waiting:
                if turn.number < chosen.number:
                    self._close(turn, MERGED)
            return chosen
        if not base and prompt_hash:
            for turn in reversed(self.turns):
                if turn.prompt_hash == prompt_hash and not turn.replies:
                    return self._merged(turn)
        return self._merged(self.newest_open())

    def _merged(self, answered: Turn | None) -> Turn | None:
        """The turn, after those that still waited before it were merged into it."""
        for turn in self.turns:
            if answered is not None and turn.status == OPEN and turn.number < answered.number:
                self._close(turn, MERGED)
        return answered

    def _sent_on(self, prompt_hash: str | None) -> Turn | None:
        """The answered turn that an agent without turn ids goes on with, because a stop hook sent it on."""
        asked = self._asked(prompt_hash)
        return asked[-1] if asked and asked[-1].replies else None

    def _asked(self, prompt_hash: str | None) -> list[Turn]:
        """The turns of that prompt; all, where it is not known."""
        return [turn for turn in self.turns if turn.prompt_hash == prompt_hash] or self.turns

    def _sharing(self, base: str) -> Iterator[Turn]:
        return (turn for turn in self.turns if base and base in (turn.base, turn.id))

    def _add(self, base: str, prompt_hash: str, minted: str) -> Turn:
        turn_id = minted
        if base:
            taken = {turn.id.casefold() for turn in self.turns}
            newest = [turn.id for turn in self._sharing(base)][-1:]
            ordinal = 1 + (int(newest[0].rpartition("~")[2]) if "~" in newest[0] else 1) if newest else 1
            while numbered(base, ordinal).casefold() in taken:
                ordinal += 1
            turn_id = numbered(base, ordinal)
        turn = Turn(turn_id, base, self.next_number, prompt_hash)
        self.next_number += 1
        self.turns = [*self.turns[1 - REMEMBERED_TURNS :], turn]
        return turn

    def _close(self, turn: Turn, status: str) -> None:
        turn.status = status
        self.statuses.pop(turn.id, None)
        if status == MERGED:
            self._remember(turn.id, MERGED)

    def _remember(self, turn_id: str, status: str) -> None:
        self.statuses.pop(turn_id, None)
        self.statuses[turn_id] = status
        while len(self.statuses) > REMEMBERED_STATUSES:
            del self.statuses[next(iter(self.statuses))]
