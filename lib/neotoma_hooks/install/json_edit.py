"""Changes one place of a JSON text and leaves every other byte as it is.

Each function gives the new text. Taking out what was just put in gives the old text again, unless it was put into
a container that held nothing but white space.
"""

from __future__ import annotations

import json

from neotoma_hooks.install.json_style import line_indent, own_indent, style_of
from neotoma_hooks.install.json_text import COMMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any

    from neotoma_hooks.install.json_style import Style
    from neotoma_hooks.install.json_text import Document, Node

_SPACE = " \t\n\r"


def created(document: Document, value: Any) -> str:
    """The text of a document that has no root yet, with `value` behind the comments that are there."""
    style = style_of(document)
    before = document.text
    if before.strip(_SPACE + "\ufeff"):
        before += "" if before.endswith(("\n", "\r")) else style.newline
    else:
        before = before[:1] if before.startswith("\ufeff") else ""
    return before + style.rendered(value, "") + style.newline


def inserted(document: Document, container: Node, value: Any, key: str | None = None) -> str:
    """The text with `value` as the container's last element; `key` is its name in an object, None in an array."""
    text = document.text
    style = style_of(document)
    close = container.end - 1
    last = container.elements[-1] if container.elements else None
    behind = container.start + 1 if last is None else last.end if last.comma is None else last.comma + 1
    comments = list(COMMENT.finditer(text, behind, close))
    content_end = comments[-1].end() if comments else behind
    indent = _indent_for_new(document, container, style, content_end, _ends_in_line_comment(comments))
    inner: str | None = indent
    if indent is not None:
        lead = style.newline + indent
    else:
        lead = style.space if last is not None or comments else ""
        inner = line_indent(text, last.start) if last is not None and _has_break(text[last.start : last.end]) else None
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + style.colon
    new = lead + name + style.rendered(value, inner)
    if last is None and not comments:
        tail = "" if indent is None else style.newline + line_indent(text, container.start)
        return text[:behind] + new + tail + text[close:]
    if last is None or last.comma is not None:
        new += "" if last is None else ","
        return text[:content_end] + new + text[content_end:]
    return text[: last.end] + "," + text[last.end : content_end] + new + text[content_end:]


def replaced(document: Document, node: Node, value: Any) -> str:
    """The text with `value` in the node's place, over several lines if the node was."""
    text = document.text
    indent = line_indent(text, node.start) if _has_break(text[node.start : node.end]) else None
    return text[: node.start] + style_of(document).rendered(value, indent) + text[node.end :]


def removed(document: Document, container: Node, index: int) -> str:
    """The text without the container's element at `index`; comments around it stay."""
    text = document.text
    element = container.elements[index]
    before = container.elements[index - 1] if index else None
    following = container.elements[index + 1] if index + 1 < len(container.elements) else None
    gap_start = container.start + 1 if before is None or before.comma is None else before.comma + 1
    gap = text[gap_start : element.start]
    start = gap_start + len(gap.rstrip(_SPACE))
    end = element.end
    cuts: list[tuple[int, int]] = []
    if element.comma is not None and text[end : element.comma].strip(_SPACE):
        cuts.append((element.comma, element.comma + 1))
    elif element.comma is not None:
        end = element.comma + 1
    elif before is not None and before.comma is not None:
        cuts.append((before.comma, before.comma + 1))
    rest = text[end : container.end - 1]
    if following is None and before is None and not (gap + rest).strip(_SPACE) and not cuts:
        return text[: container.start + 1] + text[container.end - 1 :]
    comments = list(COMMENT.finditer(text, gap_start, element.start))
    if before is None and following is not None and not _has_break(gap):
        # The first of a line goes with the space behind it, so that the next one stands where it stood
        start = element.start
        end += len(rest) - len(rest.lstrip(_SPACE)) if not cuts else 0
    elif _ends_in_line_comment(comments) and not rest.lstrip(" \t").startswith(("\n", "\r")):
        # What follows on this line must not end up inside the comment
        start = element.start
    cuts.append((start, end))
    for cut_start, cut_end in sorted(cuts, reverse=True):
        text = text[:cut_start] + text[cut_end:]
    return text


def _indent_for_new(
    document: Document, container: Node, style: Style, content_end: int, ends_in_line_comment: bool
) -> str | None:
    """The indentation of a new last element on a line of its own; None when it goes on the line that is there."""
    text = document.text
    for element in reversed(container.elements):
        own = own_indent(text, element.start)
        if own is not None:
            return own
    below = line_indent(text, container.start) + style.unit
    if ends_in_line_comment:
        return below
    if container.elements:
        return None
    if content_end > container.start + 1:
        return below if _has_break(text[content_end : container.end - 1]) else None
    return below if style.is_spread or container is document.root else None


def _ends_in_line_comment(comments: list[re.Match[str]]) -> bool:
    return bool(comments) and comments[-1].group().startswith("//")


def _has_break(part: str) -> bool:
    return "\n" in part or "\r" in part
