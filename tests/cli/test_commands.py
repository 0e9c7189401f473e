"""The command as a person uses it, on an embedded memory with a turn or two in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks import hooklog
from neotoma_hooks.paths import find_paths
from neotoma_hooks.protocol.writes import Message, frozen_write
from neotoma_hooks.state.outbox import Entry, Outbox
from neotoma_hooks.stores.neotoma import NeotomaStore
from standin import StandIn, faults
from support.firing import fire, neotoma_hooks, prompt, reply


@pytest.fixture
def turn() -> None:
    """One stored turn about two known entities."""
    neotoma_hooks(
        "remember", "Ada Lovelace", "--type", "person", "--alias", "Countess Lovelace", "--set", "role=mathematician"
    )
    neotoma_hooks("remember", "Acme Corp", "--type", "company")
    fire("prompt_submit", prompt("c1", "t1", "What did Ada Lovelace say about Acme Corp?"))
    fire("stop", reply("c1", "t1", "Ada Lovelace said yes."))


def failing(*words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "neotoma_hooks.cli", *words], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr + done.stdout


def as_json(*words: str) -> Any:
    return json.loads(neotoma_hooks(*words, "--json"))


def test_turns_are_listed_oldest_first(turn: None) -> None:
    """Readable, with what each message refers to; `--limit` keeps the newest."""
    fire("prompt_submit", prompt("c1", "t2", "and then?"))
    text = neotoma_hooks("turns")
    assert text.index("turn 1 of c1") < text.index("turn 2 of c1")
    assert "refers to Ada Lovelace (person), Acme Corp (company)" in text or "Acme Corp (company), Ada" in text
    assert [one["turn_id"] for one in as_json("turns", "--limit", "1")] == ["t2"]
    assert [one["status"] for one in as_json("turns")] == ["answered", "open"]
    assert as_json("turns", "--conversation", "nobody") == []


@pytest.mark.parametrize("text", ["lone \ud83d surrogate", "nul \0 and \x1b[31m"])
def test_json_holds_every_code_point(text: str) -> None:
    """What the agent sent is what `--json` prints."""
    fire("prompt_submit", prompt("c1", "t1", text))
    assert as_json("turns")[0]["user"]["content"] == text
    neotoma_hooks("turns")


def test_show_finds_a_thing_by_each_of_its_names(turn: None) -> None:
    """Conversation, turn, turn key, message and entity; edges in both directions."""
    (stored,) = as_json("turns")
    conversation = as_json("show", "c1")
    assert (conversation["entity_type"], conversation["entity_id"]) == ("conversation", stored["user"]["part_of"])
    assert {edge["direction"] for edge in conversation["edges"]} == {"in"}
    assert as_json("show", "t1")["turn_id"] == "t1"
    assert as_json("show", "c1:t1")["entity_id"] == stored["user"]["entity_id"]
    ada = next(entity for entity in stored["user"]["refers_to"] if entity["name"] == "Ada Lovelace")
    shown = as_json("show", ada["entity_id"])
    assert shown["fields"]["role"] == "mathematician"
    assert sorted(edge["name"] for edge in shown["edges"]) == ["c1:t1", "c1:t1:assistant"]
    assert "◀── REFERS_TO" in neotoma_hooks("show", ada["entity_id"])
    status, said = failing("show", "nobody")
    assert (status, "nothing is stored under 'nobody'" in said) == (1, True)


def test_showing_a_turn_asks_for_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server gets as many requests among sixty turns as among two; of turns of one id the newest is shown."""
    asked = []
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        ada = server.remember("person", "Ada Lovelace")
        store = NeotomaStore(server.url)
        for number in range(60):
            for role in ("user", "assistant"):
                message = Message(f"c{number % 3}", f"t{number // 2}", role, f"{role} {number}", number, "test")
                store.put(frozen_write(message, None, [ada]))
            if number in (1, 59):
                server.requests.clear()
                shown = as_json("show", "t0")
                asked.append([request.path for request in server.requests])
                assert (shown["conversation_id"], shown["user"]["content"]) == ("c1", "user 1")
                assert [shown[role]["refers_to"][0]["name"] for role in ("user", "assistant")] == ["Ada Lovelace"] * 2
        store.close()
    assert asked[0] == asked[1]
    assert asked[1].count("/list_relationships") == 2


def test_find_tells_kept_hits(turn: None) -> None:
    """By name, alias, and name without its legal form; a stranger is not found."""
    for identifier in ("Ada Lovelace", "countess lovelace", "acme"):
        (hit,) = as_json("find", identifier)
        assert hit["kept"]
    assert as_json("find", "Grace Hopper") == []
    assert "Nothing is known" in neotoma_hooks("find", "Grace Hopper")


