"""Reading the end of a JSONL transcript that an agent keeps, and may be writing at this moment."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

BLOCK_BYTES = 65_536
LARGEST_TAIL_BYTES = 8_000_000


def lines_from_the_end(path: str) -> Iterator[dict[str, Any]]:
    """The transcript's lines, newest first, each a JSON object; nothing when there is no such file yet.

    Reads backwards, no more than it is asked for and at most `LARGEST_TAIL_BYTES`. A line that is half written, or is
    no JSON object, is passed over. Raises OSError.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    with os.fdopen(descriptor, "rb") as file:
        position = file.seek(0, os.SEEK_END)
        oldest = max(0, position - LARGEST_TAIL_BYTES)
        # Pieces of the line that reaches over a block's start, in reverse, so that a long line is joined only once
        pieces: list[bytes] = []
        while position > oldest:
            start = max(oldest, position - BLOCK_BYTES)
            file.seek(start)
            block = file.read(position - start)
            position = start
            *earlier, last = block.split(b"\n")[::-1]
            if not earlier:
                pieces.append(last)
                continue
            yield from _objects([earlier[0] + b"".join(reversed(pieces)), *earlier[1:]])
            pieces = [last]
        if position == 0:
            yield from _objects([b"".join(reversed(pieces))])


def _objects(lines: list[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value
