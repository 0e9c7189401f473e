"""Whether a hit of a sloppy search is the thing named, and the keys this rests on."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neotoma_hooks.protocol import Entity, entity_keys, is_bookkeeping, lookup_keys, lookup_variants, matches, rank

deterministic = settings(derandomize=True, deadline=None, max_examples=300)
NAMES = st.one_of(
    st.text(min_size=1, max_size=40),
    st.sampled_from(
        [
            "Acme, Inc.",
            "Jürgen Großmann",
            "O'Brien & Söhne GmbH & Co. KG",
            "C#",
            "PROJ-12",
            "#456",
            "ada@example.org",
            "https://acme.com/x?y=1",
            "www.acme.com",
            "@ada",
            "株式会社銀河",
            "İstanbul",
            "ООО Ромашка",
            "a1b2c3d4",
            "Ana Sá",
        ]
    ),
)


def company(name: str, **fields: object) -> Entity:
    return Entity(id="ent_1", type="company", name=name, fields=fields)


@deterministic
@given(NAMES)
def test_case_does_not_matter(name: str) -> None:
    """An identifier in capitals or in small letters matches as well as the one written right."""
    entity = company("Acme Corp", domain="acme.com", email="ada@example.org")
    assert matches(name.lower(), entity) == matches(name.lower().lower(), entity)
    ascii_only = name if name.isascii() else "Acme Corp"
    assert matches(ascii_only.upper(), entity) == matches(ascii_only.lower(), entity)


@deterministic
@given(NAMES)
def test_a_thing_matches_its_own_name(name: str) -> None:
    """Whatever a thing is called, its name names it, if there is a letter or digit in it."""
    assert matches(name, company(name)) == bool(lookup_keys(name))


@deterministic
@given(NAMES, NAMES)
def test_whatever_matches_shares_a_key(identifier: str, name: str) -> None:
    """A store that returns every entity with a common key misses nothing that `matches` accepts."""
    entity = Entity(id="ent_1", type="company", name=name, aliases=(name[::-1],), fields={"domain": "acme.com"})
    if matches(identifier, entity):
        assert set(lookup_keys(identifier)) & set(entity_keys(entity))


@deterministic
@given(NAMES)
def test_variants_are_few_and_begin_as_written(name: str) -> None:
    """At most three needles, the first one as written, none empty or twice."""
    variants = lookup_variants(name)
    assert len(variants) <= 3
    assert len(set(variants)) == len(variants)
    assert all(variant.strip() for variant in variants)
    assert not variants or variants[0] == name.strip()


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("Acme, Inc.", ("Acme, Inc.", "Acme")),
        ("https://www.acme.com/pricing", ("https://www.acme.com/pricing", "acme.com")),
        ("#456", ("#456", "456")),
        ("@ada", ("@ada", "ada")),
        ("Jean-Luc Picard", ("Jean-Luc Picard", "Jean Luc Picard")),
        ("ada@example.org", ("ada@example.org",)),
        ("...", ()),
    ],
)
def test_variants_for_a_server_that_matches_substrings(identifier: str, expected: tuple[str, ...]) -> None:
    """As written, then without what such a server does not store."""
    assert lookup_variants(identifier) == expected


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("Acme", "Acme Rocket Labs"),
        ("Acme", "Acmeology"),
        ("Ann", "Anna"),
        ("Ann", "Annapurna Labs"),
        ("Ann", "Ann Arbor"),
        ("PROJ-1", "PROJ-12"),
        ("Inc", "Acme Inc"),
        ("C", "C#"),
        ("INV-20-24", "INV-2-024"),
        ("10.1", "1.01"),
        ("AT", "AT&T"),
    ],
)
def test_near_namesakes_do_not_match(identifier: str, name: str) -> None:
    """Part of a name or number, in either direction, is another name."""
    assert not matches(identifier, company(name))
    assert not matches(name, company(identifier))


def test_fields_of_others_do_not_count() -> None:
    """An employer, a customer's number or a text that mentions it do not make a thing the one named."""
    entity = Entity(
        id="ent_1",
        type="order",
        name="Spare parts",
        fields={"customer_id": "C-9", "company": "Acme", "body": "for Globex", "order_id": "O-7"},
    )
    assert [matches(text, entity) for text in ("C-9", "Acme", "Globex", "O-7")] == [False, False, False, True]


def test_the_store_s_id_names_the_thing_whatever_its_case() -> None:
    """`ent_…` ids match."""
    entity = Entity(id="ent_3f9a1c77d2e84b05a6c1f0e2", type="person", name="Marie Curie")
    assert matches("ENT_3F9A1C77D2E84B05A6C1F0E2", entity)


@pytest.mark.parametrize(
    "type",
    [
        "conversation",
        "conversation_message",
        "conversation_turn",
        "tool_invocation",
        "agent_message",
        "session",
        "Conversation-Message",
    ],
)
def test_bookkeeping_matches_nothing(type: str) -> None:
    """Records of the work with an agent are no things in the world."""
    assert is_bookkeeping(type)
    assert not matches("Acme", Entity(id="ent_1", type=type, name="Acme"))


@pytest.mark.parametrize("type", ["company", "person", "message", "task", "note", "event"])
def test_things_are_no_bookkeeping(type: str) -> None:
    """Types for things in the world are kept."""
    assert not is_bookkeeping(type)


def test_rank_puts_names_before_aliases_before_fields_and_then_goes_by_mention() -> None:
    """Exact over alias over field; then mentioned earlier; then the lower id; the given order does not matter."""
    by_field = Entity(id="ent_a", type="company", name="Initech", fields={"domain": "acme.com"})
    by_alias = Entity(id="ent_b", type="company", name="Acme Corporation of America", aliases=("Acme",))
    by_name = Entity(id="ent_d", type="company", name="Acme")
    namesake = Entity(id="ent_c", type="company", name="Acme Inc.")
    other = Entity(id="ent_0", type="company", name="Globex")
    stranger = Entity(id="ent_9", type="company", name="Hooli")
    identifiers = ["acme.com", "Acme", "Globex"]
    everything = [by_field, stranger, other, by_alias, by_name, namesake, by_name]
    expected = ["ent_c", "ent_d", "ent_0", "ent_b", "ent_a"]
    assert [entity.id for entity in rank(everything, identifiers)] == expected
    assert [entity.id for entity in rank(reversed(everything), identifiers, bound=2)] == expected[:2]
    assert rank(everything, []) == []


def test_entities_can_be_kept_in_sets() -> None:
    """An entity is hashable although its fields are a mapping, and has defaults for what is rarely known."""
    entity = Entity(id="ent_1", type="person", name="Ada")
    assert isinstance(hash(entity), int)
    assert (entity.canonical_name, entity.aliases, dict(entity.fields)) == ("", (), {})
