"""The parts of httpx that are of no use to a process of ours, and cost it time."""

from __future__ import annotations

import sys

_NOT_NEEDED = ("httpx._main", "anyio", "trio")
"""What httpx imports if it is there: its own command line, with click and pygments, and asynchronous programs."""


def do_without() -> None:
    """Let httpx, when it is imported, find none of them; for a process that does nothing but ours.

    They would make a prompt that asks a server slower by a tenth.
    """
    sys.modules.update(dict.fromkeys(_NOT_NEEDED))  # type: ignore[arg-type]
