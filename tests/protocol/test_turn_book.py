from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from neotoma_hooks.protocol.book_of_messages import book_of
from neotoma_hooks.protocol.turn_book import (
    ANSWERED,
    INTERRUPTED,
    MERGED,
    OPEN,
    REMEMBERED_STATUSES,
    REMEMBERED_TURNS,
    Turn,
    TurnBook,
)
from neotoma_hooks.protocol.turn_ids import key_turn_id, minted_turn_id, text_hash, turn_key


class Conversation:
    """A book that is used as the two hooks use it, and what is stored by its word.

    `stored` maps (turn id, role) to the text, in the order of storing; the book goes through JSON between two events.
    """

    def __init__(self) -> None:
        self.book = TurnBook()
        self.stored: dict[tuple[str, str], str] = {}
        self.numbers: dict[tuple[str, str], int] = {}
        self.now = 0

    def prompt(self, text: str, id: str | None = None) -> str:
        """A prompt's event; returns the id of its turn."""
        self.now += 1
        turn = self.book.open(text_hash(text), id, minted_turn_id(self.now, b"rand"))
        return self._store(turn, "user", text)

    def reply(
        self,
        text: str,
        id: str | None = None,
        *,
        to: str | None = None,
        continued: bool = False,
        answers: str = "oldest",
    ) -> str:
        """A reply's event; `to` is the prompt it answers, where a transcript tells it."""
        self.now += 1
        turn = self.book.close(
            text_hash(text) if text else "",
            id,
            text_hash(to) if to is not None else None,
            minted_turn_id(self.now, b"rand"),
            continued=continued,
            answers=answers,
        )
        return self._store(turn, "assistant", text)

    def fail(self, id: str | None = None, answers: str = "oldest") -> str | None:
        """An API error or an interrupt."""
        turn = self.book.fail(id, answers)
        self._reload()
        return turn.id if turn else None

    def machine(self, id: str) -> None:
        """A prompt that no person wrote."""
        self.book.note_machine_turn(id)
        self._reload()

    def forget(self) -> None:
        """The pending-turn file is deleted: the book is made again from what is stored."""
        self.book = book_of(self.messages()[-2 * REMEMBERED_TURNS :])

    def messages(self) -> list[dict[str, object]]:
        """The fields of the stored messages, oldest first."""
        return [
            {
                "turn_key": turn_key("c", turn_id, role),
                "role": role,
                "content": text,
                "turn_number": self.numbers[turn_id, role],
            }
            for (turn_id, role), text in self.stored.items()
        ]

    def turns(self) -> list[tuple[str, str | None, str | None, str]]:
        """(id, prompt, reply, status) of the turns that are remembered, in the order of their numbers."""
        return [
            (turn.id, self.stored.get((turn.id, "user")), self.stored.get((turn.id, "assistant")), turn.status)
            for turn in self.book.turns
        ]

    def read(self) -> list[tuple[str | None, str | None, str]]:
        """As `turns`, without the ids."""
        return [turn[1:] for turn in self.turns()]

    def _store(self, turn: Turn, role: str, text: str) -> str:
        if role in turn.stored:
            # A hook that finds its message stored does nothing more, so it had better be the same
            assert self.stored[turn.id, role] == text
        elif text:
            assert (turn.id, role) not in self.stored
            self.stored[turn.id, role] = text
            self.numbers[turn.id, role] = turn.number
            turn.stored.append(role)
        self._reload()
        return turn.id

    def _reload(self) -> None:
        self.book = TurnBook.from_json(json.loads(json.dumps(self.book.to_json())))


Script = list[Callable[[Conversation], object]]
Reading = list[tuple[str, str | None, str | None, str]]


def prompt(text: str, id: str) -> Callable[[Conversation], object]:
    return lambda conversation: conversation.prompt(text, id)


def reply(text: str, id: str, *, continued: bool = False, answers: str = "oldest") -> Callable[[Conversation], object]:
    return lambda conversation: conversation.reply(text, id, continued=continued, answers=answers)


def fail(id: str, answers: str = "oldest") -> Callable[[Conversation], object]:
    return lambda conversation: conversation.fail(id, answers)


def machine(id: str) -> Callable[[Conversation], object]:
    return lambda conversation: conversation.machine(id)


