"""Identifiers that a message holds only inside longer ones."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def shadows(text: str, identifiers: Sequence[str]) -> dict[str, list[str]]:
    """For each identifier that the text has nowhere but inside a longer one of them, those longer ones.

    "Project Phoenix" may be stored as "Phoenix", so both are looked up; but where the whole is known, its part names
    nothing else.
    """
    found: dict[str, list[str]] = {}
    for identifier in identifiers:
        longer = [other for other in identifiers if len(other) > len(identifier) and identifier in other]
        rest = text
        for other in longer:
            rest = rest.replace(other, "\0")
        if longer and identifier not in rest:
            found[identifier] = longer
    return found
