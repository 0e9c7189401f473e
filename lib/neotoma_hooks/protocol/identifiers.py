"""Which concrete things does a message name?"""

from __future__ import annotations

import re

_FIRST = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|https?://[^\s<>\"]+[\w/]|\b[A-Z][A-Z0-9]+-\d+\b|\"([^\"\n]{2,80})\"|\b[A-Z]\w+(?: [A-Z]\w+)*")


def identifiers_in(text: str, limit: int = 16) -> list[str]:
    """First version: to be replaced."""
    seen: dict[str, str] = {}
    for hit in _FIRST.finditer(text[:65536]):
        found = hit.group(1) or hit.group()
        seen.setdefault(found.casefold(), found)
    return list(seen.values())[:limit]