WITH_IDS: dict[str, tuple[Script, Reading]] = {
    "one turn": (
        [prompt("A", "a"), reply("re A", "a")],
        [("a", "A", "re A", ANSWERED)],
    ),
    "two turns": (
        [prompt("A", "a"), reply("re A", "a"), prompt("B", "b"), reply("re B", "b")],
        [("a", "A", "re A", ANSWERED), ("b", "B", "re B", ANSWERED)],
    ),
    "the same words twice": (
        [prompt("go on", "a"), reply("done", "a"), prompt("go on", "b"), reply("done", "b")],
        [("a", "go on", "done", ANSWERED), ("b", "go on", "done", ANSWERED)],
    ),
    "Claude 2.1.332: B and C are typed while A runs, and get one reply under an id no prompt had": (
        [prompt("A", "a"), prompt("B", "a"), prompt("C", "a"), reply("re A", "a"), reply("re BC", "x")],
        [("a", "A", "re A", ANSWERED), ("a~2", "B", None, MERGED), ("a~3", "C", "re BC", ANSWERED)],
    ),
    "Claude 2.1.332: B is typed while A runs and a stop hook sends A on": (
        [
            prompt("A", "a"),
            prompt("B", "a"),
            reply("re A", "a"),
            reply("more A", "a", continued=True),
            reply("re B", "x"),
        ],
        [("a", "A", "re A", ANSWERED), ("a~2", "B", "re B", ANSWERED), ("a~3", None, "more A", ANSWERED)],
    ),
    "Claude 2.1.332: A fails while B and C wait": (
        [prompt("A", "a"), prompt("B", "a"), prompt("C", "a"), fail("a"), reply("re BC", "x")],
        [("a", "A", None, INTERRUPTED), ("a~2", "B", None, MERGED), ("a~3", "C", "re BC", ANSWERED)],
    ),
    # By the events alone B looks as if it had been taken back with Esc; a transcript may tell that it was merged
    "Claude 2.1.197: B and C are typed while A runs, and get one reply under C's id": (
        [prompt("A", "a"), reply("re A", "a"), prompt("B", "b"), prompt("C", "c"), reply("re BC", "c")],
        [("a", "A", "re A", ANSWERED), ("b", "B", None, INTERRUPTED), ("c", "C", "re BC", ANSWERED)],
    ),
    "Codex: B is typed while A runs and steers it": (
        [prompt("A", "t"), prompt("B", "t"), reply("re AB", "t", answers="newest")],
        [("t", "A", None, MERGED), ("t~2", "B", "re AB", ANSWERED)],
    ),
    "Codex: a steered turn is interrupted": (
        [prompt("A", "t"), prompt("B", "t"), fail("t", "newest"), prompt("C", "u"), reply("re C", "u")],
        [("t", "A", None, INTERRUPTED), ("t~2", "B", None, INTERRUPTED), ("u", "C", "re C", ANSWERED)],
    ),
    "Codex: Esc": (
        [prompt("A", "a"), fail("a", "newest"), prompt("B", "b"), reply("re B", "b")],
        [("a", "A", None, INTERRUPTED), ("b", "B", "re B", ANSWERED)],
    ),
    "Claude: Esc, which fires nothing; a prompt that a hook blocks; an API error in Codex": (
        [prompt("A", "a"), prompt("B", "b"), reply("re B", "b")],
        [("a", "A", None, INTERRUPTED), ("b", "B", "re B", ANSWERED)],
    ),
    "Claude: the same prompt again after Esc": (
        [prompt("A", "a"), prompt("A", "b"), reply("re A", "b")],
        [("a", "A", None, INTERRUPTED), ("b", "A", "re A", ANSWERED)],
    ),
    "Claude 2.1: an API error": (
        [prompt("A", "a"), fail("a"), prompt("B", "b"), reply("re B", "b")],
        [("a", "A", None, INTERRUPTED), ("b", "B", "re B", ANSWERED)],
    ),
    "a reply comes after the next prompt all the same": (
        [prompt("A", "a"), prompt("B", "b"), reply("re A", "a"), reply("re B", "b")],
        [("a", "A", "re A", ANSWERED), ("b", "B", "re B", ANSWERED)],
    ),
    "a failed turn gets its reply all the same": (
        [prompt("A", "a"), fail("a"), reply("re A", "a")],
        [("a", "A", "re A", ANSWERED)],
    ),
    "Claude 2.1.332: !cmd has a reply and no prompt": (
        [prompt("A", "a"), reply("re A", "a"), reply("ran it", "x"), prompt("B", "b")],
        [("a", "A", "re A", ANSWERED), ("x", None, "ran it", ANSWERED), ("b", "B", None, OPEN)],
    ),
    "Claude 2.1.332: a background task ends while A waits": (
        [prompt("A", "a"), machine("m"), reply("noted", "m"), reply("re A", "a")],
        [("a", "A", "re A", ANSWERED), ("m", None, "noted", ANSWERED)],
    ),
    "Claude 2.1.332: B is typed while the agent takes note of a background task": (
        [machine("m"), prompt("B", "m"), reply("noted", "m"), reply("re B", "x")],
        [("m", "B", "re B", ANSWERED), ("m~2", None, "noted", ANSWERED)],
    ),
    "Claude 2.1.332: the turn of a background task fails while A waits": (
        [prompt("A", "a"), machine("m"), fail("m"), reply("re A", "a")],
        [("a", "A", "re A", ANSWERED)],
    ),
    "an empty reply": (
        [prompt("A", "a"), reply("", "a"), prompt("B", "b"), reply("re B", "b")],
        [("a", "A", None, ANSWERED), ("b", "B", "re B", ANSWERED)],
    ),
    "an empty reply, and a stop hook that sends the agent on": (
        [prompt("A", "a"), reply("", "a"), reply("more", "a", continued=True)],
        [("a", "A", None, ANSWERED), ("a~2", None, "more", ANSWERED)],
    ),
    "a stop hook sends the agent on": (
        [prompt("A", "a"), reply("re A", "a"), reply("more", "a", continued=True), prompt("B", "b")],
        [("a", "A", "re A", ANSWERED), ("a~2", None, "more", ANSWERED), ("b", "B", None, OPEN)],
    ),
    "a stop hook sends the agent on, and it says the same again": (
        [prompt("A", "a"), reply("done", "a"), reply("done", "a", continued=True)],
        [("a", "A", "done", ANSWERED), ("a~2", None, "done", ANSWERED)],
    ),
    "a stop hook sends the agent on twice": (
        [prompt("A", "a"), reply("1", "a"), reply("2", "a", continued=True), reply("3", "a", continued=True)],
        [("a", "A", "1", ANSWERED), ("a~2", None, "2", ANSWERED), ("a~3", None, "3", ANSWERED)],
    ),
    "a stop hook sends the agent on, and the next prompt shares the turn's id": (
        [
            prompt("A", "a"),
            reply("re A", "a"),
            reply("more", "a", continued=True),
            prompt("B", "a"),
            reply("re B", "a"),
        ],
        [("a", "A", "re A", ANSWERED), ("a~2", None, "more", ANSWERED), ("a~3", "B", "re B", ANSWERED)],
    ),
    "a turn id that differs from an earlier one in its case only": (
        [prompt("A", "t1"), reply("re A", "t1"), prompt("B", "T1"), reply("re B", "T1")],
        [("t1", "A", "re A", ANSWERED), ("T1~2", "B", "re B", ANSWERED)],
    ),
    "an id of the agent that looks like a second message": (
        [prompt("A", "t"), reply("re A", "t"), prompt("B", "t~2"), reply("re B", "t~2"), prompt("C", "t")],
        [("t", "A", "re A", ANSWERED), ("t%7E2", "B", "re B", ANSWERED), ("t~2", "C", None, OPEN)],
    ),
    "a turn called assistant": (
        [prompt("A", "assistant"), reply("re A", "assistant")],
        [("%61ssistant", "A", "re A", ANSWERED)],
    ),
    "a prompt that could only be handled after its reply": (
        [reply("re A", "a"), prompt("A", "a")],
        [("a", "A", "re A", ANSWERED)],
    ),
}


