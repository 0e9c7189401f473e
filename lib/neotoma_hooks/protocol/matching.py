"""Is a thing that memory came up with truly the thing that was named?

Everything rests on keys: folded spellings of a name, an address or an id. An entity is indexed under the keys of all
that it is called, an identifier is looked up under its own, and the two are the same thing when they share one. Keys
are always of the whole: part of a name or of a number has other keys.
"""

from __future__ import annotations

from functools import lru_cache

from neotoma_hooks.protocol.addresses import address_of, host_of, is_email, is_host, is_url, speaks_for_its_host
from neotoma_hooks.protocol.folding import expand_umlauts, fold, squeeze
from neotoma_hooks.protocol.identity_fields import aliases_of, commits_of, is_person, keys_of, names_of, sites_of
from neotoma_hooks.protocol.legal_forms import without_legal_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.protocol.entity import Entity

#: Entity types that record the work with an agent, not things in the world.
_BOOKKEEPING = frozenset(
    "conversation conversation_message conversation_turn conversation_session conversation_summary "
    "chat_session chat_turn session agent_session agent_message agent_turn agent_run agent_step user_message "
    "assistant_message system_message turn turn_summary tool_invocation tool_call tool_use tool_result "
    "tool_invocation_result hook_event hook_invocation".split()
)

#: Nouns before a number that say what kind of number it is.
_NUMBER_NOUNS = frozenset(
    "pr mr issue ticket bug case task story order invoice po number no nr № n° nº commit ref gh jira incident "
    "auftrag rechnung bestellung commande facture pedido factura zamówienie faktura".split()
)

_TITLES = frozenset(
    "dr mr mrs ms mx miss prof professor doctor sir dame herr frau hr fr mme mlle m monsieur madame sr sra "
    "srta señor señora don doña dott sig signor signora dhr mevr pan pani doc ing mag г-н г-жа".split()
)

#: Nouns and entity types that count their things in one row of numbers.
_SERIES = {
    word: series
    for series, words in enumerate(("pr mr pull_request merge_request", "issue ticket bug task story incident",
                                    "order po bestellung commande pedido", "invoice rechnung facture factura"))
    for word in words.split()
}  # fmt: skip

_COMMIT = "commit:"

#: Each identifier meets each hit, once when hits are chosen and once when they are ranked.
_REMEMBERED = 1024


def is_bookkeeping(type: str) -> bool:
    """Does an entity type record the work with an agent (messages, turns, tool calls)? No edge leads to such a one."""
    return type.strip().lower().replace("-", "_").replace(" ", "_") in _BOOKKEEPING


@lru_cache(_REMEMBERED)
def lookup_keys(text: str) -> tuple[str, ...]:
    """The keys of one name, alias, e-mail address, domain, URL, handle or id, the most exact first.

    An embedded store indexes what an entity is called under these, and looks an identifier up by them: whatever
    `matches` accepts shares at least one. Empty when the text has neither letter nor digit.
    """
    text = text.strip()
    folded = fold(text)
    if is_email(folded):
        return (folded.removeprefix("mailto:"),)
    if is_url(folded):
        address = address_of(folded)
        keys = [address, address.partition("?")[0]]
        if speaks_for_its_host(folded):
            keys.append(host_of(folded))
        return _unique(keys)
    keys = []
    if is_host(folded):
        keys.append(folded.partition(":")[0])
    number = _number_in(folded)
    if number:
        keys.append(number)
    if _is_commit(folded):
        keys.append(_COMMIT + folded[:7])
    keys.extend(_name_keys(text))
    bare = without_legal_form(text)
    if bare != text:
        keys.extend(_name_keys(bare))
    untitled = _without_title(bare)
    if untitled != bare:
        keys.extend(_name_keys(untitled))
    return _unique(keys)


def entity_keys(entity: Entity) -> tuple[str, ...]:
    """All keys an entity is indexed under: those of its names, aliases, addresses, numbers and ids."""
    keys: list[str] = []
    for name in (*names_of(entity), *aliases_of(entity)):
        keys.extend(_entity_side(name))
    for key in keys_of(entity):
        keys.extend(_entity_side(key))
    for site in sites_of(entity):
        # Those of a URL: with the host, unless everybody has pages there
        keys.extend(lookup_keys(site))
    return _unique(keys)


