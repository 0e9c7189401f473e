"""Which entities a tool's answer says it stored: what the reply of that turn "produces" (turn protocol, step 4)."""

from __future__ import annotations

import json
import re

from neotoma_hooks.protocol.matching import is_bookkeeping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_PRODUCED = 32
DEEPEST = 12

_ENTITY_ID = re.compile(r"ent_[0-9a-f]{24}")

# How Neotoma begins an entity that it stored, and how far the name may be from there
_STORED = re.compile(
    r'"entity_id"\s*:\s*"(ent_[0-9a-f]{24})"\s*,\s*"entity_type"\s*:\s*"([\w-]+)"'
    r'(?:[^{}]{0,400}?"canonical_name"\s*:\s*"([^"\\]*)")?'
)


def produced_in(answer: Any) -> list[dict[str, Any]]:
    """The entities that a store tool of Neotoma's MCP server names in its answer, as `kept_entity` reads them.

    The answer is the store call's own JSON, as an object, as text, or in the text parts of an MCP result. Some agents
    put words around the text (Gemini CLI), or tell only its beginning (Kimi Code). Messages and other bookkeeping are
    no product of a reply.
    """
    found: dict[str, dict[str, Any]] = {}
    _collect(answer, found, DEEPEST)
    return list(found.values())[:MOST_PRODUCED]


def _collect(value: Any, found: dict[str, dict[str, Any]], depth: int) -> None:
    if depth == 0:
        return
    if isinstance(value, str) and "ent_" in value:
        try:
            _collect(json.loads(value), found, depth - 1)
        except (ValueError, RecursionError):
            for id, type, name in _STORED.findall(value):
                _note(id, type, name, found)
    elif isinstance(value, list):
        for item in value:
            _collect(item, found, depth - 1)
    elif isinstance(value, dict):
        id, type = value.get("entity_id"), value.get("entity_type")
        if isinstance(id, str) and isinstance(type, str) and _ENTITY_ID.fullmatch(id):
            _note(id, type, value.get("canonical_name"), found)
            return
        for item in value.values():
            _collect(item, found, depth - 1)


def _note(id: str, type: str, name: object, found: dict[str, dict[str, Any]]) -> None:
    """Keep the entity; a warning about one that is kept already has no name, and changes nothing."""
    if not is_bookkeeping(type) and id not in found:
        found[id] = {"id": id, "type": type, "name": name if isinstance(name, str) and name else id}
