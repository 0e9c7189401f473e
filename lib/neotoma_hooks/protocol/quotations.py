"""Strings that the writer put between quotation marks."""

from __future__ import annotations

import re

#: The shortest and the longest string that counts, in characters.
SHORTEST, LONGEST = 2, 80

#: Opening marks and the marks that may close them, in the languages that use them.
_PAIRS = {
    "“": "”“", "„": "“”", "«": "»", "»": "«", "‹": "›", "「": "」", "『": "』", "《": "》", "〈": "〉", "＂": "＂",
    "”": "”", "‘": "’", "‚": "‘’", '"': '"', "'": "'", "`": "`",
}  # fmt: skip

# Strings, compiled (and cached by `re`) on first use.
_MARK = "[“„«»‹「『《〈＂”‘‚\"'`]"
_ASCII_MARK = "[\"'`]"

#: So many back-ticks in a row quote nothing any more.
_FENCE = 4

#: Marks inside words that are passed over before a quotation counts as not closed.
_TRIES = 4

#: Marks that are also written inside words (apostrophe, inch): they open only where no word stands before them.
_WORDLIKE = "\"'‘’”"


class Quotation:
    """A quoted string: `text` trimmed, its offset `start`, and the `outer` span with its marks, as (start, end)."""

    __slots__ = ("code", "outer", "start", "text")

    def __init__(self, start: int, text: str, outer: tuple[int, int], code: bool) -> None:
        self.start = start
        self.text = text
        self.outer = outer
        self.code = code


def quotations_in(line: str) -> list[Quotation]:
    """The quoted strings of a line from left to right, none inside another; back-ticked ones are marked as `code`."""
    found: list[Quotation] = []
    marks = re.compile(_ASCII_MARK if line.isascii() else _MARK)
    position = 0
    while True:
        hit = marks.search(line, position)
        if hit is None:
            return found
        start = hit.start()
        position = start + 1
        mark = line[start]
        if mark in _WORDLIKE and start and (line[start - 1].isalnum() or line[start - 1] in ")]"):
            continue  # don't, 24": no opening mark
        width = 1
        if mark == "`":
            while line[start + width : start + width + 1] == "`" and width < _FENCE:
                width += 1
            if width == _FENCE:
                position = start + width
                continue
        end = _closing(line, start + width, mark, width)
        if end < 0:
            continue
        inside = line[start + width : end]
        text = inside.strip().rstrip(",;.:。、，") if mark != "`" else inside.strip()
        position = end + width
        if SHORTEST <= len(text) <= LONGEST and any(map(str.isalnum, text)):
            found.append(Quotation(start + width + inside.find(text), text, (start, end + width), code=mark == "`"))


def _closing(line: str, start: int, mark: str, width: int) -> int:
    """Offset of the mark that closes, or -1 when none does within the longest string that counts."""
    limit = start + LONGEST + 8
    if line[start : start + 1].isspace() and mark in "\"'":
        return -1
    best = -1
    for close in _PAIRS[mark]:
        end = line.find(close * width, start, limit)
        tries = _TRIES
        while end >= 0 and mark in _WORDLIKE and not _can_close(line, end):
            tries -= 1
            end = line.find(close, end + 1, limit) if tries else -1
        if end > start and (best < 0 or end < best):
            best = end
    return best


def _can_close(line: str, end: int) -> bool:
    after = line[end + 1 : end + 2]
    # A straight or curly apostrophe inside a word, or after white space, closes nothing.
    return not line[end - 1].isspace() and not (after.isalnum() and ord(after) < 0x2E80)
