"""Which of the known entities does a reply materially name?

Only the reply is searched, for what each entity is called; nothing is guessed from its fields' meaning.
"""

from __future__ import annotations

from neotoma_hooks.protocol.addresses import address_of, is_email, is_host, is_url
from neotoma_hooks.protocol.identity_fields import aliases_of, commits_of, is_person, keys_of, names_of
from neotoma_hooks.protocol.legal_forms import without_legal_form
from neotoma_hooks.protocol.matching import is_bookkeeping
from neotoma_hooks.protocol.mentions import Mention, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neotoma_hooks.protocol.entity import Entity


def cited_in(reply: str, entities: Sequence[Entity]) -> list[Entity]:
    """The given entities that the reply names, in the given order.

    Named is one whose name, alias, e-mail address, domain, number or id stands there as a whole, with or without its
    legal form. Possessive, plural, emphasis, links, back-ticks and line breaks do not hide a name. Part of a longer
    word or number is no name; where the names of two entities overlap, the longer one is meant; and a word that
    people use every day is a name only with its capital, and not where any word has one. Bookkeeping is never cited.
    Step 4 of the turn protocol ("every entity the reply materially cites").
    """
    if not reply or not entities:
        return []
    text = Reply(reply)
    mentions: list[tuple[Mention, int]] = []
    for index, entity in enumerate(entities):
        if not is_bookkeeping(entity.type):
            mentions.extend((mention, index) for mention in _mentions(text, entity))
    cited = {
        index
        for mention, index in mentions
        if not _swallowed(mention, index, mentions) and (not mention.joined or _tied_to_known(mention, mentions))
    }
    return [entity for index, entity in enumerate(entities) if index in cited]


def _mentions(text: Reply, entity: Entity) -> Iterator[Mention]:
    person = is_person(entity.type)
    seen: set[str] = set()
    for name in (*names_of(entity), *aliases_of(entity)):
        bare = without_legal_form(name)
        for form in (name, bare):
            if form and form.casefold() not in seen:
                seen.add(form.casefold())
                yield from text.mentions_of_name(form, person)
    for commit in commits_of(entity):
        yield from text.mentions_of_commit(commit)
    for key in keys_of(entity):
        lower = key.strip().lower()
        if lower in seen or len(lower) < 3:
            continue
        seen.add(lower)
        if is_email(lower):
            yield from text.mentions_of_key(lower)
        elif is_url(lower) or is_host(lower):
            yield from text.mentions_of_key(address_of(lower))
        elif lower.isdecimal():
            # A number alone may count anything; with # it is the record's.
            yield from text.mentions_of_key("#" + lower)
            if len(lower) > 4:
                yield from text.mentions_of_key(lower)
        elif any(map(str.isdigit, lower)) or "_" in lower or lower.startswith("@"):
            yield from text.mentions_of_key(lower)
        else:
            yield from text.mentions_of_key("@" + lower)


def _tied_to_known(mention: Mention, others: list[tuple[Mention, int]]) -> bool:
    """Does another mention stand right across the hyphen?"""
    return any(other.end + 1 == mention.start or mention.end + 1 == other.start for other, _ in others)


def _swallowed(mention: Mention, index: int, others: list[tuple[Mention, int]]) -> bool:
    """Does this mention lie inside a longer one of another entity?"""
    return any(
        other.start <= mention.start and mention.end <= other.end and other.size > mention.size and owner != index
        for other, owner in others
    )