def lookup_variants(identifier: str) -> tuple[str, ...]:
    """The needles to send for one identifier to a server that matches substrings: as written first, then without
    what such a server does not store (legal form, `@`, `#`, scheme of a URL, hyphens). At most three."""
    written = identifier.strip()
    variants = [written]
    folded = fold(written)
    if is_email(folded):
        pass
    elif is_url(folded):
        variants += [host_of(folded)] if speaks_for_its_host(folded) else [address_of(folded)]
    else:
        variants.append(without_legal_form(written))
        number = _number_in(folded)
        if number:
            variants.append(number)
        variants.append(written.lstrip("@#"))
        variants.append(_without_title(variants[1]))
        variants.append(" ".join(variants[1].replace("-", " ").replace("’", "'").split()))
    return tuple(_unique([variant for variant in variants if squeeze(fold(variant))])[:3])


def matches(identifier: str, entity: Entity) -> bool:
    """Is this hit of a sloppy search truly the thing named?

    Yes when the identifier equals its name, an alias, or an e-mail address, domain, handle, number or id of its own,
    but for case, spaces, punctuation, diacritics and legal form; a URL also equals the domain it leads to, and the
    first seven or more digits of a commit id the whole one. No for bookkeeping, and for anything that merely contains
    the identifier, is contained in it or mentions it.
    """
    if is_bookkeeping(entity.type):
        return False
    shared = set(lookup_keys(identifier)).intersection(entity_keys(entity))
    if shared == {_number_in(fold(identifier))} and _other_kind_of_number(identifier, entity.type):
        return False
    if any(not key.startswith(_COMMIT) for key in shared):
        return True
    short = fold(identifier.strip())
    return bool(shared) and any(full.startswith(short) for full in commits_of(entity))


@lru_cache(_REMEMBERED)
def _entity_side(name: str) -> tuple[str, ...]:
    """The keys of something an entity is called. A page has the key of its host only if it is the front page."""
    keys = lookup_keys(name)
    folded = fold(name.strip())
    if is_url(folded) and not is_email(folded) and "/" in address_of(folded):
        return tuple(key for key in keys if key != host_of(folded))
    return keys


def _name_keys(name: str) -> list[str]:
    """As written but folded; squeezed; and with the spellings that letters allow (& is "and", ü is "ue")."""
    folded = fold(name)
    squeezed = squeeze(folded)
    if not squeezed:
        return []
    keys = [folded, squeezed]
    if "&" in folded:
        keys.append(squeeze(folded.replace("&", " and ")))
    expanded = squeeze(fold(expand_umlauts(name)))
    keys.append(expanded)
    return keys


def _number_in(folded: str) -> str:
    """The digits of "#456", "PR #456", "order 10023"; "" for anything else."""
    head, _, last = folded.rpartition(" ")
    if not head and "#" in folded:
        head, _, last = folded.rpartition("#")
        last = "#" + last
    digits = last.removeprefix("#").removeprefix("№")
    if not digits.isdecimal() or (head and head.rstrip(".:#") not in _NUMBER_NOUNS):
        return ""
    return digits if head or last != digits or len(digits) > 2 else ""


def _other_kind_of_number(identifier: str, entity_type: str) -> bool:
    """Does "PR #45" meet an invoice that happens to have the number 45?"""
    noun = identifier.split("#")[0].split()[:1]
    named, met = _SERIES.get(noun[0].lower() if noun else ""), _SERIES.get(entity_type.lower())
    return named is not None and met is not None and named != met


def _is_commit(folded: str) -> bool:
    return (
        7 <= len(folded) <= 64
        and all(char in "0123456789abcdef" for char in folded)
        and not folded.isdecimal()
        and not folded.isalpha()
    )


def _without_title(name: str) -> str:
    """What "Jane Goodall" is of "Dr. Jane Goodall". A single word keeps its title: "Dr. Pepper" is not "Pepper"."""
    words = name.split()
    start = 0
    while len(words) - start > 2 and words[start].rstrip(".").lower() in _TITLES:
        start += 1
    return " ".join(words[start:]) if start else name


def _unique(keys: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in keys if key))


__all__ = ["entity_keys", "is_bookkeeping", "is_person", "lookup_keys", "lookup_variants", "matches"]
