"""Identifiers that are recognised by their form alone: ids, addresses, paths, code symbols."""

from __future__ import annotations

import re

from neotoma_hooks.protocol.candidates import ADDRESS, CODE
from neotoma_hooks.protocol.places import FILE_ENDINGS, ROOTS, place_at
from neotoma_hooks.protocol.record_numbers import read_record_numbers
from neotoma_hooks.protocol.scripts import ASCII_BREAKS, BREAKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.protocol.spans import Span

# Strings, compiled (and cached by `re`) on first use.

#: A run without white space, quotation marks or letters of scripts that write without spaces.
_PIECE = f"[^{BREAKS}]+"
_ASCII_PIECE = f"[^{ASCII_BREAKS}]+"

_MAIL = r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}"

#: What programming languages and chat programs put behind an @ of their own.
_NOT_HANDLES = frozenset(
    "property staticmethod classmethod override overrides deprecated param params return returns throws see "
    "since author version media import dataclass abstractmethod test before after component injectable "
    "autowired nullable notnull everyone here channel all types todo apply layer charset keyframes supports".split()
)  # fmt: skip


def exact_forms_in(line: str) -> list[Span]:
    """(start, end, kind, why) of each id, address, path and code symbol of a line, from left to right."""
    found: list[Span] = []
    before = ""
    for hit in re.finditer(_ASCII_PIECE if line.isascii() else _PIECE, line):
        piece = hit.group()
        if piece.isalpha():
            before = piece
            continue
        start = hit.start()
        if len(piece) <= 2000:
            _read_piece(piece, start, before, found)
        before = piece.strip("()[]")
    return found


def _read_piece(piece: str, start: int, before: str, found: list[Span]) -> None:
    scheme = piece.find("://")
    if scheme > 1 and piece[scheme - 1].isalpha():
        first = scheme
        while first and (piece[first - 1].isalpha() or piece[first - 1] == "+"):
            first -= 1
        url = _trimmed(piece[first:])
        if len(url) > scheme - first + 3:
            found.append((start + first, start + first + len(url), ADDRESS, "a URL"))
        return
    if len(piece) > 200:
        return
    if "," in piece or ";" in piece:
        for part in piece.replace(";", ",").split(","):
            if part:
                _read_part(part, start, before, found)
            start += len(part) + 1
        return
    _read_part(piece, start, before, found)


def _read_part(piece: str, start: int, before: str, found: list[Span]) -> None:
    lead = len(piece) - len(piece.lstrip("([{'’*¡¿!?:"))
    if piece[lead : lead + 2] == "](":
        lead += 2
    link = piece.find("](")
    if link >= 0:
        lead = link + 2
    start += lead
    piece = _trimmed(piece[lead:])
    if piece[:1] == "_" and piece[-1:] == "_" and piece[:2] != "__":
        piece = piece.strip("_")
        start += 1
    if piece.endswith(("'s", "’s")):
        piece = piece[:-2]
    if len(piece) < 2:
        return
    if "@" in piece and _read_at(piece, start, found):
        return
    if not piece.isalpha() and read_record_numbers(piece, start, before, found):
        return
    kind, why, size = place_at(piece)
    if why:
        found.append((start, start + size, kind, why))


def _read_at(piece: str, start: int, found: list[Span]) -> bool:
    mails = list(re.finditer(_MAIL, piece))
    for mail in mails:
        first, end = mail.span()
        if first == 1 and piece[0] == "@":
            first = 0  # a handle with its server: @ada@example.social
        if piece[end : end + 1] == ":" and end + 1 < len(piece):
            end = len(piece)  # git@host:owner/name
        found.append((start + first, start + end, ADDRESS, "an e-mail address or account"))
    if mails:
        return True
    if piece[0] != "@":
        return False
    name = piece[1:]
    if "/" in name or name.rpartition(".")[2].lower() in FILE_ENDINGS:
        path = name.rpartition("/")[2].rpartition(".")[2].lower() in FILE_ENDINGS or name.partition("/")[0] in ROOTS
        shift = 1 if path else 0
        found.append((start + shift, start + len(piece), CODE, "a file or package named with @"))
    elif _is_handle(name):
        found.append((start, start + len(piece), ADDRESS, "a handle"))
    return True


def _is_handle(name: str) -> bool:
    written_as_one = name[0].isalnum() and name.replace("-", "").replace("_", "").replace(".", "").isalnum()
    return written_as_one and name.lower() not in _NOT_HANDLES and not name.isdecimal()


def _trimmed(piece: str) -> str:
    """Without the punctuation of the sentence and the brackets that were not opened inside."""
    end = len(piece)
    depth = {")": piece.count("(") - piece.count(")"), "]": piece.count("[") - piece.count("]"),
             "}": piece.count("{") - piece.count("}")}  # fmt: skip
    while end:
        last = piece[end - 1]
        if last in ".,;:!?'’*~\\" and not (last == "*" and piece[end - 2 : end - 1] == "/"):
            end -= 1
        elif last in depth and depth[last] < 0:
            depth[last] += 1
            end -= 1
        else:
            break
    return piece[:end]
