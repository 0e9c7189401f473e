"""Start a command as an agent does, and tell what it took."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence


class Run:
    """One run of a command: wall-clock and CPU seconds, and the most memory it held, in bytes."""

    def __init__(self, wall: float, cpu: float, memory: int) -> None:
        self.wall = wall
        self.cpu = cpu
        self.memory = memory


_launcher: subprocess.Popen[str] | None = None


def once(command: Sequence[str], event: bytes, environment: Mapping[str, str]) -> Run:
    """Run the command with the event on stdin, to its end. Raises RuntimeError when it is not harmless (G1)."""
    global _launcher
    if _launcher is None:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launcher.py")
        pipe = subprocess.PIPE
        _launcher = subprocess.Popen([sys.executable, "-I", "-S", script], stdin=pipe, stdout=pipe, text=True)
    assert _launcher.stdin
    assert _launcher.stdout
    request = {"argv": list(command), "environment": dict(environment), "event": event.decode("latin-1")}
    _launcher.stdin.write(json.dumps(request) + "\n")
    _launcher.stdin.flush()
    answer = json.loads(_launcher.stdout.readline())
    if answer["status"] or answer["errors"]:
        raise RuntimeError(f"{' '.join(command)}: exit {answer['status']}, stderr {answer['errors']!r}")
    return Run(answer["wall"], answer["cpu"], answer["memory"])


class Figures:
    """What many runs came to; `ratio` compares the median with that of bare interpreter starts between them."""

    def __init__(self, name: str, runs: Sequence[Run], bare: Sequence[Run]) -> None:
        walls = sorted(run.wall for run in runs)
        self.name = name
        self.median_ms = statistics.median(walls) * 1000
        self.p95_ms = walls[min(len(walls) - 1, round(0.95 * len(walls)))] * 1000
        self.bare_ms = statistics.median(run.wall for run in bare) * 1000
        self.ratio = self.median_ms / self.bare_ms
        self.cpu_ms = statistics.median(run.cpu for run in runs) * 1000
        self.memory_mb = max(run.memory for run in runs) / 1e6

    def as_mapping(self) -> dict[str, object]:
        """The figures by name, rounded."""
        return {name: value if isinstance(value, str) else round(value, 2) for name, value in vars(self).items()}


def table(rows: Sequence[Figures]) -> str:
    """The figures for a person."""
    width = max(len(row.name) for row in rows)
    head = f"{'case':<{width}}  median    p95   bare  ratio    cpu  memory"
    lines = [
        f"{row.name:<{width}}  {row.median_ms:6.1f} {row.p95_ms:6.1f} {row.bare_ms:6.1f} {row.ratio:6.2f}"
        f" {row.cpu_ms:6.1f} {row.memory_mb:5.0f} MB"
        for row in rows
    ]
    return "\n".join([head, *lines])
