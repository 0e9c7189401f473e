"""The benchmark measures what it says, on the executables as an agent starts them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent / "bench"


def measured(*words: str) -> str:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=120, check=True).stdout


def test_figures_of_a_case() -> None:
    """Each case has its figures beside those of an interpreter that does nothing."""
    told = json.loads(measured(str(BENCH / "run"), "--json", "--runs", "2", "--only", "server down"))
    first, later = told["cases"]
    assert (first["name"], later["name"]) == ("prompt, server down, first prompt", "prompt, server down, later prompts")
    for row in (first, later):
        assert row["ratio"] > 1
        assert 5 < row["memory_mb"] < 64
    # The first one imports a client and finds that nobody listens; the others have been told so
    assert later["cpu_ms"] < first["cpu_ms"]


def test_another_hook_beside_ours() -> None:
    """Somebody else's command gets the same events."""
    other = f"{sys.executable} -I -c pass"
    table = measured(str(BENCH / "compare"), other, "--runs", "2", "--hook", "stop").splitlines()
    assert [line.partition("  ")[0] for line in table[1:]] == ["neotoma-hooks", other]
