"""The server does everything but what it should, and the person loses neither time nor words."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from neotoma_hooks.paths import find_paths
from standin import StandIn, faults
from standin.http_face import Fault
from support.firing import Fired, fire, hook_lines, neotoma_hooks, prompt, reply, stored_turns

pytestmark = pytest.mark.usefixtures("usual_budgets")

QUESTION = "What did Ada Lovelace say about Acme Corp?"
ANSWER = "Ada Lovelace said yes."

BUDGETS = {"prompt_submit": 2.0, "stop": 1.0}
SLOW_MACHINE_SECONDS = 4.0
"""What starting an interpreter may cost on top where many tests run at once; whoever hangs takes longer by far."""

# What the server does: how (None: nobody listens), and words of the cause that the person is told
MISBEHAVIOUR: dict[str, tuple[Fault | None, str]] = {
    "refuses the connection": (None, "cannot reach"),
    "accepts and never answers": (faults.never_answer, "did not"),
    "sends one byte a second": (faults.drip, "did not"),
    "closes before it commits": (faults.cut_before_commit, "did not answer as it should"),
    "closes after it commits": (faults.cut_after_commit, "did not answer as it should"),
    "sends half a body": (faults.half_a_body, "did not answer as it should"),
    "answers in HTML": (faults.html_page(200), "not JSON"),
    "answers 502 in HTML": (faults.html_page(502), "answered 502"),
    "answers 401": (faults.status(401), "answered 401 AUTH_INVALID; check NEOTOMA_TOKEN"),
    "answers 403": (faults.status(403), "answered 403 AUTH_FORBIDDEN; check NEOTOMA_TOKEN"),
    "answers 429": (faults.status(429), "limited number of writes"),
    "answers 429 for a while": (faults.status(429, 90), "limited number of writes"),
    "answers 429 until a date": (faults.status(429, faults.http_date(600)), "limited number of writes"),
    "answers 500": (faults.status(500), "answered 500"),
    "answers 500 after it commits": (faults.after_commit(faults.status(500)), "answered 500"),
    "answers 503": (faults.status(503), "answered 503"),
    "redirects to another host": (faults.redirect("http://192.0.2.1:3080"), "answers with a redirect"),
    "answers with a gigabyte": (faults.huge(), "more than 32000000 bytes"),
    "answers with deep nesting": (faults.deep_json(), "not JSON"),
    "speaks no HTTP": (faults.raw(b"\x16\x03\x01 hello"), "did not answer as it should"),
    "answers with a list": (faults.answer([]), "not an object"),
    "answers with nothing in it": (faults.answer({}), "answered with no list of entities"),
}
TAKES_NO_WRITES = [way for way in MISBEHAVIOUR if way != "refuses the connection"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    monkeypatch.setenv("NEOTOMA_HOOKS_WRITE_SECONDS", "1")
    with StandIn() as running:
        monkeypatch.setenv("NEOTOMA_BASE_URL", running.url)
        remember(running)
        yield running


def remember(server: StandIn) -> None:
    server.remember("person", "Ada Lovelace")
    server.remember("company", "Acme Corp")


@contextmanager
def misbehaving(server: StandIn, fault: Fault | None, path: str = "/") -> Iterator[None]:
    """The server answers requests to the path in this way, or not at all."""
    if fault is None:
        with server.away():
            yield
        return
    server.misbehave(fault, path=path)
    yield
    server.behave()


def fire_in_time(hook: str, event: dict[str, Any]) -> Fired:
    fired = fire(hook, event).assert_harmless()
    assert fired.seconds < BUDGETS[hook] + SLOW_MACHINE_SECONDS
    return fired


def names(message: dict[str, Any]) -> list[str]:
    return sorted(entity["name"] for entity in message["refers_to"])


def settle() -> None:
    """Deliver what waits, as a person would: what was refused is sent again too."""
    until = time.monotonic() + 60
    while True:
        neotoma_hooks("outbox", "--retry")
        neotoma_hooks("flush", check=False)
        box = json.loads(neotoma_hooks("outbox", "--json"))
        if not box["waiting"] and not box["rejected"]:
            return
        assert time.monotonic() < until, box
        time.sleep(0.2)


def assert_one_whole_turn(server: StandIn, *, is_linked: bool | None = True) -> None:
    """Both messages are there once; with all their edges, or, where that cannot be told, all or none."""
    (turn,) = stored_turns()
    assert (turn["user"]["content"], turn["assistant"]["content"]) == (QUESTION, ANSWER)
    assert turn["status"] == "answered"
    whole = [["Acme Corp", "Ada Lovelace"], ["Ada Lovelace"]]
    for message, expected in zip((turn["user"], turn["assistant"]), whole, strict=True):
        assert names(message) == expected or (is_linked is None and not names(message))
    assert len(server.entities("conversation_message")) == 2
    assert len(server.entities("conversation")) == 1


@pytest.mark.parametrize("way", MISBEHAVIOUR)
def test_server_that_does_nothing_right(server: StandIn, way: str) -> None:
    """The agent is unharmed and in time, the person is told the cause, and afterwards everything is there once."""
    fault, cause = MISBEHAVIOUR[way]
    with misbehaving(server, fault):
        fire_in_time("prompt_submit", prompt("c1", "t1", QUESTION))
        fire_in_time("stop", reply("c1", "t1", ANSWER))
        neotoma_hooks("flush", check=False)
        for words in (["doctor"], ["log", "--errors"]):
            assert cause in neotoma_hooks(*words, check=False)
        if fault is None:
            assert len(json.loads(neotoma_hooks("outbox", "--json"))["waiting"]) == 2
    settle()
    # A look-up that failed at the prompt is made up for before the message is sent, unless it failed too often
    assert_one_whole_turn(server, is_linked=None)


@pytest.mark.parametrize("way", TAKES_NO_WRITES)
def test_server_that_takes_no_writes(server: StandIn, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look-ups are answered, writes are not: the agent has its context, and the turn is there later with all edges."""
    # Whether a busy machine answers look-ups within a second is not the question here
    for name in ("PROMPT", "LOOKUP"):
        monkeypatch.setenv(f"NEOTOMA_HOOKS_{name}_SECONDS", "15")
    with misbehaving(server, MISBEHAVIOUR[way][0], "/store"):
        fired = fire("prompt_submit", prompt("c1", "t1", QUESTION)).assert_harmless()
        assert "Ada Lovelace" in fired.context
        fire_in_time("stop", reply("c1", "t1", ANSWER))
        neotoma_hooks("flush", check=False)
    settle()
    assert_one_whole_turn(server)


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        (faults.replayed_empty, 1),
        (faults.replayed_empty, 2),
        (faults.fewer_edges(0), 1),
        (faults.fewer_edges(1), 2),
        (faults.status(429, 1), 1),
        (faults.status(429, faults.http_date(2)), 1),
        (faults.status(500), 1),
        (faults.cut_after_commit, 1),
        (faults.half_a_body, 1),
    ],
)
def test_server_that_slips_mends_itself(server: StandIn, fault: Fault, times: int) -> None:
    """A receipt that lacks the message, or edges, or never comes: `flush` puts it right, nothing is twice."""
    server.misbehave(fault, path="/store", times=times)
    fire_in_time("prompt_submit", prompt("c1", "t1", QUESTION))
    fire_in_time("stop", reply("c1", "t1", ANSWER))
    settle()
    assert_one_whole_turn(server)


