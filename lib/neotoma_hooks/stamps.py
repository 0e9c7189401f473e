"""The time, as what is stored and logged has it."""

from __future__ import annotations

import time


def time_stamp() -> str:
    """The time now, ISO 8601 in UTC with milliseconds."""
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"
