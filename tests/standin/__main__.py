"""The stand-in as a command of its own: `python tests/standin`, or `python -m standin` with PYTHONPATH=tests."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from pathlib import Path


def main() -> int:
    """Serve until SIGTERM or SIGINT."""
    # Started by path, Python looks for modules beside this file instead of one folder above
    folder = Path(__file__).resolve().parent
    sys.path[:] = [str(folder.parent), *(entry for entry in sys.path if Path(entry or ".").resolve() != folder)]
    from standin import StandIn

    arguments = argparse.ArgumentParser(description="A stand-in for a Neotoma server, on loopback.")
    arguments.add_argument("--port", type=int, default=0, help="0: any that is free")
    arguments.add_argument("--port-file", type=Path, help="is written once the port is open")
    arguments.add_argument("--token", help="the one bearer that is accepted")
    arguments.add_argument("--requires-token", action="store_true", help="refuse requests without a bearer")
    arguments.add_argument("--data", type=Path, help="a file to remember in")
    arguments.add_argument("--log", type=Path, help="a file to append each request to, as JSON lines")
    arguments.add_argument("--rate-limit", action="store_true", help="allow 120 /store calls a minute")
    arguments.add_argument("--delay", type=float, default=0.0, help="seconds added to each answer")
    arguments.add_argument("--tls", action="store_true", help="HTTPS, with a self-signed certificate")
    options = arguments.parse_args()
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    server = StandIn(
        port=options.port,
        token=options.token,
        requires_token=options.requires_token,
        rate_limited=options.rate_limit,
        data=options.data,
        log=options.log,
        tls=options.tls,
    )
    with server:
        if options.delay:
            server.misbehave(delay=options.delay)
        if options.port_file:
            written = options.port_file.with_name(options.port_file.name + ".new")
            written.write_text(f"{server.port}\n")
            os.replace(written, options.port_file)
        print(server.url, flush=True)
        if server.certificate:
            print(server.certificate, flush=True)
        over.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
