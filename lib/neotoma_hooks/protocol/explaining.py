"""Why an identifier was taken or dropped, in words."""

from __future__ import annotations

from neotoma_hooks.protocol.candidates import KIND_NAMES
from neotoma_hooks.protocol.identifiers import best_of
from neotoma_hooks.protocol.reading import candidates_in


class Verdict:
    """What became of one piece of a message: its `text`, its `kind` in words, whether it was `taken`, and `why`."""

    __slots__ = ("kind", "taken", "text", "why")

    def __init__(self, text: str, kind: str, taken: bool, why: str) -> None:
        self.text = text
        self.kind = kind
        self.taken = taken
        self.why = why

    def __repr__(self) -> str:
        return f"Verdict({self.text!r}, {self.kind!r}, taken={self.taken}, why={self.why!r})"


def explain(text: str, limit: int = 16) -> list[Verdict]:
    """What `identifiers_in(text, limit)` takes, in its order, and then what it drops, in the order of the text, each
    with the reason in words. A text is listed once; one that is taken is not listed among the dropped."""
    candidates = candidates_in(text)
    every = best_of(candidates, len(candidates))
    verdicts = [
        Verdict(item.text, KIND_NAMES[item.kind], True, _because(item.why, item.pasted)) for item in every[:limit]
    ]
    verdicts += [Verdict(item.text, KIND_NAMES[item.kind], False, f"beyond the {limit} best") for item in every[limit:]]
    listed = {verdict.text.casefold() for verdict in verdicts}
    for item in candidates:
        key = item.text.casefold()
        if not item.taken and key not in listed:
            listed.add(key)
            verdicts.append(Verdict(item.text, KIND_NAMES[item.kind], False, item.why))
    return verdicts


def _because(why: str, pasted: bool) -> str:
    return f"{why}, in pasted material" if pasted else why