@pytest.mark.parametrize("name", WITH_IDS)
def test_agents_with_turn_ids(name: str) -> None:
    """Each conversation that was measured reads as a person who watched it would tell it."""
    script, expected = WITH_IDS[name]
    conversation = Conversation()
    for event in script:
        event(conversation)
    assert expected == conversation.turns()


@pytest.mark.parametrize("name", WITH_IDS)
def test_events_with_turn_ids_fire_again_at_any_time(name: str) -> None:
    """After each event all events so far fire again, and nothing changes."""
    script, expected = WITH_IDS[name]
    conversation = Conversation()
    for count, event in enumerate(script, 1):
        event(conversation)
        before = conversation.book.to_json()
        for earlier in script[:count]:
            earlier(conversation)
            assert before == conversation.book.to_json()
    assert expected == conversation.turns()


@pytest.mark.parametrize("name", [name for name in WITH_IDS if "called assistant" not in name])
def test_numbers_count_the_turns(name: str) -> None:
    """Turns are numbered from 1 without a gap, and both messages of a turn have its number."""
    conversation = Conversation()
    for event in WITH_IDS[name][0]:
        event(conversation)
    assert list(range(1, len(conversation.book.turns) + 1)) == [turn.number for turn in conversation.book.turns]
    by_id = {turn.id: turn.number for turn in conversation.book.turns}
    assert all(by_id[turn_id] == number for (turn_id, _), number in conversation.numbers.items())