def test_message_too_large_for_the_server_is_kept_and_shown(server: StandIn) -> None:
    """413: moved aside with the reason, the next message goes on, and it can be sent again."""
    server.misbehave(faults.status(413), path="/store", times=1)
    fire_in_time("prompt_submit", prompt("c1", "t1", QUESTION))
    fire_in_time("stop", reply("c1", "t1", ANSWER))
    neotoma_hooks("flush", check=False)
    box = json.loads(neotoma_hooks("outbox", "--json"))
    assert [entry["turn_key"] for entry in box["rejected"]] == ["c1:t1"]
    assert "larger than the server takes" in neotoma_hooks("doctor", check=False)
    assert "outbox --retry" in neotoma_hooks("doctor", check=False)
    settle()
    assert_one_whole_turn(server)


def test_redirect_is_not_followed(server: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither message nor token goes to another host."""
    with StandIn() as other:
        server.misbehave(faults.redirect(other.url))
        fire_in_time("prompt_submit", prompt("c1", "t1", QUESTION))
        neotoma_hooks("flush", check=False)
        assert other.requests == []


def test_certificate_that_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is sent to a server whose certificate nobody vouches for; once it is trusted, all is delivered."""
    with StandIn(tls=True) as server:
        remember(server)
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        fire_in_time("prompt_submit", prompt("c1", "t1", QUESTION))
        fire_in_time("stop", reply("c1", "t1", ANSWER))
        neotoma_hooks("flush", check=False)
        assert "certificate" in neotoma_hooks("doctor", check=False)
        assert server.requests == []
        monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
        settle()
        assert_one_whole_turn(server)


def test_dead_server_costs_a_session_one_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first prompt the server is left alone, until a flush finds it well."""
    with socket.socket() as deaf:
        # Connections are taken by the system, and nobody ever reads them
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(100)
        monkeypatch.setenv("NEOTOMA_BASE_URL", f"http://127.0.0.1:{deaf.getsockname()[1]}")
        for number in range(5):
            fire_in_time("prompt_submit", prompt("c1", f"t{number}", QUESTION))
            fire_in_time("stop", reply("c1", f"t{number}", ANSWER))
    lines = hook_lines("prompt_submit")
    waited = [line["ms"]["retrieve"] > 500 for line in lines]
    assert waited == [True, False, False, False, False]
    assert all("not asked" in line["error"] for line in lines[1:])


def test_server_that_is_back_after_a_week(server: StandIn) -> None:
    """A whole session while it is down: everything is delivered, in order, once; also when a week has passed."""
    with server.away():
        for number in range(1, 6):
            fire_in_time("prompt_submit", prompt("c1", f"t{number}", f"prompt {number}"))
            fire_in_time("stop", reply("c1", f"t{number}", f"reply {number}"))
        doctor = neotoma_hooks("doctor", check=False)
        assert "10 writes wait" in doctor
    make_older(days=7)
    # The next hook finds the server well and starts the courier
    fire_in_time("prompt_submit", prompt("c1", "t6", "prompt 6"))
    wait_until_empty()
    assert [turn["turn_id"] for turn in stored_turns()] == [f"t{number}" for number in range(1, 7)]
    contents = [json.loads(seen.body)["entities"][-1]["content"] for seen in server.requests_to("/store")]
    said = [text for number in range(1, 6) for text in (f"prompt {number}", f"reply {number}")]
    assert contents == [*said, "prompt 6"]


def make_older(days: int) -> None:
    """Everything that was written down with a time was written so many days ago."""
    paths = find_paths(os.environ)
    back = days * 86_400
    for path in Path(paths.outbox).glob("*.json"):
        created, rest = path.name.split("-", 1)
        path.rename(path.with_name(f"{int(created) - back * 10**9:0{len(created)}d}-{rest}"))
    health = json.loads(Path(paths.breaker_file).read_text())
    health["pause_until"] -= back
    health["since"] -= back
    Path(paths.breaker_file).write_text(json.dumps(health))


def wait_until_empty() -> None:
    until = time.monotonic() + 30
    while json.loads(neotoma_hooks("outbox", "--json"))["waiting"]:
        assert time.monotonic() < until
        time.sleep(0.1)


def test_person_is_told_once_in_a_session(server: StandIn) -> None:
    """When writes have failed for a while, one sentence reaches the person, where the agent has a channel for it."""
    with server.away():
        fire_in_time("prompt_submit", prompt("c1", "t0", QUESTION))
        for _ in range(3):
            neotoma_hooks("flush", check=False)
        make_older(days=1)
        told = [fire_in_time("prompt_submit", prompt("c1", f"t{number}", "go on")).out for number in range(1, 4)]
        other = fire_in_time("prompt_submit", prompt("c2", "t1", "go on")).out
        codex = fire("prompt_submit", prompt("c3", "t1", "go on", model="m", turn_id="x"), "codex").assert_harmless()
    said = [json.loads(out) for out in told if out]
    assert len(said) == 1
    assert "neotoma-hooks doctor" in said[0]["systemMessage"]
    assert "neotoma-hooks doctor" in json.loads(other)["systemMessage"]
    assert not codex.out or set(json.loads(codex.out)) <= {"systemMessage", "hookSpecificOutput"}
