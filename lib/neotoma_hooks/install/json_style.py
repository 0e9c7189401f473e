"""How a JSON text is laid out, so that what we put into it looks like its neighbours."""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from neotoma_hooks.install.json_text import Document, Node

_FIRST_BREAK = re.compile(r"\r\n|\n|\r")
_INDENT = re.compile(r"[ \t]*")
_COLON_AT_END = re.compile(r"[ \t]*:[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class Style:
    """The layout of one text.

    `newline` ends its lines, `unit` is one step of indentation, `colon` stands between key and value, `space` behind a
    comma inside a line. `is_spread` tells whether any element has a line of its own.
    """

    newline: str = "\n"
    unit: str = "  "
    colon: str = ": "
    space: str = " "
    is_spread: bool = False

    def rendered(self, value: Any, indent: str | None) -> str:
        """The value as JSON: over several lines, each but the first behind `indent`, or on one line when it is None."""
        if indent is None:
            return json.dumps(value, ensure_ascii=False, separators=("," + self.space, self.colon))
        lines = json.dumps(value, ensure_ascii=False, indent=self.unit, separators=(",", self.colon)).split("\n")
        return (self.newline + indent).join(lines)


def style_of(document: Document) -> Style:
    """The layout as the first elements show it; where nothing shows, that of `JSON.stringify` with two spaces."""
    text = document.text
    line_break = _FIRST_BREAK.search(text)
    newline = line_break.group() if line_break else "\n"
    if document.root is None:
        return Style(newline)
    found = _Found()
    for container in _containers(document.root):
        for index, element in enumerate(container.elements):
            if element.key is not None and found.colon is None:
                colon = _COLON_AT_END.search(text[element.start : element.node.start])
                found.colon = colon.group() if colon else None
            own = own_indent(text, element.start)
            if own is not None:
                found.is_spread = True
                outer = line_indent(text, container.start)
                found.unit = found.unit or (own[len(outer) :] if own.startswith(outer) else "")
            elif index and found.space is None:
                comma = container.elements[index - 1].comma
                found.space = " " if comma is not None and text.startswith(" ", comma + 1) else ""
        if found.is_complete:
            break
    colon_text = ": " if found.colon is None else found.colon
    space = (" " if colon_text.endswith(" ") else "") if found.space is None else found.space
    return Style(newline, found.unit if found.is_spread else "  ", colon_text, space, found.is_spread)


@dataclass(slots=True)
class _Found:
    """What has been seen of a text's layout so far."""

    unit: str = ""
    colon: str | None = None
    space: str | None = None
    is_spread: bool = False

    @property
    def is_complete(self) -> bool:
        return bool(self.unit) and self.colon is not None and self.space is not None


def line_indent(text: str, offset: int) -> str:
    """The white space that the line of `offset` begins with."""
    before = _line_before(text, offset).lstrip("\ufeff")
    found = _INDENT.match(before)
    return found.group() if found else ""


def own_indent(text: str, offset: int) -> str | None:
    """The indentation of what begins at `offset`, if it is the first thing on its line and not on the text's first."""
    before = _line_before(text, offset)
    return before if not before.strip(" \t") and len(before) < offset else None


def _line_before(text: str, offset: int) -> str:
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    return text[start:offset]


def _containers(root: Node) -> Iterator[Node]:
    """The container and all within it, outer ones before inner ones."""
    waiting = deque([root])
    while waiting:
        node = waiting.popleft()
        if node.kind in ("object", "array"):
            yield node
            waiting.extend(element.node for element in node.elements)
