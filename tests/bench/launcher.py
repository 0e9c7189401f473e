"""A small process that starts commands and measures them: `python -I -S launcher.py`, one JSON request a line.

It is a process of its own because Linux counts the memory of whoever starts a process as that process's peak.
"""

from __future__ import annotations

import json
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Start `argv` with `environment` and `event` on stdin; wall and CPU seconds, peak bytes, exit status, stderr."""
    read_in, write_in = os.pipe()
    read_out, write_out = os.pipe()
    read_err, write_err = os.pipe()
    moved = [
        (os.POSIX_SPAWN_DUP2, read_in, 0),
        (os.POSIX_SPAWN_DUP2, write_out, 1),
        (os.POSIX_SPAWN_DUP2, write_err, 2),
    ]
    started = time.perf_counter()
    pid = os.posix_spawn(request["argv"][0], request["argv"], request["environment"], file_actions=moved)
    for descriptor in (read_in, write_out, write_err):
        os.close(descriptor)
    view = memoryview(request["event"].encode("latin-1"))
    try:
        while view:
            view = view[os.write(write_in, view) :]
    except BrokenPipeError:
        pass  # a command may end without reading the event
    os.close(write_in)
    for descriptor in (read_out, read_err):
        errors = b""
        while piece := os.read(descriptor, 1 << 20):
            errors += piece
        os.close(descriptor)
    _, status, usage = os.wait4(pid, 0)
    return {
        "wall": time.perf_counter() - started,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss * 1024,
        "status": os.waitstatus_to_exitcode(status),
        "errors": errors[:500].decode("latin-1"),
    }


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