def test_find_tells_why_a_hit_of_a_server_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server matches substrings and its own records."""
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        server.remember("company", "Acme")
        server.remember("company", "Acmeology")
        hits = {hit["name"]: hit for hit in as_json("find", "Acme")}
    assert (hits["Acme"]["kept"], hits["Acmeology"]["kept"]) == (True, False)
    assert "not what it is called" in hits["Acmeology"]["why"]


def test_explain_tells_what_was_taken_and_what_was_dropped(turn: None) -> None:
    """In words, with what each look-up returns."""
    told = {one["identifier"]: one for one in as_json("explain", "What did Ada Lovelace do on Monday?")}
    assert told["Ada Lovelace"]["taken"]
    assert told["Ada Lovelace"]["hits"][0]["kept"]
    assert not told["What"]["taken"]
    assert all(one["why"] for one in told.values())
    assert "taken    Ada Lovelace" in neotoma_hooks("explain", "What did Ada Lovelace do?")


def test_explain_keeps_what_a_hook_keeps(home: Path) -> None:
    """No more than a turn may bring up, and a part of a name only where the whole is unknown."""
    names = [f"Ada Number{letter}" for letter in "ABCDEFGHIJKL"]
    for name in (*names, "Lovelace", "Ada Lovelace"):
        neotoma_hooks("remember", name, "--type", "person")
    text = f"What do {', '.join(names)} say?"
    hits = [hit for one in as_json("explain", text) for hit in one["hits"]]
    assert [hit["kept"] for hit in hits] == [True] * 8 + [False] * 4
    assert {hit["why"] for hit in hits[8:]} == {"beyond the 8 entities of a turn"}
    fire("prompt_submit", prompt("c1", "t1", text))
    assert len(as_json("turns")[0]["user"]["refers_to"]) == 8
    assert "known by their capitals" in neotoma_hooks("explain", "mail grace hopper")


def test_conversation_is_known_by_the_beginning_of_its_id() -> None:
    """As `log` shows it; where more than one begins so, the person has to say more."""
    for id in ("11111111-aaaa", "11111111-bbbb", "22222222-aaaa"):
        fire("prompt_submit", prompt(id, "t1", f"from {id}"))
    (turn,) = as_json("turns", "--conversation", "22222222")
    assert turn["user"]["content"] == "from 22222222-aaaa"
    assert as_json("show", "2222")["fields"]["conversation_id"] == "22222222-aaaa"
    for words in (["turns", "--conversation", "11111111"], ["show", "11111111"]):
        status, said = failing(*words)
        assert (status, "2 conversations begin with '11111111'" in said) == (2, True)
    assert as_json("turns", "--conversation", "3333") == []


def test_remembering_twice_is_remembering_once(turn: None) -> None:
    """The same words give the same entity; other fields are added to it."""
    first = as_json("remember", "Grace Hopper", "--type", "person")
    assert as_json("remember", "Grace Hopper", "--type", "person")["entity_id"] == first["entity_id"]
    as_json("remember", "Grace Hopper", "--type", "person", "--alias", "Amazing Grace", "--set", "rank=admiral")
    shown = as_json("show", first["entity_id"])
    assert shown["fields"]["rank"] == "admiral"
    assert as_json("find", "amazing grace")[0]["entity_id"] == first["entity_id"]


@pytest.mark.parametrize(
    "words", [["remember", "x"], ["remember", " ", "--type", "person"], ["remember", "x", "--type", "conversation"],
              ["remember", "x", "--type", "y", "--set", "novalue"], ["turns", "--limit", "0"], ["nonsense"]]
)  # fmt: skip
def test_wrong_words_are_told_with_exit_status_2(words: list[str]) -> None:
    """One sentence, no traceback."""
    status, said = failing(*words)
    assert status == 2
    assert "Traceback" not in said


def test_outbox_and_flush_show_what_waits_and_what_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Away: it waits. Refused: it is kept with the reason, and can be sent again."""
    paths = find_paths(os.environ)
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        message = Message("c1", "t1", "user", "hello", 1, "test")
        Outbox(paths.outbox, paths.rejected).add(Entry(message, "c1", [], "", time.time_ns()))
        with server.away():
            status, said = failing("flush")
            assert (status, "cannot reach" in said, "1 waiting" in said) == (1, True, True)
            assert [one["turn_key"] for one in as_json("outbox")["waiting"]] == ["c1:t1"]
            status, said = failing("doctor")
            assert (status, "cannot reach" in said) == (1, True)
        server.misbehave(faults.status(413), path="/store", times=1)
        neotoma_hooks("flush")
        (refused,) = as_json("outbox")["rejected"]
        assert "413" in refused["reason"]
        status, said = failing("doctor")
        assert (status, "the store refused c1:t1" in said) == (1, True)
        neotoma_hooks("outbox", "--retry")
        assert as_json("flush")["delivered"] == 1
        assert as_json("outbox") == {"waiting": [], "rejected": []}


