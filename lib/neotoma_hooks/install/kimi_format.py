"""Hooks as Kimi Code's configuration holds them: TOML, an array of tables.

    [[hooks]]
    event = "Stop"
    command = "…"
    timeout = 30

or, as programs write it, `hooks = [{event = "Stop", …}]`. New tables go to the end of the file, where they come between
nobody's comment and what it is about.
"""

from __future__ import annotations

import tomlkit

from neotoma_hooks.install.format import Format, Place
from neotoma_hooks.install.json_refusals import Text
from neotoma_hooks.install.toml_text import Statement, items, newline_of, parsed, statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeGuard

    from neotoma_hooks.install.format import Recognise, Wanted

_SPACE = " \t\r\n"


class KimiFormat(Format):
    """`[[hooks]]`, each table an entry."""

    def places(self, text: str, file: str, recognise: Recognise) -> list[Place]:
        """As `Format` says; `at` are an entry's start and end in the text."""
        found: list[Place] = []
        entries = _hooks(parsed(text, file))
        for entry, (start, end) in zip(entries, _spans(text), strict=False):
            command, event = entry.get("command"), entry.get("event")
            if isinstance(command, str) and isinstance(event, str):
                ours = recognise(command, [])
                if ours is not None:
                    found.append(Place(event, (start, end), entry, command, ours))
        return found

    def with_ours(self, text: str | None, file: str, wanted: Sequence[Wanted], recognise: Recognise) -> str:
        """As `Format` says."""
        text = text or ""
        _check_shape(text, file)
        kept, extra = self.sorted_out(self.places(text, file, recognise), wanted)
        now = {
            place.at: wanted[index].value for index, place in kept.items() if not self.is_current(place, wanted[index])
        }
        text = _changed(text, {**now, **{place.at: None for place in extra}})
        return _with_entries(text, [one.value for index, one in enumerate(wanted) if index not in kept])

    def without_ours(self, text: str, file: str, recognise: Recognise, before: str | None = None) -> str | None:
        """As `Format` says."""
        found = [place for place in self.places(text, file, recognise) if place.ours.is_alone]
        return _changed(text, {place.at: None for place in found})

    def is_blank(self, text: str, file: str) -> bool:
        """As `Format` says; a comment is something."""
        return not text.strip("\ufeff \t\r\n")

    def others(self, text: str, file: str, recognise: Recognise) -> object:
        """As `Format` says; spelled out, because a date equals itself, and not-a-number does not."""
        whole = parsed(text, file)
        entries = _hooks(whole)
        for place in self.places(text, file, recognise):
            if place.ours.is_alone:
                entries = [entry for entry in entries if entry != place.value]
        if entries:
            whole["hooks"] = entries
        elif _is_list_of_tables(whole.get("hooks")):
            del whole["hooks"]
        return repr(sorted(whole.items(), key=lambda item: item[0]))


def _changed(text: str, changes: Mapping[tuple[str | int, ...], Mapping[str, Any] | None]) -> str:
    """The text with the entries at these places (start and end) changed, or gone where None is given.

    From the last to the first, so that the places of the others stay true.
    """
    for (start, end), value in sorted(((int(at[0]), int(at[1])), value) for at, value in changes.items())[::-1]:
        inline = _inline_array(text)
        if value is not None:
            put = _rendered(value, text, is_inline=inline is not None)
        else:
            put = ""
            start, end = _cut_item(text, start, end, inline) if inline is not None else _cut_lines(text, start, end)
        text = text[:start] + put + text[end:]
    return text


def _with_entries(text: str, new: Sequence[Mapping[str, Any]]) -> str:
    """The text with further entries at the end of the array, or of the file."""
    if not new:
        return text
    inline = _inline_array(text)
    if inline is None:
        newline = newline_of(text)
        lead = "" if not text.strip("\ufeff") else newline if text.endswith("\n") else newline * 2
        return text + lead + newline.join(_rendered(value, text, is_inline=False) + newline for value in new)
    places, _ = items(text, inline.value)
    rendered = [_rendered(value, text, is_inline=True) for value in new]
    if not places:
        at = inline.value + 1
        return text[:at] + ", ".join(rendered) + text[at:]
    start, end = places[-1]
    gap = text[len(text[:start].rstrip(_SPACE)) : start]
    # Each on a line of its own if the last one is
    lead = "," + (gap if "\n" in gap else " ")
    return text[:end] + "".join(lead + one for one in rendered) + text[end:]


def _hooks(whole: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries, ours or not; none where "hooks" is something else."""
    hooks = whole.get("hooks")
    return list(hooks) if _is_list_of_tables(hooks) else []


def _is_list_of_tables(hooks: object) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(hooks, list) and all(isinstance(entry, dict) for entry in hooks)


def _check_shape(text: str, file: str) -> None:
    """Raises InstallError when "hooks" is no array of tables."""
    hooks = parsed(text, file).get("hooks")
    if hooks is None or _is_list_of_tables(hooks):
        return
    at = next((one.start for one in statements(text) if "hooks" in parsed(text[one.start : one.end], file)), 0)
    raise Text(text, file).refusal(at, '"hooks" must be an array of tables', "make it one, or remove it")


def _inline_array(text: str) -> Statement | None:
    """The statement `hooks = […]`, if that is how the entries are written."""
    for statement in statements(text):
        if statement.is_header:
            return None
        if "hooks" in parsed(text[statement.start : statement.value] + "0", ""):
            return statement if text.startswith("[", statement.value) else None
    return None


def _spans(text: str) -> list[tuple[int, int]]:
    """The places of the entries, in file order: of a table, from its header to its last value."""
    inline = _inline_array(text)
    if inline is not None:
        return items(text, inline.value)[0]
    found: list[tuple[int, int]] = []
    is_in_entry = False
    for statement in statements(text):
        if statement.is_header:
            header = text[statement.start : statement.end]
            is_in_entry = (
                header.startswith("[[") and "hooks" in (named := parsed(header, "")) and named["hooks"] == [{}]
            )
            if is_in_entry:
                found.append((statement.start, statement.end))
        elif is_in_entry:
            found[-1] = (found[-1][0], statement.end)
    return found


def _rendered(value: Mapping[str, Any], text: str, *, is_inline: bool) -> str:
    """An entry as TOML, without the end of its last line."""
    table = tomlkit.inline_table() if is_inline else tomlkit.table()
    table.update(value)
    written = table.as_string().rstrip("\n")
    return written if is_inline else "\n".join(("[[hooks]]", written)).replace("\n", newline_of(text))


def _cut_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """What goes with a table: the end of its last line, and one empty line above it."""
    rest, line_end, _ = text[end:].partition("\n")
    if not rest.strip():
        end += len(rest) + len(line_end)
    above = text[:start].lstrip("\ufeff")
    newline = newline_of(text)
    return (start - len(newline), end) if above == newline or above.endswith(newline * 2) else (start, end)


def _cut_item(text: str, start: int, end: int, inline: Statement) -> tuple[int, int]:
    """What goes with an item of an array: a comma, and the space that it leaves behind; never a comment."""
    places, _ = items(text, inline.value)
    index = places.index((start, end))
    before = text[places[index - 1][1] : start] if index else ""
    if index and "#" not in before:
        return places[index - 1][1], end
    behind = text[end : places[index + 1][0]] if index + 1 < len(places) else text[end:].partition("\n")[0]
    comma = behind.find(",")
    if comma >= 0 and "#" not in behind[:comma]:
        end += comma + 1
        if index + 1 < len(places) and "#" not in behind:
            end = places[index + 1][0]
    return start, end