def test_old_claude_two_turns() -> None:
    """Without turn ids each prompt makes a turn, and the next reply closes it."""
    talk = Conversation()
    talk.prompt("A")
    talk.reply("re A", to="A")
    talk.prompt("B")
    talk.reply("re B", to="B")
    assert talk.read() == [("A", "re A", ANSWERED), ("B", "re B", ANSWERED)]


def test_old_claude_queued_prompts() -> None:
    """2.0.76 sends prompts that were typed meanwhile as one, after the reply."""
    talk = Conversation()
    talk.prompt("A")
    talk.reply("re A", to="A")
    talk.prompt("B\nC")
    talk.reply("re BC", to="B\nC")
    assert talk.read() == [("A", "re A", ANSWERED), ("B\nC", "re BC", ANSWERED)]


def test_older_claude_queued_prompts() -> None:
    """1.0.128 sends them before the reply's event, which still finds the prompt it answers."""
    talk = Conversation()
    talk.prompt("A")
    talk.prompt("B\nC")
    talk.reply("re A", to="A")
    talk.reply("re BC", to="B\nC")
    assert talk.read() == [("A", "re A", ANSWERED), ("B\nC", "re BC", ANSWERED)]


def test_old_claude_same_words_same_reply() -> None:
    """The same words sent twice are two turns, also when the agent answers both alike."""
    talk = Conversation()
    for _ in range(3):
        talk.prompt("go on")
        talk.reply("done", to="go on")
    assert talk.read() == 3 * [("go on", "done", ANSWERED)]


def test_old_claude_same_words_blocked_twice() -> None:
    """The same is true where a stop hook sends the agent on each time."""
    talk = Conversation()
    for _ in range(2):
        talk.prompt("go on")
        talk.reply("done", to="go on")
        talk.reply("really done", to="go on", continued=True)
    assert talk.read() == 2 * [("go on", "done", ANSWERED), (None, "really done", ANSWERED)]
    first, second = talk.book.turns[0].id, talk.book.turns[2].id
    assert [first, f"{first}~2", second, f"{second}~2"] == [turn.id for turn in talk.book.turns]


def test_old_claude_different_words_same_reply() -> None:
    """A reply that equals the one before belongs to the prompt that waits for it."""
    talk = Conversation()
    talk.prompt("A")
    talk.reply("done", to="A")
    talk.prompt("B")
    talk.reply("done", to="B")
    assert talk.read() == [("A", "done", ANSWERED), ("B", "done", ANSWERED)]


def test_old_claude_escape() -> None:
    """A prompt that finds an open turn closes it as interrupted."""
    talk = Conversation()
    talk.prompt("A")
    talk.prompt("B")
    talk.reply("re B", to="B")
    assert talk.read() == [("A", None, INTERRUPTED), ("B", "re B", ANSWERED)]


def test_old_claude_reply_to_an_unknown_prompt() -> None:
    """A reply with nothing open is a turn without a prompt."""
    talk = Conversation()
    talk.reply("hello", to="never seen")
    assert talk.read() == [(None, "hello", ANSWERED)]


def test_old_claude_fires_again_at_once() -> None:
    """Each event fires twice, as from two registrations, and nothing changes."""
    talk = Conversation()
    for number in range(3):
        assert talk.prompt(f"P{number}") == talk.prompt(f"P{number}")
        assert talk.reply(f"R{number}", to=f"P{number}") == talk.reply(f"R{number}", to=f"P{number}")
        once = talk.reply("more", to=f"P{number}", continued=True)
        assert once == talk.reply("more", to=f"P{number}", continued=True)
    expected = [
        turn for number in range(3) for turn in ((f"P{number}", f"R{number}", ANSWERED), (None, "more", ANSWERED))
    ]
    assert expected == talk.read()


