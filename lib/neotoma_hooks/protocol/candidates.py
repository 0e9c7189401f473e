"""A place in a message that may name something, and the order of worth of such places."""

from __future__ import annotations

#: Kinds, the ones that are most certain to name one thing first.
ID, QUOTED, ADDRESS, FULL_NAME, NAME, BRAND, ACRONYM, CODE, VARIANT = range(9)

KIND_NAMES = (
    "id", "quoted string", "address", "full name", "name", "brand", "acronym", "code", "other form of a name",
)  # fmt: skip


class Candidate:
    """A piece of a message: `text` as written, at offset `start`, of a `kind` (see above).

    `pasted` says that it stands in pasted material, `why` says in words why it was taken or dropped, and `taken` which.
    """

    __slots__ = ("kind", "pasted", "start", "taken", "text", "why")

    def __init__(self, start: int, text: str, kind: int, why: str, taken: bool = True, pasted: bool = False) -> None:
        self.start = start
        self.text = text
        self.kind = kind
        self.why = why
        self.taken = taken
        self.pasted = pasted

    def __repr__(self) -> str:
        return f"<{'+' if self.taken else '-'} {self.text!r} {KIND_NAMES[self.kind]}: {self.why}>"
