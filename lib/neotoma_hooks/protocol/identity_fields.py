"""Which fields of an entity say what it is called, and which merely say something about it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from neotoma_hooks.protocol.entity import Entity

_PEOPLE = frozenset("person people contact user employee member customer_contact lead candidate patient".split())

_NAMES = frozenset("name full_name display_name legal_name short_name trade_name nickname aka alias aliases".split())

#: Fields with a value that belongs to one thing only, whatever the entity's type.
_KEYS = frozenset(
    "email emails email_address email_addresses work_email personal_email primary_email business_email "
    "website websites url urls homepage homepage_url web_url html_url permalink link handle handles username "
    "user_name login screen_name slack_handle github github_handle github_username github_login twitter "
    "twitter_handle x_handle linkedin linkedin_url mastodon telegram id ids uuid guid entity_id external_id "
    "external_ids public_id record_id identifier identifiers key slug ref number reference_number "
    "tracking_number sku isbn issn doi arxiv_id iban vat_id tax_id lei ticker symbol sha sha1 commit "
    "commit_id commit_sha commit_hash hash path file_path file filename file_name repo_url".split()
)

#: Fields that name a company or a thing, but of a person tell only where he works or what he is.
_NOT_OF_PEOPLE = frozenset("title domain domains repo repository code".split())

#: What a company or a person may be to somebody: the number that it has as such is its own. An order's `customer_id` is
#: not the order's, nor is a person's `account_id` always the person's.
_PARTS_OF_COMPANIES = "customer client account vendor supplier partner merchant stripe_customer organization company"
_PARTS_OF_PEOPLE = "customer client user member employee student patient contact staff"

_COMPANIES = frozenset(
    "company organization organisation business firm customer client vendor supplier partner agency "
    "institution bank merchant".split()
)

#: The front page of whom these tell is their own, whichever of its pages is given.
_SITES = frozenset("website websites homepage homepage_url".split())

_COMMITS = frozenset("sha sha1 commit commit_id commit_sha commit_hash hash".split())


def names_of(entity: Entity) -> Iterator[str]:
    """Its name as written and the store's normal form of it."""
    for name in (entity.name, entity.canonical_name):
        if name:
            yield name


def aliases_of(entity: Entity) -> Iterator[str]:
    """Its other names: the aliases, and the name-like fields."""
    yield from (alias for alias in entity.aliases if alias)
    own_name = f"{entity.type}_name"
    for field, value in entity.fields.items():
        field = str(field).lower()
        if field in _NAMES or field == own_name or (field == "title" and not is_person(entity.type)):
            yield from _texts(value)


def keys_of(entity: Entity) -> Iterator[str]:
    """Its e-mail addresses, domains, URLs, handles, numbers and ids. A field that holds another thing's key does not
    count: of an order, `order_id` is its own and `customer_id` is not."""
    if entity.id:
        yield entity.id
    own = {f"{entity.type}_{part}" for part in ("id", "number", "key", "code", "no", "url", "ref")}
    person = is_person(entity.type)
    if person or is_company(entity.type):
        parts = _PARTS_OF_PEOPLE if person else _PARTS_OF_COMPANIES
        own.update(f"{part}_{number}" for part in parts.split() for number in ("id", "number", "no"))
    for field, value in entity.fields.items():
        field = str(field).lower()
        if field in _KEYS or field in own or (field in _NOT_OF_PEOPLE and field != "title" and not person):
            yield from _texts(value)


def commits_of(entity: Entity) -> Iterator[str]:
    """The full commit ids among its keys, lower case."""
    for field, value in entity.fields.items():
        if str(field).lower() in _COMMITS:
            yield from (text.lower() for text in _texts(value))


def is_person(entity_type: str) -> bool:
    """Is this the type of a human being?"""
    return entity_type.lower() in _PEOPLE


def is_company(entity_type: str) -> bool:
    """Is this the type of a company or of another body with a name of its own?"""
    return entity_type.lower() in _COMPANIES


def sites_of(entity: Entity) -> Iterator[str]:
    """The addresses at which a company says it is to be found; of anything else none."""
    if is_company(entity.type):
        for field, value in entity.fields.items():
            if str(field).lower() in _SITES:
                yield from _texts(value)


def _texts(value: object) -> Iterator[str]:
    """The strings in a field's value: itself, or the members of a list. Numbers count, truth values do not."""
    members = value[:64] if isinstance(value, (list, tuple)) else (value,)
    for member in members:
        if isinstance(member, str):
            if member:
                yield member
        elif isinstance(member, int) and not isinstance(member, bool):
            yield str(member)
