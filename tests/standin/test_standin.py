"""The stand-in as a test uses it: seeding, looking, misbehaving, stopping and starting again."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest

from standin import StandIn, faults

WRITE = {
    "entities": [
        {"entity_type": "conversation", "conversation_id": "c1"},
        {"entity_type": "conversation_message", "role": "user", "content": "hello", "turn_key": "c1:t1"},
    ],
    "relationships": [{"relationship_type": "PART_OF", "source_index": 1, "target_index": 0}],
    "idempotency_key": "k1",
}


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as running:
        yield running


def post(
    server: StandIn, path: str, body: Any, headers: dict[str, str] | None = None, timeout: float = 5
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


def put(server: StandIn, body: Any = WRITE) -> Any:
    answer, data = post(server, "/store", body)
    assert answer.status == 200, data
    return json.loads(data)


def health(connection: http.client.HTTPConnection) -> Any:
    connection.request("GET", "/health")
    return json.loads(connection.getresponse().read())


def test_what_is_stored_can_be_looked_at(server: StandIn) -> None:
    """Entities, edges and requests are told as plain values, in the order in which they came."""
    put(server)
    conversation, message = server.entities()
    assert (conversation.type, message.type) == ("conversation", "conversation_message")
    assert server.entities("conversation_message")[0].fields["content"] == "hello"
    assert server.edges("PART_OF") == [("PART_OF", message.id, conversation.id)]
    assert [(request.method, request.path) for request in server.requests] == [("POST", "/store")]
    assert server.requests[0].json == WRITE
    assert server.requests[0].headers["content-type"] == "application/json"


def test_seeds_are_found(server: StandIn) -> None:
    """An entity that was put in without a request is found, and the request list stays empty."""
    id = server.remember("person", "Ada Lovelace", email="ada@example.com")
    assert server.requests == []
    _, data = post(server, "/retrieve_entity_by_identifier", {"identifier": "Ada Lovelace"})
    assert [hit["id"] for hit in json.loads(data)["entities"]] == [id]


def test_bearer_is_not_needed_but_must_be_right() -> None:
    """Loopback needs none; a wrong one is refused also there; a server may insist on one."""
    with StandIn(token="right") as server:
        for header, status in ((None, 200), ("Bearer right", 200), ("Bearer wrong", 401), ("Basic x", 200)):
            headers = {"Authorization": header} if header else {}
            assert post(server, "/entities/query", {}, headers)[0].status == status
    with StandIn() as server:
        assert post(server, "/entities/query", {}, {"Authorization": "Bearer any"})[0].status == 401
    with StandIn(token="right", requires_token=True) as server:
        assert post(server, "/entities/query", {})[0].status == 401


def test_rate_limit_counts_every_store() -> None:
    """The 121st call within a minute is told to wait, in plain text; other endpoints are not limited."""
    with StandIn(rate_limited=True) as server:
        for _ in range(120):
            assert post(server, "/store", WRITE)[0].status == 200
        answer, data = post(server, "/store", WRITE)
        assert answer.status == 429
        assert 0 < int(answer.headers["Retry-After"]) <= 60
        assert data.startswith(b"Too many requests")
        assert post(server, "/entities/query", {})[0].status == 200


def test_memory_outlives_a_restart(tmp_path: Path) -> None:
    """Entities, edges, keys and burned keys are there again; a line that was cut by a kill is left out."""
    data = tmp_path / "memory"
    refused = {"entities": [{**WRITE["entities"][1], "role": "assistant"}], "idempotency_key": "burned"}  # type: ignore[index]
    with StandIn(data=data) as server:
        put(server)
        assert post(server, "/store", refused)[0].status == 400
        before = (server.entities(), server.edges())
    with data.open("ab") as file:
        file.write(b'{"at": "20')
    for _ in range(2):
        with StandIn(data=data) as server:
            assert (server.entities(), server.edges()) == before
            assert put(server)["replayed"]
            assert put(server, refused)["entities"] == []


def test_port_is_closed_while_away(server: StandIn) -> None:
    """A connection is refused, an open one is cut, and afterwards the same port answers with the same memory."""
    put(server)
    kept = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    health(kept)
    with server.away():
        with pytest.raises(ConnectionRefusedError):
            post(server, "/store", WRITE)
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            health(kept)
    kept.close()
    assert put(server)["replayed"]


def test_faults_befall_the_asked_paths_so_many_times(server: StandIn) -> None:
    """A fault counts only requests to its paths; several are used in turn, and then all is well."""
    server.misbehave(faults.status(500), faults.status(503), path="/store", times=1)
    assert post(server, "/entities/query", {})[0].status == 200
    assert [post(server, "/store", WRITE)[0].status for _ in range(3)] == [500, 503, 200]
    server.misbehave(faults.status(403))
    assert [post(server, "/store", WRITE)[0].status for _ in range(2)] == [403, 403]
    server.behave()
    assert put(server)["replayed"]


@pytest.mark.parametrize(
    ("fault", "stored"),
    [
        (faults.cut_before_commit, 0),
        (faults.cut_after_commit, 2),
        (faults.half_a_body, 2),
        (faults.raw(b"nonsense\r\n\r\n"), 0),
    ],
)
def test_connection_that_is_cut(server: StandIn, fault: Any, stored: int) -> None:
    """The client gets an error, whether or not its request took effect."""
    server.misbehave(fault, times=1)
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        post(server, "/store", WRITE)
    assert len(server.entities()) == stored


def test_server_that_is_silent_or_slow(server: StandIn) -> None:
    """Silence, a byte a second and a delay all outlast a short time-out; the delayed answer then comes."""
    for fault in (faults.never_answer, faults.drip):
        server.misbehave(fault, times=1)
        with pytest.raises(TimeoutError):
            post(server, "/store", WRITE, timeout=0.3)
    server.misbehave(delay=0.2)
    started = time.monotonic()
    put(server)
    assert time.monotonic() - started >= 0.2


def test_statuses_come_in_the_servers_forms(server: StandIn) -> None:
    """401, 403 and 500 as flat JSON, 429 as plain text with Retry-After, the others as HTML."""
    for code, kind in ((401, "json"), (403, "json"), (500, "json"), (429, "plain"), (413, "html"), (503, "html")):
        server.misbehave(faults.status(code), times=1)
        answer, _ = post(server, "/store", WRITE)
        assert (answer.status, kind in answer.headers["Content-Type"]) == (code, True)
    server.misbehave(faults.status(429, retry_after=3), faults.status(429, retry_after=faults.http_date(9)), times=1)
    assert post(server, "/store", WRITE)[0].headers["Retry-After"] == "3"
    assert parsedate_to_datetime(post(server, "/store", WRITE)[0].headers["Retry-After"]).timestamp() > time.time()
    server.misbehave(faults.html_page(502), faults.after_commit(faults.status(500)), times=1)
    assert post(server, "/store", WRITE)[0].status == 502
    assert server.entities() == []
    assert post(server, "/store", WRITE)[0].status == 500
    assert len(server.entities()) == 2


def test_answers_that_are_wrong(server: StandIn) -> None:
    """A replay of nothing, edges left out, a redirect, an answer without end, JSON without bottom."""
    server.misbehave(faults.replayed_empty, faults.fewer_edges(), times=1)
    assert put(server)["entities"] == []
    assert server.entities() == []
    assert put(server)["relationships_created"] == []
    assert server.edges() == []
    server.misbehave(faults.redirect("http://127.0.0.1:9"), faults.deep_json(10), times=1)
    answer, _ = post(server, "/store", WRITE)
    assert (answer.status, answer.headers["Location"]) == (307, "http://127.0.0.1:9/store")
    assert json.loads(post(server, "/store", WRITE)[1]) == {"entities": json.loads("[" * 10 + "]" * 10)}
    server.misbehave(faults.huge(1_000_000), times=1)
    answer, data = post(server, "/store", WRITE)
    assert len(data) == 1_000_000
    json.loads(data)


def test_endless_answer_ends_with_its_client(server: StandIn) -> None:
    """A client that stops reading a gigabyte does not keep the server busy with it."""
    server.misbehave(faults.huge(), times=1)
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        client.recv(1000)
    assert put(server)["success"]


def test_large_body_is_refused(server: StandIn) -> None:
    """Above 10 MiB the answer is a page that says 413."""
    answer, data = post(server, "/store", {"padding": "x" * (10 * 1024 * 1024)}, timeout=30)
    assert (answer.status, data[:9]) == (413, b"<!DOCTYPE")


def test_https_with_a_certificate_of_its_own() -> None:
    """The certificate can be trusted by its file, and is by nobody else."""
    with StandIn(tls=True) as server:
        assert server.certificate is not None
        assert server.url.startswith("https://")
        trusting = ssl.create_default_context(cafile=str(server.certificate))
        connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=5, context=trusting)
        assert health(connection)["ok"]
        connection.close()
        stranger = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=5)
        with pytest.raises(ssl.SSLCertVerificationError):
            stranger.request("GET", "/health")
        stranger.close()


@pytest.mark.parametrize("words", [["-m", "standin"], [str(Path(__file__).parent)]])
def test_command_serves_until_it_is_told_to_stop(tmp_path: Path, words: list[str]) -> None:
    """Both ways of starting it write the port and log requests; SIGTERM ends it with status 0."""
    port_file, log = tmp_path / "port", tmp_path / "log"
    options = ["--port", "0", "--port-file", str(port_file), "--log", str(log), "--token", "right"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    process = subprocess.Popen([sys.executable, *words, *options], env=environment, stdout=subprocess.PIPE)
    try:
        for _ in range(200):
            if port_file.exists():
                break
            time.sleep(0.05)
        connection = http.client.HTTPConnection("127.0.0.1", int(port_file.read_text()), timeout=5)
        connection.request("POST", "/store", json.dumps(WRITE), {"Authorization": "Bearer right"})
        assert connection.getresponse().status == 200
        connection.close()
        (line,) = log.read_text().splitlines()
        assert json.loads(json.loads(line)["body"]) == WRITE
    finally:
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=10)
    assert process.returncode == 0
    assert out.startswith(b"http://127.0.0.1:")
