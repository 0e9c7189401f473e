"""What happened in an agent, in our own terms, whichever agent it was."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias


class PromptSubmitted:
    """A person sent a prompt.

    `conversation_id` is "" for an agent that names no conversation: it can be told what memory knows, and no more.
    `turn_id` is the agent's own id of the turn, or None where it has none. `prompt` is the exact text. `history` reads
    the newest exchanges, oldest first, where the agent keeps a transcript: what was said before an interrupt is there.
    `joins` is true for a prompt that goes into the running turn of an agent without turn ids. `is_typed` is false for
    one that the agent does not call a person's: it is a machine's when the turn of its id has another prompt already.
    """

    __slots__ = ("conversation_id", "cwd", "history", "is_typed", "joins", "prompt", "turn_id")

    def __init__(
        self,
        conversation_id: str,
        turn_id: str | None,
        prompt: str,
        cwd: str = "",
        *,
        history: Callable[[], list[Exchange]] | None = None,
        joins: bool = False,
        is_typed: bool = True,
    ) -> None:
        self.is_typed = is_typed
        self.joins = joins
        self.conversation_id = conversation_id
        self.turn_id = turn_id
        self.prompt = prompt
        self.cwd = cwd
        self.history = history


class ReplyFinished:
    """The agent finished a reply.

    `text` is the exact text, or None when the agent said nothing. An agent that does not tell has `transcript`, which
    reads the newest exchanges, oldest first, as far as they are written by now; `text` is None then. `prompt` is the
    prompt that the reply answers, where the agent says so. `continued` is true for a further reply after a stop hook
    sent the agent on. `answers` says which prompt a reply belongs to when several share its turn id: "oldest" for an
    agent that answers queued prompts later, in a turn of their own, "newest" for one that folds them into the running
    turn. `history` reads the exchanges for what the event does not tell: which earlier prompts the reply answers too.
    `is_partial` is true when the agent gives a part of the reply only, `is_cut` when that is all because the turn was
    given up there; `opens` when it may have told `prompt` nowhere else, so that the user's message is stored now.
    """

    __slots__ = (
        "answers",
        "continued",
        "conversation_id",
        "cwd",
        "history",
        "is_cut",
        "is_partial",
        "opens",
        "prompt",
        "text",
        "transcript",
        "turn_id",
    )

    def __init__(
        self,
        conversation_id: str,
        turn_id: str | None,
        text: str | None,
        *,
        transcript: Callable[[], list[Exchange]] | None = None,
        prompt: str | None = None,
        continued: bool = False,
        answers: str = "oldest",
        history: Callable[[], list[Exchange]] | None = None,
        is_partial: bool = False,
        is_cut: bool = False,
        opens: bool = False,
        cwd: str = "",
    ) -> None:
        self.history = history
        self.is_partial = is_partial or is_cut
        self.is_cut = is_cut
        self.opens = opens
        self.conversation_id = conversation_id
        self.turn_id = turn_id
        self.text = text
        self.transcript = transcript
        self.prompt = prompt
        self.continued = continued
        self.answers = answers
        self.cwd = cwd


class ReplySoFar:
    """A message of the agent within a turn that is not over: the last one before the turn's end is the reply."""

    __slots__ = ("conversation_id", "cwd", "text", "turn_id")

    def __init__(self, conversation_id: str, turn_id: str | None, text: str, cwd: str = "") -> None:
        self.conversation_id = conversation_id
        self.turn_id = turn_id
        self.text = text
        self.cwd = cwd


class Exchange:
    """A prompt and the last text that the agent said to it (None: nothing so far), as a transcript has them.

    `is_cut` says that the transcript shows the turn being given up there. `is_queued` says that the prompt waited
    while the agent was at work on another, `joins` that it went into the turn that the agent was at work on.
    """

    __slots__ = ("is_cut", "is_queued", "joins", "prompt", "reply")

    def __init__(
        self, prompt: str, reply: str | None, *, is_cut: bool = False, is_queued: bool = False, joins: bool = False
    ) -> None:
        self.joins = joins
        self.prompt = prompt
        self.reply = reply
        self.is_cut = is_cut
        self.is_queued = is_queued


class TurnFailed:
    """The agent gave up on a turn (an API error, an interrupt): there will be no reply to it.

    `answers` and `history` as in `ReplyFinished`. `text` is the part of the reply that the person saw, where the agent
    tells it; else it is looked for in the history.
    """

    __slots__ = ("answers", "conversation_id", "cwd", "history", "reason", "text", "turn_id")

    def __init__(
        self,
        conversation_id: str,
        turn_id: str | None,
        reason: str,
        cwd: str = "",
        answers: str = "oldest",
        *,
        history: Callable[[], list[Exchange]] | None = None,
        text: str | None = None,
    ) -> None:
        self.history = history
        self.text = text
        self.conversation_id = conversation_id
        self.turn_id = turn_id
        self.reason = reason
        self.cwd = cwd
        self.answers = answers


class ToolUsed:
    """The agent called a tool of the memory's own: `answer` is what the tool said, in the agent's wording of it."""

    __slots__ = ("answer", "conversation_id", "cwd", "turn_id")

    def __init__(self, conversation_id: str, turn_id: str | None, answer: object, cwd: str = "") -> None:
        self.conversation_id = conversation_id
        self.turn_id = turn_id
        self.answer = answer
        self.cwd = cwd


class ContextCleared:
    """The agent cleared or compacted its model's context: what it was told before, it may not know any more."""

    __slots__ = ("conversation_id", "cwd", "turn_id")

    def __init__(self, conversation_id: str, cwd: str = "") -> None:
        self.conversation_id = conversation_id
        self.turn_id: str | None = None
        self.cwd = cwd


class NotATurn:
    """An event that is no turn of the user's: `reason` says why, in words, for the hook log.

    `turn_id` is that of a prompt made by a machine, so that the reply to it is never taken for the reply to a person's.
    """

    __slots__ = ("conversation_id", "cwd", "reason", "turn_id")

    def __init__(self, conversation_id: str, reason: str, turn_id: str | None = None, cwd: str = "") -> None:
        self.conversation_id = conversation_id
        self.reason = reason
        self.turn_id = turn_id
        self.cwd = cwd


if TYPE_CHECKING:
    Event: TypeAlias = PromptSubmitted | ReplySoFar | ReplyFinished | TurnFailed | ToolUsed | ContextCleared | NotATurn
