"""The event on a hook's stdin, of which nothing is lost when the hook's time is over."""

from __future__ import annotations

import json
import os
import select
import signal
import time

from neotoma_hooks.errors import EventError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST_EVENT_BYTES = 64_000_000

REST_SECONDS = 0.05
"""How long a hook whose time is over waits for more of an event that it has not read to its end."""

LONGEST_REST_SECONDS = 0.2
"""How long it reads on, however much more comes."""


def read_event(pieces: list[bytes]) -> bytes:
    """The event on stdin, up to its end or to the end of one JSON object, whichever comes first.

    Some agents never close the pipe. A terminal is no event. `pieces` is filled with what has come so far. Raises
    EventError when there is none, it cannot be read, or it is too large.
    """
    if os.isatty(0):
        raise EventError("stdin is a terminal; a hook is started by an agent")
    size = 0
    while _next_piece(pieces):
        size += len(pieces[-1])
        if size > LARGEST_EVENT_BYTES:
            raise EventError(f"the event is larger than {LARGEST_EVENT_BYTES} bytes")
        if _is_whole(pieces):
            break
    raw = b"".join(pieces)
    if not raw.strip():
        raise EventError("there is no event on stdin")
    return raw


def as_far_as_it_came(pieces: list[bytes]) -> bytes:
    """The event, with what lies in the pipe if the time was over before it was read.

    One that goes on and on is read no further than time and size allow. Raises EventError.
    """
    until = time.monotonic() + LONGEST_REST_SECONDS
    size = sum(map(len, pieces))
    while not (pieces and _is_whole(pieces)) and size <= LARGEST_EVENT_BYTES:
        left = min(REST_SECONDS, until - time.monotonic())
        if left <= 0 or not select.select([0], [], [], left)[0] or not _next_piece(pieces):
            break
        size += len(pieces[-1])
    return b"".join(pieces)


def parse(raw: bytes) -> dict[str, Any]:
    """The event's JSON object. Raises EventError; never guesses at what is broken."""
    try:
        # Windsurf was seen to send control characters as they are
        payload = json.loads(raw.decode("utf-8-sig"), strict=False)
    except UnicodeDecodeError as error:
        raise EventError(f"the event is not UTF-8 (byte {error.start})") from error
    except (ValueError, RecursionError) as error:
        where = f" (character {error.pos})" if isinstance(error, json.JSONDecodeError) else ""
        raise EventError(f"the event is not JSON{where}") from error
    if not isinstance(payload, dict):
        raise EventError(f"the event is a JSON {type(payload).__name__}, not an object")
    return payload


def _next_piece(pieces: list[bytes]) -> bytes:
    """What comes next on stdin, b"" at its end; it is among the `pieces` before the alarm can strike."""
    alarm = [signal.SIGALRM] if hasattr(signal, "SIGALRM") else []
    try:
        select.select([0], [], [])
        if alarm:
            signal.pthread_sigmask(signal.SIG_BLOCK, alarm)
        pieces.append(os.read(0, 1 << 20))
    except OSError as error:
        raise EventError(f"stdin cannot be read: {error.strerror}") from error
    finally:
        if alarm:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, alarm)
    return pieces[-1]


def _is_whole(pieces: list[bytes]) -> bool:
    """Whether the pieces are one whole JSON object together."""
    # To parse a large event once is enough: not while more is on its way, nor where no object may have ended
    if not (pieces[-1].rstrip() or b"}").endswith(b"}") or select.select([0], [], [], 0)[0]:
        return False
    try:
        parse(b"".join(pieces))
    except EventError:
        return False
    return True
