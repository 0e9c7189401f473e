"""A message read from beginning to end: every candidate in it, taken or dropped."""

from __future__ import annotations

from neotoma_hooks.protocol.candidates import ADDRESS, CODE, ID, NAME, QUOTED, Candidate
from neotoma_hooks.protocol.exact_forms import exact_forms_in
from neotoma_hooks.protocol.names import names_in
from neotoma_hooks.protocol.quotations import quotations_in
from neotoma_hooks.protocol.words import words_of
from neotoma_hooks.protocol.zones import Line, is_command, lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Stands for a span that is taken already, so that no name is read into or across it.
_TAKEN = "\ufffc"

#: After this many candidates in a message the rest is left: they are many times the bound of any look-up.
_ENOUGH = 2_000


def candidates_in(text: str) -> list[Candidate]:
    """Every candidate of a message in the order of the text, with the reason why it was taken or dropped."""
    lines = list(lines_of(text))
    command = is_command(text)
    masked: list[tuple[Line, str]] = []
    found: list[Candidate] = []
    for line in lines:
        masked.append((line, _exact(line, found)))
        if len(found) > _ENOUGH:
            break
    if command:
        # What is given to a command is a wish, not prose: only what is certain by its form is looked up.
        return [candidate for candidate in found if candidate.kind in (ID, QUOTED, ADDRESS)]
    attested = _attested(rest for line, rest in masked if not line.pasted)
    for line, rest in masked:
        if len(found) > _ENOUGH:
            break
        for name in names_in(rest, attested):
            name.start += line.start
            _place(name, line)
            found.append(name)
    found.sort(key=lambda candidate: candidate.start)
    return found


def _exact(line: Line, found: list[Candidate]) -> str:
    """Put down what a line has of quotations and exact forms; return the line with their spans masked."""
    text = line.text
    spans: list[tuple[int, int]] = []
    for quotation in quotations_in(text):
        kind = CODE if quotation.code else QUOTED
        why = "in back-ticks" if quotation.code else "in quotation marks"
        candidate = Candidate(line.start + quotation.start, quotation.text, kind, why)
        _place(candidate, line)
        found.append(candidate)
        # Short quotations are names; in longer ones somebody may be named.
        if quotation.code or quotation.text.count(" ") < 4:
            spans.append(quotation.outer)
    for start, end, kind, why in exact_forms_in(text):
        candidate = Candidate(line.start + start, text[start:end], kind, why)
        _place(candidate, line)
        found.append(candidate)
        spans.append((start, end))
    if not spans:
        return text
    parts: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if end <= done:
            continue
        start = max(start, done)
        parts.append(text[done:start])
        parts.append(_TAKEN * (end - start))
        done = end
    parts.append(text[done:])
    return "".join(parts)


def _place(candidate: Candidate, line: Line) -> None:
    """Of pasted material only what names something in the world is of use: no code, no paths, no lone capitals."""
    candidate.pasted = line.pasted
    if not line.pasted or not candidate.taken:
        return
    if candidate.kind == CODE or candidate.kind > NAME + 1:
        candidate.taken = False
        candidate.why += ", but in pasted material"
    elif candidate.kind == QUOTED and candidate.text == candidate.text.lower():
        candidate.taken = False
        candidate.why += ", but in pasted material and without a capital"


def _attested(lines: Iterable[str]) -> set[str]:
    """The words, in small letters, that have a capital where it says something, in the middle of a sentence."""
    return {word.lower for line in lines for word in words_of(line) if word.capital and not (word.opens or word.upper)}
