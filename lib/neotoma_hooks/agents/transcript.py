"""Reading the end of a JSONL transcript that an agent keeps, and may be writing at this moment."""

from __future__ import annotations

import io
import json
import os
import stat
from contextlib import contextmanager

from neotoma_hooks.agents.events import Exchange
from neotoma_hooks.errors import TranscriptUnreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import IO, Any, TypeAlias

    #: What a line says: one of the kinds below, the text, and the id of the message that it is a part of ("": its own).
    Said: TypeAlias = tuple[str, str, str]

PROMPT = "prompt"
QUEUED = "queued"
JOINED = "joined"
REPLY = "reply"
STEP = "step"
CUT = "cut"

MOST_EXCHANGES = 4

BLOCK_BYTES = 65_536
LARGEST_TAIL_BYTES = 8_000_000

_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def lines_from_the_end(path: str, most_bytes: int = LARGEST_TAIL_BYTES) -> Iterator[dict[str, Any]]:
    """The transcript's lines, newest first, each a JSON object; nothing when there is no such file yet.

    Reads backwards, no more than it is asked for and at most `most_bytes`. A line that is half written, or is no JSON
    object, is passed over. Raises TranscriptUnreadable.
    """
    with _opened(path) as file:
        position = file.seek(0, os.SEEK_END)
        oldest = max(0, position - most_bytes)
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


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """The transcript's bytes, none when there is no such file yet."""
    try:
        try:
            kind = stat.S_IFMT(os.stat(path).st_mode)
        # The last is a path that no file can have
        except (FileNotFoundError, NotADirectoryError, ValueError):
            yield io.BytesIO()
            return
        # Besides, a pipe would be waited for until somebody writes to it
        if kind != stat.S_IFREG:
            raise TranscriptUnreadable(f"the agent's transcript {path} is {_KINDS.get(kind, 'a device')}, not a file")
        with open(path, "rb") as file:
            yield file
    except TranscriptUnreadable:
        raise
    except OSError as error:
        raise TranscriptUnreadable(
            f"the agent's transcript {path} cannot be read: {error.strerror or type(error).__name__}"
        ) from error


def exchanges_in(
    lines: Iterable[dict[str, Any]], said: Callable[[dict[str, Any]], Said | None], *, whole: bool = False
) -> list[Exchange]:
    """The newest exchanges that the lines (newest first) tell of, oldest first.

    `said` tells what a line says: a prompt (QUEUED: one that waited for its turn; JOINED: one that went into the turn
    that ran), a text of the agent's (STEP: one that a tool was called with), or CUT; None for any other line. If
    nothing was said after a STEP or a CUT, the turn was given up, or its end is still to be written. A reply is the
    last message before the next prompt, its parts joined by line breaks; with `whole` it is all messages since the
    prompt, joined likewise.
    """
    found: list[Exchange] = []
    texts: list[str] = []
    message: str | None = None
    is_cut = False
    for line in lines:
        item = said(line)
        if item is None:
            continue
        kind, text, id = item
        if kind == CUT:
            is_cut = is_cut or not texts
        elif kind in (REPLY, STEP):
            is_cut = is_cut or (kind == STEP and not texts)
            if text and (whole or message is None or (id and id == message)):
                message = id
                texts.insert(0, text)
        else:
            reply = "\n".join(texts) if texts else None
            exchange = Exchange(text, reply, is_cut=is_cut, is_queued=kind == QUEUED, joins=kind == JOINED)
            found.insert(0, exchange)
            texts, message, is_cut = [], None, False
            if len(found) == MOST_EXCHANGES:
                break
    return found


def written(path: str, lines: Iterable[Mapping[str, Any]]) -> str:
    """A transcript with these lines, at `path`, which is given back; for trying a turn. Raises OSError."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return path


def text_of(content: object) -> str | None:
    """The text of a message's content, a text or a list of parts; None for one without, such as a tool's result."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part for part in content if isinstance(part, dict) and part.get("type", "text") == "text"]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return "\n".join(texts) if texts else None


def _objects(lines: list[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value