def test_log_is_readable_and_can_be_narrowed(turn: None) -> None:
    """By agent, conversation, errors."""
    fire("prompt_submit", b"not json")
    assert len(neotoma_hooks("log").splitlines()) == 3
    assert len(neotoma_hooks("log", "--conversation", "c1").splitlines()) == 2
    (error,) = neotoma_hooks("log", "--errors").splitlines()
    assert "ERROR the event is not JSON" in error
    assert neotoma_hooks("log", "--agent", "codex") == ""
    assert json.loads(neotoma_hooks("log", "--json").splitlines()[0])["hook"] == "prompt_submit"


@contextmanager
def followed(*words: str) -> Iterator[Iterator[str]]:
    """The lines of `log -f`, as they come."""
    command = [sys.executable, "-m", "neotoma_hooks.cli", "log", "-f", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as following:
        assert following.stdout
        try:
            yield iter(following.stdout.readline, "")
        finally:
            following.kill()


def test_log_can_be_followed(turn: None) -> None:
    """`-f` prints what is there, then each new line as it comes."""
    with followed() as lines:
        assert [next(lines).split()[2] for _ in range(2)] == ["prompt_submit", "stop"]
        fire("prompt_submit", prompt("c1", "t2", "more"))
        assert "t2" in next(lines)


def test_log_is_followed_over_rotations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line once, in order, whatever is moved aside meanwhile."""
    monkeypatch.setattr(hooklog, "LARGEST_BYTES", 2000)
    path = find_paths(os.environ).log_file
    with followed("--json") as lines:
        # About two rotations at a time, so that no line is gone before it could be seen
        for first in range(0, 150, 30):
            for number in range(first, first + 30):
                hooklog.append(path, {"n": number, "filler": "x" * 100})
            assert [json.loads(next(lines))["n"] for _ in range(30)] == list(range(first, first + 30))
    assert os.path.exists(f"{path}.2")


def test_doctor_finds_nothing_wrong_with_a_fresh_home(home: Path) -> None:
    """Exit status 0; each setting with its source."""
    told = as_json("doctor")
    assert told["ok"]
    assert told["settings"]["base_url"] == {"value": "", "source": "default"}
    assert "All is well." in neotoma_hooks("doctor")


@pytest.mark.parametrize(
    ("break_it", "told"),
    [
        (lambda state, config: (config / "config.toml").write_text("base_url = 5"), "base_url must be a text"),
        (lambda state, config: (config / "config.toml").write_text("nonsense = 1"), "no setting 'nonsense'"),
        (lambda state, config: (state / "hooks.log").touch(0o644), "can be read by others"),
        (lambda state, config: fire("stop", b"{broken"), "the event is not JSON"),
        (lambda state, config: _newer_entry(state), "later version"),
    ],
    ids=["wrong-type", "unknown-setting", "open-file", "set-aside", "newer-entry"],
)
def test_doctor_names_what_is_wrong_and_the_mend(home: Path, break_it: Any, told: str) -> None:
    """Exit status 1, the cause and what to do about it."""
    state, config = home / "neotoma" / "state", home / "neotoma" / "config"
    for folder in (state, config):
        folder.mkdir(parents=True, mode=0o700)
    break_it(state, config)
    status, said = failing("doctor")
    assert status == 1
    assert told in said
    assert "mend:" in said


def _newer_entry(state: Path) -> None:
    (state / "outbox").mkdir(mode=0o700)
    (state / "outbox" / "00000000000000000001-x.json").write_text('{"version": 99}')


def test_token_is_never_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only whether there is one."""
    monkeypatch.setenv("NEOTOMA_TOKEN", "s3cret-token")
    with StandIn(token="s3cret-token") as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        for words in (["doctor"], ["doctor", "--json"], ["find", "Ada"]):
            assert "s3cret" not in neotoma_hooks(*words)


def test_self_check_shows_a_whole_turn() -> None:
    """What install.sh ends with; the user's own memory and settings play no part."""
    told = neotoma_hooks("self-check", env={"NEOTOMA_BASE_URL": "http://127.0.0.1:9"})
    for part in ("Ada Lovelace (person", "REFERS_TO", "PART_OF", " ms", "The hooks work."):
        assert part in told
