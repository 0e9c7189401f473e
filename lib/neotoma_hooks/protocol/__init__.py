"""The turn protocol as pure functions: no files, no network, no clock, and nothing else of this project.

The names below are loaded on first use, because a hook that only builds a write must not pay for what only
reading a message needs.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself costs a hook milliseconds; type checkers know this name by convention
if TYPE_CHECKING:
    from neotoma_hooks.protocol.citing import cited_in as cited_in
    from neotoma_hooks.protocol.entity import Entity as Entity
    from neotoma_hooks.protocol.explaining import explain as explain
    from neotoma_hooks.protocol.identifiers import identifiers_in as identifiers_in
    from neotoma_hooks.protocol.matching import entity_keys as entity_keys
    from neotoma_hooks.protocol.matching import is_bookkeeping as is_bookkeeping
    from neotoma_hooks.protocol.matching import lookup_keys as lookup_keys
    from neotoma_hooks.protocol.matching import lookup_variants as lookup_variants
    from neotoma_hooks.protocol.matching import matches as matches
    from neotoma_hooks.protocol.ranking import rank as rank

_HOMES = {
    "Entity": "entity",
    "cited_in": "citing",
    "entity_keys": "matching",
    "explain": "explaining",
    "identifiers_in": "identifiers",
    "is_bookkeeping": "matching",
    "lookup_keys": "matching",
    "lookup_variants": "matching",
    "matches": "matching",
    "rank": "ranking",
}


def __getattr__(name: str) -> object:
    """Load a public name from its module on first use (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # __import__ rather than importlib, which a hook does not load otherwise.
    module = __import__(f"{__name__}.{home}", fromlist=(name,))
    value: object = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
