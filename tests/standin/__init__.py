"""A stand-in for a Neotoma server: in memory, on loopback, and able to misbehave.

    with StandIn() as server:
        server.remember("person", "Ada Lovelace", email="ada@example.com")
        server.misbehave(faults.status(500), path="/store", times=2)
        ...  # talk to server.url
        assert server.entities("conversation_message")

As a command: `python tests/standin --port 0 --port-file F [--token T] [--data F] [--log F]`.
It answers as a real Neotoma 0.22.0 did; `test_captures.py` proves it.
"""

from standin import faults
from standin.server import Seen, StandIn

__all__ = ["Seen", "StandIn", "faults"]
