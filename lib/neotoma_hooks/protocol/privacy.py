"""What a person marks as private is never written anywhere."""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MARKER = "[private]"

_TAG = re.compile(r"<(/?)private>", re.IGNORECASE)


def without_private(text: str) -> str:
    """The text with each `<private>…</private>`, tags included, replaced by a marker; all else stays as it is.

    Tags may be nested. One that is never closed hides all that follows: better too much than too little.
    """
    kept: list[str] = []
    depth = shown_from = 0
    for tag in _TAG.finditer(text):
        if not tag[1]:
            if depth == 0:
                kept += [text[shown_from : tag.start()], MARKER]
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                shown_from = tag.end()
    if depth == 0:
        kept.append(text[shown_from:])
    return "".join(kept)


def event_without_private(raw: bytes) -> bytes:
    """An agent's event with every text in it as `without_private` has it; the same bytes when nothing is private.

    Bytes that are no JSON are treated as one text.
    """
    if b"private" not in raw.lower():
        return raw
    try:
        return json.dumps(_cleaned(json.loads(raw))).encode("ascii")
    except (ValueError, RecursionError):
        return without_private(raw.decode("latin-1")).encode("latin-1")


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return without_private(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {name: _cleaned(item) for name, item in value.items()}
    return value
