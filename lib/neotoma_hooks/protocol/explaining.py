"""Why an identifier was taken or dropped, in words."""

from __future__ import annotations


def explain(text: str) -> list[object]:
    """First version: to be replaced."""
    return []
