"""Which concrete things does a message name?"""

from __future__ import annotations

from neotoma_hooks.protocol.reading import candidates_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.protocol.candidates import Candidate


def identifiers_in(text: str, limit: int = 16) -> list[str]:
    """The names, ids, quoted strings and addresses in a message, each as it is written there, best first.

    What the user wrote comes before what he pasted. Within each: ids, quoted strings, addresses, full names, single
    names, brands, acronyms, code symbols and paths, other forms of a name; and among equals the order of the text.
    None comes twice (ignoring case), and there are at most `limit`. Empty for slash commands and machine-made
    messages. Step 1 of the turn protocol ("concrete identifiers: names, ids, quoted strings, capitalised phrases").
    """
    return [candidate.text for candidate in best_of(candidates_in(text), limit)]


def best_of(candidates: list[Candidate], limit: int) -> list[Candidate]:
    """The taken ones in order of worth, at most `limit`, none twice.

    A thing named several times is worth what its first mention is worth; only a mention by the user himself lifts it
    over one in pasted material. So text that is added at the end leaves the order of what was there as it is.
    """
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        if candidate.taken:
            key = candidate.text.casefold()
            known = best.get(key)
            if known is None or (known.pasted and not candidate.pasted):
                best[key] = candidate
    ordered = sorted(best.values(), key=lambda candidate: (candidate.pasted, candidate.kind, candidate.start))
    return ordered[: max(limit, 0)]
