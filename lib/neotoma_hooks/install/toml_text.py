"""TOML as people keep it in settings files: read strictly by tomlkit, and where its statements stand.

tomlkit keeps comments, but tells no places, takes the comment before the next table along when it moves one, and prints
tables that are interleaved in another order. So it reads, and the text is changed at the places that are found here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError

from neotoma_hooks.errors import InstallError
from neotoma_hooks.install.json_refusals import BYTE_ORDER_MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_GAP = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:[^\\]|\\[\s\S])*?"{3,5}|\'\'\'[\s\S]*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
)
_BARE_IN_LIST = re.compile(r"[^,\]}\n#]*")
_BARE = re.compile(r"[^\n#]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """A table's header or a key with its value: `text[start:end]`, without the comment behind it.

    `value` is where the value begins; for a header it is `start`.
    """

    start: int
    end: int
    value: int

    @property
    def is_header(self) -> bool:
        """Whether this is the header of a table."""
        return self.value == self.start


def parsed(text: str, file: str) -> dict[str, Any]:
    """What the text says. Raises InstallError with file, line and column for what is not TOML."""
    try:
        return tomlkit.parse(text.removeprefix(BYTE_ORDER_MARK)).unwrap()
    except ParseError as error:
        what = str(error).partition(" at line ")[0].rstrip(".")
        raise InstallError(f"{file}:{error.line}:{max(1, error.col)}: {what}; mend the TOML there") from error
    except (TOMLKitError, ValueError, RecursionError) as error:
        raise InstallError(f"{file}:1:1: this is no TOML: {error}") from error


def statements(text: str) -> Iterator[Statement]:
    """The statements of a text that is TOML, in file order."""
    at = _after_gap(text, len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0)
    while at < len(text):
        if text.startswith("[", at):
            depth = 2 if text.startswith("[[", at) else 1
            end = _find(text, at + depth, "]") + depth
            yield Statement(at, end, at)
        else:
            value = _after_gap(text, _find(text, at, "=") + 1)
            end = value_end(text, value)
            yield Statement(at, end, value)
        at = _after_gap(text, end)


def items(text: str, start: int) -> tuple[list[tuple[int, int]], int]:
    """The places of an array's items, and that of its closing bracket; the array begins at `start`."""
    found: list[tuple[int, int]] = []
    at = _after_gap(text, start + 1)
    while at < len(text) and not text.startswith(("]", "}"), at):
        if text.startswith(",", at):
            at += 1
        else:
            end = value_end(text, at, _BARE_IN_LIST)
            found.append((at, end))
            at = end
        at = _after_gap(text, at)
    return found, at


def value_end(text: str, start: int, bare: re.Pattern[str] = _BARE) -> int:
    """Where the value that begins at `start` ends."""
    string = _STRING.match(text, start)
    if string and bare is _BARE:
        return string.end()
    if text.startswith(("[", "{"), start):
        return items(text, start)[1] + 1
    if string:
        # In an inline table this is a quoted key, or a value in an array
        rest = _after_gap(text, string.end())
        if not text.startswith(("=", "."), rest):
            return string.end()
        return value_end(text, _after_gap(text, rest + 1), bare)
    found = bare.match(text, start)
    assert found is not None
    word = found.group()
    equals = word.find("=")
    if bare is _BARE_IN_LIST and equals >= 0:
        return value_end(text, _after_gap(text, start + equals + 1), bare)
    return start + len(word.rstrip())


def newline_of(text: str) -> str:
    """What ends the lines of a text."""
    first, found, _ = text.partition("\n")
    return "\r\n" if found and first.endswith("\r") else "\n"


def _after_gap(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    assert found is not None
    return found.end()


def _find(text: str, at: int, char: str) -> int:
    """The place of the next `char` that is not within quotes."""
    while at < len(text) and not text.startswith(char, at):
        string = _STRING.match(text, at)
        at = string.end() if string else at + 1
    return at
