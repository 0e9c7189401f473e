"""Which entities a reply cites."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neotoma_hooks.protocol import Entity, cited_in

deterministic = settings(derandomize=True, deadline=None, max_examples=200)
ACME = Entity(id="ent_a", type="company", name="Acme Corp", aliases=("Acme",), fields={"domain": "acme.com"})
LABS = Entity(id="ent_b", type="company", name="Acme Rocket Labs")
ADA = Entity(id="ent_c", type="person", name="Ada Lovelace", fields={"email": "ada@example.org"})
ANN = Entity(id="ent_d", type="person", name="Ann")
SLACK = Entity(id="ent_e", type="product", name="Slack")
TICKET = Entity(id="ent_f", type="ticket", name="PROJ-12")
ALL = (ACME, LABS, ADA, ANN, SLACK, TICKET)


@deterministic
@given(st.text(), st.permutations(ALL))
def test_the_given_order_is_kept_and_nothing_is_added(reply: str, entities: list[Entity]) -> None:
    """The result is a part of the given entities, in their order."""
    found = cited_in(f"{reply} Acme, Ada Lovelace and PROJ-12", entities)
    assert found == [entity for entity in entities if entity in found]


@deterministic
@given(st.text(alphabet="*_`~ \n", max_size=3), st.sampled_from(["Ada Lovelace", "Acme Rocket Labs", "PROJ-12"]))
def test_markup_does_not_hide_a_name(mark: str, name: str) -> None:
    """Emphasis, back-ticks and line breaks round a name change nothing."""
    assert [entity.name for entity in cited_in(f"done: {mark}{name}{mark[::-1]} is next", ALL)] == [name]


@deterministic
@given(st.sampled_from(ALL), st.text(alphabet="abcxyz", min_size=1, max_size=3).filter(lambda tail: tail != "s"))
def test_a_longer_word_is_another_name(entity: Entity, tail: str) -> None:
    """A name at the beginning of a longer word is not cited."""
    assert cited_in(f"We saw the {entity.name}{tail} yesterday", [entity]) == []


@pytest.mark.parametrize(
    "reply",
    [
        "Acme is late.",
        "acme corp is late",
        "ACME CORP is late",
        "See https://acme.com/x",
        "Acme's bill",
        "two Acmes",
        "the Acme-wide rule",
        "Ask [Acme](https://example.org).",
        "| Acme | 3 |",
        "Acme\nCorp",
        "(Acme)",
        "non-Acme rows",
        "Acme社の契約",
    ],
)
def test_forms_of_a_name_that_count(reply: str) -> None:
    """Name, alias, domain; case, possessive, plural, link, table, line break, and glued letters of other scripts."""
    assert cited_in(reply, [ACME]) == [ACME]


@pytest.mark.parametrize(
    "reply",
    [
        "Acmeology is a science.",
        "bob@acme.com wrote",
        "notacme.com",
        "acme.com.example",
        "src/acme/x.py",
        "Acme Rocket Labs signed.",
        "It was the acme of skill.",
        "files at cdn.acme.com",
    ],
)
def test_what_only_looks_like_a_name(reply: str) -> None:
    """Longer words, hosts, paths and names, and the ordinary word, are not the company."""
    assert cited_in(reply, [ACME]) == []


def test_the_longer_name_swallows_the_shorter() -> None:
    """Where the names of two entities overlap, the longer one is meant; elsewhere the shorter may be named too."""
    assert cited_in("Acme Rocket Labs signed.", ALL) == [LABS]
    assert cited_in("Acme Rocket Labs and Acme signed.", ALL) == [ACME, LABS]


@pytest.mark.parametrize(
    ("reply", "cited"),
    [
        ("There is some slack left.", False),
        ("Slack in the rope.", False),
        ("Slack is down.", True),
        ("Posted it to Slack.", True),
    ],
)
def test_a_common_word_is_a_name_only_where_its_capital_says_so(reply: str, cited: bool) -> None:
    """An everyday word needs its capital, and at the beginning of a sentence a verb behind it."""
    assert bool(cited_in(reply, [SLACK])) is cited


def test_first_names_do_not_cite_unless_they_are_an_alias() -> None:
    """A given name may be anybody's."""
    assert cited_in("Ada agreed.", [ADA]) == []


def test_bookkeeping_is_never_cited() -> None:
    """Not even when the reply repeats its title."""
    assert cited_in("About Acme", [Entity(id="ent_x", type="conversation", name="Acme")]) == []


def test_nothing_is_cited_by_nothing() -> None:
    """An empty reply, or no entities."""
    assert cited_in("", ALL) == []
    assert cited_in("Acme", []) == []


@pytest.mark.parametrize(
    "unit",
    ["Ann", "ann ", "Ann-", "Acme-", "@acme.com", "Ada ", "Ada\n", "PROJ-12-", "Slack\n", "a", "銀", "\ud800", "É"],
)
def test_a_megabyte_of_reply_is_read_quickly(unit: str) -> None:
    """The time grows with the length of the reply only, however often a name almost stands there."""
    text = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
    start = time.process_time()
    cited_in(text, ALL)
    assert time.process_time() - start < 1.0
