"""The event on a hook's stdin, of which nothing is lost when the hook's time is over."""

from __future__ import annotations

import os
import select
import signal
import time

from neotoma_hooks.errors import EventError

LARGEST_EVENT_BYTES = 64_000_000

REST_SECONDS = 0.05
"""How long a hook whose time is over waits for an event that it has not read yet."""


def read_event(pieces: list[bytes]) -> bytes:
    """The event on stdin, up to its end or to the end of one JSON object, whichever comes first.

    Some agents never close the pipe. A terminal is no event. `pieces` is filled with what has come so far. Raises
    EventError when there is none, or it is too large.
    """
    if os.isatty(0):
        raise EventError("stdin is a terminal; a hook is started by an agent")
    size = 0
    while True:
        piece = _next_piece(pieces)
        if not piece:
            break
        size += len(piece)
        if size > LARGEST_EVENT_BYTES:
            raise EventError(f"the event is larger than {LARGEST_EVENT_BYTES} bytes")
        if piece.rstrip().endswith(b"}") and _is_whole(b"".join(pieces)):
            break
    raw = b"".join(pieces)
    if not raw.strip():
        raise EventError("there is no event on stdin")
    return raw


def as_far_as_it_came(pieces: list[bytes]) -> bytes:
    """The event, with what lies in the pipe if the time was over before it was read."""
    until = time.monotonic() + REST_SECONDS
    while not pieces or not _is_whole(b"".join(pieces)):
        if not select.select([0], [], [], max(0.0, until - time.monotonic()))[0]:
            break
        if not _next_piece(pieces):
            break
    return b"".join(pieces)


def _next_piece(pieces: list[bytes]) -> bytes:
    """What comes next on stdin, b"" at its end; it is among the `pieces` before the alarm can strike."""
    select.select([0], [], [])
    alarm = [signal.SIGALRM] if hasattr(signal, "SIGALRM") else []
    if alarm:
        signal.pthread_sigmask(signal.SIG_BLOCK, alarm)
    try:
        piece = os.read(0, 1 << 20)
        pieces.append(piece)
    finally:
        if alarm:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, alarm)
    return piece


def _is_whole(raw: bytes) -> bool:
    """Whether the bytes are one whole JSON text; asked only where an object may have ended."""
    # While more is on its way there is no need to try: parsing a large event once is enough
    if select.select([0], [], [], 0)[0]:
        return False
    from neotoma_hooks.firing import parse

    try:
        parse(raw)
    except EventError:
        return False
    return True