def test_without_ids_and_transcript() -> None:
    """A reply that names neither turn nor prompt closes the newest open turn, and fires again for nothing."""
    talk = Conversation()
    talk.prompt("A")
    assert talk.reply("same") == talk.reply("same")
    talk.prompt("A")
    assert talk.reply("same") == talk.reply("same")
    assert talk.read() == 2 * [("A", "same", ANSWERED)]


def test_fail_without_ids() -> None:
    """A failure without an id closes the newest open turn, once."""
    talk = Conversation()
    talk.prompt("A")
    assert talk.book.turns[0].id == talk.fail()
    assert talk.fail() is None
    assert talk.read() == [("A", None, INTERRUPTED)]


def test_fail_with_nothing_open() -> None:
    """A failure of a turn that nobody opened closes nothing."""
    talk = Conversation()
    talk.prompt("A", "a")
    assert talk.fail("b") is None
    assert talk.read() == [("A", None, OPEN)]


def test_a_minted_id_given_back() -> None:
    """A caller may close by the id that was minted for it."""
    talk = Conversation()
    minted = talk.prompt("A")
    assert minted == talk.reply("re A", minted)
    assert talk.read() == [("A", "re A", ANSWERED)]


def test_statuses_tell_what_a_store_cannot() -> None:
    """Merged turns, and turns answered with nothing, are remembered; the others can be read from the messages."""
    talk = Conversation()
    talk.prompt("A", "a")
    talk.reply("", "a")
    talk.prompt("B", "b")
    talk.prompt("C", "b")
    talk.reply("re", "b", answers="newest")
    talk.prompt("D", "d")
    talk.fail("d")
    assert talk.book.statuses == {"a": ANSWERED, "b": MERGED}


def test_a_late_reply_takes_merged_back() -> None:
    """A prompt that was merged and then gets a reply of its own is not called merged any longer."""
    talk = Conversation()
    talk.prompt("A", "a")
    talk.prompt("B", "a")
    talk.reply("re AB", "a", answers="newest")
    assert talk.book.statuses == {"a": MERGED}
    talk.reply("re A", "a", answers="newest")
    assert talk.book.statuses == {}
    assert talk.read() == [("A", "re A", ANSWERED), ("B", "re AB", ANSWERED)]


def test_merged_after_all() -> None:
    """A turn that looked interrupted is called merged once a transcript has told so."""
    talk = Conversation()
    talk.prompt("B", "b")
    talk.prompt("C", "c")
    talk.reply("re BC", "c")
    talk.book.merge(talk.book.turns[0])
    assert talk.read() == [("B", None, MERGED), ("C", "re BC", ANSWERED)]
    assert talk.book.statuses == {"b": MERGED}


def test_cut_short() -> None:
    """A turn of which a part of the reply is known stays interrupted, and its part fires again for nothing."""
    talk = Conversation()
    talk.prompt("A", "a")
    talk.fail("a")
    turn = talk.book.turns[0]
    talk.book.cut(turn, text_hash("so far"))
    assert talk.book.statuses == {"a": INTERRUPTED}
    assert talk.prompt("A", "a") == "a"
    assert talk.fail("a") is None
    assert talk.reply("all of it", "a") == "a~2"
    assert talk.read() == [("A", None, INTERRUPTED), (None, "all of it", ANSWERED)]


def joined(told: str | None) -> tuple[TurnBook, Turn]:
    """A prompt, and one that went into its turn, without ids; and the turn of the reply, which may tell its prompt."""
    book = TurnBook()
    for number, text in enumerate(("A", "B")):
        book.open(text_hash(text), None, minted_turn_id(number, b"rand"), joins=number > 0)
    return book, book.close(text_hash("re"), None, told and text_hash(told), minted_turn_id(3, b"rand"))


@pytest.mark.parametrize("told", ["B", None])
def test_prompt_that_joins_is_answered_with_the_first(told: str | None) -> None:
    """Whether or not the agent says which prompt its reply is to."""
    book, answered = joined(told)
    assert answered is book.turns[1]
    assert [turn.status for turn in book.turns] == [MERGED, ANSWERED]


