"""Run one agent inside the closed network: `python inside.py SPEC.json`, started by `driving.run`.

The spec names the agent's argv, environment and folder, the model's script, and commands to run before and afterwards
in the same network. Ports can be fixed ones, because nobody else is in it.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from real_agents.agents import MODEL_PORT
from real_agents.fake_model import FakeModel
from standin import StandIn

SERVER_PORT = 3080
SIOCSIFFLAGS = 0x8914
IFF_UP_RUNNING = 0x41


def loopback_up() -> None:
    """Bring up the one interface that this network has."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", IFF_UP_RUNNING, b""))


def command(argv: list[str], environment: dict[str, str], folder: str, seconds: float) -> dict[str, Any]:
    """Run to the end; what it printed and how it ended."""
    try:
        done = subprocess.run(
            argv,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return {"status": 124, "out": (error.stdout or b"").decode(), "err": f"not done after {seconds} s"}
    return {"status": done.returncode, "out": done.stdout.decode(), "err": done.stderr.decode("utf-8", "replace")}


def main() -> None:
    """Start the fake model and, if asked for, a stand-in memory; run the agent; run what comes after."""
    spec = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    loopback_up()
    with ExitStack() as stack:
        model = FakeModel(spec["script"], MODEL_PORT)
        environment: dict[str, str] = dict(spec["env"])
        if spec["server"] is not None:
            server = stack.enter_context(StandIn(port=SERVER_PORT, data=spec["server"]))
            environment["NEOTOMA_BASE_URL"] = server.url
        before = [command(argv, environment, spec["cwd"], 60) for argv in spec["before"]]
        agent = command(spec["argv"], environment, spec["cwd"], 120)
        time.sleep(spec["linger"])
        after = [command(argv, environment, spec["cwd"], 60) for argv in spec["after"]]
        result = {"agent": agent, "before": before, "after": after, "requests": model.requests}
        Path(spec["result"]).write_text(json.dumps(result), encoding="utf-8")
    os._exit(0)


if __name__ == "__main__":
    main()
