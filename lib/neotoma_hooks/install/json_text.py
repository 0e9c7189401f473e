"""JSON as people keep it in settings files: read strictly, every value with its place in the text.

Accepted is JSON (RFC 8259) and, on top of it, a byte order mark, `//` and `/* */` comments, and one comma after the
last element. Everything else is refused with file, line, column and how to mend it. No library is used: those that
keep comments (json-five, json5kit) also accept JSON5, which no agent reads, and print the whole text anew; jsonc-edit
needs Node and fetches its parser from npm.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from neotoma_hooks.install.json_refusals import BYTE_ORDER_MARK, WORD, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.errors import InstallError

DEEPEST = 100
"""How many containers may stand in one another: beyond any settings file, and well within Python's own limit."""

COMMENT = re.compile(r"//[^\n\r]*|/\*[\s\S]*?\*/")
_GAP = re.compile(r"(?:[ \t\n\r]+|//[^\n\r]*|/\*[\s\S]*?\*/)*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.eE+])")
_LITERALS = {"true": True, "false": False, "null": None}


class Number(str):
    """A number as it is spelled in the text; it is never computed with, so no digit is ever lost."""

    __slots__ = ()


@dataclass(slots=True)
class Node:
    """One value: `text[start:end]`.

    `kind` is "object", "array", "string", "number" or "literal". `value` is the scalar (a string decoded, a number as a
    Number), None for containers; `elements` is what a container holds, in file order.
    """

    kind: str
    start: int
    end: int
    value: str | bool | None = None
    elements: list[Element] = field(default_factory=list)


@dataclass(slots=True)
class Element:
    """One member of an object (`key` decoded, `start` at its opening quote) or one item of an array (`key` None).

    `comma` is the place of the comma behind it, None when there is none.
    """

    key: str | None
    start: int
    node: Node
    comma: int | None = None

    @property
    def end(self) -> int:
        """Where its value ends."""
        return self.node.end


class Document(Text):
    """A parsed text. `root` is None when there is nothing but white space and comments.

    `extensions` are the kinds of things that plain JSON has not ("comment", "trailing comma"), each with the place of
    the first. Raises InstallError for a text that cannot be parsed, and for an object that has
    the same key twice: which of the two counts is left open by RFC 8259, so changing either may change nothing.
    """

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text, file)
        self.extensions: dict[str, int] = {}
        self._at = 1 if text.startswith(BYTE_ORDER_MARK) else 0
        self._open: list[int] = []
        self._skip_gap()
        self.root: Node | None = None
        if self._at < len(text):
            self.root = self._value()
            self._skip_gap()
            if self._at < len(text):
                raise self._unexpected("the JSON has ended")

    def check(self, node: Node, kind: str, name: str) -> None:
        """Raises InstallError when the node, called `name`, is no "object" or "array", as `kind` says it must be."""
        if node.kind != kind:
            what = f"{name} must be an {kind}, and here is {_named(node)}"
            raise self.refusal(node.start, what, f"make it an {kind}, or remove it")

    def _skip_gap(self) -> None:
        start = self._at
        self._at = _GAP.match(self.text, start).end()  # type: ignore[union-attr]  # it also matches nothing
        if "comment" not in self.extensions:
            comment = COMMENT.search(self.text, start, self._at)
            if comment:
                self.extensions["comment"] = comment.start()
        if self.text.startswith("/*", self._at):
            raise self.refusal(self._at, "this comment never ends", "close it with */")

    def _value(self) -> Node:
        start = self._at
        char = self.text[start : start + 1]
        if char == '"':
            value = self._string()
            return Node("string", start, self._at, value)
        if char in ("{", "["):
            return self._container(start, char)
        number = _NUMBER.match(self.text, start)
        if number:
            self._at = number.end()
            return Node("number", start, self._at, Number(number.group()))
        word = WORD.match(self.text, start)
        if word and word.group() in _LITERALS:
            self._at = word.end()
            return Node("literal", start, self._at, _LITERALS[word.group()])
        raise self._unexpected("a value is expected")

    def _container(self, start: int, opening: str) -> Node:
        if len(self._open) == DEEPEST:
            raise self.refusal(start, f"more than {DEEPEST} brackets are open", "no agent's settings are that deep")
        self._open.append(start)
        self._at += 1
        node = Node("object" if opening == "{" else "array", start, start)
        closing = "}" if opening == "{" else "]"
        first_of_key: dict[str, int] = {}
        while True:
            self._skip_gap()
            if self.text.startswith(closing, self._at):
                break
            if node.elements and node.elements[-1].comma is None:
                raise self._unexpected(f"a comma or {closing} is expected")
            node.elements.append(self._element(opening, first_of_key))
            self._skip_gap()
            if self.text.startswith(",", self._at):
                node.elements[-1].comma = self._at
                self._at += 1
        if node.elements and node.elements[-1].comma is not None:
            self.extensions.setdefault("trailing comma", node.elements[-1].comma)
        self._open.pop()
        self._at += 1
        node.end = self._at
        return node

    def _element(self, opening: str, first_of_key: dict[str, int]) -> Element:
        start = self._at
        if opening == "[":
            return Element(None, start, self._value())
        if not self.text.startswith('"', start):
            raise self._unexpected("a key in double quotes is expected")
        key = self._string()
        if key in first_of_key:
            what = f"the key {json.dumps(key)} is already there at {self.at(first_of_key[key])}"
            raise self.refusal(start, what, "remove one of the two")
        first_of_key[key] = start
        self._skip_gap()
        if not self.text.startswith(":", self._at):
            raise self._unexpected("a colon is expected after the key")
        self._at += 1
        self._skip_gap()
        return Element(key, start, self._value())

    def _string(self) -> str:
        start = self._at
        found = _STRING.match(self.text, start)
        if not found:
            raise self.broken_string(start)
        self._at = found.end()
        spelled = found.group()
        return str(json.loads(spelled)) if "\\" in spelled else spelled[1:-1]

    def _unexpected(self, expected: str) -> InstallError:
        return self.unexpected(self._at, expected, self._open[-1] if self._open else None)


def member(node: Node | None, key: str) -> Element | None:
    """The member of an object; None when there is none, or no object."""
    if node is None or node.kind != "object":
        return None
    return next((element for element in node.elements if element.key == key), None)


def plain(node: Node) -> Any:
    """The value as Python has it: dict, list, str, bool, None; numbers stay Number."""
    if node.kind == "object":
        return {element.key: plain(element.node) for element in node.elements}
    if node.kind == "array":
        return [plain(element.node) for element in node.elements]
    return node.value


def _named(node: Node) -> str:
    if node.kind == "literal":
        return "null" if node.value is None else str(node.value).lower()
    return f"an {node.kind}" if node.kind in ("object", "array") else f"a {node.kind}"