@pytest.mark.parametrize(("answers", "statuses"), [("newest", [INTERRUPTED] * 2), ("oldest", [OPEN, INTERRUPTED])])
def test_prompt_that_joins_fails_with_the_first(answers: str, statuses: list[str]) -> None:
    """Where an agent folds prompts into the running turn they fail together."""
    book = TurnBook()
    for number, text in enumerate(("A", "B")):
        book.open(text_hash(text), None, minted_turn_id(number, b"rand"), joins=number > 0)
    assert book.fail(None, answers) is book.turns[1]
    assert [turn.status for turn in book.turns] == statuses


def test_what_a_book_knows_of_an_id() -> None:
    """Whether there is a turn with it, and one with another prompt."""
    book = TurnBook()
    book.open(text_hash("A"), "t", "m")
    assert book.knows("t")
    assert book.knows("t", text_hash("B"))
    assert not book.knows("t", text_hash("A"))
    assert not book.knows("u")
    assert not book.knows(None)


def test_field_of_an_earlier_version() -> None:
    """Turns were once kept with the time at which they opened; such a book is read as any other."""
    book = TurnBook()
    book.open(text_hash("A"), "t", "m")
    kept = json.loads(json.dumps(book.to_json()))
    assert "opened_at" not in kept["turns"][0]
    kept["turns"][0]["opened_at"] = 1_700_000_000_000_000_000
    assert TurnBook.from_json(kept).to_json() == book.to_json()


def test_turn_goes_by_the_id_that_its_prompt_is_stored_under() -> None:
    """Its reply finds it all the same, and so does each event that fires again; the next turn gets an id of its own."""
    book = TurnBook()
    turn = book.open(text_hash("A"), "t", "m")
    assert book.stored_as(turn.number, "t", "user") == ""
    assert book.stored_as(turn.number, "t~2", "user") == "t"
    turn.stored.append("user")
    assert book.stored_as(turn.number, "t~2", "user") == ""
    assert book.open(text_hash("A"), "t", "m") is turn
    assert book.close(text_hash("R"), "t", None, "m") is turn
    assert book.close(text_hash("R"), "t", None, "m") is turn
    assert book.open(text_hash("B"), "t", "m").id == "t~3"


def test_reply_stored_under_another_id_than_its_prompt() -> None:
    """The turn keeps the id of its prompt; a turn without one takes the id of its reply."""
    book = TurnBook()
    turn = book.open(text_hash("A"), "t", "m")
    turn.stored.append("user")
    assert book.stored_as(turn.number, "t~2", "assistant") == ""
    book.close(text_hash("R"), "t", None, "m")
    alone = book.close(text_hash("S"), "u", None, "m")
    assert book.stored_as(alone.number, "u~2", "assistant") == "u"
    assert (turn.id, alone.id) == ("t", "u~2")


def test_number_that_belongs_to_another_turn() -> None:
    """A book that was begun anew counts from 1 again: a write of an earlier one says nothing of its turns."""
    book = TurnBook()
    turn = book.open(text_hash("A"), "t", "m")
    assert book.stored_as(turn.number, "u~2", "user") == ""
    assert book.stored_as(turn.number + 1, "t~2", "user") == ""
    assert turn.id == "t"


def test_status_follows_a_turn_to_its_other_id() -> None:
    """Also when the turn itself is remembered no more."""
    book = TurnBook()
    merged = book.open(text_hash("A"), "t", "m")
    book.merge(merged)
    book.stored_as(merged.number, "t~2", "user")
    assert book.statuses == {"t~2": MERGED}


def test_drafts() -> None:
    """The newest text of a turn that is not over is kept, and of few turns only."""
    book = TurnBook()
    for number in range(5):
        book.note_draft(f"t{number}", "first")
        book.note_draft(f"t{number}", f"text {number}")
    again = TurnBook.from_json(json.loads(json.dumps(book.to_json())))
    assert [again.draft(f"t{number}") for number in range(5)] == [None, None, None, "text 3", "text 4"]
    assert again.draft(None) is None


