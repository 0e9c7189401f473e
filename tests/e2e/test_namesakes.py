"""Two thousand entities full of near-namesakes, two hundred messages, and edges as a careful reader would draw them."""

from __future__ import annotations

import random

import pytest

from standin import StandIn
from support.firing import fire, neotoma_hooks, prompt

FAMILIES = {
    "company": "Acme, Acme Rocket Labs, Acmeology, Acme Foods, Annapurna Labs, Initech, Initrode, Init, Globex, "
    "Globex Energy, Stark Industries, Starkey Hearing, Umbrella, Umbrella Academy",
    "person": "Ann, Anna, Anna Karlsson, Ann Karlsson, Annabel Lee, Ada Lovelace, Ada Yonath, Grace Hopper, "
    "Grace Kelly, Gracelyn Moss, Kelly Grace, Jean-Luc Picard, Jean Picard, María García, Mario Garcia",
    "project": "Phoenix, Phoenix Rising, Project Phoenix, Phoenician Wines, Apollo, Apollo Tyres, Apollonia",
}

FIRST = ["Bruno", "Clara", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Katya", "Liam", "Mona"]
LAST = ["Abel", "Brandt", "Castro", "Dorn", "Ekberg", "Falk", "Grieg", "Holm", "Iversen", "Jansen", "Kraus", "Lund"]
WHAT = ["Systems", "Logistics", "Foundry", "Robotics", "Partners", "Analytics", "Textiles", "Marine", "Optics", "Mills"]

ONE = ["What did {0} say last week?", "Remind me to call {0} tomorrow.", "Is {0} still waiting for the invoice?",
       "Please draft a reply to {0} about the delay.", "has anybody heard from {0}, or is it too early?"]  # fmt: skip
TWO = ["Did {0} sign the contract with {1}?", "Compare what {0} and {1} told us.", "Forward the notes of {0} to {1}.",
       "{0} asked whether {1} will be there."]  # fmt: skip
NONE = ["continue", "please run the tests again and fix what fails", "why is the build so slow today?", "ok, go on"]


def others() -> list[tuple[str, str]]:
    """Entities beside the families, so that there are two thousand in all, many a substring of another."""
    people = [(f"{first} {last}", "person") for first in FIRST for last in LAST]
    firms = [(f"{last} {what}", "company") for last in LAST for what in WHAT]
    more = [(f"{first} {last} {what}", "company") for first in FIRST for last in LAST for what in WHAT]
    return [*people, *firms, *more]


@pytest.mark.timeout(300)
def test_edges_go_to_what_is_named_and_to_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """No false REFERS_TO, never one to a record of the work itself, and at least 97 of a hundred true ones."""
    choose = random.Random(7)
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        monkeypatch.setenv("NEOTOMA_HOOKS_LOOKUP_SECONDS", "10")
        monkeypatch.setenv("NEOTOMA_HOOKS_PROMPT_SECONDS", "15")
        ids = {}
        for type, names in FAMILIES.items():
            for name in names.split(", "):
                ids[name] = server.remember(type, name)
        for name, type in others()[: 2000 - len(ids)]:
            ids[name] = server.remember(type, name)
        named = ", ".join(FAMILIES.values()).split(", ") + choose.sample(sorted(ids), 60)
        asked: dict[str, set[str]] = {}
        for number in range(200):
            kind = choose.random()
            if kind < 0.15:
                text, about = choose.choice(NONE), set()
            elif kind < 0.6:
                one = choose.choice(named)
                text, about = choose.choice(ONE).format(one), {one}
            else:
                first, second = choose.sample(named, 2)
                text, about = choose.choice(TWO).format(first, second), {first, second}
            fire("prompt_submit", prompt("c1", f"t{number}", text)).assert_harmless()
            asked[f"c1:t{number}"] = about
        neotoma_hooks("flush")
        keys = {message.id: str(message.fields["turn_key"]) for message in server.entities("conversation_message")}
        names_of = {id: name for name, id in ids.items()}
        drawn = {(keys[source], names_of.get(target, target)) for _, source, target in server.edges("REFERS_TO")}
    wanted = {(key, name) for key, about in asked.items() for name in about}
    assert len(keys) == 200
    assert sorted(drawn - wanted) == []
    assert len(drawn & wanted) >= 0.97 * len(wanted), sorted(wanted - drawn)
