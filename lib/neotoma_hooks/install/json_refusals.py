"""What is wrong with a JSON text, where, and how to mend it: one sentence for the person whose file it is."""

from __future__ import annotations

import json
import re

from neotoma_hooks.errors import InstallError

BYTE_ORDER_MARK = "\ufeff"

WORD = re.compile(r"[^\W\d][\w$-]*")
_LINE_END = re.compile(r"\r\n|\n|\r")
_CONFLICT = re.compile(r"<{7}|={7}|>{7}|\|{7}")
_GOOD_PART_OF_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')


class Text:
    """A text and the file it is of."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a place, both from 1, in characters; a byte order mark counts as none."""
        lines = _LINE_END.split(self.text[:offset])
        has_mark = len(lines) == 1 and self.text.startswith(BYTE_ORDER_MARK) and offset > 0
        return len(lines), len(lines[-1]) + (0 if has_mark else 1)

    def at(self, offset: int) -> str:
        """The place in words."""
        line, column = self.position(offset)
        return f"line {line}, column {column}"

    def refusal(self, offset: int, what: str, mend: str) -> InstallError:
        """The error that names file, line and column, what stands there, and how to mend it."""
        line, column = self.position(offset)
        return InstallError(f"{self.file}:{line}:{column}: {what}; {mend}")

    def unexpected(self, at: int, expected: str, opened: int | None) -> InstallError:
        """The error for a place where something other than `expected` stands; `opened` is the innermost bracket's."""
        if at >= len(self.text):
            mend = f"close the {self.text[opened]} of {self.at(opened)}" if opened is not None else "finish the JSON"
            return self.refusal(at, f"{expected}, but the file ends", mend)
        if _CONFLICT.match(self.text, at):
            return self.refusal(at, "a mark of a merge conflict", "resolve the conflict first")
        char = self.text[at]
        shown = char if char.isprintable() else f"U+{ord(char):04X}"
        what = f"{expected}, but {shown} stands here"
        if opened is not None and self.text[opened] + char in ("{]", "[}"):
            return self.refusal(at, what, f"the bracket of {self.at(opened)} is a {self.text[opened]}")
        return self.refusal(at, what, self._mend(at, expected))

    def broken_string(self, start: int) -> InstallError:
        """The error for a string, opened at `start`, that JSON does not allow."""
        good = _GOOD_PART_OF_STRING.match(self.text, start)
        at = good.end() if good else start
        char = self.text[at : at + 1]
        if char in ("", "\n", "\r"):
            return self.refusal(start, "this string is not closed on its line", "put the missing double quote")
        if char == "\\":
            return self.refusal(at, "this escape is not JSON's", "write a backslash as two backslashes")
        written = json.dumps(char)[1:-1]
        return self.refusal(at, f"a raw control character (U+{ord(char):04X}) in a string", f"write it as {written}")

    def _mend(self, at: int, expected: str) -> str:
        """How to mend what stands where something else is expected."""
        char = self.text[at]
        found = WORD.match(self.text, at)
        word = found.group() if found else ""
        if char == "#":
            return "remove this comment"
        if "has ended" in expected:
            return "remove what follows, or the bracket that ended it too early"
        if "a comma or" in expected:
            return "put the comma that is missing before it"
        if char == ",":
            return "remove a comma"
        if char == "'" or (word and "a key" in expected):
            return "put it in double quotes"
        if char in "+-.0123456789" and "a value" in expected:
            return "write the number as JSON does: no plus, no leading zero, digits on both sides of the point"
        if word.lower() in ("true", "false", "null", "none"):
            return "write true, false or null, in small letters"
        if word:
            return "put the text in double quotes"
        return "put what is missing there, or remove what asks for it"