@pytest.mark.parametrize("ids", [True, False])
def test_size_has_a_bound(ids: bool) -> None:
    """After ten thousand turns the book is not larger than after a hundred."""
    book = TurnBook()
    sizes = {}
    for number in range(1, 10_001):
        name = f"turn-{number:06d}" if ids else None
        book.open(text_hash(f"P{number}"), name, minted_turn_id(number, b"rand"))
        if number % 3:
            reply_hash = text_hash(f"R{number}") if number % 2 else ""
            book.close(reply_hash, name, text_hash(f"P{number}"), minted_turn_id(-number, b"rand"))
        if number % 5 == 0:
            book.note_machine_turn(f"machine-{number:06d}")
        sizes[number] = len(json.dumps(book.to_json()))
    assert len(book.turns) == REMEMBERED_TURNS
    assert len(book.statuses) == REMEMBERED_STATUSES
    assert book.next_number == 10_001
    assert sizes[10_000] < 1.1 * sizes[1000]


def test_one_id_for_a_hundred_messages() -> None:
    """More messages inside one agent turn id than are remembered still get ids of their own."""
    talk = Conversation()
    ids = [talk.prompt(f"P{number}", "t") for number in range(100)]
    assert ["t", *(f"t~{number}" for number in range(2, 101))] == ids


def test_json_round_trip() -> None:
    """A book comes back from JSON as it was, with all that its turns hold."""
    talk = Conversation()
    talk.machine("m")
    talk.prompt("A \ud800", "a")
    talk.reply("", "a")
    turn = talk.book.turns[0]
    turn.entities = [{"id": "ent_1", "name": "Ada\ud800"}]
    turn.produced = [{"id": "ent_2"}]
    kept = talk.book.to_json()
    assert kept == TurnBook.from_json(json.loads(json.dumps(kept))).to_json()
    assert "ent_2" in json.dumps(kept)


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"next_number": "x", "turns": [], "statuses": {}, "machine_turns": []},
        {"next_number": 1, "turns": [{}], "statuses": {}, "machine_turns": []},
        {"next_number": 1, "turns": 5, "statuses": {}, "machine_turns": []},
        {"next_number": 1, "turns": [None], "statuses": {}, "machine_turns": []},
        {"next_number": 1, "turns": [], "statuses": 7, "machine_turns": []},
    ],
)
def test_from_json_of_something_else(kept: dict[str, object]) -> None:
    """What is no book is said to be none."""
    with pytest.raises((KeyError, TypeError, ValueError)):
        TurnBook.from_json(kept)


def test_book_of_messages_goes_on_counting() -> None:
    """With the pending file gone, the stored messages give ids, numbers and what is open."""
    talk = Conversation()
    talk.prompt("A", "a")
    talk.reply("re A", "a")
    talk.prompt("B", "b")
    talk.prompt("C", "c")
    talk.forget()
    expected = [("a", "A", "re A", ANSWERED), ("b", "B", None, INTERRUPTED), ("c", "C", None, OPEN)]
    assert expected == talk.turns()
    assert [turn.number for turn in talk.book.turns] == [1, 2, 3]
    assert talk.book.next_number == 4


def test_book_of_nothing() -> None:
    """A conversation without messages starts at 1."""
    assert TurnBook().to_json() == book_of([]).to_json()


@pytest.mark.parametrize(
    "name",
    [
        "one turn",
        "the same words twice",
        "Codex: B is typed while A runs and steers it",
        "Claude: the same prompt again after Esc",
        "a stop hook sends the agent on",
        "a stop hook sends the agent on, and it says the same again",
        "a stop hook sends the agent on twice",
        "a turn called assistant",
        "a turn id that differs from an earlier one in its case only",
    ],
)
def test_events_fire_again_after_the_state_was_deleted(name: str) -> None:
    """Where the store has what an event is known by, it changes nothing although the pending file is gone."""
    conversation = Conversation()
    script = WITH_IDS[name][0]
    for event in script:
        event(conversation)
    before = dict(conversation.stored)
    for event in script:
        conversation.forget()
        event(conversation)
    assert before == conversation.stored


def test_minted_turns_survive_the_loss_of_state() -> None:
    """An agent without turn ids gets new ids for the same words, and its open turn still waits."""
    talk = Conversation()
    first = talk.prompt("A")
    talk.reply("re A", to="A")
    second = talk.prompt("A")
    talk.forget()
    assert second == talk.reply("re A", to="A")
    talk.forget()
    assert talk.prompt("A") not in (first, second)
    assert talk.read() == [("A", "re A", ANSWERED), ("A", "re A", ANSWERED), ("A", None, OPEN)]


def test_book_of_a_foreign_writer() -> None:
    """Messages without a number, or under keys of another shape, give a book all the same."""
    book = book_of(
        [
            {"turn_key": "one"},
            {"turn_key": "c:two:assistant", "content": "x"},
            {"turn_key": "c:two", "turn_number": "2"},
        ]
    )
    assert [turn.id for turn in book.turns] == ["one", "two"]
    assert book.next_number == 3


class AnyConversation(RuleBasedStateMachine):
    """Any events in any order, each perhaps fired twice at once, with the state deleted now and then."""

    texts = st.sampled_from(["go on", "yes", "fix it", "done", "B\nC"])
    replies = st.sampled_from(["ok", "done", ""])
    times = st.integers(1, 2)
    answers = st.sampled_from(["oldest", "newest"])

    def __init__(self) -> None:
        super().__init__()
        self.talk = Conversation()
        self.ids = ["first"]
        self.fresh = 0

    def _id(self, choice: int | str | None) -> str | None:
        """None, an id used lately (also in capitals), or a new one."""
        if choice is None or isinstance(choice, int):
            return None if choice is None else self.ids[-1 - choice % len(self.ids)]
        self.fresh += 1
        id = {"new": f"t{self.fresh}", "capital": self.ids[-1].upper(), "odd": f"assistant:{self.fresh}~2"}[choice]
        self.ids = [*self.ids[-3:], id]
        return id

    choices = st.none() | st.integers(0, 3) | st.sampled_from(["new", "new", "new", "capital", "odd"])

    @rule(text=texts, choice=choices, times=times)
    def prompt(self, text: str, choice: int | str | None, times: int) -> None:
        id = self._id(choice)
        self._fire(lambda: self.talk.prompt(text, id), times)

    @rule(text=replies, choice=choices, to=st.none() | texts, continued=st.booleans(), answers=answers, times=times)
    def reply(
        self, text: str, choice: int | str | None, to: str | None, continued: bool, answers: str, times: int
    ) -> None:
        id = self._id(choice)
        to = None if id else to
        self._fire(lambda: self.talk.reply(text, id, to=to, continued=continued, answers=answers), times)

    @rule(choice=choices, answers=answers, times=times)
    def fail(self, choice: int | str | None, answers: str, times: int) -> None:
        id = self._id(choice)
        self.talk.fail(id, answers)
        if id and times > 1:
            before = self.talk.book.to_json()
            self.talk.fail(id, answers)
            assert before == self.talk.book.to_json()

    @rule(choice=st.integers(0, 3) | st.sampled_from(["new"]))
    def machine(self, choice: int | str) -> None:
        id = self._id(choice)
        assert id is not None
        self.talk.machine(id)

    @rule()
    def forget(self) -> None:
        self.talk.forget()

    def _fire(self, event: Callable[[], str], times: int) -> None:
        turn_id = event()
        before, stored = self.talk.book.to_json(), dict(self.talk.stored)
        for _ in range(times - 1):
            assert turn_id == event()
            assert before == self.talk.book.to_json()
            assert stored == self.talk.stored

    @invariant()
    def ids_are_unique(self) -> None:
        ids = [turn.id for turn in self.talk.book.turns]
        assert len(ids) == len({id.casefold() for id in ids})
        assert all(key_turn_id(id) == id or "~" in id or "%" in id for id in ids)

    @invariant()
    def numbers_increase(self) -> None:
        numbers = [turn.number for turn in self.talk.book.turns]
        assert sorted(set(numbers)) == numbers
        assert not numbers or numbers[-1] < self.talk.book.next_number

    @invariant()
    def messages_of_a_turn_share_its_number_and_no_other_turn_has_it(self) -> None:
        by_turn: dict[str, set[int]] = {}
        for (turn_id, _), number in self.talk.numbers.items():
            by_turn.setdefault(turn_id, set()).add(number)
        assert all(len(numbers) == 1 for numbers in by_turn.values())
        assert len(by_turn) == len({number for numbers in by_turn.values() for number in numbers})
        assert len(by_turn) == len({turn_id.casefold() for turn_id in by_turn})

    @invariant()
    def what_waits_has_no_reply(self) -> None:
        for turn in self.talk.book.turns:
            assert turn.status != OPEN or not turn.replies
            assert turn.status == ANSWERED or not turn.replies


AnyConversation.TestCase.settings = settings(
    max_examples=200, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
test_any_conversation = AnyConversation.TestCase
